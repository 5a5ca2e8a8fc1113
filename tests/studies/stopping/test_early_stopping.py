"""The numbers of the study of early stopping."""

import numpy as np
import pandas as pd
import pytest

from fwsvm.runs.records import conform
from fwsvm.studies.stopping.early_stopping import shares, variant_numbers, variants


def make_runs():
    """FW on two data sets: patience 1 and 20, LibCVM's preset and full; CVM takes 8 and 16 seconds."""
    rows = []
    for dataset, scale in (("a", 1.0), ("b", 2.0)):
        for protocol, patience, seconds, accuracy, gap in (
            ("as_printed", 20, 2.0, 0.93, 0.4),
            ("as_printed", 1, 0.5, 0.90, 4.0),
            ("libcvm", 7, 4.0, 0.94, 0.2),
            ("all_points", None, 8.0, 0.95, 0.01),
        ):
            for repetition in range(1 if protocol == "all_points" else 2):
                rows.append(
                    {"experiment": "stopping", "dataset": dataset, "method": "fw", "protocol": protocol,
                     "patience": patience, "repetition": repetition, "iterations": 10 + repetition,
                     "train_cpu_s": scale * seconds * (1 + repetition), "test_accuracy": accuracy,
                     "relative_gap": gap, "stop_reason": "time_limit" if protocol == "all_points" else "converged"}
                )  # fmt: skip
    cvm = [
        {"experiment": "benchmark", "dataset": name, "method": "cvm", "protocol": protocol, "train_cpu_s": seconds}
        for name in ("a", "b")
        for protocol, seconds in (("libcvm", {"a": 8.0, "b": 16.0}[name]), ("all_points", 1000.0))
    ]
    return conform(pd.DataFrame(rows)), conform(pd.DataFrame(cvm))


def test_variants_stand_in_order():
    runs, _ = make_runs()
    assert variants(runs) == ["patience 1", "patience 20", "libcvm", "all_points"]


def test_a_row_without_patience_looks_at_all_points_and_cvm_is_the_protocols_own():
    runs, cvm = make_runs()
    runs = runs[runs["protocol"] != "libcvm"].assign(protocol="as_run")
    assert variants(runs) == ["patience 1", "patience 20", "all_points"]
    own = cvm.assign(protocol="as_run", train_cpu_s=100.0)[cvm["protocol"] == "libcvm"]
    numbers = variant_numbers(runs, pd.concat([cvm, own])).set_index(["dataset", "variant"])
    assert numbers.loc[("a", "patience 1"), "speedup"] == pytest.approx(100.0 / 0.75)
    assert numbers.loc[("a", "all_points"), "n"] == 1


def test_means_ranges_and_speed_ups():
    numbers = variant_numbers(*make_runs()).set_index(["dataset", "variant"])
    assert numbers.index.get_level_values("variant").tolist()[:4] == variants(make_runs()[0])
    row = numbers.loc[("a", "patience 1")]
    assert (row["time"], row["time_low"], row["time_high"], row["n"]) == (0.75, 0.5, 1.0, 2)
    assert row["steps"] == 10.5 and row["accuracy"] == pytest.approx(90.0)
    assert row["speedup"] == pytest.approx(8.0 / 0.75)
    assert numbers["at_limit"].tolist() == [False, False, False, True] * 2


def test_shares_are_geometric_means_against_the_earliest_stop():
    table = shares(variant_numbers(*make_runs())).set_index("variant")
    assert table["slower"].tolist() == pytest.approx([1.0, 4.0, 8.0, 8.0 / 0.75])
    assert table.loc["patience 20", "accuracy"] == pytest.approx(3.0)
    assert table.loc["all_points", "speedup"] == pytest.approx(1.0)
    assert table.loc["libcvm", "gap"] == 0.2
    assert table["datasets"].tolist() == [2, 2, 2, 2]


def test_without_cvm_speed_ups_are_missing():
    runs, cvm = make_runs()
    numbers = variant_numbers(runs, cvm.iloc[:0])
    assert numbers["speedup"].isna().all() and np.isnan(shares(numbers)["speedup"]).all()
    assert shares(numbers.iloc[:0]).empty
