"""Random partitions of a data set. All models that are trained on a partition share its kernel
matrices (alaiz2018 sec. 5).
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import StratifiedKFold, train_test_split

from fwsvm.estimators.machine import fit_c_path
from fwsvm.kernels.symmetry import mirror_lower
from fwsvm.machine_code.threads import one_blas_thread
from fwsvm_papers.datasets.storage import Features, Prepared, require_two_classes
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.rows import build_model, outcome_columns

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Partition:
    """A partition into training points (m, d) and test points (t, d). The points are dense or CSR,
    and the labels are -1 and +1.
    """

    X: object
    y: np.ndarray
    X_test: object
    y_test: np.ndarray


def pool(prepared: Prepared) -> tuple[Features, np.ndarray]:
    """Return all points of a data set with two classes, and their labels -1 and +1. The training
    points come first.
    """
    require_two_classes(prepared, "alaiz2018")
    parts = (prepared.X_train, prepared.X_test)
    X = sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
    codes = np.concatenate([prepared.y_train, prepared.y_test])
    return X, np.where(codes == 1, 1, -1)


def draw(X: Features, y: np.ndarray, train: int, test: int, seed: int) -> Partition:
    """Draw a stratified random partition with `train` training points and `test` test points."""
    X, X_test, y, y_test = train_test_split(
        X, y, train_size=train, test_size=test, stratify=y, random_state=seed
    )
    return Partition(X, y, X_test, y_test)


def kernel_values(
    kernel: str, gamma: float | None, X: Features, Z: Features | None = None
) -> np.ndarray:
    """Return the float32 kernel matrix (n, m) of the points Z (n, d) and X (m, d).

    If Z is None, X is used as Z.
    """
    parameters = {"gamma": gamma} if kernel == "rbf" else {}
    with one_blas_thread():
        values = pairwise_kernels(X if Z is None else Z, X, metric=kernel, **parameters).astype(
            np.float32
        )
    if Z is None:
        mirror_lower(values)
    return values


class KernelOfPartition:
    """The kernel matrices of a partition, shared by all models that are trained on it."""

    def __init__(self, partition: Partition, kernel: str, gamma: float, settings: dict) -> None:
        self.partition, self.settings = partition, settings
        self.monitor = measure.RunMonitor()
        self.K = kernel_values(kernel, gamma, partition.X)
        self.K_test = kernel_values(kernel, gamma, partition.X, partition.X_test)

    def fit(self, method: str, Cs: Sequence[float], start: int) -> list[tuple]:
        """Train a method once for each C, starting at the training point with the index `start`.

        Return a list of pairs. A pair has a model, and a dict whose keys are columns of the table
        of runs.
        """
        model = build_model(
            {**self.settings, "selection": "full"}, method, 0, kernel="precomputed", init=start
        )
        fitted, conditions = self.monitor.timed(fit_c_path, model, self.K, self.partition.y, Cs)
        outcomes = [
            outcome_columns(*one.pair_solutions_)
            | conditions(one.fit_cpu_s_, one.fit_wall_s_)
            | {
                "train_cpu_s": one.fit_cpu_s_,
                "train_wall_s": one.fit_wall_s_,
                # unknown, since all models of a partition share one kernel matrix
                "kernel_evaluations": None,
                "requested_evaluations": None,
                "test_accuracy": float(np.mean(one.predict(self.K_test) == self.partition.y_test)),
            }
            for one in fitted
        ]
        return list(zip(fitted, outcomes, strict=True))


def tune(name: str, X: Features, y: np.ndarray, kernel: str, settings: dict, seed: int) -> dict:
    """Choose the kernel width for the data set, and C for each model, by cross-validation
    (alaiz2018 sec. 5).

    At most `tuning_points` random points are used. The width is the best one for the SVM. In the
    result, `gamma` is None for a linear kernel. `C` and `accuracy` (a fraction) are dicts with the
    keys "svm" and "mfw". `edges` lists the chosen values that are the first or last value of their
    grid. `points` and `folds` are the numbers of points and folds.
    """
    if len(y) > settings["tuning_points"]:
        X, _, y, _ = train_test_split(
            X, y, train_size=settings["tuning_points"], stratify=y, random_state=seed
        )
    settings = {**settings, "max_iterations": settings["tuning_iterations"]}
    number = max(2, min(settings["folds"], *np.unique(y, return_counts=True)[1]))
    folds = list(
        StratifiedKFold(number, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
    )
    Cs = sorted(2.0**k for k in settings["C_exponents"])
    gammas = sorted(2.0**k for k in settings["gamma_exponents"]) if kernel == "rbf" else [None]

    def path(gamma: float | None, method: str) -> dict[float, float]:
        """Return a dict that maps each C to the accuracy over all folds."""
        K, hits = kernel_values(kernel, gamma, X), dict.fromkeys(Cs, 0)
        model = build_model(
            {**settings, "selection": "full"},
            method,
            seed,
            kernel="precomputed",
            init="random_point",
        )
        for training, validation in folds:
            fitted = fit_c_path(model, K[np.ix_(training, training)], y[training], Cs)
            against = K[np.ix_(validation, training)]
            for C, one in zip(Cs, fitted, strict=True):
                hits[C] += int(np.count_nonzero(one.predict(against) == y[validation]))
        return {C: hit / len(y) for C, hit in hits.items()}

    svm = {gamma: path(gamma, "pfw") for gamma in gammas}
    # Among pairs with the same accuracy, `max` takes the first one, which has the smallest C. Among
    # pairs with the same accuracy and the same C, the first one has the smallest gamma.
    C, gamma = max(
        ((C, gamma) for C in Cs for gamma in gammas), key=lambda pair: svm[pair[1]][pair[0]]
    )
    mfw = path(gamma, "mfw_sparse")
    chosen = {"svm": C, "mfw": max(Cs, key=lambda C: mfw[C])}
    edges = [
        f"C of {model}"
        for model, value in chosen.items()
        if len(Cs) > 1 and value in (Cs[0], Cs[-1])
    ]
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


def support_overlap(supports: Sequence[np.ndarray]) -> dict[str, float]:
    """Compute the Jaccard index (%) of the support sets of each pair of models.

    Return the mean, the minimum and the maximum of this index over the pairs. For a single model,
    all three are 100.
    """
    sets = [frozenset(map(int, support)) for support in supports]
    overlaps = [100 * len(a & b) / len(a | b) for a, b in combinations(sets, 2)] or [100.0]
    return {
        "mean": float(np.mean(overlaps)),
        "min": float(min(overlaps)),
        "max": float(max(overlaps)),
    }
