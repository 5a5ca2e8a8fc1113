"""Time limits hold in every part of a run, by a clock that the tests advance; runs without a certificate."""

import numpy as np
import pytest
from clocks import costly
from qp_oracles import KERNELS, METHODS, dual_problem, two_classes
from sklearn.exceptions import ConvergenceWarning

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, minimum_enclosing_ball, solve
from fwsvm.problems.column_cache import ColumnCache
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers import drivers
from fwsvm.solvers import solve as solve_module
from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods.cvm import CvmDriver


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
    monkeypatch.setattr(drivers, "_UPDATES_AT_ONCE", 1, raising=False)
    columns = costly(monkeypatch, clock, ColumnCache, "load", lambda *_: 1)
    problem = dual_problem(X, y, KERNELS["rbf"], 1e4)
    settings = {"selection": "sampled_libcvm", "init": 0, "random_state": 0, "eps": 1e-8}
    solution = solve(problem, "fw", time_limit=5.0, **settings)
    assert sum(columns) == 5  # of more than fifty
    assert solution.stop_reason == "time_limit"
    assert len(solution.support) > 50 and solution.weights.sum() == pytest.approx(1.0)
    assert solution.objective == pytest.approx(
        solution.weights @ problem.submatrix(solution.support) @ solution.weights
    )


@pytest.mark.parametrize("method", ["swap", "cvm"])
def test_steps_that_take_long_are_looked_at_often(clock, monkeypatch, method):
    X, y = two_classes(0, 500, d=3)
    kind = CvmDriver if method == "cvm" else AllPointsDriver
    run = kind.run

    def slow(driver, limit):
        made = driver.count.iterations
        reason = run(driver, limit)
        clock.seconds += 0.05 * (driver.count.iterations - made)
        return reason

    problem = dual_problem(X, y, KERNELS["rbf"], 1e4)
    settings = {"stop": "relative", "eps": 1e-9, "random_state": 0}
    free = solve(problem, method, max_iterations=400, **settings)
    assert free.stop_reason == "iteration_limit"  # as without looks at the clock between
    monkeypatch.setattr(kind, "run", slow)
    solution = solve(problem, method, time_limit=2.0, **settings)
    assert solution.stop_reason == "time_limit"
    assert solution.iterations <= 44


def test_no_further_round_after_the_time(clock, monkeypatch):
    X, y = two_classes(0, 100, d=3)
    monkeypatch.setattr(solve_module._Run, "_meets_rule", lambda *_: False)
    rounds = costly(monkeypatch, clock, solve_module._Run, "_resume", lambda *_: 0.0)
    costly(monkeypatch, clock, AllPointsDriver, "run", lambda *_: 10.0)
    solution = solve(dual_problem(X, y, KERNELS["rbf"], 1.0), time_limit=5.0, max_iterations=10**6, random_state=0)
    assert not rounds
    assert solution.stop_reason == "time_limit"


def test_the_limit_holds_on_a_real_clock():
    X, y = two_classes(0, 100_000, d=4)
    model = FrankWolfeSVC(
        "cvm", C=1e3, selection="sampled_libcvm", eps=1e-9, time_limit=0.2, certify=False, random_state=0
    )
    with pytest.warns(ConvergenceWarning, match="a gap that is not certified"):
        model.fit(X, y)
    assert model.fit_cpu_s_ < 10
    assert model.stop_reason_ == "time_limit"


@pytest.mark.parametrize("selection", ["full", "sampled_text"])
@pytest.mark.parametrize("method", METHODS)
def test_without_a_certificate_no_score_is_recomputed(method, selection, monkeypatch):
    X, y = two_classes(0, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    settings = {"selection": selection, "random_state": 0, "stop": "relative", "eps": 1e-2 if method == "fw" else 1e-4}
    certified = solve(problem, method, column_dtype="float64", **settings)
    monkeypatch.setattr(KernelProblem, "scores", None)
    plain = solve(problem, method, certify=False, **settings)
    assert plain.certify_cpu_s == 0 and np.isnan(plain.gap) and np.isnan(plain.relative_gap)
    assert plain.column_dtype == "float64"  # float32 columns cannot show every relative gap, and nobody would notice
    assert plain.stop_reason == certified.stop_reason
    assert plain.objective == pytest.approx(certified.objective, rel=2 * settings["eps"])


def test_a_rule_that_float32_columns_cannot_show_is_not_called_converged():
    X, y = two_classes(0, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 1e3)
    settings = {"stop": "relative", "eps": 1e-9, "column_dtype": "float32", "random_state": 0}
    assert solve(problem, "swap2o", certify=False, **settings).stop_reason == "precision_limit"


def test_estimators_without_a_certificate():
    X, y = two_classes(0, 90)
    model = FrankWolfeSVC(certify=False, random_state=0).fit(X, np.arange(90) % 3)
    assert np.isnan([model.gap_, model.relative_gap_]).all() and model.certify_cpu_s_ == 0
    np.testing.assert_array_equal(
        FrankWolfeSVC(certify=False, random_state=0).fit(X, y).predict(X),
        FrankWolfeSVC(random_state=0).fit(X, y).predict(X),
    )
    assert np.isnan(FrankWolfeOneClass(certify=False, random_state=0).fit(X).gap_)
    with pytest.raises(ValueError, match="certify must be True or False"):
        FrankWolfeSVC(certify="no").fit(X, y)
    with pytest.raises(ValueError, match="comes from the certificate"):
        minimum_enclosing_ball(X, certify=False)
