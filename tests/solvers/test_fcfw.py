"""Test FCFW. It reaches the optimum of non-negative least squares, its model does not depend on the
number of threads, and its memory is bounded.
"""

import gc
import itertools
import weakref

import numpy as np
import pytest
from clocks import costly
from grids import thinned
from qp_oracles import (
    KERNELS,
    check_solution,
    dual_matrix,
    dual_problem,
    kernel_values,
    optimum,
    two_classes,
)
from scipy import sparse

import fwsvm
from fwsvm import KernelMatrix, KernelProblem, MatrixProblem, solve
from fwsvm.kernels.growing_gram import GrowingGram
from fwsvm.kernels.precomputed import PrecomputedKernelMatrix
from fwsvm.machine_code.threads import Workers
from fwsvm.problems.column_cache import SharedColumns
from fwsvm.solvers import automatic, corrective_driver, low_rank, restricted, working_sets

GAP = 1e-7


@pytest.fixture(autouse=True)
def small_first_problem(monkeypatch):
    """Make the sets of points small, so that even small problems need a guess and several
    rounds.
    """
    monkeypatch.setattr(low_rank, "_BLOCK", 16)
    monkeypatch.setattr(corrective_driver, "SET_SIZE", 80)
    for module in (low_rank, restricted):
        monkeypatch.setattr(module, "TILE", 32)


def train(problem, **given):
    return solve(problem, "fcfw", **{"stop": "relative", "eps": GAP, "random_state": 0} | given)


@pytest.mark.parametrize("C", [0.1, 8.0, 1000.0])
@pytest.mark.parametrize(("kernel", "storage"), list(itertools.product(KERNELS, ["dense", "csr"])))
def test_certified_optimum_is_that_of_nnls(kernel, storage, C):
    X, y = two_classes(1, 300, storage=storage)
    for weights in (None, np.random.default_rng(0).uniform(0.2, 5.0, len(y))):
        Q = dual_matrix(X, y, KERNELS[kernel], np.inf) + np.diag(
            1.0 / (C * (np.ones(300) if weights is None else weights))
        )
        best, exact = optimum(Q)
        # with a smaller gap, half of it would be rounding errors
        eps = GAP if kernel == "rbf" or C < 1000.0 else 10.0 * GAP
        found = train(
            KernelProblem(KernelMatrix(X, KERNELS[kernel]), y, C, weights=weights), eps=eps
        )
        assert (found.stop_reason, found.method) == ("converged", "fcfw")
        # Newton's method must reach the optimum. Swap steps would hide that it fails.
        assert found.iterations <= 80 and found.swap_steps == 0
        assert found.objective - best <= GAP * best
        a = check_solution(found, Q, best)
        if weights is None:
            assert np.sum((a - exact) ** 2) <= C * found.gap + 1e-12


def test_given_kernel_values_have_the_optimum_of_nnls():
    X, y = two_classes(4, 300)
    K = kernel_values(KERNELS["rbf"], X)
    best, _ = optimum(dual_matrix(X, y, KERNELS["rbf"], 20.0))
    for values, most in (
        (K, 2 * GAP),
        (K + 1e-12 * np.triu(K), 2 * GAP),
        (K.astype(np.float32), 1e-5),
    ):
        found = train(KernelProblem(PrecomputedKernelMatrix(values), y, 20.0))
        assert found.objective == pytest.approx(best, rel=most)


@pytest.mark.parametrize(
    ("storage", "cache_mb"),
    thinned([("dense", 0.05), ("dense", 1000.0), ("csr", 1000.0), ("csr", 0.05)], 2),
)
def test_the_model_is_the_same_on_any_number_of_threads(storage, cache_mb):
    X, y = two_classes(5, 900, d=12, storage=storage)
    problem = dual_problem(X, y, KERNELS["rbf"], 30.0)
    one, *others = (
        train(problem, threads=threads, eps=1e-4, cache_mb=cache_mb) for threads in (1, 2, 3)
    )
    for other in others:
        np.testing.assert_array_equal(one.support, other.support)
        np.testing.assert_array_equal(one.weights, other.weights)


