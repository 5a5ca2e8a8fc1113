"""The iterates are those of the step table in plain numpy, and the printed away-step radius is shown to be wrong."""

from itertools import pairwise

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, STEP_METHODS, dual_matrix, dual_problem, two_classes
from reference_methods import Recorded, follow, follow_cvm

from fwsvm import MatrixProblem, solve

N_STEPS = 300


def traced(problem, method, **settings):
    """A run with its iterates, in float64 columns."""
    settings = {"max_iterations": N_STEPS, **settings}
    return solve(problem, method, trace_iterates=True, column_dtype="float64", **settings)


def assert_counted(solution):
    """Counters and active sizes follow from the iterates."""
    trace = solution.trace
    support = [set(indices) for indices, _ in trace.iterates]
    dropped = [bool(before - after) for before, after in pairwise(support)]
    assert solution.away_steps == trace.step.count("away")
    assert solution.swap_steps == trace.step.count("swap")
    assert solution.drop_steps == sum(
        drop for drop, step in zip(dropped, trace.step[1:], strict=True) if step != "toward"
    )
    assert trace.active_size == [len(indices) for indices in support]
    assert trace.iteration == list(range(solution.iterations + 1))


@parametrize_pairwise(method=STEP_METHODS, kernel=list(KERNELS), kind=["matrix", "dense", "csr"])
def test_steps_are_those_of_the_step_table(method, kernel, kind):
    m, C = 70, 20.0
    X, y = two_classes(1, m, storage="csr" if kind == "csr" else "dense")
    Q = dual_matrix(X, y, KERNELS[kernel], C)
    problem = MatrixProblem(Q) if kind == "matrix" else dual_problem(X, y, KERNELS[kernel], C)
    solution = traced(problem, method, init="farthest_pair", random_state=4)
    assert solution.iterations == N_STEPS
    assert follow(Q, Recorded(solution.trace, m), method, "meb", 1e-6) == ("iteration_limit", 0)
    assert_counted(solution)
    if method in ("mfw", "swap", "swap2o"):
        assert 3 < solution.trace.step.count("toward") < N_STEPS - 3


@pytest.mark.parametrize("method", ["mfw", "swap", "swap2o", "pfw"])
def test_drop_steps_end_exactly_at_zero(method):
    X, y = two_classes(1, 70, noise=0.02)
    Q = dual_matrix(X, y, KERNELS["rbf"], 20.0)
    solution = traced(MatrixProblem(Q), method, init="random_meb", random_state=4)
    assert solution.drop_steps >= 5
    follow(Q, Recorded(solution.trace, 70), method, "meb", 1e-6)
    assert_counted(solution)


@pytest.mark.parametrize("method", STEP_METHODS)
def test_steps_on_more_points_than_a_tile(method):
    """The fused passes work in tiles of 512 points: three here, the last one short, two of them with equal points."""
    X, y = two_classes(2, 400, d=3)
    X, y = np.vstack([X, X, X]), np.concatenate([y, y, y])
    Q = dual_matrix(X, y, KERNELS["rbf"], 1e6)
    solution = traced(MatrixProblem(Q), method, init="random_meb", random_state=0, max_iterations=60)
    assert follow(Q, Recorded(solution.trace, len(y)), method, "meb", 1e-6) == ("iteration_limit", 0)


@pytest.mark.parametrize("method", STEP_METHODS)
def test_steps_with_many_active_points(method):
    """Passes over the active set become passes over all points once more than a sixth of the points is active."""
    m = 1100
    rng = np.random.default_rng(0)
    F = rng.normal(size=(m, 5))
    Q = F @ F.T / 5 + np.diag(rng.uniform(50.0, 100.0, m))  # every point is in the support
    solution = traced(MatrixProblem(Q), method, init="farthest_pair", random_state=0, max_iterations=500)
    recorded = Recorded(solution.trace, m)
    assert follow(Q, recorded, method, "meb", 1e-6) == ("iteration_limit", 0)
    assert len(solution.support) > m // 6 + 100


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
    Q = dual_matrix(X, y, KERNELS[kernel], 3.0)
    problem = dual_problem(X, y, KERNELS[kernel], 3.0)
    solution = traced(
        problem, "cvm", init="farthest_pair", random_state=4, stop=stop, eps=eps, inner_tolerance=tolerance,
        max_iterations=10**6,
    )  # fmt: skip
    recorded = Recorded(solution.trace, m)
    reason, _, core = follow_cvm(Q, recorded, stop, eps, tolerance)
    assert (reason, recorded.left) == ("converged", 0) == (solution.stop_reason, 0)
    assert solution.coreset_size == core
    kept = np.flatnonzero(recorded.a > 1e-5 / core)  # LibCVM drops negligible weights at the end
    np.testing.assert_array_equal(solution.support, kept)
    np.testing.assert_allclose(solution.weights, recorded.a[kept] / recorded.a[kept].sum(), rtol=1e-12)


def test_printed_radius_of_the_away_step_drifts_and_ours_does_not():
    """frandi2013 Alg. 3 line 21 has a wrong sign: r2 <- (1+l) r2 - l (1+l) (d- - 1) r2 must add its second term."""
    m = 60
    X, y = two_classes(0, m)
    Q = dual_matrix(X, y, KERNELS["rbf"], 5.0)
    D = Q[0, 0]
    solution = traced(dual_problem(X, y, KERNELS["rbf"], 5.0), "mfw", init="random_meb", random_state=2)
    trace = solution.trace
    weights = np.zeros((len(trace.iterates), m))
    for a, (indices, values) in zip(weights, trace.iterates, strict=True):
        a[indices] = values
    assert trace.step.count("away") >= 5

    printed = mended = D - weights[0] @ Q @ weights[0]
    drift = []
    for step, length, before, after in zip(trace.step[1:], trace.step_size[1:], weights, weights[1:], strict=False):
        r2, s = D - before @ Q @ before, Q @ before
        if step == "away":
            j = np.flatnonzero(before)[s[np.flatnonzero(before)].argmax()]
            delta = 1.0 - (D - 2.0 * s[j] + D - r2) / r2  # Alg. 3 line 28
            printed = (1 + length) * printed - length * (1 + length) * (delta - 1) * printed
            mended = (1 + length) * mended + length * (1 + length) * (delta - 1) * mended
        else:
            delta = (D - 2.0 * s.min() + D - r2) / r2 - 1.0  # lines 16 and 27
            printed, mended = (r2 * (1.0 + delta**2 / (4.0 * (1.0 + delta))) for r2 in (printed, mended))
        drift.append((abs(printed - (D - after @ Q @ after)), abs(mended - (D - after @ Q @ after))))
    drift = np.array(drift)
    first_away = trace.step[1:].index("away")
    assert drift[first_away:, 0].min() > 1e-4  # from the first away step on the printed radius is wrong
    assert drift[-1, 0] > 0.01 * D
    assert drift[:, 1].max() < 1e-10
    ours = D - np.array(trace.objective)
    np.testing.assert_allclose(ours, [D - a @ Q @ a for a in weights], atol=1e-12)
