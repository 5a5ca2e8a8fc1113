"""Fit random problems, and compare certificates and predictions with kernel values in extended
precision.

`python tests/estimators/random_fits.py FIRST LAST` checks the problems whose numbers are FIRST to
LAST - 1, and prints the results.
"""

import sys
import warnings
from collections import Counter

import numpy as np
from scipy import sparse

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, Kernel, minimum_enclosing_ball

STORAGES = ("dense", "float32", "csr", "csc", "binary")
ESTIMATORS = ("svc", "three classes", "one class", "ball", "precomputed")
METHODS = ("auto", "auto", "swap2o", "fcfw", "cvm", "mfw")
UNIT = 2.0**-53


def kernel_matrix(kernel, X, Z):
    """Compute k(x, z) from the differences x - z, in extended precision."""
    X, Z = X.astype(np.longdouble), Z.astype(np.longdouble)
    if kernel.name == "rbf":
        return np.exp(-np.longdouble(kernel.gamma) * ((X[:, None] - Z) ** 2).sum(axis=2))
    dots = (X[:, None] * Z).sum(axis=2)
    return (
        (np.longdouble(kernel.gamma) * dots + np.longdouble(kernel.coef0)) ** kernel.degree
        if kernel.name == "poly"
        else dots
    )


def random_points(rng, storage):
    m, d = int(rng.integers(6, 40)), int(rng.integers(1, 9))
    X = rng.normal(size=(m, d)) * 10.0 ** rng.uniform(-2.0, 2.0)
    X[m // 2 :] = X[: m - m // 2] + 10.0 ** rng.uniform(-6.0, 0.0) * rng.normal(
        size=(m - m // 2, d)
    )
    if storage == "binary":
        X = (X > 0.5).astype(float)
        X[0, 0] = 1.0
        return sparse.csr_matrix(X), X
    if storage == "float32":
        X = X.astype(np.float32)
    if storage in ("csr", "csc"):
        X *= rng.random(X.shape) < rng.choice([0.3, 0.7, 1.0])
    if rng.random() < 0.7:
        shift = X.dtype.type(10.0 ** rng.uniform(0.0, 12.0))
        columns, kept = rng.random(d) < 0.5, rng.random((m, d)) < rng.choice([0.8, 1.0])
        X += (columns & kept) * shift
    return {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix}.get(storage, np.asarray)(X), X


def random_kernel(rng, dense):
    name = str(rng.choice(["rbf", "rbf", "rbf", "poly", "linear"]))
    gamma, degree, coef0 = 10.0 ** rng.uniform(-8.0, 8.0), int(rng.integers(1, 6)), 0.0
    if name == "poly":  # kernel values above 1e28 are refused
        gamma = 10.0 ** rng.uniform(-3.0, 3.0) / max(
            float((dense.astype(float) ** 2).sum(axis=1).max()), 1e-3
        )
        coef0 = float(rng.choice([0.0, 10.0 ** rng.uniform(-3.0, 3.0)]))
    return Kernel(name, gamma, degree, coef0)


def true_gap(Q, support, weights):
    a = np.zeros(len(Q), np.longdouble)
    a[support] = weights
    s = Q @ a
    return a @ s, 2.0 * (a @ s - s.min())


class Faults(list):
    def check(self, holds, *facts):
        if not holds:
            self.append(facts)


def check_solution(faults, Q, solution, is_ball=False):
    """Check that the certified gap is at least the exact gap. A certified gap of NaN also passes.
    Also check the objective, the bound on its error, and the stopping rule.
    """
    objective, gap = true_gap(Q, solution.support, solution.weights)
    reported = np.inf if np.isnan(solution.gap) else solution.gap
    faults.check(gap <= reported, "gap", float(gap), solution.gap, solution.stop_reason)
    # A matrix of rounded kernel values can be slightly indefinite.
    faults.check(
        is_ball or objective < 0.0 or solution.objective >= 0.0, "objective", solution.objective
    )
    error = np.inf if np.isnan(solution.gap) else solution.objective_error
    faults.check(
        abs(objective - solution.objective) <= error,
        "objective",
        float(objective),
        solution.objective,
        error,
    )
    faults.check(
        solution.stop_reason != "converged" or is_ball or solution.relative_gap <= 1e-2,
        "rule",
        solution.relative_gap,
    )


def check_decisions(faults, kernel, found, K, own, diagonal, coefficients):
    """Check that the errors of decision values are at most those that the documentation states."""
    total = np.abs(coefficients).sum()
    spread = np.sqrt(
        kernel.gamma * ((own.astype(float) - own.mean(axis=0, dtype=float)) ** 2).sum(axis=1).max()
    )
    allowed = (2e-9 + 2.5 * UNIT * spread) * total
    if kernel.name != "rbf":
        n_roundings = kernel.degree * (own.shape[1] + 5) + len(own) + 16
        roots = np.sqrt(np.abs(kernel_matrix(kernel, own, own).diagonal()))
        allowed = (
            1.1
            * n_roundings
            * UNIT
            * (np.sqrt(np.abs(diagonal)) * (np.abs(coefficients) @ roots) + total)
        )
    faults.check(np.all(np.abs(found - K) <= allowed), "decisions", float(np.abs(found - K).max()))


def check_ball(faults, kernel, dense, ball):
    K, weights = kernel_matrix(kernel, dense, dense), ball.weights.astype(np.longdouble)
    weights = weights / weights.sum()
    d, inner = K.diagonal(), K[:, ball.support] @ weights
    squared = weights @ inner[ball.support]
    if kernel.name == "linear":
        distances = ((dense.astype(np.longdouble) - ball.center.astype(np.longdouble)) ** 2).sum(
            axis=1
        )
    else:
        distances = d - 2.0 * inner + squared
    slack = 1e-18 * float(d.max()) if kernel.name != "linear" else 1e-17 * float(distances.max())
    faults.check(distances.max() <= np.longdouble(ball.radius) ** 2 + slack, "radius", ball.radius)
    lower = weights @ (d[ball.support] - inner[ball.support])
    if kernel.name == "linear":  # the same bound, computed from differences
        own = dense[ball.support].astype(np.longdouble)
        lower = weights @ ((own - weights @ own) ** 2).sum(axis=1)
    faults.check(
        np.longdouble(ball.lower_bound) ** 2 <= lower + slack, "lower bound", ball.lower_bound
    )


def check_fit(number):
    """Fit a random problem. Return its kind, the stop reason, and a list of faults."""
    rng, faults = np.random.default_rng([7, number]), Faults()
    storage, estimator = STORAGES[number % 5], ESTIMATORS[number // 5 % 5]
    X, dense = random_points(rng, storage)
    kernel = random_kernel(rng, dense)
    C = 10.0 ** rng.uniform(-2.0, 5.0)
    method = str(rng.choice(METHODS))
    settings = {"method": method, "random_state": 0}
    named = {
        "kernel": kernel.name,
        "gamma": kernel.gamma,
        "degree": kernel.degree,
        "coef0": kernel.coef0,
        "C": C,
        "max_iter": 20_000,
    }
    m, K = len(dense), kernel_matrix(kernel, dense, dense)
    sure, kind = dense.astype(np.longdouble), f"{estimator} {kernel.name} {storage}"
    try:
        if estimator == "ball":
            ball = minimum_enclosing_ball(X, kernel, max_iterations=20_000, **settings)
            d = K.diagonal()
            Q = K - 0.5 * (d[:, None] + d)
            # even extended precision would lose digits here, so it is computed from differences
            if kernel.name == "linear":
                Q = -0.5 * ((sure[:, None] - sure) ** 2).sum(axis=2)
            check_solution(faults, Q, ball.solution, is_ball=True)
            check_ball(faults, kernel, dense, ball)
            return kind, ball.solution.stop_reason, faults
        if estimator == "one class":
            model = FrankWolfeOneClass(**named, **settings).fit(X)
            check_solution(faults, K + np.eye(m) / np.longdouble(C), model.solution_)
            expansion, own = K[:, model.support_] @ model.dual_coef_[0], dense[model.support_]
            check_decisions(
                faults,
                kernel,
                model.score_samples(X),
                expansion,
                own,
                K.diagonal(),
                model.dual_coef_[0],
            )
            return kind, model.stop_reason_, faults
        n_classes = 3 if estimator == "three classes" else 2
        order = np.argsort(dense[:, 0] + dense.std() * rng.normal(size=m))
        y = np.empty(m, int)
        y[order] = np.arange(m) * n_classes // m
        if estimator == "precomputed":
            named |= {"kernel": "precomputed"}
            given = K.astype(np.float32 if storage == "float32" else np.float64)
            model, K = FrankWolfeSVC(**named, **settings).fit(given, y), given.astype(np.longdouble)
        else:
            model = FrankWolfeSVC(**named, **settings).fit(X, y)
        members = [np.flatnonzero(y == c) for c in range(n_classes)]
        pairs = [(1, 0)] if n_classes == 2 else [(0, 1), (0, 2), (1, 2)]
        for (p, q), solution in zip(pairs, model.pair_solutions_, strict=True):
            rows = np.arange(m) if n_classes == 2 else np.concatenate([members[p], members[q]])
            signs = np.where(y[rows] == p, 1.0, -1.0)
            Q = np.outer(signs, signs) * (K[np.ix_(rows, rows)] + 1.0) + np.eye(
                len(rows)
            ) / np.longdouble(C)
            check_solution(faults, Q, solution)
        if estimator == "svc":
            expansion = (K[:, model.support_] + 1.0) @ model.dual_coef_[0]
            own, found = dense[model.support_], model.decision_function(X)
            check_decisions(
                faults, kernel, found, expansion, own, K.diagonal(), model.dual_coef_[0]
            )
    except ValueError as error:
        faults.check("scale" in str(error), str(error))
        return kind, "refused", faults
    return kind, model.stop_reason_, faults


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    reasons, others = Counter(), Counter()
    for number in range(*map(int, sys.argv[1:3])):
        kind, reason, faults = check_fit(number)
        reasons[reason] += 1
        others[kind] += reason not in ("converged", "iteration_limit")
        if faults:
            print(number, kind, reason, faults, flush=True)
    print(dict(reasons), dict(+others))
