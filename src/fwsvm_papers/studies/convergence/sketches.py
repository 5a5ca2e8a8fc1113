"""Runs of all methods that search all points, on one small problem (artefact beyond-steps)."""

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.settings import METHODS
from fwsvm.solvers.solve import solve

POINTS = 200
C, GAMMA = 10.0, 1.0
GAP = 1e-4
_OPTIMUM_GAP = 1e-10
_MOST_STEPS = 10_000
_RATIO = 1.3
"""The number of each recorded step is about this ratio times the number of the recorded step
before.
"""


def compute() -> dict:
    return {"all_methods": all_methods()}


def all_methods() -> dict:
    """Train on two overlapping classes in the plane.

    The entry `runs` of the result has, for each method except `mfw_sparse`, the relative error h =
    (R - R*) / R* after some steps, and the total number of steps. The optimum R* is computed to a
    relative gap of `_OPTIMUM_GAP`, so errors below this value are set to this value.
    """
    random = np.random.default_rng(7)
    y = np.repeat((-1.0, 1.0), POINTS // 2)
    X = random.normal(size=(POINTS, 2)) + 0.8 * y[:, None]
    problem = KernelProblem(KernelMatrix(X, Kernel("rbf", gamma=GAMMA)), y, C=C)
    settings: dict = {
        "init": "farthest_pair",
        "stop": "relative",
        "column_dtype": "float64",
        "random_state": 0,
    }
    optimum = solve(problem, "fcfw", eps=_OPTIMUM_GAP, **settings).objective
    runs = {}
    for method in METHODS:
        if method == "mfw_sparse":  # its gap is that of a subsample, not of all points
            continue
        found = solve(
            problem,
            method,
            eps=GAP,
            max_iterations=_MOST_STEPS,
            trace=True,
            trace_every=_RATIO,
            **settings,
        )
        trace = found.trace
        assert trace is not None
        error = np.array([*trace.objective, found.objective]) / optimum - 1.0
        step = np.array([*trace.iteration, found.iterations])
        error = np.maximum(error, _OPTIMUM_GAP)[step > 0]
        runs[method] = {
            "step": step[step > 0].tolist(),
            "error": [float(f"{value:.6g}") for value in error],
            "steps": int(found.iterations),
        }
    return {"points": POINTS, "C": C, "gamma": GAMMA, "gap": GAP, "runs": runs}
