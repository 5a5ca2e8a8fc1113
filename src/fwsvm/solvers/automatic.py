"""Run `method="auto"`: SWAP-2o with working sets or with shrinking, then FCFW where SWAP-2o is
not quick.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.solvers.coreset_drivers import new_step_driver
from fwsvm.solvers.corrective_driver import CorrectiveDriver, expected_work
from fwsvm.solvers.methods.fcfw import METHOD as FCFW
from fwsvm.solvers.shrinking import ShrinkingDriver
from fwsvm.solvers.state import Reason
from fwsvm.solvers.working_sets import WorkingSetDriver

if TYPE_CHECKING:
    from fwsvm.solvers.drivers import Driver, Start

# The unit of work is reading or writing one gradient entry. A kernel value costs one unit per
# _STORED_PER_ENTRY features. The work is counted after every _FIRST_WORK units, and later each time
# it has grown by the factor _MORE.
_FIRST_WORK, _MORE, _STORED_PER_ENTRY = 2e6, 1.1, 2.5
# FCFW starts if the work done exceeds _LEAST_SHARE of the least work that FCFW needs, and the work
# left exceeds _PATIENCE times FCFW's expected work. It stops if its work exceeds all earlier work
# plus _PATIENCE times its expected work, but not while its gap halves (see `_LONGER`). It may start
# again once the total work has since grown by the factor _AGAIN. It never starts if steps add over
# _GROWING points on average, or while gap > _LARGEST_GAP R.
_LEAST_SHARE, _PATIENCE, _AGAIN, _GROWING, _LARGEST_GAP = 0.1, 1.5, 2.0, 0.15, 15.0
# In a block, each entry takes _SLOWER times as long, since columns are short. The gap at all points
# is known only at its end: the last _BLOCKS gaps are extrapolated. FCFW waits until the gap is
# below R, or the work exceeds `most`.
_SLOWER, _BLOCKS = 1.6, 3
# FCFW's expected work is `least` + _QUICK (`most` - `least`) if gap <= _CLOSE R, else `most` (see
# `expected_work`).
_CLOSE, _QUICK = 0.3, 0.25
# FCFW starts from its own guess if over _MAJORITY of all points are likely SVs, of which under
# _FOUND are active.
_MAJORITY, _FOUND = 0.5, 0.25
# Working sets follow after _TRIAL steps (or 2, 4, 8, ... times as many) among more than _SMALL
# points, if at least _MANY are active then, and the gap still exceeds _OPEN R. Columns of sparse
# points are cheap, so that working sets pay only among more than _SMALL_SPARSE. If max Q_ii is at
# least _ILL times the diagonal shift, FCFW is often quicker.
_TRIAL, _MANY, _SMALL, _SMALL_SPARSE, _OPEN, _ILL = 1000, 500, 1024, 6500, 2.5, 1e4


def new_driver(start: Start) -> Driver:
    if start.settings.selection.sampled:
        return new_step_driver(start)
    return Alternating(start) if np.min(start.problem.shift) > 0.0 else ShrinkingDriver(start)


def _can_have_working_sets(start: Start) -> bool:
    problem = start.problem
    keeps = start.columns is not None and start.columns.keeps
    if keeps or not problem.compares_blocks:
        return False
    if problem.size <= (_SMALL_SPARSE if problem.matrix.points.is_sparse else _SMALL):
        return False
    return bool(problem.largest_diagonal < _ILL * np.min(problem.shift))


class Alternating(ShrinkingDriver):
    """Run SWAP-2o, then working sets if many points are active after a trial, or FCFW if that needs
    less work.

    SWAP-2o and FCFW start from the other's best weights.
    """

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        points = getattr(getattr(self.whole, "matrix", None), "points", None)
        self._value = 0.0 if points is None else points.stored_per_point / _STORED_PER_ENTRY
        self.work, self._next_fcfw, self._seen = 0.0, 0.0, (0, self._all_evaluations)
        self._clock = start.clock
        # last three counts of likely SVs; these counts vary a lot while the gap is large
        self._counts: tuple[int, ...] = ()
        self._trial_ends = _TRIAL if _can_have_working_sets(start) else np.inf
        self._needs_sets = False
        # tuples (work, steps, log(gap / target), active points, CPU seconds) (see `_add_record`)
        self._history: list[tuple[float, ...]] = []
        self._wait(len(self.state.s) * (2.0 + self._value))

    @property
    def _step_work(self) -> float:
        return (_SLOWER if self.gap_before else 1.0) * 2.0 * len(self.state.s)

    @property
    def _all_evaluations(self) -> int:
        return self.evaluations + self.whole.evaluations

    def _wait(self, work_per_step: float, most: float = np.inf) -> None:
        """Set the step at which `_count_work` is called next.

        It must not depend on when `run` returns.
        """
        work = max(_FIRST_WORK, (_MORE - 1.0) * self.work)
        self._until = self.count.iterations + max(1, int(min(work / work_per_step, most)))

    def run(self, limit: int) -> Reason:
        while True:
            reason = super().run(min(limit, self._until, self._trial_ends))
            if self.count.iterations >= self._trial_ends:
                self._trial_ends *= 2
                is_far = reason == Reason.PAUSED and self.real.gap_seen > _OPEN * self.objective
                self._needs_sets = is_far and self.count.active_size >= _MANY
                self.should_switch = self.should_switch or self._needs_sets
                if self.should_switch:
                    return reason
                if reason == Reason.PAUSED and self.count.iterations < min(limit, self._until):
                    continue
            if reason != Reason.PAUSED or self.count.iterations < self._until:
                return reason
            self._count_work()
            if self.should_switch or self.count.iterations >= limit:
                return reason

    def _count_work(self) -> None:
        now, (steps, values) = (self.count.iterations, self._all_evaluations), self._seen
        made, before = max(now[0] - steps, 1), self.work
        self.work += self._step_work * made + self._value * (now[1] - values)
        self._seen = now
        # later steps may cost more if their columns are not cached
        self._wait((self.work - before) / made, 4.0 * made)
        if not self.gap_before:
            self._add_record()
        self._decide()

    def _add_record(self) -> None:
        count, log_gap = self.count, np.log(max(self.real.gap_seen / self._target, 1e-9))
        self._history.append(
            (self.work, count.iterations, log_gap, count.active_size, self._clock.cpu_s())
        )
        if self.gap_before:
            self._history = self._history[-_BLOCKS:]
        else:
            self._history = [each for each in self._history if each[0] >= 0.5 * self.work]

    def _decide(self) -> None:
        """Set `should_switch` if FCFW is to start."""
        if self.work < self._next_fcfw:
            return
        gap, R = self.gap_before or self.real.gap_seen, self.objective
        likely = int(np.count_nonzero((self.state.a > 0.0) | (self.state.s < R)))
        self._counts = (*self._counts[-2:], likely)
        self._near = near = int(median(self._counts))
        least, most = expected_work(self.whole, near)
        self._expected = least + _QUICK * (most - least) if gap <= _CLOSE * R else most
        is_due, patience = gap <= _LARGEST_GAP * R and self.work >= _LEAST_SHARE * least, _PATIENCE
        if self.gap_before:
            is_due, patience = is_due and (gap <= R or self.work >= most), 1.0
        self.should_switch = (
            is_due and self._work_left(near) > patience * self._expected and self._has_time()
        )

    def _next_block(self) -> bool:
        self._count_work()
        goes_on = super()._next_block()
        if goes_on:
            self._add_record()
            self._decide()
        return goes_on

    def _has_time(self) -> bool:
        """Test whether FCFW would end before the time limit if it worked as fast as SWAP-2o did."""
        (work, *_, begin), now = self._history[0], self._clock.cpu_s()
        return (
            self._expected * (now - begin) / max(self.work - work, 1.0) <= self._clock.limit - now
        )

    def _work_left(self, near: int) -> float:
        """Estimate the work left to reach the target gap: extrapolate log(gap) from the second half
        of the work so far.

        The slope is noisy: make it one standard error steeper. Return 0 if there are few records or
        many new points.
        """
        if len(self._history) < 3:
            return 0.0
        steps, log_gap, active = np.array(self._history).T[1:4]
        if active[-1] - active[0] > _GROWING * (steps[-1] - steps[0]):
            return 0.0
        steps = steps - steps.mean()
        slope = float(steps @ log_gap) / float(steps @ steps)
        noise = log_gap - log_gap.mean() - slope * steps
        slope -= np.sqrt(float(noise @ noise) / ((len(steps) - 2) * float(steps @ steps)))
        steps_left = log_gap.mean() / -slope - steps[-1] if slope < 0.0 else np.inf
        new_columns = max(near - self.count.active_size, 0)
        return self._step_work * steps_left + len(self.state.s) * self._value * new_columns

    def next_driver(self, start: Start) -> Driver:
        """Start with working sets, or start FCFW from the current weights.

        FCFW starts from its own guess if few of many likely SVs are active.
        """
        if self._needs_sets:
            return WorkingSetDriver(start)
        seen = (
            self.gap_before or self.real.gap_seen,
            self.objective,
            self.state.s,
            start.indices,
            start.weights,
        )
        most_work = _PATIENCE * self._expected + self.work
        guesses = (
            self._near > _MAJORITY * self.whole.size and len(start.indices) < _FOUND * self._near
        )
        start = replace(start, method=FCFW, dtype=np.float64 if self.refined else start.dtype)
        return CorrectiveDriver(start, seen, most_work, guesses, self.continue_after)

    def continue_after(self, fcfw: CorrectiveDriver, start: Start) -> Alternating:
        _, _, s, indices, weights = fcfw.lowest
        self.work += fcfw.work
        self._later = start.dtype
        if s is self.state.s:
            self._go_on_with(np.arange(len(s)) if self.kept is None else self.kept, self.state.a, s)
        else:
            a = np.zeros(self.whole.size)
            a[indices] = weights
            self.gap_before = 0.0
            self._go_on_with(np.arange(self.whole.size), a, s)
            self.restarted = True
        self.should_switch, self._history, self._counted = False, [], 0
        self._next_fcfw = _AGAIN * self.work
        self._seen = (self.count.iterations, self._all_evaluations)
        self._wait(len(self.state.s) * (2.0 + self._value))
        return self
