"""The figure beyond-stopping and its table, which show how much of the speed-up is due to early
stopping.
"""

from collections.abc import Iterator, Mapping, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd

from fwsvm_papers.reporting.axes import logarithmic
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.panels import facets
from fwsvm_papers.reporting.style import (
    TEXT_WIDTH,
    figure_style,
    method_label,
    method_styles,
)
from fwsvm_papers.reporting.tables import Cell, Section, Table
from fwsvm_papers.reporting.text import NOTHING, joined, listing, seconds, significant
from fwsvm_papers.runs.comparison import MEASURES, against, lower_bounds, means, shown_means
from fwsvm_papers.runs.records import conform
from fwsvm_papers.runs.table import summarise
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark.groups import STOPPING_STUDY
from fwsvm_papers.studies.benchmark.protocol import Details, Missing, missing_sets
from fwsvm_papers.studies.stopping import SHARED

ALL_POINTS = "all_points"
"""The name of the variant that searches all points instead of samples, and does not stop early."""

# maps a column of the table to a measure of `summarise`
_MEASURES = {name: MEASURES[name] for name in ("accuracy", "time", "kernel_values")}
_MEASURES |= {"steps": "iterations", "gap": MEASURES["relative_gap"]}
_SHOWN = {"accuracy": "accuracy (%)", "time": "CPU time (s)", "gap": "relative gap"}
_SMALL = {"lines.markersize": 3.6, "lines.linewidth": 1.1, "errorbar.capsize": 0}
# number of data sets in the figure (the table has all data sets)
_DRAWN = 3


