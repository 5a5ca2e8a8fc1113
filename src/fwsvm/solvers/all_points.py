"""The compiled loop over all m points: scores s of every point are kept, columns come from the cache.

Missing columns are computed inside the loop (`fwsvm.kernels.column_source`). It returns to Python when it has
converged or has used up its budget of iterations; calling it again goes on where it stopped.
"""

from fwsvm.base.compiled import compiled
from fwsvm.problems.column_cache import load
from fwsvm.solvers.constants import (
    ACTIVE_SIZE,
    AWAY,
    CONVERGED,
    EMPTY_SAMPLES,
    GAP_SEEN,
    ITERATIONS,
    LARGEST_DIAGONAL,
    NO_VIOLATION,
    OBJECTIVE,
    PAUSED,
    PENDING,
    REQUESTED,
    SAMPLES,
    STAGE,
    SWAP,
    TOWARD,
    TOWARD_VERTEX,
)
from fwsvm.solvers.methods.registry import pick
from fwsvm.solvers.passes import find_extremes
from fwsvm.solvers.sampling import draw, lowest_of
from fwsvm.solvers.state import activate, refresh_objective
from fwsvm.solvers.steps import take_step, target_gap


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
def _sampled_vertex(state, sampler, nobody):
    """i* of a fresh sample, or the one found before the loop paused."""
    if state.count[PENDING] >= 0:
        return state.count[PENDING]
    state.count[SAMPLES] += 1
    size = draw(sampler, nobody)
    for t in range(size):  # the scores of active points are kept
        if state.position[sampler.sample[t]] < 0:
            state.count[REQUESTED] += state.count[ACTIVE_SIZE]
    return lowest_of(state.s, sampler.sample, size)


@compiled
def advance(method, needs_column, rule, eps, floor, sampled, patience, sampler, nobody, state, cache, source, limit):
    """Run a method until it stops or has made `limit` iterations in all; returns the reason.

    `floor` is the smallest gap that the columns' precision can show. Samples are judged by the eps of `real[STAGE]`,
    which is halved down to `eps`.
    """
    columns, used = cache.columns, cache.slots.used
    s, count, real = state.s, state.count, state.real
    m = s.shape[0]
    while True:
        R = real[OBJECTIVE]
        i = _sampled_vertex(state, sampler, nobody) if sampled else count[TOWARD_VERTEX]
        gap = 2.0 * (R - s[i])
        real[GAP_SEEN] = gap
        if gap <= max(target_gap(rule, real[STAGE], real[LARGEST_DIAGONAL], R), floor):
            if not sampled:
                return CONVERGED
            count[PENDING] = -1
            count[EMPTY_SAMPLES] += 1
            if count[EMPTY_SAMPLES] >= patience:
                if real[STAGE] <= eps:
                    return NO_VIOLATION
                real[STAGE] = max(0.5 * real[STAGE], eps)
                count[EMPTY_SAMPLES] = 0
            continue
        count[EMPTY_SAMPLES] = 0
        count[PENDING] = i
        if count[ITERATIONS] >= limit:
            return PAUSED
        slot_i = load(cache, source, i, -1) if needs_column else 0
        kind, i, j = pick(method, state, m, i, columns[slot_i])
        slot_i = load(cache, source, i, -1) if kind != AWAY else 0
        slot_j = load(cache, source, j, i) if kind != TOWARD else slot_i
        if kind == AWAY:
            slot_i = slot_j
        used[slot_i] = 1
        used[slot_j] = 1
        count[REQUESTED] += (2 if kind == SWAP else 1) * (count[ACTIVE_SIZE] if sampled else m)
        take_step(state, m, kind, i, j, columns[slot_i], columns[slot_j])
        count[PENDING] = -1
