"""Scale the features of the training and test parts.

The scaling is fitted to the training part only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from fwsvm.inputs.errors import DataError
from fwsvm.inputs.ranges import require_range
from fwsvm.inputs.storage import convert

if TYPE_CHECKING:
    from fwsvm_papers.datasets.entries import Scaling
    from fwsvm_papers.datasets.storage import Points

LARGEST_DENSE = 2**28


def scale(
    name: str, scaling: Scaling, X_train: Points, X_test: Points
) -> tuple[Points, Points, dict]:
    """Fit a scaling to the training part and scale both parts.

    Return the scaled parts, and the scaling as a dict for JSON.
    """
    scaled: tuple[Points, Points, dict]
    with np.errstate(over="ignore", invalid="ignore"):
        match scaling.method:
            case "none":
                scaled = X_train, X_test, {"method": "none"}
            case "divide":
                by = scaling.divide
                record = {"method": "divide", "by": by}
                scaled = _divided(X_train, by), _divided(X_test, by), record
            case "unit-length":
                scaled = unit_length(X_train), unit_length(X_test), {"method": "unit-length"}
            case "minmax":
                scaled = _minmax(name, X_train, X_test, *scaling.minmax)
            case "standard":
                scaled = _standard(name, X_train, X_test)
    for part, X in (("training", scaled[0]), ("test", scaled[1])):
        require_range(
            X,
            f"{name}: the {part} part",
            "Give the entry another 'scaling', such as minmax",
            DataError,
        )
    return scaled


def unit_length(X: Points) -> Points:
    """Return X with each row divided by its Euclidean norm. Rows of zeros do not change."""
    if not scipy.sparse.issparse(X):
        # Divide by the largest absolute value first, so that squares neither overflow nor become 0.
        X = X / _or_one(np.abs(X).max(axis=1))[:, None]
        return X / _or_one(np.sqrt((X * X).sum(axis=1)))[:, None]
    X = scipy.sparse.csr_matrix(X, dtype=np.float64, copy=True)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    X.data /= _or_one(abs(X).max(axis=1).toarray().ravel())[rows]
    X.data /= _or_one(np.sqrt(np.bincount(rows, X.data * X.data, minlength=X.shape[0])))[rows]
    return X


def _minmax(
    name: str, X_train: Points, X_test: Points, low: float, high: float
) -> tuple[Points, Points, dict]:
    minimum, maximum = (
        convert(part, "dense").ravel() for part in (X_train.min(axis=0), X_train.max(axis=0))
    )
    varies = maximum > minimum
    span = np.where(varies, maximum - minimum, np.inf)
    record = {
        "method": "minmax",
        "range": [low, high],
        "minimum": minimum.tolist(),
        "maximum": maximum.tolist(),
    }
    if scipy.sparse.issparse(X_train) and low == 0 and not minimum[varies].any():
        train, test = _divided_csr(X_train, span), _divided_csr(X_test, span)
        for X in (train, test):
            X.data *= high
            X.eliminate_zeros()
        return train, test, record
    offset = np.where(varies, low, 0.0)
    train, test = (
        (_dense(name, X) - minimum) / span * (high - low) + offset for X in (X_train, X_test)
    )
    return train, test, record


def _standard(name: str, X_train: Points, X_test: Points) -> tuple[np.ndarray, np.ndarray, dict]:
    X_train = _dense(name, X_train)
    mean, deviation = X_train.mean(axis=0), X_train.std(axis=0)
    varies = (X_train.max(axis=0) > X_train.min(axis=0)) & (deviation > 0)
    span = np.where(varies, deviation, np.inf)
    record = {"method": "standard", "mean": mean.tolist(), "deviation": deviation.tolist()}
    # Adding 0.0 turns -0.0 into 0.0.
    train, test = ((X - mean) / span + 0.0 for X in (X_train, _dense(name, X_test)))
    return train, test, record


def _divided(X: Points, divisor: np.ndarray | float) -> Points:
    """Return X divided by one number, or each feature by its own number (d,). Sparse data stay
    sparse.
    """
    return _divided_csr(X, divisor) if scipy.sparse.issparse(X) else X / divisor


def _divided_csr(
    X: scipy.sparse.csr_matrix, divisor: np.ndarray | float
) -> scipy.sparse.csr_matrix:
    X = scipy.sparse.csr_matrix(X, dtype=np.float64, copy=True)
    X.data /= np.broadcast_to(divisor, X.shape[1])[X.indices]
    return X


def _dense(name: str, X: Points) -> np.ndarray:
    if scipy.sparse.issparse(X) and X.shape[0] * X.shape[1] > LARGEST_DENSE:
        raise DataError(
            f"this scaling would make {name} dense, and {name} is too large for that; use"
            " unit-length, divide, or minmax with a range from 0"
        )
    return convert(X, "dense")


def _or_one(values: np.ndarray) -> np.ndarray:
    return np.where(values > 0, values, 1.0)
