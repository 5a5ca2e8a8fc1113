"""The training runs of the race. A case is a width, a C and a number of threads. For each case,
`auto` and the SVMs of other packages are trained, each in its own process.

`auto` runs to certified relative gaps, and its times include the certificate. The other competitors
run to their default tolerances: LIBSVM's L2-SVM, and the L1-SVMs of the classes SVC in scikit-learn
and scikit-learn-intelex.
"""

import logging
from dataclasses import replace

import numpy as np

from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.kernels.functions import average_squared_distance
from fwsvm_papers.baselines.limits import (
    Features,
    LimitReachedError,
    Limits,
    Steps,
    scatter,
    train_in_process,
)
from fwsvm_papers.baselines.packages import NOT_INSTALLED, package_points, package_steps
from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.rows import setting_columns
from fwsvm_papers.studies.race.competitors import AUTO

_LOG = logging.getLogger(__name__)
_ESTIMATOR = f"{FrankWolfeSVC.__module__}:{FrankWolfeSVC.__name__}"


def run(prepared: Prepared, job: Job, settings: dict) -> tuple[list[dict], dict]:
    """Train and test a competitor in each case.

    Return two things: rows of the table of runs, one for each timed fit, and the details of the
    cases. If a run of `auto` ended at its limit of time or memory, smaller gaps are not tried. In
    the row of a run that ended at its time limit, the wall time is the limit, the CPU time is the
    limit times the number of threads, and the accuracy is missing. After a memory limit, both times
    are 0, and the accuracy is missing. If a package is not installed, the rows have no times.
    """
    data, beta = points(prepared, settings["classes"])
    monitor, rows, cases = measure.RunMonitor(), [], []
    stopped = None
    for case in settings["cases"]:
        without_gap = {name: value for name, value in case.items() if name != "eps"}
        if without_gap == stopped:
            continue
        of_case, details = _measure(data, beta, prepared.meta, job, settings, case, monitor)
        rows += of_case
        cases.append({**case, **details})
        if of_case[0]["stop_reason"] in ("time_limit", "memory_limit"):
            stopped = without_gap
    machine = measure.machine()
    return rows, {
        "classes": settings["classes"],
        "test_points": len(data.y_test),
        "cpu": machine["cpu"],
        "vector_extensions": machine["vector_extensions"],
        "cases": cases,
    }


def points(prepared: Prepared, classes: list[int] | None) -> tuple[Prepared, float]:
    """Return the data of some classes, or of all classes if `classes` is None. Also return the
    average squared distance between the training points of these classes.
    """
    y, y_test = np.asarray(prepared.y_train), np.asarray(prepared.y_test)
    if classes is None:
        data = replace(prepared, y_train=y, y_test=y_test)
        return data, prepared.meta["average_squared_distance"]
    train, test = np.isin(y, classes), np.isin(y_test, classes)
    data = replace(
        prepared,
        X_train=prepared.X_train[train],
        y_train=y[train],
        X_test=prepared.X_test[test],
        y_test=y_test[test],
    )
    return data, average_squared_distance(data.X_train)


def _measure(
    data: Prepared,
    beta: float,
    meta: dict,
    job: Job,
    settings: dict,
    case: dict,
    monitor: measure.RunMonitor,
) -> tuple[list[dict], dict]:
    """Return the rows of a case, and a dict with its details.

    The details are gamma and, if the package is installed, the scatter of the times (None if it is
    unknown). If predictions were timed, the median prediction time (s) is also a detail.
    """
    gamma, threads = case["width_factor"] / beta, case["threads"]
    m = len(data.y_train)
    row = setting_columns(job, meta, settings, gamma=gamma, C=case["C"], task_size=m) | {
        "gamma_rule": f"{case['width_factor']:g}/beta, beta = average squared distance",
        "eps": case["eps"],
        "threads": threads,
        "repetition": 0,
        "seed": measure.derive_seed(settings["seed"], job.experiment, job.dataset, job.method),
    }
    details: dict = {"gamma": gamma}
    if not settings["installed"]:
        _LOG.info("%s %s: %s", job.dataset, job.method, NOT_INSTALLED)
        return [row | {"stop_reason": NOT_INSTALLED}], details
    found, conditions = monitor.timed(_train, data, job.method, row, settings)
    _LOG.info("%s %s %s: %s s", job.dataset, job.method, case, found["fits"])
    rows = [
        row
        | found["columns"]
        | {"train_cpu_s": fit["cpu_s"], "train_wall_s": fit["wall_s"]}
        | conditions(fit["cpu_s"], fit["wall_s"])
        # The competitor trains in a child process. Its memory is unknown, because memory is
        # measured only in this process.
        | {"peak_rss_mb": None, "threads": threads, "repetition": number}
        for number, fit in enumerate(found["fits"])
    ]
    clock = "cpu_s" if threads == 1 else "wall_s"
    spread = scatter([fit[clock] for fit in found["fits"]])
    details["scatter"] = spread if np.isfinite(spread) else None
    if found["predictions"]:
        details["predict_s"] = float(np.median([one[clock] for one in found["predictions"]]))
    return rows, details


def _train(data: Prepared, method: str, row: dict, settings: dict) -> dict:
    """Return the times of fits and predictions, and the columns that all fits share."""
    limits = Limits(settings["time_limit"], settings["memory_limit_mb"])
    threads = row["threads"]
    steps, train, test, memory_mb = _task(data, method, row, settings)
    try:
        limits.reserve(memory_mb, "training")
        found = train_in_process(*train, steps, limits, test[0], threads, settings["repeats"])
    except LimitReachedError as stopped:
        limit = 0.0 if stopped.cpu_s is None else stopped.cpu_s
        fit = {"cpu_s": threads * limit, "wall_s": limit}
        return {"fits": [fit], "predictions": [], "columns": {"stop_reason": stopped.reason}}
    columns = {
        "iterations": int(found["iterations"]),
        "support_vectors": len(found["support"]),
        "stop_reason": "converged" if found["converged"] else "iteration_limit",
        **found.get("columns", {}),
    }
    if "predicted" in found:
        columns["test_accuracy"] = float(np.mean(found["predicted"] == test[1]))
    fits = found.get("fits") or [{name: found[name] for name in ("cpu_s", "wall_s")}]
    return {"fits": fits, "predictions": found.get("predictions", []), "columns": columns}


def _task(
    data: Prepared, method: str, row: dict, settings: dict
) -> tuple[Steps, tuple[Features, np.ndarray], tuple[Features, np.ndarray], float]:
    """Return the steps of the scikit-learn pipeline, the training and test points with labels, and
    the memory (MB) that training needs (for `auto`: 0).

    A step is the name of an estimator class with its parameters. With one step, there is no
    pipeline, but only this estimator.
    """
    gamma, C, cache_mb = row["gamma"], row["C"], settings["cache_mb"]
    if method != AUTO:
        steps = package_steps(method, gamma, C, cache_mb)
        return steps, *package_points(data, method, gamma, C, cache_mb)
    options = {
        "method": AUTO,
        "stop": "relative",
        "eps": row["eps"],
        "gamma": gamma,
        "C": C,
        "cache_mb": cache_mb,
        "n_jobs": row["threads"],
        "random_state": row["seed"],
    }
    return [(_ESTIMATOR, options)], (data.X_train, data.y_train), (data.X_test, data.y_test), 0.0
