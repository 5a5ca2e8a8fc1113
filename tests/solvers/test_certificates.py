"""Test every method on random data. The model is feasible, no step increases the objective, the
certificate is correct, and the optimum is that of NNLS.
"""

import time
import warnings

import numpy as np
import pytest
from grids import parametrize_pairwise
from hypothesis import example, given, settings
from hypothesis import strategies as st
from qp_oracles import (
    INITS,
    KERNELS,
    METHODS,
    STEP_METHODS,
    check_solution,
    dual_matrix,
    dual_problem,
    kernel_values,
    optimum,
    two_classes,
)
from reference_methods import target_gap
from sklearn.datasets import load_iris, load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.svm import LinearSVC

from fwsvm import (
    FrankWolfeSVC,
    Kernel,
    KernelMatrix,
    KernelProblem,
    MatrixProblem,
    average_squared_distance,
    solve,
)
from fwsvm.kernels.precomputed import PrecomputedKernelMatrix
from fwsvm.solvers import solve as solve_module
from fwsvm.solvers.given_matrices import negative_curvature

RULES = {"meb": 1e-4, "gap": 1e-3, "relative": 9e-4}
SIZES = ((40, 0.5), (80, 4.0), (120, 16.0))
FAST = ("mfw", "swap", "swap2o", "pfw", "cvm")
by_method = pytest.mark.parametrize("method", METHODS)
seeds = st.integers(0, 2**16)


@parametrize_pairwise(
    method=(*METHODS, "fcfw", "auto"),
    kernel=list(KERNELS),
    storage=["dense", "csr"],
    rule=list(RULES),
    dtype=["auto", "float32", "float64"],
    seed=range(len(SIZES)),
)
def test_a_run_ends_by_its_rule_next_to_the_optimum(method, kernel, storage, rule, dtype, seed):
    (m, C), eps = SIZES[seed], RULES[rule]
    X, y = two_classes(seed, m, storage=storage)
    problem, Q = dual_problem(X, y, KERNELS[kernel], C), dual_matrix(X, y, KERNELS[kernel], C)
    best, exact = optimum(Q)
    solution = solve(
        problem, method, stop=rule, eps=eps, column_dtype=dtype, init=INITS[seed], random_state=seed
    )
    a = check_solution(solution, Q, best)
    target = target_gap(rule, eps, Q, solution.objective)
    assert solution.stop_reason == "converged" and solution.gap <= target * (1 + 1e-9)
    # training ended because of the rule: the gap is not far below the target
    if method in STEP_METHODS:
        assert solution.gap > 0.005 * target
    assert solution.relative_gap == pytest.approx(solution.gap / solution.objective)
    # R is strongly convex with modulus 2 / C
    assert np.sum((a - exact) ** 2) <= C * solution.gap + 1e-12


@parametrize_pairwise(
    method=METHODS,
    selection=["sampled_text", "sampled_libcvm"],
    storage=["dense", "csr"],
    m=[90, 300],
)
def test_a_sampled_run_has_a_certificate_that_holds(method, selection, storage, m):
    X, y = two_classes(3, m, storage=storage)
    problem, Q = dual_problem(X, y, KERNELS["rbf"], 5.0), dual_matrix(X, y, KERNELS["rbf"], 5.0)
    settings = {"selection": selection, "eps": 1e-3, "random_state": 0, "max_iterations": 3000}
    impatient, patient = (
        solve(problem, method, patience=patience, **settings) for patience in (1, 40)
    )
    for solution in (impatient, patient):
        check_solution(solution, Q)
        assert solution.stop_reason in ("no_violation_in_samples", "iteration_limit")
    # CVM is left out, because its stages with looser tolerances also have this patience
    if method != "cvm":
        assert patient.samples >= impatient.samples and patient.objective <= impatient.objective
        same_class = KernelProblem(KernelMatrix(X, KERNELS["rbf"]), np.ones(m), C=5.0, offset=0.0)
        check_solution(
            solve(same_class, method, **settings),
            kernel_values(KERNELS["rbf"], X) + np.eye(m) / 5.0,
        )


