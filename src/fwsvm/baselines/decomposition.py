"""`libsvm_l2`: the L2-SVM by decomposition, to LIBSVM's accuracy."""

from fwsvm.baselines.model import Expansion
from fwsvm.dual import KernelProblem
from fwsvm.kernels import KernelMatrix
from fwsvm.solvers.solve import solve


def fit_decomposition(X, y, kernel, C, allowance, rng, eps=1e-3, cache_mb=200.0):
    """Minimise a'Qa over the simplex (frandi2013 eq. 12) by steps on pairs of points.

    The pairs are those of LIBSVM: the worst violator, and the active point with the largest second-order decrease
    (`swap2o`, which also takes a toward step where that promises more). In LIBSVM's scale, b = a / R, a relative gap of
    `eps` means that no point misses its margin 1 - xi by more than eps / 2; LIBSVM's own tolerance is 1e-3.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (m, d)
    y : array of shape (m,), values -1 and +1
    kernel : Kernel
    C : float
    allowance : Allowance
    rng : numpy.random.Generator
    eps : float
    cache_mb : float
        Memory for kernel columns and copies of the data.

    Returns
    -------
    Expansion
        Normalised as LIBSVM's: margins are 1 - xi. The objective is that of b'Qb / 2 - sum(b), here -1 / (2 R).
    """
    allowance.reserve(cache_mb, "the kernel cache")
    problem = KernelProblem(KernelMatrix(X, kernel), y, C)
    solution = solve(
        problem, "swap2o", stop="relative", eps=eps, cache_mb=cache_mb, time_limit=allowance.seconds_left,
        random_state=rng,
    )  # fmt: skip
    b = solution.weights * y[solution.support] / solution.objective
    return Expansion(
        points=solution.support,
        coefficients=b,
        bias=float(b.sum()),
        support_vectors=len(b),
        objective=-0.5 / solution.objective,
        iterations=solution.iterations,
        stop_reason=solution.stop_reason,
        facts={"relative_gap": solution.relative_gap},
        cpu_s=solution.train_cpu_s,
    )
