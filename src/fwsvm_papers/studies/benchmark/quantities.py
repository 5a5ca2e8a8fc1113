"""The quantities that the figures show for each data set: accuracy, speed-up, time and model size,
in our runs and in the papers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fwsvm_papers.reporting.text import significant
from fwsvm_papers.runs.comparison import Bound, against, comparison, lower_bounds
from fwsvm_papers.studies.benchmark.groups import Group
from fwsvm_papers.studies.benchmark.numbers import (
    BENCHMARK,
    beside_printed,
    majority_accuracies,
    printed_rows,
    train_sizes,
)
from fwsvm_papers.studies.benchmark.protocol import Details
from fwsvm_papers.studies.registry import load_printed

_KEYS = ["protocol", "dataset", "method"]
SPEEDUP, DIFFERENCE, RATIO = "speedup", "difference", "ratio"


@dataclass(frozen=True)
class Quantity:
    """A quantity in a figure: the label of its axis, the measure of `summarise` from which it is
    computed, and whether its axis is logarithmic.
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
"""Maps a quantity to three things. The first is the value that CVM has in this quantity, at which a
line is drawn. The other two are the name and the format of CVM's own numbers.
"""


def figure_numbers(
    runs: pd.DataFrame,
    descriptions: Details,
    group: Group,
    methods: Sequence[str],
    quantities: Sequence[str],
    experiment: str = BENCHMARK,
) -> pd.DataFrame:
    """Return the plotted values for a group of data sets, with a row per quantity, protocol, data
    set and method. For the quantities in `COMPARED`, there are no rows for CVM.
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
    compared = comparison(runs, majority_accuracies(descriptions), methods).set_index(_KEYS)
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
        bounds = lower_bounds((table["at_limit"] > 0) & (measure == "train_cpu_s"))
        of_set = majority if measure == "test_accuracy" else majority.iloc[:0]
        table = table.assign(majority=table["dataset"].map(of_set), bound=bounds)
        table = (
            _compared(table, compared, quantity, experiment)
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


def _compared(
    table: pd.DataFrame, compared: pd.DataFrame, quantity: str, experiment: str
) -> pd.DataFrame:
    """Return a table that compares each method except CVM with CVM.

    `quantity` says which numbers are compared: speed-ups, accuracies minus CVM's mean accuracy, or
    model sizes divided by CVM's mean model size.
    """
    table = table[table["method"] != "cvm"]
    compared = compared.reindex(pd.MultiIndex.from_frame(table[_KEYS])).set_index(table.index)
    name = "size_ratio" if quantity == RATIO else quantity
    table = table.assign(
        mean=compared[name], min=compared[f"{name}_low"], max=compared[f"{name}_high"]
    )
    if quantity == RATIO:
        return table.assign(cvm=compared["cvm_support_vectors"])
    pairs = pd.MultiIndex.from_frame(table[["dataset", "method"]])
    printed = printed_rows(table["dataset"].unique(), ["cvm", *table["method"].unique()])
    printed = against("cvm", printed, ["dataset"]).set_index(["dataset", "method"])[name]
    printed = printed.reindex(pairs).set_axis(table.index)
    if quantity == DIFFERENCE:
        cvm = compared["cvm_accuracy"]
        return table.assign(cvm=cvm, majority=table["majority"] - cvm, printed_mean=printed)
    if experiment == BENCHMARK:  # prefer the speed-ups that nanculef2014 states in its text
        text = load_printed("nanculef2014_text").set_index(["dataset", "method"])["value"]
        printed = text.reindex(pairs).set_axis(table.index).fillna(printed)
    bound = compared["bound"].where(compared["bound"].notna(), Bound.EXACT)
    return table.assign(
        cvm=compared["cvm_time"],
        printed_mean=printed,
        requested=compared["speedup_in_kernel_values"],
        bound=bound,
        at_limit=bound != Bound.EXACT,
    )
