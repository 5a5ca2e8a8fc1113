"""Test every table and figure in the registry. A new one is tested without further code."""

import re
from pathlib import Path

import joblib
import pandas as pd
import pytest
from grids import thinned
from latex_syntax import check_latex
from matplotlib.text import Text
from synthetic_runs import SMALL, make_inputs

from fwsvm.inputs.errors import UserError
from fwsvm_papers.pipeline import artefacts
from fwsvm_papers.pipeline.artefacts import (
    ARTEFACTS,
    artefacts_of,
    output_paths,
    render,
    write,
    write_all,
)
from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.reporting.figures import Chart, save_figure
from fwsvm_papers.reporting.style import figure_style
from fwsvm_papers.reporting.tables import Table, read_artefact_data
from fwsvm_papers.runs.records import empty_runs
from fwsvm_papers.studies.about import about
from fwsvm_papers.studies.registry import WITH_DETAILS

CHECKOUT = Path(__file__).parents[2]
OF_ONE_PROTOCOL = sorted(name for name in ARTEFACTS if "--" not in name)
FROM_SKETCHES = "tsang2005-fig1"  # of the artefacts that need no runs, this one is drawn fastest


@pytest.fixture(scope="module")
def nothing(small_inputs):
    tests, studies = small_inputs["tests"].iloc[:0], {name: [] for name in WITH_DETAILS}
    return {
        "runs": empty_runs(),
        "descriptions": [],
        "tests": tests,
        "sketches": small_inputs["sketches"],
        **studies,
    }


def drawn(artefact_id, inputs):
    """Return the result of `render`. If there is nothing to draw, check that the error gives a
    reason, and return None.
    """
    try:
        return render(artefact_id, inputs)
    except NotDrawableError as error:
        assert str(error).startswith("needs ")
        return None


def test_every_committed_table_and_figure_is_an_artefact():
    folders = ("results/released/tables", "figures/released")
    assert {path.stem for folder in folders for path in (CHECKOUT / folder).glob("*.csv")} <= set(
        ARTEFACTS
    )


@pytest.mark.parametrize("artefact_id", thinned([*OF_ONE_PROTOCOL[1:], OF_ONE_PROTOCOL[0]], 2))
def test_renders_from_the_inputs_it_names(artefact_id, inputs):
    entry = ARTEFACTS[artefact_id]
    result = render(artefact_id, {name: inputs[name] for name in entry.needs})
    assert isinstance(result, Table if entry.kind == "table" else Chart)
    assert not result.frame.empty and about(artefact_id).caption
    assert_it_can_be_written(artefact_id, result)


def assert_it_can_be_written(artefact_id, result):
    """Check that the LaTeX of a table is well-formed, and that no text of a figure is cut off."""
    if isinstance(result, Table):
        return check_latex(result.data(id=artefact_id).to_latex())
    figure = result.figure
    # compute the layout of the files, but write no files
    save_figure(figure, artefact_id, formats=())
    with figure_style():
        figure.draw_without_rendering()  # draw the figure again at its own resolution
    ticks = {
        label
        for axes in figure.axes
        for label in (*axes.get_xticklabels(which="both"), *axes.get_yticklabels(which="both"))
    }
    width, height = figure.bbox.size
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text not in ticks:
            x0, y0, x1, y1 = text.get_window_extent().extents
            assert x0 > -1 and y0 > -1 and x1 < width + 1 and y1 < height + 1, text.get_text()


@pytest.mark.parametrize("path", sorted((CHECKOUT / "figures/released").glob("*.json")))
def test_the_json_file_of_a_figure_has_the_columns_of_its_csv_file(path):
    data = read_artefact_data(path)
    columns = [] if data.skipped else pd.read_csv(path.with_suffix(".csv"), nrows=0).columns
    assert [column.name for column in data.columns] == list(columns)


