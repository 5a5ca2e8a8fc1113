"""Test the numbers and bounds in the figures of tsang2005."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from tsang_runs import TRAINERS, make_tsang2005

from fwsvm_papers.reporting.style import METHODS
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.tsang2005 import series_figures


@pytest.fixture(scope="module")
def study():
    return make_tsang2005(repetitions=2)


@pytest.fixture(scope="module")
def checkerboard(study):
    return series_figures.fig2(*study)


def test_curves_are_means_over_the_repetitions(checkerboard):
    row = checkerboard.frame.set_index(["method", "gamma_rule", "C", "task_size"]).loc[
        ("cvm", "2/beta", 64.0, 1e6)
    ]
    assert (row["time"], row["time_low"], row["time_high"]) == pytest.approx((0.205, 0.2, 0.21))
    assert (row["support_vectors"], row["coreset"], row["error"]) == pytest.approx((600, 620, 2.0))
    assert set(checkerboard.frame["gamma_rule"]) == {"1/beta", "2/beta"}


def test_the_width_with_the_lower_errors_of_cvm_is_drawn(study):
    runs, _ = study
    runs = runs[(runs["dataset"] == "checkerboard-1m") & runs["partition"].isna()]
    for width in ("1/beta", "2/beta"):
        better = (runs["gamma_rule"] == width) & (runs["method"] == "cvm")
        numbers = series_figures.series_numbers(
            runs.assign(test_accuracy=runs["test_accuracy"].mask(better, 0.999))
        )
        assert series_figures.best_width(numbers) == width


def test_runs_at_their_limit_are_bounds_of_the_time_and_nothing_else(checkerboard):
    frame = checkerboard.frame
    ended = frame[frame["ended"]].groupby("method")["task_size"].unique()
    assert {name: list(sizes) for name, sizes in ended.items()} == {
        "lsvm_lowrank": [1e5],
        **{name: [1e6] for name in TRAINERS[1:5]},
    }
    assert frame.loc[frame["ended"], "time"].isna().all()
    # LSVM would have exceeded its memory limit, so it has no time
    has_limit = frame["limit"].notna()
    assert (has_limit == (frame["ended"] & (frame["method"] != "lsvm_lowrank"))).all()
    assert "The memory limit stopped LSVM at 100,000 or more points." in checkerboard.notes


def test_the_majority_line_of_adult_needs_the_classes_of_the_sets_of_the_study(study):
    runs, details = study
    assert not marks_of_majority(series_figures.fig4(runs, details))
    classes = [{"label": -1, "train": 3, "test": 30}, {"label": 1, "train": 1, "test": 10}]
    known = [entry | {"classes": classes} for entry in details]
    lines = marks_of_majority(series_figures.fig4(runs, known))
    assert lines == 3 * [[[1605, 25], [4781, 25], [32_561, 25]]]  # one line for each value of C


def marks_of_majority(chart):
    lines = [line for axes in chart.figure.axes for line in axes.lines]
    drawn = [line.get_xydata().tolist() for line in lines if line.is_dashed()]
    return list(filter(None, drawn))


def forest(method, size, seconds, gap, reason="converged"):
    return {"method": method, "task_size": size, "train_cpu_s": seconds} | {
        "relative_gap": gap,
        "stop_reason": reason,
        "test_accuracy": None if reason == "time_limit" else 0.9,
    }


@pytest.fixture(scope="module")
def forest_with_auto(study):
    """Return runs on forest. CVM stops by its own rule. `auto` reaches its gap once, and is then
    stopped at its limit like LIBSVM.
    """
    rows = [
        forest("cvm", 5810, 1.0, 0.02),
        forest("cvm", 58_101, 100.0, 0.3),
        forest("cvm", 522_911, 300.0, 7.5),
        forest("auto", 5810, 2.0, 0.01),
        forest("auto", 58_101, 600.0, 0.05, "time_limit"),
        forest("libsvm_l2", 5810, 2.0, None),
        forest("libsvm_l2", 58_101, 600.0, None, "time_limit"),
    ]
    rows = [
        row
        | {"experiment": "tsang2005", "dataset": "covtype", "gamma_rule": "1/10000", "C": 1024.0}
        for row in rows
    ]
    details = [entry for entry in study[1] if entry["series"] == "forest"]
    return conform(pd.DataFrame(rows)), details


def marks(axes, marker):
    return [line.get_xydata().tolist() for line in axes.lines if line.get_marker() == marker]


def test_forest_shows_auto_the_gap_of_each_end_and_the_runs_at_the_limit(forest_with_auto):
    chart = series_figures.fig3(*forest_with_auto)
    panels = {axes.get_title(): axes for axes in chart.figure.axes if axes.get_title()}
    assert list(panels) == list(series_figures.WITH_GAP.values())
    gaps, times = panels["certified relative gap"], panels["CPU time (s)"]
    assert marks(gaps, METHODS["auto"].marker)[0] == [[5810, 0.01], [58_101, 0.05]]
    assert marks(gaps, METHODS["cvm"].marker)[0] == [[5810, 0.02], [58_101, 0.3], [522_911, 7.5]]
    assert not marks(gaps, METHODS["libsvm_l2"].marker)
    assert [58_101, 0.05] in marks(gaps, "x")[0] and marks(times, "x")[0] == 2 * [[58_101, 600]]
    (legend,) = chart.figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert {"auto", "CVM", "stopped at the time limit"} <= set(labels)
    words = (
        "limit of 600 s is the same for all methods. It stopped LIBSVM and auto at 58,101 or more"
    )
    assert words in chart.notes
    runs, details = forest_with_auto
    other = runs[runs["method"] == "libsvm_l2"].assign(method="libsvm_l1")
    other = other.assign(task_size=other["task_size"].replace(58_101, 99_992))
    later = series_figures.fig3(pd.concat([runs, other], ignore_index=True), details).notes
    words = "It stopped LIBSVM (L2) and auto at 58,101 or more points and LIBSVM (L1) at 99,992"
    assert words in later


def test_unequal_limits_of_forest_are_said(forest_with_auto):
    runs, details = forest_with_auto
    stopped = (runs["method"] == "libsvm_l2") & (runs["stop_reason"] == "time_limit")
    runs = runs.assign(train_cpu_s=runs["train_cpu_s"].mask(stopped, 30.0))
    assert "The time limits of 30 s and 600 s stopped" in series_figures.fig3(runs, details).notes
    longer = series_figures.fig3(runs[runs["method"] != "auto"], details).notes
    assert "The time limit of 30 s stopped LIBSVM" in longer
    without = series_figures.fig3(runs[runs["stop_reason"] == "converged"], details).notes
    assert without.endswith("No run reached its time limit.")


def test_a_name_stands_at_the_last_point_of_its_curve():
    axes, colors = Figure().subplots(), {name: METHODS[name].color for name in ("cvm", "rsvm")}
    axes.plot([10, 1000, 100], [1.0, 3.0, 2.0], color=colors["cvm"])
    axes.plot([10, 100, 1000], [5.0, 6.0, np.nan], color=colors["rsvm"])
    axes.plot([100], [9.0], color=colors["cvm"])  # a single mark that is not part of a curve
    ends = series_figures.curve_ends(axes, ["rsvm", "cvm"])
    assert ends == {"CVM": (1000, 3.0), "RSVM": (100, 6.0)}
