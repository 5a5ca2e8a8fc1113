"""The baseline `rsvm`, which is the reduced SVM of Lee and Mangasarian (2001). Its kernel matrix is
rectangular, with random columns.
"""

import numpy as np
from scipy import linalg

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.machine_code.threads import tiles
from fwsvm_papers.baselines.limits import Limits
from fwsvm_papers.baselines.model import BaselineModel
from fwsvm_papers.datasets.storage import Features

_CHUNK_BYTES = 64 << 20  # largest block of rows of the rectangular kernel, in bytes
# Two numbers of Armijo's rule: the smallest share of the predicted decrease that is accepted, and
# the smallest step length.
_ARMIJO, _SMALLEST_STEP = 1e-4, 2.0**-30


def fit_rsvm(
    X: Features,
    y: np.ndarray,
    kernel: Kernel,
    C: float,
    limits: Limits,
    rng: np.random.Generator,
    share: float = 0.1,
    tol: float = 1e-6,
    max_iterations: int = 100,
) -> BaselineModel:
    """Minimise |c|^2 / 2 + b^2 / 2 + C / 2 sum_i max(0, 1 - y_i (K(x_i, Xbar) c + b))^2 over c and
    b.

    The reduced set Xbar is a random `share` of the points (tsang2005: 10 %). The objective contains
    the norm of the coefficients c instead of the norm in feature space (Lee & Mangasarian 2001, eq.
    9). Lee and Mangasarian smooth the hinge loss and apply Newton's method. In this function, the
    generalised Newton method minimises the squared hinge loss without smoothing. Training ends when
    the norm of the gradient is at most `tol` times the norm of the gradient at c = 0, b = 0.
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be in (0, 1], got {share!r}")
    m = X.shape[0]
    reduced = np.sort(rng.choice(m, max(1, round(share * m)), replace=False))
    width = len(reduced) + 1
    chunk = max(1, _CHUNK_BYTES // (8 * width))
    limits.reserve(
        8e-6 * (m * width + 2 * min(chunk, m) * width), f"the {m} x {len(reduced)} kernel"
    )
    limits.reserve(3 * 8e-6 * width**2, "Newton's matrix")
    against, A = KernelMatrix(X, kernel).against(reduced, np.float64), np.ones((m, width))
    for rows in tiles(m, chunk):
        limits.check_time()
        A[rows, :-1] = against(np.arange(m)[rows])
    A *= y[:, None]  # row i: y_i (k(x_i, xbar_1), ..., 1)

    v, iterations, reason = np.zeros(width), 0, "iteration_limit"
    short = np.ones(m)  # 1 - A v, where v has c and b
    first = None
    while iterations < max_iterations:
        active = np.flatnonzero(short > 0)
        gradient = v - C * (np.maximum(short, 0.0) @ A)
        first = np.linalg.norm(gradient) if first is None else first
        if np.linalg.norm(gradient) <= tol * first:
            reason = "converged"
            break
        if limits.is_over:
            reason = "time_limit"
            break
        hessian = _hessian(A, active, C, chunk, limits)
        direction = -linalg.cho_solve(
            linalg.cho_factor(hessian, overwrite_a=True, check_finite=False), gradient
        )
        change = A @ direction
        length = _armijo(v, direction, short, change, gradient @ direction, C)
        if length < _SMALLEST_STEP:
            reason = "precision_limit"
            break
        v += length * direction
        short -= length * change
        iterations += 1
    return BaselineModel(
        points=reduced,
        coefficients=v[:-1].copy(),
        bias=float(v[-1]),
        support_vectors=len(reduced),
        objective=_objective(v, short, C),
        iterations=iterations,
        stop_reason=reason,
    )


def _hessian(A: np.ndarray, active: np.ndarray, C: float, chunk: int, limits: Limits) -> np.ndarray:
    """Return the Hessian I + C A_S'A_S. The matrix A_S has the rows of A that `active` selects,
    which are the rows with a positive slack.
    """
    hessian = np.zeros((A.shape[1], A.shape[1]))
    for part in tiles(len(active), chunk):
        limits.check_time()
        rows = A[active[part]]
        hessian += rows.T @ rows
    hessian *= C
    hessian[np.diag_indices_from(hessian)] += 1.0
    return hessian


def _objective(v: np.ndarray, short: np.ndarray, C: float) -> float:
    return 0.5 * float(v @ v) + 0.5 * C * float(np.sum(np.maximum(short, 0.0) ** 2))


def _armijo(
    v: np.ndarray,
    direction: np.ndarray,
    short: np.ndarray,
    change: np.ndarray,
    slope: float,
    C: float,
) -> float:
    """Return the first of the step lengths 1, 1/2, 1/4, ... with which the objective decreases as
    much as Armijo's rule requires. If the rule would need a step shorter than `_SMALLEST_STEP`,
    return a number below `_SMALLEST_STEP`.
    """
    before, length = _objective(v, short, C), 1.0
    while length >= _SMALLEST_STEP:
        after = _objective(v + length * direction, short - length * change, C)
        if after <= before + _ARMIJO * length * slope:
            return length
        length *= 0.5
    return length
