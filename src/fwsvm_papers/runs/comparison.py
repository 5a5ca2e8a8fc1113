"""Functions that compare methods with CVM.

Speed-ups, shares of CVM's gain, and bounds are computed only in this module. Bounds come from runs
that ended at a limit: the time limit or the limit of steps.

`shown_means` takes the means from the runs, `against` compares them with CVM, and
`median_with_bound` summarises speed-ups over the data sets.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import numpy as np
import pandas as pd

from fwsvm_papers.runs.table import of_method, protocols_of, summarise
from fwsvm_papers.statistics.effects import bootstrap_estimate

MEASURES = {
    "accuracy": "test_accuracy",
    "time": "train_cpu_s",
    "kernel_values": "requested_evaluations",
    "computed_values": "kernel_evaluations",
    "support_vectors": "support_vectors",
    "relative_gap": "relative_gap",
}
"""Maps a short name to a column of the table of runs."""

SPEEDUPS = {
    "speedup": "time",
    "speedup_in_kernel_values": "kernel_values",
    "speedup_in_computed_values": "computed_values",
}
"""Maps each kind of speed-up to the cost that it compares. The costs are CPU seconds, requested
kernel values and computed kernel values. The number of requested kernel values does not depend on
the implementation.
"""

KEPT = 90
"""A method counts as accurate if its share of CVM's gain is at least this percentage."""


FASTER, SLOWER, TIE, OPEN = "faster", "slower", "tie", "open"
"""Possible results of a comparison of a method with CVM. The result follows from the interval of
the method's median speed-up.
"""

FEWEST_FOR_INTERVAL = 6
"""The smallest number of values for which the interval of a median is computed.

Five values are too few: even the interval from the smallest to the largest value contains the
median with a probability of only 1 - 2 / 2^5 = 94 %.
"""


class Bound(StrEnum):
    """The relation between a computed number and the true value. If a number is computed from runs
    that ended at a limit of time or steps, it may be merely a bound on the true value.

    For a run that ended at a limit, the true time is at least the recorded time. Three cases are
    possible for a speed-up over CVM. If only the method ended at a limit, the true speed-up is at
    most the computed number. If only CVM ended at a limit, the true speed-up is at least the
    computed number. If both ended at a limit, the true speed-up is unknown.
    """

    EXACT = "exact"
    AT_MOST = "at most"
    AT_LEAST = "at least"
    UNKNOWN = "unknown"

    @property
    def sign(self) -> str:
        return _SIGNS[self]

    def before(self, text: str) -> str:
        """Return the sign of the bound, followed by `text`, which is a number: ``≤ 0.20``."""
        return f"{self.sign} {text}" if self.sign else text

    def in_words(self, text: str) -> str:
        """Return the bound in words, followed by `text`, which is a number: ``at most 0.20``."""
        return text if self is Bound.EXACT else f"{self} {text}"


_SIGNS = {Bound.EXACT: "", Bound.AT_MOST: "≤", Bound.AT_LEAST: "≥", Bound.UNKNOWN: "?"}


def lower_bounds(at_limit: Iterable[bool]) -> list[Bound]:
    """Return a list with the `Bound` of the time (or of the number of steps) of each run:
    `AT_LEAST` for a run that ended at a limit, and `EXACT` for any other run.
    """
    return [Bound.AT_LEAST if late else Bound.EXACT for late in at_limit]


def bounds_of_ratio(at_limit: Iterable[bool], cvm_at_limit: Iterable[bool]) -> list[Bound]:
    """Return a list with the `Bound` of each speed-up. A speed-up is CVM's cost divided by the cost
    of a method.

    For each speed-up, `at_limit` says whether a run of the method ended at a limit, and
    `cvm_at_limit` says whether a run of CVM ended at a limit.
    """
    kinds = {
        (False, False): Bound.EXACT,
        (True, False): Bound.AT_MOST,
        (False, True): Bound.AT_LEAST,
        (True, True): Bound.UNKNOWN,
    }
    pairs = zip(at_limit, cvm_at_limit, strict=True)
    return [kinds[bool(late), bool(cvm_late)] for late, cvm_late in pairs]


