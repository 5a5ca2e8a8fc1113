"""Tuning as in frandi2013 sec. 5.2.1: the kernel width by a rule, C on a validation part of the training set."""

import logging
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fwsvm.errors import DataError
from fwsvm.estimator import FrankWolfeSVC
from fwsvm.experiments.measure import derive_seed

_LOG = logging.getLogger(__name__)


def tune(prepared, settings):
    """Choose sigma^2 and C; the test part is never looked at.

    Parameters
    ----------
    prepared : Prepared
    settings : dict
        `Study.tuning_settings()`.

    Returns
    -------
    dict
        sigma2, gamma = 1 / (2 sigma2), gamma_rule, C (the smallest of the best), at_grid_edge, and `grid`: validation
        accuracy, CPU seconds and stop reason of every C.

    Raises
    ------
    DataError
        If all training points are equal, so that there is no average squared distance, or if there are too few for a
        validation part.
    """
    name, rule = prepared.meta["name"], prepared.meta["sigma2"]
    sigma2 = prepared.meta["average_squared_distance"] if rule == "average" else float(rule)
    if not sigma2 > 0:
        raise DataError(f"{name}: sigma2 is {sigma2}; it must be positive (are all training points equal?)")
    seed = derive_seed(settings["seed"], "tune", name)
    training, validation = split_validation(
        prepared.y_train, settings["validation_fraction"], np.random.default_rng(seed)
    )
    if len(validation) == 0:
        raise DataError(f"{name}: {len(training)} training points are too few to keep a part of them for validation")
    X, y = prepared.X_train, np.asarray(prepared.y_train)
    parts = X[training], y[training], X[validation], y[validation]
    grid = []
    for exponent in sorted(settings["C_exponents"]):
        grid.append(_validate(2.0**exponent, sigma2, parts, settings, seed))
        _LOG.info("%s C=%g: validation accuracy %.4f, %.2f s", name, 2.0**exponent, *list(grid[-1].values())[1:3])
    best = max(range(len(grid)), key=lambda k: (grid[k]["validation_accuracy"], -k))
    return {
        "dataset": name,
        "sigma2": sigma2,
        "gamma": 0.5 / sigma2,
        "gamma_rule": f"1/(2 sigma2), sigma2 = {'average squared distance' if rule == 'average' else rule}",
        "C": grid[best]["C"],
        "at_grid_edge": len(grid) > 1 and best in (0, len(grid) - 1),
        "method": settings["method"],
        "selection": settings["selection"],
        "validation_points": len(validation),
        "grid": grid,
    }


def split_validation(y, fraction, rng):
    """Random (training, validation) rows; every class keeps a training point (which may leave none for validation)."""
    m = len(y)
    size = min(max(1, round(fraction * m)), m - 1)
    order = rng.permutation(m)
    validation, training = order[:size], order[size:]
    lost = np.setdiff1d(np.unique(y), np.unique(y[training]))
    rescued = [validation[np.flatnonzero(y[validation] == code)[0]] for code in lost]
    return np.sort(np.concatenate([training, rescued]).astype(int)), np.sort(np.setdiff1d(validation, rescued))


def _validate(C, sigma2, parts, settings, seed):
    X, y, X_validation, y_validation = parts
    model = FrankWolfeSVC(
        method=settings["method"],
        selection=settings["selection"],
        sigma2=sigma2,
        C=C,
        init=settings["init"],
        stop=settings["stop"],
        eps=settings["eps"],
        inner_tolerance=settings["inner_tolerance"],
        cache_mb=settings["cache_mb"],
        max_iter=settings["max_iterations"],
        time_limit=settings["time_limit"],
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    return {
        "C": C,
        "validation_accuracy": float(model.score(X_validation, y_validation)),
        "train_cpu_s": model.fit_cpu_s_,
        "stop_reason": model.stop_reason_,
    }
