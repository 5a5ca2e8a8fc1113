"""Test the limits of the baselines. If a fit reaches its time or memory limit, the stop reason of
the returned model names this limit.

Errors about wrong arguments name the argument.
"""

import numpy as np
import pytest

from fwsvm import Kernel
from fwsvm_papers.baselines import BASELINES, fit_baseline
from fwsvm_papers.datasets.generators import checkerboard

pytestmark = pytest.mark.usefixtures("trained_in_forks")

SMALL = (np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, -1.0, 1.0]))


@pytest.fixture(scope="module")
def board():
    X, y = checkerboard(4000, np.random.default_rng(0))
    # these fits load the compiled code, so that no measured time contains the loading
    for name in BASELINES:
        fit_baseline(name, *SMALL)
    return X, y.astype(float)


@pytest.mark.parametrize("name", BASELINES)
def test_time_that_runs_out_ends_training(board, name):
    limit = 0.02
    settings = {
        "lsvm_lowrank": {"tol": 1e-14, "rank_tol": 1e-12},
        "rsvm": {"share": 0.3},
        "libsvm_l1": {"tol": 1e-9},
    }
    model = fit_baseline(
        name,
        *board,
        Kernel("rbf", 0.2),
        1e4,
        time_limit=limit,
        random_state=0,
        **settings.get(name, {}),
    )
    assert model.stop_reason == "time_limit"
    if model.is_trained:
        assert np.all(np.isfinite(model.decision_function(board[0][:10])))
    else:
        assert "0.02" in model.note
        with pytest.raises(ValueError, match="time_limit"):
            model.decision_function(board[0])


@pytest.mark.parametrize("name", BASELINES)
def test_memory_is_asked_for_before_it_is_taken(board, name):
    model = fit_baseline(
        name, *board, Kernel("rbf", 0.2), 10.0, memory_limit_mb=0.5, random_state=0
    )
    assert (model.stop_reason, model.is_trained, model.support_vectors) == (
        "memory_limit",
        False,
        0,
    )
    assert "MB" in model.note and np.isnan(model.objective)


BAD_ARGUMENTS = (
    {"name": "svm"},
    {"C": 0.0},
    {"C": np.inf},
    {"name": "rsvm", "share": 0.0},
    {"y": np.array([0.0, 1.0, 0.0, 1.0])},
    {"y": np.ones(4)},
    {"time_limit": -1},
    {"memory_limit_mb": 0},
    {"kernel": "rbf"},
    {"X": np.array([[np.nan], [1.0], [2.0], [3.0]])},
)


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=str)
def test_bad_arguments_are_named(arguments):
    given = {"name": "libsvm_l2", "X": SMALL[0], "y": SMALL[1]} | arguments
    with pytest.raises((TypeError, ValueError), match=list(arguments)[-1]):
        fit_baseline(**given)
