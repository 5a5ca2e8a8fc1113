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
Core.__doc__ = "The coreset: members in order of entry, position of each point (-1 outside), and one record of numbers."


def new_core(m, capacity, settings):
    """An empty coreset of m points."""
    numbers = np.zeros(1, _NUMBERS)
    numbers["stage_eps"], numbers["inner_tolerance"] = max(FIRST_STAGE, settings.eps), settings.inner_tolerance
    numbers["inner_fixed"], numbers["most_inner_steps"] = settings.inner_fixed, settings.inner_steps or _NO_LIMIT
    return Core(np.zeros(capacity, dtype=np.int64), np.full(m, -1, dtype=np.int64), numbers)


@compiled
def add_member(core, i):
    """Let point i join the coreset and open the inner QP again."""
    numbers = core.numbers[0]
    core.members[numbers.members] = i
    core.position[i] = numbers.members
    numbers.members += 1
    numbers.inner_open = 1
    numbers.inner_steps = 0


@compiled
def _extremes(state, core, whole):
    """Points with the lowest gradient in the coreset and the highest among its active points."""
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
    """SMO on the QP restricted to the coreset. `whole`: the coreset is the universe of n points."""
    count, real, numbers = state.count[0], state.real[0], core.numbers[0]
    columns, slot_of, used = cache.columns, cache.slots.slot_of, cache.slots.used
    s = state.s
    floor = 0.25 * target_gap(rule, eps, real.largest_diagonal, real.objective)
    fixed = numbers.inner_fixed == 1
    while True:
        i, high = _extremes(state, core, whole)
        if s[high] - s[i] <= numbers.inner_tolerance:
            if fixed or numbers.inner_steps > 0 or numbers.inner_tolerance <= floor:
                return Reason.CONVERGED
            numbers.inner_tolerance = max(0.5 * numbers.inner_tolerance, floor)
            continue
        if numbers.inner_steps >= numbers.most_inner_steps:
            return Reason.CONVERGED
        if count.iterations >= limit:
            return Reason.PAUSED
        slot_i = slot_of[i]
        if slot_i < 0:
            count.missing = i
            return Reason.NEEDS_COLUMN
        j = second_order_vertex(state, n, i, columns[slot_i])
        slot_j = slot_of[j]
        if slot_j < 0:
            count.missing = j
            count.pending = i
            return Reason.NEEDS_COLUMN
        used[slot_i] = 1
        used[slot_j] = 1
        take_step(state, n, Step.SWAP, i, j, columns[slot_i], columns[slot_j])
        numbers.inner_steps += 1
        shortest = eps**2 if fixed else 0.5 * numbers.inner_tolerance**2
        if real.step_length < shortest:
            return Reason.CONVERGED


@compiled
def next_stage(core, eps):
    """Halve the outer eps; False if it has reached its target."""
    numbers = core.numbers[0]
    if numbers.stage_eps <= eps:
        return False
    numbers.stage_eps = max(0.5 * numbers.stage_eps, eps)
    return True


@compiled
def tighten(core):
    """Open the inner QP again with half the tolerance: a member violates the rule although no pair did."""
    numbers = core.numbers[0]
    numbers.inner_tolerance *= 0.5
    numbers.inner_open = 1
    numbers.inner_steps = 0


@compiled
def advance_cvm(rule, eps, floor, sampled, patience, sample, drawn, state, core, cache, source, limit):
    """As `all_points.advance`, for CVM with the gradient at all m points."""
    numbers = core.numbers[0]
    s, real, count = state.s, state.real[0], state.count[0]
    m = s.shape[0]
    while True:
        asked = numbers.members if sampled else m
        if numbers.inner_open == 1:
            before = count.iterations
            reason = solve_inner(state, m, core, False, rule, eps, cache, limit)
            count.requested += 2 * asked * (count.iterations - before)
            if reason == Reason.NEEDS_COLUMN:
                load(cache, source, count.missing, count.pending)
                continue
            if reason != Reason.CONVERGED:
                return reason
            numbers.inner_open = 0
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
        if gap > max(target_gap(rule, numbers.stage_eps, real.largest_diagonal, R), floor):
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
