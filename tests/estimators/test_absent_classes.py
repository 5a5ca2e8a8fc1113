"""Test classes whose points all have weight 0, and meta-estimators that make such classes."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import RFE
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import SVC

from fwsvm import FrankWolfeSVC, fit_c_path
from fwsvm.estimators.model_files import load_model, save_model

NAMES = np.array(["ant", "bee", "cat", "dog", "eel"])


@pytest.fixture(scope="module")
def blobs():
    """Return 24 points of each of five classes."""
    X, y = make_blobs(120, centers=5, n_features=4, cluster_std=2.0, random_state=0)
    return X, NAMES[y]


@pytest.fixture(scope="module")
def rare():
    """Return points of three classes. The class "rare" has 6 of the 126 points."""
    X, y = make_blobs((60, 60, 6), n_features=4, cluster_std=2.0, random_state=1)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], np.array(["one", "rare", "two"])[[0, 2, 1]][y[order]]


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix, "precomputed"])
@pytest.mark.parametrize(
    "absent", [["ant"], ["cat"], ["bee", "eel"], ["ant", "bee", "cat"], ["bee", "dog", "eel"]]
)
def test_a_class_of_weight_0_is_left_out_of_training(blobs, absent, storage):
    """The model is equal to that of the other points. But the shapes of its results still include
    the class.
    """
    X, y = blobs
    kept = ~np.isin(y, absent)
    train = kept if storage == "precomputed" else slice(None)
    K = X @ X.T if storage == "precomputed" else storage(X)
    kernel = "precomputed" if storage == "precomputed" else "rbf"
    settings = {
        "kernel": kernel,
        "gamma": 0.1,
        "C": 5.0,
        "random_state": 3,
        "decision_function_shape": "ovo",
    }
    own = FrankWolfeSVC(**settings).fit(K, y, sample_weight=kept.astype(float))
    smaller = FrankWolfeSVC(**settings).fit(K[kept][:, train], y[kept])

    assert list(own.classes_) == list(NAMES) and set(own.predict(K)) <= set(NAMES) - set(absent)
    np.testing.assert_array_equal(own.support_, np.flatnonzero(kept)[smaller.support_])
    np.testing.assert_array_equal(own.predict(K), smaller.predict(K[:, train]))
    assert own.dual_coef_.shape == (10, len(own.support_))
    assert own.intercept_.shape == own.n_iter_.shape == (10,)
    np.testing.assert_array_equal(own.n_iter_[own.dual_coef_.any(axis=1)], smaller.n_iter_)
    assert (
        own.n_support_.sum() == len(own.support_)
        and not own.n_support_[np.isin(NAMES, absent)].any()
    )

    pairs = [(first, second) for i, first in enumerate(NAMES) for second in NAMES[i + 1 :]]
    decisions = own.decision_function(K)
    theirs = smaller.decision_function(K[:, train]).reshape(len(y), -1)
    both = [place for place, pair in enumerate(pairs) if not set(pair) & set(absent)]
    # with two classes, a positive decision means the second class
    sign = -1.0 if len(both) == 1 else 1.0
    np.testing.assert_allclose(decisions[:, both], sign * theirs, atol=1e-12)
    for place, (first, second) in enumerate(pairs):
        if (first in absent) != (second in absent):
            assert np.all((decisions[:, place] > 0) == (second in absent))

    scores = own.set_params(decision_function_shape="ovr").decision_function(K)
    assert scores.shape == (len(y), 5)
    assert not np.isin(NAMES[scores.argmax(axis=1)], absent).any()


def test_class_weights_of_0_are_sample_weights_of_0(blobs, tmp_path):
    X, y = blobs
    by_class = FrankWolfeSVC(class_weight={"bee": 0, "cat": 2.0}, random_state=0).fit(X, y)
    np.testing.assert_array_equal(by_class.class_weight_, [1, 0, 2, 1, 1])
    weights = np.select([y == "bee", y == "cat"], [0.0, 2.0], 1.0)
    by_point = FrankWolfeSVC(random_state=0).fit(X, y, weights)
    np.testing.assert_array_equal(by_class.decision_function(X), by_point.decision_function(X))
    for balanced in fit_c_path(
        FrankWolfeSVC(class_weight="balanced"), X, y, [1.0, 9.0], (y != "eel") * 3.0
    ):
        np.testing.assert_allclose(balanced.class_weight_, [1, 1, 1, 1, 0])
        assert "eel" not in balanced.predict(X)
    loaded = load_model(save_model(by_class, tmp_path / "model"))
    np.testing.assert_array_equal(loaded.decision_function(X), by_class.decision_function(X))
    np.testing.assert_array_equal(loaded.n_iter_, by_class.n_iter_)


def test_class_weights_as_svc_computes_them(blobs):
    X, y = blobs
    for class_weight in (None, "balanced", {"bee": 3.0}):
        for X_some, y_some in ((X, y), (X[y != "bee"][:50], y[y != "bee"][:50])):
            if isinstance(class_weight, dict) and "bee" not in y_some:
                continue
            own, theirs = (
                one(class_weight=class_weight).fit(X_some, y_some) for one in (FrankWolfeSVC, SVC)
            )
            np.testing.assert_allclose(own.class_weight_, theirs.class_weight_)


@pytest.mark.parametrize(
    ("class_weight", "sample_weight", "who"),
    [
        ({"ant": 0, "bee": 0, "cat": 0, "dog": 0}, None, "only the class 'eel' has such points"),
        ({"ant": 0, "bee": 0}, np.repeat([1.0, 0.0], [48, 72]), "no class has such points"),
        (dict.fromkeys(NAMES, 0), None, "no class has such points"),
        (None, np.repeat([1.0, 0.0], [24, 96]), "only the class 'ant' has such points"),
        ("balanced", np.repeat([2.0, 0.0], [24, 96]), "only the class 'ant' has such points"),
    ],
)
def test_fewer_than_two_classes_with_weight(blobs, class_weight, sample_weight, who):
    order = np.argsort(blobs[1], kind="stable")
    with pytest.raises(
        ValueError, match=f"at least 2 classes must have points with a weight > 0, but {who}"
    ):
        FrankWolfeSVC(class_weight=class_weight).fit(
            blobs[0][order], blobs[1][order], sample_weight
        )
    with pytest.raises(ValueError, match="weight"):
        FrankWolfeSVC().fit(*blobs, np.zeros(len(blobs[1])))


SVM = FrankWolfeSVC(C=10.0, random_state=0)
META = {
    "bagging": BaggingClassifier(SVM, n_estimators=25, max_samples=0.2, random_state=0),
    "bagging with features": BaggingClassifier(
        SVM, n_estimators=10, max_features=0.5, random_state=0
    ),
    "boosting": AdaBoostClassifier(
        FrankWolfeSVC(C=1e4, gamma=0.1, random_state=0), n_estimators=8, random_state=0
    ),
    "class weight": FrankWolfeSVC(class_weight={"rare": 0}),
    "calibration": CalibratedClassifierCV(SVM, method="sigmoid", cv=3),
    "stacking": StackingClassifier(
        [("svm", SVM), ("linear", FrankWolfeSVC(kernel="linear"))], cv=3
    ),
    "voting": VotingClassifier([("svm", SVM), ("poly", FrankWolfeSVC(kernel="poly", coef0=1.0))]),
    "one versus rest": OneVsRestClassifier(SVM),
    "one versus one": OneVsOneClassifier(SVM),
    "elimination": RFE(
        FrankWolfeSVC(kernel="linear", C=10.0, random_state=0), n_features_to_select=2
    ),
    "grid": GridSearchCV(
        SVM, {"C": [0.1, 10], "class_weight": [None, "balanced", {"rare": 0}]}, cv=3
    ),
}


@pytest.mark.filterwarnings("ignore:.*least populated class")
@pytest.mark.parametrize("name", META)
def test_meta_estimators_on_a_rare_class(rare, name):
    X, y = rare
    model = META[name].fit(X, y)
    assert list(model.classes_) == ["one", "rare", "two"]
    accuracy = np.mean(model.predict(X) == y)
    assert accuracy > 0.75, accuracy
    for method in ("decision_function", "predict_proba"):
        if hasattr(model, method):
            values = getattr(model, method)(X)
            assert values.shape == (len(y), 3) and np.isfinite(values).all()


def test_a_member_of_the_bag_without_the_rare_class(rare):
    """Some small bags contain no point of the rare class. SVC fails on such bags."""
    X, y = rare
    bag = META["bagging"].fit(X, y)
    members = [set(y[chosen]) for chosen in bag.estimators_samples_]
    assert any("rare" not in member for member in members)
    scores = cross_val_predict(
        BaggingClassifier(SVM, 5, random_state=0), X, y, cv=3, method="decision_function"
    )
    assert scores.shape == (len(y), 3)
