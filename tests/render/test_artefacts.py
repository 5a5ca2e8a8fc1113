"""Contract of the registry: every artefact, by being there, is tested."""

import re

import pytest
from synthetic_runs import make_inputs

from fwsvm.analysis.runs import empty_runs
from fwsvm.errors import UserError
from fwsvm.render.figures_io import Chart
from fwsvm.render.registry import ARTEFACTS, artefact, output_paths, render, write
from fwsvm.render.tables import Table

PAPERS = "frandi2013|nanculef2014|tsang2005|singh|alaiz2018"


@pytest.fixture(params=sorted(ARTEFACTS))
def artefact_id(request):
    return request.param


def test_names_and_entries(artefact_id):
    assert re.fullmatch(rf"({PAPERS})-(table|fig)\d+|beyond-[a-z]+|claims", artefact_id)
    entry = ARTEFACTS[artefact_id]
    assert entry.kind in ("table", "figure")
    assert ("-fig" in artefact_id) <= (entry.kind == "figure")
    assert set(entry.needs) <= {"runs", "descriptions", "tests"}
    assert entry.caption.endswith(".") and entry.function.__doc__


def test_renders_from_the_inputs_it_names(artefact_id, inputs):
    entry = ARTEFACTS[artefact_id]
    result = render(artefact_id, {name: inputs[name] for name in entry.needs})
    assert isinstance(result, Table if entry.kind == "table" else Chart)
    assert not result.is_placeholder
    assert not result.frame.empty
    assert "Missing 16 of the paper's 26" in result.caption or "data sets: " in result.caption


def test_same_inputs_give_the_same_bytes(artefact_id, inputs, tmp_path):
    for folder in ("first", "second"):
        paths = write(artefact_id, inputs, tmp_path / folder / "results", tmp_path / folder / "figures")
        assert paths == output_paths(artefact_id, tmp_path / folder / "results", tmp_path / folder / "figures")
    first = sorted(path for path in (tmp_path / "first").rglob("*") if path.is_file())
    second = sorted(path for path in (tmp_path / "second").rglob("*") if path.is_file())
    assert len(first) == len(paths)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_inputs_are_left_alone(artefact_id, inputs):
    before = {name: inputs[name].copy() for name in ("runs", "tests")}
    render(artefact_id, inputs)
    for name, frame in before.items():
        assert frame.equals(inputs[name])


def test_demo_profile_without_the_papers_data_sets(artefact_id, demo_inputs, tmp_path):
    result = render(artefact_id, demo_inputs)
    assert result.is_placeholder == (ARTEFACTS[artefact_id].kind == "figure")
    write(artefact_id, demo_inputs, tmp_path, tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {"repetitions": 1},
        {"methods": ("cvm", "fw")},
        {"methods": ("fw", "swap")},
        {"methods": ("cvm",)},
        {"selections": ("full",)},
        {"datasets": ("w1a",)},
        {"datasets": ("pendigits", "iris", "a1a")},
        {"stop_reason": "time_limit", "disturbed": True, "timing": "shared"},
        {"sample_size": None, "patience": None, "alternate": None, "gamma_rule": None, "init": None, "threads": None},
        {"test_accuracy": None},
    ],
    ids=str,
)
def test_renders_whatever_came_out(artefact_id, options):
    result = render(artefact_id, make_inputs(**options))
    if isinstance(result, Chart):
        result.figure.draw_without_rendering()
    else:
        assert result.to_csv() and result.to_markdown() and result.to_latex(artefact_id)


def test_nothing_at_all_is_a_placeholder(artefact_id, inputs, tmp_path):
    nothing = {"runs": empty_runs(), "descriptions": [], "tests": inputs["tests"].iloc[:0]}
    assert render(artefact_id, nothing).is_placeholder
    write(artefact_id, nothing, tmp_path, tmp_path)


def test_reasons_for_missing_sets_reach_the_caption(artefact_id, inputs):
    result = render(artefact_id, inputs | {"missing": {"a6a": "not at hand", "w2a": "not at hand"}})
    assert "(not at hand)" in result.caption


def test_unknown_artefact_and_missing_input(inputs):
    with pytest.raises(UserError, match="known are frandi2013-table1"):
        artefact("frandi2013-table99")
    with pytest.raises(UserError, match="needs tests"):
        render("frandi2013-table5", {"runs": inputs["runs"]})
