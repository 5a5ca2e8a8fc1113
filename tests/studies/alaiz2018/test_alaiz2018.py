"""Tables and figures of alaiz2018: the numbers behind them, and what they do where runs are missing."""

import numpy as np
import pytest
from alaiz_runs import make_alaiz
from grids import thinned
from synthetic_runs import make_sketches

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.runs.records import conform, empty_runs
from fwsvm.studies.alaiz2018 import artefacts as alaiz2018
from fwsvm.studies.alaiz2018.protocol import STYLES


@pytest.fixture(scope="module")
def made():
    return make_alaiz()


def cells(table):
    return [[cell.text for cell in row] for section in table.sections for row in section.rows]


def test_sizes_are_the_catalogues_and_those_used(made):
    table = alaiz2018.table1(made[1], {"miniboone": "no mirror", "a6a": "of another paper"})
    rows = {row[0]: row for row in cells(table)}
    assert rows["heart"] == ["heart", "189", "81", "13", "55.6", "189"]
    assert rows["ijcnn1"][-1] == "150" and "iris-setosa (in the paper: iris)" in rows
    assert "Not available: miniboone." in table.caption and "a6a" not in table.caption


def test_comparison_shows_means_deviations_and_ranks(made):
    runs, details = made
    table = alaiz2018.table3(runs, details)
    assert [section.heading for section in table.sections] == ["test accuracy (%)", "support vectors", "iterations"]
    assert [name for _, name in table.header[1:4]] == ["SVM", "M-FW", "M-FW, fixed C"]
    chosen = runs[(runs["dataset"] == "heart") & (runs["kernel"] == "linear") & (runs["init"] == "random_point")]
    svm = chosen[chosen["method"] == "pfw"]["support_vectors"].astype(float)
    shown = next(row for row in cells(table)[3:6] if row[0] == "heart")
    assert shown[1].startswith(f"{svm.mean():.1f} ± ") and shown[1].endswith("(3)")
    assert shown[2].endswith("(1)") and shown[3].endswith("(2)")
    assert "Of 6 cases M-FW is" in table.caption and "sparser in 6, less in 0" in table.caption
    assert "6 random partitions" in table.caption and "Not run: " in table.caption
    bold = {cell.text for section in table.sections for row in section.rows for cell in row if cell.bold}
    assert bold and all(text.endswith("(1)") for text in bold)


def test_percentages_are_means_over_the_data_sets(made):
    table = alaiz2018.table4(*made)
    frame = table.frame.set_index(["kernel", "model"])
    summary = alaiz2018.table3(*made).frame.set_index(["kernel", "model", "dataset"])["iterations_mean"]
    for kernel in ("linear", "rbf"):
        ratios = 100 * summary[kernel]["mfw"] / summary[kernel]["svm"]
        assert frame.loc[(kernel, "mfw"), "iterations_percent"] == pytest.approx(ratios.mean())
        assert frame.loc[(kernel, "mfw"), "iterations_median"] == pytest.approx(ratios.median())
    assert frame.loc[("all", "mfw"), "datasets"] == 3
    assert "M-FW has fewer support vectors than the SVM in 6 and fewer iterations in 6 of 6 cases" in table.caption


def test_larger_sets_are_taken_from_the_path_at_the_tuned_C(made):
    runs, details = made
    table = alaiz2018.table2(runs, details)
    assert [row[:2] for row in cells(table)] == [["ijcnn1", "linear kernel"], ["ijcnn1", "RBF kernel"]]
    chosen = runs[(runs["dataset"] == "ijcnn1") & (runs["kernel"] == "rbf") & (runs["method"] == "mfw_sparse")]
    expected = chosen[chosen["C"] == 0.25]["iterations"].astype(float).mean()
    frame = table.frame.set_index(["kernel", "model"])
    assert frame.loc[("rbf", "mfw"), "iterations_mean"] == pytest.approx(expected)
    assert set(frame["C"]) == {4.0, 0.25}


def test_starts_are_told_with_the_least_overlaps(made):
    table = alaiz2018.table5(*made)
    assert [row[:3] for row in cells(table)][2] == ["iris-setosa", "4 of 189", "20.0 (10.0–100.0)"]
    assert "smallest on iris-setosa (20 %)" in table.caption
    assert "RBF kernel" in table.caption


def test_paths_draw_mean_and_range(made):
    runs, details = made
    chart = alaiz2018.fig3(runs, details)
    assert len(chart.figure.axes) == 3 * 2
    chosen = runs[(runs["dataset"] == "ijcnn1") & (runs["kernel"] == "linear") & (runs["method"] == "pfw")]
    numbers = chart.frame.set_index(["kernel", "model", "C"]).loc[("linear", "svm", 4.0)]
    values = 100 * chosen[chosen["C"] == 4.0]["test_accuracy"]
    assert (numbers["accuracy_mean"], numbers["accuracy_min"]) == (pytest.approx(values.mean()), values.min())
    (line,) = [line for line in chart.figure.axes[0].get_lines()
               if line.get_marker() == STYLES["svm"].marker and len(line.get_xdata()) == 5]  # fmt: skip
    assert line.get_ydata()[3] == pytest.approx(values.mean())
    dotted = {x for line in chart.figure.axes[0].get_lines() for x in line.get_xdata() if line.get_linestyle() == ":"}
    assert dotted == {4.0, 0.25}


