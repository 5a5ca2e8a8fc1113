"""Functions that compute how time, model size and error depend on the training set size, at a fixed
kernel width and C.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fwsvm_papers.runs import ENDED_REASONS
from fwsvm_papers.runs.table import quiet_times

# The runs of these two experiments are summarised together, since `draws` repeats `tsang2005` on
# new points.
STUDIES = ("tsang2005", "draws")
SETTING = ("gamma_rule", "C")
QUANTITIES = {
    "time": "train_cpu_s",
    "support_vectors": "support_vectors",
    "coreset": "coreset_size",
}
"""Maps a quantity to a column of the table of runs.

The function `curves` adds the quantity `error`, in per cent of the test points.
"""


def series_runs(runs: pd.DataFrame, datasets: Sequence[str]) -> pd.DataFrame:
    """Return the runs of the experiments in `STUDIES` on these data sets."""
    chosen = runs["experiment"].isin(STUDIES) & runs["dataset"].isin(list(datasets))
    return runs[chosen.fillna(False)]


def curves(runs: pd.DataFrame) -> pd.DataFrame:
    """Return means and ranges over the repetitions.

    There is a row for each method, setting (kernel width and C) and training set size. The column
    ``ended`` is true if a run of this size or of a smaller one ended at a limit. If ``ended`` is
    true, means and ranges are NaN.
    """
    frame = runs[["method", *SETTING, "task_size"]].copy()
    frame["ended"] = runs["stop_reason"].isin(ENDED_REASONS).fillna(False).astype(bool)
    for name, column in QUANTITIES.items():
        values = (
            quiet_times(runs, ["method", *SETTING, "task_size"])
            if name == "time"
            else runs[column].astype(float)
        )
        frame[name] = values.where(~frame["ended"])
    frame["error"] = (100.0 * (1.0 - runs["test_accuracy"].astype(float))).where(~frame["ended"])
    frame["task_size"] = frame["task_size"].astype(float)
    groups = frame.groupby(["method", *SETTING, "task_size"], sort=True, dropna=False)
    ends = {"": "mean", "_low": "min", "_high": "max"}
    values = {
        f"{name}{end}": (name, how) for name in (*QUANTITIES, "error") for end, how in ends.items()
    }
    table = groups.agg(ended=("ended", "any"), n=("ended", "size"), **values).reset_index()
    table["ended"] = table.groupby(["method", *SETTING], dropna=False)["ended"].cummax()
    table.loc[table["ended"], list(values)] = np.nan
    return table


def slopes(table: pd.DataFrame, method: str, quantity: str, from_size: float) -> pd.Series:
    """Return, for each setting, the least-squares slope of log(quantity) against log(size) in a
    result of `curves`. Only sizes of at least `from_size` are used. A setting with fewer than two
    such sizes is left out.
    """
    table = table[
        (table["method"] == method) & (table["task_size"] >= from_size) & (table[quantity] > 0)
    ]
    groups = {
        setting: group
        for setting, group in table.groupby(list(SETTING), dropna=False)
        if len(group) > 1
    }
    return pd.Series(
        {
            key: np.polyfit(np.log(group["task_size"]), np.log(group[quantity]), 1)[0]
            for key, group in groups.items()
        },
        dtype=float,
    )


def error_differences(table: pd.DataFrame, method: str, others: Sequence[str]) -> pd.DataFrame:
    """Return a table with a row for each setting and size of a result of `curves`. It has the
    error of a method minus the lowest error of the methods in `others`, in percentage points.
    """
    table = table.dropna(subset=["error"])
    keys = [*SETTING, "task_size"]
    best = (
        table[table["method"].isin(list(others))]
        .groupby(keys, dropna=False)["error"]
        .min()
        .rename("best")
    )
    both = table[table["method"] == method][[*keys, "error"]].merge(best.reset_index(), on=keys)
    return both.assign(difference=both["error"] - both["best"])


def at_size(table: pd.DataFrame, method: str, size: int) -> pd.DataFrame:
    """Return the rows for a method and size in a result of `curves`.

    A setting is omitted if a run with this size or a smaller one ended at a limit.
    """
    return table[
        (table["method"] == method) & (table["task_size"] == size) & ~table["ended"]
    ].reset_index(drop=True)
