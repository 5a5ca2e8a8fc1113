"""Test that computed kernel matrices are symmetric on every processor.

A precomputed kernel matrix can be asymmetric because of rounding errors. A larger asymmetry is an
error.
"""

import numpy as np
import pytest
from grids import parametrize_pairwise
from sklearn.metrics.pairwise import rbf_kernel

import fwsvm
from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, Kernel, KernelMatrix, MatrixProblem
from fwsvm import weighted_svm as weighted
from fwsvm.kernels.class_blocks import ClassBlocks
from fwsvm.kernels.points import Points, PointStore
from fwsvm.kernels.precomputed import PrecomputedKernelMatrix
from fwsvm.kernels.symmetry import is_symmetric, largest_asymmetry, mirror_lower

KERNELS = {"rbf": Kernel("rbf", 0.1), "poly": Kernel("poly", 0.3, 3), "linear": Kernel("linear")}


def noisy(values, seed=0):
    """Return the values with small errors that differ between entries, as if a processor rounded
    each entry in its own way.
    """
    noise = np.random.default_rng(seed).uniform(-1.0, 1.0, values.shape)
    return (values * (1.0 + 5e-7 * noise)).astype(values.dtype)


@pytest.fixture
def rounding(monkeypatch):
    """Let the entries of blocks of kernel values round independently of each other. Some BLAS
    libraries do this.
    """
    exact = PointStore.block

    def block(self, points, rows, out):
        exact(self, points, rows, out)
        part = out[: len(rows), : self.size]
        part[...] = noisy(part)

    monkeypatch.setattr(PointStore, "block", block)


