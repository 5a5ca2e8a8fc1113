"""The ladder: its ratios are those of plain division by hand, and its medians know about bounds."""

import numpy as np
import pandas as pd
import pytest

from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.ladder.artefacts import equal_gap_table, ladder_chart, ladder_table
from fwsvm_papers.studies.ladder.rungs import ladder_numbers, medians

RUNGS = ["printed", "as_run", "inner", "patient", "gap 0.01", "gap 0.001"]
SETS = ("a1a", "w1a", "mine")
CLASSES = [{"train": 90, "test": 80}, {"train": 10, "test": 20}]


def made():
    """Runs of three data sets, one of them of no paper, with numbers at random, and some at a
    limit.
    """
    rows, rng = [], np.random.default_rng(7)
    kinds = [
        ("benchmark", {"selection": "sampled", "patience": 1, "eps": 1e-6}, ("cvm", "fw", "mfw"), 3)
    ]
    kinds += [("ladder", {"selection": "sampled", "patience": 1, "eps": 1e-6}, ("cvm",), 3)]
    kinds += [
        ("ladder", {"selection": "sampled", "patience": 7, "eps": 1e-6}, ("cvm", "fw", "mfw"), 2)
    ]
    kinds += [
        ("ladder", {"selection": "full", "eps": gap}, ("cvm", "fw", "mfw", "auto"), 1)
        for gap in (1e-2, 1e-3)
    ]
    for experiment, columns, methods, repetitions in kinds:
        for dataset in SETS:
            for method in methods:
                late = (dataset, method, columns["eps"]) in {
                    ("w1a", "fw", 1e-2),
                    ("mine", "cvm", 1e-3),
                }
                if (dataset, method, columns["eps"]) == ("w1a", "fw", 1e-3):
                    continue  # a missed gap is the last
                rows += [
                    {
                        "experiment": experiment,
                        "dataset": dataset,
                        "method": method,
                        "protocol": "as_run",
                        "repetition": k,
                        "train_cpu_s": rng.uniform(1, 9),
                        "test_accuracy": rng.uniform(0.85, 0.99),
                        "requested_evaluations": int(rng.integers(100, 900)),
                        "relative_gap": rng.uniform(0.1, 1),
                        "stop_reason": "time_limit" if late else "converged",
                        **columns,
                    }
                    for k in range(repetitions)
                ]
    return pd.DataFrame(rows)


def test_every_rung_is_divided_by_cvm_of_the_same_rung():
    runs = made()
    frame = ladder_numbers(conform(runs), [{"dataset": name, "classes": CLASSES} for name in SETS])
    frame = frame.set_index(["rung", "dataset", "method"])
    assert list(frame.index.unique("rung")) == RUNGS

    def rows(dataset, method, **wanted):
        chosen = runs[(runs["dataset"] == dataset) & (runs["method"] == method)]
        return chosen[
            np.logical_and.reduce([chosen[name] == value for name, value in wanted.items()])
        ]

    for rung, ours, of_cvm in (
        ("as_run", {"experiment": "benchmark"}, {"experiment": "benchmark"}),
        ("inner", {"experiment": "benchmark"}, {"experiment": "ladder", "patience": 1}),
        ("patient", {"patience": 7}, {"patience": 7}),
        ("gap 0.01", {"eps": 1e-2}, {"eps": 1e-2}),
        ("gap 0.001", {"eps": 1e-3}, {"eps": 1e-3}),
    ):
        for dataset, method in (
            (dataset, method) for dataset in SETS for method in ("fw", "mfw", "auto")
        ):
            mine, cvm = rows(dataset, method, **ours), rows(dataset, "cvm", **of_cvm)
            if mine.empty or (dataset, rung) == ("mine", "gap 0.001"):
                continue
            found = frame.loc[(rung, dataset, method)]
            assert found["speedup"] == pytest.approx(
                cvm["train_cpu_s"].mean() / mine["train_cpu_s"].mean()
            )
            requested = cvm["requested_evaluations"].mean() / mine["requested_evaluations"].mean()
            assert found["speedup_in_kernel_values"] == pytest.approx(requested)
            gained, gain = (100 * part["test_accuracy"].mean() - 80 for part in (mine, cvm))
            assert found["difference"] == pytest.approx(gained - gain)
            assert found["kept"] == pytest.approx(100 * gained / gain)
            assert found["relative_gap"] == pytest.approx(mine["relative_gap"].mean())
    assert frame.loc[("printed", "a1a", "fw"), "speedup"] == pytest.approx(6.26 / 12.5)
    assert "mine" not in frame.loc["printed"].index.unique("dataset")


