"""Test the sketches of the weighted SVM by its optimality conditions."""

import json

import numpy as np
import pytest

from fwsvm_papers.studies.alaiz2018.sketches import weight_paths, weighted_regions


def test_solutions_on_three_patterns_are_minimisers():
    regions = weighted_regions()
    Q = np.array(regions["Q"])
    for entry in regions["plane"] + regions["space"]:
        a, t = np.array(entry["a"]), np.array(entry["t"])
        assert t @ a == pytest.approx(1.0)
        assert a.min() >= 0 and np.all(Q @ a >= a @ Q @ a * t - 1e-6)
    assert json.loads(json.dumps(regions)) == regions
    assert regions["space"][-1]["t"][0] == 0.0  # the last weight is 0, so the region is unbounded


def test_paths_are_of_the_largest_the_middle_and_the_smallest_multiplier():
    paths = weight_paths(m=16, weights=(0.25, 1.0, 4.0))
    by_name = {path["which"]: path for path in paths["paths"]}
    assert list(by_name) == ["largest", "middle", "smallest"]
    assert (
        by_name["largest"]["plain"] > by_name["middle"]["plain"] > by_name["smallest"]["plain"] >= 0
    )
    for path in paths["paths"]:
        assert path["multiplier"][1] == pytest.approx(path["plain"])
        assert path["multiplier"] == sorted(path["multiplier"])
