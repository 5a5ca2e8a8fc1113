"""Kernel matrices of dense or CSR points: their diagonals, columns and blocks.

There are several methods to compute columns, and the data determine which method is used. The
attribute `path` of a kernel matrix is the name of this method:

* ``dense-gram``: for dense X with at most 2048 points and at least 64 features. If all columns fit
  into half of the cache, they are computed together, by matrix products. Otherwise, they are
  computed like the columns of ``dense-loop``. The method `auto` begins with such columns, and
  computes all columns together if training needs many of them.
* ``dense-loop``: for other dense X. The code makes a copy of X that is stored feature by feature.
  One loop over this copy computes a column. If X has at least 64 features and all columns fit into
  half of the cache, `auto` can compute all columns together here, too.
* ``sparse-scatter``: for CSR X. The code makes a copy of X that is stored by columns, and computes
  the dot products of a column from it.
* ``binary-scatter``: for CSR X whose nonzeros are all 1, with fewer than 65,536 features. A dot
  product is the number of features that both points have.
* ``class-blocks``: for dense X with several classes, where a binary problem is trained for each
  pair of classes. Kernel values within a class are computed once, and used by all pairs that
  contain the class (`fwsvm.kernels.class_blocks`).
* ``precomputed``: the user gives the kernel matrix (`fwsvm.kernels.precomputed`).

A block consists of the kernel values between two sets of points. If X is dense and has at least 8
features, blocks are computed by matrix products. In float32, matrix products are not precise enough
for the distance between two points whose gamma |x|^2 is large. Such a distance is computed from
differences.
"""

from __future__ import annotations

import copy
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from fwsvm.inputs.errors import shown
from fwsvm.inputs.ranges import refuse_masked, require_range
from fwsvm.kernels import column_source as sources
from fwsvm.kernels import loops
from fwsvm.kernels.functions import Kernel, fits_float32, mean_point
from fwsvm.kernels.kinds import kernel_values
from fwsvm.kernels.points import (
    Points,
    PointStore,
    canonical_csr,
    row_blocks,
)
from fwsvm.kernels.rounding import product_error
from fwsvm.kernels.sums import WeightedSums, distances_from_differences
from fwsvm.kernels.symmetry import mirror_lower
from fwsvm.machine_code.threads import one_blas_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, DTypeLike

    from fwsvm.kernels.column_source import ColumnSource
    from fwsvm.machine_code.threads import Workers

# The path is `dense-gram` for at most GRAM_POINTS dense points with at least GRAM_FEATURES
# features. All kernel values of 2048 points then take 17 MB in float32. With fewer features, matrix
# products take about as long as the columns that training needs.
GRAM_POINTS, GRAM_FEATURES = 2048, 64
# A block of rows in `gram` has at most _ROWS_BYTES bytes in float64, and at most _GRAM_ROWS rows.
_ROWS_BYTES, _GRAM_ROWS = 8 << 20, 256


