"""The choice of the start of training: an initialisation from the papers, a random point or a given
point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.kernels.rounding import UNIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from fwsvm.problems.dual import SimplexProblem
    from fwsvm.solvers.settings import Settings

# number of points of the start `random_meb` (frandi2013 sec. 3)
RANDOM_MEB_POINTS = 20
# If Q has a negative eigenvalue, `solve_small` adds _LARGE_CONSTANT max |Q_ij| to all entries of Q.
# With 1e6, the measured gaps of the starts for enclosing balls were at most 3e-8 max |Q_ij|. The
# gaps were larger with 1e5 and with 1e7.
_LARGE_CONSTANT = 1e6


def initialise(
    problem: SimplexProblem,
    settings: Settings,
    rng: np.random.Generator,
    out_of_time: Callable[[], bool] = lambda: False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ascending indices (q,) of the points with positive weight at the start, and their
    weights (q,).

    `settings.init` is a name or the index of a point. If there is no point with this index, or if
    the start needs points of both classes and there is only one class, raise a ValueError.
    `out_of_time` tells whether the time limit is reached. Only the search for the closest opposite
    pair calls it.
    """
    if not isinstance(settings.init, str):
        if settings.init >= problem.size:
            raise ValueError(
                f"init={settings.init} is not the index of a point (0 to {problem.size - 1})"
            )
        return np.array([int(settings.init)]), np.ones(1)
    return _STARTS[settings.init](problem, settings, rng, out_of_time)


def random_meb(
    problem: SimplexProblem,
    settings: Settings,
    rng: np.random.Generator,
    out_of_time: Callable[[], bool],
) -> tuple[np.ndarray, np.ndarray]:
    """Solve the QP over 20 random points (frandi2013 sec. 3), or over all points if there are
    fewer.

    If the classes alternate in the random start, as in LibCVM, half of the random points come from
    each class. If one class has too few points, the other class has more.
    """
    p = min(RANDOM_MEB_POINTS, problem.size)
    selection = settings.selection
    if selection.alternate if selection.start_alternates is None else selection.start_alternates:
        positive, negative = np.flatnonzero(problem.labels > 0), np.flatnonzero(problem.labels <= 0)
        n_positive = min(len(positive), max((p + 1) // 2, p - len(negative)))
        parts = (positive, n_positive), (negative, min(p - n_positive, len(negative)))
        chosen = np.concatenate([rng.choice(points, size, replace=False) for points, size in parts])
    else:
        chosen = rng.choice(problem.size, p, replace=False)
    chosen = np.sort(chosen)
    indices, weights = solve_small(problem.submatrix(chosen))
    return chosen[indices], weights


def solve_small(Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Minimise a'Qa over the simplex for a small matrix Q (p, p). Return the indices of the support
    and its weights.

    Let Q = F'F. The solution a is proportional to the b >= 0 that minimises |Fb|^2 + (1 -
    sum(b))^2. The reason: let R = a'Qa for a point a of the simplex. Over all multiples b = t a,
    the smallest value of |Fb|^2 + (1 - sum(b))^2 is R / (R + 1). It increases with R, so the best b
    belongs to the a with the smallest R.
    """
    from scipy.optimize import nnls  # imported here because the import is slow

    values, vectors = np.linalg.eigh(Q)
    if values[0] < -len(Q) * UNIT * values[-1]:  # more than the rounding errors of `eigh`
        # On the simplex, adding c to all entries of Q adds c to a'Qa, so the solutions do not
        # change. Suppose that v'Qv >= 0 for all v with sum 0. This holds, for example, in the
        # problem of an enclosing ball. Then a large c makes negative eigenvalues negligible.
        values, vectors = np.linalg.eigh(Q + _LARGE_CONSTANT * np.abs(Q).max())
    largest = values[-1] if values[-1] > 0.0 else 1.0  # Q can be 0
    factor = np.sqrt(np.maximum(values, 0.0) / largest)[:, None] * vectors.T
    p = len(Q)
    b, _ = nnls(np.vstack([factor, np.ones(p)]), np.append(np.zeros(p), 1.0), maxiter=100 * p)
    indices = np.flatnonzero(b)
    return indices, b[indices] / b.sum()


def farthest_pair(
    problem: SimplexProblem,
    settings: Settings,
    rng: np.random.Generator,
    out_of_time: Callable[[], bool] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Give equal weights to two points that are far apart (tsang2005).

    The first point is the farthest from a random point, and the second point is the farthest from
    the first point. The squared distance of points i and j is Q_ii + Q_jj - 2 Q_ij. A problem of
    one point has a start of one point.
    """
    squared_norms = problem.diagonal
    # with sample weights, leave out the diagonal shifts, so that a point with a small weight does
    # not seem far away
    if np.ndim(problem.shift):
        squared_norms = squared_norms - problem.shift

    def furthest_from(i: int) -> int:
        # `gradient` computes column i of Q in blocks, without a copy of the data
        column = problem.gradient(np.array([i]), np.ones(1))
        return int(np.argmax(squared_norms - 2.0 * column))

    first = furthest_from(int(rng.integers(problem.size)))
    chosen = np.unique([first, furthest_from(first)])
    return chosen, np.full(len(chosen), 1.0 / len(chosen))


def closest_opposite_pair(
    problem: SimplexProblem,
    settings: Settings,
    rng: np.random.Generator,
    out_of_time: Callable[[], bool] = lambda: False,
) -> tuple[np.ndarray, np.ndarray]:
    """Give equal weights to two points of opposite classes: the two whose kernel value is the
    largest (singh sec. 3.3.1).

    If the time limit is reached during the search, the best pair found so far is used.
    """
    positive, negative = np.flatnonzero(problem.labels > 0), np.flatnonzero(problem.labels <= 0)
    few, many = (positive, negative) if len(positive) <= len(negative) else (negative, positive)
    if len(few) == 0:
        raise ValueError("init='closest_opposite_pair' needs points of both classes")
    column, best = np.empty(problem.size), np.inf
    pair = (0, 0)
    for i in few:
        problem.fill_column(int(i), column)
        j = many[np.argmin(column[many])]  # Q_ij = -(k + offset) for opposite classes
        if column[j] < best:
            best, pair = column[j], (int(i), int(j))
        if out_of_time():
            break
    return np.sort(pair), np.full(2, 0.5)


def random_point(
    problem: SimplexProblem,
    settings: Settings,
    rng: np.random.Generator,
    out_of_time: Callable[[], bool],
) -> tuple[np.ndarray, np.ndarray]:
    return np.array([int(rng.integers(problem.size))]), np.ones(1)


_STARTS = {
    each.__name__: each for each in (random_meb, farthest_pair, closest_opposite_pair, random_point)
}
