"""Training of SVMs by CVM and other solvers on growing training sets (tsang2005 sec. 5.1 to 5.3),
and training of one-class SVMs.
"""

import logging
import time
import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.svm import OneClassSVM

from fwsvm.estimators.one_class import FrankWolfeOneClass
from fwsvm.estimators.record import model_columns
from fwsvm.inputs.errors import DataError
from fwsvm.kernels.functions import Kernel, average_squared_distance
from fwsvm_papers.baselines import fit_baseline
from fwsvm_papers.datasets.describe import count_classes
from fwsvm_papers.datasets.generators import checkerboard
from fwsvm_papers.datasets.storage import Features, Prepared, require_two_classes
from fwsvm_papers.runs import ENDED_REASONS, measure
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.rows import build_model, setting_columns

_LOG = logging.getLogger(__name__)
_LIBSVM = ("libsvm_l1", "libsvm_l2")
# With at most this number of points, LIBSVM has no time limit. A run with a time limit needs
# another process, and the start of a process is slow.
_FEW_POINTS = 1000
# Number of points in the larger of the two warm-up runs, which are not timed. With this number,
# training uses `fwsvm.solvers.coreset_drivers`.
_WARM_UP_POINTS = 2200


class Case(NamedTuple):
    """The key of a run: training set size, class of the inliers (None except for one-class SVMs),
    kernel width, C and repetition.
    """

    size: int
    inlier: int | None
    gamma_factor: float
    C: float
    repetition: int


def run(prepared: Prepared, job: Job, settings: dict) -> list[dict] | tuple[list[dict], dict]:
    """Train and test the models of all runs of a job. Return the rows of the table of runs and, for
    the experiment `tsang2005`, the details.

    The experiment `draws` uses new random training sets, and has no details.
    """
    return (_run_draws if "draws" in settings else _run_once)(prepared, job, settings)


def _run_once(prepared: Prepared, job: Job, settings: dict) -> tuple[list[dict], dict]:
    """Train on subsets of one training set, and test the models.

    A run that ended at a limit has no accuracy. After such a run, larger subsets with the same
    settings are left out.
    """
    rows, notes, ended = [], [], set()
    train = _one_class_run if "nu" in settings else _series_run
    if train is _series_run:
        require_two_classes(prepared, f"tsang2005.{settings['part']}")
    subsets = _Subsets(prepared, settings, job.dataset)
    monitor = None
    for case in _cases(prepared, settings):
        if case[1:] in ended:  # a run with the same settings on fewer points ended at a limit
            continue
        X, y = subsets.points(case)
        gamma = case.gamma_factor / subsets.beta(case)
        seed = measure.derive_seed(settings["seed"], *job, case.repetition)
        if monitor is None:
            _warm_up(X, y, job, settings, gamma, case.C)
            monitor = measure.RunMonitor()
        (row, note), conditions = monitor.timed(
            train, prepared, job, settings, case, X, y, gamma, seed
        )
        row |= setting_columns(
            job,
            prepared.meta,
            settings,
            gamma=gamma,
            C=case.C,
            selection=settings["selection"],
            task_size=X.shape[0],
        )
        row |= {"gamma_rule": gamma_rule(case.gamma_factor, settings["beta"]), "seed": seed}
        row |= {"repetition": case.repetition, "partition": case.inlier}
        # LIBSVM usually runs in another process, and its wall time includes the start of this
        # process. Therefore, the wall time is not used, and the memory is unknown.
        if job.method in _LIBSVM:
            row |= conditions(row["train_cpu_s"], row["train_cpu_s"]) | {"peak_rss_mb": None}
        else:
            row |= conditions(row["train_cpu_s"], row["train_wall_s"])
        rows.append(row)
        shared = ("task_size", "C", "gamma_rule", "repetition", "partition")
        notes.append({name: row[name] for name in shared if row[name] is not None} | note)
        if row["stop_reason"] in ENDED_REASONS:
            ended.add(case[1:])
        _LOG.info(
            "%s %s m=%d %s C=%g: %.3f s CPU, %d support vectors (%s)",
            job.dataset,
            job.method,
            row["task_size"],
            row["gamma_rule"],
            case.C,
            row["train_cpu_s"],
            row["support_vectors"] or 0,
            row["stop_reason"],
        )
    return rows, {
        "series": settings["part"],
        "classes": count_classes(prepared),
        "runs": notes,
    }


