"""Figures of tsang2005: the numbers behind them, their bounds, and what the captions say of them."""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import make_sketches
from tsang_runs import TRAINERS, make_tsang2005

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.studies.tsang2005 import artefacts as tsang2005


@pytest.fixture(scope="module")
def study():
    return make_tsang2005(repetitions=2)


@pytest.fixture(scope="module")
def checkerboard(study):
    return tsang2005.fig2(*study)


def panel(figure, row, column):
    return figure.axes[row * 3 + column]


def bounds(axes):
    """Sizes and seconds of the open marks that stand for runs at a limit; those of one size stand side by side."""
    marks = [line for line in axes.get_lines() if line.get_markerfacecolor() == "white"]
    return sorted(
        (10.0 ** round(np.log10(x)), round(y, 6)) for line in marks for x, y in zip(*line.get_data(), strict=True)
    )


def test_core_set_holds_all_points_once_widened_and_not_before():
    chart = tsang2005.fig1(make_sketches())
    frame = chart.frame
    distance = np.hypot(frame["x"] - frame["center_x"], frame["y"] - frame["center_y"]) / frame["radius"]
    assert distance.max() <= 1 + frame["eps"].iloc[0]
    assert (distance > 1 + 1e-6).sum() >= 1 and distance[frame["is_core"]].max() <= 1 + 1e-6
    inner, outer = chart.figure.axes[0].patches[:2]
    assert outer.radius == pytest.approx(1.15 * inner.radius)
    assert f"{frame['is_core'].sum()} of {len(frame)}" in chart.caption


def test_curves_are_means_over_the_repetitions(checkerboard):
    chart = checkerboard
    row = chart.frame.set_index(["method", "gamma_rule", "C", "task_size"]).loc[("cvm", "2/beta", 64.0, 1e6)]
    assert (row["time"], row["time_low"], row["time_high"]) == pytest.approx((0.205, 0.2, 0.21))
    assert (row["support_vectors"], row["coreset"], row["error"]) == pytest.approx((600, 620, 2.0))
    assert set(chart.frame["gamma_rule"]) == {"1/beta", "2/beta"}  # of which one is drawn
    time, error = panel(chart.figure, 0, 1), panel(chart.figure, 2, 1)
    assert time.get_title() == "C = 64" and time.get_xscale() == time.get_yscale() == error.get_yscale() == "log"
    assert next(y[-1] for y in (line.get_ydata() for line in time.get_lines()) if len(y) == 4) == pytest.approx(0.205)


def test_the_printed_time_is_drawn_once_as_a_bound(checkerboard):
    texts = [(axes, text.get_text()) for axes in checkerboard.figure.axes for text in axes.texts]
    ((axes, said),) = [(axes, text) for axes, text in texts if not text.startswith("limit")]
    assert said == "printed: under 13 s"
    dashes = [line for line in axes.get_lines() if line.get_marker() == "_" and len(line.get_xdata()) == 1]
    assert [(*line.get_xdata(), *line.get_ydata()) for line in dashes] == [(1e6, 13.0)]
    assert (
        f"at {axes.get_title()}, error" in checkerboard.caption
    )  # the C of the time that the caption compares it with


def test_the_width_with_the_lower_errors_of_cvm_is_drawn(study):
    runs, details = study
    better = (runs["gamma_rule"] == "1/beta") & (runs["method"] == "cvm")
    runs = runs.assign(test_accuracy=runs["test_accuracy"].mask(better, 0.999))
    for table, width in ((study[0], "γ = 1/β"), (runs, "γ = 1/β"), (runs[runs["gamma_rule"] == "2/beta"], "2/β")):
        assert width in tsang2005.fig2(table, details).caption


def test_runs_at_their_limit_are_bounds_of_the_time_and_nothing_else(checkerboard):
    chart = checkerboard
    ended = chart.frame[chart.frame["ended"]].groupby("method")["task_size"].unique()
    assert {name: list(sizes) for name, sizes in ended.items()} == {
        "lsvm_lowrank": [1e5],
        **{name: [1e6] for name in TRAINERS[1:5]},
    }
    limits = chart.frame.loc[chart.frame["ended"] & (chart.frame["C"] == 1) & (chart.frame["gamma_rule"] == "1/beta")]
    assert bounds(panel(chart.figure, 0, 0)) == sorted(
        (row.task_size, round(row.limit, 6)) for row in limits.itertuples()
    )
    assert bounds(panel(chart.figure, 1, 0)) == bounds(panel(chart.figure, 2, 0)) == []
    assert "stopped (≥, shifted)" in [text.get_text() for text in chart.figure.legends[0].get_texts()]


def test_a_method_that_never_ran_to_its_end_has_a_bound_where_it_began():
    runs, details = make_tsang2005(("cvm", "rsvm"), parts=("checkerboard",))
    failed = runs["method"] == "rsvm"
    runs.loc[failed, "stop_reason"] = "time_limit"
    chart = tsang2005.fig2(runs[~failed | (runs["task_size"] == 1000)], details)
    assert [x for x, _ in bounds(panel(chart.figure, 0, 0))] == [1000]


