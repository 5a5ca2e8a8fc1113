"""Printed numbers stand in the tables as they were printed; runs on a busy machine are marked where they are few."""

import numpy as np
import pytest
from synthetic_runs import draw, make_runs

from fwsvm.reporting.text import NOTHING, copied, printed_accuracy, printed_seconds
from fwsvm.studies import published

PRINTED = {
    ("accuracy", "a2a", "cvm"): "83.55 ± 0.0115",
    ("accuracy", "a4a", "mfw"): "84.07 ± 0.0115",
    ("accuracy", "a3a", "cvm"): "83.40 ± 0.00845",
    ("accuracy", "a3a", "mfw"): "83.41 ± 0.00500",
    ("accuracy", "usps", "fw"): "95.12 ± 0.105",
    ("accuracy", "w6a", "fw"): "97.40 ± 0.345",
    ("accuracy", "w8a", "cvm"): "99.34 ± 0.00535",
    ("time", "a2a", "cvm"): "16 ± 0.182",
    ("time", "a5a", "mfw"): "11.1 ± 0.175",
    ("time", "letter", "fw"): "13.3 ± 0.205",
    ("time", "w2a", "cvm"): "7.9 ± 0.162",
}


@pytest.mark.parametrize(("measure", "dataset", "method"), PRINTED)
def test_printed_numbers_are_not_rounded_again(measure, dataset, method):
    row = published.load(f"frandi2013_{measure}").set_index("dataset").loc[dataset]
    write = {"accuracy": printed_accuracy, "time": printed_seconds}[measure]
    assert write(row[f"{method}_mean"], row[f"{method}_std"]) == PRINTED[measure, dataset, method]


@pytest.mark.parametrize("name", ["frandi2013_accuracy", "frandi2013_time", "frandi2013_poly"])
def test_every_printed_deviation_keeps_its_value(name):
    deviations = published.load(name).filter(regex="_std$").to_numpy().ravel()
    for value in deviations[deviations > 0]:
        text = copied(value, 3)
        assert float(text) == value
        assert len(text.replace(".", "").lstrip("0")) >= 3


def test_numbers_of_other_tables():
    assert [copied(value) for value in (26.88, 1344.0, 16.0, 915.0, np.nan)] == ["26.88", "1344", "16", "915", NOTHING]
    assert printed_seconds(0.076, 0.035, digits=3) == "0.0760 ± 0.0350"
    assert printed_accuracy(69.79, np.nan) == "69.79"
    assert printed_seconds(np.nan, np.nan) == NOTHING


def test_tables_show_them_so():
    runs = make_runs(datasets=("a2a",), methods=("cvm", "fw", "mfw"))
    for table, text in (
        (draw("frandi2013-table2", runs, []), "83.55 ± 0.0115"),
        (draw("frandi2013-table3", runs), "16 ± 0.182"),
    ):
        assert text in [cell.text for cell in table.sections[0].rows[0]]
    assert "16\u00a0±\u00a00.182" in draw("frandi2013-table3", runs).to_markdown()


@pytest.mark.parametrize(("busy", "marked"), [(0, False), (1, True), (3, True), (4, False)])
def test_busy_machine_is_marked_run_by_run_up_to_a_half_only(busy, marked):
    sets = ("a1a", "a2a", "w1a", "w2a", "w3a", "w4a")
    runs = make_runs(datasets=sets, methods=("cvm", "fw", "mfw"))
    runs["disturbed"] = runs["dataset"].isin(sets[:busy])
    table = draw("frandi2013-table3", runs)
    assert any("busy" in text for _, text in table.footnotes) == marked
    count = int(runs["disturbed"].sum())
    assert (f"{count} of {len(runs)} runs were timed on a busy machine" in table.notes) == (busy > 0)
    assert table.frame["fw_disturbed"].sum() == (runs["disturbed"] & (runs["method"] == "fw")).sum()
