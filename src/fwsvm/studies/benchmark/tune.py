"""Tune as in frandi2013 sec. 5.2.1: choose the kernel width by a rule, and C on a part of the training set."""

import logging

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.estimators.machine import fit_c_path
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.runs.measure import derive_seed
from fwsvm.runs.protocols import SERIES_RULE
from fwsvm.runs.rows import build_model

_LOG = logging.getLogger(__name__)


def tune(prepared, settings):
    """Choose sigma^2 and C on the training part alone, with the settings of `tuning_settings`.

    The result has sigma2, gamma, gamma_rule, C, C_rule, at_grid_edge, and `grid`, a row for every C. `protocols` has
    the same for protocols whose rule differs (`tuning_plan.of_protocol`).
    """
    name = prepared.meta["name"]
    seed = derive_seed(settings["seed"], "tune", name)
    choose = cross_validate if "cross_validation" in settings else _by_rule
    asked = {key: settings[key] for key in ("kernel", "method", "selection")}
    return {"dataset": name, **asked, **choose(prepared, settings, seed)}


def _by_rule(prepared, settings, seed):
    name, rule = prepared.meta["name"], prepared.meta["sigma2"]
    sigma2 = prepared.meta["average_squared_distance"] if rule == "average" else float(rule)
    if not sigma2 > 0:
        raise DataError(f"{name}: sigma2 is {sigma2}; must be positive (are all training points equal?)")
    rng = np.random.default_rng(seed)
    training, validation = split_validation(prepared.y_train, settings["validation_fraction"], rng)
    if len(validation) == 0:
        raise DataError(f"{name}: {len(training)} training points are too few to set some aside for validation")
    most = settings.get("validation_points", len(validation))
    if len(validation) > most:
        validation = np.sort(np.random.default_rng([seed, most]).choice(validation, most, replace=False))
    X, y = prepared.X_train, np.asarray(prepared.y_train)
    parts = X[training], y[training], X[validation], y[validation]
    grids = {}

    def choose(factor, ties, C=None):
        # gamma = factor / beta = 1 / (2 sigma^2). The polynomial kernel (no factor) has gamma = 1 / sigma^2.
        beta = "average squared distance" if rule == "average" else rule
        if factor is None:
            width, gamma, words = sigma2, 1.0 / sigma2, f"1/sigma2, sigma2 = {beta}"
        else:
            width = sigma2 * 0.5 / factor
            gamma = 0.5 / width
            words = f"1/(2 sigma2), sigma2 = {beta}" if factor == 0.5 else f"{factor:g}/beta, beta = {beta}"
        chosen = {"sigma2": width, "gamma": gamma, "gamma_rule": words}
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
    if "protocols" in settings:
        rules = settings["protocols"].items()
        found["protocols"] = {name: choose(own["width_factor"], own["ties"], own.get("C")) for name, own in rules}
    return found


def split_validation(y, fraction, rng):
    """Split the rows at random into training and validation. Every class keeps at least one training point."""
    m = len(y)
    size = min(max(1, round(fraction * m)), m - 1)
    order = rng.permutation(m)
    validation, training = order[:size], order[size:]
    lost = np.setdiff1d(np.unique(y), np.unique(y[training]))
    rescued = [validation[np.flatnonzero(y[validation] == code)[0]] for code in lost]
    return np.sort(np.concatenate([training, rescued]).astype(int)), np.sort(np.setdiff1d(validation, rescued))


def _validate(name, sigma2, parts, settings, seed):
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


