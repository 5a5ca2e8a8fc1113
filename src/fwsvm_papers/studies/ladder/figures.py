"""Figures of speed-ups under changed settings. The figure beyond-ladder shows the first method (FW,
if it was run), and beyond-ladder-methods shows all other methods.

A rung is a comparison of the methods, either by the numbers in a table or by our runs with the same
settings. In beyond-ladder, a rung has a strip for each family of data sets, with a mark for each
data set of the family. In beyond-ladder-methods, a rung has a lane for each method.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import add_legend, logarithmic_x
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import (
    ACCENT,
    CLASSES,
    COLUMN_WIDTH,
    MUTED,
    figure_style,
    method_label,
)
from fwsvm_papers.reporting.text import NOTHING, interval_in_words, is_missing, joined, significant
from fwsvm_papers.runs.comparison import Bound
from fwsvm_papers.runs.table import stand_ins
from fwsvm_papers.studies.benchmark.groups import ADULT, WEB
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.ladder import ALL, OTHERS, family_of
from fwsvm_papers.studies.ladder.rungs import family_medians, ladder_numbers, not_run

_LOOKS = {WEB.name: CLASSES[1], ADULT.name: CLASSES[0], OTHERS: (MUTED, "D")}
"""Colours and marks of the three families of data sets: Web, Adult and all other data sets."""
_TRIANGLES = {Bound.AT_MOST: "<", Bound.AT_LEAST: ">"}
_SPACE = 6 * "\N{NO-BREAK SPACE}"
_LEAST_IN_BOX = 4
"""A box (quartiles) is drawn only for at least this number of data sets."""
_NAMED = "w8a"
"""The data set that has a mark of its own, because the papers emphasise the speed-ups on it."""
_NAMED_LOOK = {"marker": "*", "color": ACCENT, "markersize": 6, "linestyle": "none", "zorder": 4}
_NAME_WIDTH = 3.5
"""Space for a name at the right of a mark, as a factor on the logarithmic x axis."""
_MEDIAN = {"color": "black", "linewidth": 2, "solid_capstyle": "butt", "zorder": 5}
_OVERALL = {"color": "black", "linestyle": (0, (3, 1.5)), "linewidth": 1.0, "zorder": 2.5}
"""Style of the median over all data sets. It is drawn as a dashed line through the strips of all
families.
"""
_ROW, _BAND, _STRIP_DISTANCE, _FIRST_STRIP = 0.54, 0.3, 0.21, -0.06
"""Heights in the figure. `_ROW` is the height of a rung in inches. The other numbers are shares of
`_ROW`: the height of the rung's words, the distance between the strips below the words, and the
place of the first strip.
"""
_LANES_WIDTH, _LANE = 4.2, 0.18
"""Width of the figure with a lane per method, and the height of a lane, in inches."""
_COLUMNS = [
    *("dataset", "rung", "method", "family", "speedup", "speedup_in_kernel_values"),
    *("bound", "kept", "relative_gap", "time", "cvm_time"),
]
_SHORT = {
    "printed": "printed in the papers",
    "authors_program": "authors' program",
    "as_run": "our runs, inferred settings",
    "as_printed": "settings of the papers' text",
    "inner": "only LibCVM's inner tolerance",
    "only_patience": "only LibCVM's patience",
    "patient": "both settings of LibCVM",
}


def ladder_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw the speed-ups of the first method over CVM. There is a row per rung and a box per
    family.
    """
    table = ladder_numbers(runs, descriptions)
    methods = _methods(table)[:1]
    frame, middles = _selected(table, methods, runs)
    rungs, name = _in_order(frame, table), method_label(methods[0])
    with figure_style():
        size = (COLUMN_WIDTH, 1.2 + _ROW * len(rungs))
        fig = Figure(figsize=size, layout="constrained")
        axes = fig.subplots()
        _draw(axes, rungs, frame, middles, table[table["method"].isin(methods)])
        axes.set_title(name, loc="left", weight="bold")
        axes.set_title(_median_heading("median of all sets", middles), loc="right")
        _speed_axis(axes, frame["speedup"], name, room=_NAME_WIDTH)
        overall = Line2D([], [], label="median of all sets", **_OVERALL)
        add_legend(fig, [*_handles(frame, "median of a group"), overall])
    return Chart(fig, frame[_COLUMNS], _notes(table, middles))


