"""The findings of the tables and figures that are not in a paper, except those in the modules
ladder_findings, theory_findings and tuning_findings.
"""

import numpy as np
import pandas as pd
from findings_support import finding, released
from scipy.stats import gmean

FW_METHODS = ["fw", "mfw", "swap", "swap2o"]

# Settings and thresholds: numbers in the findings that are not results.
NEAR = 0.5  # percentage points between accuracies that count as equal
MUCH_FASTER = 5  # times as fast as CVM
GAIN_KEPT = 90  # per cent of CVM's gain
FAR = 1  # relative gap of a model that is far from the optimum
LEVEL = 5  # significance level, in per cent
CHANGED = 0.1  # a conclusion that this share of the bootstrap samples changes is not robust
REACHED = 0.001  # relative gap


def by_method(frame, column):
    """Return a column of a table, with a row per data set and a column per method."""
    return frame.pivot_table(index="dataset", columns="method", values=column)


@finding("summary")
def useful_and_faster(frame):
    frame = frame.query("protocol == 'as_run'")
    assert frame[frame["method"].isin(["cvm", *FW_METHODS])]["limit"].isna().all()
    accuracy, time = by_method(frame, "accuracy"), by_method(frame, "time")
    accurate = accuracy[FW_METHODS].ge(accuracy["cvm"] - NEAR, axis=0)
    learnt = accuracy[FW_METHODS].gt(accuracy["majority"] + NEAR, axis=0)
    faster = time[FW_METHODS].lt(time["cvm"], axis=0)
    found = (accurate & learnt & faster).any(axis=1)
    return [found.sum(), len(found), NEAR, NEAR]


@finding("beyond-stopping")
def patience_on_w8a(frame):
    rows = frame.query("dataset == 'w8a'").set_index(["method", "variant"])
    fw, cvm = rows.loc["fw"], rows.loc["cvm"]
    patient, first = "patience 7", "patience 1"
    shown = [fw.loc[patient], fw.loc[first], cvm.loc[patient], cvm.loc[first]]
    assert not any(row["at_limit"] for row in shown)
    assert fw["time"][patient] > fw["time"][first]
    assert fw["accuracy"][patient] > fw["accuracy"][first]
    assert cvm["time"][patient] > cvm["time"][first]
    times = [fw["time"][patient], 7, fw["time"][first], 1]
    accuracies = [fw["accuracy"][patient], fw["accuracy"][first]]
    return [*times, *accuracies, cvm["time"][patient], cvm["time"][first]]


@finding("beyond-stopping-table")
def long_patience(frame):
    time = frame.pivot_table(index="dataset", columns=["method", "variant"], values="time")
    factor = {
        method: gmean(time[method, "patience 20"] / time[method, "patience 1"])
        for method in FW_METHODS
    }
    late = frame[frame["at_limit"]].groupby("method")["variant"].agg(set)
    # "at least": only the longer of FW's times are lower bounds
    assert "patience 20" in late["fw"] and "patience 1" not in late["fw"]
    assert not late.get("swap2o", set()) & {"patience 20", "patience 1"}
    return [20, 1, factor["fw"], factor["swap2o"], len(time)]


@finding("beyond-peers")
def fastest_accurate_method(frame):
    best = frame.groupby("dataset")["accuracy"].transform("max")
    accurate = frame[frame["accuracy"] >= best - NEAR]
    fastest = accurate.loc[accurate.groupby("dataset")["time"].idxmin()]
    assert fastest["limit"].isna().all()
    return [NEAR, (fastest["method"] == "auto").sum(), frame["dataset"].nunique()]


@finding("beyond-majority")
def gain_of_fast_methods(frame):
    assert set(frame["protocol"]) == {"as_run"} and set(frame["method"]) == {"fw", "mfw"}
    assert not frame.duplicated(["dataset", "method"]).any() and set(frame["bound"]) == {"exact"}
    kept = (frame["accuracy"] - frame["majority"]) / (frame["cvm_accuracy"] - frame["majority"])
    assert np.allclose(frame["kept"], 100 * kept, rtol=1e-3, atol=0.1)
    time = by_method(released("summary").query("protocol == 'as_run'"), "time")
    ratios = [
        time["cvm"][row.dataset] / time[row.method][row.dataset] for row in frame.itertuples()
    ]
    assert np.allclose(frame["speedup"], ratios, rtol=1e-5)
    fast = frame[frame["speedup"] >= MUCH_FASTER]
    good = fast[fast["kept"] >= GAIN_KEPT]
    on_adult = good["dataset"].str.fullmatch(r"a\da")
    assert on_adult.mean() > 0.5
    assert len(good) < len(fast) / 2  # "in only 14"
    return [MUCH_FASTER, len(fast), len(frame), len(good), GAIN_KEPT]


@finding("beyond-gap")
def far_from_the_optimum(frame):
    assert (frame["at_limit"] == 0).all()
    far = (by_method(frame, "mean") > FAR).sum()
    return [FAR, far["fw"], frame["dataset"].nunique(), far["swap"], far["cvm"]]


