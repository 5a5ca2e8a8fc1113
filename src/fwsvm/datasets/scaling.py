"""Scaling of the features: fitted on the training part, applied to both parts."""

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.base.ranges import require_range
from fwsvm.datasets.storage import convert

LARGEST_DENSE = 2**28


def scale(name, scaling, X_train, X_test):
    """Scale both parts of a data set by what is fitted to the training part; returns them and a record for JSON.

    ``minmax`` maps each feature's training range to [low, high], as svm-scale does; ``standard`` gives it mean
    0 and standard deviation 1. With both, a feature that is constant in the training part becomes zero
    everywhere. ``unit-length`` divides each point by its Euclidean norm (a zero point stays), ``divide`` all
    values by one number.

    Sparse data stay sparse with ``unit-length`` and ``divide``, and with ``minmax`` where it maps zero to zero
    for every feature.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        match scaling.method:
            case "none":
                scaled = X_train, X_test, {"method": "none"}
            case "divide":
                by = scaling.divide
                scaled = _divided(X_train, by), _divided(X_test, by), {"method": "divide", "by": by}
            case "unit-length":
                scaled = unit_length(X_train), unit_length(X_test), {"method": "unit-length"}
            case "minmax":
                scaled = _minmax(name, X_train, X_test, *scaling.minmax)
            case "standard":
                scaled = _standard(name, X_train, X_test)
    for part, X in (("training", scaled[0]), ("test", scaled[1])):
        values = X.data if scipy.sparse.issparse(X) else X
        if scaling.method != "none" and not np.isfinite(values).all():
            what = f"the scaling {scaling.method} makes values of the {part} part too large for a number"
            raise DataError(f"{name}: {what}; use another scaling")
        try:
            require_range(X, f"{name}: the {part} part", "Give the entry another 'scaling', such as minmax")
        except ValueError as error:
            raise DataError(str(error)) from error
    return scaled


def unit_length(X):
    """Each row divided by its Euclidean norm; a row of zeros stays."""
    if not scipy.sparse.issparse(X):
        # The largest value first, so that squares neither overflow nor vanish.
        X = X / _or_one(np.abs(X).max(axis=1))[:, None]
        return X / _or_one(np.sqrt((X * X).sum(axis=1)))[:, None]
    X = scipy.sparse.csr_matrix(X, dtype=np.float64, copy=True)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    largest = np.zeros(X.shape[0])
    np.maximum.at(largest, rows, np.abs(X.data))
    X.data /= _or_one(largest)[rows]
    X.data /= _or_one(np.sqrt(np.bincount(rows, X.data * X.data, minlength=X.shape[0])))[rows]
    return X


def _minmax(name, X_train, X_test, low, high):
    minimum, maximum = _extremes(X_train)
    varies = maximum > minimum
    span = np.where(varies, maximum - minimum, np.inf)
    record = {"method": "minmax", "range": [low, high], "minimum": minimum.tolist(), "maximum": maximum.tolist()}
    if scipy.sparse.issparse(X_train) and low == 0 and not minimum[varies].any():
        return *(_stretched(X, span, high) for X in (X_train, X_test)), record
    offset = np.where(varies, low, 0.0)
    return *(_affine(_dense(name, X), minimum, span, high - low, offset) for X in (X_train, X_test)), record


def _standard(name, X_train, X_test):
    X_train = _dense(name, X_train)
    mean, deviation = X_train.mean(axis=0), X_train.std(axis=0)
    varies = (X_train.max(axis=0) > X_train.min(axis=0)) & (deviation > 0)
    span = np.where(varies, deviation, np.inf)
    record = {"method": "standard", "mean": mean.tolist(), "deviation": deviation.tolist()}
    return *(_affine(X, mean, span, 1.0, 0.0) for X in (X_train, _dense(name, X_test))), record


def _extremes(X):
    if not scipy.sparse.issparse(X):
        return X.min(axis=0), X.max(axis=0)
    full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    minimum, maximum = (np.where(full, start, 0.0) for start in (np.inf, -np.inf))
    np.minimum.at(minimum, X.indices, X.data)
    np.maximum.at(maximum, X.indices, X.data)
    return minimum, maximum


def _stretched(X, span, high):
    """X / span * high, which leaves zeros alone."""
    X = scipy.sparse.csr_matrix(X, dtype=np.float64, copy=True)
    X.data /= span[X.indices]
    X.data *= high
    X.eliminate_zeros()
    return X


def _divided(X, divisor):
    if not scipy.sparse.issparse(X):
        return X / divisor
    X = scipy.sparse.csr_matrix(X, dtype=np.float64, copy=True)
    X.data /= divisor
    return X


def _affine(X, start, span, width, offset):
    """(X - start) / span * width + offset, step by step in one new array."""
    X = X - start
    X /= span
    X *= width
    X += offset
    return X


def _dense(name, X):
    values = X.shape[0] * X.shape[1]
    if scipy.sparse.issparse(X) and values > LARGEST_DENSE:
        what = f"{name}: {values} values are too many to be made dense by this scaling"
        raise DataError(f"{what}; use unit-length, divide, or minmax from 0 for data without negative values")
    return convert(X, "dense")


def _or_one(values):
    return np.where(values > 0, values, 1.0)
