"""Contract of the registry: every artefact, by being there, is tested."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import joblib
import pytest
from grids import thinned
from latex_syntax import check_latex
from matplotlib.text import Text
from synthetic_runs import SMALL, make_inputs

from fwsvm.base.errors import UserError
from fwsvm.pipeline.artefacts import ARTEFACTS, SKIPPED, artefact, output_paths, render, write, write_all, write_many
from fwsvm.pipeline.inputs import read_inputs, released_inputs
from fwsvm.reporting.figures import Chart, save_figure
from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.style import figure_style
from fwsvm.reporting.tables import Table
from fwsvm.runs.records import empty_runs
from fwsvm.studies.registry import WITH_DETAILS

CHECKOUT = Path(__file__).parents[2]
PAPERS = "frandi2013|nanculef2014|tsang2005|singh|alaiz2018"
PRINTED_ALONE = {"nanculef2014-fig6", "nanculef2014-fig8"}
WITHOUT_RUNS = {name for name, entry in ARTEFACTS.items() if set(entry.needs) <= {"sketches"}} | PRINTED_ALONE
OF_ANY_SETS = {*WITHOUT_RUNS, "summary", "beyond-majority", "beyond-gap", "beyond-profile", "beyond-cd"}
OF_OTHER_EXPERIMENTS = {
    *("frandi2013-table8", "frandi2013-fig7", "frandi2013-fig8", "nanculef2014-fig10", "nanculef2014-fig11"),
    *("beyond-gamma", "beyond-splits", "beyond-stopping", "beyond-stopping-table", "beyond-equal", "beyond-peers"),
    *("singh-table1", "singh-fig1", "singh-fig2", "singh-fig3", "singh-fig4", "singh-fig5", "singh-signerror"),
    *("tsang2005-fig2", "tsang2005-fig3", "tsang2005-fig4", "tsang2005-oneclass"),
    *("alaiz2018-table2", "alaiz2018-table3", "alaiz2018-table4", "alaiz2018-table5", "alaiz2018-fig3"),
}
EXPECTED = {
    *(f"frandi2013-{kind}{k}" for kind in ("table", "fig") for k in range(1, 9)),
    *(f"nanculef2014-table{k}" for k in (1, 2)),
    *(f"nanculef2014-fig{k}" for k in range(1, 12)),
    *(f"singh-fig{k}" for k in range(1, 7)),
    *("singh-table1", "singh-signerror"),
    *(f"alaiz2018-table{k}" for k in range(1, 6)),
    *(f"alaiz2018-fig{k}" for k in range(1, 5)),
    *("beyond-gamma", "beyond-splits", "beyond-stopping"),
    "claims",
    "summary",
    *(f"tsang2005-fig{k}" for k in range(1, 5)),
    "tsang2005-oneclass",
}


@pytest.fixture(scope="module")
def nothing(small_inputs):
    tests, studies = small_inputs["tests"].iloc[:0], {name: [] for name in WITH_DETAILS}
    return {"runs": empty_runs(), "descriptions": [], "tests": tests, "sketches": small_inputs["sketches"], **studies}


def drawn(artefact_id, inputs):
    """What `render` returns, or None where there is nothing to draw."""
    try:
        return render(artefact_id, inputs)
    except NotDrawableError:
        return None


OF_ONE_PROTOCOL = sorted(name for name in ARTEFACTS if "--" not in name)


@pytest.fixture(params=OF_ONE_PROTOCOL)
def artefact_id(request):
    return request.param


def test_both_papers_are_complete():
    assert set(ARTEFACTS) >= EXPECTED


def test_names_and_entries(artefact_id):
    names = rf"({PAPERS})-(table|fig)\d+|singh-signerror|tsang2005-oneclass|beyond-[a-z]+(-table)?|claims|summary"
    assert re.fullmatch(names, artefact_id)
    entry = ARTEFACTS[artefact_id]
    assert entry.kind in ("table", "figure")
    assert ("-fig" in artefact_id) <= (entry.kind == "figure")
    assert ("-table" in artefact_id) <= (entry.kind == "table")
    assert set(entry.needs) <= {"runs", "descriptions", "tests", "sketches", *WITH_DETAILS}
    assert entry.caption.endswith(".") and entry.function.__doc__
    parameters = inspect.signature(entry.function).parameters
    if "details" in parameters:  # of all studies that there are
        assert [*entry.needs[:2], "missing", "details"] == list(parameters)
        assert set(entry.needs[2:]) <= set(WITH_DETAILS)
    else:
        assert [*entry.needs, "missing"] == list(parameters)


def test_renders_from_the_inputs_it_names(artefact_id, inputs):
    entry = ARTEFACTS[artefact_id]
    result = render(artefact_id, {name: inputs[name] for name in entry.needs})
    assert isinstance(result, Table if entry.kind == "table" else Chart)
    assert not result.frame.empty
    if isinstance(result, Chart):
        save_figure(result.figure, artefact_id, formats=())  # the layout of the files, without the files
        assert_no_text_is_cut_off(result.figure)
    else:
        check_latex(result.to_latex(artefact_id))


def assert_short_and_plain(captions):
    assert len(captions) > 50
    assert {name: len(text.split()) for name, text in captions.items() if len(text.split()) > 80} == {}
    private = re.compile(r"sampled_|random_meb|farthest_pair|cvm_certified|gamma_rule|sigma2")
    assert [name for name, text in captions.items() if private.search(text)] == []


def test_released_captions_are_short():
    """As they are committed: a table's is its first paragraph, a figure's stands below the picture."""
    tables, figures = (CHECKOUT / name for name in ("results/released/tables", "figures/released"))
    files = [(path, 0) for path in tables.glob("*.md")] + [(path, 1) for path in figures.glob("*-*.md")]
    assert_short_and_plain({path.stem: path.read_text().split("\n\n")[place] for path, place in files})


@pytest.mark.exhaustive
def test_captions_of_the_released_run_are_short_as_drawn_now():
    inputs = read_inputs(released_inputs(CHECKOUT / "results/released"))
    results = {name: drawn(name, inputs) for name in ARTEFACTS}
    assert_short_and_plain({name: result.caption for name, result in results.items() if result is not None})


def assert_no_text_is_cut_off(figure):
    with figure_style():
        figure.draw_without_rendering()  # at its own resolution again
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


@pytest.mark.parametrize("artefact_id", ["frandi2013-table7", "frandi2013-fig1", "nanculef2014-fig9"])
def test_same_inputs_give_the_same_bytes(artefact_id, small_inputs, tmp_path):
    for folder in ("first", "second"):
        paths = write(artefact_id, small_inputs, tmp_path / folder / "results", tmp_path / folder / "figures")
        assert paths == output_paths(artefact_id, tmp_path / folder / "results", tmp_path / folder / "figures")
    first = sorted(path for path in (tmp_path / "first").rglob("*") if path.is_file())
    second = sorted(path for path in (tmp_path / "second").rglob("*") if path.is_file())
    assert len(first) == len(paths)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@pytest.mark.parametrize("artefact_id", thinned(OF_ONE_PROTOCOL, 2))
def test_demo_profile_without_the_papers_data_sets(artefact_id, demo_inputs):
    tables = {
        "frandi2013-table8",
        "beyond-splits",
        "beyond-stopping-table",
        "beyond-equal",
        "beyond-cost",
        "singh-table1",
        *(f"alaiz2018-table{k}" for k in range(1, 6)),
    }  # of experiments that did not run
    needed = artefact_id in tables or (ARTEFACTS[artefact_id].kind == "figure" and artefact_id not in OF_ANY_SETS)
    if needed:
        with pytest.raises(NotDrawableError, match=r"^needs .* (was run|has none|configuration)"):
            render(artefact_id, demo_inputs)
        return
    result = render(artefact_id, demo_inputs)
    if isinstance(result, Table):
        check_latex(result.to_latex(artefact_id))


OPTIONS = (
    {"repetitions": 1, "methods": ("cvm", "fw"), "protocols": ("as_printed",)},
    {"methods": ("fw", "swap"), "protocols": ("as_printed",)},
    {"methods": ("cvm",), "protocols": ("all_points",)},
    {"datasets": ("iris", "shuttle", "w4a"), "protocols": ("as_printed", "all_points")},
    {"stop_reason": "time_limit", "disturbed": True, "timing": "shared", "protocols": ("libcvm",)},
    {"protocols": ("all_points",), "gamma_rule": None, "init": None, "threads": None, "test_accuracy": None},
)


ODD_ONES = [
    pytest.param(place, id=str(options), marks=pytest.mark.exhaustive if place % 2 else ())
    for place, options in enumerate(OPTIONS)
]


@pytest.fixture(scope="module", params=ODD_ONES)
def odd(request):
    """(place, inputs) of each of these."""
    return request.param, make_inputs(**{"datasets": SMALL, "repetitions": 2, **OPTIONS[request.param]})


@pytest.mark.xdist_group("odd-artefacts")
def test_renders_whatever_came_out(odd):
    """A sixth of the artefacts each: neighbours in the list share their code and get different ones of the options.

    The first three, with few methods and protocols, all show the claims too.
    """
    place, odd_inputs = odd
    draw_all({*sorted(ARTEFACTS)[place :: len(OPTIONS)], *(["claims"] if place < 3 else [])}, odd_inputs)


@pytest.mark.exhaustive
@pytest.mark.xdist_group("odd-artefacts")
@pytest.mark.parametrize("shift", range(1, len(OPTIONS)))
def test_renders_whatever_came_out_of_any_option(odd, shift):
    place, odd_inputs = odd
    draw_all(sorted(ARTEFACTS)[(place + shift) % len(OPTIONS) :: len(OPTIONS)], odd_inputs)


def draw_all(names, odd_inputs):
    for artefact_id in sorted(names):
        result = drawn(artefact_id, odd_inputs)
        if isinstance(result, Chart):
            result.figure.set_layout_engine("none")  # which takes longer than the drawing
            result.figure.draw_without_rendering()
        elif result is not None:
            assert result.to_csv() and result.to_markdown() and result.to_latex(artefact_id)


@pytest.mark.xdist_group("artefacts-of-small-runs")
@pytest.mark.parametrize("artefact_id", thinned(OF_ONE_PROTOCOL, 3))
def test_every_artefact_shows_its_own_experiment_only(artefact_id, small_inputs):
    absent = dict.fromkeys(("a6a", "w2a", "letter", "sonar", "magic", "miniboone", "mine"), "no answer")
    inputs, runs = small_inputs | {"missing": absent}, small_inputs["runs"]
    before, alone = runs.copy(), runs[runs["experiment"] == "benchmark"]
    result = render(artefact_id, inputs)
    assert runs.equals(before)
    if artefact_id in ("claims", "summary", "beyond-profile"):
        return  # which are about several experiments
    if "runs" not in ARTEFACTS[artefact_id].needs:
        return  # what runs there are makes no difference
    reduced = drawn(artefact_id, inputs | {"runs": alone})
    assert (reduced is None) == (artefact_id in OF_OTHER_EXPERIMENTS)
    if reduced is not None:
        assert reduced.frame.equals(result.frame) and reduced.caption == result.caption


def test_nothing_at_all_is_not_drawn(artefact_id, nothing):
    assert (drawn(artefact_id, nothing) is None) == (artefact_id not in WITHOUT_RUNS)


def test_all_at_once(nothing, tmp_path):
    with joblib.parallel_config("multiprocessing"):  # forks, where there are forks, which need not import everything
        written, skipped = write_all(nothing, tmp_path / "results", tmp_path / "figures", n_jobs=2)
    assert list(written) == [name for name in ARTEFACTS if name in WITHOUT_RUNS]
    assert all(path.stat().st_size > 0 for paths in written.values() for path in paths)
    assert list(skipped) == [name for name in ARTEFACTS if name not in WITHOUT_RUNS and "--" not in name]
    assert json.loads((tmp_path / "results" / SKIPPED).read_text()) == skipped
    with pytest.raises(UserError, match=r"need .*descriptions and tests"):
        write_all({"runs": nothing["runs"], "sketches": nothing["sketches"]}, tmp_path, tmp_path)


def test_a_skipped_artefact_leaves_no_files_of_an_earlier_run(small_inputs, nothing, tmp_path):
    chosen = ["frandi2013-table3", "frandi2013-fig1"]
    written, skipped = write_many(chosen, small_inputs, tmp_path, tmp_path)
    assert list(written) == chosen and not skipped
    written, skipped = write_many(chosen, nothing, tmp_path, tmp_path)
    assert list(written) == ["frandi2013-fig1"]
    assert skipped == {"frandi2013-table3": "needs runs of the benchmark, and this run has none"}
    assert sorted(path for path in tmp_path.rglob("*.*")) == sorted(written["frandi2013-fig1"])


def test_the_registry_imports_nothing_that_draws():
    code = "import sys, fwsvm.pipeline.artefacts; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"matplotlib", "pandas", "scipy", "joblib"} & set(loaded)


def test_unknown_artefact_and_missing_input(small_inputs):
    with pytest.raises(UserError, match=r"known are tsang2005-fig1.*frandi2013-table1"):
        artefact("frandi2013-table99")
    with pytest.raises(UserError, match="needs tests"):
        render("frandi2013-table5", {"runs": small_inputs["runs"]})
