"""Comparisons over all data sets: Dolan and More's and Demsar's own definitions on small tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fwsvm.reporting.artefact import NotDrawableError
from fwsvm.runs.records import conform
from fwsvm.studies.rankings.artefacts import (
    compare,
    groups_without_difference,
    performance_ratios,
    profile,
    profile_chart,
)


def synthetic_runs(n_sets, methods=("cvm", "fw", "mfw"), **changed):
    rng = np.random.default_rng(0)
    rows = [
        {"experiment": "benchmark", "dataset": f"set{i:02d}", "method": method, "repetition": repetition,
         "protocol": "libcvm" if method == "cvm" else "as_printed", "eps": 1e-6,
         "train_cpu_s": (1 + place) * rng.uniform(0.9, 1.1), "test_accuracy": 0.9 - 0.1 * place,
         "support_vectors": 10 * rng.integers(1, 9), "relative_gap": 10.0 ** -place,
         "stop_reason": "converged"} | changed
        for i in range(n_sets) for place, method in enumerate(methods) for repetition in range(2)
    ]  # fmt: skip
    return conform(pd.DataFrame(rows))


def test_ratios_and_profile_by_hand():
    costs = pd.DataFrame({"a": [1.0, 4.0, 2.0], "b": [2.0, 1.0, np.nan]}, index=["x", "y", "z"])
    ratios = performance_ratios(costs, costs.notna())
    assert ratios.to_dict("list") == {"a": [1.0, 4.0], "b": [2.0, 1.0]}  # z lacks a method
    tau, share = profile(ratios["a"])
    assert list(zip(tau, share, strict=True)) == [(1.0, 0.5), (1.0, 0.5), (4.0, 1.0)]


def test_what_is_not_solved_never_enters_a_profile():
    costs = pd.DataFrame({"a": [1.0, 4.0], "b": [2.0, 1.0]}, index=["x", "y"])
    solved = pd.DataFrame({"a": [False, False], "b": [True, False]}, index=["x", "y"])
    ratios = performance_ratios(costs, solved)
    assert ratios.to_dict("index") == {"x": {"a": np.inf, "b": 1.0}}  # nobody solves y
    assert profile(ratios["a"])[1].tolist() == [0.0]


def test_pairs_are_those_of_scipy_with_holms_correction():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal([0.0, 0.2, 3.0], size=(12, 3)), columns=list("abc"))
    ranks, pairs = compare(table, lower_is_better=True)
    expected = [stats.wilcoxon(table[x], table[y], method="exact").pvalue for x, y in ("ab", "ac", "bc")]
    assert pairs["p"].to_list() == pytest.approx(expected)
    assert pairs["p_holm"].to_list() == pytest.approx(_holm(expected))
    assert ranks.to_list() == pytest.approx(table.rank(axis=1).mean().to_list())


def _holm(p_values):
    order, worst, adjusted = np.argsort(p_values), 0.0, np.empty(len(p_values))
    for place, index in enumerate(order):
        worst = max(worst, (len(p_values) - place) * p_values[index])
        adjusted[index] = min(worst, 1.0)
    return adjusted


def test_groups_are_the_longest_without_a_difference():
    ranks = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0})
    names = [(x, y) for i, x in enumerate("abcd") for y in "abcd"[i + 1 :]]
    differ = {("a", "c"), ("a", "d"), ("b", "d")}
    pairs = pd.DataFrame([{"first": x, "second": y, "differ": (x, y) in differ} for x, y in names])
    assert groups_without_difference(ranks, pairs) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert groups_without_difference(ranks, pairs.assign(differ=False)) == [("a", "d")]
    assert groups_without_difference(ranks, pairs.assign(differ=True)) == []


def panel(frame, words):
    own = frame[frame["panel"].str.contains(words)]
    return own.groupby("method")["share"].max().to_dict()


def test_methods_are_as_accurate_within_half_a_point():
    runs = synthetic_runs(4)
    runs["test_accuracy"] = 0.9 - runs["method"].map({"cvm": 0.0, "fw": 0.004, "mfw": 0.006})
    assert panel(profile_chart(runs).frame, "accuracy") == {"cvm": 1.0, "fw": 1.0, "mfw": 0.0}


def test_runs_at_a_limit_solve_nothing():
    runs = synthetic_runs(4)
    one = (runs["method"] == "fw") & (runs["dataset"] == "set00") & (runs["repetition"] == 1)
    runs["stop_reason"] = runs["stop_reason"].mask(one, "time_limit")
    assert panel(profile_chart(runs).frame, "stops") == {"cvm": 1.0, "fw": 0.75, "mfw": 1.0}
    runs["stop_reason"] = "iteration_limit"
    with pytest.raises(NotDrawableError, match="data sets on which every method ran"):
        profile_chart(runs)


def test_a_method_that_missed_a_looser_gap_has_not_solved():
    equal = [synthetic_runs(4, experiment="ladder", eps=gap, selection="full") for gap in (1e-2, 1e-3)]
    equal[0].loc[equal[0]["method"] == "fw", "stop_reason"] = "time_limit"
    equal[1] = equal[1][equal[1]["method"] != "fw"]
    frame = profile_chart(pd.concat([synthetic_runs(4), *equal], ignore_index=True)).frame
    assert panel(frame, "relative gap") == {"cvm": 1.0, "fw": 0.0, "mfw": 1.0}
