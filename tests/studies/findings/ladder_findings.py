"""The findings of the ladder: speed-ups over CVM with the inferred settings and with LibCVM's."""

import numpy as np
from findings_support import finding, released
from median_intervals import CONFIDENCE, interval, is_tie

# Settings: numbers in the findings that are not results.
PATIENCE = 7  # samples
GAP = 0.01  # relative gap


def lower_median(rows):
    """Return the smallest value that the true median speed-up can have. It is the median if all
    speed-ups that are only upper bounds are replaced by 0.
    """
    return rows["speedup"].mask(rows["bound"] == "at most", 0).median()


def upper_median(rows):
    """Return the largest value that the true median speed-up can have. It is the median if all
    speed-ups that are only lower bounds are replaced by infinity.
    """
    return rows["speedup"].mask(rows["bound"] == "at least", np.inf).median()


@finding("beyond-ladder")
def fw_on_three_rungs(frame):
    assert set(frame["method"]) == {"fw"}
    rungs = dict(list(frame.groupby("rung")))
    median = frame.groupby("rung")["speedup"].median()
    assert set(rungs["as_run"]["bound"]) == set(rungs["inner"]["bound"]) == {"exact"}
    assert interval(rungs["as_run"]["speedup"])[0] > 1
    assert is_tie(rungs["inner"]["speedup"])
    # "at most": the true median can be lower, but not higher
    assert lower_median(rungs["patient"]) < median["patient"] == upper_median(rungs["patient"])
    return [median["as_run"], median["inner"], PATIENCE, median["patient"]]


@finding("beyond-ladder-methods")
def variants_with_both_settings(frame):
    rows = dict(list(frame.query("rung == 'patient'").groupby("method")))
    for of_method in rows.values():  # the medians are exact, although a speed-up is only a bound
        assert lower_median(of_method) == upper_median(of_method)
    speedups = {method: of_method["speedup"] for method, of_method in rows.items()}
    assert is_tie(speedups["mfw"])
    assert not is_tie(speedups["swap"]) and not is_tie(speedups["swap2o"])
    medians = [speedups[method].median() for method in ("swap", "swap2o", "mfw")]
    return [*medians, CONFIDENCE, 1]


@finding("beyond-ladder-table")
def libcvms_inner_tolerance_alone(frame):
    rows = frame.query("rung == 'inner' and method != 'cvm'")
    assert set(rows["bound"]) == {"exact"}
    speedups = {method: of_method["speedup"] for method, of_method in rows.groupby("method")}
    assert is_tie(speedups["fw"])
    # the other three medians are not called ties
    assert not any(is_tie(speedups[method]) for method in ("mfw", "swap", "swap2o"))
    return [speedups[method].median() for method in ("fw", "mfw", "swap", "swap2o")]


@finding("beyond-ladder-families")
def fw_on_series_and_other_sets(frame):
    fw = frame.query("rung == 'as_run' and method == 'fw' and measure == 'speedup'")
    fw = fw.set_index("over")
    assert fw["order"]["others"] == "tie" and fw["low"]["others"] < 1 < fw["high"]["others"]
    not_ties = fw.loc[["Web", "Adult", "all sets", "one vote per series"], "low"]
    assert (not_ties > 1).all()

    # the same medians, and the interval, from the speed-ups on each data set
    sets = released("beyond-ladder").query("rung == 'as_run'")
    speedups = {family: rows["speedup"] for family, rows in sets.groupby("family")}
    low, high = interval(speedups["others"])
    assert np.allclose([low, high], fw.loc["others", ["low", "high"]].astype(float), rtol=0.1)
    votes = [speedups["Web"].median(), speedups["Adult"].median(), *speedups["others"]]
    again = {family: values.median() for family, values in speedups.items()}
    again |= {"all sets": sets["speedup"].median(), "one vote per series": np.median(votes)}
    assert np.allclose(fw["median"][list(again)], list(again.values()), rtol=1e-5)

    return fw["median"][["others", "Web", "Adult", "all sets", "one vote per series"]]


@finding("beyond-ladder-inner")
def one_inner_setting_at_a_time(frame):
    time = frame.pivot(index="dataset", columns="changed", values="time")
    assert len(time) == 6  # "on six data sets"
    assert not frame["at_limit"].any()
    speedup = time[["inferred settings"]].to_numpy() / time
    alone = speedup["inner_tolerance"]
    others = (speedup[["inner_fixed", "inner_steps"]] - 1).abs()
    assert (alone - 1 > others.max(axis=1)).all()  # the tolerance matters most
    return [alone.min(), alone.max(), 100 * others.to_numpy().max()]


@finding("beyond-equal")
def auto_at_an_equal_gap(frame):
    rows = frame.query("rung == 'gap 0.01'")
    auto = rows.query("method == 'auto'").set_index("dataset")
    cvm = rows.query("method == 'cvm'").set_index("dataset")
    assert auto["reached"].all()
    assert set(cvm.index[~cvm["reached"]]) == {"usps-ext"}
    # CVM's time on usps-ext is a lower bound, so the speed-up of auto is one, too
    ratio = cvm["time"] / auto["time"]
    assert ratio["usps-ext"] > 1
    # "at least": the true median can be higher, but not lower
    median = ratio.median()
    assert ratio.mask(~cvm["reached"], np.inf).median() > median
    slower = ratio.index[ratio < 1]
    assert set(slower) == {"mnist", "shuttle"}
    return [GAP, median, (ratio > 1).sum(), len(ratio)]
