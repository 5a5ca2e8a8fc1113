"""A series of growing data sets: accuracy, speed-up, time and sizes, one column of panels per selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from fwsvm.analysis.runs import CERTIFIED, selections_of
from fwsvm.render.benchmark import benchmark_runs, beside_printed, has_certified, methods_shown, train_sizes
from fwsvm.render.figures_io import Chart, placeholder
from fwsvm.render.protocol import CVM_NOTE, missing_sets, protocol, selections_sentence
from fwsvm.render.style import COLUMN_WIDTH, MUTED, TEXT_WIDTH, MethodStyle, figure_style, method_styles

QUANTITIES = {
    "accuracy": "test accuracy (%)",
    "speedup": "speed-up over CVM",
    "time": "training time (CPU s)",
    "size": "number of points",
}
"""The four rows of panels, top to bottom -> axis label."""

_MEASURES = {"accuracy": "test_accuracy", "time": "train_cpu_s", "size": "support_vectors"}
_WIDTHS = {1: COLUMN_WIDTH, 2: 5.4}
_PRINTED = {"linestyle": "--", "linewidth": 1.0, "markersize": 3.0, "markeredgewidth": 0, "alpha": 0.4}
_TRAINING = {"linestyle": ":", "linewidth": 1.4, "color": MUTED}
_LIMITED = {"linestyle": "none", "marker": "o", "color": MUTED, "markerfacecolor": "white"}
_READING = (
    "Markers: mean over the repetitions; bars: their range. Dashed, pale: printed in the paper; pale names: "
    "not run. Open marker: a run ended at its time or iteration limit. Last row: support vectors, and dotted the "
    "training points. Speed-up: mean CVM time over mean time."
)


def series_numbers(
    runs: pd.DataFrame, descriptions: Sequence[Mapping], series: Sequence[str], methods: Sequence[str]
) -> pd.DataFrame:
    """Compute what the figure of a series draws.

    Parameters
    ----------
    runs : DataFrame
        Benchmark runs.
    descriptions : sequence of mapping
        One per data set, for the number of training points.
    series : sequence of str
        Data sets.
    methods : sequence of str
        Methods, CVM among them.

    Returns
    -------
    DataFrame
        One row per selection, quantity, method and data set in order of ``m``: ``value``, ``low``, ``high``
        (range over repetitions), ``printed``, ``at_limit``; NaN where there is nothing. CVM has no speed-up.
    """
    runs = runs[runs["dataset"].isin(list(series)).fillna(False)]
    sizes = train_sizes(series, descriptions, runs).sort_values(kind="stable")
    order = list(sizes.index)
    tables = {quantity: beside_printed(runs, measure, methods, order) for quantity, measure in _MEASURES.items()}
    keep = ["selection", "method", "dataset", "value", "low", "high", "printed", "at_limit"]
    blocks = []
    for quantity in QUANTITIES:
        table = _speedups(tables["time"]) if quantity == "speedup" else tables[quantity]
        table = table.rename(columns={"mean": "value", "min": "low", "max": "high", "printed_mean": "printed"})
        blocks.append(table[keep].assign(quantity=quantity))
    numbers = pd.concat(blocks, ignore_index=True)
    numbers.insert(3, "m", numbers["dataset"].map(sizes))
    numbers["at_limit"] = numbers["at_limit"].astype(bool)
    return numbers


def _speedups(times: pd.DataFrame) -> pd.DataFrame:
    """Divide mean CVM time by each method's times; at a limit if either of the two is."""
    cvm = times[times["method"] == "cvm"].set_index(["selection", "dataset"])
    table = times[times["method"] != "cvm"].copy()
    base = cvm.loc[pd.MultiIndex.from_frame(table[["selection", "dataset"]])]
    numerator = base["mean"].to_numpy()
    slowest, fastest = table["max"], table["min"]
    table["mean"] = numerator / table["mean"]
    table["min"], table["max"] = numerator / slowest, numerator / fastest
    table["printed_mean"] = base["printed_mean"].to_numpy() / table["printed_mean"]
    table["at_limit"] = (table["at_limit"] > 0) | (base["at_limit"].to_numpy() > 0)
    return table


def series_chart(
    artefact_id: str,
    runs: pd.DataFrame,
    descriptions: Sequence[Mapping],
    series: Sequence[str],
    paper_methods: Sequence[str],
    title: str,
    missing: Mapping[str, str] | None = None,
) -> Chart:
    """Draw a series of data sets: four rows of panels, one column per selection.

    Parameters
    ----------
    artefact_id : str
        Which artefact it is.
    runs : DataFrame
        Runs table.
    descriptions : sequence of mapping
        One per data set: ``dataset`` (or ``name``) and ``m``.
    series : sequence of str
        Data sets of the series.
    paper_methods : sequence of str
        Methods that the paper's figure has.
    title : str
        First sentence of the caption.
    missing : mapping, optional
        Data set -> why it is not here.

    Returns
    -------
    Chart
        A placeholder if none of the series has been run.
    """
    runs = benchmark_runs(runs)
    runs = runs[runs["dataset"].isin(list(series)).fillna(False)]
    if runs.empty:
        reason = f"None of the data sets of this series ({series[0]} to {series[-1]}) was run in this profile."
        return placeholder(artefact_id, reason)
    methods = methods_shown(runs, paper_methods)
    if has_certified(runs):
        methods.insert(1, CERTIFIED)
    numbers = series_numbers(runs, descriptions, series, methods)
    selections = selections_of(runs)
    with figure_style():
        figure = _draw(numbers, selections, method_styles(methods))
    caption = " ".join(
        [
            title,
            selections_sentence(runs, selections),
            _READING,
            CVM_NOTE,
            protocol(runs),
            missing_sets(series, runs["dataset"].dropna(), missing),
        ]
    )
    return Chart(figure, caption, numbers)


