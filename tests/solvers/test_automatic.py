"""Test the swap steps of `method="auto"`. They must reach the certified optimum, even if the gap is
below the rounding errors of float32. Also test when `auto` computes the whole kernel matrix, tries
a low-rank approximation, or changes to working sets.
"""

import itertools

import numpy as np
import pytest
from qp_oracles import KERNELS, check_solution, dual_matrix, dual_problem, optimum, two_classes
from scipy import sparse
from sklearn.datasets import make_blobs, make_moons

from fwsvm import solve
from fwsvm.kernels import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems import dual
from fwsvm.problems.column_cache import SharedColumns
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers import automatic, drivers, working_sets
from fwsvm.solvers import solve as solve_module


def train(problem, **given):
    return solve(problem, "auto", **{"stop": "relative", "eps": 1e-6, "random_state": 0} | given)


@pytest.mark.parametrize("C", [2.0, 1000.0])
@pytest.mark.parametrize(("kernel", "storage"), list(itertools.product(KERNELS, ["dense", "csr"])))
def test_the_optimum_is_that_of_nnls(kernel, storage, C, monkeypatch):
    monkeypatch.setattr(automatic, "_ILL", np.inf)
    monkeypatch.setattr(automatic, "_CUBED", np.inf)
    if kernel == "poly":
        C = min(C, 100.0)  # with C = 1000, the run takes ten times as long
    X, y = two_classes(1, 300, storage=storage, noise=0.1)
    best, _ = optimum(dual_matrix(X, y, KERNELS[kernel], C))
    found = train(dual_problem(X, y, KERNELS[kernel], C))
    assert (found.stop_reason, found.method) == ("converged", "swap2o")
    assert found.objective - best <= 1e-6 * best
    check_solution(found, dual_matrix(X, y, KERNELS[kernel], C), best)


@pytest.mark.parametrize("is_ill", [False, True])
def test_the_model_does_not_depend_on_looks_at_the_clock(is_ill, monkeypatch):
    ill = 0.0 if is_ill else np.inf
    for name, value in {"SET_SIZE": 40, "_ILL": ill, "_LONG": 0}.items():
        monkeypatch.setattr(automatic, name, value)
    X, y = two_classes(12, 300, noise=0.1)
    found, methods = [], set()
    for first, seconds, more in (
        (1, 0.0, {}),
        (1000, 1e9, {}),
        (17, 1e9, {}),
        (64, 1e9, {"trace": True, "trace_every": 13}),
    ):
        monkeypatch.setattr(solve_module, "VALUES_BETWEEN_CHECKS", 32 * 300 * first)
        monkeypatch.setattr(solve_module, "SECONDS_BETWEEN_CHECKS", seconds)
        solution = train(dual_problem(X, y, KERNELS["rbf"], 1000.0), **more)
        numbers = (solution.support, solution.weights)
        found.append((*(each.tobytes() for each in numbers), solution.iterations))
        methods.add(solution.method)
    assert len(set(found)) == 1
    assert methods == ({"fcfw"} if is_ill else {"swap2o"})


