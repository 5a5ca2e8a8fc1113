"""The computation of columns of Q for compiled loops.

The layout says how the data are stored. Each layout has its own machine code, which is compiled
when the layout is first used.

* ``DENSE``: dense points that are stored feature by feature. One loop computes a column. Squared
  distances are sums of squared differences, which are more exact than differences of dot products.
* ``SPARSE``: sparse points. The dot products of one point with all points are computed from a copy
  of the points that is stored by columns.
* ``BINARY``: like ``SPARSE``, but every nonzero is 1, so a dot product is the number of features
  that both points have.
* ``GIVEN``: a matrix in memory. It has kernel values, which the user gives or which are computed
  before, or it is a given Q. A column is read from a row of this matrix.
* ``GIVEN_TWICE``: like ``GIVEN``, but the matrix and its transpose differ by rounding errors. Each
  column comes from the mean of the matrix and its transpose.
* ``BLOCKS``: kernel values of a pair of classes, which are stored in three blocks (within each
  class, and between the classes).
"""

from __future__ import annotations

import copy
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.kernels import loops
from fwsvm.kernels.kinds import Kind, is_isotropic, kernel_values, squared_distances
from fwsvm.machine_code.compiled import array_at, call, compiled, fast_min, machine_address

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fwsvm.machine_code.signatures import Precision, Record
    from fwsvm.machine_code.threads import Workers

# the layouts that the docstring of this module describes
DENSE, SPARSE, BINARY, GIVEN, BLOCKS, GIVEN_TWICE = range(6)
TILE = loops.TILE
# If the kernel values are given, GIVEN_VALUES is passed instead of `Kernel.arguments`. These
# numbers describe a kernel that does not change the values.
GIVEN_VALUES = (int(Kind.LINEAR), 1.0, 1, 0.0)

# Compiled loops read their arguments from a record. A field of the record is a number, or the
# address of an array. The address is 0 if there is no such array.
_ARRAY_FIELDS = (
    "labels",
    "shifts",
    "linear",
    "evaluations",
    "features",
    "norms",
    "row_start",
    "row_index",
    "row_data",
    "column_start",
    "column_index",
    "column_data",
    "dots",
    "counts",
    "matrix",
    "index",
    "within_first",
    "between",
    "within_second",
)
_INTEGER_FIELDS = ("kind", "degree", "size", "n_features", "n_stored", "n_first", "begin", "end")
_NUMBER_FIELDS = ("gamma", "coef0", "offset", "shift", "largest_norm")
_SOURCE_RECORD = np.dtype(
    [(name, "i8") for name in (*_ARRAY_FIELDS, *_INTEGER_FIELDS)]
    + [(name, "f8") for name in _NUMBER_FIELDS]
)