def stopping_numbers(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two tables. The first has the means, the ranges and the printed means, with a row per
    data set, method and variant. The second has CVM's means in the benchmark, with a row per data
    set.

    In the first table, the variants that stop earliest come first. If the benchmark or the ladder
    has runs with the same settings, those runs are used, so that all tables show the same values.
    """
    stopping = numbers.drawable_runs(runs, numbers.STOPPING)
    stopping = _with_shared(stopping, runs)
    benchmark = summarise(
        numbers.experiment_runs(runs, numbers.BENCHMARK, stopping["dataset"].unique())
    )
    cvm = shown_means(benchmark, [stopping["protocol"].iloc[0]], ["cvm"]).set_index("dataset")
    table = _means_and_ranges(stopping)
    table = numbers.rows_in_order(table, ["dataset", "method"], dataset=STOPPING_STUDY)

    for name, measure in (("accuracy", "test_accuracy"), ("time", "train_cpu_s")):
        table[f"{name}_printed"] = numbers.printed_means(measure, table["dataset"], table["method"])
    return table, cvm


def cvm_with_libcvm_inner(runs: pd.DataFrame, datasets: Sequence[str]) -> pd.DataFrame:
    """Return means and ranges of those runs of CVM in the ladder that have LibCVM's inner settings
    and stop early.

    The columns are those of the first table of `stopping_numbers`, without the printed means. The
    table is empty if there are no such runs.
    """
    ladder = numbers.experiment_runs(runs, numbers.LADDER, datasets)
    chosen = (ladder["method"] == "cvm") & (ladder["selection"] != "full").fillna(False)
    chosen &= ladder["inner_fixed"].eq(False).fillna(False)
    chosen &= ladder["inner_steps"].isna()
    if not chosen.any():
        return pd.DataFrame()
    return numbers.rows_in_order(_means_and_ranges(ladder[chosen]), ["dataset"])


def _means_and_ranges(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a table with means and ranges. It has a row per data set, method and patience."""
    table = means(summarise(runs, by=("patience",)))
    table["variant"] = ("patience " + table["patience"].astype("string")).fillna(ALL_POINTS)
    table = table.rename(columns={"iterations_mean": "steps", "relative_gap": "gap"})
    columns = ["dataset", "method", "variant"]
    for name, measure in _MEASURES.items():
        ends = {f"{measure}_min": f"{name}_low", f"{measure}_max": f"{name}_high"}
        table = table.rename(columns=ends)
        columns += [name, *ends.values()]
    return table[[*columns, "n", "at_limit"]]


def _with_shared(stopping: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of this study. If another experiment has runs with the same settings, the
    runs of that experiment replace those of this study.
    """
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
    """Return a table with a row per method and variant.

    The table has three statistics over the data sets: the median gap, the mean difference in
    accuracy from the first variant, and the geometric mean of the time divided by the time of the
    first variant.
    """
    variants = table.assign(solver=table["method"], method=table["variant"])
    compared = against(table["variant"].iloc[0], variants, ["dataset", "solver"])
    changes = {"accuracy": compared["difference"], "time": -np.log(compared["speedup"])}
    groups = table.assign(**changes).groupby(["method", "variant"], sort=False)
    found = groups.agg(
        {"accuracy": "mean", "time": "mean", "gap": "median", "at_limit": "any"}
    ).reset_index()
    return found.assign(time=np.exp(found["time"]))


def stopping_table(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Table:
    """Return the table of accuracy, time and gap, with a section per data set. If there are several
    data sets, the first section has the results of `over_all`.

    Each row has the numbers of a variant, or those of the paper.
    """
    table, cvm = stopping_numbers(runs)
    methods, sets = list(table["method"].unique()), list(table["dataset"].unique())
    majority, sections = numbers.majority_accuracies(descriptions), []
    if len(sets) > 1:
        heading = (
            f"All {len(sets)} data sets, compared with {table['variant'].iloc[0]}: mean differences"
            " in accuracy, geometric means of the ratios of times, and median gaps"
        )
        sections.append(
            Section(heading, tuple(_rows(over_all(table), methods, "{:+.2f} points", "×")))
        )
    for dataset, rows in table.groupby("dataset", sort=False):
        facts = []
        if dataset in majority:
            facts.append(f"the majority class gives an accuracy of {majority[dataset]:.2f} %")
        for own in cvm[cvm.index == dataset].itertuples():
            text = (
                f"{own.accuracy:.2f} % after {seconds(own.time, np.nan)} s, at a relative gap of"
                f" {own.relative_gap:.2g}"
            )
            facts.append(f"our CVM has an accuracy of {text}")
        printed = rows.drop_duplicates("method").assign(
            variant="printed, patience 1", gap=np.nan, at_limit=False
        )
        printed = printed.assign(accuracy=printed["accuracy_printed"], time=printed["time_printed"])
        printed = printed.dropna(subset=["accuracy", "time"], how="all")
        cells = tuple(_rows(pd.concat([rows, printed]), methods))
        sections.append(Section(": ".join(filter(None, [dataset, ", and ".join(facts)])), cells))
    header = (
        ("", "stopping"),
        *((group, method_label(name)) for group in _SHOWN.values() for name in methods),
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
        texts = [_text(name, row, of_accuracy, of_time) for name in _SHOWN for row in found]
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
    """Draw accuracy, time and gap of all variants on the first `_DRAWN` data sets. For CVM, the
    figure shows runs with LibCVM's inner settings and with those values of the patience that the
    other methods also have. Lines join the variants that stop early.
    """
    table, _ = stopping_numbers(runs)
    sets, order = list(table["dataset"].unique()), list(table["variant"].unique())
    frame = table[table["dataset"].isin(sets[:_DRAWN])]
    frame = pd.concat([cvm_with_libcvm_inner(runs, sets[:_DRAWN]), frame], ignore_index=True)
    frame = frame[frame["variant"].isin(order)]
    frame = numbers.rows_in_order(frame, ["dataset", "method"], dataset=STOPPING_STUDY)
    places = {name: place + 0.8 * (name == ALL_POINTS) for place, name in enumerate(order)}
    styles = method_styles(frame["method"].unique())
    sideways = frame["method"].map(list(styles).index) - (len(styles) - 1) / 2
    majority = frame["dataset"].map(numbers.majority_accuracies(descriptions))
    parts = [
        frame[["dataset", "method", "variant", "at_limit"]].assign(
            quantity=name,
            place=frame["variant"].map(places).astype(float) + 0.09 * sideways,
            value=frame[name],
            low=frame[f"{name}_low"],
            high=frame[f"{name}_high"],
            bound=lower_bounds(frame["at_limit"] & (name == "time")),
            majority=majority if name == "accuracy" else np.nan,
        )
        for name in _SHOWN
    ]
    long, sizes = pd.concat(parts, ignore_index=True), numbers.train_sizes(sets, [])
    with figure_style(), mpl.rc_context(_SMALL):
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
            labels=_SHOWN,
            size=(TEXT_WIDTH, 1.75),
            titles={
                name: f"{name}, m = {sizes[name]:,.0f}" for name in sets if pd.notna(sizes[name])
            },
        )
        for (quantity, dataset), axes in panels.axes.items():
            shown = long[(long["quantity"] == quantity) & (long["dataset"] == dataset)]
            for method, rows in shown.groupby("method"):
                patient = rows[rows["variant"] != ALL_POINTS]
                axes.plot(patient["place"], patient["value"], color=styles[method].color)
            if quantity != "accuracy":
                logarithmic(axes)
            labels = [name.removeprefix("patience ").replace("_", "\n") for name in order]
            axes.set_xticks(list(places.values()), labels)
        patience = "patience: number of samples in a row without a violation of the stopping rule"
        panels.figure.supxlabel(patience, fontsize=8)
        figure = panels.finish()
    notes = joined(
        f"The table also has {listing(sets[_DRAWN:])}." if sets[_DRAWN:] else "",
        missing_sets(STOPPING_STUDY, sets, missing, "the study"),
    )
    return Chart(figure, frame, notes)
