"""Compare every baseline with an independent solution of its own problem.

The independent solution is that of `scipy.optimize.nnls`, of LinearSVC or of SVC. The incomplete
Cholesky factorisation is compared with its definition.
"""

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, kernel_values, optimum
from scipy import sparse
from sklearn.svm import SVC, LinearSVC

from fwsvm import KernelMatrix
from fwsvm_papers.baselines import BASELINES, fit_baseline
from fwsvm_papers.baselines.limits import Limits
from fwsvm_papers.baselines.low_rank import incomplete_cholesky

STORAGES = {"dense": np.asarray, "csr": sparse.csr_matrix}


def two_classes(seed=0, m=150, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d)) * (rng.random((m, d)) < 0.8)
    y = np.where(X[:, 0] - X[:, 1] ** 2 + 0.6 * rng.normal(size=m) > -0.5, 1.0, -1.0)
    return X, y


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def l2_optimum(K, y, C):
    """Return b of the L2-SVM in LIBSVM's scale. It minimises b'Qb / 2 - sum(b) over b >= 0, where Q
    = yy'(K + 1) + I / C.
    """
    best, a = optimum(np.outer(y, y) * (K + 1.0) + np.eye(len(y)) / C)
    return a / best


@parametrize_pairwise(name=list(BASELINES), kernel=KERNELS, storage=list(STORAGES))
def test_decision_function_is_the_expansion_it_says(name, kernel, storage):
    X, y = two_classes()
    Z = two_classes(1, 40)[0]
    store = STORAGES[storage]
    if (name, kernel.name) == ("libsvm_l2", "poly"):
        with pytest.raises(ValueError, match="poly"):
            fit_baseline(name, store(X), y, kernel)
        return
    model = fit_baseline(name, store(X), y, kernel, 2.0, random_state=0)
    assert model.is_trained and model.stop_reason == "converged"
    points = dense(model.points)
    by_hand = kernel_values(kernel, Z, points) @ model.coefficients + model.bias
    np.testing.assert_allclose(
        model.decision_function(store(Z)), by_hand, atol=1e-9 * np.abs(by_hand).max()
    )
    np.testing.assert_array_equal(model.predict(store(Z)), np.where(by_hand > 0, 1, -1))
    assert 0 < model.support_vectors <= len(y) and len(model.coefficients) == len(points)
    assert model.score(store(X), y) > 0.6 and model.train_cpu_s >= 0 and model.iterations > 0


@pytest.mark.parametrize("C", [0.5, 20.0])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_lagrangian_machine_of_full_rank_finds_the_optimum_of_nnls(kernel, C):
    X, y = two_classes(2)
    K = kernel_values(kernel, X)
    b = l2_optimum(K, y, C)
    model = fit_baseline("lsvm_lowrank", X, y, kernel, C, rank_tol=1e-14, tol=1e-6)
    wanted = K @ (b * y) + b @ y
    np.testing.assert_allclose(model.decision_function(X), wanted, atol=1e-4 * np.abs(wanted).max())
    assert model.objective == pytest.approx(-0.5 * b.sum(), rel=1e-4)
    assert abs(model.support_vectors - np.count_nonzero(b)) <= 1


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("C", [0.02, 1.0, 64.0])
@pytest.mark.parametrize("kernel", [KERNELS["rbf"], KERNELS["linear"]], ids=["rbf", "linear"])
def test_libsvm_on_moved_points_solves_the_l2_machine(kernel, C, storage):
    """The solution is compared with the optimality conditions, and with LIBSVM on the explicit
    matrix K + I / C.
    """
    X, y = two_classes(3, 200)
    model = fit_baseline("libsvm_l2", STORAGES[storage](X), y, kernel, C, tol=1e-7)
    K = kernel_values(kernel, X)
    oracle = SVC(kernel="precomputed", C=1e12, tol=1e-7).fit(K + np.eye(200) / C, y)
    b = np.zeros(200)
    support = [
        np.flatnonzero((point == X).all(axis=1))[0] for point in np.asarray(dense(model.points))
    ]
    b[support] = model.coefficients * y[support]
    assert b.min() >= 0 and abs(b @ y) < 1e-8 * b.sum()
    margin = y * (K @ (b * y) + model.bias) + b / C - 1.0
    tolerance = 5e-6 * max(1.0, C)  # LIBSVM keeps kernel values in float32, and b grows with C
    np.testing.assert_allclose(margin[b > 0], 0.0, atol=tolerance)
    assert margin[b == 0].min(initial=0.0) >= -tolerance
    np.testing.assert_array_equal(np.sort(support), np.sort(oracle.support_))
    wanted = K[:, oracle.support_] @ oracle.dual_coef_[0] + oracle.intercept_[0]
    np.testing.assert_allclose(
        model.decision_function(STORAGES[storage](X)), wanted, atol=10 * tolerance
    )


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("C", [0.3, 3.0, 300.0])
@pytest.mark.parametrize("kernel", [KERNELS["rbf"], KERNELS["poly"]], ids=["rbf", "poly"])
def test_simple_svm_solves_libsvms_problem(kernel, C, storage):
    X, y = two_classes(5, 200)
    oracle = SVC(kernel="precomputed", C=C, tol=1e-8).fit(kernel_values(kernel, X), y)
    model = fit_baseline("simple_svm", STORAGES[storage](X), y, kernel, C, random_state=0, tol=1e-7)
    wanted = oracle.decision_function(kernel_values(kernel, X))
    np.testing.assert_allclose(
        model.decision_function(STORAGES[storage](X)), wanted, atol=1e-4 * np.abs(wanted).max()
    )
    b = np.zeros(200)
    b[oracle.support_] = oracle.dual_coef_[0]
    objective = 0.5 * b @ kernel_values(kernel, X) @ b - np.abs(b).sum()
    assert model.objective == pytest.approx(objective, rel=1e-7)
    assert model.support_vectors == len(oracle.support_)
    assert model.facts["bounded"] == np.count_nonzero(np.abs(b) > C * (1 - 1e-9))
    np.testing.assert_allclose(model.coefficients.sum(), 0.0, atol=1e-6 * C)
    assert np.abs(model.coefficients).max() <= C


