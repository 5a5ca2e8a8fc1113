"""The papers' quantitative statements beside what our runs say about them (claims)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.pipeline.claims import HEADLINE, OUTCOMES, PAPERS, STUDY, evaluate_claims, totals
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, listing
from fwsvm.runs.table import SELECTIONS
from fwsvm.studies.benchmark.groups import ADULT, LARGE, MEDIUM, PROTEIN, WEB
from fwsvm.studies.benchmark.numbers import BENCHMARK, experiment_runs
from fwsvm.studies.benchmark.protocol import missing_sets, protocol, repetitions

_SETS = (*WEB.datasets, *ADULT.datasets, *MEDIUM.datasets, *LARGE.datasets, *PROTEIN.datasets)
_CONTRADICTED = "the printed numbers contradict each other: "


def claims_table(
    runs: pd.DataFrame,
    tests: pd.DataFrame,
    missing: Mapping[str, str] | None = None,
    **details: Sequence[Mapping],
) -> Table:
    """Lay out every claim with its rule, the printed number, and our outcome under each selection.

    Parameters
    ----------
    runs : DataFrame
        Runs table, all experiments.
    tests : DataFrame
        Rows of `fwsvm.studies.benchmark.significance.test_selections`.
    missing : mapping, optional
        Data set -> why it is not here.
    **details : list of dict
        Of the studies, by name.
    """
    if runs.empty:
        raise NotDrawableError("claims", needs("any experiment", []))
    frame = evaluate_claims(runs, tests, details)
    counted, notes = totals(frame), Footnotes()
    sections = [
        Section(_heading(counted, paper), tuple(_rows(frame[frame["paper"] == paper], notes))) for paper in PAPERS
    ]
    header = (
        ("", "statement"),
        ("", "rule"),
        ("", "printed"),
        ("outcome and our number", f"{HEADLINE}, or the study"),
        *(("outcome and our number", selection) for selection in SELECTIONS if selection != HEADLINE),
    )
    whole = counted[counted["paper"] == "all"].iloc[0]
    benchmark = experiment_runs(runs, BENCHMARK)
    caption = [
        f"The papers' {int(frame['headline'].sum())} quantitative statements, judged by the rule beside them on our "
        f"runs: {_counts(whole)}. Claims about the benchmark are judged under every selection; {HEADLINE}, the papers "
        "as they read, decides. CVM's runs are those of sampled_libcvm under every selection.",
        protocol(benchmark),
        f"Benchmark: {repetitions(benchmark)}.",
        missing_sets(_SETS, benchmark["dataset"].dropna(), missing, "the benchmark"),
    ]
    return Table(frame, header, tuple(sections), " ".join(caption), notes.listed(), align="wwwwww")


def _heading(counted: pd.DataFrame, paper: str) -> str:
    """Name a paper with its totals under each selection."""
    rows = counted[counted["paper"] == paper]
    parts = [
        _counts(row) if row["selection"] == STUDY else f"{row['selection']}: {_counts(row)}"
        for row in rows.to_dict("records")
    ]
    return f"{paper}: {'; '.join(parts)}" if rows["selection"].eq(STUDY).all() else f"{paper} ({'; '.join(parts)})"


def _counts(row: Mapping) -> str:
    return listing(f"{int(row[outcome])} {outcome}" for outcome in OUTCOMES)


def _rows(frame: pd.DataFrame, notes: Footnotes):
    for _, group in frame.groupby("id", sort=False):
        of = {row["selection"]: row for row in group.to_dict("records")}
        head = of.get(HEADLINE, of.get(STUDY))
        note = (_CONTRADICTED if head["printed_inconsistent"] else "") + head["note"]
        marks = (notes.mark(note),) if note else ()
        others = [of.get(selection) for selection in SELECTIONS if selection != HEADLINE]
        yield (
            Cell(head["statement"], marks),
            Cell(head["rule"]),
            Cell(head["printed"] or NOTHING),
            Cell(_said(head)),
            *(Cell(_said(row, brief=True) if row else NOTHING) for row in others),
        )


def _said(row: Mapping, brief: bool = False) -> str:
    """Put outcome, number and reason into one cell; the reason only where it is not said beside it."""
    parts = [f"{row['outcome']}: {row['ours']}" if row["ours"] else row["outcome"]]
    if row["reason"] and not (brief and row["ours"]):
        parts.append(f"({row['reason']})")
    return " ".join(parts)
