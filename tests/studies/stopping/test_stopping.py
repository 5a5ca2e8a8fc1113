"""Test early stopping: means, speed-ups and printed values. They are calculated by hand and
compared with the table.
"""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import PATIENCES, make_runs, make_stopping

from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.stopping.artefacts import (
    over_all,
    stopping_chart,
    stopping_numbers,
    stopping_table,
)


def by_hand():
    """Return runs of FW on two data sets with patience 20, with patience 1, and with all points.
    Under FW's protocol, CVM takes 8 s and 16 s in the benchmark.
    """
    rows = [
        {
            "experiment": "benchmark",
            "dataset": name,
            "method": "cvm",
            "protocol": protocol,
            "train_cpu_s": seconds,
        }
        for name, own in (("a", 8.0), ("b", 16.0))
        for protocol, seconds in (("as_printed", own), ("all_points", 1000.0))
    ]
    for dataset, scale in (("a", 1.0), ("b", 2.0)):
        for patience, seconds, accuracy, gap in (
            (20, 2.0, 0.93, 0.4),
            (1, 0.5, 0.90, 4.0),
            (None, 8.0, 0.95, 0.01),
        ):
            for repetition in range(2 if patience else 1):
                rows.append(
                    {
                        "experiment": "stopping",
                        "dataset": dataset,
                        "method": "fw",
                        "protocol": "as_printed",
                        "patience": patience,
                        "repetition": repetition,
                        "iterations": 10 + repetition,
                        "train_cpu_s": scale * seconds * (1 + repetition),
                        "test_accuracy": accuracy,
                        "relative_gap": gap,
                        "stop_reason": "converged" if patience else "time_limit",
                    }
                )
    return conform(pd.DataFrame(rows))


def test_means_ranges_and_speed_ups():
    table, _ = stopping_numbers(by_hand())
    assert table["variant"].tolist() == ["patience 1", "patience 20", "all_points"] * 2
    row = table.set_index(["dataset", "variant"]).loc[("a", "patience 1")]
    assert (row["time"], row["time_low"], row["time_high"], row["n"]) == (0.75, 0.5, 1.0, 2)
    assert row["steps"] == 10.5 and row["accuracy"] == pytest.approx(90.0)
    assert (row["time_printed"], "speedup" in table) == (pytest.approx(np.nan, nan_ok=True), False)
    assert table["at_limit"].tolist() == [False, False, True] * 2


def test_over_all_data_sets_means_are_geometric_and_against_the_earliest_stop():
    table = over_all(stopping_numbers(by_hand())[0]).set_index("variant")
    assert table["time"].tolist() == pytest.approx([1.0, 3 / 0.75, 8 / 0.75])
    assert (
        table["accuracy"].tolist() == pytest.approx([0.0, 3.0, 5.0])
        and table.loc["all_points", "gap"] == 0.01
    )


def test_table_has_a_row_per_variant_beside_the_printed():
    runs = pd.concat(
        [make_stopping(datasets=("w8a", "w1a")), make_runs(datasets=("w1a", "w8a", "a1a"))]
    )
    table = stopping_table(runs, [])
    assert [section.heading.split(":")[0] for section in table.sections] == [
        "All 2 data sets, compared with patience 1",
        "w1a",
        "w8a",
    ]
    first = [row[0].text for row in table.sections[1].rows]
    assert first == [
        *(f"patience {k}" for k in PATIENCES),
        "no samples, all points",
        "printed, patience 1",
    ]
    frame = table.frame.set_index(["dataset", "method", "variant"])
    row = frame.loc[("w8a", "fw", "patience 7")]
    assert (row["accuracy_printed"], row["time_printed"]) == (97.8, 9.64)
    assert np.isnan(frame.loc[("w8a", "swap", "all_points"), "time_printed"])


