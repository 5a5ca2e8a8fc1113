"""Tests of the headings of protocols."""

import pandas as pd
import pytest

from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.benchmark.protocol import protocol_heading, protocol_settings


def runs(**alternate):
    """Return a run of each method in `alternate`, whose values say whether the classes alternate in
    samples.
    """
    rows = [
        {
            "experiment": "benchmark",
            "protocol": "as_run",
            "dataset": "one",
            "method": method,
            "selection": "sampled",
            "sample_size": 40,
            "patience": 3,
            "alternate": value,
            "repetition": 0,
        }
        for method, value in alternate.items()
    ]
    return conform(pd.DataFrame(rows))


@pytest.mark.parametrize(
    ("alternate", "words"),
    [
        ({"cvm": False, "swap": False}, "drawn uniformly"),
        ({"cvm": True, "swap": True}, "classes alternating"),
        ({"cvm": True, "swap": False, "fw": False}, "drawn uniformly (CVM: classes alternating)"),
        ({"cvm": False, "swap": True}, "classes alternating (CVM: drawn uniformly)"),
        ({"cvm": True, "swap": True, "fw": False}, "classes alternating in some runs"),
        ({"cvm": True}, "classes alternating"),
        ({"mfw": False}, "drawn uniformly"),
    ],
)
def test_a_heading_says_how_every_method_draws_samples(alternate, words):
    found = protocol_settings(runs(**alternate))
    begin, end = "samples of 40 points, ", ", patience 3"
    assert found.startswith(begin + words) and found.endswith(end)
    assert found in protocol_heading(runs(**alternate), "as_run")
