"""Test the numbers in the tables of the benchmark, both ours and the printed ones."""

import numpy as np
import pytest
from synthetic_runs import draw, make_descriptions, make_poly, make_runs

from fwsvm_papers.reporting.text import NOTHING, copied, printed_accuracy, printed_seconds


def displayed(table, section, name):
    return next(row for row in table.sections[section].rows if row[0].text == name)


@pytest.fixture
def runs():
    return make_runs(datasets=("w1a", "iris", "a1a"))


def test_accuracies_are_next_to_the_printed(runs):
    ours = (
        draw("frandi2013-table2", runs, [])
        .frame.set_index(["protocol", "dataset"])
        .loc[("as_printed", "a1a")]
    )
    rows = runs[
        (runs["dataset"] == "a1a") & (runs["method"] == "fw") & (runs["protocol"] == "as_printed")
    ]
    assert ours["fw_mean"] == pytest.approx(100 * rows["test_accuracy"].mean())
    assert ours["fw_std"] == pytest.approx(100 * rows["test_accuracy"].std(ddof=1))
    assert (ours["fw_n"], ours["fw_printed_mean"], ours["fw_printed_std"]) == (5, 83.52, 0.00753)
    assert ours["fw_difference"] == pytest.approx(ours["fw_mean"] - 83.52)
    assert ours["C"] == 16.0 and ours["gamma_rule"] == "average"


def test_time_ratio_is_printed_over_ours_and_empty_where_nothing_is_printed(runs):
    table = draw("frandi2013-table3", runs)
    row = table.frame.set_index(["protocol", "dataset"]).loc[("as_printed", "w1a")]
    assert row["mfw_printed_mean"] == 1.67 and row["mfw_ratio"] == pytest.approx(
        1.67 / row["mfw_mean"]
    )
    iris = displayed(table, 0, "iris")
    assert [cell.text for cell in iris[2:4]] == ["–", "–"] and iris[1].text != "–"


def test_limits_disturbance_and_distance_are_marked_and_the_best_is_bold(runs):
    fw = (runs["method"] == "fw") & (runs["protocol"] == "as_printed")
    runs.loc[fw & (runs["dataset"] == "a1a") & (runs["repetition"] == 0), "stop_reason"] = (
        "time_limit"
    )
    runs.loc[fw & (runs["dataset"] == "w1a"), "test_accuracy"] = 0.9
    time, accuracy = draw("frandi2013-table3", runs), draw("frandi2013-table2", runs, [])
    column = time.header.index(("FW", "ours"))
    assert (
        displayed(time, 0, "a1a")[column].text.startswith("≥ ")
        and not displayed(time, 0, "a1a")[column].bold
    )
    column = accuracy.header.index(("FW", "ours"))
    assert (
        "by more than 1" in dict(accuracy.footnotes)[displayed(accuracy, 0, "w1a")[column].marks[0]]
    )


@pytest.mark.parametrize(("spread", "expected"), [(0.0, "MFW"), (0.0024, "MFW"), (0.0026, "")])
def test_bold_is_the_best_by_two_standard_errors(runs, spread, expected):
    """For two runs with 0.97 ± spread, the standard error of the mean is equal to the spread. CVM's
    two runs both have 0.965.
    """
    here = (
        (runs["dataset"] == "w1a") & (runs["experiment"] == "benchmark") & (runs["repetition"] < 2)
    )
    runs = runs[here & (runs["protocol"] == "as_printed")].copy()
    for method, accuracy in (("cvm", 0.965), ("fw", 0.9), ("mfw", 0.97)):
        at = runs["method"] == method
        signs = runs.loc[at, "repetition"].map({0: 1, 1: -1}).astype(float)
        runs.loc[at, "test_accuracy"] = accuracy + (spread if method == "mfw" else 0) * signs
    table = draw("frandi2013-table2", runs, [])
    row = displayed(table, 0, "w1a")
    assert [
        name for name in ("CVM", "FW", "MFW") if row[table.header.index((name, "ours"))].bold
    ] == expected.split()


