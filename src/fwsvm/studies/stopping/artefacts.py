"""How much of the printed speed-up is early stopping: a figure and its table (beyond-stopping)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm.reporting.axes import (
    MAJORITY,
    PRINTED,
    by_rows,
    draw_method,
    limit_handle,
    logarithmic,
    majority_handle,
    method_handle,
)
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import (
    COLUMN_WIDTH,
    METHODS,
    MUTED,
    TEXT_WIDTH,
    MethodStyle,
    figure_style,
    method_label,
    method_styles,
)
from fwsvm.reporting.tables import Cell, Section, Table
from fwsvm.reporting.text import (
    NOTHING,
    accuracy,
    joined,
    listing,
    printed_seconds,
    seconds,
    significant,
)
from fwsvm.studies.benchmark.groups import STOPPING_STUDY
from fwsvm.studies.benchmark.numbers import (
    BENCHMARK,
    STOPPING,
    datasets_in_order,
    experiment_runs,
    majority_accuracies,
    methods_shown,
    printed_numbers,
    train_sizes,
)
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.stopping.early_stopping import PRESETS, cvm_means, protocol_of, shares, variant_numbers, variants

_METHODS = ("fw", "mfw", "swap", "swap2o")
_QUANTITIES = {"accuracy": "test accuracy (%)", "speedup": "speed-up over CVM", "gap": "relative gap"}
_PRINTED = {"accuracy": "test_accuracy", "time": "train_cpu_s"}
_PRINTED_LINE = {name: PRINTED[name] for name in ("linestyle", "linewidth", "alpha")}
_SMALL = {"lines.markersize": 3, "lines.linewidth": 1.0, "errorbar.capsize": 0}
_NAMES = {"libcvm": "LibCVM's samples", "all_points": "all points"}
_ROWS = _NAMES | {"all_points": "no samples, all points"}
_DRAWN = 3
"""Data sets that are drawn; the table has the others."""


def stopping_chart(
    runs: pd.DataFrame, descriptions: Sequence[Mapping], missing: Mapping[str, str] | None = None
) -> Chart:
    """Draw accuracy, time and relative gap against the stopping variant, a column per data set.

    CVM's times come from the benchmark, the majority class from the descriptions.
    """
    stopping, numbers, cvm = _prepare(runs)
    if stopping.empty:
        raise NotDrawableError(needs("the experiment stopping", []))
    shown = list(dict.fromkeys(numbers["dataset"]))[:_DRAWN]
    left_out = [name for name in dict.fromkeys(numbers["dataset"]) if name not in shown]
    frame = _beside_printed(numbers[numbers["dataset"].isin(shown)])
    for end, other in (("low", "high"), ("high", "low")):
        frame[f"speedup_{end}"] = frame["speedup"] * frame["time"] / frame[f"time_{other}"]
    with figure_style(), mpl.rc_context(_SMALL):
        styles = method_styles(frame["method"].unique())
        figure = _draw(frame, cvm, variants(stopping), styles, majority_accuracies(descriptions))
    notes = joined(
        f"Also in the table: {listing(left_out)}." if left_out else "",
        missing_sets(STOPPING_STUDY, stopping["dataset"].dropna(), missing, "the study"),
    )
    return Chart(figure, frame, notes)


def stopping_table(
    runs: pd.DataFrame, descriptions: Sequence[Mapping], missing: Mapping[str, str] | None = None
) -> Table:
    """Lay out accuracy, speed-up (without CVM the time) and gap: a section per data set, a row per variant."""
    stopping, numbers, cvm = _prepare(runs)
    references = {
        "majority class": {name: f"{value:.2f} %" for name, value in majority_accuracies(descriptions).items()},
        "CVM in our rows": {
            row.Index: f"{row.accuracy:.2f} % in {seconds(row.time, np.nan)} s at a relative gap of {row.gap:.2g}"
            for row in cvm.itertuples()
        },
    }
    if stopping.empty:
        raise NotDrawableError(needs("the experiment stopping", []))
    frame = _beside_printed(numbers)
    methods = list(dict.fromkeys(frame["method"]))
    compared = {name: text for name, text in _COMPARED.items() if name != _LEFT_OUT[frame["speedup"].notna().any()]}
    sections = [
        Section(_heading(dataset, references), tuple(_rows(rows, methods, variants(stopping), compared)))
        for dataset, rows in frame.groupby("dataset", sort=False)
    ]
    if len(sections) > 1:
        heading = (
            f"All {len(sections)} data sets: mean accuracy above that of {variants(stopping)[0]}, "
            "geometric mean of the speed-ups, median gap"
        )
        over_all = shares(numbers).rename(columns={"slower": "time"})
        whole = Section(heading, tuple(_rows(over_all, methods, variants(stopping), compared, "{:+.2f} points")))
        sections = [whole, *sections]
    labels = [method_label(method) for method in methods]
    header = (("", "ends by"), *((group, label) for group in compared.values() for label in labels))
    notes = missing_sets(STOPPING_STUDY, stopping["dataset"].dropna(), missing, "the study")
    return Table(frame, header, tuple(sections), notes=notes)


def _heading(dataset: str, references: Mapping[str, Mapping[str, str]]) -> str:
    """The data set with the accuracies and the time that the others are to be read against."""
    known = [f"{name} {of[dataset]}" for name, of in references.items() if dataset in of]
    return f"{dataset}: {', '.join(known)}" if known else dataset


_COMPARED = {
    "accuracy": "accuracy (%)",
    "speedup": "speed-up over CVM",
    "time": "time (CPU s)",
    "gap": "relative gap",
}
_LEFT_OUT = {True: "time", False: "speedup"}
"""Whether speed-ups are known -> what is not shown."""


def _rows(
    frame: pd.DataFrame, methods: Sequence[str], order: Sequence[str], compared: Mapping, of_accuracy: str = "{:.2f}"
):
    """A row per variant, and the printed one."""
    ours = frame.set_index(["method", "variant"])
    for variant in order:
        cells = [Cell(_ROWS.get(variant, variant))]
        for name in compared:
            for method in methods:
                known = (method, variant) in ours.index
                cells.append(_cell(name, ours.loc[(method, variant)], of_accuracy) if known else Cell(NOTHING))
        yield tuple(cells)
    if "accuracy_printed" not in frame:
        return
    first = frame.groupby("method").first()
    printed = [
        {
            "accuracy": accuracy(row["accuracy_printed"], np.nan),
            "speedup": significant(row["speedup_printed"], 2),
            "time": printed_seconds(row["time_printed"], np.nan),
        }
        for _, row in first.loc[list(methods)].iterrows()
    ]
    if any(cell[name] != NOTHING for cell in printed for name in compared if name in cell):
        yield (Cell("printed, patience 1"), *(Cell(cell.get(name, NOTHING)) for name in compared for cell in printed))


def _cell(name: str, row: pd.Series, of_accuracy: str) -> Cell:
    if name == "accuracy":
        return Cell(of_accuracy.format(row["accuracy"]).replace("-", "−"))
    bound = {"time": "≥ ", "speedup": "≤ "}.get(name, "") if row["at_limit"] else ""
    return Cell(bound + significant(row[name], 3 if name == "time" else 2))


def _prepare(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Runs of the experiment, their numbers (data sets in the paper's order of size), and CVM's means."""
    stopping = experiment_runs(runs, STOPPING)
    if stopping.empty:
        return stopping, pd.DataFrame(), pd.DataFrame()
    benchmark = experiment_runs(runs, BENCHMARK, stopping["dataset"].dropna().unique())
    order = _in_order(stopping)
    numbers = variant_numbers(stopping, benchmark)
    methods = methods_shown(stopping, _METHODS)
    place = numbers["dataset"].map(order.index) * 100 + numbers["method"].map(methods.index)
    numbers = numbers.loc[place.sort_values(kind="stable").index].reset_index(drop=True)
    return stopping, numbers, cvm_means(benchmark, protocol_of(stopping))


