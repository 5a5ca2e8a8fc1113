"""The numbers that figures over data sets draw: accuracy, speed-up, time and model size, beside the printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from fwsvm.studies.benchmark.groups import Group
from fwsvm.studies.benchmark.numbers import BENCHMARK, beside_printed, train_sizes

SPEEDUP, SHARE = "speedup", "share"


@dataclass(frozen=True)
class Quantity:
    """What a row of panels shows.

    Attributes
    ----------
    label : str
        Name and unit on the axis.
    measure : str
        The measure of `fwsvm.runs.table.summarise` that it is computed from.
    logarithmic : bool
        Whether its axis is.
    """

    label: str
    measure: str
    logarithmic: bool = True


QUANTITIES = {
    "accuracy": Quantity("test accuracy (%)", "test_accuracy", logarithmic=False),
    SPEEDUP: Quantity("speed-up over CVM", "train_cpu_s"),
    "time": Quantity("training time (CPU s)", "train_cpu_s"),
    "size": Quantity("support vectors", "support_vectors"),
    SHARE: Quantity("support vectors (% of m)", "support_vectors", logarithmic=False),
}


def figure_numbers(
    runs: pd.DataFrame,
    descriptions: Sequence[Mapping],
    group: Group,
    methods: Sequence[str],
    quantities: Sequence[str],
    experiment: str = BENCHMARK,
) -> pd.DataFrame:
    """Compute what a figure draws of a group of data sets.

    Parameters
    ----------
    runs : DataFrame
        Runs of one experiment.
    descriptions : sequence of mapping
        One per data set, for the number of training points.
    group : Group
        Data sets; a growing series comes in order of size.
    methods : sequence of str
        Methods; for speed-ups CVM among them.
    quantities : sequence of str
        Of `QUANTITIES`.
    experiment : str
        Which experiment the printed numbers are of.

    Returns
    -------
    DataFrame
        One row per quantity, selection, data set and method: ``group``, ``m``, ``value``, ``low``, ``high``
        (range over repetitions), ``printed``, ``at_limit``; NaN where there is nothing. CVM has no speed-up.
    """
    runs = runs[runs["dataset"].isin(group.datasets).fillna(False)]
    sizes = train_sizes(group.datasets, descriptions, runs)
    if group.grows:
        sizes = sizes.sort_values(kind="stable")
    measures = dict.fromkeys(QUANTITIES[quantity].measure for quantity in quantities)
    tables = {measure: beside_printed(runs, measure, methods, list(sizes.index), experiment) for measure in measures}
    keep = ["selection", "method", "dataset", "value", "low", "high", "printed", "at_limit"]
    blocks = []
    for quantity in quantities:
        table = tables[QUANTITIES[quantity].measure]
        if table.empty:
            continue
        table = _speedups(table) if quantity == SPEEDUP else table
        table = table.rename(columns={"mean": "value", "min": "low", "max": "high", "printed_mean": "printed"})
        block = table[keep].assign(quantity=quantity, group=group.name, m=table["dataset"].map(sizes))
        if quantity == SHARE:
            percent = 100 / block["m"]
            block[["value", "low", "high"]] = block[["value", "low", "high"]].mul(percent, axis=0)
        blocks.append(block)
    if not blocks:
        return pd.DataFrame(columns=["group", "quantity", *keep, "m"])
    numbers = pd.concat(blocks, ignore_index=True)
    numbers["at_limit"] = numbers["at_limit"].astype(bool)
    return numbers[["group", "quantity", *keep[:3], "m", *keep[3:]]]


def _speedups(times: pd.DataFrame) -> pd.DataFrame:
    """Divide mean CVM time by each method's times; at a limit if either of the two is."""
    cvm = times[times["method"] == "cvm"].set_index(["selection", "dataset"])
    table = times[times["method"] != "cvm"].copy()
    base = cvm.loc[pd.MultiIndex.from_frame(table[["selection", "dataset"]])]
    numerator = base["mean"].to_numpy()
    slowest, fastest = table["max"], table["min"]
    table["mean"] = numerator / table["mean"]
    table["min"], table["max"] = numerator / slowest, numerator / fastest
    table["printed_mean"] = base["printed_mean"].to_numpy() / table["printed_mean"]
    table["at_limit"] = (table["at_limit"] > 0) | (base["at_limit"].to_numpy() > 0)
    return table
