"""What the findings of frandi2013 say, computed from the released tables."""

import json

import numpy as np
import pandas as pd
from benchmark_figures import INFERRED, OF_THE_TEXT, panel
from findings_support import ROOT, finding

PRINTED = ROOT / "src/fwsvm_papers/studies/frandi2013/printed"
SKETCHES = json.loads((ROOT / "results/released/sketches.json").read_text())
ONE_PER_CENT = 0.01
FIVE_PER_CENT = 5
ROUNDED = 1 + 1e-6
"""A factor that allows for the seven digits of a csv file."""


# The tables


@finding("frandi2013-table1")
@finding("nanculef2014-table1")
def sizes(frame):
    """Count our data sets and the paper's, and find the sizes that are not the printed ones."""
    columns = ["m", "t", "K", "m_max", "m_min", "n"]
    ours = frame.set_index("dataset")
    different = {
        (dataset, column)
        for dataset in ours.index
        for column in columns
        if ours.loc[dataset, column] != ours.loc[dataset, f"{column}_printed"]
    }
    binary_problems = {("kdd99-10pc", "m_max"), ("kdd99-10pc", "m_min")}
    assert different == binary_problems | {("reuters", "n")}
    of_the_paper = set(pd.read_csv(PRINTED / "datasets.csv")["dataset"])
    assert set(ours.index) < of_the_paper
    return [len(ours), len(of_the_paper)]


@finding("frandi2013-table2")
def accuracy_against_the_paper(frame):
    rows = frame[frame["protocol"] == INFERRED]
    off = {
        method: (rows[f"{method}_mean"] - rows[f"{method}_printed_mean"]).abs().median()
        for method in ("cvm", "fw", "mfw")
    }
    return [off["cvm"], max(off["fw"], off["mfw"])]


@finding("frandi2013-table3")
def time_against_the_paper(frame):
    rows = frame[frame["protocol"] == INFERRED]
    return [
        (rows[f"{method}_printed_mean"] / rows[f"{method}_mean"]).median()
        for method in ("cvm", "fw", "mfw")
    ]


@finding("frandi2013-table4")
def hypotheses(frame):
    """Assert the counts, which the sentence has as words."""
    assert frame["comparison"].nunique() == 3 and len(frame) == 6
    for _, tests in frame.groupby("comparison"):
        hypothesis = tests.set_index("measure")["h0"]
        assert sorted(hypothesis.index) == ["accuracy", "time"]
        assert hypothesis["time"].endswith("are equally fast")
        assert hypothesis["accuracy"].endswith("are equally accurate")
    return []


@finding("frandi2013-table5")
def statistics(frame):
    fw_and_cvm = of_test(frame, "time", "fw-cvm")
    all_methods = of_test(frame, "time", "cvm-fw-mfw")
    return [
        fw_and_cvm["statistic"],
        fw_and_cvm["statistic_published"],
        all_methods["statistic"],
        all_methods["statistic_published"],
    ]


@finding("frandi2013-table6")
def p_values(frame):
    """Check all p-values. The paper doubles the p-value of Friedman's test, and so do we."""
    rows = frame[frame["protocol"] == INFERRED]
    p_value = rows["p_value_doubled"].fillna(rows["p_value"])
    large = rows[p_value >= ONE_PER_CENT]
    assert list(zip(large["measure"], large["comparison"], strict=True)) == [("time", "fw-mfw")]
    exception = of_test(frame, "time", "fw-mfw")
    return [ONE_PER_CENT, exception["p_value"], exception["p_published"]]


@finding("frandi2013-table7")
def conclusions(frame):
    rows = frame[frame["protocol"] == INFERRED]
    rejected = rows["p_value"] < FIVE_PER_CENT / 100
    assert (rejected == (rows["conclusion"] != "H0 not rejected")).all()
    assert (rows["conclusion"] == rows["conclusion_published"]).all()
    return [len(rows), FIVE_PER_CENT]


