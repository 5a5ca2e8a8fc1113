"""Hypotheses and conclusions in words."""

import pytest
from synthetic_runs import make_runs

from fwsvm import published
from fwsvm.studies.benchmark.hypotheses import evaluate
from fwsvm.studies.frandi2013 import artefacts as frandi2013
from fwsvm.studies.nanculef2014 import artefacts as nanculef2014


@pytest.fixture(scope="module")
def printed_tests():
    """The tests on the printed means, so that ours must come out as printed."""
    tests = evaluate(published.load_means("frandi2013_time"), published.load_means("frandi2013_accuracy"))
    tests.insert(0, "protocol", "as_printed")
    return tests


@pytest.fixture(scope="module")
def runs():
    return make_runs(datasets=("a1a", "w1a", "w4a"))


def cells(table, section=0):
    return [[cell.text for cell in row] for row in table.sections[section].rows]


def test_design_is_the_papers_table():
    rows = cells(frandi2013.table4())
    assert [row[:2] for row in rows] == [
        [pair, measure] for pair in ("FW vs. CVM", "MFW vs. CVM", "FW vs. MFW") for measure in ("Time", "Accuracy")
    ]
    assert rows[1][2:] == ["FW and CVM are equally accurate", "CVM is more accurate than FW", "one-sided"]
    assert rows[4][3:] == ["the running times of FW and MFW differ", "two-sided"]
    assert rows[5][3] == "FW is less accurate than MFW"


def test_conclusions_at_three_levels_replay_the_paper(printed_tests, runs):
    rows = cells(frandi2013.table7(printed_tests, runs))
    assert rows[0][4:] == ["H0 rejected: FW is faster than CVM"] * 4
    assert rows[4][4:] == ["H0 not rejected"] * 4
    assert rows[3][4:] == ["H0 rejected: CVM is more accurate than MFW"] * 4


def test_a_conclusion_that_hangs_on_the_level_differs_where_it_differs(printed_tests, runs):
    tests = printed_tests.copy()
    row = (tests["paper"] == "frandi2013") & (tests["measure"] == "time") & (tests["comparison"] == "fw-cvm")
    tests.loc[row, ["p_value", "decision_1", "decision_5", "decision_10"]] = [0.03, False, True, True]
    table = frandi2013.table7(tests, runs)
    first = table.sections[0].rows[0]
    assert [cell.text.split(":")[0] for cell in first[4:7]] == ["H0 not rejected", "H0 rejected", "H0 rejected"]
    assert [bool(cell.marks) for cell in first[4:7]] == [True, False, False]
    assert "not the conclusion of the paper" in dict(table.footnotes).values()


def test_agreement_and_disagreement_are_told(printed_tests, runs):
    caption = frandi2013.table7(printed_tests, runs).caption
    assert (
        "Under “as the papers' text reads”: " in caption and "of 8 conclusions at 5 % agree with the paper's" in caption
    )
    tests = printed_tests.copy()
    row = (tests["paper"] == "frandi2013") & (tests["measure"] == "time") & (tests["comparison"] == "fw-mfw")
    tests.loc[row, "decision_5"] = True
    tests.loc[row, "conclusion"] = "the running times of FW and MFW differ (MFW faster)"
    caption = frandi2013.table7(tests, runs).caption
    assert (
        "they differ for time FW vs. MFW (ours: the running times of FW and MFW differ (MFW faster); printed" in caption
    )


def test_order_by_time_is_told_beside_the_printed(inputs):
    caption = nanculef2014.table2(inputs["tests"], inputs["runs"]).caption
    assert "mean ranks of training time over 19 data sets, fastest first: ours MFW" in caption
    assert "; ours with all methods SWAP" in caption


def test_few_data_sets_cannot_be_judged(demo_inputs):
    table = frandi2013.table7(demo_inputs["tests"], demo_inputs["runs"])
    assert "6 cannot be judged" in table.caption  # Friedman's two tests could be significant on three data sets
    assert not any("not the conclusion" in text for _, text in table.footnotes)
