"""CVM: the core vector machine (tsang2005, frandi2013 Alg. 1, nanculef2014 Alg. 2), as LibCVM runs it.

Fully corrective: the worst violator joins the coreset, the QP restricted to the coreset is solved from a warm start by
SMO (pairwise steps with the second-order partner), and so on. The outer eps starts at 0.1 and is halved down to its
target. The inner tolerance starts at a setting (LibCVM: 1e-3) and is halved only when a coreset that has just grown
shows no violating pair; it never goes below a quarter of the target gap, which lets every stopping rule be met. A fixed
inner tolerance stays as it is; a QP then also ends at a step shorter than eps^2, or after a given number of steps.
"""

from collections import namedtuple

import numpy as np

from fwsvm.base.compiled import compiled
from fwsvm.problems.column_cache import load
from fwsvm.solvers.constants import (
    AWAY_VERTEX,
    CONVERGED,
    EMPTY_SAMPLES,
    FIRST_STAGE,
    GAP_SEEN,
    ITERATIONS,
    LARGEST_DIAGONAL,
    MISSING,
    NEEDS_COLUMN,
    NO_VIOLATION,
    OBJECTIVE,
    PAUSED,
    PENDING,
    REQUESTED,
    SAMPLES,
    STEP_LENGTH,
    SWAP,
    TOWARD_VERTEX,
)
from fwsvm.solvers.method import own_loop
from fwsvm.solvers.sampling import sampled_vertex
from fwsvm.solvers.steps import take_step, target_gap
from fwsvm.solvers.vertices import second_order_vertex

STAGE_EPS, INNER_TOLERANCE = 0, 1
CORE_SIZE, INNER_OPEN, INNER_STEPS, INNER_FIXED, MOST_INNER_STEPS = 0, 1, 2, 3, 4
_NO_LIMIT = np.iinfo(np.int64).max

Core = namedtuple("Core", "members position real count")
Core.__doc__ = """Coreset: members in order of entry, position of each point (-1 outside), (stage eps, inner tolerance),
(size, whether the inner QP is being solved, inner steps of this solve, whether the inner tolerance is fixed, the most
inner steps of a solve)."""


def new_core(m, capacity, eps, inner_tolerance, inner_fixed=False, inner_steps=None):
    """An empty coreset of m points."""
    return Core(
        members=np.zeros(capacity, dtype=np.int64),
        position=np.full(m, -1, dtype=np.int64),
        real=np.array([max(FIRST_STAGE, eps), inner_tolerance]),
        # the start is solved already
        count=np.array([0, 0, 0, inner_fixed, inner_steps or _NO_LIMIT], dtype=np.int64),
    )


@compiled
def add_member(core, i):
    """Let point i join the coreset and open the inner QP again."""
    core.members[core.count[CORE_SIZE]] = i
    core.position[i] = core.count[CORE_SIZE]
    core.count[CORE_SIZE] += 1
    core.count[INNER_OPEN] = 1
    core.count[INNER_STEPS] = 0


@compiled
def _extremes(state, core, whole):
    """Smallest score in the coreset and largest among its active points."""
    if whole:
        return state.count[TOWARD_VERTEX], state.count[AWAY_VERTEX]
    s, penalty = state.s, state.penalty
    low, high = core.members[0], state.active[0]
    for p in range(core.count[CORE_SIZE]):
        r = core.members[p]
        if s[r] < s[low]:
            low = r
        if s[r] + penalty[r] > s[high]:
            high = r
    return low, high