class KernelMatrix:
    """The kernel matrix K_ij = k(x_i, x_j) of m points.

    Its entries are computed when they are needed.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (m, d), finite, float32 or float64, or `Points`
        C-contiguous dense points are not copied, so do not change them while the matrix is in use.
        `Points` are not checked.
    kernel : Kernel
        The kernel function.
    center : float64 ndarray of shape (d,), optional
        This centre is subtracted from dense points. If the kernel is isotropic, centring does not
        change kernel values, and the default is the mean of the points. For other kernels, the
        points are not centred by default.

    Raises
    ------
    ValueError
        If X is not float32 or float64, X or `center` has a wrong shape, or the index arrays of a
        sparse X are wrong. If X has NaN values, masked entries, values whose squares could overflow
        (such as infinity), or only values whose squares underflow.
    TypeError
        If `kernel` is not a Kernel.
    """

    # Only for the path "class-blocks": three float32 blocks of kernel values of a pair of classes
    # (within the first class, between the two classes, within the second class). Otherwise None.
    class_blocks: Any = None

    def __init__(
        self,
        X: ArrayLike | sparse.spmatrix | Points,
        kernel: Kernel,
        center: np.ndarray | None = None,
    ) -> None:
        if not isinstance(X, Points):
            refuse_masked(X, "X")
            X = canonical_csr(X) if sparse.issparse(X) else np.asarray(X)
            if not isinstance(kernel, Kernel):
                raise TypeError(f"kernel must be a Kernel, got {shown(kernel)}")
            if X.ndim != 2 or 0 in X.shape or X.dtype not in (np.float32, np.float64):
                raise ValueError(
                    f"X must be float32 or float64 of shape (m, d), got {X.dtype} of shape"
                    f" {X.shape}"
                )
            if center is not None and np.shape(center) != X.shape[1:]:
                raise ValueError(
                    f"center must have the shape {X.shape[1:]}, got {np.shape(center)}"
                )
            require_range(X, "X", trains=True)
            if not sparse.issparse(X) and center is None and kernel.is_isotropic:
                center = mean_point(X, np.full(X.shape[0], 1.0 / X.shape[0]))
            X = Points(X, center)
        self.points, self.center = X, X.center
        self.kernel = kernel
        self.size, self.n_features = self.points.n_points, self.points.n_features
        self._plain: dict[Any, ColumnSource] = {}
        self._counters: dict[int, np.ndarray] = {}

    @property
    def path(self) -> str:
        """Return the name of the method that computes columns. The docstring of this module lists
        the names.
        """
        if self.points.is_sparse:
            return "binary-scatter" if self.points.is_binary else "sparse-scatter"
        if self.class_blocks is not None:
            return "class-blocks"
        is_small = self.size <= GRAM_POINTS
        return "dense-gram" if self._is_wide and is_small else "dense-loop"

    @property
    def _is_wide(self) -> bool:
        return not self.points.is_sparse and self.n_features >= GRAM_FEATURES

    def multiplies(self, dtype: DTypeLike) -> bool:
        """Test whether `gram` computes values of type `dtype` by matrix products, and is therefore
        faster than single columns.
        """
        return self._is_wide and self.store(dtype, 1).by_blas

    @property
    def fits_float32(self) -> bool:
        """Test whether columns can be computed in float32."""
        return fits_float32(self.points.squared_norms, self.kernel)

    @property
    def _counter(self) -> np.ndarray:
        """Return the array in which this thread counts its kernel values.

        Each thread has its own array.
        """
        return self._counters.setdefault(get_ident(), np.zeros(1, np.int64))

    @property
    def evaluations(self) -> int:
        """Return how many kernel values of columns and of `gram` this thread has computed.

        Blocks and sums of kernel values are not counted here.
        """
        return int(self._counter[0])

    def restricted_to(self, points: np.ndarray) -> KernelMatrix:
        """Return the kernel matrix of some of the points.

        The centre that is subtracted from the points stays the same.
        """
        other = copy.copy(self)
        other.points, other.size, other.class_blocks = self.points.view(points), len(points), None
        other._plain, other._counters = {}, {}
        return other

    def diagonal(self) -> np.ndarray:
        """Return the kernel values k(x_i, x_i) of all points, float64 (m,)."""
        return self.kernel.diagonal(self.points.squared_norms)

    def roots(self) -> np.ndarray:
        """Return the square roots of the kernel values k(x_i, x_i) for error bounds, float64 (m,).
        A root is 0 only if the kernel value is exactly 0 (see `Points.squared_norm_bounds`).
        """
        return self.kernel.roots(self.points.squared_norm_bounds)

    def diagonal_error(self) -> float:
        """Return a number e such that the rounding errors of `diagonal` are at most e times the
        squares of `roots`, plus half of UNDERFLOW.
        """
        if self.kernel.is_isotropic:
            return 0.0
        return product_error(self.kernel, 0 if self.points.is_binary else self.points.most_terms)

    def column_source(self, dtype: DTypeLike, room_mb: float = 0.0) -> tuple[ColumnSource, float]:
        """Return the `ColumnSource` of K, and the memory (MB) of its kernel values or of its copies
        of the data.

        If the points are dense with at least GRAM_FEATURES features, and all kernel values fit into
        `room_mb` MB, they are computed in this call. If `path` is ``class-blocks`` and `dtype` is
        float32, the kernel values are already in memory, and the returned memory is 0. For columns
        of Q instead of K, call `ColumnSource.changed`.
        """
        if self.path == "class-blocks" and dtype == np.float32:
            within_first, between, within_second = self.class_blocks
            blocks = {
                "within_first": within_first,
                "between": between,
                "within_second": within_second,
            }
            return self._source(sources.BLOCKS, dtype, dtype, **blocks), 0.0
        gram_mb = self.size**2 * np.dtype(dtype).itemsize / 1e6
        if self._is_wide and gram_mb <= room_mb:
            matrix = np.empty((self.size, self.size), dtype)
            self.gram(matrix)
            source = self._source(
                sources.GIVEN, dtype, dtype, matrix=matrix, index=np.arange(self.size)
            )
            return source, gram_mb
        source = self._plain_source(dtype).changed(evaluations=self._counter)
        return source, source.copied_mb

    def _source(
        self, layout: int, precision: DTypeLike, dtype: DTypeLike, **arrays: np.ndarray
    ) -> ColumnSource:
        arrays["evaluations"] = np.zeros(1, np.int64)
        largest_norm = self.points.largest_norm(self.kernel)
        return sources.ColumnSource(
            layout, self.kernel.arguments, self.size, precision, dtype, largest_norm, **arrays
        )

    def _plain_source(self, dtype: DTypeLike) -> ColumnSource:
        points, dtype = self.points, np.dtype(dtype)
        if dtype not in self._plain:
            if points.is_sparse:
                precision = points.dot_precision(self.kernel, dtype)
                layout = sources.BINARY if points.is_binary else sources.SPARSE
                columns = points.column_major(precision)
                arrays = {"dots": np.empty(self.size, precision), "norms": points.squared_norms}
                arrays |= dict(
                    zip(("row_start", "row_index", "row_data"), points.rows, strict=True)
                )
                arrays |= dict(
                    zip(("column_start", "column_index", "column_data"), columns, strict=True)
                )
                if points.is_binary:
                    arrays["counts"] = np.empty(self.size, np.uint16)
                self._plain[dtype] = self._source(layout, precision, dtype, **arrays)
            else:
                precision = points.loop_precision(self.kernel, dtype)
                features = points.feature_major(precision)
                self._plain[dtype] = self._source(
                    sources.DENSE, precision, dtype, features=features
                )
        return self._plain[dtype]

    def release(self, dtype: DTypeLike) -> None:
        """Free the copies of the data from which columns of type `dtype` are computed."""
        self._plain.pop(np.dtype(dtype), None)

    def column(self, i: int, out: np.ndarray) -> None:
        """Write k(x_i, x_r) for all r into `out` (m,), float32 or float64."""
        self._plain_source(out.dtype).fill(i, out)
        self._counter[0] += self.size

    def gram(self, out: np.ndarray) -> None:
        """Write the whole kernel matrix into `out` (m, m).

        For dense points, only blocks that cover the lower triangle are computed. In all cases, the
        lower triangle is copied to the upper triangle, so that `out` is exactly symmetric.
        """
        if self.points.is_sparse:
            for i in range(self.size):
                self.column(i, out[i])
        else:
            self._counter[0] += self.size**2
            store = self.store(out.dtype, self.size)
            store.fill(self.points, np.arange(self.size))
            step = max(1, min(_GRAM_ROWS, _ROWS_BYTES // (8 * self.size)))
            with one_blas_thread():
                for begin in range(0, self.size, step):
                    end = min(begin + step, self.size)
                    store.size = end  # `mirror_lower` fills the entries after column `end`
                    store.block(self.points, np.arange(begin, end), out[begin:end])
        mirror_lower(out)
        np.fill_diagonal(out, self.diagonal())

    def columns(self, indices: np.ndarray, dtype: DTypeLike) -> Callable[[slice], np.ndarray]:
        """Return a function that maps a slice `rows` to the block (n, p) of kernel values k(x_i,
        x_r), for i in `indices` (n,) and the p points r in `rows`.

        Matrix products compute the blocks, so `multiplies` must be true.
        """
        features = self._plain_source(dtype).arrays["features"]
        chosen, norms = self.points.dense_rows(indices, dtype), self.points.squared_norms
        others = norms.astype(dtype)
        self._counter[0] += len(indices) * self.size

        def values(rows: slice) -> np.ndarray:
            block: np.ndarray = chosen @ features[:, rows]
            loops.dots_to_kernel(*self.kernel.arguments, norms[indices], others[rows], block, block)
            return block

        return values

    def store(self, dtype: DTypeLike, capacity: int = 64, rough: bool = False) -> PointStore:
        """Return an empty `PointStore` for points of this matrix.

        The store has room for `capacity` points, and computes kernel values of type `dtype`. If
        `rough` is true, float32 values of the RBF kernel have larger errors (at most 3e-6), but can
        be faster to compute.
        """
        return PointStore(self.kernel, self.points, dtype, capacity, rough)

    def against(self, columns: np.ndarray, dtype: DTypeLike) -> Callable[[np.ndarray], np.ndarray]:
        """Return a function that maps `rows` (p,) to the block (p, q) of kernel values k(x_i, x_j),
        for i in `rows` and j in `columns` (q,).

        With the RBF kernel, the errors of float32 values are at most 3e-6. FCFW and working sets
        use these values, and correct the errors by exact gradients.
        """
        store = self.store(dtype, max(len(columns), 1), rough=True)
        store.fill(self.points, columns)

        def values(rows: np.ndarray) -> np.ndarray:
            block = np.empty((len(rows), len(columns)), dtype)
            store.block(self.points, rows, block)
            return block

        return values

    @property
    def is_near(self) -> bool:
        """Test whether kernel values can be computed precisely from dot products for all points.

        If the result is False, some points have a large norm. The distances between these points
        are then computed from differences.
        """
        return self.points.largest_squared_norm <= self.points.largest_norm(self.kernel)

    def submatrix(self, indices: np.ndarray, others: np.ndarray | None = None) -> np.ndarray:
        """Return the submatrix of K with the rows `indices` (p,) and the columns `others` (q,), as
        float64 (p, q). If `others` is None, the columns are `indices` too.
        """
        if others is None:
            block = self._values_of(indices, indices)
            mirror_lower(block)
            np.fill_diagonal(block, self.kernel.diagonal(self.points.squared_norms[indices]))
            return block
        return self._values_of(indices, others)

    def _values_of(self, indices: np.ndarray, others: np.ndarray) -> np.ndarray:
        rows = self.points.some(indices, np.float64)
        columns = rows if others is indices else self.points.some(others, np.float64)
        dots = rows @ columns.T
        block: np.ndarray = dots.toarray() if self.points.is_sparse else dots
        norms, other_norms = (self.points.squared_norms[each] for each in (indices, others))
        loops.dots_to_kernel(*self.kernel.arguments, norms, other_norms, block, block)
        most = self.points.largest_norm(self.kernel)
        far, other_far = np.flatnonzero(norms > most), np.flatnonzero(other_norms > most)
        if len(far) and len(other_far):
            values = distances_from_differences(rows[far], columns[other_far])
            kernel_values(*self.kernel.arguments, values.reshape(-1))
            block[np.ix_(far, other_far)] = values
        return block

    def sums(
        self, indices: np.ndarray, weights: np.ndarray, workers: Workers | None = None
    ) -> WeightedSums:
        return WeightedSums(self.kernel, self.points, indices, weights, workers)

    def sum_errors(self, indices: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return bounds on the rounding errors of the float64 sums that `weighted_sums` computes at
        the m points.

        For the RBF kernel, the result is one number that holds for all points. For other kernels,
        it is an array (m,).
        """
        return self.sums(indices, weights).errors(self.points)

    def queries(self, Z: np.ndarray | sparse.csr_matrix) -> Iterator[Points]:
        """Yield the points Z (n, d) as `Points`, centred like the training points.

        If the training points are centred, a sparse Z is made dense in blocks of rows.

        Raises
        ------
        ValueError
            If Z and the training points have different numbers of features.
        """
        if Z.shape[1] != self.n_features:
            raise ValueError(
                f"the points have {Z.shape[1]} features, but the training points have"
                f" {self.n_features}"
            )
        if not sparse.issparse(Z):
            yield Points(Z, self.center)
            return
        Z = canonical_csr(Z, "Z")
        if self.center is None:
            yield Points(Z, None)
            return
        for rows in row_blocks(*Z.shape) or [slice(0)]:
            yield Points(Z[rows].toarray(), self.center)

    def weighted_sums(
        self,
        indices: np.ndarray,
        weights: np.ndarray,
        Z: ArrayLike | sparse.spmatrix | None = None,
        workers: Workers | None = None,
    ) -> np.ndarray:
        """Return the sums sum_j k(z, x_j) weights_j in float64, for j in `indices` and the rows z
        of Z (default: all m points).

        For q indices and n points z, `weights` has the shape (q,) or (q, p), and the result has the
        shape (n,) or (n, p).
        """
        sums = self.sums(indices, weights, workers)
        return np.concatenate(
            [sums.of(points) for points in ([self.points] if Z is None else self.queries(Z))]
        )
