"""Compare the scalings with scikit-learn and with the definition of svm-scale.

Sparse data must stay sparse if the scaling maps zero to zero.
"""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.preprocessing import Normalizer, StandardScaler

from fwsvm_papers.datasets import prepare as prepare_module
from fwsvm_papers.datasets.entries import Scaling
from fwsvm_papers.datasets.prepare import scale

RNG = np.random.default_rng(3)
X_TRAIN = RNG.normal(5, 3, size=(30, 6)) * (RNG.random((30, 6)) < 0.7)
X_TEST = RNG.normal(5, 3, size=(11, 6))
X_TRAIN[:, 4], X_TRAIN[4] = 2.5, 0
X_TRAIN[4, 4] = 2.5

scaling = Scaling.model_validate


def dense(X):
    return X.toarray() if scipy.sparse.issparse(X) else X


def scaled(chosen, kind=np.asarray):
    X_train, X_test = kind(X_TRAIN), kind(X_TEST)
    *parts, record = scale("x", chosen, X_train, X_test)
    np.testing.assert_array_equal(dense(X_train), X_TRAIN)  # the input is not changed
    return *map(dense, parts), record


KINDS = pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])


@KINDS
def test_standard_is_scikit_learns_and_a_constant_becomes_zero(kind):
    train, test, record = scaled(scaling("standard"), kind)
    reference = StandardScaler().fit(X_TRAIN)
    varies = [0, 1, 2, 3, 5]
    np.testing.assert_allclose(train, reference.transform(X_TRAIN), atol=1e-12)
    np.testing.assert_allclose(test[:, varies], reference.transform(X_TEST)[:, varies], atol=1e-12)
    assert not test[:, 4].any()
    np.testing.assert_allclose(record["mean"], reference.mean_)


@KINDS
@pytest.mark.parametrize("bounds", [(-1, 1), (0, 1), (2, 5)])
def test_minmax_is_svm_scales(kind, bounds):
    """svm-scale computes low + (high - low) * (value - min) / (max - min). It omits a constant
    feature, which is then zero.
    """
    low, high = bounds
    train, test, record = scaled(scaling({"minmax": [low, high]}), kind)
    minimum, maximum = X_TRAIN.min(axis=0), X_TRAIN.max(axis=0)
    for X, found in ((X_TRAIN, train), (X_TEST, test)):
        for column in (0, 1, 2, 3, 5):
            share = (X[:, column] - minimum[column]) / (maximum[column] - minimum[column])
            np.testing.assert_allclose(found[:, column], low + (high - low) * share, atol=1e-12)
        assert not found[:, 4].any()
    assert record["minimum"] == minimum.tolist() and (train.min(axis=0)[:4] == low).all()
    assert (train.max(axis=0)[:4] == high).all()


@KINDS
def test_unit_length_is_scikit_learns_and_a_zero_point_stays(kind):
    X = X_TRAIN.copy()
    X[7] = 0
    parts = scale("x", scaling("unit-length"), kind(X), kind(X_TEST))[:2]
    for found, given_points in zip(parts, (X, X_TEST), strict=True):
        assert scipy.sparse.issparse(found) is (kind is scipy.sparse.csr_matrix)
        np.testing.assert_allclose(dense(found), Normalizer().transform(given_points), rtol=1e-12)


@KINDS
def test_divide(kind):
    parts = scale("x", scaling({"divide": 255}), kind(X_TRAIN), kind(X_TEST))
    assert scipy.sparse.issparse(parts[0]) is (kind is scipy.sparse.csr_matrix)
    np.testing.assert_array_equal(dense(parts[0]), X_TRAIN / 255)
    assert parts[2] == {"method": "divide", "by": 255.0}


def test_minmax_from_zero_keeps_sparse_data_sparse_and_agrees_with_dense(monkeypatch):
    monkeypatch.setattr(prepare_module, "LARGEST_DENSE", 0)
    train = np.abs(X_TRAIN)
    train[:, 1] = 0
    expected = scale("x", scaling({"minmax": [0, 3]}), train, X_TEST)
    found = scale(
        "x",
        scaling({"minmax": [0, 3]}),
        scipy.sparse.csr_matrix(train),
        scipy.sparse.csr_matrix(X_TEST),
    )
    for sparse_part, dense_part in zip(found[:2], expected[:2], strict=True):
        assert scipy.sparse.isspmatrix_csr(sparse_part)
        np.testing.assert_array_equal(sparse_part.toarray(), dense_part)
    assert found[2] == expected[2]


matrices = arrays(
    np.float64, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=st.floats(-1e300, 1e300)
)


@given(matrices)
def test_unit_length_of_any_size_of_numbers(X):
    for kind in (np.asarray, scipy.sparse.csr_matrix):
        found = dense(prepare_module.unit_length(kind(X)))
        lengths = np.linalg.norm(found, axis=1)
        np.testing.assert_allclose(lengths[np.abs(X).max(axis=1) > 0], 1, rtol=1e-12)
        assert not lengths[np.abs(X).max(axis=1) == 0].any()
