"""Drivers that train on samples. They store weights and gradients only for a growing set of points,
and compute the gradient at a sampled point when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.drivers import VALUES_BETWEEN_CHECKS, AllPointsDriver, Driver
from fwsvm.solvers.passes import Passes
from fwsvm.solvers.sampling import NOBODY, draw, new_sampler
from fwsvm.solvers.state import INACTIVE, Reason, Step, activate, new_state, refresh_objective
from fwsvm.solvers.steps import MOST_IDLE_STEPS, find_extremes, take_step, target_gap

if TYPE_CHECKING:
    from fwsvm.problems.dual import KernelProblem
    from fwsvm.solvers.drivers import Start
    from fwsvm.solvers.sampling import Sampler
    from fwsvm.solvers.state import State


@compiled(reassociate=True)
def _weighted_sum(values: np.ndarray, weights: np.ndarray, n: int) -> float:
    total = 0.0
    for r in range(n):
        total += values[r] * weights[r]
    return total


@compiled
def best_of_sample(
    rows: np.ndarray,
    block: np.ndarray,
    state: State,
    n: int,
    labels: np.ndarray,
    stored_labels: np.ndarray,
    offset: float,
    local: np.ndarray,
    signed: np.ndarray,
) -> tuple[int, float]:
    """Return the position in `rows` of the sampled point with the lowest gradient, and this
    gradient.

    For an empty sample, return -1 and infinity. `rows` has the points of the sample, and `block`
    has their kernel values with the n stored points. `local` is that of `CompactDriver`. `labels`
    (m,) has the labels of all points, and `stored_labels` has those of the stored points. `signed`
    is a work array.
    """
    total = 0.0
    for c in range(n):
        signed[c] = state.a[c] * stored_labels[c]
        total += signed[c]
    best, lowest = -1, np.inf
    for t in range(rows.shape[0]):
        v = rows[t]
        if local[v] >= 0:
            gradient = state.s[local[v]]
        else:
            gradient = labels[v] * (_weighted_sum(block[t], signed, n) + offset * total)
        if gradient < lowest or (gradient == lowest and v < rows[best]):
            best, lowest = t, gradient
    return best, lowest


@compiled
def signed_column(
    values: np.ndarray,
    n: int,
    label: float,
    stored_labels: np.ndarray,
    offset: float,
    own: int,
    shift: float,
    out: np.ndarray,
) -> None:
    """Write a point's column of Q over the n stored points into `out`.

    `own` is the point's index among the stored points, or -1 if it is not stored.
    """
    for c in range(n):
        out[c] = label * stored_labels[c] * (values[c] + offset)
    if own >= 0:
        out[own] += shift


@compiled
def store_point(state: State, n: int, gradient: float, diagonal: float) -> None:
    state.s[n] = gradient
    state.a[n] = 0.0
    state.diagonal[n] = diagonal
    state.penalty[n] = INACTIVE
    state.position[n] = -1


@compiled
def forget_point(state: State, n: int, place: int) -> None:
    """Remove the inactive stored point with index `place`.

    Move the last of the n stored points to this index.
    """
    count, last = state.count, n - 1
    if place != last:
        state.s[place] = state.s[last]
        state.a[place] = state.a[last]
        state.diagonal[place] = state.diagonal[last]
        state.penalty[place] = state.penalty[last]
        state.position[place] = state.position[last]
        if state.position[last] >= 0:
            state.active[state.position[last]] = place
        if count.away_vertex == last:
            count.away_vertex = place
    state.position[last] = -1
    state.penalty[last] = INACTIVE


@compiled
def carry_out(
    state: State, n: int, kind: int, i: int, j: int, column_i: np.ndarray, column_j: np.ndarray
) -> None:
    """Take a step.

    The columns have n entries, one per stored point. If the new point i = n joins, this function
    writes entry n of the columns that the step uses.
    """
    if kind == Step.AWAY:
        take_step(state, n, kind, i, j, column_j, column_j)
        return
    universe = n
    if i == n:
        universe = n + 1
        column_i[n] = state.diagonal[n]
        if kind != Step.TOWARD:
            column_j[n] = column_i[j]
    take_step(state, universe, kind, i, j, column_i, column_j)


class CompactDriver(Driver):
    """A driver that stores the weights and gradients of a growing set of points.

    A new point is added at the end. If a point is removed, the last point takes its place. `ids`
    (capacity,) has the indices of the stored points. `local` (m,) has the position of each point
    among the stored points, or -1.
    """

    def _begin_points(self, capacity: int) -> None:
        self.capacity, self.size = capacity, 0
        self.ids = np.zeros(capacity, dtype=np.int64)
        self.local = np.full(self.problem.size, -1, dtype=np.int64)
        self._set_state(new_state(capacity + 1))
        self._begin_protocol()

    @property
    def points_updated(self) -> int:
        return self.capacity

    def _register(self, i: int) -> None:
        """Append point i to the stored points. The caller writes the weight and the gradient of
        this point.
        """
        self._reserve()
        self.ids[self.size] = i
        self.local[i] = self.size
        self.size += 1

    def _reserve(self) -> None:
        if self.size == self.capacity:
            self._grow(2 * self.capacity)

    def _grow(self, capacity: int) -> None:
        self.capacity = capacity
        grown = new_state(capacity + 1)
        for name in ("a", "s", "penalty", "diagonal", "active", "position"):
            old = getattr(self.state, name)
            getattr(grown, name)[: len(old)] = old
        kept = {name: getattr(self.state, name) for name in ("random", "real", "count")}
        self._set_state(grown._replace(**kept))
        self.ids = _lengthened(self.ids, capacity)

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        active = self.active
        indices = self.ids[active]
        order = np.argsort(indices)
        return indices[order], self.state.a[active][order].copy()


def _lengthened(array: np.ndarray, length: int) -> np.ndarray:
    longer = np.zeros(length, array.dtype)
    longer[: len(array)] = array
    return longer


class SampledDriver(CompactDriver):
    """A driver that computes the gradients at sampled points from their kernel values with the
    stored points.
    """

    problem: KernelProblem
    evaluations = 0
    sampler: Sampler

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        problem, indices = start.problem, start.indices
        self.dtype = np.dtype(start.dtype)
        self.store: Any = problem.matrix.store(self.dtype, 2 * len(indices))
        self._begin_points(self.store.features.shape[1])
        self.stored_labels = np.zeros(self.capacity)
        self.sampler = new_sampler(problem.labels, start.settings.selection, start.rng)
        self.block: Any = np.empty((len(self.sampler.sample), self.capacity), self.dtype)
        self.room = np.empty(self.capacity + 1)
        gradients = problem.submatrix(np.asarray(indices)) @ start.weights
        for i, weight, gradient in zip(indices, start.weights, gradients, strict=True):
            self._register(int(i))
            store_point(self.state, self.size - 1, gradient, problem.diagonal[i])
            self.state.a[self.size - 1] = weight
            activate(self.state, self.size - 1)
        refresh_objective(self.state)
        find_extremes(self.state, self.size)

    @property
    def exceeds_memory(self) -> bool:
        stored_bytes: int = self.store.features.nbytes
        return stored_bytes > 1e6 * self.settings.cache_mb

    def _register(self, i: int) -> None:
        super()._register(i)
        self.store.append(self.problem.matrix.points, i)
        self.stored_labels[self.size - 1] = self.problem.labels[i]

    def _grow(self, capacity: int) -> None:
        super()._grow(capacity)
        self.stored_labels = _lengthened(self.stored_labels, capacity)
        self.block = np.empty((len(self.block), capacity), self.dtype)
        self.room = np.empty(capacity + 1)

    def _sample(self, rejected: np.ndarray) -> tuple[int, int, float]:
        """Draw a sample.

        Return three values for the point of the sample with the lowest gradient: its position in
        the sample, its index and its gradient. If the sample is empty, return (-1, -1, inf).
        """
        self.count.samples += 1
        rows = self.sampler.sample[: draw(self.sampler, rejected)]
        if len(rows) == 0:
            return -1, -1, np.inf
        self.store.block(self.problem.matrix.points, rows, self.block)
        self.evaluations += len(rows) * self.size
        self.count.requested += int(np.count_nonzero(self.local[rows] < 0)) * self.size
        place, gradient = best_of_sample(
            rows,
            self.block,
            self.state,
            self.size,
            self.problem.labels,
            self.stored_labels,
            self.problem.offset,
            self.local,
            self.room,
        )
        self.real.gap_seen = 2.0 * (self.real.objective - gradient)
        return place, int(rows[place]), gradient

    def _violates(self, eps: float) -> bool:
        target = target_gap(self.rule, eps, self.real.largest_diagonal, self.real.objective)
        return self.real.gap_seen > max(target, self.floor)

    def _column(self, values: np.ndarray, i: int, own: int, out: np.ndarray) -> None:
        signed_column(
            values,
            self.size,
            self.problem.labels[i],
            self.stored_labels,
            self.problem.offset,
            own,
            self.problem.shift_at(i),
            out,
        )

    def _stored_column(self, place: int, out: np.ndarray) -> None:
        """Write a stored point's column of Q over all stored points into `out`."""
        i, values = self.ids[place], np.empty((1, self.capacity), self.dtype)
        self.store.block(self.problem.matrix.points, np.array([i]), values)
        self.evaluations += self.size
        self._column(values[0], i, place, out)

    def release(self) -> None:
        self.store = self.block = None


