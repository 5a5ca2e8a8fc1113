"""The dual of the L2-SVM, a QP over the unit simplex, for a kernel matrix or an explicit Q."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from fwsvm.inputs.allowed_values import positive
from fwsvm.inputs.errors import shown
from fwsvm.inputs.parameters import PARAMETERS
from fwsvm.inputs.ranges import refuse_masked, require_exact
from fwsvm.kernels import column_source as sources
from fwsvm.kernels.functions import LARGEST_KERNEL_VALUE, require_kernel_range
from fwsvm.kernels.loops import TILE
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.kernels.points import loop_view
from fwsvm.kernels.precomputed import PrecomputedKernelMatrix
from fwsvm.kernels.rounding import UNDERFLOW, UNIT, matrix_sum_errors, sum_error, unit_of
from fwsvm.kernels.row_cache import write_signed_block
from fwsvm.kernels.symmetry import is_symmetric
from fwsvm.machine_code.threads import tiles

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from fwsvm.kernels.column_source import ColumnSource
    from fwsvm.machine_code.threads import Workers

# If there are sample weights, each diagonal shift 1 / (C w_i) must be at most LARGEST_SHIFT. The
# reason: a small weight can make one shift much larger than the others. Gradient entries could then
# come near 1e30, the number that solvers subtract from the gradient at inactive points. Without
# weights, the shift is 1 / C at every point. A large shift then does no harm, because it makes the
# gradient larger at active points than at inactive points. Only squares of gradient entries must
# not overflow, so C must be at least _SMALLEST_C. With weights, this is not tested, because
# LARGEST_SHIFT already prevents the overflow.
LARGEST_SHIFT, _SMALLEST_C = 1e20, 1e-150
_OFFSET = positive(f"a positive number up to {LARGEST_KERNEL_VALUE:g}", LARGEST_KERNEL_VALUE)
# A certificate uses float32 only if the error bound is at most _SCREENING_SHARE times the
# objective.
_SCREENING_SHARE = 0.25
# The steps of training update the gradient. After at most MOST_UPDATES steps, the gradient has two
# errors in addition to the errors of the kernel values. Rounding Q to float32 causes an error of at
# most _ENTRY_ERROR (1 + offset). Rounding the weights and the gradient to float64 causes an error
# of at most _UPDATE_ERROR max Q_ii.
MOST_UPDATES, _ENTRY_ERROR, _UPDATE_ERROR = 10_000_000, 2.0**-23, 2.0**-26


class SimplexProblem:
    """The problem of minimising a'Qa over the unit simplex, for m = `size` points.

    Solvers read these attributes:

    * `labels` (m,) of -1 and +1, for samples that alternate between the classes, and for starts
    * `shift`, the diagonal shift
    * `diagonal` (m,) of Q
    * `largest_diagonal`, the number D in the stopping rule `meb`
    * `fits_float32`, whether columns can be computed in float32

    `column_source` returns the `ColumnSource` that compiled loops use, and the memory (MB) of its
    copies of the data or of its kernel values. If all kernel values fit into `room_mb` MB, they can
    be computed at once.
    """

    size: int
    labels: np.ndarray
    shift: float | np.ndarray
    diagonal: np.ndarray
    largest_diagonal: float
    matrix: Any
    given_unit: float
    # whether a'Qa >= 0 on the simplex (for a given matrix: if it is positive semidefinite)
    is_nonnegative = True

    @property
    def fits_float32(self) -> bool:
        raise NotImplementedError

    @property
    def compares_blocks(self) -> bool:
        """Test whether solvers can compute kernel values between any two sets of points, and not
        only columns over all points.

        Working sets need such blocks. So do drivers that draw samples and store only the points in
        use. Without blocks, sampling uses columns over all points. If the result is true, the
        problem has `matrix`, `offset` and `shift_at`.
        """
        return False

    def column_source(self, dtype: DTypeLike, room_mb: float = 0.0) -> tuple[ColumnSource, float]:
        raise NotImplementedError

    def fill_column(self, i: int, out: np.ndarray) -> None:
        """Write column i of Q into `out` (m,)."""
        raise NotImplementedError

    def gradient(
        self, indices: np.ndarray, weights: np.ndarray, workers: Workers | None = None
    ) -> np.ndarray:
        """Return Qa, float64 (m,), where a has the `weights` (q,) at the points `indices` (q,) and
        is 0 elsewhere. In this package, Qa (half the gradient of a'Qa) is called the gradient.
        """
        raise NotImplementedError

    def submatrix(self, indices: np.ndarray) -> np.ndarray:
        """Return the matrix Q over the points `indices` (p,), float64 (p, p)."""
        raise NotImplementedError

    @property
    def is_given(self) -> bool:
        """Test whether the user gave the matrix K or Q itself. Such a matrix need not be positive
        semidefinite.

        If the user gave the matrix, the attribute `given_unit` is the unit roundoff of its numbers.
        """
        return self.kernel_path in ("precomputed", "matrix")

    @property
    def kernel_path(self) -> str:
        path: str = self.matrix.path
        return path

    @property
    def evaluations(self) -> int:
        evaluations: int = self.matrix.evaluations
        return evaluations

    def screened_gradient(
        self, indices: np.ndarray, weights: np.ndarray, *_: Any
    ) -> tuple[np.ndarray, bool]:
        return self.gradient(indices, weights), True

    def gradient_errors(self, indices: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return proven bounds (m,) on the rounding errors of `gradient`.

        An error is the difference from the gradient for exact kernel values of the given data. If
        the user gave the matrix, an error is the difference from the exact gradient for this
        matrix, which must be positive semidefinite.
        """
        return matrix_sum_errors(self.diagonal, indices, weights)

    def objective_error(
        self, indices: np.ndarray, weights: np.ndarray, gradient: np.ndarray, errors: np.ndarray
    ) -> float:
        """Return a bound on the error of a'Qa if it is computed from the `gradient` (m,), whose
        errors are at most `errors` (m,).
        """
        return float(weights @ errors[indices]) + sum_error(len(indices)) * float(
            weights @ np.abs(gradient[indices])
        )


class KernelProblem(SimplexProblem):
    """The dual QP of a kernel SVM: minimise R(a) = a'Qa over the simplex (frandi2013 eq. 12, 18).

    The matrix is Q_ij = y_i y_j (k(x_i, x_j) + offset) + delta_ij shift. The diagonal shift is 1/C,
    or 1 / (C w_i) with weights w. A point x_i of weight n counts as n equal points, each with the
    multiplier a_i / n.

    Parameters
    ----------
    matrix : KernelMatrix or PrecomputedKernelMatrix
        Kernel matrix K of the m training points.
    labels : array-like of shape (m,), float64, values -1 and +1
        Classes of the points.
    C : float
        Penalty of the squared slacks. With C = infinity, 1/C is 0 and the margin is hard
        (alaiz2018).
    offset : float
        The constant that is added to kernel values. The constant is 1 for classification, because
        the bias is part of the kernel. It is 0 for the one-class SVM (tsang2005 eq. 7).
    weights : array-like of shape (m,), float64, optional
        Weights w_i > 0 of the squared slacks. By default all are 1.

    Attributes
    ----------
    shift : float, or float64 array of shape (m,) if there are weights
        The diagonal shift, 1/C or 1 / (C w_i).
    largest_diagonal : float
        The number D in the stopping rule `meb`. Without weights, D is max Q_ii. With weights, D is
        max_i (k_ii + offset) + 1 / (C mean(w)). D is then not max Q_ii, because one small weight
        would make max Q_ii very large, and the rule could stop training far too early.

    Raises
    ------
    ValueError
        If one of these holds:

        * C is not a positive number or, without weights, C is below 1e-150
        * `weights` does not have exactly one positive finite number per point, or 1 / (C w_i)
          exceeds 1e20
        * `labels` does not have exactly one label (-1 or +1) per point
        * `labels` or `weights` has masked entries
        * `offset` is neither 0 nor a positive number up to 1e28
        * a kernel value k(x, x) exceeds 1e28
    TypeError
        If `matrix` is not a kernel matrix.
    """

    def __init__(
        self,
        matrix: KernelMatrix | PrecomputedKernelMatrix,
        labels: ArrayLike,
        C: float = 1.0,
        offset: float = 1.0,
        weights: ArrayLike | None = None,
    ) -> None:
        if not isinstance(matrix, KernelMatrix | PrecomputedKernelMatrix):
            raise TypeError(f"matrix must be a KernelMatrix, got {shown(matrix)}")
        PARAMETERS["C"].check(C)
        if np.ndim(offset) or (offset != 0 and not _OFFSET.contains(offset)):
            raise ValueError(f"offset must be 0 or {_OFFSET.words}, got {shown(offset)}")
        labels = _signs(labels, matrix.size)
        if weights is None and C < _SMALLEST_C:
            raise ValueError(
                f"C must be at least {_SMALLEST_C:g}, got {C!r}; otherwise the squared entries of"
                " the gradient would be too large for float64"
            )
        self.matrix = matrix
        if isinstance(matrix, PrecomputedKernelMatrix):
            self.given_unit = matrix.given_unit
        self.labels = loop_view(labels)
        self.C = float(C)
        self.offset = float(offset)
        self.size = matrix.size
        self.shift = 1.0 / self.C if weights is None else _shifts(weights, self.C, self.size)
        with np.errstate(over="ignore"):
            norms = matrix.diagonal()
        require_kernel_range(norms)
        norms = norms + self.offset
        self.diagonal = norms + self.shift
        if weights is None:
            self.largest_diagonal = float(self.diagonal.max())
        else:
            heaviest = np.max(weights)  # dividing by `heaviest` prevents an overflow of the mean
            mean = float(heaviest * np.mean(np.asarray(weights) / heaviest))
            self.largest_diagonal = float(norms.max()) + 1.0 / (self.C * mean)

    @property
    def compares_blocks(self) -> bool:
        return self.matrix.points is not None and self.matrix.class_blocks is None

    @property
    def fits_float32(self) -> bool:
        fits: bool = self.matrix.fits_float32
        return fits

    def column_source(self, dtype: DTypeLike, room_mb: float = 0.0) -> tuple[ColumnSource, float]:
        source, used_mb = self.matrix.column_source(dtype, room_mb)
        return source.changed(offset=self.offset, shift=self.shift, labels=self.labels), used_mb

    def shift_at(self, indices: Any) -> Any:
        return self.shift[indices] if isinstance(self.shift, np.ndarray) else self.shift

    def fill_columns(self, indices: np.ndarray, out: np.ndarray, workers: Workers) -> None:
        """Write the columns `indices` (n,) of Q into `out` (n, m).

        Matrix products compute the columns, so `matrix.multiplies` must be true.
        """
        values, own = self.matrix.columns(indices, out.dtype), self.labels[indices]
        places = np.arange(len(indices))

        def work(rows: slice) -> None:
            write_signed_block(
                values(rows), own, self.labels[rows], self.offset, places, rows.start, out
            )

        workers.each(work, tiles(self.size, TILE))
        out[places, indices] = self.diagonal[indices]

    def fill_column(self, i: int, out: np.ndarray) -> None:
        self.matrix.column(i, out)
        out += self.offset
        out *= self.labels[i] * self.labels
        out[i] += self.shift_at(i)

    def gradient(
        self, indices: np.ndarray, weights: np.ndarray, workers: Workers | None = None
    ) -> np.ndarray:
        signed = weights * self.labels[indices]
        return self._gradient_of(
            self.matrix.weighted_sums(indices, signed, workers=workers), indices, weights
        )

    def _gradient_of(
        self, sums: np.ndarray, indices: np.ndarray, weights: np.ndarray, rows: Any = slice(None)
    ) -> np.ndarray:
        """Compute the gradient at the points `rows` (default: all).

        `sums` are the values sum_j k(x, x_j) y_j a_j at the points `rows`.
        """
        a = np.zeros(self.size)
        a[indices] = weights
        # `fsum` is faster for a list than for an array
        bias = self.offset * fsum((weights * self.labels[indices]).tolist())
        s: np.ndarray = self.labels[rows] * (sums + bias) + self.shift_at(rows) * a[rows]
        return s

    def gradient_at(
        self,
        rows: np.ndarray,
        indices: np.ndarray,
        weights: np.ndarray,
        dtype: DTypeLike,
        workers: Workers | None = None,
    ) -> np.ndarray:
        """Return the entries `rows` (ascending indices) of the gradient Qa, computed from kernel
        values of type `dtype`. As in `gradient`, `weights` are the weights of the points `indices`,
        and all other weights are 0.
        """
        sums = self.matrix.sums(indices, weights * self.labels[indices], workers)
        return self._gradient_of(sums.at(self.matrix.points, rows, dtype), indices, weights, rows)

    def gradient_errors(self, indices: np.ndarray, weights: np.ndarray) -> np.ndarray:
        errors = np.zeros(self.size)
        errors[indices] = 4.0 * UNIT * weights * self.shift_at(indices)
        errors += self.matrix.sum_errors(indices, weights) + sum_error(1) * self.offset
        if self.offset > 0.0 or np.isfinite(self.C):
            errors += UNDERFLOW  # products with a tiny offset or 1/C can underflow
        return errors

    def screened_gradient(
        self,
        indices: np.ndarray,
        weights: np.ndarray,
        workers: Workers | None = None,
        exact: bool = False,
        updated: np.ndarray | None = None,
    ) -> tuple[np.ndarray, bool]:
        """Return two values: the gradient (m,) for a certificate, and whether all its entries are
        computed in float64.

        The entries `indices` and the smallest entry are always computed in float64.

        The other entries are computed in float32 with a proven error bound
        (`fwsvm.kernels.sums.float32_error`). Entries that exceed the smallest entry by at most
        twice the bound are computed again in float64. All entries are computed in float64 if
        `exact` is true, if the bound is too large, if no bound is proven, or if the user gave the
        kernel values.

        `updated` (m,) is the gradient that the steps of training have updated. Its unknown entries
        are NaN, and it has an error bound of its own. The entries of `updated` at `indices` are
        compared with the float64 entries. If the error bound of `updated` is small enough and no
        difference exceeds this bound, the other entries of `updated` are used instead of float32
        entries.
        """
        if self.matrix.points is None:
            return super().screened_gradient(indices, weights)
        points = self.matrix.points
        sums = self.matrix.sums(indices, weights * self.labels[indices], workers)

        def of(rows: np.ndarray, dtype: DTypeLike) -> np.ndarray:
            return self._gradient_of(sums.at(points, rows, dtype), indices, weights, rows)

        s = np.full(self.size, np.nan)
        error = None if exact else sums.float32_error(points)
        exactly = indices
        if error is not None and updated is not None:
            bound = error + _ENTRY_ERROR * (1.0 + self.offset) + _UPDATE_ERROR * self.diagonal.max()
            # `updated` is used if its bound is small enough and the check at `indices` below does
            # not fail
            if bound <= _SCREENING_SHARE * float(weights @ updated[indices]):
                near = updated <= updated.min() + 2.0 * bound  # all False if `updated` has NaN
                near[indices] = True
                exactly = np.flatnonzero(near)
        s[exactly] = values = of(exactly, np.float64)
        limit = _SCREENING_SHARE * float(weights @ s[indices])
        screens = error is not None and error <= limit
        if screens and updated is not None and np.abs(updated - s)[indices].max() <= bound <= limit:
            s[:], error = updated, bound
            s[exactly] = values
        unknown = np.flatnonzero(np.isnan(s))
        if len(unknown):
            s[unknown] = of(unknown, np.float32 if screens else np.float64)
        if screens and error is not None:
            again = s <= s.min() + 2.0 * error
            again[exactly] = False
            if again.any():
                s[again] = of(np.flatnonzero(again), np.float64)
        return s, not screens

    def submatrix(self, indices: np.ndarray) -> np.ndarray:
        signs = self.labels[indices]
        Q: np.ndarray = self.matrix.submatrix(indices)
        Q += self.offset
        Q *= signs
        Q *= signs[:, None]
        Q[np.diag_indices(len(Q))] += self.shift_at(indices)
        return Q


def _signs(labels: ArrayLike, size: int) -> np.ndarray:
    refuse_masked(labels, "labels")
    labels = np.ascontiguousarray(labels, dtype=np.float64)
    if labels.shape != (size,) or not np.all(np.abs(labels) == 1):
        raise ValueError(f"labels must be {size} values of -1 or +1")
    return labels


def _shifts(weights: ArrayLike, C: float, size: int) -> np.ndarray:
    refuse_masked(weights, "weights")
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (size,) or not np.all(np.isfinite(weights) & (weights > 0)):
        raise ValueError(f"weights must be {size} positive finite numbers")
    with np.errstate(over="ignore", divide="ignore"):
        shifts = 1.0 / (C * weights)
    if shifts.max() > LARGEST_SHIFT:
        raise ValueError(
            f"C times each positive weight must be at least {1 / LARGEST_SHIFT:g}, but C is {C:g}"
            f" and the smallest weight is {weights.min():.3g}; if a point should have no influence,"
            " set its weight to 0"
        )
    return shifts


class MatrixProblem(SimplexProblem):
    """The problem of minimising a'Qa over the unit simplex for an explicit positive semidefinite
    matrix Q (m, m).

    This class is meant for small problems and tests.

    If Q is symmetric only up to rounding, (Q + Q') / 2 is used.

    Parameters
    ----------
    Q : array-like of shape (m, m), float64
        The matrix of the quadratic program.
    labels : array-like of shape (m,), float64, values -1 and +1, optional
        Classes of the points, for samples that alternate between the classes, and for starts that
        use classes. By default all labels are +1.

    Raises
    ------
    ValueError
        If `labels` does not have exactly one label (-1 or +1) per point, or has masked entries. If
        Q is not a dense, non-empty, square, finite and symmetric array of real numbers, or has
        masked entries, an integer that float64 cannot represent, or an entry above 1e28 or below
        -1e28. For a Q that is not symmetric, the message gives the largest |Q_ij - Q_ji|.
    """

    kernel_path, fits_float32, evaluations = "matrix", True, 0

    def __init__(self, Q: ArrayLike, labels: ArrayLike | None = None) -> None:
        if sparse.issparse(Q):
            raise ValueError(f"Q must be a dense array, got {shown(Q)}: use Q.toarray()")
        refuse_masked(Q, "Q")
        require_exact(Q, "Q")
        Q = np.asarray(Q)
        if Q.dtype.kind not in "fiub":
            raise ValueError(
                f"Q must be an array of real numbers, got {Q.dtype} of shape {Q.shape}"
            )
        if Q.ndim != 2 or Q.shape[0] != Q.shape[1] or Q.shape[0] == 0:
            raise ValueError(f"Q must be a square matrix, got shape {Q.shape}")
        self.given_unit = unit_of(Q)
        symmetric, Q = is_symmetric(Q, "Q"), loop_view(np.ascontiguousarray(Q, dtype=np.float64))
        self.Q, self.size, self.shift = Q if symmetric else 0.5 * (Q + Q.T), Q.shape[0], 0.0
        self.diagonal = np.ascontiguousarray(Q.diagonal())
        self.largest_diagonal = float(self.diagonal.max())
        self.labels = _signs(np.ones(self.size) if labels is None else labels, self.size)

    def fill_column(self, i: int, out: np.ndarray) -> None:
        out[:] = self.Q[i]

    def column_source(self, dtype: DTypeLike, room_mb: float = 0.0) -> tuple[ColumnSource, float]:
        kind = sources.GIVEN, sources.GIVEN_VALUES, self.size, np.float64, dtype
        return sources.ColumnSource(*kind, matrix=self.Q, index=np.arange(self.size)), 0.0

    def gradient(
        self, indices: np.ndarray, weights: np.ndarray, workers: Workers | None = None
    ) -> np.ndarray:
        s: np.ndarray = self.Q[:, indices] @ weights
        return s

    def submatrix(self, indices: np.ndarray) -> np.ndarray:
        Q: np.ndarray = self.Q[np.ix_(indices, indices)]
        return Q
