"""Study of singh sec. 4: MFW on two circles, step by step; and its radius update with the wrong sign, replayed.

The circles of the catalogue are the first repetition; the others are drawn anew, with seeds of their own, and split as
the first. Each is trained once for its time and once more to watch its steps. On further sets, where away steps abound,
only the radius is followed: as singh Listing 3 prints its update, and as it should be.
"""

import logging

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.datasets.generators import two_circles
from fwsvm.datasets.two_classes import require_two_classes
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.runs import measure
from fwsvm.runs.rows import solution_row
from fwsvm.solvers.solve import solve
from fwsvm.studies.singh.plan import METHOD
from fwsvm.studies.singh.radius import CORRECTED, PRINTED, follow_listing

INIT, STOP = "closest_opposite_pair", "meb"
CIRCLES_RULE = "gamma^2 = 1/2 in exp(-gamma^2 d^2), as singh sec. 4"
AVERAGE_RULE = "1/(2 sigma2), sigma2 = average squared distance"

_LOG = logging.getLogger(__name__)
_WARM_UP_ITERATIONS = 2000
_STEPS_KEPT = 160  # of each kind, evenly and logarithmically spaced
_GRID = 61
_OPTIMUM_GAP = 1e-10


def run(prepared, job, settings):
    """Train on every draw of the data set.

    Returns
    -------
    rows : list of dict
        One per repetition.
    details : dict
        ``eps``, ``C``, ``gamma``, ``m``; ``draws``, one entry per repetition: what `_watched` saw, and ``listing``,
        where the listing as printed ends; of the first repetition ``radius`` (``printed`` and ``corrected``, of
        `fwsvm.studies.singh.radius.follow_listing`) and, of circles, ``data`` (`_picture`) and ``steps`` (`_steps`).

    Raises
    ------
    DataError
        If there are more classes than two, or the data set is to be drawn anew and is not circles.
    """
    require_two_classes(prepared, job.experiment)
    if settings["circles"] and prepared.meta["n"] != 2:
        raise DataError(
            f"{job.dataset} has {prepared.meta['n']} features, but the circles of singh have two;"
            " name it in singh.sign_error.datasets, or take it out of singh.datasets"
        )
    gamma = settings["gamma"] or 1.0 / (2.0 * prepared.meta["average_squared_distance"])
    kernel = Kernel("rbf", gamma)
    rows, draws, details, monitor = [], [], {}, None
    for repetition in range(settings["runs"]):
        seed = measure.derive_seed(settings["seed"], *job, repetition)
        parts = _parts(prepared, repetition, seed)
        problem = _problem(parts, kernel, settings)
        if monitor is None:
            _train(problem, settings, seed, max_iterations=min(_WARM_UP_ITERATIONS, settings["max_iterations"]))
            monitor = measure.RunMonitor()
            problem = _problem(parts, kernel, settings)
        solution, conditions = monitor.timed(_train, problem, settings, seed)
        row = solution_row(job, prepared.meta, problem, solution, settings) | {
            "init": INIT,
            "stop_rule": STOP,
            "gamma_rule": CIRCLES_RULE if settings["circles"] else AVERAGE_RULE,
            "repetition": repetition,
            "seed": seed,
            **conditions.columns(solution.train_cpu_s, solution.train_wall_s),
            "test_accuracy": _scores_of(_decision(problem, solution.support, solution.weights, parts[2]), parts[3])[0],
        }
        rows.append(row)
        _LOG.info("%s draw %d: %d steps, %s", job.dataset, repetition, solution.iterations, solution.stop_reason)
        trace, kept = _watch(problem, settings, seed, solution.iterations)
        replayed = problem.submatrix(np.arange(problem.size)), *kept[0], settings["eps"], settings["replayed_steps"]
        listing = follow_listing(*replayed, PRINTED)
        draw = _watched(problem, parts, solution, trace) | {"listing": _listing(problem, parts, listing)}
        draws.append(draw | {"repetition": repetition})
        if repetition == 0:
            details["radius"] = {"printed": listing, "corrected": follow_listing(*replayed, CORRECTED)}
            if settings["circles"]:
                details["data"] = _picture(problem, parts, solution)
                details["steps"] = _steps(problem, parts, trace, kept, settings, seed)
            for run in details["radius"].values():
                del run["weights"], run["support"]
    named = {"eps": settings["eps"], "C": settings["C"], "gamma": gamma, "m": rows[0]["task_size"]}
    return rows, {**named, "draws": draws, **details}


def _parts(prepared, repetition, seed):
    """(X_train, y_train, X_test, y_test), labels -1 and +1: the prepared data, or circles drawn anew."""
    sizes = len(prepared.y_train), len(prepared.y_test)
    if repetition == 0:
        signs = (np.where(np.asarray(y) == 1, 1.0, -1.0) for y in (prepared.y_train, prepared.y_test))
        y_train, y_test = signs
        return prepared.X_train, y_train, prepared.X_test, y_test
    rng = np.random.default_rng(seed)
    X, y = two_circles(sum(sizes), rng)
    order = rng.permutation(sum(sizes))
    train, test = order[: sizes[0]], order[sizes[0] :]
    return X[train], y[train].astype(float), X[test], y[test].astype(float)


def _problem(parts, kernel, settings):
    return KernelProblem(KernelMatrix(parts[0], kernel), parts[1], C=float(settings["C"]))


def _train(problem, settings, seed, **more):
    options = {"max_iterations": settings["max_iterations"], "time_limit": settings["time_limit"], **more}
    return solve(
        problem, METHOD, init=INIT, stop=STOP, eps=settings["eps"], cache_mb=settings["cache_mb"],
        column_dtype="float64", random_state=seed, **options,
    )  # fmt: skip


