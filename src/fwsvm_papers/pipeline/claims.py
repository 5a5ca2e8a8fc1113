"""Judge the papers' claims by our runs, write a sentence about each paper, and make the table of
all claims.
"""

import importlib
from functools import cache

import pandas as pd

from fwsvm_papers.claims import judging
from fwsvm_papers.claims.evidence import REQUESTED, Evidence, judged_protocol
from fwsvm_papers.claims.judging import (
    EASY_SECONDS,
    NOT_RUN,
    OUTCOMES,
    REPRODUCED,
    Claim,
    thresholds_times,
)
from fwsvm_papers.pipeline.artefacts import WITH_CLAIMS
from fwsvm_papers.reporting.artefact import NotDrawableError, needs
from fwsvm_papers.reporting.tables import Column, ours_beside_printed
from fwsvm_papers.reporting.text import NOTHING, joined, listing
from fwsvm_papers.runs.protocols import PROTOCOLS, protocol_words
from fwsvm_papers.statistics.tests import holm
from fwsvm_papers.studies.benchmark.evidence import ALL, authors_evidence, printed_evidence
from fwsvm_papers.studies.benchmark.numbers import BENCHMARK, experiment_runs
from fwsvm_papers.studies.benchmark.protocol import missing_sets
from fwsvm_papers.studies.benchmark.significance import test_protocols

# the value in the protocol column for claims about an experiment that has its own settings
STUDY = "study"

PAPERS = {
    name: [
        value
        for value in vars(importlib.import_module(f"{package}.claims")).values()
        if type(value) is Claim
    ]
    for name, package in WITH_CLAIMS.items()
}
"""The claims of each paper, in the order of the module `claims` of its study."""

SCALES = {"1.5 times larger": 1.5, "1.5 times smaller": 1 / 1.5}
"""Factors for the thresholds that we chose ourselves.

They show whether a verdict depends on these thresholds.
"""


def evaluate_claims(runs, tests, details=None):
    """Judge every claim.

    Claims about the benchmark are judged under each protocol; the first gives the main verdict.

    Claims about times also get the verdict `outcome_requested`, in which requested kernel values
    replace seconds. `outcome_authors` judges claims about the benchmark by the authors' program, on
    the data sets where it was timed. `sensitivity` says how the main verdict changes with the
    thresholds that we chose ourselves.
    """
    judged_by = judged_protocol(runs)
    ran = set(runs["protocol"].dropna())
    protocols = dict.fromkeys((judged_by, *(name for name in PROTOCOLS if name in ran), STUDY))
    evidence = {name: Evidence(runs, tests, details, name) for name in protocols}
    of_requested = test_protocols(runs, cost=REQUESTED)
    requested = {
        name: Evidence(runs, of_requested, details, name, cost=REQUESTED) for name in protocols
    }
    printed, rows = _printed(), []
    for claim in (claim for claims in PAPERS.values() for claim in claims):
        contradiction = _contradiction(claim) if claim.every_protocol else ""
        for protocol in [name for name in evidence if (name != STUDY) == claim.every_protocol]:
            verdict = claim.judge(evidence[protocol])
            timed = claim.every_protocol and any(sample.timed for sample in verdict.samples)
            second = claim.judge(requested[protocol]) if timed else None
            headline = protocol in (judged_by, STUDY)
            third = _by_authors(claim) if headline and claim.every_protocol else None
            own = claim.flag(printed, evidence[protocol], requested[protocol]) if claim.flag else ""
            flags = [contradiction, own, claim.easy if verdict.outcome == REPRODUCED else ""]
            rows.append(
                {
                    **{
                        name: getattr(claim, name)
                        for name in ("paper", "id", "statement", "printed", "note")
                    },
                    "printed_inconsistent": bool(contradiction or own),
                    "protocol": protocol,
                    "headline": headline,
                    **{
                        name: getattr(verdict, name)
                        for name in ("outcome", "ours", "reason", "threshold")
                    },
                    "sensitivity": (
                        _sensitivity(claim, verdict, evidence[protocol]) if headline else ""
                    ),
                    "outcome_requested": second.outcome if timed else "",
                    "ours_requested": second.ours if timed else "",
                    "outcome_authors": third.outcome if third else "",
                    "ours_authors": f"{third.ours} [{third.reason}]" if third else "",
                    "artefacts": claim.artefacts,
                    "effect": verdict.effect if headline else "",
                    "flags": "; ".join(filter(None, flags)) if headline else "",
                    "p_holm": verdict.p_values if headline else (),
                }
            )
    table = pd.DataFrame(rows)
    family = table["p_holm"].explode().dropna()
    return table.assign(
        p_holm=pd.Series(holm(family), family.index, dtype=float).groupby(level=0).max()
    )


_printed, _authors = cache(printed_evidence), cache(authors_evidence)


@cache
def _by_authors(claim):
    """Judge a claim by the authors' program. Return None if none of its numbers is known."""
    verdict = claim.judge(_authors())
    return verdict if verdict.ours else None


def _sensitivity(claim, verdict, evidence):
    """State the verdict at other thresholds.

    Return "" if the paper states all thresholds or no run tests the claim.
    """
    if judging.CHOSEN not in verdict.threshold or verdict.outcome == NOT_RUN:
        return ""
    found = {}
    for words, scale in SCALES.items():
        with thresholds_times(scale):
            outcome = claim.judge(evidence).outcome
        found[words] = outcome if outcome != verdict.outcome else "no change"
    both = "; ".join(f"{words}: {said}" for words, said in found.items())
    return both if len(set(found.values())) > 1 else "no change"


