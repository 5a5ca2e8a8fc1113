"""FrankWolfeSVC: scikit-learn's contract, its parameters, and its fitted numbers reproduced by hand."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import pairwise
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import (
    check_classifiers_train,
    check_fit_idempotent,
    check_methods_sample_order_invariance,
    parametrize_with_checks,
)

from fwsvm import FrankWolfeSVC, average_squared_distance


@parametrize_with_checks([FrankWolfeSVC()])
def test_sklearn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", ["cvm", "mfw"])
@pytest.mark.parametrize(
    "check", [check_fit_idempotent, check_methods_sample_order_invariance, check_classifiers_train]
)
def test_sklearn_contract_where_the_method_matters(method, check):
    """Most checks are about parameters, input and attributes, which the methods share."""
    check("FrankWolfeSVC", FrankWolfeSVC(method=method))


@pytest.fixture(scope="module")
def binary():
    return make_classification(200, n_features=6, n_informative=4, flip_y=0.1, random_state=0)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def sklearn_kernel(model):
    """The model's kernel by scikit-learn."""
    if model.kernel == "rbf":
        return lambda X, Z: pairwise.rbf_kernel(X, Z, gamma=model.gamma_)
    if model.kernel == "poly":
        return lambda X, Z: pairwise.polynomial_kernel(X, Z, degree=model.degree, gamma=model.gamma_, coef0=0)
    return pairwise.linear_kernel


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_fitted_attributes_reproduce_the_decision_function(binary, iris, kernel, storage):
    for X, y in (binary, iris):
        model = FrankWolfeSVC(
            kernel=kernel, C=5.0, stop="relative", eps=1e-4, decision_function_shape="ovo", random_state=0
        ).fit(storage(X), y)
        n_pairs = {2: 1, 3: 3}[len(model.classes_)]
        support_vectors = model.support_vectors_
        assert sparse.issparse(support_vectors) == (storage is sparse.csr_matrix)
        dense = support_vectors.toarray() if sparse.issparse(support_vectors) else support_vectors
        np.testing.assert_array_equal(dense, X[model.support_])
        assert model.dual_coef_.shape == (n_pairs, len(model.support_))
        K = sklearn_kernel(model)(X, dense)
        by_hand = K @ model.dual_coef_.T + model.intercept_
        np.testing.assert_allclose(
            model.decision_function(storage(X)),
            by_hand[:, 0] if n_pairs == 1 else by_hand,
            atol=1e-10 * np.abs(K).max(),
        )
        np.testing.assert_allclose(model.intercept_, model.dual_coef_.sum(axis=1), atol=1e-15)
        np.testing.assert_allclose(np.abs(model.dual_coef_).sum(axis=1), 1.0)
        assert np.all(np.any(model.dual_coef_ != 0, axis=0))


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_objective_and_gap_are_those_of_the_whole_training_set(binary, kernel):
    X, y = binary
    model = FrankWolfeSVC(kernel=kernel, C=5.0, stop="relative", eps=1e-4, random_state=0).fit(X, y)
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    a = np.zeros(len(y))
    a[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_array_equal(np.sign(model.dual_coef_[0]), signs[model.support_])
    Q = np.outer(signs, signs) * (sklearn_kernel(model)(X, X) + 1.0) + np.eye(len(y)) / 5.0
    R, gap = a @ Q @ a, 2.0 * (a @ Q @ a - (Q @ a).min())
    assert model.objective_ == pytest.approx(R, rel=1e-9)
    assert model.gap_ == pytest.approx(gap, rel=1e-6)
    assert model.relative_gap_ == pytest.approx(gap / R, rel=1e-6)
    assert model.relative_gap_ <= 1e-4
    assert model.stop_reason_ == "converged"
    assert model.n_iter_ > 0


def test_width_rules(binary):
    X, y = binary
    beta = average_squared_distance(X)

    def fitted(**parameters):
        return FrankWolfeSVC(eps=1e-2, **parameters).fit(X, y).gamma_

    assert fitted() == pytest.approx(0.5 / beta)
    assert fitted(sigma2=4.0) == 0.125
    assert fitted(gamma=0.3) == 0.3
    assert fitted(kernel="poly") == pytest.approx(1.0 / beta)
    assert fitted(kernel="poly", sigma2=4.0) == 0.25
    assert fitted(kernel="poly", gamma=0.3) == 0.3


def test_constant_features_have_no_width():
    model = FrankWolfeSVC().fit(np.ones((6, 2)), [0, 1, 1, 1, 1, 0])
    assert model.gamma_ == 1.0
    assert set(model.predict(np.ones((2, 2)))) == {1}


def test_binary_labels_of_any_kind(binary):
    X, y = binary
    reference = FrankWolfeSVC(random_state=0, eps=1e-3).fit(X, y)
    for names in (np.array(["yes", "no"]), np.array([7, -3]), np.array([True, False])):
        model = FrankWolfeSVC(random_state=0, eps=1e-3).fit(X, names[y])
        assert list(model.classes_) == sorted(names)
        assert set(model.predict(X)) <= set(names)
        positive = model.decision_function(X) > 0
        np.testing.assert_array_equal(model.predict(X) == model.classes_[1], positive)
        flipped = names[1] != model.classes_[1]
        np.testing.assert_allclose(
            model.decision_function(X), (-1 if flipped else 1) * reference.decision_function(X), atol=1e-2
        )


def test_as_accurate_as_other_machines(binary, iris):
    """The L2-SVM is no L1-SVM, but on easy data they must not differ by much; for linear kernels it is LinearSVC."""
    for X, y in (binary, iris):
        X = StandardScaler().fit_transform(X)
        ours = cross_val_score(FrankWolfeSVC(C=10.0, random_state=0, eps=1e-4), X, y).mean()
        assert ours >= cross_val_score(SVC(C=10.0), X, y).mean() - 0.03
    X, y = binary
    oracle = LinearSVC(loss="squared_hinge", C=0.5, dual=True, tol=1e-8, max_iter=10**6).fit(X, y)
    ours = FrankWolfeSVC(kernel="linear", C=1.0, stop="relative", eps=1e-7).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X) / ours.objective_, oracle.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("method", ["fw", "mfw", "swap", "swap2o", "pfw", "cvm"])
