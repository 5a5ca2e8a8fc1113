"""The table of the polynomial kernel."""

import numpy as np
import pytest
from synthetic_runs import draw, make_poly


def test_a_row_per_data_set_and_method_in_the_papers_order():
    table = draw("frandi2013-table8", make_poly(datasets=("w4a", "reuters", "w1a")), [])
    assert [(row[0].text, row[1].text) for row in table.sections[0].rows] == [
        (name, method) for name in ("reuters", "w1a", "w4a") for method in ("FW", "MFW")
    ]
    assert [section.heading.split(":")[0] for section in table.sections] == [
        "Settings of the papers' text", "Samples of LibCVM", "All points"
    ]  # fmt: skip


def test_both_measures_stand_beside_the_printed():
    runs = make_poly(datasets=("w1a",))
    frame = draw("frandi2013-table8", runs, []).frame.set_index(["protocol", "method"])
    row = frame.loc[("as_printed", "mfw")]
    ours = runs[(runs["method"] == "mfw") & (runs["protocol"] == "as_printed")]
    assert row["accuracy_mean"] == pytest.approx(100 * ours["test_accuracy"].mean())
    assert (row["accuracy_printed_mean"], row["accuracy_printed_std"]) == (97.49, 0.147)
    assert row["seconds_ratio"] == pytest.approx(0.252 / ours["train_cpu_s"].mean())
    assert row["seconds_std"] == pytest.approx(ours["train_cpu_s"].std(ddof=1))


def test_distance_and_limits_are_marked_and_other_methods_stay_out():
    runs = make_poly(datasets=("w1a", "iris"), protocols=("all_points",))
    runs.loc[runs["dataset"] == "w1a", "test_accuracy"] = 0.9
    runs.loc[runs["dataset"].isin(["iris", "w1a"]), "stop_reason"] = "time_limit"
    table = draw("frandi2013-table8", runs, [])
    texts = dict(table.footnotes)
    web, _, iris, _ = table.sections[0].rows
    assert sum("More than 1" in texts[mark] for mark in web[2].marks) == 1 and web[5].marks == ()
    assert "limit" in texts[iris[2].marks[0]] and iris[5].text.startswith("≥ ") and iris[3].text == "–"
    assert web[7].text.startswith("≤ ") and iris[7].text == "–"
    assert np.isnan(table.frame.set_index("dataset").loc["iris", "seconds_ratio"]).all()
