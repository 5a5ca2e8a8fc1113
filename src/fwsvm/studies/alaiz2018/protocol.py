"""What tables and figures of alaiz2018 have in common: names of models and data sets, and what captions say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from fwsvm.reporting.skipping import needs
from fwsvm.reporting.style import METHODS, MethodStyle
from fwsvm.reporting.text import listing
from fwsvm.runs.table import LIMIT_REASONS
from fwsvm.studies.alaiz2018.sparsity import EXPERIMENT
from fwsvm.studies.benchmark.protocol import missing_sets

Details = Sequence[Mapping]
Missing = Mapping[str, str] | None

COMPARED = (
    "australian", "breast-cancer", "diabetes", "german", "heart", "ionosphere", "iris-setosa", "mushrooms", "sonar",
)  # fmt: skip
LARGER = ("ijcnn1", "magic")
LARGEST = ("miniboone",)
PAPER_NAMES = {"iris-setosa": "iris", "magic": "mgamma"}
KERNELS = {"linear": "linear kernel", "rbf": "RBF kernel"}
STYLES = {
    "svm": MethodStyle("SVM", METHODS["pfw"].color, METHODS["pfw"].marker),
    "mfw": METHODS["mfw_sparse"],
    "mfw_fixed": MethodStyle("M-FW, fixed C", "#4B0092", "X"),
}
"""How each model of `fwsvm.studies.alaiz2018.sparsity.MODELS` looks and is called."""

NOT_PRINTED = "The paper's printed numbers are lost in the text at hand, so none stand beside ours."


def set_name(dataset: str) -> str:
    """The paper's name of a data set, with ours where it differs."""
    return f"{PAPER_NAMES[dataset]} ({dataset})" if dataset in PAPER_NAMES else dataset


def with_part(details: Details, part: str) -> list[Mapping]:
    """Entries of the data sets that have a part of the study, in the paper's order, others after them."""
    order = [*COMPARED, *LARGEST, *LARGER]
    entries = [entry for entry in details if part in entry]
    return sorted(entries, key=lambda entry: order.index(entry["dataset"]) if entry["dataset"] in order else len(order))


def in_order(table: pd.DataFrame, details: Details, part: str) -> pd.DataFrame:
    """Rows of a table in the paper's order of data sets, the linear kernel first."""
    if table.empty:
        return table
    sets = [entry["dataset"] for entry in with_part(details, part)]
    kernels = [*KERNELS, *sorted(set(table["kernel"]) - set(KERNELS))]
    rank = table["dataset"].map(sets.index) * len(kernels) + table["kernel"].map(kernels.index)
    return table.assign(_rank=rank).sort_values("_rank", kind="stable", ignore_index=True).drop(columns="_rank")


def nothing_run(datasets: Iterable[str], missing: Missing) -> str:
    """What an artefact of the study lacks that is skipped."""
    return needs(f"the study {EXPERIMENT}", datasets, missing)


def absent(expected: Iterable[str], present: Iterable[str], missing: Missing) -> str:
    """Which of the paper's data sets are not here; those of other papers are left out."""
    expected, present = list(expected), set(present)
    unknown = dict.fromkeys([name for name in expected if name not in present], "not in this profile")
    known = {name: why for name, why in (missing or {}).items() if name in expected}
    return missing_sets(expected, present, unknown | known)


def protocol(details: Details, part: str, one_start: bool = True) -> str:
    """How the models were trained: sizes, tuning, start, stop rule; from the details of the data sets shown."""
    entries = with_part(details, part)
    given = entries[0]["settings"]
    grid = f"2^{min(given['C_exponents']):g} to 2^{max(given['C_exponents']):g}"
    rule = "All models start from the same random point; stop rule" if one_start else "Training: stop rule"
    points = sorted({tuned["points"] for entry in entries for tuned in entry[part]["tuned"].values()})
    least = f"{points[0]}" if len(points) == 1 else f"{points[0]} to {points[-1]}"
    sentences = [
        f"Width and C by {given['folds']}-fold cross-validation on the first training part ({least} points, at most "
        f"{given['tuning_iterations']} iterations): the SVM's width for both models, and for each its own C from "
        f"{grid}, the smallest of equally good ones.",
        _edges(entries, part),
        f"{rule} {given['stop']} at eps = {given['eps']:g} for all "
        "(ours; the paper's is lost), for M-FW over the points that it activated. The bias is part of the kernel "
        "(k + 1).",
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _edges(entries: Sequence[Mapping], part: str) -> str:
    """Where a cross-validated parameter lies at an end of its grid."""
    found = [
        f"{entry['dataset']} {kernel} ({', '.join(tuned['edges'])})"
        for entry in entries
        for kernel, tuned in entry[part]["tuned"].items()
        if tuned["edges"]
    ]
    return f"At an end of the grid: {'; '.join(found)}." if found else ""


def sizes(details: Details, part: str) -> str:
    """Training points used, where they are fewer than in the catalogue's split."""
    fewer = [
        f"{entry['dataset']} {entry[part]['train']} of {entry['sizes'][0]}"
        for entry in with_part(details, part)
        if entry[part]["train"] < entry["sizes"][0]
    ]
    return f"Training points used, to bound the time: {listing(fewer)}." if fewer else ""


def partitions(table: pd.DataFrame) -> str:
    """Say how many partitions there are."""
    numbers = sorted(set(table.groupby(["dataset", "kernel"])["partition"].nunique()))
    said = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    plural = "" if numbers == [1] else "s"
    return (
        f"{said} random stratified partition{plural} of all points (their number is ours; the features keep the "
        "scaling of the catalogue)."
    )


def trouble(runs: pd.DataFrame) -> str:
    """Runs that ended at a limit."""
    limited = int(runs["stop_reason"].isin([*LIMIT_REASONS, "memory_limit"]).sum())
    return f"{limited} of {len(runs)} runs ended at a limit of time, iterations or memory." if limited else ""


def fixed_C(details: Details) -> str:
    """What the fixed C is."""
    value = details[0]["settings"]["fixed_C"]
    return f"Fixed C = {value:g} (the paper's value is lost)." if value != float("inf") else "Fixed C: 1/C = 0."
