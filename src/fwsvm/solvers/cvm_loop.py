"""The compiled loops of CVM, and its coreset; `fwsvm.solvers.methods.cvm` describes the method."""

from collections import namedtuple

import numpy as np

from fwsvm.base.compiled import compiled
from fwsvm.problems.column_cache import load
from fwsvm.solvers.constants import FIRST_STAGE, Reason, Step
from fwsvm.solvers.sampling import sampled_vertex
from fwsvm.solvers.steps import take_step, target_gap
from fwsvm.solvers.vertices import second_order_vertex

_NO_LIMIT = np.iinfo(np.int64).max
_NUMBERS = np.dtype([
    ("stage_eps", "f8"), ("inner_tolerance", "f8"), ("members", "i8"), ("inner_open", "i8"), ("inner_steps", "i8"),
    ("inner_fixed", "i8"), ("most_inner_steps", "i8"),
])  # fmt: skip

Core = namedtuple("Core", "members position numbers")
Core.__doc__ = """Coreset: members in order of entry, position of each point (-1 outside), and an array of one record:
the outer eps now, the inner tolerance now, the number of members, whether the inner QP is being solved, inner steps of
this solve, whether the inner tolerance is fixed, the most inner steps of a solve."""


def new_core(m, capacity, settings):
    """An empty coreset of m points."""
    numbers = np.zeros(1, _NUMBERS)
    numbers["stage_eps"], numbers["inner_tolerance"] = max(FIRST_STAGE, settings.eps), settings.inner_tolerance
    numbers["inner_fixed"], numbers["most_inner_steps"] = settings.inner_fixed, settings.inner_steps or _NO_LIMIT
    return Core(np.zeros(capacity, dtype=np.int64), np.full(m, -1, dtype=np.int64), numbers)


@compiled
def add_member(core, i):
    """Let point i join the coreset and open the inner QP again."""
    core.members[core.numbers[0].members] = i
    core.position[i] = core.numbers[0].members
    core.numbers[0].members += 1
    core.numbers[0].inner_open = 1
    core.numbers[0].inner_steps = 0


@compiled
def _extremes(state, core, whole):
    """Smallest score in the coreset and largest among its active points."""
    if whole:
        return state.count[0].fw_vertex, state.count[0].away_vertex
    s, penalty = state.s, state.penalty
    low, high = core.members[0], state.active[0]
    for p in range(core.numbers[0].members):
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
    floor = 0.25 * target_gap(rule, eps, state.real[0].largest_diagonal, state.real[0].objective)
    fixed = core.numbers[0].inner_fixed == 1
    while True:
        i, high = _extremes(state, core, whole)
        if s[high] - s[i] <= core.numbers[0].inner_tolerance:
            if fixed or core.numbers[0].inner_steps > 0 or core.numbers[0].inner_tolerance <= floor:
                return Reason.CONVERGED
            core.numbers[0].inner_tolerance = max(0.5 * core.numbers[0].inner_tolerance, floor)
            continue
        if core.numbers[0].inner_steps >= core.numbers[0].most_inner_steps:
            return Reason.CONVERGED
        if state.count[0].iterations >= limit:
            return Reason.PAUSED
        slot_i = slot_of[i]
        if slot_i < 0:
            state.count[0].missing = i
            return Reason.NEEDS_COLUMN
        j = second_order_vertex(state, n, i, columns[slot_i])
        slot_j = slot_of[j]
        if slot_j < 0:
            state.count[0].missing = j
            state.count[0].pending = i
            return Reason.NEEDS_COLUMN
        used[slot_i] = 1
        used[slot_j] = 1
        take_step(state, n, Step.SWAP, i, j, columns[slot_i], columns[slot_j])
        core.numbers[0].inner_steps += 1
        shortest = eps**2 if fixed else 0.5 * core.numbers[0].inner_tolerance ** 2
        if state.real[0].step_length < shortest:
            return Reason.CONVERGED


@compiled
def next_stage(core, eps):
    """Halve the outer eps; False when it had reached its target."""
    if core.numbers[0].stage_eps <= eps:
        return False
    core.numbers[0].stage_eps = max(0.5 * core.numbers[0].stage_eps, eps)
    return True


@compiled
def tighten(core):
    """Open the inner QP again with half the tolerance: a member violates although the pairs did not."""
    core.numbers[0].inner_tolerance *= 0.5
    core.numbers[0].inner_open = 1
    core.numbers[0].inner_steps = 0


@compiled
def advance_cvm(rule, eps, floor, sampled, patience, sample, drawn, state, core, cache, source, limit):
    """As `all_points.advance`, for CVM with the scores of all m points kept."""
    s, real, count = state.s, state.real[0], state.count[0]
    m = s.shape[0]
    while True:
        asked = core.numbers[0].members if sampled else m
        if core.numbers[0].inner_open == 1:
            before = count.iterations
            reason = solve_inner(state, m, core, False, rule, eps, cache, limit)
            count.requested += 2 * asked * (count.iterations - before)
            if reason == Reason.NEEDS_COLUMN:
                load(cache, source, count.missing, count.pending)
                continue
            if reason != Reason.CONVERGED:
                return reason
            core.numbers[0].inner_open = 0
        R = real.objective
        if sampled:
            count.samples += 1
            i, size = sampled_vertex(sample)
            for t in range(size):
                if core.position[drawn[t]] < 0:
                    count.requested += asked
        else:
            i = count.fw_vertex
        gap = 2.0 * (R - s[i]) if i >= 0 else 0.0
        real.gap_seen = gap
        if gap > max(target_gap(rule, core.numbers[0].stage_eps, real.largest_diagonal, R), floor):
            count.empty_samples = 0
            if core.position[i] < 0:
                count.requested += asked
                add_member(core, i)
            else:
                tighten(core)
            continue
        count.empty_samples += 1
        if not sampled or count.empty_samples >= patience:
            count.empty_samples = 0
            if not next_stage(core, eps):
                return Reason.NO_VIOLATION if sampled else Reason.CONVERGED
