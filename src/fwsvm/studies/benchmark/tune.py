"""Tuning as in frandi2013 sec. 5.2.1: the kernel width by a rule, C on a validation part of the training set."""

import logging

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.estimators.machine import fit_c_path
from fwsvm.runs.measure import derive_seed
from fwsvm.runs.protocols import SERIES_RULE
from fwsvm.runs.rows import build_model
from fwsvm.studies.benchmark.cross_validation import cross_validate

_LOG = logging.getLogger(__name__)


def tune(prepared, settings):
    """Choose sigma^2 and C on the training part alone.

    `settings` are those of `tuning_settings`; with `cross_validation` both are chosen by `cross_validate`. The result
    has sigma2, gamma, gamma_rule, C, C_rule, at_grid_edge, and `grid`: accuracy, CPU seconds and stop reason of every
    C. `protocols` has the same for protocols with a rule of their own (`tuning_plan.of_protocol`).
    """
    name = prepared.meta["name"]
    seed = derive_seed(settings["seed"], "tune", name)
    choose = cross_validate if "cross_validation" in settings else _by_rule
    found = choose(prepared, settings, seed)
    return {
        "dataset": name,
        "kernel": settings["kernel"],
        "method": settings["method"],
        "selection": settings["selection"],
        **found,
    }


def _by_rule(prepared, settings, seed):
    """sigma^2 by the catalogue's rule, C on the validation part; also by the rules of protocols that differ."""
    name, rule = prepared.meta["name"], prepared.meta["sigma2"]
    sigma2 = prepared.meta["average_squared_distance"] if rule == "average" else float(rule)
    if not sigma2 > 0:
        raise DataError(f"{name}: sigma2 is {sigma2}; it must be positive (are all training points equal?)")
    training, validation = split_validation(
        prepared.y_train, settings["validation_fraction"], np.random.default_rng(seed)
    )
    if len(validation) == 0:
        raise DataError(f"{name}: {len(training)} training points are too few to keep a part of them for validation")
    most = settings.get("validation_points", len(validation))
    if len(validation) > most:
        validation = np.sort(np.random.default_rng([seed, most]).choice(validation, most, replace=False))
    X, y = prepared.X_train, np.asarray(prepared.y_train)
    parts = X[training], y[training], X[validation], y[validation]
    grids = {}

    def choose(factor, ties, C=None):
        # gamma = factor / beta = 1 / (2 sigma^2); the polynomial kernel's gamma is 1 / sigma^2.
        width = sigma2 if factor is None else sigma2 * 0.5 / factor
        chosen = {"sigma2": width, **_width(factor, width, rule)}
        if C is not None:
            return chosen | {"C": float(C), "C_rule": SERIES_RULE, "at_grid_edge": False, "grid": []}
        if factor not in grids:
            grids[factor] = _validate(name, width, parts, settings, seed)
        grid = grids[factor]
        best = max(range(len(grid)), key=lambda k: (grid[k]["validation_accuracy"], k if ties == "largest" else -k))
        return chosen | {
            "C": grid[best]["C"],
            "C_rule": f"validation, {ties} of the best",
            "at_grid_edge": len(grid) > 1 and best in (0, len(grid) - 1),
            "grid": grid,
        }

    found = choose(settings.get("width_factor"), settings["ties"]) | {"validation_points": len(validation)}
    others = {
        protocol: choose(other["width_factor"], other["ties"], other.get("C"))
        for protocol, other in settings.get("protocols", {}).items()
    }
    return found | ({"protocols": others} if others else {})


def _width(factor, sigma2, rule):
    """gamma, and the rule that gave it in words."""
    shown = "average squared distance" if rule == "average" else rule
    if factor is None:
        return {"gamma": 1.0 / sigma2, "gamma_rule": f"1/sigma2, sigma2 = {shown}"}
    words = f"1/(2 sigma2), sigma2 = {shown}" if factor == 0.5 else f"{factor:g}/beta, beta = {shown}"
    return {"gamma": 0.5 / sigma2, "gamma_rule": words}


def split_validation(y, fraction, rng):
    """Random (training, validation) rows; every class keeps a training point (which may leave none for validation)."""
    m = len(y)
    size = min(max(1, round(fraction * m)), m - 1)
    order = rng.permutation(m)
    validation, training = order[:size], order[size:]
    lost = np.setdiff1d(np.unique(y), np.unique(y[training]))
    rescued = [validation[np.flatnonzero(y[validation] == code)[0]] for code in lost]
    return np.sort(np.concatenate([training, rescued]).astype(int)), np.sort(np.setdiff1d(validation, rescued))


def _validate(name, sigma2, parts, settings, seed):
    """Accuracy on the validation part for every C."""
    X, y, X_validation, y_validation = parts
    Cs = [2.0**k for k in sorted(settings["C_exponents"])]
    model = build_model(settings, settings["method"], seed, sigma2=sigma2, certify=False)
    grid = [
        {
            "C": C,
            "validation_accuracy": float(fitted.score(X_validation, y_validation)),
            "train_cpu_s": fitted.fit_cpu_s_,
            "stop_reason": fitted.stop_reason_,
        }
        for C, fitted in zip(Cs, fit_c_path(model, X, y, Cs), strict=True)
    ]
    for row in grid:
        _LOG.info("%s sigma2=%g C=%g: validation accuracy %.4f, %.2f s", name, sigma2, *list(row.values())[:3])
    return grid
