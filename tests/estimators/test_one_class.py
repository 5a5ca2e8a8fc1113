"""Test FrankWolfeOneClass with the checks of scikit-learn and with an independent QP solver."""

import numpy as np
import pytest
from qp_oracles import KERNELS, METHODS, kernel_values, optimum
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise
from sklearn.utils.estimator_checks import parametrize_with_checks

from fwsvm import FrankWolfeOneClass


@parametrize_with_checks(
    [FrankWolfeOneClass(), FrankWolfeOneClass(method="cvm", contamination=0.1, eps=1e-8)]
)
def test_sklearn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).normal(size=(120, 4))


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_optimum_and_threshold_are_those_of_nnls(points, kernel, storage):
    X, C = points + 0.5, 0.2
    of_kernel = {"kernel": kernel.name, "gamma": kernel.gamma, "coef0": kernel.coef0}
    model = FrankWolfeOneClass(C, **of_kernel, stop="relative", eps=1e-9, random_state=0)
    model.fit(storage(X))
    K = kernel_values(kernel, X)
    rho, a = optimum(K + np.eye(len(X)) / C)
    assert model.offset_ == pytest.approx(rho, rel=1e-8)
    found = np.zeros(len(X))
    found[model.support_] = model.dual_coef_[0]
    np.testing.assert_allclose(found, a, atol=1e-6)
    np.testing.assert_allclose(model.score_samples(storage(X)), K @ a, atol=1e-6 * K.max())
    given = FrankWolfeOneClass(
        C, kernel="precomputed", stop="relative", eps=1e-9, random_state=0
    ).fit(K)
    assert given.offset_ == pytest.approx(rho, rel=1e-8)
    np.testing.assert_allclose(given.score_samples(K), K @ a, atol=1e-6 * K.max())
    # tsang2005: rho = w'phi(x_i) + a_i / C for every support vector, so the support vectors are the
    # outliers of the training set
    inside = a > 1e-6
    np.testing.assert_allclose((K @ a + a / C)[inside], rho, rtol=1e-6)
    outside = model.predict(storage(X)) == -1
    np.testing.assert_array_equal(np.flatnonzero(outside), np.flatnonzero(inside))


@pytest.mark.parametrize("selection", ["full", "sampled_text", "sampled_libcvm"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_and_selection_trains_it(points, method, selection):
    settings = dict(method=method, selection=selection, gamma=0.25, eps=1e-4, C=5.0, random_state=1)
    model = FrankWolfeOneClass(**settings).fit(points)
    rho, _ = optimum(pairwise.rbf_kernel(points, gamma=0.25) + np.eye(len(points)) / 5.0)
    assert -1e-9 <= model.objective_ - rho <= model.gap_ + 1e-9
    if selection == "full":
        assert model.stop_reason_ == "converged"
    again = FrankWolfeOneClass(**settings).fit(points)
    np.testing.assert_array_equal(model.dual_coef_, again.dual_coef_)


def test_share_of_outliers_classes_and_limits(points):
    model = FrankWolfeOneClass(contamination=0.1, random_state=0).fit(points)
    assert np.count_nonzero(model.predict(points) == -1) == 12
    with pytest.raises(ValueError, match="both classes"):
        FrankWolfeOneClass(init="closest_opposite_pair").fit(points)
    with pytest.warns(ConvergenceWarning, match="iteration_limit"):
        FrankWolfeOneClass(max_iter=1, eps=1e-9).fit(points)


def test_points_with_the_same_score_are_on_one_side_of_the_threshold():
    """If all points are equal, none of them is an outlier, whatever share of outliers is requested.

    If four of ten points are equal outliers, their share is 40 %, although only 30 % are requested.
    """
    for share in (0.05, 0.5):
        assert set(
            FrankWolfeOneClass(contamination=share).fit(np.ones((20, 2))).predict(np.ones((20, 2)))
        ) == {1}
    X = np.array([[0.0, 0.0]] * 6 + [[9.0, 9.0]] * 4)
    model = FrankWolfeOneClass(contamination=0.3, gamma=0.5).fit(X)
    assert model.predict(X).tolist() == [1] * 6 + [-1] * 4
