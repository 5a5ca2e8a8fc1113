"""The Python side of the compiled loops: they ask for columns, kernel blocks and points; these classes answer."""

import numpy as np

from fwsvm.problems.column_cache import SharedColumns
from fwsvm.solvers.all_points import advance
from fwsvm.solvers.constants import FIRST_STAGE
from fwsvm.solvers.methods.registry import METHODS
from fwsvm.solvers.passes import find_extremes
from fwsvm.solvers.sampling import SampledVertex, new_sampler
from fwsvm.solvers.settings import FLOAT32_GAP
from fwsvm.solvers.state import Choice, fields, new_state, refresh_objective

# Scores updated between two looks at the clock while a start of many points is set.
_UPDATES_AT_ONCE = 4_000_000
NOBODY = np.empty(0, dtype=np.int64)
_NO_SAMPLE = np.zeros(2, dtype=np.int64), NOBODY  # for full selection


class Driver:
    """What every driver offers to `solve`: `run(limit)`, the state's numbers, and the weights."""

    subsample = None  # the points that the method trains on; None for all
    elsewhere_cpu_s = 0.0  # CPU seconds in other threads than the caller's
    outgrown = False  # whether keeping the scores of all points has become cheaper
    left_out_wrongly = 0  # certificates that found a smaller score among points left out
    evaluations = 0  # kernel values computed by the driver itself, not through the problem

    def __init__(self, problem, settings):
        self.problem, self.settings = problem, settings
        self.method = METHODS[settings.method]
        self.rule = settings.rule
        self.state = None

    def _keep(self, state):
        """Take this state; `count` and `real` are for Python what its records are for compiled loops."""
        self.state, self.count, self.real = state, fields(state.count), fields(state.real)

    def _begin_protocol(self):
        """Mark in the state what the compiled loops need of the settings."""
        settings, cools = self.settings, self.settings.selection.sampled and self.settings.selection.cooling
        self.real.stage[0] = max(FIRST_STAGE, settings.eps) if cools else settings.eps
        self.count.clipped_gain[0] = settings.clipped_gain

    def counter(self, name):
        """One of the state's counters."""
        return int(self.state.count[name][0])

    @property
    def steps(self):
        """Steps so far."""
        return self.counter("iterations")

    @property
    def active_size(self):
        """Active points."""
        return self.counter("active_size")

    @property
    def objective(self):
        """R as kept by the recursions."""
        return float(self.real.objective[0])

    @property
    def gap_seen(self):
        """The gap over the points last looked at."""
        return float(self.real.gap_seen[0])

    @property
    def active(self):
        """Indices of the active points in the driver's universe."""
        return self.state.active[: self.counter("active_size")].astype(np.int64)

    def weights(self):
        """(indices, weights) of the active points, indices ascending."""
        indices = np.sort(self.active)
        return indices, self.state.a[indices].copy()

    @property
    def coreset_size(self):
        """Points in the coreset: for CVM all that joined, for the other methods the active ones."""
        return self.counter("active_size")

    def final_weights(self):
        """(indices, weights) of the model, before the weights are scaled to sum to one."""
        return self.weights()

    def go_on_from(self, s):
        """Continue after a certificate found a gap that is too large, from these exact scores of its model."""
        self.set_scores(s)


class AllPointsDriver(Driver):
    """Training with the scores of all m points kept and a bounded cache of columns (full or sampled selection).

    Parameters
    ----------
    problem, settings
    indices, weights : arrays of shape (q,)
        The start.
    dtype : float32 or float64
        Precision of the columns.
    rng : numpy.random.Generator
    columns : SharedColumns, optional
    sampler : Sampler, optional
        Taken over from another driver.
    out_of_time : callable, optional
        Asked while the columns of the start are computed; when it is true, the rest is left out and `is_whole` is
        False: such a driver is not to be used. By default the start is always made.
    """

    def __init__(
        self, problem, settings, indices, weights, dtype, rng, columns=None, sampler=None, out_of_time=None
    ):  # fmt: skip
        super().__init__(problem, settings)
        selection = settings.selection
        self.columns, self._sample = columns or SharedColumns(keeps=False), None
        self.set_dtype(dtype)
        self._keep(new_state(problem.size))
        self.state.diagonal[:] = problem.diagonal
        self.real.largest_diagonal[0] = problem.largest_diagonal
        self.count.pending[0] = -1
        self._begin_protocol()
        if sampler is None and selection.sampled:
            sampler = new_sampler(
                problem.labels, selection.sample_size, selection.alternate, selection.replacement, rng
            )
        self.sampler = sampler
        self.is_whole = self._begin(np.asarray(indices, np.int64), weights, out_of_time)

    def _begin(self, indices, weights, out_of_time):
        """Set the start, some columns at a time; False if time ran out before its end."""
        state, size = self.state, len(indices)
        state.a[indices], state.penalty[indices] = weights, 0.0
        state.active[:size], state.position[indices] = indices, np.arange(size)
        state.count[0]["active_size"] = size
        share = np.empty(self.problem.size)
        between_looks = max(1, _UPDATES_AT_ONCE // self.problem.size)
        for place, (i, weight) in enumerate(zip(indices, weights, strict=True)):
            if out_of_time is not None and place % between_looks == 0 and out_of_time():
                return False
            state.s[:] += np.multiply(self.cache.load(i), weight, out=share, dtype=np.float64)
        refresh_objective(state)
        find_extremes(state, self.problem.size)
        return True

    def set_scores(self, s):
        """Replace the scores (by exact ones) and recompute what follows from them."""
        self.state.s[:] = s
        refresh_objective(self.state)
        find_extremes(self.state, self.problem.size)
        self.count.pending[0] = -1

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
    def scores_kept(self):
        """Scores that a step updates."""
        return self.problem.size

    @property
    def floor(self):
        """The smallest gap the columns can show."""
        return FLOAT32_GAP * float(self.real.largest_diagonal[0]) if self.dtype == np.float32 else 0.0

    def sample(self, rejected):
        """Handle of sampled vertices and room for a sample, as the loops take them; for `rejected` see `draw`."""
        if self.sampler is None:
            return _NO_SAMPLE
        self._sample = self._sample or SampledVertex(self.sampler, rejected, self.state.s)
        return self._sample.handle, self.sampler.sample

    def run(self, limit):
        """Run until the method stops or has made `limit` iterations in all; returns the reason."""
        settings, selection = self.settings, self.settings.selection
        self._choice = self._choice or Choice(self.method.pick, self.state, self.dtype)
        return advance(
            self._choice.handle, self.method.needs_column, self.rule, settings.eps, self.floor, selection.sampled,
            selection.patience, *self.sample(NOBODY), self.state, self.cache.arrays, self.cache.source, limit,
        )  # fmt: skip
