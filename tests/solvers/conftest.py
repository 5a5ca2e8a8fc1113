"""A clock that tests advance, and a check of every certificate."""

from types import SimpleNamespace

import numpy as np
import pytest

from fwsvm.problems import dual
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers import solve as solve_module


@pytest.fixture
def clock(monkeypatch):
    """Replace the CPU time that the solver reads by `clock.seconds`."""
    clock = SimpleNamespace(seconds=0.0)
    fake = SimpleNamespace(thread_time=lambda: clock.seconds, perf_counter=lambda: clock.seconds)
    monkeypatch.setattr(solve_module, "time", fake)
    return clock


@pytest.fixture(autouse=True)
def the_updated_gradient_is_that_of_the_weights(monkeypatch):
    """At every certificate, check that the updated gradient is close to the exact gradient for the
    same weights.
    """
    certificate = KernelProblem.screened_gradient

    def checked(problem, indices, weights, workers=None, exact=False, updated=None):
        if updated is not None and not exact:
            difference = np.nan_to_num(updated - problem.gradient(indices, weights))
            difference[indices] = 0.0
            bound = (
                1e-6 * (problem.diagonal - problem.shift).max()
                + dual._UPDATE_ERROR * problem.diagonal.max()
            )
            assert np.abs(difference).max() <= bound
        return certificate(problem, indices, weights, workers, exact, updated)

    monkeypatch.setattr(KernelProblem, "screened_gradient", checked)
