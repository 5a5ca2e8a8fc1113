"""Driver of FCFW: blocks of violators join the active points, and the problem over them is solved anew.

Nothing else is computed from all m points than their scores, once in a round; memory beyond that holds kernel values
among the active points and the violators.
"""

import numpy as np

from fwsvm.base.threads import OutOfTime, Workers
from fwsvm.kernels.growing_gram import GrowingGram
from fwsvm.problems.column_cache import room_for_columns
from fwsvm.solvers.constants import Reason
from fwsvm.solvers.drivers import AllPointsDriver, Driver
from fwsvm.solvers.low_rank import guessed_scores
from fwsvm.solvers.methods.registry import METHODS
from fwsvm.solvers.restricted import Restricted
from fwsvm.solvers.settings import points_of
from fwsvm.solvers.shrinking_driver import ShrinkingDriver
from fwsvm.solvers.state import new_state
from fwsvm.solvers.steps import target_gap

# Points of the first problem; later ones get at least as many violators, or half as many as there are active points.
_FIRST = 512
# The first problem's tolerance, in units of the margin.
_TOLERANCE = 0.05
# Where fewer than this share of the active points has joined, the certificate is the next look at all points.
_FEW = 0.02
# Tolerance of a problem's solution, as a share of the violation that is allowed.
_SHARE = 0.25
# Updates of scores that FCFW may be spared by (`FirstSteps`), where a kernel value counts as one for so many features.
_FIRST_VALUES, _STORED_PER_UPDATE = 1e9, 4.0
# How often half as many of them may be added.
_LONGEST = 4
# Newton steps on a problem that is solved but for negative multipliers, and on any problem.
_EXTRA_STEPS, _MOST_STEPS = 6, 100


def new_driver(problem, settings, indices, weights, dtype, rng, columns, out_of_time=lambda cpu_s: False):
    """The driver at its start; without a ridge, which Newton's method needs, the driver of SWAP-2o.

    `out_of_time` is asked during long work, with the CPU seconds of other threads than the caller's.
    """
    if not np.min(problem.ridge) > 0.0:
        return _swap_driver(problem, settings, indices, weights, dtype, rng, columns)
    if settings.automatic:
        return FirstSteps(problem, settings, indices, weights, dtype, rng, columns)
    return CorrectiveDriver(problem, settings, indices, weights, dtype, rng, out_of_time)


def _swap_driver(*arguments):
    """SWAP-2o over all points, which needs no equations to be solved; arguments are those of `AllPointsDriver`."""
    driver = AllPointsDriver(*arguments)
    driver.method = METHODS["swap2o"]
    return driver


def _corrective_driver(problem, settings, indices, weights, dtype, rng, columns, sampler, out_of_time):
    """FCFW after `FirstSteps`; arguments are those of a successor."""
    return CorrectiveDriver(problem, settings, indices, weights, dtype, rng, out_of_time)


class FirstSteps(ShrinkingDriver):
    """SWAP-2o for as many steps as cost little next to FCFW, which goes on where they do not suffice.

    Most pairs of classes, and other easy problems, are solved by them. Where the gap, falling as in the second half of
    these steps, would be reached within half as many, these are made too, at most `_LONGEST` times.
    """

    successor = staticmethod(_corrective_driver)

    def __init__(self, problem, *arguments):
        super().__init__(problem, *arguments)
        points = points_of(problem)
        stored = 0.0 if points is None else points.stored_per_point
        self.enough = int(_FIRST_VALUES / (problem.size * (2.0 + stored / _STORED_PER_UPDATE)))
        self.half, self.gap_at_half, self.longer = self.enough // 2, np.inf, 0

    @property
    def outgrown(self):
        """Whether the steps are used up."""
        return self.counter("iterations") >= self.enough

    def run(self, limit):
        """As of the class above, up to the last of the steps."""
        while self.counter("iterations") < self.half:  # which grows where points are left out
            reason = super().run(min(limit, self.half))
            self.gap_at_half = float(self.real.gap_seen[0])
            if reason != Reason.PAUSED or self.counter("iterations") >= limit:
                return reason
        reason = super().run(min(limit, self.enough))
        if reason == Reason.PAUSED and self.outgrown and self.longer < _LONGEST and self._is_nearly_done():
            step, self.longer = self.enough - self.half, self.longer + 1
            self.half, self.enough, self.gap_at_half = self.enough, self.enough + step, float(self.real.gap_seen[0])
        return reason

    def _go_on_with(self, points, a, s):
        """As of the class above; steps over fewer points cost less, so that more of them are made."""
        made, before = self.counter("iterations"), self.problem.size
        super()._go_on_with(points, a, s)
        more = before / self.problem.size
        self.half = made + int(more * (self.half - made)) if self.half > made else self.half
        self.enough = made + int(more * (self.enough - made))

    def _is_nearly_done(self):
        """Whether the gap would be reached in as many steps as since `half`, if it fell as it did in these."""
        gap = float(self.real.gap_seen[0])
        target = target_gap(self.rule, self.settings.eps, self.problem.largest_diagonal, self.objective)
        return gap * gap <= target * self.gap_at_half

    def hand_over(self, new):
        """The other driver starts anew."""


