"""Run SWAP-2o, and leave out points that are unlikely to gain weight (shrinking), or train on
blocks of points.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.machine_code.threads import OutOfTime
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.state import Reason, new_state, refresh_objective
from fwsvm.solvers.steps import find_extremes, target_gap

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fwsvm.problems.dual import SimplexProblem
    from fwsvm.solvers.drivers import Start

# Only problems of at least _LEAST_POINTS points shrink. They shrink from m to n points only if
# max(n, _LEAST_POINTS / 2) <= _WORTH m. _WORTH_EXACT replaces _WORTH where the gradient is exact.
# Points whose gradient exceeds the active points' range by at most the share _MARGIN stay: with 0,
# more points are left out wrongly.
_LEAST_POINTS, _WORTH, _WORTH_EXACT, _MARGIN = 4096, 0.6, 0.9, 0.2
# Number of steps after which points are first left out, and factor by which this number grows each
# time.
_FIRST_SHRINKING, _NEXT_SHRINKING = 500, 1.2
# Largest share of `cache_mb` for a copy of the remaining points. Number of wrong omissions after
# which shrinking ends.
_MOST_COPIED, _MOST_FAILURES = 0.25, 2
# If points store at least _COPIED_FEATURES features on average, cached columns are copied when
# points are left out. With fewer features, it takes no longer to compute again only the columns
# that are still needed.
_COPIED_FEATURES = 40
# If no point was left out in _LONG steps per active point, and the gap exceeds _GAP_FOR_BLOCKS R,
# training goes on with blocks. A block has _SPACE times as many points as are active, but at least
# _LEAST_POINTS and at most _MOST_BLOCK m. The next block follows when the gap within the block is
# _DEEP times the gap before.
_GAP_FOR_BLOCKS, _LONG, _SPACE, _DEEP, _MOST_BLOCK = 3.0, 4, 1.5, 0.1, 0.4
# Training goes on with float32 columns from at most _MOST_REFINED exact gradients. Each multiplies
# `floor` by _FINER.
_MOST_REFINED, _FINER = 4, 0.125


class ShrinkingDriver(AllPointsDriver):
    """Run SWAP-2o over all points, and later only over the points `kept`, since the others are
    unlikely to gain weight.

    A point without weight is left out if its gradient clearly exceeds that of every active point of
    its class (Joachims 1999, with a margin). If the certificate finds a wrongly omitted point,
    training goes on with more points (the second time, with all). If this leaves out nothing for
    long, the points `kept` are a block: the active points and those of lowest gradient.
    """

    kept: np.ndarray | None = None  # None means all points
    gap_before = 0.0  # in a block, the gap at all points when the block was chosen; otherwise 0
    refined = 0  # number of exact gradients that training went on from

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.whole, self.wrongly_shrunk = start.problem, 0
        # kernel values computed for earlier copies, precision of the next copy, and size of the
        # largest cache in bytes
        self._counted, self._touched = 0, 0
        self._later: DTypeLike | None = None
        can = self.settings.certify and self.whole.compares_blocks and not self.columns.keeps
        self._shrinks, self._next = can and self.whole.size >= _LEAST_POINTS, _FIRST_SHRINKING

    @property
    def evaluations(self) -> int:
        """Return the number of kernel values computed while training on the points `kept` alone.

        `whole` counts the kernel values computed for all points.
        """
        return self._counted + (0 if self.problem is self.whole else self.problem.evaluations)

    @property
    def floor(self) -> float:
        return max(super().floor * _FINER**self.refined, _DEEP * self.gap_before)

    def resolution(self, floor: float) -> float:
        # in a block, `floor` depends on the gap
        return 0.0 if self.gap_before else super().resolution(floor)

    def run(self, limit: int) -> Reason:
        """Train like `AllPointsDriver`.

        The steps at which points are left out do not depend on `limit`.
        """
        while True:
            shrinks = self._shrinks and not self.gap_before
            if shrinks and self.count.iterations >= self._next:
                self._next = max(self._next + 1, int(_NEXT_SHRINKING * self._next))
                if self._needs_block():
                    self._go_on_with_block(self.state.a, self.state.s)
                    continue
                self._shrink(_WORTH)
            reason = super().run(min(limit, self._next) if shrinks else limit)
            goes_on = reason == Reason.CONVERGED and (
                self._next_block() if self.gap_before else self._refine()
            )
            if self.should_switch:
                return Reason.PAUSED
            if not goes_on and (reason != Reason.PAUSED or self.count.iterations >= limit):
                return reason

    @property
    def _target(self) -> float:
        return target_gap(
            self.rule, self.settings.eps, self.problem.largest_diagonal, self.objective
        )

    def _refine(self) -> bool:
        """Go on from the exact gradient at the points `kept`, if the errors of float32 columns hide
        the target gap.

        The errors of columns then count only for later changes of the weights. Return False if
        training does not go on.
        """
        if self.floor <= self._target or self.refined == _MOST_REFINED or not self.settings.certify:
            return False
        s = self._exact_gradient(self.problem, *super().weights())
        if s is None:
            return False
        self.refined += 1
        super().go_on_from(s)
        if self._shrinks:
            self._shrink(_WORTH_EXACT)
        return True

    def _exact_gradient(
        self,
        problem: SimplexProblem,
        indices: np.ndarray,
        weights: np.ndarray,
        kept: np.ndarray | slice | None = slice(None),
    ) -> np.ndarray | None:
        """Return the gradient of `problem`, or None if time runs out, or if errors hid a large
        part of the gap.
        """
        with contextlib.suppress(OutOfTime):
            s, _ = problem.screened_gradient(indices, weights, self.workers, True)
            self._counted += 0 if problem.is_given else len(s) * len(indices)
            if weights @ s[indices] - s[kept].min() <= self.floor:
                return s
            self.refined = 0
        return None

    def _needs_block(self) -> bool:
        is_far = (
            self.real.gap_seen > _GAP_FOR_BLOCKS * self.objective
            and self.count.iterations >= _LONG * self.count.active_size
        )
        return is_far and self.kept is None and self._block_size() > 0

    def _next_block(self) -> bool:
        """Go on from the exact gradient at all points with a new block.

        Return False if training does not go on.
        """
        indices, weights = self.weights()
        if self.floor <= self._target or (
            self.refined == _MOST_REFINED and self.floor > _DEEP * self.gap_before
        ):
            return False
        s = self._exact_gradient(self.whole, indices, weights, self.kept)
        if s is None:
            return False
        a = np.zeros(self.whole.size)
        a[indices] = weights
        self._go_on_with_block(a, s)
        return True

    def _block_size(self) -> int:
        """Return the number of points in the next block, or 0 if it would need too much memory or
        hold too large a share of the points.
        """
        size = max(_LEAST_POINTS, int(_SPACE * self.count.active_size))
        fits = self._copied_mb(size) <= _MOST_COPIED * self.settings.cache_mb
        return size if fits and size <= _MOST_BLOCK * self.whole.size else 0

    def _go_on_with_block(self, a: np.ndarray, s: np.ndarray) -> None:
        """Go on with the active points and those of lowest gradient, or with all.

        Both arrays are of all points.
        """
        gap, size, wanted = 2.0 * (float(a @ s) - s.min()), self._block_size(), a > 0.0
        wanted[
            np.argpartition(np.where(wanted, -np.inf, s), size)[:size] if size else slice(None)
        ] = True
        self.gap_before = gap if size else 0.0
        self.refined += (
            self.floor > max(_DEEP * self.gap_before, self._target) and self.refined < _MOST_REFINED
        )
        self._go_on_with(np.flatnonzero(wanted), a[wanted], s[wanted])
        self.restarted, self.real.gap_seen = True, gap

    def release(self) -> None:
        self._counted, self.problem = self.evaluations, self.whole
        self.cache = self.columns.kept = self.columns.memory = None

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        indices, weights = super().weights()
        return (indices if self.kept is None else self.kept[indices]), weights

    @property
    def gradient(self) -> np.ndarray | None:
        s = super().gradient
        if s is None or self.kept is None:
            return s
        known = np.full(self.whole.size, np.nan)
        known[self.kept] = s
        return known

    def go_on_from(self, s: np.ndarray) -> None:
        """Continue from the exact gradient at all points.

        Put back any points that were left out wrongly.
        """
        self.restarted = True
        if self.kept is None:
            super().go_on_from(s)
            return
        if s.min() < s[self.kept].min():
            self.wrongly_shrunk += 1
            self._shrinks = self.wrongly_shrunk < _MOST_FAILURES
        a = np.zeros(self.whole.size)
        a[self.kept] = self.state.a
        if self.gap_before:
            self._go_on_with_block(a, s)
            return
        wanted = self._wanted(a, s, self.whole.labels)
        if not (self._shrinks and self._pays(wanted, _WORTH)):
            wanted[:] = True
        self._go_on_with(np.flatnonzero(wanted), a[wanted], s[wanted])

    def set_dtype(self, dtype: DTypeLike) -> None:
        if self.kept is None:
            super().set_dtype(dtype)
        else:
            self._later = dtype

    @property
    def cache_mb(self) -> float:
        return super().cache_mb - (0.0 if self.kept is None else self._copied_mb(len(self.kept)))

    def _copied_mb(self, n: int) -> float:
        points = self.whole.matrix.points
        each = points.X.dtype.itemsize
        # a sparse copy also stores indices and, if its values are float32, a float64 copy of them
        if points.is_sparse:
            each += points.X.indices.dtype.itemsize + 8 * (points.X.dtype != np.float64)
        return 1e-6 * n * points.stored_per_point * each

    @staticmethod
    def _wanted(a: np.ndarray, s: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return a bool array of the points that have weight or may gain some soon."""
        wanted = a > 0.0
        for sign in (-1.0, 1.0):
            own = labels == sign
            active = s[wanted & own]
            wanted |= own & (s <= active.max() + _MARGIN * np.ptp(active) if len(active) else True)
        return wanted

    def _shrink(self, worth: float) -> None:
        a, s = self.state.a, self.state.s
        wanted = self._wanted(a, s, self.problem.labels)
        if self._pays(wanted, worth):
            points = np.arange(len(s)) if self.kept is None else self.kept
            copies = self.whole.matrix.points.stored_per_point >= _COPIED_FEATURES
            self._go_on_with(
                points[wanted], a[wanted], s[wanted], self.cache if copies else None, wanted
            )
            matrices = (self.whole.matrix, self.problem.matrix)
            ways = {
                (matrix.path, matrix.points.dot_precision(matrix.kernel, np.float32))
                for matrix in matrices
            }
            # new columns are computed in another way, with other errors
            self.restarted |= len(ways) > 1

    def _pays(self, wanted: np.ndarray, worth: float) -> bool:
        """Test whether a copy of the wanted points is small enough to save time and to fit into
        memory.
        """
        left = int(np.count_nonzero(wanted))
        fits = self._copied_mb(left) <= _MOST_COPIED * self.settings.cache_mb
        return fits and max(left, _LEAST_POINTS // 2) <= worth * len(wanted)

    def _go_on_with(
        self,
        points: np.ndarray,
        a: np.ndarray,
        s: np.ndarray,
        cache: Any = None,
        wanted: np.ndarray | None = None,
    ) -> None:
        """Continue with `points`.

        They may be the points `wanted` of a `cache`, whose columns are then kept.
        """
        old = self.state
        dtype = self._later or self.dtype
        everything = len(points) == self.whole.size
        if self.cache is not None:
            self._touched = max(self._touched, self.cache.filled_bytes)
        self._counted, self._later, self.cache = self.evaluations, None, None
        self.columns.next_problem()
        for each in (np.float32, np.float64):
            self.problem.matrix.release(each)
        self.kept = None if everything else points
        self.problem = self.whole if everything else self.whole.restricted_to(points)
        self._set_state(new_state(len(points))._replace(real=old.real, count=old.count))
        state = self.state
        state.a[:], state.s[:], state.diagonal[:] = a, s, self.problem.diagonal
        active = np.flatnonzero(a)
        state.active[: len(active)], state.position[active], state.penalty[active] = (
            active,
            np.arange(len(active)),
            0.0,
        )
        self.count.active_size, self.count.pending = len(active), -1
        # the old cache and the copy together exceed the limit
        if self._touched > 1e6 * self.cache_mb:
            self.columns.memory, self._touched = None, 0
        super().set_dtype(dtype)
        if cache is not None and dtype == cache.dtype and self.columns.memory is cache.memory:
            self.cache.take_over(cache, wanted, old.a)
        self.columns.next_problem()
        refresh_objective(state)
        find_extremes(state, len(points))
