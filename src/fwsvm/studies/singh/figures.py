"""What the figures of singh look like; `fwsvm.studies.singh.artefacts` writes their captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch
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
_SHOWN_METRICS = ("accuracy", "F1")
NEAR_END = 1
"""Points of accuracy."""
_PRINTED_LINE, _CORRECTED = {"color": ACCENT}, {"color": "#b8b8b8", "linewidth": 3.0}
_TRUE_LINE = {"color": "#000000", "linewidth": 1.0}
_RINGED = {"linestyle": "", "marker": "o", "color": "black", "markerfacecolor": "none", "markersize": 5,
           "markeredgewidth": 0.7}  # fmt: skip
_SETTLED = {"color": MUTED, "linestyle": ":", "linewidth": 1.2}
_LISTING_ENDS = {"color": ACCENT, "linestyle": "-.", "linewidth": 1.0}
_WINDOWS = 18
_BAND = 0.16
_FOLLOWED = {"color": ACCENT, "linestyle": (0, (4, 2)), "linewidth": 1.1, "alpha": 0.6}
_ENDS = {"marker": "X", "color": ACCENT, "markersize": 6, "linestyle": "", "zorder": 5}
_LINEAR_BELOW = 1e-5
_ROUNDING = 1e-9  # per cent


def title_of(entry: Mapping) -> str:
    """Name the data of a panel."""
    return entry["dataset"] if entry["dataset"] not in CIRCLES else f"circles, {entry['m']:,} training points"


def data_chart(sets: Sequence[Mapping]) -> Chart:
    """Draw training points (left), and test points on the decision function (right), a row per data set."""
    with figure_style():
        figure = Figure(figsize=(5.8, 0.5 + 2.6 * len(sets)), layout="constrained")
        panels = figure.subplots(len(sets), 2, squeeze=False, sharey="row")
        drawn = [_draw_data(left, right, entry) for (left, right), entry in zip(panels, sets, strict=True)]
        for axes in panels[:, 0]:
            axes.set_ylabel("$x_2$")
        for axes in panels[-1]:
            axes.set_xlabel("$x_1$")
        label = "decision function / largest absolute value drawn"
        figure.colorbar(drawn[0][0], ax=panels[:, 1], shrink=0.6, ticks=[-1, -0.5, 0, 0.5, 1], label=label)
        shown = (("class −1", OUTER), ("class +1", INNER))
        handles = [Line2D([], [], color=c, marker=m, linestyle="", label=name) for name, (c, m) in shown]
        handles += [Line2D([], [], label="support vector", **_RINGED), Line2D([], [], label="boundary", **_TRUE_LINE)]
        figure.legend(handles=handles, loc="outside upper center", ncols=4, handlelength=1.2)
    return Chart(figure, pd.concat([points for _, points in drawn], ignore_index=True))


def _draw_data(left: Axes, right: Axes, entry: Mapping) -> tuple:
    data, frames = entry["data"], []
    for part in PARTS:
        X, y = np.array(data[part][0]), np.array(data[part][1])
        support = np.isin(np.arange(len(y)), data["support"]) if part == "train" else np.zeros(len(y), dtype=bool)
        frames.append(pd.DataFrame({"dataset": entry["dataset"], "part": part, "x1": X[:, 0], "x2": X[:, 1],
                                    "label": y, "support": support}))  # fmt: skip
    points = pd.concat(frames, ignore_index=True)
    axis = np.array(data["axis"])
    values = np.array(data["decision"]).reshape(len(axis), len(axis))
    reach = 1.05 * np.hypot(points["x1"], points["x2"]).max()
    drawn = values[np.hypot(*np.meshgrid(axis, axis)) <= reach]
    values = np.clip(values / np.abs(drawn).max(), -1, 1)
    pale = ListedColormap(0.5 + 0.5 * colormaps["PuOr_r"](np.linspace(0, 1, 16)))  # alpha would leave seams
    shades = right.contourf(axis, axis, values, levels=np.linspace(-1, 1, 17), cmap=pale)
    boundary = right.contour(axis, axis, values, levels=[0.0], colors="black", linewidths=1.0)
    for contours in (shades, boundary):  # beyond all points there is nothing to decide
        contours.set_clip_path(Circle((0, 0), reach, transform=right.transData))
    for axes, frame in zip((left, right), frames, strict=True):
        for label, (color, marker) in ((-1, OUTER), (1, INNER)):
            own = frame[frame["label"] == label]
            size = 3.2 if len(frame) < 300 else 2.2 if len(frame) < 1000 else 1.6
            axes.plot(own["x1"], own["x2"], linestyle="", marker=marker, color=color, markersize=size,
                      markeredgewidth=0)  # fmt: skip
        axes.set_aspect("equal")
        axes.grid(visible=False)
        axes.set(xlim=(axis[0], axis[-1]), ylim=(axis[0], axis[-1]), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    held = points[points["support"]]
    left.plot(held["x1"], held["x2"], **_RINGED)
    left.set_title(title_of(entry))
    right.set_title(f"{len(frames[1]):,} test points, {100 * entry['draws'][0]['test_accuracy']:.4g} % correct")
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
            axes.margins(y=0.1)
            logarithmic(axes)
            _step_axis(axes)
        figure.axes[0].set_ylabel(labels[quantity])
        handles = [Line2D([], [], color=METHODS["mfw"].color, label="MFW"), _listing_handle()]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return Chart(figure, pd.concat(frames, ignore_index=True))


def _listing_end(entry: Mapping) -> int:
    return max(entry["draws"][0]["listing"]["steps"], 1)


def _listing_handle() -> Line2D:
    return Line2D([], [], label="the listing as printed ends", **_LISTING_ENDS)


def away_so_far(entry: Mapping) -> np.ndarray:
    """Away steps up to each step kept: each stands for those since the one before, to the exact number at the end."""
    steps = entry["steps"]
    counts = np.cumsum(np.diff(steps["iteration"], prepend=0) * (np.array(steps["step"]) == "away"))
    return counts * (entry["draws"][0]["away_steps"] / max(counts[-1], 1))


_OTHER_SHARES = {"linestyle": "", "marker": "x", "color": MUTED, "markersize": 4}
_OTHER_SIZES = {"linestyle": "", "marker": "D", "color": MUTED, "markersize": 3.5, "markerfacecolor": "none"}
_PRINTED_SIZE = {"color": MUTED, "linestyle": "--", "linewidth": 1.0}
_STEP_LOOKS = (("toward", "#a0a0a0", "o"), ("away", "#000000", "^"))


def steps_chart(sets: Sequence[Mapping]) -> Chart:
    """Draw the share of away steps so far, signed step sizes and the size of the coreset, a column per data set."""
    frames, printed, color = [], published.load("singh_cost"), METHODS["mfw"].color
    with figure_style():
        figure = Figure(figsize=_size(len(sets), 5.0), layout="constrained")
        panels = figure.subplots(3, len(sets), squeeze=False, sharex="col")
        for column, entry in enumerate(sets):
            steps = entry["steps"]
            frame = pd.DataFrame({"iteration": steps["iteration"], "step": steps["step"], "away": away_so_far(entry),
                                  "step_size": steps["step_size"], "coreset": steps["active_size"]})  # fmt: skip
            frame["step_size"] *= np.where(frame["step"] == "away", -1.0, 1.0)
            frame = frame[frame["iteration"] > 0].assign(dataset=entry["dataset"])
            frames.append(frame)
            share, size, coreset = panels[:, column]
            share.plot(frame["iteration"], 100 * frame["away"] / frame["iteration"], color=color)
            for step, shade, marker in _STEP_LOOKS:
                own = frame[frame["step"] == step]
                size.plot(own["iteration"], own["step_size"], linestyle="", marker=marker, color=shade, markersize=2,
                          markeredgewidth=0)  # fmt: skip
            coreset.plot(frame["iteration"], frame["coreset"], color=color)
            others = pd.DataFrame(entry["draws"][1:], columns=["iterations", "away_steps", "largest_coreset"])
            share.plot(others["iterations"], 100 * others["away_steps"] / others["iterations"], **_OTHER_SHARES)
            coreset.plot(others["iterations"], others["largest_coreset"], **_OTHER_SIZES)
            for value in printed.loc[printed["train_size"] == entry["m"], "core_vectors"]:
                coreset.axhline(value, **_PRINTED_SIZE)
            for axes in panels[:, column]:
                axes.axvline(_listing_end(entry), **_LISTING_ENDS)
            share.set(title=title_of(entry), ylim=(0, 100), yticks=range(0, 101, 25))
            size.axhline(0.0, color=MUTED, linewidth=0.6)
            size.set_yscale("symlog", linthresh=_LINEAR_BELOW)
            size.set_yticks([-1e-1, -1e-3, -1e-5, 1e-5, 1e-3, 1e-1])
            size.yaxis.set_minor_locator(NullLocator())
            coreset.set_ylim(bottom=0)
            coreset.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10], integer=True))
            _step_axis(coreset)
        for axes, label in zip(panels[:, 0], ("away steps so far (%)", "step size", "coreset (points)"), strict=True):
            axes.set_ylabel(label)
        figure.align_ylabels(panels[:, 0])
        handles = [Line2D([], [], linestyle="", marker=marker, color=shade, markersize=4, label=f"{step} step")
                   for step, shade, marker in _STEP_LOOKS]  # fmt: skip
        handles = [Line2D([], [], color=color, label="MFW, first draw"), *handles, _listing_handle(),
                   Line2D([], [], label="top: other draws, final share (at ends)", **_OTHER_SHARES),
                   Line2D([], [], label="bottom: other draws, largest coreset (at ends)", **_OTHER_SIZES),
                   Line2D([], [], label="bottom: largest coreset, printed", **_PRINTED_SIZE)]  # fmt: skip
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return Chart(figure, pd.concat(frames, ignore_index=True))


def settled_at(steps: Mapping) -> int:
    """Step kept from which on the accuracy on the training points stays within `NEAR_END` points of its last value."""
    accuracy = 100 * np.array(steps["train"], dtype=float)[:, METRICS.index("accuracy")]
    away = np.flatnonzero(np.abs(accuracy - accuracy[-1]) > NEAR_END)
    return steps["iteration"][away[-1] + 1] if len(away) else steps["iteration"][0]


def metrics_chart(sets: Sequence[Mapping]) -> Chart:
    """Draw accuracy and F1, in windows of steps, on both parts, a column per data set."""
    frames = []
    with figure_style():
        figure = Figure(figsize=_size(len(sets), 3.6), layout="constrained")
        panels = figure.subplots(len(_SHOWN_METRICS), len(sets), squeeze=False, sharex="col", sharey=True)
        for column, entry in enumerate(sets):
            steps = entry["steps"]
            for part, look in PARTS.items():
                values = pd.DataFrame(steps[part], columns=list(METRICS), dtype=float) * 100
                frame = values.assign(dataset=entry["dataset"], part=part, iteration=steps["iteration"])
                frames.append(frame)
                shown = frame[frame["iteration"] > 0]
                for axes, name in zip(panels[:, column], _SHOWN_METRICS, strict=True):
                    edges = _windows(shown["iteration"].max(), settled_at(steps))
                    _draw_windows(axes, edges, shown["iteration"], shown[name], look, with_range=part == "train")
            for axes in panels[:, column]:
                axes.axvline(max(settled_at(steps), 1), **_SETTLED)
                axes.set_ylim(-3, 103)
                _step_axis(axes)
                axes.label_outer()
            panels[0, column].set_title(title_of(entry))
        for axes, name in zip(panels[:, 0], _SHOWN_METRICS, strict=True):
            axes.set_ylabel(f"{name} (%)")
        handles = [Line2D([], [], color=c, linestyle=line, label=name) for name, c, line in PARTS.values()]
        handles.insert(1, Patch(color=PARTS["train"][1], alpha=_BAND, linewidth=0, label="range"))
        handles.append(Line2D([], [], label=f"training accuracy settled (±{NEAR_END} point)", **_SETTLED))
        figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return Chart(figure, pd.concat(frames, ignore_index=True))


def _windows(last: int, settled: int) -> np.ndarray:
    """Edges of windows of equal length on the logarithmic axis, one of them moved to `settled`."""
    edges = np.geomspace(1, last + 1, _WINDOWS)
    settled = max(settled, 1)
    edges[1:-1][np.abs(np.log(edges[1:-1] / settled)).argmin()] = settled
    return edges


def _draw_windows(axes, edges, steps: pd.Series, values: pd.Series, look: tuple, with_range: bool) -> None:
    """Draw the mean in each window as stairs, and the least to the largest value as a band."""
    _, color, line = look
    groups = values.groupby(np.digitize(steps, edges))
    low, mean, high = (numbers.reindex(range(1, len(edges))) for numbers in (groups.min(), groups.mean(), groups.max()))
    if with_range:
        axes.stairs(high, edges, baseline=low, fill=True, color=color, alpha=_BAND, linewidth=0)
    axes.stairs(mean, edges, baseline=None, color=color, linestyle=line, linewidth=1.1)


def radius_chart(sets: Sequence[Mapping]) -> Chart:
    """Draw the excess of the radius as printed (top), and relative gaps (bottom), a column per data set."""
    frames = []
    with figure_style():
        width = COLUMN_WIDTH if len(sets) == 1 else 2.1 * len(sets) + 0.6
        figure = Figure(figsize=(width, 3.9), layout="constrained")
        panels = figure.subplots(2, len(sets), squeeze=False, sharex="col", sharey="row")
        for column, entry in enumerate(sets):
            frame = radius_numbers(entry)
            frames.append(frame)
            right, printed = (frame[frame["listing"] == name] for name in ("corrected", "printed"))
            top, bottom = panels[:, column]
            wrong = right[right["excess_percent"] > _ROUNDING]
            shared = printed["iteration"] <= (entry["radius"]["printed"]["first_away"] or 0)  # steps of both listings
            rising = pd.concat([printed[shared & (printed["excess_percent"] > _ROUNDING)], wrong])
            top.plot(rising["iteration"], rising["excess_percent"], **_FOLLOWED)
            for listing, look in ((right, _CORRECTED), (printed, _PRINTED_LINE)):
                moved = listing[listing["iteration"] > 0]
                bottom.plot(moved["iteration"], moved["relative_gap"], **look)
            end = printed.iloc[-1]
            for axes, value in ((top, end["excess_percent"]), (bottom, end["relative_gap"])):
                axes.plot(max(end["iteration"], 1), value if value > _ROUNDING else np.nan, **_ENDS)
                logarithmic(axes)
                _step_axis(axes)
                axes.label_outer()
            top.set_title(title_of(entry))
        panels[0, 0].set_ylabel("squared radius\ntoo large by (%)")
        panels[1, 0].set_ylabel("relative gap")
        figure.align_ylabels(panels[:, 0])
        handles = [Line2D([], [], label="listing as printed", **_PRINTED_LINE),
                   Line2D([], [], label="the listing as printed ends", **_ENDS),
                   Line2D([], [], label="listing corrected", **_CORRECTED),
                   Line2D([], [], label="printed update on the corrected steps", **_FOLLOWED)]  # fmt: skip
        figure.legend(handles=handles, loc="outside upper center", ncols=1 if len(sets) == 1 else 2)
    return Chart(figure, pd.concat(frames, ignore_index=True))


def radius_numbers(entry: Mapping) -> pd.DataFrame:
    """Both listings, with the excess of the squared radius that the printed updates lead to over the true one."""
    columns = ("iteration", "radius2", "true_radius2", "printed_radius2", "relative_gap")
    frames = [pd.DataFrame({key: run[key] for key in columns}).assign(dataset=entry["dataset"], listing=name)
              for name, run in entry["radius"].items()]  # fmt: skip
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(excess_percent=100 * (frame["printed_radius2"] / frame["true_radius2"] - 1))


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
        left.plot(*X[margin["support"]].T, **{**_RINGED, "markersize": 8, "markeredgewidth": 0.9})
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
        z = np.concatenate([np.linspace(-1.5, 0, 61), np.linspace(0, 2.5, 101)])
        losses = {"misclassification": np.repeat([1.0, 0.0], [61, 101]), "hinge": np.maximum(0, 1 - z),
                  "squared hinge": np.maximum(0, 1 - z) ** 2}  # fmt: skip
        for (name, values), (color, line) in zip(
            losses.items(), ((MUTED, ":"), (ACCENT, "-"), ("#000000", "--")), strict=True
        ):
            right.plot(z, values, color=color, linestyle=line, label=name)  # a step is drawn between two equal z
        right.set(ylim=(-0.1, 3.1), xlabel="$y\\,h(x)$", ylabel="loss", title="hinge loss")
        right.legend(loc="upper right")
    caption = (
        "Left: the separating line (solid, h(x) = 0) with the largest margin for points in the plane, from a linear "
        "machine with 1/C = 0; dashed: h(x) = ±1; ringed: support vectors. Right: the hinge loss of the L1-SVM and the "
        "squared one of the L2-SVM bound the misclassification from above."
    )
    frame = pd.DataFrame(
        {"x1": X[:, 0], "x2": X[:, 1], "label": y, "support": np.isin(range(len(y)), margin["support"])}
    )
    return Chart(figure, frame, caption=caption)


def _size(panels: int, height: float) -> tuple[float, float]:
    return (COLUMN_WIDTH if panels == 1 else 5.4, height + 0.3)


def _step_axis(axes: Axes) -> None:
    logarithmic_x(axes, ticks=7)
    axes.tick_params(axis="x", labelsize=6.5)
    axes.set_xlabel("step")
