"""Test that each finding, and some sentences of the pages, say what the released files show."""

import importlib
import re
from pathlib import Path

import pytest
from findings_support import FINDINGS, NUMBER, check
from page_numbers import SENTENCES, check_passage, written_results

from fwsvm_papers.pipeline.artefacts import ARTEFACTS
from fwsvm_papers.studies.about import VARIANT, about, artefacts

for module in sorted(Path(__file__).parent.glob("*_findings.py")):
    if not module.stem.startswith("test_"):
        importlib.import_module(module.stem)

TEXTS = artefacts() | {name: about(name) for name in ARTEFACTS if VARIANT in name}
WITH_FINDING = sorted(name for name, entry in TEXTS.items() if entry.finding)


def test_every_finding_has_a_function_and_every_function_a_finding():
    assert sorted(FINDINGS) == WITH_FINDING


@pytest.mark.parametrize("name", WITH_FINDING)
def test_a_finding_says_what_the_released_table_shows(name):
    check(name)


@pytest.mark.parametrize("name", WITH_FINDING)
def test_another_number_in_a_finding_is_found(name):
    text = about(name).finding
    for place in re.finditer(NUMBER, text):
        changed = text[: place.start()] + another(place[0]) + text[place.end() :]
        with pytest.raises(AssertionError, match="written"):
            check(name, changed)


@pytest.mark.parametrize("name", SENTENCES)
def test_a_passage_of_a_page_says_what_the_released_files_show(name):
    assert written_results(name)
    check_passage(name)


def another(number):
    """Return a number that is larger than `number` by two units of its last written digit."""
    decimals = len(number.partition(".")[2])
    return f"{float(number.replace(',', '')) + 2 * 10.0**-decimals:.{decimals}f}"
