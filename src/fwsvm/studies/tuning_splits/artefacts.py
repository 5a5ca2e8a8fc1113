"""How much the tuned C depends on the validation part, and what that does to the accuracy (beyond-splits)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.tables import Cell, Section, Table
from fwsvm.reporting.text import NOTHING
from fwsvm.runs.protocols import PROTOCOLS, protocol_words
from fwsvm.runs.records import ordered
from fwsvm.studies.benchmark.numbers import datasets_in_order, experiment_runs
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.tuning_splits.plan import EXPERIMENT

SETS = ("a1a", "a2a", "a3a", "a4a", "w1a", "w4a", "reuters", "letter")
"""Data sets of the default configuration."""


def splits_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Sum up the validation parts of the runs of ``splits``."""
    rows = []
    for protocol in ordered(runs["protocol"].dropna(), PROTOCOLS):
        of_protocol = runs[runs["protocol"] == protocol]
        for name in datasets_in_order(of_protocol["dataset"].unique()):
            own = of_protocol[of_protocol["dataset"] == name].sort_values("repetition")
            C, accuracy = own["C"].astype(float), 100.0 * own["test_accuracy"].astype(float)
            rows.append(
                {
                    "protocol": protocol, "dataset": name, "C": C.tolist(), "lowest": C.min(), "highest": C.max(),
                    "doublings": float(np.log2(C.max() / C.min())), "accuracy_lowest": accuracy.min(),
                    "accuracy_highest": accuracy.max(), "spread": accuracy.max() - accuracy.min(), "splits": len(own),
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def splits_table(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Table:
    """Lay out `splits_numbers`: a section per protocol, a row per data set."""
    runs = experiment_runs(runs, EXPERIMENT)
    if runs.empty:
        raise NotDrawableError(needs("the experiment splits", []))
    frame = splits_numbers(runs)
    most = int(frame["splits"].max())
    sections = [
        Section(protocol_words(protocol), tuple(_cells(row, most) for row in rows.itertuples()))
        for protocol, rows in frame.groupby("protocol", sort=False)
    ]
    header = [("", "data set"), *(("tuned C", f"part {number + 1}") for number in range(most))]
    header += [("accuracy (%)", "lowest"), ("accuracy (%)", "highest")]
    notes = missing_sets(SETS, frame["dataset"], missing, "the study")
    frame = frame.assign(C=[" ".join(f"{C:g}" for C in values) for values in frame["C"]])
    return Table(frame, tuple(header), tuple(sections), notes=notes, align="l" + "r" * (most + 2))


def _cells(row, most: int) -> tuple[Cell, ...]:
    values = [f"{C:g}" for C in row.C] + [NOTHING] * (most - len(row.C))
    return (
        Cell(row.dataset),
        *map(Cell, values),
        Cell(f"{row.accuracy_lowest:.2f}"),
        Cell(f"{row.accuracy_highest:.2f}"),
    )
