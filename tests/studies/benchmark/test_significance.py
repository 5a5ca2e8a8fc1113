"""Test the papers' significance tests on the printed tables and on few or no data sets. Also test
their tables.
"""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import draw, make_runs

from fwsvm_papers.studies.benchmark.significance import (
    HYPOTHESES,
    NOT_REJECTED,
    NOT_RUN,
    agreement,
    evaluate,
)
from fwsvm_papers.studies.registry import load_printed, load_printed_means

ROWS = {(test.paper, test.measure, test.comparison): test for test in HYPOTHESES}
METHODS = ["cvm", "fw", "mfw", "swap", "swap2o"]


@pytest.fixture(scope="module")
def printed_tests():
    """Return the tests on the printed means. Our results must be equal to the printed results."""
    tests = evaluate(
        load_printed_means("frandi2013_time"), load_printed_means("frandi2013_accuracy")
    )
    tests.insert(0, "protocol", "as_printed")
    return tests


@pytest.fixture(scope="module")
def replay(printed_tests):
    return printed_tests.set_index(["paper", "measure", "comparison"])


@pytest.fixture(scope="module")
def runs():
    return make_runs(datasets=("a1a", "w1a", "w4a"))


def cells(table, section=0):
    return [[cell.text for cell in row] for row in table.sections[section].rows]


def made_up(n):
    """Return results in which each method is strictly faster and more accurate than the method
    before it.
    """
    base, order = np.arange(1.0, n + 1)[:, None], np.arange(5)
    names = [f"set{i}" for i in range(n)]
    time = pd.DataFrame(base * (10 - order), index=names, columns=METHODS)
    return time, pd.DataFrame(80 + base * (1 + order) / 10, index=names, columns=METHODS)


def row_of(table, paper, measure, comparison):
    return table.set_index(["paper", "measure", "comparison"]).loc[(paper, measure, comparison)]


@pytest.mark.parametrize("paper", ["frandi2013", "nanculef2014"])
def test_designs_are_those_of_the_published_files(paper):
    printed = load_printed(f"{paper}_tests", as_printed=True)
    for row in printed.itertuples():
        test = ROWS[paper, row.measure, row.comparison]
        assert (test.test, test.alternative) == (row.test, row.alternative)
    assert len(ROWS) == len(HYPOTHESES) == 26
    unprinted = {test.comparison for test in HYPOTHESES if test.paper == paper} - set(
        printed["comparison"]
    )
    assert unprinted == (
        set() if paper == "frandi2013" else {"swap2o-swap", "cvm-fw-mfw-swap-swap2o"}
    )


def test_replayed_friedman_hits_the_printed_p_when_doubled(replay):
    row = replay.loc["frandi2013", "time", "cvm-fw-mfw"]
    assert row["statistic"] == pytest.approx(row["statistic_published"], abs=5e-4)
    assert row["p_value_doubled"] == pytest.approx(row["p_published"], rel=5e-3)
    assert row["p_value"] == row["p_value_doubled"] / 2
    assert replay["p_value_doubled"].notna().sum() == 2


def test_replay_reaches_every_conclusion_of_frandi2013_table_7(replay):
    rows = replay.loc["frandi2013"]
    assert (rows["conclusion"] == rows["conclusion_published"]).all()
    assert rows.loc[("time", "fw-mfw"), "conclusion"] == NOT_REJECTED
    decisions = rows[["decision_1", "decision_5", "decision_10"]]
    assert (
        decisions.drop(index=("time", "fw-mfw")).all(axis=None)
        and not decisions.loc[("time", "fw-mfw")].any()
    )


def test_two_sided_rejection_says_who_is_better(replay):
    assert replay.loc["nanculef2014", "accuracy", "fw-mfw"]["conclusion"].endswith(
        "(MFW more accurate)"
    )
    row = row_of(evaluate(*made_up(8)), "nanculef2014", "time", "swap2o-fw")
    assert row["conclusion"].endswith("(SWAP-2o faster)")


def test_missing_methods_are_rows_that_say_so(replay):
    row = replay.loc["nanculef2014", "time", "swap2o-swap"]
    assert (row["n_datasets"], row["conclusion"], row["conclusion_published"]) == (
        0,
        NOT_RUN,
        NOT_REJECTED,
    )
    assert (
        row[["statistic", "p_value", "p_smallest", "decision_5"]].isna().all()
        and "SWAP-2o and SWAP" in row["note"]
    )
    row = replay.loc["nanculef2014", "accuracy", "cvm-fw-mfw-swap-swap2o"]
    assert row["p_printed"] == "< 0.001" and np.isnan(row["p_published"])


