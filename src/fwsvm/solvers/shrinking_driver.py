"""SWAP-2o with shrinking, as `method="auto"` takes its steps: points that can hardly gain weight are left out.

A point without weight whose score exceeds that of every active point of its class is no vertex that a step moves toward
soon (by classes, since a change of the bias moves the scores of the two apart). Once such points are two fifths of all,
training goes on with the others: their scores and columns alone are kept (Joachims 1999; Chang and Lin 2011, section
5.1, whose LIBSVM looks at all points again near the end, where here the certificate does). Where it finds that one was
left out wrongly, training goes on from its exact scores with more points or all, at the second such time with all.
"""

import numpy as np

from fwsvm.solvers.constants import Reason
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods.registry import METHODS
from fwsvm.solvers.passes import find_extremes
from fwsvm.solvers.state import new_state, refresh_objective

# Of fewer points than the first none are left out, and a copy holds this share of the points at most, counted as if it
# had half as many as the first at least.
_FEW, _WORTH = 4096, 0.6
# Steps before the first look at what could be left out, and the ratio between one look and the next.
_FIRST_LOOK, _NEXT_LOOK = 500, 1.2
# A copy of the points that are kept takes at most this share of the memory for columns.
_MOST_COPIED = 0.25
# Failures of the certificate from which on all points are kept.
_MOST_FAILURES = 2


class ShrinkingDriver(AllPointsDriver):
    """SWAP-2o over all points, later over those that may gain weight; arguments are those of `AllPointsDriver`.

    Attributes
    ----------
    kept : int64 ndarray or None
        The points that training goes on with, ascending; None for all.
    """

    kept, left_out_wrongly, _left, _later, _touched = None, 0, 0, None, 0

    def __init__(self, problem, *arguments):
        super().__init__(problem, *arguments)
        self.method, self.whole = METHODS["swap2o"], problem
        can = self.settings.certify and problem.compares_blocks and not self.columns.keeps
        self._shrinks, self._look_at = can and problem.size >= _FEW, _FIRST_LOOK

    @property
    def evaluations(self):
        """Kernel values of columns over the points that are kept; those of all points are counted by the problem."""
        return self._left + (0 if self.problem is self.whole else self.problem.evaluations)

    def run(self, limit):
        """As of `AllPointsDriver`; points are left out after steps whose numbers do not depend on `limit`."""
        while self._shrinks:
            if self.counter("iterations") >= self._look_at:
                self._look_at = max(self._look_at + 1, int(_NEXT_LOOK * self._look_at))
                self._shrink()
            reason = super().run(min(limit, self._look_at))
            if reason != Reason.PAUSED or self.counter("iterations") >= limit:
                return reason
        return super().run(limit)

    def release(self):
        """Give back the columns and the copy of the points; the numbers of the state stay."""
        self._left, self.problem = self.evaluations, self.whole
        self.cache = self._choice = self.columns.kept = self.columns.memory = None

    def weights(self):
        """(indices, weights) of the active points, indices ascending."""
        indices, weights = super().weights()
        return (indices if self.kept is None else self.kept[indices]), weights

    def go_on_from(self, s):
        """Continue from exact scores of all points, with more points where some were left out wrongly."""
        if self.kept is None:
            super().go_on_from(s)
            return
        if s.min() < s[self.kept].min():
            self.left_out_wrongly += 1
            self._shrinks = self.left_out_wrongly < _MOST_FAILURES
        a = np.zeros(self.whole.size)
        a[self.kept] = self.state.a
        wanted = self._wanted(a, s, self.whole.labels)
        if not (self._shrinks and self._pays(wanted)):
            wanted[:] = True
        self._go_on_with(np.flatnonzero(wanted), a[wanted], s[wanted])

    def set_dtype(self, dtype):
        """Go on with columns of another precision; where points were left out, from `go_on_from` on."""
        if self.kept is None:
            super().set_dtype(dtype)
        else:
            self._later = dtype

    @property
    def cache_mb(self):
        """Of the bound for columns what the copy of the points leaves."""
        return super().cache_mb - (0.0 if self.kept is None else self._copied_mb(len(self.kept)))

    def _copied_mb(self, n):
        points = self.whole.matrix.points
        each = points.X.dtype.itemsize
        if points.is_sparse:  # with indices, and the values in float64 too
            each += points.X.indices.dtype.itemsize + 8 * (points.X.dtype != np.float64)
        return 1e-6 * n * points.stored_per_point * each

    @staticmethod
    def _wanted(a, s, labels):
        """Which points may gain weight soon: a bool array. `a` and `s` float64, `labels` -1.0 or 1.0, all (n,)."""
        wanted = a > 0.0
        for sign in (-1.0, 1.0):
            own = labels == sign
            active = s[wanted & own]
            wanted |= own & (s <= active.max() if len(active) else True)
        return wanted

    def _shrink(self):
        """Leave out what can be left out, if that is much."""
        a, s = self.state.a, self.state.s
        wanted = self._wanted(a, s, self.problem.labels)
        if self._pays(wanted):
            points = np.arange(len(s)) if self.kept is None else self.kept
            self._go_on_with(points[wanted], a[wanted], s[wanted])

    def _pays(self, wanted):
        """Whether so few points are left that going on with a copy of them is worth it, and the copy fits."""
        left = np.count_nonzero(wanted)
        fits = self._copied_mb(left) <= _MOST_COPIED * self.settings.cache_mb
        return fits and max(left, _FEW // 2) <= _WORTH * len(wanted)

    def _go_on_with(self, points, a, s):
        """Keep these points (ascending), with their weights and scores."""
        old, dtype, everything = self.state, self._later or self.dtype, len(points) == self.whole.size
        self._touched = max(self._touched, self.cache.filled_bytes)
        self._left, self._later, self.cache, self._choice = self.evaluations, None, None, None
        self.columns.next_problem()
        for each in (np.float32, np.float64):
            self.problem.matrix.release(each)
        self.kept = None if everything else points
        self.problem = self.whole if everything else self.whole.restricted_to(points)
        self._keep(new_state(len(points)))
        state = self.state
        state.real[:], state.count[:] = old.real, old.count
        state.a[:], state.s[:], state.diagonal[:] = a, s, self.problem.diagonal
        active = np.flatnonzero(a)
        state.active[: len(active)], state.position[active], state.penalty[active] = active, np.arange(len(active)), 0.0
        self.count.active_size[0], self.count.pending[0] = len(active), -1
        if self._touched > 1e6 * self.cache_mb:  # what has been used of that memory, and the copy, would be too much
            self.columns.memory, self._touched = None, 0
        super().set_dtype(dtype)
        self.columns.next_problem()
        refresh_objective(state)
        find_extremes(state, len(points))
