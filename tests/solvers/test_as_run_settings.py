"""Settings of the papers' own program: fixed inner tolerance, clipped gains, cooling, requested kernel values."""

import types

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, STEP_METHODS, dual_matrix, dual_problem, optimum, two_classes
from reference_methods import Recorded, follow, follow_cvm
from sampled_runs import StubbornCoresetDriver, StubbornCvmCoresetDriver, next_sample, run_with

from fwsvm import MatrixProblem, solve
from fwsvm.solvers import initialise
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods.cvm import CvmDriver
from fwsvm.solvers.settings import Selection
from fwsvm.solvers.step_drivers import CoresetDriver

UNIFORM = Selection("uniform", True, 9, 1, replacement=True, start_alternates=True)
ALTERNATING = Selection("alternating", True, 9, 1, alternate=True, replacement=True)
C = 2.0


def case(seed=3, m=90, noise=0.7):
    X, y = two_classes(seed, m, noise=noise)
    return dual_problem(X, y, KERNELS["rbf"], C), dual_matrix(X, y, KERNELS["rbf"], C), y


CVM_DRIVERS = [StubbornCvmCoresetDriver, CvmDriver]
STEP_DRIVERS = [StubbornCoresetDriver, AllPointsDriver]


@parametrize_pairwise(driver=CVM_DRIVERS, tolerance=[1e-2, 1e-7], most=[None, 3])
def test_cvm_with_a_fixed_inner_tolerance_takes_the_steps_of_its_definition(monkeypatch, driver, tolerance, most):
    problem, Q, y = case()
    solution, _ = run_with(
        monkeypatch, driver, problem, "cvm", selection=ALTERNATING, eps=1e-3, random_state=6,
        inner_tolerance=tolerance, inner_fixed=True, inner_steps=most,
    )  # fmt: skip
    recorded = Recorded(solution.trace, len(y))
    reason, looked, core = follow_cvm(
        Q, recorded, "meb", 1e-3, tolerance, next_sample(ALTERNATING, y, 6), fixed=True, most=most
    )
    assert (reason, recorded.left) == ("no_violation_in_samples", 0)
    assert (solution.stop_reason, solution.samples, solution.coreset_size) == (reason, looked, core)
    assert solution.requested_evaluations == recorded.requested > 0
    if most:
        assert solution.iterations <= most * (core - 2)


def test_a_cap_on_the_steps_of_a_qp_leaves_the_certified_run_exact():
    problem, Q, _ = case()
    solution = solve(
        problem, "cvm", eps=1e-9, inner_tolerance=1e-3, inner_fixed=True, inner_steps=2, random_state=0,
        column_dtype="float64",
    )  # fmt: skip
    assert solution.stop_reason == "converged"
    assert solution.objective == pytest.approx(optimum(Q)[0], rel=1e-6)


@pytest.mark.parametrize("method", ["swap", "swap2o"])
@pytest.mark.parametrize("driver", STEP_DRIVERS)
def test_clipped_gains_choose_the_step_that_decreases_more(monkeypatch, driver, method):
    """The reference compares what both steps really gain, from the definition of R."""
    problem, Q, y = case(seed=5)
    settings = dict(selection=UNIFORM, eps=1e-4, random_state=6, patience=3)
    solution, _ = run_with(monkeypatch, driver, problem, method, clipped_gain=True, **settings)
    recorded = Recorded(solution.trace, len(y))
    reason, looked = follow(Q, recorded, method, "meb", 1e-4, next_sample(UNIFORM, y, 6), patience=3, clipped=True)
    assert (reason, recorded.left, looked) == ("no_violation_in_samples", 0, solution.samples)
    assert solution.requested_evaluations == recorded.requested > 0


@pytest.mark.parametrize("method", ["swap", "swap2o"])
def test_clipped_gains_lead_elsewhere_than_the_printed_choice(method):
    problem, _, _ = case(seed=0)
    steps = [
        solve(problem, method, eps=1e-5, random_state=0, clipped_gain=clipped, trace=True).trace.step
        for clipped in (False, True)
    ]
    assert steps[0] != steps[1]


