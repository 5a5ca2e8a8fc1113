"""Test working sets in `method="auto"`: the certified optimum does not depend on the points in a
working set.
"""

import itertools

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, check_solution, dual_matrix, dual_problem, optimum, two_classes
from scipy import sparse

import fwsvm
from fwsvm import KernelMatrix, KernelProblem, MatrixProblem, solve
from fwsvm.estimators.machine import fit_c_path
from fwsvm.kernels import row_cache
from fwsvm.kernels.row_cache import RowCache
from fwsvm.machine_code.threads import Workers
from fwsvm.problems.column_cache import SharedColumns
from fwsvm.solvers import automatic, low_rank, working_sets
from fwsvm.solvers import solve as solve_module
from fwsvm.solvers.working_sets import WorkingSetDriver


@pytest.fixture(autouse=True)
def small_sets(monkeypatch):
    monkeypatch.setattr(working_sets, "SET_SIZE", 40)
    for name, value in {"MEDIUM": 50, "SET_SIZE": 5, "_ILL": np.inf}.items():
        monkeypatch.setattr(automatic, name, value)
    # no low-rank approximation counts as precise, so working sets follow
    monkeypatch.setattr(low_rank.LowRank, "_rank_for", lambda self, R: np.inf)


@pytest.fixture(params=["guess", "subsets", "all"])
def subsets(request, monkeypatch):
    """Let training begin with guessed SVs or with random points.

    It then continues with subsets of any size, or with all points.
    """
    if request.param == "guess":
        monkeypatch.setattr(low_rank, "_BLOCK", 5)
    monkeypatch.setattr(working_sets, "_SPACE", 1e9 if request.param == "all" else 1.05)


@pytest.fixture
def sizes(monkeypatch):
    """Return a list of numbers of points. Whenever training changes the points with which it
    continues, their number is added.
    """
    found, keep = [], WorkingSetDriver._keep

    def noted(self, kept, a, s, exact=True):
        assert np.all(np.diff(kept) > 0) and np.all(np.isin(np.flatnonzero(a), kept))
        keep(self, kept, a, s, exact)
        found.append(len(kept))

    monkeypatch.setattr(WorkingSetDriver, "_keep", noted)
    return found


def train(problem, **given):
    return solve(problem, "auto", **{"stop": "relative", "eps": 1e-6, "random_state": 0} | given)


@parametrize_pairwise(kernel=list(KERNELS), storage=["dense", "csr"], C=[2.0, 50.0])
def test_the_optimum_is_that_of_nnls(kernel, storage, C, subsets, sizes):
    X, y = two_classes(1, 300, storage=storage, noise=0.1)
    for weights in (None, np.random.default_rng(0).uniform(0.2, 5.0, len(y))):
        shift = 1.0 / (C * (np.ones(300) if weights is None else weights))
        Q = dual_matrix(X, y, KERNELS[kernel], np.inf) + np.diag(shift)
        best, _ = optimum(Q)
        found = train(KernelProblem(KernelMatrix(X, KERNELS[kernel]), y, C, weights=weights))
        assert (found.stop_reason, found.method) == ("converged", "swap2o") and len(sizes) > 1
        assert found.objective - best <= 1e-6 * best
        check_solution(found, Q, best)


@pytest.mark.parametrize(("eps", "dtype"), [(1e-5, "auto"), (1e-9, "auto"), (1e-9, "float64")])
def test_small_gaps(eps, dtype, subsets):
    X, y = two_classes(1, 300, noise=0.1)
    problem = dual_problem(X, y, KERNELS["rbf"], 1000.0)
    Q = dual_matrix(X, y, KERNELS["rbf"], 1000.0)
    found = train(problem, eps=eps, column_dtype=dtype)
    check_solution(found, Q)
    assert found.stop_reason == "converged" and found.gap <= eps * found.objective


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_model_does_not_depend_on_looks_at_the_clock_or_threads(threads, subsets, monkeypatch):
    X, y = two_classes(12, 300, noise=0.1)
    found = set()
    for first, seconds, more in (
        (1, 0.0, {}),
        (1000, 1e9, {}),
        (17, 1e9, {"threads": threads}),
        (64, 1e9, {"trace": True, "trace_every": 13}),
    ):
        monkeypatch.setattr(solve_module, "VALUES_BETWEEN_CHECKS", 32 * 300 * first)
        monkeypatch.setattr(solve_module, "SECONDS_BETWEEN_CHECKS", seconds)
        solution = train(dual_problem(X, y, KERNELS["rbf"], 1000.0), **more)
        found.add((solution.support.tobytes(), solution.weights.tobytes(), solution.iterations))
    assert len(found) == 1


