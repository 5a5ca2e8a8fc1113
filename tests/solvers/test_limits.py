"""Test limits of steps and time, callbacks, traces, and runs without a certificate.

Some tests use a clock that they advance themselves.
"""

import numpy as np
import pytest
from clocks import costly
from qp_oracles import (
    KERNELS,
    METHODS,
    STEP_METHODS,
    check_solution,
    dual_matrix,
    dual_problem,
    two_classes,
)

from fwsvm import KernelMatrix, MatrixProblem, solve
from fwsvm.machine_code.threads import OutOfTime
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers import coreset_drivers, drivers
from fwsvm.solvers import solve as solve_module


@pytest.mark.parametrize("selection", ["full", "sampled_libcvm"])
@pytest.mark.parametrize("method", METHODS)
def test_limits_are_results(method, selection):
    X, y = two_classes(0, 200)
    problem, Q = dual_problem(X, y, KERNELS["rbf"], 50.0), dual_matrix(X, y, KERNELS["rbf"], 50.0)
    settings = {"selection": selection, "random_state": 0, "trace": True}
    for limit in (1, 17):
        solution = solve(problem, method, max_iterations=limit, **settings)
        assert (solution.stop_reason, solution.iterations) == ("iteration_limit", limit)
        assert solution.trace.iteration == list(range(limit + 1))
        check_solution(solution, Q)
        assert (
            solve(
                problem, method, max_iterations=limit, trace_every=1000, **settings
            ).trace.iteration[-1]
            == limit
        )
    solution = solve(problem, method, eps=1e-7, time_limit=1e-6, **settings)
    # with a trace, the time is checked after every step
    assert (solution.stop_reason, solution.iterations) == ("time_limit", 1)
    check_solution(solution, Q)


@pytest.mark.parametrize("method", STEP_METHODS)
def test_a_limit_that_is_just_enough_is_not_a_limit(method):
    problem = dual_problem(*two_classes(0, 100), KERNELS["rbf"], 5.0)
    for selection in ("full", "sampled_text"):
        settings = {"selection": selection, "eps": 1e-3, "random_state": 0}
        free = solve(problem, method, **settings)
        tight, short = (
            solve(problem, method, max_iterations=free.iterations - less, **settings)
            for less in (0, 1)
        )
        assert (tight.stop_reason, tight.objective) == (free.stop_reason, free.objective)
        assert short.stop_reason == "iteration_limit"


def test_callback_ends_training_and_sees_the_state():
    problem, seen = dual_problem(*two_classes(0, 100), KERNELS["rbf"], 5.0), []

    def callback(driver):
        seen.append(driver.objective)
        return len(seen) == 5

    solution = solve(problem, "swap", callback=callback, trace=True, random_state=0, eps=1e-9)
    assert (solution.stop_reason, solution.iterations) == ("interrupted", 5)
    assert seen == solution.trace.objective[1:]


def test_cvm_returns_from_rounds_without_a_step():
    settings, reasons = {"stop": "gap", "random_state": 0, "max_iterations": 1000}, set()
    for seed in range(20):  # which seeds end in this way depends on rounding
        X = np.tile(np.random.default_rng(seed).normal(size=(3, 2)), (2, 1))
        problem = KernelProblem(KernelMatrix(X, KERNELS["linear"]), np.repeat([1.0, -1.0], 3), 1.0)
        reasons.add(solve(problem, "cvm", eps=1e-300, **settings).stop_reason)
    assert "no_progress" in reasons
    solution = solve(
        problem,
        "cvm",
        eps=0.1,
        selection="sampled_text",
        patience=20_000,
        callback=lambda driver: driver.count.samples > 5000,
        **settings,
    )
    assert solution.stop_reason == "interrupted"


@pytest.mark.parametrize("every", [10, 1.5])
def test_trace_is_kept_every_so_many_steps_and_changes_nothing(every):
    problem = dual_problem(*two_classes(0, 100), KERNELS["rbf"], 5.0)
    for method in METHODS:
        for selection in ("full", "sampled_text"):
            settings = {"selection": selection, "eps": 1e-3, "random_state": 0}
            plain = solve(problem, method, **settings)
            traced = solve(problem, method, trace=True, trace_every=every, **settings)
            trace = traced.trace
            assert (
                plain.trace is None
                and trace.iterates == []
                and trace.iteration[-1] == traced.iterations
            )
            expected = range(0, 60, 10) if every == 10 else (0, 1, 2, 3, 4, 6)
            assert all(
                one == other for one, other in zip(trace.iteration[:-1], expected, strict=False)
            )
            np.testing.assert_array_equal(plain.weights, traced.weights)
            assert (plain.samples, plain.kernel_evaluations) == (
                traced.samples,
                traced.kernel_evaluations,
            )
            assert {len(values) for values in vars(trace).values()} == {0, len(trace.iteration)}
            assert np.all(np.diff(trace.cpu_s) >= 0)


