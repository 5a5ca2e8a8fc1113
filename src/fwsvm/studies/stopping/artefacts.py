"""How much of the printed speed-up is early stopping: a figure and its table (beyond-stopping)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm.reporting.axes import PRINTED, by_rows, draw_method, limit_handle, logarithmic, method_handle
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
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import accuracy, printed_seconds, seconds, significant, whole
from fwsvm.studies.benchmark.groups import STOPPING_STUDY
from fwsvm.studies.benchmark.numbers import (
    BENCHMARK,
    STOPPING,
    datasets_in_order,
    experiment_runs,
    methods_shown,
    printed_numbers,
    train_sizes,
)
from fwsvm.studies.benchmark.protocol import missing_sets, protocol
from fwsvm.studies.benchmark.tables import LIMIT_NOTE
from fwsvm.studies.stopping.early_stopping import PRESETS, cvm_means, shares, variant_numbers, variants

FIGURE, TABLE = "beyond-stopping", "beyond-stopping-table"

_METHODS = ("fw", "mfw", "swap", "swap2o")
_QUANTITIES = {
    "accuracy": "test accuracy (%)",
    "time": "training time (CPU s)",
    "steps": "steps",
    "gap": "relative gap",
}
_PRINTED = {"accuracy": "test_accuracy", "time": "train_cpu_s"}
_PRINTED_LINE = {name: PRINTED[name] for name in ("linestyle", "linewidth", "alpha")}
_SMALL = {"lines.markersize": 3, "lines.linewidth": 1.0, "errorbar.capsize": 0}
_SHORT = {"sampled_libcvm": "LibCVM", "full": "full"}


def stopping_chart(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Chart:
    """Draw accuracy, time, steps and relative gap against the stopping variant, a column per data set.

    Parameters
    ----------
    runs : DataFrame
        Runs table; CVM's times come from the benchmark.
    missing : mapping, optional
        Data set -> why it is not here.
    """
    stopping, numbers, cvm = _prepare(runs)
    if stopping.empty:
        raise NotDrawableError(FIGURE, needs("the experiment stopping", []))
    with figure_style(), mpl.rc_context(_SMALL):
        figure = _draw(numbers, cvm, variants(stopping), method_styles(numbers["method"].unique()))
    caption = [
        "How much of the speed-up is early stopping. Numbers on the axis: patience, the samples of 59 uniform points "
        "in a row without a violation before a run ends (1 is sampled_text, as the papers read); LibCVM: "
        "sampled_libcvm; full: all points looked at. The relative gap is the final model's, over all training points.",
        "Markers: mean over the repetitions; bars: their range; black line: CVM under sampled_libcvm; dashed, pale: "
        "printed accuracy and time. Open marker: a run ended at its time or iteration limit.",
        *_common_caption(stopping, numbers, missing),
    ]
    return Chart(figure, " ".join(part for part in caption if part), _beside_printed(numbers))


def stopping_table(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Table:
    """Lay out the numbers of `stopping_chart`: a section per data set, a row per method and variant."""
    stopping, numbers, _ = _prepare(runs)
    if stopping.empty:
        raise NotDrawableError(TABLE, needs("the experiment stopping", []))
    frame = _beside_printed(numbers)
    notes = Footnotes()
    sections = [
        Section(dataset, tuple(tuple(_cells(row, notes)) for row in rows.itertuples(index=False)))
        for dataset, rows in frame.groupby("dataset", sort=False)
    ]
    compared = ("accuracy (%)", "time (CPU s)", "speed-up over CVM")
    header = (
        ("", "method"),
        ("", "stopping"),
        *((group, side) for group in compared for side in ("ours", "printed")),
        ("", "steps"),
        ("", "relative gap"),
    )
    caption = [
        "How much of the speed-up is early stopping. Patience: the samples of 59 uniform points in a row without a "
        "violation before a run ends (1 is sampled_text); means over the repetitions, beside the printed.",
        *_common_caption(stopping, numbers, missing),
    ]
    text = " ".join(part for part in caption if part)
    return Table(frame, header, tuple(sections), text, notes.listed(), align="ll" + "r" * (len(header) - 2))


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
    return stopping, numbers, cvm_means(benchmark)


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


def _common_caption(stopping: pd.DataFrame, numbers: pd.DataFrame, missing: Mapping[str, str] | None) -> list[str]:
    counts = sorted(set(numbers["n"]))
    repetitions = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    return [
        early_stopping_words(numbers),
        f"Repetitions per variant: {repetitions}.",
        protocol(stopping),
        missing_sets(STOPPING_STUDY, stopping["dataset"].dropna(), missing, "the study"),
    ]


def early_stopping_words(numbers: pd.DataFrame) -> str:
    """Say per method what more patience costs and gives, from the numbers."""
    table = shares(numbers)
    said = []
    for method, rows in table.groupby("method", sort=False):
        rows = rows[rows["datasets"] > 0].set_index("variant")
        others = [name for name in rows.index if name not in PRESETS]
        compared = [*others[1:][-1:], *(name for name in PRESETS if name in rows.index)]
        if not others or not compared:
            continue
        parts = [
            f"{_speedup_words(row)} under {row.name} ({significant(row['slower'], 2)} times the time, "
            f"{row['accuracy']:+.2f} points, median relative gap {significant(row['gap'], 2)})"
            for _, row in rows.loc[compared].iterrows()
        ]
        first = rows.loc[others[0]]
        said.append(
            f"{method_label(method)}: {_speedup_words(first)} under {others[0]} (median relative gap "
            f"{significant(first['gap'], 2)}), {', '.join(parts)}."
        )
    if not said:
        return ""
    return f"Speed-up over CVM, geometric mean over the data sets. {' '.join(said)}"


def _speedup_words(row: pd.Series) -> str:
    return f"{significant(row['speedup'], 2)}×" if pd.notna(row["speedup"]) else "CVM not run"


def _cells(row, notes: Footnotes):
    marks = (notes.mark(LIMIT_NOTE),) if row.at_limit else ()
    yield Cell(method_label(row.method))
    yield Cell(row.variant)
    yield Cell(accuracy(row.accuracy, np.nan), marks)
    yield Cell(accuracy(row.accuracy_printed, np.nan))
    yield Cell(seconds(row.time, np.nan), marks)
    yield Cell(printed_seconds(row.time_printed, np.nan))
    yield Cell(significant(row.speedup, 2))
    yield Cell(significant(row.speedup_printed, 2))
    yield Cell(whole(None if pd.isna(row.steps) else round(row.steps)))
    yield Cell(significant(row.gap, 2))


def _draw(numbers: pd.DataFrame, cvm: pd.DataFrame, order: Sequence[str], styles: Mapping[str, MethodStyle]) -> Figure:
    datasets = list(dict.fromkeys(numbers["dataset"]))
    sizes = train_sizes(datasets, [])
    width = {1: COLUMN_WIDTH, 2: 4.6}.get(len(datasets), TEXT_WIDTH)
    figure = Figure(figsize=(width, 7.2), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.03, wspace=0.01, hspace=0.02)
    panels = figure.subplots(len(_QUANTITIES), len(datasets), sharex=True, sharey=False, squeeze=False)
    places = _places(order)
    for row, quantity in enumerate(_QUANTITIES):
        for column, dataset in enumerate(datasets):
            axes = panels[row, column]
            _draw_panel(axes, numbers[numbers["dataset"] == dataset], quantity, places, styles)
            if quantity in _PRINTED:
                _mark_references(axes, quantity, dataset, cvm, styles)
            if quantity != "accuracy":
                logarithmic(axes)
            if row == 0:
                m = f"\nm = {sizes[dataset]:,.0f}" if pd.notna(sizes[dataset]) else ""
                axes.set_title(f"{dataset}{m}")
        panels[row, 0].set_ylabel(_QUANTITIES[quantity])
    for axes in panels[-1]:
        axes.set_xticks(list(places.values()), [_SHORT.get(name, name.removeprefix("patience ")) for name in places])
        axes.tick_params(axis="x", labelrotation=90, labelsize=6.5)
    figure.align_ylabels(panels[:, 0])
    figure.supxlabel("patience (samples in a row without a violation), or preset", fontsize=8)
    handles = [method_handle(style) for style in styles.values()]
    if not cvm.empty:
        handles.append(Line2D([], [], color=METHODS["cvm"].color, label="CVM"))
    if set(datasets) & set(printed_numbers("train_cpu_s").index):
        handles.append(Line2D([], [], color=MUTED, label="printed", **_PRINTED_LINE))
    if numbers["at_limit"].any():
        handles.append(limit_handle())
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
    preset = numbers["variant"].isin(PRESETS)
    for place, (method, style) in enumerate(styles.items()):
        shift = 0.1 * (place - (len(styles) - 1) / 2)
        for alone in (False, True):
            rows = numbers[(numbers["method"] == method) & (preset == alone)]
            draw_method(axes, rows["variant"].map(places).to_numpy(dtype=float) + shift, rows, style, joined=not alone)


def _mark_references(
    axes: Axes, quantity: str, dataset: str, cvm: pd.DataFrame, styles: Mapping[str, MethodStyle]
) -> None:
    """Draw CVM's own value, and the printed ones of CVM and of the methods that frandi2013 has."""
    table = printed_numbers(_PRINTED[quantity])
    black = METHODS["cvm"].color
    if dataset in cvm.index and pd.notna(cvm.loc[dataset, quantity]):
        axes.axhline(cvm.loc[dataset, quantity], color=black, linewidth=1.0, zorder=2)
    for method, color in {"cvm": black, **{name: style.color for name, style in styles.items()}}.items():
        value = _printed_value(table, method, dataset)
        if pd.notna(value):
            axes.axhline(value, color=color, zorder=1, **_PRINTED_LINE)