@finding("beyond-profile")
def fastest_methods(frame):
    sets = (frame["sets"] / frame["share"]).groupby(frame["panel"]).median().round()
    best = frame[frame["factor"] == 1].groupby(["panel", "method"])["sets"].max()
    equal, accurate = "to a relative gap of 0.001", "within 0.5 points of the best accuracy"
    assert best[equal].idxmax() == "auto" and best[accurate].idxmax() == "swap2o"

    # the same numbers from the times in other tables
    to_gap = released("beyond-equal").query("rung == 'gap 0.001' and reached")
    first = to_gap.loc[to_gap.groupby("dataset")["time"].idxmin(), "method"]
    assert [(first == "auto").sum(), len(first)] == [best[equal, "auto"], sets[equal]]
    runs = released("summary").query("protocol == 'as_run'")
    runs = runs[runs["method"].isin(["cvm", *FW_METHODS])]
    near = runs["accuracy"] >= runs.groupby("dataset")["accuracy"].transform("max") - NEAR
    first = runs.loc[runs[near].groupby("dataset")["time"].idxmin(), "method"]
    assert [(first == "swap2o").sum(), len(first)] == [best[accurate, "swap2o"], sets[accurate]]

    return [best[equal, "auto"], sets[equal], best[accurate, "swap2o"], sets[accurate], NEAR]


@finding("beyond-robustness")
def conclusions_that_stand(frame):
    rejected = frame[["p", "p_series", "p_log"]] <= LEVEL / 100
    same = rejected["p"] == rejected["p_series"]
    same &= (rejected["p"] == rejected["p_log"]) | frame["p_log"].isna()  # missing for accuracies
    stable = (frame[["flips_repetitions", "flips_datasets"]] < CHANGED).all(axis=1)
    stand = same & stable
    assert (stand == frame["depends_on"].isna()).all()
    pairs = frame["comparison"].str.split("-")
    with_cvm = pairs.map(lambda methods: len(methods) == 2 and "cvm" in methods)
    assert with_cvm.any() and stand[with_cvm].all()
    return [len(frame), LEVEL, stand.sum(), stand.sum()]


@finding("beyond-cd")
def mean_ranks(frame):
    sides = [
        frame[["measure", side, f"{side}_rank"]].set_axis(["measure", "method", "rank"], axis=1)
        for side in ("first", "second")
    ]
    ranks = pd.concat(sides).groupby(["measure", "method"])["rank"]
    assert ranks.min().equals(ranks.max())  # a method has the same rank in all rows
    sorted_ranks = ranks.first().sort_values()
    order = {measure: list(sorted_ranks[measure].index) for measure in set(frame["measure"])}
    to_gap = "train_cpu_s_to_gap_0.01"
    assert order[to_gap][:2] == ["auto", "swap2o"]
    assert set(order["train_cpu_s"][:2]) == {"swap", "swap2o"}
    assert order["test_accuracy"][0] == "cvm"
    tested = frame.set_index(["measure", "first", "second"])
    assert tested["p_holm"][to_gap, "swap2o", "auto"] <= LEVEL / 100
    assert tested["differ"][to_gap, "swap2o", "auto"]
    return []


@finding("beyond-convergence")
def first_to_the_gap(frame):
    there = frame[frame["relative_gap"] <= REACHED]
    first = there.loc[there.groupby("dataset")["cpu_s"].idxmin()].set_index("dataset")["method"]
    assert "ijcnn1" in set(frame["dataset"]) and "ijcnn1" not in first
    return [(first == "swap2o").sum(), frame["dataset"].nunique(), REACHED]


@finding("beyond-steps")
def steps_to_a_gap(frame):
    steps = frame.groupby("method")["step"].max()
    last_error = frame.groupby("method")["error"].last()
    # The gap is at least the error. So FW did not reach the gap of 0.0001, unlike the others.
    assert last_error["fw"] > 1e-4 and last_error.drop("fw").max() < 1e-4
    assert (steps.drop("fw") < steps["fw"]).all()
    assert steps["fcfw"] == steps.min()
    return [steps["swap2o"], steps["swap"], steps["fw"], steps["fcfw"]]


@finding("beyond-cost")
def agreement_with_the_printed_speedups(frame):
    assert not frame["at_limit"].any()
    ratio = frame["ours"] / frame["printed"]
    frame = frame.assign(factor=np.maximum(ratio, 1 / ratio))
    timed = frame.query("protocol == 'authors'")["dataset"].unique()
    assert len(timed) == 10  # "on ten data sets"
    same = frame[frame["dataset"].isin(timed)]
    median = same.groupby(["protocol", "measure", "method"])["factor"].median()
    theirs = median["authors", "CPU seconds of the authors' program"]
    ours = median["as_run", "our CPU seconds"]
    return [theirs["fw"], ours["fw"], theirs["mfw"], ours["mfw"]]
