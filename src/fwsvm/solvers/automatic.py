"""The method `auto`.

SWAP-2o runs first. If SWAP-2o is slow, a low-rank approximation, working sets or FCFW follow.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.kernels.matrix import GRAM_FEATURES
from fwsvm.machine_code.threads import OutOfTime
from fwsvm.problems.column_cache import cached
from fwsvm.solvers.coreset_drivers import new_step_driver
from fwsvm.solvers.corrective_driver import CorrectiveDriver, has_memory_for
from fwsvm.solvers.drivers import VALUES_BETWEEN_CHECKS, AllPointsDriver
from fwsvm.solvers.low_rank import LowRank
from fwsvm.solvers.methods.fcfw import METHOD as FCFW
from fwsvm.solvers.pair_values import MOST_PAIR_POINTS
from fwsvm.solvers.small_pairs import REPEATED
from fwsvm.solvers.state import Reason
from fwsvm.solvers.steps import target_gap
from fwsvm.solvers.working_sets import MEDIUM, SET_SIZE, WorkingSetDriver, can_have_working_sets

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fwsvm.problems.dual import SimplexProblem
    from fwsvm.solvers.drivers import Driver, Start
    from fwsvm.solvers.low_rank import Guess

# After SET_SIZE steps (and after 2, 4, 8, ... times as many), `auto` decides whether to change to
# another driver. If the problem has more points than a working set, `auto` changes to working sets
# in two cases. (1) The problem has more than MEDIUM points, and the gap exceeds the objective. (2)
# The gap exceeds the objective after REPEATED steps per active point. (As long as there are fewer
# steps per active point, most steps add a point, and SWAP-2o often ends soon.) With fewer than
# _LONG SET_SIZE / REPEATED points, a step is cheap, so in case (2), `auto` waits for more steps.
# If the whole kernel matrix fits into the memory, columns are at first computed one by one. The
# share _SHARE of the columns takes a third to a half of the time that matrix products need for the
# whole matrix. If the gap then exceeds the objective, and if matrix products can be used, they
# compute the whole matrix. If the gap is smaller, training needs only a few further columns.
# If the matrix does not fit and there are at least 2 GRAM_FEATURES features, matrix products
# compute several columns when a step needs a new one: 1 + _SHARE n if n are cached. These are the
# columns of the points with the lowest gradients, and later steps need most of them. (With
# 64 to 100 features, single columns take 0.75 to 1.0 of the time.)
_SHARE = 0.125
# If working sets can be used, and there are more than SET_SIZE points (or more than
# MOST_PAIR_POINTS dense points with fewer than GRAM_FEATURES features), `auto` tries a low-rank
# approximation once, after m/4 steps for m points. It also tries it for more than MOST_PAIR_POINTS
# points with given kernel values. The approximation takes about as long as these m/4 steps. `auto`
# tries it only if the gap exceeds twice the objective. With working sets and more than SET_SIZE
# points, most steps must also have added a point.
#
# If the problem's `largest_diagonal` (without sample weights, max Q_ii) exceeds _ILL m times the
# smallest diagonal shift, `auto` changes to FCFW instead of working sets, after _LONG steps per
# active point. There must be memory for the equations of a Newton step. `auto` does not change
# earlier, because SWAP-2o often ends within _LONG steps per active point, and then takes a fifth of
# the time of FCFW.
_ILL, _LONG = 2.0, 8
# If working sets cannot be used (for example, because there are at most SET_SIZE points) and all
# diagonal shifts are positive, `auto` also changes to FCFW, after _LONG steps per active point, and
# not before its steps have updated _CUBED n^3 gradient entries, where n is the number of active
# points. These steps have then taken about as long as FCFW will take.
_CUBED = 0.2
# `floor` is the smallest gap that float32 columns can resolve. `floor` is multiplied by _FINER each
# time training computes the exact gradient and continues with float32 columns.
_FINER = 0.125


def new_driver(start: Start) -> Driver:
    return new_step_driver(start) if start.settings.selection.sampled else SwapDriver(start)


def _is_ill_conditioned(problem: SimplexProblem) -> bool:
    shift = np.min(problem.shift)
    return bool(shift > 0.0 and problem.largest_diagonal > _ILL * problem.size * shift)


def _can_guess_from_given_values(start: Start) -> bool:
    """Test whether the user gave kernel values, and a low-rank approximation of them can be tried.

    With several values of C, the columns are shared instead.
    """
    keeps = start.columns is not None and start.columns.keeps
    is_given = start.problem.kernel_path == "precomputed"
    return is_given and not keeps and bool(np.min(start.problem.shift) > 0.0)


class SwapDriver(AllPointsDriver):
    """The driver of SWAP-2o, which runs until SWAP-2o ends or another driver is likely to be
    faster.
    """

    refined = 0  # how many times training has continued from an exact gradient
    begins_with_matrix = False

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        gets_matrix = self._can_multiply() and not self.in_blocks
        self._matrix_at: float = int(_SHARE * start.problem.size) if gets_matrix else np.inf
        self._is_ill = _is_ill_conditioned(start.problem)
        can_have_sets = can_have_working_sets(start)
        self._can_have_sets = can_have_sets and start.problem.size > SET_SIZE
        self._trial_ends: float = SET_SIZE
        self._guess_at: float = np.inf
        is_dense = start.problem.kernel_path == "dense-loop"
        can_guess = _can_guess_from_given_values(start) or (can_have_sets and is_dense)
        if self._can_have_sets or (can_guess and start.problem.size > MOST_PAIR_POINTS):
            self._guess_at = start.problem.size // 4
        self._guess: Guess | None = None
        self._computed = 0

    @property
    def evaluations(self) -> int:
        return self._computed

    @property
    def floor(self) -> float:
        return super().floor * _FINER**self.refined

    def run(self, limit: int) -> Reason:
        """Train like `AllPointsDriver.run`.

        The decision to change to another driver does not depend on `limit`.
        """
        while True:
            ends = min(limit, self._trial_ends, self._guess_at, self._matrix_at)
            reason = super().run(int(ends))
            if reason == Reason.NEEDS_COLUMN and self._load_block():
                continue
            if reason == Reason.CONVERGED and self._refine():
                continue
            if reason == Reason.PAUSED and self.count.iterations >= self._matrix_at:
                self._matrix_at = self._after_matrix()
            elif reason == Reason.PAUSED and self.count.iterations >= self._guess_at:
                self._guess_at = np.inf
                self._guess = self._low_rank_guess()
                self.should_switch = self._guess is not None
            elif reason == Reason.PAUSED and self.count.iterations >= self._trial_ends:
                self._trial_ends *= 2
                self.should_switch = self._is_slow()
            if reason != Reason.PAUSED or self.should_switch or self.count.iterations >= limit:
                return reason

    def set_dtype(self, dtype: DTypeLike) -> None:
        super().set_dtype(dtype)
        problem: Any = self.problem
        self.in_blocks = (
            problem.compares_blocks
            and problem.matrix.n_features >= 2 * GRAM_FEATURES
            and self._can_multiply()
            and not self.cache.has_room_for_matrix
        )

    def _load_block(self) -> bool:
        """Compute the column that the next step needs, together with other columns.

        Return False if the time limit is reached.
        """
        slots, m = self.cache.arrays.slots, self.problem.size
        n_cached = len(cached(slots))
        most = min(len(slots.owner) - n_cached, max(1, VALUES_BETWEEN_CHECKS // m))
        n = min(most, 1 + int(_SHARE * n_cached))
        s = np.where(slots.slot_of < 0, self.state.s, np.inf)
        s[self.count.fw_vertex] = -np.inf
        lowest = np.argpartition(s, n - 1)[:n]
        with contextlib.suppress(OutOfTime):
            self.cache.load_block(self.problem, lowest[s[lowest] < np.inf], self.workers)
            return True
        return False

    def _can_multiply(self) -> bool:
        """Test whether matrix products can compute kernel values."""
        matrix = getattr(self.problem, "matrix", None)
        return matrix is not None and bool(matrix.multiplies(self.dtype))

    def _after_matrix(self) -> float:
        """Compute the whole kernel matrix if enough columns have been computed one by one and the
        gap exceeds the objective. Return the total number of steps after which this is tested
        again, or infinity if the matrix was computed.
        """
        m = self.problem.size
        missing = _SHARE * m - len(cached(self.cache.arrays.slots))
        if missing > 0 or self.real.gap_seen <= self.objective:
            # a step needs up to two columns
            return self.count.iterations + max(1, m // 32, int(missing / 2))
        self.has_whole_matrix = True
        self.cache.compute_all(self.problem, self.workers)
        return np.inf

    def _low_rank_guess(self) -> Guess | None:
        """Return the solution for a low-rank approximation of the kernel matrix.

        Return None if SWAP-2o is likely to be faster, or if the approximation needs too much time
        or memory. If working sets cannot follow, also return None if the approximation is not
        precise.
        """
        adds_points = self.count.active_size >= 0.5 * self.count.iterations
        is_small = not self._can_have_sets
        if not ((adds_points or is_small) and self.real.gap_seen > 2.0 * self.objective):
            return None
        problem: Any = self.problem  # `problem` is a KernelProblem, because `_guess_at` was finite
        columns, slots = self.cache.arrays
        room_mb = 1e-6 * columns[len(cached(slots)) :].nbytes  # the memory of empty slots
        low_rank = LowRank(problem, self.settings, room_mb, self.rng, self.workers)
        guess = None
        with contextlib.suppress(OutOfTime, np.linalg.LinAlgError):
            if low_rank.is_promising():
                guess = low_rank.guess(*self.weights())
        self._computed += low_rank.evaluations
        # if working sets cannot follow, more steps are better than a solution that is not precise
        return None if is_small and guess is not None and guess.s is None else guess

    def _is_slow(self) -> bool:
        steps, active = self.count.iterations, self.count.active_size
        m, gap = self.problem.size, self.real.gap_seen
        if self._takes_newton_steps():
            return steps >= _LONG * active and (self._is_ill or m * steps >= _CUBED * active**3)
        if not self._can_have_sets:
            return False
        repeats = steps >= max(REPEATED, _LONG * SET_SIZE / m) * active
        return gap > self.objective and (m > MEDIUM or repeats)

    def _takes_newton_steps(self) -> bool:
        """Test whether FCFW is likely to be faster than working sets, and has enough memory.

        FCFW needs one equation per support vector. About half of the points whose gradient is below
        the objective become support vectors.
        """
        violators = int(np.count_nonzero(self.state.s < self.objective))
        expected = self.count.active_size + violators // 2
        can = self._is_ill or (not self._can_have_sets and np.min(self.problem.shift) > 0.0)
        return can and has_memory_for(expected, self.settings.cache_mb)

    def _refine(self) -> bool:
        """If float32 columns cannot resolve the target gap, compute the exact gradient, and
        continue from it.

        After the exact gradient is computed, the errors of the columns affect only later changes of
        the weights. Return True if training continues from the exact gradient. Otherwise, return
        False, for example because the time limit is reached.
        """
        target = target_gap(
            self.rule, self.settings.eps, self.problem.largest_diagonal, self.objective
        )
        if self.floor <= target or not self.settings.certify:
            return False
        indices, weights = self.weights()
        with contextlib.suppress(OutOfTime):
            s, _ = self.problem.screened_gradient(indices, weights, self.workers, True)
            self._computed += 0 if self.problem.is_given else len(s) * len(indices)
            if weights @ s[indices] - s.min() <= self.floor:
                self.refined += 1
                self.go_on_from(s)
                return True
            self.refined = 0
        return False

    def release(self) -> None:
        self.columns.kept = self.columns.memory = None
        self.cache = None

    def next_driver(self, start: Start) -> Driver:
        if self._guess is not None and self.problem.is_given:
            # given columns cost no time, so SWAP-2o goes on from the guess, without another guess
            indices, weights, _ = self._guess
            driver = SwapDriver(replace(start, indices=indices, weights=weights))
            driver._guess_at = np.inf
            return driver
        if self._guess is not None or not self._takes_newton_steps():
            return WorkingSetDriver(start, self._guess)
        seen = (self.real.gap_seen, self.objective, self.state.s, start.indices, start.weights)
        return CorrectiveDriver(replace(start, method=FCFW), seen)
