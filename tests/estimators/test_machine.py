"""Test that KernelMachine trains the same model as FrankWolfeSVC."""

import numpy as np
import pytest
from scipy import sparse

from fwsvm import FrankWolfeSVC, fit_c_path
from fwsvm.estimators.machine import KernelMachine
from fwsvm.solvers.settings import Settings

NUMBERS = (
    "support_",
    "dual_coef_",
    "intercept_",
    "n_iter_",
    "objective_",
    "gap_",
    "relative_gap_",
    "gamma_",
)

PAPERS = {"method": "swap", "stop": "meb", "eps": 1e-6, "gamma": None}


def assert_same(machine, estimator, X, y):
    for name in NUMBERS:
        np.testing.assert_array_equal(
            getattr(machine, name), getattr(estimator, name), err_msg=name
        )
    assert machine.stop_reason_ == estimator.stop_reason_
    np.testing.assert_array_equal(machine.n_support_, estimator.n_support_)
    assert machine.score(X, y) == estimator.score(X, y)
    np.testing.assert_array_equal(machine.predict(X), estimator.predict(X))
    np.testing.assert_array_equal(machine.decision_function(X), estimator.decision_function(X))


@pytest.mark.parametrize(
    "storage", [np.asarray, np.float32, sparse.csr_matrix], ids=["float64", "float32", "sparse"]
)
@pytest.mark.parametrize(
    "parameters", [{"method": "swap2o", "C": 10.0}, {"method": "cvm", "selection": "sampled_text"}]
)
def test_the_model_is_that_of_the_estimator(iris, storage, parameters):
    X, y = storage(iris[0]), iris[1]
    C = parameters.get("C", 1.0)
    machine = KernelMachine(Settings.of_estimator(parameters), C=C, random_state=3).fit(X, y)
    assert_same(machine, FrankWolfeSVC(random_state=3, **{**PAPERS, **parameters}).fit(X, y), X, y)


def test_kernel_values_and_several_C(iris):
    K, y = np.exp(-((iris[0][:, None] - iris[0][None]) ** 2).sum(axis=2)), iris[1]
    Cs = [1.0, 64.0]
    models = (
        KernelMachine(Settings("mfw"), "precomputed", random_state=0),
        FrankWolfeSVC("mfw", "precomputed", stop="meb", eps=1e-6, random_state=0),
    )
    made = [fit_c_path(model, K, y, Cs) for model in models]
    for machine, estimator, C in zip(*made, Cs, strict=True):
        assert type(machine) is KernelMachine and machine.C == estimator.C == C
        assert_same(machine, estimator, K, y)


def test_coefficients_are_those_of_the_fitted_kernel():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    model = FrankWolfeSVC().fit(X, X[:, 0] > 0)
    assert not hasattr(model.set_params(kernel="linear"), "coef_")
    assert hasattr(model.fit(X, X[:, 0] > 0), "coef_")