@st.composite
def matrices(draw):
    """Draw a matrix Q (n, n) with n = 2..12. It is the sum of a Gram matrix of any rank and a shift
    of the diagonal.

    The entries have many sizes, and points can be equal.
    """
    n, rank = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    points = rng.normal(size=(n, rank)) * draw(st.sampled_from([0.1, 1.0, 10.0]))
    if draw(st.booleans()):
        points = np.round(points)  # rounded points give ties and zeros
    if draw(st.booleans()):
        points = points[rng.integers(0, n, n)]  # some points are equal
    if draw(st.booleans()):
        # all points are on one side of the origin, as if a bias had been added
        points += draw(st.sampled_from([1.0, 5.0]))
    return points @ points.T + draw(st.sampled_from([0.05, 0.5, 5.0])) * np.eye(n)


def train(Q, method, seed, **changes):
    """Train from a pair of points to a relative gap of 1e-6 (for FW, 1e-2)."""
    chosen = {"init": "farthest_pair", "stop": "relative", "eps": 1e-2 if method == "fw" else 1e-6}
    return solve(
        MatrixProblem(Q),
        method,
        **{**chosen, "max_iterations": 3000, "random_state": seed, **changes},
    )


@by_method
@example(
    Q=np.outer(*[2.1 * np.array([3, 1, 1, 1])] * 2) + 0.5 * np.eye(4),
    seed=0,
    order=np.random.default_rng(0),
)
@given(Q=matrices(), seed=seeds, order=st.randoms(use_true_random=False))
def test_any_small_problem(method, Q, seed, order):
    """The result is certified. It depends neither on the order of the points nor on an earlier
    run.
    """
    solution = train(Q, method, seed)
    check_solution(solution, Q)
    if solution.stop_reason == "converged":
        assert solution.gap <= (1e-2 if method == "fw" else 1e-6) * solution.objective
    else:
        assert (solution.stop_reason, solution.iterations) == ("iteration_limit", 3000)
    permutation = np.arange(len(Q))
    order.shuffle(permutation)
    other = train(Q[np.ix_(permutation, permutation)], method, seed)
    assert (
        abs(solution.objective - other.objective) <= max(solution.gap, other.gap) + 1e-12 * Q.max()
    )
    one, same = (
        train(Q, method, seed, trace=True, selection="sampled_libcvm", sample_size=3)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.weights, same.weights)
    assert (one.trace.objective, one.samples, one.gap) == (
        same.trace.objective,
        same.samples,
        same.gap,
    )


@by_method
@given(Q=matrices(), seed=seeds, rule=st.sampled_from(list(RULES)), power=st.integers(1, 4))
def test_every_iterate_is_feasible_none_goes_up_and_the_first_that_meets_the_rule_is_the_last(
    method, Q, seed, rule, power
):
    n, scale, eps = len(Q), Q.max(), 10.0**-power * (Q.max() if rule == "gap" else 1.0)
    changes = {
        "trace_iterates": True,
        "column_dtype": "float64",
        "max_iterations": 200,
        "stop": rule,
        "eps": eps,
    }
    solution = train(Q, method, seed, **changes)
    trace, A = solution.trace, np.zeros((len(solution.trace.iterates), n))
    for a, (indices, weights) in zip(A, trace.iterates, strict=True):
        assert np.all(weights > 0)
        a[indices] = weights
    np.testing.assert_allclose(A.sum(axis=1), 1.0, atol=1e-12)
    S = A @ Q
    R = np.einsum("ij,ij->i", A, S)
    # the updated values are equal to values that are computed anew
    np.testing.assert_allclose(trace.objective, R, atol=1e-12 * scale)
    np.testing.assert_allclose(trace.gap, 2.0 * (R - S.min(axis=1)), atol=1e-11 * scale)
    assert (
        np.diff(trace.objective).max(initial=0.0) <= 1e-13 * scale and min(trace.step_size) >= 0.0
    )
    targets = np.array([target_gap(rule, eps, Q, value) for value in trace.objective])
    if solution.stop_reason == "converged":
        assert trace.gap[-1] <= targets[-1] * (1 + 1e-9)
    if method != "cvm":  # CVM's inner steps do not test the rule
        assert np.all(trace.gap[:-1] > targets[:-1] * (1 - 1e-9))


