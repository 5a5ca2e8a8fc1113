"""The numbers in the tables of the benchmark."""

import numpy as np
import pytest
from synthetic_runs import draw, make_descriptions, make_runs

from fwsvm.reporting.tables import Table


def displayed(table: Table, section: int, name: str) -> list:
    return next(row for row in table.sections[section].rows if row[0].text == name)


@pytest.fixture
def runs():
    return make_runs(datasets=("w1a", "iris", "a1a"))


def test_accuracy_beside_the_printed(runs):
    table = draw("frandi2013-table2", runs, [])
    frame = table.frame.set_index(["protocol", "dataset"])
    rows = runs[(runs["dataset"] == "a1a") & (runs["method"] == "fw") & (runs["protocol"] == "as_printed")]
    ours = frame.loc[("as_printed", "a1a")]
    assert ours["fw_mean"] == pytest.approx(100 * rows["test_accuracy"].mean())
    assert ours["fw_std"] == pytest.approx(100 * rows["test_accuracy"].std(ddof=1))
    assert (ours["fw_n"], ours["fw_printed_mean"], ours["fw_printed_std"]) == (5, 83.52, 0.00753)
    assert ours["fw_difference"] == pytest.approx(ours["fw_mean"] - 83.52)
    assert ours["C"] == 16.0 and ours["gamma_rule"] == "average"


def test_selections_and_data_sets_stand_in_the_fixed_order(runs):
    table = draw("frandi2013-table2", runs, [])
    assert [section.heading.split(":")[0] for section in table.sections] == [
        "Settings of the papers' text", "Samples of LibCVM", "All points"
    ]  # fmt: skip
    for section in table.sections:
        assert [row[0].text for row in section.rows] == ["a1a", "w1a", "iris"]
    assert table.sections[1].heading == "Samples of LibCVM: 60 points, classes alternating, patience 7 (5 repetitions)"
    assert table.sections[2].heading == "All points: all points (1 repetition)"


def test_cvm_is_libcvms_everywhere_and_certified_under_full_only(runs):
    frame = draw("frandi2013-table3", runs).frame
    assert frame.groupby("dataset")["cvm_mean"].nunique().eq(1).all()
    certified = frame.set_index(["protocol", "dataset"])["cvm_certified_mean"]
    assert certified["all_points"].notna().all() and certified["as_printed"].isna().all()
    column = draw("frandi2013-table3", runs).header.index(("CVM, certified", "ours"))
    assert displayed(draw("frandi2013-table3", runs), 0, "a1a")[column].text == ""
    assert displayed(draw("frandi2013-table3", runs), 2, "a1a")[column].text != ""


def test_no_certified_column_without_such_runs(runs):
    runs = runs[~((runs["method"] == "cvm") & (runs["protocol"] == "all_points"))]
    assert not any("certified" in group for group, _ in draw("frandi2013-table3", runs).header)


def test_time_ratio_is_printed_over_ours(runs):
    frame = draw("frandi2013-table3", runs).frame.set_index(["protocol", "dataset"])
    row = frame.loc[("all_points", "w1a")]
    assert row["mfw_printed_mean"] == 1.67
    assert row["mfw_ratio"] == pytest.approx(1.67 / row["mfw_mean"])
    assert row["mfw_std"] == 0


def test_sets_that_no_paper_has_leave_the_printed_cells_empty(runs):
    table = draw("frandi2013-table3", runs)
    row = displayed(table, 0, "iris")
    assert [cell.text for cell in row[2:4]] == ["–", "–"] and row[1].text != "–"
    assert np.isnan(table.frame.set_index("dataset").loc["iris", "fw_printed_mean"]).all()


def test_methods_of_the_other_paper_stay_out_and_new_ones_come_in():
    runs = make_runs(datasets=("a1a",), methods=("cvm", "fw", "mfw", "swap", "mymethod"))
    groups = [group for group, _ in draw("frandi2013-table2", runs, []).header]
    assert "SWAP" not in groups and groups[-1] == "MYMETHOD"
    assert "mymethod_printed_mean" not in draw("frandi2013-table2", runs, []).frame


