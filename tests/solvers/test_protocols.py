"""Problems and drivers have what their protocols say."""

import numpy as np
import pytest
from qp_oracles import KERNELS, dual_problem, two_classes

from fwsvm import MatrixProblem, solve
from fwsvm.problems.protocol import Problem
from fwsvm.solvers.methods import NAMES, OWN_NAMES, SUBSAMPLE_NAMES
from fwsvm.solvers.protocol import Driver

X, Y = two_classes(0, 60)


@pytest.mark.parametrize("problem", [dual_problem(X, Y, KERNELS["rbf"], 1.0), MatrixProblem(np.eye(5))])
def test_problems_keep_the_protocol(problem):
    assert isinstance(problem, Problem)
    assert problem.labels.shape == problem.diagonal.shape == (problem.size,)
    column, indices, weights = np.empty(problem.size), np.array([0, 2]), np.array([0.25, 0.75])
    problem.fill_column(2, column)
    Q = problem.submatrix(np.arange(problem.size))
    np.testing.assert_array_equal(Q, Q.T)
    np.testing.assert_allclose(column, Q[2], rtol=1e-12)
    np.testing.assert_allclose(problem.diagonal, Q.diagonal(), rtol=1e-12)
    np.testing.assert_allclose(problem.scores(indices, weights), Q[:, indices] @ weights, rtol=1e-12)
    if problem.compares_blocks:
        assert problem.matrix.size == problem.size and np.isfinite(problem.offset) and problem.ridge_at(0) > 0


@pytest.mark.parametrize("method", [*NAMES, *OWN_NAMES, *SUBSAMPLE_NAMES])
def test_drivers_keep_the_protocol(method):
    seen = []
    sampled = {} if method in (*OWN_NAMES, *SUBSAMPLE_NAMES) else {"selection": "sampled_text", "sample_size": 2}
    for settings in ({}, sampled):
        solve(
            dual_problem(X, Y, KERNELS["rbf"], 1000.0), method, init="random_point", random_state=0, max_iterations=30,
            callback=seen.append, **settings,
        )  # fmt: skip
    assert seen and all(isinstance(driver, Driver) for driver in seen)
