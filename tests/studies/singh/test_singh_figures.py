"""Figures and table of singh: numbers behind them, and what is said where something is missing."""

import copy

import numpy as np
import pytest
from synthetic_runs import make_singh, make_sketches

from fwsvm.pipeline.artefacts import ARTEFACTS, render
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.runs.records import empty_runs
from fwsvm.studies.singh import artefacts as singh

OF_RUNS = [name for name, entry in ARTEFACTS.items() if name.startswith("singh") and "singh" in entry.needs]


@pytest.fixture(scope="module")
def inputs():
    runs, details = make_singh()
    return {"runs": runs, "singh": details}


@pytest.mark.parametrize("artefact_id", OF_RUNS)
def test_not_selected(artefact_id):
    with pytest.raises(NotDrawableError, match=r"two-circles-3000 \(no room\) in the study singh"):
        render(artefact_id, {"runs": empty_runs(), "singh": [], "missing": {"two-circles-3000": "no room"}})


@pytest.mark.parametrize("artefact_id", OF_RUNS)
@pytest.mark.parametrize("datasets, repetitions", [(("two-circles",), 1), (("two-circles-3000", "a1a"), 2)])
def test_some_sets_and_a_single_repetition(artefact_id, datasets, repetitions):
    runs, details = make_singh(datasets, repetitions)
    result = render(artefact_id, {"runs": runs, "singh": details})
    assert "Not run" in result.caption
    if isinstance(result, Chart):
        result.figure.set_layout_engine("none")  # which takes longer than the drawing
        result.figure.draw_without_rendering()
    else:
        assert result.to_csv() and result.to_markdown() and result.to_latex(artefact_id)


def test_table_has_medians_and_ranges_beside_the_printed(inputs):
    details = copy.deepcopy(inputs["singh"])
    for entry, m in zip(details, (240, 2400), strict=False):
        entry["m"] = m
    for draw, size in zip(details[0]["draws"], (10, 14), strict=True):
        draw |= {"largest_coreset": size, "block_bytes": 8 * 240 * size}
    frame = singh.table1(inputs["runs"], details).frame.set_index(["dataset", "quantity"])
    block = frame.loc[("two-circles", "largest kernel block")]
    assert (block["mfw_min"], block["mfw_median"], block["mfw_max"]) == pytest.approx((19.2, 23.04, 26.88))
    assert block["printed"] == 26.88
    assert frame.loc[("two-circles", "training time"), "printed"] == pytest.approx(16)
    assert frame.loc[("two-circles-3000", "training time"), "printed"] == pytest.approx(915)
    assert frame.loc[("two-circles-3000", "support vectors"), "printed"] == 70
    times = inputs["runs"].query("dataset == 'two-circles'")["train_cpu_s"]
    assert frame.loc[("two-circles", "training time"), "mfw_median"] == pytest.approx(1e3 * times.median())
    assert np.isnan(frame.loc[("two-circles", "steps"), "printed"])


def test_other_sizes_have_no_printed_numbers(inputs):
    assert singh.table1(inputs["runs"], inputs["singh"]).frame["printed"].isna().all()


def test_runs_at_their_limit_are_marked(inputs):
    runs = inputs["runs"].assign(stop_reason="time_limit")
    table = singh.table1(runs, inputs["singh"])
    assert "limit" in table.footnotes[0][1]


def test_convergence_is_drawn_from_the_optimum(inputs):
    frame = singh.fig2(**inputs).frame
    steps = inputs["singh"][0]["steps"]
    own = frame[frame["dataset"] == "two-circles"]
    assert own["iteration"].tolist() == steps["iteration"]
    np.testing.assert_allclose(own["value"], (np.array(steps["objective"]) - steps["optimum"]) / steps["optimum"])
    assert singh.fig3(**inputs).frame["value"].iloc[0] == steps["distance"][0]


def test_away_steps_are_drawn_negative(inputs):
    frame = singh.fig4(**inputs).frame
    away = frame["step"] == "away"
    assert away.any() and (frame.loc[away, "step_size"] < 0).all() and (frame.loc[~away, "step_size"] >= 0).all()


def test_measures_are_drawn_in_per_cent(inputs):
    frame = singh.fig5(**inputs).frame
    own = frame[(frame["dataset"] == "two-circles") & (frame["part"] == "test")]
    steps = inputs["singh"][0]["steps"]
    assert own["accuracy"].tolist() == pytest.approx([100 * row[0] for row in steps["test"]])


def test_captions_follow_from_the_draws(inputs):
    details = copy.deepcopy(inputs["singh"][:1])
    first = details[0]["draws"][0]
    first |= {"away_steps": 30, "iterations": 40}
    first["listing"] |= {"away_steps": 1, "first_away": 9, "steps": 9}
    for draw in details[0]["draws"][1:]:
        draw["listing"] |= {"away_steps": 5, "first_away": 9, "steps": 90}
    told = singh.table1(inputs["runs"], details).caption
    assert f"its first away step on 1 of {len(details[0]['draws'])} draws" in told
    for draw in details[0]["draws"][1:]:
        draw |= {"away_steps": 10, "iterations": 40}
    chart = singh.fig4(inputs["runs"], details)
    assert chart.caption.startswith("25 to 75 % of MFW's steps are away steps")
    assert chart.frame["away"].iloc[-1] == pytest.approx(30)
    marks = [line for axes in chart.figure.axes for line in axes.get_lines() if line.get_linestyle() == "-."]
    assert [line.get_xdata()[0] for line in marks] == [9, 9, 9]


def test_sketch_is_the_largest_margin():
    margin = make_sketches()["margin"]
    assert margin["w"] == pytest.approx([0.6, 0.8], abs=1e-6) and margin["b"] == pytest.approx(0, abs=1e-6)
    chart = render("singh-fig6", {"sketches": {"margin": margin}, "missing": {"w2a": "not at hand"}})
    assert chart.frame["support"].sum() == 3 and "hinge" in chart.caption.lower()
