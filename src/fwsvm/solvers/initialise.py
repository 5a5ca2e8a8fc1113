"""Starting points: the papers' three initialisations of the active set."""

import numpy as np

from fwsvm.problems.column_cache import Cache, new_slots
from fwsvm.solvers import constants as c
from fwsvm.solvers.methods.cvm import INNER_TOLERANCE, new_core, solve_inner
from fwsvm.solvers.passes import find_extremes
from fwsvm.solvers.state import new_state, refresh_objective

RANDOM_MEB_POINTS = 20
# Each tightens the tolerance by what the objective has fallen; two or three are enough.
_ROUNDS = 20


def initialise(problem, settings, rng, out_of_time=lambda: False):
    """Indices (ascending) and weights of the start, by `settings.init`: a name, or the index of a point.

    `out_of_time()` is asked during a search over all pairs of points; when it is true, the best pair so far is taken.
    """
    if settings.init == "closest_opposite_pair":
        return closest_opposite_pair(problem, settings, rng, out_of_time)
    if not isinstance(settings.init, str):
        if settings.init >= problem.size:
            raise ValueError(f"init={settings.init}: there are only {problem.size} points, counted from 0")
        return np.array([int(settings.init)]), np.ones(1)
    return _STARTS[settings.init](problem, settings, rng)


def random_meb(problem, settings, rng):
    """The QP solved on p = 20 random points (frandi2013 sec. 3); classes alternate on request (LibCVM)."""
    p = min(RANDOM_MEB_POINTS, problem.size)
    selection = settings.selection
    if selection.alternate if selection.start_alternates is None else selection.start_alternates:
        positive, negative = np.flatnonzero(problem.labels > 0), np.flatnonzero(problem.labels <= 0)
        n_positive = min(len(positive), max((p + 1) // 2, p - len(negative)))
        chosen = np.concatenate(
            [
                rng.choice(positive, n_positive, replace=False),
                rng.choice(negative, min(p - n_positive, len(negative)), replace=False),
            ]
        )
    else:
        chosen = rng.choice(problem.size, p, replace=False)
    chosen = np.sort(chosen)
    indices, weights = solve_small(problem.submatrix(chosen))
    return chosen[indices], weights


def solve_small(Q, eps=1e-10):
    """Minimiser of a'Qa over the simplex for a small explicit Q: (indices, weights), to a relative gap of `eps`.

    The same SMO that CVM solves the QP on its coreset with.
    """
    p = len(Q)
    state, slots, core = new_state(p), new_slots(p, p), new_core(0, 0, eps, np.inf)
    state.a[:], state.penalty[:], state.active[:], state.position[:] = 1.0 / p, 0.0, np.arange(p), np.arange(p)
    state.s[:], state.diagonal[:] = Q.mean(axis=1), np.diagonal(Q)
    state.count[c.ACTIVE_SIZE], state.real[c.LARGEST_DIAGONAL] = p, state.diagonal.max()
    slots.slot_of[:] = np.arange(p)
    columns = Cache(np.ascontiguousarray(Q, dtype=np.float64), slots)
    for _ in range(_ROUNDS):
        refresh_objective(state)
        find_extremes(state, p)
        tolerance = 0.5 * eps * abs(state.real[c.OBJECTIVE])
        if state.s[state.count[c.AWAY_VERTEX]] - state.s[state.count[c.TOWARD_VERTEX]] <= tolerance:
            break
        core.real[INNER_TOLERANCE] = tolerance
        solve_inner(state, p, core, True, c.STOP_RULES["relative"], eps, columns, 1000 * p)
    indices = np.flatnonzero(state.a)
    return indices, state.a[indices] / state.a.sum()


def farthest_pair(problem, settings, rng):
    """An arbitrary point, the furthest from it, the furthest from that; equal weights (tsang2005 sec. 4.1.1)."""
    squared_norms = problem.diagonal
    if np.ndim(problem.ridge):  # otherwise the furthest would be the point with the least weight
        squared_norms = squared_norms - problem.ridge

    def furthest_from(i):
        column = problem.scores(np.array([i]), np.ones(1))  # by blocks: no copy of the data in another order is made
        return int(np.argmax(squared_norms - 2.0 * column))

    first = furthest_from(int(rng.integers(problem.size)))
    second = furthest_from(first)
    if first == second:
        return np.array([first]), np.ones(1)
    return np.sort([first, second]), np.full(2, 0.5)


def closest_opposite_pair(problem, settings, rng, out_of_time=lambda: False):
    """The pair from opposite classes with the largest kernel value; equal weights (singh sec. 5)."""
    positive, negative = np.flatnonzero(problem.labels > 0), np.flatnonzero(problem.labels <= 0)
    few, many = (positive, negative) if len(positive) <= len(negative) else (negative, positive)
    if len(few) == 0:
        raise ValueError("init='closest_opposite_pair' needs points of both classes")
    column, best, pair = np.empty(problem.size), np.inf, None
    for i in few:
        problem.fill_column(int(i), column)
        j = many[np.argmin(column[many])]  # Q_ij = -(k + 1) between the classes
        if column[j] < best:
            best, pair = column[j], (i, j)
        if out_of_time():
            break
    return np.sort(pair), np.full(2, 0.5)


def random_point(problem, settings, rng):
    """One vertex of the simplex (alaiz2018)."""
    return np.array([int(rng.integers(problem.size))]), np.ones(1)


_STARTS = {
    "random_meb": random_meb,
    "farthest_pair": farthest_pair,
    "random_point": random_point,
}
