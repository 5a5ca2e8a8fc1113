"""Test the comparison of the methods in stages (the ladder). Its ratios are compared with plain
divisions. Further tests are about medians with bounds.
"""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.reporting.tables import NOTHING
from fwsvm_papers.runs.jobs import Job, number_of_runs, seconds_at_limits
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.ladder.artefacts import (
    equal_gap_table,
    families_table,
    inner_table,
    ladder_table,
)
from fwsvm_papers.studies.ladder.figures import draw_box, ladder_chart, methods_chart
from fwsvm_papers.studies.ladder.rungs import (
    family_medians,
    inner_numbers,
    ladder_numbers,
    medians,
)

RUNGS = ["printed", "authors_program", "as_run", "as_printed", "inner", "patient"]
RUNGS += ["gap 0.01", "gap 0.001"]
SETS = ("a1a", "w1a", "mine")
CLASSES = [{"train": 90, "test": 80}, {"train": 10, "test": 20}]


def made():
    """Return runs of three data sets, one of which is in no paper.

    Their values are random, and some runs ended at a limit.
    """
    rows, rng = [], np.random.default_rng(7)
    sampled = {"selection": "sampled", "patience": 1, "eps": 1e-6}
    kinds = [
        ("benchmark", sampled, ("cvm", "fw", "mfw"), 3),
        ("benchmark", sampled | {"protocol": "as_printed"}, ("cvm", "fw", "mfw"), 2),
    ]
    kinds += [("ladder", {"selection": "sampled", "patience": 1, "eps": 1e-6}, ("cvm",), 3)]
    kinds += [
        ("ladder", {"selection": "sampled", "patience": 7, "eps": 1e-6}, ("cvm", "fw", "mfw"), 2)
    ]
    kinds += [
        ("ladder", {"selection": "full", "eps": gap}, ("cvm", "fw", "mfw", "auto"), 1)
        for gap in (1e-2, 1e-3)
    ]
    for experiment, columns, methods, repetitions in kinds:
        for dataset in SETS:
            for method in methods:
                late = (dataset, method, columns["eps"]) in {
                    ("w1a", "fw", 1e-2),
                    ("mine", "cvm", 1e-3),
                }
                if (dataset, method, columns["eps"]) == ("w1a", "fw", 1e-3):
                    continue  # a method that missed a gap is not run to smaller gaps
                rows += [
                    {
                        "experiment": experiment,
                        "dataset": dataset,
                        "method": method,
                        "protocol": "as_run",
                        "repetition": k,
                        "train_cpu_s": rng.uniform(1, 9),
                        "test_accuracy": rng.uniform(0.85, 0.99),
                        "requested_evaluations": int(rng.integers(100, 900)),
                        "relative_gap": rng.uniform(0.1, 1),
                        "stop_reason": "time_limit" if late else "converged",
                        **columns,
                    }
                    for k in range(repetitions)
                ]
    return pd.DataFrame(rows)


def test_every_rung_is_divided_by_cvm_of_the_same_rung():
    runs = made()
    frame = ladder_numbers(conform(runs), [{"dataset": name, "classes": CLASSES} for name in SETS])
    frame = frame.set_index(["rung", "dataset", "method"])
    assert list(frame.index.unique("rung")) == RUNGS

    def rows(dataset, method, **wanted):
        chosen = runs[(runs["dataset"] == dataset) & (runs["method"] == method)]
        return chosen[
            np.logical_and.reduce([chosen[name] == value for name, value in wanted.items()])
        ]

    inferred, of_text = (
        {"experiment": "benchmark", "protocol": protocol} for protocol in ("as_run", "as_printed")
    )
    for rung, ours, of_cvm in (
        ("as_run", inferred, inferred),
        ("as_printed", of_text, of_text),
        ("inner", inferred, {"experiment": "ladder", "patience": 1}),
        ("patient", {"patience": 7}, {"patience": 7}),
        ("gap 0.01", {"eps": 1e-2}, {"eps": 1e-2}),
        ("gap 0.001", {"eps": 1e-3}, {"eps": 1e-3}),
    ):
        for dataset, method in (
            (dataset, method) for dataset in SETS for method in ("fw", "mfw", "auto")
        ):
            mine, cvm = rows(dataset, method, **ours), rows(dataset, "cvm", **of_cvm)
            if mine.empty or (dataset, rung) == ("mine", "gap 0.001"):
                continue
            found = frame.loc[(rung, dataset, method)]
            assert found["speedup"] == pytest.approx(
                cvm["train_cpu_s"].mean() / mine["train_cpu_s"].mean()
            )
            requested = cvm["requested_evaluations"].mean() / mine["requested_evaluations"].mean()
            assert found["speedup_in_kernel_values"] == pytest.approx(requested)
            gained, gain = (100 * part["test_accuracy"].mean() - 80 for part in (mine, cvm))
            assert found["difference"] == pytest.approx(gained - gain)
            assert found["kept"] == pytest.approx(100 * gained / gain)
            assert found["relative_gap"] == pytest.approx(mine["relative_gap"].mean())
    assert frame.loc[("printed", "a1a", "fw"), "speedup"] == pytest.approx(6.26 / 12.5)
    assert "mine" not in frame.loc["printed"].index.unique("dataset")


