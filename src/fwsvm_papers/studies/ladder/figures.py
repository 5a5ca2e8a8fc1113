"""Draw speed-ups under changed settings: beyond-ladder (the first method) and
beyond-ladder-methods (the others).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import logarithmic_x
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.panels import add_legend
from fwsvm_papers.reporting.style import (
    ACCENT,
    CLASSES,
    COLUMN_WIDTH,
    MUTED,
    TEXT_WIDTH,
    figure_style,
    method_label,
)
from fwsvm_papers.reporting.text import NOTHING, is_missing, significant
from fwsvm_papers.runs.comparison import Bound
from fwsvm_papers.runs.table import stand_ins
from fwsvm_papers.studies.benchmark.groups import ADULT, WEB
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.ladder.artefacts import not_run
from fwsvm_papers.studies.ladder.families import ALL, OTHERS, family_of, interval_in_words
from fwsvm_papers.studies.ladder.rungs import family_medians, ladder_numbers

_LOOKS = {WEB.name: CLASSES[1], ADULT.name: CLASSES[0], OTHERS: (MUTED, "D")}
"""Colours and marks of the three families of data sets."""
_TRIANGLES = {Bound.AT_MOST: "<", Bound.AT_LEAST: ">"}
_SPACE = 6 * "\N{NO-BREAK SPACE}"
_LEAST_IN_BOX = 4
"""A box (quartiles) is drawn only for at least this number of data sets."""
_NAMED = "w8a"
"""The data set with its own mark, because the papers emphasise its speed-ups."""
_NAMED_LOOK = {"marker": "*", "color": ACCENT, "markersize": 6, "linestyle": "none", "zorder": 4}
_NAME_WIDTH = 3.5
"""Space for the name at the right of its mark, as a factor on the logarithmic x axis."""
_MEDIAN = {"color": "black", "linewidth": 2, "solid_capstyle": "butt", "zorder": 5}
_ROW, _BAND, _STRIP_DISTANCE, _FIRST_STRIP = 0.54, 0.3, 0.21, -0.06
"""The height of a rung in inches. The next three numbers are shares of it: the height of its words,
the distance between the strips below the words, and the place of the first strip.
"""
_SHORT = {
    "printed": "printed",
    "authors_program": "authors' program, other machine",
    "as_run": "our runs, authors' settings",
    "inner": "only CVM's tolerance changed",
    "only_patience": "only patience changed",
    "patient": "tolerance and patience changed",
}


def ladder_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw the speed-ups of the first method over CVM, with a row per rung and a box per family."""
    table = ladder_numbers(runs, descriptions)
    return _chart(table, _methods(table)[:1], runs)


