"""The numbers behind the figures of the Web and Adult series, and what the figures show of them."""

import numpy as np
import pytest
from synthetic_runs import draw, make_descriptions, make_runs

from fwsvm.reporting.axes import by_rows, plain_number
from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.studies import published


@pytest.fixture(scope="module")
def runs():
    """Not to be changed."""
    return make_runs(datasets=("w1a", "w4a", "w8a", "a1a"))


@pytest.fixture(scope="module")
def web(runs):
    """The figure of the Web series; not to be changed."""
    return draw("frandi2013-fig3", runs, make_descriptions())


def numbers_of(chart, quantity, protocol, method):
    frame = chart.frame
    chosen = (frame["quantity"] == quantity) & (frame["protocol"] == protocol) & (frame["method"] == method)
    return frame[chosen].set_index("dataset")


def test_data_sets_stand_in_order_of_size(runs):
    descriptions = make_descriptions(("w1a", "w4a", "w8a"))
    descriptions[0]["m"] = 10**6
    chart = draw("frandi2013-fig3", runs, descriptions)
    rows = numbers_of(chart, "accuracy", "all_points", "fw")
    assert rows.index.tolist() == ["w2a", "w3a", "w4a", "w5a", "w6a", "w7a", "w8a", "w1a"]
    assert rows["m"].tolist()[:2] == [3470, 4912] and rows["m"].iloc[-1] == 10**6


def test_speedup_is_mean_cvm_over_mean_time_with_its_range(runs, web):
    fw = numbers_of(web, "speedup", "as_printed", "fw").loc["w4a"]
    of = runs[runs["dataset"] == "w4a"].set_index(["method", "protocol"])["train_cpu_s"]
    cvm = of.loc[("cvm", "libcvm")].mean()
    times = of.loc[("fw", "as_printed")]
    assert fw["value"] == pytest.approx(cvm / times.mean())
    assert (fw["low"], fw["high"]) == (pytest.approx(cvm / times.max()), pytest.approx(cvm / times.min()))
    assert fw["printed"] == pytest.approx(30.4 / 1.26)
    assert "cvm" not in set(web.frame.loc[web.frame["quantity"] == "speedup", "method"])


def test_model_sizes_are_over_the_mean_of_cvm(runs, web):
    fw = numbers_of(web, "ratio", "as_printed", "fw").loc["w4a"]
    of = runs[runs["dataset"] == "w4a"].set_index(["method", "protocol"])["support_vectors"].astype(float)
    sizes = of.loc[("fw", "as_printed")] / of.loc[("cvm", "libcvm")].mean()
    assert (fw["value"], fw["low"], fw["high"]) == pytest.approx((sizes.mean(), sizes.min(), sizes.max()))
    assert "cvm" not in set(web.frame.loc[web.frame["quantity"] == "ratio", "method"])


def test_printed_numbers_are_there_for_every_set_and_ours_for_those_run(web):
    mfw = numbers_of(web, "accuracy", "libcvm", "mfw")
    printed = published.load_means("frandi2013_accuracy")["mfw"]
    assert mfw["printed"].tolist() == printed[mfw.index].tolist()
    assert mfw.index[mfw["value"].notna()].tolist() == ["w1a", "w4a", "w8a"]
    assert numbers_of(web, "ratio", "all_points", "fw")["printed"].isna().all()


def test_certified_cvm_is_under_full_only(web):
    assert numbers_of(web, "accuracy", "all_points", "cvm_certified")["value"].notna().sum() == 3
    assert numbers_of(web, "accuracy", "as_printed", "cvm_certified")["value"].isna().all()


def test_a_run_at_its_limit_has_an_open_marker(runs):
    runs = runs.copy()
    limited = (runs["method"] == "cvm") & (runs["dataset"] == "w8a") & (runs["protocol"] == "libcvm")
    runs.loc[limited & (runs["repetition"] == 2), "stop_reason"] = "time_limit"
    chart = draw("frandi2013-fig3", runs, make_descriptions())
    assert numbers_of(chart, "accuracy", "all_points", "cvm")["at_limit"].sum() == 1
    assert numbers_of(chart, "speedup", "all_points", "fw").loc["w8a", "at_limit"]
    assert not numbers_of(chart, "accuracy", "all_points", "fw")["at_limit"].any()
    speedup = chart.figure.axes[3]
    faces = {line.get_markerfacecolor() for line in speedup.get_lines() if line.get_linestyle() == "None"}
    assert "white" in faces
    assert any("stopped at a limit" in text for text in legend_of(chart))


def legend_of(chart):
    return [text.get_text() for text in chart.figure.legends[0].get_texts()]


def test_panels_titles_and_scales(web):
    panels = np.array(web.figure.axes).reshape(3, 3)
    assert [axes.get_title() for axes in panels[0]] == [
        "settings of the papers' text",
        "samples of LibCVM",
        "all points",
    ]
    assert [axes.get_ylabel() for axes in panels[:, 0]] == [
        "test accuracy (%)",
        "speed-up over CVM",
        "support vectors / CVM's",
    ]
    assert [axes.get_yscale() for axes in panels[:, 0]] == ["linear", "log", "log"]
    assert [label.get_text() for label in panels[-1, 0].get_xticklabels()] == [f"w{i}a" for i in range(1, 9)]


def test_one_selection_fits_a_column_and_a_new_method_appears():
    runs = make_runs(datasets=("a1a", "a7a"), methods=("cvm", "fw", "mymethod"), protocols=("libcvm",))
    chart = draw("frandi2013-fig4", runs, make_descriptions())
    assert chart.figure.get_figwidth() == pytest.approx(3.4)
    assert {"CVM", "FW", "MFW", "MYMETHOD"} <= set(legend_of(chart))
    assert not any("limit" in text for text in legend_of(chart))


def test_series_without_runs_is_skipped():
    with pytest.raises(NotDrawableError, match=r"needs w1a, w2a, .* in the benchmark"):
        draw("frandi2013-fig3", make_runs(datasets=("a1a",)), [])


def test_legend_reads_by_rows():
    assert by_rows([1, 2, 3, 4, 5, 6, 7], 3) == [1, 4, 7, 2, 5, 3, 6]


def test_axis_numbers():
    assert [plain_number(x) for x in (0.01, 3, 100, 30000)] == ["0.01", "3", "100", "30,000"]