def test_the_csv_has_one_row_for_each_number_and_the_figure_a_mark():
    runs, described = conform(made()), [{"dataset": name, "classes": CLASSES} for name in SETS]
    keys, table = ["rung", "dataset", "method"], ladder_table(runs, described)
    assert not table.frame.duplicated(keys).any() and set(table.frame["dataset"]) == set(SETS)
    assert [section.heading.split()[0] for section in table.sections] == ["Medians", *SETS]
    of_fw, of_others = ladder_chart(runs, described), methods_chart(runs, described)
    assert set(of_fw.frame["method"]) == {"fw"}
    assert set(of_others.frame["method"]) == {"mfw", "auto"}
    for chart in (of_fw, of_others):
        (axes,), rows = chart.figure.axes, chart.frame
        marks = [line for line in axes.lines if line.get_marker() in ("s", "o", "D", "<", ">")]
        drawn = sorted(value for line in marks for value in line.get_xdata())
        assert drawn == pytest.approx(sorted(rows["speedup"])) and len(drawn) > 4
        ends = [line.get_xdata()[0] for line in axes.lines if len(set(line.get_ydata())) > 1]
        assert ends.count(1) == 1  # this line marks equal speed
    (axes,) = of_others.figure.axes
    lanes = of_others.frame.groupby(["rung", "method"]).ngroups
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert len(names) == lanes and set(names) == {"MFW", "auto"}
    # the marks, the box and the median of a lane are at the same height
    heights = {
        height for line in axes.lines if line.get_marker() == "D" for height in line.get_ydata()
    }
    assert heights <= set(axes.get_yticks())
    written = [text for text in axes.texts if text.get_position()[0] > 1]
    assert {text.get_position()[1] for text in written} == {0, *axes.get_yticks()}
    assert "only the patience" in of_fw.notes and "only the patience" in table.notes


def test_the_figure_keeps_families_apart_and_names_one_set():
    runs = conform(made().replace({"dataset": {"mine": "w8a"}}))
    chart = ladder_chart(runs, [])
    frame = chart.frame.drop_duplicates("dataset").set_index("dataset")
    assert frame["family"].to_dict() == {"a1a": "Adult", "w1a": "Web", "w8a": "Web"}
    (axes,) = chart.figure.axes
    heights = {
        name: {
            round(height % 1, 6)
            for line in axes.lines
            if line.get_marker() in shapes
            for height in line.get_ydata()
        }
        for name, shapes in (("Web", "s"), ("Adult", "o"), ("w8a", "*"))
    }
    assert heights["w8a"] <= heights["Web"] and not heights["Web"] & heights["Adult"]
    assert "w8a" in [text.get_text() for text in chart.figure.legends[0].get_texts()]


@pytest.mark.parametrize("draw", [ladder_chart, methods_chart])
@pytest.mark.parametrize("sets", [("one", "two"), ("one", "two", "three", "four", "five", "six")])
def test_words_about_groups_and_intervals_only_if_there_are_any(draw, sets):
    one = made()
    one = one[one["dataset"] == "mine"]
    chart = draw(conform(pd.concat([one.assign(dataset=name) for name in sets])), [])
    (axes,) = chart.figure.axes
    words = [text.get_text() for text in axes.texts] + [axes.get_title("right")]
    assert any(text.startswith("median") for text in words)
    assert any("(95 % interval)" in text for text in words) == (len(sets) == 6)
    legend = [text.get_text() for text in chart.figure.legends[0].get_texts()]
    assert "data set" in legend and "others" not in legend


def test_a_box_has_the_quartiles_of_four_sets_or_more():
    """The values have the positions 0 to 3, so the quartiles are at the positions 0.75 and 2.25."""
    axes = Figure().subplots()
    draw_box(axes, pd.Series([2.0, 11.0, 1.0, 4.0]), 3.0, "black")
    draw_box(axes, pd.Series([2.0, 11.0, 1.0]), 3.0, "black")
    (box,) = axes.patches
    assert (box.get_x(), box.get_x() + box.get_width()) == pytest.approx((1.75, 5.75))


