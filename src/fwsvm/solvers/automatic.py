"""`method="auto"`: SWAP-2o with shrinking, followed by FCFW on large problems that it does not solve soon."""

from dataclasses import replace

import numpy as np

from fwsvm.solvers.constants import Reason
from fwsvm.solvers.coreset_drivers import new_step_driver
from fwsvm.solvers.corrective_driver import CorrectiveDriver
from fwsvm.solvers.methods.fcfw import METHOD as FCFW
from fwsvm.solvers.methods.swap2o import METHOD as SWAP2O
from fwsvm.solvers.shrinking_driver import ShrinkingDriver
from fwsvm.solvers.steps import target_gap

# FCFW takes part if m >= 4096, 1/C <= 1, and (for sparse X) at least 32 stored features per point: with fewer, columns
# over all points are cheap compared to the equations of the support vectors.
MANY_POINTS, LARGEST_SHIFT, MANY_STORED = 4096, 1.0, 32
# Budget for SWAP-2o before FCFW starts, in gradient updates; one kernel value costs one update per 4 stored features.
_FIRST_UPDATES, _STORED_PER_UPDATE = 1e9, 4.0
# At most four extensions, each by half the budget.
_EXTENSIONS = 4


def new_driver(start):
    """The driver at its start."""
    start = replace(start, method=SWAP2O)
    if start.settings.selection.sampled:
        return new_step_driver(start)
    return FirstSteps(start) if _may_take_fcfw(start.problem) else ShrinkingDriver(start)


def _may_take_fcfw(problem):
    points = _points(problem)
    has_cheap_columns = points is not None and points.is_sparse and points.stored_per_point < MANY_STORED
    fits = 0.0 < np.max(problem.ridge) <= LARGEST_SHIFT and not has_cheap_columns
    return fits and problem.size >= MANY_POINTS


def _points(problem):
    """The `Points` of a problem; None where only its matrix is known."""
    return getattr(getattr(problem, "matrix", None), "points", None)


def _fcfw_driver(start):
    return CorrectiveDriver(replace(start, method=FCFW))


class FirstSteps(ShrinkingDriver):
    """SWAP-2o for a number of steps that costs little compared to FCFW, which goes on if they do not suffice.

    They solve most pairs of classes, and other easy problems. They are extended by half their number, at most
    `_EXTENSIONS` times, if the gap would be reached by then, falling as it did in their second half.
    """

    follow_with = staticmethod(_fcfw_driver)

    def __init__(self, start):
        super().__init__(start)
        points = _points(start.problem)
        stored = 0.0 if points is None else points.stored_per_point
        self.enough = int(_FIRST_UPDATES / (start.problem.size * (2.0 + stored / _STORED_PER_UPDATE)))
        self.half, self.gap_at_half, self.extensions = self.enough // 2, np.inf, 0

    @property
    def outgrown(self):
        """Whether the steps are used up."""
        return self.count.iterations >= self.enough

    def run(self, limit):
        while self.count.iterations < self.half:  # which grows where points are left out
            reason = super().run(min(limit, self.half))
            self.gap_at_half = self.real.gap_seen
            if reason != Reason.PAUSED or self.count.iterations >= limit:
                return reason
        reason = super().run(min(limit, self.enough))
        if reason == Reason.PAUSED and self.outgrown and self.extensions < _EXTENSIONS and self._is_nearly_done():
            step, self.extensions = self.enough - self.half, self.extensions + 1
            self.half, self.enough, self.gap_at_half = self.enough, self.enough + step, self.real.gap_seen
        return reason

    def _go_on_with(self, points, a, s):
        """Keep these points; steps over fewer points cost less, so that more steps are made."""
        made, before = self.count.iterations, self.problem.size
        super()._go_on_with(points, a, s)
        more = before / self.problem.size
        self.half = made + int(more * (self.half - made)) if self.half > made else self.half
        self.enough = made + int(more * (self.enough - made))

    def _is_nearly_done(self):
        """Whether the gap would be reached in as many steps as since `half`, if it fell as it did in these."""
        gap = self.real.gap_seen
        target = target_gap(self.rule, self.settings.eps, self.problem.largest_diagonal, self.objective)
        return gap * gap <= target * self.gap_at_half

    def hand_over(self, new):
        """FCFW starts again."""
