"""Kernel expansions h(x) = sum_j k(x, z_j) w_j at many points x, for certificates and predictions.

The kernel values are computed in tiles: rectangles of points x and points z_j. A tile of dot
products (or of distances) is turned into kernel values, which are summed in float64. The sums do
not depend on the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from fwsvm.kernels import loops
from fwsvm.kernels.kinds import Kind, dots_to_values, kernel_values
from fwsvm.kernels.points import FLOAT32_RANGE, row_blocks, triple
from fwsvm.kernels.rounding import (
    SUM_BLOCK,
    expansion_errors,
    largest_squared_norm,
    product_error,
    rbf_errors,
    sum_error,
)
from fwsvm.machine_code.compiled import compiled, fast_min
from fwsvm.machine_code.threads import Workers, one_blas_thread, tiles

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fwsvm.kernels.functions import Kernel
    from fwsvm.kernels.points import Points

# Each pass adds the terms of a chunk of points z_j. A chunk has at most _CHUNK_BYTES bytes, or one
# point. If the points x are multiplied as sparse points, a chunk that has more than 64 points also
# has at most _SPARSE_CHUNK_BYTES bytes. The dot products of a tile of points x have at most
# _X_TILE_BYTES bytes. If the points are multiplied as dense points, the same limit holds for the
# points of the tile. But 64 points are always allowed. (With smaller tiles, threads would often
# wait for Python's global lock.)
_CHUNK_BYTES, _SPARSE_CHUNK_BYTES, _X_TILE_BYTES = 8 << 20, 1 << 20, 1 << 20
# Sparse points are multiplied as dense points if the share of their nonzeros is at least
# _DENSE_SHARE.
_DENSE_SHARE = 0.4
# unit roundoff of float32
_FLOAT32_UNIT = 2.0**-24
# float32 is used only if eta (8 b^2 + 1) in `float32_error` is at most LARGEST_ERROR
LARGEST_ERROR = 0.01


def float32_error(
    kernel: Kernel, squared_norms: np.ndarray, n_terms: int, largest: float = 0.0
) -> np.ndarray | None:
    """Return bounds on the errors of float32 kernel values k(x, z), as float64 (n,). There is one
    bound for each squared norm of a point z in `squared_norms`, float64 (n,).

    Return None instead if a bound is too large, if a number could be out of the range of float32,
    or if the kernel is not RBF.

    The bounds hold for every x. `largest`, the largest |x|^2, is used only to make sure that
    nothing overflows.

    Let u = 2^-24. A float32 dot product of d = `n_terms` rounded terms, in any order, has an error
    of at most (d + 2) u |x||z|. The squared norms have relative errors of 2u. Adding |x|^2, |z|^2
    and -2 x'z causes an error of at most 4u (|x| + |z|)^2. The exponent of the RBF kernel therefore
    has an error of at most eta gamma (|x| + |z|)^2 with eta = (d + 8) u. This also holds if the
    exponent is computed from squared differences. Let b^2 = gamma |z|^2 and t = sqrt(gamma) (|x| -
    |z|). The kernel value is at most exp(-t^2), and its error is at most (exp(eta (2b + t)^2) - 1)
    exp(-t^2). The largest value of (2b + t)^2 exp(-t^2) is G = g^2 exp(-1 / g^2) with g = b +
    sqrt(b^2 + 1). If eta (8 b^2 + 1) <= 1/100, the error is below 1.1 eta G for all t. The
    exponential function adds a relative error of 4e-7.
    """
    within = (
        1 / FLOAT32_RANGE <= kernel.gamma <= FLOAT32_RANGE
        and max(kernel.gamma, 1.0) * largest <= FLOAT32_RANGE
    )
    if kernel.arguments[0] != Kind.RBF or not within:
        return None
    eta = (n_terms + 8) * _FLOAT32_UNIT
    with np.errstate(over="ignore"):
        squares = kernel.gamma * squared_norms
    if eta * (8.0 * squares.max(initial=0.0) + 1.0) > LARGEST_ERROR:
        return None
    g2 = (np.sqrt(squares) + np.sqrt(squares + 1.0)) ** 2
    return 1.1 * eta * g2 * np.exp(-1.0 / g2) + 4e-7


@compiled(reassociate=True)
def _block_sum(values: np.ndarray, weights: np.ndarray) -> float:
    total = 0.0
    for r in range(values.shape[0]):
        total += values[r] * weights[r]
    return total


@compiled
def _weighted(values: np.ndarray, weights: np.ndarray) -> float:
    """Return sum_r values[r] weights[r].

    Blocks of products are summed first, because one long sum would have larger rounding errors.
    """
    total = 0.0
    for begin in range(0, values.shape[0], SUM_BLOCK):
        end = fast_min(begin + SUM_BLOCK, values.shape[0])
        total += _block_sum(values[begin:end], weights[begin:end])
    return total


@compiled
def add_weighted(values: np.ndarray, weights: np.ndarray, total: np.ndarray) -> None:
    """Add sum_r values[t, r] weights[r] to total[t]."""
    for t in range(values.shape[0]):
        total[t] += _weighted(values[t], weights)


@compiled
def add_sums(
    kind: int,
    gamma: float,
    degree: int,
    coef0: float,
    row_norms: np.ndarray,
    column_norms: np.ndarray,
    dots: np.ndarray,
    weights: np.ndarray,
    total: np.ndarray,
    row_weights: np.ndarray,
    mirrored: np.ndarray,
) -> None:
    """Add sum_r k(x_t, z_r) weights[r] to total[t]. For the first points z_r, as many as `mirrored`
    has entries, also add sum_t k(x_t, z_r) row_weights[t] to mirrored[r].

    `dots` (p, q) has the dot products x_t'z_r, and is overwritten.
    """
    own_type, n_mirrored = dots.dtype.type, mirrored.shape[0]
    for t in range(dots.shape[0]):
        values = dots[t]
        dots_to_values(kind, gamma, degree, coef0, own_type(row_norms[t]), column_norms, values)
        total[t] += _weighted(values, weights)
        if n_mirrored > 0:
            own = row_weights[t]
            for r in range(n_mirrored):
                mirrored[r] += own * values[r]


def distances_from_differences(rows: Any, others: Any) -> np.ndarray:
    """Compute |x - z|^2 from differences in float64, for each row x of `rows` and each row z of
    `others`. Both arguments are arrays, or both are canonical CSR matrices.
    """
    if not sparse.issparse(rows):
        distances: np.ndarray = cdist(rows, others, "sqeuclidean")
        return distances
    out = np.empty((rows.shape[0], others.shape[0]))
    loops.sparse_distances(triple(rows), 0, triple(others), out)
    return out


def _shifted(part: slice, by: int) -> slice:
    return slice(part.start + by, part.stop + by)


def _by_sparse(queries: Points) -> bool:
    return queries.is_sparse and queries.stored_per_point < _DENSE_SHARE * queries.n_features


class WeightedSums:
    """The sums h(x) = sum_j k(x, z_j) w_j, where z_j are the q points `points[indices]`.

    The weights w have the shape (q,) or (q, p).
    """

    def __init__(
        self,
        kernel: Kernel,
        points: Points,
        indices: np.ndarray,
        weights: np.ndarray,
        workers: Workers | None = None,
    ) -> None:
        self.kernel, self.points, self.indices = kernel, points, np.asarray(indices, dtype=np.int64)
        self.weights, self.workers = np.asarray(weights, dtype=np.float64), workers or Workers()
        self.norms = points.squared_norms[self.indices]

    def _n_terms(self, queries: Points) -> int:
        """Return the maximum number of terms in a dot product or squared norm, or 0 if all points
        are binary.

        Dot products of binary points have no rounding errors.
        """
        if queries.is_binary and self.points.is_binary:
            return 0
        return max(self.points.most_terms, queries.most_terms)

    def errors(self, queries: Points) -> np.ndarray:
        """Return bounds on the errors of float64 sums.

        For the RBF kernel, a bound holds at all `queries`, so the result is one number, or one
        number per column of w (p,). For other kernels, there is a bound for each query, and the
        result has the shape (n,) or (n, p).
        """
        n_terms, n_summed = self._n_terms(queries), len(self.indices)
        # A sum is computed in three levels: products are added within a block, blocks are added
        # within a chunk (`add_sums`), and chunks are added in `of`. The sums that the method `own`
        # computes have the same levels. If the queries are sparse, count the chunks with the
        # smaller size for sparse points: `queries` as a whole can be multiplied as dense points,
        # but a part of them can still be multiplied as sparse points.
        if self.weights.ndim == 1:
            n_chunks = 1 + n_summed // self._chunk(queries.is_sparse, np.float64)
            n_summed = min(SUM_BLOCK, n_summed) + n_summed // SUM_BLOCK + n_chunks
        of_sum = sum_error(n_summed)
        if self.kernel.is_isotropic:
            centred = not (queries.is_sparse or self.points.is_sparse)
            return np.abs(self.weights).T @ (
                rbf_errors(self.kernel, self.norms, n_terms, centred) + of_sum
            )
        norms = self.points.squared_norm_bounds[self.indices]
        is_zero = not norms.any() and (self.kernel.name == "linear" or self.kernel.coef0 == 0.0)
        return expansion_errors(
            self.kernel.roots(queries.squared_norm_bounds),
            self.weights,
            self.kernel.roots(norms),
            product_error(self.kernel, n_terms) + of_sum,
            is_zero,
        )

    def float32_error(self, queries: Points) -> np.ndarray | None:
        """Return a bound on the errors of float32 sums. The bound holds at all `queries`, and is
        one number, or one number per column of w (p,). Return None if no small bound is proven.
        """
        n_terms = 0 if queries.is_binary and self.points.is_binary else self.points.most_terms
        bounds = float32_error(self.kernel, self.norms, n_terms, queries.largest_squared_norm)
        if bounds is None:
            return None
        error: np.ndarray = np.abs(self.weights).T @ bounds
        return error

    def _chunk(self, by_sparse: bool, dtype: DTypeLike) -> int:
        """Return the number of points z_j whose terms are added in one pass."""
        each = np.dtype(dtype).itemsize * max(self.points.n_features, 1)
        step = max(1, _CHUNK_BYTES // each)
        return min(step, max(64, _SPARSE_CHUNK_BYTES // each)) if by_sparse else step

    def of(self, queries: Points, dtype: DTypeLike = np.float64) -> np.ndarray:
        """Return the weighted sums of kernel values at the n points `queries`, float64 (n,) or
        (n, p). The kernel values have the type `dtype`.

        The queries must be centred like the points z_j.
        """
        total = np.zeros((queries.n_points, *self.weights.shape[1:]))
        step = self._chunk(_by_sparse(queries), dtype)
        is_far = self.norms > largest_squared_norm(self.kernel, self._n_terms(queries))
        with one_blas_thread():
            if not is_far.any():
                for chunk in tiles(len(self.indices), step):
                    self._add(queries, chunk, np.dtype(dtype), total, False)
                return total
            # at points of large norm, values from dot products would be too imprecise
            for far in (False, True):
                chosen = np.flatnonzero(is_far == far)
                for chunk in tiles(len(chosen), step):
                    self._add(queries, chosen[chunk], np.dtype(dtype), total, far)
        return total

    def at(self, queries: Points, rows: np.ndarray, dtype: DTypeLike = np.float64) -> np.ndarray:
        """Return the same sums as `of`, but only for the points `rows` of `queries` (ascending
        indices).

        The sums are computed block by block to save memory.
        """
        total = np.zeros((len(rows), *self.weights.shape[1:]))
        others = np.arange(len(rows))
        if dtype == np.float64 and queries is self.points and self._can_mirror():
            places = np.searchsorted(rows, self.indices)
            if len(rows) and np.array_equal(rows[np.minimum(places, others[-1])], self.indices):
                total[places] = self.own()
                others = np.delete(others, places)
        for part in row_blocks(len(others), 1 + int(queries.stored_per_point)):
            total[others[part]] = self.of(queries.view(rows[others[part]]), dtype)
        return total

    def _can_mirror(self) -> bool:
        limit = largest_squared_norm(self.kernel, self._n_terms(self.points))
        return self.weights.ndim == 1 and bool((self.norms <= limit).all())

    def own(self) -> np.ndarray:
        """Return the float64 sums at the q points z_j, float64 (q,).

        As k(z_i, z_j) = k(z_j, z_i), each kernel value is computed once, and used for two sums.
        """
        queries = self.points.view(self.indices)
        q, by_sparse = queries.n_points, _by_sparse(queries)
        total = np.zeros(q)
        with one_blas_thread():
            for chunk in tiles(q, self._chunk(by_sparse, np.float64)):
                stored = self._transposed(self.indices[chunk], np.dtype(np.float64))
                inside = tiles(chunk.stop - chunk.start, SUM_BLOCK)
                beyond = tiles(q - chunk.stop, SUM_BLOCK)
                parts = [_shifted(part, chunk.start) for part in inside]
                parts += [_shifted(part, chunk.stop) for part in beyond]
                mirrored = {part.start: np.zeros(stored.shape[1]) for part in parts}

                def add_tile(
                    part: slice,
                    chunk: slice = chunk,
                    stored: np.ndarray = stored,
                    mirrored: dict[int, np.ndarray] = mirrored,
                ) -> None:
                    # K is symmetric, and each kernel value is used for two sums. Therefore a part
                    # inside the chunk needs only the columns up to its own last point.
                    columns = slice(chunk.start, min(part.stop, chunk.stop))
                    width = columns.stop - columns.start
                    n_mirrored = min(part.start, chunk.stop) - chunk.start
                    if by_sparse:
                        dots = np.empty((part.stop - part.start, width))
                        loops.sparse_dots(queries.rows, part.start, stored, dots)
                    else:
                        rows = queries.some(part, np.float64)
                        rows = rows.toarray() if queries.is_sparse else rows
                        dots = rows @ stored[:, :width]
                    add_sums(
                        *self.kernel.arguments,
                        self.norms[part],
                        self.norms[columns],
                        dots,
                        self.weights[columns],
                        total[part],
                        self.weights[part],
                        mirrored[part.start][:n_mirrored],
                    )

                self.workers.each(add_tile, parts)
                for sums in mirrored.values():
                    total[chunk] += sums
        return total

    def _transposed(self, chosen: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """Return the points `chosen` as an array with a row for each feature."""
        stored: Any = self.points.some(chosen, dtype)
        if self.points.is_sparse:
            stored = stored.toarray(order="F")
        return np.ascontiguousarray(stored.T)

    def _add(
        self, queries: Points, chunk: Any, dtype: np.dtype, total: np.ndarray, by_differences: bool
    ) -> None:
        chosen, by_sparse = self.indices[chunk], _by_sparse(queries)
        merges = by_differences and by_sparse and self.points.is_sparse
        stored: Any = (
            triple(self.points.some(chosen, dtype)) if merges else self._transposed(chosen, dtype)
        )
        weights, norms = self.weights[chunk], self.norms[chunk].astype(dtype)
        width = max(len(chosen), 1 if by_sparse else queries.n_features)
        step = max(64, _X_TILE_BYTES // (dtype.itemsize * width))
        nothing = np.empty(0)

        def add_tile(part: slice) -> None:
            own = queries.squared_norms[part]
            if merges:
                dots = np.empty((len(own), len(chosen)))
                loops.sparse_distances(queries.rows, part.start, stored, dots)
            elif by_sparse and not by_differences:
                dots = np.empty((len(own), len(chosen)), dtype)
                loops.sparse_dots(queries.rows, part.start, stored, dots)
            else:
                rows = queries.some(part, dtype)
                rows = rows.toarray() if queries.is_sparse else rows
                dots = cdist(rows, stored.T, "sqeuclidean") if by_differences else rows @ stored
            if by_differences:
                kernel_values(*self.kernel.arguments, dots.reshape(-1))
                if weights.ndim == 1:
                    add_weighted(dots, weights, total[part])
                else:
                    total[part] += dots @ weights
            elif weights.ndim == 1:
                add_sums(
                    *self.kernel.arguments,
                    own,
                    norms,
                    dots,
                    weights,
                    total[part],
                    nothing,
                    nothing,
                )
            else:
                values = dots if dtype == np.float64 else np.empty(dots.shape)
                loops.dots_to_kernel(*self.kernel.arguments, own, norms, dots, values)
                total[part] += values @ weights

        self.workers.each(add_tile, tiles(queries.n_points, step))
