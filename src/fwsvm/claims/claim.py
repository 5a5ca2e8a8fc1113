"""A claim is a statement of a paper above the short function that judges it on our results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fwsvm.claims.evidence import Evidence
from fwsvm.statistics.effects import Estimate, bootstrap_estimate

REPRODUCED, SAME_DIRECTION, NOT_REPRODUCED, NOT_RUN = "reproduced", "same direction", "not reproduced", "not run"
OUTCOMES = (REPRODUCED, SAME_DIRECTION, NOT_REPRODUCED, NOT_RUN)
_WORST_FIRST = (NOT_RUN, NOT_REPRODUCED, SAME_DIRECTION, REPRODUCED)

FORMATS = {
    "ratio": "{:.3g}×",
    "percent": "{:.3g} %",
    "points": "{:+.2f} points",
    "seconds": "{:.3g} s",
    "p": "{:.3g}",
    "number": "{:.5g}",
}
FEWEST_FOR_INTERVAL = 5
EASY_SECONDS = "printed seconds of another machine, which hardly any of today's could miss"


@dataclass(frozen=True)
class Sample:
    """Numbers of our runs that a claim is judged by.

    `values` has the index (of, at): a method or series, and a data set, size or draw. A NaN means that no run reaches
    the value; without values nothing was run, and `absent` says why. `basis` says which runs the values come from.
    `neutral` is the value that favours neither side. `sizes` has the training points of each value, `smallest` the
    least p-value that the number of data sets allows. `effect` writes how large the effect is (default: the median of
    ratios). `of_print`: these are printed numbers.
    """

    name: str
    unit: str
    values: pd.Series
    basis: str
    absent: str = "not run"
    neutral: float | None = None
    sizes: pd.Series | None = None
    smallest: float = 0.0
    effect: Callable[[], str] | None = None
    of_print: bool = False

    def write(self, value: float) -> str:
        """Write a value with its unit."""
        return "none" if pd.isna(value) else FORMATS[self.unit].format(value)

    def effect_words(self) -> str:
        """How large the effect is, with 95 % intervals; empty if there are too few values."""
        if self.effect or self.unit != "ratio":
            return self.effect() if self.effect else ""
        parts = [
            f"{of} {interval(bootstrap_estimate(values), self.write)}".strip()
            for of, values in self.values.dropna().groupby(level=0, sort=False)
            if len(values) >= FEWEST_FOR_INTERVAL
        ]
        return f"median {', '.join(parts)}" if parts else ""


def sample(name: str, unit: str, values: Mapping[tuple[str, Any], float], *basis: str, **more: Any) -> Sample:
    """Make a sample of a mapping from (of, at) to value; empty parts of the basis are left out."""
    index = pd.MultiIndex.from_arrays([[of for of, _ in values], [str(at) for _, at in values]])
    neutral = {"neutral": 1.0} if unit == "ratio" else {}
    return Sample(name, unit, pd.Series(list(values.values()), index, dtype=float), joined(basis), **neutral | more)


def interval(estimate: Estimate, write: Callable[[float], str]) -> str:
    """Write an estimate with its 95 % interval."""
    return f"{write(estimate.value)} (95 %: {write(estimate.low)} to {write(estimate.high)})"


def of_sets(n: int, expected: int | None = None) -> str:
    """Say how many data sets a number rests on: ``7 of 8 data sets``."""
    if expected is None or n == expected:
        return f"{n} data set{'s' if n != 1 else ''}"
    return f"{n} of {expected} data sets"


def joined(parts: Iterable[str]) -> str:
    """Join different, non-empty parts."""
    return "; ".join(dict.fromkeys(part for part in parts if part))


@dataclass(frozen=True)
class Finding:
    """What a helper of `fwsvm.claims.judging` finds: the threshold and our numbers in words.

    `p_values` are those that must be small; they are adjusted for each other over all claims.
    """

    outcome: str
    threshold: str
    ours: str
    sample: Sample
    p_values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The findings about a claim. The worst decides, and *not run* is the worst."""

    findings: tuple[Finding, ...]

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`."""
        return min((finding.outcome for finding in self.findings), key=_WORST_FIRST.index)

    def words(self) -> dict[str, str]:
        """Columns of the table of claims: our numbers, what they rest on (or why there are none), what must hold."""
        if len(self.findings) == 1:
            threshold = self.findings[0].threshold
        else:
            marks = {REPRODUCED: "met", NOT_RUN: "not run"}
            threshold = joined(f"{found.threshold}: {marks.get(found.outcome, 'missed')}" for found in self.findings)
        if self.outcome == NOT_RUN:
            absent = joined(found.sample.absent for found in self.findings if found.outcome == NOT_RUN)
            return {"ours": "", "reason": absent, "threshold": threshold}
        ours, basis = joined(found.ours for found in self.findings), joined(f.sample.basis for f in self.findings)
        return {"ours": ours, "reason": basis, "threshold": threshold}

    @property
    def effect(self) -> str:
        """How large the differences are, with intervals."""
        if self.outcome == NOT_RUN:
            return ""
        names = {found.sample.effect_words(): found.sample.name for found in self.findings}
        names.pop("", None)
        return joined(f"{name}: {words}" if len(names) > 1 else words for words, name in names.items())


@dataclass(frozen=True)
class Claim:
    """A quantitative statement of a paper, in our words, with the printed numbers and the artefacts it is about.

    `every_protocol`: it is about the benchmark and judged under each protocol. `easy` says why almost any run would
    reproduce it.
    """

    paper: str
    id: str
    statement: str
    printed: str
    artefacts: str
    note: str
    easy: str
    every_protocol: bool
    judged_by: Callable[[Evidence], Any]

    def judge(self, evidence: Evidence) -> Verdict:
        """Judge the claim on runs under one protocol."""
        found = self.judged_by(evidence)
        return Verdict((found,) if isinstance(found, Finding) else tuple(found))


def claim(
    statement: str, printed: str = "", artefacts: str = "", note: str = "", easy: str = "", every_protocol: bool = False
) -> Callable[[Callable], Claim]:
    """Turn the function below, from evidence to one or more findings, into a claim.

    The claim's id is the study and the function's name; `artefacts` are named without the study.
    """

    def make(function):
        paper = function.__module__.removesuffix(".claims").rpartition(".")[2]
        name = function.__name__.strip("_").replace("_", "-")
        shown = " ".join(f"{paper}-{artefact}" for artefact in artefacts.split())
        return Claim(paper, f"{paper}-{name}", statement, printed, shown, note, easy, every_protocol, function)

    return make


def benchmark_claim(statement: str, printed: str = "", artefacts: str = "", note: str = "") -> Callable:
    """Return `claim` for a statement about the benchmark."""
    return claim(statement, printed, artefacts, note, every_protocol=True)
