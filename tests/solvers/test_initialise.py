"""The three starts, against their definitions."""

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, dual_matrix, dual_problem, optimum, two_classes

from fwsvm import solve
from fwsvm.solvers.initialise import closest_opposite_pair, solve_small


def start(problem, **settings):
    """(indices, weights) of the first iterate."""
    return solve(problem, "fw", trace_iterates=True, max_iterations=1, **settings).trace.iterates[0]


@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_random_meb_solves_the_qp_on_twenty_points(kernel, storage):
    X, y = two_classes(0, 100, storage=storage)
    Q = dual_matrix(X, y, KERNELS[kernel], 0.01)  # so small a C that all points are support vectors
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
    """tsang2005 sec. 4.1.1: distances in feature space, from Q."""
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
        # one of the two is furthest from the other, which is furthest from some point
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
    np.testing.assert_array_equal(given, indices)  # in ascending order


def test_small_solver_is_exact():
    X, y = two_classes(4, 40)
    matrices = [dual_matrix(X, y, KERNELS["rbf"], C) for C in (0.1, 10.0, 1e3)]
    for Q in (*matrices, np.diag(10.0 ** np.arange(-6, 6))):
        indices, weights = solve_small(Q)
        best, _ = optimum(Q)
        assert weights.sum() == pytest.approx(1.0, abs=1e-14)
        objective = weights @ Q[np.ix_(indices, indices)] @ weights
        assert objective == pytest.approx(best, rel=1e-10)
        assert 2.0 * (objective - (Q[:, indices] @ weights).min()) <= 1.01e-10 * objective
