"""Test that merging equal points changes neither the problem that is solved nor its certificate."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from fwsvm import FrankWolfeSVC, fit_c_path
from fwsvm.estimators import equal_points, one_versus_one
from fwsvm.estimators.equal_points import _first_equal, _keys

STORAGES = {"dense": np.asarray, "csr": sparse.csr_matrix, "float32": np.float32}


def draw(seed, m=150, n_classes=2, levels=3, d=3):
    """Return points with few distinct values. Some equal points have different labels."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (m, d)).astype(float)
    y = (X.sum(axis=1) + rng.integers(0, 2, m)).astype(int) % n_classes
    return X, y


@pytest.fixture
def merged(monkeypatch):
    """Return a list to which each fit adds the number of distinct points, or None if no points
    are merged.
    """
    found, merged_points = [], one_versus_one.merged_points

    def noted(*given):
        result = merged_points(*given)
        found.append(None if result is None else len(result.kept))
        return result

    monkeypatch.setattr(one_versus_one, "merged_points", noted)
    return found


def exact_gap(model, X, y, pair, row, kernel_values, weights):
    """Return the duality gap and the objective of a pair, in long doubles, from `dual_coef_`."""
    a = np.zeros(len(y), np.longdouble)
    a[model.support_] = np.abs(model.dual_coef_[row])
    # with two classes, the second class is positive; otherwise, the first class of a pair is
    positive = pair[len(model.classes_) == 2]
    trained = np.isin(y, pair) & (weights > 0)
    a, signs = a[trained] / a.sum(), np.where(y[trained] == positive, 1, -1)
    assert a.sum() == pytest.approx(1, abs=1e-15)
    Q = np.outer(signs, signs) * (kernel_values(X[trained]).astype(np.longdouble) + 1)
    s = Q @ a + a / (np.longdouble(model.C) * weights[trained])
    return 2 * (a @ s - s.min()), a @ s


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_certificate_holds_for_all_points(storage, kernel, n_classes, weighted, merged):
    for seed in range(4):
        X, y = draw(seed, n_classes=n_classes)
        rng = np.random.default_rng(seed)
        weights = rng.integers(0, 4, len(y)) / 3 if weighted else np.ones(len(y))
        C, eps = 10.0 ** rng.uniform(-2, 4), 10.0 ** rng.uniform(-9, -1)
        model = FrankWolfeSVC(C=C, kernel=kernel, gamma=0.3, eps=eps, coef0=1.0)
        model.fit(STORAGES[storage](X), y, weights if weighted else None)
        assert merged[-1] is not None and merged[-1] < 0.9 * len(y)
        values = {
            "rbf": lambda points: rbf_kernel(points, gamma=0.3),
            "poly": lambda points: polynomial_kernel(points, degree=2, gamma=0.3, coef0=1.0),
        }[kernel]
        for row, pair in enumerate(combinations(range(n_classes), 2)):
            gap, objective = exact_gap(model, X, y, pair, row, values, weights)
            solution = model.pair_solutions_[row]
            rounding = 1e-15 * len(y)  # that of the kernel values of this test
            assert gap <= solution.gap + rounding
            assert gap <= (solution.relative_gap + rounding) * objective
            assert objective == pytest.approx(solution.objective, rel=1e-12)
        assert model.relative_gap_ <= eps and model.stop_reason_ == "converged"


@pytest.mark.parametrize("n_classes", [2, 3])
def test_equal_points_have_equal_coefficients(n_classes, merged):
    X, y = draw(1, n_classes=n_classes)
    model = FrankWolfeSVC(gamma=0.3, C=3.0).fit(X, y)
    coefficients = np.zeros((len(model.dual_coef_), len(y)))
    coefficients[:, model.support_] = model.dual_coef_
    first = _first_equal(X, y, _keys(X, y))
    assert merged == [len(np.unique(first))]
    assert np.array_equal(coefficients, coefficients[:, first])
    # the solution of a pair has the positions among the pair's points
    for row, (p, q) in enumerate(combinations(range(n_classes), 2)):
        rows = np.arange(len(y))
        if n_classes > 2:
            rows = np.concatenate([np.flatnonzero(y == p), np.flatnonzero(y == q)])
        solution = model.pair_solutions_[row]
        assert solution.weights.sum() == pytest.approx(1.0, abs=1e-14)
        assert solution.coreset_size == len(solution.support)
        shown = np.abs(coefficients[row, rows[solution.support]])
        assert np.array_equal(shown, solution.weights)


