"""Compiled loops that compute kernel values between a few points and all points of a stored set.

The stored set is usually a dense array with one row per feature (d x n). The inner loops over such
an array run over points, so the compiler can vectorise them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.kernels.kinds import dots_to_values, is_isotropic, kernel_values, squared_distances
from fwsvm.machine_code.compiled import compiled, fast_min

if TYPE_CHECKING:
    from fwsvm.machine_code.signatures import CsrArrays

# Number of points in a tile. The intermediate values of a tile (4 or 8 kB) fit into a first-level
# cache.
TILE = 1024


@compiled(inline=True)
def zero(values: np.ndarray) -> None:
    """Set all values to 0.

    The assignment `values[:] = 0` does the same, but compiling it takes a second.
    """
    for r in range(values.shape[0]):
        values[r] = 0


@compiled
def _term(squared: bool, x: float, p: float) -> float:
    difference = x - p
    return difference * difference if squared else x * p


@compiled
def dense_tile(
    squared: bool, features: np.ndarray, begin: int, end: int, point: np.ndarray, values: np.ndarray
) -> None:
    """Write |x_r - point|^2 (if `squared`) or x_r'point to `values`, for the columns x_r of
    features[:, begin:end].
    """
    d, n = features.shape[0], end - begin
    f = d % 4  # start with the first d % 4 features, then process four features at a time
    if f > 0:
        x0, x1, p0 = features[0, begin:end], features[f - 1, begin:end], point[0]
        p1 = point[f - 1]
        if f == 1:
            for r in range(n):
                values[r] = _term(squared, x0[r], p0)
        else:
            for r in range(n):
                values[r] = _term(squared, x0[r], p0) + _term(squared, x1[r], p1)
        if f == 3:
            x0, p0 = features[1, begin:end], point[1]
            for r in range(n):
                values[r] += _term(squared, x0[r], p0)
    else:
        zero(values)
    while f < d:
        x0, x1 = features[f, begin:end], features[f + 1, begin:end]
        x2, x3 = features[f + 2, begin:end], features[f + 3, begin:end]
        p0, p1, p2, p3 = point[f], point[f + 1], point[f + 2], point[f + 3]
        for r in range(n):
            low = _term(squared, x0[r], p0) + _term(squared, x1[r], p1)
            values[r] += low + (_term(squared, x2[r], p2) + _term(squared, x3[r], p3))
        f += 4


@compiled(inline=True)
def _write_kernel_values(
    kind: int, gamma: float, degree: int, coef0: float, values: np.ndarray, out: np.ndarray
) -> None:
    """Turn squared distances or dot products into kernel values and write them to `out`. The array
    `values` is overwritten.
    """
    kernel_values(kind, gamma, degree, coef0, values)
    for r in range(values.shape[0]):
        out[r] = values[r]


@compiled
def dense_block(
    kind: int,
    gamma: float,
    degree: int,
    coef0: float,
    features: np.ndarray,
    n: int,
    points: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write k(points[t], x_r) to out[t, r] for the first n stored points x_r.

    `out` can be larger than needed.
    """
    tile = np.empty(TILE, features.dtype)
    for t in range(points.shape[0]):
        for begin in range(0, n, TILE):
            end = fast_min(begin + TILE, n)
            values = tile[: end - begin]
            dense_tile(is_isotropic(kind), features, begin, end, points[t], values)
            _write_kernel_values(kind, gamma, degree, coef0, values, out[t, begin:end])


