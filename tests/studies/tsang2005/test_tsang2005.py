"""Figures of tsang2005: the numbers behind them, and their bounds."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from tsang_runs import TRAINERS, make_tsang2005

from fwsvm_papers.reporting.style import METHODS
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
    assert (
        frame.loc[frame["ended"], "limit"].notna().all()
        and frame.loc[frame["ended"], "time"].isna().all()
    )


def test_a_name_stands_at_the_last_point_of_its_curve():
    axes, colors = Figure().subplots(), {name: METHODS[name].color for name in ("cvm", "rsvm")}
    axes.plot([10, 1000, 100], [1.0, 3.0, 2.0], color=colors["cvm"])
    axes.plot([10, 100, 1000], [5.0, 6.0, np.nan], color=colors["rsvm"])
    axes.plot([100], [9.0], color=colors["cvm"])  # a mark of its own
    ends = series_figures.curve_ends(axes, ["rsvm", "cvm"])
    assert ends == {"CVM": (1000, 3.0), "RSVM": (100, 6.0)}
