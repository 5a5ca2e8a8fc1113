"""Shrinking in `method="auto"`: the same certified optimum, whatever points are left out."""

import itertools

import numpy as np
import pytest
from qp_oracles import KERNELS, check_solution, dual_matrix, dual_problem, optimum, two_classes

import fwsvm
from fwsvm import KernelMatrix, KernelProblem, MatrixProblem, solve
from fwsvm.estimators.machine import fit_c_path
from fwsvm.problems.column_cache import SharedColumns, cached
from fwsvm.solvers import automatic, drivers, shrinking
from fwsvm.solvers import solve as solve_module
from fwsvm.solvers.shrinking import ShrinkingDriver


@pytest.fixture(autouse=True)
def small_sets_shrink(monkeypatch):
    small = {"_LEAST_POINTS": 40, "_FIRST_SHRINKING": 20, "_WORTH": 0.95, "_COPIED_FEATURES": 0}
    for name, value in small.items():
        monkeypatch.setattr(shrinking, name, value)
    monkeypatch.setattr(automatic, "_LEAST_SHARE", np.inf)  # SWAP-2o trains alone


@pytest.fixture(params=[False, True], ids=["shrinks", "blocks"])
def blocks(request, monkeypatch):
    """Train with blocks of points from the first time on that points are left out, or never."""
    monkeypatch.setattr(shrinking, "_MOST_BLOCK", 0.95)
    started, n_blocks, go_on = request.param, itertools.count(1), ShrinkingDriver._go_on_with_block

    def counted(self, a, s):
        assert next(n_blocks) <= 200  # otherwise a defect could make training endless
        go_on(self, a, s)

    monkeypatch.setattr(ShrinkingDriver, "_go_on_with_block", counted)
    monkeypatch.setattr(
        ShrinkingDriver,
        "_needs_block",
        lambda self: started and self.kept is None and self._block_size() > 0,
    )
    return started


@pytest.fixture
def sizes(monkeypatch):
    """Numbers of points that training goes on with, as it changes them."""
    found, go_on_with = [], ShrinkingDriver._go_on_with

    def noted(self, points, a, s, *cache):
        assert (
            np.all(np.diff(points) > 0)
            and len(points) == len(a) == len(s)
            and a.sum() == pytest.approx(1.0)
        )
        go_on_with(self, points, a, s, *cache)
        columns, problem = self.cache.arrays, self.whole.restricted_to(points)
        taken = cached(columns.slots)
        assert bool(cache) == (len(taken) > 0)
        for slot, i in enumerate(taken):  # columns from the old cache
            problem.fill_column(i, column := np.empty(len(points), self.dtype))
            np.testing.assert_allclose(columns.columns[slot], column, atol=1e-6)
        found.append(len(points))

    monkeypatch.setattr(ShrinkingDriver, "_go_on_with", noted)
    return found


def train(problem, **given):
    return solve(problem, "auto", **{"stop": "relative", "eps": 1e-6, "random_state": 0} | given)


@pytest.mark.parametrize("C", [2.0, 1000.0])
@pytest.mark.parametrize(("kernel", "storage"), list(itertools.product(KERNELS, ["dense", "csr"])))
def test_the_optimum_is_that_of_nnls(kernel, storage, C, blocks, sizes):
    if kernel == "poly":
        C = min(C, 100.0)  # it takes ten times as long with 1000
    X, y = two_classes(1, 300, storage=storage, noise=0.1)
    best, _ = optimum(dual_matrix(X, y, KERNELS[kernel], C))
    problem = dual_problem(X, y, KERNELS[kernel], C)
    found = train(problem)
    if C == 1000.0:  # few points carry weight
        assert min(sizes) < 200
    assert (found.stop_reason, found.method) == ("converged", "swap2o")
    assert found.objective - best <= 1e-6 * best
    check_solution(found, dual_matrix(X, y, KERNELS[kernel], C), best)


