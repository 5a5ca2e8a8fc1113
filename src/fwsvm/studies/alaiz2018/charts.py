"""Figures of alaiz2018 over runs: the models against C, and intermediate models against iterations."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from fwsvm.reporting.axes import (
    MAJORITY,
    by_rows,
    draw_bounds,
    limit_handle,
    logarithmic,
    majority_handle,
    plain_number,
)
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.style import TEXT_WIDTH, figure_style
from fwsvm.reporting.text import joined, listing, significant
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
NEAR = 1.0
"""Points of accuracy within which `path_widths` counts a C as good."""
_STRIP = {"facecolor": "#e2e2e2", "linewidth": 0}
_SHOWN_POINTS = 12
"""How far below the best an accuracy is drawn."""
_LINES = {"svm": "-", "mfw": "-", "mfw_fixed": (0, (4, 1.5))}
# The SVM's line lies under the others and is wider, since they often coincide.
_WIDTHS = {"svm": 3.0, "mfw": 1.1, "mfw_fixed": 1.3}
_THIN = {"svm": 2.4, "mfw": 0.9, "mfw_fixed": 1.3}
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
    best = numbers.groupby(["dataset", "kernel"])["accuracy_mean"].transform("max")
    is_cut = (numbers["accuracy_mean"] < best - _SHOWN_POINTS).any()
    caption = joined(
        _widths(numbers),
        f"Mean (line) and range (band) over {partitions(chosen)} of {_names(numbers)}; dotted: the cross-validated C.",
        f"Accuracies of more than {_SHOWN_POINTS} points below the best are cut off." if is_cut else "",
        _meeting(numbers),
        absent(LARGER, numbers["dataset"], missing),
    )
    return Chart(figure, numbers, caption=caption)


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
                    linewidth=0.45 + 0.5 * _THIN[model],
                    zorder=1,
                )
            _power_axis(axes, shown["C"])
            if measure == "accuracy":
                _near_the_best(axes, shown)
            else:
                logarithmic(axes)
            if not row:
                axes.set_title(f"{dataset}, {'RBF' if kernel == 'rbf' else kernel}")
            if row == 2:
                axes.set_xlabel("C")
        panels[row, 0].set_ylabel(
            f"{_LABELS[measure]}\n(log scale)" if measure == "support_vectors" else _LABELS[measure]
        )
    figure.align_ylabels(panels[:, 0])
    handles = [
        _handle(model, marker=STYLES[model].marker, markersize=_MARKERS[model])
        for model in dict.fromkeys(numbers["model"])
    ]
    handles += [Patch(label=f"within {NEAR:g} point of the best (bars: for these C)", **_STRIP)]
    handles += [limit_handle("lower")] if numbers["at_limit"].any() else []
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles) if len(columns) > 2 else 2)
    return figure


def _near_the_best(axes: Axes, shown: pd.DataFrame) -> None:
    """Shade the accuracies near the best mean, with a bar below for the C of each model; what is far below is cut."""
    means = shown["accuracy_mean"]
    best = means.max()
    axes.axhspan(best - NEAR, best, zorder=0, **_STRIP)
    low, high = max(means.min(), best - _SHOWN_POINTS), min(shown["accuracy_max"].max(), best + _SHOWN_POINTS)
    span = max(high - low, NEAR)
    axes.set_ylim(max(low - 0.22 * span, best - _SHOWN_POINTS), high + 0.06 * span)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    for place, (model, path) in enumerate(shown.groupby("model", sort=False)):
        path = path.sort_values("C")
        height = np.where(path["accuracy_mean"] >= best - NEAR - 1e-9, 0.04 + 0.05 * place, np.nan)
        axes.plot(path["C"], height, transform=axes.get_xaxis_transform(), color=STYLES[model].color, linewidth=2.0,
                  marker="s", markersize=2.8)  # fmt: skip
    cut = shown[means < low].assign(value=means.round())
    for C, rows in cut.groupby("C"):
        side = 1 if shown["C"].median() > C else -1
        whose = [f"{', '.join(STYLES[name].label for name in same['model'])}:\n{value:.0f} %↓"
                 for value, same in rows.groupby("value", sort=False)]  # fmt: skip
        axes.annotate("\n".join(whose), (C, 0.3), xycoords=axes.get_xaxis_transform(), xytext=(9 * side, 0),
                      ha="left" if side > 0 else "right", multialignment="center", textcoords="offset points",
                      fontsize=6.5, bbox={"color": "white", "pad": 0.5})  # fmt: skip


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


def _handle(model: str, label: str | None = None, **look) -> Line2D:
    style = STYLES[model]
    look |= {"color": style.color, "linestyle": _LINES[model], "linewidth": _WIDTHS[model]}
    return Line2D([], [], label=label or style.label, **look)


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
    tuned = largest["tuned"][largest["kernel"]]["C"]
    with figure_style():
        figure = _draw_iterations(frame, curves, tuned, 100 - entry["majority"])
    caption = joined(
        _coincidence(frame, tuned, dataset),
        _ends(frame, tuned),
        "M-FW trains a weighted SVM; it is not the other papers' MFW.",
        "" if dataset in LARGEST else f"{dataset} stands for the paper's miniboone, which is not available.",
    )
    return Chart(figure, frame, caption=caption)


def _coincidence(frame: pd.DataFrame, tuned: dict, dataset: str) -> str:
    """How far the curves of SVM and M-FW are apart at most, where both have the same C."""
    curves = frame[frame["iteration"] > 0].pivot_table(index="iteration", columns="model")
    if tuned.get("svm") != tuned.get("mfw") or not {"svm", "mfw"} <= set(frame["model"]):
        return ""
    sizes, values = (curves[name][["svm", "mfw"]].dropna() for name in ("support_vectors", "accuracy"))
    apart = 100 * (sizes["mfw"] / sizes["svm"] - 1).abs().max()
    points = (values["mfw"] - values["svm"]).abs().max()
    verb = "nearly coincide" if max(apart, points) <= NEAR else "part"
    return (
        f"At the same C SVM and M-FW {verb} on {dataset}: support vectors differ by at most {significant(apart, 2)} %, "
        f"errors by {significant(points, 2)} points."
    )


def _ends(frame: pd.DataFrame, tuned: dict) -> str:
    """Where each curve ends, and why one has the C it has."""
    ends = listing(
        f"{STYLES[model].label} {100 - curve['accuracy'].iloc[-1]:.2f} % with {curve['support_vectors'].iloc[-1]:,.0f}"
        for model, curve in frame.groupby("model", sort=False)
    )
    fixed = (
        f" C = {tuned['mfw_fixed']:g} is our choice: the paper's fixed C is unknown." if "mfw_fixed" in tuned else ""
    )
    return f"Final errors and support vectors: {ends}.{fixed}"


def _label(model: str, tuned: dict) -> str:
    return f"{STYLES[model].label.removesuffix(', fixed C')}, C = {tuned[model]:g}"


def _draw_iterations(frame: pd.DataFrame, curves: dict, tuned: dict, majority: float) -> Figure:
    figure = Figure(figsize=(6.2, 2.9), layout="constrained")
    panels = dict(zip(("error", "support_vectors"), figure.subplots(1, 2), strict=True))
    shown = frame.assign(error=100 - frame["accuracy"])
    shown = shown[shown["iteration"] > 0]
    for measure, axes in panels.items():
        for model, curve in shown.groupby("model", sort=False):
            style, last = STYLES[model], curve.iloc[-1]
            axes.plot(curve["iteration"], curve[measure], color=style.color, linestyle=_LINES[model],
                      linewidth=_THIN[model])  # fmt: skip
            face = style.color if curves[model]["stop_reason"] == "converged" else "white"
            axes.plot(last["iteration"], last[measure], marker=style.marker, color=style.color, markerfacecolor=face,
                      markersize=_MARKERS[model] + 2, linestyle="", zorder=4, clip_on=False)  # fmt: skip
        axes.set(
            xlabel="iterations", ylabel={"error": "test error (%), linear below 1 %"}.get(measure, _LABELS.get(measure))
        )
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
    panels["error"].set_yscale("symlog", linthresh=1, linscale=0.4)  # errors may be 0
    panels["error"].set_yticks([0, 1, 2, 5, 10, 20, 50, 100], [0, 1, 2, 5, 10, 20, 50, 100])
    panels["error"].yaxis.set_minor_locator(NullLocator())
    panels["error"].set_ylim(0, 1.2 * max(shown["error"].max(), majority))
    panels["support_vectors"].set_ylim(0, 1.06 * shown["support_vectors"].max())
    panels["support_vectors"].yaxis.set_major_formatter(FuncFormatter(plain_number))
    panels["error"].axhline(majority, **MAJORITY)
    handles = []
    for model in curves:
        label = f"{_label(model, tuned)} ({'fixed' if model == 'mfw_fixed' else 'tuned'})"
        handles.append(_handle(model, label, marker=STYLES[model].marker, markersize=_MARKERS[model] + 2))
    handles += [majority_handle()]
    limits = sorted({curve["iteration"][-1] for curve in curves.values() if curve["stop_reason"] != "converged"})
    for handle in [limit_handle()] if limits else []:
        handle.set_label(f"stopped at {listing([f'{limit:,}' for limit in limits], 'or')} iterations")
        handles.append(handle)
    figure.legend(handles=by_rows(handles, 3), loc="outside upper center", ncols=3)
    return figure