class CorrectiveDriver(Driver):
    """FCFW; an iteration is a Newton step.

    It is `outgrown` where the kernel values are no positive semidefinite matrix within their precision (a kernel that
    is none, or a ridge below that precision): SWAP-2o goes on from its weights.

    Parameters
    ----------
    problem : KernelProblem
        With a positive ridge.
    settings : Settings
    indices, weights : arrays of shape (q,)
        The start. Its weights are the model until the first step.
    dtype : float32 or float64
        Precision of kernel values.
    rng : numpy.random.Generator
    out_of_time : callable
        See `new_driver`.
    """

    floor = 0.0  # what float32 values lack is corrected from exact scores
    sampler, is_whole = None, True
    successor = staticmethod(_swap_driver)

    def __init__(self, problem, settings, indices, weights, dtype, rng, out_of_time):
        super().__init__(problem, settings)
        self.dtype, self.rng = np.dtype(dtype), rng
        self._keep(new_state(problem.size))
        self.workers = Workers(settings.threads, out_of_time)
        self.gram = GrowingGram(problem.matrix, dtype, room_for_columns(settings.cache_mb), self.workers)
        self.part = Restricted(self.gram, problem, rng)
        self.f = np.zeros(problem.size)  # of the multipliers at the last look at all points
        self.g_seen = np.zeros(problem.size)
        self.tolerance, self.few_joined, self.extra, self.made = _TOLERANCE, False, 0, 0
        order = np.argsort(indices)
        self.start, self._guessing, self.is_late = (indices[order], weights[order]), 0, False
        self._unless_late(self._begin)

    def _unless_late(self, work):
        """The result of `work()`; where time runs out meanwhile, PAUSED, and this is the last that is done."""
        if self.is_late:
            return Reason.PAUSED
        try:
            return work()
        except OutOfTime:
            self.is_late = True
            return Reason.PAUSED

    def _begin(self):
        """The first problem: the points that a low-rank kernel finds below the margin, or random points."""
        new = guess = self._guess()
        if guess is not None:
            new = np.flatnonzero(guess < 1.0)
        if new is None or len(new) == 0:
            self._join(np.union1d(self.start[0], self._first_points()))
            return
        self.gram.extend(new)
        ridge = self.problem.ridge_at(new)
        self.part.set_points(np.zeros(len(new)), np.zeros(len(new)))
        self.part.move(np.maximum(1.0 - guess[new], 0.0) / ridge)

    def _guess(self):
        """Scores by a low-rank kernel, or None."""
        room_mb = 0.5 * room_for_columns(self.settings.cache_mb)
        try:
            guess, self._guessing = guessed_scores(self.problem, self.dtype, room_mb, self.rng, self.workers)
        except np.linalg.LinAlgError:
            return None
        return guess

    def _allowed(self, R):
        """The largest violation within the stopping rule at objective R, in units of the margin."""
        return 0.5 * target_gap(self.rule, self.settings.eps, self.problem.largest_diagonal, R) / R

    def _first_points(self):
        """Random points, as many of either class."""
        labels, chosen = self.problem.labels, []
        for members in (np.flatnonzero(labels > 0), np.flatnonzero(labels <= 0)):
            chosen.append(self.rng.permutation(members)[: _FIRST // 2])
        return np.concatenate(chosen)

    @property
    def scores_kept(self):
        """A Newton step costs far more than an update of scores: the clock is looked at after each."""
        return 1 << 40

    @property
    def elsewhere_cpu_s(self):
        """CPU seconds in other threads than the caller's."""
        return self.workers.cpu_s

    @property
    def evaluations(self):
        """Kernel values computed so far."""
        return self._guessing + self.gram.evaluations

    @property
    def objective(self):
        """R of the weights as they are, also between two looks at all points; NaN before the first step."""
        with self.workers.without_clock():
            g, f = self.part.without_negative()
        total = g.sum()
        return float(g @ (self.part.ridge * g + f)) / total**2 if total > 0.0 else np.nan

    def set_dtype(self, dtype):
        """Corrections from exact scores need no other precision."""

    def weights(self):
        """(indices, weights) of the active points, indices ascending."""
        active = np.flatnonzero(self.part.g > 0.0)
        active = active[np.argsort(self.gram.points[active])]
        if len(active) == 0:  # before the first step
            return self.start
        return self.gram.points[active], self.part.g[active] / self.part.g[active].sum()

    def run(self, limit):
        """Run until the rule is met, `limit` Newton steps have been made in all or time is up; returns the reason."""
        try:
            return self._unless_late(lambda: self._run(limit))
        except np.linalg.LinAlgError:
            self.outgrown = True
            return Reason.PAUSED

    def release(self):
        """Give back the kernel values; the weights stay."""
        self.gram.release()

    def hand_over(self, new):
        """Give the other driver what it counts on from here."""
        new.elsewhere_cpu_s = self.elsewhere_cpu_s

    def _run(self, limit):
        part, count = self.part, self.count
        while True:
            while not self._is_solved():
                if count.iterations[0] >= limit:
                    return Reason.PAUSED
                self.real.step_length[0] = part.step(self.tolerance)
                self.extra += part.residual() <= self.tolerance
                self.made += 1
                if self.made > _MOST_STEPS:
                    raise np.linalg.LinAlgError("Newton's method does not converge")
                count.iterations[0] += 1
                count.active_size[0] = np.count_nonzero(part.g > 0.0)
            if (part.g < 0.0).any():
                part.move(np.maximum(-part.g, 0.0))
            if self.few_joined and self.settings.certify:
                self.few_joined = False
                self._note(part.ridge * part.g + part.f)
                return Reason.CONVERGED
            self._look()
            if self._grow():
                return Reason.CONVERGED

    def _is_solved(self):
        """Whether the problem over the chosen points is solved, also when negative multipliers are set to 0.

        To set many of them to 0 would shift all scores of a class; further steps remove them, but for rounding.
        """
        part = self.part
        return part.residual() <= self.tolerance and (part.clip(2.0 * self.tolerance) or self.extra > _EXTRA_STEPS)

    def _look(self):
        """The scores of all points, by what has changed since the last look."""
        points, part = self.gram.points, self.part
        change = part.g - self.g_seen[points]
        changed = np.flatnonzero(change)
        labels = self.problem.labels
        signed = change[changed] * part.labels[changed]
        self.f += labels * (self.gram.spread(changed, signed) + self.problem.offset * signed.sum())
        self.f[points], self.g_seen[points] = part.f, part.g

    def go_on_from(self, s):
        """Continue from exact scores of the model, after a certificate that is not good enough."""
        points, part = self.gram.points, self.part
        self.g_seen[points] = part.g
        self.f[:] = s * part.g.sum() - self.problem.ridge_at(slice(None)) * self.g_seen
        part.f = self.f[points]
        self._unless_late(self._grow)

    def _grow(self):
        """Add the worst violators to the active points; True if the stopping rule is met instead."""
        part, points, settings = self.part, self.gram.points, self.settings
        scores = self.f.copy()
        scores[points] += part.ridge * part.g
        R, total = self._note(scores[points]), part.g.sum()
        mean, lowest = R * total, int(np.argmin(scores))
        gap = 2.0 * (mean - scores[lowest]) / total
        self.real.gap_seen[0], self.count.toward_vertex[0] = gap, lowest
        self.state.s[:] = scores / total
        target = target_gap(self.rule, settings.eps, self.problem.largest_diagonal, R)
        if gap <= target:
            return True
        allowed = self._allowed(R)
        violation = 1.0 - scores / mean
        violation[points] = 0.0
        new = np.flatnonzero(violation > 0.5 * allowed)
        worst = float(violation.max())
        if len(new):
            self.tolerance = min(self.tolerance, max(_SHARE * allowed, 0.01 * worst))
        else:
            self.tolerance = min(self.tolerance / 3.0, _SHARE * allowed)
        active = int(np.count_nonzero(part.g))
        most = max(active // 2, _FIRST)
        if len(new) > most:
            new = new[np.argsort(-violation[new], kind="stable")]
            new = np.concatenate([new[: most // 2], self.rng.permutation(new[most // 2 :])[: most - most // 2]])
        self.few_joined = worst <= 4.0 * allowed or len(new) <= _FEW * active
        self._leave((part.g == 0.0) & (part.f > 1.0 + max(worst, 0.1)))
        self._join(np.sort(new))
        return False

    def _note(self, scores):
        """Keep and return R, from the scores of the active points in units of the margin."""
        R = float(self.part.g @ scores) / self.part.g.sum() ** 2
        self.real.objective[0] = R
        return R

    def _leave(self, idle):
        """Forget points without weight that are far from the margin, where they are many."""
        if np.count_nonzero(idle) > 0.25 * len(idle):
            kept = np.flatnonzero(~idle)
            self.gram.keep(kept)
            self.part.set_points(self.part.g[kept], self.part.f[kept])

    def _join(self, new):
        """Take points into the problem."""
        g = np.concatenate([self.part.g, np.zeros(len(new))])
        self.gram.extend(new)
        f = self.f[self.gram.points]
        f[: len(self.part.f)] = self.part.f
        self.part.set_points(g, f)
        self.extra = self.made = 0
