"""Functions that draw parts of charts: logarithmic axes with plain numbers, markers with bars,
legends and triangles.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from fwsvm_papers.reporting.style import GRID, MUTED, MethodStyle
from fwsvm_papers.runs.comparison import Bound

MAJORITY = {"color": MUTED, "linestyle": (0, (1, 1.5)), "linewidth": 1.1}
"""Style of the dotted line at the accuracy of the majority prediction."""

RING = {
    "marker": "o",
    "markersize": 9,
    "markerfacecolor": "none",
    "color": "black",
    "markeredgewidth": 0.8,
    "linestyle": "none",
}
"""Style of the ring around a mark that the finding of a figure is about."""

UP = Path([(0, 0), (0, 1), (-0.13, 0.72), (0.13, 0.72), (0, 1)], [1, 2, 2, 2, 2])
_DOWN = Path(UP.vertices * (1, -1), UP.codes)
_ARROW = {"linestyle": "none", "markersize": 19, "markeredgewidth": 0.8}


def draw_method(
    axes: Axes, x: np.ndarray, rows: pd.DataFrame, style: MethodStyle, joined: bool = True
) -> None:
    """Draw a mark for each row, at the position in `x` and at the height in the column ``value``.
    Rows without this value are left out. If `rows` has the columns ``low`` and ``high``, draw a bar
    from ``low`` to ``high``.

    If the column ``at_limit`` is true in a row, which means that a run ended at its limit of time
    or steps, the mark is open. If `joined` is true, lines join the marks.
    """
    here = rows["value"].notna().to_numpy()
    if not here.any():
        return
    x, value = np.asarray(x, dtype=float)[here], rows["value"].to_numpy(dtype=float)[here]
    bars = (
        np.abs(rows[["low", "high"]].to_numpy(dtype=float)[here].T - value)
        if "low" in rows
        else None
    )
    axes.errorbar(
        x,
        value,
        yerr=bars,
        color=style.color,
        linestyle="-" if joined else "none",
        elinewidth=0.8,
        zorder=3,
    )
    limited = rows["at_limit"].to_numpy(dtype=bool)[here]
    look = {"marker": style.marker, "color": style.color, "linestyle": "none", "zorder": 4}
    for mask, face in ((~limited, style.color), (limited, "white")):
        axes.plot(x[mask], value[mask], markerfacecolor=face, **look)


def draw_bounds(
    axes: Axes, x: np.ndarray, y: np.ndarray, color: str, bound: Bound = Bound.AT_LEAST
) -> None:
    marker = UP if bound == Bound.AT_LEAST else _DOWN
    axes.plot(x, y, marker=marker, color=color, zorder=5, **_ARROW)


def method_handle(style: MethodStyle, joined: bool = True) -> Line2D:
    return Line2D(
        [],
        [],
        color=style.color,
        marker=style.marker,
        label=style.label,
        linestyle="-" if joined else "",
    )


def limit_handle(bounds: Iterable[Bound] = ()) -> Line2D:
    """Return the legend entry for runs that ended at a limit of time or steps.

    `bounds` has the `Bound` of each value to which the entry refers. If all values have the same
    sign, such as "≥", the entry shows this sign. If no value is a bound, the entry shows no sign.
    In any other case, the entry shows "(arrow)", because the arrow at a mark says which kind of
    bound the value is.
    """
    signs = {bound.sign for bound in map(Bound, bounds)}
    what = "(arrow)" if len(signs) > 1 else f"({min(signs)})" if signs - {""} else ""
    label = f"stopped at a limit {what}".rstrip()
    return Line2D(
        [], [], label=label, linestyle="none", marker="o", color=MUTED, markerfacecolor="white"
    )


def majority_handle() -> Line2D:
    return Line2D([], [], label="majority class", **MAJORITY)


def add_legend(
    figure: Figure, handles: Sequence[Artist], columns: int | None = None, **look: Any
) -> int:
    """Write a legend above the panels, row by row, and return the number of its columns."""
    columns = columns or _legend_columns(
        [handle.get_label() for handle in handles], figure.get_figwidth()
    )
    # matplotlib fills a legend column by column. In this order of the entries, the legend is read
    # row by row.
    in_rows = [handle for first in range(columns) for handle in handles[first::columns]]
    figure.legend(handles=in_rows, loc="outside upper center", ncols=columns, **look)
    return columns


def _legend_columns(labels: Sequence[str], width: float) -> int:
    """Return the number of columns of a legend that has as few rows as `width` (inches) allows.

    If even one column is too wide, return 1. Call this function inside `figure_style`.
    """
    size, parts = rcParams["legend.fontsize"], ("handlelength", "handletextpad", "columnspacing")
    around = size * sum(rcParams[f"legend.{part}"] for part in parts)
    wide = [around + TextPath((0, 0), label, size=size).get_extents().width for label in labels]
    for rows in range(1, len(labels) + 1):
        columns = -(-len(labels) // rows)
        if sum(max(wide[place::columns]) for place in range(columns)) + size < 72 * width:
            return columns
    return 1


def logarithmic(axes: Axes) -> None:
    """Make the y axis logarithmic, with plain numbers.

    The axis stays linear if it has no values. It also stays linear if its ends are positive and
    differ by less than a factor of 1.3.
    """
    drawn = [other.dataLim.intervaly for other in axes.get_shared_y_axes().get_siblings(axes)]
    if not np.isfinite(drawn).all(axis=1).any():
        return
    low, high = axes.get_ylim()
    if low > 0 and high < 1.3 * low:
        return
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    decades = np.log10(high / low)
    limits = {
        0.7: (1, 1.5, 2, 3, 5, 7),
        1.1: (1, 2, 3, 5, 7),
        1.6: (1, 2, 5),
        3.2: (1, 3),
        np.inf: (1,),
    }
    steps = next(steps for most, steps in limits.items() if decades < most)
    above = [step * 10.0 ** np.ceil(np.log10(high / step)) for step in steps]
    if min(above) < 1.1 * high:
        axes.set_ylim(top=min(above))
    axes.yaxis.set_major_locator(LogLocator(subs=steps, numticks=20 if decades < 6 else 6))
    axes.yaxis.set_major_formatter(FuncFormatter(plain_number))
    axes.yaxis.set_minor_locator(NullLocator())


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Label the y axis with names, from top to bottom, and draw lines between the names."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    for edge in range(1, len(names)):
        axes.axhline(edge - 0.5, color=GRID, linewidth=0.5, zorder=0.5)


def logarithmic_x(axes: Axes, ticks: int | None = None) -> None:
    """Make the x axis logarithmic, with plain numbers. If `ticks` is given, it is the maximum
    number of ticks.
    """
    axes.set_xscale("log")
    if ticks:
        axes.xaxis.set_major_locator(LogLocator(numticks=ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(plain_number))


def powers_of_two(axes: Axes, values: pd.Series) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(values.min() / 2**0.5, values.max() * 2**0.5)
    wide = np.log2(values.max() / values.min()) > 7
    axes.xaxis.set_major_locator(LogLocator(base=4 if wide else 2, numticks=30))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _position: f"$2^{{{np.log2(value):.0f}}}$")
    )


def plain_number(value: float, _position: int | None = None) -> str:
    if value and not 1e-4 <= abs(value) < 1e7:
        return (
            f"$10^{{{np.log10(value):.0f}}}$"
            if np.isclose(np.log10(abs(value)) % 1, 0)
            else f"{value:.0e}"
        )
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_STEPS = 60  # number of grid intervals along a side of the triangle


def plane(weights: np.ndarray) -> np.ndarray:
    """Map barycentric weights of shape (3,) or (n, 3) to points in the plane, of shape (2,) or (2,
    n).
    """
    return (np.asarray(weights) @ CORNERS).T


def draw_triangle(
    axes: Axes,
    Q: np.ndarray,
    solution: np.ndarray,
    shares: Sequence[float],
    names: Sequence[str] = ("1", "2", "3"),
    bold: int | None = None,
) -> None:
    """Draw the simplex of three weights as a triangle, contour lines of a'Qa, and a star at the
    solution.

    There is a contour line for each of the `shares`. The share 0 means the minimum of a'Qa over the
    triangle, and the share 1 means the maximum. `bold` is the index of the name that is written in
    bold.
    """
    i, j = (index.ravel() for index in np.meshgrid(range(_STEPS + 1), range(_STEPS + 1)))
    inside = i + j <= _STEPS
    grid = np.column_stack([i[inside], j[inside], (_STEPS - i - j)[inside]]) / _STEPS
    values = np.einsum("ni,ij,nj->n", grid, Q, grid)
    low = solution @ Q @ solution
    heights = low + (values.max() - low) * np.array(shares)
    axes.tricontour(
        *plane(grid), values, levels=heights, colors="#c0c0c0", linewidths=0.6, zorder=1
    )
    axes.fill(*CORNERS.T, facecolor="none", edgecolor="black", linewidth=0.9, zorder=3)
    axes.plot(*plane(solution), marker="*", color="black", markersize=6.5, zorder=6)
    for i, (offset, side) in enumerate(
        zip(((-3, -4), (3, -4), (0, 7)), ("right", "left", "center"), strict=True)
    ):
        axes.annotate(
            names[i],
            CORNERS[i],
            xytext=offset,
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=9,
            weight="bold" if i == bold else "normal",
        )
    axes.set(aspect="equal", xlim=(-0.14, 1.14), ylim=(-0.12, 1.0))
    axes.set_axis_off()
