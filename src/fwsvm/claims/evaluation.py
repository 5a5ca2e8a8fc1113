"""All claims judged on a run: outcomes under each protocol, what the print itself gives, a verdict on each paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from fwsvm.claims.claim import NOT_REPRODUCED, NOT_RUN, OUTCOMES, REPRODUCED, SAME_DIRECTION, Claim, Verdict
from fwsvm.claims.evidence import Evidence
from fwsvm.statistics.tests import holm

STUDY = "study"
"""Stands for the protocol of claims about an experiment with a protocol of its own."""


def evaluate(
    claims: Iterable[Claim], evidence: Mapping[str, Evidence], judged_by: str, printed: Evidence
) -> pd.DataFrame:
    """Judge claims under every protocol of `evidence`; `judged_by` decides, or `STUDY` for claims about studies.

    The result has a row per claim and protocol. In the row that decides, `headline` is true and three columns are
    filled: `effect` (sizes of the differences with 95 % intervals), `p_holm` (the largest p-value after Holm's
    adjustment over all claims of differences) and `flags`.
    """
    rows, verdicts = [], []
    for claim in claims:
        contradiction = contradicted(claim, printed)
        for protocol in [name for name in evidence if (name != STUDY) == claim.every_protocol]:
            verdict = claim.judge(evidence[protocol])
            headline = protocol in (judged_by, STUDY)
            flags = [contradiction, claim.easy if verdict.outcome == REPRODUCED else ""]
            rows.append(
                {
                    "paper": claim.paper,
                    "id": claim.id,
                    "statement": claim.statement,
                    "printed": claim.printed,
                    "note": claim.note,
                    "printed_inconsistent": bool(contradiction),
                    "protocol": protocol,
                    "headline": headline,
                    "outcome": verdict.outcome,
                    **verdict.words(),
                    "artefacts": claim.artefacts,
                    "effect": verdict.effect if headline else "",
                    "flags": "; ".join(filter(None, flags)) if headline else "",
                }
            )
            verdicts.append(verdict)
    table = pd.DataFrame(rows)
    table["p_holm"] = _holm(table["headline"], verdicts)
    return table


def contradicted(claim: Claim, printed: Evidence) -> str:
    """Return what the printed tables give if they contradict the claim; empty if they do not or have no such number."""
    if not claim.every_protocol:
        return ""
    verdict = claim.judge(printed)
    return "" if verdict.outcome in (REPRODUCED, NOT_RUN) else f"the printed tables give: {verdict.words()['ours']}"


def _holm(headline: pd.Series, verdicts: list[Verdict]) -> list[float]:
    """The largest adjusted p-value of each deciding row; NaN for rows without tests of a difference."""
    family = [
        (place, p)
        for place, verdict in enumerate(verdicts)
        if headline[place]
        for finding in verdict.findings
        for p in finding.p_values
    ]
    adjusted = pd.Series(holm([p for _, p in family]), index=[place for place, _ in family], dtype=float)
    return adjusted.groupby(level=0).max().reindex(range(len(verdicts))).tolist()


def totals(table: pd.DataFrame) -> pd.DataFrame:
    """Count the outcomes per paper and protocol, and of all headlines."""
    marks = pd.DataFrame({outcome: table["outcome"] == outcome for outcome in OUTCOMES}).astype(int)
    counts = marks.groupby([table["paper"], table["protocol"]], sort=False).sum().reset_index()
    whole = table[table["headline"]]["outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0)
    return pd.concat([counts, pd.DataFrame([{"paper": "all", "protocol": "headline", **whole}])], ignore_index=True)


def paper_verdict(table: pd.DataFrame, paper: str) -> str:
    """Say in one sentence how much of a paper was reproduced."""
    rows = table[table["headline"] & (table["paper"] == paper)]
    count = rows["outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0)
    tried = len(rows) - count[NOT_RUN]
    if not tried:
        return f"{paper}: none of its {len(rows)} statements could be tried."
    rest = [f"{count[SAME_DIRECTION]} more point the same way"] if count[SAME_DIRECTION] else []
    rest += [f"{count[NOT_RUN]} could not be tried"] if count[NOT_RUN] else []
    easy = rows[(rows["outcome"] == REPRODUCED) & rows["flags"].str.contains("seconds of another machine")]
    rest += [f"{len(easy)} of the reproduced in seconds that today's machines can hardly miss"] if len(easy) else []
    wrong = rows[rows["outcome"].isin([SAME_DIRECTION, NOT_REPRODUCED]) & rows["printed_inconsistent"]]
    rest += [f"{len(wrong)} of the others contradicted by the paper's own tables"] if len(wrong) else []
    more = f"; {', '.join(rest)}" if rest else ""
    return f"{paper}: {count[REPRODUCED]} of {tried} statements reproduced{more}."