@pytest.fixture(scope="module")
def problem():
    """Return points, their signs, and their float32 kernel matrix, which is symmetric up to
    rounding.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, 1.0, -1.0)
    K = noisy(rbf_kernel(X, gamma=0.1).astype(np.float32))
    assert 0.0 < np.abs(K - K.T).max() < 1.1e-6
    return X, y, K


@parametrize_pairwise(features=[5, 30], dtype=[np.float32, np.float64], kernel=KERNELS)
def test_gram_matrix_is_symmetric_however_blocks_round(rounding, kernel, dtype, features):
    # the rows are computed in more than one part
    X = np.random.default_rng(1).normal(size=(700, features))
    matrix, K = KernelMatrix(X, kernel), np.full((700, 700), np.nan, dtype)
    matrix.gram(K)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(K.diagonal(), matrix.diagonal().astype(dtype))
    column = np.empty(700)
    matrix.column(650, column)
    np.testing.assert_allclose(K[650], column, rtol=0, atol=3e-6 * np.abs(K).max())


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_blocks_within_a_class_are_symmetric(kernel, monkeypatch):
    multiply = np.matmul
    monkeypatch.setattr(np, "matmul", lambda a, b, out: np.copyto(out, noisy(multiply(a, b))))
    points = Points(np.random.default_rng(3).normal(size=(90, 12)))
    first, _, second, _ = ClassBlocks(points, np.split(np.arange(90), 3), kernel).pair(0, 2)
    np.testing.assert_array_equal(first, first.T)
    np.testing.assert_array_equal(second, second.T)


@pytest.mark.parametrize("m", [1, 2, 511, 512, 513, 1100])
def test_mirror_and_largest_asymmetry(m):
    A = np.random.default_rng(m).normal(size=(m, m))
    lower = np.tril(A)
    mirror_lower(A)
    np.testing.assert_array_equal(A, lower + np.tril(lower, -1).T)
    assert largest_asymmetry(A)[0] == 0.0
    assert is_symmetric(A, "A")
    if m > 1:
        i, j = m - 1, m // 3
        A[j, i] += 7.0
        asymmetry, *place, largest = largest_asymmetry(A)
        assert (asymmetry, place) == (pytest.approx(7.0), [i, j]) and largest == np.abs(A).max()


@pytest.mark.parametrize("method", ["fw", "mfw", "swap", "swap2o", "pfw", "cvm"])
def test_float32_kernel_matrix_with_rounding_trains_and_is_certified(problem, method):
    """The start, the columns and the certificate all use the mean of the matrix and its transpose.
    Therefore, gaps far below the asymmetry can be reached, and the certified gaps are correct.
    """
    _, y, K = problem
    eps = 1e-3 if method == "fw" else 1e-10
    model = FrankWolfeSVC(
        method=method, kernel="precomputed", C=2.0, stop="relative", eps=eps, random_state=0
    )
    model.fit(K, y)
    Q = np.outer(y, y) * (0.5 * (K.astype(np.float64) + K.T) + 1.0) + np.eye(len(y)) / 2.0
    a = np.zeros(len(y))
    a[model.support_] = np.abs(model.dual_coef_[0])
    assert model.stop_reason_ == "converged"
    assert model.objective_ == pytest.approx(a @ Q @ a, rel=1e-13)
    # the certified gap includes a bound on rounding errors
    assert 0.0 <= model.gap_ - 2.0 * (a @ Q @ a - (Q @ a).min()) <= 1e-13
    assert model.relative_gap_ <= eps


def test_a_matrix_is_not_copied_to_make_it_symmetric(problem):
    K = problem[2]
    assert np.shares_memory(PrecomputedKernelMatrix(K).K, K)
    given = PrecomputedKernelMatrix(K, np.array([5, 2, 9]))
    mean = 0.5 * (K.astype(np.float64) + K.T)
    chosen = mean[np.ix_([5, 2, 9], [5, 2, 9])]
    column = np.empty(3)
    given.column(1, column)
    np.testing.assert_array_equal(column, chosen[1])
    np.testing.assert_array_equal(given.submatrix(np.array([2, 0])), chosen[np.ix_([2, 0], [2, 0])])
    weights = np.array([0.3, 0.7])
    np.testing.assert_allclose(
        given.weighted_sums(np.array([0, 2]), weights), chosen[:, [0, 2]] @ weights, rtol=1e-14
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [None, np.array([50, 2, 9, *range(20, 50), 0])])
def test_means_that_are_computed_at_once_are_the_same(problem, dtype, index):
    """With enough memory, all means are computed at once. Every number stays the same."""
    K = problem[2].astype(dtype)
    now, later = (
        PrecomputedKernelMatrix(K, index, symmetric=False, room_mb=room_mb)
        for room_mb in (8e-6 * 60**2, 8e-6 * 33**2)
    )
    assert now.symmetric and not later.symmetric and not np.shares_memory(now.K, K)
    assert now.column_source(np.float64)[1] == pytest.approx(8e-6 * now.size**2)
    assert later.column_source(np.float64)[1] == 0.0
    places, weights = np.array([4, 0, 3]), np.array([0.2, 0.5, -0.3])
    columns = np.empty((2, now.size))
    for matrix, column in zip((now, later), columns, strict=True):
        matrix.column(3, column)
    np.testing.assert_array_equal(*columns)
    for numbers in (
        lambda matrix: matrix.diagonal(),
        lambda matrix: matrix.submatrix(places),
        lambda matrix: matrix.weighted_sums(places, weights),
        lambda matrix: matrix.against(places, np.float32)(np.array([5, 1])),
    ):
        np.testing.assert_array_equal(numbers(now), numbers(later))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_not_symmetric_is_refused_by_name_and_place(problem, dtype):
    _, y, K = problem
    K = (0.5 * (K + K.T)).astype(dtype)
    K[7, 31] += 1e-2
    doors = {
        "X": [
            FrankWolfeSVC(kernel="precomputed").fit,
            FrankWolfeOneClass(kernel="precomputed").fit,
        ],
        "Q": [lambda Q, y: MatrixProblem(Q), lambda Q, y: weighted(Q, np.ones(60))],
        "K": [lambda K, y: PrecomputedKernelMatrix(K)],
    }
    for name, calls in doors.items():
        for call in calls:
            with pytest.raises(ValueError, match=rf"{name}\[31, 7\] = .* {name}\[7, 31\] = "):
                call(K, y)


def test_entries_that_are_too_large_for_the_solver_are_refused():
    """The solver marks inactive points with -1e30, so gradients must be smaller than 1e30."""
    large = np.diag([1.0, 2.0, 3.0])
    large[0, 2] = large[2, 0] = -2e28
    for make in (MatrixProblem, lambda K: FrankWolfeSVC(kernel="precomputed").fit(K, [0, 1, 1])):
        with pytest.raises(
            ValueError, match=r"entries of at most 1e\+28, but the largest is 2e\+28"
        ):
            make(large)
    matrix = KernelMatrix(np.eye(2), KERNELS["rbf"])
    for offset in (1e29, np.inf, -1.0):
        with pytest.raises(ValueError, match=r"offset must be 0 or a positive number up to 1e\+28"):
            fwsvm.KernelProblem(matrix, [-1, 1], 1.0, offset=offset)
    Q = np.diag([1e28, 1e27])
    found = fwsvm.solve(MatrixProblem(Q), "mfw", stop="relative", eps=1e-6)
    assert found.objective == pytest.approx(1e28 / 11.0, rel=1e-6)
