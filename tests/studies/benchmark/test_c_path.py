"""Accuracy and time against C."""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import make_c_path, make_runs

from fwsvm.studies.frandi2013 import artefacts as frandi2013


@pytest.fixture
def runs():
    return pd.concat([make_c_path(), make_runs(datasets=("shuttle", "pendigits"))])


def test_each_point_is_the_mean_over_its_repetitions(runs):
    frame = frandi2013.fig8(runs).frame
    mask = (runs["experiment"] == "c_path") & (runs["dataset"] == "reuters") & (runs["method"] == "mfw")
    ours = runs[mask & (runs["C"] == 64.0)]
    row = frame[(frame["dataset"] == "reuters") & (frame["method"] == "mfw") & (frame["C"] == 64.0)]
    row = row.set_index("quantity")
    assert len(ours) == 2
    assert row.loc["time", "value"] == pytest.approx(ours["train_cpu_s"].mean())
    assert row.loc["time", "low"] == ours["train_cpu_s"].min()
    assert row.loc["accuracy", "value"] == pytest.approx(100 * ours["test_accuracy"].mean())
    assert len(frame) == 2 * 2 * 3 * 13


def test_axis_is_base_two_and_the_tuned_value_is_marked(runs):
    figure = frandi2013.fig8(runs).figure
    accuracy, _, time, _ = figure.axes
    assert accuracy.get_xscale() == "log" and time.get_yscale() == "log"
    figure.draw_without_rendering()
    labels = [label.get_text() for label in time.get_xticklabels()]
    assert "$2^{0}$" in labels and "$2^{12}$" in labels
    vertical = [line for line in accuracy.get_lines() if list(line.get_xdata()) == [16.0, 16.0]]
    assert len(vertical) == 1


def test_a_missing_data_set_leaves_its_column_out(runs):
    chart = frandi2013.fig7(runs, missing={"kdd99-10pc": "no mirror"})
    assert len(chart.figure.axes) == 2
    assert "Not available: kdd99-10pc." in chart.caption and "2 repetitions" in chart.caption


def test_trend_is_told_from_the_numbers(runs):
    assert "on 6 of 6 curves" in frandi2013.fig8(runs).caption
    rising = (runs["experiment"] == "c_path") & (runs["method"] == "fw")
    runs.loc[rising, "train_cpu_s"] = np.log2(runs.loc[rising, "C"]) + 1
    assert "on 4 of 6 curves" in frandi2013.fig8(runs).caption


def test_times_at_a_limit_tie_in_the_trend(runs):
    of_fw = (runs["experiment"] == "c_path") & (runs["method"] == "fw")
    runs.loc[of_fw, "stop_reason"] = "time_limit"
    runs.loc[of_fw, "train_cpu_s"] = 8.0 - 1e-3 * np.log2(runs.loc[of_fw, "C"].astype(float))  # noise, and falling
    assert "on 4 of 4 curves" in frandi2013.fig8(runs).caption  # two data sets with three methods
    runs.loc[of_fw & (runs["C"] > 64), "stop_reason"] = "converged"
    runs.loc[of_fw & (runs["C"] > 64), "train_cpu_s"] = 1.0
    assert "on 6 of 6 curves" in frandi2013.fig8(runs).caption


def test_limits_have_open_markers(runs):
    runs.loc[(runs["experiment"] == "c_path") & (runs["method"] == "cvm") & (runs["C"] == 1.0), "stop_reason"] = (
        "time_limit"
    )
    chart = frandi2013.fig8(runs)
    assert chart.frame.loc[chart.frame["at_limit"], "C"].unique().tolist() == [1.0]
    assert "stopped at a limit" in [text.get_text() for text in chart.figure.legends[0].get_texts()]
