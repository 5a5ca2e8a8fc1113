"""Figures over groups of data sets: what they draw of which runs, beside which printed numbers."""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import draw, make_descriptions, make_poly, make_runs

from fwsvm.studies import published
from fwsvm.studies.benchmark.groups import LARGE, MEDIUM


def rows_of(chart, **chosen):
    frame = chart.frame
    for column, value in chosen.items():
        frame = frame[frame[column] == value]
    return frame.set_index("dataset")


def test_model_sizes_are_next_to_the_mean_of_cvm():
    runs = make_runs(datasets=("w1a", "a1a"))
    chart = draw("nanculef2014-fig4", runs, make_descriptions(("w1a", "a1a")))
    ratio = rows_of(chart, group="Web", quantity="ratio", protocol="as_printed", method="swap").loc["w1a"]
    sizes = runs[runs["dataset"] == "w1a"].set_index(["method", "protocol"])["support_vectors"].astype(float)
    cvm = sizes.loc[("cvm", "libcvm")].mean()
    expected = sizes.loc[("swap", "as_printed")] / cvm
    assert [ratio[name] for name in ("value", "low", "high", "cvm")] == pytest.approx(
        [expected.mean(), expected.min(), expected.max(), cvm]
    )


def test_data_sets_without_any_number_are_left_out():
    runs = make_runs(datasets=("letter", "shuttle"))
    assert set(draw("nanculef2014-fig7", runs, []).frame["dataset"]) == {"letter", "shuttle"}
    assert set(draw("nanculef2014-fig9", runs, []).frame["dataset"]) == {*MEDIUM.datasets, *LARGE.datasets}  # printed


def test_medium_and_large_groups_stand_in_the_papers_order():
    chart = draw("nanculef2014-fig5", make_runs(datasets=("shuttle", "letter", "mnist")), [])
    assert list(rows_of(chart, group=MEDIUM.name, protocol="all_points", method="fw").index) == list(MEDIUM.datasets)
    assert list(rows_of(chart, group=LARGE.name, protocol="all_points", method="fw").index) == list(LARGE.datasets)
    large = rows_of(chart, group=LARGE.name, protocol="all_points", method="fw")
    assert large["value"].notna().tolist() == [True, False, False, False, False]
    assert large.loc["ijcnn1", "printed"] == pytest.approx(
        95.71 - published.load_means("frandi2013_accuracy").loc["ijcnn1", "cvm"]
    )


def test_speed_ups_of_single_sets_have_libcvms_cvm_below_them():
    runs = make_runs(datasets=("kdd99-10pc",))
    chart = draw("frandi2013-fig6", runs, [])
    seconds = runs.set_index(["method", "protocol"])["train_cpu_s"]
    cvm = seconds.loc[("cvm", "libcvm")].mean()
    for protocol in ("as_printed", "libcvm", "all_points"):
        fw = rows_of(chart, quantity="speedup", protocol=protocol, method="fw").loc["kdd99-10pc"]
        assert fw["value"] == pytest.approx(cvm / seconds.loc[("fw", protocol)].mean())
        assert fw["printed"] == pytest.approx(42.3 / 0.414)


def test_groups_without_runs_are_left_out():
    chart = draw("nanculef2014-fig3", make_runs(datasets=("a1a",)), [])
    assert set(chart.frame["group"]) == {"Adult"} and len(chart.figure.axes) == 3
    assert "Not run: 14 data sets of the paper." in chart.notes
    chart = draw("frandi2013-fig5", make_runs(datasets=("protein",)), [])
    assert set(chart.frame["group"]) == {"protein"}


def test_polynomial_kernel_stands_beside_its_own_printed_numbers():
    runs = pd.concat([make_poly(), make_runs(datasets=("w1a",))])
    chart = draw("nanculef2014-fig10", runs, [])
    assert set(chart.frame["method"]) == {"fw", "mfw", "swap", "swap2o"}
    fw = rows_of(chart, quantity="time", protocol="as_printed", method="fw")
    assert fw.loc["w1a", "printed"] == 0.076 and fw.loc["w8a", "printed"] == 0.276
    assert rows_of(chart, quantity="time", protocol="all_points", method="swap")["printed"].isna().all()
    poly = runs[(runs["experiment"] == "poly") & (runs["dataset"] == "w1a") & (runs["method"] == "fw")]
    seconds = poly.loc[poly["protocol"] == "as_printed", "train_cpu_s"]
    assert fw.loc["w1a", "value"] == pytest.approx(seconds.mean())


def test_protein_is_drawn_from_the_printed_numbers_where_it_was_not_run():
    speedups = draw("nanculef2014-fig8", make_runs(datasets=("a1a",)), [])
    assert rows_of(speedups, quantity="speedup").set_index("method")["printed"].to_dict() == {
        "fw": 20.8, "mfw": 123.5, "swap": 157.3, "swap2o": 358.0,
    }  # fmt: skip
    accuracies = draw("nanculef2014-fig6", make_runs(datasets=("a1a",)), [])
    assert accuracies.frame["printed"].tolist() == [69.79, 69.73, 69.78] and accuracies.frame["value"].isna().all()


def test_limits_of_times_and_speed_ups_are_bounds_and_of_accuracies_off_the_axis():
    runs = make_runs(datasets=("letter", "usps"), methods=("cvm", "fw", "mfw"), protocols=("all_points",))
    limited = (runs["method"] == "fw") & (runs["dataset"] == "letter") & (runs["protocol"] == "all_points")
    runs.loc[limited, "stop_reason"], runs.loc[limited, "test_accuracy"] = "time_limit", 0.05
    cvm = (runs["method"] == "cvm") & (runs["dataset"] == "usps") & (runs["protocol"] == "libcvm")
    runs.loc[cvm, "stop_reason"] = "time_limit"
    chart = draw("frandi2013-fig5", runs, [])
    bound = rows_of(chart, quantity="speedup", protocol="all_points", method="fw")["bound"]
    assert bound[["letter", "usps"]].tolist() == ["upper", "lower"]
    accuracy = chart.figure.axes[0]
    assert accuracy.get_ylim()[0] > -20
    assert len(accuracy.texts) == 1  # its value is written at the edge
    times = draw("nanculef2014-fig9", runs, [])
    assert rows_of(times, quantity="speedup", protocol="all_points", method="fw").loc["letter", "bound"] == "upper"


def test_the_constant_answer_stands_next_to_accuracies():
    described = [{"dataset": "w1a", "m": 2477, "classes": [{"train": 9, "test": 97}, {"train": 1, "test": 3}]}]
    chart = draw("frandi2013-fig3", make_runs(datasets=("w1a",)), described)
    assert set(rows_of(chart, quantity="accuracy")["majority"].dropna()) == {97.0}
    assert "majority class" in [text.get_text() for text in chart.figure.legends[0].get_texts()]


def test_last_figure_has_two_groups():
    chart = draw("nanculef2014-fig11", make_poly(), [])
    assert np.unique(chart.frame["group"] + " " + chart.frame["quantity"]).tolist() == [
        "Web size",
        "shuttle, reuters accuracy",
        "shuttle, reuters size",
        "shuttle, reuters time",
    ]
