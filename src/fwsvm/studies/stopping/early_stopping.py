"""What the stopping of sampled runs does to accuracy, time, steps and gap: the runs of the experiment ``stopping``."""

import numpy as np
import pandas as pd

from fwsvm.runs.table import of_method, summarise

MEASURES = {"accuracy": "test_accuracy", "time": "train_cpu_s", "steps": "iterations", "gap": "relative_gap"}
"""Quantity -> measure of `summarise`."""

PRESETS = ("libcvm", "all_points")
"""Variants that have no patience, in this order; earlier runs had LibCVM's samples too."""


def variants(runs):
    """Return the stopping variants of the runs in order: ``patience 1``, ``patience 2``, ..., then the presets."""
    present = set(_variant(runs))
    patiences = [name for name in present if name not in PRESETS]
    return sorted(patiences, key=_patience) + [name for name in PRESETS if name in present]


def protocol_of(runs):
    """Return the protocol whose patience varies."""
    return next(iter(runs.loc[~runs["protocol"].isin(PRESETS).fillna(True), "protocol"]), PRESETS[-1])


def variant_numbers(runs, cvm_runs):
    """Sum up the repetitions of every data set, method and variant."""
    summary = summarise(runs, by=("patience",))
    order = variants(runs)
    table = pd.DataFrame({"dataset": summary["dataset"], "method": summary["method"], "variant": _variant(summary)})
    for quantity, measure in MEASURES.items():
        for suffix, statistic in (("", "mean"), ("_low", "min"), ("_high", "max")):
            table[f"{quantity}{suffix}"] = summary[f"{measure}_{statistic}"].astype(float)
    table["n"] = summary["repetitions"].astype(int)
    table["at_limit"] = summary["at_limit"] > 0
    table["speedup"] = table["dataset"].map(cvm_means(cvm_runs, protocol_of(runs))["time"]) / table["time"]
    table = table[table["variant"].isin(order)]
    rank = table["variant"].map({name: place for place, name in enumerate(order)})
    table = table.assign(_rank=rank).sort_values(["dataset", "method", "_rank"], kind="stable", ignore_index=True)
    return table.drop(columns="_rank")


def _variant(rows):
    """The stopping variant of each row; one without a patience looks at all points."""
    named = ("patience " + rows["patience"].astype("string")).fillna(PRESETS[-1])
    return rows["protocol"].where(rows["protocol"].isin(PRESETS), named)


def cvm_means(cvm_runs, protocol):
    """Mean accuracy, time and relative gap of CVM by data set, under a protocol."""
    summary = of_method(summarise(cvm_runs), protocol, "cvm")
    return pd.DataFrame({name: summary[f"{MEASURES[name]}_mean"].astype(float) for name in ("accuracy", "time", "gap")})


def shares(numbers):
    """Compare the first variant, which stops earliest, with each other one: geometric means over the data sets."""
    if numbers.empty:
        columns = ("method", "variant", "datasets", "slower", "speedup", "accuracy", "gap", "at_limit")
        return pd.DataFrame(columns=list(columns))
    first = min(numbers["variant"].unique(), key=lambda name: (name in PRESETS, _patience(name)))
    base = numbers[numbers["variant"] == first].set_index(["method", "dataset"])
    rows = []
    for (method, variant), group in numbers.groupby(["method", "variant"], sort=False):
        group = group.set_index(["method", "dataset"])
        both = group.index.intersection(base.index)
        group, reference = group.loc[both], base.loc[both]
        rows.append(
            {
                "method": method,
                "variant": variant,
                "datasets": len(both),
                "slower": _geometric_mean(group["time"] / reference["time"]),
                "speedup": _geometric_mean(group["speedup"]),
                "accuracy": float((group["accuracy"] - reference["accuracy"]).mean()),
                "gap": float(group["gap"].median()),
                "at_limit": bool(group["at_limit"].any()),
            }
        )
    return pd.DataFrame(rows)


def _patience(variant):
    return int(variant.split()[1]) if variant.startswith("patience ") else 0


def _geometric_mean(values):
    values = values.dropna()
    return float(np.exp(np.log(values).mean())) if len(values) else float("nan")
