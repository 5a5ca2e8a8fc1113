"""Write the table of the papers' quantitative statements and of our verdicts (claims)."""

from fwsvm.claims.judging import NOT_RUN, OUTCOMES, REPRODUCED
from fwsvm.pipeline.claims import STUDY, evaluate_claims, paper_verdict
from fwsvm.reporting.artefact import NotDrawableError, needs
from fwsvm.reporting.tables import Column, ours_beside_printed
from fwsvm.reporting.text import NOTHING, joined, listing
from fwsvm.runs.protocols import protocol_words
from fwsvm.studies.benchmark.evidence import ALL
from fwsvm.studies.benchmark.numbers import BENCHMARK, experiment_runs
from fwsvm.studies.benchmark.protocol import missing_sets


def claims_table(runs, tests, missing=None, **details):
    """Lay out all claims: verdict, statement, our numbers next to the printed ones, and threshold."""
    if runs.empty:
        raise NotDrawableError(needs("any experiment", []))
    frame = evaluate_claims(runs, tests, details)
    counts = frame.loc[frame["headline"], "outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0)
    order = [name for name in frame["protocol"].unique() if name != STUDY]
    under = frame["protocol"].map(protocol_words) + ": " + frame["outcome"]
    others = under[~frame["headline"]].groupby(frame["id"]).agg("; ".join)
    requested = (frame["outcome_requested"] + ": " + frame["ours_requested"]).where(
        frame["outcome_requested"] != "", NOTHING
    )
    rows = frame.assign(others=frame["id"].map(others).fillna(NOTHING), requested=requested)[frame["headline"]]
    columns = (
        Column("verdict", lambda row: row["outcome"], bold=lambda row: row["outcome"] == REPRODUCED, align="l"),
        Column("statement", lambda row: row["statement"], notes=_notes, align="w"),
        Column("printed", lambda row: row["printed"] or NOTHING, align="w"),
        Column("ours", _ours, align="w"),
        Column("by requested kernel values", lambda row: row["requested"], align="w"),
        Column("threshold", lambda row: row["threshold"], align="w"),
        Column("chosen thresholds × 1.5 or ÷ 1.5", lambda row: row["sensitivity"] or NOTHING, align="w"),
        Column("under other protocols", lambda row: row["others"], align="w"),
    )
    facts = joined(
        f"Verdicts on the papers' {counts.sum()} quantitative statements: "
        f"{listing(f'{count} {outcome}' for outcome, count in counts.items())}. "
        f"{_by_protocol(frame, order)}",
        missing_sets(ALL, experiment_runs(runs, BENCHMARK)["dataset"].dropna(), missing, "the benchmark"),
    )
    return ours_beside_printed(rows, columns, "paper", lambda paper: paper_verdict(frame, paper), facts, frame)


def _by_protocol(frame, order):
    """Count the statements about the benchmark that each protocol reproduces."""
    counts = (frame["outcome"] == REPRODUCED).groupby(frame["protocol"]).agg(["sum", "size"])
    fitted = {"as_run": ", one C of a series fitted to two printed numbers"}
    first, *others = [f"{counts.loc[name, 'sum']} ({protocol_words(name)}{fitted.get(name, '')})" for name in order]
    shares = "; ".join(filter(None, (first, listing(others))))
    return f"Reproduced of the benchmark's {counts.loc[order[0], 'size']}: {shares}."


def _notes(row):
    return [*filter(None, (row["flags"], row["note"]))]


def _ours(head):
    """Write our numbers, the size of the difference, and a study's setting or the runs that ended at a limit."""
    numbers, basis = "; ".join(filter(None, (head["ours"], head["effect"]))) or "none", head["reason"]
    if head["protocol"] != STUDY and head["outcome"] != NOT_RUN:
        basis = next((part for part in head["reason"].split("; ") if "ended at a limit" in part), "")
    return f"{numbers} [{basis}]" if basis else numbers
