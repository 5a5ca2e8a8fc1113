"""Test pairs of classes with few points. Each solver that can train such a pair must reach the same
certified optimum.
"""

import warnings
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from random_fits import true_gap
from scipy import sparse
from scipy.optimize import nnls
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from fwsvm import FrankWolfeSVC
from fwsvm.estimators import one_versus_one
from fwsvm.estimators.fine_solutions import solve_finely
from fwsvm.estimators.machine import fit_c_path
from fwsvm.kernels.points import Points
from fwsvm.problems.column_cache import Cache, new_slots
from fwsvm.solvers import pair_values, small_pairs
from fwsvm.solvers.block_loop import set_block
from fwsvm.solvers.pair_loops import newton_step
from fwsvm.solvers.small_pairs import Attempt, SmallPairs
from fwsvm.solvers.state import new_state

KERNELS = {
    "rbf": (dict(kernel="rbf", gamma=0.3), lambda X: rbf_kernel(X, gamma=0.3)),
    "linear": (dict(kernel="linear"), linear_kernel),
    "poly": (
        dict(kernel="poly", gamma=0.5, degree=3, coef0=1.0),
        lambda X: polynomial_kernel(X, gamma=0.5, degree=3, coef0=1.0),
    ),
}


def nothing(self, position, pairs, *given):
    """Leave all pairs to the general solver."""
    return [Attempt(None)] * len(pairs)


@pytest.fixture
def trained(monkeypatch):
    """Return a list to which each pair adds its number of points if `SmallPairs` trains it."""
    found, solve = [], SmallPairs.solve

    def noted(self, position, pairs, *given):
        attempts = solve(self, position, pairs, *given)
        for attempt, pair in zip(attempts, pairs, strict=True):
            if attempt.solution is not None:
                found.append(sum(self._values.sizes[c] for c in pair))
        return attempts

    monkeypatch.setattr(SmallPairs, "solve", noted)
    return found


@pytest.fixture
def without_newton(monkeypatch):
    """Allow no Newton steps on the active points."""

    def restricted(train, place, *given):
        return train(*given[:place], 0, *given[place + 1 :])

    for name, place in (("train_group", 14), ("train_pair", 6)):
        train = getattr(small_pairs, name)
        monkeypatch.setattr(small_pairs, name, partial(restricted, train, place))


def without_whole_matrices(monkeypatch, above=0):
    """Compute no whole matrix of a pair with more than `above` points, and take no Newton steps
    with more than `above` active points.
    """
    for module in (pair_values, small_pairs):
        monkeypatch.setattr(module, "MOST_PAIR_POINTS", above)
    monkeypatch.setattr(pair_values, "GRAM_FEATURES", np.inf)


def points(seed, n_classes, per_class, d=4, spread=1.0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_classes, d)) * 2.0
    y = np.repeat(np.arange(n_classes), per_class)
    return centres[y] + spread * rng.normal(size=(len(y), d)), y


def dual_matrix(K, y, positive, shift):
    signs = np.where(y == positive, 1.0, -1.0)
    return signs[:, None] * signs * (K + 1.0) + np.diag(np.broadcast_to(shift, len(y)))


def optimum(Q):
    """Return the minimum of a'Qa over the simplex.

    NNLS computes x = argmin |L'x|^2 + (1'x - 1)^2 over x >= 0, where Q = LL'. The minimiser a is
    proportional to x.
    """
    L = np.linalg.cholesky(Q).T
    x, _ = nnls(np.vstack([L, np.full(len(Q), 1.0)]), np.append(np.zeros(len(Q)), 1.0))
    a = x / x.sum()
    return float(a @ Q @ a)


def weights_of(model, pair, members):
    """Return the multipliers of a pair's points, from the coefficients of the model."""
    a = np.zeros(len(members))
    place = {int(row): at for at, row in enumerate(members)}
    for row, value in zip(model.support_, model.dual_coef_[pair], strict=True):
        if value:
            a[place[int(row)]] = abs(value)
    return a


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [0.05, 2.0, 500.0])
@pytest.mark.parametrize(
    "storage", ["dense", "csr", "weighted", "columns", "weighted columns", "csr columns"]
)
def test_each_pair_has_the_optimum_of_nnls(kernel, C, storage, trained, monkeypatch):
    if "columns" in storage:
        without_whole_matrices(monkeypatch)
        monkeypatch.setattr(small_pairs, "REPEATED", 1000)
    X, y = points(3, 3, 40)
    is_sparse = "csr" in storage
    X = np.where(np.abs(X) < 0.5, 0.0, X) if is_sparse else X
    has_weights = "weighted" in storage
    weights = np.random.default_rng(1).uniform(0.3, 3.0, len(y)) if has_weights else None
    options, matrix_of = KERNELS[kernel]
    model = FrankWolfeSVC(C=C, eps=1e-5, random_state=0, **options)
    model.fit(sparse.csr_matrix(X) if is_sparse else X, y, sample_weight=weights)
    assert trained == [80, 80, 80]
    K = matrix_of(X)
    for place, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        members = np.flatnonzero((y == i) | (y == j))
        shift = 1.0 / (C * (np.ones(len(y)) if weights is None else weights))[members]
        Q = dual_matrix(K[np.ix_(members, members)], y[members], i, shift)
        best = optimum(Q)
        solution = model.pair_solutions_[place]
        a = weights_of(model, place, members)
        assert a.sum() == pytest.approx(1.0, rel=1e-12)
        assert solution.objective == pytest.approx(a @ Q @ a, rel=1e-9)
        assert solution.objective - best <= solution.gap <= 1e-5 * solution.objective
        assert solution.gap >= 2.0 * (a @ Q @ a - (Q @ a).min()) * (1 - 1e-6)
        assert solution.objective_error < 1e-9 * solution.objective


