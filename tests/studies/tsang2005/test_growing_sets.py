"""Test slopes and errors over growing training sets, on power laws with known exponents."""

import numpy as np
import pandas as pd
import pytest

from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.tsang2005.scaling import (
    at_size,
    curves,
    error_differences,
    series_runs,
    slopes,
)


def rows(method, power, C=1.0, error=2.0, repetition=0):
    sizes = np.array([1000, 10_000, 100_000, 1_000_000])
    return pd.DataFrame(
        {
            "experiment": "tsang2005",
            "dataset": "board",
            "method": method,
            "task_size": sizes,
            "C": C,
            "gamma_rule": "1/beta",
            "repetition": repetition,
            "train_cpu_s": 1e-6 * (1 + repetition) * sizes**power,
            "support_vectors": 50 + repetition,
            "stop_reason": "converged",
            "test_accuracy": 1 - error / 100,
        }
    )


@pytest.fixture
def runs():
    parts = [rows("cvm", 0.5), rows("cvm", 0.5, repetition=1), rows("cvm", 1.5, C=64.0, error=1.0)]
    return conform(
        pd.concat([*parts, rows("libsvm_l1", 2.0, error=1.5), rows("libsvm_l2", 1.0, error=1.75)])
    )


def test_slopes_are_the_exponents(runs):
    assert slopes(curves(runs), "cvm", "time", 10_000).tolist() == pytest.approx([0.5, 1.5])
    assert slopes(curves(runs), "cvm", "support_vectors", 0).tolist() == pytest.approx(
        [0.0, 0.0], abs=1e-12
    )
    assert slopes(curves(runs), "cvm", "time", 1_000_000).empty
    other = runs.assign(experiment="benchmark")
    assert len(series_runs(pd.concat([runs, other]), ["board"])) == len(runs)


def test_repetitions_are_averaged(runs):
    row = at_size(curves(runs), "cvm", 10_000).iloc[0]
    assert (row["time"], row["time_low"], row["time_high"]) == pytest.approx((1.5e-4, 1e-4, 2e-4))
    assert (row["support_vectors"], row["n"], row["error"]) == (50.5, 2, pytest.approx(2.0))
    assert at_size(curves(runs.assign(disturbed=runs["repetition"] == 1)), "cvm", 10_000).iloc[0][
        "time"
    ] == pytest.approx(1e-4)


def test_errors_are_compared_with_the_best_of_the_others_at_the_same_setting_and_size(runs):
    table = error_differences(curves(runs), "cvm", ("libsvm_l1", "libsvm_l2"))
    assert set(table["C"]) == {1.0}
    assert table["difference"].to_numpy() == pytest.approx([0.5] * 4)


def test_runs_that_ended_at_a_limit_do_not_count(runs):
    failed = (runs["method"] == "libsvm_l1") & (runs["task_size"] == 1_000_000)
    runs.loc[failed, "stop_reason"] = "memory_limit"
    table = curves(runs)
    ended = table[table["ended"]]
    assert ended[["method", "task_size"]].to_numpy().tolist() == [["libsvm_l1", 1_000_000]]
    assert ended[["time", "support_vectors", "error"]].isna().all(axis=None)
    assert len(error_differences(curves(runs), "cvm", ["libsvm_l1"])) == 3
    assert at_size(curves(runs), "libsvm_l1", 1_000_000).empty
