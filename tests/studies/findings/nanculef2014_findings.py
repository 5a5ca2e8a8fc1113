"""What the findings of nanculef2014 say, computed from the released tables."""

import json

import numpy as np
from benchmark_figures import INFERRED, OF_THE_TEXT, panel
from findings_support import ROOT, finding

SKETCHES = json.loads((ROOT / "results/released/sketches.json").read_text())
FIVE_PER_CENT = 5
HALF_A_POINT = 0.5
HARDLY = 0.2
"""The largest difference of two accuracies, in percentage points, that is called small."""
SIMILAR = 1.25
"""The largest ratio of two numbers that are called similar."""


# The table of the tests. The table of the data sets is the same as in frandi2013.


@finding("nanculef2014-table2")
def conclusions(frame):
    rows = frame[frame["protocol"] == INFERRED]
    rejected = rows["p_value"] < FIVE_PER_CENT / 100
    assert (rejected == (rows["conclusion"] != "H0 not rejected")).all()
    agree = rows["conclusion"] == rows["conclusion_published"]
    return [agree.sum(), len(rows), FIVE_PER_CENT]


# The sketch


@finding("nanculef2014-fig1")
def step_of_each_method(frame):
    """Compare the distances from the optimum. The sentence has no number."""
    ends = frame.set_index("method")[["a1", "a2", "a3"]]
    away = np.linalg.norm(ends - np.array(SKETCHES["steps"]["optimum"]), axis=1)
    distance = dict(zip(ends.index, away, strict=True))
    assert distance["mfw"] < distance["fw"] and distance["mfw"] < distance["swap"]
    return []


# Web and Adult


@finding("nanculef2014-fig2")
def accuracy_on_web(frame):
    loss = -panel(frame, INFERRED, "Web", "difference").median()
    assert set(loss.index) == {"fw", "mfw", "swap", "swap2o"}
    assert (loss > 0).all()
    assert loss["swap2o"] == loss.min()
    return [loss["fw"], loss["swap"], loss["swap2o"]]


@finding("nanculef2014-fig2--as_printed")
def accuracy_on_web_with_the_settings_of_the_text(frame):
    """Check that the four losses round to the same number, which the sentence has once."""
    loss = -panel(frame, OF_THE_TEXT, "Web", "difference").median()
    assert set(loss.index) == {"fw", "mfw", "swap", "swap2o"}
    assert (loss.round(1) == round(loss["fw"], 1)).all()
    return [loss["fw"]]


@finding("nanculef2014-fig3")
def speedup_on_web_and_adult(frame):
    web = panel(frame, INFERRED, "Web", "speedup").median()
    adult = panel(frame, INFERRED, "Adult", "speedup").median()
    return [web["swap"], adult["swap"], web["swap2o"], adult["swap2o"]]


@finding("nanculef2014-fig3--as_printed")
def speedup_on_web_and_adult_with_the_settings_of_the_text(frame):
    web = panel(frame, OF_THE_TEXT, "Web", "speedup").median()
    adult = panel(frame, OF_THE_TEXT, "Adult", "speedup").median()
    return [web["swap"], adult["swap"]]


@finding("nanculef2014-fig4")
def support_vectors_on_web_and_adult(frame):
    web = panel(frame, INFERRED, "Web", "ratio").median()
    adult = panel(frame, INFERRED, "Adult", "ratio").median()
    assert set(adult.index) == {"fw", "mfw", "swap", "swap2o"}
    return [web["fw"], web["mfw"], adult.min(), adult.max()]


@finding("nanculef2014-fig4--as_printed")
def support_vectors_on_web_with_the_settings_of_the_text(frame):
    per_cent = 100 * panel(frame, OF_THE_TEXT, "Web", "ratio").median()
    return [per_cent["fw"], per_cent["swap"]]


# Medium and large data sets


@finding("nanculef2014-fig5")
def accuracy_on_medium_and_large_sets(frame):
    medium = -panel(frame, INFERRED, "medium sets", "difference").median()
    large = -panel(frame, INFERRED, "large sets", "difference").median()
    return [medium["fw"], large["fw"], medium["swap2o"], large["swap2o"]]


@finding("nanculef2014-fig5--as_printed")
def accuracy_on_medium_and_large_sets_with_the_settings_of_the_text(frame):
    medium = -panel(frame, OF_THE_TEXT, "medium sets", "difference").median()
    large = -panel(frame, OF_THE_TEXT, "large sets", "difference").median()
    return [medium["fw"], large["fw"]]