def test_sparse_input_gives_the_dense_model(iris, method):
    X, y = iris
    settings = dict(method=method, eps=1e-3, C=2.0, random_state=0, decision_function_shape="ovo")
    dense = FrankWolfeSVC(**settings).fit(X, y)
    for container in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array):
        model = FrankWolfeSVC(**settings).fit(container(X), y)
        assert model.gamma_ == pytest.approx(dense.gamma_, rel=1e-12)
        assert abs(model.objective_ - dense.objective_) <= 3 * max(model.gap_, dense.gap_)
        np.testing.assert_allclose(model.decision_function(container(X)), dense.decision_function(X), atol=0.05)
        # and a model of one storage predicts the other
        np.testing.assert_array_equal(model.predict(X), model.predict(container(X)))
        np.testing.assert_array_equal(dense.predict(X), dense.predict(container(X)))


def test_shapes_of_multiclass_decisions(iris):
    X, y = iris
    ovr = FrankWolfeSVC(random_state=0, eps=1e-3).fit(X, y)
    ovo = FrankWolfeSVC(random_state=0, eps=1e-3, decision_function_shape="ovo").fit(X, y)
    assert ovr.decision_function(X).shape == (150, 3)
    assert ovo.decision_function(X).shape == (150, 3)
    np.testing.assert_array_equal(ovr.predict(X), ovo.predict(X))
    np.testing.assert_array_equal(ovr.decision_function(X).argmax(axis=1), ovr.predict(X))
    wins = ovo.decision_function(X) > 0
    counts = np.stack(
        [wins[:, 0] + 0 + wins[:, 1], ~wins[:, 0] + 0 + wins[:, 2], ~wins[:, 1] + 0 + ~wins[:, 2]], axis=1
    )
    np.testing.assert_array_equal(counts.argmax(axis=1), ovo.predict(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "C must be a positive finite number, got 0.0"),
        ({"C": -1.0}, "C must be a positive finite number"),
        ({"C": np.nan}, "C must be a positive finite number"),
        ({"gamma": 0.0}, "gamma must be a positive finite number"),
        ({"gamma": -0.5}, "gamma must be a positive finite number"),
        ({"gamma": "scale"}, "gamma must be a positive finite number, got 'scale'"),
        ({"C": "large"}, "C must be a positive finite number, got 'large'"),
        ({"sigma2": None}, "sigma2 must be 'average' or a positive number, got None"),
        ({"sigma2": 0.0}, "sigma2 must be 'average' or a positive number, got 0.0"),
        ({"sigma2": -2.0}, "sigma2 must be 'average' or a positive number"),
        ({"sigma2": "scale"}, "sigma2 must be 'average' or a positive number, got 'scale'"),
        ({"sigma2": 1.0, "gamma": 1.0}, "give either sigma2 or gamma, not both"),
        ({"kernel": "sigmoid"}, "kernel must be one of rbf, poly, linear, got 'sigmoid'"),
        ({"kernel": "poly", "degree": 0}, "degree must be an integer >= 1"),
        ({"method": "newton"}, "method must be one of .*, got 'newton'"),
        ({"selection": "some"}, "selection must be one of .*, got 'some'"),
        ({"init": "zeros"}, "init must be one of .*, got 'zeros'"),
        ({"stop": "never"}, "stop must be one of .*, got 'never'"),
        ({"eps": 0.0}, "eps must be a positive number"),
        ({"inner_tolerance": -1.0}, "inner_tolerance must be a positive number"),
        ({"cache_mb": 0.0}, "cache_mb must be a positive number"),
        ({"column_dtype": "half"}, "column_dtype must be one of"),
        ({"max_iter": 0}, "max_iterations must be a positive number"),
        ({"sample_size": 10}, "sample_size: only with a sampled selection"),
        ({"decision_function_shape": "all"}, "decision_function_shape must be 'ovr' or 'ovo', got 'all'"),
    ],
)
def test_bad_parameters_are_named(binary, parameters, message):
    with pytest.raises(ValueError, match=message):
        FrankWolfeSVC(**parameters).fit(*binary)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_must_be_finite(binary, storage, value):
    X, y = binary
    bad = X.copy()
    bad[3, 2] = value
    with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
        FrankWolfeSVC().fit(storage(bad), y)
    model = FrankWolfeSVC(eps=1e-2).fit(X, y)
    with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
        model.predict(storage(bad))


