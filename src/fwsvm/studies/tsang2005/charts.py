"""Time, model size and error against the number of training points: a row of panels each, a column per C."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatterMathtext, LogLocator, NullLocator

from fwsvm.reporting.axes import (
    MAJORITY,
    by_rows,
    draw_bounds,
    draw_method,
    logarithmic,
    majority_handle,
    method_handle,
)
from fwsvm.reporting.style import ACCENT, MUTED, TEXT_WIDTH, MethodStyle, figure_style, method_styles
from fwsvm.runs.stop_reasons import ENDED_REASONS
from fwsvm.studies.tsang2005.scaling import NOT_RECORDED, SETTING, curves

ROWS = {"time": "CPU time (s)", "support_vectors": "support vectors", "error": "test error (%)"}
"""Quantity -> label of its row of panels; the row of sizes has the core-set of CVM too."""

SHARE = "support vectors (% of m)"
"""Label of the row of sizes where these are shares of the training points."""

_CORE_SET = {"linewidth": 4.5, "color": MUTED, "alpha": 0.3, "solid_capstyle": "butt"}
_OPEN = {"linestyle": "none", "color": MUTED, "markerfacecolor": "white", "markersize": 3.6}
_THIN = {"lines.markersize": 3.2, "lines.linewidth": 0.8}
_BOLD = {"lines.markersize": 4.6, "lines.linewidth": 1.8}
"""CVM's line, which the others are compared with."""

_APART = 1 / 34
"""Distance of two methods' bounds at one size, as a share of the axis."""

