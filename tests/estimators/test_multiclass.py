"""Test one-versus-one classification. Pairs, votes and the joint evaluation are compared with
separate computations for each pair.
"""

import itertools
import os
import signal
import time
from threading import Barrier

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from fwsvm import FrankWolfeSVC, Kernel, KernelMatrix, KernelProblem, solve
from fwsvm.estimators.decisions import class_scores, decision_values, votes
from fwsvm.estimators.messages import Progress
from fwsvm.estimators.one_versus_one import PairTraining
from fwsvm.estimators.pairs import PairProblems, class_pairs
from fwsvm.estimators.time_budget import TimeBudget
from fwsvm.solvers.settings import Settings

KERNEL = Kernel("rbf", 0.5)
SETTINGS = {"method": "swap", "eps": 1e-6, "stop": "relative"}


@pytest.fixture(scope="module")
def four_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    codes = np.digitize(X[:, 0] + 0.3 * rng.normal(size=120), [-0.8, 0.0, 0.7])
    return X, codes


@pytest.fixture
def recorded(monkeypatch):
    """Return a list to which each training of a pair adds a dict with the size of the pair and its
    settings.
    """
    pairs = []

    def recording(problem, settings, **more):
        found = solve(problem, settings, **more)
        pairs.append(
            {"size": problem.size, "iterations": found.iterations, **vars(settings), **more}
        )
        return found

    monkeypatch.setattr("fwsvm.estimators.fine_solutions.solve", recording)
    return pairs


def test_the_bounds_for_the_sum_of_the_objectives():
    """The largest gap of all pairs is not a bound for the sum of the pairs' objectives."""
    X, y = load_digits(return_X_y=True)
    rough, fine = (
        FrankWolfeSVC("fw", eps=0.01).fit(X[:600], y[:600]),
        FrankWolfeSVC(eps=1e-8).fit(X[:600], y[:600]),
    )
    bound = sum(solution.gap for solution in rough.pair_solutions_)
    assert rough.gap_ < rough.objective_ - fine.objective_ <= bound
    assert bound <= rough.relative_gap_ * rough.objective_


def fit_at(C, X, codes, n_classes, seed, settings, n_jobs=1):
    """Train with `PairTraining` for a single C, and return the fit."""
    quiet = {"weights": None, "progress": Progress("", 0, [], [C])}
    training = PairTraining(
        X, codes, n_classes, KERNEL, [C], seed, Settings(**settings), n_jobs, **quiet
    )
    (fit,) = training.fits()
    return fit


def by_hand(X, codes, positive, negative, C=2.0):
    """Return the support vectors (as row numbers) and the decision function of a pair that is
    trained alone.
    """
    rows = np.flatnonzero((codes == positive) | (codes == negative))
    y = np.where(codes[rows] == positive, 1.0, -1.0)
    solution = solve(KernelProblem(KernelMatrix(X[rows], KERNEL), y, C), random_state=0, **SETTINGS)
    support, weights = rows[solution.support], solution.weights * y[solution.support]
    return support, lambda Z: (rbf_kernel(Z, X[support], gamma=KERNEL.gamma) + 1.0) @ weights


def test_joint_decisions_are_those_of_each_pair_by_hand(four_classes):
    X, codes = four_classes
    Z = np.random.default_rng(1).normal(size=(300, 3))
    fit = fit_at(2.0, X, codes, 4, 0, SETTINGS)
    decisions = decision_values(X[fit.support], fit.coefficients, KERNEL, Z)
    assert decisions.shape == (300, 6)
    tally = np.zeros((300, 4), dtype=int)
    everybody = set()
    for column, (positive, negative) in enumerate(class_pairs(4)):
        support, h = by_hand(X, codes, positive, negative)
        everybody |= set(support)
        np.testing.assert_allclose(decisions[:, column], h(Z), atol=1e-5)
        tally[np.arange(300), np.where(decisions[:, column] > 0, positive, negative)] += 1
    assert set(fit.support) == everybody
    np.testing.assert_array_equal(votes(decisions, 4), tally)
    model = FrankWolfeSVC(sigma2=1.0, C=2.0, stop="relative", random_state=0).fit(X, codes)
    np.testing.assert_array_equal(model.predict(Z), tally.argmax(axis=1))
    np.testing.assert_allclose(np.abs(fit.coefficients).sum(axis=0), 1.0)


@pytest.mark.parametrize(("binary", "share"), [(True, 0.2), (False, 0.2), (False, 0.9)])
def test_a_pair_of_a_view_is_trained_as_on_its_own_points(binary, share):
    rng = np.random.default_rng(3)
    X = sparse.random(900, 30, share, random_state=4, format="csr")
    X.data[:] = 1.0 if binary else X.data
    codes = (np.asarray(X[:, :9].sum(axis=1)).ravel() + rng.normal(size=900) > 0.9).astype(
        int
    ) + 2 * (rng.random(900) < 0.3)
    for kernel in (KERNEL, Kernel("poly", 0.2)):
        members = [np.flatnonzero(codes == code) for code in range(4)]
        problems = PairProblems(X, codes, members, kernel, shares_blocks=False)
        rows, labels = problems.points(4)
        view, _ = problems.matrix(4, rows)
        assert problems.pairs[4] == (1, 3)
        copied = KernelMatrix(X[rows], kernel)
        for method, selection in itertools.product(
            ("fw", "mfw", "swap", "swap2o", "cvm"), ("full", "sampled_text")
        ):
            one, two = (
                solve(
                    KernelProblem(K, labels, 8.0),
                    method,
                    selection=selection,
                    random_state=5,
                    max_iterations=400,
                )
                for K in (view, copied)
            )
            np.testing.assert_array_equal(one.support, two.support)
            np.testing.assert_array_equal(one.weights, two.weights)
            assert (one.objective, one.gap, one.kernel_path) == (
                two.objective,
                two.gap,
                two.kernel_path,
            )


