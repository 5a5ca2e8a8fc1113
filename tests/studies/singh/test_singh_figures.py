"""Test the numbers in the figures and the table of singh."""

import copy

import numpy as np
import pytest
from synthetic_runs import make_singh, make_sketches

from fwsvm_papers.studies.singh import cost_table, figures


@pytest.fixture(scope="module")
def inputs():
    runs, details = make_singh()
    return {"runs": runs, "singh": details}


def test_table_has_medians_and_ranges_and_the_printed_numbers(inputs):
    details = copy.deepcopy(inputs["singh"])
    for entry, m in zip(details, (240, 2400), strict=False):
        entry["m"] = m
    for draw, size in zip(details[0]["draws"], (10, 14), strict=True):
        draw |= {"largest_coreset": size, "block_bytes": 8 * 240 * size}
    frame = cost_table.table1(inputs["runs"], details).frame.set_index(["dataset", "quantity"])
    block = frame.loc[("two-circles", "largest kernel block")]
    assert (block["mfw_min"], block["mfw_median"], block["mfw_max"]) == pytest.approx(
        (19.2, 23.04, 26.88)
    )
    assert block["printed"] == 26.88
    assert frame.loc[("two-circles", "training time"), "printed"] == pytest.approx(16)
    assert frame.loc[("two-circles-3000", "training time"), "printed"] == pytest.approx(915)
    assert frame.loc[("two-circles-3000", "support vectors"), "printed"] == 70
    times = inputs["runs"].query("dataset == 'two-circles'")["train_cpu_s"]
    assert frame.loc[("two-circles", "training time"), "mfw_median"] == pytest.approx(
        1e3 * times.median()
    )
    assert np.isnan(frame.loc[("two-circles", "steps"), "printed"])
    limited = cost_table.table1(inputs["runs"].assign(stop_reason="time_limit"), inputs["singh"])
    assert "limit" in limited.footnotes[0][1]
    # printed values are not shown, because the data sets have other sizes
    assert limited.frame["printed"].isna().all()


def test_away_steps_are_negative_and_add_up(inputs):
    frame = figures.fig4(**inputs).frame
    ends = figures.fig4_draws(**inputs).frame
    away = frame["step"] == "away"
    assert (
        away.any()
        and (frame.loc[away, "step_size"] < 0).all()
        and (frame.loc[~away, "step_size"] >= 0).all()
    )
    assert ends["away"].tolist() == [
        d["away_steps"] for e in inputs["singh"] if "steps" in e for d in e["draws"]
    ]


def test_every_draw_has_a_mark(inputs):
    entries = [entry for entry in inputs["singh"] if "steps" in entry]
    chart = figures.fig4_draws(**inputs)
    panels = np.reshape(chart.figure.axes, (3, len(entries))).T
    accuracies = np.reshape(figures.fig5(**inputs).figure.axes, (2, len(entries)))[0]
    for entry, column, accuracy in zip(entries, panels, accuracies, strict=True):
        draws = entry["draws"]
        values = (
            [100 * draw["away_steps"] / draw["iterations"] for draw in draws],
            [draw["first_away"] for draw in draws if draw["first_away"] is not None],
            [draw["largest_coreset"] for draw in draws],
        )
        for axes, expected in zip(column, values, strict=True):
            (marks,) = [line for line in axes.lines if line.get_marker() == "^"]
            assert marks.get_xdata().tolist() == pytest.approx(sorted(expected))
            assert not expected or f"{min(expected):,.0f} to " in axes.texts[0].get_text()
        ends = [
            line.get_xydata().tolist() for line in accuracy.lines if line.get_marker() in ("x", "o")
        ]
        assert ends == [
            [pytest.approx((draw["iterations"], 100 * draw[f"{part}_accuracy"])) for draw in draws]
            for part in ("train", "test")
        ]


def test_away_steps_of_all_draws_are_said_and_marked(inputs):
    details = copy.deepcopy(inputs["singh"])
    for entry in (entry for entry in details if "steps" in entry):
        for draw, steps in zip(entry["draws"], (2, 4), strict=True):
            draw |= {"iterations": 10, "away_steps": steps, "first_away": steps}
    chart = figures.fig4(inputs["runs"], details)
    assert "Over 2 draws, the median share of away steps is 30 % on the left" in chart.notes
    lines = [line for axes in chart.figure.axes for line in axes.lines]
    marked = [list(line.get_xdata()) for line in lines if line.get_linestyle() == "--"]
    assert marked == len(chart.figure.axes) * [[3, 3]]
    for draw in (draw for entry in details for draw in entry["draws"]):
        draw |= {"away_steps": 0, "first_away": None}
    assert "is 0 % on the left" in figures.fig4(inputs["runs"], details).notes
    assert figures.fig4_draws(inputs["runs"], details).frame["first_away"].isna().all()


def test_sketch_is_the_largest_margin():
    margin = make_sketches()["margin"]
    assert margin["w"] == pytest.approx([0.6, 0.8], abs=1e-6) and margin["b"] == pytest.approx(
        0, abs=1e-6
    )
