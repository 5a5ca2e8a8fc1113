"""Artefacts that a run has no data for: they are skipped with their reason, not drawn empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_MOST_NAMES = 8


class NotDrawableError(Exception):
    """None of the data of an artefact are in the run; the message says what it needs ("needs ...")."""


def skipped_line(artefact_id: str, reason: str) -> str:
    """Return the line that reports a skipped artefact."""
    return f"skipped {artefact_id}: {reason}"


def needs(experiment: str, datasets: Iterable[str], missing: Mapping[str, str] | None = None) -> str:
    """Say that an artefact has none of its data sets in an experiment.

    The experiment is written with its article: ``the benchmark``, ``the study singh``. Any of the data sets would be
    enough; `missing` has the reasons why some are not available.

    >>> needs("the benchmark", ["protein"])
    'needs protein in the benchmark, which is not in this configuration'
    """
    from fwsvm.reporting.text import listing

    names, missing = list(datasets), missing or {}
    if not names:
        return f"needs runs of {experiment}, and this run has none"
    unknown = [name for name in names if name not in missing]
    known = [f"{name} ({missing[name]})" for name in names if name in missing]
    listed = [*unknown, *known]
    if len(listed) > _MOST_NAMES:
        listed = [*listed[: _MOST_NAMES - 3], f"{len(listed) - _MOST_NAMES + 3} others"]
    which = ", which is not in this configuration" if len(names) == 1 else "; none of them was run"
    return f"needs {listing(listed, 'or')} in {experiment}{which if unknown else ''}"
