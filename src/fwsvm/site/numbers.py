"""Write numbers for the pages, and the data of the page of runs."""

import json
import math
from numbers import Real

import pandas as pd

from fwsvm.reporting.text import NOTHING, significant

# Columns of the page of runs.
RUN_COLUMNS = (
    "experiment", "dataset", "method", "protocol", "C", "gamma", "kernel", "task_size", "repetition",
    "partition", "train_cpu_s", "iterations", "support_vectors", "test_accuracy", "relative_gap", "stop_reason",
    "disturbed",
)  # fmt: skip


def number(value, digits: int = 4) -> str:
    """Write a cell: a number with a few digits, a dash for a missing value."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return NOTHING if pd.isna(value) else str(value)
    if pd.isna(value):
        return NOTHING
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return significant(float(value), digits) if 1e-4 <= abs(value) < 1e6 else f"{value:.{digits - 1}e}"


def aligned(values: pd.Series) -> list[str]:
    """Write the cells of a column, with equal decimals where the numbers are of similar size."""
    sizes = values.abs()[lambda size: size > 0] if pd.api.types.is_float_dtype(values) else ()
    if not len(sizes) or sizes.max() > 1e3 * sizes.min() or sizes.max() >= 1e6 or (values.dropna() % 1 == 0).all():
        return [number(value) for value in values]
    decimals = max(0, 3 - math.floor(math.log10(sizes.median())))
    return [NOTHING if pd.isna(value) else f"{value:,.{decimals}f}" for value in values]


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
