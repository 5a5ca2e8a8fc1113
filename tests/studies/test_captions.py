"""Test that captions and findings are short and in the words of the field."""

import re
from pathlib import Path

import pytest

from fwsvm_papers.pipeline.artefacts import ARTEFACTS
from fwsvm_papers.reporting.tables import read_artefact_data
from fwsvm_papers.studies.about import VARIANT, about, artefacts

RELEASED = [
    Path(__file__).parents[2] / name for name in ("results/released/tables", "figures/released")
]
TEXTS = artefacts() | {name: about(name) for name in ARTEFACTS if VARIANT in name}
TELEGRAPHIC = r"\b(Dark|Gr[ae]y|Pale|Dashed|Dotted|Bold|Marks|Bars|Lines|Ringed|Top|Bottom):"


@pytest.mark.parametrize(("name", "entry"), TEXTS.items())
def test_finding_caption_and_notes_have_at_most_ninety_words_of_the_field(name, entry):
    files = [path for folder in RELEASED for path in folder.glob(f"{name}.json")]
    released = [data.words for data in map(read_artefact_data, files) if not data.skipped]
    texts = released or [f"{entry.finding} {entry.caption}"]
    assert entry.caption and all(len(text.split()) <= 90 for text in texts)
    for text in filter(None, (entry.caption, entry.finding)):
        assert text.endswith(".") and not re.search(r"[a-z]{2,}_[a-z]|sigma2", text)
        assert not re.search(TELEGRAPHIC, text)


def test_a_drawn_variant_has_a_finding_of_its_own():
    variants = {path.stem for path in RELEASED[1].glob(f"*{VARIANT}*.svg")}
    assert variants and all(about(name).finding for name in variants)
    assert all(about(name).caption == about(name.split(VARIANT)[0]).caption for name in variants)