def test_a_trace_has_the_objective_and_the_gap_of_its_weights(monkeypatch):
    X, y = two_classes(12, 300, noise=0.1)
    Q = dual_matrix(X, y, KERNELS["rbf"], 100.0)
    # the guess says that all points are support vectors, so all points are used from the start
    guess = low_rank.Guess(np.arange(300), np.full(300, 1.0 / 300), None)
    monkeypatch.setattr(WorkingSetDriver, "_guess", lambda self, a: guess)
    trace = train(
        dual_problem(X, y, KERNELS["rbf"], 100.0), trace=True, trace_every=7, trace_iterates=True
    ).trace
    assert len(trace.iteration) > 20
    for (indices, weights), objective, gap in zip(
        trace.iterates, trace.objective, trace.gap, strict=True
    ):
        s = Q[:, indices] @ weights
        assert objective == pytest.approx(weights @ s[indices], rel=1e-4)
        assert gap == pytest.approx(2.0 * (weights @ s[indices] - s.min()), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("steps", [1, 30, 500])
def test_limits_and_interruptions_leave_a_certified_model(steps, subsets):
    X, y = two_classes(1, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 1000.0)
    Q = dual_matrix(X, y, KERNELS["rbf"], 1000.0)
    found = train(problem, max_iterations=steps)
    assert (found.stop_reason, found.iterations) == ("iteration_limit", steps)
    check_solution(found, Q)
    for reason, limit in {
        "time_limit": {"time_limit": 1e-9},
        "interrupted": {"callback": lambda _: True},
    }.items():
        found = train(problem, **limit)
        assert found.stop_reason == reason
        check_solution(found, Q)


def test_points_left_out_wrongly_come_back(monkeypatch, sizes):
    X, y = two_classes(3, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 100.0)
    best, _ = optimum(dual_matrix(X, y, KERNELS["rbf"], 100.0))
    for name, value in {"SET_SIZE": 10, "_SPACE": 1.0}.items():
        monkeypatch.setattr(working_sets, name, value)
    found = train(problem)
    assert found.stop_reason == "converged" and found.objective - best <= 1e-6 * best


def test_problems_that_have_no_working_sets(sizes):
    X, y = two_classes(1, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 100.0)
    # columns that are shared with fits for other values of C are over all points
    train(problem, columns=SharedColumns())
    train(problem, selection="sampled_text", stop="meb")
    train(MatrixProblem(dual_matrix(X, y, KERNELS["rbf"], 100.0)))
    solve(problem, "swap2o", random_state=0)
    fit_c_path(fwsvm.FrankWolfeSVC("auto", random_state=0), X, y, [1.0, 100.0])
    assert not sizes


def test_without_a_certificate_the_gap_is_that_of_all_points():
    X, y = two_classes(1, 300)
    found = train(dual_problem(X, y, KERNELS["rbf"], 100.0), certify=False, eps=1e-4)
    s = dual_matrix(X, y, KERNELS["rbf"], 100.0)[:, found.support] @ found.weights
    assert 2.0 * (found.objective - s.min()) <= 2e-4 * found.objective and np.isnan(found.gap)


@pytest.mark.parametrize("room_mb", [1e3, 0.02])
@pytest.mark.parametrize(
    ("storage", "dtype"), [("dense", np.float32), ("csr", np.float32), ("dense", np.float64)]
)
def test_rows_are_those_of_the_matrix(storage, dtype, room_mb):
    X, y = two_classes(2, 200, storage=storage)
    problem, rng = dual_problem(X, y, KERNELS["rbf"], 10.0), np.random.default_rng(0)
    kept = np.sort(rng.permutation(200)[:150])
    Q = (dual_matrix(X, y, KERNELS["rbf"], 10.0) - np.eye(200) / 10.0)[np.ix_(kept, kept)]
    rows = RowCache(problem, kept, dtype, room_mb, Workers(2))
    for _ in range(20):
        places = np.sort(rng.permutation(150)[:30])
        weights, total = rng.normal(size=len(places)), np.zeros(150)
        square = rows.square(places, np.ones(len(places)))
        np.testing.assert_allclose(
            square, Q[np.ix_(places, places)] + np.eye(len(places)), atol=2e-5
        )
        rows.add_to(total, places, weights)
        np.testing.assert_allclose(total, Q[:, places] @ weights, atol=1e-4)
        # if no weight has changed, nothing is added
        unchanged = total.copy()
        rows.add_to(total, places[:0], weights[:0])
        np.testing.assert_array_equal(total, unchanged)


@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_copies_of_points_with_many_features_are_small(storage, monkeypatch):
    """64 points with 20,000 features take 10 MB in float64."""
    X = sparse.random(300, 20_000, 0.01, "csr", random_state=0)
    X = X if storage == "csr" else X.toarray()
    y, copied, against = np.where(np.arange(300) % 2, 1.0, -1.0), [], KernelMatrix.against

    def noted(self, columns, dtype):
        copied.append(len(columns))
        return against(self, columns, dtype)

    monkeypatch.setattr(KernelMatrix, "against", noted)
    problem = dual_problem(X, y, KERNELS["rbf"], 10.0)
    rows = RowCache(problem, np.arange(300), np.float32, 1.0, Workers(1))
    rows.square(np.arange(200), np.ones(200))
    rows.add_to(np.zeros(300), np.arange(250), np.ones(250))
    assert copied and max(copied) <= 64


@pytest.mark.parametrize("looks", [1, 5, 40, 200])
def test_a_limit_at_any_time_leaves_numbers_of_the_returned_weights(looks, monkeypatch):
    """The time limit is reached when the clock is read for the `looks`-th time. This can be within
    an update of the gradient. A trace reads the clock more often.
    """
    X, y = two_classes(1, 300, noise=0.1)
    Q, seconds = dual_matrix(X, y, KERNELS["rbf"], 100.0), itertools.count()
    monkeypatch.setattr(solve_module._Clock, "cpu_s", lambda *_: float(next(seconds)))
    monkeypatch.setattr(row_cache, "_TILE_POINTS", 16)
    problem = dual_problem(X, y, KERNELS["rbf"], 100.0)
    found = train(problem, certify=False, cache_mb=0.2, time_limit=looks, trace=True, trace_every=5)
    s = Q[:, found.support] @ found.weights
    assert found.objective == pytest.approx(found.weights @ s[found.support], rel=1e-4)
