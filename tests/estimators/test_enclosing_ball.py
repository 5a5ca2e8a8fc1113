"""Compare minimum enclosing balls with known ones and with the definition."""

import numpy as np
import pytest
from qp_oracles import KERNELS, METHODS, kernel_values
from scipy import sparse

from fwsvm import minimum_enclosing_ball


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_ball_of_points_is_the_exact_one(method, d):
    """The points are far from the origin, and d + 1 of them surround the others."""
    corners = np.vstack([np.eye(d), np.full(d, -1.0 / np.sqrt(d))])
    inside = np.random.default_rng(d).normal(size=(20, d))
    points = np.vstack([corners, inside / np.linalg.norm(inside, axis=1).max() / 1.01])
    points, center, radius = 50.0 * points + 1000.0, np.full(d, 1000.0), 50.0
    eps = 1e-3 if method == "fw" else 1e-7
    ball = minimum_enclosing_ball(points, method=method, eps=eps, random_state=0)
    assert ball.solution.stop_reason == "converged" and ball.lower_bound <= radius * (1 + 1e-10)
    assert radius <= ball.radius * (1 + 1e-10) <= radius * (1 + eps) * (1 + 1e-9)
    assert ball.gap == pytest.approx(ball.radius**2 - ball.lower_bound**2, abs=1e-12 * radius**2)
    farthest = np.linalg.norm(points - ball.center, axis=1).max()
    assert farthest == pytest.approx(ball.radius, rel=1e-9)
    assert np.linalg.norm(ball.center - center) <= np.sqrt(ball.gap) * (1 + 1e-6)
    np.testing.assert_allclose(ball.center, ball.weights @ points[ball.support], rtol=1e-12)
    assert len(ball.support) <= d + 1 or method == "fw"


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_bounds_of_a_ball_in_feature_space_meet(kernel, storage):
    """The radius must be the distance of the farthest point from the centre. The lower bound must
    be the dual objective. Both are computed here from their definitions.
    """
    X = np.random.default_rng(4).normal(size=(14, 3)) * (np.arange(14) % 3 != 0)[:, None]
    X[0] = [0.3, -0.2, 1.0]
    K = kernel_values(kernel, X)
    d = K.diagonal()
    ball = minimum_enclosing_ball(storage(X), kernel, eps=1e-8, random_state=1)
    assert ball.radius == pytest.approx(ball.lower_bound, rel=1e-7)
    assert (ball.center is None) == (kernel.name != "linear")
    a = np.zeros(14)
    a[ball.support] = ball.weights
    distances = d - 2 * K @ a + a @ K @ a
    assert distances.max() == pytest.approx(ball.radius**2, rel=1e-9)
    assert d @ a - a @ K @ a == pytest.approx(ball.lower_bound**2, rel=1e-9)


@pytest.mark.parametrize("selection", ["sampled_text", "sampled_libcvm"])
@pytest.mark.parametrize("method", ["swap", "cvm"])
def test_sampled_ball_is_certified_over_all_points(method, selection):
    points = np.random.default_rng(0).normal(size=(3000, 5))
    ball = minimum_enclosing_ball(
        points, method=method, selection=selection, eps=1e-3, random_state=2
    )
    farthest = np.linalg.norm(points - ball.center, axis=1).max()
    assert ball.solution.stop_reason == "no_violation_in_samples"
    assert ball.radius == pytest.approx(farthest, rel=1e-9)
    exact = minimum_enclosing_ball(points, eps=1e-7, random_state=2)
    assert ball.lower_bound <= exact.radius <= ball.radius


def test_points_that_coincide_and_scale_and_shift():
    same = minimum_enclosing_ball(np.full((5, 3), 7.0))
    assert (same.radius, same.lower_bound, same.gap) == (0.0, 0.0, 0.0)
    np.testing.assert_allclose(same.center, 7.0)
    assert minimum_enclosing_ball([[1.0, 2.0]]).radius == 0.0
    assert minimum_enclosing_ball(sparse.csr_matrix([[2.1, 2.2]] * 2), method="cvm").radius < 1e-7
    two = minimum_enclosing_ball([[0.0, 0.0], [6.0, 8.0], [6.0, 8.0]])
    assert two.radius == pytest.approx(5.0)
    points = np.random.default_rng(3).normal(size=(40, 4))
    ball = minimum_enclosing_ball(points, eps=1e-9, random_state=0)
    moved = minimum_enclosing_ball(1e-4 * points + 3.0, eps=1e-6, random_state=0)
    assert moved.radius == pytest.approx(1e-4 * ball.radius, rel=2e-6)


def test_balls_are_repeatable_by_default():
    points = np.random.default_rng(5).normal(size=(300, 6))
    for settings in ({}, {"method": "swap", "selection": "sampled_text"}):
        first, second = (
            minimum_enclosing_ball(points, eps=1e-2, **settings).radius for _ in range(2)
        )
        assert first == second
        others = {
            minimum_enclosing_ball(points, eps=1e-2, random_state=None, **settings).radius
            for _ in range(6)
        }
        assert len(others) > 1


@pytest.mark.parametrize(
    ("name", "value"), [("kernel", "rbf"), ("column_dtype", "float32"), ("eps", 0.0)]
)
def test_bad_arguments_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        minimum_enclosing_ball(np.eye(3), **{name: value})
    with pytest.raises(ValueError, match="points"):
        minimum_enclosing_ball([[np.nan, 1.0]])
