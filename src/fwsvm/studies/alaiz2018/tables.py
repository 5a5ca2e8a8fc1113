"""Tables of alaiz2018: data sets, and the models next to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, counted, joined, listing, whole, with_std
from fwsvm.studies.alaiz2018.protocol import (
    COMPARED,
    KERNELS,
    LARGER,
    LARGEST,
    PAPER_NAMES,
    STYLES,
    Details,
    Missing,
    absent,
    fixed_C,
    in_order,
    nothing_run,
    partitions,
)
from fwsvm.studies.alaiz2018.sparsity import LEVEL, MEASURES, model_runs, model_summary, relative_to_svm

LIMIT_NOTE = "one or more runs ended at a limit: their accuracy and support vectors are those of unfinished models"
TITLES = {"accuracy": "test accuracy (%)", "support_vectors": "support vectors", "iterations": "iterations"}
_DECIMALS = {"accuracy": 2, "support_vectors": 1, "iterations": 0}


def datasets_table(details: Details, missing: Missing) -> Table:
    """Lay out sizes, dimension and majority class (alaiz2018 table 1)."""
    expected = (*LARGER, *LARGEST, *COMPARED)
    if not details:
        raise NotDrawableError(nothing_run(expected, missing))
    order = {name: place for place, name in enumerate(expected)}
    entries = sorted(details, key=lambda entry: order.get(entry["dataset"], len(order)))
    rows = [
        {
            "dataset": entry["dataset"],
            "train": entry["sizes"][0],
            "test": entry["sizes"][1],
            "features": entry["features"],
            "majority_percent": entry["majority"],
            **{f"train_{part}": entry.get(part, {}).get("train") for part in _PARTS},
        }
        for entry in entries
    ]
    cells = tuple(
        (
            Cell(_both_names(row["dataset"])),
            *(Cell(whole(row[key])) for key in ("train", "test", "features")),
            Cell(f"{row['majority_percent']:.1f}"),
            Cell(_used(row)),
        )
        for row in rows
    )
    names = ("data set", "training points", "test points", "dimension", "majority class (%)", "training points used")
    caption = joined(
        "Sizes of the partitions, dimension, and share of the larger class over all points. Training points used: "
        f"{_uses(rows)}.",
        absent(expected, [row["dataset"] for row in rows], missing),
    )
    return Table(pd.DataFrame(rows), tuple(("", name) for name in names), (Section(None, cells),), caption=caption)


def _both_names(dataset: str) -> str:
    return f"{dataset} (in the paper: {PAPER_NAMES[dataset]})" if dataset in PAPER_NAMES else dataset


_PARTS = {"comparison": "tables 3 to 5", "c_path": "table 2 and the path of C", "largest": "figure 4"}
"""Parts of the study that may bound the training points, and where their results stand."""


def _uses(rows: Sequence[Mapping]) -> str:
    """How many training points each part of the study uses of a partition."""
    said = []
    for part, where in _PARTS.items():
        used = [(row[f"train_{part}"], row["train"]) for row in rows if row[f"train_{part}"] is not None]
        if used:
            most = max(size for size, _ in used)
            said.append(f"{'all' if all(size == whole for size, whole in used) else f'at most {most:,}'} ({where})")
    return listing(said)


def _used(row: Mapping) -> str:
    used = [row[f"train_{part}"] for part in _PARTS]
    return ", ".join(str(value) for value in dict.fromkeys(used) if value is not None)


def larger_table(runs: pd.DataFrame, details: Details, missing: Missing) -> Table:
    """Lay out SVM and M-FW on the larger data sets (alaiz2018 table 2)."""
    table = model_runs(runs, details, "c_path")
    if table.empty:
        raise NotDrawableError(nothing_run(LARGER, missing))
    summary = in_order(model_summary(table), details, "c_path")
    notes = Footnotes()
    rows = tuple(
        (
            Cell(dataset),
            Cell(KERNELS.get(kernel, kernel)),
            *(_cell(group, model, measure, notes) for measure in MEASURES for model in ("svm", "mfw")),
        )
        for (dataset, kernel), group in summary.groupby(["dataset", "kernel"], sort=False)
    )
    header = (
        ("", "data set"),
        ("", "kernel"),
        *((TITLES[measure], STYLES[model].label) for measure in MEASURES for model in ("svm", "mfw")),
    )
    caption = joined(
        _verdict(summary, "mfw"),
        _cut_off(summary),
        f"SVM and M-FW at cross-validated parameters: mean ± standard deviation over {partitions(table)}; "
        f"{_ranks(table)}",
        absent(LARGER, table["dataset"], missing),
    )
    return Table(summary, header, (Section(None, rows),), notes.listed(), caption=caption, align="ll" + "r" * 6)


def comparison_table(runs: pd.DataFrame, details: Details, missing: Missing) -> Table:
    """Lay out the three models on the smaller data sets with ranks (alaiz2018 table 3)."""
    table = model_runs(runs, details)
    if table.empty:
        raise NotDrawableError(nothing_run(COMPARED, missing))
    summary = in_order(model_summary(table), details, "comparison")
    kernels, notes = list(dict.fromkeys(summary["kernel"])), Footnotes()
    kernels.sort(key=lambda kernel: (kernel not in KERNELS, kernel))
    sections = [
        Section(
            TITLES[measure],
            tuple(
                (
                    Cell(dataset),
                    *(
                        _cell(of_set[of_set["kernel"] == kernel], model, measure, notes)
                        for kernel in kernels
                        for model in STYLES
                    ),
                )
                for dataset, of_set in summary.groupby("dataset", sort=False)
            ),
        )
        for measure in MEASURES
    ]
    header = (("", "data set"), *((KERNELS.get(k, k), STYLES[model].label) for k in kernels for model in STYLES))
    caption = joined(
        *(_verdict(summary, model) for model in ("mfw", "mfw_fixed")),
        f"Mean ± standard deviation over {partitions(table)}; {fixed_C(details)}; {_ranks(table)}",
        absent(COMPARED, table["dataset"], missing),
    )
    return Table(summary, header, tuple(sections), notes.listed(), caption=caption)


def _cell(group: pd.DataFrame, model: str, measure: str, notes: Footnotes) -> Cell:
    rows = group[group["model"] == model]
    if rows.empty:
        return Cell(NOTHING)
    row = rows.iloc[0]
    mean = f"{row[f'{measure}_mean']:.{_DECIMALS[measure]}f}"
    marks = (notes.mark(LIMIT_NOTE),) if row["at_limit"] else ()
    ranks, rank = group[f"{measure}_rank"], row[f"{measure}_rank"]
    differ = ranks.max() > ranks.min()
    shown = with_std(mean, row[f"{measure}_std"], row["partitions"]) + (f" ({rank})" if differ else "")
    if row["at_limit"] and measure == "iterations":
        shown = f"≥ {shown}"
    return Cell(shown, marks, bold=bool(differ and rank == ranks.min()))


def _ranks(table: pd.DataFrame) -> str:
    fewest = int(table.groupby(["dataset", "kernel", "model"]).size().min())
    said = f"ranks where models differ by Wilcoxon at {100 * LEVEL:g} %, the best in bold"
    if 2 * 0.5**fewest >= LEVEL:
        said += f"; {fewest} partition{'s are' if fewest > 1 else ' is'} too few for any difference to be significant"
    return f"{said}."


def _cut_off(summary: pd.DataFrame) -> str:
    """In how many cases runs ended at a limit."""
    cases = len(summary.loc[summary["at_limit"].astype(bool), ["dataset", "kernel"]].drop_duplicates())
    return f"In {counted(cases, 'case')} runs ended at a limit." if cases else ""


def _verdict(summary: pd.DataFrame, model: str) -> str:
    """How often a model is better than the SVM, worse, or neither, by the ranks."""
    svm = summary[summary["model"] == "svm"].set_index(["dataset", "kernel"])
    other = summary[summary["model"] == model].set_index(["dataset", "kernel"])
    other = other[other.index.isin(svm.index)]
    if other.empty:
        return ""
    svm, parts = svm.loc[other.index], []
    for measure, better, worse in (
        ("accuracy", "more accurate", "less"),
        ("support_vectors", "sparser", "less"),
        ("iterations", "faster in iterations", "slower"),
    ):
        difference = other[f"{measure}_rank"] - svm[f"{measure}_rank"]
        up, down = int((difference < 0).sum()), int((difference > 0).sum())
        parts.append(f"{better} in {up}, {worse} in {down}")
    return f"Of {len(other)} cases {STYLES[model].label} is {'; '.join(parts)}."


def summary_table(runs: pd.DataFrame, details: Details, missing: Missing) -> Table:
    """Lay out the means over the data sets as percentages of the SVM's (alaiz2018 table 4)."""
    table = model_runs(runs, details)
    relative = relative_to_svm(model_summary(table))
    if relative.empty:
        raise NotDrawableError(nothing_run(COMPARED, missing))
    kernels = [*sorted(set(relative["kernel"])), "all"]
    if len(kernels) == 2:
        kernels = kernels[:1]
    frames, rows = [], []
    for kernel in kernels:
        of_kernel = relative if kernel == "all" else relative[relative["kernel"] == kernel]
        for model, group in of_kernel.groupby("model", sort=False):
            row = {"kernel": kernel, "model": model, "datasets": group["dataset"].nunique()}
            for measure in MEASURES:
                row[f"{measure}_percent"] = group[f"{measure}_percent"].mean()
                row[f"{measure}_median"] = group[f"{measure}_percent"].median()
            row["accuracy_difference"] = group["accuracy_difference"].mean()
            frames.append(row)
            name = KERNELS.get(kernel, "both kernels" if kernel == "all" else kernel)
            cells = (Cell(f"{row[f'{m}_percent']:.1f} ({row[f'{m}_median']:.1f})") for m in MEASURES)
            difference = Cell(f"{row['accuracy_difference']:+.2f}".replace("-", "−"))
            rows.append((Cell(name), Cell(STYLES[model].label), Cell(whole(row["datasets"])), *cells, difference))
    header = (
        ("", "kernel"),
        ("", "model"),
        ("", "data sets"),
        *(("% of the SVM, mean (median)", name) for name in ("accuracy", "support vectors", "iterations")),
        ("", "accuracy, difference (points)"),
    )
    caption = joined(
        _reduction(relative),
        "Each data set's ratio of means over the partitions in per cent of the SVM, then mean and median over the data "
        f"sets; {fixed_C(details)}.",
        absent(COMPARED, table["dataset"], missing),
    )
    return Table(pd.DataFrame(frames), header, (Section(None, tuple(rows)),), caption=caption, align="llrrrrr")


def _reduction(relative: pd.DataFrame) -> str:
    said = []
    for model, group in relative.groupby("model", sort=False):
        fewer = [int((group[f"{measure}_percent"] < 100).sum()) for measure in MEASURES[1:]]
        drop = float(group["accuracy_difference"].min())
        said.append(
            f"{STYLES[model].label} has fewer support vectors than the SVM in {fewer[0]} and fewer iterations in "
            f"{fewer[1]} of {len(group)} cases, at worst {max(-drop, 0):.2f} points less accurately."
        )
    return " ".join(said)