def methods_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw the speed-ups over CVM for all methods except the first one, which `ladder_chart` shows.
    Each rung has a lane for each of these methods that has a speed-up on the rung.
    """
    table = ladder_numbers(runs, descriptions)
    methods = _methods(table)[1:]
    frame, middles = _selected(table, methods, runs)
    with figure_style():
        found = set(zip(frame["rung"], frame["method"], strict=True))
        # each pair (rung, method) is a lane, and each pair (rung, "") is a heading
        lanes: list[tuple[str, str]] = []
        for rung in _in_order(frame, table):
            lanes += [(rung, ""), *((rung, name) for name in methods if (rung, name) in found)]
        fig = Figure(figsize=(_LANES_WIDTH, 1.1 + _LANE * len(lanes)), layout="constrained")
        axes = fig.subplots()
        _speed_axis(axes, frame["speedup"], "method", room=1.7)
        for height, (rung, method) in enumerate(lanes):
            if method:
                rows = frame[(frame["rung"] == rung) & (frame["method"] == method)]
                overall = middles[(middles["rung"] == rung) & (middles["over"] == ALL)]
                _draw_lane(axes, rows, height, overall.loc[[method]].iloc[0])
            else:
                axes.axhspan(height - 0.5, height + 0.5, facecolor="#efefef", zorder=1.5)
                axes.text(0.01, height, _in_words(rung, frame), **_words(axes, "left"))
        heights = [height for height, (_, method) in enumerate(lanes) if method]
        axes.set_yticks(heights, [method_label(lanes[height][1]) for height in heights])
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.set_ylim(len(lanes) - 0.5, -0.5)
        axes.text(1.02, 0, _median_heading("median", middles), **_words(axes, "left"))
        add_legend(fig, _handles(frame, "median"))
    return Chart(fig, frame[_COLUMNS], _notes(table, middles))


def _notes(table: pd.DataFrame, middles: pd.DataFrame) -> str:
    """Return sentences for the notes.

    One sentence explains the sign for an unknown median, and another names the rungs without a
    speed-up. If there are no such medians or rungs, the sentence is left out.
    """
    overall = middles[middles["over"] == ALL]
    unknown = (overall["bound"] == Bound.UNKNOWN) & overall["median"].notna()
    sign = (
        f'A "{Bound.UNKNOWN.sign}" means that the median could be higher or lower without time'
        " limits."
    )
    return joined(sign if unknown.any() else "", not_run(table))


def _draw_lane(axes: Axes, rows: pd.DataFrame, height: float, middle: Mapping) -> None:
    """Draw the speed-ups of a method on a rung, with a mark for each data set. Draw the quartiles
    and the median of these speed-ups, and write the median as text.
    """
    draw_box(axes, rows["speedup"], height, MUTED, half=0.36)
    for family, (color, marker) in _LOOKS.items():
        _draw_strip(axes, rows[rows["family"] == family], height, color, marker, name_set=False)
    axes.plot([middle["median"]] * 2, [height - 0.42, height + 0.42], **_MEDIAN)
    axes.text(1.02, height, _median(middle), **_words(axes, "left"))


def _methods(table: pd.DataFrame) -> list[str]:
    """List the methods that have a speed-up over CVM."""
    known = table[(table["method"] != "cvm") & table["speedup"].notna()]
    return list(dict.fromkeys(known["method"]))


def _selected(
    table: pd.DataFrame, methods: list[str], runs: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table of the speed-ups of these methods, and a table of the medians of these
    speed-ups. The second table is indexed by method.
    """
    frame = table[table["method"].isin(methods) & table["speedup"].notna()]
    require(not frame.empty, needs("CVM and another method in the experiment ladder", []))
    frame = frame.assign(family=frame["dataset"].map(family_of)).reset_index(drop=True)
    middles = family_medians(table[table["method"].isin(methods)], stand_ins(runs))
    return frame, middles[middles["measure"] == "speedup"].set_index("method")


