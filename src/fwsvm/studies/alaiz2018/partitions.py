"""Random partitions of a data set, and models on them that share kernel matrices (the protocol of alaiz2018)."""

import logging
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import StratifiedKFold, train_test_split

from fwsvm.base.threads import one_blas_thread
from fwsvm.datasets.storage import require_two_classes
from fwsvm.estimators.machine import fit_c_path
from fwsvm.kernels.symmetry import mirror_lower
from fwsvm.runs import measure
from fwsvm.runs.rows import build_model, outcome_columns

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Partition:
    """Training and test points: X (m, d) and (t, d), dense or CSR, and labels -1 and +1."""

    X: object
    y: np.ndarray
    X_test: object
    y_test: np.ndarray


def pool(prepared):
    """All points of a two-class data set, training points first, and labels -1 and +1."""
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
    """At most `size` random points, each class with its share."""
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
    """The kernel matrices of a partition, and the models that are trained with them."""

    def __init__(self, partition, kernel, gamma, settings):
        self.partition, self.settings = partition, settings
        self.monitor = measure.RunMonitor(rounds=3)
        self.K = kernel_values(kernel, gamma, partition.X)
        self.K_test = kernel_values(kernel, gamma, partition.X, partition.X_test)

    def fit(self, method, Cs, start):
        """Pairs (model, outcome columns) of one method, one for each C, all from the vertex `start`."""
        model = build_model({**self.settings, "selection": "full"}, method, 0, kernel="precomputed", init=start)
        fitted, conditions = self.monitor.timed(fit_c_path, model, self.K, self.partition.y, Cs)
        return [(one, self._outcome(one) | conditions.columns(one.fit_cpu_s_, one.fit_wall_s_)) for one in fitted]

    def _outcome(self, model):
        (solution,) = model.pair_solutions_
        return outcome_columns(solution) | {
            "train_cpu_s": model.fit_cpu_s_,
            "train_wall_s": model.fit_wall_s_,
            "kernel_evaluations": None,  # the models of a partition share their kernel matrix
            "requested_evaluations": None,
            "test_accuracy": float(np.mean(model.predict(self.K_test) == self.partition.y_test)),
        }


def tune(name, X, y, kernel, settings, seed):
    """Width and values of C by cross-validation (alaiz2018 sec. 5)."""
    X, y = subsample(X, y, settings["tuning_points"], seed)
    settings = {**settings, "max_iterations": settings["tuning_iterations"]}
    number = max(2, min(settings["folds"], *np.unique(y, return_counts=True)[1]))
    folds = list(StratifiedKFold(number, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))
    Cs = sorted(2.0**k for k in settings["C_exponents"])
    gammas = sorted(2.0**k for k in settings["gamma_exponents"]) if kernel == "rbf" else [None]

    def path(gamma, method):
        """C -> accuracy over all folds."""
        K, hits = kernel_values(kernel, gamma, X), dict.fromkeys(Cs, 0)
        model = build_model({**settings, "selection": "full"}, method, seed, kernel="precomputed", init="random_point")
        for training, validation in folds:
            fitted = fit_c_path(model, K[np.ix_(training, training)], y[training], Cs)
            against = K[np.ix_(validation, training)]
            for C, one in zip(Cs, fitted, strict=True):
                hits[C] += int(np.count_nonzero(one.predict(against) == y[validation]))
        return {C: hit / len(y) for C, hit in hits.items()}

    svm = {gamma: path(gamma, "pfw") for gamma in gammas}
    # max takes the first of the best: the smallest C, then the smallest gamma.
    C, gamma = max(((C, gamma) for C in Cs for gamma in gammas), key=lambda pair: svm[pair[1]][pair[0]])
    mfw = path(gamma, "mfw_sparse")
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