class CoresetDriver(SampledDriver):
    """The driver of methods that take one step per sample of points.

    The stored points are the active points.
    """

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.column_i, self.column_j = np.empty(self.capacity + 1), np.empty(self.capacity + 1)
        self.excess = 0
        self.should_switch = False
        # the last result of `_sample`, if `run` has not used it for a step yet; otherwise None
        self.pending: Any = None

    def _set_state(self, state: State) -> None:
        super()._set_state(state)
        self._passes = Passes(state, np.float64)

    def run(self, limit: int) -> Reason:
        patience, count = self.settings.selection.patience, self.count
        enough = self.evaluations + VALUES_BETWEEN_CHECKS
        while True:
            if self.pending is None:
                self.pending = self._sample(NOBODY)
            if not self._violates(self.real.current_eps):
                self.pending = None
                count.empty_samples += 1
                if count.empty_samples >= patience:
                    if self.real.current_eps <= self.settings.eps:
                        return Reason.NO_VIOLATION
                    self.real.current_eps = max(0.5 * self.real.current_eps, self.settings.eps)
                    count.empty_samples = 0
                if self.evaluations >= enough:
                    return Reason.PAUSED
                continue
            count.empty_samples = 0
            if count.idle_steps >= MOST_IDLE_STEPS:
                return Reason.NO_PROGRESS
            if self.should_switch or self.evaluations >= enough or count.iterations >= limit:
                return Reason.PAUSED
            self._step(*self.pending)
            self.pending = None
            self.excess += max(0, len(self.block) * self.size - self.problem.size)
            self.should_switch = self.excess > self.size * self.problem.size or self.exceeds_memory

    def _step(self, place: int, i: int, gradient: float) -> None:
        values = self.block[place]
        self._reserve()
        if len(self.column_i) != self.capacity + 1:
            self.column_i, self.column_j = np.empty(self.capacity + 1), np.empty(self.capacity + 1)
        own, n = int(self.local[i]), self.size
        self._column(values, i, own, self.column_i)
        target = own if own >= 0 else n
        if own < 0:
            store_point(self.state, n, gradient, self.problem.diagonal[i])
        kind, place_i, place_j = self.method.select_step(self.state, n, target, self.column_i)
        if place_i != target and kind != Step.AWAY:
            self._stored_column(place_i, self.column_i)
        if kind != Step.TOWARD:
            self._stored_column(place_j, self.column_j)
        self.count.requested += (2 if kind == Step.SWAP else 1) * n
        carry_out(self.state, n, kind, place_i, place_j, self.column_i, self.column_j)
        if place_i == n and kind != Step.AWAY:
            self._register(i)
        if self.count.active_size < self.size:
            self._forget_inactive()

    def next_driver(self, start: Start) -> Driver:
        return AllPointsDriver(start)

    def hand_over(self, new: Driver) -> None:
        new.real.current_eps, new.count.pending = (
            self.real.current_eps,
            -1 if self.pending is None else self.pending[1],
        )

    def _forget_inactive(self) -> None:
        places = np.flatnonzero(self.state.position[: self.size] < 0)
        for place in places[::-1]:
            last = self.size - 1
            forget_point(self.state, self.size, place)
            self.store.remove(place)
            self.local[self.ids[place]] = -1
            if place != last:
                self.ids[place], self.stored_labels[place] = (
                    self.ids[last],
                    self.stored_labels[last],
                )
                self.local[self.ids[place]] = place
            self.size = last


def can_store_points(start: Start) -> bool:
    """Test whether a driver can store only some of the points: training must draw samples, kernel
    values between any two sets of points must be available (`compares_blocks`), and dense copies of
    the first stored points must fit into `cache_mb`.
    """
    problem, settings = start.problem, start.settings
    if not (settings.selection.sampled and problem.compares_blocks):
        return False
    copies_mb: float = 8e-6 * 2 * len(start.indices) * problem.matrix.n_features
    return copies_mb <= settings.cache_mb


def new_step_driver(start: Start) -> Driver:
    if (
        can_store_points(start)
        and len(start.indices) * start.settings.selection.sample_size < start.problem.size
    ):
        return CoresetDriver(start)
    return AllPointsDriver(start)
