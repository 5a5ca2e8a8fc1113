"""The compiled loop over all m points: scores s of every point are kept, columns come from the cache.

It returns to Python when it has converged, has used up its budget of iterations, or needs a column that is not cached
(reverse communication); calling it again goes on where it stopped.
"""

from fwsvm.compiled import compiled
from fwsvm.solvers.constants import (
    AWAY,
    AWAY_VERTEX,
    CONVERGED,
    EMPTY_SAMPLES,
    GAP_SEEN,
    ITERATIONS,
    LARGEST_DIAGONAL,
    MISSING,
    NEEDS_COLUMN,
    NO_VIOLATION,
    OBJECTIVE,
    PAUSED,
    PENDING,
    SAMPLES,
    SECOND_ORDER,
    TOWARD,
    TOWARD_VERTEX,
)
from fwsvm.solvers.rules import choose
from fwsvm.solvers.sampling import draw
from fwsvm.solvers.steps import second_order_vertex, take_step, target_gap


@compiled
def lowest_of(s, sample, size):
    """The point with the smallest score in a sample, the first in index order among equals; -1 if it is empty."""
    lowest = -1
    for t in range(size):
        r = sample[t]
        if lowest < 0 or s[r] < s[lowest] or (s[r] == s[lowest] and r < lowest):
            lowest = r
    return lowest


@compiled
def _sampled_vertex(state, sampler, nobody):
    """i* of a fresh sample, or the one found before the loop had to return for a column."""
    if state.count[PENDING] >= 0:
        return state.count[PENDING]
    state.count[SAMPLES] += 1
    return lowest_of(state.s, sampler.sample, draw(sampler, nobody))


@compiled
def advance(method, descent, uses_curvature, rule, eps, floor, sampled, patience, sampler, nobody, state, cache, limit):
    """Run a method until it stops, has made `limit` iterations in all, or needs a column; returns the reason.

    `floor` is the smallest gap that the columns' precision can show.
    """
    columns, slot_of, used = cache
    s, diagonal, count, real = state.s, state.diagonal, state.count, state.real
    m = s.shape[0]
    while True:
        R = real[OBJECTIVE]
        i = _sampled_vertex(state, sampler, nobody) if sampled else count[TOWARD_VERTEX]
        gap = 2.0 * (R - s[i])
        real[GAP_SEEN] = gap
        if gap <= max(target_gap(rule, eps, real[LARGEST_DIAGONAL], R), floor):
            if not sampled:
                return CONVERGED
            count[PENDING] = -1
            count[EMPTY_SAMPLES] += 1
            if count[EMPTY_SAMPLES] >= patience:
                return NO_VIOLATION
            continue
        count[EMPTY_SAMPLES] = 0
        count[PENDING] = i
        if count[ITERATIONS] >= limit:
            return PAUSED
        slot_i = slot_of[i]
        if uses_curvature and slot_i < 0:
            count[MISSING] = i
            return NEEDS_COLUMN
        j = count[AWAY_VERTEX]
        if descent == SECOND_ORDER:
            j = second_order_vertex(state, m, i, columns[slot_i])
        kind = TOWARD
        if j >= 0:
            q_ij = columns[slot_i, j] if uses_curvature else 0.0
            kind = choose(method, R, s[i], s[j], diagonal[i], diagonal[j], q_ij)
        if kind != AWAY and slot_i < 0:
            count[MISSING] = i
            return NEEDS_COLUMN
        slot_j = slot_of[j] if kind != TOWARD else slot_i
        if slot_j < 0:
            count[MISSING] = j
            return NEEDS_COLUMN
        if kind == AWAY:
            slot_i = slot_j
        used[slot_i] = 1
        used[slot_j] = 1
        take_step(state, m, kind, i, j, columns[slot_i], columns[slot_j])
        count[PENDING] = -1
