"""Training on working sets of about 1,000 points.

Three steps are repeated: a working set is chosen, the fast block loop solves the QP over the
working set, and the gradient is updated.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.kernels.row_cache import RowCache
from fwsvm.machine_code.threads import OutOfTime
from fwsvm.problems.column_cache import room_for_columns
from fwsvm.solvers.block_loop import all_slots, minimise_block, set_block
from fwsvm.solvers.drivers import Driver
from fwsvm.solvers.low_rank import LowRank
from fwsvm.solvers.state import FLOAT32_GAP, Reason, Step, new_state
from fwsvm.solvers.steps import AIM, target_gap

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fwsvm.problems.dual import KernelProblem
    from fwsvm.solvers.drivers import Start
    from fwsvm.solvers.low_rank import Guess
    from fwsvm.solvers.state import State

# Point i violates the optimality condition if its gradient s_i is below the objective R, or if it
# is active and s_i > R. Its violation is |s_i - R|. A working set has at most SET_SIZE points. At
# most half of these points are kept from the last working set, in which they were new. The other
# points are chosen at random from the points whose violation is at least _WORTH times the largest
# violation on the same side of R. If only the worst points were taken, they would often be near
# each other. The spread is the difference between the highest gradient of an active point and the
# lowest gradient. A new working set is chosen when the spread within the working set has fallen to
# INNER times the spread over all points of the subset (see below), or after _MOST_STEPS steps per
# point of the working set.
SET_SIZE, _WORTH, INNER, _MOST_STEPS = 1024, 0.2, 0.1, 10
# Training uses a subset of all points, and chooses the working sets from this subset. The first
# subset is a guess of the support vectors (SVs). If the SVs cannot be guessed, the subset has at
# most SET_SIZE random points, half of them from each class, and the active points of the start.
# Later, the likely SVs are the active points and the points with s_i < R. The size of the next
# subset is _SPACE times the number of likely SVs, and at least 2 SET_SIZE. Training continues with
# all points if _SPACE times this size is more than the number of all points, or if two certificates
# have shown that a subset was wrong (`wrongly_shrunk`). The subset usually changes when the gap
# within the subset meets the stopping rule. If the last gap over all points was larger than R, the
# subset already changes when the gap within the subset has fallen to INNER R.
_SPACE = 1.5
# The matrix Q over a working set takes at most the share _SQUARE of the memory for columns.
_SQUARE = 0.25

# With at most MEDIUM points, a step over all points is cheap, and so is a column.
MEDIUM = 10_000


def can_have_working_sets(start: Start) -> bool:
    problem: KernelProblem = start.problem
    keeps = start.columns is not None and start.columns.keeps
    if keeps or not problem.compares_blocks or not np.min(problem.shift) > 0.0:
        return False
    # For sparse points far from the origin, blocks of kernel values take longer than columns.
    is_costly = problem.matrix.points.is_sparse and not problem.matrix.is_near
    return not is_costly or problem.size > MEDIUM


class WorkingSetDriver(Driver):
    """A driver that trains on a subset of the points, `kept`, with working sets. Each time the gap
    within the subset is small enough, the subset is changed, until the stopping rule holds over all
    points.

    `a` and `s` are the weights and the gradient at the points `kept` (ascending indices). All other
    weights are 0.
    """

    sampler, is_whole = None, True

    problem: KernelProblem
    a: np.ndarray
    s: np.ndarray
    block: State
    _places: Any

    def __init__(self, start: Start, guess: Guess | None = None) -> None:
        super().__init__(start)
        problem = start.problem
        self._set_state(new_state(1))
        self._begin_protocol()
        self._counted, self._gap_before = 0, np.inf
        self.dtype = np.dtype(start.dtype)
        self.rows: Any = None
        self._refines, self._gap_refined = self.settings.certify, np.inf
        indices = np.asarray(start.indices, np.int64)
        a = np.zeros(problem.size)
        a[indices] = start.weights
        self._begin(a, guess)
        self._measure()

    def _begin(self, a: np.ndarray, guess: Guess | None) -> None:
        """Begin with the `guess` of the solution. If `guess` is None, try to make a guess. If no
        guess can be made, begin with the start `a` and random points.
        """
        try:
            guess = guess or self._guess(a)
            if guess is not None:
                self._begin_with_guess(guess)
                return
        except OutOfTime:
            pass
        classes = [np.flatnonzero(self.problem.labels == y) for y in (-1.0, 1.0)]
        chosen = [self._drawn(members, SET_SIZE // 2) for members in classes]
        # the time limit does not apply here, because a start must be complete and has few points
        with self.workers.without_clock():
            self._begin_with(np.union1d(np.flatnonzero(a), np.concatenate(chosen)), a)

    def _guess(self, a: np.ndarray) -> Guess | None:
        indices = np.flatnonzero(a)
        room_mb = 0.5 * room_for_columns(self.settings.cache_mb)
        low_rank = LowRank(self.problem, self.settings, room_mb, self.rng, self.workers)
        with contextlib.suppress(np.linalg.LinAlgError):
            guess = low_rank.guess(indices, a[indices])
            self._counted += low_rank.evaluations
            return guess
        return None

    def _begin_with_guess(self, guess: Guess) -> None:
        a = np.zeros(self.problem.size)
        a[guess.indices] = guess.weights
        if guess.s is None:
            self._begin_with(guess.indices, a)
            return
        self._keep(guess.indices, a, guess.s, exact=False)

    def _begin_with(self, kept: np.ndarray, a: np.ndarray) -> None:
        indices, s = np.flatnonzero(a), np.zeros(self.problem.size)
        s[kept] = self.problem.gradient_at(kept, indices, a[indices], self.dtype, self.workers)
        self._counted += len(kept) * len(indices)
        self._keep(kept, a, s, exact=self.dtype == np.float64)

    def _keep(self, kept: np.ndarray, a: np.ndarray, s: np.ndarray, exact: bool = True) -> None:
        """Continue training with the points `kept`.

        The weights `a` and the gradient `s` are given at all m points. `exact` is true if s is
        exact at the points `kept`.
        """
        self.kept, self.a, self.s = kept, a[kept], s[kept]
        self.shifts = np.broadcast_to(self.problem.shift_at(kept), len(kept)).astype(np.float64)
        if self.rows is None or len(self.rows.kept) != len(kept) or np.any(self.rows.kept != kept):
            self._counted = self.evaluations
            room_mb = room_for_columns(self.settings.cache_mb)
            self.rows, itemsize = None, self.dtype.itemsize
            self._most = min(SET_SIZE, int(np.sqrt(_SQUARE * 1e6 * room_mb / itemsize)))
            room_mb -= 1e-6 * itemsize * self._most**2
            self.rows = RowCache(self.problem, kept, self.dtype, room_mb, self.workers)
            self._previous = np.empty(0, np.int64)
        self.exact_a = self.a.copy() if exact else np.zeros(len(kept))
        self._places = None  # positions in `kept` of the points of the current working set, or None
        self.diagonal = self.problem.diagonal[kept]

    @property
    def evaluations(self) -> int:
        return self._counted + (0 if self.rows is None else self.rows.evaluations)

    @property
    def is_part(self) -> bool:
        return len(self.kept) < self.problem.size

    @property
    def points_updated(self) -> int:
        return min(SET_SIZE, self.problem.size)

    @property
    def _change(self) -> np.ndarray:
        n = len(self._places)
        change: np.ndarray = self.block.a[:n] - self.a[self._places]
        return change

    @property
    def objective(self) -> float:
        if self._places is None:
            return self.real.objective
        return self.real.objective + float(
            self._change @ (self.s[self._places] + self.block.s[: len(self._places)])
        )

    @property
    def gap(self) -> float:
        if self._places is None:
            return 2.0 * (self.real.objective - float(self.s.min()))
        s = self.s.copy()
        # the time limit does not apply: reading the gap can compute rows, but must not end training
        with self.workers.without_clock():
            self._add_change(s)
        return 2.0 * (self.objective - float(s.min()))

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        a = self.a
        if self._places is not None:
            a = a.copy()
            a[self._places] = self.block.a[: len(self._places)]
        active = np.flatnonzero(a > 0.0)
        return self.kept[active], a[active]

    def release(self) -> None:
        self._counted, self.rows = self.evaluations, None

    def run(self, limit: int) -> Reason:
        try:
            return self._run(limit)
        except OutOfTime:
            return Reason.PAUSED

    def _run(self, limit: int) -> Reason:
        count = self.count
        while True:
            if self._places is None:
                if self._is_solved():
                    return Reason.CONVERGED
                if count.iterations >= limit:
                    return Reason.PAUSED
                self._open()
            before = self.block.count.iterations, self.block.count.drop_steps
            most = min(limit - count.iterations, self._steps_left)
            reason = minimise_block(
                self.block,
                len(self._places),
                self._Q,
                self._slots,
                self._tolerance,
                0.0,
                before[0] + most,
            )
            made = self.block.count.iterations - before[0]
            count.iterations += made
            count.swap_steps += made
            count.requested += 2 * len(self._places) * made
            count.drop_steps += self.block.count.drop_steps - before[1]
            count.last_step, self.real.step_length = Step.SWAP, self.block.real.step_length
            self._steps_left -= made
            if reason == Reason.PAUSED and self._steps_left > 0:
                return Reason.PAUSED
            if not self._close():
                return Reason.NO_PROGRESS

    def _measure(self) -> None:
        """Compute and store the objective, the gap within `kept` and the number of active
        points.
        """
        self.real.objective = R = float(self.a @ self.s)
        self.real.gap_seen = 2.0 * (R - float(self.s.min()))
        self.count.active_size = int(np.count_nonzero(self.a))

    def _is_solved(self) -> bool:
        """Test whether training can end. With a certificate, the stopping rule must hold within
        `kept`. Without a certificate, the rule must hold at all points.

        If training cannot end but the gap within `kept` is small, compute the gradient at all
        points, choose `kept` anew, and test again.
        """
        while True:
            R, gap = self.real.objective, self.real.gap_seen
            target = AIM * target_gap(self.rule, self.settings.eps, self.real.largest_diagonal, R)
            enough = target
            if self.is_part and self._gap_before > R:
                enough = max(target, INNER * min(self._gap_before, R))
            elif not self.is_part and self.dtype == np.float32 and self._refines:
                changed = min(float(np.abs(self.a - self.exact_a).sum()), 1.0)
                enough = max(target, FLOAT32_GAP * self.real.largest_diagonal * changed)
            if gap > enough:
                return False
            if gap <= target and (self.settings.certify or not self.is_part):
                # the certificate, if there is one, tests the rule at all points with exact values
                return True
            indices, weights = self.weights()
            if self.is_part:
                s, rest = np.empty(self.problem.size), np.ones(self.problem.size, bool)
                s[self.kept], rest[self.kept] = self.s, False
                rest = np.flatnonzero(rest)
                s[rest] = self.problem.gradient_at(rest, indices, weights, self.dtype, self.workers)
                self._counted += len(rest) * len(indices)
            else:
                s = self.problem.gradient(indices, weights, self.workers)
                self._refines = (
                    2.0 * (float(weights @ s[indices]) - float(s.min())) <= 0.5 * self._gap_refined
                )
                self._gap_refined = gap
                self._counted += len(s) * len(indices)
            self._go_on(s, exact=not self.is_part)

    def go_on_from(self, s: np.ndarray) -> None:
        """Continue from the exact gradient at all points."""
        if self.is_part and s.min() < s[self.kept].min():
            self.wrongly_shrunk += 1
        self._go_on(s, more=self.kept if self.wrongly_shrunk else slice(0))

    def _go_on(self, s: np.ndarray, exact: bool = True, more: Any = slice(0)) -> None:
        a = np.zeros(self.problem.size)
        indices, weights = self.weights()
        a[indices] = weights
        R, m = float(weights @ s[indices]), self.problem.size
        self._gap_before = 2.0 * (R - float(s.min()))
        wanted = a > 0.0
        size = max(2 * SET_SIZE, int(_SPACE * np.count_nonzero(wanted | (s < R))))
        can = self.problem.compares_blocks and _SPACE * size <= m and self.wrongly_shrunk < 2
        if can:
            wanted[more] = True
            wanted[np.argpartition(np.where(wanted, -np.inf, s), size)[:size]] = True
        self._keep(np.flatnonzero(wanted) if can else np.arange(m), a, s, exact)
        self._measure()

    def set_dtype(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.release()

    def _open(self) -> None:
        """Choose a working set."""
        s, a, R, n = self.s, self.a, self.real.objective, len(self.kept)
        high = np.where(a > 0.0, s, -np.inf)
        lowest, highest = float(s.min()), float(high.max())
        most = self._most
        if n <= most:
            places = np.arange(n)
        else:
            low = s.copy()
            previous = self._previous
            low[previous], high[previous] = np.inf, -np.inf
            k = max((most - len(previous)) // 2 - 1, 1)
            lows = self._drawn(np.flatnonzero(low <= R - _WORTH * (R - lowest)), k)
            high[lows] = -np.inf
            highs = self._drawn(np.flatnonzero(high >= R + _WORTH * (highest - R)), k)
            extremes = [int(s.argmin()), int(np.where(a > 0.0, s, -np.inf).argmax())]
            new = np.concatenate([lows, highs])
            places = np.unique(np.concatenate([previous, new, extremes]))
            self._previous = self._drawn(new, most // 2)
        n = len(places)
        self._Q = self.rows.square(places, self.shifts[places])
        self._places = places
        if not hasattr(self, "block") or len(self.block.a) < n:
            self.block = new_state(min(SET_SIZE, self.problem.size))
            self._slots = all_slots(len(self.block.a))
        set_block(self.block, a[places], s[places], self.diagonal[places])
        self._tolerance = INNER * (highest - lowest)
        self._steps_left = _MOST_STEPS * n

    def _drawn(self, places: np.ndarray, most: int) -> np.ndarray:
        """Return all `places` if their number is at most `most`. Otherwise, choose `most` places at
        random, and return the chosen places.
        """
        return places if len(places) <= most else self.rng.choice(places, most, replace=False)

    def _add_change(self, s: np.ndarray) -> int:
        change = self._change
        changed = np.flatnonzero(change)
        self.rows.add_to(s, self._places[changed], change[changed])
        s[self._places] += self.shifts[self._places] * change
        return len(changed)

    def _close(self) -> bool:
        """Update the gradient at the points `kept`. Return False if no weight has changed, and True
        otherwise.
        """
        changed = self._add_change(self.s)
        self.count.requested += changed * len(self.kept)
        self.a[self._places] = self.block.a[: len(self._places)]
        self._places = None
        self._measure()
        return changed > 0
