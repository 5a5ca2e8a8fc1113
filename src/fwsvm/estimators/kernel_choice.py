"""The choice of the kernel that the parameters of an estimator describe."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.inputs.errors import shown
from fwsvm.inputs.parameters import OTHER_KERNELS
from fwsvm.kernels.functions import (
    LARGEST_GAMMA,
    Kernel,
    average_squared_distance,
    gamma_of_variance,
)
from fwsvm.kernels.kinds import KINDS

if TYPE_CHECKING:
    from scipy import sparse


def chosen_kernel(
    estimator: Any, X: np.ndarray | sparse.csr_matrix, weights: np.ndarray | None = None
) -> Kernel | None:
    """Return the estimator's `Kernel`, or None if the kernel is precomputed.

    If sigma2 is needed but is not given as a number, it is the average squared distance between the
    points X (m, d). If this average is 0 or not finite, sigma2 is 0.5. The average takes the
    float64 `weights` (m,) of the points into account, if they are given.

    Raises
    ------
    ValueError
        If the kernel is unknown, if sigma2 is too small or gamma is too large, if both sigma2 and
        gamma are given, or if the kernel is precomputed and X is not square.
    """
    kernel, sigma2, gamma = estimator.kernel, estimator.sigma2, estimator.gamma
    if kernel not in (*KINDS, "precomputed"):
        names = ", ".join((*KINDS, "precomputed"))
        raise ValueError(f"kernel must be one of {names}, got {shown(kernel)}; {OTHER_KERNELS}")
    if kernel == "precomputed":
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"kernel='precomputed' needs an (m, m) matrix of kernel values, got shape {X.shape}"
            )
        return None
    if sigma2 is not None and gamma not in (None, "scale"):
        raise ValueError(
            f"give either sigma2 or gamma, not both: got sigma2={sigma2!r} and gamma={gamma!r}"
        )
    if kernel == "linear" and gamma in (None, "scale"):
        gamma = 1.0
    elif sigma2 is not None:
        gamma = None
    elif isinstance(gamma, str):
        gamma = gamma_of_variance(gamma, X, weights)
    if gamma is None:
        if sigma2 is None or isinstance(sigma2, str):
            sigma2 = average_squared_distance(X, weights)
            sigma2 = sigma2 if np.isfinite(sigma2) and sigma2 > 0 else 0.5
        if sigma2 < 1.0 / LARGEST_GAMMA:
            raise ValueError(f"sigma2 must be at least {1.0 / LARGEST_GAMMA:g}, got {sigma2:g}")
        gamma = 1.0 / sigma2 if kernel == "poly" else 0.5 / sigma2
    gamma = float(gamma) if isinstance(gamma, Real) else gamma
    return Kernel(kernel, gamma, estimator.degree, estimator.coef0)
