"""The compiled loop over all m points: scores s of every point are kept, columns come from the cache.

Missing columns are computed inside the loop (`fwsvm.kernels.column_source`). It returns to Python when it has
converged or has used up its budget of iterations; calling it again goes on where it stopped.
"""

from fwsvm.base.compiled import compiled
from fwsvm.problems.column_cache import load
from fwsvm.solvers.constants import (
    AWAY,
    AWAY_VERTEX,
    CONVERGED,
    EMPTY_SAMPLES,
    GAP_SEEN,
    ITERATIONS,
    LARGEST_DIAGONAL,
    NO_VIOLATION,
    OBJECTIVE,
    PAUSED,
    PENDING,
    SAMPLES,
    SECOND_ORDER,
    TOWARD,
    TOWARD_VERTEX,
)
from fwsvm.solvers.methods.registry import choose
from fwsvm.solvers.sampling import draw
from fwsvm.solvers.steps import activate, find_extremes, refresh_objective, second_order_vertex, take_step, target_gap


@compiled
def start(state, cache, source, indices, weights):
    """Set the weights of the start, and what follows from them."""
    s = state.s
    for p in range(indices.shape[0]):
        i, weight = indices[p], weights[p]
        state.a[i] = weight
        activate(state, i)
        column = cache.columns[load(cache, source, i, -1)]
        for r in range(s.shape[0]):
            s[r] += weight * column[r]
    refresh_objective(state)
    find_extremes(state, s.shape[0])


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
    """i* of a fresh sample, or the one found before the loop paused."""
    if state.count[PENDING] >= 0:
        return state.count[PENDING]
    state.count[SAMPLES] += 1
    return lowest_of(state.s, sampler.sample, draw(sampler, nobody))


@compiled
def advance(
    method, descent, uses_curvature, rule, eps, floor, sampled, patience, sampler, nobody, state, cache, source, limit
):
    """Run a method until it stops or has made `limit` iterations in all; returns the reason.

    `floor` is the smallest gap that the columns' precision can show.
    """
    columns, slot_of, used = cache.columns, cache.slots.slot_of, cache.slots.used
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
            slot_i = load(cache, source, i, -1)
        j = count[AWAY_VERTEX]
        if descent == SECOND_ORDER:
            j = second_order_vertex(state, m, i, columns[slot_i])
        kind = TOWARD
        if j >= 0:
            q_ij = columns[slot_i, j] if uses_curvature else 0.0
            kind = choose(method, R, s[i], s[j], diagonal[i], diagonal[j], q_ij)
        if kind != AWAY and slot_i < 0:
            slot_i = load(cache, source, i, -1)
        slot_j = slot_of[j] if kind != TOWARD else slot_i
        if slot_j < 0:
            slot_j = load(cache, source, j, i)
        if kind == AWAY:
            slot_i = slot_j
        used[slot_i] = 1
        used[slot_j] = 1
        take_step(state, m, kind, i, j, columns[slot_i], columns[slot_j])
        count[PENDING] = -1