@pytest.mark.parametrize("exponents", [(0, 4), (-9, -6)])
@pytest.mark.parametrize("m, d, least", [(60, 3, -1.0), (4, 20_000, 0.0)])
def test_certificates_contain_the_rounding_errors(m, d, least, exponents, trained):
    """The gap and the objective are also computed in extended precision, which shows the errors in
    the last digits.
    """
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.uniform(least, 1.0, (m, d))
        y = np.where(X[:, 0] > np.median(X[:, 0]), 1, -1)
        X *= 10.0 ** rng.integers(*exponents, (m, 1))
        C = float(rng.choice([1e-8, 1e-3, 1.0, 1e3, 1e6]))
        model = FrankWolfeSVC(kernel="linear", C=C, eps=0.1, random_state=0).fit(X, y)
        exact = X.astype(np.longdouble)
        Q = (exact @ exact.T + 1) * y[:, None] * y + np.eye(m) / np.longdouble(C)
        (solution,) = model.pair_solutions_
        objective, gap = true_gap(Q, solution.support, solution.weights)
        assert gap <= solution.gap
        assert abs(objective - solution.objective) <= solution.objective_error
    assert trained.count(m) > 5


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("d", [2, 23])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_certificates_from_columns_contain_the_rounding_errors(
    kernel, d, storage, trained, monkeypatch
):
    """Long doubles show the errors in the last digits."""
    without_whole_matrices(monkeypatch)
    monkeypatch.setattr(small_pairs, "REPEATED", 1000)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = points(seed, 3, 20, d=d)
        X = (X + rng.normal(size=d) * 10.0 ** rng.integers(0, 3)) * 10.0 ** rng.integers(-2, 2)
        gamma = 1.0 / (d * X.var(axis=0).mean())
        C = float(rng.choice([1e-8, 1e-3, 1.0, 1e3, 1e6]))
        model = FrankWolfeSVC(kernel=kernel, C=C, gamma=gamma, eps=0.1, random_state=0)
        model.fit(storage(X), y)
        exact = X.astype(np.longdouble)
        K = exact @ exact.T
        if kernel == "rbf":
            K = np.exp(-np.longdouble(gamma) * ((exact[:, None] - exact) ** 2).sum(axis=2))
        for solution, pair in zip(model.pair_solutions_, combinations(range(3), 2), strict=True):
            rows = np.isin(y, pair)
            signs = np.where(y[rows] == pair[0], 1, -1)
            Q = (K[np.ix_(rows, rows)] + 1) * signs[:, None] * signs
            Q += np.eye(rows.sum()) / np.longdouble(C)
            objective, gap = true_gap(Q, solution.support, solution.weights)
            assert gap <= solution.gap
            assert abs(objective - solution.objective) <= solution.objective_error
    assert trained.count(40) > 10


