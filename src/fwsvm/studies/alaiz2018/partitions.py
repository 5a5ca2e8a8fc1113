"""Random partitions of a data set, and models on them that share kernel matrices (the protocol of alaiz2018)."""

import logging
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import StratifiedKFold, train_test_split

from fwsvm.base.threads import one_blas_thread
from fwsvm.datasets.two_classes import require_two_classes
from fwsvm.estimators.c_path import fit_c_path
from fwsvm.kernels.symmetry import mirror_lower
from fwsvm.runs import measure
from fwsvm.runs.models import build_model
from fwsvm.runs.rows import outcome_columns

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Partition:
    """Training and test points: X (m, d) and (t, d), dense or CSR, and labels -1 and +1."""

    X: object
    y: np.ndarray
    X_test: object
    y_test: np.ndarray


def pool(prepared):
    """All points of a two-class data set: X (m + t, d), dense or CSR, and y of -1 and +1.

    Raises
    ------
    DataError
        If there are more classes than two.
    """
    require_two_classes(prepared, "alaiz2018")
    parts = (prepared.X_train, prepared.X_test)
    X = sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
    codes = np.concatenate([prepared.y_train, prepared.y_test])
    return X, np.where(codes == 1, 1, -1)


def draw(X, y, train, test, seed):
    """A random partition with `train` training and `test` test points; each part has each class's share."""
    training, testing = train_test_split(
        np.arange(len(y)), train_size=train, test_size=test, stratify=y, random_state=seed
    )
    return Partition(X[training], y[training], X[testing], y[testing])


def subsample(X, y, size, seed):
    """`size` random points at most, each class with its share."""
    if len(y) <= size:
        return X, y
    kept, _ = train_test_split(np.arange(len(y)), train_size=size, stratify=y, random_state=seed)
    return X[kept], y[kept]


def kernel_values(kernel, gamma, X, Z=None):
    """Kernel values, float32 (n, m), of the points Z (n, d) against X (m, d); by default of X against itself."""
    parameters = {"gamma": gamma} if kernel == "rbf" else {}
    with one_blas_thread():
        values = pairwise_kernels(X if Z is None else Z, X, metric=kernel, **parameters).astype(np.float32)
    if Z is None:
        mirror_lower(values)
    return values


class KernelOfPartition:
    """Kernel matrices of a partition for one kernel, and the models that are trained with them.

    Parameters
    ----------
    partition : Partition
    kernel : {"linear", "rbf"}
    gamma : float or None
        Width of the RBF kernel.
    settings : dict
        stop, eps, cache_mb, max_iterations, time_limit.
    """

    def __init__(self, partition, kernel, gamma, settings):
        self.partition, self.settings = partition, settings
        self.monitor = measure.RunMonitor(rounds=3)
        self.K = kernel_values(kernel, gamma, partition.X)
        self.K_test = kernel_values(kernel, gamma, partition.X, partition.X_test)

    def fit(self, method, Cs, start):
        """Models of one method for several C from the vertex `start`, and the fields of their rows.

        Returns
        -------
        list of (FrankWolfeSVC, dict)
            What came out (columns of the runs table); the disturbance check covers all of them together.
        """
        model = build_model({**self.settings, "selection": "full"}, method, 0, kernel="precomputed", init=start)
        fitted, conditions = self.monitor.timed(fit_c_path, model, self.K, self.partition.y, Cs)
        return [
            (
                one,
                {
                    **_outcome(one),
                    "test_accuracy": float(np.mean(one.predict(self.K_test) == self.partition.y_test)),
                    **conditions.columns(one.fit_cpu_s_, one.fit_wall_s_),
                },
            )
            for one in fitted
        ]


def _outcome(model):
    """Columns of the runs table that a fitted model of two classes tells.

    Kernel evaluations are left out: the models of a partition share their kernel matrix.
    """
    (solution,) = model.pair_solutions_
    return outcome_columns(solution) | {
        "train_cpu_s": model.fit_cpu_s_,
        "train_wall_s": model.fit_wall_s_,
        "kernel_evaluations": None,
        "requested_evaluations": None,
    }


def tune(name, X, y, kernel, settings, seed):
    """Width and values of C by cross-validation (alaiz2018 sec. 5).

    The width is the SVM's (`pfw`), and both models share it; each has a C of its own. Of equally accurate pairs the one
    with the smallest C is chosen, and of those the widest kernel.

    Parameters
    ----------
    name : str
        Of the data set, for the log.
    X, y
        Training points and labels; at most `tuning_points` of them are used.
    kernel : {"linear", "rbf"}
    settings : dict
        folds, tuning_points, tuning_iterations (of each fit), gamma_exponents, C_exponents, and those of
        `KernelOfPartition`.
    seed : int

    Returns
    -------
    dict
        ``gamma`` (None for the linear kernel); ``C`` and ``accuracy`` (fraction, over all folds) of the models ``svm``
        and ``mfw``; ``points`` used; ``folds`` (fewer than wanted where a class is smaller); ``edges`` (which choices
        lie at an end of their grid).
    """
    X, y = subsample(X, y, settings["tuning_points"], seed)
    settings = {**settings, "max_iterations": settings["tuning_iterations"]}
    number = max(2, min(settings["folds"], *np.unique(y, return_counts=True)[1]))
    folds = list(StratifiedKFold(number, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))
    Cs = sorted(2.0**k for k in settings["C_exponents"])
    gammas = sorted(2.0**k for k in settings["gamma_exponents"]) if kernel == "rbf" else [None]
    path = partial(_cross_validate, y=y, folds=folds, Cs=Cs, settings=settings, seed=seed)
    svm = {gamma: path(kernel_values(kernel, gamma, X), method="pfw") for gamma in gammas}
    # The first of the best: the smallest C, and of those the smallest gamma.
    C, gamma = max(((C, gamma) for C in Cs for gamma in gammas), key=lambda pair: svm[pair[1]][pair[0]])
    mfw = path(kernel_values(kernel, gamma, X), method="mfw_sparse")
    chosen = {"svm": C, "mfw": max(Cs, key=mfw.get)}
    edges = [f"C of {model}" for model, value in chosen.items() if len(Cs) > 1 and value in (Cs[0], Cs[-1])]
    if len(gammas) > 1 and gamma in (gammas[0], gammas[-1]):
        edges.append("gamma")
    _LOG.info("%s %s: gamma=%s, C=%s", name, kernel, gamma, chosen)
    return {
        "gamma": gamma,
        "C": chosen,
        "accuracy": {"svm": svm[gamma][C], "mfw": mfw[chosen["mfw"]]},
        "points": len(y),
        "folds": int(number),
        "edges": edges,
    }


def _cross_validate(K, y, folds, Cs, settings, seed, method):
    """C -> accuracy over all folds, with one kernel matrix."""
    hits = dict.fromkeys(Cs, 0)
    for training, validation in folds:
        model = build_model({**settings, "selection": "full"}, method, seed, kernel="precomputed", init="random_point")
        fitted = fit_c_path(model, K[np.ix_(training, training)], y[training], Cs)
        against = K[np.ix_(validation, training)]
        for C, one in zip(Cs, fitted, strict=True):
            hits[C] += int(np.count_nonzero(one.predict(against) == y[validation]))
    return {C: hit / len(y) for C, hit in hits.items()}
