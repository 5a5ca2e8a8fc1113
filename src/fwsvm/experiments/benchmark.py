"""The benchmark of frandi2013 and nanculef2014: one method on one data set under one selection, repeated."""

import logging
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fwsvm.estimator import FrankWolfeSVC
from fwsvm.experiments import measure
from fwsvm.solvers.settings import resolve_selection

_LOG = logging.getLogger(__name__)
# Points of the untimed run that loads all compiled code: more than the coreset drivers ask for.
_WARM_UP_POINTS = 2200
_WARM_UP_ITERATIONS = 2000


def run_benchmark(prepared, parameters, method, selection, settings):
    """Train and test; one row of the runs table per repetition.

    Parameters
    ----------
    prepared : Prepared
    parameters : dict
        Result of `tune`.
    method, selection : str
    settings : dict
        `Study.job_settings(selection, method)`.

    Returns
    -------
    list of dict
    """
    name, rows = prepared.meta["name"], []
    X, y = prepared.X_train, np.asarray(prepared.y_train)
    _warm_up(X, y, parameters, method, selection, settings)
    best = measure.calibrate()
    for repetition in range(settings["repetitions"]):
        seed = measure.derive_seed(settings["seed"], "benchmark", name, method, selection, repetition)
        model = _model(parameters, method, selection, settings, seed)
        before = measure.calibrate()
        measure.reset_peak_memory()
        _fit(model, X, y)
        wall = model.fit_wall_s_
        peak, after = measure.peak_memory_mb(), measure.calibrate()
        best = min(best, before, after)
        row = _row(prepared, parameters, model, settings)
        row |= {
            "repetition": repetition,
            "seed": seed,
            "train_wall_s": wall,
            "peak_rss_mb": peak,
            "calibration_s": max(before, after),
            "disturbed": measure.is_disturbed(model.fit_cpu_s_, wall, before, after, best),
            "test_accuracy": float(model.score(prepared.X_test, np.asarray(prepared.y_test))),
        }
        rows.append(row)
        _LOG.info(
            "%s %s %s, repetition %d of %d: %.3f s CPU, accuracy %.4f, relative gap %.2g (%s)",
            name, method, selection, repetition + 1, settings["repetitions"], row["train_cpu_s"],
            row["test_accuracy"], row["relative_gap"], row["stop_reason"],
        )  # fmt: skip
    return rows


def _model(parameters, method, selection, settings, seed):
    of_cvm = {key: settings[key] for key in ("inner_tolerance",) if key in settings}
    return FrankWolfeSVC(
        method=method,
        selection=selection,
        sigma2=parameters["sigma2"],
        C=parameters["C"],
        init=settings["init"],
        stop=settings["stop"],
        eps=settings["eps"],
        cache_mb=settings["cache_mb"],
        max_iter=settings["max_iterations"],
        time_limit=settings["time_limit"],
        random_state=seed,
        **of_cvm,
    )


def _fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def _warm_up(X, y, parameters, method, selection, settings):
    """Short untimed runs on a few points and on many of the two largest classes, to load all compiled code."""
    codes, counts = np.unique(y, return_counts=True)
    largest = codes[np.argsort(counts)[-2:]]
    few = np.concatenate([np.flatnonzero(y == code)[:20] for code in codes[:4]])
    many = np.concatenate([np.flatnonzero(y == code)[: _WARM_UP_POINTS // 2] for code in largest])
    limited = {**settings, "max_iterations": min(_WARM_UP_ITERATIONS, settings["max_iterations"])}
    for rows in (few, many):
        _fit(_model(parameters, method, selection, limited, 0), X[np.sort(rows)], y[np.sort(rows)])


def _row(prepared, parameters, model, settings):
    meta, first = prepared.meta, model.pair_solutions_[0]
    chosen = resolve_selection(model.selection)
    sampled = {
        "sample_size": chosen.sample_size if chosen.sampled else None,
        "patience": chosen.patience if chosen.sampled else None,
        "alternate": chosen.alternate if chosen.sampled else None,
    }
    total = {
        name: sum(getattr(solution, name) for solution in model.pair_solutions_)
        for name in ("iterations", "away_steps", "drop_steps", "kernel_evaluations", "coreset_size")
    }
    return {
        "experiment": "benchmark",
        "dataset": meta["name"],
        "task_size": meta["m"],
        "features": meta["n"],
        "method": model.method,
        "selection": model.selection,
        **sampled,
        "init": model.init,
        "stop_rule": model.stop,
        "eps": model.eps,
        "inner_tolerance": model.inner_tolerance if model.method == "cvm" else None,
        "kernel": model.kernel,
        "gamma": model.gamma_,
        "gamma_rule": parameters["gamma_rule"],
        "sigma2": parameters["sigma2"],
        "C": model.C,
        "cache_mb": model.cache_mb,
        "column_dtype": first.column_dtype,
        "kernel_path": first.kernel_path,
        "train_cpu_s": model.fit_cpu_s_,
        "certify_cpu_s": model.certify_cpu_s_,
        "compile_excluded": True,
        **total,
        "support_vectors": len(model.support_),
        "objective": model.objective_,
        "gap": model.gap_,
        "relative_gap": model.relative_gap_,
        "stop_reason": model.stop_reason_,
        "timing": settings["timing"],
        "threads": 1,
    }
