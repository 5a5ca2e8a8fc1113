"""One builder for figures of several panels: a figure is a frame and a few lines.

The frame has a row per mark. Its columns say in which panel a mark stands, where, and of which method it is::

    with figure_style():
        panels = facets(
            numbers, "C", "value", row="quantity", col="dataset", error=("low", "high"), limited="at_limit", xlabel="C",
            logx=2, logy=("time",), labels={"accuracy": "test accuracy (%)", "time": "training time (CPU s)"},
        )
        for (quantity, dataset), axes in panels.items():
            ...  # what only this figure has
        figure = panels.finish()
    return Chart(figure, numbers, notes=missing_sets(datasets, numbers["dataset"]))

An x of text stands for categories: the methods are drawn side by side above each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.textpath import TextPath
from pandas.api.types import is_numeric_dtype

from fwsvm.reporting.axes import (
    MAJORITY,
    PRINTED,
    by_rows,
    draw_bounds,
    draw_method,
    limit_handle,
    logarithmic,
    logarithmic_x,
    majority_handle,
    method_handle,
    powers_of_two,
    say_nothing_run,
)
from fwsvm.reporting.style import GRID, MUTED, TEXT_WIDTH, MethodStyle, method_styles

PRINTED_DASH = {"marker": "_", "linestyle": "none", "markersize": 7.5, "markeredgewidth": 1.6, "alpha": 0.65}
_LEGEND_HEIGHT, _LINE_HEIGHT = 0.5, 0.17  # inches


@dataclass
class Panels:
    """Panels by the values of row and column, and the entries of the legend, to which a figure adds its own."""

    figure: Figure
    axes: dict[tuple, Axes]
    handles: list[Line2D] = field(default_factory=list)

    def items(self) -> Iterator[tuple[tuple, Axes]]:
        """Pairs of (row, column) and panel."""
        return iter(self.axes.items())

    def finish(self, *more: Line2D, columns: int | None = None, title: str | None = None) -> Figure:
        """Write the legend above the panels, in as few lines as fit, and return the figure."""
        handles = [*self.handles, *more]
        columns = columns or legend_columns([handle.get_label() for handle in handles], self.figure.get_figwidth())
        lines = -(-len(handles) // columns) - 1
        self.figure.set_figheight(self.figure.get_figheight() + _LINE_HEIGHT * lines)
        self.figure.align_ylabels(list(self.axes.values()))
        look = {"ncols": columns, "title": title, "title_fontsize": 8}
        self.figure.legend(handles=by_rows(handles, columns), loc="outside upper center", **look)
        return self.figure


def facets(
    frame: pd.DataFrame,
    x: str,
    y: str,
    *,
    row: str | None = None,
    col: str | None = None,
    hue: str = "method",
    styles: Mapping[str, MethodStyle] | None = None,
    error: tuple[str, str] | None = None,
    limited: str | None = None,
    bound: str | None = None,
    printed: str | None = None,
    reference: str | None = None,
    joined: bool = True,
    logx: int = 0,
    logy: bool | Collection = (),
    share: Callable[[Hashable, Hashable], Hashable] = lambda row, col: row,
    labels: Mapping | None = None,
    titles: Mapping | None = None,
    xlabel: str = "",
    size: tuple[float, float] = (TEXT_WIDTH, 1.6),
    widths: Sequence[float] | None = None,
    wrap: int | None = None,
) -> Panels:
    """Draw a grid of panels; call it, and whatever is added to the panels, inside `figure_style`.

    Parameters
    ----------
    x, y : str
        Columns of the places; rows without y are left out.
    row, col, hue : str, optional
        Columns that choose the panel and the style, in the order of the frame, or of the categories of a
        `pandas.Categorical`.
    styles : mapping, optional
        Style of each value of `hue`; default: `method_styles`.
    error : (str, str), optional
        Columns with the lower and the upper end of the bars.
    limited, bound : str, optional
        Columns: whether a run ended at a limit (open mark), and whether its value is a "lower" or "upper" bound of the
        true one (arrow), or neither ("").
    printed : str, optional
        Column of the papers' numbers: pale, dashed lines, or dashes next to the marks of categories.
    reference : str, optional
        Column with one value in a panel, that of the constant answer: a dotted line.
    joined : bool
        Whether lines join the marks of a method.
    logx : {0, 2, 10}
        Base of a logarithmic x axis; 0: linear.
    logy : bool or collection
        Whether the y axes are logarithmic, or the values of `row` whose y axis is.
    share : callable
        Panels with the same result of ``share(row, col)`` have one y axis. Default: the panels of a row.
    labels, titles : mapping, optional
        Value of `row` to the label of its y axis, and of `col` to a title; default: the value itself.
    size : (float, float)
        Width of the figure and height of a row of panels, in inches.
    widths : sequence of float, optional
        Relative widths of the columns.
    wrap : int, optional
        Without `row`: panels in a line before the next line begins.
    """
    styles = method_styles(frame[hue].dropna().unique()) if styles is None else styles
    rows, cols = (values_of(frame[name]) if name else [""] for name in (row, col))
    keys = [(one, other) for one in rows for other in cols]
    across = min(wrap or len(cols), len(cols))
    lines = -(-len(keys) // across)
    figure = Figure(figsize=(size[0], _LEGEND_HEIGHT + size[1] * lines), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02, hspace=0.02)
    grid = figure.subplots(lines, across, squeeze=False, width_ratios=widths)
    for axes in grid.flat[len(keys) :]:
        axes.set_axis_off()
    panels = Panels(figure, dict(zip(keys, grid.flat, strict=False)))
    leaders: dict[Hashable, Axes] = {}
    for place, ((one, other), axes) in enumerate(panels.items()):
        leader = leaders.setdefault(share(one, other), axes)
        if leader is not axes:
            axes.sharey(leader)
            axes.tick_params(labelleft=place % across == 0)
        if row and place >= across:
            axes.sharex(grid.flat[place - across])
        if row and place < len(keys) - across:
            axes.tick_params(labelbottom=False)
        shown = frame
        for name, value in ((row, one), (col, other)):
            shown = shown if name is None else shown[shown[name] == value]
        named = shown.rename(columns={y: "value", limited: "at_limit"} if limited else {y: "value"})
        if error:
            named = named.assign(low=named[error[0]], high=named[error[1]])
        if not limited:
            named = named.assign(at_limit=False)
        _draw_panel(axes, named, x, hue, styles, joined, bound, printed)
        if reference and shown[reference].notna().any():
            axes.axhline(shown[reference].dropna().iloc[0], zorder=1, **MAJORITY)
        if logx == 2:
            powers_of_two(axes, frame[x])
        elif logx:
            logarithmic_x(axes)
        if place % across == 0 and row:
            axes.set_ylabel((labels or {}).get(one, one))
        if col and (place < across or wrap):
            axes.set_title((titles or {}).get(other, other))
        if place >= len(keys) - across:
            axes.set_xlabel(xlabel)
    for (one, _), axes in panels.items():
        if axes in leaders.values() and (logy is True or (logy and one in logy)):
            logarithmic(axes)
    panels.handles = _handles(frame, y, hue, styles, joined, limited, bound, printed, reference)
    return panels


def _draw_panel(axes, shown, x, hue, styles, joined, bound, printed) -> None:
    """The marks of all methods in one panel."""
    names = [name for name in styles if (shown[hue] == name).any()]
    categories = None if is_numeric_dtype(shown[x]) else values_of(shown[x])
    everywhere = shown[x].to_numpy(dtype=float) if categories is None else dodged(shown, x, hue, styles)
    for name in names:
        mine = (shown[hue] == name).to_numpy()
        own, style, places = shown[mine], styles[name], everywhere[mine]
        if printed and categories is not None:
            aside = np.where(own["at_limit"], 0.6 * _step(names), 0)  # off the arrow
            axes.plot(places + aside, own[printed], color=style.color, zorder=2, **PRINTED_DASH)
        elif printed:
            axes.plot(places, own[printed], color=style.color, marker=style.marker, zorder=2, **PRINTED)
        draw_method(axes, places, own, style, joined and categories is None)
        for kind in ("lower", "upper") if bound else ():
            chosen = (own[bound] == kind).to_numpy()
            draw_bounds(axes, places[chosen], own["value"][chosen], style.color, kind)
    if categories is not None:
        axes.set_xlim(-0.5, len(categories) - 0.5)
        axes.set_xticks(range(len(categories)), categories)
        axes.grid(visible=False, axis="x")
        for left, _ in pairwise(range(len(categories))):
            axes.axvline(left + 0.5, color=GRID, linewidth=0.5, zorder=0)
    if shown[["value", *([printed] if printed else [])]].isna().all(axis=None):
        say_nothing_run(axes)


def dodged(shown: pd.DataFrame, x: str, hue: str, styles: Mapping) -> np.ndarray:
    """Place of each row of a panel on an axis of categories, where the methods stand side by side."""
    names = [name for name in styles if (shown[hue] == name).any()]
    category = shown[x].map({value: place for place, value in enumerate(values_of(shown[x]))}).to_numpy(dtype=float)
    return category + _step(names) * (shown[hue].map(names.index).to_numpy(dtype=float) - (len(names) - 1) / 2)


def _step(names: Sequence[str]) -> float:
    """Distance between two methods above one category."""
    return min(0.2, 0.76 / max(len(names), 1))


def values_of(column: pd.Series) -> list:
    """The values of a column in their order: that of its categories, or of appearance."""
    found = list(dict.fromkeys(column))
    return (
        sorted(found, key=list(column.cat.categories).index) if isinstance(column.dtype, pd.CategoricalDtype) else found
    )


def _handles(frame, y, hue, styles, joined, limited, bound, printed, reference) -> list[Line2D]:
    """The entries of the legend: what is drawn, and nothing else."""
    shown = [style for name, style in styles.items() if (frame[hue] == name).any()]
    lines = joined is True
    handles = [method_handle(style, lines) for style in shown]
    if printed and frame[printed].notna().any():
        handles.append(Line2D([], [], label="printed", color=MUTED, **(PRINTED if lines else PRINTED_DASH)))
    if limited and frame[limited].astype(bool).any():
        kinds = set(frame.loc[frame[limited].astype(bool), bound]) if bound else {""}
        handles.append(limit_handle("both" if len(kinds) > 1 else kinds.pop() or None))
    if reference and frame[reference].notna().any():
        handles.append(majority_handle())
    return handles


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Most columns of a legend that fit into a figure of that width (inches), inside `figure_style`."""
    size, parts = rcParams["legend.fontsize"], ("handlelength", "handletextpad", "columnspacing")
    around = size * sum(rcParams[f"legend.{part}"] for part in parts)
    wide = [around + TextPath((0, 0), label, size=size).get_extents().width for label in labels]
    for rows in range(1, len(labels) + 1):
        columns = -(-len(labels) // rows)
        if sum(max(wide[place::columns]) for place in range(columns)) - size < 72 * width:
            return columns
    return 1