class ColumnSource:
    """The columns of Q_ij = y_i y_j (k_ij + offset) + delta_ij shift - (l_i + l_j) / 2.

    Here k_ij is a kernel value, y_i is the label of point i, and delta_ij is 1 if i = j and 0
    otherwise. `shift` is added to the diagonal, for example 1/C. `linear` is the vector l. Because
    sum(a) = 1, a linear term -l'a of the quadratic program can be written as a part of Q. `kernel`
    is `Kernel.arguments`, or `GIVEN_VALUES` if the kernel values are given. Features, dot products
    and given kernel values have the type `precision`, and columns have the type `dtype`.
    `evaluations` (1,) counts kernel values.

    Each layout needs its own arrays:

    * ``DENSE``: `features` (d, m).
    * ``SPARSE`` and ``BINARY``: the squared `norms` (m,), the CSR and CSC arrays (`row_start`,
      `column_start`, ...), and memory for dot products, `dots` (m,). ``BINARY`` also needs `counts`
      (m,). If the squared norms of two points both exceed `largest_norm`, their distance is
      computed from differences.
    * ``GIVEN`` and ``GIVEN_TWICE``: `matrix` (n, n), and `index` (m,), which has the row of each
      point in this matrix.
    * ``BLOCKS``: `within_first` (p, p), `between` (p, q) and `within_second` (q, q).
    """

    def __init__(
        self,
        layout: int,
        kernel: tuple[int, float, int, float],
        size: int,
        precision: DTypeLike,
        dtype: DTypeLike,
        largest_norm: float = np.inf,
        **arrays: np.ndarray,
    ) -> None:
        self.layout, self.precision, self.dtype = layout, np.dtype(precision), np.dtype(dtype)
        self.arrays: dict[str, np.ndarray] = {}
        self.record, self._lock = np.zeros(1, _SOURCE_RECORD), Lock()
        for name, value in zip(("kind", "gamma", "degree", "coef0"), kernel, strict=True):
            self.record[name] = value
        self.record["largest_norm"] = largest_norm
        # only the entries from `begin` up to `end` (exclusive) of a column are computed
        self.record["size"] = self.record["end"] = size
        self._set(labels=np.ones(size, np.int8), **arrays)
        for number, name in (
            ("n_features", "features"),
            ("n_first", "between"),
            ("n_stored", "matrix"),
        ):
            self.record[number] = len(arrays.get(name, ()))
        if layout in (SPARSE, BINARY):
            self.record["n_features"] = len(arrays["column_start"]) - 1
            self.record["n_stored"] = len(arrays["row_index"])

    def _set(self, **arrays: np.ndarray) -> None:
        for name, array in arrays.items():
            if not array.flags.c_contiguous:
                # compiled loops read only the address of an array, not its strides
                raise ValueError(f"{name} must be contiguous")
            self.arrays[name], self.record[name] = array, array.ctypes.data

    def handle(self, workers: Workers | None = None) -> np.ndarray:
        """Return an int64 array (2,) of two addresses: the address of the compiled function that
        computes columns, and the address of the record with its arguments.

        If `workers` is given and there are enough points, its threads share the work.
        """
        address, _ = _machine_code(self.layout, self.precision, self.dtype)
        parts = workers.parts(self.record) if workers else None
        if workers is None or parts is None:
            return np.array([address, self.record.ctypes.data])
        # `_call` is an attribute because the call must exist as long as its address is used
        self._call = workers.team_call(address, parts)
        return self._call.handle

    @property
    def copied_mb(self) -> float:
        names = {"features", "column_index", "column_data"} & self.arrays.keys()
        return sum(self.arrays[name].nbytes for name in names) / 1e6

    def changed(
        self,
        offset: float | None = None,
        shift: float | np.ndarray | None = None,
        **arrays: np.ndarray,
    ) -> ColumnSource:
        """Return a copy with another offset, another diagonal shift or other arrays.

        `shift` is one number, or an array (m,) of one number per point. The keyword arguments in
        `arrays` can be `labels` (m,) of -1 and +1, `linear` (m,), and `evaluations` (1,), which
        counts kernel values.
        """
        other = copy.copy(self)
        types = {"labels": np.int8, "linear": np.float64, "shifts": np.float64}
        other.arrays, other.record = dict(self.arrays), self.record.copy()
        # Each copy has its own memory for intermediate results, because several threads can use
        # several copies at the same time.
        arrays |= {
            name: np.empty_like(self.arrays[name])
            for name in ("dots", "counts")
            if name in self.arrays
        }
        if offset is not None:
            other.record["offset"] = offset
        if shift is not None:
            other.record["shift"] = other.record["shifts"] = 0
            if isinstance(shift, np.ndarray):
                arrays |= {"shifts": shift}
            else:
                other.record["shift"] = shift
        other._set(
            **{
                name: np.ascontiguousarray(array, dtype=types.get(name))
                for name, array in arrays.items()
            }
        )
        return other

    def fill(self, i: int, out: np.ndarray) -> None:
        """Write column i of Q into `out` (m,).

        Raise a ValueError if `out` does not have the type `dtype` and the shape (m,), or is not
        contiguous.
        """
        if (
            out.dtype != self.dtype
            or out.shape != (int(self.record["size"][0]),)
            or not out.flags.c_contiguous
        ):
            raise ValueError(
                f"out must be a contiguous array of {self.record['size'][0]} numbers of type"
                f" {self.dtype}"
            )
        with self._lock:
            write_column(self.handle(), i, out)


