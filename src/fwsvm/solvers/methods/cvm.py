"""CVM: the core vector machine, with the details of LibCVM.

There are two drivers. They differ in how they find the next point that violates the stopping rule.
`CvmCoresetDriver` finds it from kernel values between a sample and the coreset. `CvmDriver` finds
it from the gradient at all points. SMO (sequential minimal optimisation) changes weights, so
`CvmDriver` updates this gradient after each QP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.problems.column_cache import CoresetColumns, SharedColumns, take_slot
from fwsvm.solvers.coreset_drivers import (
    CompactDriver,
    SampledDriver,
    can_store_points,
    store_point,
)
from fwsvm.solvers.cvm_loops import (
    CVM_NUMBERS,
    CvmNumbers,
    Whole,
    advance_cvm,
    halve_eps,
    solve_inner,
    tighten,
    update_gradient,
)
from fwsvm.solvers.drivers import SAMPLES_BETWEEN_CHECKS, VALUES_BETWEEN_CHECKS, Driver
from fwsvm.solvers.method import Method
from fwsvm.solvers.sampling import NOBODY, new_sampler
from fwsvm.solvers.state import (
    FIRST_EPS,
    Reason,
    activate,
    fields_of,
    new_record,
    refresh_objective,
)

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fwsvm.solvers.drivers import Start

_NO_LIMIT = np.iinfo(np.int64).max

# With at most _CORESET_ONLY_ABOVE points, CVM with samples also uses `CvmDriver`.
# `CvmCoresetDriver` would compute fewer kernel values, but each of its samples costs about 0.1 ms
# of Python calls. In a measurement on two pairs of classes, which came from the data sets "letter"
# and "pendigits", `CvmCoresetDriver` took 2.3 times as long as `CvmDriver`.
_CORESET_ONLY_ABOVE = 2048


def new_driver(start: Start) -> Driver:
    if start.problem.size > _CORESET_ONLY_ABOVE and can_store_points(start):
        return CvmCoresetDriver(start)
    return CvmDriver(start)


class _Cvm(Driver):
    size: int  # number of points in the coreset
    capacity: int
    columns: Any
    cache: Any
    coreset: CvmNumbers
    # `gradient` is None, because the gradient that a driver stores is not the gradient at the final
    # weights: `final_weights` omits small weights.
    gradient = None

    def _begin_core(self) -> None:
        numbers, settings = new_record(CVM_NUMBERS), self.settings
        numbers.current_eps, numbers.inner_tolerance = (
            max(FIRST_EPS, settings.eps),
            settings.inner_tolerance,
        )
        numbers.inner_fixed, numbers.most_inner_steps = (
            settings.inner_fixed,
            settings.inner_steps or _NO_LIMIT,
        )
        numbers.members = self.size
        self.numbers, self.coreset = numbers, fields_of(numbers)

    def _new_columns(self, most_mb: float) -> CoresetColumns:
        all_columns_mb = 1e-6 * self.dtype.itemsize * self.problem.size**2
        return CoresetColumns(self.capacity, min(most_mb, 1.0 + 2.0 * all_columns_mb), self.dtype)

    @property
    def _rejects(self) -> bool:
        """Test whether samples must omit the points of the coreset."""
        return self.settings.selection.reject_members is not False

    @property
    def coreset_size(self) -> int:
        return self.coreset.members

    def final_weights(self) -> tuple[np.ndarray, np.ndarray]:
        support, weights = self.weights()
        influence = weights
        if np.ndim(self.problem.shift):  # keep a small weight a_i if Q_ii is large
            largest = self.problem.largest_diagonal
            influence = weights * np.maximum(self.problem.diagonal[support] / largest, 1.0)
        kept = influence > 1e-5 / self.coreset_size
        return support[kept], weights[kept]


class CvmDriver(_Cvm, CompactDriver):
    """The driver of CVM that stores the gradient at all points. After each QP, this gradient is
    updated from columns of Q over all points.

    At most half of the memory is for columns over the coreset, and the rest is for columns over all
    points.
    """

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        problem = start.problem
        selection = self.settings.selection
        indices = np.asarray(start.indices, np.int64)
        self.shared = start.columns or SharedColumns(keeps=False)
        self.sampler = start.sampler
        self.s, self.seen = np.zeros(problem.size), np.zeros(0)
        self._begin_points(2 * len(indices))
        if self.sampler is None and selection.sampled:
            self.sampler = new_sampler(problem.labels, selection, start.rng)
        self.set_dtype(start.dtype)
        for i, weight in zip(indices, start.weights, strict=True):
            self._add(i, weight)
        refresh_objective(self.state)
        # `inner_open` is 0, because most starts are optimal over their points. If a start is not,
        # `tighten` sets `inner_open` to 1.
        self._begin_core()
        self.is_whole = self._begin(start)

    def _begin(self, start: Start) -> bool:
        """Compute the gradient at the start. Return True when the gradient is complete.

        If another driver ran before, the time limit is checked. If the limit is reached before the
        gradient is complete, return False. For the first driver of a run, the time limit is not
        checked.
        """
        while update_gradient(
            self.state, self.size, self.whole, self.cache.arrays, self.cache.source
        )[1]:
            if start.follows and start.clock.is_over():
                return False
        self.state.s[: self.size] = self.s[self.ids[: self.size]]
        refresh_objective(self.state)
        return True

    @property
    def gap(self) -> float:
        """Return the duality gap over all points at the current weights, for a trace."""
        now = self.whole._replace(s=self.s.copy(), seen=self.seen.copy())
        while update_gradient(self.state, self.size, now, self.cache.arrays, self.cache.source)[1]:
            pass
        return 2.0 * (self.objective - float(now.s.min()))

    def _add(self, i: int, weight: float) -> None:
        self._register(int(i))
        place = self.size - 1
        store_point(self.state, place, self.s[i], self.problem.diagonal[i])
        if weight > 0.0:
            self.state.a[place] = weight
            activate(self.state, place)

    def _grow(self, capacity: int) -> None:
        super()._grow(capacity)
        self._share()

    def _share(self) -> None:
        """Give the compiled loop access to the arrays that have grown."""
        seen = np.zeros(self.capacity)
        seen[: len(self.seen)] = self.seen
        self.seen = seen
        self.whole = Whole(self.s, seen, self.ids, self.local, self.problem.diagonal)
        if self.columns.capacity != self.capacity:
            self.columns.grow(self.capacity)

    def set_dtype(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.columns = self._new_columns(self.settings.cache_mb / 2)
        left_mb = max(self.settings.cache_mb - self.columns.megabytes, 0.0)
        self.cache = None
        self.cache = self.shared.cache(self.problem, left_mb, self.dtype)
        self._share()

    def run(self, limit: int) -> Reason:
        settings, selection = self.settings, self.settings.selection
        while True:
            reason = advance_cvm(
                self.rule,
                settings.eps,
                self.floor,
                selection.patience,
                self.sampler,
                self._rejects,
                self.state,
                self.numbers,
                self.whole,
                self.columns.arrays,
                self.cache.arrays,
                self.cache.source,
                limit,
            )
            self.size = self.coreset.members
            if reason != Reason.NEEDS_ROOM:
                return reason
            self._grow(2 * self.capacity)

    def go_on_from(self, s: np.ndarray) -> None:
        """Compute the gradient exactly, and continue with half the inner tolerance.

        `s`, float64 (m,), is not used, because it was computed without the smallest weights.
        """
        self.s[:] = self.problem.gradient(*self.weights())
        self.seen[: self.size] = self.state.a[: self.size]
        self.state.s[: self.size] = self.s[self.ids[: self.size]]
        refresh_objective(self.state)
        self.coreset.inner_tolerance *= 0.5
        self.coreset.inner_open = 1


class CvmCoresetDriver(_Cvm, SampledDriver):
    """The driver of CVM that chooses points from samples only.

    Points never leave the coreset. A cache of limited size contains columns of Q over the coreset.

    `should_switch` becomes True in two cases: when the samples have cost more than the gradient of
    `CvmDriver` would have cost from the start, or when the stored points need too much memory.
    """

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.excess, self.should_switch, self.steps_seen = 0.0, False, 0
        self._begin_core()
        self.columns = self._new_columns(self.settings.cache_mb)

    def _join(self, place: int, i: int, gradient: float) -> None:
        """Add the sampled point i to the coreset and to the cached columns."""
        row = np.empty(self.size, self.dtype)
        self.count.requested += self.size
        self._column(self.block[place], i, -1, row)
        self._reserve()
        n = self.size
        self.columns.append(n, row)
        self._register(i)
        store_point(self.state, n, gradient, self.problem.diagonal[i])
        self.coreset.members = self.size
        self.coreset.inner_open = 1
        self.coreset.inner_steps = 0

    def _grow(self, capacity: int) -> None:
        super()._grow(capacity)
        self.columns.grow(capacity)

    def run(self, limit: int) -> Reason:
        settings, count = self.settings, self.count
        enough = self.evaluations + VALUES_BETWEEN_CHECKS
        rejected = self.local if self._rejects else NOBODY
        while True:
            if self.evaluations >= enough:
                return Reason.PAUSED
            if self.coreset.inner_open == 1:
                before = count.iterations
                reason = solve_inner(
                    self.state,
                    self.size,
                    self.numbers,
                    self.rule,
                    settings.eps,
                    self.columns.columns,
                    self.columns.slots,
                    limit,
                )
                count.requested += 2 * self.size * (count.iterations - before)
                if reason == Reason.NEEDS_COLUMN:
                    slot = take_slot(self.columns.slots, count.missing, count.pending)
                    self._stored_column(count.missing, self.columns.columns[slot])
                    continue
                if reason != Reason.CONVERGED:
                    return reason
                self.coreset.inner_open = 0
            self._weigh()
            if self.should_switch:
                return Reason.PAUSED
            place, i, gradient = self._sample(rejected)
            if place >= 0 and self._violates(self.coreset.current_eps):
                count.empty_samples = 0
                if self.local[i] < 0:
                    self._join(place, i, gradient)
                elif not tighten(self.state, self.numbers):
                    return Reason.NO_PROGRESS
                continue
            count.empty_samples += 1
            if count.empty_samples >= settings.selection.patience:
                count.empty_samples = 0
                if not halve_eps(self.numbers, settings.eps):
                    return Reason.NO_VIOLATION
            if count.samples % SAMPLES_BETWEEN_CHECKS == 0:
                return Reason.PAUSED

    def _weigh(self) -> None:
        """Compare the cost of the last sample with the cost of updating the gradient at all points,
        and add the difference to `excess`.
        """
        m, steps = self.problem.size, self.count.iterations - self.steps_seen
        self.steps_seen += steps
        changed = min(2 * steps, self.size)
        fits = 4e-6 * self.dtype.itemsize * self.size * m <= self.settings.cache_mb / 2
        # a column that is not in the cache is computed again
        update_cost = _UPDATE_COST if fits else 1.0
        self.excess += len(self.block) * self.size - m - update_cost * changed * m
        self.excess = max(self.excess, 0.0)
        self.should_switch = self.excess > self.size * m or self.exceeds_memory

    def next_driver(self, start: Start) -> Driver:
        return CvmDriver(start)

    def release(self) -> None:
        super().release()
        self.columns = None

    def hand_over(self, new: Any) -> None:
        for i in self.ids[: self.size]:
            if new.local[i] < 0:
                new._add(i, 0.0)
        new.coreset.members = new.size
        new.coreset.current_eps, new.coreset.inner_tolerance = (
            self.coreset.current_eps,
            self.coreset.inner_tolerance,
        )


# Cost of updating one gradient entry, relative to the cost of computing one kernel value.
_UPDATE_COST = 0.05

METHOD = Method(
    "cvm",
    "CVM",
    "Core vector machine (tsang2005, frandi2013 Alg. 1, nanculef2014 Alg. 2)",
    new_driver,
    solves_coreset=True,
    definition=(
        "the core vector machine (tsang2005, frandi2013 Alg. 1, nanculef2014 Alg. 2), with"
        " the details of LibCVM. Two steps alternate. First, the point that violates the"
        " stopping rule most joins the coreset. Then SMO (sequential minimal optimisation)"
        " solves the quadratic program (QP) over the coreset.\n\n"
        "The tolerance eps of the stopping rule starts at 0.1, and is halved until it reaches"
        " the eps of the settings.\n\n"
        "SMO stops when no pair of points violates the inner tolerance. If a point has joined"
        " the coreset but SMO takes no step, then the inner tolerance is halved, and SMO is"
        " tried again."
    ),
)
