"""Figures of several panels that are built from a data frame. Each row of the frame is a mark, and
the columns of the frame say where the mark is drawn.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pandas.api.types import is_numeric_dtype

from fwsvm_papers.reporting import axes as drawing
from fwsvm_papers.reporting.style import GRID, MUTED, TEXT_WIDTH, MethodStyle, method_styles
from fwsvm_papers.runs.comparison import Bound

PRINTED_DASH = {
    "marker": "_",
    "linestyle": "none",
    "markersize": 7.5,
    "markeredgewidth": 1.6,
    "alpha": 0.65,
}
# the height of a legend with one line, and the height of each further line, in inches
_LEGEND_HEIGHT, _LINE_HEIGHT = 0.5, 0.17


@dataclass
class Panels:
    """A figure, the axes of its panels, and the entries of the legend.

    `axes` maps the pair (row value, column value) of each panel to its axes. If `facets` got no
    `row`, the row value is an empty string. The same holds for `col` and the column value.
    """

    figure: Figure
    axes: dict[tuple, Axes]
    handles: list[Line2D] = field(default_factory=list)

    def finish(self, *more: Line2D, title: str | None = None) -> Figure:
        handles = [*self.handles, *more]
        columns = drawing.add_legend(self.figure, handles, title=title, title_fontsize=8)
        lines = -(-len(handles) // columns) - 1
        self.figure.set_figheight(self.figure.get_figheight() + _LINE_HEIGHT * lines)
        self.figure.align_ylabels(list(self.axes.values()))
        return self.figure


def facets(
    frame: pd.DataFrame,
    x: str,
    y: str,
    *,
    row: str | None = None,
    col: str | None = None,
    styles: Mapping[str, MethodStyle] | None = None,
    limited: str | None = None,
    printed: str | None = None,
    reference: str | None = None,
    joined: bool = True,
    logx: int = 0,
    share: Callable[[str, str], Hashable] = lambda row, col: row,
    labels: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    xlabel: str = "",
    size: tuple[float, float] = (TEXT_WIDTH, 1.6),
    widths: Sequence[float] | None = None,
    wrap: int | None = None,
) -> Panels:
    """Draw a grid of panels, one for each pair of values of the columns `row` and `col`.

    Call this function inside `figure_style`.

    The columns `x` and `y` have the positions of the marks. If the column `x` has texts, each text
    is a category, and the methods are drawn side by side. The frame must have a column ``method``.
    The columns ``low`` and ``high`` (the ends of bars) and ``bound`` are optional. An arrow is
    drawn for a one-sided bound. `limited` names the column that says which marks are open.
    `printed` names the column with the papers' numbers. `reference` names the column with the
    height of a dotted line. If `joined` is true and `x` has numbers, lines join the marks of a
    method. `styles` maps the methods that are drawn to their styles (by default, all methods are
    drawn in the styles of `method_styles`).

    If `logx` is 0, the x axis is linear. If `logx` is 2, the x axis is logarithmic with powers of
    two. If `logx` is another number, the x axis is logarithmic with plain numbers. `share` is a
    function of the row value and column value of a panel. Panels for which it returns the same
    value have the same y axis.

    `labels` maps values of `row` to y labels, and `titles` maps values of `col` to titles. `size`
    is the width of the figure and the height of a row, in inches. `widths` has the relative widths
    of the columns of panels. If `row` is None, `wrap` is the number of panels in a row.
    """
    styles = method_styles(frame["method"].dropna().unique()) if styles is None else styles
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
    named = frame.rename(columns={y: "value"}).assign(at_limit=frame[limited] if limited else False)
    leaders: dict[Hashable, Axes] = {}
    for place, ((one, other), axes) in enumerate(panels.axes.items()):
        leader = leaders.setdefault(share(one, other), axes)
        if leader is not axes:
            axes.sharey(leader)
            axes.tick_params(labelleft=place % across == 0)
        if row and place >= across:
            axes.sharex(grid.flat[place - across])
        if row and place < len(keys) - across:
            axes.tick_params(labelbottom=False)
        shown = named
        for name, value in ((row, one), (col, other)):
            shown = shown if name is None else shown[shown[name] == value]
        _draw_panel(axes, shown, x, styles, joined, printed)
        if reference and shown[reference].notna().any():
            axes.axhline(shown[reference].dropna().iloc[0], zorder=1, **drawing.MAJORITY)
        if logx == 2:
            drawing.powers_of_two(axes, frame[x])
        elif logx:
            drawing.logarithmic_x(axes)
        if place % across == 0 and row:
            axes.set_ylabel((labels or {}).get(one, one))
        if col and (place < across or wrap):
            axes.set_title((titles or {}).get(other, other))
        if place >= len(keys) - across:
            axes.set_xlabel(xlabel)
    panels.handles = _handles(named, styles, joined, printed, reference)
    return panels


def _draw_panel(
    axes: Axes,
    shown: pd.DataFrame,
    x: str,
    styles: Mapping[str, MethodStyle],
    joined: bool,
    printed: str | None,
) -> None:
    names = [name for name in styles if (shown["method"] == name).any()]
    categories = None if is_numeric_dtype(shown[x]) else values_of(shown[x])
    everywhere = shown[x].to_numpy(dtype=float) if categories is None else dodged(shown, x, styles)
    for name in names:
        mine = (shown["method"] == name).to_numpy()
        own, style, places = shown[mine], styles[name], everywhere[mine]
        if printed:
            # draw the paper's number beside the arrow, so that the arrow does not hide it
            aside = np.where(own["at_limit"], 0.6 * _step(names), 0)
            axes.plot(places + aside, own[printed], color=style.color, zorder=2, **PRINTED_DASH)
        drawing.draw_method(axes, places, own, style, joined and categories is None)
        for kind in (Bound.AT_LEAST, Bound.AT_MOST) if "bound" in own else ():
            chosen = (own["bound"] == kind).to_numpy()
            drawing.draw_bounds(axes, places[chosen], own["value"][chosen], style.color, kind)
    if categories is not None:
        axes.set_xlim(-0.5, len(categories) - 0.5)
        axes.set_xticks(range(len(categories)), categories)
        axes.grid(visible=False, axis="x")
        for place in range(1, len(categories)):
            axes.axvline(place - 0.5, color=GRID, linewidth=0.5, zorder=0)


def dodged(shown: pd.DataFrame, x: str, styles: Mapping[str, MethodStyle]) -> np.ndarray:
    """Return the positions of the rows on a categorical axis. Within a category, the methods are
    side by side.
    """
    names = [name for name in styles if (shown["method"] == name).any()]
    category = (
        shown[x]
        .map({value: place for place, value in enumerate(values_of(shown[x]))})
        .to_numpy(dtype=float)
    )
    return category + _step(names) * (
        shown["method"].map(names.index).to_numpy(dtype=float) - (len(names) - 1) / 2
    )


def _step(names: Sequence[str]) -> float:
    return min(0.2, 0.76 / max(len(names), 1))


def values_of(column: pd.Series) -> list:
    """Return the distinct values of a column.

    The values are in the order of the column's categories. If the column has no categories, the
    values are in the order of their first appearance.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.cat.remove_unused_categories().cat.categories)
    return list(dict.fromkeys(column))


def _handles(
    frame: pd.DataFrame,
    styles: Mapping[str, MethodStyle],
    joined: bool,
    printed: str | None,
    reference: str | None,
) -> list[Line2D]:
    drawn = [style for name, style in styles.items() if (frame["method"] == name).any()]
    handles = [drawing.method_handle(style, joined) for style in drawn]
    if printed and frame[printed].notna().any():
        handles.append(Line2D([], [], label="printed", color=MUTED, **PRINTED_DASH))
    ended = frame[frame["at_limit"].astype(bool)]
    if len(ended):
        handles.append(drawing.limit_handle(ended.get("bound", ())))
    if reference and frame[reference].notna().any():
        handles.append(drawing.majority_handle())
    return handles