def _in_order(runs: pd.DataFrame) -> list[str]:
    present = set(runs["dataset"].dropna())
    known = [name for name in STOPPING_STUDY if name in present]
    return known + datasets_in_order(present - set(known))


def _beside_printed(numbers: pd.DataFrame) -> pd.DataFrame:
    frame = numbers.copy()
    for name, measure in _PRINTED.items():
        table = printed_numbers(measure)
        frame[f"{name}_printed"] = [_printed_value(table, row.method, row.dataset) for row in frame.itertuples()]
        if name == "time":
            cvm = [_printed_value(table, "cvm", dataset) for dataset in frame["dataset"]]
            frame["speedup_printed"] = np.array(cvm, dtype=float) / frame["time_printed"]
    return frame


def _printed_value(table: pd.DataFrame, method: str, dataset: str) -> float:
    column = f"{method}_mean"
    return float(table.loc[dataset, column]) if column in table and dataset in table.index else np.nan


def _draw(numbers: pd.DataFrame, cvm: pd.DataFrame, order: Sequence[str], styles: Mapping, majority: Mapping) -> Figure:
    datasets = list(dict.fromkeys(numbers["dataset"]))
    quantities = [name for name in _QUANTITIES if numbers[name].notna().any()]
    sizes = train_sizes(datasets, [])
    width = {1: COLUMN_WIDTH, 2: 4.6}.get(len(datasets), TEXT_WIDTH)
    figure = Figure(figsize=(width, 0.8 + 1.6 * len(quantities)), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.03, wspace=0.01, hspace=0.02)
    panels = figure.subplots(len(quantities), len(datasets), sharex=True, sharey=False, squeeze=False)
    places = _places(order)
    for row, quantity in enumerate(quantities):
        for column, dataset in enumerate(datasets):
            axes = panels[row, column]
            rows = numbers[numbers["dataset"] == dataset]
            _draw_panel(axes, rows, quantity, places, styles)
            of_cvm = 1 if quantity == "speedup" else cvm[quantity].get(dataset) if quantity in cvm else None
            _mark_references(axes, rows, quantity, of_cvm, styles)
            if quantity == "accuracy" and dataset in majority:
                axes.axhline(majority[dataset], **MAJORITY)
            if quantity != "accuracy":
                logarithmic(axes)
            if row == 0:
                m = f"\nm = {sizes[dataset]:,.0f}" if pd.notna(sizes[dataset]) else ""
                axes.set_title(f"{dataset}{m}")
        panels[row, 0].set_ylabel(_QUANTITIES[quantity])
    for axes in panels[-1]:
        labels = [_NAMES.get(name, name.removeprefix("patience ")) for name in places]
        axes.set_xticks(list(places.values()), [label.replace(" ", "\n") for label in labels])
        axes.tick_params(axis="x", labelsize=6.5)
    figure.align_ylabels(panels[:, 0])
    figure.supxlabel("patience: samples in a row without a violation", fontsize=8)
    handles = [method_handle(style) for style in styles.values()]
    if not cvm.empty:
        handles.append(Line2D([], [], color=METHODS["cvm"].color, label="CVM"))
    if set(datasets) & set(printed_numbers("train_cpu_s").index):
        handles.append(Line2D([], [], color=MUTED, label="printed", **_PRINTED_LINE))
    if numbers["at_limit"].any():
        handles.append(limit_handle("upper"))
    handles += [majority_handle()] if set(datasets) & set(majority) else []
    columns = min(len(handles), 4 if width < TEXT_WIDTH else 7)
    figure.legend(handles=by_rows(handles, columns), loc="outside upper center", ncols=columns)
    return figure


