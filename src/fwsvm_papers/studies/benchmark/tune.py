"""Tuning as in frandi2013 sec. 5.2.1. Either a rule chooses the kernel width, and validation parts
of the training set are used to choose C, or cross-validation chooses both.
"""

import logging
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fwsvm.estimators.machine import fit_c_path
from fwsvm.inputs.errors import DataError
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm_papers.datasets.storage import Features, Prepared
from fwsvm_papers.runs import LIMIT_REASONS
from fwsvm_papers.runs.measure import derive_seed
from fwsvm_papers.runs.protocols import SERIES_RULE
from fwsvm_papers.runs.rows import build_model

_LOG = logging.getLogger(__name__)


def tune(prepared: Prepared, settings: dict) -> dict:
    """Choose sigma^2 and C from the training set alone, with settings from
    `fwsvm_papers.runs.jobs.tuning_settings`.

    Among the keys of the result are sigma2, gamma, gamma_rule, C, C_rule, at_grid_edge and `grid`
    (a list with a dict per trial). The entry `protocols` has a dict of the same form for each
    protocol with a tuning rule of its own (see `fwsvm_papers.runs.jobs.tuned_under`). For these
    protocols, cross-validation is not used.
    """
    name = prepared.meta["name"]
    seed = derive_seed(settings["seed"], "tune", name)
    asked = {key: settings[key] for key in ("kernel", "method", "selection")}
    own, others = _validator(prepared, settings, seed), settings.get("protocols", {}).items()
    if "cross_validation" in settings:
        found = cross_validate(prepared, settings, seed)
    else:
        found = own(settings.get("width_factor"), settings["ties"])
    if others:
        found["protocols"] = {
            name: own(rule["width_factor"], rule["ties"], rule.get("C")) for name, rule in others
        }
    return {"dataset": name, **asked, **found}


def _validator(prepared: Prepared, settings: dict, seed: int) -> Callable[..., dict]:
    """Return a function that chooses C for a kernel width. This function compares the mean
    accuracies over random validation parts. If it gets a C, it chooses this C without validation.
    """
    name, rule, y = prepared.meta["name"], prepared.meta["sigma2"], np.asarray(prepared.y_train)
    sigma2 = prepared.meta["average_squared_distance"] if rule == "average" else float(rule)
    if not sigma2 > 0:
        raise DataError(
            f"{name}: sigma2 must be positive, but is {sigma2} (are all training points equal?)"
        )
    seeds = [[seed, part] if part else seed for part in range(settings.get("validation_parts", 1))]
    parts = [_part(name, y, settings, of_part) for of_part in seeds]
    tried = sum(len(validation) for _, validation in parts)
    grids = {}

    def choose(factor: float, ties: str, C: float | None = None) -> dict:
        # For the RBF kernel, gamma = factor / beta = 1 / (2 sigma^2). For the polynomial kernel,
        # gamma = 1 / beta, without a factor.
        beta = "average squared distance" if rule == "average" else rule
        if factor is None:
            width, gamma, words = sigma2, 1.0 / sigma2, f"1/sigma2, sigma2 = {beta}"
        else:
            width = sigma2 * 0.5 / factor
            gamma = 0.5 / width
            words = (
                f"1/(2 sigma2), sigma2 = {beta}"
                if factor == 0.5
                else f"{factor:g}/beta, beta = {beta}"
            )
        chosen = {"sigma2": width, "gamma": gamma, "gamma_rule": words}
        if C is not None:
            return chosen | {
                "C": float(C),
                "C_rule": SERIES_RULE,
                "at_grid_edge": False,
                "grid": [],
            }
        if factor not in grids:
            grids[factor] = _validate(prepared.X_train, y, name, width, parts, settings, seed)
        grid = grids[factor]
        best = max(
            range(len(grid)),
            key=lambda k: (grid[k]["validation_accuracy"], k if ties == "largest" else -k),
        )
        most = grid[best]["validation_accuracy"]
        error = np.sqrt(most * (1 - most) / tried)
        level = [row["C"] for row in grid if row["validation_accuracy"] >= most - error]
        on = f" on {len(parts)} parts" if len(parts) > 1 else ""
        words = ", ".join(f"{value:g}" for value in level)
        return chosen | {
            "C": grid[best]["C"],
            "C_rule": (
                f"validation{on}, the {ties} C with the best accuracy; {words} within a standard"
                " error"
            ),
            "C_within_standard_error": level,
            "at_grid_edge": len(grid) > 1 and best in (0, len(grid) - 1),
            "validation_points": tried,
            "grid": grid,
        }

    return choose


