"""The classes `Claim`, which is a statement of a paper with the function that judges the statement,
and `Verdict`, which is the result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

from fwsvm_papers.claims.evidence import Evidence, Sample, joined

OUTCOMES = REPRODUCED, NOT_CONTRADICTED, SAME_DIRECTION, NOT_REPRODUCED, NOT_RUN = (
    "reproduced",
    "not contradicted",
    "same direction",
    "not reproduced",
    "not run",
)
CHOSEN = "(chosen here)"  # marks thresholds that the papers do not state
EASY_SECONDS = "the printed seconds are from an old machine; almost any modern machine is faster"
# The value in the column `protocol` for claims about experiments with their own settings.
STUDY = "study"
_scale = ContextVar("scale", default=1.0)


@contextmanager
def thresholds_times(scale: float) -> Iterator[None]:
    """Return a context in which the thresholds that we chose ourselves are multiplied by `scale`.
    For limits of ratios, the logarithm of the limit is multiplied.

    A verdict that changes in this context depends on the thresholds that we chose.
    """
    before = _scale.set(scale)
    try:
        yield
    finally:
        _scale.reset(before)


def threshold_scale() -> float:
    """Return the factor by which the thresholds that we chose ourselves are multiplied (see
    `thresholds_times`).
    """
    return _scale.get()


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim of a paper: the outcome of our test, texts with the threshold, our
    numbers and the reason for the outcome, and the samples and p-values of the test.
    """

    outcome: str
    threshold: str
    ours: str
    reason: str
    samples: tuple[Sample, ...]
    p_values: tuple[float, ...] = ()

    @property
    def effect(self) -> str:
        """Return a text with the effect sizes and their confidence intervals. If there are no
        effect sizes, return an empty text.
        """
        if self.outcome == NOT_RUN:
            return ""
        names = {sample.effect_words(): sample.name for sample in self.samples}
        names.pop("", None)
        return joined(
            f"{name.rstrip(',')}: {words}" if len(names) > 1 else words
            for words, name in names.items()
        )


def combined(verdicts: Sequence[Verdict]) -> Verdict:
    """Combine the verdicts on the rules of a claim into one. The new outcome is the worst of their
    outcomes, where *not run* is worse than all other outcomes. In the new texts, each rule and our
    numbers for this rule begin with the same mark, such as (1). If the outcome is *not run*, the
    texts with our numbers and the reason come only from the verdicts with this outcome.
    """
    outcome = max((verdict.outcome for verdict in verdicts), key=OUTCOMES.index)
    marks = {REPRODUCED: "met", NOT_RUN: "not run"}
    numbered = [(f"({place}) ", verdict) for place, verdict in enumerate(verdicts, start=1)]
    decide = [pair for pair in numbered if outcome != NOT_RUN or pair[1].outcome == NOT_RUN]
    return Verdict(
        outcome,
        joined(
            f"{place}{verdict.threshold}: {marks.get(verdict.outcome, 'missed')}"
            for place, verdict in numbered
        ),
        joined(f"{place}{verdict.ours}" for place, verdict in decide if verdict.ours),
        joined(verdict.reason for _, verdict in decide),
        tuple(sample for verdict in verdicts for sample in verdict.samples),
        tuple(p for verdict in verdicts for p in verdict.p_values),
    )


@dataclass(frozen=True)
class Claim:
    """A quantitative statement of a paper in our words, with the numbers of the paper, the names of
    the paper's tables and figures, and the function that judges it (`judged_by`).

    The decorator `claim` makes claims, and its docstring explains their fields.
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
        """Return the verdict on the claim. `evidence` has the results under one protocol."""
        found = self.judged_by(evidence)
        return found if isinstance(found, Verdict) else combined(found)

    def verdicts(self, evidence: Evidence) -> Sequence[Verdict]:
        """Return the verdict on each rule of the claim."""
        found = self.judged_by(evidence)
        return [found] if isinstance(found, Verdict) else found


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
    """Return a decorator that makes a `Claim` from a function. The function has an `Evidence` as
    its first argument, and returns one or more verdicts. The paper of the claim is the name of the
    function's module. The id of the claim has the paper and the name of the function.

    `printed` has the paper's numbers. It is one number, a tuple, or a dict whose keys are methods
    or data sets. The function gets `printed` as its second argument. If `printed` is a string, it
    is only shown, and the function does not get it. `statement`, `note` and `form` are format
    strings, into which the numbers are inserted. A `form` with only one field is used once for each
    number. `artefacts` names tables and figures of the paper. `easy` is a remark that is shown if
    the claim is reproduced. `every_protocol` is true for claims about the benchmark, which are
    judged under every protocol.

    `flag(printed, seconds, values)` returns a text about errors in the paper, or an empty text.
    Each argument is an `Evidence`: `printed` has the paper's tables, `seconds` has our times, and
    `values` has our numbers of requested kernel values.
    """

    def make(function: Callable) -> Claim:
        paper = function.__module__.rpartition(".")[2]
        name = function.__name__.strip("_").replace("_", "-")
        shown = " ".join(f"{paper}-{artefact}" for artefact in artefacts.split())
        stated, noted, text, judged_by = statement, note, printed, function
        if not isinstance(printed, str):
            stated, noted, text = _with_numbers(statement, note, form, printed)

            def judged_by(evidence: Evidence) -> Verdict:
                return function(evidence, printed)

        return Claim(
            paper,
            f"{paper}-{name}",
            stated,
            text,
            shown,
            noted,
            easy,
            every_protocol,
            flag,
            judged_by,
        )

    return make


benchmark_claim = partial(claim, every_protocol=True)


def _with_numbers(statement: str, note: str, form: str, printed: Any) -> tuple[str, str, str]:
    """Return the statement, the note and the text of the column `printed`, after inserting the
    paper's numbers.
    """
    named = printed if isinstance(printed, Mapping) else {}
    numbers = tuple(named.values()) or (printed if isinstance(printed, tuple) else (printed,))
    if form.count("{") == 1:
        names = [f"{name} " for name in named] or [""] * len(numbers)
        form = ", ".join(f"{name}{form}" for name in names)
    stated, noted = (text.format(*numbers, **named) for text in (statement, note))
    return stated, noted, form.format(*numbers)
