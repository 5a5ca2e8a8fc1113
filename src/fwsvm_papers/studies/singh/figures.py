"""The figures of singh. They show MFW on two circles, the sign error of the printed algorithm, and
the margin.

In this module, a draw is a set of random points on the two circles, together with the runs on these
points.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch
from matplotlib.ticker import MaxNLocator, NullLocator

from fwsvm_papers.reporting.axes import add_legend, logarithmic, logarithmic_x
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import ACCENT, CLASSES, COLUMN_WIDTH, METHODS, MUTED, figure_style
from fwsvm_papers.reporting.text import counted, joined, listing
from fwsvm_papers.studies.registry import load_printed
from fwsvm_papers.studies.singh import CIRCLES
from fwsvm_papers.studies.singh.cost_table import Details, Missing, entries_with

SIGN_ERROR_SETS = (*CIRCLES, "a1a")
PARTS = {"train": ("training set", "#000000", "-"), "test": ("test set", ACCENT, "--")}
METRICS = ("accuracy", "precision", "recall", "F1")
_SHOWN_METRICS = ("accuracy", "F1")

_MFW = METHODS["mfw"].color
RINGED = {
    "linestyle": "",
    "marker": "o",
    "color": "black",
    "markerfacecolor": "none",
    "markersize": 5,
    "markeredgewidth": 0.7,
}
_LISTING_ENDS = {"color": ACCENT, "linestyle": "-.", "linewidth": 1.0}
_DRAW = {"linestyle": "", "marker": METHODS["mfw"].marker, "color": _MFW, "alpha": 0.7}
_MEDIAN = {"color": "black", "linewidth": 2.0, "solid_capstyle": "butt", "zorder": 4}
_MEDIAN_MARK = {
    "color": "black",
    "linestyle": "",
    "marker": "|",
    "markersize": 8,
    "markeredgewidth": 2,
}
_FIRST_AWAY = {"color": MUTED, "linestyle": "--", "linewidth": 1.0, "zorder": 1}
_OF_DRAWS = {
    "away steps (% of all steps)": " %",
    "first away step (log scale)": "",
    "largest coreset (points)": "",
}
"""Maps the label of each row of panels in singh-fig4b to the unit that follows the numbers in this
row.
"""
_LANES = 4  # number of heights at which the marks of the draws are placed
_PRINTED_SIZE = {"color": ACCENT, "linestyle": "--", "linewidth": 1.2}
_END_MARKS: dict[str, dict[str, Any]] = {
    "train": {"linestyle": "", "marker": "x", "markersize": 4},
    "test": {"linestyle": "", "marker": "o", "markersize": 4, "markerfacecolor": "none"},
}
_STEP_LOOKS = {
    step: {"linestyle": "", "marker": marker, "color": color, "markersize": 3, "markeredgewidth": 0}
    for step, color, marker in (("toward", "#8c8c8c", "o"), ("away", ACCENT, "^"))
}
_LISTINGS: dict[str, dict[str, Any]] = {
    "corrected": {"color": "#8c8c8c", "linewidth": 3.0},
    "printed": {"color": ACCENT},
}
_FOLLOWED = {"color": ACCENT, "linestyle": (0, (4, 2)), "linewidth": 1.1, "alpha": 0.6}
_ENDS = {"marker": "X", "color": ACCENT, "markersize": 6, "linestyle": "", "zorder": 5}
# The printed form of the listing gives a squared radius that is too large. A relative error of at
# most this number (in per cent) counts as a rounding error.
_ROUNDING = 1e-9
# The curves of accuracy and F1 show means over windows of iterations. The windows have equal
# lengths on the logarithmic axis. `_WINDOWS` is the number of their edges.
_WINDOWS = 18
_BAND = 0.16


def _title(entry: Mapping) -> str:
    return (
        entry["dataset"]
        if entry["dataset"] not in CIRCLES
        else f"circles, {entry['m']:,} training points"
    )


def _columns(
    entries: Sequence[Mapping],
    labels: Sequence[str],
    height: float,
    width: float = 5.4,
    sharey: str | bool = "row",
) -> tuple[Figure, np.ndarray]:
    size = (COLUMN_WIDTH if len(entries) == 1 else width, height)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(labels), len(entries), squeeze=False, sharex="col", sharey=sharey)
    for axes, label in zip(panels[:, 0], labels, strict=True):
        axes.set_ylabel(label)
    figure.align_ylabels(panels[:, 0])
    for column, entry in zip(panels.T, entries, strict=True):
        column[0].set_title(_title(entry))
        column[-1].set_xlabel("step (log scale)")
        for axes in column:
            logarithmic_x(axes, ticks=4)
    return figure, panels


def _legend(figure: Figure, columns: int, **looks: Any) -> None:
    handles = [Line2D([], [], label=label, **look) for label, look in looks.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=columns)


def _mark_listing(axes: Axes, entry: Mapping) -> None:
    axes.axvline(max(entry["draws"][0]["listing"]["steps"], 1), **_LISTING_ENDS)


def fig1(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Draw the points on two circles and the trained decision function (singh fig. 1)."""
    entries, notes = entries_with("data", runs, singh, missing)
    with figure_style():
        figure = Figure(figsize=(5.8, 0.5 + 2.6 * len(entries)), layout="constrained")
        panels = figure.subplots(len(entries), 2, squeeze=False, sharey="row")
        drawn = [
            _draw_data(left, right, entry)
            for (left, right), entry in zip(panels, entries, strict=True)
        ]
        for axes in panels[-1]:
            axes.set_xlabel("$x_1$")
        label = "decision function / its largest drawn absolute value"
        figure.colorbar(
            drawn[0][0], ax=panels[:, 1], shrink=0.6, ticks=[-1, -0.5, 0, 0.5, 1], label=label
        )
        looks: dict[str, dict[str, Any]] = {
            f"class {name}": {"color": color, "marker": marker, "linestyle": ""}
            for name, (color, marker) in zip(("−1", "+1"), CLASSES, strict=True)
        }
        looks |= {"support vector": RINGED, "boundary": {"color": "black", "linewidth": 1.0}}
        _legend(figure, 4, **looks)
    return Chart(figure, pd.concat([points for _, points in drawn], ignore_index=True), notes)


def _draw_data(left: Axes, right: Axes, entry: Mapping) -> tuple:
    data, frames = entry["data"], []
    for part in PARTS:
        X, y = np.array(data[part][0]), np.array(data[part][1])
        support = (part == "train") & np.isin(np.arange(len(y)), data["support"])
        columns = {"dataset": entry["dataset"], "part": part, "x1": X[:, 0], "x2": X[:, 1]}
        frames.append(pd.DataFrame(columns | {"label": y, "support": support}))
    accuracy = entry["draws"][0]["test_accuracy"]
    points = pd.concat(frames, ignore_index=True).assign(test_accuracy=accuracy)
    axis = np.array(data["axis"])
    values = np.array(data["decision"]).reshape(len(axis), len(axis))
    reach = 1.05 * np.hypot(points["x1"], points["x2"]).max()
    drawn = values[np.hypot(*np.meshgrid(axis, axis)) <= reach]
    values = np.clip(values / np.abs(drawn).max(), -1, 1)
    # pale colours, because transparent colours would show seams between the levels
    pale = ListedColormap(0.5 + 0.5 * colormaps["PuOr_r"](np.linspace(0, 1, 16)))
    shades = right.contourf(axis, axis, values, levels=np.linspace(-1, 1, 17), cmap=pale)
    boundary = right.contour(axis, axis, values, levels=[0.0], colors="black", linewidths=1.0)
    for contours in (shades, boundary):  # draw the function only near the points
        contours.set_clip_path(Circle((0, 0), reach, transform=right.transData))
    for axes, frame in zip((left, right), frames, strict=True):
        size = 3.2 if len(frame) < 300 else 2.2 if len(frame) < 1000 else 1.6
        for label, (color, marker) in zip((-1, 1), CLASSES, strict=True):
            own = frame[frame["label"] == label]
            look = {
                "linestyle": "",
                "marker": marker,
                "color": color,
                "markersize": size,
                "markeredgewidth": 0,
            }
            axes.plot(own["x1"], own["x2"], **look)
        axes.set_aspect("equal")
        axes.grid(visible=False)
        axes.set(
            xlim=(axis[0], axis[-1]), ylim=(axis[0], axis[-1]), xticks=[-1, 0, 1], yticks=[-1, 0, 1]
        )
    ringed = points[points["support"]]
    left.plot(ringed["x1"], ringed["x2"], **RINGED)
    left.set(title=_title(entry), ylabel="$x_2$")
    right.set_title(f"{len(frames[1]):,} test points, {100 * accuracy:.4g} % correct")
    return shades, points


