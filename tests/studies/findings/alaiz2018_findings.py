"""The numbers in the findings of alaiz2018's tables and figures. In tables, mfw stands for M-FW."""

import json

import numpy as np
from findings_support import ROOT, finding, released


@finding("alaiz2018-table2")
def larger_sets(frame):
    rows = frame.set_index(["dataset", "kernel", "model"])
    support_vectors = rows["support_vectors_mean"].unstack("model")
    others = support_vectors.drop(("magic", "linear"))
    assert len(others) == 3
    assert (others["mfw"] / others["svm"]).between(0.99, 1.01).all()
    return list(support_vectors.loc[("magic", "linear"), ["mfw", "svm"]])


@finding("alaiz2018-table3")
def nine_sets(frame):
    rows = frame.set_index(["dataset", "kernel", "model"])
    size, accuracy = (
        rows[f"{name}_rank"].unstack("model") for name in ("support_vectors", "accuracy")
    )
    means = rows["support_vectors_mean"].unstack("model")
    fewer = size["mfw"] < size["svm"]
    assert (means["mfw"] < means["svm"])[fewer].all()
    less_accurate = accuracy["mfw"] > accuracy["svm"]
    means = rows["accuracy_mean"].unstack("model")
    assert (means["mfw"] < means["svm"])[less_accurate].all()
    assert frame["dataset"].nunique() == 9
    assert frame["kernel"].nunique() == 2
    return [fewer.sum(), len(fewer), less_accurate.sum()]


@finding("alaiz2018-table4")
def percentages(frame):
    rows = frame.set_index(["kernel", "model"])
    both = rows.loc[("all", "mfw")]
    assert both["accuracy_difference"] < 0
    return [
        both["support_vectors_percent"],
        -both["accuracy_difference"],
        both["iterations_median"],
        both["iterations_percent"],
    ]


@finding("alaiz2018-table5")
def starts(frame):
    rows = frame.set_index("dataset")
    pair = ["mushrooms", "iris-setosa"]
    assert set(rows.index[rows["overlap_mean"] < 50]) == set(pair)
    return [*rows.loc[pair, "overlap_mean"], rows.loc[pair, "accuracy_min"].min()]


@finding("alaiz2018-fig1")
def feasible_region(frame):
    names = ["1", "2", "3"]
    t = frame[[f"t{name}" for name in names]].to_numpy()
    a = frame[[f"a{name}" for name in names]].to_numpy()
    # all multipliers are positive, so each point has exactly the required margin: Q a = ρ t
    sketches = json.loads((ROOT / "results/released/sketches.json").read_text())
    margins = a @ np.array(sketches["regions"]["Q"])
    level = margins[:, [1]] / t[:, [1]]
    assert (a > 0).all()
    assert np.allclose(margins, level * t, atol=1e-5)
    for row in (1, 2, 3):
        varied = frame[frame["row"] == row].sort_values(f"t{row}")
        share = varied[f"t{row}"] * varied[f"a{row}"]  # it is 1 at the corner of point `row`
        assert share.is_monotonic_increasing
        assert share.iloc[-1] > 2 * share.iloc[0]
    # the products sum to 1, so a multiplier with the weight 0 has no bound
    assert np.allclose((t * a).sum(axis=1), 1, atol=1e-5)
    return [t.min()]


@finding("alaiz2018-fig2")
def multiplier_and_weight(frame):
    for _, curve in frame.sort_values("weight").groupby("which"):
        assert curve["multiplier"].is_monotonic_increasing
        assert curve["multiplier"].iloc[-1] > curve["multiplier"].iloc[0]
    return []


@finding("alaiz2018-fig3")
def paths_of_C(frame):
    columns = frame.groupby(["dataset", "kernel"])
    best = columns["accuracy_mean"].transform("max")
    near = frame[frame["accuracy_mean"] >= best - 1]
    C = near.groupby(["dataset", "kernel", "model"])["C"]
    # the values of C form one range: neighbours differ by the factor 4
    width = np.log(C.max() / C.min()) / np.log(4)
    assert np.allclose(width + 1, C.size())
    width = width.unstack("model")
    wider = width["mfw"] > width["svm"]
    assert wider.sum() == 3
    assert len(wider) == 4
    return []


@finding("alaiz2018-fig4")
def during_training(frame):
    rows = frame.set_index(["model", "iteration"])
    svm, mfw, fixed = (rows.loc[model] for model in ("svm", "mfw", "mfw_fixed"))
    details = json.loads((ROOT / "results/released/alaiz2018.json").read_text())
    largest = next(entry["largest"] for entry in details if "largest" in entry)
    limit = largest["iterations"]
    assert svm.index.max() == mfw.index.max() == limit
    assert fixed.index.max() < limit
    assert (svm["accuracy"] - mfw["accuracy"]).abs().max() < 0.5
    assert (svm["support_vectors"] / mfw["support_vectors"]).between(0.99, 1.01).all()
    ends = [model["support_vectors"].loc[model.index.max()] for model in (svm, mfw, fixed)]
    assert ends[0] == ends[1]
    (fixed_C,) = released("alaiz2018-table3").query("model == 'mfw_fixed'")["C"].unique()
    return [ends[0], fixed_C, ends[2]]
