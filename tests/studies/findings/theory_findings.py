"""The findings about bounds, convergence and sampling in theory."""

import numpy as np
from findings_support import finding

DROPPING = ["mfw", "swap", "swap2o"]  # the methods that can reduce a single weight

# Settings and thresholds: numbers in the findings that are not results.
COARSE, FINE = 0.001, 1e-6  # tolerances of the stopping rule
FAR = 3  # relative gap
BEST = 5  # per cent of the points


@finding("beyond-theory-rule")
def runs_within_the_bound(frame):
    ratio = frame["relative_gap"] / frame["guarantee"]
    within, search = ratio <= 1, frame["search"]
    runs, good = within.groupby(search).size(), within.groupby(search).sum()
    all_points, one_sample = "rule tested on all points", "rule tested on one sample"
    assert good[all_points] == runs[all_points]
    assert good[one_sample] == 1  # "only one"
    return [runs[all_points], runs[one_sample]]


@finding("beyond-theory-steps")
def coreset_of_cvm(frame):
    rows = frame.query("panel == 'core-set'").sort_values("size")
    assert set(rows["method"]) == {"cvm"}
    coarse, fine = (rows[np.isclose(rows["eps"], eps, atol=0)] for eps in (COARSE, FINE))
    # while m grows to a hundred times its size, the coreset hardly changes with the coarse rule
    assert coarse["size"].max() / coarse["size"].min() == 100
    assert coarse["coreset_size"].max() / coarse["coreset_size"].min() < 1.2
    assert (coarse["relative_gap"] > FAR).all()
    assert fine["coreset_size"].is_monotonic_increasing
    return [COARSE, FAR, fine["coreset_size"].iloc[0], fine["coreset_size"].iloc[-1]]


@finding("beyond-theory-rates")
def linear_and_sublinear_convergence(frame):
    runs = frame.groupby(["method", "dataset"]).first()
    assert set(frame["method"]) == {"fw", *DROPPING}
    fw, dropping = runs.loc["fw"], runs.loc[DROPPING]
    assert (dropping["drop_steps"] > 0).all() and (fw["drop_steps"] == 0).all()
    assert (dropping["explained_by_linear"] > 0.99).all()
    assert (dropping["explained_by_linear"] > dropping["explained_by_power"]).all()
    assert (fw["explained_by_power"] > 0.99).all()
    assert (fw["explained_by_power"] > fw["explained_by_linear"]).all()
    # h is proportional to a power of k that is close to -1 on each data set
    assert (fw["power"] + 1).abs().max() < 0.1

    fewest = []
    for _, rows in frame.groupby("dataset"):
        reached_by_all = rows.groupby("method")["h"].min().max()
        there = rows[rows["h"] <= reached_by_all]
        fewest.append(there.groupby("method")["step"].min().idxmin())
    assert set(fewest) == {"swap2o"}
    return [-fw["power"].median(), len(fewest)]


@finding("beyond-theory-samples")
def best_points_in_a_sample(frame):
    rows = frame.query("panel == 'vertex'").set_index(["better", "sample"])
    found, theory = rows["found"], rows["expected"]
    best_part = BEST / 100
    assert (found[best_part] - theory[best_part]).abs().max() < 0.01
    # both ways of sampling have the same percentages
    assert (100 * found[best_part]).round().nunique() == 1
    assert (100 * found[0.0]).round().nunique() == 1
    return [100 * found[best_part].mean(), BEST, 100 * found[0.0].mean()]


@finding("beyond-theory-table")
def drop_steps_and_gaps_within_their_bounds(frame):
    drop_steps = frame["statement"].str.startswith("Drop steps")
    all_points = frame["statement"].str.contains("stopping rule is tested on all points")
    within = frame["measured"] <= frame["bound"]
    assert drop_steps.any() and within[drop_steps].all()
    assert all_points.any() and within[all_points].all()
    return []
