"""CVM: the core vector machine (tsang2005, frandi2013 Alg. 1, nanculef2014 Alg. 2), with the details of LibCVM.

The worst violator joins the coreset, SMO solves the QP over the coreset, and so on. The outer eps starts at 0.1 and is
halved down to its target. If the coreset has grown but has no violating pair, the inner tolerance is halved, down to a
quarter of the target gap. One driver stores the gradient at all points, and the other only at the coreset's points.
"""

from collections import namedtuple

import numpy as np

from fwsvm.base.compiled import compiled
from fwsvm.problems.column_cache import CoresetColumns, claim, load
from fwsvm.solvers.coreset_drivers import VALUES_BETWEEN_CHECKS, SampledDriver, can_store_points, store_point
from fwsvm.solvers.drivers import SAMPLES_BETWEEN_CHECKS, AllPointsDriver
from fwsvm.solvers.method import Method
from fwsvm.solvers.sampling import NOBODY, sampled_vertex
from fwsvm.solvers.state import FIRST_STAGE, Numbers, Reason, new_record
from fwsvm.solvers.steps import MOST_IDLE_STEPS, swap_step, target_gap
from fwsvm.solvers.vertices import second_order_vertex

_NO_LIMIT = np.iinfo(np.int64).max
_NUMBERS = np.dtype([
    ("stage_eps", "f8"), ("inner_tolerance", "f8"), ("members", "i8"), ("inner_open", "i8"), ("inner_steps", "i8"),
    ("inner_fixed", "i8"), ("most_inner_steps", "i8"), ("is_whole", "i8"),
])  # fmt: skip

Core = namedtuple("Core", "members position numbers")
Core.__doc__ = (
    "The coreset: its points in order of entry, each point's index among them (-1 if absent), and a record of numbers."
)


@compiled
def add_member(core, i):
    """Add point i to the coreset, whose QP must then be solved again."""
    numbers = core.numbers
    core.members[numbers.members] = i
    core.position[i] = numbers.members
    numbers.members += 1
    numbers.inner_open = 1
    numbers.inner_steps = 0


@compiled
def _extremes(state, core):
    """Find the point with the lowest gradient in the coreset, and the active point with the highest gradient."""
    if core.numbers.is_whole == 1:
        return state.count.fw_vertex, state.count.away_vertex
    s, penalty = state.s, state.penalty
    low, high = core.members[0], state.active[0]
    for p in range(core.numbers.members):
        r = core.members[p]
        if s[r] < s[low]:
            low = r
        if s[r] + penalty[r] > s[high]:
            high = r
    return low, high


@compiled
def solve_inner(state, n, core, rule, eps, cache, limit):
    """Run SMO on the QP over the coreset. If its `is_whole` is 1, the coreset has all n points of the state."""
    count, real, numbers = state.count, state.real, core.numbers
    columns, slot_of, used = cache.columns, cache.slots.slot_of, cache.slots.used
    s = state.s
    floor = max(0.25 * target_gap(rule, eps, real.largest_diagonal, real.objective), 0.0)
    fixed = numbers.inner_fixed == 1
    while True:
        i, high = _extremes(state, core)
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
        swap_step(state, n, i, j, columns[slot_i], columns[slot_j])
        numbers.inner_steps += 1
        shortest = eps**2 if fixed else 0.5 * numbers.inner_tolerance**2
        if real.step_length < shortest:
            return Reason.CONVERGED


@compiled
def next_stage(core, eps):
    numbers = core.numbers
    if numbers.stage_eps <= eps:
        return False
    numbers.stage_eps = max(0.5 * numbers.stage_eps, eps)
    return True


@compiled
def tighten(state, core):
    """Halve the tolerance of the coreset's QP, whose solution violates the stopping rule. The QP must be solved again.

    Return False after many calls without a step: rounding errors then hide any progress.
    """
    numbers = core.numbers
    numbers.inner_tolerance *= 0.5
    numbers.inner_open = 1
    numbers.inner_steps = 0
    state.count.idle_steps += 1
    return state.count.idle_steps < MOST_IDLE_STEPS


