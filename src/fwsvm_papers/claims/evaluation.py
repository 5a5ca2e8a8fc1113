"""Functions that judge the claims of all papers under all protocols, count the outcomes, and
summarise each paper in a short text.
"""

from collections.abc import Iterable, Mapping
from functools import cache

import pandas as pd

from fwsvm_papers.claims import alaiz2018, frandi2013, nanculef2014, singh, tsang2005
from fwsvm_papers.claims.benchmark import authors_evidence, printed_evidence
from fwsvm_papers.claims.claim import (
    CHOSEN,
    EASY_SECONDS,
    NOT_CONTRADICTED,
    NOT_REPRODUCED,
    NOT_RUN,
    OUTCOMES,
    REPRODUCED,
    SAME_DIRECTION,
    STUDY,
    Claim,
    Verdict,
    thresholds_times,
)
from fwsvm_papers.claims.evidence import REQUESTED, Evidence, judged_protocol
from fwsvm_papers.reporting.text import listing
from fwsvm_papers.runs.protocols import PROTOCOLS
from fwsvm_papers.statistics.tests import holm
from fwsvm_papers.studies.benchmark.groups import OF_PAPERS
from fwsvm_papers.studies.benchmark.numbers import BENCHMARK, C_PATH, POLY
from fwsvm_papers.studies.benchmark.significance import test_protocols

PAPERS = {
    paper.__name__.rpartition(".")[2]: [
        value for value in vars(paper).values() if isinstance(value, Claim)
    ]
    for paper in (tsang2005, frandi2013, nanculef2014, singh, alaiz2018)
}
"""Maps each paper to its claims, in the order of the paper's module."""

# These numbers do not depend on our runs, so they are computed only once.
_printed, _authors = cache(printed_evidence), cache(authors_evidence)

SCALES = {"1.5 times larger": 1.5, "1.5 times smaller": 1 / 1.5}
"""Factors for the thresholds that we chose ourselves. Limits of ratios are scaled on a logarithmic
scale.

The factors show whether a verdict depends on these thresholds.
"""


def evaluate_claims(
    runs: pd.DataFrame, tests: pd.DataFrame, details: Mapping | None = None
) -> pd.DataFrame:
    """Judge the claims of all papers by the runs, by their significance tests, and by the details
    of the studies. The claims about the benchmark are judged under the protocols of the benchmark's
    runs. Data sets that are not in the papers are left out.

    Return the table of `evaluate`.
    """
    is_of_papers = runs["dataset"].isin(OF_PAPERS)
    if not is_of_papers.all():
        runs = runs[is_of_papers]
        tests = test_protocols(runs)
    details = {
        name: [entry for entry in entries if entry["dataset"] in OF_PAPERS]
        for name, entries in (details or {}).items()
    }
    ran = set(runs.loc[runs["experiment"].isin([BENCHMARK, C_PATH, POLY]), "protocol"].dropna())
    others = [name for name in PROTOCOLS if name in ran]
    protocols = dict.fromkeys((judged_protocol(runs), *others, STUDY))
    of_requested = test_protocols(runs, cost=REQUESTED)
    return evaluate(
        [claim for claims in PAPERS.values() for claim in claims],
        {name: Evidence(runs, tests, details, name) for name in protocols},
        {name: Evidence(runs, of_requested, details, name, cost=REQUESTED) for name in protocols},
        _printed(),
        _authors(),
    )


def evaluate(
    claims: Iterable[Claim],
    by_seconds: Mapping[str, Evidence],
    by_requested: Mapping[str, Evidence],
    printed: Evidence,
    authors: Evidence,
) -> pd.DataFrame:
    """Judge every claim, and return a row per claim and protocol.

    `by_seconds` maps protocols to the evidence of our runs with times in seconds. Claims about the
    benchmark are judged under each protocol except `STUDY`. Other claims are judged only under
    `STUDY`. The main verdict on a claim is the verdict under the claim's first protocol. In the row
    of the main verdict, `headline` is true.

    Claims about times in the benchmark have a second verdict, in the column `outcome_requested`. It
    is judged by `by_requested`, which has numbers of requested kernel values instead of seconds.
    The row of a main verdict about the benchmark has a third verdict, in the column
    `outcome_authors`. It is judged by `authors`, which has runs of the authors' program on the data
    sets on which we timed this program. The column is empty if the program has no such runs.

    The column `sensitivity` says how the main verdict changes with the thresholds that we chose
    ourselves. The column `p_holm` has the largest p-value of the main verdict, after Holm's
    correction for the p-values of all main verdicts. `printed` has the numbers of the papers' own
    tables. These numbers contradict some claims.
    """
    rows = []
    for claim in claims:
        protocols = [name for name in by_seconds if (name != STUDY) == claim.every_protocol]
        for protocol in protocols:
            ours = by_seconds[protocol], by_requested[protocol]
            rows.append(_row(claim, protocol, protocol == protocols[0], ours, printed, authors))
    table = pd.DataFrame(rows)
    family = table["p_holm"].explode().dropna()
    return table.assign(
        p_holm=pd.Series(holm(family), family.index, dtype=float).groupby(level=0).max()
    )


