"""Time, model size, error and gap against the number of training points: a row of panels each, a column per C."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatterMathtext, LogLocator, NullLocator

from fwsvm.reporting.axes import (
    MAJORITY,
    by_rows,
    draw_bounds,
    draw_method,
    limit_handle,
    logarithmic,
    majority_handle,
    method_handle,
)
from fwsvm.reporting.style import MUTED, TEXT_WIDTH, MethodStyle, figure_style, method_styles
from fwsvm.runs.stop_reasons import ENDED_REASONS
from fwsvm.studies.tsang2005.scaling import NOT_RECORDED, SETTING, curves

ROWS = {
    "time": "CPU time (s)", "support_vectors": "support vectors", "error": "test error (%)",
    "relative_gap": "relative gap of CVM",
}  # fmt: skip
"""Quantity -> label of its row of panels; the row of sizes has the core-set of CVM too."""

_CORE_SET = {"linestyle": (0, (1, 1.2)), "linewidth": 2.4, "color": MUTED, "alpha": 0.8}
_PRINTED = {"linestyle": "none", "marker": "P", "markersize": 7, "color": MUTED, "markerfacecolor": "white"}
_SMALL = {"lines.markersize": 3.4, "lines.linewidth": 1.0}
_WIDE = {"linewidth": 3.2, "markersize": 6.5, "markerfacecolor": "none", "alpha": 0.6, "zorder": 1.5}
"""SimpleSVM solves the problem of LIBSVM (L1): its line must show on both sides of that one."""


def series_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws of `fwsvm.studies.tsang2005.scaling.series_runs`.

    Returns
    -------
    DataFrame
        `fwsvm.studies.tsang2005.scaling.curves`, with ``limit``, the CPU seconds after which a run ended at a limit of
        time or memory (NaN for the others), and ``relative_gap``, the mean of the certified ones.
    """
    keys = ["method", *SETTING, "task_size"]
    known = runs.assign(
        gamma_rule=runs["gamma_rule"].fillna(NOT_RECORDED),
        task_size=runs["task_size"].astype(float),
        limit=runs["train_cpu_s"].astype(float).where(runs["stop_reason"].isin(ENDED_REASONS)),
    )
    means = known.groupby(keys, dropna=False)[["limit", "relative_gap"]].mean().astype(float).reset_index()
    numbers = curves(runs).merge(means, on=keys, how="left")
    return numbers


def best_width(numbers: pd.DataFrame) -> str:
    """Return the kernel width (`gamma_rule`) at which CVM's errors are lowest: the one that is drawn."""
    rows = numbers[(numbers["method"] == "cvm") & numbers["error"].notna()]
    rows = rows if len(rows) else numbers
    return rows.groupby("gamma_rule")["error"].median().sort_values(kind="stable").index[0]


def series_figure(
    numbers: pd.DataFrame, names: Mapping[float, str] | None = None, printed: tuple | None = None, majority=None
) -> Figure:
    """Draw the panels of one kernel width.

    Parameters
    ----------
    numbers : DataFrame
        Of `series_numbers`, of one width.
    names : mapping, optional
        Size -> name to write on the axis, where every size is a data set.
    printed : (size, seconds), optional
        A printed time of CVM.
    majority : Series, optional
        Test error of the constant answer in per cent, by size.
    """
    styles = method_styles(numbers["method"].dropna().unique())
    penalties = sorted(numbers["C"].dropna().unique())
    rows = [name for name in ROWS if name != "relative_gap" or numbers[name].notna().any()]
    with figure_style(), mpl.rc_context(_SMALL):
        figure = Figure(figsize=(TEXT_WIDTH, 0.75 + 1.35 * len(rows)), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
        panels = figure.subplots(len(rows), len(penalties), sharex=True, sharey="row", squeeze=False)
        for line, quantity in zip(panels, rows, strict=True):
            for axes, C in zip(line, penalties, strict=True):
                axes.margins(y=0.14)
                _draw_panel(axes, numbers[numbers["C"] == C], quantity, styles)
                if quantity == "time" and printed:
                    axes.plot(*printed, zorder=6, **_PRINTED)
                if quantity == "error" and majority is not None:
                    axes.plot(majority.index, majority, **MAJORITY)
            line[0].set_ylabel(ROWS[quantity])
            logarithmic(line[0])
        for axes, C in zip(panels[0], penalties, strict=True):
            axes.set_title(f"C = {C:g}")
        for axes in panels[-1]:
            axes.set_xscale("log")
            _size_axis(axes, numbers["task_size"], names)
        figure.align_ylabels(panels[:, 0])
        figure.supxlabel("training set, placed by its number of points" if names else "training points", fontsize=8)
        handles = [method_handle(style) for style in styles.values()]
        for handle in handles:
            handle.set(**{k: _WIDE[k] for k in ("linewidth", "alpha")} if handle.get_label() == "SimpleSVM" else {})
        if numbers["coreset"].notna().any():
            handles.append(Line2D([], [], label="core-set of CVM", **_CORE_SET))
        handles += [limit_handle("lower")] if numbers["ended"].any() else []
        handles += [Line2D([], [], label=f"printed: under {printed[1]:g} s", **_PRINTED)] if printed else []
        handles += [majority_handle()] if majority is not None else []
        figure.legend(handles=by_rows(handles, 5), loc="outside upper center", ncols=5)
    return figure


def width_label(rule: str) -> str:
    """Write a width rule of the runs table as a formula: ``2/beta`` becomes ``γ = 2 / β``."""
    if rule == NOT_RECORDED:
        return f"γ {NOT_RECORDED}"
    return "γ = " + rule.replace("/", " / ").replace("beta", "β")


def _draw_panel(axes: Axes, numbers: pd.DataFrame, quantity: str, styles: Mapping[str, MethodStyle]) -> None:
    for method, style in styles.items():
        rows = numbers[numbers["method"] == method].sort_values("task_size")
        if quantity == "relative_gap":
            rows = rows[~rows["ended"]].assign(relative_gap_low=rows[quantity], relative_gap_high=rows[quantity])
        renamed = {quantity: "value", f"{quantity}_low": "low", f"{quantity}_high": "high"}
        drawn = rows[["task_size", *renamed]].rename(columns=renamed).assign(at_limit=False)
        sizes = drawn["task_size"].to_numpy()
        if method == "simple_svm":
            axes.plot(sizes, drawn["value"], color=style.color, marker=style.marker, **_WIDE)
        else:
            draw_method(axes, sizes, drawn, style)
        if quantity == "support_vectors" and rows["coreset"].notna().any():
            axes.plot(sizes, rows["coreset"], zorder=2, **_CORE_SET)
        if quantity == "time" and rows["ended"].any():
            ended, done = rows[rows["ended"]].head(1), rows[~rows["ended"]]
            last = pd.concat([done.tail(1).assign(limit=done["time"]), ended])
            axes.plot(last["task_size"], last["limit"], color=style.color, linestyle=":")
            look = {"marker": style.marker, "color": style.color, "markerfacecolor": "white", "linestyle": "none"}
            axes.plot(ended["task_size"], ended["limit"], zorder=4, **look)
            draw_bounds(axes, ended["task_size"].to_numpy(), ended["limit"].to_numpy(), style.color)


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
        axes.xaxis.set_major_formatter(LogFormatterMathtext())
    axes.xaxis.set_minor_locator(NullLocator())
