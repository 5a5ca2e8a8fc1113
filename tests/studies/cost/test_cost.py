"""Test speed-ups by several measures of cost. Some numbers were calculated by hand, and others are
known results of the authors' program.
"""

import numpy as np
import pandas as pd
import pytest

from fwsvm_papers.runs.comparison import Bound
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.cost.artefacts import AUTHORS, agreement, cost_numbers

SETS = ("a1a", "a2a", "a3a", "a4a", "w1a")


def run(dataset, method, seconds, requested, stop="converged"):
    return {
        "experiment": "benchmark",
        "dataset": dataset,
        "method": method,
        "protocol": "as_run",
        "selection": "sampled",
        "repetition": 0,
        "train_cpu_s": seconds,
        "kernel_evaluations": 100,
        "requested_evaluations": requested,
        "stop_reason": stop,
    }


RUNS = conform(
    pd.DataFrame(
        [
            run(name, method, seconds * (1 + place), requested)
            for place, name in enumerate(SETS)
            for method, seconds, requested in (
                ("cvm", 8.0, 900),
                ("fw", 4.0, 100),
                ("mfw", 16.0, 450),
            )
        ]
    )
)


def test_every_cost_is_a_ratio_to_cvm():
    numbers = cost_numbers(RUNS)
    ours = (
        numbers[numbers["protocol"] == "as_run"]
        .groupby(["measure", "method"])["ours"]
        .agg(["min", "max", "size"])
    )
    assert ours["size"].eq(len(SETS)).all() and np.allclose(ours["min"], ours["max"])
    assert ours["min"].to_dict() == {
        ("our CPU seconds", "fw"): 2.0,
        ("our CPU seconds", "mfw"): 0.5,
        ("kernel values computed", "fw"): 1.0,
        ("kernel values computed", "mfw"): 1.0,
        ("kernel values requested", "fw"): 9.0,
        ("kernel values requested", "mfw"): 2.0,
    }
    printed = numbers[(numbers["dataset"] == "a1a") & (numbers["method"] == "mfw")]["printed"]
    assert printed.to_list() == pytest.approx([8.8] * len(printed), abs=0.05)


def test_a_run_at_its_limit_marks_the_ratio():
    limited = pd.concat(
        [
            RUNS,
            conform(
                pd.DataFrame([run("w4a", "cvm", 1.0, 9, "time_limit"), run("w4a", "fw", 1.0, 9)])
            ),
        ]
    )
    marked = cost_numbers(limited).query("at_limit")
    assert set(marked["dataset"]) == {"w4a"} and set(marked["method"]) == {"fw"}


def test_the_median_counts_a_run_at_its_limit_as_a_bound_and_the_correlation_leaves_it_out():
    ended = RUNS["dataset"].isin(["a3a", "a4a", "w1a"]) & (RUNS["method"] == "fw")
    limited = RUNS.assign(stop_reason=RUNS["stop_reason"].mask(ended, "time_limit"))
    found = agreement(cost_numbers(limited)).query("measure == 'our CPU seconds'")
    found = found.set_index("method")
    assert found["sets"].to_dict() == {"fw": 5, "mfw": 5}
    assert found["median"].to_dict() == {"fw": 2.0, "mfw": 0.5}
    assert found["bound"].to_dict() == {"fw": Bound.AT_MOST, "mfw": Bound.EXACT}
    two = cost_numbers(limited).query("method == 'fw' and not at_limit and protocol == 'as_run'")
    assert set(two["dataset"]) == {"a1a", "a2a"}
    factor = (2.0 / two["printed"][two["measure"] == "our CPU seconds"]).apply(np.log10).abs()
    assert found.loc["fw", "distance"] == pytest.approx(factor.median())


def test_the_authors_program_agrees_with_print_as_measured():
    """The expected rank correlations and median distances are over ten data sets."""
    found = agreement(cost_numbers(RUNS)).query("measure == @AUTHORS").set_index("method")
    assert found["sets"].to_dict() == {"fw": 10, "mfw": 10}
    assert found["correlation"].to_list() == pytest.approx([0.88, 0.96], abs=0.005)
    assert found["distance"].to_list() == pytest.approx([0.18, 0.13], abs=0.005)
    assert AUTHORS in cost_numbers(RUNS)["measure"].to_list()
