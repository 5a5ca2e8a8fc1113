"""Compare kernel values of every function, storage and precision with those of scikit-learn."""

import dataclasses

import numpy as np
import pytest
from grids import parametrize_pairwise
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise
from threadpoolctl import threadpool_limits

from fwsvm import FrankWolfeSVC, Kernel, KernelMatrix, KernelProblem, average_squared_distance
from fwsvm.kernels.class_blocks import ClassBlocks
from fwsvm.kernels.column_source import write_column
from fwsvm.kernels.functions import gamma_of_variance
from fwsvm.kernels.matrix import GRAM_FEATURES, GRAM_POINTS
from fwsvm.kernels.points import Points
from fwsvm.kernels.precomputed import PrecomputedKernelMatrix
from fwsvm.machine_code import threads as threads_module
from fwsvm.problems.column_cache import SharedColumns, load

KERNELS = {
    "rbf": Kernel("rbf", 0.2),
    "poly": Kernel("poly", 0.3, 3),
    "inhomogeneous": Kernel("poly", 0.3, 3, 1.5),
    "square": Kernel("poly", 0.5, 2),
    "degree one": Kernel("poly", 2.0, 1),
    "linear": Kernel("linear"),
}
PATHS = {
    "dense-loop": 7,
    "dense-gram": GRAM_FEATURES + 6,
    "sparse-scatter": 31,
    "binary-scatter": 40,
}
SPARSE = ("sparse-scatter", "binary-scatter")
RELATIVE = {np.float32: 1e-6, np.float64: 1e-12}


def in_parts(monkeypatch):
    """Let several threads share even short columns."""
    monkeypatch.setattr(threads_module, "_LEAST_PART", 10)
    monkeypatch.setattr(threads_module, "_PART_UNIT", 8)


