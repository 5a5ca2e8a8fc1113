"""Draw beyond-stopping and its table: the part of the speed-up that is due to early stopping."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from fwsvm_papers.reporting.axes import logarithmic
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.panels import facets
from fwsvm_papers.reporting.style import (
    METHODS,
    MUTED,
    TEXT_WIDTH,
    figure_style,
    method_label,
    method_styles,
)
from fwsvm_papers.reporting.tables import Cell, Section, Table
from fwsvm_papers.reporting.text import NOTHING, joined, listing, seconds, significant
from fwsvm_papers.runs.comparison import lower_bounds
from fwsvm_papers.runs.records import conform
from fwsvm_papers.runs.table import of_method, summarise
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark.groups import STOPPING_STUDY
from fwsvm_papers.studies.benchmark.protocol import Details, Missing, missing_sets
from fwsvm_papers.studies.stopping import SHARED

ALL_POINTS = "all_points"
"""Name of the variant that searches all points instead of samples, and does not stop early."""

_SUMMARISED = {
    "accuracy": "test_accuracy",
    "time": "train_cpu_s",
    "kernel_values": "requested_evaluations",
    "steps": "iterations",
    "gap": "relative_gap",
}
_MEASURE_LABELS = {"accuracy": "accuracy (%)", "time": "CPU time (s)", "gap": "relative gap"}
_PRINTED_LINE = {"linestyle": "--", "linewidth": 1.0, "alpha": 0.5}
_SMALL_MARKS = {"lines.markersize": 3, "lines.linewidth": 1.0, "errorbar.capsize": 0}
# The figure shows this number of data sets, and the table shows all data sets.
_SETS_DRAWN = 3


def stopping_numbers(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table of all data sets, methods and variants (earliest stop first), and a table
    with CVM's means.

    The runs of the benchmark and of the ladder come first, so that their tables show the same.
    """
    stopping = numbers.drawable_runs(runs, numbers.STOPPING)
    stopping = _with_shared(stopping, runs)
    benchmark = summarise(
        numbers.experiment_runs(runs, numbers.BENCHMARK, stopping["dataset"].unique())
    )
    of_cvm = of_method(benchmark, stopping["protocol"].iloc[0], "cvm")
    cvm = pd.DataFrame(
        {name: of_cvm[f"{measure}_mean"].astype(float) for name, measure in _SUMMARISED.items()}
    )
    summary = summarise(stopping, by=("patience",))
    table = summary[["dataset", "method"]].copy()
    table["variant"] = ("patience " + summary["patience"].astype("string")).fillna(ALL_POINTS)
    for quantity, measure in _SUMMARISED.items():
        for suffix, statistic in (("", "mean"), ("_low", "min"), ("_high", "max")):
            table[f"{quantity}{suffix}"] = summary[f"{measure}_{statistic}"].astype(float)
    table["n"] = summary["repetitions"].astype(int)
    table["at_limit"] = summary["at_limit"] > 0
    table = numbers.rows_in_order(table, ["dataset", "method"], dataset=STOPPING_STUDY)

    for name, measure in (("accuracy", "test_accuracy"), ("time", "train_cpu_s")):
        table[f"{name}_printed"] = numbers.printed_means(measure, table["dataset"], table["method"])
    return table, cvm


