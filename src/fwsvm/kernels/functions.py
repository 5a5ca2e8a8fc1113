"""Kernel functions, rules for their width, and the largest allowed kernel value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from fwsvm.inputs.allowed_values import NOT_NEGATIVE, POSITIVE
from fwsvm.inputs.errors import shown
from fwsvm.inputs.parameters import LARGEST_DEGREE
from fwsvm.inputs.ranges import refuse_masked, require_range
from fwsvm.kernels.kinds import KINDS, is_isotropic, kernel_values
from fwsvm.kernels.points import FLOAT32_RANGE, Points, canonical_csr, row_blocks
from fwsvm.machine_code.threads import one_blas_thread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

LARGEST_GAMMA = 1e300
"""The largest allowed gamma. With a larger gamma, 2 gamma x'z can overflow although |x - z|^2 is
small, and an underflow of |x - z|^2 can change a kernel value.
"""
LARGEST_KERNEL_VALUE = 1e28
"""The largest allowed kernel value. With larger values, gradient entries could be as large as
`fwsvm.solvers.state.INACTIVE`, the number that marks inactive points.
"""

# The variance of sparse points is the difference of two numbers: the mean squared norm of the
# points, and the squared norm of the centre. If the difference is at most _CANCELLED times the mean
# squared norm, it has lost too many digits. The variance is then computed again, from centred
# entries.
_CANCELLED = 1e-3


@dataclass(frozen=True)
class Kernel:
    """A Mercer kernel.

    Parameters
    ----------
    name : str
        A key of `fwsvm.kernels.kinds.KINDS`. "rbf" is exp(-gamma |x - z|^2), and "linear" is x'z.
        "poly" is the polynomial (gamma x'z + coef0)^degree, with coef0 = 0 in frandi2013 sec. 5.8.
    gamma : float
        Factor of |x - z|^2 in the RBF kernel, or of x'z in the polynomial kernel. It is positive
        and at most 1e300. The linear kernel does not use it.
    degree : int
        Degree of the polynomial, from 1 to 1000.
    coef0 : float
        Constant term of the polynomial, at least 0. With a negative constant, the kernel matrix
        need not be positive semidefinite.

    Raises
    ------
    ValueError
        If an argument is out of range. The message names the argument.
    """

    name: str = "rbf"
    gamma: float = 1.0
    degree: int = 2
    coef0: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or self.name not in KINDS:
            raise ValueError(f"kernel must be one of {', '.join(KINDS)}, got {shown(self.name)}")
        if not POSITIVE.contains(self.gamma) or float(self.gamma) > LARGEST_GAMMA:
            raise ValueError(
                f"gamma must be {POSITIVE.words} of at most {LARGEST_GAMMA:g}, got"
                f" {shown(self.gamma)}"
            )
        if (
            not isinstance(self.degree, Real)
            or self.degree % 1 != 0
            or not 1 <= self.degree <= LARGEST_DEGREE
        ):
            raise ValueError(
                f"degree must be an integer from 1 to {LARGEST_DEGREE}, got {shown(self.degree)}"
            )
        if not NOT_NEGATIVE.contains(self.coef0):
            raise ValueError(f"coef0 must be {NOT_NEGATIVE.words}, got {shown(self.coef0)}")

    @cached_property
    def arguments(self) -> tuple[int, float, int, float]:
        """Return (kind, gamma, degree, coef0) for the compiled loops."""
        return int(KINDS[self.name]), float(self.gamma), int(self.degree), float(self.coef0)

    @property
    def is_isotropic(self) -> bool:
        """Test whether k(x, z) depends only on |x - z|, so that k(x, x) is the same for all x
        (tsang2005 eq. 4).
        """
        return bool(is_isotropic(int(KINDS[self.name])))

    def diagonal(self, squared_norms: np.ndarray) -> np.ndarray:
        """Return the m values k(x, x), float64 (m,), from the squared norms |x|^2 (m,)."""
        values = np.zeros(1) if self.is_isotropic else squared_norms.astype(np.float64)
        kernel_values(*self.arguments, values)
        return np.full(len(squared_norms), values[0]) if self.is_isotropic else values

    def roots(self, squared_norms: np.ndarray) -> np.ndarray:
        """Return the square roots of the m values k(x, x), float64 (m,), from the squared norms
        |x|^2 (m,).

        A root is also correct if k(x, x) itself would underflow.
        """
        norms = np.sqrt(squared_norms.astype(np.float64))
        if self.is_isotropic:
            return np.ones(len(norms))
        if self.name == "linear":
            return norms
        bases: np.ndarray = np.hypot(np.sqrt(self.gamma) * norms, np.sqrt(self.coef0))
        with np.errstate(over="ignore"):  # `require_kernel_range` refuses infinite kernel values
            return bases ** int(self.degree)


@one_blas_thread()
def average_squared_distance(
    X: ArrayLike | sparse.spmatrix, weights: ArrayLike | None = None
) -> float:
    """Return the mean of |x_i - x_j|^2 over all m^2 pairs (i, j), including i = j. Return 0 if the
    mean is not larger than its rounding error.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (m, d), numbers
        The points.
    weights : array-like of shape (m,), float64, optional
        The pair (i, j) counts w_i w_j times, as if point i occurred w_i times.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If X is not an array of numbers of shape (m, d), or has a value that is not finite or is too
        large, or if `weights` are not m finite numbers, a weight is negative, or all weights are 0.
    """
    refuse_masked(X, "X")
    X = canonical_csr(X) if sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or 0 in X.shape or X.dtype.kind not in "fiub":
        raise ValueError(
            f"X must be an array of numbers of shape (m, d), got {X.dtype} of shape {X.shape}"
        )
    X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    require_range(X, "X")
    shares = _shares(weights, X.shape[0])
    mean = mean_point(X, shares)
    variance = _mean_square(X, shares, mean)
    return 2.0 * variance if variance > 1e-28 * float(mean @ mean) else 0.0


def _shares(weights: ArrayLike | None, m: int) -> np.ndarray:
    """Return the weights of m points, divided by their sum."""
    if weights is None:
        return np.full(m, 1.0 / m)
    refuse_masked(weights, "weights")
    weights = np.asarray(weights)
    if weights.shape != (m,) or weights.dtype.kind not in "fiub":
        raise ValueError(f"weights must be {m} numbers, one per point, got {shown(weights)}")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("weights must be finite and at least 0, and one of them must be positive")
    weights = weights / weights.max()
    shares: np.ndarray = weights / weights.sum()
    return shares


def _mean_square(
    X: np.ndarray | sparse.csr_matrix, shares: np.ndarray, center: np.ndarray
) -> float:
    """Return the weighted mean of |x_i - center|^2 over the points x_i of X (m, d). The weights
    `shares` (m,) sum to 1. `center` (d,) is the mean of the points, or (c, ..., c), where c is the
    mean of all entries.
    """
    if not isinstance(X, np.ndarray) and not shares.all():
        X, shares = X[shares > 0.0], shares[shares > 0.0]
    square = float(shares @ Points(X, center).squared_norms)
    if isinstance(X, np.ndarray):
        return square
    # `Points` does not centre sparse points
    difference = square - float(center @ center)
    if difference > _CANCELLED * square:
        return difference
    of_stored = np.repeat(shares, np.diff(X.indptr))
    square = float(of_stored @ np.square(X.data.astype(np.float64) - center[X.indices]))
    counts = np.bincount(X.indices, minlength=len(center))
    zeros = 1.0 - np.bincount(X.indices, of_stored, minlength=len(center))
    zeros[counts == X.shape[0]] = 0.0  # here, rounding errors could be larger than the result
    return square + float(np.maximum(zeros, 0.0) @ np.square(center))


@one_blas_thread()
def mean_point(X: np.ndarray | sparse.csr_matrix, shares: np.ndarray) -> np.ndarray:
    """Return the weighted mean (d,) of the points X (m, d) in float64. The weights `shares` (m,)
    must sum to 1.
    """
    if sparse.issparse(X):
        mean: np.ndarray = X.T @ shares
    elif X.dtype == np.float64:
        mean = shares @ X
    else:  # work in blocks to avoid a float64 copy of all points
        mean = sum(shares[part] @ X[part] for part in row_blocks(*X.shape))
    return mean


@one_blas_thread()
def gamma_of_variance(
    rule: str, X: np.ndarray | sparse.csr_matrix, weights: np.ndarray | None = None
) -> float:
    """Return scikit-learn's gamma for points X (m, d) with float `weights` (m,). With the `rule`
    "scale", gamma is 1 / (d X.var()). With the rule "auto", gamma is 1 / d.

    If the variance is not larger than its rounding error, the result for "scale" is 1.
    """
    if rule == "auto":
        return 1.0 / int(X.shape[1])
    shares = _shares(weights, X.shape[0])
    mean = float(mean_point(X, shares).mean())
    variance = _mean_square(X, shares, np.full(X.shape[1], mean)) / X.shape[1]
    return float(1.0 / (X.shape[1] * variance)) if variance > 1e-28 * mean**2 else 1.0


def fits_float32(squared_norms: np.ndarray, kernel: Kernel) -> bool:
    """Test whether squared distances and kernel values fit into float32, given the squared norms
    (m,) of the points.
    """
    largest = np.array([squared_norms.max(initial=0.0)])
    if largest[0] > FLOAT32_RANGE:
        return False
    kernel_values(*kernel.arguments, largest)
    return bool(largest[0] <= FLOAT32_RANGE)


def require_kernel_range(diagonal: np.ndarray) -> None:
    """Raise a ValueError if a kernel value k(x, x) in `diagonal`, float64 (m,), exceeds
    `LARGEST_KERNEL_VALUE`.
    """
    largest = diagonal.max(initial=0.0)
    if not largest <= LARGEST_KERNEL_VALUE:
        raise ValueError(
            f"the largest kernel value k(x, x) of X is {largest:.3g}, but at most"
            f" {LARGEST_KERNEL_VALUE:g} is allowed; scale the features of X or the given kernel"
            " values, or use a smaller gamma, degree or coef0"
        )
