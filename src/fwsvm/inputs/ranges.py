"""Checks that raise errors if values or labels are missing, too large or of a wrong type."""

from __future__ import annotations

import os
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from fwsvm.inputs.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable

# If absolute values are at most _LARGEST_VALUE, the squares of the values and the sums of these
# squares fit into float64.
_LARGEST_VALUE = 1e150
# If absolute values are at least _SMALLEST_VALUE, the squares of the values do not underflow, and
# the rounding errors of these squares do not underflow.
_SMALLEST_VALUE = 1e-140
# float64 represents every integer whose absolute value is at most _LARGEST_EXACT.
_LARGEST_EXACT = 2**53
# Training on sparse points needs at least two float64 arrays with one number per column.
_BYTES_PER_COLUMN = 16
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
    points would underflow (but not if all values are 0). `advice` says what to do about values that
    are too large or too small.
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


def require_room_for_columns(X: Any, name: str) -> None:
    """Raise a ValueError if X is sparse and has more columns than training can hold in the memory
    of this machine.
    """
    if not sparse.issparse(X):
        return
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    needed = _BYTES_PER_COLUMN * X.shape[1]
    if 0 < memory < needed:
        raise ValueError(
            f"{name} has {X.shape[1]:,} columns, and training needs at least {_BYTES_PER_COLUMN}"
            f" bytes per column ({needed / 1e9:.1f} GB), but this machine has {memory / 1e9:.1f} GB"
            " of memory; leave out the columns of zeros"
        )


def refuse_masked(values: object, name: str) -> None:
    """Raise a ValueError for a masked array with masked entries.

    NumPy would ignore the mask and use the hidden numbers.
    """
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} has masked entries: fill in their values, or leave out these rows"
        )


def require_exact(values: Any, name: str, place: Callable[[int], str] = "index {}".format) -> None:
    """Raise a ValueError if the conversion to float64 changes an integer in `values`, an array-like
    of any shape. The certificate would then be about other numbers than the given ones.

    `place` describes a position in the flattened array. Numbers that are not integers can be
    rounded: like a literal in source code, such a number means the nearest float64 number.
    """
    array = _unrounded(values)
    position = _first_changed(array)
    if position is not None:
        value = array.flat[position]
        value = int(value) if isinstance(value, np.integer) else value
        raise ValueError(
            f"{name} has the value {shown(value)} ({place(position)}, counted from 0), which"
            " float64 cannot represent, so the certificate would not hold for the given values."
            " Subtract an offset, use other units, or round the values yourself, for instance with"
            f" {name}.astype(float)"
        )


def _unrounded(values: Any) -> np.ndarray:
    """Return `values` as an array.

    NumPy rounds large integers in a list that also has floats. For such a list, the returned array
    has Python objects, which are not rounded.
    """
    array = np.asarray(values)
    has_floats = isinstance(values, list | tuple) and array.dtype.kind == "f"
    # an entry of 2^53 can be the integer 2^53 + 1, which NumPy has rounded
    if has_floats and np.abs(array).max(initial=0.0) >= _LARGEST_EXACT:
        return np.asarray(values, dtype=object)
    return array


def _first_changed(values: np.ndarray) -> int | None:
    """Return the flat index of the first integer that the conversion to float64 changes, or
    None.
    """
    kind, itemsize = values.dtype.kind, values.dtype.itemsize
    if values.size == 0:
        return None
    if kind in "iu" and itemsize == 8:
        if max(int(values.max()), -int(values.min())) <= _LARGEST_EXACT:
            return None
        floats = values.astype(np.float64)
        # If float64 rounds an integer up to 2^63 (2^64 for unsigned types), the float does not fit
        # into the integer type. It is replaced by 0, so that the comparison finds a difference.
        fits = floats < float(np.iinfo(values.dtype).max)
        changed = np.where(fits, floats, 0.0).astype(values.dtype) != values
    elif kind == "O":
        changed = np.fromiter(map(_changes, values.flat), bool, values.size)
    else:
        return None
    first = int(changed.argmax())
    return first if changed.flat[first] else None


def _changes(value: object) -> bool:
    """Test whether `value` is an integer that the conversion to float64 changes."""
    if type(value) is float or not isinstance(value, Integral):
        return False
    number = int(value)
    if abs(number) <= _LARGEST_EXACT:
        return False
    try:
        return float(number) != number
    except OverflowError:
        return True


def require_numbers(X: Any, name: str, trains: bool = False) -> Any:
    """Return X, as an array if X is a list or a tuple. If X has masked entries, dates, texts that
    are not numbers, or numbers that are too large for float64, raise an error.

    With `trains`, also raise an error if the conversion to float64 changes an integer (see
    `require_exact`). In a sparse X, only this is tested, and only if X is a CSR matrix. If X is not
    two-dimensional, only masks are tested.

    scikit-learn would ignore masks, read dates as numbers, and round large integers. Its message
    about a text in a data frame would not name the column.
    """
    refuse_masked(X, name)
    table: Any = _unrounded(X) if isinstance(X, list | tuple) else X
    if len(getattr(table, "shape", ())) != 2:
        return table
    if sparse.issparse(table):
        if trains and table.format == "csr":
            require_exact(table.data, name, lambda k: _place_in_csr(table, k))
        return table
    if hasattr(table, "iloc"):
        columns: Any = zip(
            table.columns,
            table.dtypes,
            (table.iloc[:, k] for k in range(table.shape[1])),
            strict=True,
        )
    elif (names := getattr(table, "column_names", getattr(table, "columns", None))) is not None:
        # data frames of libraries other than pandas
        series = ((name, np.asarray(table[name])) for name in names)
        columns = ((name, values.dtype, values) for name, values in series)
    elif getattr(table, "dtype", np.dtype(float)).kind in "mMOU":
        columns = ((k, table.dtype, table[:, k]) for k in range(table.shape[1]))
    else:
        if trains:
            width = table.shape[1]
            require_exact(table, name, lambda k: f"column {k % width}, row {k // width}")
        return table
    for column, dtype, values in columns:
        if dtype.kind in "mM":
            raise ValueError(
                f"{name}, column {column!r}: the values are dates or times ({dtype}). {_REMEDY}"
            )
        if dtype.kind in "OU":
            try:
                with np.errstate(over="ignore"):  # infinite numbers are refused later
                    np.asarray(values).astype(np.float64)
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"{name}, column {column!r}: {error}. {_REMEDY}") from None
            except OverflowError:
                raise ValueError(
                    f"{name}, column {column!r}: a number is too large for float64. Scale the"
                    " features"
                ) from None
        if trains:
            require_exact(values, name, partial("column {!r}, row {}".format, column))
    return table


def _place_in_csr(X: sparse.csr_matrix, position: int) -> str:
    row = np.searchsorted(X.indptr, position, side="right") - 1
    return f"column {X.indices[position]}, row {row}"


def require_finite(sums: np.ndarray) -> np.ndarray:
    """Return the float array `sums` of any shape, which has sums of weighted kernel values. If a
    sum is infinite or NaN, raise a ValueError.
    """
    if not np.isfinite(sums).all():
        raise ValueError("kernel values of X overflow: scale the features of X as in training")
    return sums


def check_labels(y: np.ndarray, name: str = "y has", error: type[Exception] = ValueError) -> None:
    """Raise `error` if the absolute value of a float label in `y` (m,) is 2^63 or more. If a label
    is not finite, nothing is checked here.

    A label of 2^63 or more does not fit into int64, to which scikit-learn and the commands convert
    labels that are integers. The message begins with `name`.
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
