"""The small problems behind the sketches of the weighted SVM (alaiz2018 fig. 1 and 2), solved exactly."""

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.problems.weighted import weighted_svm

REGION_POINTS = ((1.0, 0.3), (-0.4, 0.9), (-0.5, -0.8))
REGION_C = 2.0
REGION_WEIGHTS = (0.25, 0.5, 1.0, 2.0)
UNBOUNDED_WEIGHTS = (1.0, 0.5, 0.25, 0.0)
PATTERNS = 40
PATTERN_C = 1.0
PATTERN_GAMMA = 0.5
PATTERN_WEIGHTS = tuple(2.0 ** (k / 8) for k in range(-32, 33))


def compute():
    """``regions``, of `weighted_regions`, and ``weight_paths``, of `weight_paths`."""
    return {"regions": weighted_regions(), "weight_paths": weight_paths()}


def weighted_regions(points=REGION_POINTS, C=REGION_C, weights=REGION_WEIGHTS, unbounded=UNBOUNDED_WEIGHTS):
    """Solutions on three patterns when the weight of one of them changes and the others are 1 (alaiz2018 fig. 1).

    Parameters
    ----------
    points : three (float, float)
        The one-class machine with the linear kernel, so that Q = XX' + I/C.
    C : float
    weights, unbounded : sequences of float
        Values of the weight in the plane, and in space (0 leaves the first multiplier unbounded).

    Returns
    -------
    dict
        ``Q``, ``C``; ``plane``: a list with ``pattern``, ``t`` (3 weights) and ``a`` (the solution's multipliers);
        ``space``: the same for the first pattern.
    """
    Q = _dual_matrix(np.asarray(points, dtype=float), np.ones(3), Kernel("linear"), C, offset=0.0)

    def solved(pattern, weight):
        t = np.ones(3)
        t[pattern] = weight
        return {"pattern": pattern, "t": t.tolist(), "a": weighted_svm(Q, t)[0].tolist()}

    return {
        "Q": Q.tolist(),
        "C": C,
        "plane": [solved(pattern, weight) for pattern in range(3) for weight in weights],
        "space": [solved(0, weight) for weight in unbounded],
    }


def weight_paths(m=PATTERNS, C=PATTERN_C, gamma=PATTERN_GAMMA, weights=PATTERN_WEIGHTS):
    """Multipliers of three patterns against their own weights (alaiz2018 fig. 2).

    Two overlapping classes in the plane, RBF kernel. The patterns are those with the largest, the smallest and the
    middle multiplier of the plain SVM. All other weights are 1; the weights are then divided by the largest of them.

    Parameters
    ----------
    m : int
        Points, half of them of each class.
    C, gamma : float
    weights : sequence of float
        Of the pattern, before the division.

    Returns
    -------
    dict
        ``m``, ``C``, ``gamma`` and ``paths``: a list with ``pattern`` (index), ``which`` (largest, middle, smallest),
        ``plain`` (its multiplier with all weights 1), ``weight`` and ``multiplier`` (lists).
    """
    rng = np.random.default_rng(2018)
    y = np.repeat([1.0, -1.0], m // 2)
    X = rng.normal(size=(len(y), 2)) + 0.9 * y[:, None]
    Q = _dual_matrix(X, y, Kernel("rbf", gamma), C, offset=1.0)
    plain, _ = weighted_svm(Q, np.ones(len(y)))
    order = np.argsort(plain, kind="stable")
    middle = order[np.searchsorted(plain[order], plain.max() / 2)]
    chosen = {"largest": order[-1], "middle": middle, "smallest": order[0]}

    def path(pattern):
        multipliers = []
        for weight in weights:
            t = np.ones(len(y))
            t[pattern] = weight
            multipliers.append(float(weighted_svm(Q, t / t.max())[0][pattern]))
        return multipliers

    return {
        "m": len(y),
        "C": C,
        "gamma": gamma,
        "paths": [
            {
                "pattern": int(pattern),
                "which": which,
                "plain": float(plain[pattern]),
                "weight": list(map(float, weights)),
                "multiplier": path(pattern),
            }
            for which, pattern in chosen.items()
        ],
    }


def _dual_matrix(X, y, kernel, C, offset):
    problem = KernelProblem(KernelMatrix(X, kernel), y, C=C, offset=offset)
    return problem.submatrix(np.arange(len(y)))
