"""Test the low-rank approximation of the kernel matrix, and fits that end with its solution."""

import numpy as np
import pytest
from qp_oracles import (
    KERNELS,
    check_solution,
    dual_matrix,
    dual_problem,
    kernel_values,
    optimum,
    two_classes,
)
from sklearn.datasets import make_moons

import fwsvm
from fwsvm import KernelMatrix, KernelProblem, solve
from fwsvm.machine_code.threads import OutOfTime, Workers
from fwsvm.solvers import low_rank
from fwsvm.solvers.low_rank import LowRank
from fwsvm.solvers.settings import Settings


def approximation(problem, eps=1e-4, room_mb=100.0, threads=1, stop="relative"):
    settings = Settings(stop=stop, eps=eps)
    return LowRank(problem, settings, room_mb, np.random.default_rng(0), Workers(threads))


def moons(m=1500, C=20.0, gamma=1.0):
    X, y = make_moons(m, noise=0.3, random_state=3)
    return dual_problem(X, np.where(y == 1, 1.0, -1.0), fwsvm.Kernel("rbf", gamma), C), X, y


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize("threads", [1, 2])
def test_features_have_the_kernel_matrix_up_to_the_stated_errors(kernel, storage, threads):
    """P is the matrix and G has the features. P - GG' must be positive semidefinite, and its
    diagonal must be `error`.
    """
    X, y = two_classes(3, 300, storage=storage)
    P = dual_matrix(X, y, KERNELS[kernel], np.inf)
    low = approximation(KernelProblem(KernelMatrix(X, KERNELS[kernel]), y, 4.0), threads=threads)
    for rank in (10, 40, 120, 301):
        low._grow(rank)
        assert low.features.shape == (300, low.rank) and low.rank <= rank
        rest = P - low.features @ low.features.T
        np.testing.assert_allclose(rest.diagonal(), low.error, atol=1e-9 * P.max())
        assert np.linalg.eigvalsh(rest).min() >= -1e-9 * np.trace(P)
        assert low.evaluations == 300 * (low.rank - 1)
    assert low.error.max() <= 1e-9 * P.max()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_a_precise_solution_is_the_optimum(weighted, threads, storage):
    X, y = two_classes(15, 1100, d=2, storage=storage)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    problem = KernelProblem(KernelMatrix(X, KERNELS["rbf"]), y, 4.0, weights=weights)
    Q = dual_matrix(X, y, KERNELS["rbf"], np.inf) + np.diag(np.broadcast_to(problem.shift, len(y)))
    low = approximation(problem, threads=threads)
    assert low.is_promising()
    found = low.guess(np.array([3, 700]), np.array([0.25, 0.75]))
    assert low.rank < 300 and found.s is not None
    a = np.zeros(len(y))
    a[found.indices] = found.weights
    assert a.sum() == pytest.approx(1.0) and np.all(np.diff(found.indices) > 0)
    s = Q @ a
    R = a @ s
    assert 2.0 * (R - s.min()) <= 1e-4 * R  # the duality gap, computed from its definition
    np.testing.assert_allclose(found.s, s, atol=1e-4 * R)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_equations_are_those_of_the_points_below_the_margin(threads):
    """The matrix is updated by changes of the points and of the rank. The oracle sums the products
    of all points.
    """
    X, y = two_classes(9, 2500, d=2)
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.5, 2.0, len(y))
    problem = KernelProblem(KernelMatrix(X, KERNELS["rbf"]), y, 4.0, weights=weights)
    low = approximation(problem, threads=threads)
    below = rng.random(len(y)) < 0.7
    # (new rank, probability that a point enters or leaves)
    for rank, share in ((32, 0.0), (32, 0.01), (80, 0.0), (130, 0.02), (130, 0.9), (130, 1.0)):
        low._grow(rank)
        below = below ^ (rng.random(len(y)) < share)
        low._update_gram(below.copy())
        rows = low.features[below] * np.sqrt(4.0 * weights[below])[:, None]
        np.testing.assert_allclose(low._gram, rows.T @ rows, atol=1e-10 * np.square(rows).sum())
    below[:] = False
    low._update_gram(below)
    assert low._gram.shape == (low.rank, low.rank) and not low._gram.any()


def test_kernels_without_fast_decay_are_not_promising():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 40))
    y = np.where(rng.random(1200) < 0.5, 1.0, -1.0)
    low = approximation(dual_problem(X, y, fwsvm.Kernel("rbf", 0.05), 4.0))
    assert not low.is_promising()
    found = low.guess(np.array([0]), np.array([1.0]))
    assert found is not None and found.s is None and low.rank <= 40


