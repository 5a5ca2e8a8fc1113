"""What people wrote about papers, tables and figures: the file about.yaml of each study."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from fwsvm.studies.registry import EXPERIMENTS, STUDIES

BEYOND = "beyond"
"""Paper of the artefacts that no paper has."""

VARIANT = "--"
"""Separates the id of an artefact from the name of a protocol, where it is drawn under several."""


@dataclass(frozen=True)
class About:
    """What about.yaml says of a table or figure."""

    id: str
    title: str
    """A few words; the id where about.yaml has none."""
    paper: str
    """A key of `papers`, or `BEYOND`."""
    number: str
    """What the paper calls it, for example ``Figure 3``; empty where the paper has no such thing."""
    questions: tuple[str, ...]
    printed: str
    """What the paper shows there, in our words."""
    experiments: tuple[str, ...]
    """The experiments whose runs it shows."""
    caption: str
    """What the marks mean, true for any run. Caption and finding have at most 60 words together."""
    finding: str
    """One sentence with its numbers; it is shown for the released run only."""


@cache
def questions() -> dict[str, str]:
    """Key -> question, in the order of the report."""
    return _yaml(__package__)["questions"]


@cache
def papers() -> dict[str, dict]:
    """Study -> ``title``, ``authors``, ``year`` (or None), ``short`` and ``summary`` of its paper."""
    return {name: about["paper"] for name, about in _studies().items() if "paper" in about}


def artefacts() -> dict[str, About]:
    """Every declared artefact of the studies, in the registry's order."""
    return {name: about(name) for name in _declared()}


def about(artefact_id: str) -> About:
    """What is written about an artefact; its variant under another protocol has the same texts."""
    study = _declared().get(artefact_id, "")
    of_study = _studies().get(study) or _yaml(__package__)
    entry = of_study.get("artefacts", {}).get(artefact_id, {})
    if VARIANT in artefact_id and not entry:
        entry = {key: getattr(about(artefact_id.partition(VARIANT)[0]), key) for key in ("title", "caption")}
    prefix, _, rest = artefact_id.partition("-")
    numbered = re.fullmatch(r"(fig|table)(\d+)", rest)
    paper = prefix if prefix in papers() else BEYOND
    own = tuple(getattr(STUDIES[study], "EXPERIMENTS", ())) if study else ()
    return About(
        artefact_id,
        entry.get("title", artefact_id),
        paper,
        f"{'Figure' if numbered[1] == 'fig' else 'Table'} {numbered[2]}" if numbered and paper != BEYOND else "",
        tuple(entry.get("questions", ())),
        entry.get("printed", "").strip(),
        tuple(entry.get("experiments", own or (("benchmark",) if "benchmark" in EXPERIMENTS else ()))),
        entry.get("caption", "").strip(),
        entry.get("finding", "").strip(),
    )


@cache
def _declared():
    """Artefact -> study."""
    return {artefact_id: name for name, study in STUDIES.items() for artefact_id in getattr(study, "ARTEFACTS", {})}


@cache
def _studies() -> dict[str, dict]:
    """Study -> its about.yaml; empty where it has none."""
    return {name: _yaml(study.__name__) for name, study in STUDIES.items()}


@cache
def _yaml(package: str) -> dict:
    file = resources.files(package).joinpath("about.yaml")
    return yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else {}
