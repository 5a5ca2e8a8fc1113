"""Dense or CSR points in the forms that the kernel loops read."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from fwsvm.kernels import loops
from fwsvm.kernels.rounding import UNDERFLOW_OF_SQUARES, largest_squared_norm

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fwsvm.kernels.functions import Kernel

# Kernel values exp(-gamma |x - z|^2) are computed from float32 dot products only if gamma |x|^2 is
# at most _FLOAT32_EXPONENT for all points. The error of the kernel values is then about 1e-7.
# (If the points are sparse and all their nonzeros are 1, dot products are exact, so there is no
# such limit.)
_FLOAT32_EXPONENT = 2.0
# _ROUGH_EXPONENT replaces _FLOAT32_EXPONENT if a solver corrects the errors of the kernel values.
# The errors are then at most 2.7e-6. For a kernel value in a block of dense points, it is enough if
# gamma |x|^2 is at most _ROUGH_EXPONENT for one of the two points.
_ROUGH_EXPONENT = 8.0
# Kernel blocks of dense points are computed by matrix products only if there are at least
# _BLAS_FEATURES features.
_BLAS_FEATURES = 8
# FLOAT32_RANGE limits the numbers for which float32 is used. "In range" means between
# 1 / FLOAT32_RANGE and FLOAT32_RANGE. The tests depend on what is stored or computed in float32:
# - features (`Points.loop_precision`): |x|^2 is at most FLOAT32_RANGE, and gamma is in range;
# - columns of Q (`column_dtype`): the problem's `largest_diagonal` is in range. Unless the kernel
#   is precomputed, |x|^2 and kernel values are at most FLOAT32_RANGE (`fits_float32`);
# - weighted sums (`float32_error`): gamma is in range, and both |x|^2 and gamma |x|^2 are at most
#   FLOAT32_RANGE.
# There are more conditions, which ensure that float32 is precise enough.
FLOAT32_RANGE = 1e30
# maximum size in bytes of a slice that `row_blocks` returns
_BLOCK_BYTES = 32 << 20
_MOST_FEATURES = 1 << 32  # `triple` stores the indices of sparse points as uint32


def row_blocks(n_rows: int, n_columns: int) -> list[slice]:
    """Divide the rows of an array (n_rows, n_columns) into slices. In float64, a slice fills at
    most 34 MB, or it is a single row.
    """
    step = max(1, _BLOCK_BYTES // (8 * max(n_columns, 1)))
    return [slice(begin, min(begin + step, n_rows)) for begin in range(0, n_rows, step)]


def canonical_csr(X: sparse.spmatrix, name: str = "X") -> sparse.csr_matrix:
    """Return a sparse X as a CSR matrix with sorted indices and without duplicates. X itself is not
    changed.

    Raise a ValueError if X is not two-dimensional, has too many columns, or has an index out of
    range. (With such an index, compiled loops would read memory outside the arrays.)
    """
    if X.ndim != 2:
        raise ValueError(f"{name} must be a two-dimensional matrix, got shape {X.shape}")
    if X.shape[1] > _MOST_FEATURES:
        what = f"{name} has {X.shape[1]:,} columns, but at most {_MOST_FEATURES:,} are allowed"
        raise ValueError(f"{what}, because indices have 32 bits; remove the columns of zeros")
    try:
        if X.format in ("csr", "csc", "bsr"):
            # make a new matrix, because flags of X (such as `has_sorted_indices`) can be wrong
            X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
            X.check_format(full_check=True)
        elif X.format == "coo":
            X = type(X)((X.data, (X.row, X.col)), shape=X.shape)
        X = X.tocsr()
    except ValueError as error:
        raise ValueError(f"{name} has wrong indices: {error}") from error
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


class _MarkedWritable:
    """An object that gives numpy the memory of a read-only array, but marked as writable (see
    `loop_view`).

    The attribute `array` keeps the memory alive.
    """

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        address = array.__array_interface__["data"][0]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


def loop_view(array: np.ndarray) -> np.ndarray:
    """Return `array` (of any shape) if it is writable. If it is read-only, return an array that has
    the same memory but is marked as writable. (An unaligned array is copied.)

    joblib passes read-only arrays to its workers. For numba, the type of a read-only array differs
    from that of a writable array, so numba would compile all loops again.
    """
    array = np.require(array, requirements="A")
    return array if array.flags.writeable or array.size == 0 else np.asarray(_MarkedWritable(array))


def triple(
    matrix: sparse.csr_matrix | sparse.csc_matrix, dtype: DTypeLike = np.float64
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (indptr, indices, data) of a CSR or CSC matrix in the types that the loops read:
    int64, uint32 and `dtype`.
    """
    indices = matrix.indices
    if indices.dtype == np.int32:
        indices = indices.view(np.uint32)
    return (
        matrix.indptr.astype(np.int64),
        loop_view(np.ascontiguousarray(indices, dtype=np.uint32)),
        loop_view(np.ascontiguousarray(matrix.data, dtype=dtype)),
    )


