"""Test that the errors of float32 sums of kernel values are within their proven bound.

Certificates and predictions must be as accurate as in float64.
"""

import numpy as np
import pytest
from grids import parametrize_pairwise
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from fwsvm import FrankWolfeSVC, Kernel, KernelMatrix, KernelProblem
from fwsvm.estimators.decisions import decision_values
from fwsvm.kernels import sums as kernel_sums
from fwsvm.kernels.points import Points
from fwsvm.kernels.sums import LARGEST_ERROR, WeightedSums, float32_error
from fwsvm.machine_code.threads import Workers
from fwsvm.problems import dual


def sums_of(X, gamma, rows, weights, **how):
    matrix = KernelMatrix(X, Kernel("rbf", gamma))
    return matrix.sums(rows, weights, **how), matrix.points


def halves(X):
    return sparse.csr_matrix(np.where(X > 0, X, 0.0))


def binary(X):
    return sparse.csr_matrix((X > 0).astype(float))


@pytest.mark.parametrize("storage", [sparse.csr_matrix, halves, binary])
@given(
    seed=st.integers(0, 2**32 - 1),
    d=st.integers(1, 60),
    exponent=st.floats(-6.0, 3.5),
    spread=st.floats(0.0, 4.0),
)
def test_float32_keeps_to_its_bound(storage, seed, d, exponent, spread):
    """Each sum is a single kernel value with the weight 1. The kernel has any width, and the norms
    of the points differ by factors of up to 10^spread.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, d)) * 10.0 ** rng.uniform(-spread, 0.0, size=(60, 1))
    # pairs of near points, for which kernel values are large
    X[30:] = X[:30] + 10.0 ** rng.uniform(-4, 0) * rng.normal(size=(30, d))
    gamma, rows, X = 10.0**exponent, np.arange(20), storage(X)
    exact = np.exp(-gamma * cdist(X.toarray(), X.toarray()[rows], "sqeuclidean"))
    for own in [X, X.toarray()] if storage == sparse.csr_matrix else [X]:
        sums, points = sums_of(own, gamma, rows, np.eye(20))
        error = sums.float32_error(points)
        if error is not None:
            assert error.max() <= 1.2 * LARGEST_ERROR
            assert (np.abs(sums.of(points, np.float32) - exact) <= error).all()
            column = np.empty(60, np.float32)  # training computes its columns with other code
            for i in rows:
                KernelMatrix(own, Kernel("rbf", gamma)).column(i, column)
                assert np.abs(column - exact[:, i]).max() <= error[i]


def test_queries_of_a_binary_point_may_need_rounding():
    """In this test, all terms of a long dot product are rounded in the same direction."""
    ones = sparse.csr_matrix(np.repeat([1.0, 0.0], [15000, 45000]))
    sums, points = sums_of(ones, 1 / 15000, [0], np.ones(1))
    near, far = sums.float32_error(points), sums.float32_error(queries := Points(0.7 * ones))
    error = np.abs(sums.of(queries, np.float32) - np.exp(-0.09)).max()
    assert near < error <= far


def test_float32_is_left_where_it_proves_nothing():
    norms, t = np.array([[1.0], [3.0]]), np.linspace(-3.0, 3.0, 10001)
    largest = ((2.0 * np.sqrt(norms) + t) ** 2 * np.exp(-(t**2))).max(axis=1)
    by_hand = 1.1 * (10 + 8) / 2**24 * largest + 4e-7
    assert float32_error(Kernel("rbf", 1.0), norms[:, 0], 10) == pytest.approx(by_hand, rel=1e-6)
    # gamma |z|^2 is too large for float32
    assert float32_error(Kernel("rbf", 1e5), norms, 10) is None
    # a float32 number could overflow
    assert float32_error(Kernel("rbf", 1.0), norms, 10, largest=1e31) is None
    assert float32_error(Kernel("linear"), norms, 10) is None
    assert float32_error(Kernel("poly", 1.0, 3), norms, 10) is None


@pytest.mark.parametrize("order", [1, -1])
def test_the_longer_of_two_points_has_most_of_the_rounding_errors(order):
    both = sparse.csr_matrix(np.array([[0.5] * 50, [0.5] + [0.0] * 49]))
    stored, query = [both[0], both[1]][::order]
    sums, _ = sums_of(stored, 0.1, [0], np.ones(1))
    g = np.sqrt(square := 0.1 * stored.multiply(stored).sum()) + np.sqrt(square + 1.0)
    # rounding errors of a dot product with 50 terms, and of a sum of one value
    by_hand = 1.1 * (2 * 50 + 10) * g**2 * np.exp(-1 / g**2) / 2**53
    error = sums.errors(Points(query))
    assert by_hand < error < by_hand + 25 / 2**53


@pytest.mark.parametrize("size", [1e15, 1e30])
def test_a_query_too_large_for_float32_is_summed_in_float64(size):
    """The support vectors alone would allow float32. But norms and dot products of large queries
    overflow in float32.
    """
    rng = np.random.default_rng(0)
    Z, X = 1e15 * rng.random((20, 3)), size * (1.0 + rng.random((30, 3)))
    found = decision_values(Z, np.ones((20, 1)), Kernel("rbf", 1e-30), X, 1, signs_only=True)
    # the bias is the sum of the coefficients
    exact = np.exp(-1e-30 * cdist(X, Z, "sqeuclidean")).sum(axis=1) + 20.0
    np.testing.assert_allclose(found[:, 0], exact, rtol=1e-3)


@pytest.mark.parametrize("gamma", [1e-8, 1e-2, 1e4, 1e8])
def test_float64_at_any_width(gamma):
    """For narrow kernels, dot products would lose digits, so the distances are computed from
    differences.
    """
    X = np.random.default_rng(0).normal(size=(50, 3)) + 5.0
    X[25:] = X[:25] + 0.3 / np.sqrt(gamma)
    sums, points = sums_of(X, gamma, np.arange(50), np.eye(50))
    exact = np.exp(-gamma * cdist(X, X, "sqeuclidean"))
    np.testing.assert_allclose(sums.of(points), exact, rtol=0, atol=1e-10)


@parametrize_pairwise(
    dtype=[np.float32, np.float64],
    shape=[(), (3,)],
    storage=["dense", "float32", "thin csr", "dense csr"],
)
def test_sums_are_the_same_on_any_number_of_threads(storage, shape, dtype, monkeypatch):
    monkeypatch.setattr(kernel_sums, "_X_TILE_BYTES", 1 << 12)
    # sparse points are also split, into parts of fewer than 64 points
    monkeypatch.setattr(kernel_sums, "_CHUNK_BYTES", 1 << 12)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 40)) * (
        rng.random((700, 40)) < (0.05 if storage == "thin csr" else 0.5)
    )
    X = (
        sparse.csr_matrix(X)
        if "csr" in storage
        else X.astype(np.float32)
        if storage == "float32"
        else X
    )
    weights = rng.normal(size=(90, *shape))
    found = []
    for n_threads in (1, 2, 5):
        workers = Workers(n_threads)
        sums, points = sums_of(X, 0.02, np.arange(90), weights, workers=workers)
        found.append(sums.of(points, dtype))
        assert (workers.cpu_s > 0) == (n_threads > 1)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
    dense = X.toarray() if sparse.issparse(X) else X
    exact = np.exp(-0.02 * cdist(dense, dense[:90], "sqeuclidean")) @ weights
    np.testing.assert_allclose(found[0], exact, atol=1e-4 if dtype == np.float32 else 1e-10)


@parametrize_pairwise(
    kernel=[Kernel("rbf", 0.05), Kernel("linear"), Kernel("poly", 0.1, 3, 1.0)],
    storage=[np.asarray, sparse.csr_matrix, halves, binary],
    q=[1, 127, 128, 300, 650],
    chunk=[8 << 10, 60 << 10, 8 << 20],
)
def test_sums_at_their_own_points_use_each_kernel_value_twice(
    kernel, storage, q, chunk, monkeypatch
):
    """The chunks of points end within and at the ends of blocks of 128."""
    monkeypatch.setattr(kernel_sums, "_CHUNK_BYTES", chunk)
    rng = np.random.default_rng(q)
    X = storage(rng.normal(size=(900, 20)))
    indices = np.sort(rng.choice(900, q, replace=False))
    weights = rng.normal(size=q)
    matrix = KernelMatrix(X, kernel)
    exact = X.toarray() if sparse.issparse(X) else X
    exact = (exact - (0.0 if matrix.center is None else matrix.center)).astype(np.longdouble)
    dots = exact @ exact[indices].T
    if kernel.is_isotropic:
        squares = (exact**2).sum(axis=1)
        values = np.exp(-0.05 * (squares[:, None] + squares[indices] - 2 * dots))
    else:
        values = (0.1 * dots + 1) ** 3 if kernel.name == "poly" else dots
    expected = values @ weights
    found = []
    for n_threads in (1, 3):
        sums = matrix.sums(indices, weights, Workers(n_threads))
        found.append(sums.own())
        bound = np.broadcast_to(sums.errors(matrix.points), 900)
        assert np.all(np.abs(found[-1] - expected[indices]) <= bound[indices])
        some = np.union1d(indices, np.arange(0, 900, 7))
        assert np.all(np.abs(sums.at(matrix.points, some) - expected[some]) <= bound[some])
        assert np.array_equal(sums.at(matrix.points, some)[np.isin(some, indices)], found[-1])
    assert np.array_equal(*found)


def test_which_sums_use_each_kernel_value_twice(monkeypatch):
    def own(self):
        raise AssertionError("own")

    monkeypatch.setattr(WeightedSums, "own", own)
    X = np.random.default_rng(0).normal(size=(60, 3))
    rows = np.arange(0, 60, 2)
    for weights, where, dtype, size in (
        (np.ones((30, 2)), rows, np.float64, 1.0),  # two sums at each point
        (np.ones(30), rows[1:], np.float64, 1.0),  # one of the points is missing
        (np.ones(30), rows, np.float32, 1.0),
        (np.ones(30), rows, np.float64, 1e9),  # distances from differences
        (np.ones(30), rows[:0], np.float64, 1.0),
    ):
        sums, points = sums_of(X * size, 1.0, rows, weights)
        assert len(sums.at(points, where, dtype)) == len(where)
        assert len(sums.at(Points(X * size), where, dtype)) == len(where)  # another object
    sums, points = sums_of(X, 1.0, rows, np.ones(30))
    with pytest.raises(AssertionError, match="own"):
        sums.at(points, rows)


def problem_of(m, q, storage=np.asarray, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 6)) * (rng.random((m, 6)) < 0.7)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=m) > 0, 1.0, -1.0)
    weights = rng.random(q)
    return (
        KernelProblem(KernelMatrix(storage(X), Kernel("rbf", 0.1)), y, 5.0),
        np.arange(q) * 3,
        weights / weights.sum(),
    )


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("seed", range(5))
def test_the_smallest_gradient_is_that_of_float64(storage, seed):
    problem, indices, weights = problem_of(800, 50, storage, seed)
    exact = problem.gradient(indices, weights)
    screened, all_exact = problem.screened_gradient(indices, weights)
    assert not all_exact and screened.argmin() == exact.argmin()
    assert screened.min() == pytest.approx(exact.min(), rel=1e-13)
    np.testing.assert_allclose(screened[indices], exact[indices], rtol=1e-13)
    assert 0 < np.abs(screened - exact).max() < 1e-5
    # NaN means that training does not know the entry
    updated = np.where(np.arange(800) % 3, exact + 1e-7, np.nan)
    updated[indices] = exact[indices]
    again, _ = problem.screened_gradient(indices, weights, updated=updated)
    assert again.min() == screened.min() and (again == updated).sum() > 400
    updated[indices[7]] += 0.01  # an error of training: now none of the entries is used
    np.testing.assert_array_equal(
        problem.screened_gradient(indices, weights, updated=updated)[0], screened
    )


def test_the_smallest_gradient_is_found_if_all_errors_are_within_the_bound(monkeypatch):
    problem, indices, weights = problem_of(800, 50)
    exact = problem.gradient(indices, weights)
    lowest, second = np.argsort(exact)[:2]
    bound = 2.0 * (exact[second] - exact[lowest])
    assert not np.isin([lowest, second], indices).any()
    updated = exact + 0.99 * bound * np.where(np.arange(800) == lowest, 1.0, -1.0)
    monkeypatch.setattr(dual, "_SCREENING_SHARE", np.inf)
    monkeypatch.setattr(WeightedSums, "float32_error", lambda *_: bound)
    screened, all_exact = problem.screened_gradient(indices, weights, updated=updated)
    assert not all_exact and (screened == updated).any()
    assert (screened.argmin(), screened.min()) == (lowest, pytest.approx(exact.min(), rel=1e-13))


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predicted_labels_are_those_of_float64(n_classes, dtype):
    """This includes decision values that are closer to 0 than the errors of float32."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4)).astype(dtype)
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), np.linspace(-1, 1, n_classes - 1)).astype(
        int
    )
    model = FrankWolfeSVC(random_state=0).fit(X, y)
    if n_classes == 2:  # points on the boundary, found by bisection
        low = X[model.predict(X) == 0][:100].astype(float)
        high = X[model.predict(X) == 1][:100].astype(float)
        size = min(len(low), len(high))
        low, high = low[:size], high[:size]
        for _ in range(40):
            middle = (low + high) / 2
            is_high = model.decision_function(middle) > 0
            high[is_high], low[~is_high] = middle[is_high], middle[~is_high]
        Z = np.vstack([low, high, X]).astype(dtype)
    else:
        Z = rng.normal(size=(2000, 4)).astype(dtype)
    own = model.dual_coef_.T
    exact = decision_values(model.support_vectors_, own, model._kernel, Z)
    fast = decision_values(model.support_vectors_, own, model._kernel, Z, 2, True)
    assert np.abs(fast - exact).max() > 0  # the fast decision values were computed in float32
    np.testing.assert_array_equal(fast > 0, exact > 0)
    if n_classes == 2:
        assert np.abs(exact).min() < 1e-7
        np.testing.assert_array_equal(model.predict(Z), (exact[:, 0] > 0).astype(int))


def test_the_bound_counts_the_chunks_of_sparse_parts():
    """As a whole, the points are multiplied as dense points, but the sums at the last 400 points
    are computed as for sparse points, in smaller chunks. A bound for all points must also hold for
    these.
    """
    X = np.zeros((700, 2048))
    X[:300] = 2.0
    X[300:, 0] = 2.0
    points, rows = Points(sparse.csr_matrix(X)), np.arange(300, 700)
    sums = WeightedSums(Kernel("linear"), points, rows, np.ones(400))
    assert (sums.errors(points)[rows] >= sums.errors(points.view(rows))).all()
