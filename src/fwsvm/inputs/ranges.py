"""Checks that raise errors if values or labels are missing, too large or of a wrong type."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

# If absolute values are at most _LARGEST_VALUE, the squares of the values and the sums of these
# squares fit into float64.
_LARGEST_VALUE = 1e150
# If absolute values are at least _SMALLEST_VALUE, the squares of the values do not underflow, and
# the rounding errors of these squares do not underflow.
_SMALLEST_VALUE = 1e-140
_REMEDY = (
    "Encode words (sklearn.preprocessing.OneHotEncoder), turn dates into numbers, and fill in"
    " missing values"
)
_SCALE_FEATURES = "Scale the features, for instance with sklearn.preprocessing.StandardScaler"


def require_range(
    X: Any,
    name: str,
    advice: str = _SCALE_FEATURES,
    error: type[Exception] = ValueError,
    trains: bool = False,
) -> None:
    """Raise `error` if a value of X (dense or sparse) is NaN or too large. The message names the
    column of this value.

    With `trains`, also raise `error` if all values are so small that the squared distances between
    points would underflow. `advice` says what to do about values that are too large or too small.
    """
    values = X.data if sparse.issparse(X) else np.asarray(X)
    if values.size == 0:
        return
    largest = max(float(values.max()), -float(values.min()))
    if trains and 0 < largest < _SMALLEST_VALUE:
        raise error(
            f"{name} has only values of at most {largest:.3g}, and their squares are too small for"
            f" float64. {advice}"
        )
    if largest <= _LARGEST_VALUE:
        return
    sizes = (
        np.asarray(abs(X).max(axis=0).todense()).ravel()
        if sparse.issparse(X)
        else np.abs(values).max(axis=0)
    )
    feature = int(np.argmax(sizes))
    place = f"(column {feature}, counted from 0)"
    if np.isnan(sizes[feature]):
        raise error(f"{name} has NaN values {place}")
    raise error(
        f"{name} has values up to {sizes[feature]:.3g} {place}, and their squares are too large"
        f" for float64. {advice}"
    )


def refuse_masked(values: object, name: str) -> None:
    """Raise a ValueError for a masked array with masked entries.

    NumPy would ignore the mask and use the hidden numbers.
    """
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} has masked entries: fill in their values, or leave out these rows"
        )


def require_numbers(X: Any, name: str) -> Any:
    """Return X. If X has masked entries, dates, or texts that are not numbers, raise an error.

    scikit-learn would ignore masks and read dates as numbers, and its message about a text in a
    data frame would not name the column.
    """
    refuse_masked(X, name)
    table: Any = np.asarray(X) if isinstance(X, list | tuple) else X
    if len(getattr(table, "shape", ())) != 2 or sparse.issparse(table):
        return table
    if hasattr(table, "iloc"):
        columns: Any = zip(
            table.columns,
            table.dtypes,
            (table.iloc[:, k] for k in range(table.shape[1])),
            strict=True,
        )
    elif (names := getattr(table, "column_names", getattr(table, "columns", None))) is not None:
        # The data frames of other libraries than pandas
        series = ((name, np.asarray(table[name])) for name in names)
        columns = ((name, values.dtype, values) for name, values in series)
    elif getattr(table, "dtype", np.dtype(float)).kind in "mMOU":
        columns = ((k, table.dtype, table[:, k]) for k in range(table.shape[1]))
    else:
        return table
    for column, dtype, values in columns:
        if dtype.kind in "mM":
            raise ValueError(
                f"{name}, column {column!r}: the values are dates or times ({dtype}). {_REMEDY}"
            )
        if dtype.kind in "OU":
            try:
                np.asarray(values).astype(np.float64)
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"{name}, column {column!r}: {error}. {_REMEDY}") from None
    return table


def require_finite(sums: np.ndarray) -> np.ndarray:
    """Return the float array `sums` of any shape, which has sums of weighted kernel values. If a
    sum is infinite or NaN, raise a ValueError.
    """
    if not np.isfinite(sums).all():
        raise ValueError("kernel values of X overflow: scale the features of X as in training")
    return sums


def check_labels(y: np.ndarray, name: str = "y has", error: type[Exception] = ValueError) -> None:
    """Raise `error` if the absolute value of a float label in `y` (m,) is 2^63 or more.

    Such a label does not fit into int64, to which scikit-learn and the commands convert labels
    that are integers. The message begins with `name`.
    """
    y = np.asarray(y)
    is_float = y.dtype.kind == "f" and y.size > 0 and np.isfinite(y).all()
    if is_float and float(np.abs(y).max()) >= 2.0**63:
        largest = y.flat[np.abs(y).argmax()]
        raise error(
            f"{name} the label {largest:g}; numeric labels must be integers between -2^63 and 2^63"
        )


def refuse_missing_labels(y: Any) -> None:
    """Raise a ValueError if labels are missing: masked entries, NaT, None or pandas.NA.

    scikit-learn would treat some missing labels as a class, and would refuse other missing labels
    with an unclear message.
    """
    refuse_masked(y, "y")
    labels = np.asarray(y)
    if labels.dtype.kind in "mM" and np.isnat(labels).any():
        raise ValueError("y has missing values (NaT)")
    if labels.dtype == object and y is not None:
        missing = {"NAType": "pandas.NA", "NoneType": "None"}
        found = next(
            (missing[kind] for kind in map(_type_name, labels.flat) if kind in missing), None
        )
        if found:
            raise ValueError(f"y has missing values ({found})")


def refuse_mixed_labels(y: np.ndarray) -> None:
    """Raise a ValueError if `y` (m,) is an array of Python objects that are not all strings."""
    if y.dtype == object and not all(isinstance(label, str) for label in y.flat):
        kinds = sorted(set(map(_type_name, y.flat)))
        what = (
            f"Unknown label type: y has objects ({', '.join(kinds)}), but labels must be all"
            " numbers or all texts"
        )
        raise ValueError(f"{what}; convert them, for instance with y.astype(int) or y.astype(str)")


def _type_name(value: object) -> str:
    return type(value).__name__