def _places(order: Sequence[str]) -> dict[str, float]:
    """Places on the axis; the presets stand apart from the patiences."""
    return {name: place + (0.8 if name in PRESETS else 0.0) for place, name in enumerate(order)}


def _draw_panel(
    axes: Axes, numbers: pd.DataFrame, quantity: str, places: Mapping[str, float], styles: Mapping[str, MethodStyle]
) -> None:
    """Draw one quantity of one data set; lines join the patiences, the presets stand alone."""
    columns = {quantity: "value", f"{quantity}_low": "low", f"{quantity}_high": "high"}
    numbers = numbers[["method", "variant", "at_limit", *columns]].rename(columns=columns)
    preset, bound = numbers["variant"].isin(PRESETS), "upper" if quantity == "speedup" else None
    for method, style in styles.items():
        for alone in (False, True):
            rows = numbers[(numbers["method"] == method) & (preset == alone)]
            draw_method(
                axes, rows["variant"].map(places).to_numpy(dtype=float), rows, style, joined=not alone, bound=bound
            )


def _mark_references(
    axes: Axes, rows: pd.DataFrame, quantity: str, of_cvm: float | None, styles: Mapping[str, MethodStyle]
) -> None:
    """Draw CVM's own value, and the printed ones of the methods that frandi2013 has."""
    if of_cvm is not None:
        axes.axhline(of_cvm, color=METHODS["cvm"].color, linewidth=1.0, zorder=2)
    if f"{quantity}_printed" in rows:
        for method, value in rows.groupby("method")[f"{quantity}_printed"].first().dropna().items():
            axes.axhline(value, color=styles[method].color, zorder=1, **_PRINTED_LINE)
