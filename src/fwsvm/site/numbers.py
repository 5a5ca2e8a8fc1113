"""Write numbers for the pages; compute ranks and the data of the page of runs."""

import json
from numbers import Real

import pandas as pd

from fwsvm.reporting.text import NOTHING, significant
from fwsvm.statistics.tests import mean_ranks

# Columns of the page of runs.
RUN_COLUMNS = (
    "experiment", "dataset", "method", "protocol", "C", "gamma", "kernel", "task_size", "repetition",
    "partition", "train_cpu_s", "iterations", "support_vectors", "test_accuracy", "relative_gap", "stop_reason",
    "disturbed",
)  # fmt: skip
# Each measure of the summary has a name, and a flag that says whether a smaller value is better.
RANKED = {"time": ("training time", True), "accuracy": ("accuracy", False), "support_vectors": ("model size", True)}
_NO_METHODS = ("svc", "majority")


def number(value, digits: int = 4) -> str:
    """Write a cell: a number with a few digits, a dash for a missing value."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return NOTHING if pd.isna(value) else str(value)
    if pd.isna(value):
        return NOTHING
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return significant(float(value), digits) if 1e-4 <= abs(value) < 1e6 else f"{value:.{digits - 1}e}"


def ranks_of(summary: pd.DataFrame) -> dict[str, dict[str, dict[str, float]]]:
    """Map protocol and method to mean ranks by each measure (1 = best), over the `sets` data sets with all methods."""
    found: dict[str, dict] = {}
    for protocol, part in summary.groupby("protocol", sort=False) if len(summary) else ():
        part, table = part[~part["method"].isin(_NO_METHODS)], {}
        for measure, (_, lower_is_better) in RANKED.items():
            wide = part.pivot_table(index="dataset", columns="method", values=measure).dropna()
            ranks = mean_ranks(wide.to_numpy(), lower_is_better) if len(wide) else [None] * wide.shape[1]
            for method, rank in zip(wide.columns, ranks, strict=True):
                if rank is not None:
                    table.setdefault(method, {"sets": len(wide)})[measure] = rank
        found[protocol] = table
    return found


def runs_script(runs: pd.DataFrame) -> str:
    """Return a script that sets ``window.RUNS``: for each column its numbers, or indices into a list of words."""
    columns = {}
    for name in (name for name in RUN_COLUMNS if name in runs and runs[name].notna().any()):
        values = runs[name]
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            columns[name] = {"values": [None if pd.isna(value) else _short(value) for value in values]}
        else:
            codes, words = pd.factorize(values.astype("string"))
            columns[name] = {"values": codes.tolist(), "words": words.tolist()}
    return f"window.RUNS={json.dumps(columns, separators=(',', ':'), ensure_ascii=False)};\n"


def _short(value: float) -> int | float:
    """Round to six significant digits."""
    value = float(value)
    return int(value) if value.is_integer() else float(f"{value:.6g}")