def cross_validate(prepared, settings, seed):
    """Choose width and C by their accuracy over all folds (frandi2013 sec. 5.2.1).

    All C and folds share the kernel values of a width. With `screening`, the first folds try all pairs, and the other
    folds only pairs that are at most a margin worse than the best. Among equally good pairs, the smallest C wins, then
    the widest kernel. The paper's range of sigma^2 excludes the average squared distances of its data sets and looks
    like a range of gamma. `cv_grid_variable` chooses between the two readings.
    """
    chosen = settings["cross_validation"]
    name, y = prepared.meta["name"], np.asarray(prepared.y_train)
    least = np.unique(y, return_counts=True)[1].min()
    if least < chosen["folds"]:
        raise DataError(
            f"{name}: a class has only {least} training points, too few for {chosen['folds']} folds;"
            " remove the data set from tuning.cross_validation.datasets"
        )
    from sklearn.model_selection import StratifiedKFold  # Imported here because it is slow.

    folds = list(StratifiedKFold(chosen["folds"], shuffle=True, random_state=seed).split(np.zeros(len(y)), y))
    Cs = [2.0**k for k in sorted(chosen["C_exponents"])]
    variable, widths = chosen["cv_grid_variable"], [2.0**k for k in sorted(chosen["width_exponents"])]
    screening = chosen.get("screening") or {"folds": len(folds), "margin": 1.0}
    first, others = folds[: screening["folds"]], folds[screening["folds"] :]

    def over(folds, pairs):
        found = {}
        for width, values in pairs.items():
            gamma = width if variable == "gamma" else 0.5 / width
            rows = _of_one_width(prepared.X_train, y, gamma, values, folds, settings, seed)
            found |= {(width, row["C"]): row for row in rows}
            best = max(map(_accuracy, rows))
            _LOG.info("%s %s=%g: %d folds, accuracy up to %.4f", name, variable, width, len(folds), best)
        return found

    grid = over(first, dict.fromkeys(widths, Cs))
    least = max(map(_accuracy, grid.values())) - screening["margin"]
    kept = {width: [C for C in Cs if _accuracy(grid[width, C]) >= least] for width in widths}
    more = over(others, {width: values for width, values in kept.items() if values}) if others else {}
    rows = []
    for (width, C), row in grid.items():
        other = more.get((width, C), {})
        summed = {key: value + other.get(key, 0) for key, value in row.items() if key != "C"}
        rows.append({variable: width, "C": C, "accuracy": summed.pop("hits") / summed.pop("points"), **summed})
    return _choice(rows, variable, chosen["folds"])


def _accuracy(row):
    return row["hits"] / row["points"]


def _of_one_width(X, y, gamma, Cs, folds, settings, seed):
    K = np.empty((len(y), len(y)), dtype=np.float32)
    KernelMatrix(X, Kernel("rbf", gamma)).gram(K)
    hits, seconds, limits = np.zeros(len(Cs), int), np.zeros(len(Cs)), np.zeros(len(Cs), int)
    for training, validation in folds:
        model = build_model(settings, settings["method"], seed, kernel="precomputed", certify=False)
        fitted = fit_c_path(model, K[np.ix_(training, training)], y[training], Cs)
        against = K[np.ix_(validation, training)]
        for place, one in enumerate(fitted):
            hits[place] += np.count_nonzero(one.predict(against) == y[validation])
            seconds[place] += one.fit_cpu_s_
            limits[place] += one.stop_reason_ in ("time_limit", "iteration_limit")
    points = sum(len(validation) for _, validation in folds)
    return [
        {"C": C, "hits": hit, "points": points, "train_cpu_s": second, "fits_at_limit": int(limit), "folds": len(folds)}
        for C, hit, second, limit in zip(Cs, hits.tolist(), seconds.tolist(), limits, strict=True)
    ]


def _choice(grid, variable, folds):
    def gamma_of(row):
        return row["gamma"] if variable == "gamma" else 0.5 / row["sigma2"]

    complete = [row for row in grid if row["folds"] == folds]
    best = max(complete, key=lambda row: (row["accuracy"], -row["C"], -gamma_of(row)))
    edges = []
    for key in (variable, "C"):
        values = sorted({row[key] for row in grid})
        if len(values) > 1 and best[key] in (values[0], values[-1]):
            edges.append(key)
    flag = f" (best at the edge of the grid: {', '.join(edges)})" if edges else ""
    return {
        "sigma2": 0.5 / gamma_of(best),
        "gamma": gamma_of(best),
        "gamma_rule": f"{folds}-fold cross-validation over {variable}{flag}",
        "C": best["C"],
        "C_rule": "cross-validation",
        "at_grid_edge": bool(edges),
        "grid_edges": edges,
        "folds": folds,
        "grid": grid,
    }
