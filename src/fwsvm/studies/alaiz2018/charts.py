"""Figures of alaiz2018 over runs: the models against C, and intermediate models against iterations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from fwsvm.reporting.axes import limit_handle, logarithmic, plain_number
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.style import TEXT_WIDTH, figure_style
from fwsvm.reporting.text import listing
from fwsvm.studies.alaiz2018.protocol import (
    LARGER,
    LARGEST,
    NOT_PRINTED,
    STYLES,
    Details,
    Missing,
    absent,
    fixed_C,
    in_order,
    nothing_run,
    partitions,
    protocol,
    set_name,
    sizes,
    trouble,
    with_part,
)
from fwsvm.studies.alaiz2018.sparsity import MEASURES, path_summary, path_widths, study_runs

_LABELS = {"accuracy": "test accuracy (%)", "support_vectors": "support vectors", "iterations": "iterations"}
_LINES = {"svm": "-", "mfw": "-", "mfw_fixed": (0, (4, 1.5))}
# The SVM's line lies under the others and is wider, since they often coincide.
_WIDTHS = {"svm": 2.6, "mfw": 1.1, "mfw_fixed": 1.3}
_MARKERS = {"svm": 5.0, "mfw": 2.8, "mfw_fixed": 2.8}


def path_chart(artefact_id: str, runs: pd.DataFrame, details: Details, missing: Missing) -> Chart:
    """Draw accuracy, support vectors and iterations against C, a column per data set and kernel (alaiz2018 fig. 3)."""
    numbers = path_summary(runs, details)
    if numbers.empty:
        raise NotDrawableError(artefact_id, nothing_run(LARGER, missing))
    numbers = in_order(numbers, details, "c_path")
    chosen = study_runs(runs)
    chosen = chosen[chosen["dataset"].isin(numbers["dataset"].unique())]
    with figure_style():
        figure = _draw_paths(numbers, details)
    caption = [
        "SVM and M-FW against C: mean (line) and range (band) over the partitions; dotted: the cross-validated C of "
        "each. Open marker: a run ended at a limit.",
        _widths(numbers),
        "The paper: the accuracy of M-FW is nearly optimal for a much larger range of C, with fewer support vectors "
        "and iterations; where C is large enough both give the same model.",
        _meeting(numbers),
        partitions(chosen),
        sizes(details, "c_path"),
        protocol(details, "c_path"),
        trouble(chosen),
        NOT_PRINTED,
        absent(LARGER, numbers["dataset"], missing),
    ]
    return Chart(figure, _join(caption), numbers)


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
                axes.set_title(f"{set_name(dataset).split(' (')[0]}, {'RBF' if kernel == 'rbf' else kernel}")
            if row == 2:
                axes.set_xlabel("C")
        panels[row, 0].set_ylabel(_LABELS[measure])
    figure.align_ylabels(panels[:, 0])
    handles = [
        _handle(model, marker=STYLES[model].marker, markersize=_MARKERS[model])
        for model in dict.fromkeys(numbers["model"])
    ]
    handles += [limit_handle()] if numbers["at_limit"].any() else []
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
    """For how wide a range of C each model is within a point of the better one's best."""
    widths = path_widths(numbers).pivot_table(
        index=["dataset", "kernel"], columns="model", values="width", sort=False, dropna=False
    )
    if not {"svm", "mfw"} <= set(widths.columns) or numbers["C"].nunique() < 2:
        return ""
    said = [
        f"{set_name(dataset).split(' (')[0]} {kernel} {_number(row['svm'])} and {_number(row['mfw'])}"
        for (dataset, kernel), row in widths.iterrows()
    ]
    values = widths.fillna(-1.0)
    wider = int((values["mfw"] > values["svm"]).sum())
    narrower = int((values["mfw"] < values["svm"]).sum())
    return (
        "Width of the range of C, in powers of 2, with a mean accuracy within 1 point of the best of both (SVM and "
        f"M-FW): {'; '.join(said)}: M-FW's is wider in {wider} and narrower in {narrower} of {len(widths)} cases."
    )


def _number(width: float) -> str:
    return "none" if np.isnan(width) else f"{width:g}"


