"""What the figures of singh look like; `fwsvm.studies.singh.artefacts` writes their captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator

from fwsvm.reporting.axes import logarithmic, logarithmic_x
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.style import ACCENT, CLASSES, COLUMN_WIDTH, METHODS, MUTED, figure_style
from fwsvm.studies import published
from fwsvm.studies.singh.plan import CIRCLES

OUTER, INNER = CLASSES
"""Colour and marker of class -1 (outer circle) and of class +1 (inner circle)."""

PARTS = {"train": ("training set", "#000000", "-"), "test": ("test set", ACCENT, "--")}
METRICS = ("accuracy", "precision", "recall", "F1")
_PRINTED_LINE, _TRUE_LINE = {"color": ACCENT, "linestyle": "--"}, {"color": "#000000"}
_LISTING_ENDS = {"color": ACCENT, "linestyle": "-.", "linewidth": 1.0}
_WINDOWS = 28
_ENDS = {"marker": "X", "color": ACCENT, "markersize": 6, "linestyle": "", "zorder": 5}
_LINEAR_BELOW = 1e-5


def title_of(entry: Mapping) -> str:
    """Name the data of a panel."""
    return entry["dataset"] if entry["dataset"] not in CIRCLES else f"{entry['m']:,} training points"


def data_chart(sets: Sequence[Mapping]) -> Chart:
    """Draw points and decision function, a row per data set."""
    with figure_style():
        figure = Figure(figsize=(5.8, 0.45 + 2.45 * len(sets)), layout="constrained")
        panels = figure.subplots(len(sets), 2, squeeze=False)
        frames = []
        for (left, right), entry in zip(panels, sets, strict=True):
            shades, points = _draw_data(left, right, entry)
            frames.append(points)
            figure.colorbar(shades, ax=right, shrink=0.8, ticks=[-1, -0.5, 0, 0.5, 1])
            left.set_ylabel(title_of(entry))
        panels[0, 0].set_title("data")
        panels[0, 1].set_title("decision function")
        shown = (("class −1", OUTER), ("class +1", INNER))
        handles = [Line2D([], [], color=c, marker=m, linestyle="", label=name) for name, (c, m) in shown]
        handles += [
            Line2D([], [], color=MUTED, marker="o", linestyle="", markerfacecolor="white", label="test point"),
            Line2D(
                [], [], color="black", marker="o", linestyle="", markerfacecolor="none", label="support vector (right)"
            ),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=4, handlelength=1)
    return Chart(figure, "", pd.concat(frames, ignore_index=True))


def _draw_data(left: Axes, right: Axes, entry: Mapping) -> tuple:
    data, frames = entry["data"], []
    for part in PARTS:
        X, y = np.array(data[part][0]), np.array(data[part][1])
        support = np.isin(np.arange(len(y)), data["support"]) if part == "train" else np.zeros(len(y), dtype=bool)
        frames.append(pd.DataFrame({"dataset": entry["dataset"], "part": part, "x1": X[:, 0], "x2": X[:, 1],
                                    "label": y, "support": support}))  # fmt: skip
    points = pd.concat(frames, ignore_index=True)
    size = 3.0 if len(points) < 1000 else 1.2
    for label, (color, marker) in ((-1, OUTER), (1, INNER)):
        for part in PARTS:
            own = points[(points["label"] == label) & (points["part"] == part)]
            face = color if part == "train" else "white"
            look = {"marker": marker, "linestyle": "", "color": color, "markersize": size, "markeredgewidth": 0.5}
            left.plot(own["x1"], own["x2"], markerfacecolor=face, **look)
    axis = np.array(data["axis"])
    values = np.array(data["decision"]).reshape(len(axis), len(axis))
    values = values / np.abs(values).max()
    reach = 1.05 * np.hypot(points["x1"], points["x2"]).max()
    values[np.hypot(*np.meshgrid(axis, axis)) > reach] = np.nan  # beyond all points there is nothing to decide
    shades = right.contourf(axis, axis, values, levels=np.linspace(-1, 1, 17), cmap="PuOr_r", alpha=0.75)
    right.contour(axis, axis, values, levels=[0.0], colors="black", linewidths=1.0)
    held = points[points["support"]]
    for label, (color, marker) in ((-1, OUTER), (1, INNER)):
        own = held[held["label"] == label]
        right.plot(own["x1"], own["x2"], linestyle="", marker=marker, color=color, markersize=2.4)
    right.plot(held["x1"], held["x2"], linestyle="", marker="o", color="black", markerfacecolor="none", markersize=5,
               markeredgewidth=0.7)  # fmt: skip
    for axes in (left, right):
        axes.set_aspect("equal")
        axes.grid(visible=False)
        axes.set(xlim=(axis[0], axis[-1]), ylim=(axis[0], axis[-1]), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    return shades, points


def convergence_chart(sets: Sequence[Mapping], quantity: str) -> Chart:
    """Draw the relative distance of the objective, or that of the weights, against the steps, a panel per data set."""
    labels = {"objective": "objective / optimum − 1", "distance": "distance of the weights"}
    frames = []
    with figure_style():
        figure = Figure(figsize=_size(len(sets), 2.1), layout="constrained")
        for axes, entry in zip(figure.subplots(1, len(sets), squeeze=False, sharey=True)[0], sets, strict=True):
            steps = entry["steps"]
            values = np.array(steps[quantity], dtype=float)
            values = values / steps["optimum"] - 1 if quantity == "objective" else values
            frames.append(pd.DataFrame({"dataset": entry["dataset"], "iteration": steps["iteration"], "value": values}))
            shown = frames[-1][(frames[-1]["value"] > 0) & (frames[-1]["iteration"] > 0)]
            axes.plot(shown["iteration"], shown["value"], color=METHODS["mfw"].color)
            axes.axvline(_listing_end(entry), **_LISTING_ENDS)
            axes.set_title(title_of(entry))
            logarithmic(axes)
            _step_axis(axes)
        figure.axes[0].set_ylabel(labels[quantity])
        handles = [Line2D([], [], color=METHODS["mfw"].color, label="MFW"), _listing_handle()]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return Chart(figure, "", pd.concat(frames, ignore_index=True))


def _listing_end(entry: Mapping) -> int:
    return max(entry["draws"][0]["listing"]["steps"], 1)


def _listing_handle() -> Line2D:
    return Line2D([], [], label="the listing as printed ends", **_LISTING_ENDS)


_OTHERS = {"linestyle": "", "marker": "x", "color": MUTED, "markersize": 4}
_STEP_LOOKS = (("toward", MUTED, "o"), ("away", METHODS["mfw"].color, "^"))


def steps_chart(sets: Sequence[Mapping]) -> Chart:
    """Draw signed step sizes (top) and the size of the coreset (bottom), a column per data set."""
    frames, printed = [], published.load("singh_cost")
    with figure_style():
        figure = Figure(figsize=_size(len(sets), 3.9), layout="constrained")
        panels = figure.subplots(2, len(sets), squeeze=False, sharex="col")
        for column, entry in enumerate(sets):
            steps = entry["steps"]
            frame = pd.DataFrame({"iteration": steps["iteration"], "step": steps["step"],
                                  "step_size": steps["step_size"], "coreset": steps["active_size"]})  # fmt: skip
            frame["step_size"] *= np.where(frame["step"] == "away", -1.0, 1.0)
            frame = frame[frame["iteration"] > 0].assign(dataset=entry["dataset"])
            frames.append(frame)
            top, bottom = panels[:, column]
            for step, color, marker in _STEP_LOOKS:
                own = frame[frame["step"] == step]
                top.plot(own["iteration"], own["step_size"], linestyle="", marker=marker, color=color, markersize=2,
                         markeredgewidth=0)  # fmt: skip
            top.axhline(0.0, color=MUTED, linewidth=0.6)
            top.set_yscale("symlog", linthresh=_LINEAR_BELOW)
            top.set_yticks([-1e-1, -1e-3, -1e-5, 1e-5, 1e-3, 1e-1])
            top.yaxis.set_minor_locator(NullLocator())
            bottom.plot(frame["iteration"], frame["coreset"], color=METHODS["mfw"].color)
            others = entry["draws"][1:]
            ends = [draw["iterations"] for draw in others], [draw["largest_coreset"] for draw in others]
            bottom.plot(*ends, **_OTHERS)
            known = printed[printed["train_size"] == entry["m"]]
            for value in known["core_vectors"]:
                bottom.axhline(value, color=MUTED, linestyle="--", linewidth=1.0)
                bottom.annotate(
                    f"printed: {value:g}", (1, value), xytext=(2, 3), textcoords="offset points", fontsize=6
                )
            for axes in (top, bottom):
                axes.axvline(_listing_end(entry), **_LISTING_ENDS)
            bottom.set_ylim(bottom=0)
            bottom.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
            top.set_title(title_of(entry))
            _step_axis(bottom)
        panels[0, 0].set_ylabel("step size")
        panels[1, 0].set_ylabel("coreset (points)")
        figure.align_ylabels(panels[:, 0])
        handles = [
            *(
                Line2D([], [], linestyle="", marker=m, color=c, markersize=4, label=f"{n} step")
                for n, c, m in _STEP_LOOKS
            ),
            Line2D([], [], label="largest coreset, other draws", **_OTHERS),
            _listing_handle(),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return Chart(figure, "", pd.concat(frames, ignore_index=True))


def metrics_chart(sets: Sequence[Mapping]) -> Chart:
    """Draw the range of the four measures over windows of steps, on both parts, a column per data set."""
    frames = []
    with figure_style():
        figure = Figure(figsize=_size(len(sets), 5.2), layout="constrained")
        panels = figure.subplots(len(METRICS), len(sets), squeeze=False, sharex="col", sharey=True)
        for column, entry in enumerate(sets):
            steps = entry["steps"]
            for part, look in PARTS.items():
                values = pd.DataFrame(steps[part], columns=list(METRICS), dtype=float) * 100
                frame = values.assign(dataset=entry["dataset"], part=part, iteration=steps["iteration"])
                frames.append(frame)
                shown = frame[frame["iteration"] > 0]
                for axes, name in zip(panels[:, column], METRICS, strict=True):
                    _draw_band(axes, shown["iteration"], shown[name], look)
            for axes in panels[:, column]:
                axes.set_ylim(-3, 103)
                _step_axis(axes)
                axes.label_outer()
            panels[0, column].set_title(title_of(entry))
        for axes, name in zip(panels[:, 0], METRICS, strict=True):
            axes.set_ylabel(f"{name} (%)")
        handles = [Line2D([], [], color=c, linestyle=line, label=name) for name, c, line in PARTS.values()]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return Chart(figure, "", pd.concat(frames, ignore_index=True))


def _draw_band(axes: Axes, steps: pd.Series, values: pd.Series, look: tuple) -> None:
    """Least to largest value in windows of equal length on the logarithmic axis, and the mean as a line."""
    _, color, line = look
    edges = np.geomspace(1, steps.max() + 1, _WINDOWS)
    groups = values.groupby(np.digitize(steps, edges))
    place = steps.groupby(np.digitize(steps, edges)).median()
    axes.fill_between(place, groups.min(), groups.max(), color=color, alpha=0.18, linewidth=0)
    axes.plot(place, groups.mean(), color=color, linestyle=line, linewidth=1.1)


def radius_chart(sets: Sequence[Mapping]) -> Chart:
    """Draw squared radius (top) and relative gap (bottom) as printed and corrected, a column per data set."""
    frames = []
    with figure_style():
        width = COLUMN_WIDTH if len(sets) == 1 else 2.1 * len(sets) + 0.6
        figure = Figure(figsize=(width, 3.9), layout="constrained")
        panels = figure.subplots(2, len(sets), squeeze=False, sharex="col", sharey="row")
        for column, entry in enumerate(sets):
            for name, run in entry["radius"].items():
                columns = ("iteration", "radius2", "true_radius2", "printed_radius2", "relative_gap")
                frame = pd.DataFrame({key: run[key] for key in columns})
                frames.append(frame.assign(dataset=entry["dataset"], listing=name))
            right, printed = frames[-1], frames[-2]
            right, printed = (right, printed) if right["listing"].iloc[0] == "corrected" else (printed, right)
            top, bottom = panels[:, column]
            moved = right[right["iteration"] > 0]
            largest = _diagonal(entry)
            top.plot(moved["iteration"], moved["true_radius2"] / largest, **_TRUE_LINE)
            top.plot(moved["iteration"], moved["printed_radius2"] / largest, **_PRINTED_LINE)
            top.axhline(1, color=MUTED, linestyle=":", linewidth=1.0)
            end = printed.iloc[-1]
            at = max(end["iteration"], 1)
            top.plot(at, end["radius2"] / largest, **_ENDS)
            bottom.plot(moved["iteration"], moved["relative_gap"], **_TRUE_LINE)
            went = printed[printed["iteration"] > 0]
            bottom.plot(went["iteration"], went["relative_gap"], **_PRINTED_LINE)
            bottom.plot(at, end["relative_gap"], **_ENDS)
            top.set_title(title_of(entry))
            for axes in (top, bottom):
                logarithmic(axes)
                _step_axis(axes)
                axes.label_outer()
        panels[0, 0].set_ylabel("squared radius / D")
        panels[1, 0].set_ylabel("relative gap")
        figure.align_ylabels(panels[:, 0])
        handles = [
            Line2D([], [], label="corrected", **_TRUE_LINE),
            Line2D([], [], label="as printed", **_PRINTED_LINE),
            Line2D([], [], label="the listing as printed ends", **_ENDS),
            Line2D([], [], color=MUTED, linestyle=":", label="largest possible (D)"),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=2 if len(sets) < 3 else 4)
    return Chart(figure, "", pd.concat(frames, ignore_index=True))


def _diagonal(entry: Mapping) -> float:
    """Q_ii = k(x, x) + 1 + 1/C, the squared radius that no ball exceeds."""
    return 2.0 + 1.0 / entry["C"]


def sketch_chart(margin: Mapping) -> Chart:
    """Draw the hard margin of `fwsvm.studies.benchmark.sketches.hard_margin` (left) and the hinge loss (right)."""
    X, y, w = np.array(margin["points"]), np.array(margin["labels"]), np.array(margin["w"])
    with figure_style():
        figure = Figure(figsize=(5.2, 2.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        reach = 1.12 * np.abs(X).max()
        normal, along = w / np.linalg.norm(w), np.array([-w[1], w[0]]) / np.linalg.norm(w)
        for level, line in ((-1, "--"), (0, "-"), (1, "--")):
            foot = normal * (level - margin["b"]) / np.linalg.norm(w)
            ends = foot + np.outer([-2 * reach, 2 * reach], along)
            left.plot(*ends.T, color="black" if level == 0 else MUTED, linestyle=line, linewidth=1.0)
        for label, (color, marker) in ((-1, OUTER), (1, INNER)):
            left.plot(*X[y == label].T, linestyle="", marker=marker, color=color)
        left.plot(
            *X[margin["support"]].T, linestyle="", marker="o", color="black", markerfacecolor="none", markersize=8
        )
        width = 1 / np.linalg.norm(w)
        start = 1.25 * along - normal * margin["b"] / np.linalg.norm(w)
        arrow = {"arrowstyle": "<|-|>", "color": "black", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 7}
        left.annotate("", start + normal * width, start, arrowprops=arrow)
        middle = start + normal * width / 2
        left.annotate("$1/\\|w\\|$", middle, xytext=(-6, 6), textcoords="offset points", ha="right", fontsize=8,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
        left.set_aspect("equal")
        left.grid(visible=False)
        left.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[], title="hard margin")
        z = np.linspace(-1.5, 2.5, 161)
        losses = {"misclassification": (z < 0).astype(float), "hinge": np.maximum(0, 1 - z),
                  "squared hinge": np.maximum(0, 1 - z) ** 2}  # fmt: skip
        for (name, values), (color, line) in zip(
            losses.items(), ((MUTED, ":"), (ACCENT, "-"), ("#000000", "--")), strict=True
        ):
            right.plot(z, values, color=color, linestyle=line, label=name)
        right.set(ylim=(-0.1, 3.1), xlabel="$y\\,h(x)$", ylabel="loss", title="hinge loss")
        right.legend(loc="upper right")
    caption = (
        "Left: the separating line (solid) with the largest margin for points in the plane, from a linear machine with "
        "1/C = 0; dashed: y h(x) = ±1; ringed: support vectors. Right: the hinge loss of the L1-SVM and the squared "
        "one of the L2-SVM bound the misclassification from above."
    )
    frame = pd.DataFrame(
        {"x1": X[:, 0], "x2": X[:, 1], "label": y, "support": np.isin(range(len(y)), margin["support"])}
    )
    return Chart(figure, caption, frame)


def _size(panels: int, height: float) -> tuple[float, float]:
    return (COLUMN_WIDTH if panels == 1 else 5.4, height + 0.3)


def _step_axis(axes: Axes) -> None:
    logarithmic_x(axes, ticks=7)
    axes.tick_params(axis="x", labelsize=6.5)
    axes.set_xlabel("step")
