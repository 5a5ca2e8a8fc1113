"""Show how the tuned C and the accuracy vary with the validation part (beyond-splits)."""

import numpy as np
import pandas as pd

from fwsvm.reporting.tables import Column, Table, ours_beside_printed
from fwsvm.runs.protocols import PROTOCOLS, protocol_words
from fwsvm.runs.records import ordered
from fwsvm.studies.benchmark.numbers import drawable_runs, rows_in_order
from fwsvm.studies.benchmark.protocol import Missing, missing_sets
from fwsvm.studies.tuning_splits import EXPERIMENT

SETS = ("a1a", "a2a", "a3a", "a4a", "w1a", "w4a", "reuters", "letter", "ijcnn1")  # those of config/paper.yaml


def splits_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Summarise the runs of ``splits`` over their validation parts."""
    runs = runs.assign(C=runs["C"].astype(float), accuracy=100 * runs["test_accuracy"].astype(float))
    groups = runs.sort_values("repetition").groupby(["protocol", "dataset"])
    frame = groups.agg(
        C=("C", list), lowest=("C", "min"), highest=("C", "max"), accuracy_lowest=("accuracy", "min"),
        accuracy_highest=("accuracy", "max"), splits=("C", "size"), level=("C_rule", "first"),
    ).reset_index()  # fmt: skip
    frame["level"] = frame["level"].str.extract("; (.*) within", expand=False).fillna("")
    frame.insert(5, "doublings", np.log2(frame["highest"] / frame["lowest"]))
    frame.insert(8, "spread", frame["accuracy_highest"] - frame["accuracy_lowest"])
    frame = rows_in_order(frame, ["dataset"])
    places = {name: place for place, name in enumerate(ordered(frame["protocol"], PROTOCOLS))}
    return frame.sort_values("protocol", key=lambda names: names.map(places), kind="stable", ignore_index=True)


def splits_table(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Lay out `splits_numbers`: a section per protocol, a row per data set."""
    frame = splits_numbers(drawable_runs(runs, EXPERIMENT))
    columns = [Column("data set", lambda row: row["dataset"], align="l")]
    for part in range(int(frame["splits"].max())):
        columns.append(Column(f"part {part + 1}", lambda row, part=part: f"{row['C'][part]:g}", "tuned C"))
    columns.append(Column("within a standard error of part 1", lambda row: row["level"], "tuned C", align="l"))
    for end in ("lowest", "highest"):
        columns.append(Column(end, lambda row, end=end: f"{row[f'accuracy_{end}']:.2f}", "accuracy (%)"))
    notes = missing_sets(SETS, frame["dataset"], missing, "the study")
    csv = frame.assign(C=[" ".join(f"{C:g}" for C in values) for values in frame["C"]])
    return ours_beside_printed(frame, columns, "protocol", protocol_words, notes, csv)
