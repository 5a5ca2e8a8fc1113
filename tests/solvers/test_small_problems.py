"""Small problems in `method="auto"`: the same certified optimum, from the whole matrix in
memory.
"""

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, check_solution, dual_matrix, dual_problem, optimum, two_classes

from fwsvm import KernelMatrix, KernelProblem, MatrixProblem, solve
from fwsvm.problems.column_cache import SharedColumns
from fwsvm.solvers import small_driver
from fwsvm.solvers.small_driver import SmallDriver


@pytest.fixture
def fits(monkeypatch):
    """Sizes of the problems that had their whole matrix in memory."""
    found, begin = [], SmallDriver.__init__

    def noted(self, start, then):
        begin(self, start, then)
        found.append(len(self.Q))

    monkeypatch.setattr(SmallDriver, "__init__", noted)
    return found


def train(problem, **given):
    return solve(problem, "auto", **{"stop": "relative", "eps": 1e-6, "random_state": 0} | given)


@parametrize_pairwise(kernel=list(KERNELS), storage=["dense", "csr"], C=[0.1, 2.0, 1e4])
def test_the_optimum_is_that_of_nnls(kernel, storage, C, fits):
    X, y = two_classes(1, 80, storage=storage, noise=0.1)
    for weights in (None, np.random.default_rng(0).uniform(0.2, 5.0, len(y))):
        shift = 1.0 / (C * (np.ones(80) if weights is None else weights))
        Q = dual_matrix(X, y, KERNELS[kernel], np.inf) + np.diag(shift)
        best, _ = optimum(Q)
        found = train(KernelProblem(KernelMatrix(X, KERNELS[kernel]), y, C, weights=weights))
        assert found.stop_reason == "converged" and found.objective - best <= 1e-6 * best
        assert found.gap <= 1e-6 * found.objective
        check_solution(found, Q, best)
    assert fits == [80, 80]


def test_another_driver_goes_on_after_many_steps(fits, monkeypatch):
    monkeypatch.setattr(small_driver, "_MANY_STEPS", 1)
    X, y = two_classes(2, 100, noise=0.2)
    found = train(dual_problem(X, y, KERNELS["rbf"], 1e4), eps=1e-9)
    best, _ = optimum(dual_matrix(X, y, KERNELS["rbf"], 1e4))
    assert fits == [100] and found.iterations > 100 and found.stop_reason == "converged"
    assert found.objective - best <= 1e-9 * best


@pytest.mark.parametrize("steps", [1, 7, 30])
def test_limits_leave_a_certified_model(steps, fits):
    X, y = two_classes(1, 120)
    problem = dual_problem(X, y, KERNELS["rbf"], 1000.0)
    Q = dual_matrix(X, y, KERNELS["rbf"], 1000.0)
    found = train(problem, max_iterations=steps)
    assert (found.stop_reason, found.iterations) == ("iteration_limit", steps)
    check_solution(found, Q)
    for reason, limit in {
        "time_limit": {"time_limit": 1e-9},
        "interrupted": {"callback": lambda _: True},
    }.items():
        found = train(problem, eps=1e-12, trace=True, **limit)
        assert found.stop_reason == reason
        check_solution(found, Q)
    assert len(fits) == 3


def test_a_trace_has_the_objective_and_the_gap_of_its_weights(fits):
    X, y = two_classes(3, 90, noise=0.1)
    Q = dual_matrix(X, y, KERNELS["rbf"], 10.0)
    trace = train(
        dual_problem(X, y, KERNELS["rbf"], 10.0), trace=True, trace_every=3, trace_iterates=True
    ).trace
    assert fits and len(trace.iteration) > 10
    for (indices, weights), objective, gap in zip(
        trace.iterates, trace.objective, trace.gap, strict=True
    ):
        s = Q[:, indices] @ weights
        assert objective == pytest.approx(weights @ s[indices], rel=1e-12)
        assert gap == pytest.approx(2.0 * (weights @ s[indices] - s.min()), rel=1e-9, abs=1e-12)


def test_where_the_whole_matrix_is_not_used(fits):
    X, y = two_classes(1, 60)
    # dot products of far points are not precise enough
    far = np.where(np.arange(60)[:, None] < 3, 1e9, 0.0) + X
    train(dual_problem(far, y, KERNELS["rbf"], 10.0))
    problem = dual_problem(X, y, KERNELS["rbf"], 10.0)
    train(problem, columns=SharedColumns(keeps=True))
    train(problem, column_dtype="float32")
    train(problem, init=3)
    train(problem, certify=False)
    train(problem, selection="sampled_text", stop="meb")
    train(MatrixProblem(dual_matrix(X, y, KERNELS["rbf"], 10.0)))
    solve(problem, "swap2o", random_state=0)
    assert not fits
