"""Compare rankings over all data sets with their definitions by Dolan and More and by Demsar, on
small tables.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.rankings.artefacts import (
    costs_to_gap,
    performance_ratios,
    profile,
    profile_chart,
)
from fwsvm_papers.studies.rankings.critical_differences import (
    critical_difference_chart,
    groups_without_difference,
)
from fwsvm_papers.studies.rankings.robustness import DRAWS, robustness, robustness_table


def synthetic_runs(n_sets, methods=("cvm", "fw", "mfw"), **changed):
    rng = np.random.default_rng(0)
    rows = [
        {
            "experiment": "benchmark",
            "dataset": f"set{i:02d}",
            "method": method,
            "repetition": repetition,
            "protocol": "as_printed",
            "eps": 1e-6,
            "train_cpu_s": (1 + place) * rng.uniform(0.9, 1.1),
            "test_accuracy": 0.9 - 0.1 * place,
            "support_vectors": 10 * rng.integers(1, 9),
            "relative_gap": 10.0**-place,
            "stop_reason": "converged",
        }
        | changed
        for i in range(n_sets)
        for place, method in enumerate(methods)
        for repetition in range(2)
    ]
    return conform(pd.DataFrame(rows))


def test_ratios_and_profile_by_hand():
    costs = pd.DataFrame({"a": [1.0, 4.0, 2.0], "b": [2.0, 1.0, np.nan]}, index=["x", "y", "z"])
    ratios = performance_ratios(costs, costs.notna())
    # on z, one method has no run
    assert ratios.to_dict("list") == {"a": [1.0, 4.0], "b": [2.0, 1.0]}
    tau, share = profile(ratios["a"])
    assert list(zip(tau, share, strict=True)) == [(1.0, 0.5), (1.0, 0.5), (4.0, 1.0)]


def test_groups_are_the_longest_without_a_difference():
    ranks = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0})
    names = [(x, y) for i, x in enumerate("abcd") for y in "abcd"[i + 1 :]]
    differ = {("a", "c"), ("a", "d"), ("b", "d")}
    pairs = pd.DataFrame([{"first": x, "second": y, "differ": (x, y) in differ} for x, y in names])
    assert groups_without_difference(ranks, pairs) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert groups_without_difference(ranks, pairs.assign(differ=False)) == [("a", "b", "c", "d")]
    assert groups_without_difference(ranks, pairs.assign(differ=True)) == []


@given(st.permutations("abcde"), st.sets(st.sampled_from(list(combinations("abcde", 2)))))
def test_every_pair_without_a_difference_and_no_other_is_in_a_group(order, differ):
    ranks = pd.Series(dict(zip(order, range(1, 6), strict=True)))
    pairs = pd.DataFrame(
        [{"first": x, "second": y, "differ": (x, y) in differ} for x, y in combinations("abcde", 2)]
    )
    groups = groups_without_difference(ranks, pairs)
    assert {tuple(sorted(pair)) for group in groups for pair in combinations(group, 2)} == {
        *combinations("abcde", 2)
    } - differ
    assert all(list(group) == sorted(group, key=ranks.get) for group in groups)
    assert not any(set(one) < set(other) for one in groups for other in groups)


def bars(axes):
    """Return the vertical lines of a panel as (first row, last row, whether the line is solid)."""
    lines = [
        line
        for line in axes.lines
        if len(set(line.get_xdata())) == 1 and len(line.get_xdata()) == 2
    ]
    return sorted(
        (round(min(y := line.get_ydata())), round(max(y)), line.get_linestyle() == "-")
        for line in lines
    )


def test_a_pair_around_a_method_that_differs_has_a_bar_with_a_gap_and_a_note():
    """CVM is always a little faster than FW. MFW is slower than both on 8 data sets, and much
    faster than both on 4.
    """
    runs = synthetic_runs(12, ("cvm", "fw", "mfw", "swap"), test_accuracy=0.9, support_vectors=10)
    place = runs["dataset"].str[3:].astype(int)
    rare = place >= 8
    times = {
        "cvm": 10.0,
        "fw": 10.02 + 0.001 * place,
        "mfw": np.where(rare, 1.0, 10.5 + 0.1 * place),
        "swap": 99.0,
    }
    for method, values in times.items():
        runs["train_cpu_s"] = runs["train_cpu_s"].mask(runs["method"] == method, values)
    chart = critical_difference_chart(runs)
    where = 'In the panel "CPU time, own stopping rule", one dotted bar joins CVM and MFW'
    assert where in chart.notes
    time, accuracy, _ = chart.figure.axes
    assert bars(time) == [(0, 0, True), (0, 2, False), (1, 2, True), (2, 2, True)]
    assert bars(accuracy) == [(0, 3, True)]
    labels = [text.get_text() for legend in chart.figure.legends for text in legend.get_texts()]
    assert len(labels) == 2 and "differs" in labels[1]
    plain = critical_difference_chart(runs.assign(train_cpu_s=1.0))
    assert "pair" not in plain.notes and len(plain.figure.legends[0].get_texts()) == 1


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
    assert panel(profile_chart(runs).frame, "stopping") == {"cvm": 1.0, "fw": 0.75, "mfw": 1.0}
    runs["stop_reason"] = "iteration_limit"
    with pytest.raises(NotDrawableError, match="data sets on which every method ran"):
        profile_chart(runs)


def test_a_method_that_missed_a_looser_gap_has_not_solved():
    equal = [
        synthetic_runs(4, experiment="ladder", eps=gap, selection="full") for gap in (1e-2, 1e-3)
    ]
    equal[0].loc[equal[0]["method"] == "fw", "stop_reason"] = "time_limit"
    equal[1] = equal[1][equal[1]["method"] != "fw"]
    frame = profile_chart(pd.concat([synthetic_runs(4), *equal], ignore_index=True)).frame
    assert panel(frame, "relative gap") == {"cvm": 1.0, "fw": 0.0, "mfw": 1.0}


def test_the_curves_of_a_profile_are_named_at_their_ends():
    runs = synthetic_runs(4)
    slow = (runs["method"] == "fw") & (runs["dataset"] == "set00")
    runs["stop_reason"] = runs["stop_reason"].mask(slow, "time_limit")
    chart = profile_chart(runs)
    assert not chart.figure.legends
    own = chart.figure.axes[0]
    ends = {text.get_text(): text.xy for text in own.texts}
    right = own.get_xlim()[1]
    assert ends == {"CVM": (right, 100), "FW": (right, 75), "MFW": (right, 100)}


def test_the_first_panel_ranks_the_times_to_an_equal_gap():
    """CVM is first on four data sets and second on two. On the data set with the longest time, FW
    and MFW both miss the gap. They share the ranks 2 and 3 there.
    """
    times = pd.DataFrame(
        {
            "cvm": [1.0, 1.0, 1.0, 9.0, 5.0, 5.0],
            "fw": [2.0, 2.0, 2.0, 60.0, 1.0, 1.0],
            "mfw": [3.0, 3.0, 3.0, 50.0, 7.0, 7.0],
        }
    )
    equal = synthetic_runs(6, experiment="ladder", eps=1e-2, selection="full")
    place = equal["dataset"].str[3:].astype(int)
    equal["train_cpu_s"] = [
        times.loc[i, name] for i, name in zip(place, equal["method"], strict=True)
    ]
    missed = (place == 3) & (equal["method"] != "cvm")
    equal["stop_reason"] = equal["stop_reason"].mask(missed, "time_limit")
    chart = critical_difference_chart(
        pd.concat([synthetic_runs(6), equal[equal["repetition"] == 0]], ignore_index=True)
    )
    first = chart.figure.axes[0]
    assert first.get_title("left") == "CPU time to gap 0.01 (6 data sets)"
    drawn = {
        label.get_text(): text.get_text()
        for label, text in zip(first.get_yticklabels(), first.texts, strict=True)
    }
    # The mean ranks are (4 + 2 * 2) / 6 for CVM, (3 * 2 + 2.5 + 2 * 1) / 6 for FW, and (3 * 3 + 2.5
    # + 2 * 3) / 6 for MFW.
    assert drawn == {"CVM": "1.33", "FW": "1.75", "MFW": "2.92"}
    own = chart.frame[chart.frame["measure"] == "train_cpu_s_to_gap_0.01"]
    differences = {"cvm": times["cvm"], "fw": times["fw"].copy(), "mfw": times["mfw"].copy()}
    for name in ("fw", "mfw"):
        differences[name][3] = 90.0  # ten times the longest time of the runs that reached the gap
    for row in own.itertuples():
        expected = stats.wilcoxon(
            differences[row.first] - differences[row.second],
            zero_method="pratt",
            method=stats.PermutationMethod(n_resamples=1000),
        )
        assert row.p == pytest.approx(expected.pvalue)


def test_methods_that_all_miss_the_gap_share_a_rank():
    equal = synthetic_runs(6, experiment="ladder", eps=1e-2, selection="full")
    equal["stop_reason"] = "time_limit"
    chart = critical_difference_chart(pd.concat([synthetic_runs(6), equal], ignore_index=True))
    own = chart.frame[chart.frame["measure"] == "train_cpu_s_to_gap_0.01"]
    assert len(own) == 3 and set(own["p"]) == {1.0}
    assert set(own["first_rank"]) | set(own["second_rank"]) == {2.0}


def of_two(cvm, fw, measure="train_cpu_s"):
    """Return the row of `robustness` that compares FW with CVM.

    `cvm` and `fw` map each data set to the value of its runs: one number, or one number per
    repetition.
    """
    rows = [
        {
            "experiment": "benchmark",
            "protocol": "as_run",
            "dataset": name,
            "method": method,
            "repetition": place,
            "train_cpu_s": 1.0,
            "test_accuracy": 0.9,
            "stop_reason": "converged",
        }
        | {measure: value}
        for method, values in (("cvm", cvm), ("fw", fw))
        for name, of_set in values.items()
        for place, value in enumerate(np.atleast_1d(of_set))
    ]
    found = robustness(conform(pd.DataFrame(rows)))
    measure = "time" if measure == "train_cpu_s" else "accuracy"
    return found[(found["comparison"] == "fw-cvm") & (found["measure"] == measure)].iloc[0]


def test_shares_of_flips_by_counting():
    """FW is faster on five data sets, so p = 1/32.

    If FW is slower on one of them, and its difference is the smallest one, p = 2/32.
    """
    cvm, fw = dict.fromkeys("abcde", 10.0), {"a": 6.0, "b": 7.0, "c": 8.0, "d": 9.0}
    error = 4 * np.sqrt(0.25 / DRAWS)
    # on "e", FW is slower only if the second repetition is drawn twice
    row = of_two(cvm, fw | {"e": [9.0, 10.8]})
    assert row["p"] == 1 / 32 and row["flips_datasets"] == 0
    assert row["flips_repetitions"] == pytest.approx(1 / 4, abs=error)
    row = of_two(cvm, fw | {"e": 10.5})
    assert row["p"] == 2 / 32 and row["flips_repetitions"] == 0
    # the conclusion changes if "e" is not drawn
    assert row["flips_datasets"] == pytest.approx(0.8**5, abs=error)
    assert row["depends_on"] == "data sets"


@pytest.mark.parametrize(("names", "stands"), [("abc", "unknown"), ("abcdefgh", "yes")])
def test_a_conclusion_that_no_result_could_change_is_not_called_robust(names, stands):
    """With three data sets, the smallest p-value is 1/8."""
    cvm, fw = (
        [
            {
                "experiment": "benchmark",
                "protocol": "as_run",
                "dataset": name,
                "method": method,
                "repetition": 0,
                "train_cpu_s": seconds * (1 + place),
                "test_accuracy": 0.9,
                "stop_reason": "converged",
            }
            for place, name in enumerate(names)
        ]
        for method, seconds in (("cvm", 9.0), ("fw", 1.0))
    )
    table = robustness_table(conform(pd.DataFrame(cvm + fw)))
    assert "p_smallest" not in table.frame
    ends = {row[-1].text.partition(",")[0] for part in table.sections for row in part.rows}
    assert stands in ends and ("yes" in ends) == (stands == "yes")


def test_nested_series_count_once_and_logarithms_change_ranks():
    names = [*(f"w{i}a" for i in range(1, 9)), *(f"a{i}a" for i in range(1, 8)), *"abcdefg"]
    rng = np.random.default_rng(1)
    cvm, fw = np.exp(rng.normal(0, 2, (2, len(names))))
    row = of_two(dict(zip(names, cvm, strict=True)), dict(zip(names, fw, strict=True)))
    logs = np.log(fw / cvm)
    units = [logs[:8].mean(), logs[8:15].mean(), *logs[15:]]
    assert row["units"] == len(units) == 9
    for found, differences in (
        (row["p"], fw - cvm),
        (row["p_log"], logs),
        (row["p_series"], units),
    ):
        assert found == pytest.approx(
            stats.wilcoxon(differences, alternative="less", method="exact").pvalue
        )


def test_accurate_methods_are_the_better_ones():
    row = of_two(dict.fromkeys("abcdef", 0.9), dict.fromkeys("abcdef", 0.8), "test_accuracy")
    assert row["second_better"] > 0.9 > 0.1 > row["first_better"] and np.isnan(row["p_log"])


def test_a_disturbed_run_does_not_change_the_time_to_a_gap():
    runs = synthetic_runs(2, experiment="ladder", eps=1e-2, selection="full")
    of_fw = (runs["dataset"] == runs["dataset"].iloc[0]) & (runs["method"] == "fw")
    rows = runs.index[of_fw]
    quiet = [0.5] * (len(rows) - 1)
    runs.loc[rows, "train_cpu_s"] = [40.0, *quiet]
    runs["disturbed"] = runs.index == rows[0]
    assert len(quiet) > 0
    assert costs_to_gap(runs, 1e-2).loc[runs["dataset"].iloc[0], "fw"] == 0.5