def test_without_memory_for_the_equations_swap_steps_go_on_with_the_columns_of_before(monkeypatch):
    monkeypatch.setattr(working_sets, "SET_SIZE", 50)
    # the first problem has working sets, and the second one has none
    for size, cache_mb in ((300, 0.005), (40, 1e-3)):
        X, y = two_classes(2, size, noise=0.1)
        problem = dual_problem(X, y, KERNELS["rbf"], 100.0)
        found = train(problem, eps=1e-3, cache_mb=cache_mb)
        check_solution(found, dual_matrix(X, y, KERNELS["rbf"], 100.0))
        assert found.stop_reason == "converged"
        assert found.swap_steps > 0 and found.column_dtype == "float32"


def test_more_equations_than_expected_take_the_memory_of_stored_rows(monkeypatch):
    """In this test, the expected number of equations is too small, so that rows fill all memory.
    Further equations must then take memory from these rows.
    """
    X, y = two_classes(2, 300, noise=0.1)
    problem = dual_problem(X, y, KERNELS["rbf"], 100.0)
    extend, stored = restricted.Restricted.extend, []

    def forget(self, new, equations):
        extend(self, new, equations if len(new) == 0 else 0)
        stored.append((len(new), 8 * equations**2, self.gram.stored_bytes, self.room_bytes))

    monkeypatch.setattr(restricted.Restricted, "extend", forget)
    found = train(problem, cache_mb=0.4)
    assert found.stop_reason == "converged" and found.swap_steps == 0
    check_solution(found, dual_matrix(X, y, KERNELS["rbf"], 100.0))
    given_up = [each for each in stored if each[0] == 0]
    assert given_up and all(taken + rows <= room for _, taken, rows, room in given_up)


def test_without_a_diagonal_shift_it_trains_as_swap_2o():
    X, y = two_classes(7, 60)
    Q = dual_matrix(X, y, KERNELS["rbf"], 2.0)
    for problem in (MatrixProblem(Q), dual_problem(X, y, KERNELS["rbf"], np.inf)):
        mine, other = (solve(problem, method, random_state=0) for method in ("fcfw", "swap2o"))
        np.testing.assert_array_equal(mine.weights, other.weights)


def test_limits_and_interruptions_leave_a_certified_model():
    X, y = two_classes(8, 400)
    problem, Q = dual_problem(X, y, KERNELS["rbf"], 100.0), dual_matrix(X, y, KERNELS["rbf"], 100.0)
    limits = {"iteration_limit": {"max_iterations": 1}, "time_limit": {"time_limit": 1e-9}}
    for reason, limit in (limits | {"interrupted": {"callback": lambda driver: True}}).items():
        found = train(problem, **limit)
        assert found.stop_reason == reason
        check_solution(found, Q)


@pytest.mark.parametrize("C", thinned([1e3, 1e6, 1e12, 1e9], 2))
def test_classes_far_apart_at_any_C(C):
    y = np.repeat([-1.0, 1.0], 150)
    X = np.random.default_rng(0).normal(size=(300, 3)) + 8.0 * y[:, None]
    problem = dual_problem(X, y, KERNELS["rbf"], C)
    mine, other = train(problem), solve(problem, "swap2o", stop="relative", eps=GAP, random_state=0)
    assert mine.stop_reason == "converged"
    assert mine.objective == pytest.approx(other.objective, rel=10 * GAP)


@pytest.mark.parametrize("guesses", [True, False])
def test_where_equations_cannot_be_solved_swap_2o_goes_on(monkeypatch, guesses):
    """The kernel values are not positive semidefinite. The run must end with the same reason
    whether it starts from a guess or not.
    """
    if not guesses:
        monkeypatch.setattr(low_rank, "_BLOCK", 1000)
    X, y = two_classes(14, 300)
    K = np.tanh(2.0 * X @ X.T - 1.0)
    found = train(KernelProblem(PrecomputedKernelMatrix(K), y, 10.0), trace=True, threads=2)
    Q = np.outer(y, y) * (K + 1.0) + np.eye(len(y)) / 10.0
    check_solution(found, Q, best=found.objective)
    assert found.stop_reason == "not_positive_semidefinite" and found.swap_steps > 0
    assert np.all(np.diff(found.trace.cpu_s) >= 0) and np.all(np.diff(found.trace.iteration) > 0)