def test_columns_are_computed_when_they_are_needed(trained, monkeypatch):
    X, y = points(5, 4, 300, d=3, spread=0.25)
    model = FrankWolfeSVC(C=3.0, gamma=0.2, random_state=0).fit(X, y)
    assert trained == [600] * 6
    for solution in model.pair_solutions_:
        n_columns, rest = divmod(solution.kernel_evaluations, 600)
        assert rest == 0 and len(solution.support) <= n_columns <= solution.swap_steps + 1
        assert solution.requested_evaluations == 600 * (1 + 2 * solution.iterations)
    # three columns in memory suffice: the others are computed again
    monkeypatch.setattr(
        small_pairs._Memory, "columns", lambda self, n: self._numbers[: 3 * n].reshape(3, n)
    )
    again = FrankWolfeSVC(C=3.0, gamma=0.2, random_state=0).fit(X, y)
    assert np.array_equal(model.dual_coef_, again.dual_coef_) and model.gap_ == again.gap_
    for first, second in zip(model.pair_solutions_, again.pair_solutions_, strict=True):
        assert second.kernel_evaluations > first.kernel_evaluations


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_columns_and_threads(n_jobs, trained):
    X, y = points(5, 4, 300, d=3, spread=0.25)
    model = FrankWolfeSVC(C=3.0, gamma=0.2, random_state=0, n_jobs=n_jobs).fit(X, y)
    alone = FrankWolfeSVC(C=3.0, gamma=0.2, random_state=0).fit(X, y)
    assert trained == [600] * 12
    assert np.array_equal(alone.dual_coef_, model.dual_coef_) and alone.gap_ == model.gap_
    # in a path of C, the general solver computes each column once
    fit_c_path(FrankWolfeSVC(gamma=0.2, random_state=0, n_jobs=n_jobs), X, y, [1.0, 3.0])
    assert trained == [600] * 12


@pytest.mark.parametrize(
    "storage", ["dense", "float32", "csr", "binary", "weighted", "zero weights", "poly"]
)
def test_two_classes_in_any_order(storage, trained, monkeypatch):
    """The points of the two classes alternate at random, and one class has far fewer points."""
    monkeypatch.setattr(one_versus_one, "merged_points", lambda *given: None)
    without_whole_matrices(monkeypatch)
    monkeypatch.setattr(small_pairs, "REPEATED", 1000)
    rng = np.random.default_rng(3)
    y = np.where(rng.random(150) < 0.2, "b", "a")
    X = rng.normal(size=(150, 6)) + (y == "b")[:, None]
    if storage in ("csr", "binary"):
        X = np.where(X < 0.5, 0.0, X)
    X = (X > 0.0).astype(float) if storage == "binary" else X
    X = X.astype(np.float32) if storage == "float32" else X
    weights = None
    if "weight" in storage:
        weights = rng.uniform(0.3, 3.0, 150)
        weights[::7] *= storage == "weighted"
    options, matrix_of = KERNELS["poly" if storage == "poly" else "rbf"]
    model = FrankWolfeSVC(C=3.0, eps=1e-6, random_state=0, **options)
    given = sparse.csr_matrix(X) if storage in ("csr", "binary") else X
    model.fit(given, y, sample_weight=weights)
    kept = np.arange(150) if weights is None else np.flatnonzero(weights)
    assert trained == [len(kept)]
    shift = 1.0 / (3.0 * (np.ones(150) if weights is None else weights)[kept])
    Q = dual_matrix(matrix_of(X.astype(float)[kept]), y[kept], "b", shift)
    best = optimum(Q)
    (solution,) = model.pair_solutions_
    assert solution.objective == pytest.approx(best, rel=2e-6)
    objective, gap = true_gap(Q, solution.support, solution.weights)
    assert objective == pytest.approx(solution.objective, rel=1e-9)
    assert gap <= solution.gap * (1 + 1e-6) <= 1e-6 * objective * (1 + 1e-5)
    # the coefficients belong to the right points and have the right signs
    decision = matrix_of(np.vstack([X.astype(float), X.astype(float)[model.support_]]))
    decision = decision[:150, 150:] @ model.dual_coef_[0] + model.dual_coef_[0].sum()
    assert np.allclose(model.decision_function(given), decision, atol=1e-6)
    assert np.mean(model.predict(given) == y) > 0.75


def test_wide_points_need_little_memory(trained):
    X = sparse.random(12, 2**20, 1e-5, random_state=0, format="csr")
    FrankWolfeSVC(random_state=0).fit(X, np.arange(12) % 2)
    FrankWolfeSVC(random_state=0).fit(
        np.random.default_rng(0).normal(size=(40, 25_000)), y=[0, 1] * 20
    )
    assert trained == [12, 40]
    # ten classes of 180 points: no thread needs memory for more than a pair
    X, y = points(4, 10, 180, d=8)
    FrankWolfeSVC(gamma=0.2, random_state=0, n_jobs=4, cache_mb=50.0).fit(X, y)
    assert trained[2:] == [360] * 45


def test_points_with_many_nonzeros_are_left_to_the_general_solver(trained):
    """The mean number of nonzeros is small, but not that of the two smaller classes."""
    rng = np.random.default_rng(0)
    full = sparse.csr_matrix(rng.normal(size=(600, 400)))
    empty = sparse.random(9_000, 400, 0.01, random_state=0, format="csr")
    X = sparse.vstack([full, empty]).tocsr()
    y = np.repeat([0, 1, 2], [300, 300, 9_000])
    FrankWolfeSVC(random_state=0, time_limit=20.0).fit(X, y)
    assert not trained


