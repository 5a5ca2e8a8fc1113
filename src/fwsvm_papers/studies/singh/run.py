"""Training by MFW on two circles (singh sec. 4), and runs of the printed algorithm with its wrong
sign and with the corrected sign.
"""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from fwsvm.inputs.errors import DataError
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.solution import Solution, Trace
from fwsvm.solvers.solve import solve
from fwsvm_papers.datasets.generators import two_circles
from fwsvm_papers.datasets.storage import Prepared, require_two_classes
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.rows import solution_row
from fwsvm_papers.studies.singh.radius import CORRECTED, PRINTED, follow_listing

METHOD = "mfw"
INIT, STOP = "closest_opposite_pair", "meb"
CIRCLES_RULE = "gamma^2 = 1/2 in exp(-gamma^2 d^2), as singh sec. 4"
AVERAGE_RULE = "1/(2 sigma2), sigma2 = average squared distance"

_LOG = logging.getLogger(__name__)
# the number of recorded steps with even spacing, and the number of recorded steps with logarithmic
# spacing
_STEPS_KEPT = 160
_GRID = 61
_OPTIMUM_GAP = 1e-10
# the results of `follow_listing` that are saved
_ENDS = ("steps", "away_steps", "first_away", "stop_reason", "final_gap")


def run(prepared: Prepared, job: Job, settings: dict) -> tuple[list[dict], dict]:
    """Train on every draw of the data set.

    Return the rows of the table of runs, and the details. Each draw has a row, and an entry in
    ``draws`` of the details.
    """
    require_two_classes(prepared, job.experiment)
    if settings["circles"] and prepared.meta["n"] != 2:
        raise DataError(
            f"{job.dataset} has {prepared.meta['n']} features, but the circles of singh have two;"
            f" list {job.dataset} in singh.sign_error.datasets, or remove {job.dataset} from"
            " singh.datasets"
        )
    gamma = settings["gamma"] or 1.0 / (2.0 * prepared.meta["average_squared_distance"])
    rows, draws, details, monitor = [], [], {}, None
    for repetition in range(settings["runs"]):
        seed = measure.derive_seed(settings["seed"], *job, repetition)
        draw = _Draw(_parts(prepared, repetition, seed), Kernel("rbf", gamma), settings, seed)
        if monitor is None:
            draw.train(time_limit=min(measure.WARM_UP_S, settings["time_limit"]))
            monitor = measure.RunMonitor()
            # a new object without cached kernel values
            draw = _Draw(draw.parts, Kernel("rbf", gamma), settings, seed)
        solution, conditions = monitor.timed(draw.train)
        accuracies = draw.accuracies(solution.support, solution.weights)
        rows.append(
            solution_row(job, prepared.meta, draw.problem, solution, settings)
            | {
                "init": INIT,
                "stop_rule": STOP,
                "gamma_rule": CIRCLES_RULE if settings["circles"] else AVERAGE_RULE,
                "repetition": repetition,
                "seed": seed,
                **conditions(solution.train_cpu_s, solution.train_wall_s),
                "test_accuracy": accuracies["test_accuracy"],
            }
        )
        _LOG.info(
            "%s draw %d: %d steps, %s",
            job.dataset,
            repetition,
            solution.iterations,
            solution.stop_reason,
        )
        trace, kept = draw.watch(solution.iterations)
        indices, weights = kept[0]
        Q = draw.problem.submatrix(np.arange(draw.problem.size))
        radius = {
            name: follow_listing(
                Q, indices, weights, settings["eps"], settings["replayed_steps"], sign
            )
            for name, sign in (("printed", PRINTED), ("corrected", CORRECTED))
            if repetition == 0 or name == "printed"
        }
        away = [k for k, step in enumerate(trace.step) if step == "away"]
        largest = int(max(trace.active_size))
        end = [np.asarray(radius["printed"][key]) for key in ("support", "weights")]
        draws.append(
            {
                "repetition": repetition,
                "largest_coreset": largest,
                "block_bytes": 8 * draw.problem.size * largest,
                "iterations": solution.iterations,
                "away_steps": len(away),
                "first_away": away[0] if away else None,
                "last_away": away[-1] if away else None,
                **accuracies,
                "stop_reason": solution.stop_reason,
                "listing": {key: radius["printed"][key] for key in _ENDS}
                | {"coreset": len(end[0])}
                | draw.accuracies(*end),
            }
        )
        if repetition == 0:
            if settings["circles"]:
                details = {"data": _picture(draw, solution), "steps": _steps(draw, trace, kept)}
            for listing in radius.values():
                del listing["weights"], listing["support"]
            details["radius"] = radius
    named = {"eps": settings["eps"], "C": settings["C"], "gamma": gamma, "m": rows[0]["task_size"]}
    return rows, {**named, "draws": draws, **details}


