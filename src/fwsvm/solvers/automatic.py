"""Run `method="auto"`: SWAP-2o with shrinking, then FCFW on large problems that SWAP-2o does not solve quickly."""

from dataclasses import replace

import numpy as np

from fwsvm.base.threads import OutOfTime
from fwsvm.solvers.coreset_drivers import new_step_driver
from fwsvm.solvers.corrective_driver import CorrectiveDriver, expected_work
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods.fcfw import METHOD as FCFW
from fwsvm.solvers.state import Reason, new_state, refresh_objective
from fwsvm.solvers.steps import find_extremes, target_gap

# Only problems of at least _FEW points shrink. They shrink from m to n points only if max(n, _FEW / 2) <= _WORTH m.
# _WORTH_EXACT replaces _WORTH where the gradient is exact.
_FEW, _WORTH, _WORTH_EXACT = 4096, 0.6, 0.9
# Number of steps after which points are first left out, and factor by which this number grows each time.
_FIRST_SHRINKING, _NEXT_SHRINKING = 500, 1.2
# Largest share of `cache_mb` for a copy of the remaining points. Number of wrong omissions after which shrinking ends.
_MOST_COPIED, _MOST_FAILURES = 0.25, 2
# If points store at least _COPIED_FEATURES features on average, cached columns are copied when points are left out.
# With fewer features, it takes no longer to compute again only the columns that are still needed.
_COPIED_FEATURES = 40
# Training goes on with float32 columns from at most _MOST_REFINED exact gradients. Each multiplies `floor` by _FINER.
_MOST_REFINED, _FINER = 4, 0.125


