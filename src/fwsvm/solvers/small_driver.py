"""Run SWAP-2o on a small problem with its whole matrix Q in memory, computed by one matrix
product in float64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.kernels.rounding import SUM_BLOCK, sum_error
from fwsvm.machine_code.threads import tiles
from fwsvm.solvers.block_loop import all_slots, minimise_block, set_block
from fwsvm.solvers.drivers import Driver
from fwsvm.solvers.state import Reason, new_state
from fwsvm.solvers.steps import target_gap

if TYPE_CHECKING:
    from collections.abc import Callable

    from fwsvm.problems.column_cache import SharedColumns
    from fwsvm.problems.dual import SimplexProblem
    from fwsvm.solvers.drivers import Start
    from fwsvm.solvers.settings import Settings

# Problems of at most MOST_POINTS points are small. After _MANY_STEPS steps per point, another
# driver goes on.
MOST_POINTS, _MANY_STEPS = 256, 200


def is_small(problem: SimplexProblem, settings: Settings, columns: SharedColumns | None) -> bool:
    """Test whether `SmallDriver` can train, and whether its matrix has the errors that the
    certificate assumes.
    """
    if problem.size > MOST_POINTS or settings.stop != "relative" or not settings.certify:
        return False
    if (
        settings.selection.sampled
        or settings.column_dtype == "float32"
        or settings.init != "random_meb"
    ):
        return False
    keeps = columns is not None and columns.keeps
    return not keeps and problem.compares_blocks and problem.matrix.is_near


class SmallDriver(Driver):
    """Move weight between pairs of points.

    Q is exact up to the rounding errors that the certificate adds.
    """

    sampler, is_whole, dtype, floor = None, True, np.dtype(np.float64), 0.0

    def __init__(self, start: Start, then: Callable[[Start], Driver]) -> None:
        super().__init__(start)
        self._then = then  # makes the next driver from a `Start`
        problem, n = start.problem, start.problem.size
        self.Q = problem.submatrix(np.arange(n))
        self.evaluations, self.points_updated = n * n, n
        self._set_state(new_state(n))
        self._begin_protocol()
        a = np.zeros(n)
        a[start.indices] = start.weights
        set_block(self.state, a, self.Q @ a, problem.diagonal)
        self.real.objective = float(a @ self.state.s)

    @property
    def gap(self) -> float:
        return 2.0 * (self.objective - float(self.state.s.min()))

    def run(self, limit: int) -> Reason:
        slots, n, most = all_slots(len(self.Q)), len(self.Q), _MANY_STEPS * len(self.Q)
        while True:
            target = target_gap(
                self.rule, self.settings.eps, self.real.largest_diagonal, self.objective
            )
            self.real.gap_seen = self.gap
            if self.real.gap_seen <= target:
                return Reason.CONVERGED
            made = self.count.iterations
            if made >= most:
                self.should_switch = True
                return Reason.PAUSED
            if made >= limit:
                return Reason.PAUSED
            minimise_block(self.state, n, self.Q, slots, 0.5 * target, 0.0, min(limit, most))
            if self.count.iterations == made or self.real.step_length == 0.0:
                # rounding hides any progress, and the certificate says how much is hidden
                return Reason.CONVERGED

    def certified_gradient(
        self, support: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, float]:
        s = np.zeros(len(self.Q))
        # blocks as the bounds of `WeightedSums.errors` assume them
        for part in tiles(len(support), SUM_BLOCK):
            s += self.Q[:, support[part]] @ weights[part]
        # here every term contains the offset
        return s, sum_error(len(support)) * self.problem.offset

    def go_on_from(self, s: np.ndarray) -> None:
        self.state.s[:] = s
        self.real.objective = float(self.state.a @ s)

    def release(self) -> None:
        """Keep Q: it is small."""

    def next_driver(self, start: Start) -> Driver:
        return self._then(start)
