"""Tables and figures of alaiz2018: the numbers behind them, and what they do where runs are
missing.
"""

import numpy as np
import pytest
from alaiz_runs import make_alaiz

from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.runs.records import conform, empty_runs
from fwsvm_papers.studies.alaiz2018 import figures, tables


@pytest.fixture(scope="module")
def made():
    return make_alaiz()


def cells(table):
    return [[cell.text for cell in row] for section in table.sections for row in section.rows]


def test_comparison_shows_means_deviations_and_ranks(made):
    runs, details = made
    table = tables.table3(runs, details)
    chosen = runs[
        (runs["dataset"] == "heart")
        & (runs["kernel"] == "linear")
        & (runs["init"] == "random_point")
    ]
    svm = chosen[chosen["method"] == "pfw"]["support_vectors"].astype(float)
    shown = next(row for row in cells(table)[3:6] if row[0] == "heart")
    assert shown[1].startswith(f"{svm.mean():.1f} ± ")
    assert [text[-3:] for text in shown[1:4]] == ["(3)", "(1)", "(2)"]
    bold = {
        cell.text for section in table.sections for row in section.rows for cell in row if cell.bold
    }
    assert bold and all(text.endswith("(1)") for text in bold)
    one_partition = cells(tables.table3(*make_alaiz(partitions=1)))
    assert "±" not in str(one_partition) and not any(
        "(" in cell for row in one_partition for cell in row[1:]
    )


def test_largest_set_present_stands_for_miniboone(made):
    chart = figures.fig4(made[1], {"miniboone": "no mirror"})
    assert "ijcnn1" in chart.notes and set(chart.frame["model"]) == {"svm", "mfw", "mfw_fixed"}
    assert figures.fig4(make_alaiz(largest=("ijcnn1", "miniboone"))[1]).notes == ""


def test_limits_are_marked(made):
    runs, details = made
    hit = (
        runs["dataset"].isin(["heart", "ijcnn1"])
        & (runs["method"] == "pfw")
        & runs["partition"].eq(2).fillna(False)
    )
    limited = conform(
        runs.assign(stop_reason=np.where(hit, "iteration_limit", runs["stop_reason"]))
    )
    table = tables.table3(limited, details)
    marked = [
        cell.text
        for section in table.sections
        for row in section.rows
        for cell in row
        if cell.marks
    ]
    assert len(marked) == 2 * 3 and "limit" in table.footnotes[0][1]
    assert figures.fig3(limited, details).frame["at_limit"].sum() == 2 * 5


@pytest.mark.parametrize(
    "function", [tables.table2, tables.table3, tables.table4, tables.table5, figures.fig3]
)
def test_few_runs_are_shown_and_none_are_skipped(function):
    runs, details = make_alaiz(
        compared=("heart",), paths=("checkerboard",), partitions=1, starts=1, kernels=("rbf",)
    )
    assert not function(runs, details).frame.empty
    for empty in ([], details):
        with pytest.raises(NotDrawableError, match="alaiz2018"):
            function(empty_runs(), empty)