@finding("frandi2013-table8")
def polynomial_kernel_against_the_paper(frame):
    rows = frame[frame["protocol"] == INFERRED]
    times_as_fast = rows["seconds_printed_mean"] / rows["seconds_mean"]
    off = (rows["accuracy_mean"] - rows["accuracy_printed_mean"]).abs()
    return [times_as_fast.median(), off.median()]


def of_test(frame, measure, comparison):
    """Return the row of one test, with the inferred settings."""
    rows = frame[(frame["protocol"] == INFERRED) & (frame["measure"] == measure)]
    return rows[rows["comparison"] == comparison].squeeze()


# The sketches


@finding("frandi2013-fig1")
def balls(frame):
    """Count the steps, and check which balls contain their coresets.

    The finding also says that a step of FW is cheaper than a step of BC. This does not follow from
    the table, but from the algorithms: FW moves a center, and BC solves a problem on its coreset.
    """
    eps = SKETCHES["balls"]["eps"]
    bc, fw = (frame[frame["algorithm"] == name] for name in ("bc", "fw"))
    assert all(contains_coreset(bc))
    at_start, *later = contains_coreset(fw)
    assert at_start and not any(later)
    *_, at_end = contains_coreset(fw, scale=1 + eps)
    assert at_end
    return [bc["iteration"].max(), fw["iteration"].max()]


def contains_coreset(balls, scale=1.0):
    """Return for each ball whether it contains all points of its coreset."""
    sketch = SKETCHES["balls"]
    contains = []
    for ball in balls.itertuples():
        coreset = sketch[ball.algorithm][ball.iteration]["coreset"]
        away = np.array(sketch["points"])[coreset] - (ball.x, ball.y)
        farthest = np.linalg.norm(away, axis=1).max()
        contains.append(farthest <= scale * ball.radius * ROUNDED)
    return contains


@finding("frandi2013-fig2")
def steps_to_the_gap(frame):
    """Find the first step of each method whose gap is small enough. The run must end there."""
    eps = SKETCHES["steps"]["eps"]
    steps = {}
    for method, run in frame.groupby("method"):
        reached = run[relative_gaps(run[["a1", "a2", "a3"]].to_numpy()) <= eps]
        assert list(reached["iteration"]) == [run["iteration"].max()]
        steps[method] = run["iteration"].max()
    return [steps["mfw"], eps, steps["fw"]]


def relative_gaps(weights):
    """Return the duality gap 2 (a'Qa - min Qa), divided by the objective a'Qa, for each row a."""
    products = weights @ np.array(SKETCHES["steps"]["Q"])
    objective = (weights * products).sum(axis=1)
    return 2 * (objective - products.min(axis=1)) / objective


# The figures of the methods on the data sets


@finding("frandi2013-fig3")
def web(frame):
    speedup = panel(frame, INFERRED, "Web", "speedup").median()
    printed = panel(frame, INFERRED, "Web", "speedup", "printed").median()
    accuracy = panel(frame, INFERRED, "Web", "accuracy").median()
    return [speedup["fw"], printed["fw"], speedup["mfw"], accuracy["cvm"], accuracy["fw"]]


@finding("frandi2013-fig3--as_printed")
def web_with_the_settings_of_the_text(frame):
    speedup = panel(frame, OF_THE_TEXT, "Web", "speedup").median()
    accuracy = panel(frame, OF_THE_TEXT, "Web", "accuracy").median()
    return [speedup["fw"], accuracy["fw"], accuracy["cvm"]]


@finding("frandi2013-fig4")
def adult(frame):
    speedup = panel(frame, INFERRED, "Adult", "speedup").median()
    printed = panel(frame, INFERRED, "Adult", "speedup", "printed").median()
    return [speedup["fw"], printed["fw"], speedup["mfw"], printed["mfw"]]


