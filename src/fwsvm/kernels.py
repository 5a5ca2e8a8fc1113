"""Kernels and kernel matrices: the diagonal, one column, a block; dense and CSR storage.

The paths (`KernelMatrix.path`) follow from the data, here and nowhere else:

* ``dense-loop``: dense X with few features; one column is a fused loop over the feature-major copy.
* ``dense-blas``: dense X with `BLAS_FEATURES` features or more; blocks and Gram matrices by matrix products of
  centred data in float64, single columns by the loop.
* ``sparse-scatter``: CSR X; one column scatters through a column-major copy.
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import sparse

from fwsvm import kernel_loops as loops

BLAS_FEATURES = 24
_KINDS = {"rbf": loops.RBF, "poly": loops.POLY, "linear": loops.LINEAR}
# Above this gamma |x|^2 a float32 dot product no longer gives exp(-gamma d^2) to about 1e-7.
_FLOAT32_EXPONENT = 2.0
_CHUNK_BYTES = 64 << 20


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


def average_squared_distance(X):
    """Mean of |x_i - x_j|^2 over all ordered pairs: 2 (mean |x|^2 - |mean x|^2), in O(m d)."""
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        return max(2.0 * (X.multiply(X).sum() / X.shape[0] - mean @ mean), 0.0)
    centred = X - X.mean(axis=0)
    return 2.0 * float(np.einsum("ij,ij->", centred, centred)) / X.shape[0]


def _triple(matrix, dtype=np.float64):
    return (
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.uint32),
        np.ascontiguousarray(matrix.data, dtype=dtype),
    )


class Points:
    """Points of one storage (dense or CSR, float64), with what the kernel loops need of them.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (m, d)
    center : ndarray of shape (d,), optional
        Subtracted from dense points: squared distances do not change and lose fewer digits in matrix products.
    """

    def __init__(self, X, center=None):
        self.is_sparse = sparse.issparse(X)
        if self.is_sparse:
            self.X = X.tocsr()
            if not self.X.has_canonical_format:
                self.X = self.X.copy()
                self.X.sum_duplicates()
            self.squared_norms = np.asarray(self.X.multiply(self.X).sum(axis=1), dtype=np.float64).ravel()
            self.rows = _triple(self.X)
        else:
            X = np.asarray(X, dtype=np.float64)
            self.X = np.ascontiguousarray(X if center is None else X - center)
            self.squared_norms = np.einsum("ij,ij->i", self.X, self.X)
        self.n_points, self.n_features = self.X.shape


class PointStore:
    """A growing set of points stored densely, feature-major (d x capacity), to take blocks of kernel values against.

    Parameters
    ----------
    kernel : Kernel
    n_features : int
    is_sparse : bool
        Storage of the points that will be added and compared.
    dtype : float32 or float64
        Precision of the arithmetic.
    capacity : int
        Number of points to make room for at first; it doubles when needed.
    """

    def __init__(self, kernel, n_features, is_sparse, dtype, capacity=64):
        self.kernel, self.is_sparse, self.dtype = kernel, is_sparse, np.dtype(dtype)
        self.features = np.zeros((n_features, capacity), self.dtype)
        self.squared_norms = np.zeros(capacity)
        self.size = 0

    def append(self, points, i):
        """Store point i of `points` behind the others."""
        if self.size == self.features.shape[1]:
            grown = np.zeros((self.features.shape[0], 2 * self.size), self.dtype)
            grown[:, : self.size] = self.features
            self.features = grown
            self.squared_norms = np.concatenate([self.squared_norms, np.zeros(self.size)])
        if self.is_sparse:
            start, index, data = points.rows
            self.features[:, self.size] = 0
            self.features[index[start[i] : start[i + 1]], self.size] = data[start[i] : start[i + 1]]
        else:
            self.features[:, self.size] = points.X[i]
        self.squared_norms[self.size] = points.squared_norms[i]
        self.size += 1

    def fill(self, points, indices):
        """Store points[indices] in place of whatever was stored (the capacity must suffice)."""
        selected = points.X[indices]
        self.size = len(indices)
        self.features[:, : self.size] = (selected.toarray() if self.is_sparse else selected).T
        self.squared_norms[: self.size] = points.squared_norms[indices]

    def remove(self, position):
        """Drop the point at `position`; the last one takes its place."""
        self.size -= 1
        self.features[:, position] = self.features[:, self.size]
        self.squared_norms[position] = self.squared_norms[self.size]

    def block(self, points, rows, out):
        """Kernel values of points[rows] (rows of the block) against the stored points, into `out`."""
        if self.is_sparse:
            loops.sparse_block(
                *self.kernel.arguments,
                self.features,
                self.squared_norms,
                self.size,
                points.rows,
                points.squared_norms,
                rows,
                out,
            )
        else:
            loops.dense_block(*self.kernel.arguments, self.features, self.size, self.narrow(points), rows, out)

    def narrow(self, points):
        """The dense points in this store's precision (kept with the points)."""
        if points.X.dtype == self.dtype:
            return points.X
        if getattr(points, "X32", None) is None:
            points.X32 = points.X.astype(self.dtype)
        return points.X32


