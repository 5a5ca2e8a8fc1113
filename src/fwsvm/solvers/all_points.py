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
from fwsvm.solvers.sampling import sampled_vertex
from fwsvm.solvers.state import choose
from fwsvm.solvers.steps import take_step, target_gap


@compiled
def advance(choice, needs_column, rule, eps, floor, sampled, patience, sample, drawn, state, cache, source, limit):
    """Run a method until it stops or has made `limit` iterations in all; returns the reason.

    `choice`, `sample` and `source` are handles (`fwsvm.solvers.state.Choice`, `fwsvm.solvers.sampling.SampledVertex`,
    `fwsvm.kernels.column_source.ColumnSource`), `drawn` has the points of the last sample. `floor` is the smallest gap
    that the columns' precision can show. Samples are judged by the eps of `real[STAGE]`, which is halved down to `eps`.
    """
    columns, used = cache.columns, cache.slots.used
    s, count, real = state.s, state.count, state.real
    m = s.shape[0]
    while True:
        R = real[OBJECTIVE]
        if not sampled:
            i = count[TOWARD_VERTEX]
        elif count[PENDING] >= 0:
            i = count[PENDING]  # found before the loop paused
        else:
            count[SAMPLES] += 1
            i, size = sampled_vertex(sample)
            for t in range(size):  # the scores of active points are kept
                if state.position[drawn[t]] < 0:
                    count[REQUESTED] += count[ACTIVE_SIZE]
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
        slot_i = load(cache, source, i, i) if needs_column else 0
        kind, i, j = choose(choice, i, columns[slot_i])
        slot_i = load(cache, source, i, i) if kind != AWAY else 0
        slot_j = load(cache, source, j, i) if kind != TOWARD else slot_i
        if kind == AWAY:
            slot_i = slot_j
        used[slot_i] = 1
        used[slot_j] = 1
        count[REQUESTED] += (2 if kind == SWAP else 1) * (count[ACTIVE_SIZE] if sampled else m)
        take_step(state, m, kind, i, j, columns[slot_i], columns[slot_j])
        count[PENDING] = -1
