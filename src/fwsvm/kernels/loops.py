"""Compiled loops over kernel values: one point against all, and a few rows against a stored set of points.

Dense points are kept feature-major (d x m), so that every loop runs over points and vectorises; squared distances are
sums of squared differences, free of cancellation. Sparse points use dot products: one column scatters through the
column-major (CSC) copy, a block runs over the nonzeros of a row against points stored densely feature-major.
"""

import numpy as np

from fwsvm.base.compiled import compiled
from fwsvm.kernels.exponential import exp_nonpositive

RBF, POLY, LINEAR = 0, 1, 2
TILE = 1024


@compiled
def zero(values):
    """Set to 0 (a slice assignment would be the same loop, but a second of compilation)."""
    for r in range(values.shape[0]):
        values[r] = 0


@compiled
def kernel_values(kind, gamma, degree, values):
    """Turn squared distances (RBF) or dot products (others) into kernel values, in place."""
    scale = values.dtype.type(gamma)
    if kind == RBF:
        for r in range(values.shape[0]):
            values[r] = exp_nonpositive(-scale * values[r])
    elif kind == POLY:
        for r in range(values.shape[0]):
            base = scale * values[r]
            power = base
            for _ in range(degree - 1):
                power *= base
            values[r] = power


@compiled
def squared_distances(squared_norm, squared_norms, values):
    """Turn dot products into squared distances, in place; rounding never makes one negative."""
    zero = values.dtype.type(0.0)
    two = values.dtype.type(2.0)
    own = values.dtype.type(squared_norm)
    for r in range(values.shape[0]):
        values[r] = max(own + values.dtype.type(squared_norms[r]) - two * values[r], zero)


@compiled
def _term(is_rbf, x, p):
    """A feature's share of |x - p|^2 or x'p."""
    difference = x - p
    return difference * difference if is_rbf else x * p


@compiled
def dense_tile(is_rbf, features, begin, end, point, values):
    """values[r] <- |x_r - point|^2 or x_r'point, for r in begin..end of feature-major `features` (d x n)."""
    d, n = features.shape[0], end - begin
    f = d % 4  # these features first, then four at a time
    if f > 0:
        x0, x1, p0 = features[0, begin:end], features[f - 1, begin:end], point[0]
        p1 = point[f - 1]
        if f == 1:
            for r in range(n):
                values[r] = _term(is_rbf, x0[r], p0)
        else:
            for r in range(n):
                values[r] = _term(is_rbf, x0[r], p0) + _term(is_rbf, x1[r], p1)
        if f == 3:
            x0, p0 = features[1, begin:end], point[1]
            for r in range(n):
                values[r] += _term(is_rbf, x0[r], p0)
    else:
        zero(values)
    while f < d:
        x0, x1 = features[f, begin:end], features[f + 1, begin:end]
        x2, x3 = features[f + 2, begin:end], features[f + 3, begin:end]
        p0, p1, p2, p3 = point[f], point[f + 1], point[f + 2], point[f + 3]
        for r in range(n):
            low = _term(is_rbf, x0[r], p0) + _term(is_rbf, x1[r], p1)
            values[r] += low + (_term(is_rbf, x2[r], p2) + _term(is_rbf, x3[r], p3))
        f += 4


@compiled
def dense_row(kind, gamma, degree, features, point, out):
    """k(point, x_r) for the first n points of feature-major `features` (d x capacity), into `out` (n,)."""
    n = out.shape[0]
    tile = np.empty(TILE, features.dtype)
    for begin in range(0, n, TILE):
        end = min(begin + TILE, n)
        values = tile[: end - begin]
        dense_tile(kind == RBF, features, begin, end, point, values)
        kernel_values(kind, gamma, degree, values)
        target = out[begin:end]
        for r in range(end - begin):
            target[r] = values[r]


@compiled
def dense_block(kind, gamma, degree, features, n, points, rows, out):
    """K[t, r] = k(points[rows[t]], x_r) for the first n stored points, into `out` (>= len(rows), >= n)."""
    for t in range(rows.shape[0]):
        dense_row(kind, gamma, degree, features, points[rows[t]], out[t, :n])


@compiled
def sparse_row(kind, gamma, degree, features, squared_norms, index, data, squared_norm, out):
    """k(point, x_r) for a sparse point (index, data) and points stored feature-major, into `out` (n,)."""
    n = out.shape[0]
    tile = np.empty(TILE, features.dtype)
    for begin in range(0, n, TILE):
        end = min(begin + TILE, n)
        values = tile[: end - begin]
        zero(values)
        p = 0
        while p + 2 <= index.shape[0]:
            x0, x1 = features[index[p], begin:end], features[index[p + 1], begin:end]
            v0, v1 = values.dtype.type(data[p]), values.dtype.type(data[p + 1])
            for r in range(end - begin):
                values[r] += x0[r] * v0 + x1[r] * v1
            p += 2
        if p < index.shape[0]:
            x0, v0 = features[index[p], begin:end], values.dtype.type(data[p])
            for r in range(end - begin):
                values[r] += x0[r] * v0
        if kind == RBF:
            squared_distances(squared_norm, squared_norms[begin:end], values)
        kernel_values(kind, gamma, degree, values)
        target = out[begin:end]
        for r in range(end - begin):
            target[r] = values[r]


@compiled
def sparse_block(kind, gamma, degree, features, squared_norms, n, matrix, point_norms, rows, out):
    """As `dense_block` for the rows of a CSR `matrix` (indptr, indices, data)."""
    start, index, data = matrix
    for t in range(rows.shape[0]):
        begin, end = start[rows[t]], start[rows[t] + 1]
        sparse_row(
            kind,
            gamma,
            degree,
            features,
            squared_norms[:n],
            index[begin:end],
            data[begin:end],
            point_norms[rows[t]],
            out[t, :n],
        )


@compiled
def dots_to_values(kind, gamma, degree, squared_norm, squared_norms, values):
    """Turn dot products x'z_r of one point x into kernel values, in place; all of one precision.

    The RBF kernel is exp(2 gamma x'z - gamma |x|^2 - gamma |z|^2), the exponent kept from rounding above 0.
    """
    own_type = values.dtype.type
    if kind == RBF:
        zero, scale, twice = own_type(0.0), own_type(-gamma), own_type(2.0 * gamma)
        own = scale * squared_norm
        for r in range(values.shape[0]):
            values[r] = exp_nonpositive(min(twice * values[r] + (scale * squared_norms[r] + own), zero))
    else:
        kernel_values(kind, gamma, degree, values)


@compiled
def dots_to_kernel(kind, gamma, degree, row_norms, column_norms, dots, out):
    """Kernel values from a block of dot products (p x n), into `out` (>= p, >= n) of any precision; `dots` is used up.

    `column_norms` (n,) are float64 or of the precision of `dots`.
    """
    own_type = dots.dtype.type
    norms = np.empty(column_norms.shape[0], dots.dtype)
    for r in range(norms.shape[0]):
        norms[r] = column_norms[r]
    for t in range(dots.shape[0]):
        values, target = dots[t], out[t]
        dots_to_values(kind, gamma, degree, own_type(row_norms[t]), norms, values)
        for r in range(values.shape[0]):
            target[r] = values[r]
