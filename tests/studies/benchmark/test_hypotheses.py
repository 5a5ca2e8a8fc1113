"""The papers' own test designs: replayed on the printed tables, and on few or no data sets."""

import numpy as np
import pandas as pd
import pytest

from fwsvm.studies import published
from fwsvm.studies.benchmark import hypotheses
from fwsvm.studies.benchmark.hypotheses import COLUMNS, HYPOTHESES, NOT_REJECTED, NOT_RUN, evaluate

ROWS = {(test.paper, test.measure, test.comparison): test for test in HYPOTHESES}


@pytest.fixture(scope="module")
def replay():
    table = evaluate(published.load_means("frandi2013_time"), published.load_means("frandi2013_accuracy"))
    return table.set_index(["paper", "measure", "comparison"])


def _tables(n, methods=("cvm", "fw", "mfw", "swap", "swap2o")):
    """Results in which each method is strictly faster and more accurate than the one before."""
    datasets = [f"set{i}" for i in range(n)]
    base = np.arange(1.0, n + 1)[:, None]
    order = np.arange(len(methods))
    time = pd.DataFrame(base * (10 - order), index=datasets, columns=list(methods))
    accuracy = pd.DataFrame(80 + base * (1 + order) / 10, index=datasets, columns=list(methods))
    return time, accuracy


def _row(table, paper, measure, comparison):
    return table.set_index(["paper", "measure", "comparison"]).loc[(paper, measure, comparison)]


@pytest.mark.parametrize("paper", ["frandi2013", "nanculef2014"])
def test_designs_are_those_of_the_published_files(paper):
    printed = published.load(f"{paper}_tests", as_printed=True)
    for row in printed.itertuples():
        test = ROWS[paper, row.measure, row.comparison]
        assert (test.test, test.alternative) == (row.test, row.alternative)
    assert len(ROWS) == len(HYPOTHESES) == 26
    unprinted = {test.comparison for test in HYPOTHESES if test.paper == paper} - set(printed["comparison"])
    assert unprinted == (set() if paper == "frandi2013" else {"swap2o-swap", "cvm-fw-mfw-swap-swap2o"})


@pytest.mark.parametrize(
    ("key", "h0", "h1"),
    [
        (("time", "fw-cvm"), "FW and CVM are equally fast", "FW is faster than CVM"),
        (("accuracy", "fw-cvm"), "FW and CVM are equally accurate", "CVM is more accurate than FW"),
        (("accuracy", "mfw-cvm"), "MFW and CVM are equally accurate", "CVM is more accurate than MFW"),
        (("time", "fw-mfw"), "FW and MFW are equally fast", "the running times of FW and MFW differ"),
        (("accuracy", "fw-mfw"), "FW and MFW are equally accurate", "FW is less accurate than MFW"),
    ],
)
def test_hypotheses_read_as_in_frandi2013_table_4(key, h0, h1):
    test = ROWS["frandi2013", *key]
    assert (test.h0, test.h1) == (h0, h1)


def test_hypotheses_of_nanculef2014_read_as_in_table_2():
    assert ROWS["nanculef2014", "accuracy", "swap2o-fw"].h1 == "SWAP-2o is more accurate than FW"
    assert ROWS["nanculef2014", "accuracy", "swap2o-cvm"].h1 == "CVM is more accurate than SWAP-2o"
    assert ROWS["nanculef2014", "accuracy", "swap-mfw"].h1 == "the accuracies of SWAP and MFW differ"
    assert ROWS["nanculef2014", "time", "swap-fw"].h1 == "SWAP is faster than FW"


@pytest.mark.parametrize(
    ("key", "statistic", "p_value"),
    [
        (("time", "fw-cvm"), 17, 3.085e-06),
        (("time", "mfw-cvm"), 20, 5.528e-06),
        (("time", "fw-mfw"), 159, 0.6893),
        (("accuracy", "fw-cvm"), 19, 4.977e-06),
    ],
)
def test_replay_hits_the_printed_numbers(replay, key, statistic, p_value):
    row = replay.loc[("frandi2013", *key)]
    assert row["statistic"] == row["statistic_published"] == statistic
    assert row["p_value"] == pytest.approx(row["p_published"], rel=2e-4)
    assert row["p_published"] == p_value
    assert row["n_datasets"] == 26


