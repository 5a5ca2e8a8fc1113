"""Test the tuning of C on several validation parts. Each part gives its own C, and the table shows
how much the results differ.
"""

import pandas as pd
import pytest
from synthetic_runs import make_splits

from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.benchmark.tune import tune
from fwsvm_papers.studies.tuning import run, split_settings
from fwsvm_papers.studies.tuning.artefacts import splits_numbers


def test_width_and_ties_are_the_protocols_and_C_is_tuned_for_each_set(load_config):
    config = load_config("paper")
    as_run, libcvm = (
        split_settings(config, Job("splits", name, "a1a", "cvm"))["tuning"]
        for name in ("as_run", "libcvm")
    )
    assert (as_run["width_factor"], as_run["ties"]) == (2, "largest")
    assert (libcvm["width_factor"], libcvm["ties"]) == (0.5, "smallest")
    assert "protocols" not in as_run and "C" not in as_run


@pytest.mark.parametrize("protocol", ["as_run", "libcvm"])
def test_parts_differ_and_the_first_is_that_of_the_benchmark(
    prepared_sets, load_config, monkeypatch, protocol
):
    prepared, job, seeds = prepared_sets["two"], Job("splits", protocol, "two", "cvm"), []
    section = {
        "datasets": ["two"],
        "protocols": ["as_run", "libcvm"],
        "splits": 3,
        "time_limit": {"default": 30},
    }
    settings = split_settings(
        load_config("smoke", splits=section, tuning={"C_exponents": [0, 3, 6]}), job
    )
    monkeypatch.setattr(run, "tune", lambda *given: seeds.append(given[1]["seed"]) or tune(*given))
    runs = (
        conform(pd.DataFrame(run.run(prepared, job, settings)))
        .sort_values("repetition")
        .reset_index()
    )
    assert len(runs) == settings["runs"] == 3
    assert list(runs["repetition"]) == [0, 1, 2]
    assert len(set(runs["gamma"])) == 1
    assert runs["C"][0] == tune(prepared, settings["tuning"])["C"]
    assert set(runs["C"]) <= {1.0, 8.0, 64.0}
    assert seeds[0] == settings["seed"] and len(set(seeds)) == 3


def test_numbers_are_the_extremes_of_the_parts():
    runs = make_splits(("a1a", "w1a"))
    frame = splits_numbers(runs).set_index(["protocol", "dataset"])
    row = frame.loc[("as_printed", "a1a")]
    accuracies = (
        100
        * runs.loc[(runs["dataset"] == "a1a") & (runs["protocol"] == "as_printed"), "test_accuracy"]
    )
    assert (row["C"], row["doublings"]) == ([1.0, 2.0, 4.0], 2.0)
    assert (row["accuracy_lowest"], row["accuracy_highest"]) == (accuracies.min(), accuracies.max())
    assert frame.loc[("libcvm", "w1a"), "doublings"] == 0
    assert list(frame.index.get_level_values("protocol")) == ["as_printed"] * 2 + ["libcvm"] * 2
