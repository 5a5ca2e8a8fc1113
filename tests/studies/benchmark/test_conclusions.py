"""Hypotheses and conclusions in words."""

import pytest
from synthetic_runs import draw, make_runs

from fwsvm.studies import published
from fwsvm.studies.benchmark.hypotheses import evaluate


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
    rows = cells(draw("frandi2013-table4"))
    assert [row[:2] for row in rows] == [
        [pair, measure] for pair in ("FW vs. CVM", "MFW vs. CVM", "FW vs. MFW") for measure in ("Time", "Accuracy")
    ]
    assert rows[1][2:] == ["FW and CVM are equally accurate", "CVM is more accurate than FW", "one-sided"]
    assert rows[4][3:] == ["the running times of FW and MFW differ", "two-sided"]
    assert rows[5][3] == "FW is less accurate than MFW"


def test_conclusions_replay_the_paper(printed_tests, runs):
    rows = cells(draw("frandi2013-table7", printed_tests, runs))
    assert rows[0][6:] == ["FW is faster than CVM ***", "FW is faster than CVM", "yes"]
    assert rows[4][6:] == ["H0 not rejected", "H0 not rejected", "yes"]
    assert rows[3][6:] == ["CVM is more accurate than MFW ***", "CVM is more accurate than MFW", "yes"]


def test_the_level_of_a_conclusion_is_shown(printed_tests, runs):
    tests = printed_tests.copy()
    row = (tests["paper"] == "frandi2013") & (tests["measure"] == "time") & (tests["comparison"] == "fw-cvm")
    tests.loc[row, ["p_value", "decision_1", "decision_5", "decision_10"]] = [0.03, False, True, True]
    assert cells(draw("frandi2013-table7", tests, runs))[0][6].endswith("CVM **")
    tests.loc[row, ["p_value", "decision_5"]] = [0.07, False]
    assert cells(draw("frandi2013-table7", tests, runs))[0][6].endswith("CVM *")
    tests.loc[row, ["p_value", "decision_10"]] = [0.5, False]
    assert cells(draw("frandi2013-table7", tests, runs))[0][6] == "H0 not rejected"
    tests.loc[row, "p_value"] = 0.999
    assert cells(draw("frandi2013-table7", tests, runs))[0][6] == "H0 not rejected, rather the reverse"


def test_disagreement_is_bold(printed_tests, runs):
    tests = printed_tests.copy()
    row = (tests["paper"] == "frandi2013") & (tests["measure"] == "time") & (tests["comparison"] == "fw-mfw")
    tests.loc[row, "decision_5"] = True
    tests.loc[row, "conclusion"] = "the running times of FW and MFW differ (MFW faster)"
    table = draw("frandi2013-table7", tests, runs)
    last = table.sections[0].rows[4][-1]
    assert last.text == "no" and last.bold


def test_few_data_sets_cannot_be_judged(demo_inputs):
    table = draw("frandi2013-table7", demo_inputs["tests"], demo_inputs["runs"])
    assert {row[-1] for row in cells(table)} == {"–"}