@pytest.mark.parametrize(("C", "trains_on_blocks"), [(1e5, True), (0.1, False)])
def test_blocks_are_for_problems_that_are_far_from_solved_after_many_steps(
    C, trains_on_blocks, monkeypatch
):
    # nothing is left out
    for name, value in {
        "_MOST_BLOCK": 0.95,
        "_LONG": 2,
        "_GAP_FOR_BLOCKS": 1.0,
        "_WORTH": 0.0,
    }.items():
        monkeypatch.setattr(shrinking, name, value)
    far, go_on = [], ShrinkingDriver._go_on_with_block

    def noted(self, a, s):
        if self.kept is None:
            far.append(
                (
                    self.real.gap_seen > self.objective,
                    self.count.iterations >= 2 * self.count.active_size,
                )
            )
        go_on(self, a, s)
        inactive = np.setdiff1d(np.arange(300), np.flatnonzero(a))
        left_out = np.setdiff1d(inactive, self.kept)
        assert s[left_out].min() >= s[np.setdiff1d(self.kept, np.flatnonzero(a))].max()

    monkeypatch.setattr(ShrinkingDriver, "_go_on_with_block", noted)
    X, y = two_classes(1, 300, noise=0.1)
    found = train(dual_problem(X, y, KERNELS["rbf"], C))
    assert set(far) == ({(True, True)} if trains_on_blocks else set())
    check_solution(found, dual_matrix(X, y, KERNELS["rbf"], C))


@pytest.mark.parametrize("first_steps", [40, 150, 1000])
def test_the_model_does_not_depend_on_looks_at_the_clock(first_steps, blocks, sizes, monkeypatch):
    X, y = two_classes(12, 300, noise=0.1)
    work = first_steps * 300 * (2.0 + X.shape[1] / 2.5)
    monkeypatch.setattr(automatic, "_FIRST_WORK", work)
    monkeypatch.setattr(automatic, "_LEAST_SHARE", 0.0)
    monkeypatch.setattr(automatic.Alternating, "_work_left", lambda *_: np.inf)
    found, methods = [], set()
    for first, seconds, more in (
        (1, 0.0, {}),
        (1000, 1e9, {}),
        (17, 1e9, {}),
        (64, 1e9, {"trace": True, "trace_every": 13}),
    ):
        monkeypatch.setattr(solve_module, "_FIRST_UPDATES", 300 * first)
        monkeypatch.setattr(solve_module, "_SECONDS_BETWEEN_CHECKS", seconds)
        sizes.clear()
        solution = train(dual_problem(X, y, KERNELS["rbf"], 1000.0), **more)
        found.append(
            (
                solution.support.tobytes(),
                solution.weights.tobytes(),
                solution.iterations,
                tuple(sizes),
            )
        )
        methods.add(solution.method)
    assert found[0][3] and len(set(found)) == 1
    assert methods == ({"swap2o"} if first_steps == 1000 and not blocks else {"fcfw"})


def test_points_left_out_wrongly_come_back(monkeypatch, sizes):
    X, y = two_classes(3, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 100.0)
    best, a = optimum(dual_matrix(X, y, KERNELS["rbf"], 100.0))
    monkeypatch.setattr(ShrinkingDriver, "_wanted", staticmethod(lambda a, s, labels: a > 0.0))
    monkeypatch.setattr(shrinking, "_FIRST_SHRINKING", 1)
    found = train(problem)
    # at the second failure of the certificate with all points
    assert sizes[0] < 200 and sizes[-1] == 300
    assert found.stop_reason == "converged" and found.objective - best <= 1e-6 * best
    assert set(np.argsort(-a)[:50]) <= set(found.support)


@pytest.mark.parametrize("weights", [None, "own"])
def test_each_point_keeps_its_diagonal_shift(weights, sizes):
    X, y = two_classes(5, 300)
    own = None if weights is None else np.random.default_rng(0).uniform(0.2, 3.0, 300)
    problem = KernelProblem(KernelMatrix(X, KERNELS["rbf"]), y, 300.0, weights=own)
    some = np.sort(np.random.default_rng(1).choice(300, 120, replace=False))
    part, counted = problem.restricted_to(some), problem.evaluations
    part.matrix.column(0, np.empty(120))
    # each counts its own kernel values
    assert (part.evaluations, problem.evaluations) == (120, counted)
    np.testing.assert_allclose(part.submatrix(np.arange(120)), problem.submatrix(some), rtol=1e-12)
    assert part.largest_diagonal == problem.largest_diagonal
    found = train(problem)
    same = solve(problem, "swap2o", stop="relative", eps=1e-6, random_state=0)
    assert sizes and found.objective == pytest.approx(same.objective, rel=2e-6)


