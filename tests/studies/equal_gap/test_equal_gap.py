"""Runs to equal gaps: what is trained, what stops early, and what the table and the curves say."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from fwsvm.datasets.storage import Prepared
from fwsvm.runs.jobs import Job
from fwsvm.runs.records import conform
from fwsvm.studies.equal_gap import run
from fwsvm.studies.equal_gap.artefacts import equal_gap_numbers, equal_gap_table

SETTINGS = {"init": "random_meb", "cache_mb": 20, "max_iterations": 10**6, "time_limit": 20, "seed": 1,
            "timing": "shared"}  # fmt: skip
TUNED = {"sigma2": 1.0, "gamma": 0.5, "C": 4.0, "gamma_rule": "given"}


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs([60, 50, 20], centers=[[0, 0], [1.5, 0], [0, 6]], random_state=0)
    meta = {"name": "blobs", "m": 90, "n": 2, "t": 40}
    return Prepared(X[::2], y[::2], X[1::2], y[1::2], meta, Path())


def row(gap, dataset, method, seconds, stop="converged"):
    return {"experiment": "equal_gap", "dataset": dataset, "method": method, "protocol": "all_points",
            "selection": "full", "eps": gap,
            "repetition": 0, "train_cpu_s": seconds, "support_vectors": 10, "test_accuracy": 0.9,
            "relative_gap": gap / 2, "stop_reason": stop}  # fmt: skip


RUNS = conform(
    pd.DataFrame(
        [row(0.01, "mine", "fw", 2.0), row(0.001, "mine", "fw", 5.0, "time_limit")]
        + [row(gap, "mine", "swap", seconds) for gap, seconds in ((0.01, 1.0), (0.001, 1.5), (0.0001, 3.0))]
    )
)


def test_a_gap_that_rounding_hides_is_not_reached():
    runs = conform(pd.concat([RUNS, pd.DataFrame([row(0.0001, "mine", "cvm", 0.5, "precision_limit")])]))
    frame = equal_gap_numbers(runs).set_index(["relative_gap", "method"])
    assert not frame.loc[(0.0001, "cvm"), "reached"]
    assert "rounding" in equal_gap_table(runs).to_markdown()


def test_a_missed_gap_counts_for_the_tighter_ones_too():
    frame = equal_gap_numbers(RUNS).set_index(["relative_gap", "method"])
    assert frame["reached"].to_dict() == {
        (0.01, "fw"): True, (0.01, "swap"): True, (0.001, "fw"): False, (0.001, "swap"): True,
        (0.0001, "fw"): False, (0.0001, "swap"): True,
    }  # fmt: skip
    assert frame.loc[(0.0001, "fw"), "time"] == 5.0


def test_the_table_shows_bounds_and_the_fastest():
    table = equal_gap_table(RUNS)
    times = [[cell.text for cell in section.rows[0][1:3]] for section in table.sections]
    assert times == [["2.00", "1.00"], ["≥ 5.00", "1.50"], ["≥ 5.00", "3.00"]]
    assert [cell.bold for cell in table.sections[0].rows[0][1:3]] == [False, True]


def test_runs_end_at_their_gap_and_a_gap_out_of_reach_is_the_last(blobs):
    settings = SETTINGS | {"selection": "full", "stop": "relative", "kernel": "rbf"}
    settings["variants"] = [{"eps": gap, "repetitions": 1} for gap in (1e-1, 1e-3)]
    job = Job("equal_gap", "all_points", "blobs", "swap")
    rows = run.run(blobs, TUNED, job, settings)
    assert [row["eps"] for row in rows] == [1e-1, 1e-3]
    assert all(row["relative_gap"] <= row["eps"] for row in rows)
    (row,) = run.run(blobs, TUNED, job._replace(method="fw"), settings | {"max_iterations": 1})
    assert row["stop_reason"] == "iteration_limit"


@pytest.mark.parametrize("method", ["cvm", "swap"])
def test_curves_end_where_the_run_ends(blobs, method):
    job = Job("convergence", "all_points", "blobs", method)
    rows, details = run.run(blobs, TUNED, job, SETTINGS | {"eps": 1e-3, "ratio": 1.5})
    records = len(details["iteration"])
    assert all(len(details[name]) == records for name in ("cpu_s", "relative_gap", "accuracy", "support_vectors"))
    assert details["iteration"] == sorted(set(details["iteration"]))
    assert details["iteration"][-1] == rows[0]["iterations"]
    assert rows[0]["relative_gap"] <= 1e-3
    assert details["relative_gap"][-1] == pytest.approx(rows[0]["relative_gap"], rel=1e-2)
    assert np.all(np.diff(details["requested_evaluations"]) >= 0)
    assert details["requested_evaluations"][-1] == rows[0]["requested_evaluations"]


def test_only_the_two_largest_classes_take_part(blobs):
    X, y, X_test, y_test = run.two_largest_classes(blobs)
    assert len(X) == np.sum(blobs.y_train != 2) and len(X_test) == np.sum(blobs.y_test != 2)
    assert set(y) == set(y_test) == {-1.0, 1.0}
    np.testing.assert_array_equal(y == 1, blobs.y_train[blobs.y_train != 2] == 1)
