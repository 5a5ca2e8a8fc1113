"""Every method finds the optimum that non-negative least squares and LinearSVC find."""

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import INITS, KERNELS, METHODS, dual_matrix, dual_problem, optimum, two_classes
from sklearn.svm import LinearSVC

from fwsvm import MatrixProblem, solve

SIZES = ((40, 0.5), (80, 4.0), (120, 16.0))


@parametrize_pairwise(method=METHODS, kernel=list(KERNELS), storage=["dense", "csr"], seed=range(len(SIZES)))
def test_certified_optimum_is_that_of_nnls(method, kernel, storage, seed):
    m, C = SIZES[seed]
    X, y = two_classes(seed, m, storage=storage)
    Q = dual_matrix(X, y, KERNELS[kernel], C)
    best, a = optimum(Q)
    eps, within = (9e-4, 1e-3) if method == "fw" else (5e-7, 1e-6)
    solution = solve(
        dual_problem(X, y, KERNELS[kernel], C),
        method,
        stop="relative",
        eps=eps,
        init=INITS[seed],
        random_state=seed,
    )
    assert solution.stop_reason == "converged"
    excess = solution.objective - best
    assert -1e-10 * best <= excess <= within * best
    assert excess <= solution.gap + 1e-10 * best
    assert solution.gap <= eps * solution.objective
    assert solution.relative_gap == pytest.approx(solution.gap / solution.objective)
    weights = np.zeros(m)
    weights[solution.support] = solution.weights
    assert np.all(solution.weights > 0)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert solution.objective == pytest.approx(weights @ Q @ weights, rel=1e-9)
    # R is strongly convex with modulus 2 / C: a gap bounds the distance to a*
    assert np.sum((weights - a) ** 2) <= C * solution.gap + 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_explicit_matrix_gives_what_the_kernel_problem_gives(method):
    X, y = two_classes(5, 50)
    Q = dual_matrix(X, y, KERNELS["rbf"], 2.0)
    settings = dict(method=method, stop="relative", eps=1e-3, init="farthest_pair", random_state=0)
    explicit = solve(MatrixProblem(Q), **settings)
    implicit = solve(dual_problem(X, y, KERNELS["rbf"], 2.0), **settings)
    assert abs(explicit.objective - implicit.objective) <= max(explicit.gap, implicit.gap)
    assert (explicit.kernel_path, implicit.kernel_path) == ("matrix", "dense-loop")


@pytest.mark.parametrize(
    ("method", "storage"),
    [
        pytest.param(method, storage, marks=pytest.mark.exhaustive if (method, storage) == ("fw", "csr") else ())
        for method in METHODS
        for storage in ("dense", "csr")
    ],  # FW takes as long as all others together
)
def test_linear_kernel_has_the_decision_function_of_linear_svc(method, storage):
    C = 2.0
    X, y = two_classes(11, m=150, d=4, storage=storage)
    problem = dual_problem(X, y, KERNELS["linear"], C)
    solution = solve(problem, method, stop="relative", eps=1e-4 if method == "fw" else 1e-7, random_state=0)
    coef = np.asarray((solution.weights * y[solution.support]) @ X[solution.support]).ravel()
    intercept = float(solution.weights @ y[solution.support])
    oracle = LinearSVC(
        loss="squared_hinge", dual=True, C=C / 2, fit_intercept=True, intercept_scaling=1, tol=1e-9, max_iter=10**6
    ).fit(X, y)
    # b = a / R solves the unnormalised dual, hence the factor
    expected = np.append(oracle.coef_.ravel(), oracle.intercept_) * solution.objective
    tolerance = 3e-3 if method == "fw" else 1e-5
    np.testing.assert_allclose(np.append(coef, intercept), expected, atol=tolerance * np.abs(expected).max(), rtol=0)


def test_one_class_machine_is_the_same_without_offset():
    """tsang2005 eq. 7: Q = K + I/C."""
    from fwsvm import KernelMatrix, KernelProblem

    X, _ = two_classes(3, 60)
    kernel = KERNELS["rbf"]
    problem = KernelProblem(KernelMatrix(X, kernel), np.ones(60), C=5.0, offset=0.0)
    solution = solve(problem, "swap", stop="relative", eps=1e-8, random_state=0)
    best, _ = optimum(dual_matrix(X, np.ones(60), kernel, 5.0) - 1.0)
    assert solution.objective == pytest.approx(best, rel=1e-8)


def test_cvm_keeps_weights_above_its_threshold():
    """LibCVM drops weights up to 1e-5 over the size of the coreset: 2e-7 here, where the least weight is 2e-6."""
    diagonal = np.ones(50)
    diagonal[17] = 1e4
    problem = MatrixProblem(np.diag(diagonal))
    solution = solve(problem, "cvm", stop="relative", eps=1e-8, inner_tolerance=1e-9, random_state=0)
    assert 17 in solution.support
    np.testing.assert_allclose(solution.weights[solution.support == 17], 1e-4 / (49 + 1e-4), rtol=1e-3)
