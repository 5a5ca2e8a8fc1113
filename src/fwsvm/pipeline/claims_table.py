"""The table of the papers' quantitative statements and what our runs show (claims)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.claims.claim import NOT_RUN, OUTCOMES, REPRODUCED
from fwsvm.claims.evaluation import STUDY, paper_verdict
from fwsvm.pipeline.claims import PAPERS, evaluate_claims
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, listing
from fwsvm.runs.protocols import protocol_words
from fwsvm.studies.benchmark.evidence import ALL
from fwsvm.studies.benchmark.numbers import BENCHMARK, experiment_runs
from fwsvm.studies.benchmark.protocol import missing_sets


def claims_table(
    runs: pd.DataFrame, tests: pd.DataFrame, missing: Mapping[str, str] | None = None, **details: Sequence[Mapping]
) -> Table:
    """Every claim: the verdict first, the statement, our numbers next to the printed, the threshold."""
    if runs.empty:
        raise NotDrawableError(needs("any experiment", []))
    frame = evaluate_claims(runs, tests, details)
    decisive, notes = frame[frame["headline"]], Footnotes()
    counts = decisive["outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0)
    order = [name for name in frame["protocol"].unique() if name != STUDY]
    sections = [
        Section(paper_verdict(frame, paper), tuple(_row(group, notes) for _, group in rows.groupby("id", sort=False)))
        for paper in PAPERS
        for rows in [frame[frame["paper"] == paper]]
    ]
    names = ("verdict", "statement", "printed", "ours", "threshold", "under other protocols")
    benchmark = experiment_runs(runs, BENCHMARK)
    caption = [
        f"Of the papers' {len(decisive)} quantitative statements "
        f"{listing(f'{count} are {outcome}' for outcome, count in counts.items())}. "
        "Same direction: on the claimed side, but outside the threshold. "
        f"{_by_protocol(frame, order)} Verdicts and rules: docs/results.md.",
        missing_sets(ALL, benchmark["dataset"].dropna(), missing, "the benchmark"),
    ]
    header = tuple(("", name) for name in names)
    return Table(frame, header, tuple(sections), notes.listed(), caption=" ".join(caption), align="lwwwww")


def _by_protocol(frame: pd.DataFrame, order: Sequence[str]) -> str:
    """How many of the statements about the benchmark each protocol reproduces."""
    counts = (frame["outcome"] == REPRODUCED).groupby(frame["protocol"]).agg(["sum", "size"])
    fitted = {"as_run": ", one C of a series fitted to two printed numbers"}
    first, *others = [f"{counts.loc[name, 'sum']} ({protocol_words(name)}{fitted.get(name, '')})" for name in order]
    return f"Of the benchmark's {counts.loc[order[0], 'size']}: {'; '.join(filter(None, (first, listing(others))))}."


def _row(group: pd.DataFrame, notes: Footnotes) -> tuple[Cell, ...]:
    head = group[group["headline"]].iloc[0]
    marks = tuple(notes.mark(text) for text in (head["flags"], head["note"]) if text)
    others = [f"{protocol_words(row['protocol'])}: {row['outcome']}" for _, row in group[~group["headline"]].iterrows()]
    return (
        Cell(head["outcome"], bold=head["outcome"] == REPRODUCED),
        Cell(head["statement"], marks),
        Cell(head["printed"] or NOTHING),
        Cell(_ours(head)),
        Cell(head["threshold"]),
        Cell("; ".join(others) or NOTHING),
    )


def _ours(head: pd.Series) -> str:
    """Our numbers and how large the difference is, and what they rest on.

    That is the setting of a study; of the benchmark only how many runs ended at a limit.
    """
    numbers, basis = "; ".join(filter(None, (head["ours"], head["effect"]))) or "none", head["reason"]
    if head["protocol"] != STUDY and head["outcome"] != NOT_RUN:
        basis = next((part for part in head["reason"].split("; ") if "ended at a limit" in part), "")
    return f"{numbers} [{basis}]" if basis else numbers
