"""Test the compiled functions separately: passes over the points, steps at their bounds, choices of
vertices, and the state of the coreset.
"""

import numpy as np
import pytest
from qp_oracles import KERNELS, STEP_METHODS, dual_matrix, dual_problem, two_classes
from sampled_runs import StubbornCoresetDriver, StubbornCvmCoresetDriver

from fwsvm import MatrixProblem, solve
from fwsvm.machine_code import threads as threads_module
from fwsvm.problems.column_cache import cached
from fwsvm.solvers import coreset_drivers
from fwsvm.solvers.methods import cvm
from fwsvm.solvers.passes import Passes
from fwsvm.solvers.settings import METHODS
from fwsvm.solvers.state import Step, activate, fields_of, new_state, refresh_objective
from fwsvm.solvers.steps import find_extremes, take_step, update_one, update_two
from fwsvm.solvers.vertices import lowest_active, second_order_away_vertex, second_order_vertex


def state_of(n, active=()):
    """Return a state of n points for float64 columns, its counters, and an object that must stay in
    memory. The points of `active` are active.
    """
    state = new_state(n)
    for i in active:
        activate(state, i)
    return state, fields_of(state.count), Passes(state, np.float64)


@pytest.mark.parametrize("method", ["pfw", "swap", "swap2o"])
def test_a_swap_without_curvature_moves_all_the_weight(method):
    """Because of rounding, Q_ii - 2 Q_ij + Q_jj can be zero or negative. The longest step is then
    the best one.
    """
    Q = [[1.0, 1.5], [1.5, 1.8]]
    solution = solve(MatrixProblem(Q), method, init=1, stop="gap", eps=1e-9, max_iterations=50)
    # the stop reason says that the gap is not a bound
    assert solution.stop_reason == "not_positive_semidefinite"
    assert (solution.support.tolist(), solution.objective) == ([0], 1.0)
    assert solve(MatrixProblem(-np.eye(3)), method).stop_reason == "not_positive_semidefinite"
    # this matrix is positive semidefinite, and the objective is 0
    zero = MatrixProblem(np.zeros((2, 2)))
    assert solve(zero, method).stop_reason == "converged" and np.isnan(
        solve(zero, method, certify=False).relative_gap
    )


@pytest.mark.parametrize("n", [10, 40])
def test_of_equal_second_order_gains_the_first_point_is_chosen(n):
    """With n = 40, the three active points are searched one by one. With n = 10, the search is a
    pass over all points.
    """
    state, *_ = state_of(n, (7, 3, 5))
    state.diagonal[:] = 3.0  # with this diagonal, away steps have positive curvature
    state.s[[7, 3, 5]] = 1.0
    assert second_order_vertex(state, n, 0, np.zeros(n)) == 3
    assert second_order_away_vertex(state) == lowest_active(state) == 3


@pytest.mark.parametrize(
    ("method", "kind"), [("mfw", "toward"), ("mfw2o", "toward"), ("swap", "swap")]
)
def test_the_kind_of_step_is_settled_where_both_promise_the_same(method, kind):
    """At a = (1/2, 1/2), R - s_i = s_j - R = 1/4, so all kinds of steps have a gain of 1/4."""
    problem = MatrixProblem([[1.0, 1.0], [1.0, 2.0]])
    solution = solve(
        problem, method, init="farthest_pair", stop="gap", eps=1e-9, random_state=0, trace=True
    )
    assert solution.trace.step[1] == kind


@pytest.mark.parametrize("method", ["swap", "swap2o"])
def test_clipped_gains_lead_elsewhere_than_the_printed_choice(method):
    problem = dual_problem(*two_classes(0, 90), KERNELS["rbf"], 2.0)
    how = {"eps": 1e-5, "random_state": 0, "trace": True}
    one, other = (
        solve(problem, method, clipped_gain=clipped, **how).trace.step for clipped in (False, True)
    )
    assert one != other


def test_of_equal_gradients_the_first_point_is_chosen_within_and_across_tiles():
    n = 600
    (state, count, _kept), zero = state_of(n, (7, 8, 300)), np.zeros(n)
    state.s[:] = np.where(np.isin(np.arange(n), (5, 6, 400)), 0.0, 1.0)
    for update in (
        lambda: find_extremes(state, n),
        lambda: update_one(state, n, 1.0, 0.0, zero),
        lambda: update_two(state, n, 0.0, zero, zero),
    ):
        count.fw_vertex = count.away_vertex = -1
        update()
        assert (count.fw_vertex, count.away_vertex) == (5, 7)


def test_of_equal_gradients_the_first_point_is_chosen_across_threads(monkeypatch):
    monkeypatch.setattr(threads_module, "_LEAST_PART", 256)
    n, workers = 800, threads_module.Workers(3)
    state, _, _ = state_of(n, (7, 300, 700))
    state.s[:] = np.where(np.isin(np.arange(n), (5, 400, 750)), 0.0, 1.0)
    passes = Passes(state, np.float64, workers)
    assert [len(call.parts) for call in passes.calls] == [3, 3]
    with workers.serving(passes.calls):
        update_two(state, n, 0.0, np.zeros(n), np.zeros(n))
    assert (fields_of(state.count).fw_vertex, fields_of(state.count).away_vertex) == (5, 7)


