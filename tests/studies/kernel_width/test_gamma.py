"""CVM at several kernel widths."""

import numpy as np
import pandas as pd
import pytest

from fwsvm.runs.jobs import Job
from fwsvm.runs.records import conform
from fwsvm.studies.kernel_width import plan
from fwsvm.studies.kernel_width import run as gamma

JOB = Job("gamma", "libcvm", "two", "cvm")


@pytest.fixture
def settings(load_config):
    changes = {"gamma": {"factors": [2, 0.5], "repetitions": 2}, "tuning": {"C_exponents": [0, 6]}}
    return plan.settings(load_config("smoke", **changes), JOB)


def test_jobs_are_for_the_data_sets_at_hand(load_config):
    config = load_config("paper", gamma={"datasets": ["w1a", "letter"]})
    assert plan.jobs(config, ["letter", "a1a"]) == [Job("gamma", "libcvm", "letter", "cvm")]


def test_every_width_is_tuned_and_trained(prepared_sets, settings):
    prepared = prepared_sets["two"]
    rows, details = gamma.run(prepared, JOB, settings)
    beta = prepared.meta["average_squared_distance"]
    runs = conform(pd.DataFrame(rows))
    assert len(runs) == settings["runs"] == 4
    assert runs.groupby("gamma")["repetition"].count().to_dict() == pytest.approx({0.5 / beta: 2, 2 / beta: 2})
    assert [width["factor"] for width in details["tuned"]] == [0.5, 2]
    for width in details["tuned"]:
        at_width = runs[np.isclose(runs["gamma"], width["gamma"])]
        assert set(at_width["C"]) == {width["C"]} and width["C"] in (1, 64)
    assert runs["gamma_rule"].str.startswith(("0.5/beta", "2/beta")).all()