def test_accuracies_are_next_to_the_majority_class(runs):
    """In the description, 60 of 100 training points and 80 % of the test points are in the first
    class.
    """
    classes = [{"label": -1, "train": 60, "test": 800}, {"label": 1, "train": 40, "test": 200}]
    table = draw("frandi2013-table2", runs, [{"dataset": "a1a", "classes": classes}])
    row = displayed(table, 0, "a1a")
    assert table.header[1] == ("", "majority class") and row[1].text == "80.00"
    numbers = table.frame.set_index(["protocol", "dataset"]).xs("a1a", level="dataset").iloc[0]
    kept = 100 * (numbers["fw_mean"] - 80) / (numbers["cvm_mean"] - 80)
    assert numbers["fw_kept"] == pytest.approx(kept)
    assert row[table.header.index(("FW", "gain kept (%)"))].text == f"{kept:.0f}"
    poor = runs.assign(test_accuracy=runs["test_accuracy"].where(runs["method"] != "fw", 0.7))
    table = draw("frandi2013-table2", poor, [{"dataset": "a1a", "classes": classes}])
    mark = {text: mark for mark, text in table.footnotes}[
        "The accuracy is not above that of always predicting the majority class."
    ]
    assert mark in displayed(table, 0, "a1a")[table.header.index(("FW", "ours"))].marks


def test_features_mark_differences_with_their_reason():
    descriptions = make_descriptions(("w1a", "a1a", "iris"))
    descriptions[0] |= {"t": descriptions[0]["t"] + 1, "differs": {"t": "one more line"}}
    table = draw("frandi2013-table1", descriptions, {"usps": "no file"})
    assert [row[0].text for row in table.sections[0].rows] == ["Adult a1a", "Web w1a", "iris"]
    web = displayed(table, 0, "Web w1a")
    assert web[2].text == "47273 (47272)" and table.footnotes[0][1].endswith(": one more line.")
    assert sum(bool(cell.marks) for row in table.sections[0].rows for cell in row) == 1
    assert (
        table.frame.set_index("dataset").loc["w1a", "t"] == 47273
        and "usps was not available." in table.notes
    )


def test_polynomial_kernel():
    runs = make_poly(datasets=("w4a", "reuters", "w1a"))
    runs.loc[runs["repetition"] == 0, "disturbed"] = True
    table = draw("frandi2013-table8", runs, [])
    order = [(name, method) for name in ("reuters", "w1a", "w4a") for method in ("FW", "MFW")]
    assert [(row[0].text, row[1].text) for row in table.sections[0].rows] == order
    row = table.frame.set_index(["protocol", "method", "dataset"]).loc[("as_printed", "mfw", "w1a")]
    ours = runs[
        (runs["method"] == "mfw") & (runs["protocol"] == "as_printed") & (runs["dataset"] == "w1a")
    ]
    assert row["accuracy_mean"] == pytest.approx(100 * ours["test_accuracy"].mean())
    ours = ours[~ours["disturbed"].astype(bool)]
    assert (row["accuracy_printed_mean"], row["accuracy_printed_std"]) == (97.49, 0.147)
    assert row["seconds_ratio"] == pytest.approx(0.252 / ours["train_cpu_s"].mean())
    assert row["seconds_std"] == pytest.approx(ours["train_cpu_s"].std(ddof=1))
    runs["stop_reason"], runs["test_accuracy"] = "time_limit", 0.9
    limited = draw("frandi2013-table8", runs, []).sections[0].rows[2]
    assert (
        limited[5].text.startswith("≥ ")
        and limited[7].text.startswith("≤ ")
        and len(limited[2].marks) == 2
    )


def test_printed_numbers_are_not_rounded_again():
    assert [copied(value) for value in (26.88, 1344.0, 16.0, 915.0, np.nan)] == [
        "26.88",
        "1344",
        "16",
        "915",
        NOTHING,
    ]
    assert (
        printed_accuracy(83.4, 0.00845) == "83.40 ± 0.00845"
        and printed_accuracy(69.79, np.nan) == "69.79"
    )
    assert (
        printed_seconds(0.076, 0.035, digits=3) == "0.0760 ± 0.0350"
        and printed_seconds(np.nan, np.nan) == NOTHING
    )
    runs = make_runs(datasets=("a2a",), methods=("cvm", "fw", "mfw"))
    assert "83.55 ± 0.0115" in [
        cell.text for cell in draw("frandi2013-table2", runs, []).sections[0].rows[0]
    ]
    assert "16\u00a0±\u00a00.182" in draw("frandi2013-table3", runs).data().to_markdown()
