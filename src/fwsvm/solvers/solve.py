"""The one door to all solvers: `solve(problem, method=..., ...) -> Solution`."""

import importlib
import time

import numpy as np

from fwsvm.base.docstrings import documented
from fwsvm.base.threads import one_blas_thread
from fwsvm.solvers.constants import Reason, Step
from fwsvm.solvers.initialise import initialise
from fwsvm.solvers.methods import ALL_NAMES
from fwsvm.solvers.methods.registry import METHODS
from fwsvm.solvers.precision import column_dtype
from fwsvm.solvers.settings import Settings, automatic_method, resolve_selection
from fwsvm.solvers.solution import Solution, Trace
from fwsvm.solvers.steps import target_gap

# Iterations between looks at the clock: at first these; then more, up to about this many updated scores, and fewer
# where they took longer than this many CPU seconds (a column may cost far more than updating scores with it).
_FIRST_ITERATIONS, _UPDATES_BETWEEN_LOOKS = 8, 4_000_000
_SECONDS_BETWEEN_LOOKS = 0.1
_CERTIFICATE_ROUNDS = 8
# CPU seconds that certificates may take whatever the time limit.
_LEAST_CERTIFICATE_S = 1.0
_ENDS = {Reason.CONVERGED: "converged", Reason.NO_VIOLATION: "no_violation_in_samples"}
"""Why a loop ended by itself -> the stop reason of the solution."""


@documented(method=("auto", *ALL_NAMES))
def solve(
    problem,
    method="swap",
    *,
    selection="full",
    sample_size=None,
    patience=None,
    alternate_classes=None,
    init="random_meb",
    stop="meb",
    eps=1e-6,
    inner_tolerance=1e-3,
    inner_fixed=False,
    inner_steps=None,
    clipped_gain=False,
    cache_mb=200.0,
    column_dtype="auto",
    max_iterations=10_000_000,
    time_limit=None,
    certify=True,
    threads=1,
    random_state=None,
    trace=False,
    trace_every=1,
    trace_iterates=False,
    callback=None,
    columns=None,
):
    """Minimise a'Qa over the unit simplex by a Frank-Wolfe method.

    Parameters
    ----------
    problem : KernelProblem or MatrixProblem
    {method, selection, sample_size, patience, alternate_classes, init, stop, eps, inner_tolerance, inner_fixed,
    inner_steps, clipped_gain, cache_mb, column_dtype, max_iterations, time_limit, certify, threads}
    random_state : None, int or numpy.random.Generator
    trace : bool
        Keep a record every `trace_every` iterations; `trace_iterates` adds the weights. A float `trace_every` > 1 is
        the ratio of the iterations of consecutive records instead.
    callback : callable, optional
        Called with the driver every time the loop looks at the clock; a true value ends training ("interrupted").
    columns : fwsvm.problems.column_cache.SharedColumns, optional
        Kernel columns kept from another call for the same problem with another C.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        For any setting that is out of range; the message names it.
    """
    chosen = resolve_selection(selection, sample_size, patience, alternate_classes)
    is_automatic = method == "auto"
    settings = Settings(
        automatic_method(problem, chosen) if is_automatic else method, chosen, init, stop, eps, inner_tolerance,
        cache_mb, column_dtype, max_iterations, time_limit, certify, inner_fixed, inner_steps, clipped_gain, threads,
        is_automatic,
    )  # fmt: skip
    with one_blas_thread():
        run = _Run(problem, settings, np.random.default_rng(random_state), columns)
        if trace or trace_iterates:
            run.trace, run.every, run.keep_iterates = Trace(), trace_every, trace_iterates
        try:
            return run.complete(callback)
        finally:
            run.driver = None  # it holds kernel values, and refers to the run: nobody would free them soon


