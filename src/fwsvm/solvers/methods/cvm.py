"""CVM: the core vector machine (tsang2005, frandi2013 Alg. 1, nanculef2014 Alg. 2), as LibCVM runs it.

Fully corrective: the worst violator joins the coreset, the QP restricted to the coreset is solved from a warm start by
SMO (pairwise steps with the second-order partner), and so on. The outer eps starts at 0.1 and is halved down to its
target. The inner tolerance starts at a setting (LibCVM: 1e-3) and is halved only when a coreset that has just grown
shows no violating pair. It never goes below a quarter of the target gap, so that every stopping rule can be met. A
fixed inner tolerance does not change; a QP then also ends at a step shorter than eps^2, or after a given number of
steps.

One driver keeps the gradient at all points; the other, for samples of many points, at the points of the coreset only.
"""

import numpy as np

from fwsvm.problems.column_cache import CoresetColumns, claim
from fwsvm.solvers import coreset
from fwsvm.solvers.constants import Reason
from fwsvm.solvers.coreset_drivers import VALUES_BETWEEN_CHECKS, SampledDriver
from fwsvm.solvers.cvm_loop import add_member, advance_cvm, new_core, next_stage, solve_inner, tighten
from fwsvm.solvers.drivers import NOBODY, AllPointsDriver
from fwsvm.solvers.method import Method
from fwsvm.solvers.state import Numbers

# Updating one entry of the gradient costs this share of computing one kernel value.
_STEP_COST = 0.4
# On fewer points the whole gradient is kept even when CVM samples: the Gram matrix is cheap.
_SMALL = 2048


def new_driver(start):
    """The driver at its start."""
    problem = start.problem
    if start.settings.selection.sampled and problem.size > _SMALL and problem.compares_blocks:
        return CvmCoresetDriver(start)
    return CvmDriver(start)


class _Cvm:
    """What both drivers share: the coreset, and LibCVM's removal of negligible weights."""

    def _begin_core(self, m, capacity):
        self.core = new_core(m, capacity, self.settings)
        self.coreset = Numbers(self.core.numbers)

    def _rejected(self, positions):
        """The points that samples leave out: the coreset, unless its members are eligible."""
        return NOBODY if self.settings.selection.reject_members is False else positions

    def final_weights(self):
        support, weights = self.weights()
        influence = weights
        if np.ndim(self.problem.ridge):  # a small a_i is not negligible if Q_ii is large
            largest = self.problem.largest_diagonal
            influence = weights * np.maximum(self.problem.diagonal[support] / largest, 1.0)
        kept = influence > 1e-5 / self.coreset_size
        return support[kept], weights[kept]


class CvmDriver(_Cvm, AllPointsDriver):
    """CVM with the gradient at all m points (full or sampled selection)."""

    def __init__(self, start):
        super().__init__(start)
        self._begin_core(start.problem.size, start.problem.size)
        for i in start.indices:
            add_member(self.core, i)
        self.coreset.inner_open = 0  # the start is solved already

    @property
    def coreset_size(self):
        return self.coreset.members

    def run(self, limit):
        settings, selection = self.settings, self.settings.selection
        handle, drawn = self.sample(self._rejected(self.core.position))
        return advance_cvm(
            self.rule, settings.eps, self.floor, selection.sampled, selection.patience, handle, drawn, self.state,
            self.core, self.cache.arrays, self.cache.source, limit,
        )  # fmt: skip

    def go_on_from(self, s):
        """Continue with half the inner tolerance; the model left out weights that the state still holds."""
        s = self.problem.gradient(*self.weights())
        self.coreset.inner_tolerance *= 0.5
        self.coreset.inner_open = 1
        self.set_gradient(s)


class CvmCoresetDriver(_Cvm, SampledDriver):
    """CVM on sampled selection: stored points never leave; a bounded cache holds columns over the coreset.

    As `CoresetDriver` it is `outgrown` once comparing samples has cost more than keeping the whole gradient.
    """

    follow_with = CvmDriver

    def __init__(self, start):
        super().__init__(start)
        self.excess, self.outgrown, self.steps_seen = 0.0, False, 0
        self._begin_core(0, 1)
        self.coreset.members = self.size
        all_columns_mb = 16e-6 * self.problem.size**2
        self.columns = CoresetColumns(self.capacity, min(self.settings.cache_mb, 1.0 + all_columns_mb), self.dtype)

    @property
    def coreset_size(self):
        return self.size

    def _join(self, place, i, gradient):
        """Let sampled point i join the coreset; its row completes the cached columns."""
        capacity, row = self.capacity, np.empty(self.size, self.dtype)
        self.count.requested += self.size
        self._column(self.block[place], i, -1, row)
        self._reserve()
        if self.capacity != capacity:
            self.columns.grow(self.capacity)
        n = self.size
        self.columns.append(n, row)
        diagonal = self.problem.diagonal[i]
        self._register(i)
        coreset.store_point(self.state, n, gradient, diagonal)
        if gradient < self.state.s[self.count.fw_vertex]:
            self.count.fw_vertex = n
        self.coreset.members = self.size
        self.coreset.inner_open = 1
        self.coreset.inner_steps = 0

    def run(self, limit):
        settings, count = self.settings, self.count
        enough = self.evaluations + VALUES_BETWEEN_CHECKS
        while True:
            if self.evaluations >= enough:
                return Reason.PAUSED
            if self.coreset.inner_open == 1:
                before = self.count.iterations
                reason = solve_inner(
                    self.state, self.size, self.core, True, self.rule, settings.eps,
                    self.columns.arrays, limit,
                )  # fmt: skip
                count.requested += 2 * self.size * (self.count.iterations - before)
                if reason == Reason.NEEDS_COLUMN:
                    place = self.count.missing
                    slot = claim(self.columns.slots, place, self.count.pending)
                    self._column(
                        self._stored_values(self.ids[place]), self.ids[place], place, self.columns.columns[slot]
                    )
                    continue
                if reason != Reason.CONVERGED:
                    return reason
                self.coreset.inner_open = 0
            self._weigh()
            if self.outgrown:
                return Reason.PAUSED
            place, i, gradient = self._sample(self._rejected(self.local))
            if place >= 0 and self._violates(self.coreset.stage_eps):
                count.empty_samples = 0
                if self.local[i] < 0:
                    self._join(place, i, gradient)
                else:
                    tighten(self.core)
                continue
            count.empty_samples += 1
            if count.empty_samples >= settings.selection.patience:
                count.empty_samples = 0
                if not next_stage(self.core, settings.eps):
                    return Reason.NO_VIOLATION

    def _weigh(self):
        """Compare the cost of a sample with that of the whole gradient in the steps since the last one."""
        m, steps = self.problem.size, self.count.iterations - self.steps_seen
        self.steps_seen += steps
        self.excess += len(self.block) * self.size - m - _STEP_COST * steps * (m - self.size)
        self.excess = max(self.excess, 0.0)
        self.outgrown = self.excess > self.size * m

    def release(self):
        super().release()
        self.columns = None

    def hand_over(self, new):
        """Fill the coreset of the driver that follows."""
        for i in self.ids[: self.size]:
            if new.core.position[i] < 0:
                add_member(new.core, i)
        new.coreset.stage_eps, new.coreset.inner_tolerance = self.coreset.stage_eps, self.coreset.inner_tolerance
        new.coreset.inner_open = 0


METHOD = Method(
    "cvm", "CVM", "Core vector machine (tsang2005, frandi2013 Alg. 1, nanculef2014 Alg. 2)", new_driver,
    solves_coreset=True,
)  # fmt: skip