def test_rows_with_missing_values_are_dropped_per_test():
    time, accuracy = made_up(8)
    time.loc["set2", "swap"] = np.nan
    time.loc[["set3", "set4"], "mfw"] = np.nan
    table = evaluate(time, accuracy)
    keys = ("swap-fw", "swap-mfw", "swap2o-fw", "cvm-fw-mfw-swap-swap2o")
    assert [row_of(table, "nanculef2014", "time", key)["n_datasets"] for key in keys] == [
        7,
        5,
        8,
        5,
    ]
    assert row_of(table, "nanculef2014", "accuracy", "swap-mfw")["n_datasets"] == 8


def test_too_few_data_sets_to_be_significant():
    table = evaluate(*made_up(3))
    row = row_of(table, "frandi2013", "time", "fw-cvm")
    assert (row["p_value"], row["p_smallest"], row["conclusion"]) == (0.125, 0.125, NOT_REJECTED)
    assert "cannot be significant" in row["note"]
    assert row_of(table, "nanculef2014", "time", "swap2o-fw")["p_smallest"] == 0.25
    row = row_of(evaluate(*made_up(5)), "frandi2013", "time", "fw-cvm")
    assert (row["decision_1"], row["decision_5"], row["decision_10"]) == (False, True, True)


def test_friedman_decides_no_more_than_the_data_sets_support():
    row = row_of(evaluate(*made_up(2)), "frandi2013", "time", "cvm-fw-mfw")
    assert (row["statistic"], row["p_value"], row["conclusion"]) == (np.inf, 0.0, NOT_REJECTED)
    assert row["p_smallest"] == pytest.approx(1 / 6)
    # the note has three parts
    assert (
        not row[["decision_1", "decision_5", "decision_10"]].any() and row["note"].count("; ") == 2
    )


def test_wrong_direction_is_never_concluded():
    time, accuracy = made_up(9)
    table = evaluate(time.rename(columns={"cvm": "fw", "fw": "cvm"}), accuracy)
    row = row_of(table, "frandi2013", "time", "fw-cvm")
    assert (row["p_value"], row["conclusion"]) == (1.0, NOT_REJECTED)
    # CVM is still the least accurate method
    assert row_of(table, "frandi2013", "accuracy", "fw-cvm")["p_value"] == 1.0


def test_where_the_shorter_time_is_a_limit_the_order_counts_as_a_tie():
    time, accuracy = made_up(8)
    ended = pd.DataFrame(False, time.index, time.columns)
    ended.iloc[:3, list(time).index("fw")] = True  # these times of FW are shorter than CVM's
    # these times of CVM are longer than all others, so CVM is certainly slower
    ended.iloc[3:5, list(time).index("cvm")] = True
    table = evaluate(time, accuracy, ended)
    tied = time.mask(ended & (ended.columns == "fw"), time["cvm"], axis=0)
    row = row_of(table, "frandi2013", "time", "fw-cvm")
    assert (
        row["p_value"]
        == row_of(evaluate(tied, accuracy), "frandi2013", "time", "fw-cvm")["p_value"]
    )
    assert (
        row["p_value"] > row_of(evaluate(time, accuracy), "frandi2013", "time", "fw-cvm")["p_value"]
    )
    assert "on 3 of 8 data sets" in row["note"]
    assert row_of(table, "frandi2013", "accuracy", "fw-cvm")["p_value"] == pytest.approx(1.0)


def test_conclusions_on_the_printed_means_agree_and_a_turned_decision_differs(printed_tests):
    verdict = agreement(printed_tests)
    frandi = (printed_tests["paper"] == "frandi2013") & (printed_tests["measure"] == "time")
    assert set(verdict[frandi]) == {"agrees"}
    assert set(verdict[printed_tests["comparison"].str.contains("swap")]) == {"cannot tell"}
    assert set(agreement(evaluate(*made_up(3)))[printed_tests["test"] == "wilcoxon"]) == {
        "cannot tell"
    }
    turned = printed_tests.copy()
    turned.loc[0, "decision_5"] = not turned.loc[0, "decision_5"]
    assert agreement(turned)[0] == "differs"


def test_tables_of_statistics_and_p_values_replay_the_paper(printed_tests, runs):
    time, accuracy = cells(draw("frandi2013-table5", printed_tests, runs))
    assert time == ["Time", "26", "17", "17", "20", "20", "159", "159", "14.858", "14.858"]
    assert accuracy[:4] == ["Accuracy", "26", "19", "19"]
    time, _ = cells(draw("frandi2013-table6", printed_tests, runs))
    assert time[2:11] == [
        "3.085e-06",
        "",
        "3.085e-06",
        "5.528e-06",
        "",
        "5.528e-06",
        "0.6893",
        "",
        "0.6893",
    ]
    assert float(time[13]) == pytest.approx(1.72e-5, rel=1e-2) and time[14] == "1.72e-05"
