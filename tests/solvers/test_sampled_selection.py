"""Sampled selection: the steps are those of the samples drawn, whichever driver makes them, and it ends as it says."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, METHODS, STEP_METHODS, dual_matrix, dual_problem, optimum, two_classes
from reference_methods import Recorded, follow, follow_cvm
from sampled_runs import StubbornCoresetDriver, StubbornCvmCoresetDriver, next_sample, run_with

from fwsvm import MatrixProblem, solve
from fwsvm.problems.column_cache import cached
from fwsvm.solvers import step_drivers
from fwsvm.solvers.coreset import forget_point, store_point
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods import cvm as cvm_drivers
from fwsvm.solvers.methods.cvm import CvmCoresetDriver, CvmDriver
from fwsvm.solvers.passes import find_extremes
from fwsvm.solvers.settings import SELECTIONS, Selection
from fwsvm.solvers.state import INACTIVE, activate, deactivate, new_state
from fwsvm.solvers.step_drivers import CoresetDriver

SAMPLE = dict(sample_size=9, patience=3, eps=1e-3)
CASES = {
    f"{method}-{driver}": (method, driver)
    for method in (*STEP_METHODS, "cvm")
    for driver in ("coreset", "all points", "changing")
}


@parametrize_pairwise(case=CASES, preset=["sampled_text", "sampled_libcvm"], storage=["dense", "csr"])
def test_steps_follow_from_the_samples(monkeypatch, case, preset, storage):
    (method, driver), (m, C, seed) = case, (90, 2.0, 6)
    kernel = KERNELS["rbf"]
    X, y = two_classes(3, m, storage=storage)
    kinds = {
        "coreset": StubbornCvmCoresetDriver if method == "cvm" else StubbornCoresetDriver,
        "all points": CvmDriver if method == "cvm" else AllPointsDriver,
        "changing": CvmCoresetDriver if method == "cvm" else CoresetDriver,
    }
    problem = dual_problem(X, y, kernel, C)
    solution, seen = run_with(
        monkeypatch, kinds[driver], problem, method, selection=preset, random_state=seed, **SAMPLE
    )
    expected = {kinds[driver].__name__} | ({kinds["all points"].__name__} if driver == "changing" else set())
    assert set(seen) == expected
    Q = dual_matrix(X, y, kernel, C)
    recorded = Recorded(solution.trace, m)
    sample = next_sample(replace(SELECTIONS[preset], sample_size=SAMPLE["sample_size"]), y, seed)
    if method == "cvm":
        reason, looked, core = follow_cvm(Q, recorded, "meb", SAMPLE["eps"], 1e-3, sample, patience=3)
        assert solution.coreset_size == core
    else:
        reason, looked = follow(Q, recorded, method, "meb", SAMPLE["eps"], sample, patience=3)
    assert (reason, recorded.left) == ("no_violation_in_samples", 0)
    assert (solution.stop_reason, solution.samples) == (reason, looked)
    assert solution.requested_evaluations == recorded.requested
    assert solution.iterations == len(solution.trace.step) - 1 > 50
    assert solution.gap >= solution.objective - optimum(Q)[0] >= -1e-9


@pytest.mark.parametrize("method", METHODS)
def test_both_drivers_give_the_same_model(monkeypatch, method):
    X, y = two_classes(4, 120)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    settings = dict(selection="sampled_libcvm", sample_size=8, patience=2, eps=1e-2)
    if method == "cvm":  # rounding decides between equal partners in its inner steps, and so about the next sample's
        settings |= dict(patience=40, eps=1e-6, inner_tolerance=1e-8)  # violation: only the optimum is the same
    small, _ = run_with(
        monkeypatch, StubbornCvmCoresetDriver if method == "cvm" else StubbornCoresetDriver, problem, method, **settings
    )
    large, _ = run_with(monkeypatch, CvmDriver if method == "cvm" else AllPointsDriver, problem, method, **settings)
    if method == "cvm":
        assert small.objective == pytest.approx(large.objective, rel=1e-6)
        return
    assert small.trace.step == large.trace.step
    assert (small.samples, small.stop_reason) == (large.samples, large.stop_reason)
    np.testing.assert_array_equal(small.support, large.support)
    np.testing.assert_allclose(small.weights, large.weights, rtol=1e-7)
    np.testing.assert_allclose(small.trace.objective, large.trace.objective, rtol=1e-10)
    np.testing.assert_allclose(small.trace.gap, large.trace.gap, atol=1e-10)
    assert small.objective == pytest.approx(large.objective, rel=1e-10)
    assert small.gap == pytest.approx(large.gap, rel=1e-8)


@pytest.mark.parametrize(
    ("method", "cache_mb"), [*((method, 1.0) for method in STEP_METHODS), ("cvm", 1e-4), ("cvm", 0.02), ("cvm", 50.0)]
)
def test_state_of_the_coreset_is_exact_after_every_step(monkeypatch, method, cache_mb):
    """Points join, are dropped and change places; scores, objective and what is stored of each point must follow."""
    X, y = two_classes(1, 150, noise=0.02)
    kernel, C = KERNELS["rbf"], 0.1 if method == "cvm" else 20.0
    Q = dual_matrix(X, y, kernel, C)
    problem = dual_problem(X, y, kernel, C)
    sizes, changes = [], []

    def check(driver):
        n = driver.size
        ids = driver.ids[:n]
        state, a = driver.state, np.zeros(150)
        a[ids] = state.a[:n]
        sizes.append(n)
        assert len(set(ids)) == n
        np.testing.assert_array_equal(driver.local[ids], np.arange(n))
        assert np.count_nonzero(driver.local >= 0) == n
        np.testing.assert_array_equal(driver.stored_labels[:n], y[ids])
        np.testing.assert_allclose(state.s[:n], (Q @ a)[ids], atol=1e-9)
        np.testing.assert_allclose(driver.objective, a @ Q @ a, atol=1e-9)
        np.testing.assert_allclose(state.diagonal[:n], Q.diagonal()[ids])
        active = state.active[: state.count[0]["active_size"]]
        np.testing.assert_array_equal(np.sort(active), np.flatnonzero(state.a[:n] > 0))
        np.testing.assert_array_equal(state.position[active], np.arange(len(active)))
        changes.append(tuple(ids))
        if method != "cvm":
            assert len(active) == n
        elif len(changes) % 5 == 0:
            cache = driver.columns
            for slot, place in enumerate(cached(cache.slots)):
                np.testing.assert_allclose(cache.columns[slot, :n], Q[ids[place], ids], atol=1e-12)
                assert cache.slots.slot_of[place] == slot

    monkeypatch.setattr(cvm_drivers, "_SMALL", 0)
    monkeypatch.setattr(step_drivers, "CoresetDriver", StubbornCoresetDriver)
    monkeypatch.setattr(cvm_drivers, "CvmCoresetDriver", StubbornCvmCoresetDriver)
    solution = solve(
        problem, method, selection="sampled_libcvm", sample_size=7, init="random_meb", random_state=4, eps=1e-4,
        column_dtype="float64", trace=True, callback=check, cache_mb=cache_mb, inner_tolerance=1e-2,
        max_iterations=1500 if method == "cvm" else 250,
    )  # fmt: skip
    if method in ("fw", "cvm"):
        assert max(sizes) > 64  # the room at first
    if method in ("mfw", "swap", "swap2o", "pfw"):
        assert solution.drop_steps >= 5
        assert any(len(after) < len(before) for before, after in pairwise(changes))


@pytest.mark.parametrize("method", ["mfw", "swap", "swap2o", "pfw"])
def test_points_of_unequal_norm_keep_their_diagonal_when_they_change_places(monkeypatch, method):
    X, y = two_classes(1, 150, noise=0.02)
    problem = dual_problem(X, y, KERNELS["linear"], 1.0)

    def check(driver):
        n = driver.size
        np.testing.assert_allclose(driver.state.diagonal[:n], problem.diagonal[driver.ids[:n]])

    monkeypatch.setattr(cvm_drivers, "_SMALL", 0)
    monkeypatch.setattr(step_drivers, "CoresetDriver", StubbornCoresetDriver)
    solution = solve(
        problem, method, selection="sampled_libcvm", sample_size=7, init="random_meb", random_state=4, eps=1e-4,
        column_dtype="float64", trace=True, callback=check, max_iterations=250,
    )  # fmt: skip
    assert solution.drop_steps >= 3


@pytest.mark.parametrize("method", ["fw", "mfw"])
def test_a_step_of_length_one_forgets_all_other_points(monkeypatch, method):
    """The point nearest to the origin is the solution, and every other point has a larger score there."""
    X, drivers = np.random.default_rng(0).normal((10.0, 0.0), 0.3, size=(300, 2)), []
    X[17] = (1.0, 0.0)

    class KeptDriver(StubbornCoresetDriver):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            drivers.append(self)

    monkeypatch.setattr(step_drivers, "CoresetDriver", KeptDriver)
    solution = solve(
        dual_problem(X, np.ones(300), KERNELS["linear"], 0.5), method, selection="sampled_text", sample_size=5,
        patience=300, random_state=3, eps=1e-2, trace=True,
    )  # fmt: skip
    (driver,) = drivers
    assert max(solution.trace.active_size) > 3 and solution.trace.active_size[-1] == driver.size == 1
    assert solution.support.tolist() == driver.ids[:1].tolist() == np.flatnonzero(driver.local == 0).tolist() == [17]
    assert np.count_nonzero(driver.local >= 0) == 1


def test_a_stored_point_is_not_active():
    state = new_state(3)
    store_point(state, 0, 1.0, 2.0)
    activate(state, 0)
    store_point(state, 1, 5.0, 2.0)
    find_extremes(state, 2)
    assert state.penalty[1] == INACTIVE
    assert (state.count[0]["fw_vertex"], state.count[0]["away_vertex"]) == (0, 0)


def test_the_away_vertex_moves_to_the_place_of_a_forgotten_point():
    state = new_state(4)
    for place in range(3):
        store_point(state, place, 1.0 + place, 2.0)
        activate(state, place)
    deactivate(state, 0)
    find_extremes(state, 3)
    forget_point(state, 3, 0)
    assert (state.count[0]["away_vertex"], state.s[0], state.position[0]) == (0, 3.0, 0)


@pytest.mark.parametrize("method", STEP_METHODS)
def test_change_of_driver_keeps_model_and_counters(method):
    """Once a sample costs more than all scores would, training goes on with all of them."""
    X, y = two_classes(2, 200)
    kernel, C = KERNELS["rbf"], 10.0
    seen, before = [], {}

    def watch(driver):
        seen.append(type(driver).__name__)
        if seen[-1] == "CoresetDriver":
            before["objective"], before["weights"] = driver.objective, driver.weights()

    Q = dual_matrix(X, y, kernel, C)
    solution = solve(
        dual_problem(X, y, kernel, C), method, selection="sampled_text", init="farthest_pair", random_state=0,
        callback=watch, trace_iterates=True, eps=1e-3,
    )  # fmt: skip
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == {"CoresetDriver", "AllPointsDriver"}
    place = seen.index("AllPointsDriver")
    trace = solution.trace
    np.testing.assert_array_equal(trace.iterates[place][0], before["weights"][0])
    assert trace.iteration == list(range(solution.iterations + 1))
    assert np.diff(trace.objective).max() <= 1e-7
    assert solution.samples == solution.iterations + 1  # patience 1: every sample but the last gave a step
    for kind in ("away", "swap"):
        assert getattr(solution, f"{kind}_steps") == trace.step.count(kind)
    a = np.zeros(200)
    a[solution.support] = solution.weights
    assert solution.weights.min() > 0
    assert a.sum() == pytest.approx(1.0, abs=1e-12)
    assert solution.objective == pytest.approx(a @ Q @ a, rel=1e-10)
    assert solution.gap == pytest.approx(2 * (a @ Q @ a - (Q @ a).min()), rel=1e-9)


@pytest.mark.parametrize("method", ["mfw", "swap", "swap2o", "pfw"])
def test_change_of_driver_keeps_drop_steps_and_kernel_evaluations(method):
    X, y = two_classes(2, 300, d=2, noise=0.02)
    problem = dual_problem(X, y, KERNELS["rbf"], 10.0)
    last = {}

    def watch(driver):
        if type(driver).__name__ == "CoresetDriver":
            last["drops"], last["evaluations"] = driver.count.drop_steps, driver.evaluations

    before = problem.evaluations
    solution = solve(
        problem, method, selection="sampled_text", sample_size=20, patience=5, init="random_meb", random_state=1,
        callback=watch, trace_iterates=True, eps=1e-4,
    )  # fmt: skip
    support = [set(indices) for indices, _ in solution.trace.iterates]
    steps = zip(pairwise(support), solution.trace.step[1:], strict=True)
    assert solution.drop_steps > last["drops"] > 0
    assert problem.evaluations > before  # the columns of the driver of all points
    assert solution.drop_steps == sum(bool(one - other) for (one, other), step in steps if step != "toward")
    assert solution.kernel_evaluations == problem.evaluations - before + last["evaluations"]


@pytest.mark.parametrize("patience", [1, 4])
@pytest.mark.parametrize("method", METHODS)
def test_patience_counts_the_samples_without_a_violation(method, patience):
    """From the solved start on 15 points there is nothing to do: `patience` samples (CVM: at each of its stages)."""
    X, y = two_classes(0, 15)
    problem = dual_problem(X, y, KERNELS["rbf"], 1.0)
    solution = solve(problem, method, selection="sampled_text", patience=patience, eps=1e-3, random_state=0)
    stages = 1
    if method == "cvm":
        stage = 0.1
        while stage > 1e-3:
            stage, stages = max(stage / 2, 1e-3), stages + 1
    assert (solution.stop_reason, solution.iterations) == ("no_violation_in_samples", 0)
    assert solution.samples == patience * stages


@pytest.mark.parametrize("method", STEP_METHODS)
def test_patience_one_ends_at_the_first_sample_without_a_violation(method):
    X, y = two_classes(7, 100)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    settings = dict(selection="sampled_text", sample_size=5, eps=1e-2, init="farthest_pair", random_state=1)
    impatient = solve(problem, method, patience=1, **settings)
    patient = solve(problem, method, patience=40, **settings)
    assert impatient.samples == impatient.iterations + 1
    assert patient.samples >= patient.iterations + 40
    assert patient.iterations > impatient.iterations
    assert patient.objective < impatient.objective
    assert patient.gap < impatient.gap


@pytest.mark.parametrize("method", STEP_METHODS)
def test_sampled_runs_on_an_explicit_matrix_are_those_on_the_kernel(monkeypatch, method):
    X, y = two_classes(9, 60)
    Q = dual_matrix(X, y, KERNELS["linear"], 2.0)
    settings = dict(selection="sampled_libcvm", sample_size=6, eps=1e-2)
    one, _ = run_with(monkeypatch, AllPointsDriver, dual_problem(X, y, KERNELS["linear"], 2.0), method, **settings)
    other, _ = run_with(monkeypatch, AllPointsDriver, MatrixProblem(Q, labels=y), method, **settings)
    assert one.samples == other.samples
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-6)


def test_kernel_evaluations_of_a_sampled_run_are_counted():
    """FW needs the samples against the active points, and the start its columns; nothing else."""
    X, y = two_classes(3, 300)
    solution = solve(
        dual_problem(X, y, KERNELS["rbf"], 10.0), "fw", selection="sampled_text", sample_size=5, patience=1,
        init="closest_opposite_pair", random_state=0, eps=1e-2, trace=True,
    )  # fmt: skip
    start = 300 * min(np.count_nonzero(y > 0), np.count_nonzero(y < 0))
    assert solution.iterations > 3
    assert solution.kernel_evaluations == start + 5 * sum(solution.trace.active_size)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("preset", ["sampled_text", "sampled_libcvm"])
def test_one_class_only(method, preset):
    """The one-class machine samples from its only class."""
    from fwsvm import KernelMatrix, KernelProblem

    X, _ = two_classes(3, 100)
    problem = KernelProblem(KernelMatrix(X, KERNELS["rbf"]), np.ones(100), C=2.0, offset=0.0)
    solution = solve(problem, method, selection=preset, eps=1e-4, random_state=0, max_iterations=3000)
    best, _ = optimum(dual_matrix(X, np.ones(100), KERNELS["rbf"], 2.0) - 1.0)
    assert solution.gap >= solution.objective - best >= -1e-10


@pytest.mark.parametrize("seed", range(4))
def test_an_eligible_member_that_violates_tightens_the_inner_problem_and_never_joins_twice(monkeypatch, seed):
    m = 12
    X, y = two_classes(5, m)
    problem = dual_problem(X, y, KERNELS["rbf"], 50.0)
    selection = Selection("sampled", True, 6, 60, replacement=True, reject_members=False)
    options = dict(selection=selection, eps=1e-9, inner_tolerance=0.5, random_state=seed, max_iterations=20_000)
    solution, _ = run_with(monkeypatch, StubbornCvmCoresetDriver, problem, "cvm", **options)
    assert solution.coreset_size <= m and solution.stop_reason == "no_violation_in_samples"
    assert solution.objective == pytest.approx(optimum(dual_matrix(X, y, KERNELS["rbf"], 50.0))[0], rel=1e-6)