def test_replayed_friedman_hits_the_printed_p_when_doubled(replay):
    row = replay.loc["frandi2013", "time", "cvm-fw-mfw"]
    assert row["statistic"] == pytest.approx(row["statistic_published"], abs=5e-4)
    assert row["p_value_doubled"] == pytest.approx(row["p_published"], rel=5e-3)
    assert row["p_value"] == row["p_value_doubled"] / 2
    assert "twice the upper tail" in row["note"]
    assert replay["p_value_doubled"].notna().sum() == 2


def test_replay_reaches_every_conclusion_of_frandi2013_table_7(replay):
    rows = replay.loc["frandi2013"]
    assert (rows["conclusion"] == rows["conclusion_published"]).all()
    conclusions = rows["conclusion"].to_dict()
    assert conclusions["time", "fw-cvm"] == "FW is faster than CVM"
    assert conclusions["time", "fw-mfw"] == NOT_REJECTED
    assert conclusions["accuracy", "fw-mfw"] == "FW is less accurate than MFW"
    decisions = rows[["decision_1", "decision_5", "decision_10"]].drop(index=("time", "fw-mfw"))
    assert decisions.all(axis=None)
    assert not rows.loc[("time", "fw-mfw"), ["decision_1", "decision_5", "decision_10"]].any()


def test_unreplayable_rows_carry_both_numbers_and_say_so(replay):
    row = replay.loc["frandi2013", "accuracy", "mfw-cvm"]
    assert (row["statistic"], row["statistic_published"], row["p_printed"]) == (48.5, 48.5, "3.21e-04")
    assert row["p_value"] == pytest.approx(3.58e-04, rel=1e-3)
    assert "cannot be replayed" in row["note"]
    assert "0.1118" in replay.loc["frandi2013", "accuracy", "fw-mfw"]["note"]


def test_two_sided_rejection_says_who_is_better(replay):
    row = replay.loc["nanculef2014", "accuracy", "fw-mfw"]
    assert row["conclusion"] == "the accuracies of FW and MFW differ (MFW more accurate)"
    time, accuracy = _tables(8)
    row = _row(evaluate(time, accuracy), "nanculef2014", "time", "swap2o-fw")
    assert row["conclusion"] == "the running times of SWAP-2o and FW differ (SWAP-2o faster)"


def test_missing_methods_are_rows_that_say_so(replay):
    row = replay.loc["nanculef2014", "time", "swap2o-swap"]
    assert (row["n_datasets"], row["conclusion"]) == (0, NOT_RUN)
    assert row[["statistic", "p_value", "p_smallest", "decision_5"]].isna().all()
    assert "no running times of SWAP-2o and SWAP" in row["note"]
    assert "printed p lost" in row["note"]
    assert row["conclusion_published"] == NOT_REJECTED
    row = replay.loc["nanculef2014", "accuracy", "swap2o-swap"]
    assert row["conclusion_published"] == "SWAP-2o is more accurate than SWAP"
    row = replay.loc["nanculef2014", "accuracy", "cvm-fw-mfw-swap-swap2o"]
    assert row["p_printed"] == "< 0.001"
    assert np.isnan(row["p_published"])


def test_a_method_without_any_result_is_missing_too():
    time, accuracy = _tables(8)
    time["swap"] = np.nan
    row = _row(evaluate(time, accuracy), "nanculef2014", "time", "swap-fw")
    assert row["note"] == "not run: no running times of SWAP"


def test_published_columns_do_not_depend_on_our_results():
    empty = pd.DataFrame()
    table = evaluate(empty, empty)
    assert tuple(table.columns) == COLUMNS
    assert (table["conclusion"] == NOT_RUN).all()
    full = evaluate(*_tables(8))
    columns = ["statistic_published", "p_published", "p_printed", "conclusion_published"]
    pd.testing.assert_frame_equal(table[columns], full[columns])