def test_votes_and_ties():
    """The pairs are (0, 1), (0, 2) and (1, 2). A decision of zero is a vote for the second class.
    If each class wins once, there is a tie.
    """
    decisions = np.array(
        [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [-1.0, -1.0, -1.0]]
    )
    np.testing.assert_array_equal(
        votes(decisions, 3), [[2, 1, 0], [1, 2, 0], [1, 1, 1], [0, 1, 2], [0, 1, 2]]
    )
    assert votes(decisions, 3).argmax(axis=1)[2] == 0  # a tie is decided for the first class
    np.testing.assert_array_equal(
        votes(np.array([[0.5], [-0.5], [0.0]]), 2), [[0, 1], [1, 0], [1, 0]]
    )


def test_class_scores_keep_the_order_of_the_votes():
    rng = np.random.default_rng(0)
    decisions = 50.0 * rng.normal(size=(500, 10))
    counts, scores = votes(decisions, 5), class_scores(decisions, 5)
    for tally, score in zip(counts, scores, strict=True):
        for i in range(5):
            for j in range(5):
                if tally[i] > tally[j]:
                    assert score[i] > score[j]
    assert np.abs(scores - counts).max() < 0.5
    # if votes are equal, the class with the larger sum of decision values is first
    circle = class_scores(np.array([[1.0, -2.0, 0.5]]), 3)[0]
    assert list(circle.argsort()) == [0, 1, 2]  # the sums are -1, -0.5 and 1.5


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_votes_and_scores_are_those_of_a_loop_over_the_pairs(n_classes):
    """The sums are equal to the last bit, for one point as for many."""
    pairs = class_pairs(n_classes)
    decisions = np.random.default_rng(2).normal(size=(40, len(pairs)))
    decisions[:5] = 0.0
    for rows in (decisions, decisions[7:8]):
        tally, sums = np.zeros((2, len(rows), n_classes))
        for column, (positive, negative) in enumerate(pairs):
            wins = rows[:, column] > 0
            tally[np.arange(len(rows)), np.where(wins, positive, negative)] += 1
            sums[:, positive] += rows[:, column]
            sums[:, negative] -= rows[:, column]
        np.testing.assert_array_equal(votes(rows, n_classes), tally)
        scores = tally + sums / (3.0 * (np.abs(sums) + 1.0))
        np.testing.assert_array_equal(class_scores(rows, n_classes), scores)


def test_time_limit_is_shared_by_the_pairs(four_classes, recorded):
    X, codes = four_classes
    fit_at(1.0, X, codes, 4, 0, {"method": "swap", "eps": 1e-2, "time_limit": 1e6})
    sizes = np.array([pair["size"] for pair in recorded], dtype=float)
    # A pair gets a fifth of the remaining time, or the share that corresponds to its squared size,
    # whichever is larger.
    for place, size in enumerate(sizes):
        share = max(0.2, size**2 / np.sum(sizes[place:] ** 2))
        assert recorded[place]["time_limit"] == pytest.approx(1e6 * share, rel=1e-3)
    fit = fit_at(
        1e6, X, codes, 4, 0, {"method": "fw", "eps": 1e-9, "stop": "relative", "time_limit": 1e-3}
    )
    assert fit.stop_reason == "time_limit"
    budget = TimeBudget(60.0, np.full(2, 100.0), 1)
    # in another thread, a later pair can begin first
    assert budget.share(1, 0) == budget.share(0, 0) == 30.0


def test_both_attempts_at_a_small_problem_count(recorded, monkeypatch):
    monkeypatch.setattr("fwsvm.estimators.fine_solutions._FEW_STEPS", 2)
    # the general solver trains the pair
    monkeypatch.setattr("fwsvm.estimators.one_versus_one.takes", lambda *given: False)
    X, y = make_blobs(60, centers=2, cluster_std=4.0, random_state=0)
    model = FrankWolfeSVC(time_limit=50.0, random_state=0).fit(X, y)
    first, second = (pair["iterations"] for pair in recorded)
    assert first == 2 < second and model.n_iter_ == first + second
    assert 1.0 < recorded[1]["time_limit"] < 50.0  # the time that the first attempt left


def test_an_interrupt_reaches_the_other_threads(monkeypatch):
    """Two threads train six pairs. Without an interrupt, no training would end."""
    both_train, ends = Barrier(2, action=lambda: os.kill(os.getpid(), signal.SIGINT)), []

    def recording(problem, settings, **more):
        both_train.wait()
        ends.append(solve(problem, settings, **more).stop_reason)
        raise AssertionError("the next pair would be trained")

    monkeypatch.setattr("fwsvm.estimators.fine_solutions.solve", recording)
    X, y = make_blobs(400, centers=4, cluster_std=8.0, random_state=0)
    model = FrankWolfeSVC("fw", C=1e4, gamma=0.5, eps=1e-14, max_iter=10**9, n_jobs=2)
    # the signal is ignored if the tests run in the background
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        signal.signal(signal.SIGINT, before)
    until = time.monotonic() + 60
    # `fit` does not wait for a thread whose start was interrupted
    while len(ends) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert ends == ["interrupted", "interrupted"]
