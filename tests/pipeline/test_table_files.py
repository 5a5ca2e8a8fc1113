import io
import re

import numpy as np
import pandas as pd
import pytest
from latex_syntax import check_latex

from fwsvm_papers.reporting.tables import Cell, Section, Table
from fwsvm_papers.reporting.text import NOTHING, fixed, significant
from fwsvm_papers.result_files import delimited_text

AWKWARD = r"50% of a_b & {c} ~ ^ \x $1 #2 <3 | “q” 4 ± 5"


def small_table(rows=1, groups=True):
    row = (Cell(AWKWARD), Cell("1.5", ("b", "a")), Cell("2"))
    header = (
        (("", "name"), ("ours", "x"), ("ours", "y"))
        if groups
        else (("", "name"), ("", "x"), ("", "y"))
    )
    frame = pd.DataFrame({"name": [AWKWARD], "x": [0.1 + 0.2], "y": [None]})
    sections = (Section("a_b", (row,) * rows), Section(None, (row,)))
    return Table(frame, header, sections, (("a", AWKWARD),), caption=AWKWARD)


@pytest.mark.parametrize("rows", [1, 60])
@pytest.mark.parametrize("groups", [True, False])
def test_latex_is_well_formed(rows, groups):
    text = small_table(rows, groups).to_latex("my-table")
    check_latex(text)
    assert (
        text.count(r"\begin{table}") == (3 if rows == 60 else 1)
        and text.count(r"\label{tab:my-table}") == 1
    )


def test_markdown_has_whole_rows():
    text = small_table().to_markdown()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {4}
    assert "| name | ours x | ours y |" in text and "### a_b" in text
    assert r"\|" in text and "1.5<sup>a,b</sup>" in text


@pytest.mark.parametrize("printing", [False, "1.13"])
def test_csv_has_full_precision(printing):
    with np.printoptions(legacy=printing):
        text = delimited_text(small_table().frame)
    frame = pd.read_csv(io.StringIO(text), dtype={"x": str})
    assert frame.loc[0, "x"] == repr(0.1 + 0.2)
    assert frame.loc[0, "name"] == AWKWARD and frame["y"].isna().all()


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        (0.071234, 3, "0.0712"),
        (2063.7, 3, "2064"),
        (9.996, 3, "10.0"),
        (0.0996, 2, "0.10"),
        (0, 3, "0"),
        (247000, 3, "247000"),
        (float("nan"), 3, "–"),
        (float("inf"), 3, "inf"),
        (-0.0123, 2, "-0.012"),
        (0.9999, 3, "1.00"),
        (-0.99996, 4, "-1.000"),
        (0.96, 1, "1"),
        (0.00099996, 3, "0.00100"),
        (99.96, 3, "100"),
        (0.5, 3, "0.500"),
        (1.0, 3, "1.00"),
        (0.1, 1, "0.1"),
    ],
)
def test_significant_digits(value, digits, written):
    assert significant(value, digits) == written


def test_fixed_numbers_and_missing_ones():
    assert [fixed(value, ".2f") for value in (1.005, -2, np.nan, None, pd.NA)] == [
        "1.00",
        "-2.00",
        *[NOTHING] * 3,
    ]
