"""Drivers for sampled selection on large sets: samples are compared in blocks with a coreset whose scores are kept."""

import numpy as np

from fwsvm.problems.column_cache import CoresetColumns, claim
from fwsvm.solvers import constants as c
from fwsvm.solvers import coreset
from fwsvm.solvers.drivers import NOBODY, Driver
from fwsvm.solvers.methods.cvm import (
    CORE_SIZE,
    INNER_OPEN,
    INNER_STEPS,
    STAGE_EPS,
    add_member,
    new_core,
    next_stage,
    solve_inner,
    tighten,
)
from fwsvm.solvers.sampling import draw, new_sampler
from fwsvm.solvers.settings import FLOAT32_GAP
from fwsvm.solvers.steps import State, activate, find_extremes, new_state, refresh_objective, target_gap

# Updating one score in a step costs this much of computing one kernel value.
_STEP_COST = 0.4
# `run` returns after this many kernel values, for a look at the clock.
_VALUES_BETWEEN_LOOKS = 1_000_000


class _SampledDriver(Driver):
    """Stored points, their state and the comparison of a sample with them."""

    def __init__(self, problem, settings, indices, weights, dtype, rng):
        super().__init__(problem, settings)
        selection = settings.selection
        capacity = max(64, 2 * len(indices))
        self.dtype = np.dtype(dtype)
        self.store = problem.matrix.store(self.dtype, capacity)
        self.capacity = self.store.features.shape[1]
        self.ids = np.zeros(self.capacity, dtype=np.int64)
        self.stored_labels = np.zeros(self.capacity)
        self.local = np.full(problem.size, -1, dtype=np.int64)
        self.state = new_state(self.capacity + 1)
        self.state.real[c.LARGEST_DIAGONAL] = problem.largest_diagonal
        self.sampler = new_sampler(
            problem.labels, selection.sample_size, selection.alternate, selection.replacement, rng
        )
        self.block = np.empty((len(self.sampler.sample), self.capacity), self.dtype)
        self.room = np.empty(self.capacity + 1)
        self.size = 0
        self.evaluations = 0
        scores = problem.submatrix(np.asarray(indices)) @ weights
        for i, weight, score in zip(indices, weights, scores, strict=True):
            self._register(int(i))
            coreset.store_point(self.state, self.size - 1, score, problem.diagonal[i])
            self.state.a[self.size - 1] = weight
            activate(self.state, self.size - 1)
        refresh_objective(self.state)
        find_extremes(self.state, self.size)

    @property
    def scores_kept(self):
        """Scores that a step updates."""
        return self.capacity

    @property
    def floor(self):
        """The smallest gap the kernel values' precision can show."""
        return FLOAT32_GAP * float(self.state.real[c.LARGEST_DIAGONAL]) if self.dtype == np.float32 else 0.0

    def _register(self, i):
        """Store point i behind the others (its state is written by the compiled step)."""
        self._reserve()
        self.store.append(self.problem.matrix.points, i)
        self.ids[self.size] = i
        self.stored_labels[self.size] = self.problem.labels[i]
        self.local[i] = self.size
        self.size += 1

    def _reserve(self):
        """Make room for one more point."""
        if self.size < self.capacity:
            return
        self.capacity *= 2
        grown = new_state(self.capacity + 1)
        for name in ("a", "s", "penalty", "diagonal", "active", "position"):
            old = getattr(self.state, name)
            getattr(grown, name)[: len(old)] = old
        self.state = State(**{**grown._asdict(), "real": self.state.real, "count": self.state.count})
        self.ids = np.concatenate([self.ids, np.zeros_like(self.ids)])
        self.stored_labels = np.concatenate([self.stored_labels, np.zeros_like(self.stored_labels)])
        self.block = np.empty((len(self.block), self.capacity), self.dtype)
        self.room = np.empty(self.capacity + 1)

    def _sample(self, rejected):
        """Draw a sample and compare it; returns (place in the sample, point, score), place -1 for an empty sample."""
        self.state.count[c.SAMPLES] += 1
        rows = self.sampler.sample[: draw(self.sampler, rejected)]
        if len(rows) == 0:
            return -1, -1, np.inf
        self.store.block(self.problem.matrix.points, rows, self.block)
        self.evaluations += len(rows) * self.size
        place, score = coreset.best_of_sample(
            rows, self.block, self.state, self.size, self.problem.labels, self.stored_labels,
            self.problem.offset, self.local, self.room,
        )  # fmt: skip
        self.state.real[c.GAP_SEEN] = 2.0 * (self.state.real[c.OBJECTIVE] - score)
        return place, int(rows[place]), score

    def _violates(self, eps):
        R = self.state.real[c.OBJECTIVE]
        target = target_gap(self.rule, eps, self.state.real[c.LARGEST_DIAGONAL], R)
        return self.state.real[c.GAP_SEEN] > max(target, self.floor)

    def _column(self, values, i, own, out):
        coreset.signed_column(
            values, self.size, self.problem.labels[i], self.stored_labels, self.problem.offset, own,
            self.problem.ridge_at(i), out,
        )  # fmt: skip

    def _stored_values(self, i):
        """Kernel values of point i against the stored points."""
        values = np.empty((1, self.capacity), self.dtype)
        self.store.block(self.problem.matrix.points, np.array([i]), values)
        self.evaluations += self.size
        return values[0]

    def release(self):
        """Give back the large arrays; the weights, the sampler and what is handed over stay."""
        self.store = self.block = None

    def weights(self):
        active = self.active
        indices = self.ids[active]
        order = np.argsort(indices)
        return indices[order], self.state.a[active][order].copy()