def _run_draws(prepared: Prepared, job: Job, settings: dict) -> list[dict]:
    """Train on new random points of the checkerboard.

    The first repetition has the number 1, because repetition 0 is in the experiment `tsang2005`.
    """
    X, y = np.asarray(prepared.X_test), np.asarray(prepared.y_test)
    if X.shape[1] != 2 or not np.array_equal(np.floor(X).sum(axis=1) % 2 == 0, y == 1):
        raise DataError(
            f"{job.dataset} is not a checkerboard, so no new points can be drawn; remove"
            f" {job.dataset} from draws.datasets"
        )
    squares = int(np.ceil(X.max()))  # number of squares per side
    rows, large = [], settings["large"]
    for draw in range(1, settings["draws"] + 1):
        sizes = [
            size for size in settings["sizes"] if draw <= large["draws"] or size <= large["above"]
        ]
        if not sizes:
            break
        size = min(max(sizes), prepared.meta["m"])
        # the seed does not depend on the method, so every method gets the same points
        seed = measure.derive_seed(settings["seed"], job.experiment, job.dataset, draw)
        X, y = checkerboard(size, np.random.default_rng(seed), squares)
        drawn = replace(
            prepared,
            X_train=X.astype(prepared.X_train.dtype),
            y_train=(y > 0).astype(np.asarray(prepared.y_train).dtype),
            meta={**prepared.meta, "m": size},
        )
        found, _ = _run_once(drawn, job, settings | {"seed": seed, "sizes": sizes})
        rows += [row | {"repetition": draw} for row in found]
    return rows


def _cases(prepared: Prepared, settings: dict) -> list[Case]:
    """Return the cases of all runs of a job. The cases of a series are in ascending order of
    size.
    """
    if "nu" in settings:
        counts = np.bincount(np.asarray(prepared.y_train))[: settings["inliers"]]
        sets = [
            (int(m), inlier, 1.0 / (nu * int(m)))
            for inlier, m in enumerate(counts)
            for nu in settings["nu"]
        ]
    else:
        sizes = training_sizes(settings, prepared.meta["m"], prepared.meta["t"])
        sets = [(size, None, float(C)) for size in sizes for C in settings["C"]]
    return [
        Case(size, inlier, factor, C, repetition)
        for size, inlier, C in sets
        for factor in settings["gamma_factors"]
        for repetition in range(settings["repetitions"])
    ]


def training_sizes(settings: dict, m: int, t: int) -> list[int]:
    """Return the training set sizes.

    They are the values of the setting `sizes`. Without this setting, they are the values of the
    setting `shares` times m + t, the number of training and test points. Without both settings, the
    only size is m. Sizes are at least 2 and at most m, and each size occurs once.
    """
    wanted = (
        settings.get("sizes")
        or [round(share * (m + t)) for share in settings.get("shares", [])]
        or [m]
    )
    return sorted({max(2, min(int(size), m)) for size in wanted})


class _Subsets:
    """The training sets of a job, and the average squared distance in each of them, which is
    computed only once.
    """

    def __init__(self, prepared: Prepared, settings: dict, dataset: str) -> None:
        self.prepared, self.settings, self.order = prepared, settings, None
        self.betas: dict[tuple, float] = {}
        self.y = np.asarray(prepared.y_train)
        if "shares" in settings:  # the order, and so the points, are the same for all methods
            rng = np.random.default_rng(
                measure.derive_seed(settings["seed"], "tsang2005", dataset, "order")
            )
            self.order = rng.permutation(len(self.y))

    def points(self, case: Case) -> tuple[Features, np.ndarray | None]:
        """Return the points of a run and their labels -1 and +1. For one-class SVMs, the labels are
        None.
        """
        X = self.prepared.X_train
        if case.inlier is not None:
            return X[np.flatnonzero(self.y == case.inlier)], None
        if self.order is None:
            return X[: case.size], 2 * self.y[: case.size] - 1
        rows = np.sort(self.order[: case.size])
        return X[rows], 2 * self.y[rows] - 1

    def beta(self, case: Case) -> float:
        """Return beta, which is a number of the configuration, or the average squared distance
        between the points of the run. The parameter gamma is a factor divided by beta.
        """
        if self.settings["beta"] != "average":
            return float(self.settings["beta"])
        key = case.size, case.inlier
        if key not in self.betas:
            self.betas[key] = average_squared_distance(self.points(case)[0])
        return self.betas[key]


def gamma_rule(factor: float, beta: str | float) -> str:
    """Return a text for the column `gamma_rule` of the table of runs. It has the form
    ``factor/beta``, such as ``2/beta`` if `beta` is "average", or ``1/10000`` if `beta` is 10000.
    """
    return f"{factor:g}/{'beta' if beta == 'average' else format(beta, 'g')}"


