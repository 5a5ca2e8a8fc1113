"""How much the tuned C depends on the validation part, and what that does to the accuracy (beyond-splits)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from fwsvm.reporting.artefact import NotDrawableError, needs
from fwsvm.reporting.tables import Column, Table, ours_beside_printed
from fwsvm.reporting.text import NOTHING
from fwsvm.runs.protocols import PROTOCOLS, protocol_words
from fwsvm.runs.records import ordered
from fwsvm.studies.benchmark.numbers import datasets_in_order, experiment_runs
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.tuning_splits import EXPERIMENT

# Data sets of the default configuration.
SETS = ("a1a", "a2a", "a3a", "a4a", "w1a", "w4a", "reuters", "letter")


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
    columns = [Column("data set", lambda row: row["dataset"], align="l")]
    for part in range(int(frame["splits"].max())):
        columns.append(Column(f"part {part + 1}", lambda row, part=part: _tuned(row, part), "tuned C"))
    for end in ("lowest", "highest"):
        columns.append(Column(end, lambda row, end=end: f"{row[f'accuracy_{end}']:.2f}", "accuracy (%)"))
    notes = missing_sets(SETS, frame["dataset"], missing, "the study")
    csv = frame.assign(C=[" ".join(f"{C:g}" for C in values) for values in frame["C"]])
    return ours_beside_printed(frame, columns, "protocol", protocol_words, notes, csv)


def _tuned(row: Mapping, part: int) -> str:
    return f"{row['C'][part]:g}" if part < len(row["C"]) else NOTHING