def extreme(
    numbers: pd.DataFrame, lower_bounds: pd.DataFrame, pick: str
) -> tuple[pd.Series, pd.Series]:
    """Return two series. The first has the largest or smallest number (the extreme) of each row.
    The second says whether this extreme is only a lower bound.

    `lower_bounds` is true where a number is only a lower bound. `pick` is "max" or "min". An
    extreme is exact if it stays the same when all lower bounds are replaced by infinity.
    """
    extremes, unbounded = (
        getattr(table, pick)(axis=1) for table in (numbers, numbers.mask(lower_bounds, np.inf))
    )
    return extremes, extremes != unbounded


def means(summary: pd.DataFrame) -> pd.DataFrame:
    """Return `summary`, a result of `summarise`, with short names for the means.

    In the result, ``at_limit`` is not a number, but says whether any run ended at a limit. The new
    column ``n`` is the number of repetitions.
    """
    names = {f"{measure}_mean": name for name, measure in MEASURES.items()}
    table = summary.rename(columns=names)
    table = table.astype(dict.fromkeys(names.values(), float))
    return table.assign(at_limit=summary["at_limit"] > 0, n=summary["repetitions"])


def shown_means(
    summary: pd.DataFrame, protocols: Sequence[str], methods: Iterable[str] | None = None
) -> pd.DataFrame:
    """Return a result of `means`, with a row for each protocol, data set and method that ran.

    Only `protocols` and `methods` (default: all methods in `summary`) are included.
    """
    methods = dict.fromkeys(summary["method"] if methods is None else methods)
    parts = [
        of_method(summary, protocol, method).reset_index().assign(protocol=protocol, method=method)
        for protocol in protocols
        for method in methods
    ]
    return means(pd.concat(parts, ignore_index=True) if parts else summary.iloc[:0])


def comparison(
    runs: pd.DataFrame,
    majority: Mapping[str, float | None] | None = None,
    methods: Iterable[str] | None = None,
) -> pd.DataFrame:
    """Return a comparison of the methods with CVM in the runs of one experiment.

    The table has a row per protocol, data set and method, and the columns of `means` and `against`.
    """
    summary = summarise(runs)
    return against("cvm", shown_means(summary, protocols_of(runs), methods), majority=majority)


def against(
    base: str,
    table: pd.DataFrame,
    by: Sequence[str] = ("protocol", "dataset"),
    majority: Mapping[str, float | None] | None = None,
) -> pd.DataFrame:
    """Return a comparison of the methods of a table with the method `base`. Each row is compared
    with the row of `base` that has the same values in the columns `by`.

    The table has the columns `by`, ``dataset``, ``method``, ``at_limit``, ``accuracy`` and some
    others of `MEASURES`. The result has the same columns, the columns of `base` (for example
    ``cvm_time``), and

    * `SPEEDUPS`: the cost of `base` divided by that of the method, or NaN if both ended at a limit;
    * ``bound``: the `Bound` of these speed-ups;
    * ``difference``: the accuracy minus that of `base`, in percentage points;
    * ``size_ratio``: the number of support vectors divided by that of `base`;
    * ``speedup_low``, ``speedup_high`` and so on: the ranges of these numbers over the repetitions
      of the method, if the table has the smallest and largest values (`summarise`);
    * ``majority``: the accuracy (%) of the majority prediction, which the argument `majority` gives
      for each data set;
    * ``kept``: the result of `gain_kept`.
    """
    of_base = table[table["method"] == base].set_index(list(by))
    known = [name for name in MEASURES if name in table]
    of_base = of_base[[*known, "at_limit"]].add_prefix(f"{base}_")
    table = table.join(of_base, on=list(by))
    base_late = table[f"{base}_at_limit"].eq(True)
    bounds = pd.Series(bounds_of_ratio(table["at_limit"], base_late), table.index, dtype=object)
    table["bound"] = bounds
    for speedup, cost in SPEEDUPS.items():
        for name, of in _with_range(table, speedup, cost, ("max", "min")):
            table[name] = (table[f"{base}_{cost}"] / table[of]).mask(bounds == Bound.UNKNOWN)
    for name, of in _with_range(table, "difference", "accuracy"):
        table[name] = table[of] - table[f"{base}_accuracy"]
    for name, of in _with_range(table, "size_ratio", "support_vectors"):
        table[name] = table[of] / table[f"{base}_support_vectors"]
    table["majority"] = table["dataset"].map(dict(majority or {})).astype(float)
    table["kept"] = gain_kept(table["accuracy"], table[f"{base}_accuracy"], table["majority"])
    return table