def test_the_trace_has_the_gap_after_the_last_qp():
    """The oracle is the duality gap of each recorded iterate, by its definition."""
    X, y = two_classes(17, 700)
    problem = dual_problem(X, y, KERNELS["rbf"], 1e3)
    found = solve(problem, "fcfw", stop="relative", eps=1e-6, trace_iterates=True, random_state=0)
    trace, Q = found.trace, dual_matrix(X, y, KERNELS["rbf"], 1e3)
    gaps = []
    for (indices, weights), recorded in zip(trace.iterates, trace.gap, strict=True):
        s = Q[:, indices] @ weights
        gaps.append(2.0 * (weights @ s[indices] - s.min()))
        assert np.isnan(recorded) or np.isclose(gaps, recorded, rtol=1e-6).any()
    assert np.isnan(trace.gap[0]) and len(set(trace.gap)) > 3
    assert set(trace.step[1:]) == {"newton"}


def test_where_newton_steps_gain_nothing_swap_2o_goes_on(monkeypatch):
    monkeypatch.setattr(restricted.Restricted, "step", lambda self, tolerance: 0.0)
    X, y = two_classes(14, 300)
    found = train(dual_problem(X, y, KERNELS["rbf"], 10.0), eps=1e-3, max_iterations=5000)
    assert found.stop_reason == "converged" and found.swap_steps > 0 and found.relative_gap <= 1e-3


def test_without_a_certificate_the_objective_is_that_of_the_model():
    X, y = two_classes(16, 300)
    problem, Q = dual_problem(X, y, KERNELS["rbf"], 100.0), dual_matrix(X, y, KERNELS["rbf"], 100.0)
    for steps in (0, 1, 2, 100):
        found = train(
            problem, certify=False, **({"max_iterations": steps} if steps else {"time_limit": 1e-9})
        )
        a = np.zeros(len(y))
        a[found.support] = found.weights
        assert found.objective == pytest.approx(a @ Q @ a, rel=1e-5) or (
            steps == 0 and np.isnan(found.objective)
        )
        assert np.isnan(found.gap) and np.isnan(found.relative_gap)


@pytest.mark.parametrize("eps", [1e-2, 1e-3, 1e-4])
def test_without_a_certificate_the_rule_is_met_at_all_points(eps):
    for seed in range(6):
        X, y = two_classes(seed, 300)
        Q = dual_matrix(X, y, KERNELS["rbf"], 10.0)
        found = train(dual_problem(X, y, KERNELS["rbf"], 10.0), certify=False, eps=eps)
        s = Q[:, found.support] @ found.weights
        R = found.weights @ s[found.support]
        assert found.stop_reason == "converged"
        assert 2.0 * (R - s.min()) <= eps * R * (1.0 + 1e-2)


@pytest.mark.parametrize(("m", "d", "C"), [(120, 1, 1e7), (250, 2, 1e5), (300, 3, 1e9)])
def test_the_one_class_problem_with_a_tiny_diagonal_shift(m, d, C):
    """Points with a large multiplier, but a margin far above 1, are noticed."""
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(m, d))
        matrix = KernelMatrix(X, fwsvm.Kernel("rbf", 1.0 / d))
        problem = KernelProblem(matrix, np.ones(m), C, offset=0.0)
        found = train(problem, eps=1e-3, max_iterations=10_000)
        assert found.stop_reason == "converged" and found.method == "fcfw"
        other = solve(problem, "swap2o", stop="relative", eps=1e-3, random_state=0)
        assert other.objective - other.gap <= found.objective <= other.objective + found.gap


