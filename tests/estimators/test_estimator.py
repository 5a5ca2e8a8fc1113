"""Test FrankWolfeSVC: the checks of scikit-learn, the parameters, and the fitted attributes. The
attributes are also computed here from their definitions.
"""

import pickle

import numpy as np
import pytest
from qp_oracles import kernel_values
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import (
    check_classifiers_train,
    check_fit_idempotent,
    check_methods_sample_order_invariance,
    parametrize_with_checks,
)

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, Kernel, average_squared_distance, fit_c_path
from fwsvm.estimators.machine import KernelMachine


@parametrize_with_checks([FrankWolfeSVC(), FrankWolfeSVC(class_weight="balanced")])
def test_sklearn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("weight", [1.0, 1e-8])
@pytest.mark.parametrize("m", [60, 200])  # problems with up to 100 points are solved nearly exactly
def test_an_indefinite_kernel_is_named(m, weight):
    X, weights = np.random.default_rng(0).normal(size=(m, 3)), np.ones(m)
    weights[0] = weight
    model = FrankWolfeSVC(kernel="precomputed", C=10, random_state=0)
    with pytest.warns(ConvergenceWarning, match="not positive semidefinite"):
        model.fit(np.tanh(2 * X @ X.T - 1), X[:, 0] > 0, weights)
        # the best length of the first step is 0
        stuck = FrankWolfeSVC("fw", kernel="precomputed", init=0)
        stuck.fit([[1, 1.5, -5], [1.5, -1, -5], [-5, -5, 5.0]], [1, 1, 0])
    assert model.stop_reason_ == "not_positive_semidefinite" and np.all(stuck.dual_coef_ != 0)


@pytest.mark.parametrize("method", ["cvm", "mfw"])
@pytest.mark.parametrize(
    "check", [check_fit_idempotent, check_methods_sample_order_invariance, check_classifiers_train]
)
def test_sklearn_contract_where_the_method_matters(method, check):
    """Only these checks depend on the method. Most other checks are about parameters, input and
    attributes, which all methods share.
    """
    check("FrankWolfeSVC", FrankWolfeSVC(method=method))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("coef0", [0.0, 0.7, 50.0])
def test_the_constant_of_the_polynomial(iris, coef0, storage, dtype):
    """The model must be equal to the one with scikit-learn's kernel values. The certificate and the
    predictions for new points are also compared.
    """
    X, y = iris[0].astype(dtype), iris[1]
    settings = {"C": 3.0, "eps": 1e-6, "random_state": 0, "decision_function_shape": "ovo"}
    model = FrankWolfeSVC(kernel="poly", degree=3, gamma=0.1, coef0=coef0, **settings).fit(
        storage(X[::2]), y[::2]
    )
    K = polynomial_kernel(X.astype(np.float64), degree=3, gamma=0.1, coef0=coef0)
    given = FrankWolfeSVC(kernel="precomputed", **settings).fit(K[::2, ::2], y[::2])
    assert abs(model.objective_ - given.objective_) <= 3 * (model.gap_ + given.gap_)
    assert max(model.relative_gap_, given.relative_gap_) <= 1e-6
    expected = K[:, ::2][:, model.support_] @ model.dual_coef_.T + model.intercept_
    np.testing.assert_allclose(
        model.decision_function(storage(X)), expected, atol=1e-6 * np.abs(expected).max()
    )
    one_class = FrankWolfeOneClass(
        kernel="poly", degree=3, gamma=0.1, coef0=coef0, C=1.0, random_state=0
    ).fit(X)
    scores = K[:, one_class.support_] @ one_class.dual_coef_[0]
    np.testing.assert_allclose(one_class.score_samples(X), scores, rtol=1e-6)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_fitted_attributes_reproduce_the_decision_function(binary, iris, kernel, storage):
    for X, y in (binary, iris):
        model = FrankWolfeSVC(
            kernel=kernel,
            C=5.0,
            stop="relative",
            eps=1e-4,
            decision_function_shape="ovo",
            random_state=0,
        ).fit(storage(X), y)
        n_pairs = {2: 1, 3: 3}[len(model.classes_)]
        support_vectors = model.support_vectors_
        assert sparse.issparse(support_vectors) == (storage is sparse.csr_matrix)
        dense = support_vectors.toarray() if sparse.issparse(support_vectors) else support_vectors
        np.testing.assert_array_equal(dense, X[model.support_])
        assert model.dual_coef_.shape == (n_pairs, len(model.support_))
        K = kernel_values(Kernel(model.kernel, model.gamma_ or 1.0, model.degree), X, dense)
        by_hand = K @ model.dual_coef_.T + model.intercept_
        np.testing.assert_allclose(
            model.decision_function(storage(X)),
            by_hand[:, 0] if n_pairs == 1 else by_hand,
            atol=1e-10 * np.abs(K).max(),
        )
        np.testing.assert_allclose(model.intercept_, model.dual_coef_.sum(axis=1), atol=1e-15)
        np.testing.assert_allclose(np.abs(model.dual_coef_).sum(axis=1), 1.0)
        assert np.all(np.any(model.dual_coef_ != 0, axis=0))
        assert (model.stop_reason_, model.relative_gap_ <= 1e-4) == ("converged", True)
        assert model.n_iter_.shape == (n_pairs,) and model.n_iter_.min() > 0


