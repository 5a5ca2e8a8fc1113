"""The tables of alaiz2018: data sets, comparisons of models, and how M-FW depends on its starting
point.
"""

from collections.abc import Mapping
from functools import partial

import pandas as pd

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.style import METHODS
from fwsvm_papers.reporting.tables import (
    Cell,
    Column,
    Footnotes,
    Section,
    Table,
    ours_beside_printed,
)
from fwsvm_papers.reporting.text import NOTHING, accuracy, counted, joined, whole, with_std
from fwsvm_papers.runs.comparison import Bound
from fwsvm_papers.studies.alaiz2018 import sparsity
from fwsvm_papers.studies.alaiz2018.sparsity import COMPARED, KERNELS, LARGER, LARGEST, MEASURES
from fwsvm_papers.studies.benchmark.protocol import Details, Missing, missing_sets

STYLES = {
    "svm": METHODS["svm"],
    "mfw": METHODS["mfw_sparse"],
    "mfw_fixed": METHODS["mfw_sparse_fixed"],
}
LIMIT_NOTE = (
    "At least one run ended at its time or iteration limit. The accuracy and the support vectors of"
    " this run are those of an unfinished model."
)
TITLES = {
    "accuracy": "test accuracy (%)",
    "support_vectors": "support vectors",
    "iterations": "iterations",
}
# maps our name of a data set to the paper's name, if the names differ
PAPER_NAMES = {"iris-setosa": "iris", "magic": "mgamma"}

_STUDY = "the study alaiz2018"
_DECIMALS = {"accuracy": 2, "support_vectors": 1, "iterations": 0}


def partitions_of(summary: pd.DataFrame) -> str:
    return f"Means are over {counted(summary['partitions'].max(), 'random partition')}."


def table1(alaiz2018: Details, missing: Missing = None) -> Table:
    """Return the table of sizes, dimensions and majority classes of the data sets (alaiz2018 table
    1).
    """
    expected = (*LARGER, *LARGEST, *COMPARED)
    require(len(alaiz2018), needs(_STUDY, expected, missing))
    order = {name: place for place, name in enumerate(expected)}
    parts = [f"train_{part}" for part in ("comparison", "c_path", "largest")]
    frame = pd.DataFrame(
        {
            "dataset": entry["dataset"],
            "train": entry["sizes"][0],
            "test": entry["sizes"][1],
            "features": entry["features"],
            "majority_percent": entry["majority"],
            **{part: entry.get(part.removeprefix("train_"), {}).get("train") for part in parts},
        }
        for entry in sorted(alaiz2018, key=lambda entry: order.get(entry["dataset"], len(order)))
    )
    rows = []
    for row in frame.to_dict("records"):
        name = row["dataset"]
        used = dict.fromkeys(whole(row[part]) for part in parts if pd.notna(row[part]))
        both = f"{name} (in the paper: {PAPER_NAMES[name]})" if name in PAPER_NAMES else name
        sizes = [whole(row[key]) for key in ("train", "test", "features")]
        rows.append(
            tuple(map(Cell, (both, *sizes, f"{row['majority_percent']:.1f}", ", ".join(used))))
        )
    names = (
        "data set",
        "training points",
        "test points",
        "dimension",
        "majority class (%)",
        "training points used",
    )
    notes = missing_sets(expected, frame["dataset"], missing)
    return Table(
        frame, tuple(("", name) for name in names), (Section(None, tuple(rows)),), notes=notes
    )


