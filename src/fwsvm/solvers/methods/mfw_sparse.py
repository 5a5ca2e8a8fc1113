"""M-FW: pairwise Frank-Wolfe over a growing subsample, for sparser models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.problems.column_cache import load
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.method import Method
from fwsvm.solvers.state import Reason
from fwsvm.solvers.steps import swap_step, target_gap

if TYPE_CHECKING:
    from fwsvm.problems.column_cache import Cache
    from fwsvm.solvers.drivers import Start
    from fwsvm.solvers.state import State


@compiled
def _lowest(s: np.ndarray, member: np.ndarray) -> tuple[int, int]:
    """Return two points: the point with the lowest gradient outside the subsample, and the point
    with the lowest gradient inside it. The first point is -1 if all points are in the subsample.
    """
    outside, inside = -1, -1
    for r in range(s.shape[0]):
        if member[r]:
            if inside < 0 or s[r] < s[inside]:
                inside = r
        elif outside < 0 or s[r] < s[outside]:
            outside = r
    return outside, inside


@compiled
def advance_sparse(
    rule: int,
    eps: float,
    floor: float,
    state: State,
    member: np.ndarray,
    cache: Cache,
    source: np.ndarray,
    limit: int,
) -> Reason:
    """Run M-FW until it stops, or until `limit` iterations are done. Return the `Reason`. The
    arguments mean the same as in `drivers.advance`.

    `member` (m,) is 1 at the points of the subsample.
    """
    columns, real, count, s = cache.columns, state.real, state.count, state.s
    while True:
        outside, i = _lowest(s, member)
        R = real.objective
        activates = outside >= 0 and s[outside] < 0.0
        gap = 2.0 * (R - s[i])
        real.gap_seen = gap
        if not activates and gap <= max(target_gap(rule, eps, real.largest_diagonal, R), floor):
            return Reason.CONVERGED
        if count.iterations >= limit:
            return Reason.PAUSED
        if activates:
            member[outside] = 1
            if s[outside] < s[i]:
                i = outside
        j = count.away_vertex
        slot_i = load(cache, source, i, j)
        slot_j = load(cache, source, j, i)
        swap_step(state, s.shape[0], i, j, columns[slot_i], columns[slot_j])


class SubsampleDriver(AllPointsDriver):
    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.member = np.zeros(start.problem.size, dtype=np.uint8)
        self.member[start.indices] = 1

    @property
    def subsample(self) -> np.ndarray:
        return np.flatnonzero(self.member)

    @property
    def coreset_size(self) -> int:
        return int(np.count_nonzero(self.member))

    def run(self, limit: int) -> Reason:
        with self.workers.serving(self._passes.calls):
            return advance_sparse(
                self.rule,
                self.settings.eps,
                self.floor,
                self.state,
                self.member,
                self.cache.arrays,
                self.cache.source,
                limit,
            )


METHOD = Method(
    "mfw_sparse",
    "M-FW",
    "Pairwise Frank-Wolfe over a growing set of points (alaiz2018)",
    SubsampleDriver,
    samples=False,
    definition=(
        "pairwise Frank-Wolfe over a growing subsample, for sparser models (alaiz2018).\n\n"
        "Each iteration finds the point with the lowest gradient outside the subsample. If"
        " this gradient is negative (the point is misclassified), the point joins the"
        " subsample. Then a pairwise step is taken within the subsample. No point leaves the"
        " subsample. The result is the usual SVM on the subsample (alaiz2018, Lemma), and the"
        " stopping rule applies to the gap over the subsample."
    ),
)
