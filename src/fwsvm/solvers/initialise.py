"""Choose the start of training: an initialisation from the papers, a random point or a given
point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.machine_code.compiled import compiled, fast_max

if TYPE_CHECKING:
    from collections.abc import Callable

    from fwsvm.problems.dual import SimplexProblem
    from fwsvm.solvers.settings import Settings

RANDOM_MEB_POINTS = 20
# Limit on SMO runs for a small QP; two or three usually suffice. Each run takes its tolerance from
# the last objective.
_ROUNDS = 20


def initialise(
    problem: SimplexProblem,
    settings: Settings,
    rng: np.random.Generator,
    out_of_time: Callable[[], bool] = lambda: False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices (ascending) and weights of the start.

    `settings.init` is a name or the index of a point.
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
    """Solve the QP over 20 random points (frandi2013 sec. 3).

    In LibCVM's variant, half come from each class.
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


def solve_small(Q: np.ndarray, eps: float = 1e-10) -> tuple[np.ndarray, np.ndarray]:
    """Minimise a'Qa over the simplex for a small Q, to a relative gap of `eps`.

    Return the support and its weights.
    """
    a = np.full(len(Q), 1.0 / len(Q))
    for _ in range(_ROUNDS):
        s = Q @ a
        tolerance = 0.5 * eps * abs(float(a @ s))
        if not pair_steps(Q, a, s, tolerance, 1000 * len(Q)):
            break
    indices = np.flatnonzero(a)
    return indices, a[indices] / a.sum()


@compiled
def pair_steps(Q, a, s, tolerance, limit):
    """Run SMO with second-order pairs (LibCVM) until no violation exceeds `tolerance`.

    Return the number of steps.
    """
    p = a.shape[0]
    for made in range(limit):
        i, highest = 0, -np.inf
        for r in range(p):
            if s[r] < s[i]:
                i = r
            if a[r] > 0.0:
                highest = fast_max(highest, s[r])
        if highest - s[i] <= tolerance:
            return made
        best, j = -1.0, i
        for r in range(p):
            rise = s[r] - s[i]
            if a[r] > 0.0 and rise > 0.0:
                gain = rise * rise / fast_max(Q[i, i] - 2.0 * Q[i, r] + Q[r, r], 1e-300)
                if gain > best:
                    best, j = gain, r
        curvature = Q[i, i] - 2.0 * Q[i, j] + Q[j, j]
        length = a[j]
        if (s[j] - s[i]) < length * curvature:
            length = (s[j] - s[i]) / curvature
        a[i] += length
        a[j] = a[j] - length if length < a[j] else 0.0
        for r in range(p):
            s[r] += length * (Q[i, r] - Q[j, r])
    return limit


def farthest_pair(
    problem: SimplexProblem,
    settings: Settings,
    rng: np.random.Generator,
    out_of_time: Callable[[], bool] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Choose the point x farthest from a random point and the point farthest from x, with equal
    weights (tsang2005).
    """
    squared_norms = problem.diagonal
    if np.ndim(problem.shift):  # a small sample weight must not make a point the furthest one
        squared_norms = squared_norms - problem.shift

    def furthest_from(i: int) -> int:
        # column i of Q in blocks, without a copy of the data
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
    """Give equal weights to the two points of opposite classes with the largest kernel value
    (singh sec. 5).
    """
    positive, negative = np.flatnonzero(problem.labels > 0), np.flatnonzero(problem.labels <= 0)
    few, many = (positive, negative) if len(positive) <= len(negative) else (negative, positive)
    if len(few) == 0:
        raise ValueError("init='closest_opposite_pair' needs points of both classes")
    column, best, pair = np.empty(problem.size), np.inf, None
    for i in few:
        problem.fill_column(int(i), column)
        j = many[np.argmin(column[many])]  # Q_ij = -(k + 1) for points of opposite classes
        if column[j] < best:
            best, pair = column[j], (i, j)
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
