"""How much the tuned C depends on the validation part, and what that does to the accuracy (beyond-splits)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.tables import Cell, Section, Table
from fwsvm.reporting.text import NOTHING, joined
from fwsvm.runs.protocols import PROTOCOLS, protocol_words
from fwsvm.runs.records import ordered
from fwsvm.studies.benchmark.numbers import datasets_in_order, experiment_runs
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.tuning_splits.plan import EXPERIMENT

SETS = ("a1a", "a2a", "a3a", "a4a", "w1a", "w4a", "reuters", "letter")
"""Data sets of the default configuration."""


def splits_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Sum up the validation parts of the runs of ``splits``.

    Returns
    -------
    DataFrame
        One row per protocol and data set: ``C`` (the tuned values, in the order of the validation parts), ``lowest``
        and ``highest`` of them, ``doublings`` between these two, ``accuracy_lowest`` and ``accuracy_highest`` (per cent
        of the test points) and their ``spread``, ``splits``.
    """
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
    caption = joined(
        _takeaway(frame),
        f"CVM with C tuned on {most} random validation parts; the first is the benchmark's. Where a protocol has one C "
        "for a series of sets, this is what tuning each set would give.",
        missing_sets(SETS, frame["dataset"], missing, "the study"),
    )
    frame = frame.assign(C=[" ".join(f"{C:g}" for C in values) for values in frame["C"]])
    return Table(frame, tuple(header), tuple(sections), caption=caption, align="l" + "r" * (most + 2))


def _cells(row, most: int) -> tuple[Cell, ...]:
    values = [f"{C:g}" for C in row.C] + [NOTHING] * (most - len(row.C))
    return (
        Cell(row.dataset),
        *map(Cell, values),
        Cell(f"{row.accuracy_lowest:.2f}"),
        Cell(f"{row.accuracy_highest:.2f}"),
    )


def _takeaway(frame: pd.DataFrame) -> str:
    """Say how often C depends on the validation part, by how much, and what it does to the accuracy."""
    differs = frame[frame["doublings"] > 0]
    if differs.empty:
        return f"C does not depend on the validation part on any of {frame['dataset'].nunique()} sets."
    worst, spread = differs.loc[differs["spread"].idxmax()], differs["spread"]
    return (
        f"C depends on the validation part in {len(differs)} of {len(frame)} cases, by a factor of "
        f"{2 ** differs['doublings'].median():g} (median of these) and up to {2 ** differs['doublings'].max():g}; the "
        f"test accuracy then differs by {spread.median():.2f} points (median), at most {spread.max():.2f} "
        f"({worst['dataset']})."
    )