def _meeting(numbers: pd.DataFrame) -> str:
    """From which C on both models have practically the same numbers of support vectors, by case."""
    said = []
    for (dataset, kernel), group in numbers.groupby(["dataset", "kernel"], sort=False):
        table = group.pivot_table(index="C", columns="model", values="support_vectors_mean").sort_index()
        if not {"svm", "mfw"} <= set(table.columns):
            return ""
        same = (table["mfw"] / table["svm"] - 1).abs() <= 0.02
        from_here = same[::-1].cummin()[::-1]
        place = "nowhere" if not from_here.any() else f"from 2^{np.log2(from_here.idxmax()):g} on"
        said.append(f"{set_name(dataset).split(' (')[0]} {kernel} {place}")
    return f"Here the numbers of support vectors agree within 2 %: {'; '.join(said)}."


def iterations_chart(artefact_id: str, details: Details, missing: Missing) -> Chart:
    """Draw test accuracy and support vectors of intermediate models against iterations (alaiz2018 fig. 4)."""
    entries = with_part(details, "largest")
    if not entries:
        raise NotDrawableError(artefact_id, nothing_run(LARGEST, missing))
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
        figure = _draw_iterations(frame, curves)
    instead = "" if dataset in LARGEST else f"{dataset} stands for the paper's miniboone, which is not here. "
    caption = [
        f"{instead}Test accuracy and support vectors of intermediate models, every {largest['every']} of at most "
        f"{largest['iterations']} iterations, on {set_name(dataset)} ({largest['train']} training and "
        f"{largest['test']} test points, one random partition, "
        f"{'RBF' if largest['kernel'] == 'rbf' else largest['kernel']} kernel). "
        f"A dot ends a curve that met the stop rule ({_ended(curves)}).",
        _course(frame),
        "The paper: the SVM starts with the higher accuracy and the others soon match it; first M-FW with the fixed C, "
        "then M-FW stop adding support vectors, while the SVM adds them during the whole training.",
        fixed_C([entry]),
        _parameters(largest),
        protocol([entry], "largest"),
        NOT_PRINTED,
        absent(LARGEST, [dataset], missing),
    ]
    return Chart(figure, _join(caption), frame)


def _draw_iterations(frame: pd.DataFrame, curves: dict) -> Figure:
    figure = Figure(figsize=(5.4, 2.5), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, measure in zip(panels, ("accuracy", "support_vectors"), strict=True):
        for model, curve in frame.groupby("model", sort=False):
            style = STYLES[model]
            axes.plot(
                curve["iteration"], curve[measure], color=style.color, linestyle=_LINES[model], linewidth=_WIDTHS[model]
            )
            if curves[model]["stop_reason"] == "converged":
                axes.plot(curve["iteration"].iloc[-1], curve[measure].iloc[-1], marker="o", color=style.color)
        axes.set(xlabel="iterations", ylabel=_LABELS[measure])
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(plain_number))
    low = np.percentile(frame["accuracy"], 4)
    high = frame["accuracy"].max()
    panels[0].set_ylim(low - 0.15 * (high - low) - 0.01, high + 0.08 * (high - low) + 0.01)
    handles = [_handle(model) for model in curves]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _ended(curves: dict) -> str:
    return listing(
        f"{STYLES[model].label}: {curve['stop_reason'].replace('_', ' ')}" for model, curve in curves.items()
    )


def _parameters(largest: dict) -> str:
    tuned = largest["tuned"][largest["kernel"]]
    width = f"gamma = {tuned['gamma']:g}, " if tuned["gamma"] else ""
    Cs = listing(f"{C:g} ({STYLES[model].label})" for model, C in tuned["C"].items())
    return f"Cross-validated on a small random part: {width}C = {Cs}."


def _course(frame: pd.DataFrame) -> str:
    """Final numbers, and when each model had 95 % of its final support vectors."""
    said = []
    for model, curve in frame.groupby("model", sort=False):
        final, last = curve.iloc[-1], curve["iteration"].iloc[-1]
        grown = curve.loc[curve["support_vectors"] >= 0.95 * curve["support_vectors"].max(), "iteration"].iloc[0]
        said.append(
            f"{STYLES[model].label} {final['accuracy']:.2f} % with {final['support_vectors']:.0f} support vectors "
            f"after {last} iterations (95 % of its largest number of support vectors after {grown})"
        )
    return f"In the end: {'; '.join(said)}."


def _join(sentences: Sequence[str]) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
