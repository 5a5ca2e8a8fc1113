"""The weighted SVM against a general QP solver and the change of variables through our own solvers."""

import numpy as np
import pytest
from scipy.optimize import minimize

from fwsvm import MatrixProblem, solve, weighted_svm


@pytest.fixture(scope="module")
def Q():
    F = np.random.default_rng(1).normal(size=(12, 5))
    return F @ F.T + 0.1 * np.eye(12)


@pytest.mark.parametrize("seed", range(4))
def test_solution_is_that_of_slsqp_and_of_the_change_of_variables(Q, seed):
    t = np.random.default_rng(seed).uniform(0.2, 3.0, size=12)
    a, objective = weighted_svm(Q, t)
    assert t @ a == pytest.approx(1.0) and np.all(a >= 0)
    oracle = minimize(
        lambda a: a @ Q @ a,
        np.full(12, 1.0 / t.sum()),
        jac=lambda a: 2 * Q @ a,
        bounds=[(0, None)] * 12,
        constraints={"type": "eq", "fun": lambda a: t @ a - 1.0, "jac": lambda a: t},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert objective == pytest.approx(oracle.fun, rel=1e-6)
    np.testing.assert_allclose(a, oracle.x, atol=1e-4)
    plain = solve(MatrixProblem(Q / np.outer(t, t)), "swap2o", stop="relative", eps=1e-10, column_dtype="float64")
    b = np.zeros(12)
    b[plain.support] = plain.weights
    np.testing.assert_allclose(a, b / t, atol=1e-6)
    assert objective == pytest.approx(plain.objective, rel=1e-8)


def test_three_points_on_a_grid():
    Q = np.array([[2.0, -0.3, 0.4], [-0.3, 1.5, 0.2], [0.4, 0.2, 1.0]])
    t = np.array([1.0, 0.0, 0.5])  # an unbounded feasible set
    a, objective = weighted_svm(Q, t)
    first, second = np.meshgrid(np.linspace(0, 1, 401), np.linspace(0, 2, 401))
    points = np.stack([first, second, (1.0 - first) / 0.5])
    values = np.einsum("iab,ij,jab->ab", points, Q, points)
    assert objective == pytest.approx(values.min(), rel=1e-4)
    best = np.unravel_index(values.argmin(), values.shape)
    np.testing.assert_allclose(a, points[:, *best], atol=0.01)


@pytest.mark.parametrize(("Q", "weights", "word"), [
    (np.eye(3), -np.ones(3), "weights"), (np.eye(3), np.zeros(3), "weights"),
    (np.ones((3, 3)), np.ones(3), "positive definite"), (np.ones((3, 2)), np.ones(3), "symmetric"),
])  # fmt: skip
def test_bad_arguments_are_named(Q, weights, word):
    with pytest.raises(ValueError, match=word):
        weighted_svm(Q, weights)
