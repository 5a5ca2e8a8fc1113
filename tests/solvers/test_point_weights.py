"""Test weights of the squared slacks, for every method and storage.

The result must be the same as with repeated points, and the same as that of an independent QP
solver.
"""

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import INITS, KERNELS, METHODS, dual_matrix, kernel_values, optimum, two_classes
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics import pairwise

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, Kernel, KernelMatrix, KernelProblem, solve

EXACT = {"stop": "relative", "eps": 1e-7, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    """Return points, labels 0 and 1, and integer weights. About a quarter of the weights are 0."""
    X, y = two_classes(1, m=60)
    return X, (y > 0).astype(int), np.random.default_rng(5).integers(0, 4, size=60)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    rows = np.arange(0, 150, 3)
    return X[rows], y[rows], np.random.default_rng(2).integers(0, 4, size=50)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_weight_counts_points(data, method, kernel):
    X, y, weights = data
    width = {"gamma": KERNELS[kernel].gamma} if kernel == "rbf" else {}
    eps = {"fw": 2e-3, "mfw": 1e-4}.get(method, 1e-7)  # these methods converge slowly
    settings = {**EXACT, "eps": eps, "kernel": kernel, "method": method, "C": 2.0, **width}
    points, signs = X.repeat(weights, axis=0), np.where(y > 0, 1.0, -1.0).repeat(weights)
    # the optimum of the QP over repeated points
    best, a = optimum(dual_matrix(points, signs, KERNELS[kernel], 2.0))
    expected = (kernel_values(KERNELS[kernel], X, points) + 1.0) @ (signs * a)
    for storage in (np.asarray, sparse.csr_matrix):
        model = FrankWolfeSVC(**settings).fit(storage(X), y, sample_weight=weights)
        assert -1e-9 * best <= model.objective_ - best <= model.gap_ + 1e-9 * best
        np.testing.assert_allclose(model.decision_function(storage(X)), expected, atol=20 * eps)
        assert weights[model.support_].min() > 0


def test_the_index_of_the_start_counts_points_without_weight(data):
    X, y, weights = data
    given = {**EXACT, "method": "swap", "max_iter": 1, "certify": False}
    start = np.flatnonzero(weights)[-1]
    assert start in FrankWolfeSVC(**given, init=start).fit(X, y, sample_weight=weights).support_
    for estimator in (
        FrankWolfeSVC(**given, init=np.argmin(weights)),
        FrankWolfeOneClass(init=np.argmin(weights)),
    ):
        with pytest.raises(ValueError, match="init="):
            estimator.fit(X, y, sample_weight=weights)


@parametrize_pairwise(
    storage=["dense", "csr"],
    method=["swap", "swap2o", "mfw", "cvm"],
    selection=["sampled_text", "sampled_libcvm"],
)
def test_sampled_coresets_keep_the_diagonal_shifts(method, selection, storage):
    """The updated objective of the coreset must be equal to the certified objective. This is so
    only if the columns have the correct diagonal.
    """
    X, y = two_classes(4, m=2500, storage=storage)
    weights = np.random.default_rng(0).choice([0.02, 1.0, 7.0], size=2500)
    problem = KernelProblem(KernelMatrix(X, KERNELS["rbf"]), y, 5.0, weights=weights)
    kept = []
    solution = solve(
        problem,
        method,
        selection=selection,
        column_dtype="float64",
        eps=1e-4,
        max_iterations=400,
        random_state=0,
        trace=True,
        callback=lambda driver: kept.append(type(driver).__name__),
    )
    assert any("Coreset" in name for name in kept)
    tolerance = 1e-3 if method == "cvm" else 1e-9  # at the end, CVM drops negligible weights
    assert solution.objective == pytest.approx(solution.trace.objective[-1], rel=tolerance)


@parametrize_pairwise(init=list(INITS), method=["auto", "cvm"])
def test_a_nearly_weightless_point_changes_next_to_nothing(init, method):
    """The point's entry on the diagonal of Q is about 1e9 / C. It must not affect the accuracy at
    the other points.
    """
    X, y = two_classes(2, m=80)
    weights = np.ones(80)
    weights[5] = 1e-9
    settings = {"C": 10.0, "gamma": 0.3, "init": init, "method": method, "random_state": 0}
    model = FrankWolfeSVC(**settings).fit(X, y, sample_weight=weights)
    assert model.stop_reason_ == "converged"
    assert model.relative_gap_ < 1e-2
    without = FrankWolfeSVC(**settings).fit(np.delete(X, 5, axis=0), np.delete(y, 5))
    assert model.objective_ == pytest.approx(without.objective_, rel=1e-2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["pfw", "swap", "swap2o", "auto"])
def test_rounding_at_a_nearly_weightless_start_is_certified(method):
    """At first, the gradient at point 0, the start, is 1e18. The steps move the weight to other
    points. This cancels all digits of the gradient at point 0.
    """
    problem = KernelProblem(
        KernelMatrix([[0.0], [1.0], [4.0]], Kernel("rbf")), [1, -1, 1], 1.0, weights=[1e-18, 1, 1]
    )
    found = solve(problem, method, init=0, column_dtype="float64")
    s = problem.gradient(found.support, found.weights)
    assert found.gap == pytest.approx(2.0 * (found.objective - s.min()), abs=1e-9)


def test_equal_weights_are_another_C(data, iris):
    for X, y, _ in (data, iris):
        plain = FrankWolfeSVC(C=6.0, random_state=0).fit(X, y)
        weighted = FrankWolfeSVC(C=2.0, random_state=0).fit(
            X, y, sample_weight=np.full(len(y), 3.0)
        )
        np.testing.assert_array_equal(weighted.n_iter_, plain.n_iter_)
        np.testing.assert_allclose(weighted.dual_coef_, plain.dual_coef_, atol=1e-12)
        huge = FrankWolfeSVC(C=6e-307, random_state=0).fit(
            X, y, sample_weight=np.full(len(y), 1e307)
        )
        np.testing.assert_allclose(huge.dual_coef_, plain.dual_coef_, atol=1e-9)
        ones = FrankWolfeSVC(C=6.0, random_state=0).fit(X, y, sample_weight=np.ones(len(y)))
        np.testing.assert_array_equal(ones.dual_coef_, plain.dual_coef_)


def test_the_rule_meb_measures_equal_weights_as_another_C(data):
    X, y, _ = data
    matrix, labels = KernelMatrix(X, KERNELS["rbf"]), np.where(y > 0, 1.0, -1.0)
    weighted = KernelProblem(matrix, labels, 2.0, weights=np.full(60, 3.0))
    # the sum of k(x, x), the offset and 1 / C
    assert weighted.largest_diagonal == pytest.approx(1.0 + 1.0 + 1.0 / 6.0)


def test_multi_class_and_given_kernel_values(iris):
    X, y, weights = iris
    settings = {**EXACT, "C": 3.0, "decision_function_shape": "ovo"}
    repeated = FrankWolfeSVC(gamma=0.4, **settings).fit(
        X.repeat(weights, axis=0), y.repeat(weights)
    )
    expected = repeated.decision_function(X)
    model = FrankWolfeSVC(gamma=0.4, **settings).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-5)
    K = pairwise.rbf_kernel(X, gamma=0.4)
    given = FrankWolfeSVC(kernel="precomputed", **settings).fit(K, y, sample_weight=weights)
    np.testing.assert_allclose(given.decision_function(K), expected, atol=1e-5)
    for fitted in (model, given):
        assert weights[fitted.support_].min() > 0
        np.testing.assert_array_equal(fitted.n_support_, np.bincount(y[fitted.support_]))
    own_width = FrankWolfeSVC(**settings).fit(X, y, sample_weight=weights).gamma_
    assert own_width == pytest.approx(
        FrankWolfeSVC(**settings).fit(X.repeat(weights, 0), y.repeat(weights)).gamma_
    )
    sparse_width = (
        FrankWolfeSVC(**settings).fit(sparse.csr_matrix(X), y, sample_weight=weights).gamma_
    )
    assert own_width == pytest.approx(sparse_width)