def _row(
    claim: Claim,
    protocol: str,
    headline: bool,
    ours: tuple[Evidence, Evidence],
    printed: Evidence,
    authors: Evidence,
) -> dict:
    """Return the row of a claim under one protocol.

    `ours` is a pair: the evidence of our runs in terms of times, and the same evidence in terms of
    requested kernel values.
    """
    seconds, requested = ours
    verdict = claim.judge(seconds)
    is_timed = claim.every_protocol and any(sample.timed for sample in verdict.samples)
    second = claim.judge(requested) if is_timed else None
    third = _by_authors(claim, authors) if headline and claim.every_protocol else None
    contradiction = _contradiction(claim, printed) if claim.every_protocol else ""
    own = claim.flag(printed, seconds, requested) if claim.flag else ""
    flags = [contradiction, own, claim.easy if verdict.outcome == REPRODUCED else ""]
    return {
        "paper": claim.paper,
        "id": claim.id,
        "statement": claim.statement,
        "printed": claim.printed,
        "note": claim.note,
        "printed_inconsistent": bool(contradiction or own),
        "protocol": protocol,
        "headline": headline,
        "outcome": verdict.outcome,
        "ours": verdict.ours,
        "reason": verdict.reason,
        "threshold": verdict.threshold,
        "sensitivity": _sensitivity(claim, verdict, seconds) if headline else "",
        "outcome_requested": second.outcome if second else "",
        "ours_requested": second.ours if second else "",
        "outcome_authors": third.outcome if third else "",
        "ours_authors": f"{third.ours} [{third.reason}]" if third else "",
        "artefacts": claim.artefacts,
        "effect": verdict.effect if headline else "",
        "flags": "; ".join(filter(None, flags)) if headline else "",
        "p_holm": verdict.p_values if headline else (),
    }


@cache
def _by_authors(claim: Claim, authors: Evidence) -> Verdict | None:
    """Return the verdict on a claim by the runs of the authors' program. If there are no such runs
    for the claim, return None.
    """
    verdict = claim.judge(authors)
    return verdict if verdict.ours else None


@cache
def _contradiction(claim: Claim, printed: Evidence) -> str:
    """If the paper's own tables contradict the claim, return a text that says what they show.
    Otherwise, return an empty text.

    The tables do not contradict a rule of the claim if their numbers have its direction, and only
    miss a threshold that we chose ourselves.
    """
    verdicts = claim.verdicts(printed)
    if any(verdict.outcome == NOT_RUN for verdict in verdicts) or not any(
        verdict.outcome == NOT_REPRODUCED
        or (verdict.outcome == SAME_DIRECTION and CHOSEN not in verdict.threshold)
        for verdict in verdicts
    ):
        return ""
    return f"the printed tables give: {claim.judge(printed).ours}"


def _sensitivity(claim: Claim, verdict: Verdict, evidence: Evidence) -> str:
    """Return a text that says how the verdict changes with the thresholds that we chose ourselves.

    If the paper states all thresholds, or if no run tests the claim, return an empty text.
    """
    if CHOSEN not in verdict.threshold or verdict.outcome == NOT_RUN:
        return ""
    found = {}
    for words, scale in SCALES.items():
        with thresholds_times(scale):
            outcome = claim.judge(evidence).outcome
        found[words] = outcome if outcome != verdict.outcome else "no change"
    both = "; ".join(f"{words}: {said}" for words, said in found.items())
    return both if len(set(found.values())) > 1 else "no change"


def totals(table: pd.DataFrame) -> pd.DataFrame:
    """Return the number of claims with each outcome. The table has a row per paper and protocol,
    and a column per outcome.

    The last row counts the main verdicts of all claims.
    """
    both = pd.concat([table, table[table["headline"]].assign(paper="all", protocol="headline")])
    counts = pd.DataFrame({outcome: both["outcome"] == outcome for outcome in OUTCOMES}).astype(int)
    return counts.groupby([both["paper"], both["protocol"]], sort=False).sum().reset_index()


def main_counts(table: pd.DataFrame) -> pd.Series:
    """Return the number of main verdicts with each outcome."""
    outcomes = table.loc[table["headline"], "outcome"]
    return outcomes.value_counts().reindex(list(OUTCOMES), fill_value=0)


def paper_verdict(table: pd.DataFrame, paper: str) -> str:
    """Return a text that says how many statements of a paper were reproduced."""
    rows = table[table["headline"] & (table["paper"] == paper)]
    count = main_counts(rows)
    if count[NOT_RUN] == len(rows):
        return f"{paper}: none of its {len(rows)} statements could be tested."
    easy = (rows["outcome"] == REPRODUCED) & rows["flags"].str.contains(EASY_SECONDS, regex=False)
    unreproduced = rows["outcome"].isin([SAME_DIRECTION, NOT_REPRODUCED])
    wrong = unreproduced & rows["printed_inconsistent"]
    timed = rows["outcome_requested"] != ""
    by_values = (rows["outcome_requested"].where(timed, rows["outcome"]) == REPRODUCED).sum()
    second = f" ({by_values} by requested kernel values)" if timed.any() else ""
    same, missed, uncontradicted = count[[SAME_DIRECTION, NOT_REPRODUCED, NOT_CONTRADICTED]]
    more = [
        (
            same,
            f"{same} more {'statement has' if same == 1 else 'statements have'} the same direction",
        ),
        (missed, f"{missed} {_be(missed)} not reproduced"),
        (uncontradicted, f"{uncontradicted} {_be(uncontradicted)} not contradicted"),
        (count[NOT_RUN], f"{count[NOT_RUN]} could not be tested"),
    ]
    sentences = [
        f"{paper}: {count[REPRODUCED]} of {len(rows)} statements {_be(count[REPRODUCED])}"
        f" reproduced{second}."
    ]
    if others := [words for number, words in more if number]:
        sentences += [f"{listing(others)}."]
    if easy.any():
        has = "has" if easy.sum() == 1 else "have"
        sentences += [
            f"{easy.sum()} of the {count[REPRODUCED]} reproduced statements {has} a bound in"
            " seconds that is easy to meet today."
        ]
    if wrong.any():
        sentences += [
            f"The paper's own tables contradict {wrong.sum()} of the statements that do not have"
            " the verdict 'reproduced'."
        ]
    return " ".join(sentences)


def _be(count: int) -> str:
    return "is" if count == 1 else "are"