def _in_order(frame: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """List the rungs that occur in `frame`, in the order of the rungs in `table`."""
    there = set(frame["rung"])
    return [rung for rung in dict.fromkeys(table["rung"]) if rung in there]


def _in_words(rung: str, table: pd.DataFrame) -> str:
    """Return a short label of a rung. If its speed-ups are unknown on some data sets, because runs
    ended at the time limit, the label has the number of these data sets. Otherwise, if the rung has
    fewer data sets than another rung of `table`, the label has the number of its data sets.
    """
    sets = table.groupby("rung")["dataset"].nunique()
    unknown = table[(table["rung"] == rung) & table["speedup"].isna()]["dataset"].nunique()
    count = f" ({sets[rung]} sets)" if sets[rung] < sets.max() else ""
    count = f" ({unknown} undecided)" if unknown else count
    return (_SHORT.get(rung) or f"all points, to {rung}") + count


def _speed_axis(axes: Axes, speeds: pd.Series, name: str, room: float) -> None:
    """Set up the axis of the speed-ups, and draw a line at equal times.

    The axis extends by the factor `room` to the right of the speed-ups, so that there is space for
    texts.
    """
    logarithmic_x(axes, ticks=9)
    axes.set_xlim(min(speeds.min(), 0.5) / 1.7, max(speeds.max(), 2) * room)
    axes.set_xlabel(f"speed-up over CVM (log scale)\n← CVM faster{_SPACE}{name} faster →")
    axes.spines["left"].set_visible(False)
    axes.axvline(1, color="black", linewidth=0.9, zorder=1)


def _draw(
    axes: Axes,
    rungs: list[str],
    rows: pd.DataFrame,
    middles: pd.DataFrame,
    table: pd.DataFrame,
) -> None:
    overall = middles[middles["over"] == ALL].set_index("rung")
    for place, rung in enumerate(rungs):
        here = rows[rows["rung"] == rung]
        axes.axhspan(place - 0.5, place - 0.5 + _BAND, facecolor="#efefef", zorder=1.5)
        top = place - 0.5 + _BAND / 2
        axes.text(0.01, top, _in_words(rung, table), **_words(axes, "left"))
        if rung in overall.index:
            middle = overall.loc[rung]
            axes.text(0.99, top, _median(middle), **_words(axes, "right"))
            axes.plot([middle["median"]] * 2, [place - 0.5 + _BAND, place + 0.5], **_OVERALL)
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


def _words(axes: Axes, side: str) -> dict:
    look = {"va": "center_baseline", "fontsize": 7.5, "zorder": 6}
    return {"transform": axes.get_yaxis_transform(), "ha": side, **look}


def draw_box(
    axes: Axes,
    speedups: pd.Series,
    height: float,
    color: str,
    half: float = 0.42 * _STRIP_DISTANCE,
) -> None:
    """Draw a box from the lower to the upper quartile of the speed-ups, or nothing if there are
    fewer than `_LEAST_IN_BOX` speed-ups. A speed-up that is only a bound counts like any other
    speed-up. `half` is half the height of the box.
    """
    if len(speedups) < _LEAST_IN_BOX:
        return
    low, high = np.percentile(speedups, (25, 75))
    corner = (low, height - half)
    axes.add_patch(Rectangle(corner, high - low, 2 * half, zorder=2, **_box(color)))


def _box(color: str) -> dict:
    return {"facecolor": to_rgba(color, 0.25), "edgecolor": color, "linewidth": 0.8}


def _draw_strip(
    axes: Axes,
    strip: pd.DataFrame,
    height: float,
    color: str,
    marker: str,
    name_set: bool = True,
) -> None:
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
        if name_set and not right.any():
            look = {"textcoords": "offset points", "va": "center", "fontsize": 7.5, "color": ACCENT}
            axes.annotate(_NAMED, (row["speedup"], height), xytext=(5, 0), **look)


def _median(row: Mapping) -> str:
    """Return a median as text, such as ``≤ 0.20 (0.10 to 0.35)``. The interval is left out if it is
    unknown. If there is no median, return `NOTHING`.
    """
    if is_missing(row["median"]):
        return NOTHING
    median = row["bound"].before(significant(row["median"], 2))
    interval = interval_in_words(row["low"], row["high"])
    return median if interval == NOTHING else f"{median} ({interval})"


def _median_heading(words: str, middles: pd.DataFrame) -> str:
    """Return the heading of the medians over all data sets. It names their intervals if a median
    has one.
    """
    rows = middles[(middles["over"] == ALL) & middles["median"].notna()]
    ends = zip(rows["low"], rows["high"], strict=True)
    has_interval = any(interval_in_words(*both) != NOTHING for both in ends)
    return f"{words} (95 % interval)" if has_interval else words


def _handles(frame: pd.DataFrame, median_label: str) -> list[Artist]:
    mark = {"linestyle": "none", "markersize": 4}
    present = set(frame["family"])
    handles: list[Artist] = [
        Line2D(
            [],
            [],
            label=name if len(present) > 1 else "data set",
            color=color,
            marker=marker,
            **mark,
        )
        for name, (color, marker) in _LOOKS.items()
        if name in present
    ]
    if (frame["dataset"] == _NAMED).any():
        handles.append(Line2D([], [], label=_NAMED, **_NAMED_LOOK))
    handles.append(Patch(label="quartiles", **_box(MUTED)))
    median = {"marker": "|", "color": "black", "markersize": 7, "markeredgewidth": 2}
    handles.append(Line2D([], [], label=median_label, linestyle="none", **median))
    for bound, shape in _TRIANGLES.items():
        if (frame["bound"] == bound).any():
            label = f"{bound} this value"
            handles.append(Line2D([], [], label=label, color=MUTED, marker=shape, **mark))
    return handles