def _series_run(
    prepared: Prepared,
    job: Job,
    settings: dict,
    case: Case,
    X: Features,
    y: np.ndarray,
    gamma: float,
    seed: int,
) -> tuple[dict, dict]:
    """Train and test on one training set of a series. Return a dict with the measured columns of
    the table of runs, and a dict of details.
    """
    if job.method in ("cvm", "auto"):
        model = build_model(settings, job.method, seed, gamma=gamma, C=case.C)
        model.fit(X, y)
        times = {"train_cpu_s": model.fit_cpu_s_, "train_wall_s": model.fit_wall_s_}
        row, note = model_columns(model, model.pair_solutions_) | times, {}
    else:
        own = {"share": settings["share"]} if job.method == "rsvm" else {}
        limit = settings["time_limit"]
        if job.method in _LIBSVM:
            own = {"cache_mb": settings["cache_mb"]}
            limit = np.inf if X.shape[0] <= _FEW_POINTS else limit
        model = fit_baseline(
            job.method,
            X,
            y,
            Kernel("rbf", gamma),
            case.C,
            random_state=seed,
            time_limit=limit,
            memory_limit_mb=settings["memory_limit_mb"],
            **own,
        )
        row = {
            "train_cpu_s": model.train_cpu_s,
            "train_wall_s": model.train_wall_s,
            "iterations": model.iterations,
            "support_vectors": model.support_vectors if model.is_trained else None,
            "objective": None if np.isnan(model.objective) else model.objective,
            "stop_reason": model.stop_reason,
        }
        note = {"memory_mb": round(model.facts["memory_mb"], 3)} | (
            {"note": model.note} if model.note else {}
        )
    ended = row["stop_reason"] in ENDED_REASONS
    targets = 2 * np.asarray(prepared.y_test) - 1
    return (
        row | {"test_accuracy": None if ended else float(model.score(prepared.X_test, targets))},
        note,
    )


def _one_class_model(settings: dict, gamma: float, C: float, seed: int) -> FrankWolfeOneClass:
    return FrankWolfeOneClass(
        C=C,
        method="swap",
        gamma=gamma,
        selection=settings["selection"],
        init=settings["init"],
        stop=settings["stop"],
        eps=settings["eps"],
        cache_mb=settings["cache_mb"],
        max_iter=settings["max_iterations"],
        time_limit=settings["time_limit"],
        random_state=seed,
    )


def _fit_quietly(model: FrankWolfeOneClass, X: Features) -> FrankWolfeOneClass:
    """Fit a model without warnings about limits, since the stop reason is recorded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


def _one_class_run(
    prepared: Prepared,
    job: Job,
    settings: dict,
    case: Case,
    X: Features,
    _labels: None,
    gamma: float,
    seed: int,
) -> tuple[dict, dict]:
    """Train a one-class SVM on one class, and test it on all classes.

    Return a dict with the measured columns of the table of runs, and a dict with nu and the AUC.
    """
    nu = float(np.round(1.0 / (case.C * case.size), 12))
    started, started_wall = time.thread_time(), time.perf_counter()
    if job.method == "oneclass_swap":
        model = _one_class_model(settings, gamma, case.C, seed)
        _fit_quietly(model, X)
    else:
        model = OneClassSVM(
            kernel="rbf", gamma=gamma, nu=min(1.0, nu), cache_size=settings["cache_mb"]
        ).fit(X)
    cpu_s, wall_s = time.thread_time() - started, time.perf_counter() - started_wall
    if job.method == "oneclass_swap":
        certify = model.solution_.certify_cpu_s
        cpu_s, wall_s = cpu_s - certify, wall_s - certify
        row = model_columns(model, [model.solution_])
    else:
        row = {
            "support_vectors": len(model.support_),
            "iterations": int(model.n_iter_),
            "stop_reason": "converged",
        }
    is_inlier = np.asarray(prepared.y_test) == case.inlier
    auc = (
        roc_auc_score(is_inlier, model.score_samples(prepared.X_test))
        if len(set(is_inlier)) == 2
        else None
    )
    note = {"nu": nu, "auc": None if auc is None else round(float(auc), 6)}
    return row | {"train_cpu_s": cpu_s, "train_wall_s": wall_s}, note


def _warm_up(
    X: Features, y: np.ndarray | None, job: Job, settings: dict, gamma: float, C: float
) -> None:
    """Load all compiled code by training on few points, and then on many points. These two runs are
    not timed. For our own methods, they have the settings of the timed runs, except for a short
    time limit. LIBSVM's two-class SVMs are trained on few points only.
    """
    limited = settings | {"time_limit": min(measure.WARM_UP_S, settings["time_limit"])}
    for m in (60, _WARM_UP_POINTS):
        if job.method in ("cvm", "auto"):
            build_model(limited, job.method, 0, gamma=gamma, C=C).fit(*_some(X, y, m))
        elif job.method == "oneclass_swap":
            _fit_quietly(_one_class_model(limited, gamma, C, seed=0), X[:m])
        elif job.method == "oneclass_libsvm":
            OneClassSVM(gamma=gamma, nu=0.5).fit(X[:m])
        elif job.method in _LIBSVM:  # LIBSVM has nothing to compile
            fit_baseline(job.method, *_some(X, y, 60), Kernel("rbf", gamma), C)
        else:
            fit_baseline(
                job.method, *_some(X, y, m), Kernel("rbf", gamma), C, random_state=0, time_limit=1.0
            )


def _some(X: Features, y: np.ndarray | None, m: int) -> tuple[Features, np.ndarray]:
    """Return the first m / 2 points of each class. If a class has fewer points, return all of its
    points.
    """
    assert y is not None  # only one-class SVMs have no labels
    rows = np.sort(np.concatenate([np.flatnonzero(y == label)[: m // 2] for label in (-1, 1)]))
    return X[rows], y[rows]