# Cached properties of `Points` that a view computes for its own points.
_OF_ALL_POINTS = (
    "X",
    "rows",
    "squared_norms",
    "squared_norm_bounds",
    "largest_squared_norm",
    "stored_per_point",
    "is_binary",
)


class Points:
    """Points X (m, d) in the forms that the kernel loops read: dense float32 or float64 points, or
    canonical CSR points. A C-contiguous dense array of one of these types is not copied.

    If the float64 `center` (d,) is given, it is subtracted from dense points, because squared
    distances that are computed from dot products are then more precise.
    """

    # A view consists of the points `index` of another `Points` object, `whole`. If an object is not
    # a view, its `index` and `whole` are None.
    whole: Any = None
    index: Any = None

    def __init__(self, X: np.ndarray | sparse.csr_matrix, center: np.ndarray | None = None) -> None:
        self.is_sparse: bool = sparse.issparse(X)
        if self.is_sparse:
            self.X, self.center = X, None
        else:
            X = np.ascontiguousarray(X)
            self.X = loop_view(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))
            self.center = center
        self.n_points: int
        self.n_features: int
        self.n_points, self.n_features = self.X.shape

    def view(self, index: np.ndarray) -> Points:
        """Return a view of the n points at `index`, int64 (n,).

        The points are copied only if a loop needs all of them in one array.
        """
        other = copy.copy(self)
        for name in _OF_ALL_POINTS:
            other.__dict__.pop(name, None)
        other.whole, other.index = (
            (self, index) if self.whole is None else (self.whole, self.index[index])
        )
        other.n_points = len(other.index)
        return other

    @cached_property
    def X(self) -> Any:
        return self.whole.X[self.index]

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return sparse points as (indptr, indices, data)."""
        return triple(self.X)

    @cached_property
    def stored_per_point(self) -> float:
        if not self.is_sparse:
            return self.n_features
        if self.whole is None:
            total = self.X.nnz
        else:
            indptr = self.whole.X.indptr
            total = (indptr[self.index + 1] - indptr[self.index]).sum()
        return int(total) / max(self.n_points, 1)

    @cached_property
    def most_terms(self) -> int:
        """Return a bound on the number of nonzero terms in the dot product of one of the points
        with any vector.

        A view returns the bound for all points of `whole`.
        """
        return (
            int(np.diff((self.whole or self).X.indptr).max(initial=0))
            if self.is_sparse
            else self.n_features
        )

    def largest_norm(self, kernel: Kernel) -> float:
        """Return the largest squared norm for which dot products are precise enough. For kernels
        other than RBF, it is infinite.

        If the squared norms of two points both exceed this norm, the distance between the points is
        computed from differences.
        """
        return largest_squared_norm(kernel, 0 if self.is_binary else self.most_terms)

    @cached_property
    def squared_norms(self) -> np.ndarray:
        if self.whole is not None:
            norms: np.ndarray = self.whole.squared_norms[self.index]
            return norms
        norms = np.zeros(self.n_points)
        for part in row_blocks(self.n_points, 8 * (1 + int(self.stored_per_point))):
            if self.is_sparse:
                starts = self.X.indptr[part.start : part.stop + 1]
                filled = np.diff(starts) > 0
                values = self.X.data[starts[0] : starts[-1]].astype(np.float64, copy=False)
                norms[part][filled] = np.add.reduceat(
                    values * values, (starts[:-1] - starts[0])[filled]
                )
            else:
                rows = self.dense_rows(part)
                norms[part] = np.einsum("ij,ij->i", rows, rows)
        return norms

    @cached_property
    def squared_norm_bounds(self) -> np.ndarray:
        """Return the squared norms for error bounds, float64 (m,). They are 0 for points whose
        features are all 0. For other points, UNDERFLOW_OF_SQUARES is added to the squared norm,
        because squares of small features can underflow.
        """
        if self.whole is not None:
            of_whole: np.ndarray = self.whole.squared_norm_bounds[self.index]
            return of_whole
        bounds: np.ndarray = self.squared_norms + UNDERFLOW_OF_SQUARES
        candidates = np.flatnonzero(self.squared_norms == 0.0)
        for part in row_blocks(len(candidates), 1 + int(self.stored_per_point)):
            rows = candidates[part]
            sums = np.asarray(abs(self.some(rows, np.float64)).sum(axis=1)).ravel()
            bounds[rows[sums == 0.0]] = 0.0
        return bounds

    @cached_property
    def largest_squared_norm(self) -> float:
        return float(self.squared_norms.max(initial=0.0))

    def stored(self, rows: Any) -> tuple[Points, Any]:
        """Return a `Points` object that has the points `rows` in memory, and the indices of these
        points in the returned object.

        If `self` is a view without a copy of its points, the returned object is `whole`. Otherwise,
        it is `self`.
        """
        return (
            (self, rows)
            if self.whole is None or "X" in self.__dict__
            else (self.whole, self.index[rows])
        )

    def of_whole(self, rows: Any) -> tuple[Points, Any]:
        """Return `whole` if `self` is a view, and `self` otherwise. Also return the indices of the
        points `rows` in the returned object.
        """
        return (self, rows) if self.whole is None else (self.whole, self.index[rows])

    def dense_rows(self, rows: Any, dtype: DTypeLike = np.float64) -> np.ndarray:
        points, rows = self.stored(rows)
        # if `rows` is an array of indices, `take` is faster than X[rows]
        chosen = points.X[rows] if isinstance(rows, slice) else points.X.take(rows, axis=0)
        if self.center is not None:
            chosen = chosen - self.center  # `chosen` becomes float64, like the centre
        return np.ascontiguousarray(chosen, dtype=dtype)

    def some(self, rows: Any, dtype: DTypeLike) -> Any:
        if not self.is_sparse:
            return self.dense_rows(rows, dtype)
        points, rows = self.stored(rows)
        return points.X[rows].astype(dtype, copy=False)

    def feature_major(self, dtype: DTypeLike) -> np.ndarray:
        features = np.empty((self.n_features, self.n_points), dtype)
        for part in row_blocks(self.n_points, self.n_features):
            features[:, part] = self.dense_rows(part).T
        return features

    def column_major(self, dtype: DTypeLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the CSC arrays (indptr, indices, data) of sparse points.

        For binary points, `data` is empty.
        """
        values = (
            np.ones(self.X.nnz, np.int8)
            if self.is_binary
            else self.X.data.astype(dtype, copy=False)
        )
        columns = sparse.csr_matrix(
            (values, self.X.indices, self.X.indptr), shape=self.X.shape
        ).tocsc()
        if self.is_binary:  # the loops for binary points do not read `data`
            return (*triple(columns, np.int8)[:2], np.empty(0, dtype))
        return triple(columns, dtype)

    @cached_property
    def is_binary(self) -> bool:
        """Test whether the points are sparse, have no nonzeros other than 1, and have fewer than
        65,536 features.

        The number of features that two points share then fits into 16 bits.
        """
        if self.whole is not None and (self.whole.is_binary or self.n_points == 0):
            whole_is_binary: bool = self.whole.is_binary
            return whole_is_binary
        can = (
            self.is_sparse
            and self.n_features < 1 << 16
            and np.all(self.some(slice(0, 1), np.float64).data == 1.0)
        )
        return bool(can) and bool(np.all(self.X.data == 1.0))

    def loop_precision(self, kernel: Kernel, dtype: DTypeLike) -> type[np.floating]:
        """Return the type (float32 or float64) of the features from which loops compute kernel
        values of type `dtype`.
        """
        largest = self.largest_squared_norm
        fits = largest <= FLOAT32_RANGE and 1 / FLOAT32_RANGE <= kernel.gamma <= FLOAT32_RANGE
        # if a point has a larger norm, float32 features are too imprecise, even if distances are
        # computed from differences
        fits = fits and largest <= self.largest_norm(kernel)
        return np.float32 if dtype == np.float32 and fits else np.float64

    def dot_precision(
        self, kernel: Kernel, dtype: DTypeLike, largest_exponent: float = _FLOAT32_EXPONENT
    ) -> type[np.floating]:
        """Return the type (float32 or float64) of the dot products from which kernel values of type
        `dtype` are computed.
        """
        dtype = self.loop_precision(kernel, dtype)
        if dtype == np.float32 and kernel.is_isotropic and not self.is_binary:
            largest = kernel.gamma * self.largest_squared_norm
            return np.float32 if largest <= largest_exponent else np.float64
        return np.float32 if dtype == np.float32 else np.float64


