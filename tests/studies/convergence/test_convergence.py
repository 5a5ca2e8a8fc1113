"""Test the curves of recorded runs."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.studies.convergence import run

SETTINGS = {
    "init": "random_meb",
    "cache_mb": 20,
    "max_iterations": 10**6,
    "time_limit": 20,
    "seed": 1,
    "timing": "shared",
}
TUNED = {"sigma2": 1.0, "gamma": 0.5, "C": 4.0, "gamma_rule": "given"}


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs([60, 50, 20], centers=[[0, 0], [1.5, 0], [0, 6]], random_state=0)
    meta = {"name": "blobs", "m": 90, "n": 2, "t": 40}
    return Prepared(X[::2], y[::2], X[1::2], y[1::2], meta, Path())


@pytest.mark.parametrize("method", ["cvm", "swap"])
def test_curves_end_where_the_run_ends(blobs, method):
    job = Job("convergence", "all_points", "blobs", method)
    rows, details = run.run(blobs, TUNED, job, SETTINGS | {"eps": 1e-3, "ratio": 1.5})
    records = len(details["iteration"])
    assert all(
        len(details[name]) == records
        for name in ("cpu_s", "relative_gap", "accuracy", "support_vectors")
    )
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