def make(path, m=70, seed=0):
    """Return points for which the kernel matrix has the given `path`."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, PATHS[path])) / np.sqrt(PATHS[path] / 5)
    if path in SPARSE:
        X *= rng.random(X.shape) < 0.2
        X[3:4] = 0.0
        X = sparse.csr_matrix(X)
    if path == "binary-scatter":
        X.data[:] = 1.0
    return X


def expected(kernel, X, Z=None):
    # computed from differences, since scikit-learn's own values lose digits
    if kernel.name == "rbf":
        X, Z = (A.toarray() if sparse.issparse(A) else A for A in (X, X if Z is None else Z))
        return np.exp(-kernel.gamma * cdist(X, Z, "sqeuclidean"))
    if kernel.name == "poly":
        return pairwise.polynomial_kernel(
            X, Z, degree=kernel.degree, gamma=kernel.gamma, coef0=kernel.coef0
        )
    return pairwise.linear_kernel(X, Z)


every_path = pytest.mark.parametrize("path", PATHS)
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def close(values, exact, dtype):
    """Check that values are equal up to the precision of `dtype`. The error is relative to the
    largest kernel value.
    """
    np.testing.assert_allclose(values, exact, rtol=0, atol=RELATIVE[dtype] * np.abs(exact).max())


@parametrize_pairwise(
    m=[1, 70, 1300], dtype=[np.float32, np.float64], kernel=KERNELS, path=list(PATHS)
)
def test_all_ways_to_a_kernel_value_agree_with_scikit_learn(path, kernel, dtype, m):
    """Kernel values are computed as columns, Gram matrix, diagonal, blocks and sums. With 1300
    points, every loop needs more than one tile.
    """
    X, Z = make(path, m=m), make(path, m=41, seed=1)
    matrix, exact, rng = KernelMatrix(X, kernel), expected(kernel, X), np.random.default_rng(2)
    assert (matrix.size, matrix.n_features) == X.shape and matrix.path == path
    rows, columns = rng.permutation(m)[:50], rng.permutation(m)[:1100]
    gram, column = np.full((m, m), np.nan, dtype), np.full(m, np.nan, dtype)
    matrix.gram(gram)
    close(gram, exact, dtype)
    np.testing.assert_array_equal(gram, gram.T)
    assert matrix.evaluations == m * m
    for i in rows:
        matrix.column(i, column)
        close(column, exact[i], dtype)
    close(matrix.against(columns, dtype)(rows), exact[np.ix_(rows, columns)], dtype)
    close(matrix.submatrix(rows), exact[np.ix_(rows, rows)], np.float64)
    close(matrix.diagonal(), exact.diagonal(), np.float64)
    for weights in (rng.normal(size=len(columns)), rng.normal(size=(len(columns), 3))):
        for queries, values in ((None, exact[:, columns]), (Z, expected(kernel, Z, X[columns]))):
            close(matrix.weighted_sums(columns, weights, queries), values @ weights, np.float64)
    np.testing.assert_array_equal(
        matrix.weighted_sums(columns[:0], weights[:0], Z), np.zeros((41, 3))
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_far", [0, 1, 25, 300])
def test_blocks_of_points_near_and_far_from_the_mean(n_far, dtype):
    """Far points are in pairs whose points are close together. With float32 dot products, the
    digits of their distances would cancel.
    """
    rng = np.random.default_rng(n_far)
    X = rng.normal(size=(300, 12))
    far = rng.permutation(300)[:n_far]
    X[far] += 30.0 * rng.normal(size=12)
    X[far[1::2]] = X[far[:-1:2]][: len(far[1::2])] + 0.3 * rng.normal(size=(len(far[1::2]), 12))
    kernel = Kernel("rbf", 1 / 12)
    matrix, exact = KernelMatrix(X, kernel, np.zeros(12)), expected(kernel, X)
    rows, columns = rng.permutation(300)[:200], rng.permutation(300)[:250]
    values = matrix.against(columns, dtype)(rows)
    tolerance = 3e-6 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(values, exact[np.ix_(rows, columns)], rtol=0, atol=tolerance)


@parametrize_pairwise(dtype=[np.float32, np.float64], kernel=KERNELS, path=list(PATHS))
def test_blocks_against_a_store(path, kernel, dtype):
    """Points are added one by one or all at once. They are also removed, and change their
    places.
    """
    X = make(path)
    matrix, exact = KernelMatrix(X, kernel), expected(kernel, X)
    store, kept = matrix.store(dtype, capacity=2), []
    for i in (5, 3, 60, 7, 3, 69, 0):
        store.append(matrix.points, i)
        kept.append(i)
    rows = np.array([4, 4, 3, 68, 0])

    def check():
        block = np.full((len(rows), 12), np.nan, dtype)
        store.block(matrix.points, rows, block)
        close(block[:, : store.size], exact[np.ix_(rows, kept)], dtype)
        assert np.isnan(block[:, store.size :]).all() and store.size == len(kept)

    check()
    # the last point takes the place of the removed one (in the third case, the last point itself is
    # removed)
    for place in (0, 2, 4):
        store.remove(place)
        kept[place] = kept[-1]
        kept.pop()
        check()
    store.append(matrix.points, 33)
    kept.append(33)
    check()
    kept = [9, 8, 7]
    store.fill(matrix.points, np.array(kept))
    check()


@every_kernel
def test_queries_may_come_in_the_other_storage(kernel):
    X, Z = make("dense-loop"), make("dense-loop", m=9, seed=1)
    weights = np.random.default_rng(0).normal(size=70)
    exact = expected(kernel, Z, X) @ weights
    for points, queries in (
        (X, sparse.csr_matrix(Z)),
        (sparse.csr_matrix(X), Z),
        (sparse.csr_matrix(X), sparse.csc_matrix(Z)),
    ):
        close(
            KernelMatrix(points, kernel).weighted_sums(np.arange(70), weights, queries),
            exact,
            np.float64,
        )


@parametrize_pairwise(
    gamma=[1e-6, 1.0, 1e3], scale=[1e-3, 1.0, 1e3], dtype=[np.float32, np.float64], path=list(PATHS)
)
def test_rbf_is_one_at_most_and_one_at_equal_points(path, dtype, scale, gamma):
    X = scale * make(path, m=200)
    X = sparse.vstack([X, X]).tocsr() if sparse.issparse(X) else np.vstack([X, X])
    matrix, gram = KernelMatrix(X, Kernel("rbf", gamma)), np.empty((400, 400), dtype)
    columns, places = np.empty((400, 400), dtype), np.arange(200)
    matrix.gram(gram)
    for i in range(400):
        matrix.column(i, columns[i])
    # dot products lose digits in proportion to gamma |x|^2
    lost = 1e-15 * gamma * matrix.points.squared_norms.max()
    for values in (gram, columns):
        assert values.max() == 1.0 and values.min() >= 0.0
        assert values[places, places + 200].min() >= 1.0 - max(lost, RELATIVE[dtype])
    if path not in SPARSE:  # columns are computed from differences, so no digits are lost
        assert np.all(columns[places, places + 200] == 1.0)


@every_path
@pytest.mark.parametrize("offset", [0.0, 1e2, 1e4])
def test_points_far_from_the_origin(path, offset):
    """Dense points are centred, so an offset does not make them less accurate. Sparse points lose
    digits of their squared norms.
    """
    if path in SPARSE:
        X = sparse.csr_matrix(make("dense-loop") + offset)
        # |x|^2 is about d offset^2, and its rounding error times gamma is the relative error
        bound = {np.float32: 1e-6, np.float64: 1e-12}
        bound = {dtype: max(value, 1e-15 * 0.2 * 7 * offset**2) for dtype, value in bound.items()}
    else:
        X, bound = make(path) + offset, {np.float32: 1e-6, np.float64: 1e-11}
    dense = X.toarray() if sparse.issparse(X) else X
    exact = np.exp(-0.2 * cdist(dense - offset, dense - offset, "sqeuclidean"))
    matrix = KernelMatrix(X, KERNELS["rbf"])
    for dtype, atol in bound.items():
        gram, column = np.empty((70, 70), dtype), np.empty(70, dtype)
        matrix.gram(gram)
        matrix.column(11, column)
        np.testing.assert_allclose(gram, exact, rtol=0, atol=atol)
        np.testing.assert_allclose(column, exact[11], rtol=0, atol=atol)
    np.testing.assert_allclose(
        matrix.weighted_sums(np.arange(70), np.eye(70)), exact, rtol=0, atol=bound[np.float64]
    )


@every_kernel
def test_gram_of_a_small_dense_problem_serves_its_columns(kernel):
    X = make("dense-gram")
    matrix, exact, column = KernelMatrix(X, kernel), expected(kernel, X), np.empty(70, np.float32)
    source, used_mb = matrix.column_source(np.float32, room_mb=1.0)
    assert used_mb == pytest.approx(70 * 70 * 4e-6)
    assert source.arrays["matrix"].shape == (70, 70)
    source.fill(13, column)
    close(column, exact[13], np.float32)
    assert matrix.evaluations == 70 * 70
    source, used_mb = matrix.column_source(np.float32, room_mb=0.01)
    assert (used_mb, "matrix" in source.arrays) == (source.arrays["features"].nbytes / 1e6, False)
    assert KernelMatrix(np.zeros((GRAM_POINTS + 1, 30)), kernel).path == "dense-loop"


@every_kernel
# With the factor 0.01, the blocks of the RBF kernel are computed in float32. With the factor 50,
# they are computed in float64. The blocks of the other kernels are always computed in float32.
@pytest.mark.parametrize("gamma_factor", [0.01, 1.0, 50.0])
def test_blocks_of_classes(kernel, gamma_factor, monkeypatch):
    in_parts(monkeypatch)
    kernel = dataclasses.replace(kernel, gamma=kernel.gamma * gamma_factor)
    rng = np.random.default_rng(1)
    parts = [rng.normal(size=(size, 10)) for size in (30, 45, 8)]
    points = Points(np.concatenate(parts))
    blocks = ClassBlocks(points, np.split(np.arange(83), [30, 75]), kernel)
    counts = []
    for p, q in ((0, 1), (0, 2), (1, 2)):
        X = np.concatenate([parts[p], parts[q]])
        *pair, computed = blocks.pair(p, q)
        counts.append(computed)
        matrix, exact = KernelMatrix(X, kernel), expected(kernel, X)
        matrix.class_blocks = pair
        assert matrix.path == "class-blocks"
        for dtype in (np.float32, np.float64):  # float64 columns are computed from the points
            source, _ = matrix.column_source(dtype)
            column = np.empty(len(X), dtype)
            for i in (0, len(parts[p]) - 1, len(parts[p]), len(X) - 1):
                source.fill(i, column)
                close(column, exact[i], dtype)
                shifted = source.changed(shift=0.5)
                write_column(shifted.handle(threads_module.Workers(3)), i, column)
                close(column, exact[i] + 0.5 * (np.arange(len(X)) == i), dtype)
    assert counts == [30**2 + 45**2 + 30 * 45, 8**2 + 30 * 8, 45 * 8]


@every_kernel
def test_repeated_unsorted_and_missing_entries_of_csr(kernel):
    """The CSR format allows repeated and unsorted entries, and rows and features without entries.
    If an entry is repeated, its values are added.
    """
    data, indices = np.array([1.0, 2.0, -0.5, 3.0, 1.5, 0.25]), np.array([2, 0, 2, 1, 1, 0])
    X = sparse.csr_matrix((data, indices, np.array([0, 3, 5, 6, 6])), shape=(4, 4))
    exact, matrix, gram = expected(kernel, X.toarray()), KernelMatrix(X, kernel), np.empty((4, 4))
    matrix.gram(gram)
    for values in (
        gram,
        matrix.weighted_sums(np.arange(4), np.eye(4)),
        matrix.against(np.arange(4), float)(np.arange(4)),
    ):
        close(values, exact, np.float64)
    assert X.nnz == 6  # the caller's matrix is not changed


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_average_squared_distance_is_that_of_all_pairs(storage, offset):
    X = np.random.default_rng(0).normal(size=(60, 5)) * [1.0, 2.0, 0.1, 0.0, 5.0] + offset
    brute = cdist(X, X, "sqeuclidean").mean()
    assert average_squared_distance(storage(X)) == pytest.approx(
        brute, rel=1e-12 if offset == 0.0 else 1e-6
    )
    assert average_squared_distance(storage(X[:1])) == pytest.approx(0.0, abs=1e-7)
    assert average_squared_distance(storage(X[:2])) == pytest.approx(
        np.sum((X[0] - X[1]) ** 2) / 2, rel=1e-6
    )


@pytest.mark.parametrize("share", [0.2, 1.0])
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e7, 1e9])
def test_widths_of_sparse_points_do_not_depend_on_their_distance_from_the_origin(offset, share):
    """The expected values are computed in long doubles. In the first two columns, only a `share` of
    the entries are stored.
    """
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 5)) + offset
    X[rng.uniform(size=80) > share, :2] = 0.0
    weights = rng.integers(0, 4, 80).astype(float)
    repeated = np.repeat(X, weights.astype(int), axis=0).astype(np.longdouble)
    average = 2 * float(((repeated - repeated.mean(axis=0)) ** 2).sum(axis=1).mean())
    scale = 1 / (5 * float(repeated.var()))
    # the expected values are also computed from the rounded points X
    for points in (X, sparse.csr_matrix(X)):
        found = (
            average_squared_distance(points, weights),
            gamma_of_variance("scale", points, weights),
        )
        assert found == pytest.approx((average, scale), rel=1e-10)


@pytest.mark.parametrize("n", [3, 6, 7, 10])
def test_points_of_weight_0_change_no_width(n):
    X = sparse.csr_matrix(np.vstack([np.ones((n, 2)), np.zeros((1, 2))]))
    weights = np.append(np.full(n, 0.1), 0.0)
    assert average_squared_distance(X, weights) == 0.0
    assert gamma_of_variance("scale", X, weights) == 1.0


def test_wrong_weights_of_an_average_are_named():
    X = np.random.default_rng(0).normal(size=(20, 3))
    for wrong in (np.ones(3), np.zeros(20), np.full(20, np.nan), -np.ones(20), ["a"] * 20):
        with pytest.raises(ValueError, match="weights must be"):
            average_squared_distance(X, wrong)


def test_threads_of_blas_change_no_kernel_width_and_no_centre():
    X, kernel, found = np.random.default_rng(0).normal(size=(30_000, 22)), Kernel("rbf", 0.5), []
    for threads in (1, 3):
        with threadpool_limits(threads):
            found.append(
                [
                    average_squared_distance(X),
                    gamma_of_variance("scale", X),
                    *KernelMatrix(X, kernel).center,
                ]
            )
    assert found[0] == found[1]


@given(exponent=st.integers(-300, 307))
def test_the_unit_of_point_weights_changes_no_kernel_width(exponent):
    X, copies = np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 4
    weights, repeated = copies / 3 * 10.0**exponent, np.repeat(X, copies, axis=0)
    assert average_squared_distance(X, weights) == pytest.approx(
        average_squared_distance(repeated), rel=1e-12
    )
    assert gamma_of_variance("scale", X, weights) == pytest.approx(
        1 / (4 * repeated.var()), rel=1e-12
    )


@parametrize_pairwise(
    dtype=[np.float32, np.float64],
    weighted=[False, True],
    kernel=KERNELS,
    path=[*PATHS, "precomputed"],
)
def test_dual_matrix(path, kernel, weighted, dtype, monkeypatch):
    """Compare Q with frandi2013 eq. 12 and 18: its columns, the whole matrix, restricted parts, and
    the gradient.

    The cache of columns is used for several values of C.
    """
    in_parts(monkeypatch)
    X = make("dense-loop" if path == "precomputed" else path)
    rng = np.random.default_rng(3)
    shared = SharedColumns()
    y, K = np.where(rng.random(70) < 0.4, 1.0, -1.0), expected(kernel, X)
    weights = rng.uniform(0.1, 3.0, size=70) if weighted else None
    matrix = PrecomputedKernelMatrix(K) if path == "precomputed" else KernelMatrix(X, kernel)
    for C in (0.7, 1e-3, 50.0):
        Q = np.outer(y, y) * (K + 1.0) + np.diag(1.0 / (C * (weights if weighted else np.ones(70))))
        problem = KernelProblem(matrix, y, C, weights=weights)
        column, source = np.empty(70, dtype), problem.column_source(dtype, room_mb=1.0)[0]
        cache = shared.cache(problem, 1.0, np.dtype(dtype), threads_module.Workers(3))
        for i in (0, 35, 69):
            problem.fill_column(i, column)
            close(column, Q[i], dtype)
            source.fill(i, column)
            close(column, Q[i], dtype)
            close(cache.arrays.columns[load(cache.arrays, cache.source, i, i)], Q[i], dtype)
        close(problem.diagonal, Q.diagonal(), np.float64)
        chosen, a = np.array([4, 60, 7]), np.array([0.2, 0.5, 0.3])
        close(problem.submatrix(chosen), Q[np.ix_(chosen, chosen)], np.float64)
        close(problem.gradient(chosen, a), Q[:, chosen] @ a, np.float64)
        assert (problem.size, problem.kernel_path) == (70, path)


BAD = {
    "name": ["sigmoid"],
    "gamma": [0.0, np.nan, np.inf, 10**400],
    "degree": [10**400, 2.5],
    "coef0": [-1.0, np.nan, np.inf],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD.items() for value in values]
)
def test_bad_kernel_arguments_are_named(name, value):
    with pytest.raises(ValueError, match="kernel" if name == "name" else name):
        Kernel(**{name: value})


POINTS = {"X": np.ones((2, 3)), "kernel": Kernel()}
PROBLEM = {"matrix": KernelMatrix(**POINTS), "labels": [1, -1]}
WRONG = [
    *(
        (KernelMatrix, POINTS, "X", X)
        for X in (
            np.ones(3),
            np.ones((2, 2, 2)),
            np.ones((0, 3)),
            1j * np.eye(3),
            np.eye(3, dtype=int),
        )
    ),
    (KernelMatrix, POINTS, "kernel", "rbf"),
    (KernelMatrix, POINTS, "center", np.ones(2)),
    (KernelProblem, PROBLEM, "matrix", np.eye(2)),
    *((KernelProblem, PROBLEM, "offset", offset) for offset in (np.nan, np.inf, -1.0, "a")),
]


@pytest.mark.parametrize(("door", "right", "name", "value"), WRONG)
def test_wrong_arguments_are_named(door, right, name, value):
    with pytest.raises((TypeError, ValueError), match=f"{name} must"):
        door(**right | {name: value})


@pytest.mark.parametrize("degree", [1001, 200_000_000, 2**40])
def test_a_degree_that_would_take_for_ever_is_refused(degree):
    X, y = np.eye(4), np.arange(4) % 2
    with pytest.raises(ValueError, match="degree must be an integer from 1 to 1000, got"):
        Kernel("poly", 1.0, degree)
    with pytest.raises(ValueError, match="degree must be an integer from 1 to 1000, got"):
        FrankWolfeSVC(kernel="poly", degree=degree).fit(X, y)
    assert FrankWolfeSVC(kernel="poly", degree=1000, gamma=1.0).fit(X, y).gap_ < 1e-3


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.array([[1.0, np.nan], [2.0, 3.0]]), "NaN"),
        (np.array([[1.0, np.inf], [2.0, 3.0]]), "up to inf"),
        (np.full((2, 2), 1e200), "X"),
        (np.arange(3.0), "shape"),
        (np.array([["a", "b"]]), "numbers"),
    ],
)
def test_average_distance_of_what_are_no_points_is_refused(X, words):
    with pytest.raises(ValueError, match=words):
        average_squared_distance(X)
