"""Comparisons of the methods over all data sets, as plain tables."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from fwsvm.reporting.style import METHODS
from fwsvm.runs.records import ordered
from fwsvm.runs.table import of_method, protocols_of, shown_under, summarise, wide
from fwsvm.statistics.tests import holm, mean_ranks, wilcoxon_signed_rank
from fwsvm.studies.benchmark.numbers import rows_in_order

LEVEL = 0.05
"""Family-wise level of the pairwise tests within one measure."""


def first_heading(runs: pd.DataFrame) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the runs shown under the first protocol of an experiment, the protocol and the methods."""
    protocol = protocols_of(runs)[0]
    runs = shown_under(runs, protocol, certified=False)
    return runs, protocol, ordered(runs["method"].dropna(), tuple(METHODS))


def gap_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Sum up the certified relative gaps at which the runs of `first_heading` stopped."""
    summary = summarise(runs.dropna(subset=["relative_gap"]))
    columns = {f"relative_gap_{name}": name for name in ("median", "min", "max")}
    frame = summary.rename(columns=columns)[["dataset", "method", *columns.values(), "at_limit"]]
    return rows_in_order(frame, ["dataset"])


def performance_ratios(costs: pd.DataFrame, solved: pd.DataFrame | None = None) -> pd.DataFrame:
    """Ratio of every method's cost to the least on the data set (Dolan & More 2002, eq. r_ps)."""
    complete = costs.dropna()
    counted = complete if solved is None else complete.where(solved.loc[complete.index, complete.columns], np.inf)
    least = counted.min(axis=1)
    return counted[np.isfinite(least)].div(least[np.isfinite(least)], axis=0)


def profile(ratios: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Steps of one method's performance profile."""
    finite = np.sort(ratios[np.isfinite(ratios)].to_numpy())
    tau = np.concatenate([[1.0], finite])
    return tau, np.searchsorted(finite, tau, side="right") / max(len(ratios), 1)


def compare(table: pd.DataFrame, lower_is_better: bool) -> tuple[pd.Series, pd.DataFrame]:
    """Rank the methods over the data sets and test every pair of them (Demsar 2006, sec. 3.2)."""
    table = table.dropna()
    values = table.to_numpy(dtype=float)
    ranks = pd.Series(mean_ranks(values, lower_is_better), index=table.columns)
    rows = [
        {"first": one, "second": other, "p": wilcoxon_signed_rank(table[one], table[other]).p_value}
        for one, other in combinations(table.columns, 2)
    ]
    pairs = pd.DataFrame(rows, columns=["first", "second", "p"])
    pairs["p_holm"] = holm(pairs["p"])
    return ranks, pairs.assign(differ=pairs["p_holm"] <= LEVEL)


def groups_without_difference(ranks: pd.Series, pairs: pd.DataFrame) -> list[tuple[str, str]]:
    """Longest sequences of neighbouring ranks in which no pair differs: (best, worst) of each."""
    order = list(ranks.sort_values(kind="stable").index)
    differ = {frozenset(pair) for pair in pairs.loc[pairs["differ"], ["first", "second"]].itertuples(index=False)}
    groups, reached = [], 0
    for start in range(len(order)):
        end = start
        while end + 1 < len(order) and all(
            frozenset((order[end + 1], name)) not in differ for name in order[start : end + 1]
        ):
            end += 1
        if end > start and end > reached:
            groups.append((order[start], order[end]))
            reached = end
    return groups


def ended_by_themselves(runs: pd.DataFrame, protocol: str, methods: Sequence[str]) -> pd.DataFrame:
    """Data sets by methods: whether no repetition ended at a limit; False without runs."""
    summary = summarise(runs)
    counts = {method: of_method(summary, protocol, method)["at_limit"] for method in methods}
    return pd.DataFrame(counts) == 0


def measures(runs: pd.DataFrame, protocol: str, methods: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Data sets by methods: mean CPU time, test accuracy (%) and support vectors of `first_heading`'s runs."""
    summary = summarise(runs)
    names = ("train_cpu_s", "test_accuracy", "support_vectors")
    return {name: wide(summary, name, protocol, methods) for name in names}
