"""The numbers by which claims are judged under one protocol.

A protocol is a set of training settings, such as the settings of the papers' text. The numbers come
from the table of runs, from significance tests, and from the details that studies record.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from fwsvm_papers.runs import ENDED_REASONS
from fwsvm_papers.runs.comparison import (
    FEWEST_FOR_INTERVAL,
    MEASURES,
    SPEEDUPS,
    Bound,
    against,
    median_interval,
    median_with_bound,
    shown_means,
)
from fwsvm_papers.runs.table import of_method, summarise, under, wide
from fwsvm_papers.statistics.effects import Estimate, bootstrap_estimate

# The main verdicts on claims about the benchmark are judged under the first of these protocols that
# has runs.
JUDGED_BY = ("as_run", "as_printed")

SECONDS, REQUESTED = "train_cpu_s", "requested_evaluations"
"""Columns that measure speed. The column `REQUESTED` has the number of kernel values that steps and
samples requested, including cached values. This number does not depend on the implementation.
"""

HIDDEN = "limits hide the answer"
FORMATS = {
    "ratio": "{:.3g}×",
    "percent": "{:.3g} %",
    "points": "{:+.2f} points",
    "seconds": "{:.3g} s",
    "p": "{:.3g}",
    "number": "{:.5g}",
}


def judged_protocol(runs: pd.DataFrame) -> str:
    """Return the first protocol in `JUDGED_BY` that has benchmark runs. If no protocol in
    `JUDGED_BY` has benchmark runs, return the last one.
    """
    ran = set(runs.loc[(runs["experiment"] == "benchmark").fillna(False), "protocol"].dropna())
    return next((name for name in JUDGED_BY if name in ran), JUDGED_BY[-1])


class Evidence:
    """The runs, significance tests and details of studies by which claims are judged.

    `details` maps an experiment to the list of its jobs' details. `cost` is the column of the table
    of runs that measures speed. `printed` is true if the numbers come from the papers' tables
    instead of our runs. If `protocol` is None, it is the result of `judged_protocol`.
    """

    def __init__(
        self,
        runs: pd.DataFrame,
        tests: pd.DataFrame | None = None,
        details: Mapping | None = None,
        protocol: str | None = None,
        printed: bool = False,
        cost: str = SECONDS,
    ) -> None:
        self.runs, self.details, self.printed, self.cost = runs, details or {}, printed, cost
        self.tests = pd.DataFrame() if tests is None else tests
        self.protocol = protocol or judged_protocol(runs)
        self._tables: dict[tuple, pd.DataFrame] = {}
        self._summaries: dict[str, pd.DataFrame] = {}
        self._shown: dict[str, dict[tuple[str, str], list[bool]]] = {}
        self._compared: dict[str, pd.DataFrame] = {}

    def experiment(self, name: str) -> pd.DataFrame:
        return self.runs[(self.runs["experiment"] == name).fillna(False)]

    @cached_property
    def _benchmark(self) -> pd.DataFrame:
        return self.experiment("benchmark")

    def summary(self, experiment: str) -> pd.DataFrame:
        """Return the summary of an experiment's runs, with means and other statistics over
        repetitions.
        """
        if experiment not in self._summaries:
            self._summaries[experiment] = summarise(self.experiment(experiment))
        return self._summaries[experiment]

    @cached_property
    def sizes(self) -> pd.Series:
        """Return the number of training points of each data set in the benchmark."""
        return self._benchmark.groupby("dataset")["task_size"].max().astype(float)

    def table(
        self,
        measure: str,
        methods: Sequence[str],
        datasets: Iterable[str] | None = None,
        statistic: str = "mean",
        experiment: str = "benchmark",
    ) -> pd.DataFrame:
        """Return a table of a measure with a row for each data set and a column for each method.

        The measure "time" is the column `cost` of the runs. If `datasets` is None, the table has
        all data sets. A data set is omitted if one of the methods did not run on it.
        """
        measure = {"time": self.cost, "accuracy": "test_accuracy"}.get(measure, measure)
        key = measure, tuple(methods), statistic, experiment
        if key not in self._tables:
            summary = self.summary(experiment)
            self._tables[key] = wide(summary, measure, self.protocol, methods, statistic).dropna()
        found = self._tables[key]
        return (
            found
            if datasets is None
            else found.reindex([name for name in datasets if name in found.index])
        )

    def are_lower_bounds(
        self, measure: str, table: pd.DataFrame, experiment: str = "benchmark"
    ) -> pd.DataFrame:
        """Return a Boolean table with the rows and columns of `table`. It is true where a number is
        only a lower bound.

        If a run ended at a limit, the mean time over this run and its repetitions is only a lower
        bound. For all measures except "time", the whole table is false.
        """
        if measure != "time":
            return pd.DataFrame(False, table.index, table.columns)
        ends = self.summary(experiment)[["dataset", "protocol", "method", "at_limit"]]
        columns = {
            method: of_method(ends, self.protocol, method)["at_limit"] > 0
            for method in table.columns
        }
        return pd.DataFrame(columns, table.index)

    @cached_property
    def _means(self) -> pd.DataFrame:
        return shown_means(self.summary("benchmark"), [self.protocol])

    @property
    def speedup(self) -> str:
        """Return the name of a column of `against`: the column with the speed-ups that are computed
        from `cost`.
        """
        return next(name for name, cost in SPEEDUPS.items() if MEASURES[cost] == self.cost)

    def against(self, base: str) -> pd.DataFrame:
        """Return a comparison of the benchmark's methods with the method `base`, made by
        `fwsvm_papers.runs.comparison.against`.

        The table has a row per data set and method. Its index is the data set.
        """
        if base not in self._compared:
            self._compared[base] = against(base, self._means).set_index("dataset")
        return self._compared[base]

    def test(self, paper: str, measure: str, comparison: str) -> pd.Series | None:
        """Return the row of a significance test, or None if there is no such row or if it has no
        p-value.
        """
        if self.tests.empty:
            return None
        keys = {
            "protocol": self.protocol,
            "paper": paper,
            "measure": measure,
            "comparison": comparison,
        }
        matches = [self.tests[name] == key for name, key in keys.items()]
        chosen = self.tests[np.all(matches, axis=0)]
        return None if chosen.empty or pd.isna(chosen.iloc[0]["p_value"]) else chosen.iloc[0]

    def _ends(self, experiment: str) -> dict[tuple[str, str], list[bool]]:
        """Return, for each data set and method, whether each run ended at a limit. Only the
        experiment's runs under the protocol are included.
        """
        if experiment not in self._shown:
            runs = under(self.experiment(experiment), self.protocol)
            ended = runs["stop_reason"].isin(ENDED_REASONS)
            self._shown[experiment] = defaultdict(list)
            for dataset, method, late in zip(runs["dataset"], runs["method"], ended, strict=True):
                self._shown[experiment][dataset, method].append(late)
        return self._shown[experiment]

    def at_limit(
        self,
        datasets: Iterable[str],
        methods: Iterable[str],
        experiments: Iterable[str] = ("benchmark",),
    ) -> str:
        """Return a text that says how many runs of these methods on these data sets ended at a
        limit.

        The text is empty if no run ended at a limit.
        """
        places = set(product(datasets, methods))
        ended = [
            late for name in experiments for place in places for late in self._ends(name)[place]
        ]
        return f"{sum(ended)} of {len(ended)} runs ended at a limit" if any(ended) else ""


class Sample:
    """Numbers by which a claim is judged.

    The first index level of `values` is a method or series. The second level is a data set, a size
    or a random draw. `bounds` has the `Bound` of each value. It is needed because the time of a run
    that ended at a limit is only a bound. If the bound of a value is `UNKNOWN`, the value is NaN.

    `name` says what the values are, and `unit` is a key of `FORMATS`. `basis` has texts about the
    runs behind the values, and `absent` is the reason if there are no values. `neutral` is the
    value that shows no difference (1 for ratios), or None if there is no such value. `sizes` has
    the number of training points for each value, if the values are fitted against it. `of_print` is
    true if the values come from the papers' tables, and `timed` is true if they depend on times.

    If the values are p-values, `smallest` is the smallest p-value that the test can give. `effect`
    returns a text with effect sizes.
    """

    def __init__(
        self,
        name: str,
        unit: str,
        values: Mapping[tuple, float],
        *basis: str,
        absent: str = "not run",
        neutral: float | None = None,
        sizes: Sequence[float] = (),
        smallest: float = 0.0,
        effect: Callable[[], str] | None = None,
        of_print: bool = False,
        timed: bool = False,
        equivalence: Callable[[float], Sequence[float]] | None = None,
        without: Mapping[tuple, float] | None = None,
        case: tuple[str, str] = ("in", "case"),
        bounds: Mapping[tuple, Bound] | None = None,
    ) -> None:
        index = pd.MultiIndex.from_arrays([[of for of, _ in values], [str(at) for _, at in values]])
        self.values = pd.Series(list(values.values()), index, dtype=float)
        kinds = [(bounds or {}).get(key, Bound.EXACT) for key in values]
        self.bounds = pd.Series(kinds, index, dtype=object)
        self.name, self.unit, self.basis, self.absent = name, unit, joined(basis), absent
        self.neutral = 1.0 if unit == "ratio" else neutral
        self.sizes, self.smallest, self.effect, self.of_print = sizes, smallest, effect, of_print
        # `equivalence(scale)` returns probabilities of practical equality. Values are practically
        # equal if they differ by at most `scale` times the limit in `REGIONS`.
        self.timed, self.equivalence = timed, equivalence
        # `without` has the p-values of tests that leave out stand-ins. `case` is a pair of words,
        # such as ("in", "case"), from which sentences such as "in 3 of 4 cases" are made.
        self.without = None if without is None else pd.Series(without, dtype=float)
        self.case = case

    def write(self, value: float) -> str:
        if np.isinf(value):
            return "infinity"
        form = FORMATS[self.unit].replace(".3g}×", ",.0f}×" if abs(value) >= 999.5 else ".3g}×")
        return "unknown" if pd.isna(value) else form.format(value)

    def effect_words(self) -> str:
        """Return a text with the effect sizes and their 95 % confidence intervals: the result of
        `effect` or, for ratios without `effect`, the median of each method.

        For other samples, and for ratios with too few values, the text is empty.
        """
        if self.effect or self.unit != "ratio":
            return self.effect() if self.effect else ""
        numbers = pd.DataFrame({"value": self.values, "bound": self.bounds})
        numbers = numbers[numbers["value"].notna() | (numbers["bound"] == Bound.UNKNOWN)]
        parts = [
            f"{of} {self._median_words(group['value'], group['bound'])}".strip()
            for of, group in numbers.groupby(level=0, sort=False)
            if len(group) >= FEWEST_FOR_INTERVAL
        ]
        return f"median {', '.join(parts)}" if parts else ""

    def _median_words(self, values: pd.Series, bounds: pd.Series) -> str:
        """Return the median with its interval as text. If some values are only bounds, the interval
        contains the intervals for all possible true values.
        """
        if (bounds == Bound.EXACT).all():
            return interval(bootstrap_estimate(values, of_ratios=True), self.write)
        median, bound = median_with_bound(values, bounds)
        words = interval(Estimate(median, *median_interval(values, bounds)), self.write)
        return words if np.isnan(median) else bound.before(words)


def interval(estimate: Estimate, write: Callable[[float], str]) -> str:
    return f"{write(estimate.value)} (95 %: {write(estimate.low)} to {write(estimate.high)})"


def of_sets(n: int, expected: int | None = None) -> str:
    """Return a text such as ``7 of 8 data sets``, for the data sets from which a number is
    computed.
    """
    if expected is None or n == expected:
        return f"{n} data set{'s' if n != 1 else ''}"
    return f"{n} of {expected} data sets"


def joined(parts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, parts)))
