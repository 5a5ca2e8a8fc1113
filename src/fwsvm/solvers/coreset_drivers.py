"""Sampled selection on large sets: samples are compared in blocks with a coreset, the only points with a gradient."""

import numpy as np

from fwsvm.solvers import coreset
from fwsvm.solvers.drivers import Driver
from fwsvm.solvers.passes import find_extremes
from fwsvm.solvers.sampling import draw, new_sampler
from fwsvm.solvers.state import State, activate, new_state, refresh_objective
from fwsvm.solvers.steps import target_gap

# `run` returns after this many kernel values, for a time check.
VALUES_BETWEEN_CHECKS = 1_000_000


class SampledDriver(Driver):
    """Stored points, their state and the comparison of a sample with them."""

    def __init__(self, start):
        super().__init__(start)
        problem, indices = start.problem, start.indices
        self.dtype = np.dtype(start.dtype)
        self.store = problem.matrix.store(self.dtype, max(64, 2 * len(indices)))
        self.capacity = self.store.features.shape[1]
        self.ids = np.zeros(self.capacity, dtype=np.int64)
        self.stored_labels = np.zeros(self.capacity)
        self.local = np.full(problem.size, -1, dtype=np.int64)
        self._set_state(new_state(self.capacity + 1))
        self._begin_protocol()
        self.sampler = new_sampler(problem.labels, start.settings.selection, start.rng)
        self.block = np.empty((len(self.sampler.sample), self.capacity), self.dtype)
        self.room = np.empty(self.capacity + 1)
        self.size = 0
        gradients = problem.submatrix(np.asarray(indices)) @ start.weights
        for i, weight, gradient in zip(indices, start.weights, gradients, strict=True):
            self._register(int(i))
            coreset.store_point(self.state, self.size - 1, gradient, problem.diagonal[i])
            self.state.a[self.size - 1] = weight
            activate(self.state, self.size - 1)
        refresh_objective(self.state)
        find_extremes(self.state, self.size)

    @property
    def points_updated(self):
        """Gradient entries that a step updates."""
        return self.capacity

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
        """Draw a sample and compare it: (place in the sample, point, gradient), place -1 for an empty sample."""
        self.count.samples += 1
        rows = self.sampler.sample[: draw(self.sampler, rejected)]
        if len(rows) == 0:
            return -1, -1, np.inf
        self.store.block(self.problem.matrix.points, rows, self.block)
        self.evaluations += len(rows) * self.size
        self.count.requested += np.count_nonzero(self.local[rows] < 0) * self.size
        place, gradient = coreset.best_of_sample(
            rows, self.block, self.state, self.size, self.problem.labels, self.stored_labels,
            self.problem.offset, self.local, self.room,
        )  # fmt: skip
        self.real.gap_seen = 2.0 * (self.real.objective - gradient)
        return place, int(rows[place]), gradient

    def _violates(self, eps):
        target = target_gap(self.rule, eps, self.real.largest_diagonal, self.real.objective)
        return self.real.gap_seen > max(target, self.floor)

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
