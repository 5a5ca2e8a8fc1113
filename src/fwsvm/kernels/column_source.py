"""Columns of Q computed inside compiled loops: one record says where the kernel values come from.

A solver that misses a column calls `fill_column` without returning to Python. The layouts:

* ``DENSE``: a fused loop over feature-major points (squared differences, free of cancellation).
* ``SPARSE``: dot products of one point with all points, scattered through the column-major copy.
* ``BINARY``: as ``SPARSE`` where every nonzero is 1: the dot products are counted in integers and exact.
* ``GIVEN``: a given matrix of kernel values (or of Q itself), read by rows through an index.
* ``GIVEN_TWICE``: as ``GIVEN`` where the two triangles differ by rounding: the mean of both.
* ``BLOCKS``: one-versus-one pairs: kernel values within and between two classes, shared by pairs.
"""

from collections import namedtuple

import numpy as np

from fwsvm.base.compiled import compiled
from fwsvm.kernels import loops as loops

DENSE, SPARSE, BINARY, GIVEN, BLOCKS, GIVEN_TWICE = range(6)
TILE = loops.TILE

ColumnSource = namedtuple(
    "ColumnSource",
    "layout kind gamma degree labels offset ridge ridges features norms row_start row_index row_data"
    " column_start column_index column_data dots counts matrix index within_first between within_second evaluations"
    " linear",
)
ColumnSource.__doc__ = """Where columns of Q_ij = y_i y_j (k_ij + offset) + delta_ij ridge - (l_i + l_j) / 2 come from.

The ridge is `ridge` for all points, or, where weights give every point its own, `ridges` (m,), otherwise empty.
`features` (d, m), `norms` (m,), rows and columns of a sparse matrix, `dots` and `counts` (m,) as room to work in,
`matrix` with `index`, and the blocks (p, p), (p, q), (q, q) of two classes are empty where the layout has no use for
them, so that one compiled loop serves every layout. `evaluations` (1,) counts kernel values. `linear` (m,) is the l of
a linear term -l'a, folded into Q since sum(a) = 1; it is empty where there is none.
"""


def column_source(layout, kernel, labels, dtype, evaluations, **arrays):
    """A source with these arrays, the others empty; `dtype` is the precision of the arithmetic.

    Parameters
    ----------
    layout : int
    kernel : tuple
        `Kernel.arguments`, or (LINEAR, 1.0, 1) for a given Q.
    labels : array of shape (m,)
    dtype : float32 or float64
    evaluations : int64 array of shape (1,)
    **arrays
        Fields of `ColumnSource`.
    """
    kind, gamma, degree = kernel
    empty = {
        "features": np.empty((0, 0), dtype),
        "norms": np.empty(0),
        "row_start": np.empty(0, np.int64),
        "row_index": np.empty(0, np.uint32),
        "row_data": np.empty(0),
        "column_start": np.empty(0, np.int64),
        "column_index": np.empty(0, np.uint32),
        "column_data": np.empty(0, dtype),
        "dots": np.empty(0, dtype),
        "counts": np.empty(0, np.uint16),
        "matrix": np.empty((0, 0), dtype),
        "index": np.empty(0, np.int64),
        "within_first": np.empty((0, 0), dtype),
        "between": np.empty((0, 0), dtype),
        "within_second": np.empty((0, 0), dtype),
        "linear": np.empty(0),
    }
    return ColumnSource(
        layout=layout, kind=kind, gamma=gamma, degree=degree, labels=np.asarray(labels).astype(np.int8),
        offset=0.0, ridge=0.0, ridges=np.empty(0), evaluations=evaluations, **{**empty, **arrays},
    )  # fmt: skip


def with_ridge(source, ridge):
    """The source with this ridge: one number, or one per point (m,)."""
    if np.ndim(ridge) == 0:
        return source._replace(ridge=float(ridge), ridges=np.empty(0))
    return source._replace(ridge=0.0, ridges=np.ascontiguousarray(ridge, dtype=np.float64))


@compiled
def _write_signed(source, own, values, begin, out):
    """out[begin + r] <- own y_r (values[r] + offset)."""
    shift, sign = values.dtype.type(source.offset), values.dtype.type(own)
    end = begin + values.shape[0]
    labels, target = source.labels[begin:end], out[begin:end]
    for r in range(values.shape[0]):
        target[r] = sign * values.dtype.type(labels[r]) * (values[r] + shift)


