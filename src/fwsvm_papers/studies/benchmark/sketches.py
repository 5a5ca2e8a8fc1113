"""Runs of the solvers on small problems, for the sketches of frandi2013, nanculef2014, tsang2005
and singh.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem, MatrixProblem
from fwsvm.solvers.solve import solve

BALL_POINTS = (
    (-0.85, 0.51),
    (-1.05, -0.04),
    (-0.52, -0.75),
    (-0.26, -0.97),
    (0.62, -0.57),
    (0.98, -0.14),
    (-0.22, 0.3),
    (0.28, 0.55),
    (0.5, -0.25),
)
TRIANGLE_POINTS = ((-0.8, 1.3), (-0.7, 0.8), (1.0, 0.6))
METHODS = ("fw", "mfw", "swap")
MARGIN_POINTS = (
    (0.2, 1.1),
    (1.2, 0.35),
    (0.9, 1.3),
    (1.5, 1.0),
    (1.6, 1.7),
    (0.5, 1.8),
    (-0.504, -0.872),
    (-1.2, -0.8),
    (-0.3, -1.4),
    (-1.3, -1.4),
    (-1.7, -0.4),
    (-0.9, -1.8),
)
MARGIN_LABELS = (1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1)


def compute() -> dict:
    """Return the numbers of all sketches as a dict for JSON."""
    return {
        "balls": enclosing_balls(),
        "core_set": core_set(),
        "steps": steps_on_simplex(),
        "margin": hard_margin(),
    }


def core_set() -> dict:
    """Draw random points in the plane, and compute a coreset of them by BC, the method of Badoiu
    and Clarkson (tsang2005 sec. 2, fig. 1).
    """
    points, eps = np.random.default_rng(15).normal(size=(40, 2)).round(3), 0.15
    balls = enclosing_balls(points, eps)
    last = {name: balls["bc"][-1][name] for name in ("coreset", "center", "radius")}
    return {
        "points": points.tolist(),
        "eps": eps,
        "meb": balls["meb"],
        "steps": len(balls["bc"]) - 1,
        **last,
    }


def enclosing_balls(points: ArrayLike = BALL_POINTS, eps: float = 1e-2) -> dict:
    """Run BC (Badoiu and Clarkson) and FW from the same two points. A run ends when its ball,
    scaled by 1 + eps, contains all points.
    """
    points = np.asarray(points, dtype=float)
    settings: dict = {
        "init": "farthest_pair",
        "eps": eps,
        "column_dtype": "float64",
        "random_state": 0,
    }
    fw = solve(_ball_problem(points), "fw", trace_iterates=True, **settings)
    assert fw.trace is not None
    balls = [_ball(points, *iterate) for iterate in fw.trace.iterates]
    return {
        "points": points.tolist(),
        "eps": eps,
        "meb": _smallest_ball(points, range(len(points))),
        "bc": _badoiu_clarkson(points, balls[0]["coreset"], eps),
        "fw": balls,
    }


def _ball_problem(points: np.ndarray) -> MatrixProblem:
    """Return the problem of the smallest enclosing ball as a QP over the simplex without a linear
    term.

    Let Q be the Gram matrix and D the matrix of squared distances. On the simplex, a'Qa - diag(Q)'a
    = -a'Da / 2. Therefore, a QP whose matrix is a constant minus D / 2 has the same solution. The
    squared radius of the ball is this constant minus the objective of the QP.
    """
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    return MatrixProblem(squared.max() - squared / 2)


def _smallest_ball(points: np.ndarray, coreset: Sequence[int]) -> dict:
    exact = solve(
        _ball_problem(points[coreset]), "swap2o", eps=1e-9, column_dtype="float64", random_state=0
    )
    return _ball(points, np.asarray(coreset)[exact.support], exact.weights)


def _ball(points: np.ndarray, indices: np.ndarray, weights: np.ndarray) -> dict:
    weights = np.asarray(weights) / np.sum(weights)
    center = weights @ points[indices]
    squared = weights @ (points[indices] ** 2).sum(axis=1) - center @ center
    distances = ((points - center) ** 2).sum(axis=1)
    return {
        "center": center.tolist(),
        "radius": float(np.sqrt(max(squared, 0.0))),
        "coreset": [int(i) for i in indices],
        "furthest": int(distances.argmax()),
    }


def _badoiu_clarkson(points: np.ndarray, start: Sequence[int], eps: float) -> list[dict]:
    """Add the farthest point to a coreset, again and again, until the ball of the coreset, scaled
    by 1 + eps, contains all points.

    Return the balls of all steps.
    """
    coreset, balls = list(start), []
    while True:
        ball = _smallest_ball(points, coreset)
        balls.append({**ball, "coreset": list(coreset)})
        distance = np.linalg.norm(points[ball["furthest"]] - ball["center"])
        if distance <= (1 + eps) * ball["radius"] or ball["furthest"] in coreset:
            return balls
        coreset.append(ball["furthest"])


def steps_on_simplex() -> dict:
    """Train the one-class SVM with a linear kernel on three points by FW, MFW and SWAP from the
    same start.

    The entry `directions` of the result is about the iterate before MFW's first away step. It has
    the toward vertex, the away vertex, and the iterate that each method reaches next.
    """
    C, eps = 50.0, 1e-2
    matrix = KernelMatrix(np.array(TRIANGLE_POINTS), Kernel("linear"))
    Q = KernelProblem(matrix, np.ones(3), C=C, offset=0.0).submatrix(np.arange(3))
    problem = MatrixProblem(Q)
    settings: dict = {
        "init": "farthest_pair",
        "stop": "relative",
        "column_dtype": "float64",
        "random_state": 0,
    }
    optimum = solve(problem, "swap2o", eps=1e-10, **settings)
    runs = {}
    for method in METHODS:
        trace = solve(problem, method, eps=eps, trace_iterates=True, **settings).trace
        assert trace is not None
        weights = [_full(*iterate) for iterate in trace.iterates]
        runs[method] = [
            {"weights": a.tolist(), "step": step}
            for a, step in zip(weights, trace.step, strict=True)
        ]
    return {
        "Q": Q.tolist(),
        "C": C,
        "eps": eps,
        "optimum": _full(optimum.support, optimum.weights).tolist(),
        "runs": runs,
        "directions": _directions(Q, runs["mfw"]),
    }


def _full(indices: np.ndarray, weights: np.ndarray) -> np.ndarray:
    a = np.zeros(3)
    a[indices] = weights / np.sum(weights)
    return a


def _directions(Q: np.ndarray, iterates: Sequence) -> dict:
    """Return the iterates that FW, MFW and SWAP reach from one iterate by exact line searches
    (`ends`), together with this iterate and its toward and away vertices.

    This iterate is the one before MFW's first away step.
    """
    at = [record["step"] for record in iterates].index("away") - 1
    a = np.asarray(iterates[at]["weights"])
    s = Q @ a
    i, j = int(s.argmin()), int(np.where(a > 0, s, -np.inf).argmax())
    vertex = np.eye(3)
    directions = {
        "fw": (vertex[i] - a, 1.0),
        "mfw": (a - vertex[j], a[j] / (1 - a[j])),
        "swap": (vertex[i] - vertex[j], a[j]),
    }
    ends = {
        name: (a + min(most, -(d @ s) / (d @ Q @ d)) * d).tolist()
        for name, (d, most) in directions.items()
    }
    return {"at": at, "weights": a.tolist(), "toward": i, "away": j, "ends": ends}


def hard_margin() -> dict:
    """Separate two classes in the plane with the largest margin (singh fig. 6a). Points on the
    margin have y (w'x + b) = 1.

    The norm that is minimised includes the bias (frandi2013 eq. 7). If the solution has the bias 0,
    it is also the solution for the norm without the bias.
    """
    X, y = np.array(MARGIN_POINTS), np.array(MARGIN_LABELS, dtype=float)
    problem = KernelProblem(KernelMatrix(X, Kernel("linear")), y, C=np.inf)
    found = solve(
        problem, "swap2o", stop="relative", eps=1e-9, column_dtype="float64", random_state=0
    )
    signed = found.weights * y[found.support]
    kept = found.weights > 1e-6
    return {
        "points": X.tolist(),
        "labels": list(MARGIN_LABELS),
        "support": found.support[kept].tolist(),
        "w": (signed @ X[found.support] / found.objective).tolist(),
        "b": float(signed.sum() / found.objective),
    }
