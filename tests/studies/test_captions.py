"""Test that captions are short, and that the numbers in findings are those of released files."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fwsvm_papers.pipeline.artefacts import ARTEFACTS
from fwsvm_papers.reporting.tables import read_artefact_data
from fwsvm_papers.studies.about import VARIANT, about, artefacts

RELEASED = [
    Path(__file__).parents[2] / name for name in ("results/released/tables", "figures/released")
]
TEXTS = artefacts() | {name: about(name) for name in ARTEFACTS if VARIANT in name}
WITH_FINDING = [name for name, entry in TEXTS.items() if entry.finding]
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


@pytest.mark.parametrize("name", WITH_FINDING)
def test_the_numbers_of_a_finding_are_in_the_released_csv(name):
    path = next(folder / f"{name}.csv" for folder in RELEASED if (folder / f"{name}.csv").exists())
    left = set(re.findall(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?![\w-])", about(name).finding))
    for part in derived(pd.read_csv(path)):
        values = np.outer((1, 100), np.abs(np.ravel(part).astype(float)))
        left = {number for number in left if not is_among(number, values)}
        if not left:
            break
    assert not left


def is_among(number, values):
    """Return whether one of the values, after rounding, is the number as it is written."""
    written, decimals = float(number.replace(",", "")), len(number.partition(".")[2])
    return (np.abs(values - written) <= 0.501 * 10.0**-decimals).any()


def derived(frame):
    """Yield numbers that follow from a table.

    They are its own numbers, and sizes, medians, geometric means and extremes of the groups that
    its text columns define.
    """
    text, numbers = frame.select_dtypes(exclude="number").columns, frame.select_dtypes("number")
    yield from (numbers.to_numpy(), [len(frame)], frame.nunique())
    for names in (list(names) for size in (1, 2, 3) for names in combinations(text, size)):
        grouped = frame.groupby(names, dropna=False, observed=True)
        yield from (grouped.size(), grouped[list(numbers)].agg(["median", "min", "max"]).to_numpy())
        yield np.exp(
            np.log(numbers.where(numbers > 0)).groupby([frame[name] for name in names]).mean()
        )