def test_which_pairs_compute_columns(trained):
    X, y = points(5, 3, 300, d=3, spread=0.25)
    mixed = np.random.default_rng(0).normal(size=X.shape)  # most points become SVs
    two = y < 2
    for given, labels, n_pairs in (
        (X, y, 3),
        (mixed, y, 3),
        (sparse.csr_matrix(X), y, 3),
        (X[two], y[two], 1),
        (np.hstack([X, np.zeros((len(y), 90))]), y, 3),  # 600 (93 + 16) = 65,400
        (sparse.csr_matrix(np.hstack([X, np.ones((len(y), 91))])), y, 0),
    ):
        trained.clear()
        model = FrankWolfeSVC(gamma=0.2, random_state=0).fit(given, labels)
        assert model.stop_reason_ == "converged" and trained == [600] * n_pairs
    trained.clear()
    FrankWolfeSVC(gamma=0.2, random_state=0, cache_mb=5.0).fit(X, y)
    assert not trained


@pytest.mark.parametrize(
    ("per_class", "n_classes", "d", "cache_mb", "n_pairs"),
    [
        (512, 3, 64, 200.0, 3),
        (513, 3, 64, 200.0, 0),
        (512, 3, 63, 200.0, 0),
        (512, 2, 64, 200.0, 0),
        (300, 3, 100, 20.0, 3),
        (300, 3, 100, 15.0, 0),  # the matrices need 8.6 MB
        (250, 3, 100, 15.0, 3),  # matrices of at most 512 points need less
    ],
)
def test_more_whole_matrices_with_many_features(
    per_class, n_classes, d, cache_mb, n_pairs, trained
):
    X, y = points(2, n_classes, per_class, d=d, spread=4.0)
    gamma = 0.3 / (d * X.var())
    model = FrankWolfeSVC(gamma=gamma, random_state=0, cache_mb=cache_mb).fit(X, y)
    assert trained == [2 * per_class] * n_pairs
    for solution, (p, q) in zip(
        model.pair_solutions_, combinations(range(n_classes), 2), strict=True
    ):
        rows = np.isin(y, (p, q))
        Q = dual_matrix(rbf_kernel(X[rows], gamma=gamma), y[rows], p, 1.0)
        a = np.zeros(len(Q))
        a[solution.support] = solution.weights
        # the certified gap is an upper bound of the gap at these weights
        assert 2.0 * (a @ Q @ a - (Q @ a).min()) <= solution.gap <= 0.01 * solution.objective


def test_pairs_that_need_many_steps_are_given_up(trained, monkeypatch):
    X, y = points(5, 3, 300, d=3, spread=2.0)
    ends = []

    def noted(*given):
        ends.append((train_pair(*given), int(given[-1].count.iterations)))
        return ends[-1][0]

    train_pair = small_pairs.train_pair
    monkeypatch.setattr(small_pairs, "train_pair", noted)
    monkeypatch.setattr(small_pairs, "REPEATED", 1)
    monkeypatch.setattr(small_pairs, "VALUES_BETWEEN_CHECKS", 300 * 800)
    hard = FrankWolfeSVC(C=1e4, gamma=0.2, random_state=0).fit(X, y)
    # 2 * 300 * 800 / 600 steps are more than one step per point
    assert (False, 800) in ends and len(trained) < 3 and hard.relative_gap_ <= 0.01
    ends.clear()
    monkeypatch.setattr(small_pairs, "VALUES_BETWEEN_CHECKS", 1)
    FrankWolfeSVC(C=1e4, gamma=0.2, random_state=0).fit(X, y)
    assert (False, 600) in ends


def test_nearly_weightless_points_do_not_loosen_the_certificate(trained):
    X, y = points(1, 2, 30)
    # the first point of each class is nearly weightless
    weights = np.where(np.arange(60) % 30 == 0, 1e-9, 1.0)
    model = FrankWolfeSVC(gamma=0.3, eps=1e-7, random_state=0).fit(X, y, sample_weight=weights)
    assert trained == [60] and model.relative_gap_ <= 1e-7


def test_each_kernel_value_is_computed_once(trained, monkeypatch):
    X, y = points(5, 4, 30)
    small = FrankWolfeSVC(C=3.0, gamma=0.2, random_state=0).fit(X, y)
    assert trained == [60] * 6
    # kernel values between class 0 and three others, class 1 and two others, class 2 and class 3,
    # and within each of the four classes
    assert sum(each.kernel_evaluations for each in small.pair_solutions_) == (3 + 2 + 1 + 4) * 30**2
    monkeypatch.setattr(SmallPairs, "solve", nothing)
    general = FrankWolfeSVC(C=3.0, gamma=0.2, random_state=0).fit(X, y)
    assert trained == [60] * 6  # the second fit adds no pairs
    for first, second in zip(small.pair_solutions_, general.pair_solutions_, strict=True):
        # both solutions are certified, so the optimum is between objective - gap and objective
        assert first.objective - first.gap <= second.objective
        assert second.objective - second.gap <= first.objective
    assert np.array_equal(small.predict(X), general.predict(X))


