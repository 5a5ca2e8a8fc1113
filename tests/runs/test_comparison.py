"""Test the comparison with CVM. Some expected numbers are computed by hand. Further tests are about
bounds that come from runs that ended at a limit.
"""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import quantile_test

from fwsvm_papers.runs.comparison import (
    FEWEST_FOR_INTERVAL,
    Bound,
    against,
    comparison,
    extreme,
    lower_bounds,
    median_interval,
    median_with_bound,
    order_in_words,
    order_is_unknown,
)
from fwsvm_papers.runs.records import conform
from fwsvm_papers.statistics.effects import bootstrap_estimate

LATE = "time_limit"


def run(dataset, method, seconds, requested, accuracy, repetition=0, **more):
    return {
        "experiment": "benchmark",
        "protocol": "as_run",
        "dataset": dataset,
        "method": method,
        "repetition": repetition,
        "train_cpu_s": seconds,
        "requested_evaluations": requested,
        "kernel_evaluations": requested // 10,
        "support_vectors": 5,
        "test_accuracy": accuracy,
        "relative_gap": 0.5,
        "stop_reason": "converged",
        **more,
    }


RUNS = conform(
    pd.DataFrame(
        [
            run("one", "cvm", 6.0, 900, 0.95),
            run("one", "cvm", 10.0, 1100, 0.97, 1),
            run("one", "fw", 1.0, 200, 0.86),
            run("one", "fw", 3.0, 600, 0.90, 1),
            run("two", "cvm", 8.0, 100, 0.90, stop_reason=LATE),
            run("two", "fw", 2.0, 400, 0.80),
            run("two", "mfw", 4.0, 100, 0.80, stop_reason=LATE),
            run("three", "cvm", 1.0, 100, 0.60),
            run("three", "mfw", 2.0, 100, 0.70, stop_reason=LATE),
        ]
    )
)
MAJORITY = {"one": 80.0, "two": 80.0, "three": 60.0}


def test_a_method_is_compared_with_cvm_of_the_same_protocol_and_data_set():
    rows = comparison(RUNS, MAJORITY).set_index(["dataset", "method"])
    one = rows.loc[("one", "fw")]
    # CVM has 8 s, 1000 kernel values and 96 %. FW has 2 s, 400 kernel values and 88 %. The majority
    # class has 80 %.
    assert (one["speedup"], one["speedup_in_kernel_values"], one["n"]) == (4.0, 2.5, 2)
    assert one["speedup_in_computed_values"] == 2.5
    assert (one["difference"], one["kept"]) == pytest.approx((-8.0, 50.0))
    assert rows["bound"].to_dict() == {
        ("one", "cvm"): "exact",
        ("one", "fw"): "exact",
        ("two", "cvm"): "unknown",
        ("two", "fw"): "at least",
        ("two", "mfw"): "unknown",
        ("three", "cvm"): "exact",
        ("three", "mfw"): "at most",
    }
    assert rows.loc[("two", "fw"), "speedup"] == 4.0
    assert rows.loc[("two", "mfw"), ["speedup", "speedup_in_kernel_values"]].isna().all()
    # CVM gains nothing over the majority class
    assert math.isnan(rows.loc[("three", "mfw"), "kept"])


def test_any_method_can_be_the_base():
    table = pd.DataFrame(
        {
            "dataset": "one",
            "method": ["fw", "swap"],
            "time": [6.0, 2.0],
            "accuracy": [90.0, 91.0],
            "at_limit": [True, False],
        }
    )
    found = against("fw", table, ["dataset"]).set_index("method").loc["swap"]
    assert (found["speedup"], found["bound"], found["difference"]) == (3.0, "at least", 1.0)
    assert math.isnan(found["kept"])


def test_a_comparison_without_cvm_has_no_speed_up():
    found = comparison(RUNS[RUNS["method"] != "cvm"], MAJORITY)
    assert len(found) == 4 and found[["speedup", "difference", "kept"]].isna().all(axis=None)


def test_every_bound_has_one_sign_and_one_wording():
    written = [(bound, bound.before("2"), bound.in_words("2 times")) for bound in Bound]
    assert written == [
        ("exact", "2", "2 times"),
        ("at most", "≤ 2", "at most 2 times"),
        ("at least", "≥ 2", "at least 2 times"),
        ("unknown", "? 2", "unknown 2 times"),
    ]
    assert lower_bounds([True, False]) == ["at least", "exact"]


def test_a_bound_leaves_the_order_open_only_if_the_speed_up_may_be_on_either_side_of_one():
    known = [(2, "exact"), (0.5, "exact"), (2, "at least"), (0.5, "at most")]
    known += [(1, "at least"), (1, "at most")]
    unknown = [(np.nan, "exact"), (np.nan, "at least"), (2, "at most"), (0.5, "at least")]
    for cases, expected in ((known, False), (unknown, True)):
        table = pd.DataFrame(cases, columns=["speedup", "bound"])
        assert order_is_unknown(table).tolist() == [expected] * len(cases)


