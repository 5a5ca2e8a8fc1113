"""Test that no certified gap is below the exact gap, even if the points are far from the origin.

Predictions for points far from the origin must be accurate, too.
"""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from random_fits import check_fit, kernel_matrix, true_gap
from scipy import sparse
from sklearn.datasets import load_iris

from fwsvm import (
    FrankWolfeOneClass,
    FrankWolfeSVC,
    Kernel,
    KernelMatrix,
    KernelProblem,
    MatrixProblem,
    minimum_enclosing_ball,
    solve,
)
from fwsvm.kernels.points import Points

STORAGES = {"dense": np.asarray, "csr": sparse.csr_matrix, "csc": sparse.csc_matrix}


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_random_fits_have_true_certificates(first):
    """The problems have offsets up to 1e12, gamma from 1e-8 to 1e8, and all storages, kernels and
    estimators.
    """
    faults = [(number, *check_fit(number)) for number in range(first, first + 25)]
    assert [each for each in faults if each[3]] == []


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_the_relative_gap_is_a_bound_even_if_the_objective_is_lost_in_rounding(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 9, (60, int(rng.integers(2, 9)))) * 1e6
    y = np.arange(60) % 2
    model = FrankWolfeSVC(
        kernel="linear",
        C=10.0 ** rng.uniform(4, 16),
        random_state=seed,
        max_iter=int(rng.integers(50, 3000)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    exact = [[Fraction(value) for value in row] for row in X.tolist()]
    a = [Fraction(0)] * 60
    for i, value in zip(model.support_, model.dual_coef_[0], strict=True):
        a[i] = abs(Fraction(float(value)))
    total = sum(a)
    a = [value / total for value in a]
    signs = [1 if label else -1 for label in y]
    w = [sum(a[i] * signs[i] * exact[i][f] for i in range(60)) for f in range(X.shape[1])]
    bias = sum(a[i] * signs[i] for i in range(60))
    gradient = [
        signs[i] * (sum(map(lambda u, v: u * v, w, exact[i])) + bias) + a[i] / Fraction(model.C)
        for i in range(60)
    ]
    objective = sum(a[i] * gradient[i] for i in range(60))
    gap = 2 * (objective - min(gradient))
    assert float(gap / objective) <= model.relative_gap_


@pytest.mark.parametrize("seed", [17, 53])
def test_training_goes_on_if_the_relative_gap_meets_the_rule_only_without_its_error(seed):
    """The objective is smaller than its rounding error, so no gap is proven to be at most 30
    objectives.
    """
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 9, (60, int(rng.integers(2, 9)))) * 1e6
    C = 10.0 ** rng.uniform(4, 16)
    model = FrankWolfeSVC(
        "swap2o", kernel="linear", C=C, eps=30.0, random_state=seed, max_iter=3000
    )
    with pytest.warns(UserWarning, match="stopped early"):
        model.fit(X, np.arange(60) % 2)
    assert model.stop_reason_ != "converged" and model.relative_gap_ > 30.0


def test_an_objective_that_is_0_after_rounding_ends_the_training():
    X = [[10000000006890.281], [9999999987037.752], [9999999906504.488], [10000000064038.643]]
    model = FrankWolfeSVC("mfw_sparse", init="random_point", kernel="linear", random_state=7)
    with pytest.warns(UserWarning, match="stopped early"):
        model.fit(X, [1, 0, 0, 0])
    assert model.stop_reason_ in ("precision_limit", "no_progress")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float64_columns_are_advised_only_if_the_columns_are_float32(dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20)) + (1e6 if dtype == "float64" else 0.0)
    y = (X[:, 0] - X[:, 0].mean() + rng.normal(size=300) > 0) * 1
    model = FrankWolfeSVC(kernel="linear", C=1e4, eps=1e-13, column_dtype=dtype, method="swap2o")
    with pytest.warns(UserWarning, match="scale the features") as caught:
        model.fit(X, y)
    assert ("column_dtype='float64'" in str(caught[0].message)) == (dtype == "float32")


