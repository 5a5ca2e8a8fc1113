"""Test code that users write for scikit-learn's SVC. Such code works with FrankWolfeSVC, or the
error says what to write instead.
"""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, fit_c_path
from fwsvm.estimators.machine import KernelMachine

ANSWERS = {
    "probability": "CalibratedClassifierCV",
    "tol": "use eps",
    "cache_size": "use cache_mb",
    "shrinking": "leave it",
    "break_ties": "decision_function",
    "loss": "squared",
    "fit_intercept": "bias",
}


@pytest.mark.parametrize(("name", "answer"), ANSWERS.items())
def test_parameters_of_svc(binary, name, answer):
    message = f"has no parameter {name!r}: .*{answer}"
    for estimator in (FrankWolfeSVC, FrankWolfeOneClass):
        with pytest.raises(TypeError, match=message):
            estimator(**{name: 1})
        with pytest.raises(ValueError, match=message):
            estimator().set_params(**{name: 1})
    with pytest.raises(ValueError, match=message):
        make_pipeline(FrankWolfeSVC()).set_params(**{f"frankwolfesvc__{name}": 1})
    with pytest.raises(ValueError, match=message):
        GridSearchCV(FrankWolfeSVC(), {name: [1]}, cv=2, error_score="raise").fit(*binary)


def test_other_unknown_parameters_are_answered_by_python_and_scikit_learn():
    with pytest.raises(TypeError, match="unexpected keyword argument 'width'"):
        FrankWolfeSVC(width=1)
    with pytest.raises(ValueError, match="Invalid parameter 'width'"):
        FrankWolfeSVC().set_params(width=1)
    assert list(inspect.signature(FrankWolfeSVC).parameters)[:2] == ["method", "kernel"]


@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
def test_probabilities(binary, method):
    model = FrankWolfeSVC().fit(*binary)
    for thing in (model, FrankWolfeSVC):
        assert not hasattr(thing, method)
        with pytest.raises(
            AttributeError,
            match=rf"FrankWolfeSVC has no {method}: .*CalibratedClassifierCV.*'isotonic'",
        ):
            getattr(thing, method)
    assert hasattr(CalibratedClassifierCV(model, cv=2).fit(*binary), "predict_proba")
    assert clone(model).get_params() == pickle.loads(pickle.dumps(model)).get_params()


@pytest.mark.parametrize("C", [0.1, 10.0, 1e4])
def test_decisions_per_objective_have_the_margin_one(binary, C):
    """docs/solver.md says this about the scale of decision values."""
    X, y = binary
    model = FrankWolfeSVC(C=C, eps=1e-9).fit(X, y)
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    weights = np.zeros(len(y))
    weights[model.support_] = np.abs(model.dual_coef_[0])
    slacks = weights / C / model.objective_
    margins = signs * model.decision_function(X) / model.objective_ + slacks
    assert margins.min() > 1 - 1e-3
    np.testing.assert_allclose(margins[model.support_], 1.0, atol=1e-3)


def test_other_kernels_are_precomputed(binary):
    X, y = binary
    for kernel in ("sigmoid", rbf_kernel, lambda A, B: A @ B.T, None):
        for fit in (
            lambda k: FrankWolfeSVC(kernel=k).fit(X, y),
            lambda k: FrankWolfeOneClass(kernel=k).fit(X),
        ):
            with pytest.raises(ValueError, match=r"kernel must .*kernel='precomputed'"):
                fit(kernel)


def test_a_number_in_the_place_of_the_method(binary):
    for arguments in ((10,), (1.0, "rbf")):
        with pytest.raises(
            ValueError, match=r"method must be the name of a method .* as in C=10\), got 1"
        ):
            FrankWolfeSVC(*arguments).fit(*binary)
    assert FrankWolfeSVC("fw", C=10).fit(*binary).C == 10


@pytest.mark.parametrize("estimator", [FrankWolfeSVC, FrankWolfeOneClass])
def test_no_limit_on_the_steps_as_svc_writes_it(binary, estimator):
    for limit in (-1, 0):
        message = rf"max_iter must be an integer .*leave it out .*10,000,000\), got {limit}"
        with pytest.raises(ValueError, match=message):
            estimator(max_iter=limit).fit(*binary)


