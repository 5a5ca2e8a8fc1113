"""When training ends, why it says so, and that the certificate keeps every rule's promise."""

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, METHODS, STEP_METHODS, dual_matrix, dual_problem, two_classes
from reference_methods import target_gap

from fwsvm import MatrixProblem, solve

RULES = {"meb": 1e-4, "gap": 1e-3, "relative": 1e-2}


@parametrize_pairwise(method=METHODS, rule=list(RULES), dtype=["auto", "float32", "float64"])
def test_certified_gap_meets_the_rule(method, rule, dtype):
    X, y = two_classes(3, 100)
    for kernel, C in (("rbf", 5.0), ("poly", 0.5)):
        Q = dual_matrix(X, y, KERNELS[kernel], C)
        solution = solve(
            dual_problem(X, y, KERNELS[kernel], C),
            method,
            stop=rule,
            eps=RULES[rule],
            column_dtype=dtype,
            random_state=2,
        )
        assert solution.stop_reason == "converged"
        a = np.zeros(100)
        a[solution.support] = solution.weights
        gap, R = 2 * (a @ Q @ a - (Q @ a).min()), a @ Q @ a
        assert solution.gap == pytest.approx(gap, rel=1e-6, abs=1e-12)
        assert gap <= target_gap(rule, RULES[rule], Q, R) * (1 + 1e-9)
        # and is not far below it: the rule, not an accident, ended training
        if method != "cvm":
            assert gap > 0.01 * target_gap(rule, RULES[rule], Q, R)


def test_meb_rule_is_the_ball_of_the_paper():
    """frandi2013 Alg. 2 line 6: the furthest point lies within (1 + eps) r of the centre."""
    X, y = two_classes(3, 100)
    Q = dual_matrix(X, y, KERNELS["rbf"], 5.0)
    solution = solve(dual_problem(X, y, KERNELS["rbf"], 5.0), "swap", stop="meb", eps=0.01, random_state=0, trace=True)
    D, R = Q[0, 0], solution.objective
    furthest = D + R - 2.0 * (Q[:, solution.support] @ solution.weights).min()
    assert furthest <= 1.01**2 * (D - R)
    before = solution.trace.objective[-2] - solution.trace.gap[-2] / 2.0
    assert D + solution.trace.objective[-2] - 2.0 * before > 1.01**2 * (D - solution.trace.objective[-2])


@pytest.mark.parametrize("method", ["mfw", "swap", "swap2o", "pfw", "cvm"])
@pytest.mark.parametrize(("rule", "eps"), [("meb", 1e-9), ("gap", 1e-9), ("relative", 1e-9)])
def test_auto_changes_to_float64_where_eps_asks_for_it(method, rule, eps):
    X, y = two_classes(6, 90)
    Q = dual_matrix(X, y, KERNELS["rbf"], 5.0)
    solution = solve(dual_problem(X, y, KERNELS["rbf"], 5.0), method, stop=rule, eps=eps, random_state=0)
    assert (solution.stop_reason, solution.column_dtype) == ("converged", "float64")
    assert solution.gap <= target_gap(rule, eps, Q, solution.objective)
    loose = solve(dual_problem(X, y, KERNELS["rbf"], 5.0), method, stop=rule, eps=1e-2, random_state=0)
    assert loose.column_dtype == "float32"


@pytest.mark.parametrize("rule", ["meb", "gap"])
@pytest.mark.parametrize("method", METHODS)
def test_float32_refuses_an_absolute_eps_below_its_precision(method, rule):
    X, y = two_classes(6, 90)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    with pytest.raises(ValueError, match=r"column_dtype='float32'.*eps=1e-09.*attainable gap is about 4\.4e-07"):
        solve(problem, method, stop=rule, eps=1e-9, column_dtype="float32")


