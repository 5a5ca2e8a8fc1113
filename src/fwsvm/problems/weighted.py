"""The weighted SVM of alaiz2018: minimise a'Qa subject to a >= 0 and sum_i t_i a_i = 1.

The weight t_i scales the margin that point i must reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from fwsvm.inputs.ranges import refuse_masked
from fwsvm.kernels.symmetry import is_symmetric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def weighted_svm(Q: ArrayLike, weights: ArrayLike) -> tuple[np.ndarray, float]:
    """Solve a small weighted SVM exactly by non-negative least squares.

    Let b minimise b'Qb / 2 - t'b over b >= 0. The solution is a = b / (t'b). If Q = LL', then b
    minimises |L'b - L^-1 t|. Weights of 0 are allowed, although they make the feasible set
    unbounded.

    Parameters
    ----------
    Q : array-like of shape (m, m), float64, symmetric and positive definite
        Dual matrix, e.g. `KernelProblem(...).submatrix(np.arange(m))`.
    weights : array-like of shape (m,), float64
        The finite weights t_i >= 0. At least one of them is positive.

    Returns
    -------
    a : float64 ndarray of shape (m,)
        Multipliers, with sum_i t_i a_i = 1.
    objective : float
        The objective a'Qa.

    Raises
    ------
    ValueError
        If Q is not symmetric (up to rounding) and positive definite, or has an entry that is not
        finite or exceeds 1e28. If the weights are not m finite numbers, a weight is negative, or
        all weights are 0. If Q or the weights have masked entries.
    RuntimeError
        If the non-negative least squares do not converge.
    """
    refuse_masked(Q, "Q")
    refuse_masked(weights, "weights")
    Q, weights = np.asarray(Q), np.asarray(weights, dtype=np.float64)
    if Q.ndim != 2 or Q.shape[0] != Q.shape[1]:
        raise ValueError(f"Q must be a square symmetric matrix, got shape {Q.shape}")
    symmetric, Q = is_symmetric(Q, "Q"), Q.astype(np.float64)
    Q = Q if symmetric else 0.5 * (Q + Q.T)
    if (
        weights.shape != (len(Q),)
        or not np.all((weights >= 0) & np.isfinite(weights))
        or not weights.any()
    ):
        raise ValueError(
            f"weights must be {len(Q)} finite numbers >= 0, at least one of them positive"
        )
    try:
        L = np.linalg.cholesky(Q)
    except np.linalg.LinAlgError:
        raise ValueError("Q must be positive definite: add 1/C > 0 to its diagonal") from None
    b, _ = nnls(L.T, np.linalg.solve(L, weights), maxiter=100 * len(Q))
    a = b / (weights @ b)
    return a, float(a @ Q @ a)
