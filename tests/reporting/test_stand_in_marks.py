"""Test that stand-ins (replacements of missing data sets) are marked in tables and figures.

Significance tests are also shown without stand-ins.
"""

import pandas as pd
import pytest
from matplotlib.figure import Figure
from synthetic_runs import make_runs

from fwsvm_papers.pipeline.artefacts import render
from fwsvm_papers.reporting.figures import Chart, marked
from fwsvm_papers.runs.records import conform
from fwsvm_papers.runs.table import stand_ins
from fwsvm_papers.studies.benchmark.significance import test_protocols as evaluate

REPLACED = ["a6a", "w2a"]


@pytest.fixture(scope="module")
def replaced(inputs):
    """Return the usual inputs, in which stand-ins replace two data sets."""
    names = dict.fromkeys(["w1a", "w4a", "w8a", "a1a", "a4a", "a7a", *REPLACED])
    runs = make_runs(datasets=tuple(names), repetitions=2)
    runs["stand_in"] = runs["dataset"].isin(REPLACED)
    described = [row for row in inputs["descriptions"] if row["dataset"] in names]
    return {**inputs, "runs": conform(runs), "tests": evaluate(runs), "descriptions": described}


def test_a_table_has_a_footnote_at_their_names(replaced):
    table = render("frandi2013-table2", replaced)
    marks = {row[0].text: row[0].marks for part in table.sections for row in part.rows}
    assert {name for name, found in marks.items() if "*" in found} == set(REPLACED)
    assert dict(table.footnotes)["*"].startswith("This data set replaces a missing file")
    assert set(table.frame.loc[table.frame["stand_in"], "dataset"]) == set(REPLACED)


def test_a_figure_has_a_star_at_their_names(replaced):
    chart = render("frandi2013-fig4", replaced)
    chart.figure.draw_without_rendering()
    drawn = {label.get_text() for axes in chart.figure.axes for label in axes.get_xticklabels()}
    assert "a6a*" in drawn and "a7a" in drawn and "a6a" not in drawn
    assert "Stars mark replacements of missing files" in chart.notes


def test_only_names_of_stand_ins_get_a_star_and_a_note():
    figure = Figure()
    axes = figure.subplots()
    axes.set_xticks([0, 1], ["a6a", "a6a-more"])
    axes.text(0, 0, "a7a, w2a")
    chart = Chart(figure, pd.DataFrame(), "A note.")
    assert marked(chart, ["w3a", "more"]) is chart
    found = marked(chart, ["w2a"])
    assert axes.texts[0].get_text() == "a7a, w2a*" and found.notes.startswith(
        "A note. Stars mark replacements"
    )
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a6a", "a6a-more"]
    marked(chart, ["a6a"])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a6a*", "a6a-more"]


def test_nothing_is_marked_without_stand_ins(inputs):
    assert stand_ins(inputs["runs"]) == []
    assert "*" not in dict(render("frandi2013-table2", inputs).footnotes)


def test_tests_have_the_numbers_without_them(replaced):
    tests, runs = replaced["tests"], replaced["runs"]
    rest = evaluate(runs[~runs["dataset"].isin(REPLACED)])
    assert (tests["n_datasets"] - tests["n_without"] == len(REPLACED)).all()
    pd.testing.assert_series_equal(tests["p_without"], rest["p_value"], check_names=False)
    table = render("nanculef2014-table2", replaced)
    place = table.header.index(("p-value", "without stand-ins"))
    assert all(row[place].text for part in table.sections for row in part.rows)
