import io
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from latex_syntax import check_latex
from synthetic_runs import make_runs

from fwsvm.inputs.errors import DataError
from fwsvm_papers.pipeline.artefacts import render
from fwsvm_papers.reporting.figures import STAR
from fwsvm_papers.reporting.tables import Cell, Section, Table, read_artefact_data
from fwsvm_papers.reporting.text import NOTHING, fixed, significant
from fwsvm_papers.result_files import CHECKSUM, delimited_text
from fwsvm_papers.studies.benchmark import significance

AWKWARD = r"50% of a_b & {c} ~ ^ \x $1 #2 <3 | “q” 4 ± 5"


FRAME = pd.DataFrame({"name": [AWKWARD], "x": [0.1 + 0.2], "y": [None]})


def small_table(rows=1, groups=True):
    row = (Cell(AWKWARD), Cell("1.5", ("b", "a")), Cell("2"))
    header = (
        (("", "name"), ("ours", "x"), ("ours", "y"))
        if groups
        else (("", "name"), ("", "x"), ("", "y"))
    )
    sections = (Section("a_b", (row,) * rows), Section(None, (row,)))
    return Table(FRAME, header, sections, (("a", AWKWARD),)).data(id="my-table", caption=AWKWARD)


@pytest.mark.parametrize("rows", [1, 60])
@pytest.mark.parametrize("groups", [True, False])
def test_latex_is_well_formed(rows, groups):
    text = small_table(rows, groups).to_latex()
    check_latex(text)
    assert (
        text.count(r"\begin{table}") == (3 if rows == 60 else 1)
        and text.count(r"\label{tab:my-table}") == 1
    )


def test_latex_has_mathematics_for_signs_and_no_options_from_cells():
    rows = tuple((Cell(text), Cell("∞")) for text in ("[3]", "*", "* a", "`fit`, ν → 1"))
    header = ("", "[unit]"), ("", "x")
    text = Table(FRAME, header, (Section(None, rows),)).data(id="my-table").to_latex()
    check_latex(text)
    assert not re.search(r"(\\\\|rule)\s*[*[]", text)
    assert "{}[unit] & x" in text and r"{}[3] & \ensuremath{\infty}" in text
    assert r"fit, \ensuremath{\nu} \ensuremath{\rightarrow} 1 &" in text


def test_a_table_of_forty_rows_is_in_one_part_and_a_longer_one_is_not():
    parts = {rows: small_table(rows).to_latex().count(r"\begin{table}") for rows in (39, 40)}
    # the tables have one row more than these numbers, in their second section
    assert parts == {39: 1, 40: 2}


def test_only_columns_with_entries_are_written_below_the_names_of_their_groups():
    row = (Cell("a"), Cell(NOTHING), Cell("2"))
    header = ("", "name"), ("ours", "x"), ("ours", "y")
    data = Table(FRAME, header, (Section(None, (row,)),)).data(id="my-table")
    assert data.to_markdown().splitlines()[0] == "| name | ours y |"
    lines = data.to_latex().splitlines()
    names = lines.index(r"name & y \\")
    assert lines[names - 1] == r"\multicolumn{1}{c}{} & \multicolumn{1}{c}{ours} \\"
    assert lines[names + 2] == r"a & 2 \\"


def test_notes_of_hidden_columns_are_left_out_and_the_others_get_new_letters():
    rows = (
        (Cell("a1a", (STAR,)), Cell(NOTHING, ("a", "b")), Cell("2", ("c",))),
        (Cell("w1a"), Cell("", ("b",)), Cell("3", ("d", "c"))),
    )
    others = (Cell("a1a"), Cell("1"), Cell("", ("e",))), (Cell("w1a"), Cell("", ("d",)), Cell(""))
    header = ("", "name"), ("ours", "x"), ("ours", "y")
    notes = *((letter, f"Note {letter}.") for letter in "abcde"), (STAR, "A stand-in.")
    table = Table(FRAME, header, (Section("one", rows), Section("two", others)), notes)
    data = table.data(id="my-table")
    assert data.footnotes == (("a", "Note c."), ("b", "Note d."), (STAR, "A stand-in."))
    assert "| a1a<sup>*</sup> | 2<sup>a</sup> |" in data.to_markdown()
    assert "3<sup>a,b</sup>" in data.to_markdown()
    for text in (data.to_markdown(), data.to_latex(), data.to_json()):
        assert not re.search("Note [abe]", text)
    check_latex(data.to_latex())


def test_a_run_of_one_method_has_no_notes_without_marks():
    """The tests compare methods that did not run, so most of their columns are hidden."""
    runs = make_runs(datasets=("a1a",), methods=("fw",), protocols=("as_printed",))
    inputs = {"runs": runs, "tests": significance.test_protocols(runs), "missing": {}}
    for name in ("frandi2013-table5", "frandi2013-table6", "nanculef2014-table2"):
        data = render(name, inputs).data(id=name)
        text = data.to_markdown()
        listed = re.findall(r"^<sup>(.*?)</sup>", text, re.MULTILINE)
        rows = re.findall(r"^\|.*$", text, re.MULTILINE)
        marked = re.findall(r"<sup>(.*?)</sup>", "".join(rows))
        assert set(listed) == set(",".join(marked).split(",")) - {""}
        assert listed == sorted(listed)


def test_markdown_has_whole_rows():
    text = small_table().to_markdown()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {4}
    assert "| name | ours x | ours y |" in text and "### a_b" in text
    assert r"\|" in text and "1.5<sup>a,b</sup>" in text


def test_the_json_file_has_the_whole_table(tmp_path):
    data = replace(small_table(), title="α", finding="It is 3.", notes="One.", skipped="")
    path = tmp_path / "my-table.json"
    data.write_json(path)
    assert read_artefact_data(path) == data
    content = json.loads(path.read_text())
    row = [AWKWARD, {"text": "1.5", "marks": ["b", "a"], "bold": False}, "2"]
    assert content["columns"][1] == {"name": "x", "group": "ours", "align": "r"}
    assert content["sections"][0] == {"heading": "a_b", "rows": [row]}
    assert data.words == f"It is 3. {AWKWARD} One."


@pytest.mark.parametrize(
    "change",
    [
        {"id": "another"},
        {"kind": "page"},
        {"title": 3},
        {"columns": [{"name": "x"}]},
        {"sections": [{"heading": None, "rows": [["too", "few"]]}]},
        {"sections": [{"heading": None, "rows": [["one", "too", "many", "cells"]]}]},
        {"sections": [{"heading": None, "rows": [[1, "b", "c"]]}]},
        {"sections": [{"heading": None, "rows": [["a", {"text": "b"}, "c"]]}]},
        {"footnotes": ["a"]},
        {"footnotes": 3},
    ],
)
def test_a_file_that_describes_no_table_is_named(tmp_path, change):
    path = tmp_path / "my-table.json"
    content = json.loads(small_table().to_json()) | change
    del content[CHECKSUM]
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"my-table\.json: the file is damaged"):
        read_artefact_data(path)


@pytest.mark.parametrize("printing", [False, "1.13"])
def test_csv_has_full_precision(printing):
    with np.printoptions(legacy=printing):
        text = delimited_text(FRAME)
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
        (1.24e-6, 2, "0.0000012"),
        (2.34e-13, 2, "2.3e-13"),
        (-4.56e-8, 1, "-5e-8"),
        (9.99e-7, 2, "1.0e-6"),
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
