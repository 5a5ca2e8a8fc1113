"""Figures of tsang2005: the numbers behind them, their crosses, and the sentences that follow from the numbers."""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import TRAINERS, make_sketches, make_tsang2005

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.runs.table import conform
from fwsvm.studies.tsang2005 import artefacts as tsang2005
from fwsvm.studies.tsang2005 import captions as words


@pytest.fixture(scope="module")
def study():
    return make_tsang2005(repetitions=2)


@pytest.fixture(scope="module")
def checkerboard(study):
    return tsang2005.fig2(*study)


def panel(figure, block, row, column):
    return figure.subfigs[block].axes[row * 3 + column]


def crosses(axes):
    return [line for line in axes.get_lines() if line.get_marker() == "x" and len(line.get_xdata())]


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
    assert len(chart.figure.subfigs) == 2 and "2 repetitions" in chart.caption
    time = panel(chart.figure, 1, 0, 1)
    assert time.get_title() == "C = 64" and time.get_xscale() == time.get_yscale() == "log"
    assert next(y[-1] for y in (line.get_ydata() for line in time.get_lines()) if len(y) == 4) == pytest.approx(0.205)


def test_a_series_that_ended_has_a_cross_at_its_last_size(checkerboard):
    chart = checkerboard
    ends = chart.frame[chart.frame["is_end"]].groupby("method")["task_size"].unique()
    assert {name: list(sizes) for name, sizes in ends.items()} == {
        "lsvm_lowrank": [1e4],
        **{name: [1e5] for name in TRAINERS[1:5]},
    }
    marks = crosses(panel(chart.figure, 0, 2, 0))
    assert sorted(line.get_xdata()[0] for line in marks) == [1e4, 1e5, 1e5, 1e5, 1e5]
    assert "LSVM, low rank (100,000 points)" in chart.caption and "their memory" in chart.caption
    assert "ended" in [text.get_text()[:5] for text in chart.figure.legends[0].get_texts()]


def test_a_method_that_never_ran_to_its_end_has_a_cross_where_it_began():
    runs, details = make_tsang2005(("cvm", "rsvm"), parts=("checkerboard",))
    failed = runs["method"] == "rsvm"
    runs.loc[failed, "stop_reason"] = "time_limit"
    chart = tsang2005.fig2(runs[~failed | (runs["task_size"] == 1000)], details)
    assert [line.get_xdata()[0] for line in crosses(panel(chart.figure, 0, 0, 0))] == [1000]
    assert crosses(panel(chart.figure, 0, 1, 0)) == []


def test_adult_has_the_names_of_its_sets_on_the_axis(study):
    axes = tsang2005.fig4(*study).figure.subfigs[0].axes[-1]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a1a", "a4a", "a9a"]


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
    assert "checkerboard-1m, is missing" in chart.caption


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
        draw(runs, details).figure.draw_without_rendering()


def rows(method, sizes, times, support, errors, C=1.0, rule="1/beta"):
    return pd.DataFrame(
        {
            "experiment": "tsang2005", "dataset": "d", "method": method, "task_size": sizes, "train_cpu_s": times,
            "support_vectors": support, "test_accuracy": 1 - np.array(errors) / 100, "C": C, "gamma_rule": rule,
            "stop_reason": "converged", "repetition": 0,
        }
    )  # fmt: skip


def table(*parts):
    return conform(pd.concat(parts, ignore_index=True))


def test_words_on_a_million_points_prefer_the_fastest_setting_with_a_good_error():
    sizes = [100_000, 1_000_000]
    good = rows("cvm", sizes, [3.0, 4.0], [900, 900], [2.0, 2.5], C=64.0)
    poor = rows("cvm", sizes, [1.0, 1.0], [600, 600], [9.0, 9.0], C=1024.0)
    said = words.million_words(table(good, poor))
    assert (
        "here 4.00 s at C = 64, γ = 1 / β, error 2.50 % (lowest error of any method at 100,000 points: 2.00 %)" in said
    )
    assert "1.00 s and 9.00 % at C = 1024" in said
    rival = rows("libsvm_l1", sizes[:1], [50.0], [900], [1.0], C=64.0)
    assert "no setting of CVM comes within 1 point" in words.million_words(table(good, poor, rival))
    slow = rows("cvm", sizes, [3.0, 14.0], [900, 900], [2.0, 2.5])
    assert "here not that: 14.0 s" in words.million_words(table(slow))
    assert words.million_words(table(good[:1])) == ""


def test_words_on_growth_count_the_flat_settings():
    sizes = np.array([10_000, 100_000, 1_000_000])
    flat = rows("cvm", sizes, [9.0, 1.0, 1.0], [9000, 500, 500], [1, 1, 1], C=64.0)
    linear = rows("cvm", sizes, 1e-5 * sizes, sizes // 100, [1, 1, 1])
    said = words.growth_words(table(flat, linear))
    assert said.startswith("From 100,000 points on, the time of CVM grows as m to the power of +1.00 at C = 1")
    assert "+0.00 at C = 64" in said and said.count("at 1 of 2 settings") == 2


def test_words_on_small_sets_sizes_and_errors():
    sizes = [1000, 3000, 100_000]
    cvm = rows("cvm", sizes, [0.1, 0.1, 0.2], [300, 400, 500], [5.0, 3.0, 2.0])
    other = rows("libsvm_l1", sizes, [0.01, 0.2, 90.0], [300, 600, 5000], [5.0, 2.2, 1.8])
    runs = table(cvm, other)
    assert "LIBSVM (L1) in 1 of 2 cases" in words.small_words(runs)
    said = words.size_words(runs)
    assert "LIBSVM (L1) has 10 times those of CVM (1 cases)" in said and "LIBSVM (L2) ended at an allowance" in said
    assert "in 2 of 3 cases" in words.accuracy_words(runs) and "to +0.80, m = 3,000" in words.accuracy_words(runs)


def test_one_class_numbers_and_words(study):
    chart = tsang2005.oneclass(*study)
    details = {job["method"]: job for job in study[1] if job["series"] == "one_class"}
    frame = chart.frame
    assert len(frame) == 2 * 3 * 2 * 2
    for method, share in (("oneclass_swap", 300), ("oneclass_libsvm", 60)):
        mine = frame[frame["method"] == method]
        assert sorted(mine["auc"]) == pytest.approx(sorted(run["auc"] for run in details[method]["runs"]))
        assert mine["share"].max() == pytest.approx(100 * share / 500)
    means = frame[frame["method"] == "oneclass_swap"].groupby("nu")["auc"].mean()
    assert f"mean area of {means.max():.3f} at ν = {means.idxmax():g}" in chart.caption
    assert "usps (3 classes)" in chart.caption