def test_a_path_needs_the_classifier_itself(binary):
    transformed = Pipeline([("scale", StandardScaler()), ("svc", FrankWolfeSVC())])
    with pytest.raises(TypeError, match=r"must be a FrankWolfeSVC, (.|\n)*; transform X first"):
        fit_c_path(transformed, *binary, [1, 2])
    for other in (SVC(), OneVsRestClassifier(FrankWolfeSVC()), FrankWolfeOneClass(), "fw"):
        with pytest.raises(TypeError, match="estimator must be a FrankWolfeSVC, got") as error:
            fit_c_path(other, *binary, [1, 2])
        assert "KernelMachine" not in str(error.value) and "transform" not in str(error.value)


def test_fits_are_repeatable_by_default(iris):
    for estimator in (FrankWolfeSVC, FrankWolfeOneClass):
        first, second = (
            estimator(selection="sampled_text").fit(*iris).dual_coef_ for _ in range(2)
        )
        np.testing.assert_array_equal(first, second)
    other = FrankWolfeSVC(random_state=None, selection="sampled_text")
    assert any(not np.array_equal(first, other.fit(*iris).dual_coef_) for _ in range(3))


def test_steps_of_each_pair_as_svc_counts_them(binary, iris):
    for X, y in (binary, iris):
        model = FrankWolfeSVC().fit(X, y)
        assert model.n_iter_.shape == np.shape(SVC().fit(X, y).n_iter_)
        assert model.n_iter_.tolist() == [solution.iterations for solution in model.pair_solutions_]


def numbers(n_labels, each):
    return np.random.default_rng(0).permutation(np.repeat(np.arange(n_labels), each))


@pytest.mark.parametrize(("n_labels", "each"), [(500, 2), (1500, 1), (448, 10)])
def test_too_many_pairs_are_refused_before_training(monkeypatch, n_labels, each):
    monkeypatch.setattr("fwsvm.estimators.machine.PairTraining", None)
    y = numbers(n_labels, each)
    X = np.random.default_rng(1).normal(size=(len(y), 2))
    pairs = f"{n_labels * (n_labels - 1) // 2:,}"
    for fit in (
        lambda: FrankWolfeSVC().fit(X, y),
        lambda: fit_c_path(FrankWolfeSVC(), X, y, [1, 2]),
        lambda: KernelMachine().fit(X, y),
    ):
        with pytest.raises(
            ValueError,
            match=rf"{n_labels:,} classes.*{pairs} pairs .*regression.*OneVsRestClassifier",
        ):
            fit()


@pytest.mark.parametrize(
    ("n_labels", "each", "warns"), [(60, 1, True), (50, 2, True), (50, 3, False), (160, 9, True)]
)
def test_many_pairs_are_named_before_training(monkeypatch, n_labels, each, warns):
    class Trained(Exception):
        pass

    def stop(*_, **__):
        raise Trained

    monkeypatch.setattr("fwsvm.estimators.machine.PairTraining", stop)
    y = numbers(n_labels, each)
    with warnings.catch_warnings(record=True) as noted, pytest.raises(Trained):
        warnings.simplefilter("always")
        FrankWolfeSVC().fit(np.random.default_rng(1).normal(size=(len(y), 2)), y)
    # leave out scikit-learn's own warning
    own = [str(each.message) for each in noted if "regression problem" not in str(each.message)]
    assert len(own) == warns and all(
        f"{n_labels * (n_labels - 1) // 2:,} pairs" in text for text in own
    )
    if warns:
        assert noted[-1].filename == __file__


@pytest.mark.filterwarnings("error")
def test_many_classes_with_many_points_train_without_a_warning():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 8)
    X = rng.normal(size=(100, 6))[y] * 5 + rng.normal(size=(800, 6))
    model = FrankWolfeSVC(C=10).fit(X, y)
    assert model.score(X, y) > 0.95 and model.dual_coef_.shape[0] == 4950
    assert OneVsRestClassifier(FrankWolfeSVC(C=10)).fit(X, y).score(X, y) > 0.9


def test_a_stack_with_scaled_decision_values_is_as_accurate_as_the_solver():
    """docs/solver.md recommends this final model. Without the scaler, its penalty removes the small
    decision values, and it predicts the majority class.
    """
    X, y = load_breast_cancer(return_X_y=True)
    own = make_pipeline(StandardScaler(), FrankWolfeSVC(C=10))
    final = make_pipeline(StandardScaler(), LogisticRegression())
    stack = StackingClassifier([("own", own)], final_estimator=final)
    alone = own.fit(X[:400], y[:400]).score(X[400:], y[400:])
    assert stack.fit(X[:400], y[:400]).score(X[400:], y[400:]) >= alone - 0.02
