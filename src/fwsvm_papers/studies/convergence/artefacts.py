"""Two figures: beyond-convergence shows how the gap and the accuracy change during training, and
beyond-steps shows how many steps each method needs.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import (
    MAJORITY,
    limit_handle,
    logarithmic_x,
    majority_handle,
    method_handle,
    plain_number,
)
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import (
    MUTED,
    TEXT_WIDTH,
    MethodStyle,
    figure_style,
    method_styles,
)
from fwsvm_papers.runs import LIMIT_REASONS
from fwsvm_papers.studies.benchmark.numbers import datasets_in_order
from fwsvm_papers.studies.benchmark.protocol import Missing

# Maximum number of data sets in the figure beyond-convergence.
PANELS = 4
# Accuracies are smoothed by a running median over this number of recorded iterates.
_WINDOW = 15

# Number of panels in a row of the figure beyond-steps.
_ACROSS = 3
# The methods whose curves are in every panel, and the colour of these curves.
_COMPARED, _PALE = ("fw", "swap2o"), "#a0a0a0"

_ROWS = {"relative_gap": "relative gap", "accuracy": "test accuracy (%)"}


def convergence_chart(convergence: Sequence[Mapping], missing: Missing = None) -> Chart:
    """Draw the gap and the accuracy of recorded runs against time, with a column of panels for each
    of the first `PANELS` data sets.
    """
    require(convergence, needs("the experiment convergence", []))
    traced = (
        "iteration",
        "cpu_s",
        "requested_evaluations",
        "relative_gap",
        "support_vectors",
        "accuracy",
    )
    columns = ("dataset", "method", *traced, "majority", "stop_reason")
    frames = [pd.DataFrame({name: entry[name] for name in columns}) for entry in convergence]
    frame = pd.concat(frames, ignore_index=True)
    frame["at_limit"] = frame.pop("stop_reason").isin(LIMIT_REASONS)
    names = datasets_in_order(frame["dataset"].unique())[:PANELS]
    frame = frame[frame["dataset"].isin(names)]
    styles = method_styles(frame["method"].unique())
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 4.0), layout="constrained")
        grid = fig.subplots(len(_ROWS), len(names), squeeze=False, sharex="col")
        for axes in grid[0, 1:]:
            axes.sharey(grid[0, 0])
        for (y, label), panels in zip(_ROWS.items(), grid, strict=True):
            for axes, name in zip(panels, names, strict=True):
                _draw(axes, frame[frame["dataset"] == name], styles, y)
            panels[0].set_ylabel(label)
        for axes, name in zip(grid[0], names, strict=True):
            axes.set_title(name, loc="left", weight="bold")
        fig.supxlabel("training time (CPU s)", fontsize=8)
        handles = [method_handle(style) for style in styles.values()] + [majority_handle()]
        handles += [limit_handle()] if frame["at_limit"].any() else []
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return Chart(fig, frame)


def _draw(axes: Axes, rows: pd.DataFrame, styles: Mapping, y: str) -> None:
    for method, style in styles.items():
        line = rows[(rows["method"] == method) & (rows["cpu_s"] > 0) & (rows["iteration"] > 0)]
        if line.empty:
            continue
        # accuracies below that of the majority class, which occur at the start, are drawn at that
        # value
        line = line.assign(accuracy=line["accuracy"].clip(lower=line["majority"]))
        smooth = (
            line[y].cummin()
            if y == "relative_gap"
            else line[y].rolling(_WINDOW, 1, center=True).median()
        )
        axes.plot(line["cpu_s"], line[y], color=style.color, linewidth=0.5, alpha=0.25, zorder=2)
        axes.plot(line["cpu_s"], smooth, color=style.color, linewidth=1.1, zorder=3)
        face = "white" if line["at_limit"].iloc[-1] else style.color
        axes.plot(
            line["cpu_s"].iloc[-1:],
            smooth.iloc[-1:],
            marker=style.marker,
            color=style.color,
            markerfacecolor=face,
            linestyle="none",
            zorder=4,
        )
    logarithmic_x(axes)
    low, high = np.log10(axes.get_xlim())
    # no tick close to the left edge
    axes.set_xticks(10.0 ** np.arange(np.ceil(low + 0.3), np.floor(high) + 1))
    if y == "relative_gap":
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.axhline(1e-3, color=MUTED, linewidth=0.8, zorder=1)
    else:
        majority = rows["majority"].iloc[0]
        axes.axhline(majority, **MAJORITY)
        best = max(rows["accuracy"].max(), majority + 1e-9)
        axes.set_ylim(majority - 0.1 * (best - majority), best + 0.1 * (best - majority) + 1e-9)


def steps_chart(sketches: Mapping, missing: Missing = None) -> Chart:
    """Draw the relative error of each method against its steps.

    Each method has a panel, in which the curves of FW and SWAP-2o are also drawn in grey.
    """
    runs = sketches["all_methods"]["runs"]
    frame = pd.concat(
        [
            pd.DataFrame({"method": method, "step": run["step"], "error": run["error"]})
            for method, run in runs.items()
        ],
        ignore_index=True,
    )
    styles = method_styles(runs)
    with figure_style():
        lines = -(-len(styles) // _ACROSS)
        fig = Figure(figsize=(TEXT_WIDTH, 0.4 + 1.7 * lines), layout="constrained")
        grid = fig.subplots(lines, _ACROSS, sharex=True, sharey=True, squeeze=False)
        for axes in grid.flat[len(styles) :]:
            axes.set_axis_off()
        for axes, method in zip(grid.flat, styles, strict=False):
            _draw_steps(axes, frame, method, styles[method])
            axes.set_title(_steps_in_words(styles[method].label, runs[method], frame), loc="left")
        fig.supxlabel("step (log scale)", fontsize=8)
        fig.supylabel("relative error h = (R − R*) / R* (log scale)", fontsize=8)
    return Chart(fig, frame)


def _draw_steps(axes: Axes, frame: pd.DataFrame, method: str, style: MethodStyle) -> None:
    for other, line in frame[frame["method"].isin(_COMPARED)].groupby("method", sort=False):
        if other != method:
            axes.plot(line["step"], line["error"], color=_PALE, linewidth=1.0, zorder=2)
    own = frame[frame["method"] == method]
    axes.plot(own["step"], own["error"], color=style.color, linewidth=1.8, zorder=3)
    axes.plot(own["step"].iloc[-1:], own["error"].iloc[-1:], marker=style.marker, color=style.color)
    logarithmic_x(axes, ticks=4)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(numticks=5))
    axes.yaxis.set_minor_locator(NullLocator())


def _steps_in_words(label: str, run: Mapping, frame: pd.DataFrame) -> str:
    is_cut = run["steps"] == frame["step"].max()
    return f"{label}: {'over ' if is_cut else ''}{run['steps']:,} steps"
