"""Test that every public function refuses sparse matrices with invalid index arrays, and names the
argument.
"""

import numpy as np
import pytest
from scipy import sparse

from fwsvm import (
    FrankWolfeOneClass,
    FrankWolfeSVC,
    Kernel,
    KernelMatrix,
    average_squared_distance,
    minimum_enclosing_ball,
)
from fwsvm.kernels.points import canonical_csr

POINTS, FEATURES = 12, 50


def matrix(kind=sparse.csr_matrix):
    X = sparse.random(POINTS, FEATURES, 0.2, format="csr", random_state=0) + sparse.eye(
        POINTS, FEATURES
    )
    return kind(X.tocsr())


def with_index(index, kind="csr"):
    """Return a matrix with a changed column index (CSR) or row index (CSC). SciPy does not notice
    the change.
    """
    X = matrix().asformat(kind)
    X.indices[3] = index
    return X


def broken(change):
    X = matrix()
    if change == "decreasing":
        X.indptr[4] = X.indptr[6] + 1
    elif change == "too long":
        X.indptr[-1] = X.nnz + 7
    elif change == "start":
        X.indptr[0] = 1
    elif change == "short":
        X.indptr = X.indptr[:-2]
    else:
        X.data = X.data[:-3]
    return X


@pytest.mark.parametrize("index", [60, 10**6, -1, FEATURES])
def test_an_index_outside_the_matrix(index):
    for kind in ("csr", "csc"):
        with pytest.raises(ValueError, match="points"):
            canonical_csr(with_index(index, kind), "points")


@pytest.mark.parametrize("change", ["decreasing", "too long", "start", "short", "data"])
def test_index_arrays_that_do_not_fit_together(change):
    with pytest.raises(ValueError, match="X"):
        canonical_csr(broken(change))


def doors():
    y = np.arange(POINTS) % 2
    good, kernel = matrix(), Kernel("rbf", 0.5)
    model = FrankWolfeSVC(gamma=0.5, random_state=0).fit(good, y)
    detector = FrankWolfeOneClass(gamma=0.5, random_state=0).fit(good)
    return {
        "fit": lambda X: FrankWolfeSVC().fit(X, y),
        "fit with three classes": lambda X: FrankWolfeSVC().fit(X, np.arange(POINTS) % 3),
        "predict": model.predict,
        "decision_function": model.decision_function,
        "one-class fit": FrankWolfeOneClass().fit,
        "one-class score": detector.score_samples,
        "ball": minimum_enclosing_ball,
        "KernelMatrix": lambda X: KernelMatrix(X, kernel),
        "weighted_sums": lambda X: KernelMatrix(good, kernel).weighted_sums(
            np.arange(3), np.ones(3), X
        ),
        "average_squared_distance": average_squared_distance,
    }


@pytest.mark.parametrize("door", doors())
def test_every_door_is_closed(door):
    name = {"ball": "points", "weighted_sums": "Z"}.get(door, "X")
    for X in (with_index(FEATURES), with_index(60, "csc"), broken("decreasing")):
        with pytest.raises(ValueError, match=rf"^{name} "):
            doors()[door](X)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_a_right_matrix_is_not_copied(kind):
    X = matrix(kind)
    checked = canonical_csr(X)
    assert np.shares_memory(checked.data, X.data) and np.shares_memory(checked.indices, X.indices)
    assert isinstance(checked, sparse.sparray) == isinstance(X, sparse.sparray)
    X.data.flags.writeable = X.indices.flags.writeable = False
    assert FrankWolfeSVC().fit(X, np.arange(POINTS) % 2).support_vectors_.shape[1] == FEATURES
