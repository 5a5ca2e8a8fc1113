"""The numbers in the findings of tsang2005's figures.

A literal in a returned list is a setting that the text names, such as C or a number of points.
"""

import json

import numpy as np
from findings_support import ROOT, finding

LIBSVM = ["libsvm_l1", "libsvm_l2"]
MILLION = 1_000_000


@finding("tsang2005-fig1")
def coreset_and_balls(frame):
    distance = np.hypot(frame["x"] - frame["center_x"], frame["y"] - frame["center_y"])
    radius, eps = frame["radius"], frame["eps"]
    rounding = 1e-6
    core = frame["is_core"]
    assert np.allclose(distance[core], radius[core], atol=rounding)
    assert (distance > radius + rounding).sum() == 2
    assert (distance <= radius * (1 + eps)).all()
    return [1]  # of the formula 1 + ε


@finding("tsang2005-fig2")
def checkerboard(frame):
    drawn = frame[frame["gamma_rule"] == "2/beta"]
    rows = drawn.set_index(["method", "C", "task_size"])
    stopped = rows.loc[("libsvm_l1", 1024, 100_000)]
    assert stopped["ended"]
    return [
        64,
        rows.loc[("cvm", 64, 100_000), "time"],
        100_000,
        rows.loc[("cvm", 64, MILLION), "time"],
        1024,
        100_000,
        rows.loc[("cvm", 1024, 100_000), "error"],
        rows.loc[("cvm", 1024, 100_000), "time"],
        stopped["limit"],
        30_000,
        rows.loc[("libsvm_l1", 1024, 30_000), "error"],
        rows.loc[("libsvm_l1", 1024, 30_000), "time"],
    ]


@finding("tsang2005-fig3")
def forest(frame):
    rows = frame.set_index(["method", "task_size"])
    all_points = frame["task_size"].max()
    ended_by_auto = frame[(frame["method"] == "auto") & ~frame["ended"]]
    most_of_auto = ended_by_auto["task_size"].max()
    cvm_on_all = rows.loc[("cvm", all_points)]
    cvm, auto = rows.loc[("cvm", most_of_auto)], rows.loc[("auto", most_of_auto)]
    return [
        all_points,
        cvm_on_all["time"],
        cvm_on_all["relative_gap"],
        most_of_auto,
        cvm["time"],
        cvm["relative_gap"],
        auto["relative_gap"],
        auto["time"],
    ]


@finding("tsang2005-fig4")
def adult(frame):
    keys = ["C", "task_size"]
    cvm = frame[frame["method"] == "cvm"]
    finished = cvm[~cvm["ended"]].set_index(keys)
    # the time of a run that reached its limit is at least the limit
    times = frame.assign(time=frame["time"].fillna(frame["limit"]))
    for name in LIBSVM:
        libsvm = times[times["method"] == name].set_index(keys)
        assert (finished["time"] < libsvm.loc[finished.index, "time"]).all()
    gap = finished["relative_gap"].unstack("C")
    assert (gap[1024] > 0.5).all()
    assert (gap[1024] > gap[[1, 64]].max(axis=1)).all()
    a9a = frame["task_size"].max()
    error = finished.loc[(1024, a9a), "error"]
    assert majority_error("a9a") < error
    return [1024, error]


def majority_error(dataset):
    """Return the test error (%) of always predicting the class with most training points."""
    details = json.loads((ROOT / "results/released/tsang2005.json").read_text())
    classes = next(entry["classes"] for entry in details if entry["dataset"] == dataset)
    predicted = max(classes, key=lambda count: count["train"])
    return 100 - 100 * predicted["test"] / sum(count["test"] for count in classes)


@finding("tsang2005-oneclass")
def one_class(frame):
    means = frame.groupby(["method", "nu"])[["auc", "share", "time"]].mean()
    ours, libsvm = means.loc["oneclass_swap"], means.loc["oneclass_libsvm"]
    smallest = frame["nu"].min()
    first, first_of_libsvm = ours.loc[smallest], libsvm.loc[smallest]
    assert abs(first["auc"] - first_of_libsvm["auc"]) < 0.005
    assert round(first["share"] / first_of_libsvm["share"]) == 2
    assert round(first["time"] / first_of_libsvm["time"]) == 3
    assert ours["auc"].is_monotonic_decreasing
    assert ours["auc"].iloc[-1] < ours["auc"].iloc[0] - 0.04
    assert ours["share"].is_monotonic_increasing
    assert ours["share"].iloc[-1] == 100
    return [smallest]