def test_same_inputs_give_the_same_bytes(small_inputs, tmp_path):
    runs = [(tmp_path / run / "results", tmp_path / run / "figures") for run in ("first", "second")]
    for name in ("frandi2013-table7", FROM_SKETCHES, "nanculef2014-fig9"):
        assert [write(name, small_inputs, *folders) for folders in runs] == ["", ""]
        first, second = (output_paths(name, *folders) for folders in runs)
        assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@pytest.mark.parametrize("artefact_id", thinned(OF_ONE_PROTOCOL, 2))
def test_other_data_sets_than_the_papers_are_drawn_or_there_is_a_reason(artefact_id, demo_inputs):
    """By default, this test draws the artefacts that `test_renders_from_the_inputs_it_names` leaves
    out.
    """
    if result := drawn(artefact_id, demo_inputs):
        assert_it_can_be_written(artefact_id, result)


OPTIONS = (
    {"repetitions": 1, "methods": ("cvm", "fw"), "protocols": ("as_printed",)},
    {"methods": ("fw", "swap"), "protocols": ("as_printed",)},
    {"methods": ("cvm",), "protocols": ("all_points",)},
    {"datasets": ("iris", "shuttle", "w4a"), "protocols": ("as_printed", "all_points")},
    {"stop_reason": "time_limit", "disturbed": True, "timing": "shared", "protocols": ("libcvm",)},
    {
        "protocols": ("all_points",),
        "gamma_rule": None,
        "init": None,
        "threads": None,
        "test_accuracy": None,
    },
)


@pytest.fixture(scope="module", params=thinned(list(range(len(OPTIONS))), 4))
def odd(request):
    """Return (place, inputs) for one of the `OPTIONS`."""
    return request.param, make_inputs(
        **{"datasets": SMALL, "repetitions": 2, **OPTIONS[request.param]}
    )


@pytest.mark.xdist_group("odd-artefacts")
@pytest.mark.parametrize("shift", thinned(list(range(len(OPTIONS))), len(OPTIONS)))
def test_renders_whatever_came_out(odd, shift):
    """Each test draws a sixth of the artefacts, and the claims, from runs with one of the
    `OPTIONS`. Artefacts that are neighbours in the list share code, so they get different
    `OPTIONS`.
    """
    place, odd_inputs = odd
    for artefact_id in {
        *sorted(ARTEFACTS)[(place + shift) % len(OPTIONS) :: len(OPTIONS)],
        "claims",
    }:
        result = drawn(artefact_id, odd_inputs)
        if isinstance(result, Chart):
            result.figure.set_layout_engine("none")  # the layout takes longer than the drawing
            result.figure.draw_without_rendering()
        elif result is not None:
            data = result.data(id=artefact_id)
            assert len(result.frame) and data.to_markdown() and data.to_latex()


@pytest.mark.xdist_group("artefacts-of-small-runs")
@pytest.mark.parametrize(
    "artefact_id", thinned([name for name in OF_ONE_PROTOCOL if name != "claims"], 3)
)
def test_every_artefact_reads_the_experiments_that_it_names(artefact_id, small_inputs):
    """The table of claims is not tested here, since it judges the runs of all experiments."""
    absent = dict.fromkeys(
        ("a6a", "w2a", "letter", "sonar", "magic", "miniboone", "mine"), "no answer"
    )
    inputs, runs = small_inputs | {"missing": absent}, small_inputs["runs"]
    before, alone = runs.copy(), runs[runs["experiment"].isin(about(artefact_id).experiments)]
    result = render(artefact_id, inputs)
    assert runs.equals(before)
    of_these = render(artefact_id, inputs | {"runs": alone})
    assert of_these.frame.reset_index(drop=True).equals(result.frame.reset_index(drop=True))


@pytest.mark.parametrize("artefact_id", OF_ONE_PROTOCOL)
def test_nothing_at_all_is_not_drawn_but_sketches_and_printed_numbers(artefact_id, nothing):
    result = drawn(artefact_id, nothing)
    if result is not None and not set(ARTEFACTS[artefact_id].needs) <= {"sketches"}:
        assert set(result.frame["protocol"]) == {"printed"}