@pytest.mark.parametrize("method", ["mfw", "swap", "swap2o", "pfw", "cvm"])
def test_float32_says_where_a_relative_eps_is_below_its_precision(method):
    X, y = two_classes(6, 90)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    solution = solve(problem, method, stop="relative", eps=1e-9, column_dtype="float32", random_state=0)
    assert (solution.stop_reason, solution.column_dtype) == ("precision_limit", "float32")
    assert 1e-9 < solution.relative_gap < 1e-3


@pytest.mark.parametrize("method", ["mfw", "swap", "swap2o", "pfw", "cvm"])
def test_float64_says_where_eps_is_below_its_precision(method):
    X, y = two_classes(6, 60)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    solution = solve(problem, method, stop="relative", eps=1e-18, random_state=0, max_iterations=300_000)
    assert solution.stop_reason in ("precision_limit", "iteration_limit")
    assert solution.relative_gap < 1e-9


@pytest.mark.parametrize("selection", ["full", "sampled_libcvm"])
@pytest.mark.parametrize("method", METHODS)
def test_iteration_limit_is_a_result(method, selection):
    X, y = two_classes(0, 200)
    problem = dual_problem(X, y, KERNELS["rbf"], 50.0)
    for limit in (1, 17):
        solution = solve(problem, method, selection=selection, max_iterations=limit, random_state=0, trace=True)
        assert (solution.stop_reason, solution.iterations) == ("iteration_limit", limit)
        assert solution.gap > 0
        assert solution.weights.sum() == pytest.approx(1.0)
        assert solution.trace.iteration == list(range(limit + 1))


@pytest.mark.parametrize("method", STEP_METHODS)
def test_a_limit_that_is_just_enough_is_not_a_limit(method):
    X, y = two_classes(0, 100)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    for selection in ("full", "sampled_text"):
        settings = dict(selection=selection, eps=1e-3, random_state=0)
        free = solve(problem, method, **settings)
        tight = solve(problem, method, max_iterations=free.iterations, **settings)
        short = solve(problem, method, max_iterations=free.iterations - 1, **settings)
        assert (tight.stop_reason, tight.objective) == (free.stop_reason, free.objective)
        assert short.stop_reason == "iteration_limit"


@pytest.mark.parametrize("selection", ["full", "sampled_libcvm"])
@pytest.mark.parametrize("method", METHODS)
def test_time_limit_is_a_result(method, selection):
    X, y = two_classes(0, 2500, d=3)
    problem = dual_problem(X, y, KERNELS["rbf"], 1e4)
    solution = solve(problem, method, selection=selection, eps=1e-7, time_limit=1e-6, random_state=0, trace=True)
    assert solution.stop_reason == "time_limit"
    assert solution.iterations == 1  # traced runs look at the clock after every step
    a = np.zeros(2500)
    a[solution.support] = solution.weights
    assert solution.gap >= 0
    assert a.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "method", [pytest.param(name, marks=() if name == "cvm" else pytest.mark.exhaustive) for name in METHODS]
)
def test_samples_of_large_sets_do_not_keep_the_clock_from_being_looked_at(method):
    """A step's sample costs many kernel values, the more the larger the coreset has become since the last look."""
    X, y = two_classes(0, 60_000, d=3)
    seen = []

    def callback(driver):
        if hasattr(driver, "evaluations"):
            seen.append(driver.evaluations)
        return not hasattr(driver, "evaluations")  # it has changed to all points

    problem = dual_problem(X, y, KERNELS["rbf"], 1.0)
    solve(
        problem, method, selection="sampled_libcvm", eps=1e-7, random_state=0, max_iterations=30_000, callback=callback
    )
    assert len(seen) > 10
    assert np.diff(seen).max() < 2_000_000


def test_callback_ends_training_and_sees_the_state():
    X, y = two_classes(0, 100)
    seen = []

    def callback(driver):
        seen.append(driver.objective)
        return len(seen) == 5

    solution = solve(
        dual_problem(X, y, KERNELS["rbf"], 5.0), "swap", callback=callback, trace=True, random_state=0, eps=1e-9
    )
    assert (solution.stop_reason, solution.iterations) == ("interrupted", 5)
    assert seen == solution.trace.objective[1:]


