"""Kernels and kernel matrices: the diagonal, one column, a block; dense and CSR storage, or given values.

The path (`KernelMatrix.path`) follows from the data, here and nowhere else:

* ``dense-loop``: dense X; one column is a fused loop over the feature-major copy.
* ``dense-gram``: dense X of at most `GRAM_POINTS` points with `GRAM_FEATURES` features or more: all columns at once, by
  matrix products (as long as they fit half of the cache).
* ``sparse-scatter``: CSR X; the dot products of one column are scattered through a column-major copy.
* ``binary-scatter``: the same where every nonzero is 1; dot products are counted.
* ``class-blocks``: dense X of one of many one-versus-one pairs; see `fwsvm.kernels.class_blocks`.
* ``precomputed``: given kernel values (`PrecomputedKernelMatrix`).

Blocks (samples against a coreset, certificates) of dense X come from matrix products of centred data where there are
at least 8 features and, for float32, where gamma |x|^2 is small enough for them; otherwise from loops.
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import sparse

from fwsvm.base.ranges import require_range
from fwsvm.base.threads import one_blas_thread
from fwsvm.kernels import column_source as sources
from fwsvm.kernels import loops as loops
from fwsvm.kernels.points import FLOAT32_RANGE, Points, PointStore, loop_view, row_blocks
from fwsvm.kernels.sparse_input import canonical_csr
from fwsvm.kernels.symmetry import is_symmetric, mirror_lower

GRAM_POINTS, GRAM_FEATURES = 2048, 24
_KINDS = {"rbf": loops.RBF, "poly": loops.POLY, "linear": loops.LINEAR}
# Kernel values up to this leave room for the squares of scores in float64.
LARGEST_KERNEL_VALUE = 1e150
# Room for points, and for a tile of kernel values, in `weighted_sums`.
_CHUNK_BYTES, _TILE_BYTES = 8 << 20, 2 << 20
# Rows of `KernelMatrix.gram` that are computed at once, each as long as the last of them.
_GRAM_ROWS = 256


@dataclass(frozen=True)
class Kernel:
    """A Mercer kernel.

    Parameters
    ----------
    name : {"rbf", "poly", "linear"}
        exp(-gamma |x - z|^2); the homogeneous polynomial (gamma x'z)^degree (frandi2013 sec. 5.8); x'z.
    gamma : float
        Width of the RBF kernel in 1 / squared feature units, factor of the polynomial; unused by the linear kernel.
    degree : int
        Degree of the polynomial, at least 1.
    """

    name: str = "rbf"
    gamma: float = 1.0
    degree: int = 2

    def __post_init__(self):
        if self.name not in _KINDS:
            raise ValueError(f"kernel must be one of {', '.join(_KINDS)}, got {self.name!r}")
        if not (isinstance(self.gamma, Real) and np.isfinite(self.gamma) and self.gamma > 0):
            raise ValueError(f"gamma must be a positive finite number, got {self.gamma!r}")
        if not isinstance(self.degree, Real) or int(self.degree) != self.degree or self.degree < 1:
            raise ValueError(f"degree must be an integer >= 1, got {self.degree!r}")

    @property
    def arguments(self):
        """What the compiled loops take: (kind, gamma, degree)."""
        return _KINDS[self.name], float(self.gamma), int(self.degree)

    @property
    def is_normalised(self):
        """Whether k(x, x) is the same for all x, the condition of the MEB equivalence (tsang2005 eq. 6)."""
        return self.name == "rbf"


def average_squared_distance(X, weights=None):
    """Mean of |x_i - x_j|^2 over all ordered pairs: 2 (mean |x|^2 - |mean x|^2), in O(m d); 0 where it is rounding.

    With weights (m,) the pair (i, j) counts w_i w_j times, as if points were repeated.
    """
    X = canonical_csr(X) if sparse.issparse(X) else np.asarray(X)
    shares = np.full(X.shape[0], 1.0) if weights is None else weights / weights.max()
    shares = shares / shares.sum()
    mean = _mean_point(X, shares)
    variance = float(shares @ Points(X, mean).squared_norms)
    rounding = 1e-28 * float(mean @ mean)
    if sparse.issparse(X):  # sparse points are not centred
        variance, rounding = variance - float(mean @ mean), 1e-14 * variance
    return 2.0 * variance if variance > rounding else 0.0


def _mean_point(X, shares):
    """Mean of points, in float64 without a float64 copy of dense float32 points; `shares` (m,) sum to 1."""
    if sparse.issparse(X):
        return X.T @ shares
    if X.dtype == np.float64:
        return shares @ X
    return sum(shares[part] @ X[part] for part in row_blocks(*X.shape))


def gamma_of_variance(rule, X):
    """gamma="scale", 1 / (d X.var()), or "auto", 1 / d, as in scikit-learn's SVC."""
    if rule == "auto":
        return 1.0 / X.shape[1]
    size = X.shape[0] * X.shape[1]
    if sparse.issparse(X):
        variance = np.square(X.data, dtype=np.float64).sum() / size - (X.data.sum(dtype=np.float64) / size) ** 2
    else:
        mean = X.mean(dtype=np.float64)
        variance = sum(np.square(X[part] - mean).sum() for part in row_blocks(*X.shape)) / size
    return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0


def fits_float32(squared_norms, kernel):
    """Whether squared distances and kernel values of points stay well within the range of float32."""
    largest = np.array([squared_norms.max(initial=0.0)])
    if largest[0] > FLOAT32_RANGE:
        return False
    loops.kernel_values(*kernel.arguments, largest)
    return bool(largest[0] <= FLOAT32_RANGE)


def require_kernel_range(diagonal):
    """Refuse kernel values k(x, x), (m,), that leave no room for the squares of scores in float64.

    Raises
    ------
    ValueError
        With the largest of them, and what to do.
    """
    largest = diagonal.max(initial=0.0)
    if not largest <= LARGEST_KERNEL_VALUE:
        raise ValueError(
            f"the kernel values k(x, x) of X reach {largest:.3g} and overflow: scale the features of X, or give the "
            "polynomial kernel a smaller gamma or degree"
        )


class KernelMatrix:
    """K_ij = k(x_i, x_j) of m points, evaluated on demand.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (m, d), finite, float32 or float64
        Dense points are not copied: they must not be changed as long as the matrix is used.
    kernel : Kernel
    class_blocks : tuple of three float32 arrays, optional
        Kernel values within the first p points, between them and the others, and within the others.
    center : ndarray of shape (d,), optional
        Subtracted from dense points; by default the mean for the RBF kernel, whose values it does not change, and
        nothing for the others.

    Raises
    ------
    ValueError
        If X is a sparse matrix with broken index arrays, or its values are so large that their squares might overflow.
    """

    def __init__(self, X, kernel, class_blocks=None, center=None):
        X = canonical_csr(X) if sparse.issparse(X) else np.asarray(X)
        require_range(X, "X")
        self.kernel, self.class_blocks = kernel, class_blocks
        if not sparse.issparse(X) and center is None and kernel.name == "rbf":
            center = _mean_point(X, np.full(X.shape[0], 1.0 / max(X.shape[0], 1)))
        self.center = center
        self.points = Points(X, self.center)
        self.size, self.n_features = self.points.n_points, self.points.n_features
        self._plain = {}
        self._evaluations = np.zeros(1, np.int64)

    @property
    def path(self):
        """Name of the way columns are computed (see the module's docstring)."""
        if self.points.is_sparse:
            return "binary-scatter" if self.points.is_binary else "sparse-scatter"
        if self.class_blocks is not None:
            return "class-blocks"
        is_small = self.size <= GRAM_POINTS and self.n_features >= GRAM_FEATURES
        return "dense-gram" if is_small else "dense-loop"

    @property
    def fits_float32(self):
        """Whether columns can be computed in float32."""
        return fits_float32(self.points.squared_norms, self.kernel)

    @property
    def evaluations(self):
        """Kernel values computed so far for columns."""
        return int(self._evaluations[0])

    def diagonal(self):
        """k(x_i, x_i), float64 (m,)."""
        if self.kernel.name == "rbf":
            return np.ones(self.size)
        kind, gamma, degree = self.kernel.arguments
        values = self.points.squared_norms.copy()
        loops.kernel_values(kind, gamma, degree, values)
        return values

    def column_source(self, dtype, room_mb=0.0):
        """Where compiled loops take columns of K from (`fwsvm.kernels.column_source`).

        Parameters
        ----------
        dtype : float32 or float64
            Precision of the columns.
        room_mb : float
            Memory that the source may use for kernel values in advance.

        Returns
        -------
        source : ColumnSource
            Of plain kernel values: labels 1, offset 0, ridge 0.
        used_mb : float
            Memory of its kernel values or of its copies of the data.
        """
        if self.path == "class-blocks" and dtype == np.float32:
            within_first, between, within_second = self.class_blocks
            blocks = {"within_first": within_first, "between": between, "within_second": within_second}
            return self._source(sources.BLOCKS, dtype, **blocks), 0.0
        gram_mb = self.size**2 * np.dtype(dtype).itemsize / 1e6
        if self.path == "dense-gram" and gram_mb <= room_mb:
            matrix = np.empty((self.size, self.size), dtype)
            self.gram(matrix)
            return self._source(sources.GIVEN, dtype, matrix=matrix, index=np.arange(self.size)), gram_mb
        source = self._plain_source(dtype)
        return source, (source.features.nbytes + source.column_index.nbytes + source.column_data.nbytes) / 1e6

    def _source(self, layout, dtype, **arrays):
        return sources.column_source(
            layout, self.kernel.arguments, np.ones(self.size), dtype, self._evaluations, **arrays
        )

    def _plain_source(self, dtype):
        """A source that computes columns from the points, made once."""
        points, dtype = self.points, np.dtype(dtype)
        if dtype not in self._plain:
            if points.is_sparse:
                precision = points.dot_precision(self.kernel, dtype)
                layout = sources.BINARY if points.is_binary else sources.SPARSE
                columns = points.column_major(precision)
                arrays = {"dots": np.empty(self.size, precision), "norms": points.squared_norms}
                arrays |= dict(zip(("row_start", "row_index", "row_data"), points.rows, strict=True))
                arrays |= dict(zip(("column_start", "column_index", "column_data"), columns, strict=True))
                if points.is_binary:
                    arrays["counts"] = np.empty(self.size, np.uint16)
                self._plain[dtype] = self._source(layout, precision, **arrays)
            else:
                precision = points.loop_precision(self.kernel, dtype)
                features = points.feature_major(precision)
                self._plain[dtype] = self._source(sources.DENSE, precision, features=features)
        return self._plain[dtype]

    def release(self, dtype):
        """Give back the copies of the data that columns of this precision were computed from."""
        self._plain.pop(np.dtype(dtype), None)

    def column(self, i, out):
        """k(x_i, x_r) for all r into `out` (m,), float32 or float64."""
        sources.fill_column(self._plain_source(out.dtype), i, out)

    def gram(self, out):
        """The whole matrix into `out` (m, m): computed below the diagonal, copied above it, and so symmetric."""
        if self.points.is_sparse:
            sources.fill_columns(self._plain_source(out.dtype), out)
        else:
            self._evaluations += self.size**2
            store = self.store(out.dtype, self.size)
            store.fill(self.points, np.arange(self.size))
            step = max(1, min(_GRAM_ROWS, (8 << 20) // (8 * self.size)))
            with one_blas_thread():
                for begin in range(0, self.size, step):
                    end = min(begin + step, self.size)
                    store.size = end  # a block is taken against the first points that are stored
                    store.block(self.points, np.arange(begin, end), out[begin:end, :end])
        mirror_lower(out)
        np.fill_diagonal(out, self.diagonal())

    def store(self, dtype, capacity=64):
        """An empty PointStore for points of this matrix."""
        return PointStore(self.kernel, self.points, dtype, capacity)

    def submatrix(self, indices):
        """K restricted to `indices`, float64 (p, p)."""
        p = len(indices)
        store, block = self.store(np.float64, capacity=max(p, 1)), np.empty((p, p))
        store.fill(self.points, indices)
        store.block(self.points, np.asarray(indices, dtype=np.int64), block)
        mirror_lower(block)
        np.fill_diagonal(block, self.diagonal()[indices])
        return block

    def weighted_sums(self, indices, weights, Z=None):
        """sum_j k(z, x_j) weights_j over j in `indices`, in float64.

        Parameters
        ----------
        indices : int array of shape (q,)
        weights : array of shape (q,) or (q, p)
        Z : ndarray or CSR matrix of shape (n, d), optional
            The points z; by default the m points themselves.

        Returns
        -------
        ndarray of shape (n,) or (n, p)
        """
        weights = np.asarray(weights, dtype=np.float64)
        if Z is None:
            queries = self.points
        elif self.points.is_sparse:
            queries = Points(canonical_csr(Z, "Z") if sparse.issparse(Z) else sparse.csr_matrix(Z))
        else:
            queries = Points(canonical_csr(Z, "Z").toarray() if sparse.issparse(Z) else Z, self.center)
        total = np.zeros((queries.n_points, *weights.shape[1:]))
        per_point = 8 * max(self.n_features, 1)
        step = max(1, min(len(indices), _CHUNK_BYTES // per_point)) if len(indices) else 1
        with one_blas_thread():
            for begin in range(0, len(indices), step):
                chunk = np.asarray(indices[begin : begin + step])
                self._add_weighted(queries, chunk, np.ascontiguousarray(weights[begin : begin + step]), total)
        return total

    def _add_weighted(self, queries, chunk, weights, total):
        """Add the share of the points in `chunk` to `total`, a tile of queries at a time."""
        store = PointStore(self.kernel, self.points, np.float64, len(chunk))
        store.fill(self.points, chunk)
        most = min(_TILE_BYTES // (8 * len(chunk)) + 1, _CHUNK_BYTES // (8 * max(self.n_features, 1)))
        rows_per_tile = max(16, min(queries.n_points, most))
        block = np.empty((rows_per_tile, len(chunk)))
        for begin in range(0, queries.n_points, rows_per_tile):
            part = slice(begin, min(begin + rows_per_tile, queries.n_points))
            values = block[: part.stop - begin]
            store.block(queries, np.arange(begin, part.stop), values)
            total[part] += values @ weights


class PrecomputedKernelMatrix:
    """Kernel values that are given: K restricted to some of its points.

    Parameters
    ----------
    K : ndarray of shape (n, n), float32 or float64
        Symmetric up to rounding (`fwsvm.kernels.symmetry`). Where it is not exactly symmetric, (K + K') / 2 is used,
        formed where it is read: columns, certificates and starts see the same matrix, and K is not copied.
    index : int array of shape (m,), optional
        The points of this problem; by default all.
    symmetric : bool, optional
        What `is_symmetric` has found; by default it is asked.
    name : str
        What K is called in messages.

    Raises
    ------
    ValueError
        If K holds NaN or infinite values, or is not symmetric; the message names the place.
    """

    path = "precomputed"
    evaluations = 0
    points = None
    fits_float32 = True  # columns have the precision of the given values, whatever is asked for

    def __init__(self, K, index=None, symmetric=None, name="K"):
        self.symmetric = is_symmetric(K, name) if symmetric is None else symmetric
        self.K = loop_view(K)
        self.index = np.arange(len(K)) if index is None else np.ascontiguousarray(index, dtype=np.int64)
        self.size = len(self.index)

    def release(self, dtype):
        """There are no copies of the data to give back."""

    def diagonal(self):
        """k(x_i, x_i), float64 (m,)."""
        return self.K[self.index, self.index].astype(np.float64)

    def column_source(self, dtype, room_mb=0.0):
        """As `KernelMatrix.column_source`."""
        matrix = self.K if self.K.dtype == np.float32 else self.K.astype(np.float64, copy=False)
        source = sources.column_source(
            sources.GIVEN if self.symmetric else sources.GIVEN_TWICE, (loops.LINEAR, 1.0, 1), np.ones(self.size),
            matrix.dtype.type, np.zeros(1, np.int64), matrix=matrix, index=self.index,
        )  # fmt: skip
        return source, 0.0

    def column(self, i, out):
        """k(x_i, x_r) for all r into `out` (m,), float32 or float64."""
        row = self.K[self.index[i], self.index]
        out[:] = row if self.symmetric else 0.5 * (row.astype(np.float64) + self.K[self.index, self.index[i]])

    def submatrix(self, indices):
        """K restricted to `indices`, float64 (p, p)."""
        chosen = self.index[indices]
        block = self.K[np.ix_(chosen, chosen)].astype(np.float64)
        return block if self.symmetric else 0.5 * (block + block.T)

    def weighted_sums(self, indices, weights):
        """sum_j k(x_i, x_j) weights_j over j in `indices` for all m points, float64 (m,)."""
        total, mirrored = np.zeros(self.size), np.zeros(self.size)
        chosen, step = self.index[indices], max(1, _CHUNK_BYTES // (8 * self.size))
        for begin in range(0, len(chosen), step):
            part = slice(begin, begin + step)
            total += self.K[np.ix_(chosen[part], self.index)].T.astype(np.float64) @ weights[part]
            if not self.symmetric:
                mirrored += self.K[np.ix_(self.index, chosen[part])].astype(np.float64) @ weights[part]
        return total if self.symmetric else 0.5 * (total + mirrored)
