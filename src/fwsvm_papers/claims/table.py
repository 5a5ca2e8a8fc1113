"""The table of all claims, which is the artefact `claims`. For each claim, the table has the
verdict, the statement, the paper's numbers, our numbers and the threshold.
"""

from collections.abc import Mapping

import pandas as pd

from fwsvm_papers.claims.claim import NOT_RUN, REPRODUCED, STUDY
from fwsvm_papers.claims.evaluation import evaluate_claims, main_counts, paper_verdict
from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import NOTHING, joined, listing
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.studies.benchmark.groups import ALL
from fwsvm_papers.studies.benchmark.numbers import BENCHMARK, experiment_runs
from fwsvm_papers.studies.benchmark.protocol import missing_sets


def claims_table(
    runs: pd.DataFrame,
    tests: pd.DataFrame,
    missing: Mapping[str, str] | None = None,
    **details: object,
) -> Table:
    """Evaluate all claims, and return their table."""
    require(len(runs), needs("any experiment", []))
    frame = evaluate_claims(runs, tests, details)
    under = frame["protocol"].map(protocol_words) + ": " + frame["outcome"]
    others = under[~frame["headline"]].groupby(frame["id"]).agg("; ".join)
    rows = frame.assign(others=frame["id"].map(others).fillna(NOTHING))[frame["headline"]]
    columns = (
        Column(
            "verdict",
            lambda row: row["outcome"],
            bold=lambda row: row["outcome"] == REPRODUCED,
            align="l",
        ),
        Column("statement", lambda row: row["statement"], notes=_notes, align="w"),
        Column("printed", lambda row: row["printed"] or NOTHING, align="w"),
        Column("ours", _ours, align="w"),
        Column("by requested kernel values", lambda row: _second(row, "requested"), align="w"),
        Column(
            "by the authors' program, on another machine",
            lambda row: _second(row, "authors"),
            align="w",
        ),
        Column("threshold", lambda row: row["threshold"], align="w"),
        Column(
            "if our thresholds were 1.5 times larger or smaller",
            lambda row: row["sensitivity"] or NOTHING,
            align="w",
        ),
        Column("under other protocols", lambda row: row["others"], align="w"),
    )
    counts = main_counts(frame)
    benchmark_sets = experiment_runs(runs, BENCHMARK)["dataset"].dropna()
    facts = joined(
        f"The {counts.sum()} statements have these verdicts:"
        f" {listing(f'{count} {outcome}' for outcome, count in counts.items())}.",
        _by_protocol(frame),
        RULES,
        missing_sets(ALL, benchmark_sets, missing, "the benchmark"),
    )
    return ours_beside_printed(
        rows, columns, "paper", lambda paper: paper_verdict(frame, paper), facts, frame
    )


RULES = (
    "If a statement has several rules, each rule and our numbers for this rule begin with the same"
    " number in brackets, such as (1). A case is one method on one data set, or one setting at one"
    ' size. Numbers after "95 %" are a confidence interval.'
)


def _by_protocol(frame: pd.DataFrame) -> str:
    """Return a text that says how many statements about the benchmark are reproduced under each
    protocol.
    """
    of_benchmark = frame[frame["protocol"] != STUDY]
    reproduced = of_benchmark["outcome"] == REPRODUCED
    counts = reproduced.groupby(of_benchmark["protocol"], sort=False).agg(["sum", "size"])
    fitted = {"as_run": " (with one C per series, fitted to the printed accuracies)"}
    shares = [
        f'{count} with "{protocol_words(name)}"{fitted.get(name, "")}'
        for name, count in counts["sum"].items()
    ]
    return (
        f"{counts['size'].iloc[0]} of the statements are about the benchmark. How many of them are"
        f" reproduced depends on the settings: {listing(shares)}."
    )


def _notes(row: Mapping) -> list[str]:
    return [*filter(None, (row["flags"], row["note"]))]


def _second(row: Mapping, by: str) -> str:
    """Return a second verdict as text. `by` is "requested" for the verdict by requested kernel
    values, or "authors" for the verdict by the authors' program.
    """
    outcome = row[f"outcome_{by}"]
    return ": ".join(filter(None, (outcome, row[f"ours_{by}"]))) or NOTHING


def _ours(head: Mapping) -> str:
    """Return a text with our numbers, the effect size and the reason for the verdict.

    For claims about the benchmark, only one part of the reason is in the text: the number of runs
    that ended at a limit. If the outcome is "not run", the text has the whole reason.
    """
    numbers = "; ".join(filter(None, (head["ours"], head["effect"]))) or "none"
    basis = head["reason"]
    if head["protocol"] != STUDY and head["outcome"] != NOT_RUN:
        basis = next(
            (part for part in head["reason"].split("; ") if "ended at a limit" in part), ""
        )
    return f"{numbers} [{basis}]" if basis else numbers
