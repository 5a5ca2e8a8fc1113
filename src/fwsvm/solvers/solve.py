"""The function `solve`, which chooses the start of training, trains with a method, and certifies
the result.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.inputs.errors import shown
from fwsvm.inputs.parameter_texts import documented
from fwsvm.machine_code.threads import OutOfTime, Workers, one_blas_thread
from fwsvm.problems.column_cache import SharedColumns
from fwsvm.problems.dual import SimplexProblem
from fwsvm.solvers import automatic
from fwsvm.solvers.drivers import SECONDS_BETWEEN_CHECKS, VALUES_BETWEEN_CHECKS, Start
from fwsvm.solvers.given_matrices import is_indefinite, negative_curvature
from fwsvm.solvers.initialise import initialise
from fwsvm.solvers.methods import ALL_NAMES
from fwsvm.solvers.settings import METHODS, SETTING_NAMES, Settings, column_dtype
from fwsvm.solvers.solution import Recorder, Solution, gap_bound, relative_gap_bound
from fwsvm.solvers.state import Reason, StopRule
from fwsvm.solvers.steps import AIM, target_gap
from fwsvm.solvers.working_sets import SET_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

    from fwsvm.solvers.drivers import Driver

# The time limit is checked after the first step, and then about every SECONDS_BETWEEN_CHECKS
# seconds. Each check estimates how many steps can be made in SECONDS_BETWEEN_CHECKS seconds. The
# next check follows after this number of steps, or after VALUES_BETWEEN_CHECKS updated gradient
# entries, whichever comes first.
# If the certified gap is too large, training continues, but at most _CERTIFICATE_ROUNDS times. This
# limit was not tuned, because it only prevents an endless loop. Before the limit is reached,
# columns become float64 if the settings allow float64 (`_resume`). A gap that is still too large at
# the end is reported as the stop reason "precision_limit".
_CERTIFICATE_ROUNDS = 8
# All certificates of a run together have the same time limit as training, but at least
# _LEAST_CERTIFICATE_S CPU seconds.
_LEAST_CERTIFICATE_S = 1.0
_STEP_COUNTERS = ("away_steps", "swap_steps", "drop_steps")
_STOP_REASONS = {
    Reason.CONVERGED: "converged",
    Reason.NO_VIOLATION: "no_violation_in_samples",
    Reason.NO_PROGRESS: "no_progress",
}


@documented(method=("auto", *ALL_NAMES))
def solve(
    problem: SimplexProblem,
    settings: Settings | str | None = None,
    *,
    random_state: int | np.random.Generator | np.random.SeedSequence | None = None,
    trace: bool = False,
    trace_every: float = 1,
    trace_iterates: bool = False,
    callback: Callable[[Driver], Any] | None = None,
    columns: SharedColumns | None = None,
    **changes: Any,
) -> Solution:
    """Minimise a'Qa over the unit simplex by a Frank-Wolfe method, and certify the result.

    Parameters
    ----------
    problem : KernelProblem or MatrixProblem
        The quadratic program to solve.
    settings : fwsvm.solvers.settings.Settings or str, optional
        All settings, or the name of a method. The defaults are listed below.
    {method, selection, sample_size, patience, alternate_classes, init, stop, eps, inner_tolerance,
    inner_fixed, inner_steps, clipped_gain, cache_mb, column_dtype, max_iterations, time_limit,
    certify, threads}
    random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Seed for all random choices: initial points, samples, and points that "auto" and "fcfw"
        choose. With None, the default, every call draws a new seed.
    trace : bool
        Whether to keep records of the run in `Solution.trace`.
    trace_every : int or float
        If this is an int n, there is a record after every n iterations. If it is a float, it is the
        ratio of the iteration numbers of consecutive records.
    trace_iterates : bool
        Whether to keep records that include the weights. With True, `trace` need not be True.
    callback : callable, optional
        A function that is called as ``callback(driver)`` at every check of the time limit. `driver`
        is the object that trains. Its attributes `objective` and `gap` show the progress. If the
        function returns a true value, training ends with the stop reason "interrupted".
    columns : fwsvm.problems.column_cache.SharedColumns, optional
        An object that keeps kernel columns. If several calls solve the same problem with different
        C, pass the same object to all of them, so that they share the columns. Before a problem
        with another matrix or other labels, call its method `next_problem`.
    **changes
        Any of the settings above, by keyword.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If the value of a setting, of `random_state` or of `trace_every` is wrong. The message names
        it.
    TypeError
        If another argument has the wrong type, if a name in `changes` is not a setting, or if the
        method is given twice.
    """
    if settings is not None and not isinstance(settings, str | Settings):
        raise TypeError(
            f"settings must be Settings, the name of a method or None, got {shown(settings)}"
        )
    if not isinstance(problem, SimplexProblem):
        raise TypeError(f"problem must be a KernelProblem or a MatrixProblem, got {shown(problem)}")
    for name, value in (("trace", trace), ("trace_iterates", trace_iterates)):
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be True or False, got {shown(value)}")
    if not isinstance(columns, SharedColumns | None):
        raise TypeError(f"columns must be SharedColumns or None, got {shown(columns)}")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be callable or None, got {shown(callback)}")
    if unknown := set(changes).difference(SETTING_NAMES):
        raise TypeError(
            f"{min(unknown)!r} is not a setting; the settings are {', '.join(SETTING_NAMES)}"
        )
    if isinstance(settings, str) and "method" in changes:
        raise TypeError(f"the method is given twice: {settings!r} and method={changes['method']!r}")
    if isinstance(settings, Settings):
        settings = replace(settings, **changes) if changes else settings
    else:
        settings = Settings(**changes) if settings is None else Settings(settings, **changes)
    try:
        if isinstance(random_state, np.random.RandomState):
            raise TypeError
        rng = np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be None, an int >= 0 or a Generator, got {shown(random_state)}"
        ) from None
    recorder = Recorder(trace_every, trace_iterates)
    with one_blas_thread():
        run = _Run(problem, settings, rng, columns, callback)
        return run.complete(recorder if trace or trace_iterates else None)


class _Clock:
    def __init__(self, limit: float) -> None:
        # `limit` is the time limit, and `elsewhere_cpu_s` is the time of other threads, both in CPU
        # seconds
        self.limit, self.elsewhere_cpu_s = limit, 0.0
        self._cpu_begin, self._wall_begin = time.thread_time(), time.perf_counter()

    def cpu_s(self, elsewhere: float = 0.0) -> float:
        return time.thread_time() - self._cpu_begin + max(elsewhere, self.elsewhere_cpu_s)

    def wall_s(self) -> float:
        return time.perf_counter() - self._wall_begin

    def is_over(self, elsewhere: float = 0.0) -> bool:
        return self.cpu_s(elsewhere) >= self.limit

    def leave_out(self, cpu_begin: float, wall_begin: float) -> float:
        """Exclude the time since the clock readings `cpu_begin` and `wall_begin`. Return the
        excluded CPU seconds.
        """
        spent = time.thread_time() - cpu_begin
        self._cpu_begin += spent
        self._wall_begin += time.perf_counter() - wall_begin
        return spent


class _Run:
    def __init__(
        self,
        problem: SimplexProblem,
        settings: Settings,
        rng: np.random.Generator,
        columns: SharedColumns | None,
        callback: Callable[[Driver], Any] | None,
    ) -> None:
        self.problem = problem
        self.settings = settings
        self.rule = settings.rule
        self.callback = callback
        self.clock = _Clock(settings.time_limit)
        self.evaluations_before = problem.evaluations
        self.sampled_evaluations = 0
        self.cpu_s = self.wall_s = self.certify_cpu_s = 0.0
        self.objective_error = 0.0  # the bound of the last certificate
        self.negative_curvature = 0.0  # the bound for a matrix that the user gave
        self.is_definite = False  # whether the matrix is known to be semidefinite at all points
        dtype = column_dtype(problem, settings)
        indices, weights = initialise(problem, settings, rng, self.clock.is_over)
        if dtype == np.float32 and hasattr(problem, "matrix"):
            # only the start of training needed the float64 copy of the data
            problem.matrix.release(np.float64)
        method = METHODS["swap2o" if settings.method == "auto" else settings.method]
        self.workers = Workers(settings.threads, self.clock.is_over)
        self.start = Start(
            problem,
            settings,
            method,
            indices,
            weights,
            dtype,
            rng,
            self.workers,
            self.clock,
            columns,
        )
        self.driver = (automatic if settings.method == "auto" else method).new_driver(self.start)

    def complete(self, recorder: Recorder | None) -> Solution:
        """Train, certify, and return the `Solution`.

        If training ends because of the stopping rule, but the certified gap does not meet this
        rule, training continues, at most _CERTIFICATE_ROUNDS times. Training does not continue if
        the time limit is reached, or if the bounds on rounding errors exceed half of the allowed
        gap and could be most of the certified gap.
        """
        self.recorder = recorder
        if recorder is not None:
            recorder.record(self.driver, self.clock.cpu_s())
        reason = self._train()
        if not self.settings.certify:
            return self._uncertified(reason)
        for rounds in itertools.count(1):
            support, weights, s, objective, gap = self._certify()
            if s is None:
                # Only a certificate shows that a stopping rule on all points is met. Without a
                # certificate, the reason "converged" becomes "time_limit". All other stop reasons
                # are kept.
                ended = "time_limit" if reason == "converged" else reason
                return self._uncertified(ended, (support, weights))
            if (
                reason != "converged"
                or self._meets_rule(objective, gap)
                or rounds > _CERTIFICATE_ROUNDS
            ):
                break
            target = self._target(objective)
            if 2.0 * self.widened > target and gap - self.widened <= max(target, self.widened):
                break
            if self.clock.is_over():
                reason = "time_limit"
                break
            if not self._resume(s, objective, rounds):
                break
            reason = self._train()
        if reason == "converged" and not self._meets_rule(objective, gap):
            reason = "precision_limit"
        return self._solution(reason, support, weights, s, objective, gap)

    def _uncertified(
        self, reason: str, weights: tuple[np.ndarray, np.ndarray] | None = None
    ) -> Solution:
        support, weights = weights or self._final_weights()
        if reason == "converged" and not self._meets_rule(
            self.driver.objective, self.driver.real.gap_seen
        ):
            reason = "precision_limit"  # float32 columns are not precise enough for the rule
        return self._solution(reason, support, weights, None, self.driver.objective, np.nan)

    def _train(self) -> str:
        settings, recorder, clock = self.settings, self.recorder, self.clock
        chunk = 1
        while True:
            driver, before = self.driver, self.cpu_s
            chunk = min(chunk, max(1, VALUES_BETWEEN_CHECKS // driver.points_updated))
            made = driver.count.iterations
            limit = min(made + chunk, settings.max_iterations)
            reason = driver.run(int(limit if recorder is None else min(limit, recorder.next)))
            clock.elsewhere_cpu_s = self.workers.cpu_s
            self.cpu_s, self.wall_s = clock.cpu_s(), clock.wall_s()
            took, left = max(self.cpu_s - before, 1e-9), max(settings.time_limit - self.cpu_s, 0.0)
            chunk = max(1, int(chunk * min(left, SECONDS_BETWEEN_CHECKS) / took))
            now = driver.count.iterations
            ended = (
                reason in _STOP_REASONS
                or now >= settings.max_iterations
                or self.cpu_s >= settings.time_limit
            )
            if recorder is not None and now > made and (ended or now >= recorder.next):
                recorder.record(driver, clock.cpu_s())
            if reason in _STOP_REASONS:
                return _STOP_REASONS[reason]
            if now >= settings.max_iterations:
                return "iteration_limit"
            if self.cpu_s >= settings.time_limit:
                return "time_limit"
            if self.callback is not None and self.callback(driver):
                return "interrupted"
            if driver.should_switch and not self._change_driver():
                return "time_limit"

    def _change_driver(self) -> bool:
        """Change to the next driver.

        Return False if the time limit is reached before the new driver is ready. The old driver
        then stays. Otherwise, return True.
        """
        old = self.driver
        (indices, weights), dtype = old.weights(), old.dtype
        old.release()
        kept: dict[str, Any] = {
            "method": old.method,
            "indices": indices,
            "weights": weights,
            "dtype": dtype,
            "sampler": old.sampler,
        }
        new = old.next_driver(replace(self.start, **kept, follows=True))
        if not new.is_whole:
            self.cpu_s, self.wall_s = self.clock.cpu_s(), self.clock.wall_s()
            return False
        for counter in (
            "iterations",
            *_STEP_COUNTERS,
            "samples",
            "empty_samples",
            "last_step",
            "requested",
        ):
            setattr(new.count, counter, getattr(old.count, counter))
        new.state.random[:] = old.state.random
        old.hand_over(new)
        self.sampled_evaluations += old.evaluations
        self.driver = new
        return True

    def _certify(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, float, float]:
        """Return the support, its weights, the gradient, the objective and the certified gap.

        If the time for the certificate runs out, the gradient is None, and the objective and the
        gap are NaN. The time of this call is not part of the training time.
        """
        begin = time.thread_time(), time.perf_counter()
        support, weights = self._final_weights()
        limit = begin[0] + max(self.settings.time_limit, _LEAST_CERTIFICATE_S) - self.certify_cpu_s
        workers = Workers(
            self.settings.threads, lambda elsewhere: time.thread_time() + elsewhere >= limit
        )
        s, how = None, (workers, self.driver.subsample is not None, self.driver.gradient)
        with contextlib.suppress(OutOfTime):
            s, self.gradient_is_exact = self.problem.screened_gradient(support, weights, *how)
        objective = gap = np.nan
        if s is not None:
            objective, gap = self._bounded(support, weights, s)
        self.certify_cpu_s += self.clock.leave_out(*begin) + workers.cpu_s
        return support, weights, s, objective, gap

    def _bounded(
        self, support: np.ndarray, weights: np.ndarray, s: np.ndarray
    ) -> tuple[float, float]:
        """Return the objective and the gap of the `weights` at the points `support`. Both are
        computed from s (m,), the gradient of these weights.

        The gap includes the bounds on rounding errors. If the method chose a subsample, the gap is
        the gap over the subsample.
        """
        objective = float(weights @ s[support])
        errors = self.problem.gradient_errors(support, weights)
        # The minimum is a lower bound on all entries of the exact gradient. Other entries are lower
        # bounds only where s is computed in float64.
        self.lowest = s - errors
        self.objective_error = self.problem.objective_error(support, weights, s, errors)
        if self.problem.is_given and not self.is_definite:
            self.negative_curvature = negative_curvature(
                self.problem, support, weights, s, objective
            )
            # with more points, the next certificate tests other points
            self.is_definite = self.negative_curvature == 0.0 and self.problem.size <= SET_SIZE
        watched = slice(None) if self.driver.subsample is None else self.driver.subsample
        gap = self._gap(objective, watched)
        self.widened = gap - 2.0 * (objective - float(s[watched].min()))
        return objective, gap

    def _gap(self, objective: float, points: Any = slice(None)) -> float:
        """Return an upper bound on the exact gap over `points` (default: all points).

        The bound is computed from the gradient of the last certificate, so there must be a
        certificate before this call.
        """
        error = self.objective_error + 0.5 * self.negative_curvature
        return gap_bound(objective, error, float(self.lowest[points].min()))

    def _final_weights(self) -> tuple[np.ndarray, np.ndarray]:
        support, weights = self.driver.final_weights()
        # with an indefinite matrix, a step can leave an active point with weight 0
        positive = weights > 0.0
        return support[positive], weights[positive] / weights.sum()

    def _target(self, objective: float) -> float:
        return target_gap(self.rule, self.settings.eps, self.problem.largest_diagonal, objective)

    def _meets_rule(self, objective: float, gap: float) -> bool:
        if self.rule == StopRule.RELATIVE:
            objective = max(abs(objective) - self.objective_error, 0.0)
        return gap <= self._target(objective)

    def _resume(self, s: np.ndarray, objective: float, rounds: int) -> bool:
        """Make the driver ready to continue from the exact gradient. `s` (m,) is the gradient of
        the last certificate, and `rounds` is the number of certificates so far.

        Return False if no positive gap is allowed, or if float64 columns are needed but the
        settings do not allow them. Otherwise, return True.
        """
        driver, target = self.driver, self._target(objective)
        if not target > 0.0:
            return False  # for example, the rule is "relative" and the objective is rounded to 0
        allowed = 1.0 - self.widened / target
        if 0.5 <= allowed < 1.0:
            # the gap that this smaller eps allows, plus the bounds on rounding errors, meets the
            # stopping rule
            self._aim_at(AIM * allowed * self.settings.eps)
        drifted = target < driver.floor or rounds - driver.wrongly_shrunk > 2
        if driver.dtype == np.float32 and driver.floor and drifted:
            if self.settings.column_dtype == "float32":
                return False
            driver.set_dtype(np.float64)
        if not self.gradient_is_exact:
            begin = (time.thread_time(), time.perf_counter())
            workers = Workers(self.settings.threads)
            s = self.problem.gradient(*self._final_weights(), workers)
            self.certify_cpu_s += self.clock.leave_out(*begin) + workers.cpu_s
        driver.go_on_from(s)
        return True

    def _aim_at(self, eps: float) -> None:
        """Set a smaller eps for further training, so that the sum of the gap and the bounds on
        rounding errors meets the stopping rule.
        """
        settings = replace(self.settings, eps=eps)
        self.start = replace(self.start, settings=settings)
        self.driver.settings, self.driver.real.current_eps = (
            settings,
            min(self.driver.real.current_eps, eps),
        )

    def _solution(
        self,
        reason: str,
        support: np.ndarray,
        weights: np.ndarray,
        s: np.ndarray | None,
        objective: float,
        gap: float,
    ) -> Solution:
        driver, problem, count = self.driver, self.problem, self.driver.count
        subsample_gap = None if driver.subsample is None else float(np.maximum(gap, 0.0))
        error = np.nan if s is None else self.objective_error
        if s is not None:
            gap = self._gap(objective)
        if problem.is_given and is_indefinite(
            problem,
            support,
            weights,
            s,
            objective,
            s is not None and self.negative_curvature == 0.0,
        ):
            reason = "not_positive_semidefinite"
        elif problem.is_nonnegative and (not problem.is_given or not objective < -error):
            objective = max(objective, 0.0)  # without rounding, it would be >= 0
        evaluations = problem.evaluations - self.evaluations_before + self.sampled_evaluations
        return Solution(
            support=support,
            weights=weights,
            objective=objective,
            gap=gap,
            objective_error=error,
            relative_gap=relative_gap_bound(objective, 0.0 if s is None else error, gap),
            stop_reason=reason,
            **{name: getattr(count, name) for name in ("iterations", "samples", *_STEP_COUNTERS)},
            kernel_evaluations=evaluations + driver.evaluations,
            requested_evaluations=count.requested,
            coreset_size=driver.coreset_size,
            train_cpu_s=self.cpu_s,
            train_wall_s=self.wall_s,
            elsewhere_cpu_s=self.workers.cpu_s,
            certify_cpu_s=self.certify_cpu_s,
            method=driver.method.name if self.settings.method == "auto" else self.settings.method,
            kernel_path=problem.kernel_path,
            column_dtype=np.dtype(driver.dtype).type.__name__,  # this is faster than `dtype.name`
            subsample=driver.subsample,
            subsample_gap=subsample_gap,
            trace=None if self.recorder is None else self.recorder.trace,
        )