class _Run:
    """One training run: start, loop, certificate."""

    trace, every, keep_iterates, next_record = None, 0, False, np.inf

    def __init__(self, problem, settings, rng, columns):
        self.problem, self.settings, self.rng, self.columns = problem, settings, rng, columns
        self.rule, self.driver = settings.rule, None
        self.largest = problem.largest_diagonal
        self.cpu_start, self.wall_start = time.thread_time(), time.perf_counter()
        self.evaluations_start = problem.evaluations
        self.sampled_evaluations = 0
        self.cpu_s = self.wall_s = self.certify_cpu_s = 0.0
        self.scores_are_exact = True

    def complete(self, callback):
        """Train, certify, and train on where the certificate is not good enough."""
        reason, rounds = self._train(self._start(), callback), 0
        if not self.settings.certify:
            return self._uncertified(reason)
        while True:
            support, weights, s, objective, gap = self._certify()
            if s is None:
                return self._uncertified("time_limit", (support, weights))
            if reason != "converged" or self._certified(objective, gap) or rounds == _CERTIFICATE_ROUNDS:
                break
            if self._out_of_time():
                reason = "time_limit"
                break
            rounds += 1
            reason = self._resume(s, objective, rounds, callback)
            if reason == "precision_limit":
                break
        if reason == "converged" and not self._certified(objective, gap):
            reason = "precision_limit"
        return self._solution(reason, support, weights, s, objective, gap)

    def _uncertified(self, reason, weights=None):
        """The solution as the recursions of training have it."""
        support, weights = weights or self._final_weights()
        if reason == "converged" and not self._certified(self.driver.objective, self.driver.gap_seen):
            reason = "precision_limit"  # the smallest gap that float32 columns can show was reached
        return self._solution(reason, support, weights, None, self.driver.objective, np.nan)

    def _spent(self, elsewhere=0.0):
        """CPU seconds of training so far, in all its threads; while there is no driver, `elsewhere` in others."""
        elsewhere = elsewhere if self.driver is None else self.driver.elsewhere_cpu_s
        return time.thread_time() - self.cpu_start + elsewhere

    def _out_of_time(self, elsewhere=0.0):
        """Whether the CPU seconds of training are used up."""
        return self._spent(elsewhere) >= self.settings.time_limit

    def _start(self):
        """The driver for this problem, at its start."""
        problem, settings = self.problem, self.settings
        dtype = column_dtype(problem, settings)
        indices, weights = initialise(problem, settings, self.rng, self._out_of_time)
        if dtype == np.float32 and hasattr(problem, "matrix"):
            problem.matrix.release(np.float64)  # a copy of the data that only the start needed
        drivers = importlib.import_module(METHODS[settings.method].drivers)
        return drivers.new_driver(problem, settings, indices, weights, dtype, self.rng, self.columns, self._out_of_time)

    def _train(self, driver, callback):
        """Run the driver to its end; returns the reason in words."""
        settings = self.settings
        self.driver = driver
        if self.trace is not None and not self.trace.iteration:
            self._record("start")
            self._plan_record(0)
        chunk = _FIRST_ITERATIONS
        while True:
            driver, before = self.driver, self.cpu_s
            most = max(1, _UPDATES_BETWEEN_LOOKS // driver.scores_kept)
            made, chunk = driver.counter("iterations"), min(chunk, most)
            reason = driver.run(int(min(made + chunk, self.next_record, settings.max_iterations)))
            self.cpu_s, self.wall_s = self._spent(), time.perf_counter() - self.wall_start
            if (took := self.cpu_s - before) > _SECONDS_BETWEEN_LOOKS:
                chunk = max(1, chunk // 2)
            elif took < _SECONDS_BETWEEN_LOOKS / 4:
                chunk *= 4
            now = driver.counter("iterations")
            ended = reason in _ENDS or now >= settings.max_iterations or self.cpu_s >= settings.time_limit
            if self.trace is not None and now > made and (ended or now >= self.next_record):
                self._record(Step(driver.counter("last_step")).name.lower())
                self._plan_record(now)
            if reason in _ENDS:
                return _ENDS[reason]
            if now >= settings.max_iterations:
                return "iteration_limit"
            if self.cpu_s >= settings.time_limit:
                return "time_limit"
            if callback is not None and callback(driver):
                return "interrupted"
            if driver.outgrown and not self._change_to_all_points():
                return "time_limit"

    def _change_to_all_points(self):
        """Keep the scores of all points from here on: a sample has become dearer than that.

        Returns False if time runs out meanwhile; the driver then stays as it was, for its weights alone.
        """
        old = self.driver
        (indices, weights), dtype = old.weights(), old.dtype
        old.release()
        new = old.successor(
            self.problem, self.settings, indices, weights, dtype, self.rng, self.columns, old.sampler,
            self._out_of_time,
        )  # fmt: skip
        if not new.is_whole:
            self.cpu_s, self.wall_s = self._spent(), time.perf_counter() - self.wall_start
            return False
        for counter in ("iterations", "away_steps", "swap_steps", "drop_steps", "samples", "last_step", "requested"):
            new.state.count[counter] = old.state.count[counter]
        old.hand_over(new)
        self.sampled_evaluations += old.evaluations
        self.driver = new
        return True

    def _plan_record(self, iteration):
        by_ratio = isinstance(self.every, float)
        self.next_record = iteration + max(1, int((self.every - 1) * iteration if by_ratio else self.every))

    def _record(self, step):
        driver, trace = self.driver, self.trace
        trace.iteration.append(driver.counter("iterations"))
        trace.step.append(step)
        trace.step_size.append(float(driver.state.real[0]["step_length"]))
        trace.objective.append(driver.objective)
        trace.gap.append(self._gap_now(driver))
        trace.active_size.append(driver.counter("active_size"))
        trace.requested.append(driver.counter("requested"))
        trace.cpu_s.append(self._spent())
        if self.keep_iterates:
            trace.iterates.append(driver.weights())

    def _gap_now(self, driver):
        if self.settings.selection.sampled:
            return driver.gap_seen if driver.counter("samples") else np.nan
        return 2.0 * (driver.objective - float(driver.state.s[driver.counter("toward_vertex")]))

    def _certify(self):
        """Weights, scores (None if time ran out), objective and gap in float64, outside the training clock."""
        begin = time.thread_time(), time.perf_counter()
        (support, weights), others_s = self._final_weights(), 0.0
        limit = max(self.settings.time_limit, _LEAST_CERTIFICATE_S) - self.certify_cpu_s
        if self.problem.compares_blocks and self.driver.subsample is None:
            found = self.problem.screened_scores(support, weights, self.settings.threads, lambda spent: spent >= limit)
            s, self.scores_are_exact, spent = found
            others_s = spent if self.settings.threads > 1 else 0.0
        else:
            s, self.scores_are_exact = self.problem.scores(support, weights), True
        self._leave_out(*begin, others_s)
        if s is None:
            return support, weights, None, np.nan, np.nan
        objective = float(weights @ s[support])
        watched = s if self.driver.subsample is None else s[self.driver.subsample]
        return support, weights, s, objective, 2.0 * (objective - float(watched.min()))

    def _leave_out(self, cpu, wall, others_s=0.0):
        """Take what has passed since these times for certificates; `others_s` are CPU seconds of other threads."""
        spent = time.thread_time() - cpu
        self.certify_cpu_s += spent + others_s
        self.cpu_start, self.wall_start = self.cpu_start + spent, self.wall_start + time.perf_counter() - wall

    def _final_weights(self):
        support, weights = self.driver.final_weights()
        return support, weights / weights.sum()

    def _certified(self, objective, gap):
        return gap <= target_gap(self.rule, self.settings.eps, self.largest, objective)

    def _resume(self, s, objective, rounds, callback):
        """Go on from exact scores, in float64 where float32 columns cannot show the target gap."""
        driver = self.driver
        target = target_gap(self.rule, self.settings.eps, self.largest, objective)
        drifted = target < driver.floor or rounds - driver.left_out_wrongly > 2
        if driver.dtype == np.float32 and driver.floor and drifted:
            if self.settings.column_dtype == "float32":
                return "precision_limit"
            driver.set_dtype(np.float64)
        if not self.scores_are_exact:
            begin = time.thread_time(), time.perf_counter()
            s = self.problem.scores(*self._final_weights())
            self._leave_out(*begin)
        driver.go_on_from(s)
        return self._train(driver, callback)

    def _solution(self, reason, support, weights, s, objective, gap):
        driver, problem = self.driver, self.problem
        subsample_gap = None if driver.subsample is None else float(np.maximum(gap, 0.0))
        if s is not None:
            gap = max(2.0 * (objective - float(s.min())), 0.0)
        evaluations = problem.evaluations - self.evaluations_start + self.sampled_evaluations
        return Solution(
            support=support,
            weights=weights,
            objective=objective,
            gap=gap,
            relative_gap=gap / abs(objective) if objective or np.isnan(gap) else np.inf,
            stop_reason=reason,
            iterations=driver.counter("iterations"),
            away_steps=driver.counter("away_steps"),
            swap_steps=driver.counter("swap_steps"),
            drop_steps=driver.counter("drop_steps"),
            samples=driver.counter("samples"),
            kernel_evaluations=evaluations + driver.evaluations,
            requested_evaluations=driver.counter("requested"),
            coreset_size=driver.coreset_size,
            train_cpu_s=self.cpu_s,
            train_wall_s=self.wall_s,
            elsewhere_cpu_s=driver.elsewhere_cpu_s,
            certify_cpu_s=self.certify_cpu_s,
            method=driver.method.name if self.settings.automatic else self.settings.method,
            kernel_path=problem.kernel_path,
            column_dtype=np.dtype(driver.dtype).name,
            subsample=driver.subsample,
            subsample_gap=subsample_gap,
            trace=self.trace,
        )