@pytest.mark.parametrize("names", [[0, 1, 2], ["a", "b", "c"]])
def test_class_weights_are_sample_weights(iris, names):
    X, codes, weights = iris
    X, codes, weights = X[5:], codes[5:], weights[5:]
    y, balanced = np.array(names)[codes], len(codes) / (3 * np.bincount(codes))
    weighted = np.bincount(codes, weights)
    cases = [
        ({names[0]: 5.0, names[2]: 0.5}, np.array([5.0, 1.0, 0.5]), None),
        ("balanced", balanced, None),
        ({names[1]: 2}, np.array([1.0, 2.0, 1.0]), weights),
        ("balanced", weighted.sum() / (3 * weighted), weights),
    ]
    for class_weight, of_class, given in cases:
        expected = of_class[codes] * (1 if given is None else given)
        ours = FrankWolfeSVC(class_weight=class_weight, random_state=0).fit(
            X, y, sample_weight=given
        )
        same = FrankWolfeSVC(random_state=0).fit(X, y, sample_weight=expected)
        np.testing.assert_allclose(ours.decision_function(X), same.decision_function(X), atol=1e-9)
        np.testing.assert_array_equal(ours.support_, same.support_)


@pytest.mark.parametrize(
    ("parameters", "weights"),
    [({}, np.where(np.arange(60) == 7, bad, 1.0)) for bad in (-1.0, np.nan, np.inf, 1e-30)]
    + [({}, weights) for weights in (np.zeros(60), np.repeat([0.0, 1.0], 30), np.ones(59))]
    + [
        ({"class_weight": bad}, None)
        for bad in ({0: -1.0}, {0: np.nan}, {0: 0}, {3: 2.0}, "even", 2.0)
    ],
)
def test_bad_weights_are_named(data, parameters, weights):
    """Weights must be numbers >= 0, one for each point. Every class must have a point with a
    positive weight.
    """
    X, y = data[0], np.repeat([0, 1], 30)
    with pytest.raises(ValueError, match="class_weight" if parameters else "weight"):
        FrankWolfeSVC(**parameters).fit(X, y, sample_weight=weights)
    for bad in (np.zeros(60), -np.ones(60), np.ones(3)):
        with pytest.raises(ValueError, match=r"(?i)sample.weight"):
            FrankWolfeOneClass().fit(X, sample_weight=bad)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_one_class_machine(data, kernel):
    X, _, weights = data
    K = pairwise.rbf_kernel(X, gamma=0.3)
    many = X.repeat(weights, axis=0)
    best, a = optimum(pairwise.rbf_kernel(many, gamma=0.3) + np.eye(len(many)) / 0.2)
    settings = {
        **EXACT,
        "C": 0.2,
        "kernel": kernel,
        **({} if kernel == "precomputed" else {"gamma": 0.3}),
    }
    Z = K if kernel == "precomputed" else X
    model = FrankWolfeOneClass(**settings).fit(Z, sample_weight=weights)
    assert model.offset_ == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(
        model.score_samples(Z), pairwise.rbf_kernel(X, many, gamma=0.3) @ a, atol=1e-5
    )
    assert weights[model.support_].min() > 0
    share = FrankWolfeOneClass(contamination=0.25, **settings).fit(Z, sample_weight=weights)
    outside = weights[share.predict(Z) == -1].sum() / weights.sum()
    assert abs(outside - 0.25) <= weights.max() / weights.sum()
