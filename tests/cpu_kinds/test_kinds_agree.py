"""Test that the results of the CPU models on which `run_kinds.py` ran agree within the certified
gaps.
"""

import json
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

# largest relative change of an optimum that the rounding of float32 kernel values can cause
FLOAT32 = 1e-6


@pytest.fixture(scope="module")
def kinds():
    """Return a dict that maps each kind to the results that `test_this_kind.py` wrote for it."""
    folder = Path(os.environ["FWSVM_KIND_RESULTS"])
    found = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    if len(found) < 2:
        pytest.skip(f"this machine runs fewer than two kinds: {list(found)}")
    return found


def pairs(kinds):
    """Yield (name of a result, result of one kind, result of another kind), for all pairs of kinds
    and every model.
    """
    for first, second in combinations(kinds, 2):
        assert kinds[first]["models"].keys() == kinds[second]["models"].keys()
        for name, one in kinds[first]["models"].items():
            yield f"{name}: {first}, {second}", one, kinds[second]["models"][name]


def test_objectives_agree_within_the_certified_gaps(kinds):
    """The smallest possible objective is between objective - gap and objective. Two kinds therefore
    differ by at most the larger of their gaps.
    """
    for what, one, other in pairs(kinds):
        allowed = max(one["gap"], other["gap"]) + FLOAT32 * one["objective"]
        if "mfw_sparse" in what:  # the certificate is for a subsample that the method chooses
            allowed = 0.01 * one["objective"]
        assert abs(one["objective"] - other["objective"]) <= allowed, what
        assert one["kernel_path"] == other["kernel_path"], what


def test_predictions_agree_but_for_points_on_the_boundary(kinds):
    for what, one, other in pairs(kinds):
        assert np.mean(np.not_equal(one["predictions"], other["predictions"])) <= 0.02, what
