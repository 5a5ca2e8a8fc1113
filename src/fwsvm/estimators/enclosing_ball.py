"""The minimum enclosing ball of points in feature space (hard-margin SVDD, tsang2005 sec. 2 and
3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from fwsvm.inputs.errors import shown
from fwsvm.inputs.ranges import require_numbers, require_range, require_room_for_columns
from fwsvm.kernels.functions import Kernel, require_kernel_range
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.kernels.points import canonical_csr
from fwsvm.kernels.rounding import UNDERFLOW, UNIT, sum_error
from fwsvm.machine_code.threads import one_blas_thread
from fwsvm.problems.dual import SimplexProblem
from fwsvm.solvers.solve import solve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from fwsvm.kernels.column_source import ColumnSource
    from fwsvm.machine_code.threads import Workers
    from fwsvm.solvers.solution import Solution


class EnclosingBallProblem(SimplexProblem):
    """The simplex QP of the minimum enclosing ball of m points, for `fwsvm.solve`.

    The dual minimises R(a) = a'Ka - d'a over the simplex, with d = diag(K) (tsang2005 eq. 2). Since
    sum(a) = 1, R(a) = a'Qa with Q_ij = k_ij - (d_i + d_j) / 2 = -|phi(x_i) - phi(x_j)|^2 / 2. The
    centre of the ball is c = sum_i a_i phi(x_i). Let r^2 = -R(a). Then r is a lower bound on the
    smallest radius, and the duality gap is max_i |phi(x_i) - c|^2 - r^2. The rule `meb` stops
    training when the gap is at most (2 eps + eps^2) r^2. The ball around c that encloses all points
    then has a radius of at most (1 + eps) r.
    """

    shift = largest_diagonal = 0.0
    fits_float32 = is_nonnegative = False

    def __init__(self, matrix: KernelMatrix) -> None:
        self.matrix, self.size = matrix, matrix.size
        self.squared_norms = matrix.diagonal()
        require_kernel_range(self.squared_norms)
        self.labels, self.diagonal = np.ones(self.size), np.zeros(self.size)

    def column_source(self, dtype: DTypeLike, room_mb: float = 0.0) -> tuple[ColumnSource, float]:
        source, used_mb = self.matrix.column_source(dtype, room_mb)
        return source.changed(linear=self.squared_norms), used_mb

    def gradient(
        self, indices: np.ndarray, weights: np.ndarray, workers: Workers | None = None
    ) -> np.ndarray:
        """Return Qa, float64 (m,), for the `weights` (q,) at the points `indices` (q,)."""
        norms = self.squared_norms[indices] @ weights + self.squared_norms * weights.sum()
        s: np.ndarray = self.matrix.weighted_sums(indices, weights) - 0.5 * norms
        return s

    def gradient_errors(self, indices: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return bounds, float64 (m,), on the errors of `gradient` for the same arguments."""
        roots = self.matrix.roots()
        norms = np.square(roots[indices]) @ weights + np.square(roots)
        relative = self.matrix.diagonal_error() + sum_error(len(indices))
        errors: np.ndarray = self.matrix.sum_errors(indices, weights) + relative * norms
        return errors + UNDERFLOW if roots.any() else errors

    def submatrix(self, indices: np.ndarray) -> np.ndarray:
        """Return Q over the points `indices` (p,), float64 (p, p)."""
        norms = self.squared_norms[indices]
        Q: np.ndarray = self.matrix.submatrix(indices) - 0.5 * (norms[:, None] + norms)
        return Q


@dataclass
class EnclosingBall:
    """A ball that encloses points, with bounds on the smallest radius.

    Attributes
    ----------
    center : float64 array of shape (d,), or None
        The centre in input space if the kernel is linear. Otherwise None.
    radius : float
        The largest distance from the centre to a point, rounded up, so that the ball encloses all
        points.
    lower_bound : float
        Lower bound on the smallest possible radius r*, so that lower_bound <= r* <= radius.
    gap : float
        The certified duality gap, radius^2 - lower_bound^2. `radius`, `lower_bound` and `gap`
        include bounds on all rounding errors.
    support : int64 array of shape (q,)
        Indices of the points with positive weight (the coreset), in ascending order.
    weights : float64 array of shape (q,)
        The weights a of these points (sum_i a_i = 1). The centre is sum_i a_i phi(x_i).
    solution : Solution
        The result of the solver.
    """

    center: np.ndarray | None
    radius: float
    lower_bound: float
    gap: float
    support: np.ndarray
    weights: np.ndarray
    solution: Solution


