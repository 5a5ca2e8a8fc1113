"""Tests of a kernel matrix K or a matrix Q that the user gave. The matrix must be positive
semidefinite. It can be indefinite because of rounding errors, or because the user's kernel (such as
tanh) is not positive semidefinite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dpotrf

from fwsvm.kernels.rounding import UNIT
from fwsvm.solvers.working_sets import SET_SIZE

if TYPE_CHECKING:
    from fwsvm.problems.dual import SimplexProblem

# These numbers decide whether a user's matrix Q counts as indefinite (`is_indefinite`). With n
# support vectors, the objective a'Qa counts as negative if it is below -2 (n + _ROUNDINGS) u D,
# where u is the unit roundoff of the entries of Q, and D is the problem's `largest_diagonal`. This
# limit allows for the rounding errors of a sum of n terms, and for _ROUNDINGS rounding errors in
# each entry of Q. The curvature in the direction from a to point i counts as negative if it is
# below 4 times this limit, minus _INDEFINITE times the square of l_i. Here, l_i is the mean of two
# numbers: sqrt(Q_ii), and the sum over j of a_j sqrt(Q_jj). Because l_i belongs to point i, one
# large entry of the diagonal does not hide negative curvatures of small entries. Q is also tested
# at up to SET_SIZE points (`_checked`). There it must be positive definite after _INDEFINITE Q_ii
# and the amount of the limit of the objective are added to the diagonal.
_INDEFINITE, _ROUNDINGS = 1e-4, 64


def is_indefinite(
    problem: SimplexProblem,
    support: np.ndarray,
    weights: np.ndarray,
    s: np.ndarray | None,
    objective: float,
    is_definite: bool,
) -> bool:
    """Test whether a user's matrix Q is clearly indefinite.

    Q is clearly indefinite if the objective a'Qa is negative by more than rounding errors. Q is
    also clearly indefinite if the curvature of the objective is clearly negative in the direction
    toward a point, or in a direction within the points of `_checked`. The directions toward points
    are tested only if the gradient `s` is not None. `is_definite` says that Q is known to be
    positive semidefinite at the points of `_checked`, up to rounding errors. The directions within
    these points are then not tested.
    """
    largest = max(problem.largest_diagonal, 1e-300)  # Q can be 0
    tolerance = 2.0 * (len(support) + _ROUNDINGS) * problem.given_unit * largest
    if objective < -tolerance:
        return True
    diagonal = np.maximum(problem.diagonal, 0.0)
    if s is not None:
        # With errors of e sqrt(Q_ii Q_jj) in the entries of Q, the curvature in the direction from
        # a to point i has an error of at most 4 e times the square of `lengths`[i].
        roots = np.sqrt(diagonal)
        lengths = 0.5 * (roots + weights @ roots[support])
        curvatures = problem.diagonal - 2.0 * s + objective
        if np.any(curvatures < -4.0 * tolerance - _INDEFINITE * lengths**2):
            return True
    if is_definite:
        return False
    checked = _checked(problem, support, weights, s)
    try:
        np.linalg.cholesky(
            problem.submatrix(checked) + np.diag(_INDEFINITE * diagonal[checked] + tolerance)
        )
    except np.linalg.LinAlgError:
        return True
    return False


def _checked(
    problem: SimplexProblem, support: np.ndarray, weights: np.ndarray, s: np.ndarray | None
) -> np.ndarray:
    """Return the ascending indices of the points at which a user's matrix is tested.

    They are all points, or the first SET_SIZE points if there are more: first the support vectors,
    from the largest weight to the smallest, then the other points, from the lowest gradient to the
    highest. If the gradient `s` is None, the points are support vectors only.
    """
    if s is None:
        return np.sort(support[np.argsort(-weights)[:SET_SIZE]])
    a = np.zeros(problem.size)
    a[support] = weights
    return np.sort(np.lexsort((s, -a))[:SET_SIZE])


def negative_curvature(
    problem: SimplexProblem,
    support: np.ndarray,
    weights: np.ndarray,
    s: np.ndarray,
    objective: float,
) -> float:
    """Return a number e >= 0 such that (b - a)'Q(b - a) >= -e for all b on the simplex with weights
    only at the points of `_checked`, if these points include all support vectors. The gap plus e is
    then a bound on a'Qa - b'Qb.

    If the Cholesky factorisation of an n x n matrix succeeds, the matrix is positive semidefinite
    after a change of its entries by at most r = (n + 2) u times the largest entry of its diagonal
    (Higham 2002, Theorem 10.3). In the code, r has a few more u, which cover the rounding errors of
    the entries of Q. The change of x'Qx is at most n r |x|^2, and at most r |x|_1^2. Here, x = b -
    a, |x|_1 is at most 2, and |x|^2 is at most 1 + |a|^2.

    First, n r is subtracted from the diagonal of Q. If the factorisation succeeds, Q is positive
    semidefinite, and e is 0. Otherwise, r is added to the diagonal of Q. If the factorisation
    succeeds, e is (4 + 1 + |a|^2) r. If both factorisations fail, the computed smallest eigenvalue
    gives a number d, which is added to the diagonal instead. Then e is 4 r + (1 + |a|^2) d.

    There is one exception. If the objective is exactly 0, and Q is positive semidefinite up to
    rounding errors, e is 0. Otherwise, the relative gap of an optimal solution would be infinite.
    """
    Q = problem.submatrix(_checked(problem, support, weights, s))
    n, diagonal = len(Q), Q.diagonal().copy()
    rounding = 1.01 * (n + 8.0) * UNIT * float(np.abs(diagonal).max())
    squares = 1.0 + float(weights @ weights)
    of_rounding = 0.0 if objective == 0.0 else (4.0 + squares) * rounding
    for shift, curvature in ((-n * rounding, 0.0), (rounding, of_rounding)):
        Q[np.diag_indices(n)] = diagonal + shift
        if dpotrf(Q.T, clean=0)[1] == 0:
            return curvature
    Q[np.diag_indices(n)] = diagonal
    values = np.linalg.eigvalsh(Q)
    if not values.any():
        return 0.0  # Q is 0
    added = float(max(-values[0], 0.0) + n * UNIT * np.abs(values).max())
    Q[np.diag_indices(n)] = diagonal + added
    while dpotrf(Q.T, clean=0)[1] != 0:  # the eigenvalue had a larger error than usual
        added *= 2.0
        Q[np.diag_indices(n)] = diagonal + added
    return 4.0 * (rounding + (n + 8.0) * UNIT * added) + squares * added