def test_rows_with_missing_values_are_dropped_per_test():
    time, accuracy = _tables(8)
    time.loc["set2", "swap"] = np.nan
    time.loc[["set3", "set4"], "mfw"] = np.nan
    table = evaluate(time, accuracy)
    counts = {key: _row(table, "nanculef2014", "time", key) for key in ("swap-fw", "swap-mfw", "swap2o-fw")}
    assert {key: row["n_datasets"] for key, row in counts.items()} == {
        "swap-fw": 7,
        "swap-mfw": 5,
        "swap2o-fw": 8,
    }
    assert counts["swap-mfw"]["note"] == "3 of 8 data sets left out for missing values"
    assert counts["swap2o-fw"]["note"] == ""
    assert _row(table, "nanculef2014", "time", "cvm-fw-mfw-swap-swap2o")["n_datasets"] == 5
    assert _row(table, "nanculef2014", "accuracy", "swap-mfw")["n_datasets"] == 8


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_data_sets_are_rows_that_say_so(n):
    time, accuracy = _tables(3)
    time.loc["set0":, "fw"] = np.nan
    time.loc[time.index[:n], "fw"] = 1.0
    row = _row(evaluate(time, accuracy), "frandi2013", "time", "fw-cvm")
    assert (row["n_datasets"], row["conclusion"]) == (n, NOT_RUN)
    assert np.isnan(row["p_value"])
    assert row["note"].startswith("not run: ")


def test_too_few_data_sets_to_be_significant():
    table = evaluate(*_tables(3))
    row = _row(table, "frandi2013", "time", "fw-cvm")
    assert (row["p_value"], row["p_smallest"]) == (0.125, 0.125)
    assert row["conclusion"] == NOT_REJECTED
    assert "cannot be significant at 5 % with these n = 3 data sets (smallest p 0.125)" in row["note"]
    assert _row(table, "nanculef2014", "time", "swap2o-fw")["p_smallest"] == 0.25
    row = _row(evaluate(*_tables(5)), "frandi2013", "time", "fw-cvm")
    assert "cannot be significant" not in row["note"]
    assert (row["decision_1"], row["decision_5"], row["decision_10"]) == (False, True, True)


def test_friedman_decides_no_more_than_the_data_sets_support():
    row = _row(evaluate(*_tables(2)), "frandi2013", "time", "cvm-fw-mfw")
    assert (row["statistic"], row["p_value"]) == (np.inf, 0.0)
    assert row["p_smallest"] == pytest.approx(1 / 6)
    assert not row[["decision_1", "decision_5", "decision_10"]].any()
    assert row["conclusion"] == NOT_REJECTED
    assert "decided by p_smallest" in row["note"]


def test_wrong_direction_is_never_concluded():
    time, accuracy = _tables(9)
    table = evaluate(time.rename(columns={"cvm": "fw", "fw": "cvm"}), accuracy)
    row = _row(table, "frandi2013", "time", "fw-cvm")
    assert row["p_value"] == 1.0
    assert row["conclusion"] == NOT_REJECTED
    # CVM is the least accurate here, so neither is the papers' claim that it is more accurate.
    assert _row(table, "frandi2013", "accuracy", "fw-cvm")["p_value"] == 1.0


def test_repeated_data_sets_and_infinite_values_name_the_argument():
    time, accuracy = _tables(3)
    with pytest.raises(ValueError, match=r"^wide_time: data set 'set0' occurs more than once"):
        evaluate(pd.concat([time, time]), accuracy)
    accuracy.loc["set1", "mfw"] = np.inf
    with pytest.raises(ValueError, match=r"^wide_accuracy: mfw-cvm: x: every value must be finite"):
        evaluate(time, accuracy)


def test_levels_have_a_decision_column_each():
    assert {f"decision_{100 * level:g}" for level in hypotheses.LEVELS} <= set(COLUMNS)


def test_where_the_shorter_time_is_a_limit_the_order_counts_as_a_tie():
    time, accuracy = _tables(8)
    ended = pd.DataFrame(False, time.index, time.columns)
    ended.iloc[:3, list(time).index("fw")] = True  # shorter than CVM's
    ended.iloc[3:5, list(time).index("cvm")] = True  # longer than all others: CVM is slower for sure
    row = _row(evaluate(time, accuracy, ended), "frandi2013", "time", "fw-cvm")
    tied = time.mask(ended & (ended.columns == "fw"), time["cvm"], axis=0)
    assert row["p_value"] == _row(evaluate(tied, accuracy), "frandi2013", "time", "fw-cvm")["p_value"]
    assert row["p_value"] > _row(evaluate(time, accuracy), "frandi2013", "time", "fw-cvm")["p_value"]
    assert row["note"].startswith("the order of times is unknown on 3 of 8 data sets, where runs ended at a limit")
    friedman = _row(evaluate(time, accuracy, ended), "frandi2013", "time", "cvm-fw-mfw")
    assert "ranked as they are" in friedman["note"]
    assert _row(evaluate(time, accuracy, ended), "frandi2013", "accuracy", "fw-cvm")["p_value"] == pytest.approx(1.0)
