"""Cross-validation over kernel width and C (frandi2013 sec. 5.2.1), kernel values shared over C and folds."""

import logging

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.estimators.machine import fit_c_path
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.runs.rows import build_model

_LOG = logging.getLogger(__name__)


def cross_validate(prepared, settings, seed):
    """Choose sigma^2 and C of the RBF kernel by accuracy over all folds.

    With `screening`, all pairs are tried on the first folds. The other folds try only pairs less than a margin below
    the best: the rest could win only if the folds differed by that much.

    Of equally good pairs the smallest C is chosen, and of those the widest kernel. The paper's range of sigma^2
    excludes the average squared distances of its data sets and looks like a range of gamma, so `cv_grid_variable` says
    what the exponents are of. An optimum at the edge of a grid is flagged.

    The result has what `tune` returns, with `grid_edges` (width, C) and in `grid` the folds and the fits at a limit.
    """
    chosen = settings["cross_validation"]
    name, y = prepared.meta["name"], np.asarray(prepared.y_train)
    least = np.unique(y, return_counts=True)[1].min()
    if least < chosen["folds"]:
        raise DataError(
            f"{name}: a class has only {least} training points, too few for cross-validation with {chosen['folds']}"
            " folds; take it out of tuning.cross_validation.datasets"
        )
    from sklearn.model_selection import StratifiedKFold  # tuning on a validation part needs none of it

    folds = StratifiedKFold(chosen["folds"], shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
    folds = list(folds)
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
            best = max(rows, key=lambda row: row["hits"])
            share = best["hits"] / best["points"]
            _LOG.info(
                "%s %s=%g: %d folds, accuracy up to %.4f (C=%g)", name, variable, width, len(folds), share, best["C"]
            )
        return found

    grid = over(first, dict.fromkeys(widths, Cs))
    least = max(map(_accuracy, grid.values())) - screening["margin"]
    kept = {width: [C for C in Cs if _accuracy(grid[width, C]) >= least] for width in widths}
    more = over(others, {width: values for width, values in kept.items() if values}) if others else {}
    rows = [{variable: width, **_row(grid[width, C], more.get((width, C)))} for width, C in grid]
    return _choice(rows, variable, chosen["folds"])


def _accuracy(row):
    return row["hits"] / row["points"]


def _row(first, more):
    """A row of the grid: its sums over the screening folds and, unless it was screened out, over the others."""
    row = {key: first[key] + (more[key] if more else 0) for key in first if key != "C"}
    return {"C": first["C"], "accuracy": row.pop("hits") / row.pop("points"), **row}


def _of_one_width(X, y, gamma, Cs, folds, settings, seed):
    """Sums over the folds for every C, with one kernel matrix."""
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
