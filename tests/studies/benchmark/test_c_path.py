"""Accuracy and time against C."""

import pandas as pd
import pytest
from synthetic_runs import draw, make_c_path, make_runs


@pytest.fixture
def runs():
    return pd.concat([make_c_path(), make_runs(datasets=("shuttle", "pendigits"))])


def test_each_point_is_the_mean_over_its_repetitions(runs):
    frame = draw("frandi2013-fig8", runs).frame
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
    figure = draw("frandi2013-fig8", runs).figure
    accuracy, _, time, _ = figure.axes
    assert accuracy.get_xscale() == "log" and time.get_yscale() == "log"
    figure.draw_without_rendering()
    labels = [label.get_text() for label in time.get_xticklabels()]
    assert "$2^{0}$" in labels and "$2^{12}$" in labels
    vertical = [line for line in accuracy.get_lines() if list(line.get_xdata()) == [16.0, 16.0]]
    assert len(vertical) == 1


def test_a_missing_data_set_leaves_its_column_out(runs):
    chart = draw("frandi2013-fig7", runs, missing={"kdd99-10pc": "no mirror"})
    assert len(chart.figure.axes) == 2
    assert "Not available: kdd99-10pc." in chart.notes


def test_limits_have_open_markers(runs):
    runs.loc[(runs["experiment"] == "c_path") & (runs["method"] == "cvm") & (runs["C"] == 1.0), "stop_reason"] = (
        "time_limit"
    )
    chart = draw("frandi2013-fig8", runs)
    assert chart.frame.loc[chart.frame["at_limit"], "C"].unique().tolist() == [1.0]
    assert any(text.get_text().startswith("stopped at a limit") for text in chart.figure.legends[0].get_texts())
