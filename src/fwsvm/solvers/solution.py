"""The result of a training run: the certified solution and, if requested, a trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.kernels.rounding import UNIT
from fwsvm.solvers.state import Step

if TYPE_CHECKING:
    from fwsvm.solvers.drivers import Driver


@dataclass
class Trace:
    iteration: list[int] = field(default_factory=list)
    # "start" for the first record, then "toward", "away", "swap" or "newton"
    step: list[str] = field(default_factory=list)
    step_size: list[float] = field(default_factory=list)
    objective: list[float] = field(default_factory=list)
    # With samples, this is the gap over the last sample (NaN before the first sample). Otherwise,
    # it is the gap over all points whose gradient is stored. The gradient is stored for all
    # training points, or for the points on which `auto` trains. FCFW computes the gradient only
    # after each QP, so its gap is that of the weights after the last QP (NaN before the first).
    gap: list[float] = field(default_factory=list)
    active_size: list[int] = field(default_factory=list)
    # `Solution.requested_evaluations` so far
    requested: list[int] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    # the indices of the active points and their weights, if requested
    iterates: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)


class Recorder:
    """A recorder that writes the progress of training into a `Trace`.

    If `every` is an int, it is the difference between the iteration numbers of consecutive records.
    If `every` is a float, it is the ratio of these iteration numbers.
    """

    def __init__(self, every: float, keeps_iterates: bool) -> None:
        is_ratio = isinstance(every, float) and 1.0 <= every < np.inf
        if not is_ratio and (
            not isinstance(every, Integral) or isinstance(every, bool) or every < 1
        ):
            raise ValueError(
                f"trace_every must be an integer >= 1 or a finite float >= 1, got {every!r}"
            )
        self.trace = Trace()
        self.next = 0
        self._every = every
        self._is_ratio = is_ratio
        self._keeps = keeps_iterates

    def record(self, driver: Driver, cpu_s: float) -> None:
        trace, count = self.trace, driver.count
        trace.step.append(Step(count.last_step).name.lower() if trace.iteration else "start")
        trace.iteration.append(count.iterations)
        trace.step_size.append(driver.real.step_length)
        trace.objective.append(driver.objective)
        if driver.settings.selection.sampled:
            trace.gap.append(driver.real.gap_seen if count.samples else np.nan)
        else:
            trace.gap.append(driver.gap)
        trace.active_size.append(count.active_size)
        trace.requested.append(count.requested)
        trace.cpu_s.append(cpu_s)
        if self._keeps:
            trace.iterates.append(driver.weights())
        distance = (self._every - 1) * count.iterations if self._is_ratio else self._every
        self.next = count.iterations + max(1, int(distance))


def gap_bound(objective: float, objective_error: float, lowest: float) -> float:
    """Return an upper bound on the exact duality gap.

    The error of `objective` must be at most `objective_error`, and every entry of the exact
    gradient must be at least `lowest`.
    """
    # 16 u covers the rounding errors of the few operations that compute the bounds
    return (1.0 + 16.0 * UNIT) * max(2.0 * (objective + objective_error - lowest), 0.0)


def relative_gap_bound(objective: float, objective_error: float, gap: float) -> float:
    """Return an upper bound on the exact gap divided by the exact |objective|, or NaN if `gap` is
    NaN. `gap` is a bound on the exact gap, and `objective_error` is a bound on the rounding error
    of `objective`.

    If `gap` is 0, the result is 0, because the solution is optimal, even if the objective is 0.
    Otherwise, the result is infinity if |objective| is not larger than `objective_error`.
    """
    lowest = abs(objective) - objective_error
    if np.isnan(gap) or gap == 0.0:
        return gap
    return gap / lowest if lowest > 0.0 else float(np.inf)


@dataclass
class Solution:
    """Result of `fwsvm.solve`.

    The objective and the gap are certified: after training, they are computed again in float64 from
    all m points.

    The gaps include a proven bound on all rounding errors. A rounding error is the difference from
    the result of exact arithmetic with the given numbers. With `certify=False`, or if the time for
    the certificate runs out, there is no certificate. The objective is then that of the training
    loop, and the gaps are NaN.

    Attributes
    ----------
    support : int64 array of shape (q,)
        Indices of the points with positive weight, ascending.
    weights : float64 array of shape (q,)
        Weights of these points. They sum to 1.
    objective : float
        R(a) = a'Qa, the minimised dual objective (frandi2013 eq. 12 with the opposite sign). It is
        NaN if FCFW ends before its first result, and there is no certificate.
    gap : float
        2 (R - min_i s_i), plus the bound on the rounding error. Here s = Qa, and the minimum is
        over all m points. If the user gave the matrix, a bound on its negative curvature at up to
        1024 points is added. The gap is an upper bound on R(a) - R* (nanculef2014 eq. 7, 29).
    relative_gap : float
        gap / (|R| - objective_error), an upper bound on the exact gap divided by the exact |R|. It
        is infinity if |R| is not larger than its rounding error. If the gap is 0, it is 0.
    stop_reason : str
        The reason why training ended: converged, no_violation_in_samples, time_limit,
        iteration_limit, interrupted, precision_limit, no_progress or not_positive_semidefinite.

        * precision_limit: because of rounding errors, the gap cannot meet the stopping rule.
        * no_progress: rounding errors hide any progress. For example, 1000 consecutive steps had
          the length 0.
        * not_positive_semidefinite: the matrix that the user gave is not positive semidefinite. The
          gap is then not a bound.
    iterations, away_steps, swap_steps, drop_steps : int
        The numbers of all steps, of away steps, of swap steps, and of away and swap steps that make
        a point inactive. A Newton step of FCFW counts as a step. The Newton steps for low-rank
        approximations and for the small problems of the estimators do not count.
    samples : int
        Number of samples drawn (0 with full selection).
    kernel_evaluations : int
        Number of kernel values computed for training. Those for the choice of the starts
        `random_meb` and `farthest_pair` do not count.
    requested_evaluations : int
        Number of kernel values that samples and steps request, whether they are computed or cached:

        * A sampled point that is not active needs its kernel values with all active points. For
          CVM, a sampled point outside the coreset needs its kernel values with the whole coreset.
        * A step needs one column for each vertex that it moves toward or away from. With samples, a
          column has one value for each active point. For CVM with samples, a column has one value
          for each point of the coreset. With full selection, a column has one value for each of the
          m points, with two exceptions: a step of CVM needs columns over the coreset only, and a
          step of `auto` with working sets needs columns over the working set only.
        * A point that joins the coreset needs its kernel values with the coreset.
        * After the QP over the coreset or the working set is solved, each point whose weight has
          changed needs one more column. For CVM with full selection, this column is over all m
          points. (CVM with samples needs no such column.) For `auto`, this column is over all
          points on which `auto` trains.
        * If `auto` trains a pair of classes with its whole matrix, all n^2 values of the n points
          count once.
        * The steps of `fcfw` and `mfw_sparse` are not counted.
    coreset_size : int
        For CVM, the number of points in the coreset. For `mfw_sparse`, the number of points in the
        subsample. For other methods, the number of active points.
    train_cpu_s, train_wall_s : float
        CPU seconds of all threads and wall seconds for training, without the certificate.
    elsewhere_cpu_s : float
        The part of `train_cpu_s` that was spent in threads other than the caller's.
    certify_cpu_s : float
        CPU seconds of the certificate (0 with ``certify=False``).
    method, kernel_path, column_dtype : str
        The method, the way in which columns of Q were computed, and the dtype of the columns at the
        end of training. If "auto" was chosen, the method is the last one: "fcfw" or "swap2o". The
        name "swap2o" also stands for working sets. The module `fwsvm.kernels.matrix` lists the
        ways. For an explicit Q, the way is "matrix".
    subsample : int64 array of shape (p,), or None
        For `mfw_sparse`, the indices of the points that the method chose and trained on. For all
        other methods, None.
    subsample_gap : float or None
        The gap over the points of the subsample, with the same bounds as `gap`. The stopping rule
        of `mfw_sparse` applies to this gap. It is NaN without a certificate, and None if there is
        no subsample.
    objective_error : float
        Bound on the rounding error of `objective` (NaN without a certificate).
    trace : Trace or None
        The records of the run, if they were requested.
    """

    support: np.ndarray
    weights: np.ndarray
    objective: float
    gap: float
    relative_gap: float
    stop_reason: str
    iterations: int
    away_steps: int
    swap_steps: int
    drop_steps: int
    samples: int
    kernel_evaluations: int
    requested_evaluations: int
    coreset_size: int
    train_cpu_s: float
    train_wall_s: float
    certify_cpu_s: float
    method: str
    kernel_path: str
    column_dtype: str
    subsample: np.ndarray | None = None
    subsample_gap: float | None = None
    objective_error: float = np.nan
    elsewhere_cpu_s: float = 0.0
    trace: Trace | None = None