def test_limits_disturbance_and_distance_are_marked(runs):
    fw = (runs["method"] == "fw") & (runs["protocol"] == "as_printed")
    runs.loc[fw & (runs["dataset"] == "a1a") & (runs["repetition"] == 0), "stop_reason"] = "time_limit"
    runs.loc[fw & (runs["dataset"] == "iris"), "disturbed"] = True
    runs.loc[fw & (runs["dataset"] == "w1a"), "test_accuracy"] = 0.9
    time = draw("frandi2013-table3", runs)
    texts = dict(time.footnotes)
    column = time.header.index(("FW", "ours"))
    assert displayed(time, 0, "a1a")[column].text.startswith("≥ ") and not displayed(time, 0, "a1a")[column].bold
    assert "busy" in texts[displayed(time, 0, "iris")[column].marks[0]]
    assert displayed(time, 1, "a1a")[column].marks == ()
    accuracy = draw("frandi2013-table2", runs, [])
    column = accuracy.header.index(("FW", "ours"))
    assert "More than 1" in dict(accuracy.footnotes)[displayed(accuracy, 0, "w1a")[column].marks[0]]
    assert displayed(accuracy, 0, "iris")[column].marks == ()


def test_the_best_of_the_papers_methods_is_bold(runs):
    for table, best in ((draw("frandi2013-table2", runs, []), max), (draw("frandi2013-table3", runs), min)):
        columns = [table.header.index((label, "ours")) for label in ("CVM", "FW", "MFW")]
        row, frame = displayed(table, 0, "w1a"), table.frame.set_index(["protocol", "dataset"])
        means = [frame.loc[("as_printed", "w1a"), f"{method}_mean"] for method in ("cvm", "fw", "mfw")]
        assert [row[column].bold for column in columns] == [mean == best(means) for mean in means]


def test_features_mark_differences():
    descriptions = make_descriptions(("w1a", "a1a", "iris"))
    descriptions[0]["t"] += 1
    descriptions[2]["paper_name"] = "Iris"
    table = draw("frandi2013-table1", descriptions, {"usps": "not at hand"})
    assert [row[0].text for row in table.sections[0].rows] == ["Adult a1a", "Web w1a", "Iris"]
    web = displayed(table, 0, "Web w1a")
    assert web[2].text == "47273 (47272)" and web[2].marks == ("a",)
    assert sum(bool(cell.marks) for row in table.sections[0].rows for cell in row) == 1
    assert displayed(table, 0, "Iris")[1].text == "105"
    assert table.frame.set_index("dataset").loc["w1a", "t"] == 47273
    assert "Not available: usps." in table.notes


def test_features_accept_the_key_name():
    descriptions = [{"name": row.pop("dataset")} | row for row in make_descriptions(("a1a",))]
    assert draw("frandi2013-table1", descriptions).frame["m"].tolist() == [1605]


def test_accuracies_stand_next_to_the_majority_class(runs):
    """By hand: half of the training points of each class, 80 % of the test points in the first."""
    classes = [{"label": -1, "train": 60, "test": 800}, {"label": 1, "train": 40, "test": 200}]
    table = draw("frandi2013-table2", runs, [{"dataset": "a1a", "classes": classes}])
    assert table.header[1] == ("", "majority class")
    row = next(row for row in table.sections[0].rows if row[0].text == "a1a")
    assert row[1].text == "80.00"
    numbers = table.frame.set_index(["protocol", "dataset"]).xs("a1a", level="dataset").iloc[0]
    kept = 100 * (numbers["fw_mean"] - 80) / (numbers["cvm_mean"] - 80)
    assert numbers["fw_kept"] == pytest.approx(kept)
    place = table.header.index(("FW", "gain kept (%)"))
    assert row[place].text == f"{kept:.0f}"
    poor = runs.assign(test_accuracy=runs["test_accuracy"].where(runs["method"] != "fw", 0.7))
    table = draw("frandi2013-table2", poor, [{"dataset": "a1a", "classes": classes}])
    row = next(row for row in table.sections[0].rows if row[0].text == "a1a")
    mark = {text: mark for mark, text in table.footnotes}["No more accurate than the majority class."]
    assert mark in row[table.header.index(("FW", "ours"))].marks
