"""CVM's accuracy at several kernel widths beside the printed one."""

import pytest
from synthetic_runs import make_gamma, make_runs

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.studies.kernel_width.artefacts import gamma_chart, width_numbers

# frandi2013 table 2 prints 97.48 for CVM on letter and 97.80 on w1a.
RUNS = {("letter", 0.5): 96.38, ("letter", 2): 97.5, ("w1a", 0.5): 97.9, ("w1a", 2): 97.0}


def test_numbers_beside_the_printed():
    frame = width_numbers(make_gamma(RUNS)).set_index(["dataset", "factor"])
    assert frame.loc[("letter", 0.5), "difference"] == pytest.approx(96.38 - 97.48)
    assert frame.loc[("w1a", 2), "difference"] == pytest.approx(97.0 - 97.80)
    assert set(frame.index[frame["nearest"]]) == {("letter", 2), ("w1a", 0.5)}


def marks(chart):
    """Width -> {data set: distance to the printed accuracy}, as drawn."""
    axes = chart.figure.axes[0]
    names = [label.get_text().split(" ")[0] for label in axes.get_yticklabels()]
    lines = [line for line in axes.lines if str(line.get_label()).startswith("γ")]
    return {
        line.get_label(): {names[round(y)]: x for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)}
        for line in lines
    }


def test_marks_are_distances_to_the_printed():
    chart = gamma_chart(make_gamma(RUNS))
    drawn = marks(chart)
    assert drawn["γ = 2/β"] == pytest.approx({"letter": 97.5 - 97.48, "w1a": 97.0 - 97.8})
    assert drawn["γ = 0.5/β"] == pytest.approx({"letter": 96.38 - 97.48, "w1a": 97.9 - 97.8})
    assert [label.get_text() for label in chart.figure.axes[0].get_yticklabels()] == ["w1a (97.80)", "letter (97.48)"]


def test_a_set_without_printed_accuracy_is_not_drawn_and_one_repetition_has_no_bar():
    chart = gamma_chart(make_gamma({("mine", 0.5): 80, ("letter", 0.5): 96, ("letter", 2): 97}, repetitions=1))
    assert marks(chart) == {"γ = 0.5/β": {"letter": pytest.approx(-1.48)}, "γ = 2/β": {"letter": pytest.approx(-0.48)}}
    assert set(chart.frame["dataset"]) == {"letter", "mine"}
    with pytest.raises(NotDrawableError, match="needs a data set with a printed accuracy"):
        gamma_chart(make_gamma({("mine", 0.5): 80}))


def test_runs_at_a_limit_are_open():
    runs = make_gamma({("letter", 0.5): 96})
    chart = gamma_chart(runs.assign(stop_reason="time_limit"))
    assert [line.get_markerfacecolor() for line in chart.figure.axes[0].lines if len(line.get_xdata()) == 1][
        -1
    ] == "white"
    assert "stopped at a limit" in [text.get_text() for text in chart.figure.legends[0].get_texts()]


def test_skipped_where_it_did_not_run():
    with pytest.raises(NotDrawableError, match="needs runs of the experiment gamma"):
        gamma_chart(make_runs(datasets=("w1a",)))