def _with_range(
    table: pd.DataFrame, name: str, measure: str, ends: tuple[str, str] = ("min", "max")
) -> list[tuple[str, str]]:
    """Return up to three pairs (name of a result, name of a column). The results are the number
    `name` and the two ends of its range. Each result is computed from its column. A pair is omitted
    if the table lacks its column.
    """
    of = MEASURES[measure]
    low, high = (f"{of}_{end}" for end in ends)
    pairs = [(name, measure), (f"{name}_low", low), (f"{name}_high", high)]
    return [pair for pair in pairs if pair[1] in table]


def gain_kept(accuracy: pd.Series, cvm: pd.Series, majority: pd.Series) -> pd.Series:
    """Return a method's gain as a percentage of CVM's gain, or NaN if CVM has no gain. A gain is an
    accuracy minus the accuracy of the majority prediction.
    """
    return 100 * (accuracy - majority) / (cvm - majority).where(lambda gain: gain > 0)


def order_is_unknown(table: pd.DataFrame) -> pd.Series:
    """Return a mask that is true for each row in which it is unknown whether CVM or the method of
    the row is faster. The reason can be a run that ended at a limit, or a missing speed-up.
    """
    speedup, bound = table["speedup"], table["bound"]
    too_late = (bound == Bound.AT_MOST) & (speedup > 1)
    cvm_too_late = (bound == Bound.AT_LEAST) & (speedup < 1)
    return speedup.isna() | (bound == Bound.UNKNOWN) | too_late | cvm_too_late


def ends_of(values: pd.Series, bounds: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return two series: the smallest and the largest true value that each speed-up can have, given
    its bound.
    """
    numbers, kinds = values.to_numpy(float), bounds.to_numpy(object)
    unknown = kinds == Bound.UNKNOWN
    low = np.where(unknown | (kinds == Bound.AT_MOST), 0.0, numbers)
    high = np.where(unknown | (kinds == Bound.AT_LEAST), np.inf, numbers)
    return pd.Series(low, values.index), pd.Series(high, values.index)


def median_with_bound(values: pd.Series, bounds: pd.Series) -> tuple[float, Bound]:
    """Return the median of speed-ups, and the `Bound` of this median. Some of the speed-ups can be
    bounds.

    A missing speed-up is omitted, unless its bound is `UNKNOWN`. Speed-ups with the bound `UNKNOWN`
    count as infinite, so the median can be too large, but not too small. If the median itself is
    infinite, NaN and `UNKNOWN` are returned. If no speed-up is left, NaN and `EXACT` are returned.
    """
    kept = values.notna() | (bounds == Bound.UNKNOWN)
    values, bounds = values[kept].astype(float), bounds[kept]
    values = values.mask(bounds == Bound.UNKNOWN, np.inf)
    median = values.median()
    least, most = (end.median() for end in ends_of(values, bounds))
    lower, higher = least < median, most > median
    (bound,) = bounds_of_ratio([lower], [higher])
    return (np.nan, Bound.UNKNOWN) if np.isinf(median) else (float(median), bound)


def median_interval(values: pd.Series, bounds: pd.Series) -> tuple[float, float]:
    """Return the 95 % interval of the median of speed-ups over the data sets. It is computed by
    `bootstrap_estimate`.

    If some speed-ups are only bounds, the lower end is computed from the smallest values that these
    speed-ups can have, and the upper end from the largest. The ends of the interval can therefore
    be 0 and infinity. For fewer than `FEWEST_FOR_INTERVAL` speed-ups, the interval is 0 to
    infinity.
    """
    kept = values.notna() | (bounds == Bound.UNKNOWN)
    least, most = ends_of(values[kept].astype(float), bounds[kept])
    if len(least) < FEWEST_FOR_INTERVAL:
        return 0.0, np.inf
    low, high = (bootstrap_estimate(end, of_ratios=True) for end in (least, most))
    return low.low, high.high


def order_in_words(low: float, high: float) -> str:
    """Return a word that says whether a method is faster than CVM, given the interval of its
    speed-up.

    If the interval contains 1, the word is "tie". If the interval reaches from 0 to infinity, the
    word is "open".
    """
    if low == 0.0 and np.isinf(high):
        return OPEN
    if low <= 1 <= high:
        return TIE
    return FASTER if low > 1 else SLOWER
