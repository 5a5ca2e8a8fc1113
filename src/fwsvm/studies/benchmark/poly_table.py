"""The table of the polynomial kernel: accuracy and time of each data set and method beside the printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import method_label
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import accuracy, is_missing, joined, printed_accuracy, printed_seconds, seconds, significant
from fwsvm.runs.table import protocols_of
from fwsvm.studies import published
from fwsvm.studies.benchmark.numbers import (
    POLY,
    beside_printed,
    datasets_in_order,
    experiment_runs,
    majority_accuracies,
)
from fwsvm.studies.benchmark.protocol import (
    marks_disturbed,
    missing_sets,
    protocol_heading,
    timed_on_a_busy_machine,
)
from fwsvm.studies.benchmark.tables import CONSTANT_NOTE, DISTURBED_NOTE, LIMIT_NOTE

TOLERANCE = 1.0
"""Accuracies farther than this (points) from the printed ones are marked."""

_HEADER = (
    ("", "data set"),
    ("", "method"),
    ("accuracy (%)", "ours"),
    ("accuracy (%)", "printed"),
    ("accuracy (%)", "majority class"),
    ("time (CPU s)", "ours"),
    ("time (CPU s)", "printed"),
    ("time (CPU s)", "printed / ours"),
)


def poly_table(
    runs: pd.DataFrame,
    descriptions: Sequence[Mapping],
    methods: Sequence[str],
    missing: Mapping[str, str] | None = None,
) -> Table:
    """Lay out the runs of the experiment ``poly`` as frandi2013 table 8 does, a row per data set and method.

    `methods` are those of the paper's table; the descriptions have the majority class.
    """
    runs = experiment_runs(runs, POLY)
    runs = runs[runs["method"].isin(list(methods)).fillna(False)]
    if runs.empty:
        raise NotDrawableError(needs("the experiment poly", []))
    frame = poly_numbers(runs, methods)
    frame["majority"] = frame["dataset"].map(majority_accuracies(descriptions)).astype(float)
    notes = Footnotes()
    sections = []
    is_marked = marks_disturbed(runs)
    for protocol in protocols_of(runs):
        rows = frame[frame["protocol"] == protocol].itertuples(index=False)
        cells = tuple(tuple(_cells(row, is_marked, notes)) for row in rows)
        sections.append(Section(protocol_heading(runs, protocol), cells))
    first = frame[frame["protocol"] == frame["protocol"].iloc[0]]
    ratio = first.loc[first["at_limit"] == 0, "seconds_ratio"].median()
    caption = joined(
        f"Polynomial kernel of degree 2: median distance to the printed accuracies "
        f"{first['accuracy_difference'].abs().median():.2f} points, printed time over ours "
        f"{significant(ratio, 2)} in the median (first section). Mean ± standard deviation "
        "over the repetitions; ≥: a run ended at its limit. CVM cannot be used with this kernel.",
        timed_on_a_busy_machine(runs),
        missing_sets(dict.fromkeys(published.load("frandi2013_poly")["dataset"]), runs["dataset"].dropna(), missing),
    )
    return Table(frame, _HEADER, tuple(sections), notes.listed(), caption=caption, align="llrrrrrr")


def poly_numbers(runs: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Set accuracy and time beside the printed: one row per protocol, data set and method."""
    order = datasets_in_order(runs["dataset"].dropna(), "frandi2013_poly")
    keys = ["protocol", "dataset", "method"]
    accuracies = beside_printed(runs, "test_accuracy", methods, order, POLY)
    times = beside_printed(runs, "train_cpu_s", methods, order, POLY)
    statistics = ["mean", "std", "printed_mean", "printed_std"]
    frame = accuracies[[*keys, "n", "at_limit", "disturbed"]]
    for name, table in (("accuracy", accuracies), ("seconds", times)):
        frame = frame.join(table[statistics].rename(columns={s: f"{name}_{s}" for s in statistics}))
    frame["accuracy_difference"] = frame["accuracy_mean"] - frame["accuracy_printed_mean"]
    frame["seconds_ratio"] = frame["seconds_printed_mean"] / frame["seconds_mean"]
    return frame


def _cells(row, is_marked: bool, notes: Footnotes):
    limited = (notes.mark(LIMIT_NOTE),) if row.at_limit else ()
    distant = (
        (notes.mark(f"More than {TOLERANCE:g} point{'s' * (TOLERANCE != 1)} from the printed value."),)
        if abs(row.accuracy_difference) > TOLERANCE
        else ()
    )
    constant = (notes.mark(CONSTANT_NOTE),) if row.accuracy_mean <= row.majority else ()
    disturbed = (notes.mark(DISTURBED_NOTE),) if row.disturbed and is_marked else ()
    yield Cell(row.dataset)
    yield Cell(method_label(row.method))
    yield Cell(accuracy(row.accuracy_mean, row.accuracy_std, row.n), (*limited, *distant, *constant))
    yield Cell(printed_accuracy(row.accuracy_printed_mean, row.accuracy_printed_std))
    yield Cell(accuracy(row.majority, float("nan")))
    least = f"≥ {seconds(row.seconds_mean, float('nan'))}" if row.at_limit else ""
    yield Cell(least or seconds(row.seconds_mean, row.seconds_std, row.n), disturbed)
    yield Cell(printed_seconds(row.seconds_printed_mean, row.seconds_printed_std, digits=3))
    at_most = "≤ " if row.at_limit and not is_missing(row.seconds_ratio) else ""
    yield Cell(at_most + significant(row.seconds_ratio, 2))