def convergence(
    runs: pd.DataFrame, singh: Details, missing: Missing = None, *, quantity: str, label: str
) -> Chart:
    """Draw how far the dual objective (singh fig. 2) or the weights (singh fig. 3) are from the
    optimum.
    """
    entries, notes = entries_with("steps", runs, singh, missing)
    frames = []
    with figure_style():
        figure, panels = _columns(entries, [label], 2.4)
        for axes, entry in zip(panels[0], entries, strict=True):
            steps = entry["steps"]
            value = np.array(steps[quantity], dtype=float)
            value = value / steps["optimum"] - 1 if quantity == "objective" else value
            frames.append(
                pd.DataFrame(
                    {"dataset": entry["dataset"], "iteration": steps["iteration"], "value": value}
                )
            )
            shown = frames[-1].query("value > 0 and iteration > 0")
            axes.plot(
                shown["iteration"],
                shown["value"] * (100 if quantity == "objective" else 1),
                color=_MFW,
            )
            _mark_listing(axes, entry)
            axes.margins(y=0.1)
            logarithmic(axes)
        _legend(
            figure,
            2,
            **{"MFW": {"color": _MFW}, "last step of the listing as printed": _LISTING_ENDS},
        )
    return Chart(figure, pd.concat(frames, ignore_index=True), notes)


def fig4(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Draw the steps of the first draw: their sizes (negative for away steps), and the size of the
    coreset (singh fig. 4). Also mark the median of the first away step over the draws.
    """
    entries, notes = entries_with("steps", runs, singh, missing)
    frames = []
    with figure_style():
        figure, panels = _columns(
            entries, ("step size (log scale)", "points in the coreset"), 4.2, sharey=False
        )
        for (size, coreset), entry in zip(panels.T, entries, strict=True):
            steps = entry["steps"]
            frame = pd.DataFrame(
                {
                    "iteration": steps["iteration"],
                    "step": steps["step"],
                    "step_size": steps["step_size"],
                    "coreset": steps["active_size"],
                }
            )
            frame["step_size"] *= np.where(frame["step"] == "away", -1.0, 1.0)
            frames.append(frame[frame["iteration"] > 0].assign(dataset=entry["dataset"]))
            for step, look in _STEP_LOOKS.items():
                own = frames[-1][frames[-1]["step"] == step]
                size.plot(own["iteration"], own["step_size"], **look)
            size.axhline(0.0, color=MUTED, linewidth=0.6)
            size.set_yscale("symlog", linthresh=1e-5)
            ticks = [1e-1, 1e-3, 1e-5]
            names = ["0.1", "0.001", r"$10^{-5}$"]
            # on the negative half, which is for away steps, the labels have no minus sign
            size.set_yticks([*(-tick for tick in ticks), 0, *ticks], [*names, "0", *names])
            for place, step in ((0.97, "toward"), (0.03, "away")):
                look = {"color": _STEP_LOOKS[step]["color"], "fontsize": 8, "ha": "left"}
                look |= {"va": "top" if place > 0.5 else "bottom", "transform": size.transAxes}
                size.text(0.2, place, f"{step} steps", weight="bold", **look)
            size.yaxis.set_minor_locator(NullLocator())
            coreset.plot(frames[-1]["iteration"], frames[-1]["coreset"], color=_MFW)
            largest = frames[-1].loc[frames[-1]["coreset"].idxmax()]
            place = (largest["iteration"], largest["coreset"])
            look = {"ha": "right", "va": "center", "fontsize": 7.5, "zorder": 4}
            look |= {"bbox": {"facecolor": "white", "linewidth": 0, "pad": 0.5}}
            words = f"largest: {largest['coreset']:.0f}"
            coreset.annotate(words, place, (-6, 2), textcoords="offset points", **look)
            _count_axis(coreset)
            first = _away(entry)["first_away"].median()
            for axes in (size, coreset) if first > 0 else ():
                axes.axvline(first, **_FIRST_AWAY)
        looks = {f"{step} step": look | {"markersize": 4} for step, look in _STEP_LOOKS.items()}
        _legend(figure, 3, **looks, **{"first away step, median of the draws": _FIRST_AWAY})
    return Chart(figure, pd.concat(frames, ignore_index=True), joined(_in_words(entries), notes))


def _away(entry: Mapping) -> pd.DataFrame:
    """Return a table with a row per draw.

    The columns are the number of steps, the number of away steps, the first away step (NaN if there
    is none), and the share (%) of away steps.
    """
    draws = pd.DataFrame(entry["draws"], columns=["iterations", "away_steps", "first_away"])
    draws = draws.astype(float)
    return draws.assign(share=100 * draws["away_steps"] / draws["iterations"])


def _in_words(entries: Sequence[Mapping]) -> str:
    """Return a sentence with the median share of away steps over the draws."""
    away = [_away(entry) for entry in entries]
    medians = [f"{draws['share'].median():.0f}" for draws in away]
    sides = [""] if len(entries) == 1 else [" on the left", " on the right"]
    shares = listing(f"{median} %{side}" for median, side in zip(medians, sides, strict=True))
    number = counted(max(map(len, away)), "draw")
    return f"Over {number}, the median share of away steps is {shares}."


def fig4_draws(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Show the share of away steps, the first away step and the largest coreset of every draw, and
    the medians of these values.
    """
    entries, notes = entries_with("steps", runs, singh, missing)
    frames, printed = [], load_printed("singh_cost")
    names = {"repetition": "draw", "iterations": "iteration", "away_steps": "away"}
    kept = [*names, "first_away", "largest_coreset"]
    with figure_style():
        size = (COLUMN_WIDTH if len(entries) == 1 else 5.4, 3.6)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(3, len(entries), squeeze=False, sharex=False)
        for column, entry in zip(panels.T, entries, strict=True):
            ends = pd.DataFrame(entry["draws"], columns=kept).rename(columns=names)
            away = _away(entry)
            frames.append(ends.assign(share=away["share"], dataset=entry["dataset"]))
            column[0].set_title(_title(entry))
            for axes, (label, unit), values in zip(
                column,
                _OF_DRAWS.items(),
                (away["share"], away["first_away"], ends["largest_coreset"].astype(float)),
                strict=True,
            ):
                _draw_draws(axes, values.to_numpy(), unit)
                axes.set_xlabel(label)
            column[0].set(xlim=(0, 100), xticks=range(0, 101, 25))
            if (away["first_away"] > 0).any():
                logarithmic_x(column[1], ticks=7)
                column[1].set_xlim(1, 3 * away["first_away"].max())
            for value in printed.loc[printed["train_size"] == entry["m"], "core_vectors"]:
                column[2].axvline(value, **_PRINTED_SIZE)
            column[2].set_xlim(left=0)
            column[2].xaxis.set_major_locator(
                MaxNLocator(nbins=5, steps=[1, 2, 5, 10], integer=True)
            )
        looks = {"one draw": _DRAW, "median": _MEDIAN_MARK, "the report's coreset": _PRINTED_SIZE}
        _legend(figure, 3, **looks)
    return Chart(figure, pd.concat(frames, ignore_index=True), notes)


def _draw_draws(axes: Axes, values: np.ndarray, unit: str) -> None:
    """Show a mark for each draw and a line at the median, and write the median and the range of the
    values.

    Neighbouring marks are at different heights, so that they do not overlap.
    """
    known = np.sort(values[~np.isnan(values)])
    axes.plot(known, np.arange(len(known)) % _LANES, **_DRAW)
    axes.set(ylim=(-0.7, _LANES + 1.1), yticks=[])
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")
    if not len(known):
        return
    median = np.median(known)
    axes.plot([median, median], [-0.6, _LANES - 0.4], **_MEDIAN)
    middle = f"{median:,.0f}" if unit else f"{median:,g}"
    words = f"median {middle}{unit} ({known[0]:,.0f} to {known[-1]:,.0f}{unit})"
    axes.text(0.99, 1, words, transform=axes.transAxes, ha="right", va="top", fontsize=7.5)


def _count_axis(axes: Axes) -> None:
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10], integer=True))


