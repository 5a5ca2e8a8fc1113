"""Test the table of claims. It has a section per paper and a row per claim, and the outcomes follow
from the runs.
"""

import pytest
from synthetic_runs import make_inputs

from fwsvm_papers.claims.claim import OUTCOMES
from fwsvm_papers.claims.evaluation import PAPERS
from fwsvm_papers.claims.evidence import JUDGED_BY
from fwsvm_papers.pipeline.artefacts import render
from fwsvm_papers.reporting.text import NOTHING
from fwsvm_papers.runs.protocols import protocol_words


@pytest.fixture(scope="module")
def table():
    inputs = make_inputs(datasets=("w8a", "a1a", "usps"), repetitions=2)
    before = inputs["runs"].copy()
    table = render("claims", inputs)
    assert inputs["runs"].equals(before)
    return table


def rows_by_statement(table):
    return {row[1].text: row for section in table.sections for row in section.rows}


def test_a_row_per_claim_with_the_verdict_first(table):
    rows = rows_by_statement(table)
    claims = [claim for claims in PAPERS.values() for claim in claims]
    assert [section.heading.split(":")[0] for section in table.sections] == list(PAPERS)
    assert set(rows) == {claim.statement for claim in claims}
    assert all(
        row[0].text in OUTCOMES and row[0].bold == (row[0].text == OUTCOMES[0])
        for row in rows.values()
    )
    claim = next(claim for claim in claims if claim.id == "nanculef2014-swap-w8a")
    row = rows[claim.statement]
    frame = table.frame[table.frame["id"] == claim.id].set_index("protocol")
    head = frame.loc[JUDGED_BY[-1]]
    assert head["headline"] and not frame.loc["all_points", "headline"]
    assert (row[0].text, row[2].text, row[6].text) == (head["outcome"], "250×", head["threshold"])
    assert row[4].text == f"{head['outcome_requested']}: {head['ours_requested']}"
    assert row[3].text.startswith(head["ours"])
    assert row[8].text == "; ".join(
        f"{protocol_words(name)}: {frame.loc[name, 'outcome']}"
        for name in frame.index
        if name != JUDGED_BY[-1]
    )


def test_claims_of_studies_have_one_outcome(table):
    row = next(
        row for text, row in rows_by_statement(table).items() if text.startswith("on two circles")
    )
    assert row[0].text == "not run" and row[3].text.startswith("none [")
    assert row[4].text == row[5].text == row[8].text == NOTHING


def test_the_authors_program_has_a_column(table):
    head = table.frame.query("id == 'frandi2013-mfw-adult' and headline").iloc[0]
    row = rows_by_statement(table)[head["statement"]]
    assert row[5].text == f"{head['outcome_authors']}: {head['ours_authors']}" != ": "


def test_totals_are_those_of_the_rows(table):
    counts = table.frame[table.frame["headline"]]["outcome"].value_counts()
    assert f"{counts.sum()} statements" in table.notes
    assert all(f"{counts.get(outcome, 0)} {outcome}" in table.notes for outcome in OUTCOMES)
