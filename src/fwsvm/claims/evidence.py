"""What claims are judged on: runs, significance tests and details of the studies, under one protocol."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from fwsvm.runs import ENDED_REASONS
from fwsvm.runs.table import MEASURES, shown_under, summarise, wide

JUDGED_BY = ("as_run", "as_printed")
"""Claims about the benchmark are judged under the first of these protocols that it ran under."""


def judged_protocol(runs: pd.DataFrame) -> str:
    """Return the first of `JUDGED_BY` that the benchmark has runs of, or the last."""
    ran = set(runs.loc[(runs["experiment"] == "benchmark").fillna(False), "protocol"].dropna()) if len(runs) else set()
    return next((name for name in JUDGED_BY if name in ran), JUDGED_BY[-1])


class Evidence:
    """Runs, tests (of `test_protocols`) and details of the studies by name, under one protocol.

    `printed`: these are the papers' printed tables.
    """

    def __init__(
        self,
        runs: pd.DataFrame,
        tests: pd.DataFrame | None = None,
        details: Mapping | None = None,
        protocol: str | None = None,
        printed: bool = False,
    ) -> None:
        self.runs, self.details, self.printed = runs, details or {}, printed
        self.tests = pd.DataFrame() if tests is None else tests
        self.protocol = protocol or judged_protocol(runs)

    def experiment(self, name: str) -> pd.DataFrame:
        """Return the runs of an experiment."""
        return self.runs[(self.runs["experiment"] == name).fillna(False)]

    @functools.cached_property
    def _summary(self) -> pd.DataFrame:
        return summarise(self.experiment("benchmark"), measures=(*MEASURES, "requested_evaluations"))

    @functools.cached_property
    def sizes(self) -> pd.Series:
        """Training points per data set of the benchmark."""
        return self.experiment("benchmark").groupby("dataset")["task_size"].max().astype(float)

    def table(self, measure: str, methods: Sequence[str], datasets: Sequence[str] | None = None, statistic="mean"):
        """Lay a measure of the benchmark out as data sets by methods, where all of them ran; accuracies in per cent."""
        found = wide(self._summary, measure, self.protocol, methods, statistic).dropna()
        return found if datasets is None else found.reindex([name for name in datasets if name in found.index])

    def test(self, paper: str, measure: str, comparison: str) -> pd.Series | None:
        """Return the row of a significance test, or None where it was not run."""
        if self.tests.empty:
            return None
        keys = {"protocol": self.protocol, "paper": paper, "measure": measure, "comparison": comparison}
        chosen = self.tests[(self.tests[list(keys)] == pd.Series(keys)).all(axis=1)]
        return None if chosen.empty or pd.isna(chosen.iloc[0]["p_value"]) else chosen.iloc[0]

    def at_limit(self, datasets: Iterable[str], methods: Iterable[str]) -> str:
        """Say how many of the benchmark's runs behind a number ended at a limit; empty if none."""
        rows = shown_under(self.experiment("benchmark"), self.protocol, certified=False)
        rows = rows[rows["dataset"].isin(list(datasets)) & rows["method"].isin(list(methods))]
        count = int(rows["stop_reason"].isin(ENDED_REASONS).sum())
        return f"{count} of {len(rows)} runs ended at a limit" if count else ""