def test_trace_is_kept_every_so_many_steps_and_changes_nothing():
    X, y = two_classes(0, 100)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    for method in METHODS:
        for selection in ("full", "sampled_text"):
            settings = dict(selection=selection, eps=1e-3, random_state=0)
            plain = solve(problem, method, **settings)
            traced = solve(problem, method, trace=True, trace_every=10, **settings)
            assert plain.trace is None
            assert traced.trace.iterates == []
            assert traced.trace.iteration[:3] == [0, 10, 20]
            assert traced.trace.iteration[-1] == traced.iterations
            np.testing.assert_array_equal(plain.weights, traced.weights)
            assert (plain.samples, plain.kernel_evaluations) == (traced.samples, traced.kernel_evaluations)
            records = vars(traced.trace) | {"iterates": traced.trace.iteration}
            assert {len(values) for values in records.values()} == {len(traced.trace.iteration)}
            assert np.all(np.diff(traced.trace.cpu_s) >= 0)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("method", METHODS)
def test_flat_directions_do_not_derail_float32_columns(method, kernel):
    """Equal points, huge C: Q_ii - 2 Q_ij + Q_jj = 2/C is below what float32 resolves, and may come out negative."""
    X, y = two_classes(0, 40, d=3)
    X, y = np.vstack([X] * 4), np.concatenate([y] * 4)
    C = 1e9
    Q = dual_matrix(X, y, KERNELS[kernel], C)
    solution = solve(dual_problem(X, y, KERNELS[kernel], C), method, eps=1e-5, random_state=1, max_iterations=200_000)
    a = np.zeros(160)
    a[solution.support] = solution.weights
    R, gap = a @ Q @ a, 2.0 * (a @ Q @ a - (Q @ a).min())
    assert solution.column_dtype == "float32"
    assert solution.weights.min() > 0
    assert solution.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert solution.objective == pytest.approx(R, abs=1e-9 * Q.max())
    assert solution.gap == pytest.approx(gap, abs=1e-9 * Q.max())
    if solution.stop_reason == "converged":
        assert gap <= target_gap("meb", 1e-5, Q, R)
    else:
        assert (method, solution.stop_reason) == ("fw", "iteration_limit")


def test_rounding_does_not_build_up_over_many_steps():
    """The recursions drift; the objective is refreshed on the way and the certificate recomputed."""
    X, y = two_classes(2, 80)
    Q = dual_matrix(X, y, KERNELS["poly"], 100.0)
    drift = []

    def watch(driver):
        a = driver.state.a
        drift.append((driver.objective - a @ Q @ a, np.abs(driver.state.s - Q @ a).max()))

    solution = solve(
        MatrixProblem(Q), "mfw", stop="relative", eps=1e-9, random_state=0, column_dtype="float64", callback=watch,
        trace=True, trace_every=5000, max_iterations=200_000,
    )  # fmt: skip
    assert solution.iterations > 20_000
    assert np.abs(drift).max() < 1e-12 * Q.max()


def test_objective_is_recomputed_every_512_steps():
    X, y = two_classes(2, 80)
    errors = []

    def disturb(driver):
        if driver.count.iterations == 500:
            driver.state.real[0]["objective"] += 1e-6
        errors.append(abs(driver.objective - driver.state.a @ driver.state.s))
        return driver.count.iterations == 520

    solve(
        dual_problem(X, y, KERNELS["rbf"], 1e3), "fw", stop="gap", eps=1e-12, column_dtype="float64", random_state=0,
        trace=True, callback=disturb,
    )  # fmt: skip
    assert len(errors) == 520
    assert min(errors[500:511]) > 1e-7  # after steps 501 to 511
    assert max(errors[511:]) < 1e-12
