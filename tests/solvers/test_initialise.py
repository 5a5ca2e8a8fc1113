"""Compare three starts of training with their definitions, and test the solver of small QPs."""

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, dual_matrix, dual_problem, optimum, two_classes
from scipy.optimize import minimize

from fwsvm import solve
from fwsvm.solvers.initialise import closest_opposite_pair, solve_small


def start(problem, **settings):
    """Return (indices, weights) of the first iterate."""
    return solve(problem, "fw", trace_iterates=True, max_iterations=1, **settings).trace.iterates[0]


@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_random_meb_solves_the_qp_on_twenty_points(kernel, storage):
    X, y = two_classes(0, 100, storage=storage)
    # C is so small that all points are support vectors
    Q = dual_matrix(X, y, KERNELS[kernel], 0.01)
    chosen = set()
    for seed in range(40):
        indices, weights = start(dual_problem(X, y, KERNELS[kernel], 0.01), random_state=seed)
        assert len(indices) == 20
        assert np.all(np.diff(indices) > 0)
        best, a = optimum(Q[np.ix_(indices, indices)])
        assert weights @ Q[np.ix_(indices, indices)] @ weights == pytest.approx(best, rel=1e-9)
        np.testing.assert_allclose(weights, a, atol=1e-7)
        chosen |= set(indices)
    assert len(chosen) == 100


def test_random_meb_alternates_classes_where_the_sampling_does():
    X, y = two_classes(0, 300)
    y[:] = -1.0
    for n_positive, expected in ((3, 3), (10, 10), (295, 15), (150, 10)):
        y[:] = -1.0
        y[:n_positive] = 1.0
        problem = dual_problem(X, y, KERNELS["rbf"], 0.01)
        indices, _ = start(problem, selection="sampled_libcvm", random_state=1)
        assert len(indices) == 20
        assert np.count_nonzero(y[indices] > 0) == expected
    indices, _ = start(problem, selection="sampled_text", random_state=1)
    assert len(indices) == 20


@pytest.mark.parametrize("kernel", KERNELS)
def test_farthest_pair(kernel):
    """The start is that of tsang2005 sec. 4.1.1. The expected distances are computed from Q."""
    X, y = two_classes(0, 100)
    Q = dual_matrix(X, y, KERNELS[kernel], 3.0)
    distances = Q.diagonal()[:, None] + Q.diagonal() - 2.0 * Q
    pairs = set()
    for seed in range(10):
        indices, weights = start(
            dual_problem(X, y, KERNELS[kernel], 3.0), init="farthest_pair", random_state=seed
        )
        np.testing.assert_array_equal(weights, [0.5, 0.5])
        i, j = indices
        # one of the two points is farthest from the other, and the other is farthest from some
        # point
        furthest = distances.argmax(axis=1)
        assert any(furthest[a] == b and a in furthest for a, b in ((i, j), (j, i)))
        pairs.add((i, j))
    assert distances[i, j] > np.quantile(distances, 0.9)


@parametrize_pairwise(sign=[1.0, -1.0], kernel=list(KERNELS), storage=["dense", "csr"])
def test_closest_opposite_pair(kernel, storage, sign):
    X, y = two_classes(5, 80, storage=storage)
    y = sign * y
    K = (1.0 - dual_matrix(X, y, KERNELS[kernel], np.inf) * np.outer(y, y)) * -1.0
    K[y[:, None] == y] = -np.inf
    indices, weights = start(
        dual_problem(X, y, KERNELS[kernel], 3.0), init="closest_opposite_pair", random_state=0
    )
    np.testing.assert_array_equal(weights, [0.5, 0.5])
    assert y[indices].sum() == 0
    assert K[indices[0], indices[1]] == pytest.approx(K.max(), rel=1e-12)
    given, _ = closest_opposite_pair(dual_problem(X, y, KERNELS[kernel], 3.0), None, None)
    np.testing.assert_array_equal(given, indices)  # the indices are in ascending order


def random_qps(rng):
    """Yield the matrices Q of 400 SVMs on 2 to 20 points.

    There are three kernels. C is from 0.1 to 1e6 or infinite, some points are equal, and the scales
    are from 1e-10 to 1e10.
    """
    for case in range(400):
        X = rng.standard_normal((rng.integers(2, 21), rng.integers(1, 8)))
        X[len(X) // 2 :] = X[0] if case % 5 == 0 else X[len(X) // 2 :]
        y = rng.choice([-1.0, 1.0], len(X))
        squared = (X**2).sum(axis=1)
        distances = squared[:, None] + squared - 2.0 * X @ X.T
        K = (np.exp(-rng.choice([0.01, 1.0, 10.0]) * distances), X @ X.T, (X @ X.T + 1.0) ** 2)
        C = np.inf if case % 4 == 3 else 10.0 ** rng.uniform(-1.0, 6.0)
        scale = 10.0 ** rng.integers(-10, 11)
        yield scale * (np.outer(y, y) * (K[case % 3] + 1.0) + np.eye(len(X)) / C)


def check_small(Q, tolerance):
    """Check that the weights are feasible, and that the duality gap is at most `tolerance` max
    |Q_ij|. Return the objective.
    """
    indices, weights = solve_small(Q)
    assert np.all(np.diff(indices) > 0)
    assert np.all(weights > 0.0)
    assert weights.sum() == pytest.approx(1.0, abs=1e-14)
    s = Q[:, indices] @ weights
    objective = weights @ s[indices]
    assert 2.0 * (objective - s.min()) <= tolerance * np.abs(Q).max()
    return objective


def test_small_solver_is_exact_and_never_above_slsqp():
    for case, Q in enumerate(random_qps(np.random.default_rng(0))):
        objective, largest = check_small(Q, 1e-14), np.abs(Q).max()
        if case % 19 == 0:
            p = len(Q)
            found = minimize(
                lambda a, Q=Q / largest: a @ Q @ a,
                np.full(p, 1.0 / p),
                jac=lambda a, Q=Q / largest: 2.0 * Q @ a,
                bounds=[(0.0, 1.0)] * p,
                constraints={"type": "eq", "fun": lambda a: a.sum() - 1.0},
                method="SLSQP",
                options={"ftol": 1e-14, "maxiter": 1000},
            )
            a = np.maximum(found.x, 0.0) / np.maximum(found.x, 0.0).sum()
            assert objective <= a @ Q @ a + 1e-14 * largest


def test_small_solver_solves_enclosing_balls():
    """Q_ij = -|x_i - x_j|^2 / 2 is positive semidefinite only for vectors a whose entries sum to
    0.
    """
    rng = np.random.default_rng(1)
    for d in (1, 2, 3, 10, 30):
        for p in (1, 2, 5, 20):
            X = rng.standard_normal((p, d))
            check_small(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2), 1e-7)


def test_small_solver_takes_matrices_of_zeros_and_of_many_scales():
    indices, weights = solve_small(np.zeros((3, 3)))
    assert weights.sum() == 1.0
    diagonal = 10.0 ** np.arange(-6, 6)
    indices, weights = solve_small(np.diag(diagonal))
    assert indices.tolist() == list(range(12))
    np.testing.assert_allclose(weights, (1.0 / diagonal) / (1.0 / diagonal).sum(), rtol=1e-9)