def test_rounds_without_steps_end(monkeypatch):
    """After three Newton steps, each QP counts as solved. SWAP-2o then continues."""
    monkeypatch.setattr(
        corrective_driver.CorrectiveDriver, "_is_solved", lambda self: self.count.iterations >= 3
    )
    X, y = two_classes(4, 80)
    found = train(dual_problem(X, y, KERNELS["rbf"], 10.0), eps=1e-6, certify=False)
    assert found.stop_reason == "converged" and found.swap_steps > 0


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_time_is_looked_at_between_tiles(clock, monkeypatch, limit):
    X, y = two_classes(15, 400)
    costs = costly(monkeypatch, clock, KernelMatrix, "against", lambda *_: 1.0)
    found = train(dual_problem(X, y, KERNELS["rbf"], 100.0), time_limit=limit, certify=False)
    assert found.stop_reason == "time_limit" and sum(costs) == limit
    assert np.all(found.weights > 0) and found.weights.sum() == pytest.approx(1.0)


def start_fcfw_after(monkeypatch, steps):
    """Let `auto` treat every problem as ill-conditioned, so that FCFW starts after this number of
    steps.
    """
    for name, value in {"SET_SIZE": steps, "_ILL": 0.0, "_LONG": 0}.items():
        monkeypatch.setattr(automatic, name, value)


def test_auto_takes_fcfw_only_with_a_diagonal_shift_and_all_points(monkeypatch):
    X, y = two_classes(12, 120)
    start_fcfw_after(monkeypatch, 5)
    cases = [(dual_problem(sparse.csr_matrix(X), y, KERNELS["rbf"], 64.0), "fcfw")]
    cases += [
        (dual_problem(X, y, KERNELS["rbf"], C), name)
        for C, name in ((0.5, "fcfw"), (np.inf, "swap2o"))
    ]
    cases += [(MatrixProblem(np.eye(120)), "swap2o")]
    for problem, name in cases:
        found, same = (
            solve(problem, method, stop="relative", eps=1e-6, random_state=0)
            for method in ("auto", name)
        )
        assert found.method == name and found.relative_gap <= 1e-6
        assert found.objective == pytest.approx(same.objective, rel=1e-6)
    assert solve(cases[0][0], "auto", selection="sampled_text", random_state=0).method == "swap2o"


def test_nothing_of_a_run_is_kept_after_it(monkeypatch):
    start_fcfw_after(monkeypatch, 5)
    drivers, (X, y) = [], two_classes(12, 120)
    gc.disable()  # from here on, only reference counts free memory
    solve(
        dual_problem(X, y, KERNELS["rbf"], 64.0),
        "auto",
        random_state=0,
        callback=lambda driver: drivers.append(weakref.ref(driver)),
    )
    gc.enable()
    assert len(drivers) > 1 and not any(driver() for driver in drivers)