class PointStore:
    """A dense array (d x capacity) of a growing set of points. Its methods compute kernel values
    with these points.

    float32 values of the RBF kernel have errors of about 1e-7. If `rough` is true, the errors are
    at most 3e-6, but blocks of dense points can be faster to compute. Matrix products are then used
    even if some points have large norms. Only the distance between two points of large norm is
    computed from differences.
    """

    def __init__(
        self,
        kernel: Kernel,
        points: Points,
        dtype: DTypeLike,
        capacity: int = 64,
        rough: bool = False,
    ) -> None:
        self.kernel, self.is_sparse = kernel, points.is_sparse
        largest_exponent = _ROUGH_EXPONENT if rough else _FLOAT32_EXPONENT
        precision = points.loop_precision(kernel, dtype)
        # if the squared norms of two points both exceed `largest_norm`, the distance between the
        # points is computed from differences
        self.largest_norm = points.largest_norm(kernel)
        if points.is_sparse:
            precision = points.dot_precision(kernel, dtype, largest_exponent)
        elif precision == np.float32 and kernel.is_isotropic:
            self.largest_norm = largest_exponent / kernel.gamma
        self.is_far = points.largest_squared_norm > self.largest_norm
        self.by_blas = (
            not points.is_sparse
            and points.n_features >= _BLAS_FEATURES
            and precision == dtype
            and (rough or not self.is_far)
        )
        self.dtype = np.dtype(precision)
        self.features = np.zeros((points.n_features, capacity), self.dtype)
        self.squared_norms = np.zeros(capacity)
        # The index of each stored point among all points, not only among those of a view. It is
        # needed only for sparse points.
        self.places = np.zeros(capacity, np.int64)
        self.size = 0

    def append(self, points: Points, i: int) -> None:
        if self.size == self.features.shape[1]:
            self.features = np.hstack([self.features, np.zeros_like(self.features)])
            self.squared_norms = np.append(self.squared_norms, np.zeros(self.size))
            self.places = np.append(self.places, np.zeros(self.size, np.int64))
        if self.is_sparse:
            stored, place = points.stored(i)
            start, index, data = stored.rows
            own = slice(start[place], start[place + 1])
            self.features[:, self.size] = 0
            self.features[index[own], self.size] = data[own]
        else:
            self.features[:, self.size] = points.dense_rows(slice(i, i + 1))[0]
        self.squared_norms[self.size] = points.squared_norms[i]
        self.places[self.size] = points.of_whole(i)[1]
        self.size += 1

    def fill(self, points: Points, indices: np.ndarray) -> None:
        """Replace the stored points with points[indices], where `indices` (n,) is int64.

        The capacity must be at least len(indices).
        """
        self.size = len(indices)
        if self.is_sparse:
            rows = points.some(indices, np.float64)
            columns = np.repeat(np.arange(self.size), np.diff(rows.indptr))
            self.features[:, : self.size] = 0
            self.features[rows.indices, columns] = rows.data
        else:
            self.features[:, : self.size] = points.dense_rows(indices).T
        self.squared_norms[: self.size] = points.squared_norms[indices]
        self.places[: self.size] = points.of_whole(indices)[1]

    def remove(self, position: int) -> None:
        """Remove the point at `position`, and move the last point to this position."""
        self.size -= 1
        self.features[:, position] = self.features[:, self.size]
        self.squared_norms[position] = self.squared_norms[self.size]
        self.places[position] = self.places[self.size]

    def block(self, points: Points, rows: np.ndarray, out: np.ndarray) -> None:
        """Write the kernel values between points[rows] and the stored points into out[:, :size].

        `rows` (p,) is int64, and `out` (p, n) has at least `size` columns.
        """
        kernel, size, norms = self.kernel.arguments, self.size, self.squared_norms
        if self.is_sparse:
            points, rows = points.of_whole(rows) if self.is_far else points.stored(rows)
            loops.sparse_block(
                *kernel,
                self.features,
                norms,
                self.places,
                size,
                self.largest_norm,
                points.rows,
                points.squared_norms,
                rows,
                out,
            )
            return
        chosen = points.dense_rows(rows, self.dtype)
        far_rows = far = np.empty(0, np.int64)
        if self.by_blas and self.is_far:
            far_rows = np.flatnonzero(points.squared_norms[rows] > self.largest_norm)
            far = np.flatnonzero(norms[:size] > self.largest_norm)
        n_far = len(far_rows) * len(far)
        if not self.by_blas or 2 * n_far > len(rows) * size:
            loops.dense_block(*kernel, self.features, size, chosen, out)
            return
        dots = chosen @ self.features[:, :size]
        loops.dots_to_kernel(
            *kernel, points.squared_norms[rows], norms[:size].astype(dots.dtype), dots, out
        )
        if n_far:
            stored = self.features.take(far, axis=1)
            values = np.empty((len(far_rows), len(far)), out.dtype)
            loops.dense_block(*kernel, stored, len(far), chosen[far_rows], values)
            out[np.ix_(far_rows, far)] = values
