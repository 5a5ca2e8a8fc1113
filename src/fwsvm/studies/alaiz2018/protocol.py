"""What tables and figures of alaiz2018 have in common: names of models and data sets, and what captions say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from fwsvm.reporting.skipping import needs
from fwsvm.reporting.style import METHODS
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
"""Our name -> the paper's, where they differ."""

KERNELS = {"linear": "linear kernel", "rbf": "RBF kernel"}
STYLES = {"svm": METHODS["svm"], "mfw": METHODS["mfw_sparse"], "mfw_fixed": METHODS["mfw_sparse_fixed"]}
"""How each model of `fwsvm.studies.alaiz2018.sparsity.MODELS` looks and is called."""


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
    expected = list(expected)
    return missing_sets(expected, present, {name: why for name, why in (missing or {}).items() if name in expected})


def partitions(table: pd.DataFrame) -> str:
    """Say how many partitions there are."""
    numbers = sorted(set(table.groupby(["dataset", "kernel"])["partition"].nunique()))
    said = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    return f"{said} random partition{'' if numbers == [1] else 's'}"


def fixed_C(details: Details) -> str:
    """What the fixed C is."""
    value = details[0]["settings"]["fixed_C"]
    return f"fixed C = {value:g}" if value != float("inf") else "fixed 1/C = 0"
