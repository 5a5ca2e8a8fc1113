"""The texts about papers, tables and figures, read from the file about.yaml of each study."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from fwsvm_papers.datasets.yaml_files import read_yaml
from fwsvm_papers.studies.registry import STUDIES

BEYOND = "beyond"
"""The value of `About.paper` for a table or figure that is not in a paper."""

VARIANT = "--"
"""The text between the id of a table or figure and the name of a protocol, in the id of a
variant.
"""


@dataclass(frozen=True)
class About:
    """The texts about one table or figure, from about.yaml."""

    id: str
    title: str
    """The title in a few words, or the id if about.yaml has no title."""
    paper: str
    """The paper: a key of `papers`, or `BEYOND`."""
    number: str
    """The name of the table or figure in the paper, such as ``Figure 3``. The text is empty if the
    paper has no name for it.
    """
    questions: tuple[str, ...]
    printed: str
    """What the paper shows in this table or figure, in our words."""
    experiments: tuple[str, ...]
    """The experiments whose runs are shown."""
    caption: str
    """The caption, which explains the symbols and is true for any run.

    The caption and the finding together have at most 90 words.
    """
    finding: str
    """The finding, which is one or a few sentences with numbers from the released run.

    The finding is shown only with the released run.
    """


def questions() -> dict[str, str]:
    """Return a dict that maps the key of each question to its text, in the order of the report."""
    return _yaml(__package__)["questions"]


def leading() -> dict[str, list[str]]:
    """Return a dict that maps the key of each question to the ids of the tables and figures that
    answer the question. The best answer comes first.
    """
    return {key: names.split() for key, names in _yaml(__package__)["leading"].items()}


@cache
def papers() -> dict[str, dict]:
    """Return a dict that maps each paper to a dict with the keys ``title``, ``authors``, ``year``
    (its value can be None), ``short`` and ``summary``.
    """
    return {name: about["paper"] for name, about in _studies().items() if "paper" in about}


def artefacts() -> dict[str, About]:
    """Return a dict that maps the id of each table and figure to its texts, in the order of the
    registry.
    """
    return {name: about(name) for name in _declared()}


def about(artefact_id: str) -> About:
    """Return the texts of a table or figure.

    A variant has the title, caption and experiments of the original, and its own finding. It has no
    `number`.
    """
    original, _, protocol = artefact_id.partition(VARIANT)
    study = _declared().get(original, "")
    of_study = _studies().get(study) or _yaml(__package__)
    entry = of_study.get("artefacts", {}).get(artefact_id, {})
    if protocol:
        shared = ("title", "caption", "experiments")
        entry = {key: getattr(about(original), key) for key in shared} | entry
    prefix, _, rest = artefact_id.partition("-")
    numbered = re.fullmatch(r"(fig|table)(\d+[a-z]?)", rest)
    paper = prefix if prefix in papers() else BEYOND
    own = tuple(getattr(STUDIES[study], "EXPERIMENTS", ())) if study else ()
    return About(
        artefact_id,
        entry.get("title", artefact_id),
        paper,
        f"{'Figure' if numbered[1] == 'fig' else 'Table'} {numbered[2]}"
        if numbered and paper != BEYOND
        else "",
        tuple(entry.get("questions", ())),
        entry.get("printed", "").strip(),
        tuple(entry.get("experiments", own or ("benchmark",))),
        entry.get("caption", "").strip(),
        entry.get("finding", "").strip(),
    )


@cache
def _declared() -> dict[str, str]:
    """Return a dict that maps the id of each table and figure to the name of its study."""
    return {
        artefact_id: name
        for name, study in STUDIES.items()
        for artefact_id in getattr(study, "ARTEFACTS", {})
    }


@cache
def _studies() -> dict[str, dict]:
    """Return a dict that maps each study to the content of its about.yaml, or to {} if the study
    has no such file.
    """
    return {name: _yaml(study.__name__) for name, study in STUDIES.items()}


@cache
def _yaml(package: str) -> dict:
    file = Path(str(resources.files(package)), "about.yaml")
    return read_yaml(file) if file.is_file() else {}
