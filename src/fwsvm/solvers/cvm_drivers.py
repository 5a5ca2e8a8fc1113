"""Drivers of CVM: with the scores of all points, and, for samples of many points, with those of the coreset only."""

import numpy as np

from fwsvm.problems.column_cache import CoresetColumns, claim
from fwsvm.solvers import coreset
from fwsvm.solvers.constants import Reason
from fwsvm.solvers.coreset_drivers import VALUES_BETWEEN_LOOKS, SampledDriver
from fwsvm.solvers.drivers import NOBODY, AllPointsDriver
from fwsvm.solvers.methods.cvm import add_member, advance_cvm, new_core, next_stage, solve_inner, tighten
from fwsvm.solvers.state import fields

# Updating one score in a step costs this much of computing one kernel value.
_STEP_COST = 0.4
# CVM on fewer points than this keeps all scores even when it samples (the Gram matrix is cheap).
_SMALL = 2048


def new_driver(problem, settings, indices, weights, dtype, rng, columns, out_of_time=None):
    """The driver at its start."""
    if settings.selection.sampled and problem.size > _SMALL and problem.compares_blocks:
        return CvmCoresetDriver(problem, settings, indices, weights, dtype, rng)
    return CvmDriver(problem, settings, indices, weights, dtype, rng, columns)


class _Cvm:
    """What both drivers share: the coreset of the settings, and LibCVM's removal of negligible weights."""

    def _begin_core(self, m, capacity):
        settings = self.settings
        self.core = new_core(
            m, capacity, settings.eps, settings.inner_tolerance, settings.inner_fixed, settings.inner_steps
        )
        self.coreset = fields(self.core.numbers)

    def _rejected(self, positions):
        """The points that are drawn again: the coreset, unless its members are eligible."""
        return NOBODY if self.settings.selection.reject_members is False else positions

    def final_weights(self):
        """(indices, weights) of the model."""
        support, weights = self.weights()
        influence = weights
        if np.ndim(self.problem.ridge):  # a small a_i is not negligible where a large Q_ii stands in front of it
            largest = self.problem.largest_diagonal
            influence = weights * np.maximum(self.problem.diagonal[support] / largest, 1.0)
        kept = influence > 1e-5 / self.coreset_size
        return support[kept], weights[kept]


class CvmDriver(_Cvm, AllPointsDriver):
    """CVM with the scores of all m points kept (full or sampled selection)."""

    def __init__(self, problem, settings, indices, *others):
        super().__init__(problem, settings, indices, *others)
        self._begin_core(problem.size, problem.size)
        for i in indices:
            add_member(self.core, i)
        self.coreset.inner_open[0] = 0  # the start is solved already

    @property
    def coreset_size(self):
        return int(self.coreset.members[0])

    def run(self, limit):
        """Run until CVM stops or has made `limit` SMO steps in all; returns the reason."""
        settings, selection = self.settings, self.settings.selection
        return advance_cvm(
            self.rule, settings.eps, self.floor, selection.sampled, selection.patience,
            *self.sample(self._rejected(self.core.position)), self.state, self.core, self.cache.arrays,
            self.cache.source, limit,
        )  # fmt: skip

    def go_on_from(self, s):
        """Continue with half the inner tolerance; the model left out weights that the state still holds."""
        s = self.problem.scores(*self.weights())
        self.coreset.inner_tolerance[0] *= 0.5
        self.coreset.inner_open[0] = 1
        self.set_scores(s)


class CvmCoresetDriver(_Cvm, SampledDriver):
    """CVM on sampled selection: stored points never leave; a bounded cache holds columns over the coreset.

    As `CoresetDriver` it is `outgrown` once comparing samples has cost more than keeping all scores.
    """

    successor = CvmDriver

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.excess, self.outgrown, self.steps_seen = 0.0, False, 0
        self._begin_core(0, 1)
        self.coreset.members[0] = self.size
        all_columns_mb = 16e-6 * self.problem.size**2
        self.columns = CoresetColumns(self.capacity, min(self.settings.cache_mb, 1.0 + all_columns_mb), self.dtype)

    @property
    def coreset_size(self):
        return self.size

    def _join(self, place, i, score):
        """Let sampled point i join the coreset; its row completes the cached columns."""
        capacity, row = self.capacity, np.empty(self.size, self.dtype)
        self.count.requested[0] += self.size
        self._column(self.block[place], i, -1, row)
        self._reserve()
        if self.capacity != capacity:
            self.columns.grow(self.capacity)
        n = self.size
        self.columns.append(n, row)
        diagonal = self.problem.diagonal[i]
        self._register(i)
        coreset.store_point(self.state, n, score, diagonal)
        if score < self.state.s[self.counter("toward_vertex")]:
            self.count.toward_vertex[0] = n
        self.coreset.members[0] = self.size
        self.coreset.inner_open[0] = 1
        self.coreset.inner_steps[0] = 0

    def run(self, limit):
        """Run until CVM stops or has made `limit` SMO steps in all; returns the reason.

        PAUSED may also come earlier, so that the clock is looked at.
        """
        settings, count = self.settings, self.count
        enough = self.evaluations + VALUES_BETWEEN_LOOKS
        while True:
            if self.evaluations >= enough:
                return Reason.PAUSED
            if self.coreset.inner_open[0] == 1:
                before = self.counter("iterations")
                reason = solve_inner(
                    self.state, self.size, self.core, True, self.rule, settings.eps,
                    self.columns.arrays, limit,
                )  # fmt: skip
                count.requested[0] += 2 * self.size * (self.counter("iterations") - before)
                if reason == Reason.NEEDS_COLUMN:
                    place = self.counter("missing")
                    slot = claim(self.columns.slots, place, self.counter("pending"))
                    self._column(
                        self._stored_values(self.ids[place]), self.ids[place], place, self.columns.columns[slot]
                    )
                    continue
                if reason != Reason.CONVERGED:
                    return reason
                self.coreset.inner_open[0] = 0
            self._weigh()
            if self.outgrown:
                return Reason.PAUSED
            place, i, score = self._sample(self._rejected(self.local))
            if place >= 0 and self._violates(self.coreset.stage_eps[0]):
                count.empty_samples[0] = 0
                if self.local[i] < 0:
                    self._join(place, i, score)
                else:
                    tighten(self.core)
                count = self.count
                continue
            count.empty_samples[0] += 1
            if count.empty_samples[0] >= settings.selection.patience:
                count.empty_samples[0] = 0
                if not next_stage(self.core, settings.eps):
                    return Reason.NO_VIOLATION

    def _weigh(self):
        """Compare the cost of a sample with what all scores would cost in the steps since the last one."""
        m, steps = self.problem.size, self.counter("iterations") - self.steps_seen
        self.steps_seen += steps
        self.excess += len(self.block) * self.size - m - _STEP_COST * steps * (m - self.size)
        self.excess = max(self.excess, 0.0)
        self.outgrown = self.excess > self.size * m

    def release(self):
        super().release()
        self.columns = None

    def hand_over(self, new):
        """Fill the coreset of the driver that goes on from here."""
        core = new.core
        for i in self.ids[: self.size]:
            if core.position[i] < 0:
                add_member(core, i)
        for name in ("stage_eps", "inner_tolerance"):
            core.numbers[name] = self.core.numbers[name]
        core.numbers[0]["inner_open"] = 0