def _parts(prepared: Prepared, repetition: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the training points and the test points, with labels -1 and +1. If `repetition` is
    above 0, all points are new random points.
    """
    if repetition == 0:
        parts = (prepared.X_train, prepared.y_train), (prepared.X_test, prepared.y_test)
        return [(X, np.where(np.asarray(y) == 1, 1.0, -1.0)) for X, y in parts]
    m, t = len(prepared.y_train), len(prepared.y_test)
    rng = np.random.default_rng(seed)
    X, y = two_circles(m + t, rng)
    order = rng.permutation(m + t)
    return [(X[places], y[places].astype(float)) for places in (order[:m], order[m:])]


class _Draw:
    """One random draw of the points, on which MFW is trained."""

    def __init__(
        self,
        parts: Sequence[tuple[np.ndarray, np.ndarray]],
        kernel: Kernel,
        settings: dict,
        seed: int,
    ) -> None:
        self.parts, self.settings, self.seed = parts, settings, seed
        X, y = parts[0]
        self.problem = KernelProblem(KernelMatrix(X, kernel), y, C=float(settings["C"]))

    def solve(self, method: str = METHOD, **options: object) -> Solution:
        asked = {
            "time_limit": self.settings["time_limit"],
            "cache_mb": self.settings["cache_mb"],
        } | options
        return solve(
            self.problem, method, init=INIT, column_dtype="float64", random_state=self.seed, **asked
        )

    def train(self, **options: object) -> Solution:
        limit = {"max_iterations": self.settings["max_iterations"]} | options
        return self.solve(stop=STOP, eps=self.settings["eps"], **limit)

    def watch(self, iterations: int) -> tuple[Trace, dict]:
        """Train again, and record a trace.

        Return the trace of all steps, and the iterates (indices and weights) of some steps.
        """
        even = np.linspace(0, iterations, _STEPS_KEPT)
        spread = np.geomspace(1, max(iterations, 1), _STEPS_KEPT).clip(max=iterations)
        wanted = set(np.rint(np.concatenate([even, spread])).astype(int).tolist())
        kept, made = {}, 0

        def keep(driver: Any) -> None:
            nonlocal made
            made += 1
            if made in wanted:
                kept[made] = driver.weights()

        first = self.train(max_iterations=1, trace_iterates=True).trace
        solution = self.train(max_iterations=max(iterations, 1), trace=True, callback=keep)
        assert first is not None and solution.trace is not None
        kept[0] = first.iterates[0]
        kept[solution.trace.iteration[-1]] = (solution.support, solution.weights)
        return solution.trace, kept

    def decision(
        self, indices: np.ndarray, weights: np.ndarray, Z: np.ndarray | None = None
    ) -> np.ndarray:
        """Return h(z) = sum_i a_i y_i (k(x_i, z) + 1) for the rows z of Z (frandi2013 eq. 13).

        If Z is None, the rows are the training points.
        """
        signed = weights * self.problem.labels[indices]
        return self.problem.matrix.weighted_sums(indices, signed, Z) + signed.sum()

    def measures(self, indices: np.ndarray, weights: np.ndarray, part: int) -> tuple:
        """Return accuracy, precision, recall and F1.

        If `part` is 0, they are computed on the training points. If `part` is 1, they are computed
        on the test points.
        """
        Z, y = self.parts[part]
        return measures_of(self.decision(indices, weights, Z if part else None), y)

    def accuracies(self, indices: np.ndarray, weights: np.ndarray) -> dict[str, float]:
        train, test = (self.measures(indices, weights, part)[0] for part in (0, 1))
        return {"train_accuracy": train, "test_accuracy": test}


def measures_of(decision: np.ndarray, labels: np.ndarray) -> tuple:
    """Return the accuracy, and the precision, recall and F1 of class +1.

    A quotient 0 / 0 is replaced by None.
    """
    predicted, true = decision > 0, labels > 0
    both = float(np.sum(predicted & true))

    def ratio(part: float, whole: float) -> float | None:
        return float(part / whole) if whole else None

    return (
        float(np.mean(predicted == true)),
        ratio(both, predicted.sum()),
        ratio(both, true.sum()),
        ratio(2.0 * both, predicted.sum() + true.sum()),
    )


def _steps(draw: _Draw, trace: Trace, kept: dict) -> dict:
    """Return a dict with lists of values for the recorded steps, such as the kind of each step, the
    accuracy measures after the step, and the distance of the weights from the optimum. The dict
    also has the optimum, and the number of steps at which the objective rose (`rises`).
    """
    optimum = draw.solve("swap2o", stop="gap", eps=_OPTIMUM_GAP)
    best = np.zeros(draw.problem.size)
    best[optimum.support] = optimum.weights
    place = sorted(step for step in kept if step < len(trace.step))
    distances: list[float] = []
    measures: dict[str, list] = {"train": [], "test": []}
    for step in place:
        indices, weights = kept[step]
        a = np.zeros(draw.problem.size)
        a[indices] = weights / np.sum(weights)
        distances.append(float(np.linalg.norm(a - best)))
        for part, name in enumerate(measures):
            measures[name].append(draw.measures(indices, weights, part))
    names = ("step", "step_size", "objective", "gap", "active_size")
    chosen = {name: [getattr(trace, name)[step] for step in place] for name in names}
    return {
        "iteration": place,
        **chosen,
        "distance": distances,
        **measures,
        "optimum": optimum.objective,
        "rises": int(np.sum(np.diff(trace.objective) > 1e-12 * np.abs(trace.objective[1:]))),
    }


def _picture(draw: _Draw, solution: Solution) -> dict:
    """Return the points, the support vectors, and the decision function on a grid. The values are
    rounded, because they are only used for a drawing.
    """
    reach = 1.08 * max(np.abs(X).max() for X, _ in draw.parts)
    axis = np.linspace(-reach, reach, _GRID)
    grid = np.column_stack([values.ravel() for values in np.meshgrid(axis, axis)])
    train, test = ([np.round(X, 3).tolist(), y.astype(int).tolist()] for X, y in draw.parts)
    return {
        "train": train,
        "test": test,
        "support": solution.support.tolist(),
        "axis": np.round(axis, 5).tolist(),
        "decision": [
            float(f"{value:.4g}")
            for value in draw.decision(solution.support, solution.weights, grid)
        ],
    }
