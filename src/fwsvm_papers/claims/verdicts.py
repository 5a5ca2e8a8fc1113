"""Define the verdict on a claim, and combine several verdicts into one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from fwsvm_papers.claims.evidence import Sample, joined

OUTCOMES = REPRODUCED, NOT_CONTRADICTED, SAME_DIRECTION, NOT_REPRODUCED, NOT_RUN = (
    "reproduced",
    "not contradicted",
    "same direction",
    "not reproduced",
    "not run",
)
CHOSEN = "(chosen here)"  # marks thresholds that the papers do not state
_scale = ContextVar("scale", default=1.0)


@contextmanager
def thresholds_times(scale: float) -> Iterator[None]:
    """Multiply the thresholds that the papers do not state by `scale` in this context.

    A verdict that changes in this context depends on these thresholds.
    """
    before = _scale.set(scale)
    try:
        yield
    finally:
        _scale.reset(before)


def threshold_scale() -> float:
    """Return the factor for the thresholds that the papers do not state."""
    return _scale.get()


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim of a paper: the outcome of our test, and texts with the threshold, our
    numbers and the reason.
    """

    outcome: str
    threshold: str
    ours: str
    reason: str
    samples: tuple[Sample, ...]
    p_values: tuple[float, ...] = ()

    @property
    def effect(self) -> str:
        """Return the effect sizes with confidence intervals as text, or "" if there are none."""
        if self.outcome == NOT_RUN:
            return ""
        names = {sample.effect_words(): sample.name for sample in self.samples}
        names.pop("", None)
        return joined(
            f"{name.rstrip(',')}: {words}" if len(names) > 1 else words
            for words, name in names.items()
        )


def combined(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the combination of several verdicts. Its outcome is the worst of their outcomes, and
    *not run* is the worst of all. The rules and our numbers for them are numbered.
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