class KernelMatrix:
    """K_ij = k(x_i, x_j) of m points, evaluated on demand.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (m, d), finite float64
    kernel : Kernel
    """

    def __init__(self, X, kernel):
        self.kernel = kernel
        self.center = None
        if not sparse.issparse(X) and kernel.name == "rbf":
            self.center = np.asarray(X, dtype=np.float64).mean(axis=0)
        self.points = Points(X, self.center)
        self.size, self.n_features = self.points.n_points, self.points.n_features
        self._columns = {}
        self.evaluations = 0

    @property
    def path(self):
        """Name of the way kernel values are computed (see the module's docstring)."""
        if self.points.is_sparse:
            return "sparse-scatter"
        return "dense-blas" if self.n_features >= BLAS_FEATURES else "dense-loop"

    def arithmetic(self, dtype):
        """Precision in which values of precision `dtype` are computed."""
        if dtype == np.float32 and self.kernel.name == "rbf" and self.points.is_sparse:
            largest = self.kernel.gamma * self.points.squared_norms.max(initial=0.0)
            return np.float32 if largest <= _FLOAT32_EXPONENT else np.float64
        return np.float32 if dtype == np.float32 else np.float64

    def diagonal(self):
        """k(x_i, x_i), float64 (m,)."""
        if self.kernel.name == "rbf":
            return np.ones(self.size)
        kind, gamma, degree = self.kernel.arguments
        values = self.points.squared_norms.copy()
        loops.kernel_values(kind, gamma, degree, values)
        return values

    def _by_columns(self, dtype):
        """Column-major copy of the points in `dtype`, made once."""
        if dtype not in self._columns:
            if self.points.is_sparse:
                dots = np.empty(self.size, dtype)
                self._columns[dtype] = (_triple(self.points.X.tocsc(), dtype), dots)
            else:
                self._columns[dtype] = np.ascontiguousarray(self.points.X.T, dtype=dtype)
        return self._columns[dtype]

    def column(self, i, out):
        """k(x_i, x_r) for all r into `out` (m,), float32 or float64."""
        dtype = self.arithmetic(out.dtype)
        self.evaluations += self.size
        if self.points.is_sparse:
            columns, dots = self._by_columns(dtype)
            rows = self.points.rows
            loops.scatter_column(*self.kernel.arguments, rows, columns, self.points.squared_norms, i, dots, out)
        else:
            features = self._by_columns(dtype)
            loops.dense_row(*self.kernel.arguments, features, np.ascontiguousarray(features[:, i]), out)

    def gram(self, out):
        """The whole matrix into `out` (m, m)."""
        self.evaluations += self.size**2
        dtype = self.arithmetic(out.dtype)
        if self.path == "sparse-scatter":
            columns, dots = self._by_columns(dtype)
            rows, norms = self.points.rows, self.points.squared_norms
            loops.scatter_gram(*self.kernel.arguments, rows, columns, norms, dots, out)
            return
        if self.path == "dense-loop":
            features = self._by_columns(dtype)
            points = np.ascontiguousarray(features.T)
            everyone = np.arange(self.size)
            loops.dense_block(*self.kernel.arguments, features, self.size, points, everyone, out)
            return
        step = max(1, (8 << 20) // (8 * self.size))
        norms = self.points.squared_norms
        for begin in range(0, self.size, step):
            part = slice(begin, begin + step)
            dots = self.points.X[part] @ self.points.X.T
            loops.transform_gram(*self.kernel.arguments, norms[part], norms, dots, out[part])

    def store(self, dtype, capacity=64):
        """An empty PointStore for points of this matrix."""
        return PointStore(self.kernel, self.n_features, self.points.is_sparse, self.arithmetic(dtype), capacity)

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
            queries = Points(sparse.csr_matrix(Z))
        else:
            queries = Points(Z.toarray() if sparse.issparse(Z) else Z, self.center)
        total = np.zeros((queries.n_points, *weights.shape[1:]))
        per_point = 8 * max(self.n_features, 1)
        step = max(1, min(len(indices), _CHUNK_BYTES // per_point)) if len(indices) else 1
        for begin in range(0, len(indices), step):
            chunk = np.asarray(indices[begin : begin + step])
            self._add_weighted(queries, chunk, np.ascontiguousarray(weights[begin : begin + step]), total)
        return total

    def _add_weighted(self, queries, chunk, weights, total):
        """Add the share of the points in `chunk` to `total`, a tile of queries at a time."""
        by_blas = self.path == "dense-blas"
        rows_per_tile = max(16, min(queries.n_points, (4 << 20) // (8 * len(chunk)) + 1))
        if by_blas:
            stored, norms = self.points.X[chunk], self.points.squared_norms[chunk]
        else:
            store = PointStore(self.kernel, self.n_features, self.points.is_sparse, np.float64, len(chunk))
            store.fill(self.points, chunk)
        block = np.empty((rows_per_tile, len(chunk)))
        for begin in range(0, queries.n_points, rows_per_tile):
            part = slice(begin, min(begin + rows_per_tile, queries.n_points))
            values = block[: part.stop - begin]
            if by_blas:
                dots = queries.X[part] @ stored.T
                loops.transform_gram(*self.kernel.arguments, queries.squared_norms[part], norms, dots, values)
            else:
                store.block(queries, np.arange(begin, part.stop), values)
            total[part] += values @ weights
