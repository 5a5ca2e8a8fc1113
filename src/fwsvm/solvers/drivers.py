"""Drivers: objects that run the compiled loop of a method from Python.

The loop in this module, `advance`, updates the gradient at all m points in each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.machine_code.threads import tiles
from fwsvm.problems.column_cache import SharedColumns, is_missing, load, write_weighted
from fwsvm.problems.dual import MOST_UPDATES
from fwsvm.solvers.passes import Passes, choose
from fwsvm.solvers.sampling import new_sampler, sampled_vertex
from fwsvm.solvers.state import (
    FIRST_EPS,
    FLOAT32_GAP,
    Reason,
    Step,
    StopRule,
    fields_of,
    new_state,
    refresh_objective,
)
from fwsvm.solvers.steps import MOST_IDLE_STEPS, find_extremes, take_step, target_gap

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fwsvm.machine_code.threads import Workers
    from fwsvm.problems.column_cache import Cache
    from fwsvm.problems.dual import SimplexProblem
    from fwsvm.solvers.method import Method
    from fwsvm.solvers.sampling import Sampler
    from fwsvm.solvers.settings import Settings
    from fwsvm.solvers.state import State

# After every SAMPLES_BETWEEN_CHECKS samples, the loop returns to Python, so that the time limit is
# checked even if many consecutive samples lead to no step.
SAMPLES_BETWEEN_CHECKS = 4096


@compiled
def advance(
    choice: np.ndarray,
    needs_column: bool,
    in_blocks: bool,
    rule: int,
    eps: float,
    floor: float,
    resolution: float,
    patience: int,
    sampler: Sampler | None,
    state: State,
    cache: Cache,
    source: np.ndarray,
    limit: int,
) -> Reason:
    """Run a method until it stops, or until `limit` iterations are done in total.

    Return the `Reason` why the loop ended. If no samples are drawn, the loop also ends when |R| <
    `resolution`, where R is the objective.

    `choice` is the value of `Passes.choice` for the method. `needs_column` is that of `Method`. If
    `in_blocks` is true, the loop also ends when the column of the next vertex is not cached and a
    slot is empty.
    `floor` is the smallest gap that the columns can resolve. A gap of at most `floor` also ends the
    loop, even if the stopping rule allows only a smaller gap. If `sampler` is None, each step
    searches all points. Columns that the `cache` does not have are computed by `source`
    (`ColumnSource.handle`).
    """
    columns, used = cache.columns, cache.slots.used
    s, count, real = state.s, state.count, state.real
    m = s.shape[0]
    while True:
        R = real.objective
        # without a sampler, each step searches all points, and numba omits the code for samples
        if sampler is None:
            i = count.fw_vertex
        elif count.pending >= 0:
            i = count.pending  # the loop found this point before its last return to Python
        else:
            count.samples += 1
            i, size = sampled_vertex(sampler, sampler.sample[:0], s)
            for t in range(size):  # active points need no kernel values: their gradient is known
                if state.position[sampler.sample[t]] < 0:
                    count.requested += count.active_size
        gap = 2.0 * (R - s[i])
        real.gap_seen = gap
        if sampler is None and abs(R) < resolution:
            return Reason.CONVERGED
        if gap <= max(target_gap(rule, real.current_eps, real.largest_diagonal, R), floor):
            if sampler is None:
                return Reason.CONVERGED
            count.pending = -1
            count.empty_samples += 1
            if count.empty_samples >= patience:
                if real.current_eps <= eps:
                    return Reason.NO_VIOLATION
                real.current_eps = max(0.5 * real.current_eps, eps)
                count.empty_samples = 0
            if count.samples % SAMPLES_BETWEEN_CHECKS == 0:
                return Reason.PAUSED
            continue
        count.empty_samples = 0
        count.pending = i
        if count.idle_steps >= MOST_IDLE_STEPS:
            return Reason.NO_PROGRESS
        if count.iterations >= limit:
            return Reason.PAUSED
        if in_blocks and is_missing(cache.slots, i):
            return Reason.NEEDS_COLUMN
        slot_i = load(cache, source, i, i) if needs_column else 0
        kind, i, j = choose(choice, i, columns[slot_i])
        slot_i = load(cache, source, i, i) if kind != Step.AWAY else 0
        slot_j = load(cache, source, j, i) if kind != Step.TOWARD else slot_i
        if kind == Step.AWAY:
            slot_i = slot_j
        used[slot_i] = 1
        used[slot_j] = 1
        count.requested += (2 if kind == Step.SWAP else 1) * (
            m if sampler is None else count.active_size
        )
        take_step(state, m, kind, i, j, columns[slot_i], columns[slot_j])
        count.pending = -1


# The time limit is checked at the latest after VALUES_BETWEEN_CHECKS kernel values were computed or
# as many gradient entries were updated. Kernel values and gradient entries have the same limit,
# because the update of an entry can need a new kernel value. For example, the gradient at the start
# is a sum of columns. These columns are added in groups of at most VALUES_BETWEEN_CHECKS entries.
# Work that cannot be interrupted takes at most about SECONDS_BETWEEN_CHECKS CPU seconds.
VALUES_BETWEEN_CHECKS, SECONDS_BETWEEN_CHECKS = 1_000_000, 0.05


@dataclass
class Start:
    problem: Any  # a SimplexProblem; many drivers need a KernelProblem
    settings: Settings
    method: Method
    indices: np.ndarray  # the active points at the start
    weights: np.ndarray  # weights of the points `indices`, float64
    dtype: DTypeLike  # precision of the columns
    rng: np.random.Generator
    workers: Workers  # the threads of this run
    clock: Any  # measures the CPU time of training, and knows its limit
    columns: SharedColumns | None = None
    sampler: Any = None  # the sampler of the previous driver
    # Whether another driver ran before. If the time runs out while the new driver is made, the
    # weights of the earlier driver are the result.
    follows: bool = False


class Driver:
    """The interface between `solve` and the code that trains."""

    sampler: Sampler | None  # draws samples; None if each step searches all points
    is_whole: bool  # False if the time limit was reached before the start was complete
    dtype: np.dtype  # precision of the columns
    # whether `solve` should now change to another driver, which `next_driver` makes
    should_switch = False
    # `auto` can train on a subset of the points. `wrongly_shrunk` is the number of certificates in
    # which a point outside the subset had the lowest gradient.
    wrongly_shrunk = 0

    def __init__(self, start: Start) -> None:
        self.problem, self.settings, self.method = start.problem, start.settings, start.method
        self.rule, self.rng, self.workers = start.settings.rule, start.rng, start.workers

    @property
    def points_updated(self) -> int:
        """Return the number of gradient entries that an iteration updates."""
        raise NotImplementedError

    @property
    def subsample(self) -> np.ndarray | None:
        """Return the indices of the subsample that the method itself has chosen for training, or
        None if the method minimises the objective over all points.
        """
        return None

    @property
    def evaluations(self) -> int:
        """Return the number of kernel values that the driver computed but the problem did not
        count.
        """
        return 0

    @property
    def gradient(self) -> np.ndarray | None:
        """Return the gradient at all m points, float64 (m,).

        The steps of training update the gradient, so it has their rounding errors. Return None if
        the driver does not store such a gradient, or if there is no bound on its errors.
        """
        return None

    def _set_state(self, state: State) -> None:
        """Store the state.

        The records `count` and `real` of the state also become attributes of the driver, in a form
        whose fields Python can access fast.
        """
        self.state, self.count, self.real = state, fields_of(state.count), fields_of(state.real)

    def _begin_protocol(self) -> None:
        """Copy into the state the values that compiled loops need, and seed its random
        generator.
        """
        settings = self.settings
        cools = self.settings.selection.sampled and self.settings.selection.cooling
        self.real.current_eps = max(FIRST_EPS, settings.eps) if cools else settings.eps
        self.real.largest_diagonal = self.problem.largest_diagonal
        self.count.clipped_gain = settings.clipped_gain
        # without samples, the compiled loops of "auto" draw no random numbers and need no seed
        if settings.method != "auto" or settings.selection.sampled:
            self.state.random[0] = self.rng.spawn(1)[0].integers(2**63)

    def next_driver(self, start: Start) -> Driver:
        """Make the driver to which `solve` changes if `should_switch` is true."""
        raise NotImplementedError

    def release(self) -> None:
        """Free the memory that is not needed after the change to the next driver."""
        raise NotImplementedError

    def hand_over(self, new: Driver) -> None:
        """Pass to the next driver `new` what it needs in addition to the weights."""

    def run(self, limit: int) -> Reason:
        """Train until the method stops, or until `limit` iterations are done in total.

        Return a `Reason`.
        """
        raise NotImplementedError

    def go_on_from(self, s: np.ndarray) -> None:
        """Continue with the gradient s at all points, float64 (m,)."""
        raise NotImplementedError

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Continue with columns of type `dtype`."""
        raise NotImplementedError

    @property
    def objective(self) -> float:
        return self.real.objective

    @property
    def gap(self) -> float:
        """Return the gap over all points whose gradient the driver stores."""
        return 2.0 * (self.objective - float(self.state.s[self.count.fw_vertex]))

    @property
    def floor(self) -> float:
        """Return the smallest gap that the precision of the columns can resolve."""
        return FLOAT32_GAP * self.real.largest_diagonal if self.dtype == np.float32 else 0.0

    def resolution(self, floor: float) -> float:
        """Return the objective below which training should change from float32 to float64 columns.
        Return 0 if training should not change.

        Below this objective, the errors of float32 columns are as large as the objective, so no
        small relative gap can be reached. The stopping rules other than `relative` do not divide by
        the objective, and need no change.
        """
        may_change = self.rule == StopRule.RELATIVE and self.settings.column_dtype == "auto"
        return floor if may_change else 0.0

    @property
    def active(self) -> np.ndarray:
        return self.state.active[: self.count.active_size].astype(np.int64)

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        indices = np.sort(self.active)
        return indices, self.state.a[indices].copy()

    @property
    def coreset_size(self) -> int:
        """Return the number of active points. The drivers of CVM and `mfw_sparse` return other
        numbers (see `Solution`).
        """
        return self.count.active_size

    def final_weights(self) -> tuple[np.ndarray, np.ndarray]:
        return self.weights()


