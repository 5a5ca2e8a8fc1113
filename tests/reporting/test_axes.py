"""Test parts of charts, such as the arrows of bounds."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from fwsvm_papers.reporting.axes import (
    draw_bounds,
    draw_method,
    draw_triangle,
    logarithmic,
    plane,
    powers_of_two,
)
from fwsvm_papers.reporting.panels import facets
from fwsvm_papers.reporting.style import METHODS, figure_style


def ink(figure, axes, x, y):
    """Return the numbers of dark pixels above and below a point of the axes.

    They are counted in the pixel rows 6 to 13 above or below the point, and near its column.
    """
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    dark = np.asarray(canvas.buffer_rgba())[..., :3].max(axis=2) < 180
    column, height = axes.transData.transform((x, y))
    row, column = round(len(dark) - height), round(column)
    near = dark[:, column - 5 : column + 6]
    return near[row - 13 : row - 5].sum(), near[row + 6 : row + 14].sum()


@pytest.mark.parametrize("bound", ["at least", "at most"])
def test_the_arrow_of_a_bound_points_to_where_the_value_can_be(bound):
    figure = Figure(figsize=(2, 2))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
    axes.set_axis_off()
    draw_bounds(axes, [0.5], [0.5], "black", bound)
    above, below = ink(figure, axes, 0.5, 0.5)
    assert (above >= 5 and below == 0) if bound == "at least" else (below >= 5 and above == 0)


@pytest.mark.parametrize(
    ("ends", "top"), [((10, 95), 100), ((10, 80), 80), ((0.02, 0.99), 1), ((1, 2.8), 3)]
)
def test_a_logarithmic_axis_ends_at_the_next_tick_if_it_is_near(ends, top):
    axes = Figure().subplots()
    axes.plot([0, 1], ends)
    axes.set_ylim(*ends)
    logarithmic(axes)
    assert axes.get_yscale() == "log" and axes.get_ylim() == pytest.approx((ends[0], top))


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((1, 4), (1, 1.5, 2, 3)),
        ((1, 9), (1, 2, 3, 5, 7)),
        ((1, 30), (1, 2, 5, 10, 20)),
        ((1, 900), (1, 3, 10, 30, 100, 300)),
        ((1, 8000), (1, 10, 100, 1000)),
    ],
)
def test_a_logarithmic_axis_has_as_many_ticks_as_it_has_room_for(ends, ticks):
    axes = Figure().subplots()
    axes.plot([0, 1], ends)
    axes.set_ylim(*ends)
    logarithmic(axes)
    inside = [tick for tick in axes.get_yticks() if ends[0] * 0.999 <= tick <= ends[1]]
    assert inside == pytest.approx(ticks)
    labels = axes.yaxis.get_major_formatter().format_ticks(inside)
    assert labels == [f"{tick:,}" for tick in ticks] and not len(axes.get_yticks(minor=True))


def test_an_axis_is_logarithmic_only_for_values_that_need_it():
    for ends, scale in (((10, 12.9), "linear"), ((10, 13.1), "log")):
        axes = Figure().subplots()
        axes.plot([0, 1], ends)
        axes.set_ylim(*ends)
        logarithmic(axes)
        assert axes.get_yscale() == scale
    empty = Figure().subplots()
    logarithmic(empty)
    assert empty.get_yscale() == "linear"


@pytest.mark.parametrize(
    ("low", "high", "exponents"),
    [(-2, 5, range(-2, 6)), (-3, 3, range(-3, 4)), (0, 12, range(0, 13, 2))],
)
def test_powers_of_two_have_room_and_a_tick_at_each_or_every_second(low, high, exponents):
    axes = Figure().subplots()
    values = pd.Series(2.0 ** np.array([high, low, (low + high) // 2]))
    axes.plot(values, values)
    powers_of_two(axes, values)
    left, right = axes.get_xlim()
    assert 2.0 ** (low - 1) < left < 2.0**low and 2.0**high < right < 2.0 ** (high + 1)
    ticks = [tick for tick in axes.get_xticks() if left < tick < right]
    assert np.log2(ticks).tolist() == list(exponents)
    labels = axes.xaxis.get_major_formatter().format_ticks(ticks)
    assert labels == [f"$2^{{{exponent}}}$" for exponent in exponents]
    assert not len(axes.get_xticks(minor=True))


@pytest.mark.parametrize("joined", [True, False])
def test_a_method_has_its_marks_bars_and_open_marks_at_limits(joined):
    axes, style = Figure().subplots(), METHODS["fw"]
    rows = pd.DataFrame(
        {
            "value": [2.0, np.nan, 8.0, 5.0],
            "low": [1.0, 2.0, 7.5, 5.0],
            "high": [4.0, 9.0, 9.0, 5.0],
        }
    )
    draw_method(axes, np.arange(4), rows.assign(at_limit=[0, 1, 1, 0]), style, joined)
    full, limited = (line for line in axes.lines if line.get_marker() == style.marker)
    assert (
        full.get_xydata().tolist() == [[0, 2], [3, 5]] and full.get_markerfacecolor() == style.color
    )
    assert limited.get_xydata().tolist() == [[2, 8]] and limited.get_markerfacecolor() == "white"
    (bars,) = axes.collections
    ends = [[end.tolist() for end in bar.vertices] for bar in bars.get_paths()]
    assert ends == [[[0, 1], [0, 4]], [[2, 7.5], [2, 9]], [[3, 5], [3, 5]]]
    line = next(line for line in axes.lines if line.get_marker() in ("None", None, ""))
    assert (line.get_linestyle() == "-") == joined
    empty = Figure().subplots()
    draw_method(empty, np.arange(4), rows.assign(at_limit=0, value=np.nan), style)
    assert not empty.lines and not empty.collections


def test_a_grid_of_panels_has_labels_at_its_edges_and_an_axis_for_each_row():
    places = [
        (row, col, x) for row in ("time", "size") for col in ("left", "right") for x in (1.0, 2.0)
    ]
    frame = pd.DataFrame(places, columns=["measure", "series", "m"]).assign(method="fw")
    frame["value"] = (
        np.where(frame["measure"] == "time", 5, 500)
        * frame["m"]
        * np.where(frame["series"] == "left", 1, 3)
    )
    labels, titles = {"time": "s", "size": "points"}, {"left": "Left", "right": "Right"}
    words = {"labels": labels, "titles": titles, "xlabel": "training points"}
    with figure_style():
        panels = facets(frame, "m", "value", row="measure", col="series", **words)
        panels.finish().draw_without_rendering()
    found = {
        key: (
            *(axes.get_title(), axes.get_ylabel(), axes.get_xlabel()),
            *(
                any(label.get_visible() and label.get_text() for label in ticks)
                for ticks in edges(axes)
            ),
        )
        for key, axes in panels.axes.items()
    }
    assert found == {
        ("time", "left"): ("Left", "s", "", False, True),
        ("time", "right"): ("Right", "", "", False, False),
        ("size", "left"): ("", "points", "training points", True, True),
        ("size", "right"): ("", "", "training points", True, False),
    }
    ends = {key: axes.get_ylim() for key, axes in panels.axes.items()}
    assert (
        ends["time", "left"] == ends["time", "right"]
        and ends["size", "left"] == ends["size", "right"]
    )
    assert 30 <= ends["time", "left"][1] < 100 and ends["size", "left"][1] >= 3000


def edges(axes):
    """Return two lists: the labels of the ticks below a panel, and those to the left of the
    panel.
    """
    return ([tick.label1 for tick in axis.get_major_ticks()] for axis in (axes.xaxis, axes.yaxis))


def test_panels_draw_each_bound_with_its_arrow_and_name_it_in_the_legend():
    frame = pd.DataFrame({"place": [1.0, 2.0, 3.0], "value": [5.0, 5.0, 5.0], "method": "cvm"})
    frame = frame.assign(
        low=5.0, high=5.0, at_limit=[1, 1, 0], bound=["at least", "at most", "exact"]
    )
    panels = facets(frame, "place", "value", limited="at_limit", joined=False)
    (axes,) = panels.axes.values()
    axes.set(xlim=(0, 5), ylim=(0, 10))
    axes.grid(visible=False)
    found = [ink(panels.figure, axes, place, 5.0) for place in (1, 2, 3)]
    assert [(above >= 5, below >= 5) for above, below in found] == [
        (True, False),
        (False, True),
        (False, False),
    ]
    for bounds, sign in (
        (["at least", "exact"], "≥"),
        (["at most", "exact"], "≤"),
        (["at least", "at most"], "arrow"),
    ):
        part = frame.iloc[:2].assign(bound=bounds, at_limit=[1, int(bounds[1] != "exact")])
        labels = [
            handle.get_label()
            for handle in facets(part, "place", "value", limited="at_limit").handles
        ]
        assert len(labels) == 2 and f"({sign})" in labels[1]


def test_contour_lines_and_vertices_of_the_triangle():
    """The weights (1, 0, 0) belong to the lower left corner, (0, 1, 0) to the lower right corner,
    and (0, 0, 1) to the top.
    """
    corners = plane([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert corners == pytest.approx(np.array([[0, 1, 0.5], [0, 0, 0.75**0.5]]))
    axes, Q = Figure().subplots(), np.diag([1.0, 2.0, 4.0])
    solution, share = np.array([4, 2, 1]) / 7, 0.3
    draw_triangle(axes, Q, solution, [share], names="abc", bold=1)
    (contour,) = [
        part
        for part in axes.collections
        if part.get_paths() and len(part.get_paths()[0].vertices) > 5
    ]
    x, y = contour.get_paths()[0].vertices.T
    top = y / 0.75**0.5
    weights = np.array([1 - x - top / 2, x - top / 2, top])
    assert weights.min() > -1e-9 and len(x) > 50
    least = solution @ Q @ solution
    assert np.einsum("in,ij,jn->n", weights, Q, weights) == pytest.approx(
        least + share * (4 - least), abs=0.01
    )
    assert axes.lines[0].get_xydata()[0] == pytest.approx(plane(solution))
    assert [text.get_weight() == "bold" for text in axes.texts] == [False, True, False]