def methods_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw the same as `ladder_chart` for all methods except the first, with a panel for each."""
    table = ladder_numbers(runs, descriptions)
    return _chart(table, _methods(table)[1:], runs)


def _methods(table: pd.DataFrame) -> list[str]:
    """List the methods that have a speed-up over CVM."""
    known = table[(table["method"] != "cvm") & table["speedup"].notna()]
    return list(dict.fromkeys(known["method"]))


def _chart(table: pd.DataFrame, methods: list[str], runs: pd.DataFrame) -> Chart:
    frame = table[table["method"].isin(methods) & table["speedup"].notna()]
    require(not frame.empty, needs("CVM and another method in the experiment ladder", []))
    frame = frame.assign(family=frame["dataset"].map(family_of)).reset_index(drop=True)
    middles = family_medians(table[table["method"].isin(methods)], stand_ins(runs))
    middles = middles[middles["measure"] == "speedup"].set_index("method")
    rungs = list(dict.fromkeys(table["rung"]))
    rungs = [rung for rung in rungs if (frame["rung"] == rung).any()]
    across = min(len(methods), 2)
    down = -(-len(methods) // across)
    width = COLUMN_WIDTH if across == 1 else TEXT_WIDTH
    with figure_style():
        size = (width, 0.9 + down * (0.3 + _ROW * len(rungs)))
        fig = Figure(figsize=size, layout="constrained")
        grid = fig.subplots(down, across, sharex=True, squeeze=False)
        for axes in grid.flat[len(methods) :]:
            axes.set_axis_off()
        for axes, method in zip(grid.flat, methods, strict=False):
            _draw(axes, rungs, frame[frame["method"] == method], middles.loc[[method]])
            axes.set_title(method_label(method), loc="left", weight="bold")
            axes.set_title("median (95 %)", loc="right")
        logarithmic_x(grid[0, 0], ticks=9)
        speeds = frame["speedup"]
        grid[0, 0].set_xlim(min(speeds.min(), 0.5) / 1.7, max(speeds.max(), 2) * _NAME_WIDTH)
        for axes in grid[-1]:
            name = method_label(methods[0]) if len(methods) == 1 else "method"
            axes.set_xlabel(f"speed-up over CVM (log scale)\n← CVM faster{_SPACE}{name} faster →")
        add_legend(fig, _handles(frame))
    columns = ["dataset", "rung", "method", "family", "speedup", "speedup_in_kernel_values"]
    frame = frame[[*columns, "bound", "kept", "relative_gap", "time", "cvm_time"]]
    return Chart(fig, frame, not_run(table))


def _draw(axes: Axes, rungs: list[str], rows: pd.DataFrame, middles: pd.DataFrame) -> None:
    overall = middles[middles["over"] == ALL].set_index("rung")
    first = min(map(rungs.index, rows["rung"]))
    if first:
        axes.text(0.5, (first - 1) / 2, "no numbers", color=MUTED, **_words(axes, "center"))
    for place, rung in list(enumerate(rungs))[first:]:
        here = rows[rows["rung"] == rung]
        axes.axhspan(place - 0.5, place - 0.5 + _BAND, facecolor="#efefef", zorder=1.5)
        top = place - 0.5 + _BAND / 2
        axes.text(0.01, top, _SHORT.get(rung) or f"all points, to {rung}", **_words(axes, "left"))
        if rung in overall.index:
            axes.text(0.99, top, _median(overall.loc[rung]), **_words(axes, "right"))
        for number, (family, (color, marker)) in enumerate(_LOOKS.items()):
            height = place + _FIRST_STRIP + _STRIP_DISTANCE * number
            strip = here[here["family"] == family]
            draw_box(axes, strip["speedup"], height, color)
            _draw_strip(axes, strip, height, color, marker)
            middle = middles[(middles["rung"] == rung) & (middles["over"] == family)]
            ends = [height - 0.45 * _STRIP_DISTANCE, height + 0.45 * _STRIP_DISTANCE]
            axes.plot(middle["median"].repeat(2), ends * len(middle), **_MEDIAN)
    axes.set_yticks([])
    axes.set_ylim(len(rungs) - 0.5, -0.5)
    axes.spines["left"].set_visible(False)
    axes.axvline(1, color="black", linewidth=0.9, zorder=1)


def _words(axes: Axes, side: str) -> dict:
    look = {"va": "center_baseline", "fontsize": 7.5, "zorder": 6}
    return {"transform": axes.get_yaxis_transform(), "ha": side, **look}


def draw_box(axes: Axes, speedups: pd.Series, height: float, color: str) -> None:
    """Draw the quartiles of the speed-ups of a family. Bounds count as values."""
    if len(speedups) < _LEAST_IN_BOX:
        return
    low, high = np.percentile(speedups, (25, 75))
    corner = (low, height - 0.42 * _STRIP_DISTANCE)
    look = {"facecolor": to_rgba(color, 0.25), "edgecolor": color, "linewidth": 0.8, "zorder": 2}
    axes.add_patch(Rectangle(corner, high - low, 0.84 * _STRIP_DISTANCE, **look))


def _draw_strip(axes: Axes, strip: pd.DataFrame, height: float, color: str, marker: str) -> None:
    look = {"color": color, "markersize": 3.8, "linestyle": "none", "zorder": 3}
    look |= {"markeredgecolor": "white", "markeredgewidth": 0.3}
    named = strip["dataset"] == _NAMED
    for bound, shape in {Bound.EXACT: marker, **_TRIANGLES}.items():
        marks = strip.loc[(strip["bound"] == bound) & ~named, "speedup"]
        axes.plot(marks, [height] * len(marks), marker=shape, **look)
    for row in strip[named].to_dict("records"):
        is_bound = row["bound"] in _TRIANGLES
        shape = {"marker": _TRIANGLES[row["bound"]], "markersize": 4} if is_bound else {}
        axes.plot([row["speedup"]], [height], **_NAMED_LOOK | shape)
        right = (strip["speedup"] / row["speedup"]).between(1, _NAME_WIDTH, inclusive="right")
        if not right.any():
            look = {"textcoords": "offset points", "va": "center", "fontsize": 7.5, "color": ACCENT}
            axes.annotate(_NAMED, (row["speedup"], height), xytext=(5, 0), **look)


def _median(row: Mapping) -> str:
    """Return a median with its interval as text, such as ``≤ 0.20 (0.10 to 0.35)``."""
    if is_missing(row["median"]):
        return NOTHING
    median = row["bound"].before(significant(row["median"], 2))
    interval = interval_in_words(row["low"], row["high"])
    return median if interval == NOTHING else f"{median} ({interval})"


def _handles(frame: pd.DataFrame) -> list[Line2D]:
    mark = {"linestyle": "none", "markersize": 4}
    present = set(frame["family"])
    handles = [
        Line2D([], [], label=name, color=color, marker=marker, **mark)
        for name, (color, marker) in _LOOKS.items()
        if name in present
    ]
    if (frame["dataset"] == _NAMED).any():
        handles.append(Line2D([], [], label=_NAMED, **_NAMED_LOOK))
    median = {"marker": "|", "color": "black", "markersize": 7, "markeredgewidth": 2}
    handles.append(Line2D([], [], label="median", linestyle="none", **median))
    for bound, shape in _TRIANGLES.items():
        if (frame["bound"] == bound).any():
            label = f"{bound} this"
            handles.append(Line2D([], [], label=label, color=MUTED, marker=shape, **mark))
    return handles