@compiled
def advance_cvm(rule, eps, floor, patience, sampler, rejected, state, core, cache, source, limit):
    """Do for CVM what `drivers.advance` does for other methods, with the gradient at all m points."""
    numbers = core.numbers
    s, real, count = state.s, state.real, state.count
    m = s.shape[0]
    while True:
        asked = m if sampler is None else numbers.members
        if numbers.inner_open == 1:
            before = count.iterations
            reason = solve_inner(state, m, core, rule, eps, cache, limit)
            count.requested += 2 * asked * (count.iterations - before)
            if reason == Reason.NEEDS_COLUMN:
                load(cache, source, count.missing, count.pending)
                continue
            if reason != Reason.CONVERGED:
                return reason
            numbers.inner_open = 0
        R = real.objective
        if sampler is None:
            i = count.fw_vertex
        else:
            count.samples += 1
            i, size = sampled_vertex(sampler, rejected, s)
            for t in range(size):
                if core.position[sampler.sample[t]] < 0:
                    count.requested += asked
        gap = 2.0 * (R - s[i]) if i >= 0 else 0.0
        real.gap_seen = gap
        if gap > max(target_gap(rule, numbers.stage_eps, real.largest_diagonal, R), floor):
            count.empty_samples = 0
            if core.position[i] < 0:
                count.requested += asked
                add_member(core, i)
            elif not tighten(state, core):
                return Reason.NO_PROGRESS
            continue
        count.empty_samples += 1
        if sampler is None or count.empty_samples >= patience:
            count.empty_samples = 0
            if not next_stage(core, eps):
                return Reason.CONVERGED if sampler is None else Reason.NO_VIOLATION
        if sampler is not None and count.samples % SAMPLES_BETWEEN_CHECKS == 0:
            return Reason.PAUSED


# Cost of updating one gradient entry, relative to that of computing one kernel value.
_STEP_COST = 0.4
# Up to this number of points, even CVM with samples stores the gradient at all points: the Gram matrix is cheap.
_SMALL = 2048


def new_driver(start):
    if start.problem.size > _SMALL and can_store_points(start):
        return CvmCoresetDriver(start)
    return CvmDriver(start)


class _Cvm:
    gradient = None  # `final_weights` omits small weights, so the state's gradient is not that of the final weights

    def _begin_core(self, m, capacity):
        numbers, settings = new_record(_NUMBERS), self.settings
        numbers.stage_eps, numbers.inner_tolerance = max(FIRST_STAGE, settings.eps), settings.inner_tolerance
        numbers.inner_fixed, numbers.most_inner_steps = settings.inner_fixed, settings.inner_steps or _NO_LIMIT
        self.core = Core(np.zeros(capacity, dtype=np.int64), np.full(m, -1, dtype=np.int64), numbers)
        self.coreset = Numbers(numbers)

    def _rejected(self, positions):
        """Return `positions` if samples must omit the coreset's points, and `NOBODY` if samples may contain them."""
        return NOBODY if self.settings.selection.reject_members is False else positions

    def final_weights(self):
        support, weights = self.weights()
        influence = weights
        if np.ndim(self.problem.ridge):  # a small a_i matters if Q_ii is large
            largest = self.problem.largest_diagonal
            influence = weights * np.maximum(self.problem.diagonal[support] / largest, 1.0)
        kept = influence > 1e-5 / self.coreset_size
        return support[kept], weights[kept]


class CvmDriver(_Cvm, AllPointsDriver):
    def __init__(self, start):
        super().__init__(start)
        self._begin_core(start.problem.size, start.problem.size)
        for i in start.indices:
            add_member(self.core, i)
        self.coreset.inner_open = 0  # the start is already optimal over its points

    @property
    def coreset_size(self):
        return self.coreset.members

    def run(self, limit):
        settings, selection = self.settings, self.settings.selection
        rejected = self._rejected(self.core.position)
        with self.workers.serving(self._passes.jobs):
            return advance_cvm(
                self.rule, settings.eps, self.floor, selection.patience, self.sampler,
                rejected, self.state, self.core, self.cache.arrays, self.cache.source, limit,
            )  # fmt: skip

    def go_on_from(self, s):
        """Continue with half the inner tolerance. Ignore `s`: it was computed without the smallest weights."""
        s = self.problem.gradient(*self.weights())
        self.coreset.inner_tolerance *= 0.5
        self.coreset.inner_open = 1
        super().go_on_from(s)


