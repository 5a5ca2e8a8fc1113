"""The numbers in the findings of singh's table and figures.

The smaller and the larger data set of the findings are two sets of points on two circles.
"""

import numpy as np
from findings_support import finding, released

SMALL, LARGE = "two-circles", "two-circles-3000"


def quantities():
    """Return singh-table1, with the name of a data set and of a quantity as the index."""
    table = released("singh-table1")
    return table.set_index(["dataset", "quantity"])


def ends(frame, keys):
    """Return the row of the last iteration of each group."""
    last = frame.groupby(keys)["iteration"].transform("max")
    rows = frame[frame["iteration"] == last]
    return rows.set_index(keys)


@finding("singh-table1")
def steps_of_mfw(frame):
    rows = frame.set_index(["dataset", "quantity"])
    assert rows.loc[(SMALL, "away steps"), "printed"] == 1
    return [
        rows.loc[(SMALL, "away steps"), "mfw_median"],
        rows.loc[(LARGE, "away steps"), "mfw_median"],
        rows.loc[(SMALL, "steps"), "mfw_median"],
        rows.loc[(LARGE, "steps"), "mfw_median"],
    ]


@finding("singh-fig1")
def circles_and_decision_function(frame):
    support_vectors = frame.groupby("dataset")["support"].sum()
    assert set(frame.loc[frame["support"], "part"]) == {"train"}
    accuracy = frame.groupby("dataset")["test_accuracy"].unique().explode()
    assert accuracy.index.is_unique
    assert accuracy[SMALL] == 1
    return [support_vectors[SMALL], support_vectors[LARGE], 100 * accuracy[LARGE]]


@finding("singh-fig2")
def objective(frame):
    for _, curve in frame.sort_values("iteration").groupby("dataset"):
        assert curve["value"].is_monotonic_decreasing
    last = ends(frame, ["dataset"])["value"]
    return [100 * last[SMALL], 100 * last[LARGE]]


@finding("singh-fig3")
def distance_of_the_weights(frame):
    first = frame[frame["iteration"] == 0].set_index("dataset")["value"]
    last = ends(frame, ["dataset"])["value"]
    return [first[SMALL], last[SMALL], first[LARGE], last[LARGE]]


@finding("singh-fig4")
def steps_of_the_first_draw(frame):
    assert quantities().loc[(SMALL, "away steps"), "printed"] == 1
    is_away = frame["step"] == "away"
    assert (frame["step_size"].lt(0) == is_away).all()
    assert (is_away.groupby(frame["dataset"]).mean() > 1 / 3).all()
    largest = frame.groupby("dataset")["coreset"].max()
    draws = released("singh-fig4b")
    of_draws = draws[draws["dataset"] == SMALL].set_index("draw")["largest_coreset"]
    assert of_draws[0] == largest[SMALL]
    assert (of_draws.drop(0) < largest[SMALL]).all()
    return [largest[SMALL]]


@finding("singh-fig4b")
def steps_of_all_draws(frame):
    printed = quantities()["printed"]
    assert printed[SMALL, "away steps"] == 1
    assert np.allclose(frame["share"], 100 * frame["away"] / frame["iteration"])
    medians = frame.groupby("dataset")[["share", "largest_coreset"]].median()
    assert (medians["share"] > 100 / 3).all()
    return [
        medians.loc[SMALL, "share"],
        medians.loc[SMALL, "largest_coreset"],
        printed[SMALL, "largest coreset"],
        medians.loc[LARGE, "largest_coreset"],
    ]


@finding("singh-fig5")
def accuracy_per_step(frame):
    at_end = frame[frame["part"] == "train, end of draw"]
    final = at_end.set_index(["dataset", "draw"])["accuracy"]
    assert quantities().loc[(SMALL, "training accuracy"), "printed"] == 100
    curves = ends(frame[frame["part"] == "train"], ["dataset"])
    assert (curves["draw"] == 0).all()
    assert curves.loc[SMALL, "accuracy"] == final[SMALL, 0]
    most = final[SMALL].mode().item()
    assert (final[SMALL] == most).mean() > 1 / 2
    return [most, final[SMALL, 0], final[LARGE, 0]]


@finding("singh-fig6")
def margin(frame):
    # h(x) = w x + b is the label at each of the three support vectors
    support = frame[frame["support"]]
    X = support[["x1", "x2"]].assign(one=1)
    w1, w2, b = np.linalg.solve(X, support["label"])
    h = w1 * frame["x1"] + w2 * frame["x2"] + b
    assert (frame["label"] * h > 1 - 1e-9).all()
    # the lines through the support vectors of the two classes are two margins apart
    first, second = support[support["label"] == 1][["x1", "x2"]].to_numpy()
    (other,) = support[support["label"] == -1][["x1", "x2"]].to_numpy()
    along = (second - first) / np.linalg.norm(second - first)
    across = other - first
    apart = abs(along[0] * across[1] - along[1] * across[0])
    # losses are not in the csv: the squared hinge loss is larger where the hinge loss is above 1
    return [apart / 2 * np.hypot(w1, w2)]  # the margin times ‖w‖


@finding("singh-signerror")
def wrong_sign(frame):
    listings = ends(frame, ["listing", "dataset"])
    printed, corrected = listings.loc["printed"], listings.loc["corrected"]
    assert (printed["radius2"] > printed["true_radius2"]).all()
    assert np.allclose(corrected["radius2"], corrected["true_radius2"])
    assert (printed["iteration"] < corrected["iteration"]).all()
    assert printed.loc["a1a", "relative_gap"] > corrected.loc["a1a", "relative_gap"]
    for circles in (SMALL, LARGE):
        gap_of_mfw = quantities().loc[(circles, "relative gap"), "mfw_max"]
        assert printed.loc[circles, "relative_gap"] > gap_of_mfw
    points = released("singh-fig1").groupby("dataset").size()
    # the text says "at least", so the smallest gap is rounded down
    at_least = np.floor(100 * printed["relative_gap"].min()) / 100
    return [
        printed.loc[SMALL, "iteration"],
        points[SMALL],
        printed.loc[LARGE, "iteration"],
        points[LARGE],
        printed.loc["a1a", "iteration"],
        at_least,
    ]
