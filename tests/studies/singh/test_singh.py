"""Compare the study of the two circles with independent computations. Its rows and its recorded
steps are tested.
"""

import json

import numpy as np
import pandas as pd
import pytest
from qp_oracles import dual_matrix, optimum
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from fwsvm.inputs.errors import DataError
from fwsvm.kernels.functions import Kernel
from fwsvm_papers.datasets.generators import two_circles
from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.records import SETTING_COLUMNS, conform
from fwsvm_papers.studies.singh import run as singh

JOB = Job("singh", "full", "two-circles", "mfw")
SETTINGS = {
    "circles": True,
    "runs": 3,
    "C": 1000,
    "gamma": 0.5,
    "replayed_steps": 200,
    "eps": 1e-5,
    "cache_mb": 50.0,
    "max_iterations": 10**6,
    "time_limit": 1e9,
    "seed": 5,
    "timing": "shared",
}


def prepared(m=50, t=30):
    X, y = two_circles(m + t, np.random.default_rng(4))
    codes = (y > 0).astype(np.int64)
    meta = {"name": "two-circles", "n": 2, "classes": [-1, 1], "average_squared_distance": 1.25}
    return Prepared(X[:m], codes[:m], X[m:], codes[m:], meta, None)


@pytest.fixture(scope="module")
def outcome():
    rows, details = singh.run(prepared(), JOB, SETTINGS)
    return rows, json.loads(json.dumps(details, allow_nan=False))


def test_rows_are_of_the_contract_and_differ(outcome):
    runs = conform(pd.DataFrame(outcome[0]))
    assert len(runs) == 3 and not runs.duplicated(list(SETTING_COLUMNS)).any()
    assert runs["seed"].nunique() == 3 and (runs["task_size"] == 50).all()
    assert set(runs["init"]) == {"closest_opposite_pair"} and set(runs["column_dtype"]) == {
        "float64"
    }
    target = (2 * 1e-5 + 1e-10) * (2.001 - runs["objective"])
    assert (runs["gap"] <= target).all() and (runs["stop_reason"] == "converged").all()


def test_optimum_and_start_against_nnls_and_scikit_learn(outcome):
    data, steps = prepared(), outcome[1]["steps"]
    y = np.where(data.y_train == 1, 1.0, -1.0)
    Q = dual_matrix(data.X_train, y, Kernel("rbf", 0.5), 1000)
    best, a = optimum(Q)
    assert steps["optimum"] == pytest.approx(best, rel=1e-5)
    pair = list(np.unravel_index(np.where(np.outer(y, y) < 0, Q, np.inf).argmin(), Q.shape))
    start = np.zeros(50)
    start[pair] = 0.5
    assert steps["distance"][0] == pytest.approx(np.linalg.norm(start - a), rel=1e-3)
    assert steps["objective"][0] == pytest.approx(start @ Q @ start, rel=1e-9)
    assert steps["rises"] == 0 and np.all(np.diff(steps["objective"]) <= 1e-12)
    for part, X, codes in (
        ("train", data.X_train, data.y_train),
        ("test", data.X_test, data.y_test),
    ):
        Z = np.exp(-0.5 * ((X[:, None] - data.X_train[pair]) ** 2).sum(axis=2)) + 1
        said = (Z @ (0.5 * y[pair]) > 0).astype(int)
        expected = [
            f(codes, said) for f in (accuracy_score, precision_score, recall_score, f1_score)
        ]
        assert steps[part][0] == pytest.approx(expected)
    assert singh.measures_of(np.array([-1.0, -1.0]), np.array([1, -1])) == (0.5, None, 0.0, 0.0)


def test_a_run_that_ends_at_its_limit_is_a_row():
    rows, details = singh.run(
        prepared(), JOB, SETTINGS | {"runs": 1, "max_iterations": 3, "eps": 1e-9}
    )
    assert rows[0]["stop_reason"] == "iteration_limit" and rows[0]["iterations"] == 3
    assert details["steps"]["iteration"][-1] == 3


def test_other_sets_take_the_average_width_and_show_the_radius_only():
    rows, details = singh.run(
        prepared(), JOB, SETTINGS | {"circles": False, "runs": 1, "gamma": None}
    )
    assert rows[0]["gamma"] == pytest.approx(1 / 2.5) and "steps" not in details
    assert (
        details["radius"]["corrected"]["steps"] > 0
        and "weights" not in details["radius"]["printed"]
    )


@pytest.mark.parametrize(
    ("changes", "word"), [({"classes": [0, 1, 2]}, "classes"), ({"n": 9}, "features")]
)
def test_what_is_not_two_circles_is_refused(changes, word):
    data = prepared()
    data.meta.update(changes)
    with pytest.raises(DataError, match=word):
        singh.run(data, JOB, SETTINGS)