@pytest.mark.parametrize("products", [0, 65_536])
@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_small_and_large_pairs_together(storage, products, trained, monkeypatch):
    """If `products` is 0, the general solver trains pairs with more than 90 points."""
    without_whole_matrices(monkeypatch, above=90)
    monkeypatch.setattr(pair_values, "_MOST_PRODUCTS", products)
    X, y = points(6, 4, 40, d=70)
    X, y = np.vstack([X, X[y == 2] + 0.1]), np.append(y, y[y == 2])  # class 2 now has 80 points
    order = np.random.default_rng(1).permutation(len(y))
    X, y = X[order], y[order]
    given = sparse.csr_matrix(X) if storage == "csr" else X
    model = FrankWolfeSVC(C=3.0, gamma=0.02, eps=1e-6, random_state=0).fit(given, y)
    assert sorted(trained) == [80] * 3 + [120] * (3 if products else 0)
    for solution, (p, q) in zip(model.pair_solutions_, combinations(range(4), 2), strict=True):
        rows = np.isin(y, (p, q))
        best = optimum(dual_matrix(rbf_kernel(X[rows], gamma=0.02), y[rows], p, 1 / 3))
        assert solution.objective == pytest.approx(best, rel=2e-6)


def test_a_path_of_C_is_that_of_single_fits(trained):
    X, y = points(7, 3, 25)
    values = [0.1, 10.0, 1000.0]
    path = fit_c_path(FrankWolfeSVC(gamma=0.5, random_state=0), X, y, values)
    assert trained == [50] * 9
    for C, model in zip(values, path, strict=True):
        alone = FrankWolfeSVC(C=C, gamma=0.5, random_state=0).fit(X, y)
        assert np.array_equal(alone.dual_coef_, model.dual_coef_)
        assert alone.gap_ == model.gap_


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_threads_do_not_change_the_model(n_jobs, trained):
    X, y = points(8, 6, 20)
    model = FrankWolfeSVC(C=20.0, gamma=0.5, random_state=0, n_jobs=n_jobs).fit(X, y)
    alone = FrankWolfeSVC(C=20.0, gamma=0.5, random_state=0).fit(X, y)
    assert len(trained) == 30 and np.array_equal(model.dual_coef_, alone.dual_coef_)


def test_the_general_solver_goes_on_where_few_steps_do_not_suffice(
    trained, monkeypatch, without_newton
):
    monkeypatch.setattr(small_pairs, "REPEATED", 1)
    monkeypatch.setattr(small_pairs, "VALUES_BETWEEN_CHECKS", 1)
    X, y = points(2, 2, 60, spread=2.0)
    model = FrankWolfeSVC(C=1e3, gamma=5.0, eps=1e-6, random_state=0).fit(X, y)
    assert not trained and model.stop_reason_ == "converged" and model.relative_gap_ <= 1e-6


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_kernel_values_of_a_pair_that_is_given_up_count(
    is_whole, trained, monkeypatch, without_newton
):
    monkeypatch.setattr(small_pairs, "REPEATED", 1)
    monkeypatch.setattr(small_pairs, "VALUES_BETWEEN_CHECKS", 1)
    if not is_whole:
        without_whole_matrices(monkeypatch, above=100)
    X, y = points(2, 2, 60, spread=2.0)
    model = FrankWolfeSVC(C=1e3, gamma=5.0, eps=1e-6, random_state=0)
    (both,) = model.fit(X, y).pair_solutions_
    monkeypatch.setattr(SmallPairs, "solve", nothing)
    (general,) = model.fit(X, y).pair_solutions_
    assert not trained and both.objective == general.objective
    computed = both.kernel_evaluations - general.kernel_evaluations
    requested = both.requested_evaluations - general.requested_evaluations
    if is_whole:  # the values within both classes, those between them, and the whole matrix Q
        assert computed == 3 * 60**2 and requested == 120**2
    else:  # columns of 120 values; each of the 120 steps needs two columns
        assert computed % 120 == 0 and 0 < computed <= 120**2 and requested == 120 * (1 + 2 * 120)


