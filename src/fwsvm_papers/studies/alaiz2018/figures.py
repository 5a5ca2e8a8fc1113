"""The figures of alaiz2018. They show how the models depend on C, and how they change during
training.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import (
    MAJORITY,
    add_legend,
    limit_handle,
    logarithmic,
    majority_handle,
    plain_number,
)
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.panels import facets
from fwsvm_papers.reporting.style import MUTED, TEXT_WIDTH, figure_style
from fwsvm_papers.reporting.text import joined, listing
from fwsvm_papers.studies.alaiz2018.sparsity import (
    LARGER,
    LARGEST,
    MEASURES,
    in_order,
    path_summary,
)
from fwsvm_papers.studies.alaiz2018.tables import STYLES, TITLES, Details, Missing, partitions_of
from fwsvm_papers.studies.benchmark.protocol import missing_sets

# A value of C counts as good if its accuracy is at most this number of percentage points below the
# best accuracy.
NEAR = 1.0
_GOOD = {"linewidth": 2.0, "marker": "s", "markersize": 2.8, "color": MUTED}
_CHOSEN = {
    "marker": "D",
    "markersize": 6,
    "markerfacecolor": "none",
    "color": MUTED,
    "linestyle": "none",
}
# the lines often coincide, so the line of the SVM is wide and behind the other lines
_LOOKS: dict[str, dict[str, Any]] = {
    "svm": {"linestyle": "-", "linewidth": 3.0, "markersize": 5.5},
    "mfw": {"linestyle": "-", "linewidth": 1.1, "markersize": 2.8},
    "mfw_fixed": {"linestyle": (0, (4, 1.5)), "linewidth": 1.3, "markersize": 2.8},
}


def look(model: str, **changes: object) -> dict:
    return {"color": STYLES[model].color, "marker": STYLES[model].marker} | _LOOKS[model] | changes


_ROWS = {
    "accuracy": "test accuracy (%)",
    "support_vectors": "support vectors,\nM-FW / SVM",
    "iterations": "iterations,\nM-FW / SVM",
}
"""Maps a measure to the label of its panels. The panel of the accuracy shows both models. The other
panels show ratios.
"""


def fig3(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Chart:
    """Draw results of the SVM and of M-FW against C on the larger data sets (alaiz2018 fig. 3).

    The panels show the accuracies of both models, the ratio of their numbers of support vectors,
    and the ratio of their numbers of iterations.
    """
    numbers = in_order(path_summary(runs, alaiz2018))
    require(len(numbers), needs("the study alaiz2018", LARGER, missing))
    entries = {entry["dataset"]: entry for entry in alaiz2018 if "c_path" in entry}
    drawn = shown_values(numbers, {name: entry["majority"] for name, entry in entries.items()})
    require(len(drawn), needs("both models in the study alaiz2018", LARGER, missing))
    with figure_style():
        width = min(TEXT_WIDTH, 0.45 + 1.75 * max(drawn["case"].nunique(), 2))
        panels = facets(
            drawn,
            "C",
            "value",
            row="measure",
            col="case",
            styles={model: STYLES[model] for model in ("svm", "mfw")},
            limited="ended",
            reference="majority",
            logx=2,
            share=lambda row, col: (row, col.split(",")[0]) if row == "accuracy" else row,
            xlabel="C (log scale)",
            size=(width, 1.6),
            labels=_ROWS,
        )
        svm = STYLES["svm"].color
        for (measure, case), axes in panels.axes.items():
            axes.xaxis.set_major_locator(LogLocator(base=2, numticks=5))
            axes.set_xlim(drawn["C"].min() / 1.5, 1.5 * drawn["C"].max())
            axes.margins(y=0.12)
            if measure != "accuracy":
                axes.axhline(1, color=svm, linewidth=1.6, zorder=2)
                logarithmic(axes)
                continue
            # The two curves often coincide, so the SVM's curve is wide and behind M-FW's.
            for line in axes.lines:
                if line.get_color() == svm:
                    line.set(linewidth=2.6, markersize=5.5, zorder=2)
            axes.tick_params(labelleft=True)
            dataset, kernel = drawn.loc[drawn["case"] == case, ["dataset", "kernel"]].iloc[0]
            of_case = numbers[(numbers["dataset"] == dataset) & (numbers["kernel"] == kernel)]
            tuned = entries[dataset]["c_path"]["tuned"][kernel]["C"]
            strip = _mark_near_the_best(axes, of_case, tuned)
            if axes.get_ylabel():
                words = {"rotation": 0, "ha": "right", "va": "center"}
                strip.set_ylabel(f"C within\n{NEAR:g} point", **words)
        handles = [
            Line2D([], [], label="C with an accuracy near the best", **_GOOD),
            Line2D([], [], label="cross-validated C", **_CHOSEN),
        ]
        panels.handles[0].set(linewidth=2.6, markersize=5.5)
        figure = panels.finish(*handles)
    notes = joined(partitions_of(numbers), missing_sets(LARGER, numbers["dataset"], missing))
    return Chart(figure, numbers, notes)


def shown_values(numbers: pd.DataFrame, majority: Mapping[str, float]) -> pd.DataFrame:
    """Return the values that are drawn, with a row per mark.

    A case is a data set with a kernel. For each case and each C that both models have, the table
    has the mean accuracy of each model and two ratios. The first ratio is M-FW's mean number of
    support vectors divided by the SVM's. The second is the same ratio of the numbers of iterations.

    The column ``ended`` says whether a run ended at its limit of time or iterations. For a ratio,
    ``ended`` is true if a run of M-FW or of the SVM ended at such a limit. The column ``majority``
    has the accuracy of the majority prediction.
    """
    keys = ["dataset", "kernel", "C"]
    means = [f"{measure}_mean" for measure in MEASURES]
    svm, mfw = (
        numbers[numbers["model"] == model].set_index(keys)[[*means, "at_limit"]]
        for model in ("svm", "mfw")
    )
    both = mfw.reset_index().merge(svm.reset_index(), on=keys, suffixes=("_mfw", "_svm"))
    case = both["dataset"] + ", " + both["kernel"].replace("rbf", "RBF")
    shared = both[keys].assign(case=case, majority=np.nan)
    blocks = [
        shared.assign(
            method=model,
            measure="accuracy",
            value=both[f"accuracy_mean_{model}"],
            ended=both[f"at_limit_{model}"] > 0,
            majority=both["dataset"].map(majority),
        )
        for model in ("svm", "mfw")
    ]
    ended = (both["at_limit_mfw"] > 0) | (both["at_limit_svm"] > 0)
    for measure in _ROWS.keys() - {"accuracy"}:
        ratio = both[f"{measure}_mean_mfw"] / both[f"{measure}_mean_svm"]
        blocks.append(shared.assign(method="mfw", measure=measure, value=ratio, ended=ended))
    found = pd.concat(blocks, ignore_index=True)
    return found.assign(measure=pd.Categorical(found["measure"], list(_ROWS)))


def _mark_near_the_best(axes: Axes, of_case: pd.DataFrame, chosen: Mapping) -> Axes:
    """Draw a strip below the axes, and return it.

    For each model, the strip marks the values of C whose accuracy is near the best accuracy, and
    the value of C that cross-validation chose.
    """
    best = of_case["accuracy_mean"].max()
    strip = axes.inset_axes([0, -0.3, 1, 0.22], sharex=axes)
    strip.set(ylim=(1.7, -0.7), yticks=[])
    strip.tick_params(labelbottom=False)
    for place, model in enumerate(("svm", "mfw")):
        path = of_case[of_case["model"] == model].sort_values("C")
        near = path["accuracy_mean"] >= best - NEAR - 1e-9
        height, color = np.where(near, place, np.nan), STYLES[model].color
        strip.plot(path["C"], height, **{**_GOOD, "color": color})
        if model in chosen:
            strip.plot(chosen[model], place, **{**_CHOSEN, "color": color})
    return strip


def fig4(alaiz2018: Details, missing: Missing = None) -> Chart:
    """Draw the test error and the number of support vectors against the iterations on the largest
    data set (alaiz2018 fig. 4).
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
    figure = Figure(figsize=(TEXT_WIDTH, 3.3), layout="constrained")
    error, sizes = figure.subplots(1, 2)
    shown = frame.assign(error=100 - frame["accuracy"]).query("iteration > 0 and error > 0")
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
    error.set_ylabel("test error (%, log scale)")
    error.axhline(majority, **MAJORITY)
    logarithmic(error)
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