class AllPointsDriver(Driver):
    """A driver that stores the gradient at all m points, and caches columns in limited memory. The
    selection can be full or sampled.

    `restarted` is true if columns come from an earlier run, or if the gradient was set anew during
    this run. In these cases, there is no proven bound on the errors of the gradient. There is no
    such bound either after more than MOST_UPDATES steps, or after away steps, because away steps
    multiply earlier errors.
    """

    problem: SimplexProblem
    # whether the whole kernel matrix of the path "dense-gram" is computed at once
    begins_with_matrix = True
    in_blocks = False  # whether `run` returns to Python when a column is needed

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        problem, selection = start.problem, start.settings.selection
        self.has_whole_matrix = self.begins_with_matrix and problem.kernel_path == "dense-gram"
        self.columns = start.columns or SharedColumns(keeps=False)
        self.restarted = self.columns.kept is not None
        self._set_state(new_state(problem.size))
        self.set_dtype(start.dtype)
        self.state.diagonal[:] = problem.diagonal
        self.count.pending = -1
        self._begin_protocol()
        self.sampler = start.sampler
        if self.sampler is None and selection.sampled:
            self.sampler = new_sampler(problem.labels, selection, start.rng)
        self.is_whole = self._begin(np.asarray(start.indices, np.int64), start)

    def _begin(self, indices: np.ndarray, start: Start) -> bool:
        """Compute the gradient at the start. Return True when the gradient is complete.

        If another driver ran before, the time limit is checked. If the limit is reached before the
        gradient is complete, return False. For the first driver of a run, the time limit is not
        checked.
        """
        state, size, m = self.state, len(indices), self.problem.size
        state.a[indices], state.penalty[indices] = start.weights, 0.0
        state.active[:size], state.position[indices] = indices, np.arange(size)
        self.count.active_size = size
        at_once = max(1, VALUES_BETWEEN_CHECKS // m)
        rows = np.empty((1 + min(at_once, size), m))
        for part in tiles(size, at_once):
            if start.follows and start.clock.is_over():
                return False
            terms = rows[: 1 + len(indices[part])]
            terms[0] = state.s
            write_weighted(
                self.cache.arrays, self.cache.source, indices[part], start.weights[part], terms[1:]
            )
            np.add.reduce(terms, out=state.s)
        refresh_objective(state)
        find_extremes(state, m)
        return True

    @property
    def gradient(self) -> np.ndarray | None:
        unproven = (
            self.restarted or self.count.away_steps > 0 or self.count.iterations > MOST_UPDATES
        )
        return None if unproven else self.state.s

    def go_on_from(self, s: np.ndarray) -> None:
        """Continue with the gradient s at all points, float64 (m,)."""
        self.restarted = True
        self.state.s[:] = s
        refresh_objective(self.state)
        find_extremes(self.state, self.problem.size)
        self.count.pending = -1

    def set_dtype(self, dtype: DTypeLike) -> None:
        self.cache: Any = None
        self.cache = self.columns.cache(
            self.problem, self.cache_mb, np.dtype(dtype), self.workers, self.has_whole_matrix
        )
        self.dtype = self.cache.dtype
        self._passes = Passes(self.state, self.dtype, self.workers)

    @property
    def cache_mb(self) -> float:
        return self.settings.cache_mb

    @property
    def points_updated(self) -> int:
        return self.problem.size

    def run(self, limit: int) -> Reason:
        settings, selection = self.settings, self.settings.selection
        floor = self.floor
        with self.workers.serving(self._passes.calls):
            return advance(
                self._passes.choice(self.method.select_step),
                self.method.needs_column,
                self.in_blocks,
                self.rule,
                settings.eps,
                floor,
                self.resolution(floor),
                selection.patience,
                self.sampler,
                self.state,
                self.cache.arrays,
                self.cache.source,
                limit,
            )
