"""Test the numbers in the tables and figures of alaiz2018, even if runs are missing."""

import numpy as np
import pandas as pd
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


def test_shown_values_by_hand():
    """The values are accuracies of both models, and ratios of support vectors and of iterations. A
    ratio is marked if a run of either model ended at a limit.
    """
    names = ["model", "C", "accuracy_mean", "support_vectors_mean", "iterations_mean", "at_limit"]
    rows = [
        ("svm", 1.0, 80.0, 200.0, 50.0, 0),
        ("mfw", 1.0, 82.5, 50.0, 100.0, 0),
        ("svm", 4.0, 90.0, 100.0, 10.0, 1),
        ("mfw", 4.0, 89.0, 100.0, 10.0, 0),
        ("mfw", 16.0, 89.0, 100.0, 10.0, 0),  # the SVM has no run with this C
    ]
    numbers = pd.DataFrame(rows, columns=names).assign(dataset="magic", kernel="rbf")
    frame = figures.shown_values(numbers, {"magic": 65.0})
    values = frame.groupby(["measure", "method"], observed=True)["value"].apply(list).to_dict()
    assert values == {
        ("accuracy", "svm"): [80.0, 90.0],
        ("accuracy", "mfw"): [82.5, 89.0],
        ("support_vectors", "mfw"): [0.25, 1.0],
        ("iterations", "mfw"): [2.0, 1.0],
    }
    ended = frame.groupby(["measure", "method"], observed=True)["ended"].apply(list).to_dict()
    assert ended.pop(("accuracy", "mfw")) == [False, False]
    assert set(map(tuple, ended.values())) == {(False, True)}
    assert set(frame["case"]) == {"magic, RBF"}
    assert set(frame.loc[frame["measure"] == "accuracy", "majority"]) == {65.0}


def test_strips_mark_the_values_of_c_near_the_best(made):
    runs, details = made
    chart = figures.fig3(runs, details)
    numbers = chart.frame
    first = numbers[["dataset", "kernel"]].iloc[0]
    numbers = numbers[(numbers["dataset"] == first["dataset"])]
    numbers = numbers[numbers["kernel"] == first["kernel"]]
    best = numbers["accuracy_mean"].max()
    (strip,) = chart.figure.axes[0].child_axes
    bars = [line for line in strip.lines if line.get_marker() == "s"]
    for line, model in zip(bars, ("svm", "mfw"), strict=True):
        path = numbers[numbers["model"] == model].sort_values("C")
        marked = line.get_xdata()[~np.isnan(line.get_ydata())]
        assert marked.tolist() == path.loc[path["accuracy_mean"] >= best - 1, "C"].tolist()


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
