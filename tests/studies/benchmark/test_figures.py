"""Test which runs and which printed values the figures of the benchmark show."""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import draw, make_c_path, make_descriptions, make_poly, make_runs

from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.studies.benchmark.groups import LARGE, MEDIUM
from fwsvm_papers.studies.registry import load_printed_means


@pytest.fixture(scope="module")
def runs():
    return make_runs(datasets=("w1a", "w4a", "w8a", "a1a"))


@pytest.fixture(scope="module")
def web(runs):
    return draw("frandi2013-fig3", runs, make_descriptions())


def rows_of(chart, **chosen):
    frame = chart.frame
    for column, value in chosen.items():
        frame = frame[frame[column] == value]
    return frame.set_index("dataset")


def test_data_sets_are_in_order_of_size():
    runs = make_runs(
        datasets=("w1a", "w4a", "w8a", "a1a"), methods=("cvm", "fw"), protocols=("all_points",)
    )
    descriptions = make_descriptions(("w1a", "w4a", "w8a"))
    descriptions[0]["m"] = 10**6
    rows = rows_of(
        draw("frandi2013-fig3", runs, descriptions),
        quantity="accuracy",
        protocol="all_points",
        method="fw",
    )
    assert rows.index.tolist() == ["w2a", "w3a", "w4a", "w5a", "w6a", "w7a", "w8a", "w1a"]
    assert rows["m"].tolist()[:2] == [3470, 4912] and rows["m"].iloc[-1] == 10**6


@pytest.mark.parametrize(
    ("quantity", "measure"), [("speedup", "train_cpu_s"), ("ratio", "support_vectors")]
)
def test_numbers_relative_to_cvm_are_over_its_mean_with_their_range(runs, web, quantity, measure):
    fw = rows_of(web, quantity=quantity, protocol="as_printed", method="fw").loc["w4a"]
    of = runs[runs["dataset"] == "w4a"].set_index(["method", "protocol"])[measure].astype(float)
    cvm, ours = of.loc[("cvm", "as_printed")].mean(), of.loc[("fw", "as_printed")]
    found = [ours.mean() / cvm, ours.min() / cvm, ours.max() / cvm]
    expected = [1 / found[0], 1 / found[2], 1 / found[1]] if quantity == "speedup" else found
    assert fw[["value", "low", "high"]].tolist() == pytest.approx(expected) and fw[
        "cvm"
    ] == pytest.approx(cvm)
    assert (
        fw["printed"] == pytest.approx(30.4 / 1.26)
        if quantity == "speedup"
        else np.isnan(fw["printed"])
    )
    assert "cvm" not in set(web.frame.loc[web.frame["quantity"] == quantity, "method"])
    asked = (
        runs[runs["dataset"] == "w4a"]
        .groupby(["method", "protocol"])["requested_evaluations"]
        .mean()
    )
    expected = (
        asked["cvm", "as_printed"] / asked["fw", "as_printed"] if quantity == "speedup" else np.nan
    )
    assert fw["requested"] == pytest.approx(expected, nan_ok=True)


def test_printed_numbers_are_there_for_every_set_and_ours_for_those_run(web):
    mfw = rows_of(web, quantity="accuracy", protocol="libcvm", method="mfw")
    assert (
        mfw["printed"].tolist()
        == load_printed_means("frandi2013_accuracy")["mfw"][mfw.index].tolist()
    )
    assert mfw.index[mfw["value"].notna()].tolist() == ["w1a", "w4a", "w8a"]


def test_limits_of_times_are_bounds_and_of_accuracies_off_the_axis():
    runs = make_runs(
        datasets=("letter", "usps"), methods=("cvm", "fw", "mfw"), protocols=("all_points",)
    )
    limited = (
        (runs["method"] == "fw")
        & (runs["dataset"] == "letter")
        & (runs["protocol"] == "all_points")
    )
    runs.loc[limited, "stop_reason"], runs.loc[limited, "test_accuracy"] = "time_limit", 0.05
    cvm = (runs["method"] == "cvm") & (runs["dataset"] == "usps")
    runs.loc[cvm, "stop_reason"] = "time_limit"
    chart = draw("frandi2013-fig5", runs, [])
    bound = rows_of(chart, quantity="speedup", protocol="all_points", method="fw")["bound"]
    assert bound[["letter", "usps"]].tolist() == ["at most", "at least"]
    assert chart.figure.axes[0].get_ylim()[0] > -20


