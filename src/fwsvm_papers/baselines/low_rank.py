"""The baseline `lsvm_lowrank`, which is the Lagrangian SVM of Mangasarian and Musicant (2001) on a
low-rank kernel matrix.

Incomplete Cholesky factorisation with pivoting approximates the kernel matrix (Fine & Scheinberg
2001).
"""

import numpy as np
from scipy import linalg

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm_papers.baselines.limits import Limits
from fwsvm_papers.baselines.model import BaselineModel
from fwsvm_papers.datasets.storage import Features

# A point is a support vector only if its multiplier is larger than this number times the largest
# multiplier.
_NEGLIGIBLE = 1e-6
# Mangasarian & Musicant use a step size of 1.9 / C. The iteration converges for any step size below
# 2 / C.
_STEP = 1.9


def incomplete_cholesky(
    matrix: KernelMatrix, tol: float, max_rank: int, limits: Limits
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return a factor G (r, m) with K ~ G'G, the pivots (indices of r points), and the relative
    size of the residual.

    Each pivot is the largest entry on the diagonal of the residual K - G'G (Fine & Scheinberg 2001,
    fig. 2).

    The relative size of the residual is its trace divided by the trace of K. The factorisation ends
    when the relative size is at most `tol`, when r is `max_rank` or m, or when the next pivot is as
    small as rounding errors. G[:, pivots] is upper triangular. If the limit of time or memory is
    reached first, a LimitReachedError is raised.
    """
    m, residual = matrix.size, matrix.diagonal()
    trace = residual.sum()
    pivots: list[int] = []
    rows = min(64, max_rank, m)
    limits.reserve(8e-6 * rows * m, f"the factor of rank {rows}")
    G, column = np.empty((rows, m)), np.empty(m)
    while len(pivots) < min(max_rank, m) and residual.sum() > tol * trace:
        limits.check_time()
        r = len(pivots)
        if r == len(G):
            rows = min(2 * r, max_rank, m)
            limits.reserve(8e-6 * rows * m, f"the factor of rank {rows}")
            G = np.vstack([G, np.empty((rows - r, m))])
            limits.release(8e-6 * r * m)
        p = int(residual.argmax())
        if residual[p] <= np.finfo(float).eps * trace / m:
            break
        matrix.column(p, column)
        G[r] = (column - G[:r, p] @ G[:r]) / np.sqrt(residual[p])
        G[r, pivots] = 0.0
        G[r, p] = np.sqrt(residual[p])
        residual = np.maximum(residual - G[r] ** 2, 0.0)
        pivots.append(p)
        residual[pivots] = 0.0
    return G[: len(pivots)], np.array(pivots, dtype=np.int64), float(residual.sum() / trace)


def fit_low_rank_lsvm(
    X: Features,
    y: np.ndarray,
    kernel: Kernel,
    C: float,
    limits: Limits,
    rng: np.random.Generator,
    rank_tol: float = 1e-6,
    max_rank: int = 500,
    tol: float = 1e-3,
    max_iterations: int = 100_000,
) -> BaselineModel:
    """Train an L2-SVM whose kernel matrix is approximated by G'G, and return the model.

    The problem is: minimise b'Qb / 2 - sum(b) subject to b >= 0, with Q = HH' + I / C and H =
    diag(y) (G', 1).

    The iteration is b <- Q^-1 (1 + max(0, Qb - 1 - (1.9 / C) b)) (Mangasarian & Musicant 2001, eq.
    17). The Sherman-Morrison-Woodbury identity gives Q^-1.

    `rank_tol` and `max_rank` limit the rank of G: they are the arguments `tol` and `max_rank` of
    `incomplete_cholesky`.

    Training ends when v = max |min(Qb - 1, (1.9 / C) b)| is at most `tol`. The number v is the
    violation of the optimality conditions, in units of the margin. Mangasarian and Musicant test
    the change in b instead. However, if C is large, the change in b is small even far from the
    optimum.
    """
    m, matrix = X.shape[0], KernelMatrix(X, kernel)
    G, pivots, left = incomplete_cholesky(matrix, rank_tol, max_rank, limits)
    limits.reserve(8e-6 * (len(G) + 1) * m, f"the signed factor of rank {len(G)}")
    H = np.ones((len(G) + 1, m))
    H[:-1] = G
    H *= y
    small = linalg.cho_factor(H @ H.T + np.eye(len(H)) / C, check_finite=False)

    def inverse(v: np.ndarray) -> np.ndarray:
        return C * (v - linalg.cho_solve(small, H @ v, check_finite=False) @ H)

    b, iterations, reason = inverse(np.ones(m)), 0, "iteration_limit"
    while iterations < max_iterations:
        if limits.is_over:
            reason = "time_limit"
            break
        gradient = (H @ b) @ H + b / C - 1.0
        kept = np.maximum(gradient - (_STEP / C) * b, 0.0)
        if np.abs(gradient - kept).max() <= tol:
            reason = "converged"
            break
        b = inverse(1.0 + kept)
        iterations += 1
    # Very small negative entries of b are not set to 0 here, because the stopping test also used b
    # with these entries.
    w = H @ b
    return BaselineModel(
        points=pivots,
        coefficients=linalg.solve_triangular(G[:, pivots], w[:-1]),
        bias=float(w[-1]),
        support_vectors=int(np.count_nonzero(b > _NEGLIGIBLE * b.max())),
        objective=0.5 * float(w @ w + b @ b / C) - float(b.sum()),
        iterations=iterations,
        stop_reason=reason,
        facts={"rank": len(G), "trace_left_out": left},
    )
