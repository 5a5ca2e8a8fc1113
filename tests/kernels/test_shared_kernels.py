"""Test kernel values that are given or shared: precomputed kernels, paths over C, and pairs of
classes that several threads train.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from grids import parametrize_pairwise
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics.pairwise import rbf_kernel

from fwsvm import FrankWolfeSVC, fit_c_path, solve
from fwsvm.estimators import one_versus_one
from fwsvm.kernels import Kernel, KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.methods import NAMES as METHODS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:700] / 16.0, y[:700]


def same_model(one, other, exactly=True):
    compare = (
        np.testing.assert_array_equal
        if exactly
        else lambda a, b: np.testing.assert_allclose(a, b, atol=1e-4)
    )
    if exactly:
        np.testing.assert_array_equal(one.support_, other.support_)
        np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    compare(one.gap_, other.gap_)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-12 if exactly else 1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", METHODS)
def test_precomputed_values_give_the_model_of_the_kernel(method, dtype):
    X, y = load_iris(return_X_y=True)
    settings = dict(
        method=method, C=3.0, stop="relative", eps=1e-2 if method == "fw" else 1e-4, random_state=0
    )
    K = rbf_kernel(X, gamma=0.4)
    plain = FrankWolfeSVC(gamma=0.4, **settings).fit(X[::2], y[::2])
    given = FrankWolfeSVC(kernel="precomputed", **settings).fit(K[::2, ::2].astype(dtype), y[::2])
    assert {solution.kernel_path for solution in given.pair_solutions_} == {"precomputed"}
    same_model(given, plain, exactly=False)
    tolerance = 2e-2 if method == "fw" else 1e-3
    decisions = given.decision_function(K[1::2, ::2].astype(dtype))
    np.testing.assert_allclose(decisions, plain.decision_function(X[1::2]), atol=tolerance)
    assert given.support_vectors_.size == 0 and given.gamma_ is None


def test_precomputed_values_must_be_square_and_dense():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"\(150, 4\)"):
        FrankWolfeSVC(kernel="precomputed").fit(X, y)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        FrankWolfeSVC(kernel="precomputed").fit(sparse.csr_matrix(rbf_kernel(X)), y)
    with pytest.raises(ValueError, match="kernel must be one of"):
        FrankWolfeSVC(kernel="cosine").fit(X, y)


@pytest.mark.parametrize("selection", ["full", "sampled_libcvm"])
@pytest.mark.parametrize("method", METHODS)
def test_path_over_C_gives_the_models_of_single_fits(digits, method, selection):
    X, y = digits
    C_values = (0.5, 8.0, 100.0)
    chosen = np.flatnonzero(y < 3)
    settings = {
        "selection": selection,
        "stop": "meb",
        "eps": 1e-6,
        "max_iter": 300,
        "random_state": 4,
    }
    estimator = FrankWolfeSVC(method, sigma2="average", **settings)
    for data in (X[chosen], sparse.csr_matrix(X[chosen])):
        path = fit_c_path(estimator, data, y[chosen], C_values)
        for model, C in zip(path, C_values, strict=True):
            single = FrankWolfeSVC(method, C=C, sigma2="average", **settings).fit(data, y[chosen])
            assert (model.C, model.n_iter_.tolist()) == (C, single.n_iter_.tolist())
            # a cached diagonal entry is adjusted and not computed again, so its last float32 digit
            # can differ
            assert model.objective_ == pytest.approx(single.objective_, rel=1e-4)
            assert np.mean(model.predict(data) == single.predict(data)) > 0.98


def test_path_over_C_computes_no_column_twice(digits):
    X, y = digits
    two = y < 2
    path = fit_c_path(
        FrankWolfeSVC(random_state=0), sparse.csr_matrix(X[two]), y[two], [2.0**k for k in range(6)]
    )
    columns = [model.pair_solutions_[0].kernel_evaluations / two.sum() for model in path]
    assert columns[0] >= len(path[0].support_) > 0
    assert sum(columns) <= two.sum()
    assert all(model.fit_cpu_s_ > 0 for model in path)


@parametrize_pairwise(
    selection=["full", "sampled_libcvm"],
    storage=[np.asarray, sparse.csr_matrix],
    method=["swap", "cvm"],
)
def test_threads_do_not_change_the_model(digits, storage, method, selection):
    X, y = storage(digits[0]), digits[1]
    one, three = (
        FrankWolfeSVC(method, C=4.0, selection=selection, n_jobs=n_jobs, random_state=1).fit(X, y)
        for n_jobs in (1, 3)
    )
    same_model(one, three)
    assert one.pair_solutions_[0].kernel_path == three.pair_solutions_[0].kernel_path


def test_pairs_of_dense_data_share_blocks_within_the_memory_bound(digits, monkeypatch):
    # without this line, each small pair would have its own matrix in memory
    monkeypatch.setattr(one_versus_one, "takes", lambda *given: False)
    X, y = digits
    shared = FrankWolfeSVC(random_state=0, stop="relative", eps=1e-4).fit(X, y)
    apart = FrankWolfeSVC(random_state=0, stop="relative", eps=1e-4, cache_mb=0.2).fit(X, y)
    assert {solution.kernel_path for solution in shared.pair_solutions_} == {"class-blocks"}
    assert "class-blocks" not in {solution.kernel_path for solution in apart.pair_solutions_}
    same_model(shared, apart, exactly=False)
    sizes = np.bincount(y)
    # each block within a class or between two classes is computed once
    values = (sizes.sum() ** 2 + (sizes**2).sum()) // 2
    assert sum(solution.kernel_evaluations for solution in shared.pair_solutions_) == values


@pytest.mark.parametrize(
    "make", [np.asarray, sparse.csr_matrix, lambda X: sparse.csr_matrix((X > 0.5).astype(float))]
)
def test_threads_with_one_kernel_matrix_do_not_disturb_each_other(digits, make):
    X, y = digits
    matrix = KernelMatrix(make(np.tile(X, (6, 1))), Kernel(gamma=0.01))
    labels = np.tile(np.where(y % 2, 1.0, -1.0), 6)

    def train(C):
        result = solve(
            KernelProblem(matrix, labels, C),
            method="swap",
            cache_mb=1,
            max_iterations=400,
            random_state=0,
        )
        column = np.empty(len(labels), np.float32)
        for i in range(100):
            matrix.column(i, column)
        return result.objective, result.weights.tolist(), column.tolist(), result.kernel_evaluations

    alone = [train(C) for C in (1.0, 100.0)]
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(train, (1.0, 100.0))) == alone
