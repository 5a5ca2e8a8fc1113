"""Test that the programs in `examples/` run without a warning and print their results."""

import re
import runpy
from pathlib import Path

import pytest

from fwsvm.solvers.settings import METHODS

EXAMPLES = Path(__file__).parents[1] / "examples"
PRINTED = {  # the patterns must match in this order
    "add_method": [r"swap: \d+ iterations", r"mostly_swap: \d+ iterations"],
    "c_path": [r"C = 0\.1: ", r"C = 100: ", r"test accuracy 0\.9[5-9]"],
    "one_class": [r"10 outliers, 10 of them", r"radius 3\.53"],
    "sparse_text": [r"1\.\d % of the values", r"accuracy (0\.9|1\.0)", r"'cooking' 'sailing'"],
    "train_and_certify": [
        r"eps = 0\.1: ",
        r"eps = 1e-06: objective 0\.005081\d\d, optimum at least 0\.005081",
    ],
}


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(PRINTED)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", PRINTED)
def test_an_example_runs(name, capsys):
    try:
        runpy.run_path(str(EXAMPLES / f"{name}.py"))
    finally:
        METHODS.pop("mostly_swap", None)  # the method must not exist in other tests
    assert re.search(".*".join(PRINTED[name]), capsys.readouterr().out, re.DOTALL)
