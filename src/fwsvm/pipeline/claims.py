"""The papers' claims, judged on our runs."""

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
    name: [
        value for value in vars(importlib.import_module(f"{study.__name__}.claims")).values() if type(value) is Claim
    ]
    for name, study in STUDIES.items()
    if importlib.util.find_spec(f"{study.__name__}.claims")
}
"""Paper -> its claims, as they follow each other in the module `claims` of its study."""


def load_claims() -> list[Claim]:
    """Return the claims of all papers."""
    return [claim for claims in PAPERS.values() for claim in claims]


def evaluate_claims(runs: pd.DataFrame, tests: pd.DataFrame, details: Mapping | None = None) -> pd.DataFrame:
    """Judge every claim (`evaluate`), those about the benchmark under each protocol; the deciding one comes first.

    `tests` has the rows of `test_protocols`, `details` those of the studies, by name.
    """
    judged_by = judged_protocol(runs)
    ran = set(runs["protocol"].dropna()) if len(runs) else set()
    protocols = dict.fromkeys((judged_by, *(name for name in PROTOCOLS if name in ran), STUDY))
    evidence = {name: Evidence(runs, tests, details, name) for name in protocols}
    return evaluate(load_claims(), evidence, judged_by, printed_evidence())