def _watch(problem, settings, seed, iterations):
    """Train once more; returns the trace of all steps, and the iterates (indices, weights) of some, by step."""
    kept, wanted = {}, set(steps_kept(iterations))

    def keep(driver):
        made = len(seen)
        seen.append(None)
        if made + 1 in wanted:
            kept[made + 1] = driver.weights()

    seen = []
    begin = _train(problem, settings, seed, max_iterations=1, trace_iterates=True).trace
    kept[0] = begin.iterates[0]
    solution = _train(problem, settings, seed, max_iterations=max(iterations, 1), trace=True, callback=keep)
    kept[solution.trace.iteration[-1]] = (solution.support, solution.weights)
    return solution.trace, kept


def steps_kept(last, count=_STEPS_KEPT):
    """Steps 0 to `last` that are kept: evenly spaced ones and logarithmically spaced ones, both ends included."""
    even = np.linspace(0, last, count)
    spread = np.geomspace(1, max(last, 1), count)
    return np.unique(np.rint(np.concatenate([even, spread.clip(max=last)])).astype(int)).tolist()


def _watched(problem, parts, solution, trace):
    """What the table shows of one draw beside its row of the runs table."""
    largest = int(max(trace.active_size))
    away = [k for k, step in enumerate(trace.step) if step == "away"]
    on_training = _scores_of(_decision(problem, solution.support, solution.weights), parts[1])
    on_test = _scores_of(_decision(problem, solution.support, solution.weights, parts[2]), parts[3])
    return {
        "largest_coreset": largest,
        "block_bytes": 8 * problem.size * largest,
        "iterations": solution.iterations,
        "away_steps": len(away),
        "first_away": away[0] if away else None,
        "last_away": away[-1] if away else None,
        "train_accuracy": on_training[0],
        "test_accuracy": on_test[0],
        "stop_reason": solution.stop_reason,
    }


def _listing(problem, parts, listing):
    """Where the listing as printed ends."""
    support, weights = np.asarray(listing["support"]), np.asarray(listing["weights"])
    kept = {name: listing[name] for name in ("steps", "away_steps", "first_away", "stop_reason", "final_gap")}
    return {
        **kept,
        "coreset": len(support),
        "train_accuracy": _scores_of(_decision(problem, support, weights), parts[1])[0],
        "test_accuracy": _scores_of(_decision(problem, support, weights, parts[2]), parts[3])[0],
    }


def _decision(problem, indices, weights, Z=None):
    """h(z) = sum_i a_i y_i (k(x_i, z) + 1) (frandi2013 eq. 13), by default at the training points."""
    signed = weights * problem.labels[indices]
    return problem.matrix.weighted_sums(indices, signed, Z) + signed.sum()


def _scores_of(decision, labels):
    """Accuracy, precision, recall and F1 of the class +1; None where one has no meaning (0 / 0)."""
    said, true = decision > 0, labels > 0
    both = float(np.sum(said & true))

    def ratio(part, whole):
        return float(part / whole) if whole else None

    return (
        float(np.mean(said == true)), ratio(both, said.sum()), ratio(both, true.sum()),
        ratio(2.0 * both, said.sum() + true.sum()),
    )  # fmt: skip


def _steps(problem, parts, trace, kept, settings, seed):
    """The steps kept: what was done, where it led, and how far that is from the optimum."""
    optimum = solve(
        problem, "swap2o", init=INIT, stop="gap", eps=_OPTIMUM_GAP, cache_mb=settings["cache_mb"],
        column_dtype="float64", time_limit=settings["time_limit"], random_state=seed,
    )  # fmt: skip
    best = np.zeros(problem.size)
    best[optimum.support] = optimum.weights
    place = sorted(step for step in kept if step < len(trace.step))
    distances, metrics = [], {"train": [], "test": []}
    for step in place:
        indices, weights = kept[step]
        a = np.zeros(problem.size)
        a[indices] = weights / np.sum(weights)
        distances.append(float(np.linalg.norm(a - best)))
        metrics["train"].append(_scores_of(_decision(problem, indices, weights), parts[1]))
        metrics["test"].append(_scores_of(_decision(problem, indices, weights, parts[2]), parts[3]))
    chosen = {
        name: [getattr(trace, name)[step] for step in place]
        for name in ("step", "step_size", "objective", "gap", "active_size")
    }
    return {
        "iteration": place,
        **chosen,
        "distance": distances,
        **metrics,
        "optimum": optimum.objective,
        "rises": int(np.sum(np.diff(trace.objective) > 1e-12 * np.abs(trace.objective[1:]))),
    }


def _picture(problem, parts, solution):
    """Points, support vectors and the decision function on a grid, rounded for drawing."""
    X_train, y_train, X_test, y_test = parts
    reach = 1.08 * max(np.abs(X_train).max(), np.abs(X_test).max())
    axis = np.linspace(-reach, reach, _GRID)
    grid = np.column_stack([values.ravel() for values in np.meshgrid(axis, axis)])
    values = _decision(problem, solution.support, solution.weights, grid)
    return {
        "train": [np.round(X_train, 3).tolist(), y_train.astype(int).tolist()],
        "test": [np.round(X_test, 3).tolist(), y_test.astype(int).tolist()],
        "support": solution.support.tolist(),
        "axis": np.round(axis, 5).tolist(),
        "decision": [float(f"{value:.4g}") for value in values],
    }