def test_width_rules(binary, iris):
    X, y = binary
    beta, far = average_squared_distance(X), np.vstack([X, X[:1] + 1e6])
    for parameters, gamma in (
        ({"sigma2": "average"}, 0.5 / beta),
        ({}, SVC().fit(X, y)._gamma),
        ({"sigma2": 4.0}, 0.125),
        ({"gamma": 0.3}, 0.3),
        ({"kernel": "poly", "gamma": None}, 1.0 / beta),
        ({"kernel": "poly", "sigma2": 4.0}, 0.25),
        ({"kernel": "poly", "gamma": 0.3}, 0.3),
        *(({"gamma": rule}, SVC(gamma=rule).fit(X, y)._gamma) for rule in ("scale", "auto")),
    ):
        for storage in (np.asarray, sparse.csr_matrix):
            assert FrankWolfeSVC(eps=1e-2, **parameters).fit(storage(X), y).gamma_ == pytest.approx(
                gamma, rel=1e-12
            )
            assert FrankWolfeOneClass(eps=1e-2, **parameters).fit(
                storage(X)
            ).gamma_ == pytest.approx(gamma, rel=1e-12)
        weights = np.append(np.ones(len(y)), 0.0)  # a point of weight 0 does not change gamma
        model = FrankWolfeSVC(eps=1e-2, **parameters).fit(
            far, np.append(y, y[0]), sample_weight=weights
        )
        assert model.gamma_ == pytest.approx(gamma, rel=1e-9)
    constant = FrankWolfeSVC().fit(np.ones((6, 2)), [0, 1, 1, 1, 1, 0])
    assert constant.gamma_ == 1.0 and set(constant.predict(np.ones((2, 2)))) == {1}


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_linear_machines_have_coefficients(binary, iris, storage):
    for X, y in (binary, iris):
        model = FrankWolfeSVC(kernel="linear", decision_function_shape="ovo", random_state=0).fit(
            storage(X), y
        )
        theirs = SVC(kernel="linear").fit(X, y)
        assert isinstance(model.coef_, np.ndarray) and model.coef_.shape == theirs.coef_.shape
        assert model.intercept_.shape == theirs.intercept_.shape
        by_hand = X @ model.coef_.T + model.intercept_
        decisions = model.decision_function(storage(X)).reshape(by_hand.shape)
        np.testing.assert_allclose(by_hand, decisions, atol=1e-12 * np.abs(by_hand).max())
    for other in (FrankWolfeSVC(eps=1e-2).fit(X, y), FrankWolfeSVC(kernel="linear")):
        assert not hasattr(other, "coef_")


@pytest.mark.parametrize("estimator", [FrankWolfeSVC(kernel="linear"), KernelMachine()])
@pytest.mark.parametrize("attribute", ["coef_", "n_support_"])
def test_an_attribute_before_fit(estimator, attribute):
    with pytest.raises(NotFittedError, match=f"call fit before reading {attribute}"):
        getattr(estimator, attribute)
    assert not hasattr(estimator, attribute)


def test_verbose_prints_a_line_for_every_pair(binary, iris, capsys):
    for verbose, data, pairs in ((0, iris, 0), (1, binary, 1), (2, iris, 3)):
        FrankWolfeSVC(random_state=0, verbose=verbose, n_jobs=2).fit(*data)
        assert capsys.readouterr().out.count(" converged: ") == pairs
    fit_c_path(FrankWolfeSVC(random_state=0, verbose=1), *binary, [1.0, 2.0])
    assert "C=1 converged" in capsys.readouterr().out
    FrankWolfeOneClass(random_state=0, verbose=1).fit(iris[0])
    assert "converged: " in capsys.readouterr().out


def test_binary_labels_of_any_kind(binary):
    X, y = binary
    reference = FrankWolfeSVC(random_state=0, eps=1e-3).fit(X, y)
    for names in (np.array(["yes", "no"]), np.array([7, -3]), np.array([True, False])):
        model = FrankWolfeSVC(random_state=0, eps=1e-3).fit(X, names[y])
        assert list(model.classes_) == sorted(names) and set(model.predict(X)) <= set(names)
        positive = model.decision_function(X) > 0
        np.testing.assert_array_equal(model.predict(X) == model.classes_[1], positive)
        flipped = names[1] != model.classes_[1]
        np.testing.assert_allclose(
            model.decision_function(X),
            (-1 if flipped else 1) * reference.decision_function(X),
            atol=1e-2,
        )


@pytest.mark.parametrize("method", ["mfw", "swap2o", "cvm"])
def test_sparse_input_gives_the_dense_model(iris, method):
    X, y = iris
    settings = {"method": method, "eps": 1e-3, "C": 2.0, "random_state": 0}
    dense = FrankWolfeSVC(**settings).fit(X, y)
    for container in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array):
        model = FrankWolfeSVC(**settings).fit(container(X), y)
        assert abs(model.objective_ - dense.objective_) <= 3 * max(model.gap_, dense.gap_)
        np.testing.assert_array_equal(model.predict(X), model.predict(container(X)))
        np.testing.assert_array_equal(dense.predict(X), dense.predict(container(X)))


def test_shapes_of_multiclass_decisions_clones_and_pickles(iris):
    X, y = iris
    ovr = FrankWolfeSVC(
        random_state=np.random.RandomState(5), eps=1e-3, selection="sampled_text"
    ).fit(X, y)
    ovo = (
        clone(ovr)
        .set_params(decision_function_shape="ovo", random_state=np.random.RandomState(5))
        .fit(X, y)
    )
    assert ovr.decision_function(X).shape == ovo.decision_function(X).shape == (150, 3)
    np.testing.assert_array_equal(ovr.predict(X), ovo.predict(X))
    np.testing.assert_array_equal(ovr.decision_function(X).argmax(axis=1), ovr.predict(X))
    again = pickle.loads(pickle.dumps(ovo))
    np.testing.assert_array_equal(again.decision_function(X), ovo.decision_function(X))
