"""Claims of the papers, the outcomes they can have, and what their evaluation works on."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

import numpy as np
import pandas as pd
import yaml

from fwsvm.runs.table import CVM_SELECTION, LIMIT_REASONS, SELECTIONS, summarise, wide

REPRODUCED, NOT_REPRODUCED, NOT_RUN = "reproduced", "not reproduced", "not run"
OUTCOMES = (REPRODUCED, NOT_REPRODUCED, NOT_RUN)

FACTOR = 3.0
"""“Within a factor 3”: between a third of the printed number and three times it."""

HEADLINE = SELECTIONS[0]
"""The selection that decides on claims about the benchmark: the papers as they read."""

METHODS = ("cvm", "fw", "mfw", "swap", "swap2o")
LABELS = {"cvm": "CVM", "fw": "FW", "mfw": "MFW", "swap": "SWAP", "swap2o": "SWAP-2o"}


@dataclass(frozen=True)
class Claim:
    """A quantitative statement of a paper, as the file ``claims.yaml`` of its study has it.

    Attributes
    ----------
    id, paper, statement, rule : str
    value : float, list of float, or None
        The printed number; None where only a direction is claimed.
    unit, note : str
    printed_inconsistent : bool
        Whether the printed numbers contradict each other.
    """

    id: str
    paper: str
    statement: str
    rule: str
    value: float | list | None = None
    unit: str = ""
    note: str = ""
    printed_inconsistent: bool = False

    @property
    def values(self) -> list[float]:
        """The printed numbers as a list."""
        return [] if self.value is None else list(self.value) if isinstance(self.value, list) else [self.value]


@dataclass(frozen=True)
class Verdict:
    """What our runs say about a claim.

    Attributes
    ----------
    outcome : str
        One of `OUTCOMES`.
    ours : str
        Our number or numbers; empty where nothing was run.
    reason : str
        What the number is, and how many data sets it rests on.
    numbers : tuple of float
        The same numbers, unrounded.
    """

    outcome: str
    ours: str = ""
    reason: str = ""
    numbers: tuple[float, ...] = field(default=())


def judged(holds: bool, ours: str, reason: str = "", numbers: Iterable[float] = ()) -> Verdict:
    """Return the verdict of a claim that could be evaluated."""
    return Verdict(REPRODUCED if holds else NOT_REPRODUCED, ours, reason, tuple(float(x) for x in numbers))


def not_run(reason: str) -> Verdict:
    """Return the verdict of a claim that could not be evaluated."""
    return Verdict(NOT_RUN, "", reason)


EVALUATORS: dict[str, Callable[[Claim, Evidence], Verdict]] = {}
"""Id of a claim -> the function that evaluates it."""


def evaluates(*claim_ids: str) -> Callable:
    """Register the function below as the one that evaluates these claims."""

    def register(function):
        for claim_id in claim_ids:
            if claim_id in EVALUATORS:
                raise ValueError(f"claim {claim_id!r} has two evaluators")
            EVALUATORS[claim_id] = function
        return function

    return register


def read_claims(package: str, paper: str) -> list[Claim]:
    """Return the claims in the file ``claims.yaml`` of a package, in the order of the file."""
    text = resources.files(package).joinpath("claims.yaml").read_text(encoding="utf-8")
    return [Claim(paper=paper, **entry) for entry in yaml.safe_load(text)]


class StudyClaims(dict):
    """The claims of a study by their ids, in the order of its file ``claims.yaml``.

    Parameters
    ----------
    package : str
        Of the study; its last part is the paper.
    """

    def __init__(self, package: str) -> None:
        super().__init__((claim.id, claim) for claim in read_claims(package, package.rpartition(".")[2]))

    def quote(
        self, claim_id: str, runs: pd.DataFrame, tests: pd.DataFrame | None = None, selection: str = HEADLINE, **details
    ) -> str:
        """Return a claim with its outcome as a sentence for captions: ``SWAP is ...: reproduced (SWAP 544×).``

        Parameters
        ----------
        claim_id : str
        runs : DataFrame
            A runs table.
        tests : DataFrame, optional
            As for `Evidence`; claims that rest on significance tests need it.
        selection : str
            Under which claims about the benchmark are judged.
        **details : list of dict
            Of the studies, by name.
        """
        claim = self[claim_id]
        tests = pd.DataFrame() if tests is None else tests
        verdict = EVALUATORS[claim_id](claim, Evidence(runs, tests, details, selection))
        number = f" ({verdict.ours})" if verdict.ours else ""
        return f"{claim.statement[:1].upper()}{claim.statement[1:]}: {verdict.outcome}{number}."


class Evidence:
    """Runs, tests and details of the studies, under one selection.

    Parameters
    ----------
    runs : DataFrame
        A runs table, all experiments.
    tests : DataFrame
        Rows of `fwsvm.studies.benchmark.significance.test_selections`.
    details : mapping of str to list of dict
        Study -> its details.
    selection : str
        Under which the benchmark is looked at; CVM's runs are its own under every selection.
    """

    def __init__(self, runs: pd.DataFrame, tests: pd.DataFrame, details: Mapping, selection: str) -> None:
        self.runs, self.tests, self.details, self.selection = runs, tests, details, selection

    def experiment(self, name: str) -> pd.DataFrame:
        """Return the runs of an experiment."""
        return self.runs[(self.runs["experiment"] == name).fillna(False)]

    @functools.cached_property
    def _summary(self) -> pd.DataFrame:
        return summarise(self.experiment("benchmark"))

    @functools.cached_property
    def sizes(self) -> pd.Series:
        """Training points per data set of the benchmark."""
        return self.experiment("benchmark").groupby("dataset")["task_size"].max().astype(float)

    def table(self, measure: str, methods: Sequence[str], datasets: Sequence[str] | None = None, statistic="mean"):
        """Lay a measure of the benchmark out as data sets by methods, rows with all of them.

        Returns
        -------
        DataFrame
            In the order of `datasets` (default: by name); accuracies in per cent.
        """
        found = wide(self._summary, measure, self.selection, methods, statistic).dropna()
        return found if datasets is None else found.reindex([name for name in datasets if name in found.index])

    def speedups(self, methods: Sequence[str], datasets: Sequence[str] | None = None) -> pd.DataFrame:
        """CVM's mean training time over each method's, per data set."""
        times = self.table("train_cpu_s", ("cvm", *methods), datasets)
        return times[list(methods)].rdiv(times["cvm"], axis=0)

    def test(self, paper: str, measure: str, comparison: str):
        """Return the row of a significance test, or None where it was not run."""
        rows = self.tests
        if rows.empty:
            return None
        keys = {"selection": self.selection, "paper": paper, "measure": measure, "comparison": comparison}
        chosen = rows[np.logical_and.reduce([rows[column] == value for column, value in keys.items()])]
        return None if chosen.empty or pd.isna(chosen.iloc[0]["p_value"]) else chosen.iloc[0]

    def at_limit(self, datasets: Iterable[str], methods: Iterable[str]) -> str:
        """Say how many of the benchmark's runs behind a number ended at a limit; empty if none."""
        rows = self.experiment("benchmark")
        under = np.where(rows["method"] == "cvm", CVM_SELECTION, self.selection)
        named = rows["dataset"].isin(list(datasets)) & rows["method"].isin(list(methods))
        rows = rows[named & (rows["selection"] == under)]
        count = int(rows["stop_reason"].isin([*LIMIT_REASONS, "memory_limit"]).sum())
        return f"{count} of {len(rows)} runs ended at a limit" if count else ""


def within(ours: float, printed: float, factor: float = FACTOR) -> bool:
    """Whether our number is within a factor of the printed one."""
    return bool(printed / factor <= ours <= printed * factor)


def of_sets(n: int, expected: int | None = None) -> str:
    """Say on how many data sets a number rests: ``7 of 8 data sets``."""
    if expected is None or n == expected:
        return f"{n} data set{'s' if n != 1 else ''}"
    return f"{n} of {expected} data sets"


def also(*parts: str) -> str:
    """Join the parts of a reason that are not empty."""
    return "; ".join(part for part in parts if part)


def times(value: float) -> str:
    """Write a ratio: ``12×``, ``0.45×``."""
    return f"{value:.3g}×"