@pytest.mark.parametrize("kind", Step)
@pytest.mark.parametrize("Q", [[[1.0, 1.0], [1.0, 2.0]], [[1.0, 1.5], [1.5, 4.0]]])
def test_a_step_as_long_as_its_bound_or_longer_drops_the_point(kind, Q):
    """From a = (1/2, 1/2), every kind of step ends at the first vertex. With one matrix, the best
    length is exactly the bound. With the other, it is longer and therefore clipped.
    """
    Q, (state, count, _kept) = np.array(Q), state_of(2, (0, 1))
    real = fields_of(state.real)
    state.a[:], state.s[:], state.diagonal[:], real.objective = (
        0.5,
        Q.mean(axis=1),
        Q.diagonal(),
        Q.mean(),
    )
    take_step(state, 2, kind, 0, 1, Q[0].copy(), Q[1].copy())
    assert state.active[: count.active_size].tolist() == [0]
    assert (state.a.tolist(), state.s.tolist()) == ([1.0, 0.0], Q[0].tolist())
    assert (real.objective, count.drop_steps) == (Q[0, 0], kind != Step.TOWARD)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize(
    ("method", "cache_mb"),
    [*((method, 1.0) for method in STEP_METHODS), ("cvm", 2e-3), ("cvm", 0.02), ("cvm", 50.0)],
)
def test_state_of_the_coreset_is_exact_after_every_step(monkeypatch, method, cache_mb, kernel):
    """Points are added, dropped and moved to other places. The gradient, the objective and the
    stored data of each point must stay correct.
    """
    X, y = two_classes(1, 150, noise=0.02)
    C = 0.1 if method == "cvm" else 20.0
    Q, problem = dual_matrix(X, y, KERNELS[kernel], C), dual_problem(X, y, KERNELS[kernel], C)
    sizes, scale = [], Q.max()

    def check(driver):
        n, state, a = driver.size, driver.state, np.zeros(150)
        ids = driver.ids[:n]
        a[ids] = state.a[:n]
        sizes.append(n)
        # after the first 300 steps, only every fifth step is checked
        if len(sizes) > 300 and len(sizes) % 5:
            return
        assert len(set(ids)) == n == np.count_nonzero(driver.local >= 0)
        np.testing.assert_array_equal(driver.local[ids], np.arange(n))
        np.testing.assert_array_equal(driver.stored_labels[:n], y[ids])
        np.testing.assert_allclose(state.s[:n], (Q @ a)[ids], atol=1e-9 * scale)
        np.testing.assert_allclose(driver.objective, a @ Q @ a, atol=1e-9 * scale)
        np.testing.assert_allclose(state.diagonal[:n], Q.diagonal()[ids])
        active = driver.active
        np.testing.assert_array_equal(np.sort(active), np.flatnonzero(state.a[:n] > 0))
        np.testing.assert_array_equal(state.position[active], np.arange(len(active)))
        if method != "cvm":
            assert len(active) == n
        elif len(sizes) % 5 == 0:
            slots = driver.columns.slots
            for slot, place in enumerate(cached(slots)):
                np.testing.assert_allclose(
                    driver.columns.columns[slot, :n], Q[ids[place], ids], atol=1e-12 * scale
                )
                assert slots.slot_of[place] == slot

    monkeypatch.setattr(cvm, "_CORESET_ONLY_ABOVE", 0)
    monkeypatch.setattr(coreset_drivers, "CoresetDriver", StubbornCoresetDriver)
    monkeypatch.setattr(cvm, "CvmCoresetDriver", StubbornCvmCoresetDriver)
    solution = solve(
        problem,
        method,
        selection="sampled_libcvm",
        sample_size=7,
        init="random_meb",
        random_state=4,
        eps=1e-4,
        column_dtype="float64",
        trace=True,
        callback=check,
        cache_mb=cache_mb,
        inner_tolerance=1e-2,
        max_iterations=1500 if method == "cvm" else 250,
    )
    if method in ("fw", "cvm") and kernel == "rbf":
        assert max(sizes) > 64  # the coreset has outgrown its first arrays
    if method in ("mfw", "swap", "swap2o", "pfw"):
        assert solution.drop_steps >= 3 and np.diff(sizes).min() < 0


@pytest.mark.parametrize("method", ["fw", "mfw"])
def test_a_step_of_length_one_forgets_all_other_points(method):
    """The point nearest to the origin is the solution. There, every other point has a larger
    gradient.
    """
    X, drivers = np.random.default_rng(0).normal((10.0, 0.0), 0.3, size=(300, 2)), []
    X[17] = (1.0, 0.0)
    solve(
        dual_problem(X, np.ones(300), KERNELS["linear"], 0.5),
        method,
        selection="sampled_text",
        sample_size=5,
        patience=300,
        random_state=3,
        eps=1e-2,
        trace=True,
        callback=drivers.append,
    )
    driver = drivers[-1]
    assert (
        driver.size == 1
        and driver.ids[0] == 17
        and np.flatnonzero(driver.local >= 0).tolist() == [17]
    )


@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize("seed", range(5))
def test_the_second_order_vertex_and_swap_decrease_the_objective_most(n, seed):
    rng, (state, *_) = np.random.default_rng(seed), state_of(n, range(6))
    Q = np.cov(rng.normal(size=(n, 2 * n))) + 0.1
    state.a[:6] = rng.dirichlet(np.ones(6))
    state.s[:], state.diagonal[:] = Q @ state.a, Q.diagonal()
    refresh_objective(state)
    i, s, R = int(state.s.argmin()), state.s, fields_of(state.real).objective
    gains = [
        max(s[j] - s[i], 0.0) ** 2 / (Q[i, i] - 2.0 * Q[i, j] + Q[j, j] or 1.0) for j in range(6)
    ]
    j = second_order_vertex(state, n, i, Q[i])
    assert j == np.argmax(gains)
    toward = (R - s[i]) ** 2 / (Q[i, i] - 2.0 * s[i] + R)
    assert METHODS["swap2o"].select_step(state, n, i, Q[i])[0] == (
        Step.TOWARD if toward > gains[j] else Step.SWAP
    )
