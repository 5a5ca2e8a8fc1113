"""Exact solutions of small weighted SVMs for the sketches of alaiz2018 (figs. 1 and 2)."""

from collections.abc import Sequence

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.problems.weighted import weighted_svm
from fwsvm_papers.datasets.storage import Features

REGION_POINTS = ((1.0, 0.3), (-0.4, 0.9), (-0.5, -0.8))
REGION_C = 2.0
REGION_WEIGHTS = (0.25, 0.5, 1.0, 2.0)
UNBOUNDED_WEIGHTS = (1.0, 0.5, 0.25, 0.0)
PATTERNS = 40
PATTERN_C = 1.0
PATTERN_GAMMA = 0.5
PATTERN_WEIGHTS = tuple(2.0 ** (k / 8) for k in range(-32, 33))


def compute() -> dict:
    return {"regions": weighted_regions(), "weight_paths": weight_paths()}


def weighted_regions() -> dict:
    """Solve the one-class SVM with a linear kernel on three patterns.

    In each solution, one weight is varied, and the other weights are 1. The entry ``plane`` of the
    result has solutions in which the varied weight is that of the first, the second or the third
    pattern. In the solutions in ``space``, the weight of the first pattern decreases to 0.
    """
    Q = _dual_matrix(np.array(REGION_POINTS), np.ones(3), Kernel("linear"), REGION_C, offset=0.0)

    def solved(pattern: int, weight: float) -> dict:
        t = np.ones(3)
        t[pattern] = weight
        return {"pattern": pattern, "t": t.tolist(), "a": weighted_svm(Q, t)[0].tolist()}

    return {
        "Q": Q.tolist(),
        "C": REGION_C,
        "plane": [solved(pattern, weight) for pattern in range(3) for weight in REGION_WEIGHTS],
        "space": [solved(0, weight) for weight in UNBOUNDED_WEIGHTS],
    }


def weight_paths(m: int = PATTERNS, weights: Sequence[float] = PATTERN_WEIGHTS) -> dict:
    """Compute, for three of m patterns, how the multiplier of a pattern depends on its weight.

    The patterns are from two overlapping classes in the plane. The three patterns are those with
    the largest, a medium and the smallest multiplier in the SVM without weights. The returned
    weights are those before scaling. Each SVM is solved with scaled weights, of which the largest
    is 1.
    """
    rng = np.random.default_rng(2018)
    y = np.repeat([1.0, -1.0], m // 2)
    X = rng.normal(size=(len(y), 2)) + 0.9 * y[:, None]
    Q = _dual_matrix(X, y, Kernel("rbf", PATTERN_GAMMA), PATTERN_C, offset=1.0)
    plain, _ = weighted_svm(Q, np.ones(len(y)))
    order = np.argsort(plain, kind="stable")
    middle = order[np.searchsorted(plain[order], plain.max() / 2)]

    def path(which: str, pattern: int) -> dict:
        multipliers = []
        for weight in weights:
            t = np.ones(len(y))
            t[pattern] = weight
            multipliers.append(float(weighted_svm(Q, t / t.max())[0][pattern]))
        return {
            "pattern": int(pattern),
            "which": which,
            "plain": float(plain[pattern]),
            "weight": list(map(float, weights)),
            "multiplier": multipliers,
        }

    chosen = (("largest", order[-1]), ("middle", middle), ("smallest", order[0]))
    paths = [path(which, pattern) for which, pattern in chosen]
    return {"m": len(y), "C": PATTERN_C, "gamma": PATTERN_GAMMA, "paths": paths}


def _dual_matrix(X: Features, y: np.ndarray, kernel: Kernel, C: float, offset: float) -> np.ndarray:
    problem = KernelProblem(KernelMatrix(X, kernel), y, C=C, offset=offset)
    return problem.submatrix(np.arange(len(y)))
