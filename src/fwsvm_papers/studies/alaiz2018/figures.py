"""Draw the figures of alaiz2018: how the models depend on C, and how they change during
training.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import (
    MAJORITY,
    limit_handle,
    logarithmic,
    majority_handle,
    plain_number,
)
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.panels import add_legend, facets
from fwsvm_papers.reporting.style import MUTED, TEXT_WIDTH, figure_style
from fwsvm_papers.reporting.text import joined, listing
from fwsvm_papers.runs.comparison import lower_bounds
from fwsvm_papers.studies.alaiz2018.sparsity import (
    LARGER,
    LARGEST,
    MEASURES,
    in_order,
    path_summary,
)
from fwsvm_papers.studies.alaiz2018.tables import STYLES, TITLES, Details, Missing, partitions_of
from fwsvm_papers.studies.benchmark.protocol import missing_sets

# Accuracies more than this many points below the best are written at the lower edge, not drawn.
_DEEPEST = 12.0
# A value of C is good if its accuracy is at most this number of percentage points below the best.
NEAR = 1.0
_BEST_REGION = {"facecolor": "#e2e2e2", "linewidth": 0}
# The SVM's line is wide and drawn behind the others, since the lines often coincide.
_LOOKS: dict[str, dict[str, Any]] = {
    "svm": {"linestyle": "-", "linewidth": 3.0, "markersize": 5.5},
    "mfw": {"linestyle": "-", "linewidth": 1.1, "markersize": 2.8},
    "mfw_fixed": {"linestyle": (0, (4, 1.5)), "linewidth": 1.3, "markersize": 2.8},
}


def look(model: str, **changes: object) -> dict:
    return {"color": STYLES[model].color, "marker": STYLES[model].marker} | _LOOKS[model] | changes


def fig3(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Chart:
    """Draw accuracy, support vectors and iterations against C on the larger data sets (alaiz2018
    fig. 3).
    """
    numbers = in_order(path_summary(runs, alaiz2018))
    require(len(numbers), needs("the study alaiz2018", LARGER, missing))
    tuned = {entry["dataset"]: entry["c_path"]["tuned"] for entry in alaiz2018 if "c_path" in entry}
    limited = numbers["at_limit"] > 0
    drawn = pd.concat(
        numbers[["dataset", "kernel", "C"]].assign(
            method=numbers["model"],
            case=numbers["dataset"] + ", " + numbers["kernel"].replace("rbf", "RBF"),
            measure=measure,
            ended=limited,
            bound=lower_bounds(limited & (measure == "iterations")),
            value=numbers[f"{measure}_mean"],
            least=numbers[f"{measure}_min"],
            most=numbers[f"{measure}_max"],
        )
        for measure in MEASURES
    )
    with figure_style():
        width = min(TEXT_WIDTH, 0.45 + 1.75 * max(drawn["case"].nunique(), 2))
        panels = facets(
            drawn,
            "C",
            "value",
            row="measure",
            col="case",
            styles=STYLES,
            limited="ended",
            logx=2,
            share=lambda row, col: (row, col),
            xlabel="C",
            size=(width, 1.6),
            labels=TITLES
            | {name: f"{TITLES[name]}\n(log scale)" for name in ("support_vectors", "iterations")},
        )
        for (measure, case), axes in panels.axes.items():
            shown = drawn[(drawn["measure"] == measure) & (drawn["case"] == case)]
            chosen = tuned[shown["dataset"].iloc[0]][shown["kernel"].iloc[0]]["C"]
            axes.xaxis.set_major_locator(LogLocator(base=2, numticks=5))
            axes.set_xlim(shown["C"].min() / 1.5, 1.5 * shown["C"].max())
            for line in (*axes.get_lines(), panels.handles[0]):
                # Larger marks are arrows.
                if line.get_color() == STYLES["svm"].color and line.get_markersize() < 10:
                    at_limit = line.get_markerfacecolor() == "white"
                    line.set(
                        linewidth=_LOOKS["svm"]["linewidth"],
                        markersize=5.5 if at_limit else 0,
                        zorder=2.5,
                    )
            for model, path in shown.sort_values("C").groupby("method", sort=False):
                width = 0.45 + 0.4 * _LOOKS[model]["linewidth"]
                axes.axvline(
                    chosen[model],
                    color=STYLES[model].color,
                    linestyle=":",
                    linewidth=width,
                    zorder=1,
                )
                axes.fill_between(
                    path["C"],
                    path["least"],
                    path["most"],
                    color=STYLES[model].color,
                    alpha=0.25,
                    lw=0,
                )
            if measure == "accuracy":
                strip = _mark_near_the_best(axes, shown)
                if axes.get_ylabel():
                    strip.set_ylabel(
                        f"C within\n{NEAR:g} point", rotation=0, ha="right", va="center"
                    )
            else:
                axes.margins(y=0.2)
                logarithmic(axes)
        near = Patch(label=f"within {NEAR:g} point of the best accuracy", **_BEST_REGION)
        figure = panels.finish(
            near, Line2D([], [], label="cross-validated C", color=MUTED, linestyle=":")
        )
    notes = joined(partitions_of(numbers), missing_sets(LARGER, numbers["dataset"], missing))
    return Chart(figure, numbers, notes)


def _mark_near_the_best(axes: Axes, shown: pd.DataFrame) -> Axes:
    """Shade the accuracies near the best.

    In a strip below, mark the values of C that reach them. Return the strip.
    """
    best = shown["value"].max()
    axes.axhspan(best - NEAR, best, zorder=0, **_BEST_REGION)
    is_cut = shown["value"] < best - _DEEPEST
    low, high = shown["value"][~is_cut].min(), shown["most"].max()
    span = max(high - low, NEAR)
    axes.set_ylim(low - 0.06 * span, high + 0.06 * span)
    for row in shown[is_cut].drop_duplicates("C").itertuples():
        axes.annotate(
            f"{row.value:.0f} ↓",
            (row.C, 0),
            xycoords=axes.get_xaxis_transform(),
            xytext=(-9, 2),
            textcoords="offset points",
            ha="right",
            fontsize=7,
        )
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    strip = axes.inset_axes([0, -0.26, 1, 0.18], sharex=axes)
    strip.set(ylim=(1.7, -0.7), yticks=[])
    strip.tick_params(labelbottom=False)
    for place, (model, path) in enumerate(shown.sort_values("C").groupby("method", sort=False)):
        height = np.where(path["value"] >= best - NEAR - 1e-9, place, np.nan)
        strip.plot(
            path["C"], height, linewidth=2.0, marker="s", markersize=2.8, color=STYLES[model].color
        )
    return strip


def fig4(alaiz2018: Details, missing: Missing = None) -> Chart:
    """Draw accuracy and support vectors against iterations on the largest data set (alaiz2018
    fig. 4).
    """
    entries = [entry for entry in alaiz2018 if "largest" in entry]
    require(len(entries), needs("the study alaiz2018", LARGEST, missing))
    entry = max(
        entries,
        key=lambda candidate: (candidate["dataset"] in LARGEST, candidate["largest"]["train"]),
    )
    largest, dataset = entry["largest"], entry["dataset"]
    curves = {
        model: largest["curves"][model]
        for model in STYLES
        if largest["curves"].get(model, {}).get("iteration")
    }
    columns = ("iteration", "accuracy", "support_vectors")
    frames = [
        pd.DataFrame({"model": model} | {key: curve[key] for key in columns})
        for model, curve in curves.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    with figure_style():
        figure = _draw_curves(
            frame, curves, largest["tuned"][largest["kernel"]]["C"], 100 - entry["majority"]
        )
    stand_in = (
        "" if dataset in LARGEST else f"{dataset} replaces {LARGEST[0]}, which is not available."
    )
    return Chart(figure, frame, stand_in)


def _draw_curves(frame: pd.DataFrame, curves: Mapping, tuned: Mapping, majority: float) -> Figure:
    figure = Figure(figsize=(6.2, 2.9), layout="constrained")
    error, sizes = figure.subplots(1, 2)
    shown = frame.assign(error=100 - frame["accuracy"]).query("iteration > 0")
    for axes, measure in ((error, "error"), (sizes, "support_vectors")):
        for model, curve in shown.groupby("model", sort=False):
            line = look(model, marker="none", linewidth=0.8 * _LOOKS[model]["linewidth"])
            axes.plot(curve["iteration"], curve[measure], **line)
            face = STYLES[model].color if curves[model]["stop_reason"] == "converged" else "white"
            end = look(
                model,
                linestyle="",
                markerfacecolor=face,
                markersize=_LOOKS[model]["markersize"] + 2,
            )
            axes.plot(*curve.iloc[-1][["iteration", measure]], zorder=4, clip_on=False, **end)
        axes.set_xlim(left=0)
        axes.set_xlabel("iterations")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
    # This scale is logarithmic, except near 0.
    error.set_yscale("symlog", linthresh=1, linscale=0.4)
    error.set_yticks([0, 1, 2, 5, 10, 20, 50, 100], [0, 1, 2, 5, 10, 20, 50, 100])
    error.yaxis.set_minor_locator(NullLocator())
    error.set(
        ylabel="test error (%), linear below 1 %",
        ylim=(0, 1.2 * max(shown["error"].max(), majority)),
    )
    error.axhline(majority, **MAJORITY)
    sizes.set(ylabel=TITLES["support_vectors"], ylim=(0, 1.06 * shown["support_vectors"].max()))
    sizes.yaxis.set_major_formatter(FuncFormatter(plain_number))
    handles = []
    for model in curves:
        name = STYLES[model].label.removesuffix(", fixed C")
        label = f"{name}, C = {tuned[model]:g} ({'fixed' if model == 'mfw_fixed' else 'tuned'})"
        handles.append(
            Line2D([], [], label=label, **look(model, markersize=_LOOKS[model]["markersize"] + 2))
        )
    handles.append(majority_handle())
    limits = sorted(
        {curve["iteration"][-1] for curve in curves.values() if curve["stop_reason"] != "converged"}
    )
    if limits:
        handles.append(limit_handle())
        handles[-1].set_label(
            f"stopped at {listing([f'{limit:,}' for limit in limits], 'or')} iterations"
        )
    add_legend(figure, handles, 3)
    return figure