@compiled
def _sparse_tile(
    features: np.ndarray,
    begin: int,
    end: int,
    index: np.ndarray,
    data: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write x'z_r of a sparse point x (index, data) to `values`, for the columns z_r of
    features[:, begin:end].
    """
    own_type = values.dtype.type
    zero(values)
    p = 0
    while p + 4 <= index.shape[0]:
        x0, x1 = features[index[p], begin:end], features[index[p + 1], begin:end]
        x2, x3 = features[index[p + 2], begin:end], features[index[p + 3], begin:end]
        v0 = own_type(data[p])
        v1 = own_type(data[p + 1])
        v2 = own_type(data[p + 2])
        v3 = own_type(data[p + 3])
        for r in range(end - begin):
            values[r] += (x0[r] * v0 + x1[r] * v1) + (x2[r] * v2 + x3[r] * v3)
        p += 4
    while p < index.shape[0]:
        x0, v0 = features[index[p], begin:end], own_type(data[p])
        for r in range(end - begin):
            values[r] += x0[r] * v0
        p += 1


@compiled
def sparse_dots(matrix: CsrArrays, first: int, features: np.ndarray, dots: np.ndarray) -> None:
    """Write x_t'z_r to dots[t, r] for the first columns z_r of `features`, as many as `dots` has.
    Here x_t is row `first` + t of the CSR `matrix`.
    """
    start, index, data = matrix
    for t in range(dots.shape[0]):
        begin, end = start[first + t], start[first + t + 1]
        _sparse_tile(features, 0, dots.shape[1], index[begin:end], data[begin:end], dots[t])


@compiled
def distance(matrix: CsrArrays, i: int, other: CsrArrays, j: int) -> float:
    """Compute |x_i - z_j|^2 from differences, for rows of two CSR matrices (indptr, indices,
    data), in float64.
    """
    start, index, data = matrix
    other_start, other_index, other_data = other
    p, last, q, other_last = start[i], start[i + 1], other_start[j], other_start[j + 1]
    total = 0.0
    while p < last or q < other_last:
        difference = 0.0
        is_own = p < last and (q == other_last or index[p] <= other_index[q])
        is_other = q < other_last and (p == last or other_index[q] <= index[p])
        if is_own:
            difference = np.float64(data[p])
            p += 1
        if is_other:
            difference -= other_data[q]
            q += 1
        total += difference * difference
    return total


@compiled
def sparse_distances(matrix: CsrArrays, first: int, other: CsrArrays, out: np.ndarray) -> None:
    """Write |x_t - z_r|^2 to out[t, r] for all rows z_r of `other`, where x_t is row `first` + t of
    the CSR `matrix`.
    """
    for t in range(out.shape[0]):
        for r in range(out.shape[1]):
            out[t, r] = distance(matrix, first + t, other, r)


@compiled
def sparse_block(
    kind: int,
    gamma: float,
    degree: int,
    coef0: float,
    features: np.ndarray,
    squared_norms: np.ndarray,
    places: np.ndarray,
    n: int,
    largest_norm: float,
    matrix: CsrArrays,
    point_norms: np.ndarray,
    rows: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write kernel values like `dense_block`, but for the points `rows` of a CSR `matrix` (indptr,
    indices, data).

    Stored point r is row places[r] of this matrix. If the squared norms of two points both exceed
    `largest_norm`, their distance is computed from differences.
    """
    start, index, data = matrix
    tile = np.empty(TILE, features.dtype)
    for t in range(rows.shape[0]):
        first, last = start[rows[t]], start[rows[t] + 1]
        for begin in range(0, n, TILE):
            end = fast_min(begin + TILE, n)
            values = tile[: end - begin]
            _sparse_tile(features, begin, end, index[first:last], data[first:last], values)
            if is_isotropic(kind):
                squared_distances(point_norms[rows[t]], squared_norms[begin:end], values)
                if point_norms[rows[t]] > largest_norm:
                    for r in range(begin, end):
                        if squared_norms[r] > largest_norm:
                            values[r - begin] = distance(matrix, rows[t], matrix, places[r])
            _write_kernel_values(kind, gamma, degree, coef0, values, out[t, begin:end])


@compiled
def dots_to_kernel(
    kind: int,
    gamma: float,
    degree: int,
    coef0: float,
    row_norms: np.ndarray,
    column_norms: np.ndarray,
    dots: np.ndarray,
    out: np.ndarray,
) -> None:
    """Turn a block of dot products (p x n) into kernel values and write them to `out`.

    The block `dots` is overwritten. `column_norms` has the type of `dots`.
    """
    own_type = dots.dtype.type
    for t in range(dots.shape[0]):
        values, target = dots[t], out[t]
        dots_to_values(kind, gamma, degree, coef0, own_type(row_norms[t]), column_norms, values)
        for r in range(values.shape[0]):
            target[r] = values[r]
