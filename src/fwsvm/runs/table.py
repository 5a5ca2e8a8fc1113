"""Runs read and written, summed up over their repetitions, and laid out data sets by methods."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from fwsvm.runs.records import (
    RUN_COLUMNS,
    SETTING_COLUMNS,
    collect,
    conform,
    empty_runs,
    ordered,
    read_runs,
    write_runs,
)

__all__ = [
    "CERTIFIED",
    "CVM_SELECTION",
    "LIMIT_REASONS",
    "MEASURES",
    "RUN_COLUMNS",
    "SELECTIONS",
    "SETTING_COLUMNS",
    "STATISTICS",
    "STOP_REASONS",
    "collect",
    "conform",
    "empty_runs",
    "of_method",
    "ordered",
    "read_runs",
    "selections_of",
    "summarise",
    "wide",
    "write_runs",
]

SELECTIONS = ("sampled_text", "sampled_libcvm", "full")
"""Vertex selections in the fixed order in which tables and figures show them."""

CVM_SELECTION = "sampled_libcvm"
"""CVM always runs as LibCVM runs it; these runs stand in the CVM column of every selection."""

CERTIFIED = "cvm_certified"
"""Stands for CVM under full selection, shown beside the CVM of `CVM_SELECTION`."""

MEASURES = ("test_accuracy", "train_cpu_s", "support_vectors", "relative_gap", "iterations")
STATISTICS = ("mean", "std", "median", "min", "max", "n")
STOP_REASONS = ("converged", "no_violation_in_samples", "time_limit", "iteration_limit")
LIMIT_REASONS = ("time_limit", "iteration_limit")
KEYS = ("experiment", "selection", "dataset", "method")


def summarise(runs: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Sum up the repetitions of each run.

    Parameters
    ----------
    runs : DataFrame
        A runs table (``RUN_COLUMNS``).
    by : sequence of str
        Further setting columns that tell runs apart, such as ``("C",)`` for a path over C.

    Returns
    -------
    DataFrame
        One row per experiment, selection, data set, method (and `by`): ``repetitions``; for each of
        `MEASURES` the columns ``<measure>_mean``, ``_std`` (n - 1 in the denominator; 0 for one
        repetition, as the papers print it), ``_median``, ``_min``, ``_max`` and ``_n`` (values that are
        not missing); the number of runs per stop reason as ``stop_<reason>``; ``at_limit``, the runs
        ended by a time or iteration limit; ``disturbed``, the runs timed on a busy machine. The accuracy
        is in per cent here; in the runs table it is a fraction.
    """
    runs = conform(runs)
    keys = [*KEYS, *by]
    values = pd.DataFrame({measure: runs[measure].astype(float) for measure in MEASURES})
    values["test_accuracy"] *= 100
    for reason in STOP_REASONS:
        values[f"stop_{reason}"] = (runs["stop_reason"] == reason).fillna(False).astype(int)
    values["at_limit"] = sum(values[f"stop_{reason}"] for reason in LIMIT_REASONS)
    values["disturbed"] = runs["disturbed"].fillna(False).astype(int)
    groups = pd.concat([runs[keys], values], axis=1).groupby(keys, dropna=False, sort=False)

    columns = {"repetitions": groups.size()}
    for measure in MEASURES:
        described = groups[measure].agg(["mean", "std", "median", "min", "max", "count"])
        described.columns = list(STATISTICS)
        described["std"] = described["std"].where(described["n"] != 1, 0.0)
        columns |= {f"{measure}_{statistic}": described[statistic] for statistic in STATISTICS}
    counts = [f"stop_{reason}" for reason in STOP_REASONS] + ["at_limit", "disturbed"]
    columns |= {count: groups[count].sum() for count in counts}
    summary = pd.DataFrame(columns).reset_index()
    return _in_order(summary, keys)


def _in_order(summary: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    rank = {selection: place for place, selection in enumerate(ordered(summary["selection"].dropna(), SELECTIONS))}
    by = ["experiment", "_rank", *keys[2:]]
    summary = summary.assign(_rank=summary["selection"].map(rank))
    return summary.sort_values(by, kind="stable", ignore_index=True).drop(columns="_rank")


def of_method(summary: pd.DataFrame, selection: str, method: str) -> pd.DataFrame:
    """Return the rows that stand in the column of `method` under the heading of `selection`, by data set.

    CVM comes from `CVM_SELECTION` under every heading; `CERTIFIED` is CVM under full selection, which stands
    under the heading ``full`` only.
    """
    wanted = selection
    if method == "cvm":
        wanted = CVM_SELECTION
    elif method == CERTIFIED:
        method, wanted = "cvm", selection if selection == "full" else None
    rows = summary[(summary["method"] == method) & (summary["selection"] == wanted)]
    if rows["dataset"].duplicated().any():
        raise ValueError("summary: several rows for a data set, method and selection; keep one experiment")
    return rows.set_index("dataset")


def wide(
    summary: pd.DataFrame, measure: str, selection: str, methods: Sequence[str], statistic: str = "mean"
) -> pd.DataFrame:
    """Lay one measure out as data sets by methods, the shape that significance tests need.

    Parameters
    ----------
    summary : DataFrame
        Result of `summarise`, of one experiment.
    measure : str
        One of `MEASURES`.
    selection : str
        The heading; the column ``cvm`` holds the runs of `CVM_SELECTION` under every heading.
    methods : sequence of str
        The columns, in order; `CERTIFIED` is allowed. A method without runs gives an empty column.
    statistic : str
        One of `STATISTICS`.

    Returns
    -------
    DataFrame
        Indexed by data set (by name), one column per method; NaN where there is no run.
    """
    if measure not in MEASURES or statistic not in STATISTICS:
        raise ValueError(
            f"measure must be one of {', '.join(MEASURES)} and statistic one of {', '.join(STATISTICS)}; "
            f"got {measure!r} and {statistic!r}"
        )
    columns = {m: of_method(summary, selection, m)[f"{measure}_{statistic}"].astype(float) for m in methods}
    table = pd.DataFrame(columns, columns=list(methods), dtype=float).sort_index()
    table.index.name = "dataset"
    return table


def selections_of(runs: pd.DataFrame) -> list[str]:
    """Return the headings under which `runs` are shown, in the fixed order.

    CVM's own selection is no heading when nothing but CVM ran under it.
    """
    headings = ordered(runs["selection"].dropna(), SELECTIONS)
    others = set(runs.loc[(runs["method"] != "cvm").fillna(False), "selection"].dropna())
    if others and CVM_SELECTION not in others:
        headings = [selection for selection in headings if selection != CVM_SELECTION]
    return headings
