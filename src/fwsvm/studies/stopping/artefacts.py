"""How much of the printed speed-up is early stopping: beyond-stopping and beyond-stopping-table."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm.reporting.axes import PRINTED, limit_handle, logarithmic, majority_handle, method_handle
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.panels import facets
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import COLUMN_WIDTH, METHODS, MUTED, TEXT_WIDTH, figure_style, method_label, method_styles
from fwsvm.reporting.tables import Cell, Section, Table
from fwsvm.reporting.text import NOTHING, accuracy, joined, listing, printed_seconds, seconds, significant
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
_COMPARED = _QUANTITIES | {"accuracy": "accuracy (%)", "time": "time (CPU s)"}
# Data sets that are drawn; the table has the others too.
_DRAWN = 3


def stopping_chart(
    runs: pd.DataFrame, descriptions: Sequence[Mapping], missing: Mapping[str, str] | None = None
) -> Chart:
    """Draw accuracy, speed-up and relative gap against the stopping variant, a column per data set."""
    stopping, numbers, cvm = _prepare(runs)
    if stopping.empty:
        raise NotDrawableError(needs("the experiment stopping", []))
    shown = list(dict.fromkeys(numbers["dataset"]))[:_DRAWN]
    left_out = [name for name in dict.fromkeys(numbers["dataset"]) if name not in shown]
    frame = _beside_printed(numbers[numbers["dataset"].isin(shown)])
    for end, other in (("low", "high"), ("high", "low")):
        frame[f"speedup_{end}"] = frame["speedup"] * frame["time"] / frame[f"time_{other}"]
    with figure_style(), mpl.rc_context(_SMALL):
        figure = _draw(frame, cvm, variants(stopping), majority_accuracies(descriptions))
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
    if stopping.empty:
        raise NotDrawableError(needs("the experiment stopping", []))
    frame = _beside_printed(numbers)
    methods = list(dict.fromkeys(frame["method"]))
    cost = "speedup" if frame["speedup"].notna().any() else "time"
    compared = {name: _COMPARED[name] for name in ("accuracy", cost, "gap")}
    known = {name: [f"majority class {value:.2f} %"] for name, value in majority_accuracies(descriptions).items()}
    for row in cvm.itertuples():
        text = f"{row.accuracy:.2f} % in {seconds(row.time, np.nan)} s at a relative gap of {row.gap:.2g}"
        known.setdefault(row.Index, []).append(f"CVM in our rows {text}")
    sections = [
        Section(
            f"{dataset}: {', '.join(known[dataset])}" if dataset in known else dataset,
            tuple(_rows(rows, methods, variants(stopping), compared)),
        )
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


def _draw(numbers: pd.DataFrame, cvm: pd.DataFrame, order: Sequence[str], majority: Mapping) -> Figure:
    """A row of panels per quantity. Lines join the patiences; the presets stand alone."""
    datasets = list(dict.fromkeys(numbers["dataset"]))
    places = {name: place + (0.8 if name in PRESETS else 0.0) for place, name in enumerate(order)}
    long = _long(numbers, majority).assign(place=lambda rows: rows["variant"].map(places).astype(float))
    sizes, styles = train_sizes(datasets, []), method_styles(numbers["method"].unique())
    titles = {name: f"{name}\nm = {sizes[name]:,.0f}" for name in datasets if pd.notna(sizes[name])}
    width = {1: COLUMN_WIDTH, 2: 4.6}.get(len(datasets), TEXT_WIDTH)
    panels = facets(
        long, "place", "value", row="quantity", col="dataset", styles=styles, error=("low", "high"),
        limited="at_limit", bound="bound", reference="majority", joined=False, share=lambda *panel: panel,
        labels=_QUANTITIES, titles=titles, size=(width, 1.7),
    )  # fmt: skip
    for (quantity, dataset), axes in panels.items():
        shown = long[(long["quantity"] == quantity) & (long["dataset"] == dataset)]
        for method, rows in shown.groupby("method"):
            patient = rows[~rows["variant"].isin(PRESETS)]
            axes.plot(patient["place"], patient["value"], color=styles[method].color)
            if pd.notna(rows["printed"].iloc[0]):
                axes.axhline(rows["printed"].iloc[0], color=styles[method].color, zorder=1, **_PRINTED_LINE)
        of_cvm = 1 if quantity == "speedup" else cvm[quantity].get(dataset) if quantity in cvm else None
        if of_cvm is not None:
            axes.axhline(of_cvm, color=METHODS["cvm"].color, linewidth=1.0, zorder=2)
        if quantity != "accuracy":
            logarithmic(axes)
        labels = [_NAMES.get(name, name.removeprefix("patience ")).replace(" ", "\n") for name in places]
        axes.set_xticks(list(places.values()), labels)
        axes.tick_params(axis="x", labelsize=6.5)
    panels.figure.supxlabel("patience: samples in a row without a violation", fontsize=8)
    panels.handles = [method_handle(style) for style in styles.values()]
    if not cvm.empty:
        panels.handles.append(Line2D([], [], color=METHODS["cvm"].color, label="CVM"))
    if long["printed"].notna().any():
        panels.handles.append(Line2D([], [], color=MUTED, label="printed", **_PRINTED_LINE))
    panels.handles += [limit_handle("upper")] if long["at_limit"].any() else []
    panels.handles += [majority_handle()] if long["majority"].notna().any() else []
    return panels.finish()


def _long(numbers: pd.DataFrame, majority: Mapping) -> pd.DataFrame:
    """A row per mark: quantity, value, range, printed value, and what a run at a limit makes of a speed-up."""
    parts = []
    for name in (name for name in _QUANTITIES if numbers[name].notna().any()):
        limited = numbers["at_limit"] & (name == "speedup")
        parts.append(
            numbers[["dataset", "method", "variant", "at_limit"]].assign(
                quantity=name, value=numbers[name], low=numbers[f"{name}_low"], high=numbers[f"{name}_high"],
                printed=numbers.get(f"{name}_printed", np.nan), bound=np.where(limited, "upper", ""),
                majority=numbers["dataset"].map(majority) if name == "accuracy" else np.nan,
            )
        )  # fmt: skip
    return pd.concat(parts, ignore_index=True)
