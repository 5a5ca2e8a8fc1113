"""Compare methods with CVM.

Speed-ups, shares of CVM's gain, and bounds due to runs that ended at a limit are computed only
here.

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
"""Maps a speed-up to the cost that it compares: CPU seconds, requested kernel values (which do not
depend on the implementation), or computed kernel values.
"""

KEPT = 90
"""A method is accurate if it keeps at least this share (%) of CVM's gain in accuracy over the
majority class.
"""


FASTER, SLOWER, TIE, OPEN = "faster", "slower", "tie", "open"
"""What the interval of a speed-up says about a method compared with CVM."""

FEWEST_FOR_INTERVAL = 6
"""The smallest number of values for which the interval of a median is computed.

For five values, even the interval from the smallest to the largest value contains the median with a
probability of only 1 - 2 / 2^5 = 94 %.
"""

# used instead of infinity in the bootstrap, because the square of this number is still finite
_HUGE = 1e150


class Bound(StrEnum):
    """The meaning of a number that is computed from runs, some of which may have ended at a limit.

    A speed-up is at most the number if the method ended at a limit, and at least the number if CVM
    did. It is unknown if both did. A time is at least the number if its run ended at a limit.
    """

    EXACT = "exact"
    AT_MOST = "at most"
    AT_LEAST = "at least"
    UNKNOWN = "unknown"

    @property
    def sign(self) -> str:
        return _SIGNS[self]

    def before(self, text: str) -> str:
        """Return `text`, a number, with the sign of the bound before it: ``≤ 0.20``."""
        return f"{self.sign} {text}" if self.sign else text

    def in_words(self, text: str) -> str:
        """Return `text`, a number, with the bound in words before it: ``at most 0.20``."""
        return text if self is Bound.EXACT else f"{self} {text}"


_SIGNS = {Bound.EXACT: "", Bound.AT_MOST: "≤", Bound.AT_LEAST: "≥", Bound.UNKNOWN: "?"}


def lower_bounds(at_limit: Iterable[bool]) -> list[Bound]:
    """Return the bounds of times or numbers of steps: `AT_LEAST` if a run ended at a limit,
    otherwise `EXACT`.
    """
    return [Bound.AT_LEAST if late else Bound.EXACT for late in at_limit]


def bounds_of_ratio(at_limit: Iterable[bool], cvm_at_limit: Iterable[bool]) -> list[Bound]:
    """Return the bounds of CVM's costs divided by those of a method.

    The arguments say whether runs of the method and of CVM ended at a limit.
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
    """Return the largest or smallest number of each row, and whether it is only a lower bound.

    `lower_bounds` says which of the numbers are only lower bounds. `pick` is "max" or "min". An
    extreme is exact if it stays the same when all lower bounds are replaced by infinity.
    """
    extremes = numbers.agg(pick, axis=1)
    return extremes, extremes != numbers.mask(lower_bounds, np.inf).agg(pick, axis=1)


