"""Compare the papers' bounds with three things: problems solved by hand, exact probabilities and
SciPy.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import hypergeom, linregress

import fwsvm
from fwsvm_papers.studies.theory import bounds


def test_guarantee_of_the_rule_on_two_points_solved_by_hand():
    # Q = [[2, 1], [1, 2]] gives R(a) = 2 - 2 t + 2 t^2 for a = (1 - t, t). So R* = 3/2 at t = 1/2.
    Q = np.array([[2.0, 1.0], [1.0, 2.0]])
    t = 0.25
    a = np.array([1 - t, t])
    R = 2 - 2 * t + 2 * t * t
    gap = 2 * (R - (Q @ a).min())
    # The farthest point is e_2. Its squared distance is D + R - 2 s_2, and r^2 = D - R.
    eps = np.sqrt((2 + R - 2 * (Q @ a)[1]) / (2 - R)) - 1
    assert gap == pytest.approx(bounds.allowed_gap(eps, 2.0, R))
    assert bounds.guarantee(eps, 2.0, R) == pytest.approx(gap / R)
    assert gap >= R - 1.5


@pytest.mark.parametrize("method", ["fw", "mfw", "swap", "swap2o", "cvm"])
@pytest.mark.parametrize("eps", [0.1, 1e-2, 1e-3])
def test_rule_on_all_points_keeps_its_guarantee(method, eps):
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(30, 6)) + 1.0
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    Q = Z @ Z.T + 0.1 * np.eye(30)
    solution = fwsvm.solve(fwsvm.MatrixProblem(Q), method, stop="meb", eps=eps, random_state=0)
    limit = bounds.guarantee(eps, 1.1, solution.objective)
    assert solution.relative_gap <= limit * (1 + 1e-9)
    best = minimize(
        lambda b: b @ Q @ b,
        np.full(30, 1 / 30),
        jac=lambda b: 2 * Q @ b,
        bounds=[(0, 1)] * 30,
        constraints={"type": "eq", "fun": lambda b: b.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    ).fun
    assert solution.objective - best <= limit * solution.objective + 1e-9


def test_diagonal_is_that_of_the_kernel_of_the_ball():
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([1, -1, 1])
    matrix = fwsvm.KernelMatrix(X, fwsvm.Kernel("rbf", 0.7))
    problem = fwsvm.KernelProblem(matrix, y, C=8.0)
    assert bounds.diagonal(8.0) == problem.largest_diagonal == 2.125


@pytest.mark.parametrize("m", [7, 8])
def test_exact_chance_counts_all_samples(m):
    for share, size in ((0.3, 3), (0.0, 2), (0.5, 4)):
        ranks = [min(chosen) for chosen in combinations(range(m), size)]
        counted = Fraction(sum(rank <= share * m for rank in ranks), len(ranks))
        assert bounds.exact_chance_of_best(share, size, m, False) == pytest.approx(float(counted))


def test_chance_of_59_and_60_points_is_above_the_bound():
    m, good = 1605, 81  # 80 better points are a share of 4.98 %, and 81 would be 5.05 %
    without = 1 - hypergeom(m, good, 59).pmf(0)
    assert bounds.exact_chance_of_best(0.05, 59, m, False) == pytest.approx(without)
    assert bounds.exact_chance_of_best(0.05, 60, m, True) == pytest.approx(1 - (1 - good / m) ** 60)
    assert 0.95 < bounds.chance_of_best(0.05, 59) < without
    # so 59 is the size of the smallest sample that suffices
    assert bounds.chance_of_best(0.05, 58) < 0.95


def test_rates_of_exact_laws_are_found_in_the_tail():
    steps = np.arange(1, 2001)
    linear = bounds.fitted_rates(steps, 3 * np.exp(-0.01 * steps))
    assert linear["linear"]["slope"] == pytest.approx(-0.01)
    assert linear["linear"]["intercept"] == pytest.approx(np.log(3))
    assert linear["linear"]["explained"] == pytest.approx(1.0)
    assert linear["power"]["explained"] < 0.995
    power = bounds.fitted_rates(steps, 5.0 / steps)
    assert power["power"]["slope"] == pytest.approx(-1.0)
    assert power["power"]["intercept"] == pytest.approx(np.log(5))
    assert power["linear"]["explained"] < 0.9


def test_fit_is_least_squares_over_the_last_half_of_log_h():
    rng = np.random.default_rng(0)
    steps = np.arange(1, 401)
    h = np.exp(-0.02 * steps + 0.1 * rng.normal(size=400))
    first = next(k for k in range(400) if np.log(h[k]) <= (np.log(h[0]) + np.log(h[-1])) / 2)
    assert bounds.tail_of(h) == slice(first, None)
    expected = linregress(steps[first:], np.log(h[first:]))
    found = bounds.fitted_rates(steps, h)["linear"]
    assert found["slope"] == pytest.approx(expected.slope)
    assert found["explained"] == pytest.approx(expected.rvalue**2)


def chain(n):
    """Return a positive definite matrix on which SWAP goes from point 0 to points 1, 2 and so on
    (docs/theory.md).

    Each step moves the whole weight to the next point.
    """
    steps = 0.2 ** np.arange(n)
    Q = np.diag(1.0 + np.cumsum(steps[::-1])[::-1])
    for k in range(n - 1):
        others = Q[k + 1, k + 1] + steps[k] * (0.05 + 0.01 * np.arange(n - 1 - k) / n)
        Q[k, k + 1 :] = Q[k + 1 :, k] = others
    return Q


@pytest.mark.parametrize("n", [3, 5, 8])
def test_every_step_can_be_a_drop_step_that_adds_a_point(n):
    Q, at, drops = chain(n), 0, 0
    assert np.linalg.eigvalsh(Q).min() > 0
    # These are SWAP's steps. All weight is on one point, so a swap step from this point to another
    # is equal to a step towards the other point.
    while (towards := Q[:, at].argmin()) != at:
        length = (Q[at, at] - Q[towards, at]) / (
            Q[at, at] - 2 * Q[towards, at] + Q[towards, towards]
        )
        assert length > 1  # the step is clipped to length 1, so the old point is dropped
        at, drops = towards, drops + 1
    assert (at, drops) == (n - 1, n - 1)
    assert drops > bounds.most_drops(drops, 1)
    solution = fwsvm.solve(fwsvm.MatrixProblem(Q), "swap", init=0, stop="gap", eps=1e-10)
    assert (solution.iterations, solution.support.tolist()) == (n - 1, [n - 1])


def test_three_points_in_the_plane_exceed_the_printed_bound_on_drop_steps():
    Z = np.array([[10.0, 0.0], [2.0, 3.0], [2.1, 0.1]])
    solution = fwsvm.solve(fwsvm.MatrixProblem(Z @ Z.T), "swap", init=0, stop="gap", eps=1e-9)
    assert (solution.iterations, solution.drop_steps) == (2, 2)
    assert bounds.most_drops(2, 1) == 1.5