def test_runs_of_the_benchmark_and_of_the_ladder_replace_those_with_the_same_settings():
    runs = by_hand()
    own = runs[(runs["experiment"] == "stopping") & (runs["repetition"] == 0)]
    own = own[own["dataset"] == "a"].dropna(subset=["patience"])
    of_benchmark = own[own["patience"] == 1].assign(experiment="benchmark", train_cpu_s=0.25)
    of_ladder = own[own["patience"] == 20].assign(experiment="ladder", patience=7, train_cpu_s=1.75)
    other = of_ladder.assign(protocol="libcvm", train_cpu_s=99.0)
    table, cvm = stopping_numbers(conform(pd.concat([runs, of_benchmark, of_ladder, other])))
    times = table.set_index(["dataset", "variant"])["time"]
    assert times["a"].to_dict() == {
        "patience 1": 0.25,
        "patience 7": 1.75,
        "patience 20": 3.0,
        "all_points": 8.0,
    }
    assert times["b"].to_dict() == {"patience 1": 1.5, "patience 20": 6.0, "all_points": 16.0}
    assert cvm["time"].to_dict() == {"a": 8.0, "b": 16.0}


def test_cvm_is_drawn_at_equal_patience_with_the_inner_settings_of_libcvm():
    """Other runs of CVM are not drawn. They have the authors' inner settings, only one of LibCVM's
    inner settings, or all points.
    """
    libcvm = {"inner_tolerance": 1e-3, "inner_fixed": False, "inner_steps": None}
    authors = {"inner_tolerance": 1e-7, "inner_fixed": True, "inner_steps": 7500}
    kinds = [
        ({**libcvm, "patience": 1, "selection": "sampled"}, [2.0, 3.0]),
        ({**libcvm, "patience": 20, "selection": "sampled"}, [4.0, 6.0]),
        ({**authors, "patience": 20, "selection": "sampled"}, [90.0]),
        ({**authors, "inner_fixed": False, "patience": 1, "selection": "sampled"}, [91.0]),
        ({**libcvm, "patience": None, "selection": "full"}, [92.0]),
    ]
    shared = {"experiment": "ladder", "dataset": "a", "method": "cvm", "protocol": "as_printed"}
    shared |= {"test_accuracy": 0.96, "relative_gap": 0.5, "stop_reason": "converged"}
    ladder = [
        {**shared, **settings, "repetition": number, "train_cpu_s": seconds}
        for settings, times in kinds
        for number, seconds in enumerate(times)
    ]
    runs = conform(pd.concat([by_hand(), pd.DataFrame(ladder)]))
    chart = stopping_chart(runs, [])
    of_cvm = chart.frame[chart.frame["method"] == "cvm"].set_index("variant")
    assert of_cvm["time"].to_dict() == {"patience 1": 2.5, "patience 20": 5.0}
    assert of_cvm.loc["patience 20", ["time_low", "time_high"]].tolist() == [4.0, 6.0]
    (time,) = [axes for axes in chart.figure.axes if axes.get_ylabel() == "CPU time (s)"]
    marks = [line.get_ydata() for line in time.lines if line.get_marker() == "o"]
    assert [list(heights) for heights in marks if len(heights)] == [[2.5, 5.0]]


def test_what_other_experiments_run_is_not_run_again(load_study):
    def patience(**changes):
        settings = load_study(**changes).job_settings(Job("stopping", "as_run", "w1a", "fw"))
        return [variant.get("patience") for variant in settings["variants"]]

    assert patience() == [2, 4, 20, None]
    assert patience(experiments=["stopping"]) == [1, 2, 4, 7, 20, None]
    assert patience(experiments=["stopping", "benchmark"]) == [2, 4, 7, 20, None]
    assert patience(ladder={"methods": ["cvm", "swap"]}) == [2, 4, 7, 20, None]
    assert patience(benchmark={"protocols": ["as_printed"]}) == [1, 2, 4, 20, None]
    assert patience(ladder={"protocol": "as_printed"}) == [2, 4, 7, 20, None]