@pytest.mark.parametrize(
    "name", ["problem", "settings", "columns", "callback", "trace", "trace_iterates"]
)
def test_arguments_of_a_wrong_type_are_named(name):
    with pytest.raises(TypeError, match=f"^{name} must be"):
        solve(**({"problem": MatrixProblem(np.eye(3))} | {name: 3}))
    with pytest.raises(ValueError, match="labels must be 3 values"):
        MatrixProblem(np.eye(3), np.ones(4))


@pytest.mark.parametrize("method", ["swap2o", "mfw_sparse"])
def test_a_certificate_ends_in_time(method, monkeypatch):
    monkeypatch.setattr(solve_module, "_LEAST_CERTIFICATE_S", 0.0)
    problem = dual_problem(*two_classes(0, 3000), KERNELS["rbf"], 5.0)
    found = solve(problem, method, init=0, time_limit=1e-9, random_state=0)
    assert found.stop_reason == "time_limit" and np.isnan(found.gap)


@pytest.mark.parametrize(
    ("selection", "stop", "reason"),
    [("sampled_libcvm", "meb", "no_violation_in_samples"), ("full", "relative", "time_limit")],
)
def test_a_run_without_certificate_keeps_a_reason_that_needs_none(
    selection, stop, reason, monkeypatch
):
    """A run with samples needs no certificate to end by its rule. A run with a rule on all points
    needs a certificate.
    """

    def too_late(*_, **__):
        raise OutOfTime

    monkeypatch.setattr(KernelProblem, "screened_gradient", too_late)
    problem = dual_problem(*two_classes(0, 300), KERNELS["rbf"], 5.0)
    rule = {"selection": selection, "stop": stop, "eps": 1e-2}
    found = solve(problem, "fw", random_state=0, **rule)
    assert found.stop_reason == reason and np.isnan(found.gap)


def test_a_search_of_all_pairs_ends_in_time(clock, monkeypatch):
    X, y = two_classes(0, 400, d=3)
    columns = costly(monkeypatch, clock, KernelProblem, "fill_column", lambda *_: 1.0)
    problem = dual_problem(X, y, KERNELS["rbf"], 10.0)
    solution = solve(problem, "fw", init="closest_opposite_pair", time_limit=7.0, random_state=0)
    assert len(columns) == 7
    assert solution.stop_reason == "time_limit"
    assert solution.gap > 0 and solution.weights.sum() == pytest.approx(1.0)


def test_a_coreset_is_not_brought_to_all_points_after_the_time(clock, monkeypatch):
    X, y = two_classes(0, 3000, d=3)
    monkeypatch.setattr(drivers, "VALUES_BETWEEN_CHECKS", 1, raising=False)
    columns = costly(
        monkeypatch,
        clock,
        drivers,
        "write_weighted",
        lambda cache, source, indices, *_: len(indices),
    )
    problem = dual_problem(X, y, KERNELS["rbf"], 1e4)
    settings = {"selection": "sampled_libcvm", "init": 0, "random_state": 0, "eps": 1e-8}
    solution = solve(problem, "fw", time_limit=5.0, **settings)
    assert sum(columns) == 5  # more than fifty columns would be needed
    assert solution.stop_reason == "time_limit"
    assert len(solution.support) > 50 and solution.weights.sum() == pytest.approx(1.0)
    assert solution.objective == pytest.approx(
        solution.weights @ problem.submatrix(solution.support) @ solution.weights
    )


@pytest.mark.parametrize("selection", ["full", "sampled_text"])
@pytest.mark.parametrize("method", METHODS)
def test_without_a_certificate_no_score_is_recomputed(method, selection, monkeypatch):
    X, y = two_classes(0, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    settings = {
        "selection": selection,
        "random_state": 0,
        "stop": "relative",
        "eps": 1e-2 if method == "fw" else 1e-4,
    }
    certified = solve(problem, method, column_dtype="float64", **settings)
    monkeypatch.setattr(KernelProblem, "gradient", None)
    plain = solve(problem, method, certify=False, **settings)
    assert plain.certify_cpu_s == 0 and np.isnan(plain.gap) and np.isnan(plain.relative_gap)
    # float32 columns cannot resolve every relative gap, and without a certificate this would not be
    # noticed
    assert plain.column_dtype == "float64"
    assert plain.stop_reason == certified.stop_reason
    assert plain.objective == pytest.approx(certified.objective, rel=2 * settings["eps"])


def test_a_sampled_run_may_change_to_all_points_after_a_sample_without_a_violation(monkeypatch):
    monkeypatch.setattr(coreset_drivers, "VALUES_BETWEEN_CHECKS", 1)
    changed, (X, y) = [], two_classes(1, 1300)

    def change(driver):
        if getattr(driver, "pending", 0) is None:
            driver.should_switch = changed.append(1) is None

    given = {
        "selection": "sampled_libcvm",
        "patience": 200,
        "stop": "relative",
        "eps": 3.0,
        "random_state": 0,
    }
    found = solve(
        KernelProblem(KernelMatrix(X, KERNELS["rbf"]), y, 1.0), "fw", callback=change, **given
    )
    assert len(changed) == 1 and found.stop_reason == "no_violation_in_samples"