@cache
def _contradiction(claim):
    """Say what the paper's own tables show if they contradict the claim. Otherwise return ""."""
    verdict = claim.judge(_printed())
    return (
        ""
        if verdict.outcome in (REPRODUCED, NOT_RUN)
        else f"the printed tables give: {verdict.ours}"
    )


def totals(table):
    """Count the outcomes for each paper and protocol.

    The last row counts the main verdicts of all claims.
    """
    both = pd.concat([table, table[table["headline"]].assign(paper="all", protocol="headline")])
    counts = pd.DataFrame({outcome: both["outcome"] == outcome for outcome in OUTCOMES}).astype(int)
    return counts.groupby([both["paper"], both["protocol"]], sort=False).sum().reset_index()


def paper_verdict(table, paper):
    """Say in one sentence how much of a paper was reproduced."""
    rows = table[table["headline"] & (table["paper"] == paper)]
    count = rows["outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0)
    if count[NOT_RUN] == len(rows):
        return f"{paper}: none of its {len(rows)} statements could be tested."
    easy = (rows["outcome"] == REPRODUCED) & rows["flags"].str.contains(EASY_SECONDS, regex=False)
    wrong = (
        rows["outcome"].isin([judging.SAME_DIRECTION, judging.NOT_REPRODUCED])
        & rows["printed_inconsistent"]
    )
    timed = rows["outcome_requested"] != ""
    by_values = (rows["outcome_requested"].where(timed, rows["outcome"]) == REPRODUCED).sum()
    second = f" ({by_values} by requested kernel values)" if timed.any() else ""
    rest = {
        "of them with a bound in seconds that is easy to meet today": easy.sum(),
        "more in the same direction": count[judging.SAME_DIRECTION],
        "not contradicted": count[judging.NOT_CONTRADICTED],
        "could not be tested": count[NOT_RUN],
        "of the unreproduced statements contradicted by the paper's own tables": wrong.sum(),
    }
    more = ", ".join(f"{number} {words}" for words, number in rest.items() if number)
    return (
        f"{paper}: {count[REPRODUCED]} of {len(rows)} statements"
        f" reproduced{second}{more and f'; {more}'}."
    )


def claims_table(runs, tests, missing=None, **details):
    """Make the table of claims.

    Each row has a verdict, a statement, the paper's numbers and ours, and a threshold.
    """
    if runs.empty:
        raise NotDrawableError(needs("any experiment", []))
    frame = evaluate_claims(runs, tests, details)
    counts = (
        frame.loc[frame["headline"], "outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0)
    )
    order = [name for name in frame["protocol"].unique() if name != STUDY]
    under = frame["protocol"].map(protocol_words) + ": " + frame["outcome"]
    others = under[~frame["headline"]].groupby(frame["id"]).agg("; ".join)
    requested = frame["outcome_requested"] + ": " + frame["ours_requested"]
    requested = requested.where(frame["outcome_requested"] != "", NOTHING)
    authors = (frame["outcome_authors"] + ": " + frame["ours_authors"]).where(
        frame["ours_authors"] != "", NOTHING
    )
    rows = frame.assign(
        others=frame["id"].map(others).fillna(NOTHING), requested=requested, authors=authors
    )
    rows = rows[frame["headline"]]
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
        Column("by requested kernel values", lambda row: row["requested"], align="w"),
        Column(
            "by the authors' program, on another machine", lambda row: row["authors"], align="w"
        ),
        Column("threshold", lambda row: row["threshold"], align="w"),
        Column(
            "if our thresholds were 1.5 times larger or smaller",
            lambda row: row["sensitivity"] or NOTHING,
            align="w",
        ),
        Column("under other protocols", lambda row: row["others"], align="w"),
    )
    facts = joined(
        f"{counts.sum()} statements:"
        f" {listing(f'{count} {outcome}' for outcome, count in counts.items())}.",
        _by_protocol(frame, order),
        missing_sets(
            ALL, experiment_runs(runs, BENCHMARK)["dataset"].dropna(), missing, "the benchmark"
        ),
    )
    return ours_beside_printed(
        rows, columns, "paper", lambda paper: paper_verdict(frame, paper), facts, frame
    )


def _by_protocol(frame, order):
    """Say how many statements about the benchmark each protocol reproduces."""
    counts = (frame["outcome"] == REPRODUCED).groupby(frame["protocol"]).agg(["sum", "size"])
    fitted = {"as_run": " (with one C per series, fitted to the printed accuracies)"}
    shares = [
        f"{protocol_words(name)}{fitted.get(name, '')} {counts.loc[name, 'sum']}" for name in order
    ]
    return (
        f"Reproduced among the benchmark's {counts.loc[order[0], 'size']} statements:"
        f" {', '.join(shares)}."
    )


def _notes(row):
    return [*filter(None, (row["flags"], row["note"]))]


def _ours(head):
    """Write our numbers, the effect size and the verdict's reason (for the benchmark: how many
    runs hit a limit).
    """
    numbers = "; ".join(filter(None, (head["ours"], head["effect"]))) or "none"
    basis = head["reason"]
    if head["protocol"] != STUDY and head["outcome"] != NOT_RUN:
        basis = next(
            (part for part in head["reason"].split("; ") if "ended at a limit" in part), ""
        )
    return f"{numbers} [{basis}]" if basis else numbers
