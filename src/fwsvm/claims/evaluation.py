"""All claims judged on a run: outcomes under each protocol, what the print itself gives, a verdict on each paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from fwsvm.claims.claim import Claim, Verdict
from fwsvm.claims.evidence import Evidence
from fwsvm.claims.quantities import UNATTAINED, effect_words
from fwsvm.claims.rules import BASES, NOT_REPRODUCED, NOT_RUN, OUTCOMES, REPRODUCED, SAME_DIRECTION
from fwsvm.statistics.tests import holm

STUDY = "study"
"""Stands for the protocol of claims about an experiment with a protocol of its own."""


def evaluate(
    claims: Iterable[Claim], evidence: Mapping[str, Evidence], judged_by: str, printed: Evidence
) -> pd.DataFrame:
    """Judge claims.

    Parameters
    ----------
    evidence : mapping of str to Evidence
        Protocol -> evidence, and `STUDY`, under which claims are judged that are not about the benchmark.
    judged_by : str
        The protocol that decides.
    printed : Evidence
        The printed tables.

    Returns
    -------
    DataFrame
        One row per claim and protocol: ``paper``, ``id``, ``statement``, ``rule``, ``printed``, ``note``,
        ``printed_inconsistent`` (whether the print contradicts the claim), ``protocol`` (the protocol), ``headline``
        (whether this row decides), ``outcome``, ``ours``, ``reason``, ``threshold`` (the decisive one, and where it
        comes from), ``numbers`` and ``wanted`` (of every rule), ``artefacts``; and where the row decides ``effect``
        (sizes with 95 % intervals), ``p_holm`` (adjusted for all p-values that claims of differences rest on; the
        largest of the claim's) and ``flags``.
    """
    claims = list(claims)
    names = {claim.id: f"cannot hold together with “{claim.statement}” ({claim.paper})" for claim in claims}
    excluded = {claim: [names[other] for other in others] for claim, others in excluding(claims).items()}
    rows, verdicts = [], []
    for claim in claims:
        protocols = [name for name in evidence if name != STUDY] if claim.about_benchmark else [STUDY]
        contradiction = contradicted(claim, printed) if claim.about_benchmark else ""
        for protocol in protocols:
            verdict = claim.judge(evidence[protocol])
            headline = protocol in (judged_by, STUDY)
            numbers, wanted = _by_rule(claim, verdict, headline)
            flags = [contradiction, *excluded.get(claim.id, ()), claim.remark if verdict.outcome == REPRODUCED else ""]
            rows.append(
                {
                    "paper": claim.paper,
                    "id": claim.id,
                    "statement": claim.statement,
                    "rule": claim.rule,
                    "printed": claim.printed,
                    "note": claim.note,
                    "printed_inconsistent": bool(contradiction),
                    "protocol": protocol,
                    "headline": headline,
                    "outcome": verdict.outcome,
                    "ours": verdict.ours,
                    "reason": verdict.reason,
                    "threshold": "; ".join(
                        f"{rule.subject}: {rule.threshold} ({BASES[rule.basis]})" for rule in verdict.decided_by
                    ),
                    "numbers": numbers,
                    "wanted": wanted,
                    "artefacts": " ".join(claim.artefacts),
                    "effect": _effects(claim, verdict) if headline else "",
                    "flags": "; ".join(filter(None, flags)) if headline else "",
                }
            )
            verdicts.append((claim, verdict))
    table = pd.DataFrame(rows)
    table["p_holm"] = _holm(table["headline"], verdicts)
    return table


def contradicted(claim: Claim, printed: Evidence) -> str:
    """Return what the printed tables give where they do not meet the rules; empty where they do or cannot tell."""
    verdict = claim.judge(printed)
    return "" if verdict.outcome in (REPRODUCED, NOT_RUN) else f"the printed tables give: {verdict.ours}"


def excluding(claims: Iterable[Claim]) -> dict[str, list[str]]:
    """Find claims no two of which one run can reproduce.

    A one-sided p below a means a two-sided p of at most 2 a on the same data, which excludes that it is above 2 a.

    Returns
    -------
    dict of str to list of str
        Id of a claim -> ids of those that it excludes.
    """
    found: dict[str, list[str]] = {}
    rules = {kind: [(claim.id, rule) for claim in claims for rule in claim.rules if rule.type == kind]
             for kind in ("test", "no_difference")}  # fmt: skip
    for first, differs in rules["test"]:
        for second, same in rules["no_difference"]:
            about = [{(rule.parameters.get("measure"), pair) for pair in rule.parameters.get("comparisons", ())}
                     for rule in (differs, same)]  # fmt: skip
            if about[0] & about[1] and 2 * differs.options["level"] <= same.options["level"]:
                found.setdefault(first, []).append(second)
                found.setdefault(second, []).append(first)
    return found


def _by_rule(claim: Claim, verdict: Verdict, headline: bool) -> tuple[str, str]:
    """What every rule is about with our numbers and how large the effect is, and what it wants; numbered if several."""
    numbers, wanted, effects = [], [], {""}
    for place, (rule, finding) in enumerate(zip(claim.rules, verdict.findings, strict=True), 1):
        mark = f"({place}) " if len(claim.rules) > 1 else ""
        judged = (
            f", {'met' if finding.outcome == REPRODUCED else 'missed'}" if mark and finding.outcome != NOT_RUN else ""
        )
        wanted.append(f"{mark}{rule.threshold} ({BASES[rule.basis]}){judged}")
        effect = effect_words(rule.quantity, finding.sample) if headline and finding.outcome != NOT_RUN else ""
        has_medians = rule.options.get("aggregate") == "median" and effect.startswith("median")
        parts = ["" if has_medians else finding.ours, "" if effect in effects else effect]
        effects.add(effect)
        if finding.outcome == NOT_RUN or finding.ours == UNATTAINED:
            parts = ["none"]
        numbers.append(f"{mark}{rule.subject}: {'; '.join(filter(None, parts))}")
    return "; ".join(numbers), "; ".join(wanted)


def _effects(claim: Claim, verdict: Verdict) -> str:
    """Sizes of the effects that the rules are about, each once; named where they are several."""
    found = {}
    for rule, finding in zip(claim.rules, verdict.findings, strict=True):
        if finding.outcome != NOT_RUN:
            found.setdefault(effect_words(rule.quantity, finding.sample), rule.subject)
    found.pop("", None)
    return "; ".join(f"{subject}: {words}" if len(found) > 1 else words for words, subject in found.items())


def _holm(headline, verdicts) -> list[float]:
    """The largest adjusted p-value of each deciding row; NaN for rows without tests of a difference."""
    family, places = [], []
    for place, (decides, (claim, verdict)) in enumerate(zip(headline, verdicts, strict=True)):
        for rule, finding in zip(claim.rules, verdict.findings, strict=True):
            if decides and rule.type == "test":
                family += finding.numbers
                places += [place] * len(finding.numbers)
    adjusted = pd.Series(holm(family), index=places, dtype=float)
    return adjusted.groupby(level=0).max().reindex(range(len(verdicts))).tolist()


def totals(table: pd.DataFrame) -> pd.DataFrame:
    """Count the outcomes per paper (and of all), for the headline and for each protocol of the benchmark's claims.

    Returns
    -------
    DataFrame
        ``paper``, ``protocol`` and one column per outcome.
    """
    marks = pd.DataFrame({outcome: table["outcome"] == outcome for outcome in OUTCOMES}).astype(int)
    counts = marks.groupby([table["paper"], table["protocol"]], sort=False).sum().reset_index()
    whole = table[table["headline"]]["outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0)
    return pd.concat([counts, pd.DataFrame([{"paper": "all", "protocol": "headline", **whole}])], ignore_index=True)


def paper_verdict(table: pd.DataFrame, paper: str) -> str:
    """Say in one sentence how much of a paper was reproduced.

    Parameters
    ----------
    table : DataFrame
        Of `evaluate`.
    """
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
