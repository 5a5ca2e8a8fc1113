"""Define `Claim`: a statement of a paper together with the function that judges it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from fwsvm_papers.claims.evidence import Evidence
from fwsvm_papers.claims.verdicts import Verdict, combined

EASY_SECONDS = "the printed seconds are from an old machine; almost any modern machine is faster"


@dataclass(frozen=True)
class Claim:
    """A quantitative statement of a paper in our words, with the paper's numbers, tables and
    figures.
    """

    paper: str
    id: str
    statement: str
    printed: str
    artefacts: str
    note: str
    easy: str
    every_protocol: bool
    flag: Callable | None
    judged_by: Callable

    def judge(self, evidence: Evidence) -> Verdict:
        """Judge the claim by the results under one protocol, and return the verdict."""
        found = self.judged_by(evidence)
        return found if isinstance(found, Verdict) else combined(found)


def claim(
    statement: str,
    printed: Any = "",
    form: str = "{}",
    artefacts: str = "",
    note: str = "",
    easy: str = "",
    every_protocol: bool = False,
    flag: Callable | None = None,
) -> Callable[[Callable], Claim]:
    """Return a decorator that makes a `Claim` from a function, which takes an `Evidence` and
    returns one or more verdicts.

    `printed` has the paper's numbers: one number, a tuple, or a dict by method or data set. The
    function gets them as its second argument. If `printed` is a string, it is only shown.
    `statement` and `form` are format strings, which are filled with the numbers. If `form` has only
    one field, it is filled for each number in turn.

    `flag(printed, seconds, values)` returns a text about errors in the paper. Its arguments are the
    `Evidence` from the paper's tables, from our times and from our numbers of kernel values.
    """

    def make(function: Callable) -> Claim:
        paper = function.__module__.removesuffix(".claims").rpartition(".")[2]
        name = function.__name__.strip("_").replace("_", "-")
        shown = " ".join(f"{paper}-{artefact}" for artefact in artefacts.split())
        stated, text, judged_by = statement, printed, function
        if not isinstance(printed, str):
            stated, text = _with_numbers(statement, form, printed)

            def judged_by(evidence: Evidence) -> Verdict:
                return function(evidence, printed)

        return Claim(
            paper,
            f"{paper}-{name}",
            stated,
            text,
            shown,
            note,
            easy,
            every_protocol,
            flag,
            judged_by,
        )

    return make


benchmark_claim = partial(claim, every_protocol=True)


def _with_numbers(statement: str, form: str, printed: Any) -> tuple[str, str]:
    """Return the statement and the text of the column `printed`, with the paper's numbers filled
    in.
    """
    named = printed if isinstance(printed, Mapping) else {}
    numbers = tuple(named.values()) or (printed if isinstance(printed, tuple) else (printed,))
    if form.count("{") == 1:
        names = [f"{name} " for name in named] or [""] * len(numbers)
        form = ", ".join(f"{name}{form}" for name in names)
    return statement.format(*numbers, **named), form.format(*numbers)
