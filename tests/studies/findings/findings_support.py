"""Compare the numbers in the finding of a released artefact with computed ones.

A module in tests/studies/findings has a function for each finding. The function gets the table of
the artefact, asserts what the sentence says without a number, and returns the numbers of the
sentence in the order of the text. A comment in quotation marks quotes the words that a line tests.
"""

import re
from functools import cache
from pathlib import Path

import pandas as pd

from fwsvm_papers.studies.about import about

ROOT = Path(__file__).parents[3]
RELEASED = [ROOT / name for name in ("results/released/tables", "figures/released")]
NUMBER = r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?![\w-])"

FINDINGS = {}


def finding(name):
    """Register a function as the one that computes the numbers of the finding of `name`."""

    def register(function):
        assert name not in FINDINGS, f"two functions for the finding of {name}"
        FINDINGS[name] = function
        return function

    return register


def released(name):
    """Return the released table of an artefact (rows of its csv file)."""
    files = [folder / f"{name}.csv" for folder in RELEASED]
    return pd.read_csv(next(path for path in files if path.exists()))


def written_numbers(text):
    """Return the numbers in a text, as they are written."""
    return re.findall(NUMBER, text)


def agrees(written, computed):
    """Return whether a computed number, rounded to the written digits, is the written one."""
    decimals = len(written.partition(".")[2])
    return abs(float(written.replace(",", "")) - computed) <= 0.501 * 10.0**-decimals


@cache
def computed_numbers(name):
    """Return the numbers that the finding of an artefact must have, in the order of the text."""
    return [float(value) for value in FINDINGS[name](released(name))]


def check(name, text=None):
    """Compare the finding of an artefact, or another text, with the numbers of its function."""
    written = written_numbers(about(name).finding if text is None else text)
    computed = computed_numbers(name)
    assert len(written) == len(computed), f"{name}: {written} written, {computed} computed"
    wrong = [pair for pair in zip(written, computed, strict=True) if not agrees(*pair)]
    assert not wrong, f"{name}: (written, computed) {wrong}"