@compiled
def _scatter(source, i):
    """Dot products of sparse point i with all points into `source.dots`."""
    dots, columns = source.dots, source.column_start
    loops.zero(dots)
    for p in range(source.row_start[i], source.row_start[i + 1]):
        feature = source.row_index[p]
        value = dots.dtype.type(source.row_data[p])
        begin, end = columns[feature], columns[feature + 1]
        index, data = source.column_index[begin:end], source.column_data[begin:end]
        for t in range(end - begin):
            dots[index[t]] += value * data[t]


@compiled
def _count(source, i):
    """As `_scatter` where every nonzero is 1."""
    dots, counts, columns = source.dots, source.counts, source.column_start
    loops.zero(counts)
    for p in range(source.row_start[i], source.row_start[i + 1]):
        feature = source.row_index[p]
        index = source.column_index[columns[feature] : columns[feature + 1]]
        for t in range(index.shape[0]):
            counts[index[t]] += 1
    for r in range(counts.shape[0]):
        dots[r] = counts[r]


@compiled
def _computed_column(source, i, out):
    """A column from the points: distances or dot products of a tile, kernel values, signs."""
    is_dense, is_rbf = source.layout == DENSE, source.kind == loops.RBF
    features, norms = source.features, source.norms
    if source.layout == SPARSE:
        _scatter(source, i)
    elif source.layout == BINARY:
        _count(source, i)
    point = np.empty(features.shape[0], features.dtype)
    if is_dense:
        for f in range(point.shape[0]):
            point[f] = features[f, i]
    tile = np.empty(TILE, features.dtype)
    for begin in range(0, out.shape[0], TILE):
        end = min(begin + TILE, out.shape[0])
        if is_dense:
            values = tile[: end - begin]
            loops.dense_tile(is_rbf, features, begin, end, point, values)
        else:
            values = source.dots[begin:end]
            if is_rbf:
                loops.squared_distances(norms[i], norms[begin:end], values)
        loops.kernel_values(source.kind, source.gamma, source.degree, values)
        _write_signed(source, source.labels[i], values, begin, out)


@compiled
def _given_column(source, i, out):
    matrix, index, labels = source.matrix, source.index, source.labels
    place, shift, own = index[i], np.float64(source.offset), np.float64(labels[i])
    row = matrix[place]
    if source.layout == GIVEN:
        for r in range(index.shape[0]):
            out[r] = own * labels[r] * (np.float64(row[index[r]]) + shift)
    else:
        for r in range(index.shape[0]):
            value = 0.5 * (np.float64(row[index[r]]) + np.float64(matrix[index[r], place]))
            out[r] = own * labels[r] * (value + shift)


@compiled
def _block_column(source, i, out):
    between, p = source.between, source.between.shape[0]
    own = between.dtype.type(source.labels[i])
    if i < p:
        _write_signed(source, own, source.within_first[i], 0, out)
        _write_signed(source, own, source.between[i], p, out)
        return
    column = i - p
    shift = between.dtype.type(source.offset)
    for r in range(p):
        out[r] = own * between.dtype.type(source.labels[r]) * (between[r, column] + shift)
    _write_signed(source, own, source.within_second[column], p, out)


@compiled
def fill_column(source, i, out):
    """Column i of Q into `out` (m,)."""
    if source.layout == GIVEN or source.layout == GIVEN_TWICE:
        _given_column(source, i, out)
    elif source.layout == BLOCKS:
        _block_column(source, i, out)
    else:
        _computed_column(source, i, out)
        source.evaluations[0] += out.shape[0]
    ridge = source.ridge if source.ridges.shape[0] == 0 else source.ridges[i]
    out[i] += out.dtype.type(ridge)
    linear = source.linear
    for r in range(linear.shape[0]):
        out[r] -= 0.5 * (linear[i] + linear[r])


@compiled
def fill_columns(source, out):
    """All columns of Q into `out` (m, m)."""
    for i in range(out.shape[0]):
        fill_column(source, i, out[i])