class CvmCoresetDriver(_Cvm, SampledDriver):
    """Run CVM with samples: points never leave the coreset, and a bounded cache holds columns over the coreset.

    The driver is `outgrown` once it would have been cheaper to store the gradient at all points from the start.
    """

    follow_with = CvmDriver

    def __init__(self, start):
        super().__init__(start)
        self.excess, self.outgrown, self.steps_seen = 0.0, False, 0
        self._begin_core(0, 1)
        self.coreset.members, self.coreset.is_whole = self.size, 1
        all_columns_mb = 16e-6 * self.problem.size**2
        self.columns = CoresetColumns(self.capacity, min(self.settings.cache_mb, 1.0 + all_columns_mb), self.dtype)

    @property
    def column_dtype(self):
        return self.dtype

    @property
    def coreset_size(self):
        return self.size

    def _join(self, place, i, gradient):
        """Add the sampled point i to the coreset and to the cached columns."""
        capacity, row = self.capacity, np.empty(self.size, self.dtype)
        self.count.requested += self.size
        self._column(self.block[place], i, -1, row)
        self._reserve()
        if self.capacity != capacity:
            self.columns.grow(self.capacity)
        n = self.size
        self.columns.append(n, row)
        diagonal = self.problem.diagonal[i]
        self._register(i)
        store_point(self.state, n, gradient, diagonal)
        if gradient < self.state.s[self.count.fw_vertex]:
            self.count.fw_vertex = n
        self.coreset.members = self.size
        self.coreset.inner_open = 1
        self.coreset.inner_steps = 0

    def run(self, limit):
        settings, count = self.settings, self.count
        enough = self.evaluations + VALUES_BETWEEN_CHECKS
        while True:
            if self.evaluations >= enough:
                return Reason.PAUSED
            if self.coreset.inner_open == 1:
                before = self.count.iterations
                reason = solve_inner(
                    self.state, self.size, self.core, self.rule, settings.eps, self.columns.arrays, limit
                )  # fmt: skip
                count.requested += 2 * self.size * (self.count.iterations - before)
                if reason == Reason.NEEDS_COLUMN:
                    place = self.count.missing
                    slot = claim(self.columns.slots, place, self.count.pending)
                    self._stored_column(place, self.columns.columns[slot])
                    continue
                if reason != Reason.CONVERGED:
                    return reason
                self.coreset.inner_open = 0
            self._weigh()
            if self.outgrown:
                return Reason.PAUSED
            place, i, gradient = self._sample(self._rejected(self.local))
            if place >= 0 and self._violates(self.coreset.stage_eps):
                count.empty_samples = 0
                if self.local[i] < 0:
                    self._join(place, i, gradient)
                elif not tighten(self.state, self.core):
                    return Reason.NO_PROGRESS
                continue
            count.empty_samples += 1
            if count.empty_samples >= settings.selection.patience:
                count.empty_samples = 0
                if not next_stage(self.core, settings.eps):
                    return Reason.NO_VIOLATION
            if count.samples % SAMPLES_BETWEEN_CHECKS == 0:
                return Reason.PAUSED

    def _weigh(self):
        """Add up how much more the samples cost than updating the gradient at all points would have cost."""
        m, steps = self.problem.size, self.count.iterations - self.steps_seen
        self.steps_seen += steps
        self.excess += len(self.block) * self.size - m - _STEP_COST * steps * (m - self.size)
        self.excess = max(self.excess, 0.0)
        self.outgrown = self.excess > self.size * m or self.exceeds_memory

    def release(self):
        super().release()
        self.columns = None

    def hand_over(self, new):
        for i in self.ids[: self.size]:
            if new.core.position[i] < 0:
                add_member(new.core, i)
        new.coreset.stage_eps, new.coreset.inner_tolerance = self.coreset.stage_eps, self.coreset.inner_tolerance
        new.coreset.inner_open = 0


METHOD = Method(
    "cvm", "CVM", "Core vector machine (tsang2005, frandi2013 Alg. 1, nanculef2014 Alg. 2)", new_driver,
    solves_coreset=True,
)  # fmt: skip