def test_where_the_general_solver_trains(trained):
    X, y = points(1, 2, 30)
    # the dot products of the far points lose digits
    far = np.where(np.arange(60)[:, None] < 3, 1e9, 0.0) + X
    FrankWolfeSVC(gamma=0.3, random_state=0).fit(far, y)
    FrankWolfeSVC(kernel="precomputed", random_state=0).fit(rbf_kernel(X), y)
    for given in (
        dict(column_dtype="float32"),
        dict(init=3),
        dict(certify=False),
        dict(method="swap2o"),
        dict(max_iter=100),
        dict(selection="sampled_text", stop="meb"),
    ):
        FrankWolfeSVC(gamma=0.3, random_state=0, **given).fit(X, y)
    assert not trained
    FrankWolfeSVC(gamma=0.3, random_state=0).fit(X, y)
    assert trained == [60]


def test_labels_of_a_pair_do_not_depend_on_the_order_of_points(trained):
    X, y = points(9, 3, 30)
    order = np.random.default_rng(0).permutation(len(y))
    one = FrankWolfeSVC(C=5.0, gamma=0.4, eps=1e-8, random_state=0).fit(X, y)
    other = FrankWolfeSVC(C=5.0, gamma=0.4, eps=1e-8, random_state=0).fit(X[order], y[order])
    assert np.allclose(one.decision_function(X), other.decision_function(X), atol=1e-4)
    assert trained == [60] * 6


def test_times_and_counts_contain_the_shared_kernel_values(monkeypatch):
    """Five calls compute kernel values: one within each of the three classes, one between class 0
    and the other two classes, and one between classes 1 and 2.
    """
    seconds, submatrix = 5.0, one_versus_one.KernelMatrix.submatrix
    clock = one_versus_one.time.thread_time
    passed = [0.0]

    def slow(self, *given):
        passed[0] += seconds
        return submatrix(self, *given)

    monkeypatch.setattr(one_versus_one.KernelMatrix, "submatrix", slow)
    monkeypatch.setattr(one_versus_one.time, "thread_time", lambda: clock() + passed[0])
    X, y = points(4, 3, 40)
    model = FrankWolfeSVC(gamma=0.3, random_state=0).fit(X, y)
    assert 5 * seconds <= model.fit_cpu_s_ < 6 * seconds
    parallel = FrankWolfeSVC(gamma=0.3, random_state=0, n_jobs=3).fit(X, y)
    for fitted in (model, parallel):
        assert (
            sum(each.kernel_evaluations for each in fitted.pair_solutions_) == (3 + 2 + 1) * 40**2
        )


def test_values_from_dot_products_have_larger_error_bounds(trained, monkeypatch):
    without_whole_matrices(monkeypatch)
    X, y = points(1, 2, 100)
    X = X + 30.0  # sparse points are not centred, so their dot products lose digits
    dense, csr = (
        FrankWolfeSVC(gamma=0.3, random_state=0).fit(given, y).pair_solutions_[0]
        for given in (X, sparse.csr_matrix(X))
    )
    assert trained == [200, 200]
    assert csr.objective_error > 100.0 * dense.objective_error


def test_larger_problems_of_two_classes_are_trained_here_only_if_they_are_sparse(trained):
    X, y = points(5, 2, 550, d=3, spread=0.25)
    FrankWolfeSVC(gamma=0.2, random_state=0).fit(X, y)
    assert not trained
    FrankWolfeSVC(gamma=0.2, random_state=0).fit(sparse.csr_matrix(X), y)
    assert trained == [1100]


def test_tiny_ill_conditioned_pairs_end_after_200_steps_per_point(monkeypatch):
    limits, train_group = [], small_pairs.train_group

    def noted(*given):
        limits.extend(given[12])
        return train_group(*given)

    monkeypatch.setattr(small_pairs, "train_group", noted)
    X, y = points(2, 2, 20, d=2, spread=2.0)
    model = FrankWolfeSVC(kernel="linear", C=1e6, random_state=0).fit(X, y)
    assert limits == [200 * 40] and model.relative_gap_ <= 0.01


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_pairs_of_a_class_are_trained_in_one_call(n_jobs, trained, monkeypatch):
    calls, train_group = [], small_pairs.train_group

    def noted(*given):
        calls.append((int(given[0]), given[1].tolist()))
        return train_group(*given)

    monkeypatch.setattr(small_pairs, "train_group", noted)
    X, y = points(3, 5, 20)
    together = FrankWolfeSVC(C=3.0, gamma=0.3, random_state=0, n_jobs=n_jobs).fit(X, y)
    assert sorted(calls) == [(p, list(range(p + 1, 5))) for p in range(4)]
    limited = FrankWolfeSVC(C=3.0, gamma=0.3, random_state=0, time_limit=100.0).fit(X, y)
    assert trained == [40] * 20
    assert np.array_equal(together.dual_coef_, limited.dual_coef_)
    assert together.gap_ == limited.gap_
    kernel_values = (4 + 3 + 2 + 1 + 5) * 20**2
    for model in (together, limited):
        assert sum(each.kernel_evaluations for each in model.pair_solutions_) == kernel_values