def test_a_run_at_a_limit_gives_a_bound_also_for_the_gap_that_it_did_not_try():
    frame = ladder_numbers(conform(made()), []).query("method != 'cvm'")
    frame = frame.set_index(["rung", "dataset", "method"])
    assert frame["bound"][frame["bound"] != "exact"].to_dict() == {
        ("gap 0.01", "w1a", "fw"): "at most",
        ("gap 0.001", "w1a", "fw"): "at most",
        **{("gap 0.001", "mine", method): "at least" for method in ("fw", "mfw", "auto")},
    }
    assert (
        frame.loc[("gap 0.001", "w1a", "fw"), "time"]
        == frame.loc[("gap 0.01", "w1a", "fw"), "time"]
    )


def test_a_run_that_reached_a_gap_is_not_shown_for_a_gap_that_it_did_not_try():
    frame = ladder_numbers(conform(made().assign(stop_reason="converged")), [])
    shown = frame[(frame["dataset"] == "w1a") & (frame["method"] == "fw")]["rung"]
    assert "gap 0.01" in set(shown) and "gap 0.001" not in set(shown)


def test_medians_and_counts_by_hand():
    """The speed-ups are 0.5, at most 2, 8 and 3. A fifth speed-up is unknown."""
    rows = [
        {
            "rung": "inner",
            "dataset": f"s{number}",
            "method": "fw",
            "speedup": speedup,
            "speedup_in_kernel_values": 2 * speedup,
            "difference": 0.0,
            "kept": kept,
            "relative_gap": 0.1,
            "bound": bound,
        }
        for number, (speedup, bound, kept) in enumerate(
            (
                (0.5, "exact", 89.9),
                (2.0, "at most", 90.0),
                (8.0, "exact", 95.0),
                (np.nan, "unknown", 95.0),
                (3.0, "exact", np.nan),
            )
        )
    ]
    (found,) = medians(pd.DataFrame(rows)).to_dict("records")
    assert (found["speedup"], found["speedup_bound"]) == (3.0, "at most")
    assert (found["speedup_in_kernel_values"], found["difference"]) == (6.0, 0.0)
    assert (found["sets"], found["unknown"], found["faster"], found["accurate"]) == (5, 2, 2, 3)
    assert found["with_gain"] == 4


LIBCVM = {"inner_tolerance": 1e-3, "inner_fixed": False, "inner_steps": None}
AUTHORS = {"inner_tolerance": 1e-7, "inner_fixed": True, "inner_steps": 7500}


def short(method, seconds, patience=1, experiment="ladder", dataset="a1a", **inner):
    return {
        "experiment": experiment,
        "dataset": dataset,
        "method": method,
        "protocol": "as_run",
        "selection": "sampled",
        "patience": patience,
        "eps": 1e-6,
        "repetition": 0,
        "train_cpu_s": seconds,
        "requested_evaluations": int(10 * seconds),
        "test_accuracy": 0.9,
        "stop_reason": "converged",
        **inner,
    }


@pytest.mark.parametrize("kept", [["fw", "mfw", "auto"], ["cvm"], ["auto"]])
@pytest.mark.parametrize("draw", [ladder_table, families_table, ladder_chart, methods_chart])
def test_a_ladder_without_cvm_or_with_cvm_alone_says_what_it_needs(kept, draw):
    runs = made()
    with pytest.raises(NotDrawableError, match="needs results of CVM and another method"):
        draw(conform(runs[runs["method"].isin(kept)]), [])