@by_method
@given(Q=matrices(), seed=seeds, exponent=st.integers(-8, 8))
def test_scale_of_the_matrix_does_not_matter(method, Q, seed, exponent):
    """A power of two scales every number without rounding. The steps are therefore equal bit for
    bit, except for CVM.
    """
    factor = 2.0**exponent
    one = train(Q, method, seed)
    other = train(factor * Q, method, seed, inner_tolerance=1e-3 * factor)
    if method == "cvm":
        assert (
            abs(one.objective - other.objective / factor)
            <= max(one.gap, other.gap / factor) + 1e-12 * Q.max()
        )
        return
    np.testing.assert_array_equal(one.support, other.support)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert (other.objective, other.gap) == (factor * one.objective, factor * one.gap)


@pytest.mark.parametrize("method", STEP_METHODS)
@given(Q=matrices(), seed=seeds)
def test_a_sample_of_all_points_is_full_selection(method, Q, seed):
    same = {"trace": True, "column_dtype": "float64", "max_iterations": 100}
    full = train(Q, method, seed, **same)
    sampled = train(Q, method, seed, selection="sampled_text", sample_size=len(Q), **same)
    for name in ("step", "step_size", "objective"):
        assert getattr(full.trace, name) == getattr(sampled.trace, name)
    np.testing.assert_array_equal(full.weights, sampled.weights)
    assert sampled.stop_reason == {"converged": "no_violation_in_samples"}.get(
        full.stop_reason, full.stop_reason
    )


@pytest.mark.parametrize(
    "Q", [[[2.0]], [[2.0, 2.0], [2.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]]]
)
@by_method
def test_smallest_problems(method, Q):
    """The problems are one point, two equal points without a shift, a problem whose exact optimum
    has equal weights, and a problem whose optimum is 0.
    """
    solution = solve(
        MatrixProblem(Q), method, init="farthest_pair", stop="gap", eps=1e-9, random_state=0
    )
    best = 2.0 if Q[0][0] == 2.0 else (0.5 if Q[0][1] == 0.0 else 0.0)
    assert (solution.stop_reason, solution.objective) == (
        "converged",
        pytest.approx(best, abs=1e-12),
    )
    assert 0.0 <= solution.gap <= 1e-9


@pytest.mark.parametrize("kernel", KERNELS)
@by_method
def test_flat_directions_do_not_derail_float32_columns(method, kernel):
    """Some points are equal, and C is very large. Then Q_ii - 2 Q_ij + Q_jj = 2/C is smaller than
    the rounding errors of float32, and can be computed as negative.
    """
    X, y = two_classes(0, 40, d=3)
    X, y = np.vstack([X] * 4), np.concatenate([y] * 4)
    Q = dual_matrix(X, y, KERNELS[kernel], 1e9)
    solution = solve(
        dual_problem(X, y, KERNELS[kernel], 1e9),
        method,
        eps=1e-5,
        random_state=1,
        max_iterations=200_000,
    )
    assert solution.column_dtype == "float32"
    check_solution(solution, Q, best=solution.objective)
    if solution.stop_reason == "converged":
        assert solution.gap <= target_gap("meb", 1e-5, Q, solution.objective)
    else:
        assert (method, solution.stop_reason) == ("fw", "iteration_limit")


