"""Drivers, the Python side of the compiled loops: they answer when a loop asks for columns, kernel blocks or points."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fwsvm.problems.column_cache import SharedColumns
from fwsvm.solvers.all_points import advance
from fwsvm.solvers.constants import FIRST_STAGE, FLOAT32_GAP
from fwsvm.solvers.passes import find_extremes
from fwsvm.solvers.sampling import SampledVertex, new_sampler
from fwsvm.solvers.state import Choice, Numbers, new_state, refresh_objective

# Gradient entries updated between two time checks while the start is set.
_UPDATES_AT_ONCE = 4_000_000
NOBODY = np.empty(0, dtype=np.int64)
_NO_SAMPLE = np.zeros(2, dtype=np.int64), NOBODY  # for full selection


@dataclass
class Start:
    """What a driver begins with."""

    problem: Any
    settings: Any  # fwsvm.solvers.settings.Settings
    method: Any  # fwsvm.solvers.method.Method
    indices: np.ndarray  # of the first active points
    weights: np.ndarray  # theirs, float64
    dtype: type  # precision of columns
    rng: np.random.Generator
    columns: SharedColumns | None = None
    sampler: Any = None  # of the driver before
    out_of_time: Callable = lambda elsewhere_cpu_s=0.0: False
    follows: bool = False  # another driver, whose weights remain if time runs out before the start is set


class Driver:
    """One training run, as `solve` sees it.

    `solve` calls `run` again and again with a growing limit and reads the numbers between. After a certificate that is
    not good enough it calls `set_dtype` and `go_on_from`. Once `outgrown` is true, it calls `release` (which gives back
    the large arrays), makes the driver `follow_with(start)`, and lets `hand_over` pass on the rest.
    """

    subsample = None  # the points that the method trains on; None for all
    elsewhere_cpu_s = 0.0  # CPU seconds in other threads than the caller's
    outgrown = False  # whether another driver would be faster from here on
    wrongly_shrunk = 0  # certificates that found the lowest gradient among points that were left out
    evaluations = 0  # kernel values computed by the driver itself, not through the problem

    def __init__(self, start):
        self.problem, self.settings, self.method = start.problem, start.settings, start.method
        self.rule = start.settings.rule

    def _set_state(self, state):
        """`count` and `real` give Python the state's numbers, as `state.count[0]` and `state.real[0]` do in loops."""
        self.state, self.count, self.real = state, Numbers(state.count), Numbers(state.real)

    def _begin_protocol(self):
        """Write into the state what compiled loops need of the settings."""
        settings, cools = self.settings, self.settings.selection.sampled and self.settings.selection.cooling
        self.real.stage = max(FIRST_STAGE, settings.eps) if cools else settings.eps
        self.real.largest_diagonal = self.problem.largest_diagonal
        self.count.clipped_gain = settings.clipped_gain

    def run(self, limit):
        """Train until the method stops or has made `limit` iterations in all; returns a `constants.Reason`.

        PAUSED may also come earlier, for a time check.
        """
        raise NotImplementedError

    @property
    def objective(self):
        """R as the recursions have it."""
        return self.real.objective

    @property
    def floor(self):
        """The smallest gap that the columns' precision can show."""
        return FLOAT32_GAP * self.real.largest_diagonal if self.dtype == np.float32 else 0.0

    @property
    def active(self):
        """Active points in the driver's universe, in their order in the state."""
        return self.state.active[: self.count.active_size].astype(np.int64)

    def weights(self):
        """(indices, weights) of the active points, indices ascending."""
        indices = np.sort(self.active)
        return indices, self.state.a[indices].copy()

    @property
    def coreset_size(self):
        """Points in the coreset: for CVM all that joined, for the other methods the active ones."""
        return self.count.active_size

    def final_weights(self):
        """(indices, weights) of the model, before the weights are scaled to sum to one."""
        return self.weights()

    def go_on_from(self, s):
        """Continue after a certificate found too large a gap, from the exact gradient at the model."""
        self.set_gradient(s)


class AllPointsDriver(Driver):
    """Training with the gradient at all m points and a bounded cache of columns (full or sampled selection).

    `is_whole` is False if time ran out before the start was set; such a driver must not be used.
    """

    def __init__(self, start):
        super().__init__(start)
        problem, selection = start.problem, start.settings.selection
        self.columns, self._sample = start.columns or SharedColumns(keeps=False), None
        self.set_dtype(start.dtype)
        self._set_state(new_state(problem.size))
        self.state.diagonal[:] = problem.diagonal
        self.count.pending = -1
        self._begin_protocol()
        self.sampler = start.sampler
        if self.sampler is None and selection.sampled:
            self.sampler = new_sampler(problem.labels, selection, start.rng)
        self.is_whole = self._begin(np.asarray(start.indices, np.int64), start)

    def _begin(self, indices, start):
        """Set the start; False if time ran out meanwhile."""
        state, size = self.state, len(indices)
        state.a[indices], state.penalty[indices] = start.weights, 0.0
        state.active[:size], state.position[indices] = indices, np.arange(size)
        self.count.active_size = size
        share = np.empty(self.problem.size)
        between_checks = max(1, _UPDATES_AT_ONCE // self.problem.size)
        for place, (i, weight) in enumerate(zip(indices, start.weights, strict=True)):
            if start.follows and place % between_checks == 0 and start.out_of_time():
                return False
            state.s[:] += np.multiply(self.cache.load(i), weight, out=share, dtype=np.float64)
        refresh_objective(state)
        find_extremes(state, self.problem.size)
        return True

    def set_gradient(self, s):
        """Replace the gradient by an exact one and recompute what follows from it."""
        self.state.s[:] = s
        refresh_objective(self.state)
        find_extremes(self.state, self.problem.size)
        self.count.pending = -1

    def set_dtype(self, dtype):
        """Go on with columns of another precision."""
        self.cache = self._choice = None
        self.cache = self.columns.cache(self.problem, self.cache_mb, np.dtype(dtype))

    @property
    def cache_mb(self):
        """Bound in MB (1e6 bytes) for columns and copies of the data."""
        return self.settings.cache_mb

    @property
    def dtype(self):
        """Precision of the columns."""
        return self.cache.dtype

    @property
    def points_updated(self):
        """Gradient entries that a step updates."""
        return self.problem.size

    def sample(self, rejected):
        """Handle of sampled vertices and room for a sample, as the loops take them; for `rejected` see `draw`."""
        if self.sampler is None:
            return _NO_SAMPLE
        self._sample = self._sample or SampledVertex(self.sampler, rejected, self.state.s)
        return self._sample.handle, self.sampler.sample

    def run(self, limit):
        settings, selection = self.settings, self.settings.selection
        self._choice = self._choice or Choice(self.method.pick, self.state, self.dtype)
        handle, drawn = self.sample(NOBODY)
        return advance(
            self._choice.handle, self.method.needs_column, self.rule, settings.eps, self.floor, selection.sampled,
            selection.patience, handle, drawn, self.state, self.cache.arrays, self.cache.source, limit,
        )  # fmt: skip
