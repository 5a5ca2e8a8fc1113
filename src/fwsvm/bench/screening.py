"""How many points could safe screening leave out? Measured at the end of training, where it could leave out most.

All methods decrease the objective, so from a point a with certified gap g on, ||phi(a_k) - phi(a*)||^2 <= g, and a
score changes by at most 2 sqrt(Q_rr g). A point r with s_r - 2 sqrt(Q_rr g) > R can then never be a toward vertex again
(it lies safely inside the ball) and could be dropped.
"""

import numpy as np

from fwsvm.bench.points import case_name, load_points
from fwsvm.bench.timing import SVC_CACHE_MB
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.solve import solve

_FULL = (
    {"dataset": "a7a"},
    {"dataset": "w4a"},
    {"dataset": "letter", "pair": [3, 4]},
    {"dataset": "pendigits", "pair": [1, 7]},
    {"dataset": "shuttle", "pair": [0, 3]},
)
_QUICK = ({"dataset": "w1a"},)
_STOPS = (("meb", 1e-6), ("relative", 1e-5))
_LIMIT_S = 15.0


def cases(quick):
    """Every data set at three values of C, under the papers' rule and at a tight relative gap."""
    chosen, C_values = (_QUICK, (64,)) if quick else (_FULL, (1, 64, 1024))
    return [{**points, "C": C} for points in chosen for C in C_values]


def screened_share(problem, solution):
    """Share of the points that the rule above leaves out for good."""
    s = problem.scores(solution.support, solution.weights)
    inside = s - 2.0 * np.sqrt(problem.diagonal * solution.gap) > solution.objective
    inside[solution.support] = False
    return float(inside.mean())


def measure(case, bench):
    """One row per stopping rule."""
    chosen = {key: case[key] for key in ("dataset", "pair") if key in case}
    data = load_points(bench.data_dir, **chosen)
    labels = np.where(data.y_train == data.y_train.max(), 1.0, -1.0)
    problem = KernelProblem(KernelMatrix(data.X_train, Kernel("rbf", data.gamma(0.5))), labels, case["C"])
    rows = []
    for stop, eps in _STOPS:
        solution = solve(
            problem, "swap2o", stop=stop, eps=eps, cache_mb=SVC_CACHE_MB, time_limit=_LIMIT_S, random_state=0
        )
        rows.append(
            {
                "case": case_name(**chosen),
                "m": data.m,
                "C": case["C"],
                "method": "swap2o",
                "stop": f"{stop} {eps:g}",
                "seconds": solution.train_cpu_s,
                "stop_reason": solution.stop_reason,
                "relative_gap": solution.relative_gap,
                "support_vectors": len(solution.support),
                "screened": screened_share(problem, solution),
                "outside": 1.0 - len(solution.support) / data.m,
            }
        )
    return rows
