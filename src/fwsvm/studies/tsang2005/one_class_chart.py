"""One-class machines side by side: how well they tell novel points, how large they are, how long they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from fwsvm.reporting.axes import by_rows, draw_method, logarithmic, method_handle, plain_number
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
    said = [f"{name} ({count} class{'es' if count > 1 else ''})" for name, count in classes.items()]
    repetitions = int(numbers["repetition"].max()) + 1
    caption = (
        f"One-class machines on {listing(said)}: trained on the training points of one class, tested on all test "
        "points, of which those of the other classes are novel. Both have C = 1 / (ν m), which for OneClassSVM is its "
        f"ν. Lines: mean over the inlier classes{' and repetitions' if repetitions > 1 else ''}; bars: range. "
        f"{novelty_words(numbers)} {repetitions} repetition{'s' if repetitions > 1 else ''} of each run."
    )
    return Chart(_draw(numbers), caption, numbers)


def novelty_words(numbers: pd.DataFrame) -> str:
    """Say how the machines compare, from the numbers: each at its best nu, time and size there, certificates."""
    parts, best = [], {}
    for method, rows in numbers.groupby("method", sort=False):
        means = rows.groupby("nu")[list(COLUMNS)].mean()
        if means["auc"].notna().any():
            best[method] = nu = means["auc"].idxmax()
            row = means.loc[nu]
            parts.append(
                f"{method_label(method)} reaches a mean area of {row['auc']:.3f} at ν = {nu:g}, with "
                f"{significant(row['share'], 2)} % support vectors in {significant(1000 * row['time'], 2)} ms"
            )
    said = f"At its best ν each: {'; '.join(parts)}." if parts else ""
    if len(best) == 2:
        first, second = (
            numbers[(numbers["method"] == method) & (numbers["nu"] == nu)]
            .groupby(["dataset", "partition"])["auc"]
            .mean()
            for method, nu in best.items()
        )
        names = [method_label(name) for name in best]
        difference = (first - second).dropna()
        said += (
            f" There {names[0]} has the larger area on {int((difference > 0).sum())} and {names[1]} on "
            f"{int((difference < 0).sum())} of {len(difference)} classes."
        )
    gaps = numbers["relative_gap"].dropna()
    return f"{said} Largest certified relative gap of ours: {significant(gaps.max(), 2)}." if len(gaps) else said


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
    for place, (method, style) in enumerate(styles.items()):
        groups = numbers[numbers["method"] == method].groupby("nu")[quantity]
        drawn = pd.DataFrame({"value": groups.mean(), "low": groups.min(), "high": groups.max(), "at_limit": False})
        shift = 1.04 ** (place - (len(styles) - 1) / 2)
        draw_method(axes, drawn.index.to_numpy(dtype=float) * shift, drawn, style)
    axes.set_xscale("log")
    ticks = np.array(sorted(numbers["nu"].unique()))
    axes.set_xticks(ticks, [plain_number(value) for value in ticks], rotation=45, fontsize=7)
    axes.minorticks_off()
    if quantity == "time":
        logarithmic(axes)
