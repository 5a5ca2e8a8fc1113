"""Test that docs/benchmarks/constants.csv has a measured row for every numeric constant of the
solvers.
"""

from pathlib import Path

import pandas as pd
import pytest
from constants import constants

ROOT = Path(__file__).parents[2]


def test_every_constant_has_a_row_with_its_value():
    rows = pd.read_csv(ROOT / "docs/benchmarks/constants.csv")
    measured = rows.set_index(["module", "constant"])["value"].to_dict()
    now = {(module, name): float(value) for module, name, value in constants()}
    assert set(measured) == set(now), "run tests/solvers/constants.py for the new constants"
    for key, value in now.items():
        assert measured[key] == pytest.approx(value), key


def test_what_is_compiled_is_not_measured():
    rows = pd.read_csv(ROOT / "docs/benchmarks/constants.csv")
    assert rows.loc[rows["compiled"], ["halved", "doubled"]].isna().all(axis=None)
    assert rows.loc[~rows["compiled"], ["halved", "doubled"]].gt(0).all(axis=None)
