"""What the stopping of sampled runs does to accuracy, time, steps and gap: the runs of the experiment ``stopping``."""

import numpy as np
import pandas as pd

from fwsvm.runs.table import CVM_PROTOCOL, summarise

MEASURES = {
    "accuracy": "test_accuracy",
    "time": "train_cpu_s",
    "steps": "iterations",
    "gap": "relative_gap",
}
"""Quantity -> measure of `summarise`."""

PRESETS = ("libcvm", "all_points")
"""The protocols that stand beside the patiences of ``as_printed``, in this order."""


def variants(runs):
    """Return the stopping variants of the runs in order: ``patience 1``, ``patience 2``, ..., then the presets.

    Parameters
    ----------
    runs : DataFrame
        Runs of the experiment ``stopping``.

    Returns
    -------
    list of str
    """
    text = runs[(runs["protocol"] == "as_printed").fillna(False)]
    patiences = sorted(text["patience"].dropna().unique().tolist())
    present = set(runs["protocol"].dropna())
    return [f"patience {value}" for value in patiences] + [name for name in PRESETS if name in present]


def variant_numbers(runs, cvm_runs):
    """Sum up the repetitions of every data set, method and variant.

    Parameters
    ----------
    runs : DataFrame
        Runs of the experiment ``stopping``.
    cvm_runs : DataFrame
        Runs of CVM under `CVM_PROTOCOL`, the denominator of the speed-ups; may be empty.

    Returns
    -------
    DataFrame
        One row per data set, method and variant: mean, minimum and maximum of each of `MEASURES` as
        ``<quantity>``, ``<quantity>_low``, ``<quantity>_high``; ``n``; ``at_limit``; ``speedup``, mean CVM time over
        mean time (NaN without CVM's).
    """
    summary = summarise(runs, by=("patience",))
    order = variants(runs)
    table = pd.DataFrame({"dataset": summary["dataset"], "method": summary["method"], "variant": _variant(summary)})
    for quantity, measure in MEASURES.items():
        for suffix, statistic in (("", "mean"), ("_low", "min"), ("_high", "max")):
            table[f"{quantity}{suffix}"] = summary[f"{measure}_{statistic}"].astype(float)
    table["n"] = summary["repetitions"].astype(int)
    table["at_limit"] = summary["at_limit"] > 0
    table["speedup"] = table["dataset"].map(cvm_means(cvm_runs)["time"]) / table["time"]
    table = table[table["variant"].isin(order)]
    rank = table["variant"].map({name: place for place, name in enumerate(order)})
    table = table.assign(_rank=rank).sort_values(["dataset", "method", "_rank"], kind="stable", ignore_index=True)
    return table.drop(columns="_rank")


def _variant(summary):
    patience = summary["patience"]
    named = "patience " + patience.astype("string")
    return summary["protocol"].where(summary["protocol"] != "as_printed", named)


def cvm_means(cvm_runs):
    """Return mean accuracy and time of CVM under `CVM_PROTOCOL` by data set."""
    chosen = ((cvm_runs["method"] == "cvm") & (cvm_runs["protocol"] == CVM_PROTOCOL)).fillna(False)
    summary = summarise(cvm_runs[chosen]).set_index("dataset")
    return pd.DataFrame({name: summary[f"{MEASURES[name]}_mean"].astype(float) for name in ("accuracy", "time")})


def shares(numbers):
    """Compare the first variant, which stops earliest, with each other one: geometric means over the data sets.

    Parameters
    ----------
    numbers : DataFrame
        Result of `variant_numbers`.

    Returns
    -------
    DataFrame
        One row per method and variant: ``datasets`` (with both variants), ``slower``, how many times as long the
        variant takes as the first one; ``speedup`` over CVM (geometric mean); ``accuracy``, mean points above the first
        variant; ``gap``, median relative gap.
    """
    if numbers.empty:
        return pd.DataFrame(columns=["method", "variant", "datasets", "slower", "speedup", "accuracy", "gap"])
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
            }
        )
    return pd.DataFrame(rows)


def _patience(variant):
    return int(variant.split()[1]) if variant.startswith("patience ") else 0


def _geometric_mean(values):
    values = values.dropna()
    return float(np.exp(np.log(values).mean())) if len(values) else float("nan")
