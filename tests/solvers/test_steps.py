"""Compare recorded steps of every driver with those of the methods in plain NumPy, over all points
and with samples.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import (
    KERNELS,
    METHODS,
    STEP_METHODS,
    check_solution,
    dual_matrix,
    dual_problem,
    optimum,
    two_classes,
)
from reference_methods import Recorded, follow, follow_cvm, lowest, swap, target_gap
from sampled_runs import (
    CountingCvmCoresetDriver,
    StubbornCoresetDriver,
    StubbornCvmCoresetDriver,
    next_sample,
    run_with,
)

from fwsvm import MatrixProblem, solve
from fwsvm.solvers.coreset_drivers import CoresetDriver
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods.cvm import CvmCoresetDriver, CvmDriver
from fwsvm.solvers.settings import Selection

N_STEPS = 300
SAMPLES = {
    "text": Selection("text", True, 9, 3),
    "libcvm": Selection("libcvm", True, 9, 3, alternate=True, replacement=True),
    "uniform": Selection("uniform", True, 9, 1, replacement=True, start_alternates=True),
}
DRIVERS = {
    "coreset": StubbornCoresetDriver,
    "all points": AllPointsDriver,
    "changing": CoresetDriver,
}
CVM_DRIVERS = {
    "coreset": StubbornCvmCoresetDriver,
    "all points": CvmDriver,
    "changing": CvmCoresetDriver,
    "counting": CountingCvmCoresetDriver,
}


def traced(problem, method, **settings):
    """Return a run with its iterates, in float64 columns."""
    settings = {"max_iterations": N_STEPS, "random_state": 4, **settings}
    return solve(problem, method, trace_iterates=True, column_dtype="float64", **settings)


def assert_counted(solution):
    """Check that the counters and the numbers of active points agree with the iterates."""
    trace = solution.trace
    support = [set(indices) for indices, _ in trace.iterates]
    dropped = [bool(before - after) for before, after in pairwise(support)]
    assert solution.away_steps == trace.step.count("away")
    assert solution.swap_steps == trace.step.count("swap")
    drops = [drop for drop, step in zip(dropped, trace.step[1:], strict=True) if step != "toward"]
    assert solution.drop_steps == sum(drops)
    assert trace.active_size == [len(indices) for indices in support]
    assert trace.iteration == list(range(solution.iterations + 1))


@parametrize_pairwise(method=STEP_METHODS, kernel=list(KERNELS), kind=["matrix", "dense", "csr"])
def test_steps_are_those_of_the_step_table(method, kernel, kind):
    m, C = 70, 20.0
    X, y = two_classes(1, m, storage="csr" if kind == "csr" else "dense")
    Q = dual_matrix(X, y, KERNELS[kernel], C)
    problem = MatrixProblem(Q) if kind == "matrix" else dual_problem(X, y, KERNELS[kernel], C)
    solution = traced(problem, method, init="farthest_pair")
    assert follow(Q, Recorded(solution.trace, m), method, "meb", 1e-6) == ("iteration_limit", 0)
    assert_counted(solution)
    assert solution.requested_evaluations == m * (N_STEPS + solution.swap_steps)
    if method in ("mfw", "swap", "swap2o"):
        assert 3 < solution.trace.step.count("toward") < N_STEPS - 3
    trace = solve(problem, method, init=7, trace_iterates=True, eps=1e-3, max_iterations=5).trace
    assert [part.tolist() for part in trace.iterates[0]] == [[7], [1.0]]


@pytest.mark.parametrize("method", STEP_METHODS)
def test_steps_in_tiles_with_many_active_points_and_with_drops(method):
    """If more than a sixth of the points are active, passes over the active points become passes
    over all points.
    """
    # every point occurs three times, and the points fill five tiles of 256 points (the last one in
    # part)
    X, y = two_classes(2, 400, d=3)
    equal = dual_matrix(np.vstack([X, X, X]), np.concatenate([y, y, y]), KERNELS["rbf"], 1e6)
    # in the solution, every point is a support vector
    F = np.random.default_rng(0).normal(size=(1100, 5))
    spread = F @ F.T / 5 + np.diag(np.random.default_rng(1).uniform(50.0, 100.0, 1100))
    few = dual_matrix(*two_classes(1, 70, noise=0.02), KERNELS["rbf"], 20.0)
    for matrix, init, steps in (
        (equal, "random_meb", 60),
        (spread, "farthest_pair", 500),
        (few, "random_meb", 300),
    ):
        solution = traced(MatrixProblem(matrix), method, init=init, max_iterations=steps)
        reason, _ = follow(matrix, Recorded(solution.trace, len(matrix)), method, "meb", 1e-6)
        assert reason == solution.stop_reason
        assert_counted(solution)
        if matrix is few and method in ("mfw", "swap", "swap2o", "pfw"):
            assert solution.drop_steps >= 5
        if len(matrix) == 1100:
            assert len(solution.support) > 1100 // 6 + 100


@parametrize_pairwise(
    method=STEP_METHODS,
    driver=list(DRIVERS),
    selection=list(SAMPLES),
    storage=["dense", "csr"],
    variant=["printed", "clipped", "cooling", "cooled"],
)
def test_steps_follow_from_the_samples(monkeypatch, method, driver, selection, storage, variant):
    m, seed, eps = 90, 6, 0.2 if variant == "cooled" else 1e-3
    X, y = two_classes(5, m, storage=storage)
    problem, Q = dual_problem(X, y, KERNELS["rbf"], 2.0), dual_matrix(X, y, KERNELS["rbf"], 2.0)
    chosen, stages = SAMPLES[selection], eps
    if variant.startswith("cool"):
        chosen = replace(chosen, cooling=True)
        stages = (
            [0.1, 0.05, 0.025, 0.0125, 0.00625, 0.003125, 0.0015625, 0.001] if eps < 0.1 else [eps]
        )
    solution, seen = run_with(
        monkeypatch,
        DRIVERS[driver],
        problem,
        method,
        selection=chosen,
        eps=eps,
        clipped_gain=variant == "clipped",
    )
    recorded, sample = Recorded(solution.trace, m), next_sample(chosen, y, seed)
    clipped = variant == "clipped"
    reason, looked = follow(
        Q, recorded, method, "meb", stages, sample, patience=chosen.patience, clipped=clipped
    )
    assert (reason, recorded.left) == ("no_violation_in_samples", 0) == (solution.stop_reason, 0)
    assert (solution.samples, solution.requested_evaluations) == (looked, recorded.requested)
    assert_counted(solution)
    check_solution(solution, Q)
    assert set(seen) <= {DRIVERS[driver].__name__, "AllPointsDriver"}


@parametrize_pairwise(
    driver=list(CVM_DRIVERS),
    selection=["text", "libcvm"],
    tolerance=[1e-2, 1e-3, 1e-7],
    fixed=[False, True],
    most=[None, 3],
    storage=["dense", "csr"],
)
def test_sampled_cvm_takes_the_steps_of_its_definition(
    monkeypatch, driver, selection, tolerance, fixed, most, storage
):
    X, y = two_classes(3, 90, storage=storage)
    problem, Q = dual_problem(X, y, KERNELS["rbf"], 2.0), dual_matrix(X, y, KERNELS["rbf"], 2.0)
    chosen = SAMPLES[selection]
    solution, _ = run_with(
        monkeypatch,
        CVM_DRIVERS[driver],
        problem,
        "cvm",
        selection=chosen,
        eps=1e-3,
        inner_tolerance=tolerance,
        inner_fixed=fixed,
        inner_steps=most,
    )
    recorded, sample = Recorded(solution.trace, 90), next_sample(chosen, y, 6)
    reason, looked, core = follow_cvm(
        Q,
        recorded,
        "meb",
        1e-3,
        tolerance,
        sample,
        patience=chosen.patience,
        fixed=fixed,
        most=most,
    )
    assert (reason, recorded.left) == ("no_violation_in_samples", 0) == (solution.stop_reason, 0)
    assert (solution.samples, solution.coreset_size) == (looked, core)
    assert solution.requested_evaluations == recorded.requested > 0
    check_solution(solution, Q)


@pytest.mark.parametrize(
    ("kernel", "stop", "eps", "tolerance"),
    [
        ("rbf", "meb", 1e-4, 1e-2),
        ("linear", "relative", 1e-3, 1e-2),
        ("poly", "gap", 1e-3, 1e-1),
        ("rbf", "gap", 0.2, 1.0),
    ],
)
def test_cvm_takes_the_steps_of_its_definition(kernel, stop, eps, tolerance):
    m = 60
    X, y = two_classes(8, m)
    Q, problem = dual_matrix(X, y, KERNELS[kernel], 3.0), dual_problem(X, y, KERNELS[kernel], 3.0)
    settings = {"init": "farthest_pair", "stop": stop, "eps": eps, "inner_tolerance": tolerance}
    solution = traced(problem, "cvm", max_iterations=10**6, **settings)
    recorded = Recorded(solution.trace, m)
    reason, _, core = follow_cvm(Q, recorded, stop, eps, tolerance)
    assert (reason, recorded.left, core) == ("converged", 0, solution.coreset_size)
    kept = np.flatnonzero(recorded.a > 1e-5 / core)  # at the end, LibCVM drops negligible weights
    np.testing.assert_array_equal(solution.support, kept)
    np.testing.assert_allclose(
        solution.weights, recorded.a[kept] / recorded.a[kept].sum(), rtol=1e-12
    )


@pytest.mark.parametrize("seed", range(4))
def test_an_eligible_member_that_violates_tightens_the_inner_problem_and_never_joins_twice(
    monkeypatch, seed
):
    X, y = two_classes(5, 12)
    selection = Selection("sampled", True, 6, 60, replacement=True, reject_members=False)
    options = {"selection": selection, "eps": 1e-9, "inner_tolerance": 0.5, "random_state": seed}
    problem = dual_problem(X, y, KERNELS["rbf"], 50.0)
    solution, _ = run_with(
        monkeypatch, StubbornCvmCoresetDriver, problem, "cvm", max_iterations=20_000, **options
    )
    assert solution.coreset_size <= 12 and solution.stop_reason == "no_violation_in_samples"


@pytest.mark.parametrize("patience", [1, 4])
@pytest.mark.parametrize("method", METHODS)
def test_patience_counts_the_samples_without_a_violation(method, patience):
    """The start is the solution on all 15 points, so no step is needed. The run draws `patience`
    samples, and CVM draws as many at each of its stages.
    """
    problem = dual_problem(*two_classes(0, 15), KERNELS["rbf"], 1.0)
    solution = solve(
        problem, method, selection="sampled_text", patience=patience, eps=1e-3, random_state=0
    )
    stages = 8 if method == "cvm" else 1  # the tolerance 0.1 is halved until it is 0.001
    assert (solution.stop_reason, solution.iterations) == ("no_violation_in_samples", 0)
    assert solution.samples == patience * stages


@pytest.mark.parametrize("method", STEP_METHODS)
def test_change_of_driver_keeps_model_and_counters(method):
    """When samples would cost more than the whole gradient, training continues with all points."""
    X, y = two_classes(2, 300, d=2, noise=0.02)
    problem, seen, last = dual_problem(X, y, KERNELS["rbf"], 10.0), [], {}

    def watch(driver):
        seen.append(type(driver).__name__)
        if seen[-1] == "CoresetDriver":
            last["weights"], last["evaluations"] = driver.weights(), driver.evaluations

    settings = {
        "selection": "sampled_text",
        "sample_size": 20,
        "patience": 5,
        "eps": 1e-4,
        "random_state": 1,
    }
    solution = solve(problem, method, callback=watch, trace_iterates=True, **settings)
    assert seen == sorted(seen, reverse=True) and set(seen) == {"CoresetDriver", "AllPointsDriver"}
    before = solution.trace.iterates[seen.index("AllPointsDriver")][0]
    np.testing.assert_array_equal(before, last["weights"][0])
    assert_counted(solution)
    assert np.diff(solution.trace.objective).max() <= 1e-7
    assert solution.kernel_evaluations == problem.evaluations + last["evaluations"]
    check_solution(solution, dual_matrix(X, y, KERNELS["rbf"], 10.0))


def test_cvm_leaves_its_samples_also_where_columns_do_not_fit(monkeypatch):
    """In this run, samples cost more kernel values than columns of all points, even if such columns
    are computed repeatedly.
    """
    X, y = two_classes(2, 1000, d=8, noise=0.3)
    settings = {"selection": "sampled_libcvm", "cache_mb": 1.4, "eps": 1e-5, "random_state": 1}
    runs = []
    for driver in (CvmCoresetDriver, StubbornCvmCoresetDriver):
        problem = dual_problem(X, y, KERNELS["rbf"], 0.1)
        runs.append(run_with(monkeypatch, driver, problem, "cvm", **settings))
    (solution, seen), (sampled, _) = runs
    assert set(seen) == {"CvmCoresetDriver", "CvmDriver"}
    assert sampled.coreset_size > 300
    assert solution.kernel_evaluations < 0.8 * sampled.kernel_evaluations
    assert solution.objective == pytest.approx(sampled.objective, rel=1e-3)


def follow_sparse(Q, recorded, start, eps):
    """Check all recorded steps with a version of M-FW that was written from its description. Return
    the subsample.
    """
    active = [start]
    while True:
        s = Q @ recorded.a
        R = recorded.a @ s
        inactive = np.setdiff1d(np.arange(len(Q)), active)
        activates = len(inactive) > 0 and s[inactive].min() < 0
        if not activates and 2.0 * (R - s[active].min()) <= target_gap("meb", eps, Q, R):
            return np.sort(active)
        if activates:
            active.append(inactive[s[inactive].argmin()])
        support = np.flatnonzero(recorded.a > 0)
        recorded.check(
            swap(Q, recorded.a, i, j) for i in lowest(s, active) for j in lowest(-s, support)
        )


@pytest.mark.parametrize("start", [0, 17, 44])
@pytest.mark.parametrize("kernel", KERNELS)
def test_mfw_sparse_does_what_its_description_says(kernel, start):
    X, y = two_classes(3, 60)
    Q = dual_matrix(X, y, KERNELS[kernel], 4.0)
    found = traced(MatrixProblem(Q), "mfw_sparse", init=start, eps=1e-3, max_iterations=10**6)
    recorded = Recorded(found.trace, 60)
    np.testing.assert_array_equal(follow_sparse(Q, recorded, start, 1e-3), found.subsample)
    assert recorded.left == 0 and found.stop_reason == "converged"
    np.testing.assert_array_equal(np.flatnonzero(recorded.a), found.support)


@parametrize_pairwise(
    seed=range(3), kernel=list(KERNELS), storage=["dense", "csr"], C=[0.5, 4.0, 300.0]
)
def test_mfw_sparse_is_the_plain_machine_on_the_subsample_it_activated(kernel, seed, storage, C):
    X, y = two_classes(seed, 100, storage=storage)
    problem, Q = dual_problem(X, y, KERNELS[kernel], C), dual_matrix(X, y, KERNELS[kernel], C)
    settings = {"init": "random_point", "stop": "relative", "eps": 1e-8, "random_state": seed}
    found, three = (solve(problem, "mfw_sparse", cache_mb=mb, **settings) for mb in (200.0, 1e-6))
    assert found.stop_reason == "converged" and set(found.support) <= set(found.subsample)
    assert found.objective == pytest.approx(
        optimum(Q[np.ix_(found.subsample, found.subsample)])[0], rel=1e-8
    )
    a = check_solution(found, Q)
    s, outside = Q @ a, np.setdiff1d(np.arange(100), found.subsample)
    assert np.all(s[outside] >= -1e-9)  # no further point would be activated
    assert found.subsample_gap == pytest.approx(2 * (a @ s - s[found.subsample].min()), abs=1e-10)
    assert found.subsample_gap <= 1e-8 * found.objective
    assert (three.iterations, three.objective) == (found.iterations, found.objective)