def test_too_little_memory_or_too_few_points_give_no_guess():
    problem, _, _ = moons()
    start = np.array([0]), np.array([1.0])
    assert approximation(problem, room_mb=0.5).guess(*start) is None
    few, _, _ = moons(m=700)
    assert approximation(few, eps=1e-9).guess(*start) is None


def test_auto_ends_with_the_low_rank_solution():
    problem, X, y = moons()
    best, _ = optimum(dual_matrix(X, np.where(y == 1, 1.0, -1.0), fwsvm.Kernel("rbf", 1.0), 20.0))
    found = solve(problem, "auto", stop="relative", eps=1e-3, random_state=0)
    assert found.stop_reason == "converged" and found.iterations == 1500 // 4
    check_solution(
        found, dual_matrix(X, np.where(y == 1, 1.0, -1.0), fwsvm.Kernel("rbf", 1.0), 20.0), best
    )
    assert found.objective <= best * (1 + 1e-3)
    assert found.kernel_evaluations < 1500 * (1500 // 4 + 300)


def test_a_linear_kernel_is_exact_with_one_feature_per_column():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1500, 7))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=1500) > 0, 1.0, -1.0)
    low = approximation(dual_problem(X, y, fwsvm.Kernel("linear"), 10.0), eps=1e-10)
    found = low.guess(np.array([0]), np.array([1.0]))
    assert low.rank == 8 and found.s is not None
    K = kernel_values(fwsvm.Kernel("linear"), X)
    s = y * ((K + 1.0)[:, found.indices] @ (found.weights * y[found.indices]))
    s[found.indices] += found.weights / 10.0
    np.testing.assert_allclose(found.s, s, atol=1e-9)


def test_a_wrong_solution_is_found_out_and_mended(monkeypatch):
    """The approximation is called precise, although it is not. The certificate must refuse its
    solution.
    """
    monkeypatch.setattr(low_rank, "_PRECISE", 1e9)
    problem, X, y = moons(gamma=4.0)
    found = solve(problem, "auto", stop="relative", eps=1e-3, random_state=0)
    assert found.stop_reason == "converged" and found.relative_gap <= 1e-3
    assert found.iterations > 1500 // 4
    Q = dual_matrix(X, np.where(y == 1, 1.0, -1.0), fwsvm.Kernel("rbf", 4.0), 20.0)
    check_solution(found, Q, optimum(Q)[0])


def test_newton_steps_recover_from_a_point_at_which_no_slack_is_positive():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1100, 3))
    X[:, 0] = np.where(rng.random(1100) < 0.5, -3.0, 3.0)
    y = np.sign(X[:, 0])
    low = approximation(dual_problem(X, y, fwsvm.Kernel("linear"), 100.0))
    assert low.is_promising()
    w = np.linalg.lstsq(low.features, np.full(1100, 10.0))[0]
    f = low.features @ w
    assert f.min() > 1.0
    with np.errstate(all="raise"):
        found = low._precise(f, w)
    assert found is not None and found.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("error", [OutOfTime, np.linalg.LinAlgError])
def test_a_failed_approximation_leaves_the_steps_as_they_are(error, monkeypatch):
    problem, _, _ = moons()

    def fail(*_):
        raise error

    monkeypatch.setattr(LowRank, "_newton_step", fail)
    found = solve(problem, "auto", stop="relative", eps=1e-3, random_state=0)
    assert found.stop_reason == "converged" and found.relative_gap <= 1e-3
    assert found.iterations > 1500 // 4


@pytest.mark.parametrize("eps", [1e-2, 1e-6])
@pytest.mark.parametrize("asymmetry", [0.0, 1e-10])
def test_given_kernel_values_are_approximated_like_computed_ones(eps, asymmetry):
    _, X, y = moons()
    rng = np.random.default_rng(0)
    K = kernel_values(fwsvm.Kernel("rbf", 1.0), X)
    K *= 1.0 + asymmetry * rng.uniform(-1.0, 1.0, K.shape)
    svm = fwsvm.FrankWolfeSVC(C=20.0, kernel="precomputed", eps=eps, random_state=0).fit(K, y)
    (found,) = svm.pair_solutions_
    assert found.stop_reason == "converged" and found.kernel_path == "precomputed"
    if eps == 1e-2:
        assert found.iterations == len(y) // 4  # steps of SWAP-2o before the approximation
    signs = np.where(y == 1, 1.0, -1.0)
    Q = np.outer(signs, signs) * ((K + K.T) / 2 + 1.0) + np.eye(len(y)) / 20.0
    a = np.zeros(len(y))
    a[found.support] = found.weights
    gap = 2.0 * (a @ Q @ a - (Q @ a).min())
    assert gap * (1.0 - 1e-9) <= found.gap <= eps * found.objective
