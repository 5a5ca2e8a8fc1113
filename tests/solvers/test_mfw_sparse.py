"""M-FW (alaiz2018): its steps in plain numpy, its lemma, its certificate, and its variant without 1/C."""

import numpy as np
import pytest
from qp_oracles import KERNELS, dual_matrix, dual_problem, optimum, two_classes
from reference_methods import Recorded, lowest, swap, target_gap

from fwsvm import FrankWolfeSVC, MatrixProblem, solve


def follow(Q, recorded, start, eps):
    """Check all recorded steps against M-FW as its description reads; returns the subsample."""
    active = [start]
    while True:
        s = Q @ recorded.a
        R = recorded.a @ s
        inactive = np.setdiff1d(np.arange(len(Q)), active)
        activates = len(inactive) > 0 and s[inactive].min() < 0
        if not activates and 2.0 * (R - s[active].min()) <= target_gap("meb", eps, Q, R):
            return np.sort(active)
        if activates:
            active.append(inactive[s[inactive].argmin()])
        support = np.flatnonzero(recorded.a > 0)
        recorded.check(swap(Q, recorded.a, i, j) for i in lowest(s, active) for j in lowest(-s, support))


@pytest.mark.parametrize("start", [0, 17, 44])
@pytest.mark.parametrize("kernel", KERNELS)
def test_it_does_what_the_description_says(kernel, start):
    X, y = two_classes(3, 60)
    Q = dual_matrix(X, y, KERNELS[kernel], 4.0)
    found = solve(
        MatrixProblem(Q), "mfw_sparse", init=start, eps=1e-3, column_dtype="float64", trace=True, trace_iterates=True
    )
    recorded = Recorded(found.trace, 60)
    np.testing.assert_array_equal(follow(Q, recorded, start, 1e-3), found.subsample)
    assert recorded.left == 0 and found.stop_reason == "converged"
    np.testing.assert_array_equal(np.flatnonzero(recorded.a), found.support)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kernel", KERNELS)
def test_lemma_it_is_the_plain_machine_on_the_subsample_it_activated(kernel, seed):
    C = (0.5, 4.0, 30.0, 300.0, 4.0)[seed]
    X, y = two_classes(seed, 150, storage="csr" if seed == 4 else "dense")
    problem = dual_problem(X, y, KERNELS[kernel], C)
    found = solve(problem, "mfw_sparse", init="random_point", stop="relative", eps=1e-8, random_state=seed)
    assert found.stop_reason == "converged"
    Q = dual_matrix(X, y, KERNELS[kernel], C)
    best, a = optimum(Q[np.ix_(found.subsample, found.subsample)])
    assert found.objective == pytest.approx(best, rel=1e-8)
    assert set(found.support) <= set(found.subsample)
    dense = np.zeros(150)
    dense[found.support] = found.weights
    np.testing.assert_allclose(dense[found.subsample], a, atol=1e-3 * a.max())
    s = Q @ dense
    # nothing is left to activate, and both certificates are what they say
    outside = np.setdiff1d(np.arange(150), found.subsample)
    assert np.all(s[outside] >= -1e-9)
    assert found.subsample_gap == pytest.approx(2 * (dense @ s - s[found.subsample].min()), abs=1e-10)
    assert found.gap == pytest.approx(2 * (dense @ s - s.min()), rel=1e-6, abs=1e-10)
    assert found.subsample_gap <= 1e-8 * found.objective
    assert found.objective >= optimum(Q)[0] * (1 - 1e-9)
    assert found.objective - found.gap <= optimum(Q)[0]


def test_hard_margin_variant_on_separable_data():
    """1/C = 0: the plain hard-margin machine on the subsample, from the ridge's limit."""
    X, y = two_classes(2, 80)
    found = solve(dual_problem(X, y, KERNELS["rbf"], np.inf), "mfw_sparse", init=5, stop="relative", eps=1e-6)
    assert found.stop_reason == "converged"
    Q = dual_matrix(X, y, KERNELS["rbf"], np.inf)
    Q = Q[np.ix_(found.subsample, found.subsample)]
    assert found.objective == pytest.approx(optimum(Q + 1e-10 * np.eye(len(Q)))[0], rel=1e-4)


def test_small_C_gives_a_sparser_machine_than_the_plain_one():
    """alaiz2018 sec. 4: where nearly every point is a support vector of the plain machine."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1.0, -1.0)
    sparse_model = FrankWolfeSVC("mfw_sparse", init=3, gamma=0.5, C=1e-3, stop="relative", eps=1e-8).fit(X, y)
    plain = FrankWolfeSVC("pfw", init="random_point", gamma=0.5, C=1e-3, stop="relative", eps=1e-8).fit(X, y)
    assert len(sparse_model.support_) < 0.5 * len(plain.support_)
    assert abs(sparse_model.score(X, y) - plain.score(X, y)) < 0.05


@pytest.mark.parametrize("method", ["mfw_sparse", "pfw", "fw", "mfw", "swap", "swap2o", "cvm"])
def test_training_starts_from_the_point_it_is_given(method):
    X, y = two_classes(0, 50)
    problem = dual_problem(X, y, KERNELS["rbf"], 2.0)
    found = solve(problem, method, init=7, eps=1e-3, trace=True, trace_iterates=True)
    indices, weights = found.trace.iterates[0]
    assert (indices.tolist(), weights.tolist()) == ([7], [1.0])
    one = solve(problem, method, init="random_point", eps=1e-3, random_state=1)
    assert one.iterations == solve(problem, method, init="random_point", eps=1e-3, random_state=1).iterations


def test_room_for_three_columns_changes_no_step():
    """Loading the second column of a step must not evict the first."""
    X, y = two_classes(2, 150, d=2, noise=0.1)
    problem = dual_problem(X, y, KERNELS["linear"], 4.0)
    all_of_it, three = (
        solve(problem, "mfw_sparse", init=3, stop="relative", eps=1e-6, cache_mb=cache_mb) for cache_mb in (200.0, 1e-6)
    )
    assert (three.iterations, three.objective) == (all_of_it.iterations, all_of_it.objective)
    assert three.kernel_evaluations > all_of_it.kernel_evaluations


def test_bad_settings_are_named():
    X, y = two_classes(0, 50)
    problem = dual_problem(X, y, KERNELS["rbf"], 2.0)
    with pytest.raises(ValueError, match="all points: selection must be 'full'"):
        solve(problem, "mfw_sparse", selection="sampled_text")
    with pytest.raises(ValueError, match="init=50: there are only 50 points"):
        solve(problem, "mfw_sparse", init=50)
    for init in (-1, True, 1.5):
        with pytest.raises(ValueError, match="init must be one of"):
            solve(problem, "mfw_sparse", init=init)
