"""Test that the results of the CPU models on which `run_kinds.py` ran agree within the certified
gaps.
"""

import json
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

FLOAT32 = 1e-6  # relative: what the rounding of float32 kernel values may do to an optimum


@pytest.fixture(scope="module")
def kinds():
    """Kind -> what `test_this_kind.py` has written there."""
    folder = Path(os.environ["FWSVM_KIND_RESULTS"])
    found = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    if len(found) < 2:
        pytest.skip(f"this machine runs fewer than two kinds: {list(found)}")
    return found


def pairs(kinds):
    """(what, one, other) of all pairs of kinds, for every model."""
    for first, second in combinations(kinds, 2):
        assert kinds[first]["models"].keys() == kinds[second]["models"].keys()
        for name, one in kinds[first]["models"].items():
            yield f"{name}: {first}, {second}", one, kinds[second]["models"][name]


def test_objectives_agree_within_the_certified_gaps(kinds):
    """The least objective lies between objective - gap and objective, so two kinds differ by the
    larger gap at most.
    """
    for what, one, other in pairs(kinds):
        allowed = max(one["gap"], other["gap"]) + FLOAT32 * one["objective"]
        if "mfw_sparse" in what:  # certified on a subsample of its own choice
            allowed = 0.01 * one["objective"]
        assert abs(one["objective"] - other["objective"]) <= allowed, what
        assert one["kernel_path"] == other["kernel_path"], what


def test_predictions_agree_but_for_points_on_the_boundary(kinds):
    for what, one, other in pairs(kinds):
        assert np.mean(np.not_equal(one["predictions"], other["predictions"])) <= 0.02, what