def test_a_time_limit_limits_the_steps_of_a_group(monkeypatch):
    """26 classes have 325 pairs. A limit of 20 s is far too long for them, and leads to the same
    model as no limit. A limit that is over at once leaves n steps to each pair of n points.
    """
    general, steps, train_group = [], [], small_pairs.train_group

    def noted(*given):
        train_group(*given)
        steps.extend(given[-1][:, 1].tolist())

    def solve(problem, settings, *given, **named):
        general.append(settings.time_limit)
        return solve_finely(problem, settings, *given, **named)

    monkeypatch.setattr(small_pairs, "train_group", noted)
    monkeypatch.setattr(one_versus_one, "solve_finely", solve)
    X, y = points(3, 26, 20, spread=1.5)
    free = FrankWolfeSVC(C=100.0, gamma=0.3, random_state=0).fit(X, y)
    most = max(steps)
    limited = FrankWolfeSVC(C=100.0, gamma=0.3, random_state=0, time_limit=20.0).fit(X, y)
    assert np.array_equal(free.dual_coef_, limited.dual_coef_)
    assert not general and most > 40
    steps.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        FrankWolfeSVC(C=100.0, gamma=0.3, random_state=0, time_limit=1e-9).fit(X, y)
    assert max(steps) == 40 and len(steps) == 325
    assert general and max(general) <= 1e-3  # pairs that did not converge in these steps


def test_pairs_with_columns_keep_a_short_time_limit(trained):
    """A step of these pairs can compute columns, so they are left to the general solver."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2_700, 16)), np.repeat([0, 1, 2], 900)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        FrankWolfeSVC(C=1e4, gamma=0.2, random_state=0, time_limit=1e-3).fit(X, y)
    assert not trained
    X, y = points(5, 3, 300, d=3, spread=0.25)
    FrankWolfeSVC(gamma=0.2, random_state=0, time_limit=100.0).fit(X, y)
    assert trained == [600] * 3


def test_no_pair_takes_the_time_of_its_group(monkeypatch):
    """The first pair never converges. It gets a fifth of the gradient entries of its group, and
    the general solver gets what is left of the pair's own time.
    """
    limits, steps, train_group = [], [], small_pairs.train_group

    def noted(*given):
        train_group(*given)
        steps.append(given[-1][:, 1].tolist())

    def solve(problem, settings, *given, **named):
        limits.append(settings.time_limit)
        return solve_finely(problem, settings, *given, **named)

    monkeypatch.setattr(small_pairs, "train_group", noted)
    monkeypatch.setattr(one_versus_one, "solve_finely", solve)
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), 50)
    X = rng.normal(size=(300, 3)) + 60.0 * np.eye(6)[np.maximum(y, 1)][:, :3]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        FrankWolfeSVC(C=1e12, gamma=1.0, eps=1e-9, random_state=0, time_limit=0.1).fit(X, y)
    # 0.1 s are 2,000,000 entries, and a fifth of them are 4,000 steps on 100 points
    assert 100 < steps[0][0] <= 4_000
    assert not limits or limits[0] > 0.01


def test_times_of_a_group_are_divided_among_its_pairs():
    X, y = points(3, 5, 20)
    model = FrankWolfeSVC(C=3.0, gamma=0.3, random_state=0).fit(X, y)
    seconds = sum(each.train_cpu_s for each in model.pair_solutions_)
    assert 0.0 < seconds <= model.fit_cpu_s_
    assert all(each.train_cpu_s > 0.0 for each in model.pair_solutions_)


def state_of(Q, a):
    """Return a state with the weights a, and a cache with all columns of Q."""
    n = len(Q)
    state, slots = new_state(n), new_slots(n, n)
    slots.slot_of[:] = np.arange(n)
    set_block(state, a, Q @ a, np.diag(Q).copy())
    state.real.objective = a @ Q @ a
    return state, Cache(Q.copy(), slots)


@pytest.mark.parametrize("seed", range(30))
def test_a_newton_step_goes_to_the_optimum_of_the_active_points(seed):
    """If the optimum over the active points has no weights of 0, one step reaches it. Otherwise,
    the step decreases the objective, and the weights stay in the simplex.
    """
    rng = np.random.default_rng(seed)
    n, k = 40, int(rng.integers(2, 30))
    X = rng.normal(size=(n, int(rng.integers(2, 60))))
    signs = rng.choice([-1.0, 1.0], n)
    Q = signs[:, None] * signs * (X @ X.T + 1.0) + 10.0 ** rng.uniform(-4, 1) * np.eye(n)
    active = rng.choice(n, k, replace=False)
    a = np.zeros(n)
    a[active] = rng.dirichlet(np.ones(k))
    state, cache = state_of(Q, a)
    assert newton_step(state, n, cache)
    assert state.a.min() >= 0.0 and state.a.sum() == pytest.approx(1.0, abs=1e-10)
    assert set(np.flatnonzero(state.a)) <= set(active)
    kept = set(state.active[: state.count.active_size].tolist())
    assert kept == set(np.flatnonzero(state.a).tolist())
    assert np.allclose(state.s, Q @ state.a, rtol=1e-9, atol=1e-9)
    assert state.real.objective == pytest.approx(state.a @ Q @ state.a, rel=1e-9)
    assert state.real.objective < a @ Q @ a
    free = np.linalg.solve(Q[np.ix_(active, active)], np.ones(k))
    if (free > 0.0).all():
        assert np.allclose(state.a[active], free / free.sum(), atol=1e-9)
        assert state.real.objective == pytest.approx(optimum(Q[np.ix_(active, active)]), rel=1e-8)


def test_newton_steps_shorten_the_training_of_ill_conditioned_pairs(trained, request):
    X, y = make_moons(300, noise=0.25, random_state=0)
    options = dict(C=300.0, gamma=0.5, random_state=0)
    (fast,) = FrankWolfeSVC(**options).fit(X, y).pair_solutions_
    assert trained == [300] and fast.method == "fcfw"
    request.getfixturevalue("without_newton")
    (slow,) = FrankWolfeSVC(**options).fit(X, y).pair_solutions_
    assert fast.iterations < slow.iterations / 4
    # both solutions are certified, so the optimum is between objective - gap and objective
    assert fast.objective - fast.gap <= slow.objective
    assert slow.objective - slow.gap <= fast.objective


@pytest.mark.parametrize("seed", [431, 1186, 1343, 1896, 2545])
def test_a_newton_step_that_would_increase_the_objective_changes_nothing(seed):
    """Here, leaving out all points with negative weights gives a larger objective."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 9))
    B = rng.normal(size=(k, k))
    Q = B @ B.T + 10.0 ** rng.uniform(-3, 0) * np.eye(k)
    a = rng.dirichlet(np.ones(k) * rng.choice([0.3, 1, 3]))
    state, cache = state_of(Q, a)
    assert not newton_step(state, k, cache)
    assert np.array_equal(state.a, a) and state.count.active_size == k
    assert np.array_equal(state.s, Q @ a)