def _with_shared(stopping: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Replace runs of this study by those of another experiment with the same settings."""
    keys = ["dataset", "method", "patience"]
    ran = stopping[["dataset", "method", "protocol"]].drop_duplicates()
    shared = []
    for experiment, patience in SHARED.items():
        rows = numbers.experiment_runs(runs, experiment, ran["dataset"])
        rows = rows[(rows["patience"] == patience).fillna(False)]
        shared.append(rows.merge(ran).assign(experiment=numbers.STOPPING))
    others = pd.concat(shared)
    there = pd.MultiIndex.from_frame(others[keys])
    own = stopping[~pd.MultiIndex.from_frame(stopping[keys]).isin(there)]
    return conform(pd.concat([own, others]))


def over_all(table: pd.DataFrame) -> pd.DataFrame:
    """Combine the data sets: mean accuracy gain and geometric mean of the time's increase over the
    first variant, and median gap.
    """
    first = table.groupby(["dataset", "method"])[["accuracy", "time"]].transform("first")
    longer = np.log(table["time"] / first["time"])
    table = table.assign(accuracy=table["accuracy"] - first["accuracy"], time=longer)
    groups = table.groupby(["method", "variant"], sort=False)
    found = groups.agg(
        {"accuracy": "mean", "time": "mean", "gap": "median", "at_limit": "any"}
    ).reset_index()
    return found.assign(time=np.exp(found["time"]))


def stopping_table(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Table:
    """Lay out accuracy, speed-up and gap in a section per data set.

    Each row has a variant's or the paper's numbers.
    """
    table, cvm = stopping_numbers(runs)
    methods, sets = list(table["method"].unique()), list(table["dataset"].unique())
    majority, sections = numbers.majority_accuracies(descriptions), []
    if len(sets) > 1:
        heading = (
            f"All {len(sets)} data sets: mean gain in accuracy over {table['variant'].iloc[0]}, "
            "geometric mean of the factor in time, median gap"
        )
        sections.append(
            Section(heading, tuple(_rows(over_all(table), methods, "{:+.2f} points", "×")))
        )
    for dataset, rows in table.groupby("dataset", sort=False):
        facts = [f"majority class {majority[dataset]:.2f} %"] if dataset in majority else []
        for own in cvm[cvm.index == dataset].itertuples():
            text = (
                f"{own.accuracy:.2f} % in {seconds(own.time, np.nan)} s at a relative gap of"
                f" {own.gap:.2g}"
            )
            facts.append(f"our CVM {text}")
        printed = rows.drop_duplicates("method").assign(
            variant="printed, patience 1", gap=np.nan, at_limit=False
        )
        printed = printed.assign(accuracy=printed["accuracy_printed"], time=printed["time_printed"])
        printed = printed.dropna(subset=["accuracy", "time"], how="all")
        cells = tuple(_rows(pd.concat([rows, printed]), methods))
        sections.append(Section(": ".join(filter(None, [dataset, ", ".join(facts)])), cells))
    header = (
        ("", "ends by"),
        *((group, method_label(name)) for group in _MEASURE_LABELS.values() for name in methods),
    )
    return Table(
        table,
        header,
        tuple(sections),
        notes=missing_sets(STOPPING_STUDY, sets, missing, "the study"),
    )


def _rows(
    frame: pd.DataFrame, methods: Sequence[str], of_accuracy: str = "{:.2f}", of_time: str = ""
) -> Iterator[tuple[Cell, ...]]:
    for variant, rows in frame.groupby("variant", sort=False):
        found = rows.set_index("method").reindex(methods).to_dict("records")
        texts = [
            _text(name, row, of_accuracy, of_time) for name in _MEASURE_LABELS for row in found
        ]
        yield tuple(
            map(Cell, ("no samples, all points" if variant == ALL_POINTS else variant, *texts))
        )


def _text(name: str, row: Mapping, of_accuracy: str, of_time: str) -> str:
    if pd.isna(row[name]):
        return NOTHING
    if name == "accuracy":
        return of_accuracy.format(row["accuracy"]).replace("-", "−")
    (bound,) = lower_bounds([name == "time" and row["at_limit"]])
    unit = of_time if name == "time" else ""
    return bound.before(significant(row[name], 2)) + unit


def stopping_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw accuracy, speed-up and gap of all variants. Lines join the variants that stop early."""
    table, cvm = stopping_numbers(runs)
    sets, order = list(table["dataset"].unique()), list(table["variant"].unique())
    frame = table[table["dataset"].isin(sets[:_SETS_DRAWN])]
    places = {name: place + 0.8 * (name == ALL_POINTS) for place, name in enumerate(order)}
    shown = list(method_styles(frame["method"].unique()))
    sideways = frame["method"].map(shown.index) - (len(shown) - 1) / 2
    majority = frame["dataset"].map(numbers.majority_accuracies(descriptions))
    parts = [
        frame[["dataset", "method", "variant", "at_limit"]].assign(
            quantity=name,
            place=frame["variant"].map(places).astype(float) + 0.09 * sideways,
            value=frame[name],
            low=frame[f"{name}_low"],
            high=frame[f"{name}_high"],
            printed=frame.get(f"{name}_printed", np.nan),
            bound=lower_bounds(frame["at_limit"] & (name == "time")),
            majority=majority if name == "accuracy" else np.nan,
        )
        for name in _MEASURE_LABELS
    ]
    long, sizes = pd.concat(parts, ignore_index=True), numbers.train_sizes(sets, [])
    styles, of_cvm = method_styles(table["method"].unique()), METHODS["cvm"].color
    with figure_style(), mpl.rc_context(_SMALL_MARKS):
        panels = facets(
            long,
            "place",
            "value",
            row="quantity",
            col="dataset",
            styles=styles,
            limited="at_limit",
            reference="majority",
            joined=False,
            share=lambda *panel: panel,
            labels=_MEASURE_LABELS,
            size=(TEXT_WIDTH, 1.7),
            titles={
                name: f"{name}\nm = {sizes[name]:,.0f}" for name in sets if pd.notna(sizes[name])
            },
        )
        for (quantity, dataset), axes in panels.axes.items():
            shown = long[(long["quantity"] == quantity) & (long["dataset"] == dataset)]
            for method, rows in shown.groupby("method"):
                patient = rows[rows["variant"] != ALL_POINTS]
                axes.plot(patient["place"], patient["value"], color=styles[method].color)
                if pd.notna(rows["printed"].iloc[0]):
                    axes.axhline(
                        rows["printed"].iloc[0],
                        color=styles[method].color,
                        zorder=1,
                        **_PRINTED_LINE,
                    )
            if dataset in cvm.index:
                axes.axhline(cvm.loc[dataset, quantity], color=of_cvm, linewidth=1.0, zorder=2)
            if quantity != "accuracy":
                logarithmic(axes)
            labels = [name.removeprefix("patience ").replace("_", "\n") for name in order]
            axes.set_xticks(list(places.values()), labels)
            axes.tick_params(axis="x", labelsize=6.5)
        panels.figure.supxlabel("patience: samples in a row without a violation", fontsize=8)
        printed = {"color": MUTED, **_PRINTED_LINE}
        lines: dict[str, dict[str, Any]] = {
            "CVM, authors' settings": {"color": of_cvm},
            "printed value (in the method's colour)": printed,
        }
        figure = panels.finish(
            *(Line2D([], [], label=label, **look) for label, look in lines.items())
        )
    notes = joined(
        f"Also in the table: {listing(sets[_SETS_DRAWN:])}." if sets[_SETS_DRAWN:] else "",
        missing_sets(STOPPING_STUDY, sets, missing, "the study"),
    )
    return Chart(figure, frame, notes)
