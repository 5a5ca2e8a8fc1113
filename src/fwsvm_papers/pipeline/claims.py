"""Collect the claims of all studies, and evaluate them on a run: the artefact `claims`."""

import importlib
from collections.abc import Mapping
from functools import cache

import pandas as pd

from fwsvm_papers.claims.claim import Claim
from fwsvm_papers.claims.evaluation import STUDY, evaluate
from fwsvm_papers.claims.evidence import REQUESTED, Evidence, judged_protocol
from fwsvm_papers.claims.table import table_of
from fwsvm_papers.pipeline.artefacts import WITH_CLAIMS
from fwsvm_papers.reporting.artefact import NotDrawableError, needs
from fwsvm_papers.reporting.tables import Table
from fwsvm_papers.runs.protocols import PROTOCOLS
from fwsvm_papers.studies.benchmark.evidence import ALL, authors_evidence, printed_evidence
from fwsvm_papers.studies.benchmark.numbers import BENCHMARK, experiment_runs
from fwsvm_papers.studies.benchmark.protocol import missing_sets
from fwsvm_papers.studies.benchmark.significance import test_protocols

PAPERS = {
    name: [
        value
        for value in vars(importlib.import_module(f"{package}.claims")).values()
        if type(value) is Claim
    ]
    for name, package in WITH_CLAIMS.items()
}
"""The claims of each paper, in the order of the module `claims` of its study."""

# The papers' numbers are the same for all runs.
_printed, _authors = cache(printed_evidence), cache(authors_evidence)


def evaluate_claims(
    runs: pd.DataFrame, tests: pd.DataFrame, details: Mapping | None = None
) -> pd.DataFrame:
    """Judge the claims of all papers by the runs, their significance tests and the details of the
    studies.

    Return the table of `fwsvm_papers.claims.evaluation.evaluate`.
    """
    ran = set(runs["protocol"].dropna())
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


def claims_table(
    runs: pd.DataFrame,
    tests: pd.DataFrame,
    missing: Mapping[str, str] | None = None,
    **details: object,
) -> Table:
    """Make the table of all claims."""
    if runs.empty:
        raise NotDrawableError(needs("any experiment", []))
    present = experiment_runs(runs, BENCHMARK)["dataset"].dropna()
    return table_of(
        evaluate_claims(runs, tests, details),
        missing_sets(ALL, present, missing, "the benchmark"),
    )