def test_a_newton_step_needs_all_columns_of_active_points():
    Q = np.eye(4) + 0.1
    state, cache = state_of(Q, np.array([0.7, 0.3, 0.0, 0.0]))
    cache.slots.slot_of[1] = -1
    assert not newton_step(state, 4, cache) and state.a[0] == 0.7


def test_many_classes_need_memory_only_for_pairs_with_whole_matrices(trained):
    """A pair of classes with 300 points each has no whole matrix, so no kernel values within a
    class are stored.
    """
    members, dense = [np.empty(300)] * 40, Points(np.ones((12_000, 7)))
    given = Points(sparse.csr_matrix((12_000, 7))), members, 600, 1, 512
    assert pair_values.pair_megabytes(*given) < 10.0
    more = pair_values.pair_megabytes(dense, *given[1:]) - pair_values.pair_megabytes(*given)
    assert more == pytest.approx(8e-6 * 12_000 * 7)  # the features in the order of the classes
    one_small = [*members, np.empty(50)]
    within, between = 40 * 300**2 + 50**2, 50 * 40 * 300
    stored = 8e-6 * (within + between)
    assert stored < pair_values.pair_megabytes(given[0], one_small, 600, 1, 512) < stored + 10.0
    X, y = points(3, 12, 280)
    # the values within all classes would need more than half of the memory
    model = FrankWolfeSVC(C=3.0, gamma=0.1, cache_mb=20.0, random_state=0).fit(X, y)
    assert trained == [560] * 66 and model.relative_gap_ <= 1e-2


def test_groups_of_pairs_are_small_enough_for_the_memory(monkeypatch):
    X, y = points(3, 9, 20)
    model = FrankWolfeSVC(C=3.0, gamma=0.1, random_state=0)
    expected = model.fit(X, y).dual_coef_
    sizes, between = [], pair_values.PairValues.between

    def noted(self, pairs):
        values, computed = between(self, pairs)
        sizes.append(values.size)
        return values, computed

    monkeypatch.setattr(pair_values.PairValues, "between", noted)
    monkeypatch.setattr(small_pairs, "VALUES_BETWEEN_CHECKS", 3 * 20**2)
    np.testing.assert_allclose(model.fit(X, y).dual_coef_, expected, atol=1e-12)
    # class 0 has eight pairs, in groups of 3, 3 and 2
    assert max(sizes) == 3 * 20**2 and len(sizes) == 3 + 3 + 2 + 2 + 2 + 1 + 1 + 1