def test_the_csv_has_one_row_for_each_number_and_the_figure_a_mark():
    runs, described = conform(made()), [{"dataset": name, "classes": CLASSES} for name in SETS]
    keys, table = ["rung", "dataset", "method"], ladder_table(runs, described)
    assert not table.frame.duplicated(keys).any() and set(table.frame["dataset"]) == set(SETS)
    assert [section.heading.split()[0] for section in table.sections] == ["Medians", *SETS]
    chart = ladder_chart(runs, described)
    of_fw = chart.frame[chart.frame["method"] == "fw"]
    lines = [line for line in chart.figure.axes[0].lines if line.get_label() in SETS]
    assert sum(np.isfinite(line.get_ydata()).sum() for line in lines) == len(of_fw)
    filled = [line for line in lines if line.get_markerfacecolor() != "white"]
    assert (
        sum(np.isfinite(line.get_ydata()).sum() for line in filled) == (of_fw["kept"] >= 90).sum()
    )


def test_a_run_at_a_limit_gives_a_bound_also_for_the_gap_that_it_did_not_try():
    frame = ladder_numbers(conform(made()), []).query("method != 'cvm'")
    frame = frame.set_index(["rung", "dataset", "method"])
    assert frame["bound"][frame["bound"] != "exact"].to_dict() == {
        ("gap 0.01", "w1a", "fw"): "at most",
        ("gap 0.001", "w1a", "fw"): "at most",
        **{("gap 0.001", "mine", method): "at least" for method in ("fw", "mfw", "auto")},
    }
    assert (
        frame.loc[("gap 0.001", "w1a", "fw"), "time"]
        == frame.loc[("gap 0.01", "w1a", "fw"), "time"]
    )


def test_medians_and_counts_by_hand():
    """Of speed-ups 0.5, at most 2, and 8, and one that is unknown."""
    rows = [
        {
            "rung": "inner",
            "dataset": f"s{number}",
            "method": "fw",
            "speedup": speedup,
            "speedup_in_kernel_values": 2 * speedup,
            "difference": 0.0,
            "kept": kept,
            "relative_gap": 0.1,
            "bound": bound,
        }
        for number, (speedup, bound, kept) in enumerate(
            (
                (0.5, "exact", 89.9),
                (2.0, "at most", 90.0),
                (8.0, "exact", 95.0),
                (np.nan, "unknown", 95.0),
            )
        )
    ]
    (found,) = medians(pd.DataFrame(rows)).to_dict("records")
    assert (found["speedup"], found["speedup_bound"]) == (5.0, "at most")
    assert (found["speedup_in_kernel_values"], found["difference"]) == (10.0, 0.0)
    assert (found["sets"], found["unknown"], found["faster"], found["accurate"]) == (4, 2, 1, 3)


def row(gap, dataset, method, seconds, stop="converged"):
    return {
        "experiment": "ladder",
        "dataset": dataset,
        "method": method,
        "protocol": "as_run",
        "selection": "full",
        "eps": gap,
        "repetition": 0,
        "train_cpu_s": seconds,
        "support_vectors": 10,
        "test_accuracy": 0.9,
        "relative_gap": gap / 2,
        "stop_reason": stop,
    }


RUNS = conform(
    pd.DataFrame(
        [row(0.01, "mine", "fw", 2.0), row(0.001, "mine", "fw", 5.0, "time_limit")]
        + [
            row(gap, "mine", "swap", seconds)
            for gap, seconds in ((0.01, 1.0), (0.001, 1.5), (0.0001, 3.0))
        ]
    )
)


def test_a_gap_that_rounding_hides_is_not_reached():
    runs = conform(
        pd.concat([RUNS, pd.DataFrame([row(0.0001, "mine", "cvm", 0.5, "precision_limit")])])
    )
    table = equal_gap_table(runs)
    assert not table.frame.set_index(["rung", "method"]).loc[("gap 0.0001", "cvm"), "reached"]
    assert "rounding" in table.to_markdown()


def test_the_table_of_gaps_shows_bounds_and_the_fastest():
    table = equal_gap_table(RUNS)
    times = [[cell.text for cell in section.rows[0][1:3]] for section in table.sections]
    assert times == [["2.00", "1.00"], ["≥ 5.00", "1.50"], ["≥ 5.00", "3.00"]]
    assert [cell.bold for cell in table.sections[0].rows[0][1:3]] == [False, True]