def test_one_class_cannot_be_trained(binary):
    X, _ = binary
    with pytest.raises(ValueError, match="y must hold at least 2 classes, but it has one class only"):
        FrankWolfeSVC().fit(X, np.ones(len(X), dtype=int))


def test_must_be_fitted_first(binary):
    with pytest.raises(NotFittedError):
        FrankWolfeSVC().predict(binary[0])


def test_early_end_warns_and_still_gives_a_model(binary):
    X, y = binary
    with pytest.warns(ConvergenceWarning, match=r"stopped early \(iteration_limit\) at relative gap"):
        model = FrankWolfeSVC(max_iter=3, random_state=0).fit(X, y)
    assert (model.n_iter_, model.stop_reason_) == (3, "iteration_limit")
    assert model.predict(X).shape == (200,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FrankWolfeSVC(eps=1e-3, selection="sampled_text", random_state=0).fit(X, y)
        FrankWolfeSVC(eps=1e-3, random_state=0).fit(X, y)


def test_seed_decides(binary):
    X, y = binary
    settings = dict(selection="sampled_text", sample_size=5, eps=1e-2)
    one, same, other = (FrankWolfeSVC(random_state=seed, **settings).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.dual_coef_, same.dual_coef_)
    assert one.dual_coef_.shape != other.dual_coef_.shape or not np.array_equal(one.dual_coef_, other.dual_coef_)
    states = [FrankWolfeSVC(random_state=np.random.RandomState(5), **settings).fit(X, y) for _ in range(2)]
    np.testing.assert_array_equal(states[0].dual_coef_, states[1].dual_coef_)


def test_clone_and_pickle(iris):
    X, y = iris
    model = FrankWolfeSVC(method="mfw", C=3.0, eps=1e-3, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "support_")
    np.testing.assert_array_equal(fresh.fit(X, y).dual_coef_, model.dual_coef_)


def test_grid_search_and_pipeline(binary):
    X, y = binary
    pipeline = make_pipeline(StandardScaler(), FrankWolfeSVC(random_state=0, eps=1e-3))
    grid = {"frankwolfesvc__C": [0.1, 10.0], "frankwolfesvc__method": ["swap", "cvm"]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert np.all(np.isfinite(search.cv_results_["mean_test_score"]))
    assert search.predict(X).shape == (200,)


def test_repeated_entries_of_csr_are_the_data_they_add_up_to(binary):
    """A CSR matrix may hold an entry in parts."""
    X, y = binary
    csr = sparse.csr_matrix(X)
    rows = np.repeat(np.arange(200), np.diff(csr.indptr))
    parts = sparse.coo_matrix(
        (np.concatenate([0.25 * csr.data, 0.75 * csr.data]), (np.tile(rows, 2), np.tile(csr.indices, 2))), shape=X.shape
    )
    split = sparse.csr_matrix(X.shape)
    order = np.argsort(parts.row, kind="stable")
    split.indptr = 2 * csr.indptr
    split.indices, split.data = parts.col[order].astype(np.int32), parts.data[order]
    assert not split.has_canonical_format
    expected = FrankWolfeSVC(random_state=0, eps=1e-3).fit(csr, y)
    model = FrankWolfeSVC(random_state=0, eps=1e-3).fit(split, y)
    assert model.gamma_ == pytest.approx(expected.gamma_)
    np.testing.assert_allclose(model.decision_function(split), expected.decision_function(csr), atol=2e-2)
    np.testing.assert_allclose(model.decision_function(X), model.decision_function(split), atol=1e-9)