def test_adult_has_the_names_of_its_sets_on_the_axis_and_the_constant_answer(study):
    classes = [{"label": 1, "train": 10, "test": 20}, {"label": -1, "train": 30, "test": 60}]
    chart = tsang2005.fig4(*study, [{"dataset": "a1a", "classes": classes}])
    assert [label.get_text() for label in chart.figure.axes[-1].get_xticklabels()] == ["a1a", "a4a", "a9a"]
    errors = [line.get_ydata() for line in panel(chart.figure, 2, 0).get_lines()]
    assert any(list(y) == [25.0] for y in errors)
    assert "Majority class unknown: a4a, a9a." in chart.caption
    runs = study[0].set_index(["dataset", "method", "C"])["support_vectors"]
    sizes = [list(line.get_ydata()) for line in panel(chart.figure, 1, 0).get_lines()]
    assert any(y[:1] == pytest.approx([100 * runs["a1a", "rsvm", 1.0].mean() / 1605]) for y in sizes)


def test_other_parts_of_the_study_do_not_enter(study):
    runs, details = study
    alone = runs[runs["dataset"] == "covtype"], [job for job in details if job["series"] == "forest"]
    both = tsang2005.fig3(runs, details)
    assert tsang2005.fig3(*alone).frame.equals(both.frame)
    assert set(both.frame["task_size"]) == {5810, 58_101, 174_304, 522_911}


def test_forest_without_its_data_says_what_is_missing():
    runs, details = make_tsang2005(parts=("adult",))
    with pytest.raises(NotDrawableError, match=r"covtype \(no address answered\)"):
        tsang2005.fig3(runs, details, {"covtype": "no address answered"})


def test_stand_ins_for_the_papers_set_are_drawn_and_the_paper_s_named_as_missing(study):
    runs, details = study
    runs = runs.assign(dataset=runs["dataset"].replace("checkerboard-1m", "checkerboard"))
    details = [job | {"dataset": job["dataset"].replace("checkerboard-1m", "checkerboard")} for job in details]
    chart = tsang2005.fig2(runs, details)
    assert chart.caption.endswith("Not run: checkerboard-1m.")


@pytest.mark.parametrize(
    "changes",
    [
        {"stop_reason": "time_limit"},
        {"stop_reason": "memory_limit", "test_accuracy": None},
        {"test_accuracy": None},
        {"gamma_rule": None, "support_vectors": None},
    ],
)
def test_draws_whatever_came_out(changes):
    runs, details = make_tsang2005(("cvm", "libsvm_l2"), **changes)
    for draw in (tsang2005.fig3, tsang2005.oneclass):
        figure = draw(runs, details).figure
        figure.set_layout_engine("none")  # which takes longer than the drawing
        figure.draw_without_rendering()


def test_the_caption_says_what_the_largest_size_takes_where_its_error_is_lowest(checkerboard):
    said = checkerboard.caption
    assert said.startswith("CVM takes 0.20") and "for 1,000,000 points at C = " in said
    assert "(printed: under 13 s, C unknown; " in said and "No other gets beyond" in said


def test_one_class_numbers_and_caption(study):
    chart = tsang2005.oneclass(*study)
    details = {job["method"]: job for job in study[1] if job["series"] == "one_class"}
    frame = chart.frame
    assert len(frame) == 2 * 3 * 2 * 2
    for method, share in (("oneclass_swap", 300), ("oneclass_libsvm", 60)):
        mine = frame[frame["method"] == method]
        assert sorted(mine["auc"]) == pytest.approx(sorted(run["auc"] for run in details[method]["runs"]))
        assert mine["share"].max() == pytest.approx(100 * share / 500)
    means = frame[frame["method"] == "oneclass_swap"].groupby("nu")["auc"].mean()
    assert f"mean area of {means.max():.3f} (ν = {means.idxmax():g})" in chart.caption
    assert "usps (3 classes)" in chart.caption


def test_the_caption_tells_where_cvm_itself_ended_and_compares_it_with_the_same_problem(study):
    runs, details = study
    ended = (runs["method"] == "cvm") & (runs["C"] == 1) & (runs["task_size"] == 1_000_000)
    chart = tsang2005.fig2(runs.assign(stop_reason=runs["stop_reason"].mask(ended, "time_limit")), details)
    assert "; at its limit at C = 1." in chart.caption
    drawn = chart.frame[chart.frame["gamma_rule"] == "1/beta"].set_index(["C", "task_size"])
    cvm, other = (drawn.loc[drawn["method"] == name, "time"] for name in ("cvm", "libsvm_l2"))
    both = pd.concat([cvm, other], axis=1, keys=["cvm", "other"]).dropna()
    slower = (both["cvm"] < both["other"]).sum()
    assert f"LIBSVM (L2) is slower in {slower} of {len(both)} cases, errs less in " in chart.caption
