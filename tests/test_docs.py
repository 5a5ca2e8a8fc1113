"""The examples of the documentation run as they are printed."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.filterwarnings("error")
def test_examples_of_the_solver_page_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "solver.md").read_text(), re.DOTALL)
    assert len(blocks) == 4
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["model"].score(names["X_test"], names["y_test"]) > 0.93
    probabilities = names["calibrated"].predict_proba(names["X_test"])
    assert probabilities.shape == (len(names["X_test"]), 2)
    assert [model.C for model in names["models"]] == [1, 4, 16, 64]
    assert "0." in capsys.readouterr().out