def fig5(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Draw accuracy and F1 against the number of steps of the first draw, and the final accuracies
    of all draws (singh fig. 5, which also shows precision and recall).
    """
    entries, notes = entries_with("steps", runs, singh, missing)
    frames = []
    with figure_style():
        figure, panels = _columns(entries, [f"{name} (%)" for name in _SHOWN_METRICS], 4.2)
        for column, entry in zip(panels.T, entries, strict=True):
            for part in PARTS:
                frames += _draw_metrics(column, entry, part)
        handles = [
            Line2D([], [], color=color, linestyle=line, label=f"{name}, first draw")
            for name, color, line in PARTS.values()
        ]
        band = {"color": PARTS["train"][1], "alpha": _BAND, "linewidth": 0}
        handles.append(Patch(label="range of the training accuracy", **band))
        handles += [
            Line2D([], [], color=color, label=f"{name}, end of each draw", **_END_MARKS[part])
            for part, (name, color, _) in PARTS.items()
        ]
        add_legend(figure, handles)
    return Chart(figure, pd.concat(frames, ignore_index=True), notes)


def _draw_metrics(column: Sequence[Axes], entry: Mapping, part: str) -> list[pd.DataFrame]:
    """Draw accuracy and F1 on the training points or on the test points, as `part` says. Return the
    drawn values.
    """
    steps, (_, color, line) = entry["steps"], PARTS[part]
    frame = pd.DataFrame(steps[part], columns=list(METRICS), dtype=float) * 100
    frame = frame.assign(dataset=entry["dataset"], part=part, iteration=steps["iteration"], draw=0)
    shown = frame[frame["iteration"] > 0]
    edges = np.geomspace(1, shown["iteration"].max() + 1, _WINDOWS)
    windows = shown.groupby(np.digitize(shown["iteration"], edges))[list(_SHOWN_METRICS)]
    low, mean, high = windows.min(), windows.mean(), windows.max()
    middle = np.sqrt(edges[mean.index - 1] * edges[mean.index])
    ends = pd.DataFrame(
        {
            "accuracy": [100 * draw[f"{part}_accuracy"] for draw in entry["draws"]],
            "iteration": [draw["iterations"] for draw in entry["draws"]],
            "draw": [draw["repetition"] for draw in entry["draws"]],
        }
    ).assign(dataset=entry["dataset"], part=f"{part}, end of draw")
    for axes, name in zip(column, _SHOWN_METRICS, strict=True):
        # F1 falls to 0 at some steps, so only the range of the accuracy is drawn
        if part == "train" and name == "accuracy":
            band = {"color": color, "alpha": _BAND, "linewidth": 0}
            axes.fill_between(middle, low[name], high[name], **band)
        axes.plot(middle, mean[name], color=color, linestyle=line, linewidth=1.1)
        if name == "accuracy":
            axes.plot(
                ends["iteration"], ends["accuracy"], color=color, zorder=4, **_END_MARKS[part]
            )
    return [frame, ends]


def signerror(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Draw the error of the radius and the gap in Listing 3 of singh, with the printed and the
    corrected update.
    """
    entries, notes = entries_with("radius", runs, singh, missing, SIGN_ERROR_SETS)
    numbers = [radius_numbers(entry) for entry in entries]
    with figure_style():
        labels = ("excess of the squared\nradius (%, log scale)", "relative gap\n(log scale)")
        figure, panels = _columns(entries, labels, 3.9, 2.1 * len(entries) + 0.6)
        for (top, bottom), entry, frame in zip(panels.T, entries, numbers, strict=True):
            corrected, printed = (
                frame[frame["listing"] == name] for name in ("corrected", "printed")
            )
            shared = printed[
                printed["iteration"] <= (entry["radius"]["printed"]["first_away"] or 0)
            ]
            # both versions take the same steps until the first away step
            rising = pd.concat([shared, corrected])
            rising = rising[rising["excess_percent"] > _ROUNDING]
            top.plot(rising["iteration"], rising["excess_percent"], **_FOLLOWED)
            for name, look in _LISTINGS.items():
                moved = frame[(frame["listing"] == name) & (frame["iteration"] > 0)]
                bottom.plot(moved["iteration"], moved["relative_gap"], **look)
            corner = {"xycoords": "axes fraction", "fontsize": 7}
            top.annotate("no error before the cross", (0.04, 0.06), color=MUTED, **corner)
            end = printed.iloc[-1]
            for axes, value in ((top, end["excess_percent"]), (bottom, end["relative_gap"])):
                axes.plot(max(end["iteration"], 1), value if value > _ROUNDING else np.nan, **_ENDS)
                logarithmic(axes)
            words = f"ends at step {end['iteration']:,.0f},\ngap {end['relative_gap']:.1f}"
            bottom.annotate(words, (0.04, 0.06), color=ACCENT, **corner)
        looks = {
            "listing as printed": _LISTINGS["printed"],
            "listing corrected": _LISTINGS["corrected"],
            "last step of the listing as printed": _ENDS,
            "printed update along the corrected listing's steps": _FOLLOWED,
        }
        _legend(figure, 1 if len(entries) == 1 else 2, **looks)
    return Chart(figure, pd.concat(numbers, ignore_index=True), notes)


def radius_numbers(entry: Mapping) -> pd.DataFrame:
    """Return a table of the recorded steps of both versions of Listing 3. The table has the
    relative error (%) of the squared radius that the printed update gives.
    """
    columns = ("iteration", "radius2", "true_radius2", "printed_radius2", "relative_gap")
    frames = [
        pd.DataFrame({key: run[key] for key in columns}).assign(
            dataset=entry["dataset"], listing=name
        )
        for name, run in entry["radius"].items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(excess_percent=100 * (frame["printed_radius2"] / frame["true_radius2"] - 1))