@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize("method", [name for name in METHODS if name != "fw"])
def test_linear_kernel_has_the_decision_function_of_linear_svc(method, storage):
    C = 2.0
    X, y = two_classes(11, m=150, d=4, storage=storage)
    solution = solve(
        dual_problem(X, y, KERNELS["linear"], C), method, stop="relative", eps=1e-7, random_state=0
    )
    signed = solution.weights * y[solution.support]
    found = np.append(np.asarray(signed @ X[solution.support]).ravel(), signed.sum())
    oracle = LinearSVC(
        loss="squared_hinge",
        dual=True,
        C=C / 2,
        fit_intercept=True,
        intercept_scaling=1,
        tol=1e-9,
        max_iter=10**6,
    ).fit(X, y)
    # b = a / R solves the dual whose weights need not sum to 1, so there is a factor
    expected = np.append(oracle.coef_.ravel(), oracle.intercept_) * solution.objective
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max(), rtol=0)


@parametrize_pairwise(
    method=METHODS, selection=["full", "sampled_libcvm"], storage=["dense", "csr"]
)
def test_another_cache_size_gives_the_same(method, selection, storage):
    m = 150
    X, y = two_classes(4, m, storage=storage)
    problem = dual_problem(X, y, KERNELS["rbf"], 3.0)
    eps = 1e-2 if method == "fw" else 1e-3 if selection != "full" else 1e-7
    settings = {
        "selection": selection,
        "stop": "relative",
        "eps": eps,
        "random_state": 0,
        "max_iterations": 20_000,
    }
    whole, half, three = (
        solve(problem, method, cache_mb=mb, **settings) for mb in (200.0, 8e-6 * m * 60, 1e-6)
    )
    for other in (half, three):
        assert (other.stop_reason, other.iterations) == (whole.stop_reason, whole.iterations)
        assert other.objective == pytest.approx(whole.objective, abs=1e-12)
    assert three.kernel_evaluations > whole.kernel_evaluations
    # if there is enough memory, no column is computed twice
    if selection == "full" and method in STEP_METHODS:
        # columns can be computed in float32, and again in float64
        assert len(whole.support) <= whole.kernel_evaluations / m <= 2 * m


@pytest.mark.parametrize("method", FAST)
@pytest.mark.parametrize("rule", RULES)
def test_float64_where_eps_asks_for_it(method, rule):
    X, y = two_classes(6, 90)
    problem, Q = dual_problem(X, y, KERNELS["rbf"], 5.0), dual_matrix(X, y, KERNELS["rbf"], 5.0)
    tight, loose = (
        solve(problem, method, stop=rule, eps=eps, random_state=0) for eps in (1e-9, 1e-2)
    )
    assert (tight.stop_reason, tight.column_dtype, loose.column_dtype) == (
        "converged",
        "float64",
        "float32",
    )
    assert tight.gap <= target_gap(rule, 1e-9, Q, tight.objective)
    single = {"stop": rule, "eps": 1e-9, "column_dtype": "float32", "random_state": 0}
    if rule == "relative":
        solution = solve(problem, method, **single)
        assert (solution.stop_reason, solution.column_dtype) == ("precision_limit", "float32")
        assert 1e-9 < solution.relative_gap < 1e-3
        beyond = solve(
            problem, method, stop=rule, eps=1e-18, random_state=0, max_iterations=300_000
        )
        assert beyond.stop_reason in ("precision_limit", "iteration_limit", "no_progress")
        assert beyond.relative_gap < 1e-9
    else:
        with pytest.raises(ValueError, match=r"float32.*4\.4e-07"):
            solve(problem, method, **single)


def test_cvm_keeps_weights_above_its_threshold():
    """LibCVM drops weights up to 1e-5 divided by the size of the coreset. This is 2e-7 here, and
    the smallest weight is 2e-6.
    """
    diagonal = np.ones(50)
    diagonal[17] = 1e4
    problem = MatrixProblem(np.diag(diagonal))
    solution = solve(
        problem, "cvm", stop="relative", eps=1e-8, inner_tolerance=1e-9, random_state=0
    )
    np.testing.assert_allclose(
        solution.weights[solution.support == 17], [1e-4 / (49 + 1e-4)], rtol=1e-3
    )