@compiled(inline=True)
def write_column(handle: np.ndarray, i: int, out: np.ndarray) -> None:
    """Write column i of Q into `out` (m,)."""
    call(handle[0], handle[1], i, out.ctypes.data)


@cache
def _machine_code(layout: int, precision: np.dtype, dtype: np.dtype) -> tuple[int, Any]:
    """Return the address of the machine code that writes columns of Q if the points are stored in
    this layout, and an object that keeps this code in memory.
    """
    fill, precision, dtype = _LAYOUTS[layout], precision.type, dtype.type

    def column(source: int, i: int, out: int) -> None:
        record = array_at(source, 1, _SOURCE_RECORD)[0]
        size, begin, end = record.size, record.begin, record.end
        values = array_at(out, size, dtype)
        fill(record, precision, i, values)
        if begin == 0 and record.evaluations != 0:
            array_at(record.evaluations, 1, np.int64)[0] += size
        if begin <= i < end:
            values[i] += dtype(
                record.shift if record.shifts == 0 else array_at(record.shifts, size, np.float64)[i]
            )
        if record.linear != 0:
            linear = array_at(record.linear, size, np.float64)
            for r in range(begin, end):
                values[r] -= 0.5 * (linear[i] + linear[r])

    return machine_address(column)


@compiled(inline=True)
def _write_signed(
    source: Record, own: float | np.floating[Any], values: np.ndarray, begin: int, out: np.ndarray
) -> None:
    """Write own * y[begin + r] * (values[r] + offset) to out[begin + r], where `own` is the label
    y_i of column i.
    """
    labels = array_at(source.labels, source.size, np.int8)[begin:]
    offset, sign = values.dtype.type(source.offset), values.dtype.type(own)
    target = out[begin:]
    for r in range(values.shape[0]):
        target[r] = sign * values.dtype.type(labels[r]) * (values[r] + offset)


@compiled(inline=True)
def _finish(source: Record, i: int, begin: int, values: np.ndarray, out: np.ndarray) -> None:
    kernel_values(source.kind, source.gamma, source.degree, source.coef0, values)
    _write_signed(source, array_at(source.labels, source.size, np.int8)[i], values, begin, out)


@compiled(inline=True)
def _dense_column(source: Record, precision: Precision, i: int, out: np.ndarray) -> None:
    d, m = source.n_features, source.size
    features = array_at(source.features, (d, m), precision)
    point, tile = np.empty(d, precision), np.empty(TILE, precision)
    for f in range(d):
        point[f] = features[f, i]
    for begin in range(source.begin, source.end, TILE):
        end = fast_min(begin + TILE, source.end)
        values = tile[: end - begin]
        loops.dense_tile(is_isotropic(source.kind), features, begin, end, point, values)
        _finish(source, i, begin, values, out)


@compiled
def _replace_distances(source: Record, i: int, begin: int, values: np.ndarray) -> None:
    """Replace the squared distances in `values` between point i and other points of large norm.

    The norm of point i is large, too. The new values are computed from differences, because
    distances from dot products are not precise for two such points.
    """
    stored, norms = source.n_stored, array_at(source.norms, source.size, np.float64)
    row_start = array_at(source.row_start, source.size + 1, np.int64)
    row_index = array_at(source.row_index, stored, np.uint32)
    rows = row_start, row_index, array_at(source.row_data, stored, np.float64)
    for r in range(values.shape[0]):
        if norms[begin + r] > source.largest_norm:
            values[r] = loops.distance(rows, i, rows, begin + r)


@compiled(inline=True)
def _column_of_dots(source: Record, dots: np.ndarray, i: int, out: np.ndarray) -> None:
    """Turn dot products of point i with all points into column i of Q."""
    norms = array_at(source.norms, source.size, np.float64)
    for begin in range(source.begin, source.end, TILE):
        end = fast_min(begin + TILE, source.end)
        values = dots[begin:end]
        if is_isotropic(source.kind):
            squared_distances(norms[i], norms[begin:end], values)
            if norms[i] > source.largest_norm:
                _replace_distances(source, i, begin, values)
        _finish(source, i, begin, values, out)