@pytest.mark.parametrize("reason", ["iteration_limit", "interrupted"])
def test_a_run_that_ends_early_is_certified_over_all_points(reason, monkeypatch):
    monkeypatch.setattr(solve_module, "VALUES_BETWEEN_CHECKS", 32 * 300 * 20)
    X, y = two_classes(1, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 1000.0)
    if reason == "interrupted":
        found = train(problem, callback=lambda driver: driver.count.iterations > 30)
    else:
        found = train(problem, max_iterations=train(problem).iterations // 2)
    assert found.stop_reason == reason
    check_solution(found, dual_matrix(X, y, KERNELS["rbf"], 1000.0))


@pytest.mark.parametrize(
    ("refines", "resolved", "eps", "dtype"),
    [
        (True, 2e-7, 1e-5, "float32"),
        (False, 2e-7, 1e-5, "float64"),
        (True, 1e-11, 1e-9, "float64"),
    ],
)
def test_exact_gradients_let_float32_columns_reach_small_gaps(
    refines, resolved, eps, dtype, monkeypatch
):
    """In the last case, float32 columns cannot resolve the gap, because their errors exceed
    1e-11.
    """
    X, y = two_classes(1, 300, noise=0.1)
    problem = dual_problem(X, y, KERNELS["rbf"], 1000.0)
    for owner, name, value in (
        (automatic, "_ILL", np.inf),
        (automatic, "_CUBED", np.inf),
        (drivers, "FLOAT32_GAP", resolved),
    ):
        monkeypatch.setattr(owner, name, value)
    if not refines:
        monkeypatch.setattr(automatic.SwapDriver, "_refine", lambda self: False)
    found = train(problem, eps=eps)
    check_solution(found, dual_matrix(X, y, KERNELS["rbf"], 1000.0))
    assert found.gap <= eps * found.objective < resolved
    assert found.column_dtype == dtype


def test_a_certificate_does_not_trust_columns_of_another_run():
    X, y = two_classes(0, 100)
    columns, problem = SharedColumns(), dual_problem(X, y, KERNELS["rbf"], 100.0)
    found = train(problem, columns=columns)
    # a misuse of `columns`, which are now wrong
    y[np.setdiff1d(np.arange(100), found.support)[0]] *= -1.0
    found = train(dual_problem(X, y, KERNELS["rbf"], 100.0), columns=columns)
    Q = dual_matrix(X, y, KERNELS["rbf"], 100.0)
    check_solution(found, Q)


@pytest.mark.parametrize("method", ["mfw", "swap2o"])
def test_an_updated_gradient_has_no_bound_after_away_steps_or_too_many_steps(method, monkeypatch):
    seen = []
    monkeypatch.setattr(solve_module, "VALUES_BETWEEN_CHECKS", 1)
    monkeypatch.setattr(drivers, "MOST_UPDATES", 40)

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


@pytest.mark.parametrize(
    ("C", "storage", "medium", "patience", "changes"),
    [
        (0.1, "dense", 1000, 8, False),  # SWAP-2o ends before it repeats points
        (100.0, "dense", 1000, 8, True),
        (100.0, "dense", 1000, 800, False),  # with few points, steps are cheap
        (0.1, "csr", 1000, 8, False),
        (100.0, "csr", 1000, 8, True),
        # blocks of kernel values are slow for these points
        (100.0, "far csr", 1000, 8, False),
        # with more points than `medium`, a large gap is enough
        (10.0, "dense", 100, 800, True),
        (10.0, "csr", 100, 800, True),
        (100.0, "dense", 100, 8, True),
    ],
)
def test_when_working_sets_follow(C, storage, medium, patience, changes, monkeypatch):
    drivers_made = []

    class Noted(automatic.WorkingSetDriver):
        def __init__(self, *given):
            drivers_made.append(self)
            super().__init__(*given)

    for module, name, value in (
        (automatic, "SET_SIZE", 40),
        (automatic, "_ILL", np.inf),
        (automatic, "MEDIUM", medium),
        (automatic, "_LONG", patience),
        (working_sets, "MEDIUM", medium),
        (working_sets, "SET_SIZE", 50),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(automatic, "WorkingSetDriver", Noted)
    X, y = two_classes(3, 300, storage=storage.split()[-1], noise=0.2)
    if storage == "far csr":
        X = sparse.csr_matrix(X.toarray() + 1e4)
    found = train(dual_problem(X, y, KERNELS["rbf"], C), eps=1e-3)
    assert found.stop_reason == "converged"
    assert bool(drivers_made) == changes


@pytest.mark.parametrize(("steps", "changes"), [(40, True), (240, False)])
def test_working_sets_follow_only_while_the_gap_exceeds_the_objective(steps, changes, monkeypatch):
    decisions = []
    decide = automatic.SwapDriver._is_slow

    def noted(driver):
        is_slow = decide(driver)
        decisions.append((driver.real.gap_seen > driver.objective, is_slow))
        return is_slow

    monkeypatch.setattr(automatic, "SET_SIZE", steps)
    monkeypatch.setattr(automatic, "MEDIUM", 100)
    monkeypatch.setattr(automatic.SwapDriver, "_is_slow", noted)
    X, y = two_classes(3, 300, noise=0.2)
    train(dual_problem(X, y, KERNELS["rbf"], 0.1), eps=1e-6)
    assert decisions[0] == (changes, changes)


@pytest.mark.parametrize("is_easy", [False, True])
def test_when_the_whole_matrix_is_computed(is_easy, monkeypatch):
    """Well separated points need few columns."""
    X, classes = make_blobs(600, 64, centers=2, cluster_std=2.0, random_state=0)
    y = np.where(classes, 1.0, -1.0)
    if not is_easy:
        y[:300] *= -1.0
    kernel = Kernel("rbf", 1.0 / (64 * X.var()))
    problem = dual_problem(X, y, kernel, 10.0)
    assert problem.kernel_path == "dense-gram"
    made, gram = [], type(problem.matrix).gram
    monkeypatch.setattr(
        type(problem.matrix), "gram", lambda self, out: made.append(len(out)) or gram(self, out)
    )
    found = train(problem, eps=1e-2)
    assert found.stop_reason == "converged" and found.gap <= 1e-2 * found.objective
    check_solution(found, dual_matrix(X, y, kernel, 10.0))
    n_columns = found.kernel_evaluations / 600
    if is_easy:
        assert not made and len(found.support) <= n_columns < 200
    else:
        # an eighth of the columns is computed before
        assert made == [600] and 675 <= n_columns < 725


def test_a_matrix_of_more_points_is_computed_late_but_only_by_matrix_products(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2100, 64)), np.tile([-1.0, 1.0], 1050)
    made, gram = [], KernelMatrix.gram
    monkeypatch.setattr(
        KernelMatrix, "gram", lambda self, out: made.append(len(out)) or gram(self, out)
    )
    problem = dual_problem(X, y, Kernel("rbf", 1.0 / 128), 1.0)
    assert problem.kernel_path == "dense-loop"
    found = train(problem, eps=1e-2)
    assert made == [2100] and found.gap <= 1e-2 * found.objective
    check_solution(found, dual_matrix(X, y, Kernel("rbf", 1.0 / 128), 1.0))
    made.clear()
    # with this gamma, float32 matrix products would not be precise enough
    train(dual_problem(X, y, Kernel("rbf", 1.0), 1.0), eps=1e-2)
    assert not made


def test_near_the_end_of_training_the_whole_matrix_is_not_computed(monkeypatch):
    """A third of the columns is needed, but the gap is small when an eighth is there."""
    X, classes = make_blobs(600, 100, centers=2, cluster_std=4.0, random_state=0)
    y = np.where(classes, 1.0, -1.0)
    made, gram = [], KernelMatrix.gram
    monkeypatch.setattr(
        KernelMatrix, "gram", lambda self, out: made.append(len(out)) or gram(self, out)
    )
    found = train(dual_problem(X, y, Kernel("rbf", 0.01 / X.var()), 1.0), eps=1e-2)
    assert not made and 75 < found.kernel_evaluations / 600 < 300


@pytest.mark.parametrize("m", [2, 9, 31])
def test_very_few_points_with_many_features_end(m):
    """Such a problem once waited for ever for the whole matrix."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(m, 100)), np.where(np.arange(m) % 2, 1.0, -1.0)
    X[:, 0] += 30.0 * y
    for dtype in ("auto", "float32"):
        problem = dual_problem(X, y, Kernel("rbf", 1e-4), 1e3)
        found = train(problem, eps=1e-4, init=1, column_dtype=dtype)
        assert found.stop_reason in ("converged", "precision_limit", "no_progress")


def test_the_whole_matrix_is_computed_once_for_several_values_of_C(monkeypatch):
    X, _ = make_blobs(600, 64, centers=2, cluster_std=2.0, random_state=0)
    y = np.where(np.arange(600) % 2, 1.0, -1.0)
    matrix = dual_problem(X, y, Kernel("rbf", 1.0 / (64 * X.var())), 1.0).matrix
    made, gram = [], type(matrix).gram
    monkeypatch.setattr(
        type(matrix), "gram", lambda self, out: made.append(len(out)) or gram(self, out)
    )
    columns = SharedColumns()
    for C in (1.0, 10.0, 100.0):
        problem = KernelProblem(matrix, y, C)
        found = train(problem, eps=1e-2, columns=columns)
        check_solution(found, dual_matrix(X, y, matrix.kernel, C))
    assert made == [600]


@pytest.mark.parametrize("n_points", [600, 1000])
def test_a_small_problem_of_low_rank_ends_with_the_low_rank_solution(n_points, monkeypatch):
    X, classes = make_moons(n_points, noise=0.2, random_state=0)
    y = np.where(classes, 1.0, -1.0)
    guesses, guess = [], automatic.LowRank.guess

    def noted(self, *given):
        guesses.append(guess(self, *given))
        return guesses[-1]

    monkeypatch.setattr(automatic.LowRank, "guess", noted)
    found = train(dual_problem(X, y, Kernel("rbf", 1.0), 100.0), eps=1e-3)
    assert len(guesses) == 1 and guesses[0].s is not None
    check_solution(found, dual_matrix(X, y, Kernel("rbf", 1.0), 100.0))
    # without a precise solution, SWAP-2o goes on
    monkeypatch.setattr(automatic, "_CUBED", np.inf)
    monkeypatch.setattr(automatic.LowRank, "guess", lambda *given: guesses[0]._replace(s=None))
    other = train(dual_problem(X, y, Kernel("rbf", 1.0), 100.0), eps=1e-3)
    assert other.method == "swap2o" and other.iterations > 2 * found.iterations
    assert abs(other.objective - found.objective) <= 1e-3 * found.objective


@pytest.mark.parametrize(("n_points", "tries"), [(512, 0), (520, 1)])
def test_tiny_problems_try_no_low_rank_solution(n_points, tries, monkeypatch):
    """To reach the gap 1e-11, Newton's method on features would take many steps in vain."""
    tried = []
    monkeypatch.setattr(automatic.SwapDriver, "_low_rank_guess", lambda self: tried.append(1))
    X, classes = make_moons(n_points, noise=0.3, random_state=0)
    y = np.where(classes, 1.0, -1.0)
    train(dual_problem(X, y, Kernel("rbf", 1.0), 10.0), eps=1e-3)
    assert len(tried) == tries


@pytest.mark.parametrize(
    ("cache_mb", "column_dtype"), [(2.0, "float32"), (3.0, "float64"), (0.5, "float32")]
)
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_several_columns_are_computed_at_once(kernel, cache_mb, column_dtype, monkeypatch):
    """The matrix does not fit into half of the memory. With 0.5 MB, not all columns fit."""
    X, y = two_classes(3, 600, 130)
    kernel = {"rbf": Kernel("rbf", 1.0 / 130), "poly": Kernel("poly", 1.0 / 130, 2, 1.0)}[kernel]
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 600)
    Q = dual_matrix(X, y, kernel, np.inf) + np.diag(1.0 / (5.0 * weights))
    blocks, write = [], KernelProblem.fill_columns

    def fill(self, indices, out, workers):
        write(self, indices, out, workers)
        np.testing.assert_allclose(out, Q[indices], rtol=0, atol=2e-6 * np.abs(Q).max())
        blocks.append(indices.copy())

    monkeypatch.setattr(KernelProblem, "fill_columns", fill)
    matrix = KernelMatrix(X, kernel)
    given = {"cache_mb": cache_mb, "column_dtype": column_dtype, "eps": 1e-4}
    found = train(KernelProblem(matrix, y, 5.0, weights=weights), **given)
    check_solution(found, Q)
    at_once = [len(block) for block in blocks]
    computed = np.concatenate(blocks)
    # the columns of a block are not in memory, and a slot is empty for each of them
    assert len(np.unique(computed)) == len(computed) and max(at_once) > 4
    assert found.kernel_evaluations >= 600 * len(computed)
    assert (len(computed) < 120) == (cache_mb < 1.0)
    # most columns are those of support vectors
    assert len(np.setdiff1d(computed, found.support)) < 0.3 * len(computed)


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_of_columns_do_not_depend_on_looks_at_the_clock(threads, monkeypatch):
    X, y = two_classes(5, 600, 130)
    found = []
    for seconds in (0.0, 1e9):
        monkeypatch.setattr(solve_module, "SECONDS_BETWEEN_CHECKS", seconds)
        problem = dual_problem(X, y, Kernel("rbf", 1.0 / 130), 5.0)
        one = train(problem, cache_mb=2.0, eps=1e-3, threads=threads)
        found.append((one.support.tobytes(), one.weights.tobytes(), one.kernel_evaluations))
    assert found[0] == found[1]


@pytest.mark.parametrize("looks", [2, 7, 30, 90])
def test_a_limit_within_a_block_of_columns(looks, monkeypatch):
    """The time limit is reached when the clock is read for the `looks`-th time."""
    X, y = two_classes(5, 600, 130)
    kernel, seconds = Kernel("rbf", 1.0 / 130), itertools.count()
    monkeypatch.setattr(solve_module._Clock, "cpu_s", lambda *_: float(next(seconds)))
    monkeypatch.setattr(dual, "TILE", 64)
    problem = dual_problem(X, y, kernel, 5.0)
    found = train(problem, certify=False, cache_mb=2.0, time_limit=looks)
    assert found.stop_reason == "time_limit"
    s = dual_matrix(X, y, kernel, 5.0)[:, found.support] @ found.weights
    assert found.objective == pytest.approx(found.weights @ s[found.support], rel=1e-4)