def table2(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Table:
    """Return the table that compares the SVM with M-FW on larger data sets (alaiz2018 table 2)."""
    summary = sparsity.in_order(
        sparsity.model_summary(sparsity.model_runs(runs, alaiz2018, "c_path"))
    )
    require(len(summary), needs(_STUDY, LARGER, missing))
    columns = [(measure, model) for measure in MEASURES for model in ("svm", "mfw")]
    marks = Footnotes()
    rows = tuple(
        (
            Cell(dataset),
            Cell(KERNELS[kernel]),
            *(_cell(group, model, measure, marks) for measure, model in columns),
        )
        for (dataset, kernel), group in summary.groupby(["dataset", "kernel"], sort=False)
    )
    header = (
        ("", "data set"),
        ("", "kernel"),
        *((TITLES[measure], STYLES[m].label) for measure, m in columns),
    )
    notes = joined(partitions_of(summary), missing_sets(LARGER, summary["dataset"], missing))
    return Table(
        summary, header, (Section(None, rows),), marks.listed(), align="ll" + "r" * 6, notes=notes
    )


def table3(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Table:
    """Return the table that compares the SVM, M-FW and M-FW with a fixed C on the smaller data sets
    (alaiz2018 table 3).
    """
    summary = sparsity.in_order(sparsity.model_summary(sparsity.model_runs(runs, alaiz2018)))
    require(len(summary), needs(_STUDY, COMPARED, missing))
    columns = [
        (kernel, model)
        for kernel in KERNELS
        if kernel in set(summary["kernel"])
        for model in STYLES
    ]
    marks, sections = Footnotes(), []
    for measure in MEASURES:
        rows = [
            (
                Cell(name),
                *(
                    _cell(group[group["kernel"] == kernel], model, measure, marks)
                    for kernel, model in columns
                ),
            )
            for name, group in summary.groupby("dataset", sort=False)
        ]
        sections.append(Section(TITLES[measure], tuple(rows)))
    header = (
        ("", "data set"),
        *((KERNELS[kernel], STYLES[model].label) for kernel, model in columns),
    )
    notes = joined(
        partitions_of(summary),
        _fixed_C(alaiz2018),
        missing_sets(COMPARED, summary["dataset"], missing),
    )
    return Table(summary, header, tuple(sections), marks.listed(), notes=notes)


def _cell(group: pd.DataFrame, model: str, measure: str, notes: Footnotes) -> Cell:
    """Return a cell with the mean and standard deviation of a model.

    If the models have different ranks, the cell also has the rank of the model.
    """
    rows = group[group["model"] == model]
    if rows.empty:
        return Cell(NOTHING)
    row, ranks = rows.iloc[0], group[f"{measure}_rank"]
    rank, differ = row[f"{measure}_rank"], ranks.max() > ranks.min()
    shown = with_std(
        f"{row[f'{measure}_mean']:.{_DECIMALS[measure]}f}", row[f"{measure}_std"], row["partitions"]
    )
    shown += f" ({rank})" if differ else ""
    if row["at_limit"] and measure == "iterations":
        shown = Bound.AT_LEAST.before(shown)
    return Cell(
        shown,
        (notes.mark(LIMIT_NOTE),) if row["at_limit"] else (),
        bold=bool(differ and rank == ranks.min()),
    )


def _fixed_C(details: Details) -> str:
    value = details[0]["settings"]["fixed_C"]
    return f"The fixed C is {value:g}." if value != float("inf") else "The fixed 1/C is 0."


def table4(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Table:
    """Return the table with M-FW's results as percentages of the SVM's (alaiz2018 table 4). The
    table has the mean and the median over the smaller data sets.
    """
    relative = sparsity.relative_to_svm(
        sparsity.model_summary(sparsity.model_runs(runs, alaiz2018))
    )
    require(len(relative), needs(_STUDY, COMPARED, missing))
    blocks = list(relative.groupby("kernel"))
    rows = []
    for kernel, of_kernel in blocks if len(blocks) == 1 else [*blocks, ("all", relative)]:
        for model, group in of_kernel.groupby("model", sort=False):
            row = {"kernel": kernel, "model": model, "datasets": group["dataset"].nunique()}
            for measure in MEASURES:
                row[f"{measure}_percent"] = group[f"{measure}_percent"].mean()
                row[f"{measure}_median"] = group[f"{measure}_percent"].median()
            rows.append(row | {"accuracy_difference": group["accuracy_difference"].mean()})
    names = {**KERNELS, "all": "both kernels"}
    group = "% of the SVM's value, mean (median)"
    columns = [
        Column("kernel", lambda row: names[row["kernel"]], align="l"),
        Column("model", lambda row: STYLES[row["model"]].label, align="l"),
        Column("data sets", lambda row: whole(row["datasets"])),
        *(
            Column(measure.replace("_", " "), partial(_mean_and_median, measure), group)
            for measure in MEASURES
        ),
        Column(
            "accuracy, difference (points)",
            lambda row: f"{row['accuracy_difference']:+.2f}".replace("-", "−"),
        ),
    ]
    notes = joined(_fixed_C(alaiz2018), missing_sets(COMPARED, relative["dataset"], missing))
    return ours_beside_printed(pd.DataFrame(rows), columns, notes=notes)


def _mean_and_median(measure: str, row: Mapping) -> str:
    return f"{row[f'{measure}_percent']:.1f} ({row[f'{measure}_median']:.1f})"


def table5(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Table:
    """Return the table that shows how M-FW depends on its starting point (alaiz2018 table 5)."""
    summary = sparsity.in_order(sparsity.start_summary(runs, alaiz2018))
    require(len(summary), needs(_STUDY, COMPARED, missing))
    kernels = {entry["starts"]["kernel"] for entry in alaiz2018 if "starts" in entry}
    models = sparsity.model_runs(runs, alaiz2018)
    models = models[(models["model"] == "mfw") & models["kernel"].isin(kernels)]
    over = models.groupby("dataset")["accuracy"].agg(["mean", "std", "size"]).fillna({"std": 0.0})
    summary = summary.merge(
        over.add_prefix("partitions_accuracy_"), left_on="dataset", right_index=True, how="left"
    )

    def with_range(measure: str, digits: int, row: Mapping, mean: str | None = None) -> str:
        mean = mean or f"{row[f'{measure}_mean']:.1f}"
        return f"{mean} ({row[f'{measure}_min']:.{digits}f}–{row[f'{measure}_max']:.{digits}f})"

    def over_starts(row: Mapping) -> str:
        return with_range(
            "accuracy", 2, row, accuracy(row["accuracy_mean"], row["accuracy_std"], row["starts"])
        )

    def over_partitions(row: Mapping) -> str:
        return accuracy(*(row[f"partitions_accuracy_{name}"] for name in ("mean", "std", "size")))

    columns = [
        Column(
            "data set",
            lambda row: row["dataset"],
            "",
            lambda row: [LIMIT_NOTE] * bool(row["at_limit"]),
            align="l",
        ),
        Column("starts", lambda row: f"{row['starts']} of {row['points']}"),
        Column("overlap (%)", partial(with_range, "overlap", 1), "over the starts"),
        Column("support vectors", partial(with_range, "support_vectors", 0), "over the starts"),
        Column("accuracy (%)", over_starts, "over the starts"),
        Column("accuracy (%)", over_partitions, "over the partitions"),
    ]
    return ours_beside_printed(
        summary, columns, notes=missing_sets(COMPARED, summary["dataset"], missing)
    )