@compiled
def solve_inner(state, n, core, whole, rule, eps, cache, limit):
    """SMO on the QP restricted to the coreset; `whole`: the universe of n points is the coreset itself."""
    columns, slot_of, used = cache.columns, cache.slots.slot_of, cache.slots.used
    s = state.s
    floor = 0.25 * target_gap(rule, eps, state.real[LARGEST_DIAGONAL], state.real[OBJECTIVE])
    fixed = core.count[INNER_FIXED] == 1
    while True:
        i, high = _extremes(state, core, whole)
        if s[high] - s[i] <= core.real[INNER_TOLERANCE]:
            if fixed or core.count[INNER_STEPS] > 0 or core.real[INNER_TOLERANCE] <= floor:
                return CONVERGED
            core.real[INNER_TOLERANCE] = max(0.5 * core.real[INNER_TOLERANCE], floor)
            continue
        if core.count[INNER_STEPS] >= core.count[MOST_INNER_STEPS]:
            return CONVERGED
        if state.count[ITERATIONS] >= limit:
            return PAUSED
        slot_i = slot_of[i]
        if slot_i < 0:
            state.count[MISSING] = i
            return NEEDS_COLUMN
        j = second_order_vertex(state, n, i, columns[slot_i])
        slot_j = slot_of[j]
        if slot_j < 0:
            state.count[MISSING] = j
            state.count[PENDING] = i
            return NEEDS_COLUMN
        used[slot_i] = 1
        used[slot_j] = 1
        take_step(state, n, SWAP, i, j, columns[slot_i], columns[slot_j])
        core.count[INNER_STEPS] += 1
        shortest = eps**2 if fixed else 0.5 * core.real[INNER_TOLERANCE] ** 2
        if state.real[STEP_LENGTH] < shortest:
            return CONVERGED


@compiled
def next_stage(core, eps):
    """Halve the outer eps; False when it had reached its target."""
    if core.real[STAGE_EPS] <= eps:
        return False
    core.real[STAGE_EPS] = max(0.5 * core.real[STAGE_EPS], eps)
    return True


@compiled
def tighten(core):
    """Open the inner QP again with half the tolerance: a member violates although the pairs did not."""
    core.real[INNER_TOLERANCE] *= 0.5
    core.count[INNER_OPEN] = 1
    core.count[INNER_STEPS] = 0


@compiled
def advance_cvm(rule, eps, floor, sampled, patience, sample, drawn, state, core, cache, source, limit):
    """As `all_points.advance`, for CVM with the scores of all m points kept."""
    s, real, count = state.s, state.real, state.count
    m = s.shape[0]
    while True:
        asked = core.count[CORE_SIZE] if sampled else m
        if core.count[INNER_OPEN] == 1:
            before = count[ITERATIONS]
            reason = solve_inner(state, m, core, False, rule, eps, cache, limit)
            count[REQUESTED] += 2 * asked * (count[ITERATIONS] - before)
            if reason == NEEDS_COLUMN:
                load(cache, source, count[MISSING], count[PENDING])
                continue
            if reason != CONVERGED:
                return reason
            core.count[INNER_OPEN] = 0
        R = real[OBJECTIVE]
        if sampled:
            count[SAMPLES] += 1
            i, size = sampled_vertex(sample)
            for t in range(size):
                if core.position[drawn[t]] < 0:
                    count[REQUESTED] += asked
        else:
            i = count[TOWARD_VERTEX]
        gap = 2.0 * (R - s[i]) if i >= 0 else 0.0
        real[GAP_SEEN] = gap
        if gap > max(target_gap(rule, core.real[STAGE_EPS], real[LARGEST_DIAGONAL], R), floor):
            count[EMPTY_SAMPLES] = 0
            if core.position[i] < 0:
                count[REQUESTED] += asked
                add_member(core, i)
            else:
                tighten(core)
            continue
        count[EMPTY_SAMPLES] += 1
        if not sampled or count[EMPTY_SAMPLES] >= patience:
            count[EMPTY_SAMPLES] = 0
            if not next_stage(core, eps):
                return NO_VIOLATION if sampled else CONVERGED


METHOD = own_loop(
    "cvm", "CVM", "Core vector machine (tsang2005, frandi2013 Alg. 1, nanculef2014 Alg. 2)",
    "fwsvm.solvers.cvm_drivers", solves_coreset=True,
)  # fmt: skip
