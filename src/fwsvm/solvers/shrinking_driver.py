"""SWAP-2o with shrinking, for `method="auto"`: points that can hardly gain weight are left out.

A point without weight whose gradient exceeds that of every active point of its class will hardly be a Frank-Wolfe
vertex soon (by classes, since a change of the bias moves the gradients of the two apart). Once such points are two
fifths of all, training goes on with the other points: only their gradient and columns are kept (Joachims 1999; Chang
and Lin 2011, section 5.1). LIBSVM checks all points again near the end; here the certificate does. If it finds that a
point was left out wrongly, training goes on from its exact gradient with more points or, the second time, with all.
"""

from dataclasses import replace

import numpy as np

from fwsvm.solvers.constants import Reason
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods.swap2o import METHOD
from fwsvm.solvers.passes import find_extremes
from fwsvm.solvers.state import new_state, refresh_objective

# Never shrink below _FEW points. Shrink only if at most the share _WORTH remains, where at least _FEW / 2 are counted.
_FEW, _WORTH = 4096, 0.6
# Steps before points are left out for the first time, and the ratio between one time and the next.
_FIRST_SHRINKING, _NEXT_SHRINKING = 500, 1.2
# A copy of the points that are kept takes at most this share of the memory for columns.
_MOST_COPIED = 0.25
# After two failures of the certificate all points are kept.
_MOST_FAILURES = 2


class ShrinkingDriver(AllPointsDriver):
    """SWAP-2o over all points, later over the points `kept` (ascending, None for all)."""

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
        """As in `AllPointsDriver`. When points are left out does not depend on `limit`."""
        while self._shrinks:
            if self.count.iterations >= self._next:
                self._next = max(self._next + 1, int(_NEXT_SHRINKING * self._next))
                self._shrink()
            reason = super().run(min(limit, self._next))
            if reason != Reason.PAUSED or self.count.iterations >= limit:
                return reason
        return super().run(limit)

    def release(self):
        """Give back the columns and the copy of the points; the numbers of the state stay."""
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
        """Go on with columns of another precision; if points were left out, from `go_on_from` on."""
        if self.kept is None:
            super().set_dtype(dtype)
        else:
            self._later = dtype

    @property
    def cache_mb(self):
        """The bound for columns, less what the copy of the points takes."""
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
        """Leave points out, if enough of them can go."""
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
        """Keep these points (ascending), with their weights and gradient."""
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