_MARKS = {"^": Bound.AT_LEAST, "v": Bound.AT_MOST, "?": Bound.UNKNOWN, " ": Bound.EXACT}


@pytest.mark.parametrize(
    ("values", "marks", "median", "bound"),
    [
        ((0.5, 2, 8), "   ", 2, ""),
        ((0.5, 2, 8), "v  ", 2, ""),
        ((0.5, 2, 8), "  ^", 2, ""),
        ((0.5, 2, 8), "^  ", 2, "≥"),
        ((0.5, 2, 8), "  v", 2, "≤"),
        ((0.5, 2, 8), " v ", 2, "≤"),
        ((0.5, 2, 8), " ^ ", 2, "≥"),
        ((0.5, 2, 8), "^ v", 2, "?"),
        ((0.5, 2, None), "  ?", 2, "≤"),  # an unknown value counts as infinite
        ((0.5, 2, None), "   ", 1.25, ""),  # a missing value does not count
        ((0.5, None, None), " ??", None, "?"),
        ((None, None), "  ", None, ""),
        ((0.5, 2, 4, 8), "  ^ ", 3, "≥"),
    ],
)
def test_a_median_that_depends_on_bounds_is_a_bound(values, marks, median, bound):
    bounds = pd.Series([_MARKS[mark] for mark in marks], dtype=object)
    found, what = median_with_bound(pd.Series(values, dtype=float), bounds)
    if median is None:
        assert math.isnan(found)
    else:
        assert found == median
    assert what.sign == bound


def test_an_interval_is_that_of_the_statements_and_open_where_limits_leave_it_open():
    values = pd.Series([0.5, 1.5, 2.0, 3.0, 4.0, 8.0, 9.0])
    exact = pd.Series(Bound.EXACT, values.index, dtype=object)
    estimate = bootstrap_estimate(values)
    assert median_interval(values, exact) == (estimate.low, estimate.high)
    at_most, at_least = exact.copy(), exact.copy()
    at_most[:3], at_least[4:] = Bound.AT_MOST, Bound.AT_LEAST
    assert median_interval(values, at_most) == (0.0, estimate.high)
    assert median_interval(values, at_least) == (estimate.low, math.inf)
    # There is no interval for five data sets, and missing values do not count.
    for least, has_one in ((0.5, True), (1.5, False), (8.0, False)):
        interval = median_interval(values.mask(values < least + 0.1), exact)
        assert (interval != (0.0, math.inf)) == has_one


def test_the_fewest_values_with_an_interval_are_those_with_an_exact_interval_in_scipy():
    """With fewer values, no 95 % interval of the median exists, whatever the distribution is."""

    def has_interval(n):
        found = quantile_test(np.arange(n), p=0.5).confidence_interval(0.95)
        return bool(np.isfinite(found.low) and np.isfinite(found.high))

    first = next(n for n in range(1, 20) if has_interval(n))
    assert first == FEWEST_FOR_INTERVAL
    for n in (first - 1, first):
        values = pd.Series(np.arange(n) + 1.0)
        exact = pd.Series(Bound.EXACT, values.index, dtype=object)
        assert math.isfinite(median_interval(values, exact)[1]) == (n == first)


def test_an_extreme_is_a_bound_if_it_depends_on_a_limit():
    numbers = pd.DataFrame([[1.0, 2.0, 3.0]] * 5 + [[1.0, 1.0, 3.0]])
    marks = ["   ", "^  ", " ^ ", "  ^", "^^^", "^  "]
    ended = pd.DataFrame([[mark == "^" for mark in row] for row in marks])
    largest, largest_is_bound = extreme(numbers, ended, "max")
    smallest, smallest_is_bound = extreme(numbers, ended, "min")
    assert largest.tolist() == [3.0] * 6 and smallest.tolist() == [1.0] * 6
    assert largest_is_bound.tolist() == [False, True, True, True, True, True]
    assert smallest_is_bound.tolist() == [False, True, False, False, True, False]


def test_an_unknown_speed_up_may_be_anything():
    """If one of seven values is unknown, the interval is finite. A bootstrap sample contains this
    value at least four times with a probability of only 1 %, which is below 2.5 %.

    If four of the values are unknown, at least four of the seven values in a bootstrap sample are
    unknown with a probability of 65 %. The interval is then open.
    """
    for unknown, interval in ((1, (2.0, 2.0)), (4, (0.0, math.inf))):
        values = pd.Series([2.0] * (7 - unknown) + [np.nan] * unknown)
        bounds = values.isna().map({True: Bound.UNKNOWN, False: Bound.EXACT})
        assert median_interval(values, bounds) == interval


@pytest.mark.parametrize(
    ("interval", "order"),
    [
        ((1.1, 2.0), "faster"),
        ((0.2, 0.9), "slower"),
        ((0.9, 1.1), "tie"),
        ((1.0, 2.0), "tie"),
        ((0.5, 1.0), "tie"),
        ((0.0, 2.0), "tie"),
        ((0.0, math.inf), "open"),
    ],
)
def test_an_interval_that_contains_one_is_a_tie(interval, order):
    assert order_in_words(*interval) == order