@pytest.mark.parametrize("storage", ["dense", pytest.param("csr", marks=pytest.mark.exhaustive)])
def test_libsvm_is_scikit_learns_in_this_process_and_in_another(storage):
    X, y = two_classes(7)
    X = STORAGES[storage](X)
    oracle = SVC(gamma=0.3, C=4.0).fit(X, y)
    here = fit_baseline("libsvm_l1", X, y, KERNELS["rbf"], 4.0)
    apart = fit_baseline("libsvm_l1", X, y, KERNELS["rbf"], 4.0, time_limit=1e6)
    for model in (here, apart):
        np.testing.assert_allclose(
            model.decision_function(X), oracle.decision_function(X), atol=1e-10
        )
        assert model.support_vectors == len(oracle.support_)
        assert model.iterations == oracle.n_iter_[0] and model.train_cpu_s > 0


@pytest.mark.parametrize("C", [0.1, 50.0])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_rsvm_is_a_linear_machine_on_the_rectangular_kernel(kernel, C):
    X, y = two_classes(8, 300)
    model = fit_baseline("rsvm", X, y, kernel, C, random_state=3, tol=1e-10)
    assert model.support_vectors == len(model.coefficients) == 30
    features = kernel_values(kernel, X, model.points)
    oracle = LinearSVC(
        loss="squared_hinge", dual=False, C=C / 2, intercept_scaling=1, tol=1e-10, max_iter=10**6
    ).fit(features, y)
    np.testing.assert_allclose(
        model.decision_function(X), oracle.decision_function(features), atol=2e-4
    )
    v = np.append(model.coefficients, model.bias)
    short = np.maximum(1.0 - y * model.decision_function(X), 0.0)
    assert model.objective == pytest.approx(0.5 * v @ v + 0.5 * C * short @ short, rel=1e-9)
    again = fit_baseline("rsvm", X, y, kernel, C, random_state=3, tol=1e-10)
    np.testing.assert_array_equal(model.coefficients, again.coefficients)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_incomplete_cholesky_leaves_what_it_says(kernel):
    X = two_classes(9, 120, 6)[0]
    K = kernel_values(kernel, X)
    for tol, rank in ((1e-2, 120), (1e-12, 120), (1e-12, 5)):
        G, pivots, left = incomplete_cholesky(KernelMatrix(X, kernel), tol, rank, Limits())
        residual = K - G.T @ G
        assert left == pytest.approx(residual.trace() / K.trace(), abs=1e-12)
        assert left <= tol or len(G) == rank
        assert len(set(pivots.tolist())) == len(G)
        assert np.linalg.eigvalsh(residual).min() > -1e-9 * K.trace()
        np.testing.assert_array_equal(np.tril(G[:, pivots], -1), 0.0)
        np.testing.assert_allclose(residual[pivots], 0.0, atol=1e-9 * K.max())
    if kernel.name == "linear":
        assert len(incomplete_cholesky(KernelMatrix(X, kernel), 1e-12, 120, Limits())[0]) == 6


@pytest.mark.parametrize("rank", [3, 12])
def test_low_rank_machine_is_the_exact_one_on_the_low_rank_kernel(rank):
    X, y = two_classes(10)
    kernel, C = KERNELS["rbf"], 10.0
    G, _, _ = incomplete_cholesky(KernelMatrix(X, kernel), 1e-12, rank, Limits())
    K = G.T @ G
    b = l2_optimum(K, y, C)
    model = fit_baseline("lsvm_lowrank", X, y, kernel, C, max_rank=rank, tol=1e-6)
    assert (len(model.coefficients), model.facts["rank"]) == (rank, rank)
    np.testing.assert_allclose(model.decision_function(X), K @ (b * y) + b @ y, atol=1e-3)
    assert model.support_vectors == np.count_nonzero(b)
