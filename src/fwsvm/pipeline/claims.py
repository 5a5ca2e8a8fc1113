"""The papers' quantitative statements, evaluated on our runs: reproduced, not reproduced, or not run.

A claim is an entry of the file ``claims.yaml`` of a study; the function that evaluates it is registered by its id in
the study's module ``claims``.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping

import pandas as pd

from fwsvm.claims.verdict import EVALUATORS, HEADLINE, OUTCOMES, Claim, Evidence, Verdict
from fwsvm.runs.table import SELECTIONS
from fwsvm.studies.registry import STUDIES

PAPERS = {
    name: importlib.import_module(f"{study.__name__}.claims")
    for name, study in STUDIES.items()
    if importlib.util.find_spec(f"{study.__name__}.claims")
}
"""Paper -> the module with its evaluators, in the order in which claims are listed."""

__all__ = [
    "EVALUATORS",
    "HEADLINE",
    "OF_THE_BENCHMARK",
    "OUTCOMES",
    "PAPERS",
    "STUDY",
    "Claim",
    "Verdict",
    "evaluate_claims",
    "load_claims",
    "totals",
]

STUDY = "study"
"""Stands for the selection of claims about an experiment with a protocol of its own."""

OF_THE_BENCHMARK = ("frandi2013", "nanculef2014")
"""Papers whose claims are evaluated under every selection."""


def load_claims() -> list[Claim]:
    """Return the claims of all papers, in the order of `PAPERS` and of their files."""
    return [claim for module in PAPERS.values() for claim in module.CLAIMS.values()]


def evaluate_claims(runs: pd.DataFrame, tests: pd.DataFrame, details: Mapping | None = None) -> pd.DataFrame:
    """Evaluate every claim on a runs table.

    Parameters
    ----------
    runs : DataFrame
        A runs table, all experiments; may be empty.
    tests : DataFrame
        Rows of `fwsvm.studies.benchmark.significance.test_selections`.
    details : mapping of str to list of dict, optional
        Study -> its details.

    Returns
    -------
    DataFrame
        One row per claim and selection: ``paper``, ``id``, ``statement``, ``rule``, ``printed``, ``note``,
        ``printed_inconsistent``, ``selection`` (`STUDY` for claims about an experiment with a protocol of its own),
        ``headline`` (whether this row decides), ``outcome``, ``ours``, ``reason``. CVM's runs are its own under every
        selection.
    """
    evidence = {name: Evidence(runs, tests, details or {}, name) for name in (*SELECTIONS, STUDY)}
    rows = []
    for claim in load_claims():
        for selection in SELECTIONS if claim.paper in OF_THE_BENCHMARK else (STUDY,):
            verdict = EVALUATORS[claim.id](claim, evidence[selection])
            rows.append(
                {
                    "paper": claim.paper,
                    "id": claim.id,
                    "statement": claim.statement,
                    "rule": claim.rule,
                    "printed": _printed(claim),
                    "note": claim.note,
                    "printed_inconsistent": claim.printed_inconsistent,
                    "selection": selection,
                    "headline": selection in (HEADLINE, STUDY),
                    "outcome": verdict.outcome,
                    "ours": verdict.ours,
                    "reason": verdict.reason,
                }
            )
    return pd.DataFrame(rows)


def totals(table: pd.DataFrame) -> pd.DataFrame:
    """Count the outcomes per paper (and of all), for the headline and for each selection of the benchmark's claims.

    Returns
    -------
    DataFrame
        ``paper``, ``selection`` and one column per outcome.
    """
    marks = pd.DataFrame({outcome: table["outcome"] == outcome for outcome in OUTCOMES}).astype(int)
    counts = marks.groupby([table["paper"], table["selection"]], sort=False).sum().reset_index()
    whole = table[table["headline"]]["outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0)
    return pd.concat([counts, pd.DataFrame([{"paper": "all", "selection": "headline", **whole}])], ignore_index=True)


def _printed(claim: Claim) -> str:
    unit = f" {claim.unit}" if claim.unit else ""
    return ", ".join(f"{value:g}" for value in claim.values) + unit if claim.values else ""
