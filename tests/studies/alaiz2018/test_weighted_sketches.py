"""Sketches of the weighted SVM, against a general-purpose optimiser."""

import json

import numpy as np
import pytest
from scipy.optimize import minimize

from fwsvm.studies.alaiz2018.sketches import weight_paths, weighted_regions


def minimiser(Q, t):
    """min a'Qa over a >= 0 with t'a = 1, by SLSQP."""
    start = np.full(len(t), 1 / t.sum())
    constraint = {"type": "eq", "fun": lambda a: t @ a - 1, "jac": lambda a: t}
    found = minimize(
        lambda a: a @ Q @ a, start, jac=lambda a: 2 * Q @ a, bounds=[(0, None)] * len(t), constraints=constraint,
        method="SLSQP", options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert found.success
    return found.x


def test_solutions_on_three_patterns_are_minimisers():
    regions = weighted_regions()
    Q = np.array(regions["Q"])
    for entry in regions["plane"] + regions["space"]:
        a, t = np.array(entry["a"]), np.array(entry["t"])
        assert t @ a == pytest.approx(1.0)
        assert a == pytest.approx(minimiser(Q, t), abs=1e-5)
    assert json.loads(json.dumps(regions)) == regions
    assert regions["space"][-1]["t"][0] == 0.0  # no end of the region


def test_paths_are_of_the_largest_the_middle_and_the_smallest_multiplier():
    paths = weight_paths(m=16, weights=(0.25, 1.0, 4.0))
    by_name = {path["which"]: path for path in paths["paths"]}
    assert list(by_name) == ["largest", "middle", "smallest"]
    assert by_name["largest"]["plain"] > by_name["middle"]["plain"] > by_name["smallest"]["plain"] >= 0
    for path in paths["paths"]:
        assert path["multiplier"][1] == pytest.approx(path["plain"])
        assert path["multiplier"] == sorted(path["multiplier"])