def _part(
    name: str, y: np.ndarray, settings: dict, seed: int | list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Divide the training set at random into a training part and a validation part. Return the row
    numbers of both parts.

    If the settings limit the number of `validation_points`, only a random choice of the rows of the
    validation part is returned.
    """
    training, validation = split_validation(
        y, settings["validation_fraction"], np.random.default_rng(seed)
    )
    if len(validation) == 0:
        raise DataError(
            f"{name}: {len(training)} training points are too few to set some aside for validation"
        )
    most = settings.get("validation_points", len(validation))
    if len(validation) > most:
        rng = np.random.default_rng([*np.atleast_1d(seed).tolist(), most])
        validation = np.sort(rng.choice(validation, most, replace=False))
    return training, validation


def split_validation(
    y: np.ndarray, fraction: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Split the rows at random into a training part and a validation part. Return the row numbers
    of both parts, in ascending order.

    Every class keeps at least one training point, so the validation part can be empty.
    """
    m = len(y)
    size = min(max(1, round(fraction * m)), m - 1)
    order = rng.permutation(m)
    validation, training = order[:size], order[size:]
    lost = np.setdiff1d(np.unique(y), np.unique(y[training]))
    rescued = [validation[np.flatnonzero(y[validation] == code)[0]] for code in lost]
    return np.sort(np.concatenate([training, rescued]).astype(int)), np.sort(
        np.setdiff1d(validation, rescued)
    )


def _validate(
    X: Features, y: np.ndarray, name: str, sigma2: float, parts: Sequence, settings: dict, seed: int
) -> list[dict]:
    Cs = [2.0**k for k in sorted(settings["C_exponents"])]
    model = build_model(settings, settings["method"], seed, sigma2=sigma2, certify=False)
    rows: list[list[tuple]] = []
    for training, validation in parts:
        fitted = fit_c_path(model, X[training], y[training], Cs)
        rows.append([])
        for C, one in zip(Cs, fitted, strict=True):
            accuracy = one.score(X[validation], y[validation])
            rows[-1].append((accuracy, one.fit_cpu_s_, one.stop_reason_ in LIMIT_REASONS))
            _LOG.info(
                "%s sigma2=%g C=%g: validation accuracy %.4f, %.2f s",
                name,
                sigma2,
                C,
                accuracy,
                one.fit_cpu_s_,
            )
    sums = np.sum(rows, axis=0)
    return [
        {
            "C": C,
            "validation_accuracy": float(accuracy / len(parts)),
            "train_cpu_s": float(seconds),
            "fits_at_limit": int(limits),
            "parts": len(parts),
        }
        for C, (accuracy, seconds, limits) in zip(Cs, sums, strict=True)
    ]


def cross_validate(prepared: Prepared, settings: dict, seed: int) -> dict:
    """Return the kernel width and C with the highest accuracy over all folds (frandi2013 sec.
    5.2.1).

    With `screening`, all pairs of a width and a C are tried on the first folds. A pair is tried on
    the other folds only if its accuracy on the first folds is close enough to the best accuracy.
    Among pairs with the same accuracy, the rule `ties` chooses C. If there are still several pairs,
    the one with the widest kernel is chosen.

    `cv_grid_variable` says whether the grid contains values of sigma^2 or of gamma. It is
    configurable because the range of sigma^2 in the paper looks like a range of gamma. For example,
    the range does not contain the average squared distance of usps.
    """
    chosen = settings["cross_validation"]
    settings = settings | {"time_limit": chosen["time_limit"]}
    name, y = prepared.meta["name"], np.asarray(prepared.y_train)
    least = np.unique(y, return_counts=True)[1].min()
    if least < chosen["folds"]:
        raise DataError(
            f"{name}: a class has only {least} training points, too few for {chosen['folds']}"
            " folds; remove the data set from tuning.cross_validation.datasets"
        )
    from sklearn.model_selection import StratifiedKFold  # imported here because the import is slow

    folds = list(
        StratifiedKFold(chosen["folds"], shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
    )
    Cs = [2.0**k for k in sorted(chosen["C_exponents"])]
    variable = chosen["cv_grid_variable"]
    widths = [2.0**k for k in sorted(chosen["width_exponents"])]
    screening = chosen.get("screening") or {"folds": len(folds), "margin": 1.0}
    first, others = folds[: screening["folds"]], folds[screening["folds"] :]

    def over(folds: Sequence, pairs: Mapping[float, Sequence[float]]) -> dict[tuple, dict]:
        found: dict = {}
        for width, values in pairs.items():
            gamma = width if variable == "gamma" else 0.5 / width
            rows = _of_one_width(prepared.X_train, y, gamma, values, folds, settings, seed)
            found |= {(width, row["C"]): row for row in rows}
            best = max(map(_accuracy, rows))
            _LOG.info(
                "%s %s=%g: %d folds, accuracy up to %.4f", name, variable, width, len(folds), best
            )
        return found

    grid = over(first, dict.fromkeys(widths, Cs))
    least = max(map(_accuracy, grid.values())) - screening["margin"]
    kept = {width: [C for C in Cs if _accuracy(grid[width, C]) >= least] for width in widths}
    more = (
        over(others, {width: values for width, values in kept.items() if values}) if others else {}
    )
    rows = []
    for (width, C), row in grid.items():
        other = more.get((width, C), {})
        summed = {key: value + other.get(key, 0) for key, value in row.items() if key != "C"}
        rows.append(
            {
                variable: width,
                "C": C,
                "accuracy": summed.pop("hits") / summed.pop("points"),
                **summed,
            }
        )
    return _choice(rows, variable, chosen["folds"], settings["ties"])


def _accuracy(row: dict) -> float:
    return row["hits"] / row["points"]


def _of_one_width(
    X: Features,
    y: np.ndarray,
    gamma: float,
    Cs: Sequence[float],
    folds: Sequence,
    settings: dict,
    seed: int,
) -> list[dict]:
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
        {
            "C": C,
            "hits": hit,
            "points": points,
            "train_cpu_s": second,
            "fits_at_limit": int(limit),
            "folds": len(folds),
        }
        for C, hit, second, limit in zip(Cs, hits.tolist(), seconds.tolist(), limits, strict=True)
    ]


def _choice(grid: Sequence[dict], variable: str, folds: int, ties: str) -> dict:
    def gamma_of(row: dict) -> float:
        return row["gamma"] if variable == "gamma" else 0.5 / row["sigma2"]

    complete = [row for row in grid if row["folds"] == folds]
    sign = 1 if ties == "largest" else -1
    best = max(complete, key=lambda row: (row["accuracy"], sign * row["C"], -gamma_of(row)))
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