def _draw(numbers: pd.DataFrame, selections: Sequence[str], styles: Mapping[str, MethodStyle]) -> Figure:
    width = _WIDTHS.get(len(selections), TEXT_WIDTH)
    figure = Figure(figsize=(width, 7.6), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02, hspace=0.02)
    panels = figure.subplots(len(QUANTITIES), len(selections), sharex=True, sharey="row", squeeze=False)
    order = list(dict.fromkeys(numbers["dataset"]))
    for row, quantity in enumerate(QUANTITIES):
        for column, selection in enumerate(selections):
            axes = panels[row, column]
            shown = numbers[(numbers["quantity"] == quantity) & (numbers["selection"] == selection)]
            _draw_panel(axes, shown, order, styles)
            if quantity == "speedup":
                axes.axhline(1, color=MUTED, linewidth=0.8, zorder=1)
            if quantity == "size":
                sizes = shown.drop_duplicates("dataset").set_index("dataset")["m"]
                axes.plot(range(len(order)), sizes.loc[order], zorder=1, **_TRAINING)
            if row == 0:
                axes.set_title(selection)
        if quantity != "accuracy":
            logarithmic(panels[row, 0])
        panels[row, 0].set_ylabel(QUANTITIES[quantity])
    figure.align_ylabels(panels[:, 0])
    _name_datasets(panels[-1], numbers, order, crowded=len(selections) > 1)
    handles = _legend(numbers, styles)
    columns = min(len(handles), 3 if width < 5 else 4 if width < TEXT_WIDTH else 7)
    figure.legend(handles=by_rows(handles, columns), loc="outside upper center", ncols=columns)
    return figure


def _draw_panel(axes: Axes, shown: pd.DataFrame, order: Sequence[str], styles: Mapping[str, MethodStyle]) -> None:
    methods = [method for method in styles if (shown["method"] == method).any()]
    for place, method in enumerate(methods):
        style = styles[method]
        rows = shown[shown["method"] == method].set_index("dataset").loc[list(order)]
        x = np.arange(len(order)) + 0.09 * (place - (len(methods) - 1) / 2)
        axes.plot(x, rows["printed"], color=style.color, marker=style.marker, zorder=2, **_PRINTED)
        here = rows["value"].notna().to_numpy()
        value = rows["value"].to_numpy()[here]
        bars = np.abs(np.vstack([rows["low"], rows["high"]])[:, here] - value)
        axes.errorbar(x[here], value, yerr=bars, color=style.color, linestyle="-", elinewidth=0.8, zorder=3)
        limited = rows["at_limit"].to_numpy()[here]
        for mask, face in ((~limited, style.color), (limited, "white")):
            look = {"marker": style.marker, "color": style.color, "markerfacecolor": face}
            axes.plot(x[here][mask], value[mask], linestyle="none", zorder=4, **look)


def _name_datasets(bottom: Sequence[Axes], numbers: pd.DataFrame, order: Sequence[str], crowded: bool) -> None:
    """Write the data sets below the last row; pale where nothing was run."""
    run = set(numbers.loc[numbers["value"].notna(), "dataset"])
    for axes in bottom:
        axes.set_xticks(range(len(order)), order, rotation=60 if crowded and len(order) > 6 else 0)
        axes.set_xlim(-0.45, len(order) - 0.55)
        for name, label in zip(order, axes.get_xticklabels(), strict=True):
            label.set_color("black" if name in run else "#a0a0a0")


def _legend(numbers: pd.DataFrame, styles: Mapping[str, MethodStyle]) -> list[Line2D]:
    handles = [Line2D([], [], color=style.color, marker=style.marker, label=style.label) for style in styles.values()]
    if numbers["printed"].notna().any():
        handles.append(Line2D([], [], color=MUTED, marker="o", label="printed", **_PRINTED))
    handles.append(Line2D([], [], label="training set", **_TRAINING))
    if numbers["at_limit"].any():
        handles.append(Line2D([], [], label="hit a limit", **_LIMITED))
    return handles


def by_rows(handles: Sequence, columns: int) -> list:
    """Reorder legend entries so that they read row by row; matplotlib fills column by column."""
    return [handle for first in range(columns) for handle in handles[first::columns]]


def logarithmic(axes: Axes) -> None:
    """Make the y axis logarithmic with plain numbers; finer labels where it spans little."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    decades = np.log10(high / low)
    steps = (1, 2, 5) if decades < 1.6 else (1, 3) if decades < 3.2 else (1,)
    axes.yaxis.set_major_locator(LogLocator(subs=steps, numticks=20))
    axes.yaxis.set_major_formatter(FuncFormatter(plain_number))
    axes.yaxis.set_minor_locator(NullLocator())


def plain_number(value: float, _position: int | None = None) -> str:
    """Write an axis number without an exponent."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"
