"""The driver of FCFW.

Two steps alternate. First, a block of points that violate the optimality condition joins the active
points. Then the QP over the active points is solved.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.kernels.growing_gram import GrowingGram
from fwsvm.machine_code.threads import OutOfTime
from fwsvm.problems.column_cache import room_for_columns
from fwsvm.solvers.drivers import AllPointsDriver, Driver
from fwsvm.solvers.low_rank import LowRank
from fwsvm.solvers.methods.swap2o import METHOD as SWAP2O
from fwsvm.solvers.pair_values import MOST_PAIR_POINTS
from fwsvm.solvers.restricted import MOST_NEWTON_STEPS, Restricted
from fwsvm.solvers.state import Reason, Step, new_state
from fwsvm.solvers.steps import target_gap
from fwsvm.solvers.working_sets import INNER, SET_SIZE, WorkingSetDriver, can_have_working_sets

if TYPE_CHECKING:
    from collections.abc import Callable

    from fwsvm.problems.dual import KernelProblem
    from fwsvm.solvers.drivers import Start
    from fwsvm.solvers.low_rank import Guess

# If the support vectors (SVs) cannot be guessed, FCFW starts with the points of the start and at
# most SET_SIZE // 4 random points of each class. Let R be the objective. The violation of point i
# is 1 - s_i / R. Points that are not active and whose violation exceeds half of the allowed one are
# called violators. The violators that join the active points at the same time are called a block. A
# block has at most SET_SIZE // 2 points, or at most half as many points as there are active points,
# whichever is more. If there are more violators, half of the block are the worst violators, and the
# other half is random.
# Tolerances of QPs and violations have the same unit, the margin (1 in `Restricted`). The first
# tolerance is INNER / 2, or less if FCFW follows another method. Near the end of training, the
# tolerance of a QP is usually _VIOLATION_SHARE times the violation that the stopping rule allows.
_VIOLATION_SHARE = 0.25


def has_memory_for(equations: int, cache_mb: float) -> bool:
    """Test whether the memory for columns is large enough for a Newton step with this number of
    equations.
    """
    return 8 * equations * equations <= 1e6 * room_for_columns(cache_mb)


def swap_driver(start: Start) -> Driver:
    return AllPointsDriver(replace(start, method=SWAP2O))


class CorrectiveDriver(Driver):
    """The driver of FCFW. An iteration is a Newton step.

    Training begins with guessed SVs, or with random points if there is no guess. If another method
    ran before, `seen` is its result (see `lowest`), and training begins with this result or with a
    better guess. `should_switch` becomes true if Newton's method fails. The cause of a failure is
    rounding errors, an indefinite kernel matrix, or too little memory for the equations.
    """

    floor = 0.0  # any gap can be reached, because exact gradients correct the errors of float32
    points_updated = 1 << 40  # this large value causes a time check after every Newton step
    sampler, is_whole = None, True
    problem: KernelProblem

    def __init__(self, start: Start, seen: Any = None) -> None:
        super().__init__(start)
        problem, settings = start.problem, start.settings
        self._dtype_before = start.dtype
        # The default is float64, because with a small diagonal shift, errors of float32 values
        # would hide the solution.
        self.dtype = np.dtype(np.float32 if settings.column_dtype == "float32" else np.float64)
        self._set_state(new_state(problem.size))
        self.gram = GrowingGram(problem.matrix, self.dtype, self.workers)
        self.part = Restricted(self.gram, problem, room_for_columns(settings.cache_mb))
        # `f` is P g (see `Restricted`) at all m points, for the multipliers `g_seen` of the last
        # pass over the data.
        self.f = np.zeros(problem.size)
        self.g_seen = np.zeros(problem.size)
        self.tolerance, self.is_last, self.made = INNER / 2, False, 0
        self.rounds_without_steps = 0  # consecutive passes over all points without a Newton step
        # While violations are large (`is_far`), points can join the active points although negative
        # multipliers remain (`is_rough`).
        self.is_far = self.is_rough = False
        # `weights()` returns these points and weights of the start as long as no multiplier is
        # positive.
        order = np.argsort(start.indices)
        self.start = (start.indices[order], start.weights[order])
        self._guessing = 0
        self.is_late = False
        # If FCFW follows another method, `lowest` is a tuple of the gap, the objective, the
        # gradient, the indices and the weights at the lowest gap so far. Otherwise, `lowest` is
        # None.
        self.lowest: Any = seen
        self._lowest_gap = np.inf if seen is None else seen[0]
        # True if training ended right after a QP. If it is true, or if `lowest` is None,
        # `objective` and `weights()` are the current ones. Otherwise, they are those of `lowest`.
        self.ended = False
        self.start_objective = np.inf if seen is None else seen[1]
        self.real.gap_seen = np.nan if seen is None else seen[0]
        self._unless_late(self._begin if seen is None else self._begin_with_start)

    def next_driver(self, start: Start) -> Driver:
        start = replace(start, method=SWAP2O, dtype=self._dtype_before)
        has_sets = can_have_working_sets(start) and start.problem.size > SET_SIZE
        return WorkingSetDriver(start) if has_sets else AllPointsDriver(start)

    def _unless_late(self, work: Callable[..., Any]) -> Any:
        """Return the result of `work()`.

        If the time limit is reached, return PAUSED now and in all later calls.
        """
        if self.is_late:
            return Reason.PAUSED
        try:
            return work()
        except OutOfTime:
            self.is_late = True
            return Reason.PAUSED

    def _begin(self) -> None:
        guess = self._guess(is_precise=False)
        if guess is not None:
            self._begin_with(guess.indices, guess.weights)
            return
        classes = (
            np.flatnonzero(self.problem.labels > 0),
            np.flatnonzero(self.problem.labels <= 0),
        )
        chosen = [self.rng.permutation(members)[: SET_SIZE // 4] for members in classes]
        self._join(np.union1d(self.start[0], np.concatenate(chosen)))

    def _begin_with_start(self) -> None:
        """Begin with the precise solution of a low-rank approximation, if the approximation needs
        few features. Otherwise, or if there are at most MOST_PAIR_POINTS points, begin with the
        points and weights of the start. They are nearer to the optimum than a rough solution of a
        first QP would be.
        """
        gap, objective = self.lowest[:2]
        guess = None
        if self.problem.size > MOST_PAIR_POINTS:
            guess = self._guess(is_precise=True)
        if guess is not None:
            gap = target_gap(self.rule, self.settings.eps, self.problem.largest_diagonal, objective)
        self.tolerance = min(INNER / 2, 0.5 * _VIOLATION_SHARE * gap / objective)
        self._begin_with(*(self.start if guess is None else guess[:2]))

    def _guess(self, is_precise: bool) -> Guess | None:
        """Return the solution of a low-rank approximation, or None if there is none. If
        `is_precise` is true, the approximation must be precise and need few features.
        """
        room_mb, guess = 0.5 * room_for_columns(self.settings.cache_mb), None
        low_rank = LowRank(self.problem, self.settings, room_mb, self.rng, self.workers)
        with contextlib.suppress(np.linalg.LinAlgError):
            if not is_precise or low_rank.is_promising():
                guess = low_rank.guess(*self.start)
        self._guessing = low_rank.evaluations
        return None if guess is None or (is_precise and guess.s is None) else guess

    def _begin_with(self, indices: np.ndarray, weights: np.ndarray) -> None:
        self.part.extend(indices, len(indices))
        self.part.set_points(np.zeros(len(indices)), np.zeros(len(indices)))
        self.part.move(weights)
        R = float(weights @ (self.part.shift * weights + self.part.f))
        self.part.g, self.part.f = self.part.g / R, self.part.f / R

    @property
    def evaluations(self) -> int:
        return self._guessing + self.gram.evaluations

    @property
    def objective(self) -> float:
        """Return the exact objective at `weights()`, even between two passes over all points.

        The result is NaN if no multiplier is positive.
        """
        if self.lowest is not None and not self.ended:
            objective: float = self.lowest[1]
            return objective
        with self.workers.without_clock():
            g, f = self.part.without_negative()
        total = g.sum()
        return float(g @ (self.part.shift * g + f)) / total**2 if total > 0.0 else np.nan

    @property
    def gap(self) -> float:
        """Return the gap at the last pass over all points, or NaN before the first pass."""
        return self.real.gap_seen

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        if self.lowest is not None and not self.ended:
            weights: tuple[np.ndarray, np.ndarray] = self.lowest[3:]
            return weights
        active = np.flatnonzero(self.part.g > 0.0)
        active = active[np.argsort(self.gram.points[active])]
        if len(active) == 0:
            return self.start
        return self.gram.points[active], self.part.g[active] / self.part.g[active].sum()

    def run(self, limit: int) -> Reason:
        try:
            reason: Reason = self._unless_late(lambda: self._run(limit))
        except np.linalg.LinAlgError:
            self.should_switch = True
            return Reason.PAUSED
        return reason

    def release(self) -> None:
        self.gram.release()

    def _run(self, limit: int) -> Reason:
        part, count = self.part, self.count
        while True:
            if self.rounds_without_steps > MOST_NEWTON_STEPS:
                raise np.linalg.LinAlgError("rounding errors hide any progress")
            self.rounds_without_steps += 1
            while not self._is_solved():
                if count.iterations >= limit:
                    return Reason.PAUSED
                self.real.step_length = part.step(self.tolerance)
                self.made += 1
                self.rounds_without_steps = 0
                if self.made > MOST_NEWTON_STEPS:
                    raise np.linalg.LinAlgError("Newton's method does not converge")
                count.iterations += 1
                count.last_step = Step.NEWTON
                count.active_size = int(np.count_nonzero(part.g > 0.0))
            if not self.is_rough and (part.g < 0.0).any():
                part.move(np.maximum(-part.g, 0.0))
            if self.is_last and self.settings.certify:
                self.is_last, self.ended = False, True
                self._note(part.shift * part.g + part.f)
                return Reason.CONVERGED
            self._update_gradient()
            if self._grow():
                return Reason.CONVERGED

    def _is_solved(self) -> bool:
        """Test whether the QP over the active points is solved, and set negative multipliers to 0
        if it stays solved.

        Setting many negative multipliers to 0 can shift the gradients of a whole class, so that the
        QP does not stay solved. While violations are large, the multipliers then remain negative,
        `is_rough` is set, and the result is True. Otherwise, the result is False, and a few more
        Newton steps follow.
        """
        part = self.part
        if part.residual() > self.tolerance:
            return False
        self.is_rough = not part.clip(2.0 * self.tolerance) and self.is_far
        return self.is_rough or not (part.g < 0.0).any()

    def _update_gradient(self) -> None:
        points, part = self.gram.points, self.part
        change = part.g - self.g_seen[points]
        changed = np.flatnonzero(change)
        signed = change[changed] * part.labels[changed]
        self.f += self.problem.labels * (
            self.gram.spread(changed, signed) + self.problem.offset * signed.sum()
        )
        self.f[points], self.g_seen[points] = part.f, part.g

    def go_on_from(self, s: np.ndarray) -> None:
        """Continue with the gradient s at all points, float64 (m,)."""
        self.ended = False
        points, part = self.gram.points, self.part
        self.g_seen[points] = part.g
        self.f[:] = s * part.g.sum() - self.problem.shift_at(slice(None)) * self.g_seen
        part.f = self.f[points]
        # `run` will meet the same error again, and handle it
        with contextlib.suppress(np.linalg.LinAlgError):
            self._unless_late(self._grow)

    def _grow(self) -> bool:
        """Add a block of violators to the active points, and return False. If many active points
        have the multiplier 0 and are far above the margin, remove these points first.

        If the stopping rule is met, add no points and return True. Raise LinAlgError if rounding
        errors have made the objective larger than at the start.
        """
        part, points, settings = self.part, self.gram.points, self.settings
        gradient = self.f.copy()
        gradient[points] += part.shift * part.g
        R, total = self._note(gradient[points]), part.g.sum()
        if self.start_objective < R and not self.is_rough:
            raise np.linalg.LinAlgError(
                "the objective is larger than at the start: rounding errors are too large"
            )
        mean, lowest = R * total, int(np.argmin(gradient))
        gap = 2.0 * (mean - gradient[lowest]) / total
        self.count.fw_vertex = lowest
        self.state.s[:] = gradient / total
        target = target_gap(self.rule, settings.eps, self.problem.largest_diagonal, R)
        if not self.is_rough:
            self.real.gap_seen = gap
            if gap < self._lowest_gap < np.inf:
                self.lowest = None
                self._lowest_gap, self.lowest = gap, (gap, R, self.state.s.copy(), *self.weights())
            if gap <= target:
                return True
        allowed = 0.5 * target / R  # largest allowed violation
        violation = 1.0 - gradient / mean
        violation[points] = 0.0
        new = np.flatnonzero(violation > 0.5 * allowed)
        worst = float(violation.max())
        if len(new):
            self.tolerance = min(self.tolerance, max(_VIOLATION_SHARE * allowed, 0.01 * worst))
        else:
            self.tolerance = min(self.tolerance / 3.0, _VIOLATION_SHARE * allowed)
        active = int(np.count_nonzero(part.g))
        most = max(active // 2, SET_SIZE // 2)
        if len(new) > most:
            new = new[np.argsort(-violation[new], kind="stable")]
            new = np.concatenate(
                [new[: most // 2], self.rng.permutation(new[most // 2 :])[: most - most // 2]]
            )
        # If `is_last` is true and there is a certificate, training ends after the QP with this
        # block, and the certificate computes the next gradient.
        self.is_last = self._is_last_block(worst, allowed)
        self.is_far = 0.01 * worst > _VIOLATION_SHARE * allowed and not self.is_last
        idle = (part.g == 0.0) & (part.f > 1.0 + max(worst, 0.1))
        if np.count_nonzero(idle) > 0.25 * len(idle):
            kept = np.flatnonzero(~idle)
            self.gram.keep(kept)
            part.set_points(part.g[kept], part.f[kept])
        self._join(np.sort(new))
        return False

    def _is_last_block(self, worst: float, allowed: float) -> bool:
        """Guess whether the stopping rule will hold after one more QP.

        `worst` is the largest violation, and `allowed` is the largest allowed violation.
        """
        return worst <= 4.0 * allowed

    def _note(self, gradient: np.ndarray) -> float:
        """Compute, store and return the objective R.

        `gradient` is (P + D)g (see `Restricted`) at the active points.
        """
        R: float = float(self.part.g @ gradient) / self.part.g.sum() ** 2
        self.real.objective = R
        return R

    def _join(self, new: np.ndarray) -> None:
        g = np.concatenate([self.part.g, np.zeros(len(new))])
        self.part.extend(new, int(np.count_nonzero(self.part.f < 1.0)) + len(new))
        f = self.f[self.gram.points]
        f[: len(self.part.f)] = self.part.f
        self.part.set_points(g, f)
        self.made = 0
