"""Compare the runs that the sketches show with plain geometry, which is computed without the
solvers.
"""

import itertools
import json

import numpy as np
import pytest

from fwsvm_papers.studies.benchmark.sketches import BALL_POINTS, compute, steps_on_simplex


@pytest.fixture(scope="module")
def sketches():
    return compute()


def smallest_circle(points):
    """Return the smallest circle around the points. All pairs and triples of points are tried."""
    circles = [
        ((p + q) / 2, np.linalg.norm(p - q) / 2) for p, q in itertools.combinations(points, 2)
    ]
    for p, q, r in itertools.combinations(points, 3):
        lines = 2 * np.array([q - p, r - p])
        if abs(np.linalg.det(lines)) > 1e-12:
            center = np.linalg.solve(lines, np.array([q @ q - p @ p, r @ r - p @ p]))
            circles.append((center, np.linalg.norm(center - p)))
    return min(
        (c for c in circles if np.linalg.norm(points - c[0], axis=1).max() <= c[1] + 1e-9),
        key=lambda c: c[1],
    )


def test_enclosing_ball_is_the_smallest_circle(sketches):
    points = np.array(BALL_POINTS)
    center, radius = smallest_circle(points)
    assert sketches["balls"]["meb"]["radius"] == pytest.approx(radius, rel=1e-5)
    assert sketches["balls"]["meb"]["center"] == pytest.approx(center, abs=1e-3)
    for ball in sketches["balls"]["bc"]:
        assert ball["radius"] == pytest.approx(
            smallest_circle(points[ball["coreset"]])[1], rel=1e-4
        )


def test_both_start_alike_grow_and_end_when_all_points_are_inside(sketches):
    balls, points = sketches["balls"], np.array(BALL_POINTS)
    assert balls["bc"][0]["radius"] == pytest.approx(balls["fw"][0]["radius"])
    for name in ("bc", "fw"):
        radii = [ball["radius"] for ball in balls[name]]
        assert np.all(np.diff(radii) > -1e-9) and radii[-1] <= balls["meb"]["radius"] + 1e-9
        farthest = np.linalg.norm(points - balls[name][-1]["center"], axis=1).max()
        assert farthest <= (1 + balls["eps"]) * radii[-1] + 1e-9


def test_mfw_reaches_the_edge_by_an_away_step_and_fw_does_not(sketches):
    steps = sketches["steps"]
    mfw = steps["runs"]["mfw"]
    assert "away" in [record["step"] for record in mfw] and min(mfw[-1]["weights"]) == 0
    assert min(steps["runs"]["fw"][-1]["weights"]) > 0
    assert len(steps["runs"]["fw"]) > 10 * len(mfw)
    assert min(steps["optimum"]) == 0


def test_steps_from_the_iterate_are_those_of_the_solver(sketches):
    directions, runs = sketches["steps"]["directions"], sketches["steps"]["runs"]
    at = directions["at"]
    for method in ("fw", "mfw"):
        assert runs[method][at]["weights"] == pytest.approx(directions["weights"])
        assert runs[method][at + 1]["weights"] == pytest.approx(
            directions["ends"][method], abs=1e-9
        )


def test_the_same_each_time_and_fit_for_json(sketches):
    assert json.dumps(compute()) == json.dumps(sketches)
    assert steps_on_simplex() == sketches["steps"]


def test_core_set_s_ball_holds_all_points_once_widened(sketches):
    core_set = sketches["core_set"]
    points, chosen = np.array(core_set["points"]), core_set["coreset"]
    center, radius = smallest_circle(points[chosen])
    assert core_set["radius"] == pytest.approx(radius, rel=1e-4)
    assert core_set["center"] == pytest.approx(center, abs=1e-3)
    distance = np.linalg.norm(points - core_set["center"], axis=1)
    assert 1.0 + 1e-6 < distance.max() / core_set["radius"] <= 1 + core_set["eps"]
    assert len(chosen) == core_set["steps"] + 2
    assert core_set["meb"]["radius"] == pytest.approx(smallest_circle(points)[1], rel=1e-4)