def test_rounding_does_not_build_up_over_many_steps():
    """Rounding errors of the updates add up. Therefore, the objective is computed again from time
    to time, and the certificate does not use updated values.
    """
    X, y = two_classes(2, 80)
    Q = dual_matrix(X, y, KERNELS["poly"], 100.0)
    drift = []

    def watch(driver):
        a = driver.state.a
        drift.append((driver.objective - a @ Q @ a, np.abs(driver.state.s - Q @ a).max()))

    solution = solve(
        MatrixProblem(Q),
        "mfw",
        stop="relative",
        eps=1e-9,
        random_state=0,
        column_dtype="float64",
        callback=watch,
        trace=True,
        trace_every=5000,
        max_iterations=200_000,
    )
    assert solution.iterations > 20_000 and np.abs(drift).max() < 1e-12 * Q.max()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_features", "C"), [("a1a", 123, 1.0), ("w1a", 300, 64.0)])
def test_methods_agree_on_real_sets(mirror, name, n_features, C):
    path = mirror / "libsvm" / "binary" / name
    if not path.exists():
        pytest.skip(f"{path} is not in the mirror")
    X, y = load_svmlight_file(str(path), n_features=n_features, zero_based=False)
    kernel = Kernel("rbf", 0.5 / average_squared_distance(X))
    problem, Q = dual_problem(X, y, kernel, C), dual_matrix(X, y, kernel, C)
    solutions = [
        solve(problem, method, stop="relative", eps=1e-4, random_state=0) for method in FAST
    ]
    lower_bound = max(solution.objective - solution.gap for solution in solutions)
    for solution in solutions:
        check_solution(solution, Q, best=lower_bound)
        assert solution.relative_gap <= 1e-4


def singular(seed):
    """Return a positive semidefinite matrix of rank 2 to 11. The minimum of a'Qa over the simplex
    is often 0.
    """
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(2 + seed % 10, 60))
    return Z.T @ Z


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_does_not_make_a_matrix_indefinite(dtype):
    eps = 1e-9 if dtype == np.float64 else 1e-4
    for seed in range(300):
        Q = singular(seed).astype(dtype)
        solution = solve(
            MatrixProblem(Q), "swap", init=0, stop="gap", eps=eps, max_iterations=20_000
        )
        assert solution.stop_reason == "converged"
        assert solution.objective >= (0.0 if dtype == np.float64 else -1e-5)


@pytest.mark.parametrize("below", [1e-3, 1e-6, 1e-9, 1e-11])
def test_a_slightly_indefinite_matrix_is_named(below):
    """The matrix is changed so that a'Qa becomes negative at a point a where it was 0. The change
    is much smaller than the entries of Q, but much larger than their rounding errors.
    """
    for seed in range(0, 100, 3):
        Q = singular(seed)
        solution = solve(MatrixProblem(Q), "swap", init=0, stop="gap", eps=1e-9)
        a = np.zeros(60)
        a[solution.support] = solution.weights
        if solution.objective < 1e-14 * Q.max():
            lowered = Q - below * Q.max() * np.outer(a, a) / (a @ a)
            lowered = 0.5 * (lowered + lowered.T)
            found = solve(
                MatrixProblem(lowered), "swap", init=0, stop="gap", eps=1e-15, max_iterations=20_000
            )
            assert found.stop_reason == "not_positive_semidefinite" and found.objective < 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_given_linear_kernel_without_a_margin_is_semidefinite(dtype):
    X, y = load_iris(return_X_y=True)
    X = X.astype(dtype)
    for label in range(3):
        model = FrankWolfeSVC("swap", "precomputed", C=np.inf, max_iter=3000, random_state=0)
        model.fit(X @ X.T, y == label)
        assert model.stop_reason_ in (
            "converged",
            "iteration_limit",
            "no_progress",
            "precision_limit",
        )


