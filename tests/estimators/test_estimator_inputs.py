"""FrankWolfeSVC: what it refuses, and what it warns of."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, Kernel, fit_c_path, minimum_enclosing_ball
from fwsvm.estimators.machine import KernelMachine
from fwsvm.solvers.settings import Settings
from fwsvm_papers.baselines import fit_baseline

PAPERS = {"method": "swap", "stop": "meb", "eps": 1e-6, "gamma": None, "random_state": 0}
BAD = {
    "C": [0.0, -1.0, np.nan, "large"], "gamma": [0.0, -0.5, "broad", [1.0]], "sigma2": [0.0, -2.0, "scale"],
    "kernel": ["sigmoid", ["rbf"]], "degree": [0],
    "method": ["newton"], "selection": ["some"], "coef0": [-1.0, np.inf, "x"],
    "stop": ["never", ["meb"]], "eps": [0.0, "small", np.inf], "cache_mb": [0.0, np.inf, 1e15, "much"],
    "max_iter": [0, 1.5], "time_limit": ["short"], "n_jobs": ["x", 0], "verbose": [3, "yes"],
    "sample_size": ["x", 10], "patience": [1.5], "alternate_classes": ["no"], "decision_function_shape": ["all"],
    "contamination": [0.0, 0.6, "some", True], "class_weight": [{1: "a"}, {1: -1.0}, "heavy", 2.0],
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_bad_parameters_are_named(binary, name, value):
    X, y = binary
    if name != "contamination":
        with pytest.raises(ValueError, match=name):
            FrankWolfeSVC(**{name: value}).fit(X, y)
    if name not in ("n_jobs", "decision_function_shape", "class_weight"):
        with pytest.raises(ValueError, match=name):
            FrankWolfeOneClass(**{name: value}).fit(X)


@pytest.mark.parametrize(
    ("parameters", "gap", "message"),
    [
        ({"C": 1e12}, 1.0, "stop='relative'"),
        ({"eps": 2.0}, 1.0, "stop='relative'"),
        ({"kernel": "poly", "degree": 20}, 1.0, "gap"),
        ({"method": "mfw_sparse"}, 1.0, "init='random_point'"),
        ({"selection": "sampled_text", "C": 1e3}, 0.1, "selection='full'"),
        ({"max_iter": 3}, 0.1, "max_iter"),
    ],
)
def test_a_poor_certificate_warns_whatever_the_reason(iris, parameters, gap, message):
    with pytest.warns(ConvergenceWarning, match=message):
        assert FrankWolfeSVC(**{**PAPERS, **parameters}).fit(*iris).relative_gap_ > gap


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble])
def test_parameters_can_be_numbers_of_numpy(binary, kind):
    model = FrankWolfeSVC(C=kind(2), gamma=kind(0.5), eps=kind(0.0078125), random_state=0).fit(*binary)
    assert model.gap_ == FrankWolfeSVC(C=2.0, gamma=0.5, eps=0.0078125, random_state=0).fit(*binary).gap_
    assert Kernel("rbf", kind(0.5)).arguments[1] == 0.5


@pytest.mark.filterwarnings("error")
def test_predictions_that_overflow_are_refused(binary):
    X, y = binary
    far = np.full((1, X.shape[1]), 1e100)
    models = [one(kernel="poly", degree=4).fit(X, y) for one in (FrankWolfeSVC, FrankWolfeOneClass)]
    for call in [call for model in models for call in (model.predict, model.decision_function)]:
        with pytest.raises(ValueError, match="overflow"):
            call(far)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, csr_matrix])
def test_infinite_numbers_of_both_signs_are_one_error_without_a_warning(binary, dtype, store):
    X, y = binary
    wrong = np.array(X, dtype=dtype)
    wrong[:2, 0] = np.inf, -np.inf
    weights = np.ones(len(y))
    weights[:2] = np.inf, -np.inf
    wrong, models = store(wrong), [FrankWolfeSVC().fit(X, y), FrankWolfeOneClass().fit(X)]
    calls = [lambda: FrankWolfeSVC().fit(wrong, y), lambda: FrankWolfeOneClass().fit(wrong)]
    calls += [partial(model.predict, wrong) for model in models]
    calls += [lambda: minimum_enclosing_ball(wrong), lambda: FrankWolfeSVC().fit(X, y, sample_weight=weights)]
    calls += [lambda: fit_baseline("rsvm", wrong, np.where(y == y[0], 1, -1))]
    for call in calls:
        with pytest.raises(ValueError, match="contains infinity"):
            call()


def test_arguments_of_a_path_are_named(binary):
    for arguments in ((SVC(), *binary, [1]), (FrankWolfeSVC, *binary, [1]), (FrankWolfeSVC(), *binary, 3)):
        with pytest.raises(TypeError, match="C_values must be" if arguments[-1] == 3 else "estimator must be"):
            fit_c_path(*arguments)


@pytest.mark.filterwarnings("error")
def test_ordinary_data_do_not_warn(binary, iris):
    """The largest relative gap of default settings on these and digits is 1e-3, with C = 100 it is 0.04."""
    for X, y in (binary, iris, load_breast_cancer(return_X_y=True)):
        for C in (1.0, 100.0):
            FrankWolfeSVC(C=C, random_state=0).fit(X, y)
        FrankWolfeSVC(method="mfw_sparse", init="random_point", random_state=0).fit(X, y)
        FrankWolfeOneClass(random_state=0).fit(X)
    assert KernelMachine(Settings(eps=2.0), random_state=0).fit(X, y).relative_gap_ > 0.1  # only the number shows it


@pytest.mark.parametrize("dtype", ["string", "Int64", "boolean", object])
def test_missing_labels_of_pandas_are_named(dtype):
    values = {"string": ["a", "b"], "Int64": [1, 0], "boolean": [True, False], object: ["a", "b"]}[dtype]
    y = pd.Series([*values * 3, pd.NA], dtype=dtype)
    with pytest.raises(ValueError, match=r"y has missing values \(pandas.NA\)|y contains NaN"):
        FrankWolfeSVC().fit(np.eye(7), y)
    assert FrankWolfeSVC().fit(np.eye(7)[:6], y[:6]).predict(np.eye(7)[:1]) == values[0]
