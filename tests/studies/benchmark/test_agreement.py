"""Order of the methods and conclusions beside the papers'."""

import pandas as pd
import pytest

from fwsvm.runs.records import conform
from fwsvm.studies import published
from fwsvm.studies.benchmark.agreement import agreement, time_order
from fwsvm.studies.benchmark.hypotheses import evaluate


def runs_like_printed(**others):
    """Times of frandi2013 table 3 as runs: CVM under its own protocol, the others under as_printed."""
    times = published.load_means("frandi2013_time")
    rows = [
        {"experiment": "benchmark", "dataset": dataset, "method": method, "repetition": 0, "train_cpu_s": seconds,
         "protocol": "libcvm" if method == "cvm" else "as_printed"}
        for dataset, row in times.iterrows()
        for method, seconds in row.items()
    ]  # fmt: skip
    return conform(pd.DataFrame([row | others for row in rows]))


def test_printed_times_have_the_printed_order():
    order = time_order(runs_like_printed(), "as_printed")
    assert len(order.datasets) == 26
    assert order.ours == order.printed and list(order.ours)[-1] == "cvm"
    assert sum(order.ours.values()) == pytest.approx(6)


def test_other_experiments_and_data_sets_do_not_count():
    assert time_order(runs_like_printed(experiment="c_path"), "as_printed") is None
    assert time_order(runs_like_printed(dataset="iris", repetition=None).iloc[:3], "as_printed") is None


def test_conclusions_on_the_printed_means_agree():
    tests = evaluate(published.load_means("frandi2013_time"), published.load_means("frandi2013_accuracy"))
    verdict = agreement(tests)
    frandi = verdict[tests["paper"] == "frandi2013"]
    assert set(frandi[tests["measure"] == "time"]) == {"agrees"}
    assert set(verdict[tests["comparison"].str.contains("swap")]) == {"cannot tell"}
    few = evaluate(published.load_means("frandi2013_time").head(3), published.load_means("frandi2013_accuracy").head(3))
    wilcoxon = few["test"] == "wilcoxon"
    assert set(agreement(few)[wilcoxon]) == {"cannot tell"}


def test_a_turned_decision_differs():
    tests = evaluate(published.load_means("frandi2013_time"), published.load_means("frandi2013_accuracy"))
    tests.loc[0, "decision_5"] = not tests.loc[0, "decision_5"]
    assert agreement(tests)[0] == "differs"
