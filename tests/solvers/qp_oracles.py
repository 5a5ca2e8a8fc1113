"""Solutions of the QP over the simplex by scikit-learn's kernels and NNLS, without our solvers."""

import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from sklearn.metrics import pairwise

from fwsvm import Kernel, KernelMatrix, KernelProblem
from fwsvm.solvers.methods import NAMES
from fwsvm.solvers.settings import METHODS as REGISTERED

METHODS = NAMES
STEP_METHODS = tuple(name for name, method in REGISTERED.items() if method.select_step is not None)
KERNELS = {
    "rbf": Kernel("rbf", 0.3),
    "poly": Kernel("poly", 0.25, 2),
    "inhomogeneous": Kernel("poly", 0.25, 2, 1.0),
    "linear": Kernel("linear"),
}
INITS = ("random_meb", "farthest_pair", "closest_opposite_pair")


def two_classes(seed, m=80, d=5, storage="dense", noise=0.7):
    """Return points X (m, d) of two overlapping classes of unequal size, and their labels.

    X is an array, or a CSR matrix in which about half of the entries are zero.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d))
    if storage == "csr":
        X *= rng.random(X.shape) < 0.5
    score = X[:, 0] - 0.5 * X[:, 1] + noise * rng.normal(size=m)
    y = np.where(score > np.quantile(score, 0.6), 1.0, -1.0)
    return (sparse.csr_matrix(X) if storage == "csr" else X), y


def kernel_values(kernel, X, Z=None):
    """Compute k(x, z) by scikit-learn."""
    if kernel.name == "rbf":
        return pairwise.rbf_kernel(X, Z, gamma=kernel.gamma)
    if kernel.name == "poly":
        return pairwise.polynomial_kernel(
            X, Z, degree=kernel.degree, gamma=kernel.gamma, coef0=kernel.coef0
        )
    return pairwise.linear_kernel(X, Z)


def dual_matrix(X, y, kernel, C):
    """Compute Q of frandi2013 eq. 18 from its definition."""
    return np.outer(y, y) * (kernel_values(kernel, X) + 1.0) + np.eye(len(y)) / C


def dual_problem(X, y, kernel, C):
    """Return the problem for `solve`. Its matrix is that of `dual_matrix`."""
    return KernelProblem(KernelMatrix(X, kernel), y, C)


def optimum(Q):
    """Return (R*, a*), the minimum of a'Qa over the simplex and its solution, for positive definite
    Q.

    Let Q = LL'. The minimiser b of b'Qb / 2 - 1'b over b >= 0 also minimises |L'b - L^-1 1|. Then
    a* = b / sum(b) and R* = 1 / sum(b). If Qa* >= R*, up to rounding errors, the result is correct.
    """
    L = np.linalg.cholesky(Q)
    b, _ = nnls(L.T, np.linalg.solve(L, np.ones(len(Q))), maxiter=100 * len(Q))
    best, a = 1.0 / b.sum(), b / b.sum()
    assert (Q @ a).min() >= best * (1.0 - 1e-8)
    return best, a


def negative_curvature(Q):
    """Return how far the smallest eigenvalue of Q is below 0, or 0 if Q is positive definite."""
    try:
        np.linalg.cholesky(Q)  # this is much faster than the eigenvalues
    except np.linalg.LinAlgError:
        return max(-np.linalg.eigvalsh(Q)[0], 0.0)
    return 0.0


def check_solution(solution, Q, best=None):
    """Check that a solution is feasible, and that its objective and its gap agree with their
    definitions. Return the weights a.

    The gap must also be at least the distance of the objective from the optimum.
    """
    a, scale = np.zeros(len(Q)), np.abs(Q).max()
    a[solution.support] = solution.weights
    assert np.all(solution.weights > 0) and np.all(np.diff(solution.support) > 0)
    assert abs(a.sum() - 1.0) <= 1e-12
    R, s = a @ Q @ a, Q @ a
    # for an indefinite matrix, the gap has a bound on the negative curvature
    curvature = (1.0 + a @ a) * negative_curvature(Q)
    gap = max(2.0 * (R - s.min()), 0.0) + curvature
    assert abs(solution.objective - R) <= 1e-9 * abs(R) + 1e-12 * scale
    assert abs(solution.gap - gap) <= 1e-6 * gap + 1e-10 * scale
    best = optimum(Q)[0] if best is None else best
    assert -1e-9 * scale <= solution.objective - best <= solution.gap + 1e-9 * scale
    return a