def test_each_cause_is_changed_alone():
    """With LibCVM's inner settings, CVM takes 4 s instead of 16 s. With more patience, CVM and FW
    take longer.
    """
    runs = [
        short("cvm", 16.0, experiment="benchmark", **AUTHORS),
        short("fw", 1.0, experiment="benchmark"),
        short("cvm", 3.0, experiment="benchmark", **LIBCVM) | {"protocol": "as_printed"},
        short("fw", 1.5, experiment="benchmark") | {"protocol": "as_printed"},
        short("cvm", 4.0, **LIBCVM),
        short("cvm", 20.0, patience=7, **AUTHORS),
        short("cvm", 5.0, patience=7, **LIBCVM),
        short("fw", 2.0, patience=7),
        # runs with only one of LibCVM's three settings belong to no rung
        short("cvm", 8.0, **AUTHORS | {"inner_tolerance": 1e-3}),
        short("cvm", 12.0, **AUTHORS | {"inner_fixed": False}),
        short("cvm", 15.0, **AUTHORS | {"inner_steps": None}),
    ]
    runs = conform(pd.DataFrame(runs))
    table = ladder_numbers(runs, []).query("method == 'fw'").set_index("rung")
    assert table["speedup"].drop("printed").to_dict() == pytest.approx(
        # in the authors' program, CVM takes 3.77 s and FW takes 6.261 s on a1a
        {"authors_program": 3.77 / 6.261, "as_run": 16, "as_printed": 2, "inner": 4}
        | {"only_patience": 10, "patient": 2.5}
    )
    assert table.loc["authors_program", "speedup_in_kernel_values"] == pytest.approx(1.029 / 5.469)
    inner = inner_numbers(runs).set_index("changed")
    assert inner["speedup"].to_dict() == pytest.approx(
        {
            "inferred settings": 1,
            "inner_tolerance": 2,
            "inner_fixed": 16 / 12,
            "inner_steps": 16 / 15,
            "all three": 4,
        }
    )
    rows = [[cell.text for cell in row] for row in inner_table(runs).sections[0].rows]
    assert rows[0][:6] == ["a1a", "16.0", "2.0", "1.3", "1.1", "4.0"] and rows[1][0] == "median"
    assert "lacks" not in ladder_table(runs, []).notes
    # without the benchmark, there is no run with the inferred settings to divide by
    rows = inner_table(runs[runs["experiment"] == "ladder"]).sections[0].rows
    assert [[cell.text for cell in row[:3]] for row in rows] == [
        ["a1a", NOTHING, NOTHING],
        ["median", NOTHING, NOTHING],
    ]


def test_without_runs_of_a_single_setting_there_is_no_table_of_them():
    with pytest.raises(NotDrawableError, match="inner settings"):
        inner_table(conform(made()))


def ladder_rows(speedups, rung="as_run"):
    """Return rows of `ladder_numbers` for FW. `speedups` maps a data set to a speed-up, or to a
    pair of a speed-up and its bound.
    """
    frame = pd.DataFrame(
        [
            (name, *value) if isinstance(value, tuple) else (name, value, "exact")
            for name, value in speedups.items()
        ],
        columns=["dataset", "speedup", "bound"],
    )
    return frame.assign(rung=rung, method="fw", speedup_in_kernel_values=10 * frame["speedup"])


def test_medians_of_families_by_hand():
    table = ladder_rows(
        {
            "w1a": 8.0,
            "w2a": 10.0,
            "w8a": 500.0,
            "a1a": 2.0,
            "a2a": 4.0,
            "letter": 0.5,
            "usps": (0.25, "at most"),
            "mnist": 5.0,
        }
    )
    found = family_medians(table, ["w2a", "a2a"])
    seconds = found[found["measure"] == "speedup"].set_index("over")
    assert seconds["median"].to_dict() == {
        "all sets": 4.5,  # the median of 0.25 0.5 2 [4 5] 8 10 500
        "one vote per series": 3.0,  # the median of Web (10), Adult (3), 0.25, 0.5 and 5
        "without stand-ins": 3.5,  # the median of 0.25 0.5 [2 5] 8 500
        "Web": 10.0,
        "Adult": 3.0,
        "others": 0.5,
    }
    assert seconds["sets"].to_list() == [8, 5, 6, 3, 2, 3]
    # no median is a bound, since the only bound is not in the middle
    assert set(seconds["bound"]) == {"exact"}
    requested = found[found["measure"] != "speedup"].set_index("over")
    assert requested["median"].to_list() == (10 * seconds["median"]).to_list()
    # There is no interval for fewer than six data sets.
    assert seconds["order"].to_dict() == {
        "all sets": "tie",
        "one vote per series": "open",
        "without stand-ins": "tie",
        "Web": "open",
        "Adult": "open",
        "others": "open",
    }
    assert seconds.loc["Web", ["low", "high"]].to_list() == [0, np.inf]


def test_a_family_of_six_sets_has_an_interval():
    web = dict(zip(("w1a", "w2a", "w3a", "w4a", "w5a", "w8a"), range(8, 14), strict=True))
    found = family_medians(ladder_rows(web | {"letter": 0.5}), [])
    row = found[found["measure"] == "speedup"].set_index("over").loc["Web"]
    # the median of every resample is between 8 and 13
    assert 8 <= row["low"] < 10.5 < row["high"] <= 13 and row["order"] == "faster"


