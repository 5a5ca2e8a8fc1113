"""The table of early stopping."""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import PATIENCES, make_runs, make_stopping

from fwsvm.studies.stopping.artefacts import stopping_table


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


def test_without_cvm_there_are_times_but_no_speed_ups():
    table = stopping_table(make_stopping(datasets=("a1a",)), [])
    assert table.frame["speedup"].isna().all() and table.frame["time"].notna().all()