class CoresetDriver(_SampledDriver):
    """FW, MFW, SWAP, SWAP-2o and PFW; the stored points are the active ones.

    Once a sample costs more than an update of all scores for long enough to pay for the change, `run` returns the code
    PAUSED with `outgrown` set, and training goes on over all points (the same steps but for rounding).
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.column_i, self.column_j = np.empty(self.capacity + 1), np.empty(self.capacity + 1)
        self.excess = 0
        self.outgrown = False
        self.pending = None  # the violation found but not used when `run` returned

    def run(self, limit):
        """Run until the method stops, has made `limit` iterations in all, or is outgrown; returns the reason.

        PAUSED may also come earlier, so that the clock is looked at.
        """
        patience, count = self.settings.selection.patience, self.state.count
        enough = self.evaluations + _VALUES_BETWEEN_LOOKS
        while True:
            if self.pending is None:
                self.pending = self._sample(NOBODY)
            if not self._violates(self.settings.eps):
                self.pending = None
                count[c.EMPTY_SAMPLES] += 1
                if count[c.EMPTY_SAMPLES] >= patience:
                    return c.NO_VIOLATION
                continue
            count[c.EMPTY_SAMPLES] = 0
            if self.outgrown or self.evaluations >= enough or self.counter(c.ITERATIONS) >= limit:
                return c.PAUSED
            self._step(*self.pending)
            self.pending = None
            count = self.state.count
            self.excess += max(0, len(self.block) * self.size - self.problem.size)
            self.outgrown = self.excess > self.size * self.problem.size

    def _step(self, place, i, score):
        values = self.block[place]
        self._reserve()
        if len(self.column_i) != self.capacity + 1:
            self.column_i, self.column_j = np.empty(self.capacity + 1), np.empty(self.capacity + 1)
        own, n = int(self.local[i]), self.size
        self._column(values, i, own, self.column_i)
        target = own if own >= 0 else n
        known = -1
        while True:
            reason = coreset.coreset_step(
                self.method.code, self.method.descent, self.state, n, target, score, self.problem.diagonal[i],
                self.column_i, self.column_j, known,
            )  # fmt: skip
            if reason != c.NEEDS_COLUMN:
                break
            known = self.counter(c.MISSING)
            self._column(self._stored_values(self.ids[known]), self.ids[known], known, self.column_j)
        if own < 0 and self.counter(c.LAST_STEP) != c.AWAY:
            self._register(i)
        if self.counter(c.ACTIVE_SIZE) < self.size:
            self._forget_inactive()

    def hand_over(self, new):
        """The violation found is the next step of the driver that goes on from here."""
        new.state.count[c.PENDING] = self.pending[1]

    def _forget_inactive(self):
        places = np.flatnonzero(self.state.position[: self.size] < 0)
        for place in places[::-1]:
            last = self.size - 1
            coreset.forget_point(self.state, self.size, place)
            self.store.remove(place)
            self.local[self.ids[place]] = -1
            if place != last:
                self.ids[place], self.stored_labels[place] = self.ids[last], self.stored_labels[last]
                self.local[self.ids[place]] = place
            self.size = last


class CvmCoresetDriver(_SampledDriver):
    """CVM on sampled selection: stored points never leave; a bounded cache holds columns over the coreset.

    As `CoresetDriver` it is `outgrown` once comparing samples has cost more than keeping all scores.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.excess, self.outgrown, self.steps_seen = 0.0, False, 0
        self.core = new_core(0, 1, self.settings.eps, self.settings.inner_tolerance)
        self.core.count[CORE_SIZE] = self.size
        all_columns_mb = 16e-6 * self.problem.size**2
        self.columns = CoresetColumns(self.capacity, min(self.settings.cache_mb, 1.0 + all_columns_mb), self.dtype)

    @property
    def coreset_size(self):
        return self.size

    def _join(self, place, i, score):
        """Let sampled point i join the coreset; its row completes the cached columns."""
        capacity, row = self.capacity, np.empty(self.size, self.dtype)
        self._column(self.block[place], i, -1, row)
        self._reserve()
        if self.capacity != capacity:
            self.columns.grow(self.capacity)
        n = self.size
        self.columns.append(n, row)
        diagonal = self.problem.diagonal[i]
        self._register(i)
        coreset.store_point(self.state, n, score, diagonal)
        if score < self.state.s[self.counter(c.TOWARD_VERTEX)]:
            self.state.count[c.TOWARD_VERTEX] = n
        self.core.count[CORE_SIZE] = self.size
        self.core.count[INNER_OPEN] = 1
        self.core.count[INNER_STEPS] = 0

    def run(self, limit):
        """Run until CVM stops or has made `limit` SMO steps in all; returns the reason.

        PAUSED may also come earlier, so that the clock is looked at.
        """
        settings, count = self.settings, self.state.count
        enough = self.evaluations + _VALUES_BETWEEN_LOOKS
        while True:
            if self.evaluations >= enough:
                return c.PAUSED
            if self.core.count[INNER_OPEN] == 1:
                reason = solve_inner(
                    self.state, self.size, self.core, True, self.rule, settings.eps,
                    self.columns.arrays, limit,
                )  # fmt: skip
                if reason == c.NEEDS_COLUMN:
                    place = self.counter(c.MISSING)
                    slot = claim(self.columns.slots, place, self.counter(c.PENDING))
                    self._column(
                        self._stored_values(self.ids[place]), self.ids[place], place, self.columns.columns[slot]
                    )
                    continue
                if reason != c.CONVERGED:
                    return reason
                self.core.count[INNER_OPEN] = 0
            self._weigh()
            if self.outgrown:
                return c.PAUSED
            place, i, score = self._sample(self.local)
            if place >= 0 and self._violates(self.core.real[STAGE_EPS]):
                count[c.EMPTY_SAMPLES] = 0
                if self.local[i] < 0:
                    self._join(place, i, score)
                else:
                    tighten(self.core)
                count = self.state.count
                continue
            count[c.EMPTY_SAMPLES] += 1
            if count[c.EMPTY_SAMPLES] >= settings.selection.patience:
                count[c.EMPTY_SAMPLES] = 0
                if not next_stage(self.core, settings.eps):
                    return c.NO_VIOLATION

    def _weigh(self):
        """Compare the cost of a sample with what all scores would cost in the steps since the last one."""
        m, steps = self.problem.size, self.counter(c.ITERATIONS) - self.steps_seen
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
        core.real[:] = self.core.real
        core.count[INNER_OPEN] = 0