def test_an_unknown_speed_up_of_a_series_makes_its_vote_a_bound():
    table = ladder_rows({"w1a": (np.nan, "unknown"), "letter": 0.5, "usps": 0.2, "mnist": 0.1})
    found = family_medians(table, [])
    found = found[found["measure"] == "speedup"].set_index("over")
    for over in ("all sets", "one vote per series"):
        row = found.loc[over]
        assert (row["median"], row["bound"], row["sets"]) == (pytest.approx(0.35), "at most", 4)
        assert row["low"] == 0 and np.isinf(row["high"]) and row["order"] == "open"


def row(gap, dataset, method, seconds, stop="converged"):
    return {
        "experiment": "ladder",
        "dataset": dataset,
        "method": method,
        "protocol": "as_run",
        "selection": "full",
        "eps": gap,
        "repetition": 0,
        "train_cpu_s": seconds,
        "support_vectors": 10,
        "test_accuracy": 0.9,
        "relative_gap": gap / 2,
        "stop_reason": stop,
    }


RUNS = conform(
    pd.DataFrame(
        [row(0.01, "mine", "fw", 2.0), row(0.001, "mine", "fw", 5.0, "time_limit")]
        + [
            row(gap, "mine", "swap", seconds)
            for gap, seconds in ((0.01, 1.0), (0.001, 1.5), (0.0001, 3.0))
        ]
    )
)


def test_a_gap_that_rounding_hides_is_not_reached():
    runs = conform(
        pd.concat([RUNS, pd.DataFrame([row(0.0001, "mine", "cvm", 0.5, "precision_limit")])])
    )
    table = equal_gap_table(runs)
    assert not table.frame.set_index(["rung", "method"]).loc[("gap 0.0001", "cvm"), "reached"]
    # CVM reaches the gap on another data set, so the table shows its column
    runs = conform(pd.concat([runs, pd.DataFrame([row(0.0001, "yours", "cvm", 1.0)])]))
    assert "rounding" in equal_gap_table(runs).data().to_markdown()


def test_the_table_of_gaps_shows_bounds_and_the_fastest():
    table = equal_gap_table(RUNS)
    times = [[cell.text for cell in section.rows[0][1:3]] for section in table.sections]
    assert times == [["2.00", "1.00"], ["≥ 5.00", "1.50"], ["≥ 5.00", "3.00"]]
    assert [cell.bold for cell in table.sections[0].rows[0][1:3]] == [False, True]


def test_the_table_of_families_says_where_an_order_holds():
    runs, described = conform(made()), [{"dataset": name, "classes": CLASSES} for name in SETS]
    table = families_table(runs, described)
    headings = [section.heading for section in table.sections]
    assert headings[:2] == ["FW, in CPU seconds", "MFW, in CPU seconds"]
    for section in table.sections:
        for cells in section.rows:
            # The interval of a family with only one data set is open. So "faster" cannot hold in
            # all families.
            assert (cells[-2].text, cells[-1].text) != ("faster", "yes")
    of = table.frame.query("over == 'all sets' and measure == 'speedup' and rung == 'as_run'")
    speedups = ladder_numbers(runs, described).query("rung == 'as_run'")
    for method, rows in speedups[speedups["method"] != "cvm"].groupby("method"):
        assert of.set_index("method").loc[method, "median"] == rows["speedup"].median()


def test_cvm_runs_with_each_cause_changed_alone(load_study):
    study = load_study(datasets=["a1a", "a2a"], experiments=["ladder"])
    variants = study.job_settings(Job("ladder", "as_run", "a1a", "cvm"))["variants"]
    limit = {"repetitions": 5, "time_limit": 300}
    assert variants[:6] == [
        {"repetitions": 5, **LIBCVM},
        {"repetitions": 5, "patience": 7, **LIBCVM},
        {"patience": 7, **limit},
        {"inner_tolerance": 1e-3, **limit},
        {"inner_fixed": False, **limit},
        {"inner_steps": None, **limit},
    ]
    settings = study.job_settings(Job("ladder", "as_run", "a1a", "cvm"))
    assert (number_of_runs(settings), seconds_at_limits(settings)) == (40, 20 * 60 + 20 * 300)
    others = study.job_settings(Job("ladder", "as_run", "a2a", "cvm"))["variants"]
    assert others == variants[:3] + variants[6:]
    fw = study.job_settings(Job("ladder", "as_run", "a1a", "fw"))["variants"]
    assert [variant.get("patience") for variant in fw] == [7, None, None]