def means(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a summary (`summarise`) with short names for its means and two further columns.

    ``at_limit`` says whether a run ended at a limit, and ``n`` is the number of repetitions.
    """
    names = {f"{measure}_mean": name for name, measure in MEASURES.items()}
    table = summary.rename(columns=names)
    table = table.astype(dict.fromkeys(names.values(), float))
    return table.assign(at_limit=summary["at_limit"] > 0, n=summary["repetitions"])


def shown_means(
    summary: pd.DataFrame, protocols: Sequence[str], methods: Iterable[str] | None = None
) -> pd.DataFrame:
    """Return `means` with a row per protocol, data set and method, as an experiment shows them.

    The runs of CVM may be from another protocol (`fwsvm_papers.runs.table.of_method`).
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

    It has a row per protocol, data set and method.

    The columns are those of `means` and `against`.
    """
    summary = summarise(runs)
    return against("cvm", shown_means(summary, protocols_of(runs), methods), majority=majority)


def against(
    base: str,
    table: pd.DataFrame,
    by: Sequence[str] = ("protocol", "dataset"),
    majority: Mapping[str, float | None] | None = None,
) -> pd.DataFrame:
    """Return a comparison of the methods of a table with one of them, `base`. Only rows with equal
    values in the columns `by` are compared.

    The table has the columns ``method``, ``at_limit`` and some of `MEASURES`. The result has the
    same columns, the columns of `base` (for example ``cvm_time``), and

    * `SPEEDUPS`: the cost of `base` divided by that of the method, or NaN if both ended at a limit;
    * ``bound``: the `Bound` of these speed-ups;
    * ``difference``: the accuracy minus that of `base`, in points;
    * ``size_ratio``: the number of support vectors divided by that of `base`;
    * ``speedup_low``, ``speedup_high`` and so on: the ranges of these numbers over the repetitions
      of the method, if the table has the smallest and largest values (`summarise`);
    * ``majority`` and ``kept``: see `gain_kept`. `majority` maps data sets to accuracies.
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
    """Pair the name of a number, and those of the ends of its range, with the columns from which
    they are computed. Pairs without such a column are omitted.
    """
    of = MEASURES[measure]
    low, high = (f"{of}_{end}" for end in ends)
    pairs = [(name, measure), (f"{name}_low", low), (f"{name}_high", high)]
    return [pair for pair in pairs if pair[1] in table]


def gain_kept(accuracy: pd.Series, cvm: pd.Series, majority: pd.Series) -> pd.Series:
    """Return a method's gain in accuracy over the majority class as a percentage of CVM's gain, or
    NaN if CVM gains nothing.
    """
    return 100 * (accuracy - majority) / (cvm - majority).where(lambda gain: gain > 0)


def order_is_unknown(table: pd.DataFrame) -> pd.Series:
    """Test for each row whether it is unknown which method is faster, because of limits or a
    missing speed-up.
    """
    speedup, bound = table["speedup"], table["bound"]
    too_late = (bound == Bound.AT_MOST) & (speedup > 1)
    cvm_too_late = (bound == Bound.AT_LEAST) & (speedup < 1)
    return speedup.isna() | (bound == Bound.UNKNOWN) | too_late | cvm_too_late


def ends_of(values: pd.Series, bounds: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return the smallest and the largest values that speed-ups with these bounds can have."""
    open_below = bounds.isin([Bound.AT_MOST, Bound.UNKNOWN])
    open_above = bounds.isin([Bound.AT_LEAST, Bound.UNKNOWN])
    return values.mask(open_below, 0.0), values.mask(open_above, np.inf)


def median_with_bound(values: pd.Series, bounds: pd.Series) -> tuple[float, Bound]:
    """Return the median of speed-ups, of which some may be only bounds, and the `Bound` of the
    median.

    Rows without a number are omitted, unless their bound is unknown. An unknown speed-up counts as
    infinite, so the median can only become too large. If the median itself is infinite, NaN and
    `UNKNOWN` are returned.
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
    """Return the 95 % interval of the median of speed-ups (`bootstrap_estimate`, over the data
    sets).

    If some speed-ups are only bounds, the interval covers all values that they can have. Its ends
    can therefore be 0 and infinity. For fewer than `FEWEST_FOR_INTERVAL` speed-ups, the interval is
    0 to infinity.
    """
    kept = values.notna() | (bounds == Bound.UNKNOWN)
    least, most = ends_of(values[kept].astype(float), bounds[kept])
    if len(least) < FEWEST_FOR_INTERVAL:
        return 0.0, np.inf
    low = bootstrap_estimate(least).low
    if most.equals(least):
        return low, bootstrap_estimate(least).high
    high = bootstrap_estimate(most.replace(np.inf, _HUGE)).high
    return low, high if high < _HUGE**0.5 else np.inf


def order_in_words(low: float, high: float) -> str:
    """Return in a word whether a method is faster than CVM, from the interval of its speed-up.

    If the interval contains 1, the word is "tie". If there is no interval, the word is "open".
    """
    if low == 0.0 and np.isinf(high):
        return OPEN
    if low <= 1 <= high:
        return TIE
    return FASTER if low > 1 else SLOWER
