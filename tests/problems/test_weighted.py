"""Test the weighted SVM: its optimality conditions, and its solution by our solvers after a change
of variables.
"""

import numpy as np
import pytest

from fwsvm import MatrixProblem, solve, weighted_svm


@pytest.fixture(scope="module")
def Q():
    F = np.random.default_rng(1).normal(size=(12, 5))
    return F @ F.T + 0.1 * np.eye(12)


@pytest.mark.parametrize("zeros", [0, 3])
@pytest.mark.parametrize("seed", range(4))
def test_solution_is_optimal_and_that_of_the_change_of_variables(Q, seed, zeros):
    t = np.random.default_rng(seed).uniform(0.2, 3.0, size=12)
    t[:zeros] = 0.0  # with zeros, the feasible set is unbounded
    a, objective = weighted_svm(Q, t)
    assert t @ a == pytest.approx(1.0) and np.all(a >= 0) and objective == pytest.approx(a @ Q @ a)
    assert np.all(Q @ a >= objective * t - 1e-8)  # this implies b'Qa >= a'Qa for every feasible b
    if zeros:
        return
    plain = solve(
        MatrixProblem(Q / np.outer(t, t)),
        "swap2o",
        stop="relative",
        eps=1e-10,
        column_dtype="float64",
    )
    b = np.zeros(12)
    b[plain.support] = plain.weights
    np.testing.assert_allclose(a, b / t, atol=1e-6)
    assert objective == pytest.approx(plain.objective, rel=1e-8)


@pytest.mark.parametrize(
    ("Q", "weights", "word"),
    [
        (np.eye(3), -np.ones(3), "weights"),
        (np.eye(3), np.zeros(3), "weights"),
        (np.ones((3, 3)), np.ones(3), "positive definite"),
        (np.ones((3, 2)), np.ones(3), "symmetric"),
    ],
)
def test_bad_arguments_are_named(Q, weights, word):
    with pytest.raises(ValueError, match=word):
        weighted_svm(Q, weights)