def times_and_flags(offset, m=120):
    """Return points and labels. The first column is far from the origin. In the second column,
    about half of the values are far from it. The other columns have the values 0 and 1.
    """
    rng = np.random.default_rng(5)
    X = np.column_stack([offset + rng.integers(0, 100, m), rng.integers(0, 2, (m, 4))]).astype(
        float
    )
    X[:, 1] *= offset
    y = np.where(X[:, 0] - offset + 40 * X[:, 2] > 70, 1, -1)
    return X, y


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("offset", [0.0, 1e6, 1.7e9])
def test_points_far_from_the_origin_train_as_near_ones(storage, offset):
    """All numbers are integers, so the squared distances are exact."""
    X, y = times_and_flags(offset)
    model = FrankWolfeSVC(C=10.0, gamma=1e-3, random_state=0).fit(STORAGES[storage](X), y)
    K = kernel_matrix(Kernel("rbf", 1e-3), X, X)
    signs = np.where(y == 1, 1.0, -1.0)
    solution = model.pair_solutions_[0]
    _, gap = true_gap(
        np.outer(signs, signs) * (K + 1.0) + np.eye(len(y)) / 10.0,
        solution.support,
        solution.weights,
    )
    assert solution.stop_reason == "converged" and gap <= solution.gap <= gap + 3e-8
    decisions = (K[:, model.support_] + 1.0) @ model.dual_coef_[0]
    np.testing.assert_allclose(
        model.decision_function(STORAGES[storage](X)), decisions.astype(float), atol=1e-8
    )


@pytest.mark.parametrize("selection", ["full", "sampled_text"])
@pytest.mark.parametrize("method", ["swap2o", "fcfw", "cvm", "mfw_sparse"])
def test_every_method_computes_far_sparse_columns_from_differences(method, selection):
    if selection != "full" and method in ("fcfw", "mfw_sparse"):
        pytest.skip("needs all points")
    X, y = times_and_flags(1e9)
    given = {"init": "random_point"} if method == "mfw_sparse" else {}
    given |= {"stop": "relative", "eps": 1e-2, "selection": selection, "random_state": 0}
    near, far = (
        solve(KernelProblem(KernelMatrix(points, Kernel("rbf", 1e-3)), y, 10.0), method, **given)
        for points in (X, sparse.csr_matrix(X))
    )
    assert far.stop_reason == near.stop_reason
    assert far.objective == pytest.approx(near.objective, abs=near.gap + far.gap)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [3, 40])
@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_kernel_values_of_far_points(storage, n_features, dtype):
    """Two groups of points are 2e9 apart, so that no centre is near both groups.

    All functions that compute kernel values must give the same values.
    """
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (40, n_features)) + np.where(np.arange(40) < 20, -1e9, 1e9)[:, None]
    X[::5] = rng.integers(0, 3, (8, n_features))  # some points near the origin
    kernel = Kernel("rbf", 0.1)
    exact = kernel_matrix(kernel, X, X).astype(float)
    matrix, rows = KernelMatrix(STORAGES[storage](X), kernel), np.arange(40)
    part = matrix.restricted_to(np.arange(5, 40))
    column, gram = np.empty(40, dtype), np.empty((40, 40), dtype)
    matrix.gram(gram)
    store = part.store(dtype)
    for i in range(35):
        store.append(part.points, i)
    store.remove(3)
    block = np.empty((35, 64), dtype)
    store.block(part.points, np.arange(35), block)
    places = [*range(3), 34, *range(4, 34)]
    close = {"rtol": 0.0, "atol": 2e-6}
    np.testing.assert_allclose(block[:, :34], exact[5:, 5:][:, places], **close)
    np.testing.assert_allclose(gram, exact, **close)
    np.testing.assert_allclose(matrix.against(rows, dtype)(rows), exact, **close)
    np.testing.assert_allclose(matrix.submatrix(rows), exact, **close)
    np.testing.assert_allclose(matrix.weighted_sums(rows, np.eye(40)), exact, **close)
    np.testing.assert_allclose(matrix.weighted_sums(rows, np.eye(40), X), exact, **close)
    for i in (0, 7, 25):
        matrix.column(i, column)
        np.testing.assert_allclose(column, exact[i], **close)


def test_errors_of_high_powers_are_within_their_bound():
    """The rounding error of the base counts 300 times, because the degree is 300."""
    X, rows = 1.0 + np.random.default_rng(0).random((20, 3)), np.arange(20)
    kernel = Kernel("poly", 0.15, 300)
    matrix = KernelMatrix(X, kernel)
    errors = np.abs(matrix.weighted_sums(rows, np.eye(20)) - kernel_matrix(kernel, X, X))
    assert (errors <= matrix.sum_errors(rows, np.eye(20))).all()


