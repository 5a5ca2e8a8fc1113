"""FrankWolfeSVC: what it refuses, and what it warns of."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC
from fwsvm.estimators.machine import KernelMachine
from fwsvm.solvers.settings import Settings


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "C must be a positive finite number or infinity, got 0.0"),
        ({"C": -1.0}, "C must be a positive finite number"),
        ({"C": np.nan}, "C must be a positive finite number"),
        ({"gamma": 0.0}, "gamma must be a positive finite number"),
        ({"gamma": -0.5}, "gamma must be a positive finite number"),
        ({"gamma": "broad"}, "gamma must be a positive finite number, 'scale' or 'auto', got 'broad'"),
        ({"gamma": [1.0]}, "gamma must be a positive finite number, 'scale' or 'auto', got"),
        ({"gamma": "scale", "sigma2": 2.0}, "give either sigma2 or gamma, not both"),
        ({"C": "large"}, "C must be a positive finite number or infinity, got 'large'"),
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
        ({"eps": 0.0}, "eps must be a positive finite number"),
        ({"inner_tolerance": -1.0}, "inner_tolerance must be a positive finite number"),
        ({"cache_mb": 0.0}, "cache_mb must be a positive finite number"),
        ({"column_dtype": "half"}, "column_dtype must be one of"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1, got 0"),
        ({"max_iter": 1.5}, "max_iter must be an integer >= 1, got 1.5"),
        ({"cache_mb": np.inf}, "cache_mb must be a positive finite number of at most .* MB, got inf"),
        ({"cache_mb": 1e15}, r"cache_mb must be a positive finite number of at most 1e\+09 MB"),
        ({"cache_mb": "much"}, "cache_mb must be a positive finite number of at most .* MB, got 'much'"),
        ({"eps": "small"}, "eps must be a positive finite number, got 'small'"),
        ({"eps": np.inf}, "eps must be a positive finite number, got inf"),
        ({"time_limit": "short"}, "time_limit must be a positive number or None, got 'short'"),
        ({"n_jobs": "x"}, "n_jobs must be an integer other than 0 or None, got 'x'"),
        ({"n_jobs": 0}, "n_jobs must be an integer other than 0 or None, got 0"),
        ({"verbose": 3}, "verbose must be 0, 1 or 2, got 3"),
        ({"verbose": "yes"}, "verbose must be 0, 1 or 2, got 'yes'"),
        ({"sample_size": "x"}, "sample_size must be an integer >= 1 or None, got 'x'"),
        ({"patience": 1.5}, "patience must be an integer >= 1 or None, got 1.5"),
        ({"alternate_classes": "no"}, "alternate_classes must be True or False or None, got 'no'"),
        ({"kernel": ["rbf"]}, "kernel must be a string, got"),
        ({"stop": ["meb"]}, r"stop must be one of meb, gap, relative, got \['meb'\]"),
        ({"sample_size": 10}, "sample_size: only with a sampled selection"),
        ({"decision_function_shape": "all"}, "decision_function_shape must be 'ovr' or 'ovo', got 'all'"),
    ],
)
def test_bad_parameters_are_named(binary, parameters, message):
    with pytest.raises(ValueError, match=message):
        FrankWolfeSVC(**parameters).fit(*binary)
    if not set(parameters) & {"n_jobs", "decision_function_shape"}:
        with pytest.raises(ValueError, match=message):
            FrankWolfeOneClass(**parameters).fit(binary[0])


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
    with pytest.raises(ValueError, match=r"y must hold at least 2 classes, but it has one class only: 1$"):
        FrankWolfeSVC().fit(X, np.ones(len(X), dtype=int))
    with pytest.raises(ValueError, match=r"one class only: 'a'$"):
        FrankWolfeSVC().fit(X, np.full(len(X), "a"))


@pytest.mark.filterwarnings("error")
def test_numbers_too_large_are_named(binary):
    X, y = binary
    model = FrankWolfeSVC(random_state=0).fit(X, y)
    for storage in (np.asarray, sparse.csr_matrix):
        huge = X.copy()
        huge[3, 2] = -1e300
        for door in (lambda Z: FrankWolfeSVC().fit(Z, y), lambda Z: FrankWolfeOneClass().fit(Z), model.predict):
            with pytest.raises(ValueError, match=r"X has values up to 1e\+300"):
                door(storage(huge))
    with pytest.raises(ValueError, match=r"y holds labels of up to 1e\+20; numeric labels must be integers below"):
        FrankWolfeSVC().fit(X, np.where(y, 1e20, -1.0))
    with pytest.raises(ValueError, match=r"kernel values .* more than 1e\+28"):
        FrankWolfeSVC(kernel="poly", degree=20, gamma=1.0).fit(1e20 * X, y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e25, 1e100])
def test_columns_beyond_float32_are_float64(binary, iris, scale):
    """Squared distances of such data leave the range of float32, in which columns are computed by default."""
    for X, y in (binary, iris):
        usual = FrankWolfeSVC(random_state=0).fit(X, y)
        for storage in (np.asarray, sparse.csr_matrix):
            large = FrankWolfeSVC(random_state=0).fit(storage(scale * X), y)
            assert {solution.column_dtype for solution in large.pair_solutions_} == {"float64"}
            assert abs(large.objective_ - usual.objective_) <= 3 * max(large.gap_, usual.gap_)
    with pytest.raises(ValueError, match="column_dtype='float32' cannot hold"):
        FrankWolfeSVC(column_dtype="float32", random_state=0).fit(scale * X, y)


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
        FrankWolfeSVC(eps=1e-4, selection="sampled_libcvm", random_state=0).fit(X, y)
        FrankWolfeSVC(eps=1e-4, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "gap", "message"),
    [
        ({"C": 1e12}, 1.0, r"ended \(converged\) with a certified duality gap of .*stop='relative'"),
        ({"eps": 2.0}, 1.0, r"ended \(converged\) with a certified duality gap of .*stop='relative'"),
        ({"kernel": "poly", "degree": 20}, 1.0, "ended|stopped early"),
        ({"method": "mfw_sparse"}, 1.0, r"ended \(converged\).*it wants init='random_point'"),
        ({"selection": "sampled_text", "C": 1e3}, 0.1, r"ended \(no_violation_in_samples\).*selection='full'"),
        ({"max_iter": 3}, 0.1, r"stopped early \(iteration_limit\).*a larger max_iter"),
    ],
)
def test_a_poor_certificate_warns_whatever_the_reason(iris, parameters, gap, message):
    with pytest.warns(ConvergenceWarning, match=message):
        assert FrankWolfeSVC(random_state=0, **parameters).fit(*iris).relative_gap_ > gap


def test_a_poor_certificate_of_one_class_warns(iris):
    with pytest.warns(ConvergenceWarning, match=r"FrankWolfeOneClass ended \(converged\) .* gap of 0\.7"):
        FrankWolfeOneClass(eps=2.0, random_state=0).fit(iris[0])


@pytest.mark.filterwarnings("error")
def test_ordinary_data_do_not_warn(binary, iris):
    """The largest relative gap of default settings on these and digits is 1e-3, with C = 100 it is 0.04."""
    for X, y in (binary, iris, load_breast_cancer(return_X_y=True)):
        for C in (1.0, 100.0):
            FrankWolfeSVC(C=C, random_state=0).fit(X, y)
        FrankWolfeSVC(method="mfw_sparse", init="random_point", random_state=0).fit(X, y)
        FrankWolfeOneClass(random_state=0).fit(X)
    assert KernelMachine(Settings(eps=2.0), random_state=0).fit(X, y).relative_gap_ > 0.1  # told by the number alone
