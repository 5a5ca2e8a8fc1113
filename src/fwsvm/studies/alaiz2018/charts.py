"""Figures of alaiz2018 over runs: the models against C, and intermediate models against iterations."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from fwsvm.reporting.axes import MAJORITY, draw_bounds, limit_handle, logarithmic, logarithmic_x, majority_handle
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.style import TEXT_WIDTH, figure_style
from fwsvm.reporting.text import joined, listing
from fwsvm.studies.alaiz2018.protocol import (
    LARGER,
    LARGEST,
    STYLES,
    Details,
    Missing,
    absent,
    in_order,
    nothing_run,
    partitions,
    with_part,
)
from fwsvm.studies.alaiz2018.sparsity import MEASURES, path_summary, path_widths, study_runs

_LABELS = {"accuracy": "test accuracy (%)", "support_vectors": "support vectors", "iterations": "iterations"}
_LINES = {"svm": "-", "mfw": "-", "mfw_fixed": (0, (4, 1.5))}
# The SVM's line lies under the others and is wider, since they often coincide.
_WIDTHS = {"svm": 3.0, "mfw": 1.1, "mfw_fixed": 1.3}
_MARKERS = {"svm": 5.5, "mfw": 2.8, "mfw_fixed": 2.8}


def path_chart(runs: pd.DataFrame, details: Details, missing: Missing) -> Chart:
    """Draw accuracy, support vectors and iterations against C, a column per data set and kernel (alaiz2018 fig. 3)."""
    numbers = path_summary(runs, details)
    if numbers.empty:
        raise NotDrawableError(nothing_run(LARGER, missing))
    numbers = in_order(numbers, details, "c_path")
    chosen = study_runs(runs)
    chosen = chosen[chosen["dataset"].isin(numbers["dataset"].unique())]
    with figure_style():
        figure = _draw_paths(numbers, details)
    caption = joined(
        _widths(numbers),
        f"Mean (line) and range (band) over {partitions(chosen)} of {_names(numbers)}; dotted: the cross-validated C "
        "of "
        "each.",
        _meeting(numbers),
        absent(LARGER, numbers["dataset"], missing),
    )
    return Chart(figure, caption, numbers)


def _names(numbers: pd.DataFrame) -> str:
    return listing(dict.fromkeys(numbers["dataset"]))


def _draw_paths(numbers: pd.DataFrame, details: Details) -> Figure:
    columns = list(dict.fromkeys(zip(numbers["dataset"], numbers["kernel"], strict=True)))
    tuned = {entry["dataset"]: entry["c_path"]["tuned"] for entry in details if "c_path" in entry}
    width = max(2.6, min(TEXT_WIDTH, 0.45 + 1.75 * len(columns)))
    figure = Figure(figsize=(width, 4.9), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02, hspace=0.03)
    panels = figure.subplots(3, len(columns), squeeze=False, sharex=True)
    for row, measure in enumerate(MEASURES):
        for column, (dataset, kernel) in enumerate(columns):
            axes = panels[row, column]
            shown = numbers[(numbers["dataset"] == dataset) & (numbers["kernel"] == kernel)]
            for model, path in shown.groupby("model", sort=False):
                _draw_path(axes, path.sort_values("C"), measure, model)
                if measure == "iterations":
                    axes.margins(y=0.2)
                    limited = path[path["at_limit"] > 0]
                    draw_bounds(axes, limited["C"], limited["iterations_mean"], STYLES[model].color)
                axes.axvline(
                    tuned[dataset][kernel]["C"][model],
                    color=STYLES[model].color,
                    linestyle=":",
                    linewidth=1.1,
                    zorder=1,
                )
            _power_axis(axes, shown["C"])
            if measure != "accuracy":
                logarithmic(axes)
            if not row:
                axes.set_title(f"{dataset}, {'RBF' if kernel == 'rbf' else kernel}")
            if row == 2:
                axes.set_xlabel("C")
        panels[row, 0].set_ylabel(_LABELS[measure])
    figure.align_ylabels(panels[:, 0])
    handles = [
        _handle(model, marker=STYLES[model].marker, markersize=_MARKERS[model])
        for model in dict.fromkeys(numbers["model"])
    ]
    handles += [limit_handle("lower")] if numbers["at_limit"].any() else []
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _draw_path(axes: Axes, path: pd.DataFrame, measure: str, model: str) -> None:
    style = STYLES[model]
    C = path["C"].to_numpy(dtype=float)
    mean, low, high = (path[f"{measure}_{part}"].to_numpy(dtype=float) for part in ("mean", "min", "max"))
    axes.fill_between(C, low, high, color=style.color, alpha=0.25, linewidth=0)
    look = {"color": style.color, "marker": style.marker, "markersize": _MARKERS[model]}
    axes.plot(C, mean, linestyle=_LINES[model], linewidth=_WIDTHS[model], **look)
    limited = path["at_limit"].to_numpy() > 0
    axes.plot(C[limited], mean[limited], linestyle="none", markerfacecolor="white", zorder=4, **look)


def _power_axis(axes: Axes, C: pd.Series) -> None:
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(LogLocator(base=2, numticks=5))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(C.min() / 1.4, C.max() * 1.4)


def _handle(model: str, **look) -> Line2D:
    style = STYLES[model]
    return Line2D(
        [], [], color=style.color, linestyle=_LINES[model], linewidth=_WIDTHS[model], label=style.label, **look
    )


def _widths(numbers: pd.DataFrame) -> str:
    """In how many cases the range of C with nearly the best accuracy is wider for M-FW."""
    widths = path_widths(numbers).pivot_table(
        index=["dataset", "kernel"], columns="model", values="width", sort=False, dropna=False
    )
    if not {"svm", "mfw"} <= set(widths.columns) or numbers["C"].nunique() < 2:
        return ""
    values = widths.fillna(-1.0)
    wider = int((values["mfw"] > values["svm"]).sum())
    narrower = int((values["mfw"] < values["svm"]).sum())
    return (
        f"M-FW is within a point of the best accuracy over a wider range of C than the SVM in {wider} of {len(widths)} "
        f"cases, over a narrower one in {narrower}."
    )


def _meeting(numbers: pd.DataFrame) -> str:
    """In how many cases both models have practically the same number of support vectors at the largest C."""
    largest = numbers[numbers["C"] == numbers["C"].max()]
    table = largest.pivot_table(index=["dataset", "kernel"], columns="model", values="support_vectors_mean")
    if not {"svm", "mfw"} <= set(table.columns):
        return ""
    same = int(((table["mfw"] / table["svm"] - 1).abs() <= 0.02).sum())
    return (
        f"At the largest C both have the same number of support vectors, within 2 %, in {same} of {len(table)} cases."
    )


def iterations_chart(details: Details, missing: Missing) -> Chart:
    """Draw test accuracy and support vectors of intermediate models against iterations (alaiz2018 fig. 4)."""
    entries = with_part(details, "largest")
    if not entries:
        raise NotDrawableError(nothing_run(LARGEST, missing))
    entry = next((entry for entry in entries if entry["dataset"] in LARGEST), None)
    entry = entry or max(entries, key=lambda candidate: candidate["largest"]["train"])
    largest, dataset = entry["largest"], entry["dataset"]
    found = largest["curves"]
    curves = {model: found[model] for model in STYLES if model in found and len(found[model]["iteration"])}
    frame = pd.concat(
        [pd.DataFrame({"model": model} | {key: curve[key] for key in ("iteration", "accuracy", "support_vectors")})
         for model, curve in curves.items()], ignore_index=True,
    )  # fmt: skip
    with figure_style():
        figure = _draw_iterations(frame, curves, 100 - entry["majority"])
    final = {model: curve.iloc[-1] for model, curve in frame.groupby("model", sort=False)}
    ends = listing(
        f"{STYLES[model].label} with {row['support_vectors']:,.0f} support vectors at {row['accuracy']:.2f} %"
        for model, row in final.items()
    )
    tuned = largest["tuned"][largest["kernel"]]["C"]
    caption = joined(
        f"In the end: {ends}, on {dataset} ({largest['train']:,} training points).",
        f"C = {listing(f'{tuned[model]:g} ({STYLES[model].label})' for model in final if model in tuned)}"
        + (", so that SVM and M-FW nearly coincide." if tuned.get("svm") == tuned.get("mfw") else "."),
        "A dot ends a curve that met the stopping rule.",
        "" if dataset in LARGEST else f"{dataset} stands for the paper's miniboone, which is not available.",
    )
    return Chart(figure, caption, frame)


def _draw_iterations(frame: pd.DataFrame, curves: dict, majority: float) -> Figure:
    figure = Figure(figsize=(5.4, 2.7), layout="constrained")
    panels = dict(zip(("error", "support_vectors"), figure.subplots(1, 2), strict=True))
    shown = frame[frame["iteration"] > 0].assign(error=100 - frame["accuracy"])
    for measure, axes in panels.items():
        for model, curve in shown.groupby("model", sort=False):
            color = STYLES[model].color
            axes.plot(
                curve["iteration"], curve[measure], color=color, linestyle=_LINES[model], linewidth=_WIDTHS[model]
            )
            if curves[model]["stop_reason"] == "converged":
                axes.plot(curve["iteration"].iloc[-1], curve[measure].iloc[-1], marker="o", color=color)
        axes.set(xlabel="iterations", ylabel={"error": "test error (%)"}.get(measure, _LABELS.get(measure)))
        logarithmic_x(axes)
        logarithmic(axes)
    panels["error"].axhline(majority, **MAJORITY)
    handles = [*map(_handle, curves), majority_handle()]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure
