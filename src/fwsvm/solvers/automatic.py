"""Run `method="auto"`: SWAP-2o over working sets of points, then FCFW if pair steps do not solve the QP quickly."""

from dataclasses import replace

import numpy as np

from fwsvm.solvers.coreset_drivers import new_step_driver
from fwsvm.solvers.corrective_driver import CorrectiveDriver, block_value, expected_work
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods.fcfw import METHOD as FCFW
from fwsvm.solvers.methods.swap2o import METHOD as SWAP2O
from fwsvm.solvers.state import Reason
from fwsvm.solvers.working_sets import WorkingSetDriver

# Working sets are for problems of more than _SMALL points with max Q_ii >= _EASY times the diagonal shift. With a larger
# shift, most points become SVs after two steps each, and computing their columns one at a time takes no longer.
_SMALL, _EASY = 4096, 2.0
# FCFW starts when pair steps have done the share _PATIENCE of the work that FCFW is expected to need, but only on
# ill-conditioned problems: if max Q_ii >= _ILL times the diagonal shift.
_PATIENCE, _ILL = 1.0, 1e3
# A small problem's work is counted after _FIRST_WORK gradient entries, and whenever it has grown by the factor _MORE.
_FIRST_WORK, _MORE = 2e6, 1.1


def new_driver(start):
    problem = start.problem
    if start.settings.selection.sampled:
        return new_step_driver(start)
    keeps = start.columns is not None and start.columns.keeps
    can = problem.compares_blocks and problem.size > _SMALL and not keeps
    return WorkingSets(start) if can and _condition(problem) >= _EASY else OneSet(start)


def _condition(problem):
    smallest = float(np.min(problem.ridge))
    return problem.largest_diagonal / smallest if smallest > 0.0 else np.inf


class _PairSteps:
    """Change to FCFW when this is expected to save work. FCFW starts from the weights of the pair steps."""

    can_leave = True

    def _leaves(self, work, likely):
        """Set `outgrown` if pair steps have done enough `work`. `likely` is the number of likely SVs."""
        if self.can_leave and _ILL <= _condition(self.problem) < np.inf:
            least, most = expected_work(self.problem, likely)
            self.outgrown = work > _PATIENCE * most

    def follow_with(self, start):
        """Start FCFW. If it fails, pair steps go on from its best weights."""
        gap = 2.0 * (self.objective - self.lowest_gradient)
        seen = (gap, self.objective, None, start.indices, start.weights)
        return CorrectiveDriver(replace(start, method=FCFW), seen, guesses=False, then=self._again)

    def _again(self, fcfw, start):
        driver = type(self)(replace(start, method=SWAP2O))
        driver.can_leave = False
        return driver


class OneSet(_PairSteps, AllPointsDriver):
    """Run SWAP-2o over all points of a small problem."""

    def __init__(self, start):
        super().__init__(start)
        self._until = max(1, int(_FIRST_WORK / (2.0 * self.problem.size)))

    def run(self, limit):
        while True:
            reason = super().run(min(limit, self._until))
            if reason != Reason.PAUSED or self.count.iterations < self._until:
                return reason
            self._until = max(self._until + 1, int(_MORE * self._until))
            work = 2.0 * self.problem.size * self.count.iterations
            self._leaves(work, np.count_nonzero((self.state.a > 0.0) | (self.state.s < self.objective)))
            if self.outgrown or self.count.iterations >= limit:
                return reason

    @property
    def lowest_gradient(self):
        return float(self.state.s.min())

    def release(self):
        self.cache = self.columns.kept = self.columns.memory = None


class WorkingSets(_PairSteps, WorkingSetDriver):
    def _close(self):
        goes_on = super()._close()
        if not self.is_part:
            likely = np.count_nonzero((self.a > 0.0) | (self.s < self.real.objective))
            self._leaves(self.work + block_value(self.problem) * self.evaluations, likely)
        return goes_on