def test_all_at_once(nothing, tmp_path, monkeypatch):
    """All artefacts are written, except most figures of sketches. One figure of sketches is
    enough.
    """
    chosen = {
        name: entry
        for name, entry in ARTEFACTS.items()
        if entry.needs != ("sketches",) or name == FROM_SKETCHES
    }
    monkeypatch.setattr(artefacts, "ARTEFACTS", chosen)
    # on systems with forks, forks are used, since a fork need not import the modules again
    with joblib.parallel_config("multiprocessing"):
        reasons = write_all(nothing, tmp_path / "results", tmp_path / "figures", n_jobs=2)
    assert list(reasons) == [name for name in chosen if "--" not in name]
    assert reasons[FROM_SKETCHES] == "" and reasons["summary"].startswith("needs ")
    folders = (tmp_path / "results", tmp_path / "figures")
    files = [path for name in reasons for path in output_paths(name, *folders)]
    assert all(path.stat().st_size > 0 for path in files)
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == set(files)
    with pytest.raises(UserError, match=r"need .*descriptions and tests"):
        write_all({"runs": nothing["runs"], "sketches": nothing["sketches"]}, tmp_path, tmp_path)


@pytest.mark.parametrize("artefact_id", ["frandi2013-table3", "frandi2013-fig3"])
def test_the_files_of_a_skipped_artefact_say_why(artefact_id, small_inputs, nothing, tmp_path):
    assert write(artefact_id, small_inputs, tmp_path, tmp_path) == ""
    reason = write(artefact_id, nothing, tmp_path, tmp_path, ["svg"])
    assert reason.startswith("needs ")
    # no file of the earlier call is left
    paths = output_paths(artefact_id, tmp_path, tmp_path, ["svg"])
    assert sorted(path for path in tmp_path.rglob("*.*")) == sorted(paths)
    for path in paths:
        text = path.read_text()
        assert "is missing, because it needs" in " ".join(re.sub("<[^>]*>", "", text).split()), path
    data = read_artefact_data(paths[0])
    assert data.skipped == reason and data.title == about(artefact_id).title


def test_texts_of_the_released_run_and_of_others(small_inputs, tmp_path):
    entry = about("frandi2013-table3")
    for released, finding in ((True, entry.finding), (False, "")):
        inputs = small_inputs | {"released": released, "cpu_models": ["one", "another"]}
        write(entry.id, inputs, tmp_path, tmp_path)
        data = read_artefact_data(tmp_path / f"tables/{entry.id}.json")
        assert (data.finding, data.caption) == (finding, entry.caption)
        assert "2 CPU models (one; another)" in data.notes
        assert data.to_markdown() == (tmp_path / f"tables/{entry.id}.md").read_text()
        assert data.words in data.to_markdown()


@pytest.mark.parametrize(
    ("protocols", "variants"),
    [
        ({"as_run"}, set()),
        ({"as_printed", "as_run"}, {"as_printed"}),
        ({"all_points", "as_printed"}, {"all_points"}),
        ({"as_run", "libcvm", "all_points"}, {"libcvm", "all_points"}),
    ],
)
def test_a_figure_has_a_variant_for_each_later_protocol_of_its_experiment(protocols, variants):
    names = artefacts_of([*(("benchmark", name) for name in protocols), ("poly", "as_run")])
    found = [name.split("--") for name in names if "--" in name]
    assert {protocol for _, protocol in found} == variants
    assert {figure for figure, _ in found} <= {
        name for name in OF_ONE_PROTOCOL if "benchmark" in about(name).experiments
    }
    assert [name for name in names if "--" not in name] == [n for n in ARTEFACTS if "--" not in n]
    assert not [name for name in artefacts_of([("benchmark", "as_run")]) if "--" in name]