def test_data_sets_and_groups_without_any_number_are_left_out():
    runs = make_runs(datasets=("letter", "shuttle"))
    assert set(draw("nanculef2014-fig7", runs, []).frame["dataset"]) == {"letter", "shuttle"}
    # these data sets have printed values
    assert set(draw("nanculef2014-fig9", runs, []).frame["dataset"]) == {
        *MEDIUM.datasets,
        *LARGE.datasets,
    }
    chart = draw("nanculef2014-fig3", make_runs(datasets=("a1a",)), [])
    assert (
        set(chart.frame["group"]) == {"Adult"}
        and "14 data sets of the paper were not run." in chart.notes
    )
    with pytest.raises(NotDrawableError, match="needs results on w1a"):
        draw("frandi2013-fig3", make_runs(datasets=("a1a",)), [])


def test_polynomial_kernel_has_its_own_printed_numbers():
    runs = pd.concat([make_poly(), make_runs(datasets=("w1a",))])
    fw = rows_of(
        draw("nanculef2014-fig10", runs, []), quantity="time", protocol="as_printed", method="fw"
    )
    assert fw.loc["w1a", "printed"] == 0.076 and fw.loc["w8a", "printed"] == 0.276
    poly = runs[
        (runs["experiment"] == "poly") & (runs["dataset"] == "w1a") & (runs["method"] == "fw")
    ]
    assert fw.loc["w1a", "value"] == pytest.approx(
        poly.loc[poly["protocol"] == "as_printed", "train_cpu_s"].mean()
    )


def test_protein_is_drawn_with_its_printed_numbers_only_where_it_was_run():
    speedups = rows_of(
        draw("nanculef2014-fig8", make_runs(datasets=("protein",)), []), quantity="speedup"
    )
    assert set(zip(speedups["method"], speedups["printed"], strict=True)) >= {
        ("fw", 20.8),
        ("swap2o", 358.0),
    }
    with pytest.raises(NotDrawableError, match="protein"):
        draw("nanculef2014-fig6", make_runs(datasets=("a1a",)), [])


def test_the_majority_class_and_new_methods_appear():
    described = [
        {
            "dataset": "w1a",
            "m": 2477,
            "classes": [{"train": 9, "test": 97}, {"train": 1, "test": 3}],
        }
    ]
    runs = make_runs(datasets=("w1a",), methods=("cvm", "fw", "mymethod"), protocols=("libcvm",))
    chart = draw("frandi2013-fig3", runs, described)
    assert set(rows_of(chart, quantity="accuracy")["majority"].dropna()) == {97.0}
    assert "MYMETHOD" in [text.get_text() for text in chart.figure.legends[0].get_texts()]


def test_paths_of_c():
    runs = pd.concat([make_c_path(), make_runs(datasets=("shuttle", "pendigits"))])
    path = (
        (runs["experiment"] == "c_path")
        & (runs["dataset"] == "reuters")
        & (runs["method"] == "mfw")
    )
    ours = runs[path & (runs["C"] == 64.0)]
    runs.loc[(runs["experiment"] == "c_path") & (runs["C"] == 1.0), "stop_reason"] = "time_limit"
    chart = draw("frandi2013-fig8", runs)
    rows = rows_of(chart, method="mfw", C=64.0).loc["reuters"].set_index("quantity")
    assert rows.loc["time", "value"] == pytest.approx(ours["train_cpu_s"].mean())
    assert rows.loc["accuracy", "value"] == pytest.approx(100 * ours["test_accuracy"].mean())
    assert chart.frame.loc[chart.frame["at_limit"], "C"].unique().tolist() == [1.0]
    chart = draw("frandi2013-fig7", runs, missing={"kdd99-10pc": "no mirror"})
    assert len(chart.figure.axes) == 2 and "kdd99-10pc was not available." in chart.notes