def hidden_block(weight):
    """Return a matrix with an indefinite block of two points and a much larger diagonal entry of
    other points.
    """
    Q = np.diag([0.0, 0.0, 3e4, 7e5, 2e5])
    Q[:2, :2] = np.array([[2.0, 3.0], [3.0, 2.5]]) * weight
    return Q


@pytest.mark.parametrize("weight", [1.0, 0.03])
@pytest.mark.parametrize("init", range(5))
def test_a_large_diagonal_entry_does_not_hide_an_indefinite_block(init, weight):
    """Point 0 alone has the objective 2 `weight`. From point 1, no step leads to it."""
    Q, y = hidden_block(weight), np.array([1.0, 1.0, -1.0, 1.0, -1.0])
    given = {"init": init, "stop": "relative", "eps": 1e-6}
    found = solve(MatrixProblem(Q), "swap2o", **given)
    assert found.stop_reason == "not_positive_semidefinite"
    for labels, offset in ((np.ones(5), 0.0), (y, 1e-3)):
        matrix = PrecomputedKernelMatrix(Q)
        found = solve(KernelProblem(matrix, labels, 1e6, offset), **given)
        assert found.stop_reason == "not_positive_semidefinite"


def test_a_slightly_indefinite_matrix_with_equal_entries_is_named():
    """Point 0 alone has the objective 0.9997, and all entries of the gradient are 1."""
    Q = np.ones((50, 50))
    Q[0, 0] -= 3e-4
    found = solve(MatrixProblem(Q), "swap2o", stop="relative", eps=1e-6, init=5)
    assert found.stop_reason == "not_positive_semidefinite"


@st.composite
def rounded_kernels(draw):
    """Draw a positive semidefinite matrix of any rank with entries of many sizes, and round it or
    change its entries by about 1e-6 of their values.

    Return also whether the entries were changed.
    """
    m, rank = draw(st.integers(3, 60)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(m, rank)) + draw(st.sampled_from([0.0, 1.0, 1000.0]))
    X *= 10.0 ** rng.uniform(-draw(st.sampled_from([0.0, 2.0, 6.0])), 0.0, (m, 1))
    if draw(st.booleans()):
        X = X[rng.integers(0, m, m)]
    X[rng.random(m) < 0.1] = 0.0
    X = X.astype(draw(st.sampled_from([np.float32, np.float64])))
    K = draw(st.sampled_from([lambda Z: Z @ Z.T, lambda Z: (Z @ Z.T) ** 2, rbf_kernel]))(X)
    changes = draw(st.booleans())
    if changes:
        noise = rng.normal(size=(m, m))
        K = (K * (1.0 + 1e-6 * (noise + noise.T))).astype(K.dtype)
    return K, changes


@given(drawn=rounded_kernels(), seed=seeds, C=st.sampled_from([np.inf, 1e12, 1e6, 1.0]))
def test_rounded_kernels_are_not_called_indefinite(drawn, seed, C):
    """A change by 1e-6 can make a'Ka negative. Only then is the matrix called indefinite."""
    K, changes = drawn
    rng = np.random.default_rng(seed)
    given = {"stop": "relative", "eps": 1e-4, "max_iterations": 2000, "random_state": seed}
    for labels, offset in ((np.ones(len(K)), 0.0), (rng.choice([-1.0, 1.0], len(K)), 1.0)):
        problem = KernelProblem(PrecomputedKernelMatrix(K), labels, C, offset)
        for method in ("auto", "swap2o"):
            found = solve(problem, method, **given)
            is_named = found.stop_reason == "not_positive_semidefinite"
            assert not is_named or (changes and found.objective < 0.0)