@pytest.mark.parametrize("method", STEP_METHODS)
@pytest.mark.parametrize("driver", STEP_DRIVERS)
def test_uniform_samples_with_replacement_have_the_active_points_in_them(monkeypatch, driver, method):
    problem, Q, y = case(m=60)
    solution, _ = run_with(monkeypatch, driver, problem, method, selection=UNIFORM, eps=1e-3)
    sample = next_sample(UNIFORM, y, 6)
    recorded = Recorded(solution.trace, len(y))
    assert follow(Q, recorded, method, "meb", 1e-3, sample) == ("no_violation_in_samples", solution.samples)
    assert solution.requested_evaluations == recorded.requested > 0
    drawn = next_sample(UNIFORM, y, 6)
    samples = [drawn() for _ in range(solution.samples)]
    assert any(len(set(one)) < len(one) for one in samples)
    assert any(np.isin(one, solution.support).any() for one in samples)


@pytest.mark.parametrize("eps", [1e-2, 0.2])
@pytest.mark.parametrize("driver", [*STEP_DRIVERS, CoresetDriver])
@pytest.mark.parametrize("method", STEP_METHODS)
def test_cooling_halves_the_eps_of_the_samples(monkeypatch, driver, method, eps):
    problem, Q, y = case()
    cooling = Selection("cooling", True, 9, 2, replacement=True, cooling=True)
    solution, _ = run_with(monkeypatch, driver, problem, method, selection=cooling, eps=eps)
    recorded = Recorded(solution.trace, len(y))
    stages = [0.1, 0.05, 0.025, 0.0125, 0.01] if eps < 0.1 else [eps]
    reason, looked = follow(Q, recorded, method, "meb", stages, next_sample(cooling, y, 6), patience=2)
    assert (reason, recorded.left, looked) == ("no_violation_in_samples", 0, solution.samples)
    assert solution.requested_evaluations == recorded.requested > 0


@pytest.mark.parametrize("method", ["fw", "swap"])
def test_full_selection_requests_whole_columns(method):
    problem, _, y = case()
    solution = solve(problem, method, eps=1e-3, random_state=0)
    assert solution.requested_evaluations == len(y) * (solution.iterations + solution.swap_steps)


def test_full_selection_on_a_matrix_computes_no_more_than_it_requests():
    _, Q, _ = case()
    solution = solve(MatrixProblem(Q), "mfw", eps=1e-3, random_state=0)
    assert solution.requested_evaluations == len(Q) * solution.iterations


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"inner_fixed": 1}, "inner_fixed must be True or False, got 1"),
        ({"clipped_gain": "yes"}, "clipped_gain must be True or False"),
        ({"inner_steps": 0}, "inner_steps must be an integer >= 1 or None, got 0"),
        ({"inner_steps": 2.5}, "inner_steps must be an integer >= 1 or None, got 2.5"),
        ({"selection": Selection("x", True, 5, 1, reject_members=True)}, "has no coreset whose points"),
        ({"method": "cvm", "selection": Selection("x", True, 5, 1, cooling=False)}, "'cvm' always starts at a larger"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        solve(MatrixProblem(np.eye(3)), **{"method": "fw", **settings})


def test_a_start_may_alternate_although_the_samples_do_not(monkeypatch):
    problem, _, y = case(m=300)
    shares = {}
    for alternates in (True, False):
        chosen = []
        monkeypatch.setattr(problem, "submatrix", lambda rows, chosen=chosen: chosen.append(rows) or np.eye(len(rows)))
        settings = types.SimpleNamespace(selection=Selection("s", True, 9, 1, start_alternates=alternates))
        initialise.random_meb(problem, settings, np.random.default_rng(1))
        shares[alternates] = np.count_nonzero(y[chosen[0]] > 0)
    assert shares[True] == 10 != shares[False]