@compiled
def _part_of(source: Record, f: int) -> tuple[int, int]:
    """Return where the nonzeros of feature f in the points from `begin` to `end` are stored: the
    index of the first, and the index after the last.
    """
    start = array_at(source.column_start, source.n_features + 1, np.int64)
    index = array_at(source.column_index, source.n_stored, np.uint32)
    first, last = start[f], start[f + 1]
    if source.begin > 0:
        first = _first_at_least(index, first, last, source.begin)
    if source.end < source.size:
        last = _first_at_least(index, first, last, source.end)
    return first, last


@compiled
def _first_at_least(index: np.ndarray, first: int, last: int, value: int) -> int:
    while first < last:
        middle = (first + last) // 2
        if np.int64(index[middle]) < value:
            first = middle + 1
        else:
            last = middle
    return first


@compiled(inline=True)
def _sparse_column(source: Record, precision: Precision, i: int, out: np.ndarray) -> None:
    m, stored = source.size, source.n_stored
    row_start = array_at(source.row_start, m + 1, np.int64)
    row_index = array_at(source.row_index, stored, np.uint32)
    row_data = array_at(source.row_data, stored, np.float64)
    column_index = array_at(source.column_index, stored, np.uint32)
    column_data = array_at(source.column_data, stored, precision)
    dots = array_at(source.dots, m, precision)
    loops.zero(dots[source.begin : source.end])
    for p in range(row_start[i], row_start[i + 1]):
        begin, end = _part_of(source, row_index[p])
        value, index, data = precision(row_data[p]), column_index[begin:end], column_data[begin:end]
        for t in range(end - begin):
            dots[index[t]] += value * data[t]
    _column_of_dots(source, dots, i, out)


@compiled(inline=True)
def _binary_column(source: Record, precision: Precision, i: int, out: np.ndarray) -> None:
    m, stored = source.size, source.n_stored
    row_start = array_at(source.row_start, m + 1, np.int64)
    row_index = array_at(source.row_index, stored, np.uint32)
    column_index = array_at(source.column_index, stored, np.uint32)
    counts = array_at(source.counts, m, np.uint16)
    loops.zero(counts[source.begin : source.end])
    for p in range(row_start[i], row_start[i + 1]):
        begin, end = _part_of(source, row_index[p])
        index = column_index[begin:end]
        for t in range(index.shape[0]):
            counts[index[t]] += 1
    dots = array_at(source.dots, m, precision)
    for r in range(source.begin, source.end):
        dots[r] = counts[r]
    _column_of_dots(source, dots, i, out)


def _given(twice: bool) -> Any:
    @compiled(inline=True)
    def _given_column(source: Record, precision: Precision, i: int, out: np.ndarray) -> None:
        n, m = source.n_stored, source.size
        index, labels = array_at(source.index, m, np.int64), array_at(source.labels, m, np.int8)
        matrix = array_at(source.matrix, (n, n), precision)
        offset = source.offset
        own = np.float64(labels[i])
        row, place = matrix[index[i]], index[i]
        for r in range(source.begin, source.end):
            value = np.float64(row[index[r]])
            if twice:
                value = 0.5 * (value + np.float64(matrix[index[r], place]))
            out[r] = own * labels[r] * (value + offset)

    return _given_column


@compiled(inline=True)
def _block_column(source: Record, precision: Precision, i: int, out: np.ndarray) -> None:
    p, q = source.n_first, source.size - source.n_first
    if source.begin > 0:
        return  # only the thread whose part begins at 0 computes the column
    labels = array_at(source.labels, p + q, np.int8)
    between = array_at(source.between, (p, q), precision)
    own, offset = precision(labels[i]), precision(source.offset)
    if i < p:
        _write_signed(source, own, array_at(source.within_first, (p, p), precision)[i], 0, out)
        _write_signed(source, own, between[i], p, out)
    else:
        for r in range(p):
            out[r] = own * precision(labels[r]) * (between[r, i - p] + offset)
        _write_signed(source, own, array_at(source.within_second, (q, q), precision)[i - p], p, out)


_LAYOUTS = {
    DENSE: _dense_column,
    SPARSE: _sparse_column,
    BINARY: _binary_column,
    GIVEN: _given(False),
    GIVEN_TWICE: _given(True),
    BLOCKS: _block_column,
}