@finding("nanculef2014-fig7")
def support_vectors_on_medium_and_large_sets(frame):
    medium = panel(frame, INFERRED, "medium sets", "ratio").median()
    large = panel(frame, INFERRED, "large sets", "ratio").median()
    assert large["swap2o"] < large["fw"]
    return [medium["fw"], large["fw"], large["swap2o"]]


@finding("nanculef2014-fig7--as_printed")
def support_vectors_on_medium_and_large_sets_with_the_settings_of_the_text(frame):
    medium = panel(frame, OF_THE_TEXT, "medium sets", "ratio").median()
    large = panel(frame, OF_THE_TEXT, "large sets", "ratio").median()
    return [medium["swap"], large["swap"]]


@finding("nanculef2014-fig9")
def speedup_on_large_sets(frame):
    speedup = panel(frame, INFERRED, "large sets", "speedup")
    assert len(speedup) == 4, "the sentence says how many large data sets we ran"
    median = speedup.median()
    assert median.max() < SIMILAR * median.min()
    assert median.idxmax() == "swap" and median.idxmin() == "mfw"
    return [median["swap"], median["mfw"]]


@finding("nanculef2014-fig9--as_printed")
def speedup_on_medium_and_large_sets_with_the_settings_of_the_text(frame):
    medium = panel(frame, OF_THE_TEXT, "medium sets", "speedup").median()
    large = panel(frame, OF_THE_TEXT, "large sets", "speedup").median()
    assert medium["swap"] < 1
    return [medium["swap"], large["swap"]]


# The polynomial kernel


@finding("nanculef2014-fig10")
def accuracy_and_time_with_the_polynomial_kernel(frame):
    accuracy = panel(frame, INFERRED, "Web", "accuracy")
    majority = panel(frame, INFERRED, "Web", "accuracy", "majority")
    assert ((accuracy - majority).abs() < HALF_A_POINT).all(axis=None)
    assert (accuracy.idxmax(axis=1) == "swap2o").all()
    return [len(accuracy), *median_times_of_fw(frame, INFERRED)]


@finding("nanculef2014-fig10--as_printed")
def accuracy_and_time_with_the_polynomial_kernel_and_the_settings_of_the_text(frame):
    accuracy = panel(frame, OF_THE_TEXT, "Web", "accuracy")
    assert set(accuracy.columns) == {"fw", "mfw", "swap", "swap2o"}
    assert (accuracy.max(axis=1) - accuracy.min(axis=1) < HARDLY).all()
    return median_times_of_fw(frame, OF_THE_TEXT)


def median_times_of_fw(frame, protocol):
    """Return FW's median time in our runs and in the paper."""
    ours = panel(frame, protocol, "Web", "time")
    printed = panel(frame, protocol, "Web", "time", "printed")
    return [ours["fw"].median(), printed["fw"].median()]


@finding("nanculef2014-fig11")
def support_vectors_with_the_polynomial_kernel(frame):
    size = panel(frame, INFERRED, "Web", "size")
    assert len(set(size.idxmin(axis=1))) > 1
    return [size.min(axis=None), size.max(axis=None)]


@finding("nanculef2014-fig11--as_printed")
def support_vectors_with_the_polynomial_kernel_and_the_settings_of_the_text(frame):
    size = panel(frame, OF_THE_TEXT, "Web", "size").median()
    return [size["fw"], size["mfw"]]


@finding("nanculef2014-fig11b")
def shuttle_with_the_polynomial_kernel(frame):
    """Compare with the paper. The finding names a possible reason that is not in the table."""
    return [
        *of_reuters_or_shuttle(frame, INFERRED, "accuracy", "shuttle", "mfw"),
        *of_reuters_or_shuttle(frame, INFERRED, "time", "shuttle", "fw"),
    ]


@finding("nanculef2014-fig11b--as_printed")
def shuttle_and_reuters_with_the_polynomial_kernel_and_the_settings_of_the_text(frame):
    return [
        *of_reuters_or_shuttle(frame, OF_THE_TEXT, "time", "shuttle", "fw"),
        *of_reuters_or_shuttle(frame, OF_THE_TEXT, "time", "reuters", "fw"),
    ]


def of_reuters_or_shuttle(frame, protocol, quantity, dataset, method):
    """Return our value and the printed one."""
    both = [
        panel(frame, protocol, "shuttle, reuters", quantity, column)
        for column in ("value", "printed")
    ]
    return [values.loc[dataset, method] for values in both]
