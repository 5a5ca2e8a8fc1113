"""Test shares of CVM's gain over the majority class. The expected numbers were calculated by
hand.
"""

import pandas as pd
import pytest

from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.majority.artefacts import majority_chart, majority_numbers

CLASSES = [{"train": 90, "test": 80}, {"train": 10, "test": 20}]
DESCRIPTIONS = [{"dataset": name, "classes": CLASSES} for name in ("mine", "other")]


def run(dataset, method, accuracy, seconds, protocol="as_printed", stop="converged"):
    return {
        "experiment": "benchmark",
        "dataset": dataset,
        "method": method,
        "protocol": protocol,
        "repetition": 0,
        "test_accuracy": accuracy,
        "train_cpu_s": seconds,
        "relative_gap": 0.5,
        "stop_reason": stop,
    }


RUNS = conform(
    pd.DataFrame(
        [
            run("mine", "cvm", 0.9, 10.0),
            run("mine", "fw", 0.85, 2.0),
            run("mine", "mfw", 0.78, 40.0, stop="time_limit"),
            # CVM is worse than the majority class, so there is no gain to keep
            run("other", "cvm", 0.75, 1.0),
            run("other", "fw", 0.80, 1.0),
        ]
    )
)


def test_share_and_speedup_by_hand():
    rows = majority_numbers(RUNS, DESCRIPTIONS).set_index("method")
    assert set(rows["dataset"]) == {"mine"}
    assert rows["majority"].to_list() == [80, 80]
    assert rows.loc["fw", "kept"] == pytest.approx(50) and rows.loc["mfw", "kept"] == pytest.approx(
        -20
    )
    assert rows.loc["fw", "speedup"] == pytest.approx(5) and rows.loc[
        "mfw", "speedup"
    ] == pytest.approx(0.25)
    assert rows["bound"].to_dict() == {"fw": "exact", "mfw": "at most"}
    assert rows["printed_kept"].isna().all()


def test_the_majority_is_that_of_the_training_set():
    classes = [{"train": 10, "test": 95}, {"train": 90, "test": 5}]
    rows = majority_numbers(RUNS, [{"dataset": "mine", "classes": classes}])
    assert set(rows["majority"]) == {5}


def test_printed_kepts_use_the_printed_accuracies():
    runs = conform(pd.DataFrame([run("a1a", "cvm", 0.9, 10.0), run("a1a", "fw", 0.85, 2.0)]))
    row = majority_numbers(runs, [{"dataset": "a1a", "classes": CLASSES}]).iloc[0]
    assert row["printed_kept"] == pytest.approx(100 * (83.52 - 80) / (83.52 - 80))
    assert row["printed_speedup"] == pytest.approx(6.26 / 12.5)


def test_the_figure_shows_ours_by_their_gap_and_counts_fast_and_accurate_sets():
    runs = RUNS.assign(relative_gap=RUNS["relative_gap"].where(RUNS["method"] != "mfw", 1.5))
    chart = majority_chart(runs, DESCRIPTIONS)
    for axes, (share, speedup, is_far) in zip(
        chart.figure.axes, [(50.0, 5.0, False), (-4.0, 0.25, True)], strict=True
    ):
        marks = [line for line in axes.lines if line.get_marker() == "o" and len(line.get_xdata())]
        drawn = {line.get_color(): line.get_xydata().tolist() for line in marks}
        color = "#B3003B" if is_far else "#3388FF"
        assert drawn[color] == [[pytest.approx(share), pytest.approx(speedup)]]
        assert "mine" in [text.get_text() for text in axes.texts]
    titles = [axes.get_title("left") for axes in chart.figure.axes]
    kept = "on 0 of these, at least 90 % of the gain kept"
    assert titles == [
        f"FW\nat least 5 times as fast on 1 data set;\n{kept}",
        f"MFW\nat least 5 times as fast on 0 data sets;\n{kept}",
    ]
