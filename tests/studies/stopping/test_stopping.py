"""The study of early stopping: figure, table and what the caption says of the numbers."""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import PATIENCES, make_runs, make_stopping

from fwsvm.studies.stopping.artefacts import stopping_chart, stopping_table


@pytest.fixture(scope="module")
def runs():
    return pd.concat([make_stopping(datasets=("w8a", "w1a")), make_runs(datasets=("w1a", "w8a", "a1a"))])


def test_table_has_a_row_per_method_and_variant_beside_the_printed(runs):
    table = stopping_table(runs, [])
    assert [section.heading.split(":")[0] for section in table.sections] == ["All 2 data sets", "w1a", "w8a"]
    first = [row[0].text for row in table.sections[1].rows]
    assert first == [
        *(f"patience {k}" for k in PATIENCES),
        "LibCVM's samples",
        "no samples, all points",
        "printed, patience 1",
    ]
    frame = table.frame.set_index(["dataset", "method", "variant"])
    row = frame.loc[("w8a", "fw", "patience 7")]
    ours = runs[(runs["experiment"] == "stopping") & (runs["dataset"] == "w8a") & (runs["method"] == "fw")]
    ours = ours[(ours["protocol"] == "as_printed") & (ours["patience"] == 7)]
    cvm = runs[(runs["dataset"] == "w8a") & (runs["method"] == "cvm") & (runs["protocol"] == "libcvm")]
    assert row["steps"] == pytest.approx(ours["iterations"].astype(float).mean())
    assert row["speedup"] == pytest.approx(cvm["train_cpu_s"].mean() / ours["train_cpu_s"].mean())
    assert (row["accuracy_printed"], row["time_printed"]) == (97.8, 9.64)
    assert row["speedup_printed"] == pytest.approx(1030 / 9.64)
    assert np.isnan(frame.loc[("w8a", "swap", "all_points"), "time_printed"])


def test_the_benchmarks_runs_of_the_methods_do_not_enter(runs):
    changed = runs.copy()
    changed.loc[(changed["experiment"] == "benchmark") & (changed["method"] != "cvm"), "train_cpu_s"] *= 100
    assert stopping_table(changed, []).frame.equals(stopping_table(runs, []).frame)


def test_figure_joins_patiences_and_lets_the_presets_stand_alone(runs):
    figure = stopping_chart(runs, []).figure
    panels = np.array(figure.axes).reshape(3, 2)
    assert [axes.get_title().split("\n")[0] for axes in panels[0]] == ["w1a", "w8a"]
    assert [axes.get_yscale() for axes in panels[:, 0]] == ["linear", "log", "log"]
    labels = [label.get_text() for label in panels[-1, 0].get_xticklabels()]
    assert labels == [*map(str, PATIENCES), "LibCVM's\nsamples", "all\npoints"]
    lines = [line for line in panels[1, 0].get_lines() if line.get_linestyle() == "-"]
    assert {len(PATIENCES)} <= {len(line.get_xdata()) for line in lines} <= {len(PATIENCES), 2}  # and CVM's


def test_the_constant_answer_is_drawn(runs):
    classes = [{"label": 1, "train": 1, "test": 3}, {"label": -1, "train": 9, "test": 97}]
    axes = stopping_chart(runs, [{"dataset": "w1a", "classes": classes}]).figure.axes[0]
    assert any(list(line.get_ydata()) == [97.0, 97.0] for line in axes.get_lines())


def test_without_cvm_there_are_times_but_no_speed_ups():
    table = stopping_table(make_stopping(datasets=("a1a",)), [])
    assert table.frame["speedup"].isna().all() and table.frame["time"].notna().all()


def test_sections_name_what_the_accuracies_are_to_be_read_against(runs):
    classes = [{"label": -1, "train": 60, "test": 970}, {"label": 1, "train": 40, "test": 30}]
    headings = [part.heading for part in stopping_table(runs, [{"dataset": "w1a", "classes": classes}]).sections]
    assert headings[1].startswith("w1a: majority class 97.00 %, CVM in our rows ") and headings[2].startswith(
        "w8a: CVM in our rows "
    )
