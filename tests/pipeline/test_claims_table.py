"""The table of claims: a section per paper, a row per claim, outcomes that follow from the runs."""

import pytest
from synthetic_runs import make_inputs

from fwsvm.pipeline.artefacts import ARTEFACTS, render
from fwsvm.pipeline.claims import HEADLINE, PAPERS, load_claims
from fwsvm.reporting.text import NOTHING
from fwsvm.runs.table import SELECTIONS


@pytest.fixture(scope="module")
def inputs():
    return make_inputs(datasets=("w8a", "a1a", "usps"), repetitions=2)


def rows_by_statement(table):
    return {row[0].text: row for section in table.sections for row in section.rows}


def test_a_row_per_claim_and_a_column_per_selection(inputs):
    table = render("claims", inputs)
    rows, claims = rows_by_statement(table), load_claims()
    assert [section.heading.split(":")[0].split(" ")[0] for section in table.sections] == list(PAPERS)
    assert set(rows) == {claim.statement for claim in claims}
    assert [name for _, name in table.header][3:] == ["sampled_text, or the study", "sampled_libcvm", "full"]
    claim = next(claim for claim in claims if claim.id == "nanculef2014-swap-w8a")
    row = rows[claim.statement]
    assert (row[1].text, row[2].text) == (claim.rule, "250")
    frame = table.frame[table.frame["id"] == claim.id].set_index("selection")
    for cell, selection in zip(row[3:], SELECTIONS, strict=True):
        assert cell.text.startswith(f"{frame.loc[selection, 'outcome']}: {frame.loc[selection, 'ours']}")
    assert frame.loc[HEADLINE, "headline"] and not frame.loc["full", "headline"]


def test_claims_of_studies_have_one_column(inputs):
    row = next(
        row for text, row in rows_by_statement(render("claims", inputs)).items() if text.startswith("two circles")
    )
    assert row[3].text.startswith("not run (study singh did not run on two-circles")
    assert [cell.text for cell in row[4:]] == [NOTHING, NOTHING]


def test_totals_are_those_of_the_rows(inputs):
    table = render("claims", inputs)
    heads = table.frame[table.frame["headline"]]["outcome"].value_counts()
    told = f"{heads['reproduced']} reproduced, {heads['not reproduced']} not reproduced and {heads['not run']} not run"
    assert f"47 quantitative statements, judged by the rule beside them on our runs: {told}." in table.caption


def test_contradictory_print_is_a_footnote(inputs):
    notes = [text for _, text in render("claims", inputs).footnotes]
    assert any(
        note.startswith("the printed numbers contradict each other: printed Table 3 gives 15.4") for note in notes
    )


@pytest.mark.parametrize("options", [{"selections": ("full",)}, {"methods": ("fw", "swap")}, {"repetitions": 1}])
def test_whatever_came_out(options):
    table = render("claims", make_inputs(datasets=("w8a", "shuttle"), **{"repetitions": 2, **options}))
    assert table.to_csv() and table.to_markdown() and table.to_latex("claims")


def test_it_needs_the_details_of_the_studies():
    assert set(ARTEFACTS["claims"].needs) == {"runs", "tests", "tsang2005", "singh", "alaiz2018"}
