"""Time, model size and error against the training set size: rows of panels per quantity, a column per C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from fwsvm.reporting.axes import by_rows, draw_method, logarithmic, method_handle
from fwsvm.reporting.style import COLUMN_WIDTH, MUTED, TEXT_WIDTH, MethodStyle, figure_style, method_styles
from fwsvm.studies.tsang2005.scaling import NOT_RECORDED, curves

ROWS = {"time": "CPU time (s)", "size": "support vectors", "error": "test error (%)"}
"""Quantity -> label of its row of panels; the row of sizes has the core-set of CVM too."""

_COLUMNS = {"time": "time", "size": "support_vectors", "error": "error"}
_LOGARITHMIC = ("time", "size")
_CORE_SET = {"linestyle": (0, (1, 1.2)), "linewidth": 2.4, "color": MUTED, "alpha": 0.8}
_END = {"marker": "x", "markersize": 7, "markeredgewidth": 1.4, "linestyle": "none"}
_UNCLIPPED = {"clip_on": False, "in_layout": False}
_SMALL = {"lines.markersize": 3.4, "lines.linewidth": 1.0}
_SHARE_OF_AXIS = 0.06


def series_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws.

    Parameters
    ----------
    runs : DataFrame
        Of `fwsvm.studies.tsang2005.scaling.series_runs`.

    Returns
    -------
    DataFrame
        `fwsvm.studies.tsang2005.scaling.curves`, with ``is_end``: the last size that a method, at a setting, ran to its
        end before it exceeded its allowance (where it ran to no end at all, the size at which it exceeded it).
    """
    numbers = curves(runs)
    numbers["is_end"] = False
    for _, rows in numbers.groupby(["method", "gamma_rule", "C"]):
        if rows["ended"].iloc[-1]:
            done = rows[~rows["ended"]]
            numbers.loc[done.index[-1] if len(done) else rows.index[0], "is_end"] = True
    return numbers


def series_figure(numbers: pd.DataFrame, has_names: Mapping[float, str] | None = None) -> Figure:
    """Draw a block of panels per kernel width.

    Parameters
    ----------
    numbers : DataFrame
        Of `series_numbers`.
    has_names : mapping, optional
        Size -> name to write on the axis, where every size is a data set.

    Returns
    -------
    Figure
    """
    widths = sorted(numbers["gamma_rule"].dropna().unique())
    styles = method_styles(numbers["method"].dropna().unique())
    penalties = sorted(numbers["C"].dropna().unique())
    figure_width = {1: COLUMN_WIDTH, 2: 5.2}.get(len(penalties), TEXT_WIDTH)
    with figure_style(), mpl.rc_context(_SMALL):
        columns = min(len(styles) + 2, 4 if figure_width > COLUMN_WIDTH else 2)
        legend = 0.2 * int(np.ceil((len(styles) + 2) / columns))
        figure = Figure(figsize=(figure_width, 3.85 * len(widths) + legend + 0.1), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
        blocks = figure.subfigures(len(widths), 1, squeeze=False).ravel()
        for block, rule in zip(blocks, widths, strict=True):
            rows = numbers[numbers["gamma_rule"] == rule]
            if len(widths) > 1:
                block.suptitle(width_words(rule), fontsize=8.5, weight="bold")
            _draw_block(block, rows, penalties, styles, has_names)
        handles = [method_handle(style) for style in styles.values()]
        if numbers["coreset"].notna().any():
            handles.append(Line2D([], [], label="core-set of CVM", **_CORE_SET))
        if numbers["is_end"].any():
            handles.append(Line2D([], [], color=MUTED, label="ended: time or memory allowance", **_END))
        figure.legend(handles=by_rows(handles, columns), loc="outside upper center", ncols=columns)
    return figure


def width_words(rule: str) -> str:
    """Write a width rule of the runs table as a formula: ``2/beta`` becomes ``γ = 2 / β``."""
    if rule == NOT_RECORDED:
        return f"γ {NOT_RECORDED}"
    return "γ = " + rule.replace("/", " / ").replace("beta", "β")


def _draw_block(
    block: SubFigure,
    numbers: pd.DataFrame,
    penalties: Sequence[float],
    styles: Mapping[str, MethodStyle],
    names: Mapping[float, str] | None,
) -> None:
    panels = block.subplots(len(ROWS), len(penalties), sharex=True, sharey="row", squeeze=False)
    for row, quantity in enumerate(ROWS):
        for column, C in enumerate(penalties):
            axes = panels[row, column]
            axes.margins(y=0.14)
            _draw_panel(axes, numbers[numbers["C"] == C], quantity, styles)
            if row == 0:
                axes.set_title(f"C = {C:g}")
        panels[row, 0].set_ylabel(ROWS[quantity])
        if quantity in _LOGARITHMIC:
            logarithmic(panels[row, 0])
        else:
            panels[row, 0].set_ylim(bottom=0)
    for axes in panels[-1]:
        axes.set_xscale("log")
        _size_axis(axes, numbers["task_size"], names)
    block.align_ylabels(panels[:, 0])
    block.supxlabel("training points m", fontsize=8)


def _draw_panel(axes: Axes, numbers: pd.DataFrame, quantity: str, styles: Mapping[str, MethodStyle]) -> None:
    column = _COLUMNS[quantity]
    for method, style in styles.items():
        rows = numbers[numbers["method"] == method].sort_values("task_size")
        renamed = {column: "value", f"{column}_low": "low", f"{column}_high": "high"}
        drawn = rows[["task_size", *renamed]].rename(columns=renamed).assign(at_limit=False)
        draw_method(axes, drawn["task_size"].to_numpy(), drawn, style)
        if quantity == "size" and rows["coreset"].notna().any():
            axes.plot(rows["task_size"], rows["coreset"], zorder=2, **_CORE_SET)
        end = rows[rows["is_end"] & rows[column].notna()]
        axes.plot(end["task_size"], end[column], color=style.color, zorder=5, **_END, **_UNCLIPPED)
        nothing = rows[rows["is_end"] & rows["ended"]]
        if len(nothing) and quantity == "time":  # a series without a single run: at the lower edge
            place = axes.get_xaxis_transform()
            axes.plot(
                nothing["task_size"],
                [_SHARE_OF_AXIS] * len(nothing),
                color=style.color,
                transform=place,
                **_END,
                **_UNCLIPPED,
            )


def _size_axis(axes: Axes, sizes: pd.Series, names: Mapping[float, str] | None) -> None:
    low, high = sizes.min(), sizes.max()
    axes.set_xlim(low / 1.35, high * 1.35)
    if names:
        axes.set_xticks(list(names), list(names.values()), rotation=90, fontsize=6.5)
    elif high / low < 10:
        shown = sorted(set(sizes.astype(int)))
        axes.set_xticks(shown, [f"{size:,}" for size in shown])
    else:
        axes.xaxis.set_major_locator(LogLocator(numticks=10))
    axes.xaxis.set_minor_locator(NullLocator())
