"""Runs of the methods that show how a bound of the papers compares with what is observed.

All runs are on the two largest classes of a data set. Certified gaps are computed in float64.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fwsvm.estimators.enclosing_ball import minimum_enclosing_ball
from fwsvm.inputs.parameters import of_method
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.solution import Solution
from fwsvm.solvers.solve import solve
from fwsvm_papers.datasets.storage import Prepared, two_largest_classes
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.rows import build_model, solution_row
from fwsvm_papers.studies.theory.bounds import BETTER, VIOLATING, allowed_gap, fitted_rates, tail_of
from fwsvm_papers.studies.theory.parts import BALL, GROWTH, RATES, RULE, SAMPLES

_LOG = logging.getLogger(__name__)

# The optimum is computed to this relative gap, or as precisely as rounding errors allow.
_OPTIMUM_GAP = 1e-11
# Rates are fitted only to values of h above this number, which are far above the error of the
# optimum.
_SMALLEST_H = 1e-8
_RATES_GAP = 1e-9
_BALL_EPS = 1e-12
# Maximum numbers of steps and of drop steps that are saved for the figure.
_STEPS_KEPT, _DROPS_KEPT = 120, 40


def run(prepared: Prepared, job: Job, settings: Mapping) -> tuple[list[dict], dict]:
    """Run all parts of the study on a data set.

    Return the rows of the table of runs, and the details of the parts.
    """
    case = _Case(prepared, job, settings)
    details = {"m": len(case.y), "C": settings["C"], "gamma": case.gamma}
    for part, study in _STUDIES.items():
        if part in settings:
            details[part] = study(case, settings[part])
            _LOG.info("%s: %s done", job.dataset, part)
    return case.rows, details


@dataclass
class _Case:
    """The points of a job, and the rows of the table of runs for all its runs."""

    prepared: Prepared
    job: Job
    settings: Mapping
    rows: list[dict] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.X, self.y, *_ = two_largest_classes(self.prepared)
        factor = self.settings["width_factor"]
        self.gamma = factor / self.prepared.meta["average_squared_distance"]
        self.gamma_rule = f"{factor:g}/beta, beta = average squared distance"

    def problem(self, size: int | None = None, kernel: Kernel | None = None) -> KernelProblem:
        """Return the L2-SVM of the first `size` points, without cached kernel values."""
        kernel = kernel or Kernel("rbf", self.gamma)
        return KernelProblem(KernelMatrix(self.X[:size], kernel), self.y[:size], self.settings["C"])

    def train(
        self,
        method: str,
        changes: Mapping,
        seed: int,
        size: int | None = None,
        repetition: int = 0,
        **traced: Any,
    ) -> Solution:
        """Train with a method, and add a row to `rows`. By default, training ends when all points
        meet frandi2013's stopping rule for the enclosing ball. `changes` has settings that replace
        the usual ones, such as another stopping rule. If `size` is given, only the first `size`
        points are used. `traced` has further arguments of `solve`.
        """
        asked = {"stop": "meb", "selection": "full", **self.settings, **changes}
        chosen = build_model(asked, method, seed).settings
        problem = self.problem(size)
        solution = solve(problem, chosen, random_state=seed, **traced)
        selection, sampling = chosen.selection, ("sample_size", "patience", "alternate")
        row = solution_row(
            self.job._replace(method=method), self.prepared.meta, problem, solution, asked
        )
        self.rows.append(
            row
            | {
                "selection": selection.name,
                **{
                    name: getattr(selection, name) if selection.sampled else None
                    for name in (*sampling, "replacement")
                },
                **{name: getattr(chosen, name) for name in of_method(method)},
                "init": chosen.init,
                "stop_rule": chosen.stop,
                "gamma_rule": self.gamma_rule,
                "repetition": repetition,
                "seed": seed,
            }
        )
        return solution

    def seed(self, *parts: object) -> int:
        return measure.derive_seed(
            self.settings["seed"], self.job.experiment, self.job.dataset, *parts
        )


def _rule(case: _Case, part: Mapping) -> list[dict]:
    """Train each method until it stops by frandi2013's rule for the enclosing ball.

    Some runs test the rule on all points, and others test the rule on samples.
    """
    found = []
    for method in part["methods"]:
        full, sampled = {"selection": "full"}, part["sampled"][method]
        searches = [full] if len(case.y) <= part["full_points"] else []
        for search in [*searches, *([] if sampled["selection"] == "full" else [sampled])]:
            for eps in part["eps"]:
                solution = case.train(method, {**search, "eps": eps}, case.seed(RULE, method))
                found.append(
                    {"method": method, "sampled": search is sampled, "eps": eps} | _end_of(solution)
                )
    return found


def _growth(case: _Case, part: Mapping) -> list[dict]:
    """Train CVM on the first points of the training set, for several numbers of points and several
    values of eps. Numbers that are larger than the training set are left out.
    """
    return [
        {"method": "cvm", "size": size, "eps": eps}
        | _end_of(case.train("cvm", {"eps": eps}, case.seed(GROWTH), size))
        for size in part["sizes"]
        for eps in part["eps"]
        if size <= len(case.y)
    ]


def _end_of(solution: Solution) -> dict:
    names = ("iterations", "coreset_size", "objective", "relative_gap", "stop_reason")
    return {name: getattr(solution, name) for name in names}


def _rates(case: _Case, part: Mapping) -> list[dict]:
    """Compute h = (R - R*) / R* after every step of each method, and fit rates to these values. The
    result has h at some of the steps. A method that reaches the optimum in its first step is left
    out.
    """
    optimum = _optimum(case.problem(), case.seed(RATES), case.settings).objective
    found = [
        {"method": method} | _rate(case, method, part["steps"], optimum)
        for method in part["methods"]
    ]
    return [record for record in found if record["steps"]]


def _optimum(problem: KernelProblem, seed: int, settings: Mapping) -> Solution:
    return solve(
        problem,
        "fcfw",
        stop="relative",
        eps=_OPTIMUM_GAP,
        column_dtype="float64",
        random_state=seed,
        time_limit=settings["time_limit"],
    )


def _rate(case: _Case, method: str, steps: int, optimum: float) -> dict:
    drops, seen = [], 0

    def note_drops(driver: Any) -> None:
        nonlocal seen
        if driver.count.drop_steps > seen:
            seen = driver.count.drop_steps
            drops.append(driver.count.iterations)

    limits = {
        "stop": "relative",
        "eps": _RATES_GAP,
        "column_dtype": "float64",
        "max_iterations": steps,
    }
    solution = case.train(method, limits, case.seed(RATES), trace=True, callback=note_drops)
    assert solution.trace is not None
    h = np.array(solution.trace.objective) / optimum - 1.0
    # the trace has every step, so the index in the trace is the number of the step
    last = np.flatnonzero(h > _SMALLEST_H).max(initial=0)
    step = np.arange(1, last + 1)
    if not last:  # then the run reaches the optimum in the first step
        return {"steps": []}
    drops = [place for place in drops if place <= last]
    kept = _spread(step, _STEPS_KEPT)
    shown = _spread(np.array(drops, dtype=int), _DROPS_KEPT)
    return {
        "steps": kept.tolist(),
        "h": _rounded(h[kept]),
        "drops": shown.tolist(),
        "drop_h": _rounded(h[shown]),
        "drop_steps": len(drops),
        "last_drop": max(drops, default=0),
        "tail": int(step[tail_of(h[1 : last + 1])][0]),
        "fits": fitted_rates(step, h[1 : last + 1]),
    }


def _spread(values: np.ndarray, number: int) -> np.ndarray:
    """Choose at most `number` of the values. The argument `values` is in ascending order, and the
    chosen values have about even spacing on a logarithmic axis.
    """
    if len(values) <= number:
        return values
    wanted = np.geomspace(values[0], values[-1], number)
    return values[np.unique(np.searchsorted(values, wanted).clip(max=len(values) - 1))]


def _samples(case: _Case, part: Mapping) -> list[dict]:
    """Compute, at each step of FW, the rank by gradient that the point chosen from the sample has
    among all points.
    """
    return [
        _ranks(case, name, search, part)
        for name, search in part["sampled"].items()
        if search["selection"] != "full" and search["selection"]["sample_size"] < len(case.y)
    ]


def _ranks(case: _Case, protocol: str, search: Mapping, part: Mapping) -> dict:
    """Return a dict with counts over all steps.

    For each share in `BETTER`, ``better`` counts the steps at which at most this share of all
    points has a smaller gradient than the point chosen from the sample. ``violating`` is a
    histogram of the share of points that violate the stopping rule. ``missed`` is the same
    histogram for the samples that contain no violating point.
    """
    better, violating, missed, gaps = [], [], [], []
    for repetition in range(part["repetitions"]):
        limits = {
            **search,
            "eps": part["eps"],
            "max_iterations": part["steps"],
            "column_dtype": "float64",
        }
        seed = case.seed(SAMPLES, protocol, repetition)
        solution = case.train("fw", limits, seed, repetition=repetition, trace_iterates=True)
        found, shares = _ranks_of_steps(case.problem(), solution, part["eps"])
        better += found
        violating += shares[: len(found)]
        if solution.stop_reason == "no_violation_in_samples":
            violating.append(shares[-1])
            missed.append(shares[-1])
            gaps.append(float(f"{solution.relative_gap:.5g}"))
    selection = search["selection"]
    return {
        "protocol": protocol,
        "sample_size": selection["sample_size"],
        "replacement": bool(selection.get("replacement", False)),
        "better": np.searchsorted(np.sort(better), BETTER, side="right").tolist(),
        "steps": len(better),
        "violating": np.histogram(violating, VIOLATING)[0].tolist(),
        "missed": np.histogram(missed, VIOLATING)[0].tolist(),
        "violating_at_end": _rounded(missed),
        "gaps_at_end": gaps,
    }


def _ranks_of_steps(
    problem: KernelProblem, solution: Solution, eps: float
) -> tuple[list[float], list[float]]:
    """Follow a run of FW, and return two lists.

    The first list has, for each step, the share of all points with a smaller gradient than the
    point that was chosen from the sample. The second list has, for each iterate including the last
    one, the share of all points that violate the stopping rule.

    The vector s = Qa, which is half the gradient, is updated in each step of length l to the point
    i: s <- (1 - l) s + l Q e_i.
    """
    trace, m = solution.trace, problem.size
    assert trace is not None
    indices, weights = trace.iterates[0]
    s = problem.gradient(indices, weights)
    D = problem.largest_diagonal
    better, violating = [], []
    for number in range(len(trace.iterates)):
        R = float(weights @ s[indices])
        violating.append(float(np.mean(2.0 * (R - s) > allowed_gap(eps, D, R))))
        if number + 1 == len(trace.iterates):
            break
        length = trace.step_size[number + 1]
        old = np.zeros(m)
        old[indices] = (1.0 - length) * weights
        indices, weights = trace.iterates[number + 1]
        found = indices[np.argmax(weights - old[indices])]
        better.append(float(np.mean(s < s[found])))
        s = (1.0 - length) * s + length * problem.gradient(np.array([found]), np.ones(1))
    return better, violating


def _ball(case: _Case, part: Mapping) -> list[dict]:
    """Solve the L2-SVM, and the enclosing ball of the points whose dot products are the entries of
    its matrix Q (tsang2005 eq. 10).

    For one of the kernels, the polynomial kernel of frandi2013, the values Q_ii differ from point
    to point.
    """
    beta = case.prepared.meta["average_squared_distance"]
    kernels = {"rbf": Kernel("rbf", case.gamma), "poly": Kernel("poly", 1.0 / beta, degree=2)}
    return [{"kernel": name} | _both(case, part, kernel) for name, kernel in kernels.items()]


def _both(case: _Case, part: Mapping, kernel: Kernel) -> dict:
    problem, seed = case.problem(part["points"], kernel), case.seed(BALL)
    svm = _optimum(problem, seed, case.settings)
    points = np.linalg.cholesky(problem.submatrix(np.arange(problem.size)))
    ball = minimum_enclosing_ball(
        points,
        method="swap2o",
        eps=_BALL_EPS,
        random_state=seed,
        time_limit=case.settings["time_limit"],
    )
    a = np.zeros((2, problem.size))
    a[0, svm.support], a[1, ball.support] = svm.weights, ball.weights
    return {
        "m": problem.size,
        "D": problem.largest_diagonal,
        "smallest_diagonal": float(problem.diagonal.min()),
        "objective": svm.objective,
        "radius2": -ball.solution.objective,
        "weights_apart": float(np.abs(a[0] - a[1]).sum()),
    }


def _rounded(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.6g}") for value in values]


_STUDIES = {RULE: _rule, GROWTH: _growth, RATES: _rates, SAMPLES: _samples, BALL: _ball}
