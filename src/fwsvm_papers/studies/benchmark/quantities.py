"""Compute what the figures show for each data set: accuracy, speed-up, time and model size, ours
and the papers'.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fwsvm_papers.reporting.text import significant
from fwsvm_papers.studies.benchmark.numbers import (
    BENCHMARK,
    beside_printed,
    majority_accuracies,
    train_sizes,
)
from fwsvm_papers.studies.registry import load_printed

SPEEDUP, DIFFERENCE, RATIO = "speedup", "difference", "ratio"


@dataclass(frozen=True)
class Quantity:
    """A quantity shown in a figure: its axis label, and the measure of `summarise` from which it
    is computed.
    """

    label: str
    measure: str
    logarithmic: bool = True


QUANTITIES = {
    "accuracy": Quantity("test accuracy (%)", "test_accuracy", logarithmic=False),
    DIFFERENCE: Quantity("accuracy − CVM's\n(points)", "test_accuracy", logarithmic=False),
    SPEEDUP: Quantity("speed-up over CVM", "train_cpu_s"),
    "time": Quantity("training time (CPU s)", "train_cpu_s"),
    "size": Quantity("support vectors", "support_vectors"),
    RATIO: Quantity("support vectors / CVM's", "support_vectors"),
}


COMPARED = {
    DIFFERENCE: (0, "accuracy (%)", "{:.1f}".format),
    SPEEDUP: (1, "CPU seconds", lambda value: significant(value, 2)),
    RATIO: (1, "support vectors", "{:,.0f}".format),
}
"""Maps a quantity to the value at CVM's line, and to the name and format of CVM's numbers."""


def figure_numbers(
    runs, descriptions, group, methods, quantities, experiment=BENCHMARK
) -> pd.DataFrame:
    """Compute the plotted values for a group of data sets: a row per quantity, protocol, data
    set and method.
    """
    runs = runs[runs["dataset"].isin(group.datasets).fillna(False)]
    majority = pd.Series(majority_accuracies(descriptions), dtype=float)
    sizes = train_sizes(group.datasets, descriptions, runs)
    if group.grows:
        sizes = sizes.sort_values(kind="stable")
    measures = dict.fromkeys(QUANTITIES[quantity].measure for quantity in quantities)
    tables = {
        measure: beside_printed(runs, measure, methods, list(sizes.index), experiment)
        for measure in measures
    }
    keep = [
        "protocol",
        "method",
        "dataset",
        "value",
        "low",
        "high",
        "printed",
        "requested",
        "majority",
        "at_limit",
        "bound",
        "cvm",
    ]
    blocks = []
    for quantity in quantities:
        measure = QUANTITIES[quantity].measure
        table = tables[measure] if quantity == SPEEDUP else tables[measure].assign(requested=np.nan)
        is_bound = (table["at_limit"] > 0) & (measure == "train_cpu_s")
        of_set = majority if measure == "test_accuracy" else majority.iloc[:0]
        table = table.assign(
            majority=table["dataset"].map(of_set), bound=np.where(is_bound, "lower", "")
        )
        table = (
            _compared(table, quantity, experiment)
            if quantity in COMPARED
            else table.assign(cvm=np.nan)
        )
        table = table.rename(
            columns={"mean": "value", "min": "low", "max": "high", "printed_mean": "printed"}
        )
        blocks.append(
            table[keep].assign(quantity=quantity, group=group.name, m=table["dataset"].map(sizes))
        )
    numbers = pd.concat(blocks, ignore_index=True)
    numbers["at_limit"] = numbers["at_limit"].astype(bool)
    return numbers[["group", "quantity", *keep[:3], "m", *keep[3:]]]


def _compared(table: pd.DataFrame, quantity: str, experiment: str) -> pd.DataFrame:
    """Compute speed-ups over CVM, accuracies minus CVM's mean, or model sizes divided by CVM's
    mean.
    """
    cvm = table[table["method"] == "cvm"].set_index(["protocol", "dataset"])
    table = table[table["method"] != "cvm"].copy()
    base = table[["protocol", "dataset"]].join(cvm, on=["protocol", "dataset"])
    table["cvm"] = base["mean"]
    if quantity == DIFFERENCE:
        for name in ("mean", "min", "max", "majority"):
            table[name] -= base["mean"]
        table["printed_mean"] -= base["printed_mean"]
        return table
    if quantity == RATIO:
        return table.assign(**{name: table[name] / base["mean"] for name in ("mean", "min", "max")})
    table["min"], table["max"] = base["mean"] / table["max"], base["mean"] / table["min"]
    for name in ("mean", "printed_mean", "requested"):
        table[name] = base[name] / table[name]
    if experiment == BENCHMARK:  # Prefer the speed-ups that nanculef2014 states in its text.
        text = load_printed("nanculef2014_text").set_index(["dataset", "method"])["value"]
        stated = text.reindex(pd.MultiIndex.from_frame(table[["dataset", "method"]])).to_numpy()
        table["printed_mean"] = pd.Series(stated, index=table.index).fillna(table["printed_mean"])
    ours, theirs = table["at_limit"] > 0, base["at_limit"] > 0
    table["bound"] = np.select([ours & ~theirs, theirs & ~ours], ["upper", "lower"], "")
    table["at_limit"] = ours | theirs
    return table