def test_auto_is_done_by_swap_steps_where_few_suffice(monkeypatch):
    X, y = two_classes(12, 120)
    problem, columns = dual_problem(X, y, KERNELS["rbf"], 64.0), SharedColumns()
    steps = solve(problem, "swap2o", random_state=0)
    found = solve(problem, "auto", random_state=0)
    assert found.method == "swap2o" and found.iterations == steps.iterations
    np.testing.assert_array_equal(found.weights, steps.weights)
    start_fcfw_after(monkeypatch, steps.iterations + 1)
    assert solve(problem, "auto", random_state=0).method == "swap2o"
    start_fcfw_after(monkeypatch, steps.iterations // 4)
    late = solve(problem, "auto", random_state=0, columns=columns)
    assert late.method == "fcfw" and late.swap_steps <= steps.iterations / 4
    assert columns.memory is None  # `auto` frees this memory before FCFW takes as much
    with monkeypatch.context() as patched:
        patched.setattr(automatic, "_LONG", 1e9)  # it is too early for FCFW
        assert solve(problem, "auto", random_state=0).method == "swap2o"
    # there is no memory for the equations
    assert solve(problem, "auto", random_state=0, cache_mb=0.01).method == "swap2o"
    monkeypatch.undo()
    X, y = two_classes(3, 800, d=6)
    noisy = np.where(np.random.default_rng(0).random(800) < 0.1, -y, y)
    # `auto` changes to FCFW only if C max Q_ii is above 2 m = 1600
    for C, method in ((1e4, "fcfw"), (40, "swap2o")):
        problem = dual_problem(X, noisy, KERNELS["rbf"], C)
        assert solve(problem, "auto", stop="relative", eps=1e-3, random_state=0).method == method


@pytest.mark.parametrize("C", [1e2, 1e6])
def test_auto_reaches_the_gap_on_ill_conditioned_problems(monkeypatch, C):
    start_fcfw_after(monkeypatch, 100)
    X, y = two_classes(3, 250, d=6)
    y = np.where(np.random.default_rng(0).random(250) < 0.1, -y, y)
    problem = dual_problem(X, y, KERNELS["rbf"], C)
    given = {"stop": "relative", "eps": 1e-4, "random_state": 0}
    steps = solve(problem, "swap2o", **given)
    found = solve(problem, "auto", **given)
    assert found.method == "fcfw" and found.swap_steps <= 100
    assert found.relative_gap <= 1e-4
    assert found.objective == pytest.approx(steps.objective, rel=2e-4)
    limited = solve(problem, "auto", max_iterations=found.swap_steps + 2, **given)
    begin = solve(problem, "swap2o", max_iterations=found.swap_steps, **given)
    # FCFW starts from the weights of the swap steps
    assert limited.objective <= begin.objective * (1 + 1e-6)
    assert limited.gap <= 2.0 * begin.gap
    # now FCFW fails
    monkeypatch.setattr(corrective_driver.CorrectiveDriver, "_note", lambda *_: np.inf)
    failed = solve(problem, "auto", **given)
    assert (failed.method, failed.stop_reason) == ("swap2o", "converged")
    assert failed.relative_gap <= 1e-4


@pytest.mark.parametrize("start_objective", [np.inf, 0.0])  # if this value is 0, FCFW fails
def test_auto_goes_on_after_a_refused_certificate(monkeypatch, start_objective):
    start_fcfw_after(monkeypatch, 100)
    driver = corrective_driver.CorrectiveDriver
    go_on, refused = driver.go_on_from, []

    def refuse(self, s):
        refused.append(len(s))
        # pretend that the gap has increased
        self._lowest_gap, self.start_objective = 0.0, start_objective
        go_on(self, s)

    # the certificate is computed too early
    monkeypatch.setattr(driver, "_is_last_block", lambda *_: True)
    monkeypatch.setattr(driver, "go_on_from", refuse)
    X, y = two_classes(3, 250, d=6)
    y = np.where(np.random.default_rng(0).random(250) < 0.1, -y, y)
    problem = dual_problem(X, y, KERNELS["rbf"], 100.0)
    found = solve(problem, "auto", stop="relative", eps=1e-5, random_state=0)
    assert refused and found.swap_steps > 0
    assert found.method == ("fcfw" if start_objective else "swap2o")
    assert found.stop_reason == "converged" and found.relative_gap <= 1e-5


@pytest.mark.parametrize("seed", range(8))
def test_auto_never_returns_worse_than_the_weights_that_fcfw_took_over(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    taken = int(10 ** rng.uniform(1, 3))
    start_fcfw_after(monkeypatch, taken)
    X, y = two_classes(seed, 200, d=int(rng.integers(2, 9)))
    y = np.where(rng.random(200) < 0.15, -y, y)
    problem = dual_problem(X, y, KERNELS["rbf"], 10 ** rng.uniform(2, 6))
    given = {"stop": "relative", "eps": 1e-6}
    begin = solve(problem, "swap2o", random_state=0, max_iterations=taken, **given)
    for more in (1, 2, 4, 8):
        found = solve(problem, "auto", random_state=0, max_iterations=taken + more, **given)
        assert found.gap <= 1.001 * begin.gap or found.method == "swap2o"
        assert found.objective <= begin.objective * (1 + 1e-6)


@pytest.mark.parametrize("C", [1e5, 1e6])
def test_newton_steps_are_few_where_the_diagonal_shift_is_small(C):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 40))[rng.integers(0, 60, 240)]
    y = np.where(rng.random(240) < 0.3, -1.0, 1.0) * np.where(X[:, 0] > 0, 1.0, -1.0)
    found = train(dual_problem(X, y, fwsvm.Kernel("rbf", 0.002), C), eps=1e-3)
    assert found.stop_reason == "converged" and found.swap_steps == 0 and found.iterations <= 50