@one_blas_thread()
def minimum_enclosing_ball(
    points: ArrayLike | sparse.spmatrix,
    kernel: Kernel | None = None,
    method: str = "swap2o",
    *,
    eps: float = 1e-6,
    stop: str = "meb",
    random_state: int | np.random.Generator | np.random.SeedSequence | None = 0,
    **settings: Any,
) -> EnclosingBall:
    """Compute the smallest ball that encloses points in the feature space of a kernel (tsang2005
    eq. 1-3).

    Parameters
    ----------
    points : array-like or sparse matrix of shape (m, d), numbers
        The points that the ball encloses. Integers are converted to float64.
    kernel : Kernel, optional
        The default is the linear kernel, which gives the ball in input space.
    method : str
        The method, as for `fwsvm.solve`. All methods work, with the selections that they allow
        there.
    eps : float
        The accuracy: with the default `stop`, the radius is at most (1 + eps) times the smallest
        possible radius, if the stop reason is "converged" and the method is not "mfw_sparse".
    stop : {"meb", "relative", "gap"}
        The rule that ends training. Training ends when the duality gap is at most a limit. With
        "meb", the limit is (2 eps + eps^2) r^2, where r is the lower bound on the radius. With
        "relative", the limit is eps r^2. With "gap", the limit is eps.
    random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator, default=0
        Seed for the random choice of initial points and samples. With an int such as the default,
        every call with the same points and settings gives the same ball, unless a time limit ends
        training. With None, every call draws a new seed.
    **settings
        Further keyword arguments of `fwsvm.solve`: init, selection, cache_mb, time_limit, ...
        `certify` must be True, and `column_dtype` must be "float64".

    Returns
    -------
    EnclosingBall

    Raises
    ------
    ValueError
        If a point is not finite, `kernel` is not a Kernel or a setting has a wrong value, or if the
        conversion to float64 changes an integer. The message names the argument.
    TypeError
        If the points are objects that are not numbers, `method` is not a string, or a name in
        `settings` is not a setting.
    """
    points = canonical_csr(points, "points") if sparse.issparse(points) else points
    # scikit-learn adds up all values before it checks them. Without `errstate`, infinite values
    # would cause a NumPy warning about inf - inf before scikit-learn raises its error.
    with np.errstate(invalid="ignore"):
        X = check_array(
            require_numbers(points, "points", trains=True),
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            input_name="points",
        )
    require_range(X, "points", trains=True)
    require_room_for_columns(X, "points")
    kernel = Kernel("linear") if kernel is None else kernel
    if not isinstance(kernel, Kernel):
        raise ValueError(f"kernel must be None or an fwsvm.Kernel, got {shown(kernel)}")
    if settings.pop("column_dtype", "float64") != "float64":
        # solvers use diag(Q) to decide whether float32 is precise enough, but here diag(Q) = 0
        raise ValueError("column_dtype must be 'float64' for an enclosing ball")
    if not settings.get("certify", True):
        raise ValueError("certify must be True: the certificate gives the radius of the ball")
    if kernel.name != "linear":
        problem = EnclosingBallProblem(KernelMatrix(X, kernel))
    else:  # move the points near the origin, which makes rounding errors smaller
        origin = _origin(X)
        if sparse.issparse(X):
            X = _shifted(X, origin)
            problem = EnclosingBallProblem(KernelMatrix(X, kernel))
        else:
            problem = EnclosingBallProblem(KernelMatrix(X, kernel, center=origin))
    solution = solve(
        problem,
        method,
        random_state=random_state,
        eps=eps,
        stop=stop,
        column_dtype="float64",
        **settings,
    )
    support, weights = solution.support, solution.weights
    lowest = max(-solution.objective - solution.objective_error, 0.0)
    lower_bound, radius = float(np.sqrt(lowest)), float(np.sqrt(lowest + solution.gap))
    center = None
    if kernel.name == "linear":
        own = X[support] if sparse.issparse(X) else X[support] - origin
        center = np.asarray(weights @ own).ravel() + origin
        errors = sum_error(len(support)) * np.asarray(weights @ abs(own)).ravel()
        moved = errors > 0.0
        radius += float(np.linalg.norm(errors[moved] + 2.0 * UNIT * np.abs(center[moved])))
    lower_bound, radius = lower_bound * (1.0 - 4.0 * UNIT), radius * (1.0 + 8.0 * UNIT)
    gap = (radius - lower_bound) * (radius + lower_bound)
    return EnclosingBall(center, radius, lower_bound, gap, support, weights, solution)


def _origin(X: np.ndarray | sparse.csr_matrix) -> np.ndarray:
    """Return the mean (d,) of the points X, as a point that is near them.

    If X is sparse, the returned point is 0 in every feature in which some point has an implicit
    zero.
    """
    if isinstance(X, np.ndarray):
        mean: np.ndarray = X.mean(axis=0, dtype=np.float64)
        return mean
    stored = np.bincount(X.indices, minlength=X.shape[1])
    totals = np.bincount(X.indices, X.data, minlength=X.shape[1])
    return np.where(stored == X.shape[0], totals / X.shape[0], 0.0)


def _shifted(X: sparse.csr_matrix, origin: np.ndarray) -> sparse.csr_matrix:
    """Return the CSR matrix X (m, d) minus `origin` (d,), which must be 0 in features with implicit
    zeros.
    """
    data = X.data - origin[X.indices]
    return sparse.csr_matrix((data, X.indices, X.indptr), shape=X.shape)