@finding("frandi2013-fig4--as_printed")
def adult_with_the_settings_of_the_text(frame):
    speedup = panel(frame, OF_THE_TEXT, "Adult", "speedup").median()
    printed = panel(frame, OF_THE_TEXT, "Adult", "speedup", "printed").median()
    return [speedup["fw"], printed["fw"], speedup["mfw"]]


@finding("frandi2013-fig5")
def medium(frame):
    speedup = panel(frame, INFERRED, "medium sets", "speedup").median()
    printed = panel(frame, INFERRED, "medium sets", "speedup", "printed").median()
    below_cvm = -panel(frame, INFERRED, "medium sets", "difference").median()
    printed_below_cvm = -panel(frame, INFERRED, "medium sets", "difference", "printed").median()
    return [speedup["fw"], printed["fw"], below_cvm["fw"], printed_below_cvm["fw"]]


@finding("frandi2013-fig5--as_printed")
def medium_with_the_settings_of_the_text(frame):
    speedup = panel(frame, OF_THE_TEXT, "medium sets", "speedup").median()
    printed = panel(frame, OF_THE_TEXT, "medium sets", "speedup", "printed").median()
    assert speedup["fw"] < 1 and speedup["mfw"] < 1
    return [speedup["fw"], printed["fw"], speedup["mfw"]]


@finding("frandi2013-fig6")
def large(frame):
    difference = panel(frame, INFERRED, "large sets", "difference")
    assert difference["fw"].idxmin() == "ijcnn1"
    assert difference["mfw"].idxmin() == "ijcnn1"
    return ranges_on_large_sets(frame, INFERRED)


@finding("frandi2013-fig6--as_printed")
def large_with_the_settings_of_the_text(frame):
    return ranges_on_large_sets(frame, OF_THE_TEXT)


def ranges_on_large_sets(frame, protocol):
    """Return the smallest and the largest speed-up of FW, of FW in the paper, and of MFW."""
    speedup = panel(frame, protocol, "large sets", "speedup")
    printed = panel(frame, protocol, "large sets", "speedup", "printed")
    columns = (speedup["fw"], printed["fw"], speedup["mfw"])
    return [end for column in columns for end in (column.min(), column.max())]


# The figures against C


@finding("frandi2013-fig7")
def time_against_c(frame):
    """Compare the times at the ends of the path. CVM's fall is the largest in ratio and seconds."""
    first, last = frame["C"].min(), frame["C"].max()
    time = against_c(frame, "time")
    for dataset in ("shuttle", "kdd99-10pc"):
        start, end = time.loc[dataset, first], time.loc[dataset, last]
        assert (end < start).all()
        assert (start / end).idxmax() == "cvm"
        assert (start - end).idxmax() == "cvm"
    cvm_falls_from = time.loc[("kdd99-10pc", first), "cvm"]
    assert cvm_falls_from > 20
    return [last, first, cvm_falls_from, time.loc[("kdd99-10pc", last), "cvm"]]


@finding("frandi2013-fig8")
def accuracy_against_c(frame):
    """Compare the accuracies on reuters at the ends of the path, and their trends over the path."""
    first, last = frame["C"].min(), frame["C"].max()
    accuracy = against_c(frame, "accuracy").loc["reuters"]
    rank_of_c = pd.Series(accuracy.index, index=accuracy.index).rank()
    trend = accuracy.rank().corrwith(rank_of_c)
    rise = accuracy.loc[last] - accuracy.loc[first]
    assert trend["fw"] < 0 and trend["mfw"] < 0 and trend["cvm"] > 0
    assert rise["fw"] < 0 and rise["mfw"] < 0 and rise["cvm"] > 0
    return [accuracy.loc[first, "fw"], first, accuracy.loc[last, "fw"]]


def against_c(frame, quantity):
    """Return a quantity: a row for each data set and each C, and a column for each method."""
    rows = frame[frame["quantity"] == quantity]
    return rows.pivot_table(index=["dataset", "C"], columns="method", values="value")