def test_the_model_is_that_without_merging(merged, monkeypatch):
    X, y = draw(2, m=400, d=4)
    settings = dict(gamma=0.3, C=50.0, eps=1e-8)
    values = [0.1, 50.0]
    one = FrankWolfeSVC(**settings).fit(X, y)
    path = fit_c_path(FrankWolfeSVC(**settings), X, y, values)
    monkeypatch.setattr(one_versus_one, "merged_points", lambda *given: None)
    other = FrankWolfeSVC(**settings).fit(X, y)
    assert len(merged) == 2 and None not in merged
    for model in (one, path[1]):
        assert model.decision_function(X) == pytest.approx(other.decision_function(X), abs=1e-3)
        assert model.objective_ == pytest.approx(other.objective_, rel=1e-7)


def test_where_no_points_are_merged(merged):
    X, y = draw(3)
    for given in (
        dict(method="swap2o"),
        dict(method="fw", eps=0.1),
        dict(init=3),
        dict(stop="meb"),
        dict(selection="sampled_text", stop="meb"),
    ):
        FrankWolfeSVC(gamma=0.3, **given).fit(X, y)
    FrankWolfeSVC(kernel="precomputed").fit(rbf_kernel(X), y)
    FrankWolfeSVC().fit(np.random.default_rng(0).normal(size=(60, 2)), y[:60])
    few = np.vstack([X[:5], np.random.default_rng(0).normal(size=(95, 3))])  # 5 of 100 are equal
    FrankWolfeSVC().fit(few, y[:100])
    assert merged == [None] * len(merged) and len(merged) == 8


@pytest.mark.parametrize("storage", STORAGES)
def test_different_points_with_the_same_key_are_not_merged(storage, monkeypatch):
    X, y = draw(4, m=40)
    expected = [
        next(j for j in range(40) if (X[j] == X[i]).all() and y[j] == y[i]) for i in range(40)
    ]
    given = STORAGES[storage](X)
    assert list(_first_equal(given, y, _keys(given, y))) == expected
    few = STORAGES[storage](np.repeat([[1.0, 0.0, 0.0]], 40, axis=0))
    assert list(_first_equal(few, y, np.zeros(40))) == [list(y).index(label) for label in y]
    index = _first_equal(given, y, np.zeros(40))
    assert all((X[i] == X[j]).all() and y[i] == y[j] for i, j in enumerate(index))
    if storage == "dense":
        monkeypatch.setattr(equal_points, "_keys", lambda X, codes: np.zeros(len(codes)))
        with_zeros = FrankWolfeSVC(gamma=0.3, eps=1e-9).fit(X, y)
        monkeypatch.undo()
        without = FrankWolfeSVC(gamma=0.3, eps=1e-9).fit(X, y)
        assert with_zeros.objective_ == pytest.approx(without.objective_, rel=1e-8)


@pytest.mark.parametrize("light", [1e-6, 1e-10, 1e-15])
def test_a_light_point_does_not_loosen_the_certificate(light, merged):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.integers(0, 3, (60, 2)), [[5, 5]]]).astype(float)
    y, weights = np.arange(61) % 2, np.append(np.ones(60), light)
    model = FrankWolfeSVC(gamma=0.3, eps=1e-6).fit(X, y, weights)
    assert merged[-1] is not None
    assert model.stop_reason_ == "converged" and model.relative_gap_ <= 1e-6


def test_a_far_class_does_not_loosen_the_certificates_of_others(merged):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.integers(0, 3, (90, 2)), np.full((10, 2), 3000)]).astype(float)
    y = np.append(np.arange(90) % 2, np.full(10, 2))
    model = FrankWolfeSVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, eps=1e-6).fit(X, y)
    assert merged[-1] is not None and model.pair_solutions_[0].relative_gap <= 1e-6
    assert model.stop_reason_ == "converged"