def test_errors_of_the_bias_are_within_their_bound():
    """The kernel values are so small that all rounding errors come from the bias."""
    rng = np.random.default_rng(0)
    labels, used = np.where(np.arange(30) % 3 == 0, 1.0, -1.0), np.arange(20)
    problem = KernelProblem(KernelMatrix(1e-30 * rng.random((30, 2)), Kernel("linear")), labels)
    for _ in range(20):
        weights = rng.dirichlet(np.ones(20))
        bias = sum(Fraction(a) * int(y) for a, y in zip(weights, labels, strict=False))
        shifts = [Fraction(a) for a in weights] + 10 * [Fraction(0)]
        exact = [int(y) * bias + shift for y, shift in zip(labels, shifts, strict=True)]
        found = map(Fraction, problem.gradient(used, weights))
        errors = [abs(one - other) for one, other in zip(found, exact, strict=True)]
        assert (np.array(errors, float) <= problem.gradient_errors(used, weights)).all()


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
def test_a_ball_far_from_the_origin_encloses_its_points(storage, offset):
    X = np.random.default_rng(2).integers(-8, 9, (60, 3)) / 8.0 + offset
    X[:, 2] *= np.arange(60) % 3 != 0 if offset == 0.0 else 1.0
    ball = minimum_enclosing_ball(STORAGES[storage](X), random_state=0)
    distances = np.sqrt(((X.astype(np.longdouble) - ball.center) ** 2).sum(axis=1))
    assert ball.solution.stop_reason == "converged"
    assert distances.max() <= ball.radius <= distances.max() * (1.0 + 1e-5) + 1e-15 * offset
    centred = minimum_enclosing_ball(X - offset, eps=1e-9, random_state=0)
    assert ball.lower_bound <= centred.radius and ball.radius <= centred.radius * (1.0 + 1e-5)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_what_rounding_errors_hide_is_not_certified(kernel):
    """Far from the origin, the linear kernel loses the digits in which the classes differ."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) + 1e7
    y = X[:, 0] > 1e7
    with pytest.warns(UserWarning, match="precision_limit"):
        model = FrankWolfeSVC(
            kernel=kernel, gamma=1e-7, C=1e6, random_state=0, max_iter=50_000
        ).fit(X, y)
    K = kernel_matrix(Kernel(kernel, model.gamma_, 2), X, X)
    signs, solution = np.where(y, 1.0, -1.0), model.pair_solutions_[0]
    _, gap = true_gap(
        np.outer(signs, signs) * (K + 1.0) + np.eye(80) / 1e6, solution.support, solution.weights
    )
    assert solution.gap >= gap and solution.objective >= 0.0


def test_outliers_are_found_far_from_the_origin():
    X, _ = times_and_flags(1e9)
    dense, far = (
        FrankWolfeOneClass(C=0.5, gamma=1e-3, random_state=0).fit(points)
        for points in (X, sparse.csr_array(X))
    )
    assert dense.stop_reason_ == far.stop_reason_ == "converged"
    np.testing.assert_allclose(
        far.score_samples(sparse.csr_array(X)), dense.score_samples(X), atol=2e-3 * dense.offset_
    )


def test_points_near_the_origin_are_computed_from_dot_products():
    """Differences of sparse points take longer to compute. They must not be used if dot products
    are accurate enough.
    """
    X = sparse.random(200, 300, 0.1, format="csr", random_state=0)
    assert Points(X).squared_norms.max() < Points(X).largest_norm(Kernel("rbf", 10.0))


@pytest.mark.parametrize(
    "m, n_features, kernel, C", [(150, 4, "linear", 1e6), (1500, 8, "poly", 1e5)]
)
def test_an_objective_too_small_for_float32_is_resolved(m, n_features, kernel, C):
    """The errors of float32 columns are larger than these objectives, so steps that use such
    columns make no progress. The problem with iris is so small that all its columns are float64.
    """
    if m == 150:
        X, y = load_iris(return_X_y=True)
        y = y == 1
    else:
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(m, n_features)), rng.integers(0, 2, m) == 1
    model = FrankWolfeSVC(kernel=kernel, C=C, random_state=0, max_iter=1_000_000).fit(X, y)
    solution, signs = model.pair_solutions_[0], np.where(y, 1.0, -1.0)
    K = kernel_matrix(Kernel(kernel, model.gamma_, 2), X, X)
    _, gap = true_gap(
        np.outer(signs, signs) * (K + 1.0) + np.eye(m) / C, solution.support, solution.weights
    )
    assert solution.stop_reason == "converged"
    assert m == 150 or solution.column_dtype == "float64"
    assert gap <= solution.gap <= 1e-3 * solution.objective


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(12))
def test_the_mean_of_an_asymmetric_matrix_is_certified(seed, dtype):
    """The mean of K and its transpose is the unit matrix, but K itself has entries that are larger
    by many orders of magnitude. One large diagonal entry makes this asymmetry allowed.
    """
    rng = np.random.default_rng(seed)
    large = 1e12 if dtype == np.float32 else 1e13
    skew = np.triu(rng.normal(size=(5, 5)), 1).astype(dtype) * dtype(large)
    K = np.zeros((6, 6), dtype)
    K[:5, :5] = np.eye(5, dtype=dtype) + skew - skew.T
    K[5, 5] = 1e6 * large if dtype == np.float32 else 1e9 * large
    y = np.array([0, 1, 0, 1, 0, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FrankWolfeSVC(kernel="precomputed", C=10.0, eps=1e-3).fit(K, y)
    exact = [
        [(Fraction(float(K[i, j])) + Fraction(float(K[j, i]))) / 2 for j in range(6)]
        for i in range(6)
    ]
    signs = [1 if label else -1 for label in y]
    a = [Fraction(0)] * 6
    for i, value in zip(model.support_, model.dual_coef_[0], strict=True):
        a[i] = abs(Fraction(float(value)))
    total = sum(a)
    s = [
        sum(
            (signs[i] * signs[j] * (exact[i][j] + 1) + (Fraction(1, 10) if i == j else 0)) * a[j]
            for j in range(6)
        )
        / total
        for i in range(6)
    ]
    objective = sum(a[i] * s[i] for i in range(6)) / total
    gap = 2 * (objective - min(s))
    assert gap <= model.gap_ and gap / objective <= model.relative_gap_
    assert model.stop_reason_ != "converged" or gap / objective <= 1e-3


@pytest.mark.parametrize("gamma", [1.01e300, 9.1e307])
def test_a_gamma_whose_products_overflow_is_refused(gamma):
    X = sparse.csr_matrix([[0.0, 0.0], [1e-140, 0.0], [0.0, 3e-140]])
    with pytest.raises(ValueError, match=r"gamma must be .* at most 1e\+300"):
        FrankWolfeSVC(gamma=gamma).fit(X, [0, 1, 1])
    model = FrankWolfeSVC(gamma=1e300).fit(X, [0, 1, 1])  # all kernel values are 1 or 0
    assert model.stop_reason_ == "converged"


def exact_certificate(K, solution, shift=0):
    """Return the exact objective and the exact gap of a solution for a matrix K of Fractions."""
    a = [Fraction(0)] * len(K)
    for i, value in zip(solution.support.tolist(), solution.weights.tolist(), strict=True):
        a[i] = Fraction(value)
    total = sum(a)
    a = [each / total for each in a]
    s = [sum(k * w for k, w in zip(row, a, strict=True) if w) for row in K]
    s = [each + shift * w for each, w in zip(s, a, strict=True)]
    objective = sum(each * w for each, w in zip(s, a, strict=True))
    return objective, 2 * (objective - min(s))


def check_certificate(solution, K, eps, shift=0):
    objective, gap = exact_certificate(K, solution, shift)
    assert gap <= Fraction(solution.gap)
    if solution.relative_gap < np.inf:
        assert gap <= Fraction(solution.relative_gap) * objective
    assert solution.stop_reason != "converged" or gap <= Fraction(eps) * objective


def tiny_points(scale, others, seed=0):
    """Return points with norms of about `scale`, and one point with features of the size `others`,
    which keeps X from being refused.
    """
    X = np.random.default_rng(seed).normal(size=(9, 4))
    X[:, 0] = 3.0 + 0.1 * X[:, 0]
    return np.vstack([X * scale, np.full((1, 4), others)])


def fractions_of(kernel, X):
    rows = [[Fraction(value) for value in row] for row in X.tolist()]
    gamma, coef0 = Fraction(kernel.gamma), Fraction(kernel.coef0)
    dots = [[sum(u * v for u, v in zip(x, z, strict=True)) for z in rows] for x in rows]
    if kernel.name == "linear":
        return dots
    return [[(gamma * dot + coef0) ** kernel.degree for dot in row] for row in dots]


@pytest.mark.parametrize("eps", [1e-2, 1e-9])
@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize("C", [np.inf, 1e35])
@pytest.mark.parametrize(
    ("kernel", "scale", "others"),
    [
        (Kernel("linear"), 2e-162, 3.0),
        (Kernel("linear"), 1e-159, 1e-3),
        (Kernel("poly", 8e299, 1), 2e-160, 1e-139),
        (Kernel("poly", 1e270, 2), 3e-161, 1e-138),
        (Kernel("poly", 3e283, 3, 1e-20), 1e-160, 1e-138),
        (Kernel("poly", 2e-320, 1), 1e-4, 0.1),
        (Kernel("poly", 5e-4, 110), 1.0, 1.0),
    ],
)
def test_underflow_of_kernel_values_does_not_make_a_gap_too_small(
    kernel, scale, others, C, storage, eps
):
    """The products of features underflow, and gamma or other points make these errors larger."""
    for offset in (0.0, 1e-290):
        X = tiny_points(scale, others)
        matrix = KernelMatrix(STORAGES[storage](X), kernel)
        problem = KernelProblem(matrix, np.ones(len(X)), C, offset=offset)
        solution = solve(problem, stop="relative", eps=eps, random_state=0)
        K = [[each + Fraction(offset) for each in row] for row in fractions_of(kernel, X)]
        check_certificate(solution, K, eps, 1 / Fraction(C) if np.isfinite(C) else 0)


@pytest.mark.parametrize("scale", [1e-280, 1e-307, 2e-317, 3e-321])
def test_underflow_of_given_values_does_not_make_a_gap_too_small(scale):
    X = tiny_points(1.0, 2.0)[:-1]
    Q = X @ X.T * scale
    exact = [[Fraction(value) for value in row] for row in Q.tolist()]
    given = {"stop": "relative", "eps": 1e-6, "random_state": 0}
    check_certificate(solve(MatrixProblem(Q), "swap2o", **given), exact, 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FrankWolfeOneClass(kernel="precomputed", C=np.inf, eps=1e-6).fit(Q)
    check_certificate(model.solution_, exact, 1e-6)


@pytest.mark.parametrize("C", [1e298, 1.7e308])
def test_underflow_of_1_over_c_does_not_make_a_gap_too_small(C):
    weights = np.random.default_rng(2).uniform(0.3, 1.0, 7)
    matrix = KernelMatrix(np.zeros((7, 2)), Kernel("linear"))
    solution = solve(KernelProblem(matrix, np.ones(7), C, 0.0, weights), stop="relative", eps=1e-6)
    shifts = [1 / (Fraction(C) * Fraction(weight)) for weight in weights.tolist()]
    K = [[shifts[i] if i == j else Fraction(0) for j in range(7)] for i in range(7)]
    check_certificate(solution, K, 1e-6)


def test_the_bound_holds_if_gamma_makes_the_underflow_of_one_point_large():
    """The squares of the first point underflow, but its kernel value with the second point does
    not.
    """
    X = np.array([[1.3e-163, 1.7e-162, 0.9e-162], [3.1e-137, 7.7e-137, 1.9e-137]])
    matrix = KernelMatrix(X, Kernel("poly", 1e300, 1))
    K = fractions_of(matrix.kernel, X)
    for j in range(2):
        used, weights = np.array([j]), np.ones(1)
        found = matrix.weighted_sums(used, weights)
        errors = [abs(Fraction(found[i]) - K[i][j]) for i in range(2)]
        bounds = map(Fraction, matrix.sum_errors(used, weights))
        assert all(error <= bound for error, bound in zip(errors, bounds, strict=True))


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("kernel", ["linear", "poly", "precomputed"])
def test_an_optimum_of_exactly_0_has_the_relative_gap_0(kernel, storage):
    """Some points have only zeros, so the minimum of a'Ka is exactly 0."""
    rng = np.random.default_rng(1)
    counts = rng.poisson(0.7, (30, 5)).astype(float)
    counts[[4, 17]] = 0.0
    X = counts @ counts.T if kernel == "precomputed" else STORAGES[storage](counts)
    if sparse.issparse(X):
        X.data[:2] = 0.0  # zeros that are stored
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FrankWolfeOneClass(kernel=kernel, C=np.inf, gamma=1.0).fit(X)
    found = model.stop_reason_, model.objective_, model.gap_, model.relative_gap_
    assert found == ("converged", 0.0, 0.0, 0.0)
    assert counts[model.support_].sum() == 0.0


def test_only_points_of_zeros_have_exact_kernel_values():
    X = np.array([[0.0, 0.0], [1e-200, 0.0], [5e-324, 0.0], [1.0, 0.0]])
    for storage in STORAGES:
        bounds = Points(sparse.csr_matrix(X) if storage != "dense" else X).squared_norm_bounds
        assert (bounds > 0.0).tolist() == [False, True, True, True] and bounds[3] == 1.0
