"""What readers are told of papers, tables and figures: the file about.yaml of each study."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from fwsvm.studies.registry import EXPERIMENTS, STUDIES

BEYOND = "beyond"
"""Stands for what no paper has."""

VARIANT = "--"
"""Stands between the id of an artefact and the name of a protocol, where it was drawn under several."""


@dataclass(frozen=True)
class About:
    """A table or figure as readers see it.

    Attributes
    ----------
    id : str
    title : str
        A few words; where about.yaml has none, the declared caption.
    paper : str
        A key of `papers`, or `BEYOND`.
    number : str
        What the paper calls it: ``Figure 3``; empty where the paper has no such thing.
    questions : tuple of str
        Keys of `questions`.
    printed : str
        What the paper shows there, in our words; empty where no paper has it.
    experiments : tuple of str
        Whose runs it is made from.
    """

    id: str
    title: str
    paper: str
    number: str
    questions: tuple[str, ...]
    printed: str
    experiments: tuple[str, ...]


@cache
def questions() -> dict[str, str]:
    """Return key -> question, in the order of the report."""
    return _yaml(__package__, "questions.yaml")


@cache
def papers() -> dict[str, dict]:
    """Return study -> ``title``, ``authors``, ``year`` (or None), ``short`` and ``summary`` of its paper."""
    return {name: about["paper"] for name, about in _studies().items() if "paper" in about}


def artefacts() -> dict[str, About]:
    """Return every declared artefact of the studies, in the registry's order."""
    return {
        artefact_id: about(artefact_id) for study in STUDIES.values() for artefact_id in getattr(study, "ARTEFACTS", {})
    }


def about(artefact_id: str) -> About:
    """Return what is known of an artefact; one that no study declares has its id for a title."""
    study, declared = _declared().get(artefact_id, ("", None))
    entry = _studies().get(study, {}).get("artefacts", {}).get(artefact_id, {})
    prefix, _, rest = artefact_id.partition("-")
    numbered = re.fullmatch(r"(fig|table)(\d+)", rest)
    paper = prefix if prefix in papers() else BEYOND
    own = tuple(getattr(STUDIES[study], "EXPERIMENTS", ())) if study else ()
    return About(
        artefact_id,
        entry.get("title") or (declared.caption.removesuffix(".") if declared else artefact_id),
        paper,
        f"{'Figure' if numbered[1] == 'fig' else 'Table'} {numbered[2]}" if numbered and paper != BEYOND else "",
        tuple(entry.get("questions", ())),
        entry.get("printed", "").strip(),
        tuple(entry.get("experiments", own or (("benchmark",) if "benchmark" in EXPERIMENTS else ()))),
    )


@cache
def _declared() -> dict:
    """Artefact -> study and declaration."""
    return {
        artefact_id: (name, entry)
        for name, study in STUDIES.items()
        for artefact_id, entry in getattr(study, "ARTEFACTS", {}).items()
    }


@cache
def _studies() -> dict[str, dict]:
    """Study -> its about.yaml; empty where it has none."""
    return {name: _yaml(study.__name__, "about.yaml") for name, study in STUDIES.items()}


def _yaml(package: str, name: str) -> dict:
    file = resources.files(package).joinpath(name)
    return yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else {}