def test_extreme_weights_are_not_added(merged):
    X, y = draw(5, m=60)
    FrankWolfeSVC(C=1e-25, gamma=0.3).fit(X, y)
    FrankWolfeSVC(C=1e-300, gamma=0.3).fit(X, y, np.full(60, 1e308))
    assert merged == [None, None]
    weights = np.ones(60)
    weights[0] = 1e-25
    with pytest.raises(ValueError, match="smallest weight is 1e-25"):
        FrankWolfeSVC(gamma=0.3).fit(X, y, weights)


def exact_of_two_points(model, weights, n, C):
    """Return the exact gap and the exact relative gap of a model of n points at 0 and n points at
    1, of one class each, with gamma = 1.
    """
    a, shift = np.zeros(2 * n, np.longdouble), 1 / (C * weights.astype(np.longdouble))
    a[model.support_] = np.abs(model.dual_coef_[0])
    first, second = a[:n].sum(), a[n:].sum()
    total = first + second
    near, far = np.longdouble(2.0), 1 + np.exp(np.longdouble(-1.0))
    s = shift * a + np.repeat([near * first - far * second, near * second - far * first], n)
    objective, lowest = (a @ s) / total**2, s.min() / total
    return 2 * (objective - lowest), 2 * (objective - lowest) / objective


@pytest.mark.parametrize(
    ("n", "weights", "C", "eps"),
    [
        (20_000, (0.1, 0.1), 1.0, 1e-8),  # these sums have rounding errors
        (20_000, (3e17, 2e17), 1 / 3e17, 2e-13),  # integers above 2^53 have rounding errors, too
        (30_000, (7e16, 1e17), 1 / 1e17, 1e-12),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_certificate_covers_the_rounding_of_sums_of_weights(n, weights, C, eps):
    X, y = np.repeat([[0.0], [1.0]], n, axis=0), np.repeat([0, 1], n)
    weights = np.repeat(weights, n)
    model = FrankWolfeSVC(gamma=1.0, C=C, eps=eps).fit(X, y, weights)
    gap, relative_gap = exact_of_two_points(model, weights, n, np.longdouble(C))
    assert gap <= model.gap_ and relative_gap <= model.relative_gap_
    assert model.stop_reason_ != "converged" or relative_gap <= eps


def test_small_weights_beside_one_huge_weight_are_covered():
    n = 20_001
    X, y = np.repeat([[0.0], [1.0]], n, axis=0), np.repeat([0, 1], n)
    weights = np.ones(2 * n)
    weights[0] = 2.0**53
    model = FrankWolfeSVC(gamma=1.0, C=1.0, eps=1e-7).fit(X, y, weights)
    gap, relative_gap = exact_of_two_points(model, weights, n, np.longdouble(1.0))
    assert gap <= model.gap_ and relative_gap <= model.relative_gap_ <= 1e-7


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("error")
def test_infinite_kernel_values_of_equal_points_are_refused_without_a_warning():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 3)) * 1e5, 3, axis=0)
    y = np.arange(60) // 3 % 2
    with pytest.raises(ValueError, match=r"the largest kernel value .* of X is inf"):
        FrankWolfeSVC(kernel="poly", degree=100, gamma=1.0).fit(X, y)


def test_huge_weights_and_values_of_C_do_not_overflow():
    X, y = draw(5, m=60)
    FrankWolfeSVC(C=1e-290, gamma=0.3).fit(X, y, np.full(60, 1e290))
    FrankWolfeSVC(C=1e300, gamma=0.3).fit(X, y, np.full(60, 2.0))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_points_whose_share_is_0_after_rounding_are_left_out(n_classes, merged):
    """The weights of equal points differ by so many orders of magnitude that a share underflows."""
    X = np.arange(40)[:, None] % n_classes * 1.0
    y, weights = X[:, 0].astype(int), np.ones(40)
    weights[:2] = 1e-28, 1e-29
    weights[n_classes : n_classes + 2] = 1e298, 1e297
    model = FrankWolfeSVC(kernel="linear", C=1e10).fit(X, y, sample_weight=weights)
    assert merged[-1] == n_classes
    assert model.dual_coef_.any(axis=0).all() and not {0, 1} & set(model.support_)
    np.testing.assert_array_equal(
        model.n_support_, np.bincount(y[model.support_], minlength=n_classes)
    )
    for row, solution in zip(model.dual_coef_, model.pair_solutions_, strict=True):
        assert (solution.weights > 0.0).all() and len(solution.support) == np.count_nonzero(row)