def lower_objective(Q, rng, starts=30):
    """Return the lowest objective that pairwise steps find from random starts. The matrix can be
    indefinite.
    """
    best = Q.diagonal().min()
    for _ in range(starts):
        a = rng.dirichlet(np.full(len(Q), 0.1))
        for _ in range(300):
            s, active = Q @ a, np.flatnonzero(a)
            i, j = s.argmin(), active[s[active].argmax()]
            if s[j] <= s[i]:
                break
            curvature = Q[i, i] + Q[j, j] - 2.0 * Q[i, j]
            length = a[j] if curvature <= 0.0 else min(a[j], (s[j] - s[i]) / curvature)
            a[i], a[j] = a[i] + length, a[j] - length
        best = min(best, a @ Q @ a)
    return best


@st.composite
def inexact_kernels(draw):
    """Draw a kernel matrix whose entries have few digits, so that it can be indefinite."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(draw(st.integers(5, 50)), 2))
    distances = np.sqrt(np.maximum(euclidean_distances(X, squared=True), 0.0))
    width = draw(st.sampled_from([1e-3, 0.1, 1.0]))
    K = draw(st.sampled_from([np.exp(-width * distances), np.exp(-width * distances**2)]))
    digits = draw(st.sampled_from([1, 3, 6, None]))
    return K.astype(np.float32) if digits is None else np.round(K, digits)


@settings(max_examples=60)
@given(K=inexact_kernels(), seed=seeds, C=st.sampled_from([1.0, 1e3, 1e7, 1e10]))
def test_the_certificate_of_an_inexact_kernel_matrix_holds(K, seed, C):
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], len(K))
    Q = np.outer(y, y) * (K.astype(float) + 1.0) + np.eye(len(K)) / C
    problem = KernelProblem(PrecomputedKernelMatrix(K), y, C)
    best = lower_objective(Q, rng)
    for method in ("auto", "swap"):
        found = solve(problem, method, stop="relative", random_state=seed, max_iterations=5000)
        assert found.objective - best <= found.gap + 1e-13
        if found.stop_reason == "converged":
            assert found.gap <= 0.0101 * found.objective


def test_two_fits_of_a_float32_kernel_matrix_do_not_refute_each_other():
    refused = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(50, 2)), rng.choice([-1, 1], 50)
        K = rbf_kernel(X, gamma=1e-3).astype(np.float32)
        models = []
        for state in range(4):
            model = FrankWolfeSVC(kernel="precomputed", C=1e9, random_state=state)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                models.append(model.fit(K, y))
        objectives = [model.objective_ for model in models]
        assert max(objectives) - min(objectives) <= max(model.gap_ for model in models)
        refused += models[0].stop_reason_ == "precision_limit"
    assert refused > 0


@pytest.mark.parametrize("method", ["swap2o", "mfw", "auto"])
@pytest.mark.parametrize("excess", [4e-5, 1e-7])
def test_an_objective_of_0_does_not_hide_an_indefinite_block(method, excess):
    """Point 0 alone has the objective 0. Equal weights of the others have a negative objective."""
    Q = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -1.0 - excess], [0.0, -1.0 - excess, 1.0]])
    given = PrecomputedKernelMatrix(Q)
    problems = MatrixProblem(Q), KernelProblem(given, np.ones(3), np.inf, 0.0)
    for problem in problems:
        found = solve(problem, method, init=0, stop="relative")
        assert found.objective + 0.5 * excess <= found.gap
        assert found.stop_reason != "converged"


def test_the_time_of_the_test_of_a_matrix_belongs_to_the_certificate(monkeypatch):
    def slow(*given):
        begin = time.thread_time()
        while time.thread_time() - begin < 0.1:
            pass
        return negative_curvature(*given)

    monkeypatch.setattr(solve_module, "negative_curvature", slow)
    X, y = two_classes(1, 60)
    problem = KernelProblem(PrecomputedKernelMatrix(rbf_kernel(X)), y, 10.0)
    assert solve(problem, "auto", stop="relative", random_state=0).certify_cpu_s >= 0.1
