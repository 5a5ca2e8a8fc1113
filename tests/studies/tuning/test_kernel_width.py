"""Test CVM at several kernel widths, next to the printed accuracy."""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import make_gamma

from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.tuning import run, width_settings
from fwsvm_papers.studies.tuning.artefacts import gamma_chart, width_numbers

JOB = Job("gamma", "libcvm", "two", "cvm")


@pytest.fixture
def settings(load_config):
    changes = {"gamma": {"factors": [2, 0.5], "repetitions": 2}, "tuning": {"C_exponents": [0, 6]}}
    return width_settings(load_config("smoke", **changes), JOB)


def test_every_width_is_tuned_and_trained(prepared_sets, settings):
    prepared = prepared_sets["two"]
    rows, details = run.run(prepared, JOB, settings)
    beta = prepared.meta["average_squared_distance"]
    runs = conform(pd.DataFrame(rows))
    assert len(runs) == settings["runs"] == 4
    assert runs.groupby("gamma")["repetition"].count().to_dict() == pytest.approx(
        {0.5 / beta: 2, 2 / beta: 2}
    )
    assert [width["factor"] for width in details["tuned"]] == [0.5, 2]
    for width in details["tuned"]:
        at_width = runs[np.isclose(runs["gamma"], width["gamma"])]
        assert set(at_width["C"]) == {width["C"]} and width["C"] in (1, 64)
    assert runs["gamma_rule"].str.startswith(("0.5/beta", "2/beta")).all()


# frandi2013 table 2 prints 97.48 for CVM on letter and 97.80 on w1a.
RUNS = {("letter", 0.5): 96.38, ("letter", 2): 97.5, ("w1a", 0.5): 97.9, ("w1a", 2): 97.0}


def test_numbers_beside_the_printed():
    frame = width_numbers(make_gamma(RUNS)).set_index(["dataset", "factor"])
    assert frame.loc[("letter", 0.5), "difference"] == pytest.approx(96.38 - 97.48)
    assert frame.loc[("w1a", 2), "difference"] == pytest.approx(97.0 - 97.80)
    assert set(frame.index[frame["nearest"]]) == {("letter", 2), ("w1a", 0.5)}


def test_a_set_without_printed_accuracy_is_not_drawn():
    chart = gamma_chart(
        make_gamma({("mine", 0.5): 80, ("letter", 0.5): 96, ("letter", 2): 97}, repetitions=1)
    )
    assert [label.get_text() for label in chart.figure.axes[0].get_yticklabels()] == [
        "letter (97.48)"
    ]
    assert set(chart.frame["dataset"]) == {"letter", "mine"}
    with pytest.raises(NotDrawableError, match="printed"):
        gamma_chart(make_gamma({("mine", 0.5): 80}))