def test_what_the_paths_show_follows_from_the_numbers(made):
    runs, details = made
    assert "in 2 of 2 cases, over a narrower one in 0" in alaiz2018.fig3(runs, details).caption
    turned = runs.assign(method=runs["method"].map({"pfw": "mfw_sparse", "mfw_sparse": "pfw"}))
    assert "in 0 of 2 cases, over a narrower one in 2" in alaiz2018.fig3(turned, details).caption


def test_largest_set_present_stands_for_miniboone(made):
    chart = alaiz2018.fig4(made[1], {"miniboone": "no mirror"})
    assert "ijcnn1 stands for the paper's miniboone" in chart.caption
    assert "1,001" not in chart.caption and "SVM 10.27 % with 901" in chart.caption
    _, both = make_alaiz(largest=("ijcnn1", "miniboone"))
    own = alaiz2018.fig4(both)
    assert "stands for" not in own.caption and "M-FW part on miniboone" in own.caption
    labels = [text.get_text() for text in own.figure.legends[0].get_texts()]
    assert "M-FW, C = 1 (fixed)" in labels and "stopped at 1,000 iterations" in labels
    ends = [line for line in own.figure.axes[1].get_lines() if len(line.get_xdata()) == 1]
    assert [line.get_markerfacecolor() == "white" for line in ends].count(False) == 2  # those that met the stop rule


def test_weights_and_regions_are_drawn_as_computed():
    sketches = make_sketches()
    chart = alaiz2018.fig2(sketches)
    for path, line in zip(sketches["weight_paths"]["paths"], chart.figure.axes[0].get_lines()[::2], strict=False):
        assert list(line.get_ydata()) == path["multiplier"]
    assert "No multiplier ever falls" in chart.caption
    falling = {**sketches["weight_paths"]}
    falling["paths"] = [{**path, "multiplier": path["multiplier"][::-1]} for path in falling["paths"]]
    assert "3 of 3 multipliers fall" in alaiz2018.fig2({"weight_paths": falling}).caption
    regions = alaiz2018.fig1(sketches)
    assert "in 3 of 3 rows" in regions.caption and len(regions.figure.axes) == 16
    assert len(regions.frame) == 16


def test_limits_are_marked_and_counted(made):
    runs, details = made
    hit = (runs["dataset"].isin(["heart", "ijcnn1"]) & (runs["method"] == "pfw") & (runs["partition"] == 2)).fillna(
        False
    )
    limited = conform(runs.assign(stop_reason=np.where(hit, "iteration_limit", runs["stop_reason"])))
    table = alaiz2018.table3(limited, details)
    assert "limit" in table.footnotes[0][1]
    marked = [cell.text for section in table.sections for row in section.rows for cell in row if cell.marks]
    assert len(marked) == 2 * 3
    chart = alaiz2018.fig3(limited, details)
    assert "stopped at a limit (≥)" in [text.get_text() for text in chart.figure.legends[0].get_texts()]


def test_few_partitions_are_said_to_decide_nothing():
    table = alaiz2018.table3(*make_alaiz(partitions=1))
    assert "1 partition is too few" in table.caption and "±" not in str(cells(table))
    assert not any("(" in cell for row in cells(table) for cell in row[1:])  # no ranks where none differ


ODD = (
    {"partitions": 1, "starts": 1},
    {"models": ("svm", "mfw")},
    {"kernels": ("rbf",)},
    {"compared": ("heart",), "paths": (), "largest": ()},
    {"compared": (), "paths": ("magic", "ijcnn1")},
    {"stop_reason": "time_limit", "disturbed": True, "partitions": 2},
    {"compared": ("two-circles",), "paths": ("checkerboard",), "largest": ("checkerboard",)},
    {"test_accuracy": 1.0, "support_vectors": 5, "iterations": 1},
)


@pytest.mark.parametrize("odd", thinned(ODD, 2))
def test_renders_whatever_came_out(odd):
    runs, details = make_alaiz(**odd)
    for name in ("table1", "table2", "table3", "table4", "table5", "fig3", "fig4"):
        function = getattr(alaiz2018, name)
        try:
            result = function(details) if name in ("table1", "fig4") else function(runs, details)
        except NotDrawableError:
            assert not odd.get("compared", True) or not odd.get("paths", True)
            continue
        if isinstance(result, Chart):
            result.figure.set_layout_engine("none")  # which takes longer than the drawing
            result.figure.draw_without_rendering()
        else:
            assert result.to_csv() and result.to_markdown() and result.to_latex(name)


def test_nothing_run_is_skipped_with_the_names_of_the_sets():
    empty = empty_runs()
    for function in (alaiz2018.table2, alaiz2018.fig3):
        with pytest.raises(NotDrawableError, match=r"needs ijcnn1 or magic \(no mirror\) in the study alaiz2018"):
            function(empty, [], {"magic": "no mirror"})
    for function, given in ((alaiz2018.table1, ([],)), (alaiz2018.table3, (empty, [])), (alaiz2018.fig4, ([],))):
        with pytest.raises(NotDrawableError, match="in the study alaiz2018"):
            function(*given)


def test_details_without_their_runs_are_skipped(made):
    for function in (alaiz2018.table3, alaiz2018.table4, alaiz2018.table5):
        with pytest.raises(NotDrawableError):
            function(empty_runs(), made[1])