_CLOSE = 1.5
"""Ratio of a finished time to a bound at the same size from which on their marks do not overlap."""


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
    numbers: pd.DataFrame,
    limits: Mapping[str, float],
    names: Mapping[float, str] | None = None,
    printed: tuple | None = None,
    majority: pd.Series | None = None,
) -> Figure:
    """Draw the panels of one kernel width.

    Parameters
    ----------
    numbers : DataFrame
        Of `series_numbers`, of one width.
    limits : mapping
        Method -> CPU seconds after which its runs were ended, where some were.
    names : mapping, optional
        Size -> name to write on the axis, where every size is a data set; sizes of models are shares of it then.
    printed : (C, size, seconds), optional
        A printed upper bound of CVM's time, and the panel to draw it in.
    majority : Series, optional
        Test error of the constant answer in per cent, by size.
    """
    styles = method_styles(numbers["method"].dropna().unique())
    penalties = sorted(numbers["C"].dropna().unique())
    if names:
        sizes = [f"{name}{end}" for name in ("support_vectors", "coreset") for end in ("", "_low", "_high")]
        numbers = numbers.assign(**{name: 100 * numbers[name] / numbers["task_size"] for name in sizes})
    apart = (numbers["task_size"].max() / numbers["task_size"].min()) ** _APART
    with figure_style():
        figure = Figure(figsize=(TEXT_WIDTH, 0.75 + 1.55 * len(ROWS)), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
        panels = figure.subplots(len(ROWS), len(penalties), sharex=True, sharey="row", squeeze=False)
        for line, quantity in zip(panels, ROWS, strict=True):
            for axes, C in zip(line, penalties, strict=True):
                axes.margins(y=0.14)
                _draw_panel(axes, numbers[numbers["C"] == C], quantity, styles, apart)
                if quantity == "time":
                    _draw_limits(axes, limits, named=penalties[0] == C)
                if quantity == "time" and printed and printed[0] == C:
                    _draw_printed(axes, *printed[1:])
                if quantity == "error" and majority is not None:
                    axes.plot(majority.index, majority, **MAJORITY)
            if names and quantity == "support_vectors":
                line[0].set_ylabel(SHARE)
                line[0].set_ylim(bottom=0)
            else:
                line[0].set_ylabel(ROWS[quantity])
                logarithmic(line[0])
        for axes, C in zip(panels[0], penalties, strict=True):
            axes.set_title(f"C = {C:g}")
        for axes in panels[-1]:
            axes.set_xscale("log")
            _size_axis(axes, numbers["task_size"], names)
        figure.align_ylabels(panels[:, 0])
        figure.supxlabel("training set, placed by its number of points" if names else "training points", fontsize=8)
        handles = []
        for method, style in styles.items():
            with mpl.rc_context(_look(method)):
                handles.append(method_handle(style))
            if method in limits:
                handles[-1].set_label(f"{style.label} ≤ {limits[method]:g} s")
        if numbers["coreset"].notna().any():
            handles.append(Line2D([], [], label="core-set of CVM", **_CORE_SET))
        entries = [(handle, handle.get_label()) for handle in handles]
        ended = [styles[name] for name in styles if numbers.loc[numbers["method"] == name, "ended"].any()]
        if ended:
            marks = tuple(Line2D([], [], marker=style.marker, **_OPEN) for style in ended[:3])
            entries.append((marks, "stopped (≥, shifted)"))
        entries += [(majority_handle(), "majority class")] if majority is not None else []
        handles, labels = zip(*by_rows(entries, 5), strict=True)
        look = {"columnspacing": 1.0, "handlelength": 1.6, "handler_map": {tuple: HandlerTuple(ndivide=None, pad=0.2)}}
        figure.legend(handles, labels, loc="outside upper center", ncols=5, **look)
    return figure


def width_label(rule: str) -> str:
    """Write a width rule of the runs table as a formula: ``2/beta`` becomes ``γ = 2/β``."""
    if rule == NOT_RECORDED:
        return f"γ {NOT_RECORDED}"
    return "γ = " + rule.replace("beta", "β")


def _look(method: str) -> dict:
    return _BOLD if method == "cvm" else _THIN


def _draw_printed(axes: Axes, size: float, seconds: float) -> None:
    """Draw a printed upper bound of CVM's time: a dash, an arrow down from it, and its words."""
    axes.plot(size, seconds, marker="_", markersize=9, markeredgewidth=1.4, color=ACCENT, zorder=6)
    draw_bounds(axes, [size], [seconds], ACCENT, "upper")
    axes.annotate(f"printed: under {seconds:g} s", (size, seconds), xytext=(5, -28), textcoords="offset points",
                  fontsize=6.5, color=ACCENT, ha="right")  # fmt: skip


def _draw_panel(
    axes: Axes, numbers: pd.DataFrame, quantity: str, styles: Mapping[str, MethodStyle], apart: float
) -> None:
    """Draw one quantity at one C: thin lines on CVM's bold one; bounds of time at one size stand side by side."""
    places = _places(numbers, styles, apart) if quantity == "time" else {}
    for method, style in styles.items():
        rows = numbers[numbers["method"] == method].sort_values("task_size")
        renamed = {quantity: "value", f"{quantity}_low": "low", f"{quantity}_high": "high"}
        drawn = rows[["task_size", *renamed]].rename(columns=renamed).assign(at_limit=False)
        with mpl.rc_context(_look(method)):
            draw_method(axes, drawn["task_size"].to_numpy(), drawn, style)
            if quantity == "support_vectors" and rows["coreset"].notna().any():
                axes.plot(rows["task_size"], rows["coreset"], zorder=1, **_CORE_SET)
            if method in places:
                _draw_end(axes, rows, style, places[method])


def _places(numbers: pd.DataFrame, styles: Mapping[str, MethodStyle], apart: float) -> dict[str, float]:
    """Where to draw the bound of each method that ended: side by side, right of a time that would lie under it."""
    ended = numbers[numbers["ended"]].sort_values("task_size").groupby("method").first()
    places = {}
    for size, tied in ended.groupby("task_size"):
        names = [name for name in styles if name in tied.index]
        times = numbers.loc[numbers["task_size"] == size, "time"].dropna()
        crowded = any(times.between(limit / _CLOSE, limit * _CLOSE).any() for limit in tied["limit"])
        start = 1 if crowded else -(len(names) - 1) / 2
        places |= {name: size * apart ** (start + place) for place, name in enumerate(names)}
    return places


def _draw_limits(axes: Axes, limits: Mapping[str, float], named: bool) -> None:
    """Draw a line at each limit of time, with its seconds if `named`."""
    for seconds in sorted(set(limits.values())):
        axes.axhline(seconds, color=MUTED, linewidth=0.6, zorder=1)
        if named:
            axes.annotate(f"limit {seconds:g} s", (0, seconds), xycoords=axes.get_yaxis_transform(), xytext=(2, 1.5),
                          textcoords="offset points", fontsize=6, color=MUTED)  # fmt: skip


def _draw_end(axes: Axes, rows: pd.DataFrame, style: MethodStyle, x: float) -> None:
    """Draw the bound at which a method's times end, at `x`, dotted from its last time."""
    ended, done = rows[rows["ended"]].head(1), rows[~rows["ended"]]
    x, y = [x], ended["limit"].to_numpy()
    axes.plot([*done["task_size"].tail(1), *x], [*done["time"].tail(1), *y], color=style.color, linestyle=":")
    axes.plot(x, y, zorder=4, marker=style.marker, color=style.color, markerfacecolor="white", linestyle="none")
    draw_bounds(axes, x, y, style.color)


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