def test_jobs_of_a_fit_with_two_classes_are_threads_of_its_problem(clock):
    """The clock of the first thread stands still in this test. All measured time is therefore that
    of the other threads.
    """
    X, y = two_classes(13, 900, d=12)
    fits = [
        fwsvm.FrankWolfeSVC(
            "fcfw", C=64, n_jobs=jobs, stop="relative", eps=1e-4, random_state=0
        ).fit(X, y)
        for jobs in (1, 2)
    ]
    np.testing.assert_array_equal(fits[0].dual_coef_, fits[1].dual_coef_)
    assert [fit.pair_solutions_[0].elsewhere_cpu_s > 0.0 for fit in fits] == [False, True]
    assert [fit.pair_solutions_[0].train_cpu_s > 0.0 for fit in fits] == [False, True]
    assert fits[1].fit_cpu_s_ >= fits[1].pair_solutions_[0].elsewhere_cpu_s


@pytest.mark.parametrize("room_mb", [1e-3, 0.02, 10.0])
@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_growing_gram_is_the_kernel_matrix_of_its_points(storage, room_mb):
    """Points are added and removed. Sums must be those of the whole matrix, whatever part of the
    matrix is stored.
    """
    X, _ = two_classes(10, 120, storage=storage)
    K = kernel_values(KERNELS["rbf"], X.toarray() if sparse.issparse(X) else X)
    rng, order = np.random.default_rng(0), np.random.default_rng(1).permutation(120)
    gram = GrowingGram(KernelMatrix(X, KERNELS["rbf"]), np.float64, Workers(2))
    for new in (order[:10], order[10:45], order[45:50], order[50:120]):
        gram.extend(new, 1e6 * room_mb)
        assert gram.stored_bytes <= max(1e6 * room_mb, 8 * len(gram))
        x, positions = rng.normal(size=len(gram)), np.flatnonzero(rng.random(len(gram)) < 0.7)
        own = K[np.ix_(gram.points, gram.points)]
        np.testing.assert_allclose(gram.times(positions, x), (own @ x)[positions], atol=1e-12)
        values, rows = gram.stored_rows(positions)
        np.testing.assert_allclose(
            [gram.rows(positions), values[rows, : len(gram)]], [own[positions]] * 2, atol=1e-14
        )
        spread = gram.spread(positions, x[positions])
        expected = K[:, gram.points[positions]] @ x[positions]
        np.testing.assert_allclose(spread, expected, atol=1e-12)
        gram.keep(np.flatnonzero(rng.random(len(gram)) < 0.8))


@pytest.mark.parametrize("room_mb", [1e-3, 0.02, 10.0])
def test_growing_gram_counts_the_kernel_values_that_it_computes(monkeypatch, room_mb):
    computed, against = [0], KernelMatrix.against

    def counting(self, columns, dtype):
        values = against(self, columns, dtype)

        def block(rows):
            computed[0] += len(rows) * len(columns)
            return values(rows)

        return block

    monkeypatch.setattr(KernelMatrix, "against", counting)
    X, _ = two_classes(10, 120)
    K = kernel_values(KERNELS["rbf"], X)
    gram = GrowingGram(KernelMatrix(X, KERNELS["rbf"]), np.float64, Workers(1))
    for new in (np.arange(30), np.arange(30, 90)):
        gram.extend(new, 1e6 * room_mb)
        for last in range(1, len(gram) + 1):
            values, rows = gram.stored_rows(np.arange(last))
            np.testing.assert_allclose(values[rows, : len(gram)], K[:last, : len(gram)], atol=1e-14)
        gram.spread(np.arange(7), np.ones(7))
        assert gram.evaluations == computed[0]
