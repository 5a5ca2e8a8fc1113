"""The papers' quantitative statements, evaluated on our runs.

A claim is an entry of the file ``claims.yaml`` of a study; the study's module ``claims`` registers the quantities that
only it has.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping

import pandas as pd

from fwsvm.claims.claim import Claim
from fwsvm.claims.evaluation import STUDY, evaluate
from fwsvm.claims.evidence import Evidence, judged_protocol
from fwsvm.runs.protocols import PROTOCOLS
from fwsvm.studies.benchmark.evidence import printed_evidence
from fwsvm.studies.registry import STUDIES

PAPERS = {
    name: importlib.import_module(f"{study.__name__}.claims").CLAIMS
    for name, study in STUDIES.items()
    if importlib.util.find_spec(f"{study.__name__}.claims")
}
"""Paper -> its claims, in the order in which they are listed."""


def load_claims() -> list[Claim]:
    """Return the claims of all papers, in the order of `PAPERS` and of their files."""
    return [claim for claims in PAPERS.values() for claim in claims.values()]


def evaluate_claims(runs: pd.DataFrame, tests: pd.DataFrame, details: Mapping | None = None) -> pd.DataFrame:
    """Evaluate every claim on a runs table, those about the benchmark under each protocol.

    Parameters
    ----------
    runs : DataFrame
        A runs table, all experiments; may be empty.
    tests : DataFrame
        Rows of `fwsvm.studies.benchmark.significance.test_protocols`.
    details : mapping of str to list of dict, optional
        Study -> its details.

    Returns
    -------
    DataFrame
        Of `fwsvm.claims.evaluation.evaluate`; the deciding protocol comes first.
    """
    judged_by = judged_protocol(runs)
    ran = set(runs["protocol"].dropna()) if len(runs) else set()
    protocols = dict.fromkeys((judged_by, *(name for name in PROTOCOLS if name in ran), STUDY))
    evidence = {name: Evidence(runs, tests, details, name) for name in protocols}
    return evaluate(load_claims(), evidence, judged_by, printed_evidence())
