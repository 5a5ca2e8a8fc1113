"""`method="auto"`: SWAP-2o with shrinking, followed by FCFW on large problems that it does not solve soon."""

from dataclasses import replace

import numpy as np

from fwsvm.solvers.coreset_drivers import new_step_driver
from fwsvm.solvers.corrective_driver import CorrectiveDriver
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods.fcfw import METHOD as FCFW
from fwsvm.solvers.methods.swap2o import METHOD
from fwsvm.solvers.methods.swap2o import METHOD as SWAP2O
from fwsvm.solvers.state import Reason, new_state, refresh_objective
from fwsvm.solvers.steps import find_extremes, target_gap

# Never shrink below _FEW points. Shrink only if at most the share _WORTH remains, where at least _FEW / 2 are counted.
_FEW, _WORTH = 4096, 0.6
# Steps before points are left out for the first time, and the ratio between one time and the next.
_FIRST_SHRINKING, _NEXT_SHRINKING = 500, 1.2
# A copy of the points that are kept takes at most this share of the memory; all are kept after so many failures.
_MOST_COPIED, _MOST_FAILURES = 0.25, 2


class ShrinkingDriver(AllPointsDriver):
    """SWAP-2o over all points, later over the points `kept` (None for all): the others can hardly gain weight.

    A point without weight is left out if its gradient exceeds that of every active point of its class (Joachims 1999).
    If the certificate finds that one was left out wrongly, training goes on with more points, the second time with all.
    """

    kept = None

    def __init__(self, start):
        super().__init__(replace(start, method=METHOD))
        self.whole, self.wrongly_shrunk = start.problem, 0
        # kernel values of copies that are gone, the precision from `go_on_from` on, the most bytes of columns in use
        self._counted, self._later, self._touched = 0, None, 0
        can = self.settings.certify and self.whole.compares_blocks and not self.columns.keeps
        self._shrinks, self._next = can and self.whole.size >= _FEW, _FIRST_SHRINKING

    @property
    def evaluations(self):
        """Kernel values of columns over the points that are kept; those of all points are counted by the problem."""
        return self._counted + (0 if self.problem is self.whole else self.problem.evaluations)

    def run(self, limit):
        """As in `AllPointsDriver`; `limit` does not decide when points are left out."""
        while self._shrinks:
            if self.count.iterations >= self._next:
                self._next = max(self._next + 1, int(_NEXT_SHRINKING * self._next))
                self._shrink()
            reason = super().run(min(limit, self._next))
            if reason != Reason.PAUSED or self.count.iterations >= limit:
                return reason
        return super().run(limit)

    def release(self):
        self._counted, self.problem = self.evaluations, self.whole
        self.cache = self._choice = self.columns.kept = self.columns.memory = None

    def weights(self):
        indices, weights = super().weights()
        return (indices if self.kept is None else self.kept[indices]), weights

    def go_on_from(self, s):
        """Continue from the exact gradient at all points, with more points if some were left out wrongly."""
        if self.kept is None:
            super().go_on_from(s)
            return
        if s.min() < s[self.kept].min():
            self.wrongly_shrunk += 1
            self._shrinks = self.wrongly_shrunk < _MOST_FAILURES
        a = np.zeros(self.whole.size)
        a[self.kept] = self.state.a
        wanted = self._wanted(a, s, self.whole.labels)
        if not (self._shrinks and self._pays(wanted)):
            wanted[:] = True
        self._go_on_with(np.flatnonzero(wanted), a[wanted], s[wanted])

    def set_dtype(self, dtype):
        if self.kept is None:
            super().set_dtype(dtype)
        else:
            self._later = dtype

    @property
    def cache_mb(self):
        return super().cache_mb - (0.0 if self.kept is None else self._copied_mb(len(self.kept)))

    def _copied_mb(self, n):
        points = self.whole.matrix.points
        each = points.X.dtype.itemsize
        if points.is_sparse:  # with indices, and the values in float64 too
            each += points.X.indices.dtype.itemsize + 8 * (points.X.dtype != np.float64)
        return 1e-6 * n * points.stored_per_point * each

    @staticmethod
    def _wanted(a, s, labels):
        """Which points may gain weight soon, from weights, gradient and labels of n points: a bool array."""
        wanted = a > 0.0
        for sign in (-1.0, 1.0):
            own = labels == sign
            active = s[wanted & own]
            wanted |= own & (s <= active.max() if len(active) else True)
        return wanted

    def _shrink(self):
        a, s = self.state.a, self.state.s
        wanted = self._wanted(a, s, self.problem.labels)
        if self._pays(wanted):
            points = np.arange(len(s)) if self.kept is None else self.kept
            self._go_on_with(points[wanted], a[wanted], s[wanted])

    def _pays(self, wanted):
        """Whether few enough points remain to be worth a copy of them, and the copy fits."""
        left = np.count_nonzero(wanted)
        fits = self._copied_mb(left) <= _MOST_COPIED * self.settings.cache_mb
        return fits and max(left, _FEW // 2) <= _WORTH * len(wanted)

    def _go_on_with(self, points, a, s):
        old, dtype, everything = self.state, self._later or self.dtype, len(points) == self.whole.size
        self._touched = max(self._touched, self.cache.filled_bytes)
        self._counted, self._later, self.cache, self._choice = self.evaluations, None, None, None
        self.columns.next_problem()
        for each in (np.float32, np.float64):
            self.problem.matrix.release(each)
        self.kept = None if everything else points
        self.problem = self.whole if everything else self.whole.restricted_to(points)
        self._set_state(new_state(len(points)))
        state = self.state
        state.real[:], state.count[:] = old.real, old.count
        state.a[:], state.s[:], state.diagonal[:] = a, s, self.problem.diagonal
        active = np.flatnonzero(a)
        state.active[: len(active)], state.position[active], state.penalty[active] = active, np.arange(len(active)), 0.0
        self.count.active_size, self.count.pending = len(active), -1
        if self._touched > 1e6 * self.cache_mb:  # what has been used of that memory, and the copy, would be too much
            self.columns.memory, self._touched = None, 0
        super().set_dtype(dtype)
        self.columns.next_problem()
        refresh_objective(state)
        find_extremes(state, len(points))


# FCFW may follow if 1/C <= 1, but not if X is sparse with m >= 4096 and fewer than 32 nonzeros per row: its columns are
# cheap.
MANY_POINTS, LARGEST_SHIFT, MANY_STORED = 4096, 1.0, 32
# Work of SWAP-2o before FCFW starts, in gradient entries read or written, and how often half of it may be added. A
# kernel value counts as one per 4 stored features. The work is counted ten times on the way.
_FIRST_WORK, _STORED_PER_ENTRY, _EXTENSIONS, _COUNTS = 1e9, 4.0, 4, 10
# FCFW takes over the weights of SWAP-2o if the relative gap is at most this.
_NEAR = 2.0


def new_driver(start):
    start = replace(start, method=SWAP2O)
    if start.settings.selection.sampled:
        return new_step_driver(start)
    return FirstSteps(start) if _may_take_fcfw(start.problem) else ShrinkingDriver(start)


def _may_take_fcfw(problem):
    points = _points(problem)
    has_cheap_columns = points is not None and points.is_sparse and points.stored_per_point < MANY_STORED
    return 0.0 < np.max(problem.ridge) <= LARGEST_SHIFT and not (has_cheap_columns and problem.size >= MANY_POINTS)


def _points(problem):
    return getattr(getattr(problem, "matrix", None), "points", None)


class FirstSteps(ShrinkingDriver):
    """SWAP-2o with a limited amount of work. If that is not enough, FCFW follows.

    If FCFW starts from these weights and makes the objective worse, SWAP-2o continues from them.
    """

    def __init__(self, start):
        super().__init__(start)
        points = _points(start.problem)
        self._value = 0.0 if points is None else points.stored_per_point / _STORED_PER_ENTRY
        self.work, self.extensions, self.gap_at_half = 0.0, 0, np.inf
        self.half, self.enough, self._seen = 0.5 * _FIRST_WORK, _FIRST_WORK, (0, self._all_evaluations)
        self._wait()

    @property
    def _all_evaluations(self):
        return self.evaluations + self.whole.evaluations

    def _wait(self):
        """Set the step at which work is counted again; it must not depend on when `run` pauses."""
        most = len(self.state.s) * (2.0 + self._value)  # of a step, if both columns are new
        self._until = self.count.iterations + max(1, int(_FIRST_WORK / (_COUNTS * most)))

    def run(self, limit):
        while True:
            reason = super().run(min(limit, self._until))
            if reason != Reason.PAUSED or self.count.iterations < self._until:
                return reason
            self._count_work()
            if self.outgrown or self.count.iterations >= limit:
                return reason

    def _count_work(self):
        now, (steps, values) = (self.count.iterations, self._all_evaluations), self._seen
        self.work += 2.0 * len(self.state.s) * (now[0] - steps) + self._value * (now[1] - values)
        self._seen, gap = now, self.real.gap_seen
        self._wait()
        if self.work >= self.enough:
            self.outgrown = self.extensions == _EXTENSIONS or not self._is_nearly_done()
            self.extensions += 1
            self.half, self.enough, self.gap_at_half = self.enough, self.enough + 0.5 * _FIRST_WORK, gap
        elif self.work >= self.half and np.isinf(self.gap_at_half):
            self.gap_at_half = gap

    def _is_nearly_done(self):
        """Whether the gap reaches its target in as much work as since `half`, if it goes on falling as fast."""
        gap = self.real.gap_seen
        target = target_gap(self.rule, self.settings.eps, self.problem.largest_diagonal, self.objective)
        return gap * gap <= target * self.gap_at_half

    def follow_with(self, start):
        """FCFW, started from these weights if they are near the optimum. If FCFW fails, SWAP-2o continues."""
        R = self.objective
        driver = CorrectiveDriver(replace(start, method=FCFW), self.real.gap_seen > _NEAR * R, R)
        driver.follow_with = ShrinkingDriver
        return driver

    def hand_over(self, new):
        """Nothing: FCFW got the weights as its start."""
