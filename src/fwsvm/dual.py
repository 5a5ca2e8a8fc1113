"""The L2-SVM dual as a quadratic program over the unit simplex, over kernel values or an explicit matrix.

    minimise R(a) = a'Qa,  a >= 0, sum(a) = 1,   Q_ij = y_i y_j (k(x_i, x_j) + offset) + delta_ij ridge

with offset 1 and ridge 1/C for classification (frandi2013 eq. 12, 18). Solvers ask a problem for columns of Q, or for
scores Qa of a sparse a; they know nothing of kernels.
"""

from numbers import Real

import numpy as np

from fwsvm import column_source as sources
from fwsvm.kernel_loops import LINEAR
from fwsvm.points import loop_view
from fwsvm.symmetry import is_symmetric

# Kernel values up to this leave room for the squares of scores in float64.
_LARGEST_DIAGONAL = 1e150


class KernelProblem:
    """The dual QP of a kernel machine (see the module's docstring).

    Parameters
    ----------
    matrix : KernelMatrix
        Kernel matrix K of the m training points.
    labels : array of shape (m,), values -1 and +1
    C : float
        Penalty of the squared slacks; ridge = 1/C. Infinity is the hard margin, 1/C = 0 (alaiz2018).
    offset : float
        1 for classification (the bias is part of the kernel), 0 for the one-class machine (tsang2005 eq. 7).

    Raises
    ------
    ValueError
        If C is not positive, if the labels are not -1 and +1, one per point, or if kernel values or 1/C overflow.
    """

    def __init__(self, matrix, labels, C=1.0, offset=1.0):
        if not (isinstance(C, Real) and C > 0):
            raise ValueError(f"C must be a positive finite number, got {C!r} (infinity is the hard margin)")
        labels = np.ascontiguousarray(labels, dtype=np.float64)
        if labels.shape != (matrix.size,) or not np.all(np.abs(labels) == 1):
            raise ValueError(f"labels must be {matrix.size} values of -1 or +1")
        if C < 1.0 / _LARGEST_DIAGONAL:
            raise ValueError(f"C must be at least {1.0 / _LARGEST_DIAGONAL:g}, got {C!r}: 1/C overflows")
        self.matrix, self.labels, self.C, self.offset = matrix, loop_view(labels), float(C), float(offset)
        self.ridge = 1.0 / self.C
        self.size = matrix.size
        with np.errstate(over="ignore"):
            values = matrix.diagonal()
        if not values.max(initial=0.0) <= _LARGEST_DIAGONAL:
            raise ValueError(
                f"the kernel values k(x, x) of X reach {values.max():.3g} and overflow: scale the features of X, or "
                "give the polynomial kernel a smaller gamma or degree"
            )
        self.diagonal = values + self.offset + self.ridge

    @property
    def compares_blocks(self):
        """Whether samples can be compared with a coreset in blocks, more cheaply than by columns over all points."""
        return self.matrix.path not in ("precomputed", "class-blocks")

    @property
    def kernel_path(self):
        """Name of the way kernel values are computed."""
        return self.matrix.path

    @property
    def evaluations(self):
        """Kernel values computed so far for columns."""
        return self.matrix.evaluations

    def column_source(self, dtype, room_mb=0.0):
        """Where compiled loops take columns of Q from, and the MB it holds (see `KernelMatrix.column_source`)."""
        source, used_mb = self.matrix.column_source(dtype, room_mb)
        return source._replace(labels=self.labels.astype(np.int8), offset=self.offset, ridge=self.ridge), used_mb

    def fill_column(self, i, out):
        """Column i of Q into `out` (m,), float32 or float64."""
        self.matrix.column(i, out)
        out += self.offset
        out *= self.labels[i] * self.labels
        out[i] += self.ridge

    def scores(self, indices, weights):
        """s = Qa in float64 over all m points, for a that is `weights` at `indices` and 0 elsewhere."""
        signed = weights * self.labels[indices]
        s = self.labels * (self.matrix.weighted_sums(indices, signed) + self.offset * signed.sum())
        s[indices] += self.ridge * weights
        return s

    def submatrix(self, indices):
        """Q restricted to `indices`, float64 (p, p)."""
        signs = self.labels[indices]
        kernel = self.matrix.submatrix(indices)
        return signs[:, None] * signs * (kernel + self.offset) + self.ridge * np.eye(len(indices))


class MatrixProblem:
    """The simplex QP of an explicit symmetric positive semi-definite matrix Q (m, m), for small problems and tests.

    Where Q is symmetric only up to the rounding of its precision, the problem's matrix is (Q + Q') / 2.

    Raises
    ------
    ValueError
        If Q is not square, finite and symmetric; the message says where, and by how much.
    """

    kernel_path = "matrix"
    compares_blocks = False
    evaluations = 0

    def __init__(self, Q, labels=None):
        Q = np.asarray(Q)
        if Q.ndim != 2 or Q.shape[0] != Q.shape[1] or Q.shape[0] == 0:
            raise ValueError(f"Q must be a square matrix, got shape {Q.shape}")
        symmetric, Q = is_symmetric(Q, "Q"), loop_view(np.ascontiguousarray(Q, dtype=np.float64))
        self.Q, self.size, self.ridge = Q if symmetric else 0.5 * (Q + Q.T), Q.shape[0], 0.0
        self.diagonal = np.ascontiguousarray(Q.diagonal())
        self.labels = np.ones(self.size) if labels is None else np.asarray(labels, dtype=np.float64)

    def fill_column(self, i, out):
        """Column i of Q into `out` (m,)."""
        out[:] = self.Q[i]

    def column_source(self, dtype, room_mb=0.0):
        """Where compiled loops take columns of Q from, and the MB it holds."""
        source = sources.column_source(
            sources.GIVEN, (LINEAR, 1.0, 1), np.ones(self.size), np.float64, np.zeros(1, np.int64),
            matrix=self.Q, index=np.arange(self.size),
        )  # fmt: skip
        return source, 0.0

    def scores(self, indices, weights):
        """s = Qa for a that is `weights` at `indices` and 0 elsewhere."""
        return self.Q[:, indices] @ weights

    def submatrix(self, indices):
        """Q restricted to `indices`."""
        return self.Q[np.ix_(indices, indices)]
