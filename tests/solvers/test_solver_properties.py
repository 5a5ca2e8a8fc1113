"""Properties of every method on random small problems: feasibility, descent, certificate, invariances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from qp_oracles import METHODS, STEP_METHODS, optimum
from reference_methods import target_gap

from fwsvm import MatrixProblem, solve
from fwsvm.solvers.constants import Step
from fwsvm.solvers.passes import find_extremes, update_one, update_two
from fwsvm.solvers.state import activate, new_state
from fwsvm.solvers.steps import take_step
from fwsvm.solvers.vertices import lowest_active, second_order_away_vertex, second_order_vertex

by_method = pytest.mark.parametrize("method", METHODS)


@st.composite
def matrices(draw):
    """Q (n, n), n = 2..12: a Gram matrix of any rank, points perhaps repeated, and a ridge; entries of many sizes."""
    n, rank = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    points = rng.normal(size=(n, rank)) * draw(st.sampled_from([0.1, 1.0, 10.0]))
    if draw(st.booleans()):
        points = np.round(points)  # ties and zeros
    if draw(st.booleans()):
        points = points[rng.integers(0, n, n)]  # equal points
    if draw(st.booleans()):
        points += draw(st.sampled_from([1.0, 5.0]))  # all on one side, as the offset of a bias puts them
    return points @ points.T + draw(st.sampled_from([0.05, 0.5, 5.0])) * np.eye(n)


seeds = st.integers(0, 2**16)


def train(Q, method, seed, **changes):
    """To a relative gap of 1e-6 (1e-2 for FW), from a pair of points."""
    chosen = dict(
        init="farthest_pair",
        stop="relative",
        eps=1e-2 if method == "fw" else 1e-6,
        max_iterations=3000,
        random_state=seed,
    )
    return solve(MatrixProblem(Q), method, **{**chosen, **changes})


def weights_of(solution, n):
    a = np.zeros(n)
    a[solution.support] = solution.weights
    return a


@by_method
@given(Q=matrices(), seed=seeds)
def test_solution_is_feasible_and_its_certificate_holds(method, Q, seed):
    n, scale = len(Q), Q.max()
    solution = train(Q, method, seed)
    assert np.all(solution.weights > 0)
    assert solution.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.diff(solution.support) > 0)
    a = weights_of(solution, n)
    R, s = a @ Q @ a, Q @ a
    assert solution.objective == pytest.approx(R, abs=1e-12 * scale)
    assert solution.gap == pytest.approx(max(2.0 * (R - s.min()), 0.0), abs=1e-11 * scale)
    best, _ = optimum(Q)
    assert solution.objective >= best - 1e-9 * scale
    assert solution.gap >= solution.objective - best - 1e-9 * scale
    if solution.stop_reason == "converged":
        assert solution.gap <= (1e-2 if method == "fw" else 1e-6) * solution.objective
    else:
        assert (solution.stop_reason, solution.iterations) == ("iteration_limit", 3000)


@by_method
@given(Q=matrices(), seed=seeds)
def test_every_iterate_is_feasible_and_no_step_goes_up(method, Q, seed):
    n, scale = len(Q), Q.max()
    trace = train(Q, method, seed, trace_iterates=True, column_dtype="float64", max_iterations=200).trace
    A = np.zeros((len(trace.iterates), n))
    for a, (indices, weights) in zip(A, trace.iterates, strict=True):
        assert np.all(weights > 0)
        a[indices] = weights
    np.testing.assert_allclose(A.sum(axis=1), 1.0, atol=1e-12)
    S = A @ Q
    R = np.einsum("ij,ij->i", A, S)
    np.testing.assert_allclose(trace.objective, R, atol=1e-12 * scale)  # the recursions equal recomputation
    np.testing.assert_allclose(trace.gap, 2.0 * (R - S.min(axis=1)), atol=1e-11 * scale)
    assert np.diff(trace.objective).max(initial=0.0) <= 1e-13 * scale
    assert min(trace.step_size) >= 0.0


@by_method
@given(Q=matrices(), seed=seeds, order=st.randoms(use_true_random=False))
def test_order_of_the_points_does_not_matter(method, Q, seed, order):
    permutation = np.arange(len(Q))
    order.shuffle(permutation)
    one, other = train(Q, method, seed), train(Q[np.ix_(permutation, permutation)], method, seed)
    assert abs(one.objective - other.objective) <= max(one.gap, other.gap) + 1e-12 * Q.max()


@by_method
@given(Q=matrices(), seed=seeds, exponent=st.integers(-8, 8))
def test_scale_of_the_matrix_does_not_matter(method, Q, seed, exponent):
    """A power of two scales every number without rounding, so steps are equal bit for bit (but for CVM)."""
    factor = 2.0**exponent
    scaled_tolerance = 1e-3 * factor
    one = train(Q, method, seed)
    other = train(factor * Q, method, seed, inner_tolerance=scaled_tolerance)
    if method == "cvm":
        assert abs(one.objective - other.objective / factor) <= max(one.gap, other.gap / factor) + 1e-12 * Q.max()
        return
    np.testing.assert_array_equal(one.support, other.support)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert other.objective == factor * one.objective
    assert other.gap == factor * one.gap
    assert other.iterations == one.iterations


@by_method
@given(Q=matrices(), seed=seeds)
def test_same_seed_gives_the_same_run(method, Q, seed):
    one, other = (train(Q, method, seed, trace=True, selection="sampled_libcvm", sample_size=3) for _ in range(2))
    np.testing.assert_array_equal(one.support, other.support)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert one.trace.objective == other.trace.objective
    assert (one.samples, one.kernel_evaluations, one.gap) == (other.samples, other.kernel_evaluations, other.gap)


@pytest.mark.parametrize("method", STEP_METHODS)
@given(Q=matrices(), seed=seeds)
def test_a_sample_of_all_points_is_full_selection(method, Q, seed):
    same = dict(trace_iterates=True, column_dtype="float64", max_iterations=100)
    full = train(Q, method, seed, **same)
    sampled = train(Q, method, seed, selection="sampled_text", sample_size=len(Q), **same)
    assert full.trace.step == sampled.trace.step
    assert full.trace.step_size == sampled.trace.step_size
    assert full.trace.objective == sampled.trace.objective
    for (i, a), (j, b) in zip(full.trace.iterates, sampled.trace.iterates, strict=True):
        np.testing.assert_array_equal(i, j)
        np.testing.assert_array_equal(a, b)
    assert sampled.stop_reason == {"converged": "no_violation_in_samples"}.get(full.stop_reason, full.stop_reason)


@by_method
@given(Q=matrices(), seed=seeds, rule=st.sampled_from(["meb", "gap", "relative"]), power=st.integers(1, 4))
def test_training_ends_at_the_first_iterate_that_meets_the_rule(method, Q, seed, rule, power):
    eps = 10.0**-power * (Q.max() if rule == "gap" else 1.0)
    solution = train(Q, method, seed, stop=rule, eps=eps, trace=True, column_dtype="float64")
    targets = np.array([target_gap(rule, eps, Q, R) for R in solution.trace.objective])
    gaps = np.array(solution.trace.gap)
    if solution.stop_reason == "converged":
        assert solution.gap <= target_gap(rule, eps, Q, solution.objective) * (1 + 1e-12)
        assert gaps[-1] <= targets[-1] * (1 + 1e-9)
    if method != "cvm":  # its inner steps do not look at the rule
        assert np.all(gaps[:-1] > targets[:-1] * (1 - 1e-9))


@pytest.mark.parametrize("Q", [[[2.0]], [[2.0, 2.0], [2.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]]])
@by_method
def test_smallest_problems(method, Q):
    """One point, two equal points without a ridge, an exact optimum halfway, an optimum of zero."""
    solution = solve(MatrixProblem(Q), method, init="farthest_pair", stop="gap", eps=1e-9, random_state=0)
    best = {1: 2.0, 2: 2.0}.get(len(Q)) if Q[0][0] == 2.0 else (0.5 if Q[0][1] == 0.0 else 0.0)
    assert solution.objective == pytest.approx(best, abs=1e-12)
    assert solution.stop_reason == "converged"
    assert 0.0 <= solution.gap <= 1e-9


@pytest.mark.parametrize("method", ["pfw", "swap", "swap2o"])
def test_a_swap_without_curvature_moves_all_the_weight(method):
    """Rounding can make Q_ii - 2 Q_ij + Q_jj zero or negative: the longest step is then the best."""
    Q = [[1.0, 1.5], [1.5, 1.8]]
    solution = solve(MatrixProblem(Q), method, init=1, stop="gap", eps=1e-9, max_iterations=50)
    assert (solution.stop_reason, solution.support.tolist(), solution.objective) == ("converged", [0], 1.0)


@pytest.mark.parametrize("n", [10, 40])
def test_of_equal_second_order_gains_the_first_point_is_chosen(n):
    """Three active points of n = 40 are searched one by one, of n = 10 in passes over all points."""
    state = new_state(n)
    state.diagonal[:] = 1.0
    for j in (7, 3, 5):
        activate(state, j)
        state.s[j] = 1.0
    assert second_order_vertex(state, n, 0, np.zeros(n)) == 3
    assert second_order_away_vertex(state) == lowest_active(state) == 3


def test_the_second_order_away_vertex_weighs_the_curvature():
    state = new_state(2)
    state.s[:], state.diagonal[:] = (1.0, 1.2), (2.05, 2.6)  # R = 0: gains 1 / 0.05 and 1.44 / 0.2
    activate(state, 0)
    activate(state, 1)
    assert second_order_away_vertex(state) == 0


@pytest.mark.parametrize(("method", "kind"), [("mfw", "toward"), ("mfw2o", "toward"), ("swap", "swap")])
def test_the_kind_of_step_is_settled_where_both_promise_the_same(method, kind):
    """At a = (1/2, 1/2) R - s_i = s_j - R = 1/4, and the gains of all kinds of steps are 1/4."""
    problem = MatrixProblem([[1.0, 1.0], [1.0, 2.0]])
    solution = solve(problem, method, init="farthest_pair", stop="gap", eps=1e-9, random_state=0, trace=True)
    assert solution.trace.step[1] == kind


def test_of_equal_scores_the_first_point_is_chosen_within_and_across_tiles():
    n = 600
    state, zero = new_state(n), np.zeros(n)
    state.s[:] = np.where(np.isin(np.arange(n), (5, 6, 400)), 0.0, 1.0)
    for j in (7, 8, 300):
        activate(state, j)
    for look in (
        lambda: find_extremes(state, n),
        lambda: update_one(state, n, 1.0, 0.0, zero),
        lambda: update_two(state, n, 0.0, zero, zero),
    ):
        state.count["fw_vertex"] = state.count["away_vertex"] = -1
        look()
        assert (state.count["fw_vertex"][0], state.count["away_vertex"][0]) == (5, 7)


@pytest.mark.parametrize("kind", Step)
@pytest.mark.parametrize("Q", [[[1.0, 1.0], [1.0, 2.0]], [[1.0, 1.5], [1.5, 4.0]]])
def test_a_step_as_long_as_its_bound_or_longer_drops_the_point(kind, Q):
    """From a = (1/2, 1/2) every kind of step ends at the first vertex: exactly at its bound, and clipped there."""
    Q, state = np.array(Q), new_state(2)
    state.a[:], state.s[:], state.diagonal[:] = 0.5, Q.mean(axis=1), Q.diagonal()
    state.real["objective"] = Q.mean()
    activate(state, 0)
    activate(state, 1)
    take_step(state, 2, kind, 0, 1, Q[0].copy(), Q[1].copy())
    assert state.active[: state.count[0]["active_size"]].tolist() == [0]
    assert (state.a.tolist(), state.s.tolist()) == ([1.0, 0.0], Q[0].tolist())
    assert (state.real["objective"][0], state.count["drop_steps"][0]) == (Q[0, 0], kind != Step.TOWARD)
