"""Refuse values and labels that are too large, before any kernel value is computed."""

import numpy as np
from scipy import sparse

_LARGEST_VALUE = 1e150  # squares of values up to this one, and sums of such squares, fit into float64
_ADVICE = "Scale the features, for instance with sklearn.preprocessing.StandardScaler"


def require_range(X, name, advice=_ADVICE, error=ValueError):
    """Raise `error` if a value of X (dense or sparse) is NaN or too large. The message names the column."""
    values = X.data if sparse.issparse(X) else np.asarray(X)
    if values.size == 0 or max(float(values.max()), -float(values.min())) <= _LARGEST_VALUE:
        return
    sizes = np.asarray(abs(X).max(axis=0).todense()).ravel() if sparse.issparse(X) else np.abs(values).max(axis=0)
    feature = int(np.argmax(sizes))
    place = f"(column {feature}, counted from 0)"
    if np.isnan(sizes[feature]):
        raise error(f"{name} has NaN values {place}")
    raise error(f"{name} has values up to {sizes[feature]:.3g} {place}: their squares overflow. {advice}")


def require_finite(sums):
    """Return the kernel expansions `sums`, or raise a ValueError if one of them overflowed."""
    if not np.isfinite(sums).all():
        raise ValueError("kernel values of X overflow: scale the features of X as in training")
    return sums


def check_labels(y, name="y holds", error=ValueError):
    """Raise `error` if the absolute value of a float label is 2^63 or more. The message begins with `name`."""
    y = np.asarray(y)
    if y.dtype.kind == "f" and y.size and np.isfinite(y).all() and np.abs(y).max() >= 2.0**63:
        largest = y.flat[np.abs(y).argmax()]
        raise error(f"{name} a label of {largest:g}; numeric labels must be integers between -2^63 and 2^63")


def refuse_missing_labels(y):
    """Raise a ValueError for labels with pandas.NA; scikit-learn's check of labels ends in a TypeError for them."""
    labels = np.asarray(y)
    if labels.dtype == object and any(type(label).__name__ == "NAType" for label in labels.ravel()):
        raise ValueError("y has missing values (pandas.NA)")
