"""Compare partitions, and the models trained on them, with independent solvers and counts."""

import dataclasses

import numpy as np
import pytest
from qp_oracles import dual_matrix, optimum
from scipy import sparse
from scipy.spatial.distance import cdist

from fwsvm.inputs.errors import DataError
from fwsvm.kernels.functions import Kernel
from fwsvm_papers.studies.alaiz2018.partitions import (
    KernelOfPartition,
    draw,
    kernel_values,
    pool,
    tune,
)

SETTINGS = {
    "stop": "relative",
    "eps": 1e-6,
    "cache_mb": 50,
    "max_iterations": 200_000,
    "time_limit": 1e9,
    "folds": 4,
    "tuning_points": 60,
    "gamma_exponents": [-3, 1, 6],
    "C_exponents": [-2, 2, 6],
}
QUICK = {**SETTINGS, "eps": 1e-3, "tuning_iterations": 3000}


@pytest.fixture
def points(prepared_sets):
    return pool(prepared_sets["two"])


def test_pool_is_all_points_with_signs(prepared_sets):
    two = prepared_sets["two"]
    X, y = pool(two)
    assert X.shape == (210, 2)
    assert np.array_equal(X[:160], two.X_train) and np.array_equal(X[160:], two.X_test)
    assert set(y) == {-1, 1} and np.array_equal(y[:160] == 1, two.y_train == 1)
    csr = dataclasses.replace(
        two, X_train=sparse.csr_matrix(two.X_train), X_test=sparse.csr_matrix(two.X_test)
    )
    pooled, _ = pool(csr)
    assert sparse.issparse(pooled) and np.array_equal(pooled.toarray(), X)
    with pytest.raises(DataError, match="classes"):
        pool(prepared_sets["three"])


def test_partitions_are_disjoint_stratified_and_follow_the_seed(points):
    X, y = points
    part, again, other = draw(X, y, 100, 60, 1), draw(X, y, 100, 60, 1), draw(X, y, 100, 60, 2)
    assert part.X.shape == (100, 2) and part.X_test.shape == (60, 2)
    assert not set(map(tuple, part.X)) & set(map(tuple, part.X_test))
    assert np.array_equal(part.X, again.X) and not np.array_equal(part.X, other.X)
    share = np.mean(y == 1)
    assert (
        abs(np.mean(part.y == 1) - share) < 0.011 and abs(np.mean(part.y_test == 1) - share) < 0.02
    )


def test_kernel_values_are_those_of_the_formula(points):
    X, _ = points
    expected = np.exp(-0.7 * cdist(X[:20], X[:30], "sqeuclidean"))
    assert kernel_values("rbf", 0.7, X[:30], X[:20]) == pytest.approx(expected, abs=1e-6)
    assert kernel_values("linear", None, sparse.csr_matrix(X[:9])) == pytest.approx(
        X[:9] @ X[:9].T, rel=1e-6
    )


@pytest.mark.parametrize("method", ["pfw", "mfw_sparse"])
def test_models_and_their_rows(points, method):
    part = draw(*points, 100, 60, 1)
    models = KernelOfPartition(part, "rbf", 2.0, SETTINGS)
    for C, (model, outcome) in zip([0.5, 50.0], models.fit(method, [0.5, 50.0], 7), strict=True):
        # M-FW's solution is that of the usual SVM on the points that M-FW activated (alaiz2018,
        # Lemma).
        (solution,) = model.pair_solutions_
        kept = np.arange(100) if method == "pfw" else solution.subsample
        objective, a = optimum(dual_matrix(part.X[kept], part.y[kept], Kernel("rbf", 2.0), C))
        assert outcome["objective"] == pytest.approx(objective, rel=1e-5)
        decisions = models.K_test[:, kept] @ (a * part.y[kept]) + a @ part.y[kept]
        clear = np.abs(decisions) > 1e-4
        right = (decisions > 0) == (part.y_test > 0)
        assert abs(outcome["test_accuracy"] - right.mean()) <= np.mean(~clear)
        assert outcome["support_vectors"] == len(model.support_) <= outcome["coreset_size"]
        assert 7 in kept
        if method == "pfw":
            assert outcome["relative_gap"] <= 1e-6


def test_tuning_is_a_grid_search_over_the_folds(points):
    X, _ = points
    # a linear kernel cannot separate these classes
    easy = np.where(np.linalg.norm(X - X.mean(axis=0), axis=1) < 1.2, 1, -1)
    linear, rbf = (tune("easy", X, easy, kernel, QUICK, 3) for kernel in ("linear", "rbf"))
    assert linear["gamma"] is None and rbf["gamma"] in (0.125, 2.0, 64.0)
    assert rbf["accuracy"]["svm"] > linear["accuracy"]["svm"] + 0.1
    assert set(rbf["C"]) == {"svm", "mfw"} and set(rbf["C"].values()) <= {0.25, 4.0, 64.0}
    assert rbf["points"] == 60 and rbf["folds"] == 4
    assert ("C of svm" in rbf["edges"]) == (rbf["C"]["svm"] != 4.0)
    assert tune("easy", X, easy, "rbf", QUICK, 3) == rbf
    rare = np.where(np.arange(len(X)) < 3, 1, -1)
    assert tune("rare", X, rare, "linear", {**QUICK, "tuning_points": 500}, 0)["folds"] == 3


def test_equally_good_parameters_give_the_smallest_C_and_the_widest_kernel():
    X = np.vstack([np.zeros((30, 2)), np.full((30, 2), 5.0)]) + np.linspace(0, 0.1, 60)[:, None]
    found = tune("apart", X, np.repeat([-1, 1], 30), "rbf", QUICK, 0)
    assert found["accuracy"] == {"svm": 1.0, "mfw": 1.0}
    assert found["C"] == {"svm": 0.25, "mfw": 0.25} and found["gamma"] == 0.125