class ShrinkingDriver(AllPointsDriver):
    """Run SWAP-2o over all points, and later only over the points `kept`, since the others are unlikely to gain weight.

    A point without weight is left out if its gradient exceeds that of every active point of its class (Joachims 1999).
    If the certificate finds a wrongly omitted point, training goes on with more points (the second time, with all).
    """

    kept = None  # None means all points
    refined = 0  # number of exact gradients that training went on from

    def __init__(self, start):
        super().__init__(start)
        self.whole, self.wrongly_shrunk = start.problem, 0
        # kernel values computed for earlier copies, precision of the next copy, and size of the largest cache in bytes
        self._counted, self._later, self._touched = 0, None, 0
        can = self.settings.certify and self.whole.compares_blocks and not self.columns.keeps
        self._shrinks, self._next = can and self.whole.size >= _FEW, _FIRST_SHRINKING

    @property
    def evaluations(self):
        """Return the number of kernel values computed for the points `kept` only. `whole` counts all others."""
        return self._counted + (0 if self.problem is self.whole else self.problem.evaluations)

    @property
    def floor(self):
        return super().floor * _FINER**self.refined

    def run(self, limit):
        """Train like `AllPointsDriver`. The steps at which points are left out do not depend on `limit`."""
        while True:
            if self._shrinks and self.count.iterations >= self._next:
                self._next = max(self._next + 1, int(_NEXT_SHRINKING * self._next))
                self._shrink(_WORTH)
            reason = super().run(min(limit, self._next) if self._shrinks else limit)
            refined = reason == Reason.CONVERGED and self._refine()
            if not refined and (reason != Reason.PAUSED or self.count.iterations >= limit):
                return reason

    def _refine(self):
        """Go on from the exact gradient at the points `kept`, if the errors of float32 columns hide the target gap.

        The errors of columns then count only for later changes of the weights. Return False if training does not go on.
        """
        floor, (indices, weights) = self.floor, super().weights()
        target = target_gap(self.rule, self.settings.eps, self.problem.largest_diagonal, self.objective)
        if floor <= target or self.refined == _MOST_REFINED or not self.settings.certify:
            return False
        try:
            s, _ = self.problem.screened_gradient(indices, weights, self.workers, True)
        except OutOfTime:
            return False
        self._counted += 0 if self.problem.is_given else len(s) * len(indices)
        if 2.0 * (weights @ s[indices] - s.min()) > 2.0 * floor:  # a large part of the gap was hidden
            self.refined = 0
            return False
        self.refined += 1
        super().go_on_from(s)
        if self._shrinks:
            self._shrink(_WORTH_EXACT)
        return True

    def release(self):
        self._counted, self.problem = self.evaluations, self.whole
        self.cache = self.columns.kept = self.columns.memory = None

    def weights(self):
        indices, weights = super().weights()
        return (indices if self.kept is None else self.kept[indices]), weights

    @property
    def gradient(self):
        s = super().gradient
        if s is None or self.kept is None:
            return s
        known = np.full(self.whole.size, np.nan)
        known[self.kept] = s
        return known

    def go_on_from(self, s):
        """Continue from the exact gradient at all points. Put back any points that were left out wrongly."""
        self.restarted = True
        if self.kept is None:
            super().go_on_from(s)
            return
        if s.min() < s[self.kept].min():
            self.wrongly_shrunk += 1
            self._shrinks = self.wrongly_shrunk < _MOST_FAILURES
        a = np.zeros(self.whole.size)
        a[self.kept] = self.state.a
        wanted = self._wanted(a, s, self.whole.labels)
        if not (self._shrinks and self._pays(wanted, _WORTH)):
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
        if points.is_sparse:  # a sparse copy also stores indices and, if its values are float32, a float64 copy of them
            each += points.X.indices.dtype.itemsize + 8 * (points.X.dtype != np.float64)
        return 1e-6 * n * points.stored_per_point * each

    @staticmethod
    def _wanted(a, s, labels):
        """Return a bool array of the points that have weight or may gain some soon."""
        wanted = a > 0.0
        for sign in (-1.0, 1.0):
            own = labels == sign
            active = s[wanted & own]
            wanted |= own & (s <= active.max() if len(active) else True)
        return wanted

    def _shrink(self, worth):
        a, s = self.state.a, self.state.s
        wanted = self._wanted(a, s, self.problem.labels)
        if self._pays(wanted, worth):
            points = np.arange(len(s)) if self.kept is None else self.kept
            copies = self.whole.matrix.points.stored_per_point >= _COPIED_FEATURES
            self._go_on_with(points[wanted], a[wanted], s[wanted], self.cache if copies else None, wanted)
            matrices = (self.whole.matrix, self.problem.matrix)
            ways = {(matrix.path, matrix.points.dot_precision(matrix.kernel, np.float32)) for matrix in matrices}
            self.restarted |= len(ways) > 1  # new columns are computed in another way, with other errors

    def _pays(self, wanted, worth):
        """Test whether a copy of the wanted points is small enough to save time and to fit into memory."""
        left = np.count_nonzero(wanted)
        fits = self._copied_mb(left) <= _MOST_COPIED * self.settings.cache_mb
        return fits and max(left, _FEW // 2) <= worth * len(wanted)

    def _go_on_with(self, points, a, s, cache=None, wanted=None):
        """Continue with `points`. They may be the points `wanted` of a `cache`, whose columns are then kept."""
        old, dtype, everything = self.state, self._later or self.dtype, len(points) == self.whole.size
        if self.cache is not None:
            self._touched = max(self._touched, self.cache.filled_bytes)
        self._counted, self._later, self.cache = self.evaluations, None, None
        self.columns.next_problem()
        for each in (np.float32, np.float64):
            self.problem.matrix.release(each)
        self.kept = None if everything else points
        self.problem = self.whole if everything else self.whole.restricted_to(points)
        self._set_state(new_state(len(points))._replace(real=old.real, count=old.count))
        state = self.state
        state.a[:], state.s[:], state.diagonal[:] = a, s, self.problem.diagonal
        active = np.flatnonzero(a)
        state.active[: len(active)], state.position[active], state.penalty[active] = active, np.arange(len(active)), 0.0
        self.count.active_size, self.count.pending = len(active), -1
        if self._touched > 1e6 * self.cache_mb:  # the old cache and the copy together exceed the limit
            self.columns.memory, self._touched = None, 0
        super().set_dtype(dtype)
        if cache is not None and dtype == cache.dtype and self.columns.memory is cache.memory:
            self.cache.take_over(cache, wanted, old.a)
        self.columns.next_problem()
        refresh_objective(state)
        find_extremes(state, len(points))


# The unit of work is reading or writing one gradient entry. A kernel value costs one unit per _STORED_PER_ENTRY
# features. The work is counted after every _FIRST_WORK units, and later each time it has grown by the factor _MORE.
_FIRST_WORK, _MORE, _STORED_PER_ENTRY = 2e6, 1.1, 2.5
# FCFW starts if the work done exceeds _LEAST_SHARE of the least work that FCFW needs, and the work left exceeds
# _PATIENCE times FCFW's expected work. It stops if its work exceeds all earlier work plus _PATIENCE times its expected
# work, but not while its gap halves (see `_LONGER`). It may start again once the total work has since grown by the
# factor _AGAIN. It never starts if steps add over _GROWING points on average, or while gap > _FAR R.
_LEAST_SHARE, _PATIENCE, _AGAIN, _GROWING, _FAR = 0.1, 1.5, 2.0, 0.15, 15.0
# FCFW's expected work is `least` + _QUICK (`most` - `least`) if gap <= _CLOSE R, else `most` (see `expected_work`).
_CLOSE, _QUICK = 0.3, 0.25
# FCFW starts from its own guess if over _MAJORITY of all points are likely SVs, of which under _FOUND are active.
_MAJORITY, _FOUND = 0.5, 0.25


def new_driver(start):
    if start.settings.selection.sampled:
        return new_step_driver(start)
    return Alternating(start) if np.min(start.problem.ridge) > 0.0 else ShrinkingDriver(start)


class Alternating(ShrinkingDriver):
    """Run SWAP-2o, and change to FCFW when FCFW probably needs less work. Each starts from the other's best weights."""

    def __init__(self, start):
        super().__init__(start)
        points = getattr(getattr(self.whole, "matrix", None), "points", None)
        self._value = 0.0 if points is None else points.stored_per_point / _STORED_PER_ENTRY
        self.work, self._next_fcfw, self._seen = 0.0, 0.0, (0, self._all_evaluations)
        self._counts = ()  # last three counts of likely SVs; these counts vary a lot while the gap is large
        self._history = []  # tuples (work, steps, log(gap / target), active points) from the second half of the work
        self._wait(len(self.state.s) * (2.0 + self._value))

    @property
    def _all_evaluations(self):
        return self.evaluations + self.whole.evaluations

    def _wait(self, work_per_step, most=np.inf):
        """Set the step at which `_count_work` is called next. It must not depend on when `run` returns."""
        work = max(_FIRST_WORK, (_MORE - 1.0) * self.work)
        self._until = self.count.iterations + max(1, int(min(work / work_per_step, most)))

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
        made, before = now[0] - steps, self.work
        self.work += 2.0 * len(self.state.s) * made + self._value * (now[1] - values)
        self._seen, gap = now, self.real.gap_seen
        target = target_gap(self.rule, self.settings.eps, self.problem.largest_diagonal, self.objective)
        self._history.append((self.work, now[0], np.log(max(gap / target, 1e-9)), self.count.active_size))
        self._history = [each for each in self._history if each[0] >= 0.5 * self.work]
        self._wait((self.work - before) / made, 4.0 * made)  # later steps may cost more if their columns are not cached
        if self.work >= self._next_fcfw:
            likely = np.count_nonzero((self.state.a > 0.0) | (self.state.s < self.objective))
            self._counts = (*self._counts[-2:], likely)
            self._near = near = int(np.median(self._counts))
            least, most = expected_work(self.whole, near)
            self._expected = least + _QUICK * (most - least) if gap <= _CLOSE * self.objective else most
            is_due = self.work >= _LEAST_SHARE * least and gap <= _FAR * self.objective
            self.outgrown = is_due and self._work_left(near) > _PATIENCE * self._expected

    def _work_left(self, near):
        """Estimate the work left to reach the target gap: extrapolate log(gap) from the second half of the work so far.

        The slope is noisy: make it one standard error steeper. Return 0 if there are few records or many new points.
        """
        _, steps, log_gap, active = np.array(self._history).T
        if len(steps) < 3 or active[-1] - active[0] > _GROWING * (steps[-1] - steps[0]):
            return 0.0
        steps = steps - steps.mean()
        slope = float(steps @ log_gap) / float(steps @ steps)
        noise = log_gap - log_gap.mean() - slope * steps
        slope -= np.sqrt(float(noise @ noise) / ((len(steps) - 2) * float(steps @ steps)))
        steps_left = log_gap.mean() / -slope - steps[-1] if slope < 0.0 else np.inf
        new_columns = max(near - self.count.active_size, 0)
        return len(self.state.s) * (2.0 * steps_left + self._value * new_columns)

    def follow_with(self, start):
        """Start FCFW from the current weights, or from its own guess if few of many likely SVs are active."""
        seen = (self.real.gap_seen, self.objective, self.state.s, start.indices, start.weights)
        most_work = _PATIENCE * self._expected + self.work
        guesses = self._near > _MAJORITY * self.whole.size and len(start.indices) < _FOUND * self._near
        start = replace(start, method=FCFW, dtype=np.float64 if self.refined else start.dtype)
        return CorrectiveDriver(start, seen, most_work, guesses, self.continue_after)

    def continue_after(self, fcfw, start):
        _, _, s, indices, weights = fcfw.lowest
        self.work += fcfw.work
        self._later = start.dtype
        if s is self.state.s:
            self._go_on_with(np.arange(len(s)) if self.kept is None else self.kept, self.state.a, s)
        else:
            a = np.zeros(self.whole.size)
            a[indices] = weights
            self._go_on_with(np.arange(self.whole.size), a, s)
            self.restarted = True
        self.outgrown, self._history, self._counted = False, [], 0
        self._next_fcfw, self._seen = _AGAIN * self.work, (self.count.iterations, self._all_evaluations)
        self._wait(len(self.state.s) * (2.0 + self._value))
        return self
