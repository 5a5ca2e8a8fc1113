"""One-class machines compared: how well they tell novel points, how large they are, how long they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from fwsvm.reporting.axes import by_rows, logarithmic, method_handle, plain_number
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.style import TEXT_WIDTH, figure_style, method_label, method_styles
from fwsvm.reporting.text import listing, significant

COLUMNS = {"auc": "area under the ROC curve", "share": "support vectors (% of m)", "time": "CPU time (s)"}
"""Quantity -> label of its panel."""

_KEYS = ["dataset", "method", "gamma_rule", "partition", "C", "repetition"]


def novelty_numbers(runs: pd.DataFrame, details: Sequence[Mapping]) -> pd.DataFrame:
    """Compute what the figure draws.

    Parameters
    ----------
    runs : DataFrame
        One-class rows of the runs table; `partition` is the inlier class.
    details : sequence of mapping
        The study's details of these jobs: ``dataset``, ``method`` and ``runs`` with ``nu`` and ``auc``.

    Returns
    -------
    DataFrame
        One row per run: ``dataset``, ``method``, ``gamma_rule``, ``partition``, ``nu``, ``repetition``, ``auc``,
        ``share`` (support vectors in per cent of m), ``time`` (CPU s), ``relative_gap``.
    """
    notes = pd.DataFrame(
        [{"dataset": job["dataset"], "method": job["method"], **run} for job in details for run in job["runs"]]
    )
    frame = runs[[*_KEYS, "task_size", "support_vectors", "train_cpu_s", "relative_gap"]].copy()
    frame["share"] = 100.0 * frame["support_vectors"].astype(float) / frame["task_size"].astype(float)
    frame["time"] = frame["train_cpu_s"]
    frame["partition"], frame["repetition"] = frame["partition"].astype(int), frame["repetition"].astype(int)
    joined = frame.merge(notes[[*_KEYS, "nu", "auc"]], on=_KEYS, how="left")
    joined["auc"] = joined["auc"].astype(float)
    columns = ["dataset", "method", "gamma_rule", "partition", "nu", "repetition", *COLUMNS, "relative_gap"]
    return joined[columns].sort_values(columns[:6], kind="stable", ignore_index=True)


def novelty_chart(runs: pd.DataFrame, details: Sequence[Mapping]) -> Chart:
    """Draw each quantity against nu, a row of panels per data set and kernel width.

    Parameters
    ----------
    runs, details
        As for `novelty_numbers`.
    """
    numbers = novelty_numbers(runs, details)
    classes = numbers.groupby("dataset")["partition"].nunique()
    sets = listing([f"{name} ({count} class{'es' if count > 1 else ''})" for name, count in classes.items()])
    caption = (
        f"{_takeaway(numbers)} Trained on one class of {sets}, tested on all test points, of which those of the other "
        "classes are novel; both machines have C = 1 / (ν m). Thick: mean over the classes; thin: each class."
    )
    return Chart(_draw(numbers), numbers, caption=caption)


def _takeaway(numbers: pd.DataFrame) -> str:
    """Compare the machines at their best nu each."""
    parts = []
    for method, rows in numbers.groupby("method", sort=False):
        means = rows.groupby("nu")[list(COLUMNS)].mean()
        if means["auc"].notna().any():
            row = means.loc[means["auc"].idxmax()]
            parts.append(
                f"{method_label(method)} reaches a mean area of {row['auc']:.3f} (ν = {row.name:g}) with "
                f"{significant(row['share'], 2)} % support vectors in {significant(row['time'], 2)} s"
            )
    return f"{', '.join(parts)}." if parts else ""


def _draw(numbers: pd.DataFrame) -> Figure:
    styles = method_styles(numbers["method"].unique())
    rows = list(numbers[["dataset", "gamma_rule"]].drop_duplicates().itertuples(index=False, name=None))
    with figure_style():
        figure = Figure(figsize=(TEXT_WIDTH, 0.35 + 1.9 * len(rows)), layout="constrained")
        panels = figure.subplots(len(rows), len(COLUMNS), sharex=True, squeeze=False)
        for (dataset, rule), line in zip(rows, panels, strict=True):
            chosen = numbers[(numbers["dataset"] == dataset) & (numbers["gamma_rule"] == rule)]
            for (quantity, label), axes in zip(COLUMNS.items(), line, strict=True):
                _draw_panel(axes, chosen, quantity, styles)
                axes.set_ylabel(label)
            if len(rows) > 1:
                line[0].set_title(f"{dataset}, {rule}", loc="left")
        for axes in panels[-1]:
            axes.set_xlabel("ν = 1 / (C m)")
        handles = [method_handle(style) for style in styles.values()]
        figure.legend(handles=by_rows(handles, len(handles)), loc="outside upper center", ncols=len(handles))
    return figure


def _draw_panel(axes, numbers: pd.DataFrame, quantity: str, styles: Mapping) -> None:
    for method, style in styles.items():
        rows = numbers[numbers["method"] == method]
        for _, of_class in rows.groupby("partition"):
            line = of_class.groupby("nu")[quantity].mean()
            axes.plot(line.index, line, color=style.color, linewidth=0.5, alpha=0.4)
        mean = rows.groupby("nu")[quantity].mean()
        axes.plot(mean.index, mean, color=style.color, marker=style.marker, linewidth=1.8)
    axes.set_xscale("log")
    ticks = np.array(sorted(numbers["nu"].unique()))
    axes.set_xticks(ticks, [plain_number(value) for value in ticks], rotation=45, fontsize=7)
    axes.minorticks_off()
    if quantity != "auc":
        logarithmic(axes)
