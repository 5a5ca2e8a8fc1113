"""On real data the methods agree with each other to their certificates. Needs FWSVM_MIRROR."""

import numpy as np
import pytest
from qp_oracles import kernel_values
from sklearn.datasets import load_svmlight_file

from fwsvm import FrankWolfeSVC, Kernel, KernelMatrix, KernelProblem, average_squared_distance, solve

SETS = {"a1a": (123, 1.0), "w1a": (300, 64.0)}


@pytest.fixture(scope="module", params=SETS)
def problem(request, mirror):
    """(problem, X, y, kernel, C) of a set, with frandi2013's width."""
    n_features, C = SETS[request.param]
    path = mirror / "libsvm" / "binary" / request.param
    if not path.exists():
        pytest.skip(f"{path} is not in the mirror")
    X, y = load_svmlight_file(str(path), n_features=n_features, zero_based=False)
    kernel = Kernel("rbf", 0.5 / average_squared_distance(X))
    return KernelProblem(KernelMatrix(X, kernel), y, C), X, y, kernel, C


@pytest.mark.slow
def test_methods_agree_to_the_certified_gap(problem):
    problem, X, y, kernel, C = problem
    Q = np.outer(y, y) * (kernel_values(kernel, X) + 1.0) + np.eye(len(y)) / C
    solutions = {}
    for method in ("swap", "swap2o", "mfw", "pfw", "cvm"):
        solution = solve(problem, method, stop="relative", eps=1e-4, random_state=0)
        assert solution.stop_reason == "converged"
        a = np.zeros(len(y))
        a[solution.support] = solution.weights
        s = Q @ a
        assert solution.objective == pytest.approx(a @ s, rel=1e-9)
        assert solution.gap == pytest.approx(2.0 * (a @ s - s.min()), rel=1e-5)
        assert solution.gap <= 1e-4 * solution.objective
        solutions[method] = solution
    lower_bound = max(solution.objective - solution.gap for solution in solutions.values())
    for one in solutions.values():
        assert one.objective >= lower_bound
        for other in solutions.values():
            assert abs(one.objective - other.objective) <= max(one.gap, other.gap)


@pytest.mark.slow
def test_sampled_runs_end_where_they_say(problem):
    """Sampled selection stops early and by chance; its certificate tells how early."""
    problem, *_ = problem
    reference = solve(problem, "swap", stop="relative", eps=1e-3, random_state=0)
    for method in ("fw", "swap", "cvm"):
        settings = dict(selection="sampled_text", max_iterations=3000, random_state=0)
        text, patient = (solve(problem, method, patience=patience, **settings) for patience in (1, 30))
        for solution in (text, patient):
            assert solution.gap >= solution.objective - reference.objective
            assert solution.objective >= reference.objective - reference.gap
            assert solution.stop_reason in ("no_violation_in_samples", "iteration_limit")
        if method != "cvm":  # which is as patient at its looser stages
            assert patient.objective <= text.objective  # the same samples, and more of them


def test_estimator_on_a_real_set(problem):
    _, X, y, kernel, C = problem
    model = FrankWolfeSVC(C=C, random_state=0, eps=1e-4).fit(X, y)
    assert model.gamma_ == kernel.gamma
    by_hand = kernel_values(kernel, X, model.support_vectors_) @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), by_hand, atol=1e-10)
    assert model.score(X, y) > 0.84