def test_where_nothing_is_left_out(sizes, monkeypatch):
    X, y = two_classes(1, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 100.0)
    train(problem, columns=SharedColumns())  # columns of all points, for other values of C
    train(problem, certify=False)
    train(problem, selection="sampled_text", stop="meb")
    train(MatrixProblem(dual_matrix(X, y, KERNELS["rbf"], 100.0)))
    solve(problem, "swap2o", random_state=0)
    fit_c_path(fwsvm.FrankWolfeSVC("auto", random_state=0), X, y, [1.0, 100.0])
    monkeypatch.setattr(shrinking, "_MOST_COPIED", 0.0)
    train(problem)
    assert not sizes


@pytest.mark.parametrize("reason", ["iteration_limit", "interrupted"])
def test_a_run_that_ends_early_is_certified_over_all_points(blocks, sizes, reason):
    X, y = two_classes(1, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 1000.0)
    Q = dual_matrix(X, y, KERNELS["rbf"], 1000.0)
    if reason == "interrupted":
        found = train(problem, callback=lambda driver: driver.kept is not None)
    else:
        found = train(problem, max_iterations=train(problem).iterations // 2)
    assert found.stop_reason == reason and sizes
    check_solution(found, Q)


@pytest.mark.parametrize(
    ("most", "resolved", "eps", "dtype"),
    [(4, 2e-7, 1e-5, "float32"), (0, 2e-7, 1e-5, "float64"), (4, 1e-11, 1e-9, "float64")],
)
def test_exact_gradients_let_float32_columns_reach_small_gaps(
    most, resolved, eps, dtype, blocks, monkeypatch
):
    """In the last case float32 hides a part of the gap: its errors exceed 1e-11."""
    X, y = two_classes(1, 300, noise=0.1)
    problem = dual_problem(X, y, KERNELS["rbf"], 1000.0)
    Q = dual_matrix(X, y, KERNELS["rbf"], 1000.0)
    monkeypatch.setattr(shrinking, "_MOST_REFINED", most)
    monkeypatch.setattr(drivers, "FLOAT32_GAP", resolved)
    found = train(problem, eps=eps)
    check_solution(found, Q)
    assert found.gap <= eps * found.objective < resolved
    assert found.column_dtype == ("float32" if blocks and most else dtype)


def test_a_certificate_does_not_trust_columns_of_another_run():
    X, y = two_classes(0, 100)
    columns, problem = SharedColumns(), dual_problem(X, y, KERNELS["rbf"], 100.0)
    found = train(problem, columns=columns)
    y[np.setdiff1d(np.arange(100), found.support)[0]] *= -1.0  # a misuse: now the columns are wrong
    found = train(dual_problem(X, y, KERNELS["rbf"], 100.0), columns=columns)
    Q = dual_matrix(X, y, KERNELS["rbf"], 100.0)
    check_solution(found, Q)


@pytest.mark.parametrize("method", ["mfw", "swap2o"])
def test_an_updated_gradient_has_no_bound_after_away_steps_or_too_many_steps(method, monkeypatch):
    settings = ((solve_module, "_FIRST_UPDATES", 1), (solve_module, "_LARGEST_GROWTH", 1.0))
    seen = []
    for owner, name, value in (*settings, (drivers, "MOST_UPDATES", 40)):
        monkeypatch.setattr(owner, name, value)

    def note(driver):
        seen.append(
            (driver.count.away_steps > 0 or driver.count.iterations > 40, driver.gradient is None)
        )

    solve(
        dual_problem(*two_classes(0, 300), KERNELS["rbf"], 5.0),
        method,
        random_state=0,
        callback=note,
    )
    assert set(seen) == {(False, False), (True, True)}
