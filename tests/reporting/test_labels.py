"""Test the names next to the marks of a chart: they overlap neither marks nor each other, and are
inside the axes.
"""

from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from fwsvm_papers.reporting.labels import label_around, label_aside
from fwsvm_papers.reporting.style import figure_style


def drawn(label, x, y, names, *more):
    """Draw names with `label`. Return the boxes of the names, the places of the marks, and the box
    of the axes, all in points.
    """
    with figure_style():
        figure = Figure(figsize=(4, 3))
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0.02, 0.02, 0.96, 0.96), xlim=(0, 10), ylim=(0, 10))
        label(axes, names, x, y, *more)
        figure.draw_without_rendering()
    points = 72 / figure.dpi
    middles = axes.transData.transform(np.column_stack([x, y])) * points
    # the extent of an annotation would also include its line
    boxes = {
        text.get_text(): Text.get_window_extent(text).get_points() * points for text in axes.texts
    }
    return [boxes[name] for name in names], middles, axes.bbox.get_points() * points


def overlap(one, other):
    sides = np.minimum(one[1], other[1]) - np.maximum(one[0], other[0])
    return sides.min() > 0.2


@pytest.mark.parametrize("seed", range(6))
def test_names_around_marks_cover_nothing(seed):
    """Nine marks leave enough room for their names. Some marks are near an edge, and two are near
    each other.
    """
    rng = np.random.default_rng(seed)
    x, y = np.tile([0.3, 5.0, 9.7], 3), np.repeat([0.3, 4.0, 9.7], 3)
    x[4], y[4] = x[3] + rng.uniform(0.3, 1), y[3] + rng.uniform(-0.3, 0.3)
    names = [f"{'data-set-with-a-name'[: rng.integers(2, 15)]}{i}" for i in range(9)]
    boxes, middles, inside = drawn(label_around, x, y, names, np.column_stack([x, y]))
    for one, other in combinations(boxes, 2):
        assert not overlap(one, other)
    for box in boxes:
        assert np.all(box[0] > inside[0]) and np.all(box[1] < inside[1])
        assert not any(overlap(box, np.array([middle - 2, middle + 2])) for middle in middles)
    for box, middle in zip(boxes, middles, strict=True):
        assert np.abs(middle - middle.clip(*box)).max() < 45  # the name is near its own mark


def test_names_aside_are_in_the_order_of_their_marks():
    y = np.array([5.0, 5.1, 9.9, 4.9, 0.1, 5.05])
    names = [f"name {i}" for i in range(6)]
    boxes, _, inside = drawn(label_aside, np.linspace(1, 3, 6), y, names, 7.0)
    start = inside[0][0] + 0.7 * (inside[1] - inside[0])[0]
    assert all(abs(box[0][0] - start) < 1 for box in boxes)
    in_order = [boxes[i] for i in np.argsort(y)]
    assert all(below[1][1] <= above[0][1] + 0.2 for below, above in pairwise(in_order))
    assert in_order[0][0][1] >= inside[0][1] - 1 and in_order[-1][1][1] <= inside[1][1] + 1
    middle = np.mean([box.mean(axis=0)[1] for box in in_order[1:-1]])
    assert middle == pytest.approx(inside[0][1] + 0.50125 * (inside[1] - inside[0])[1], abs=1)


def test_lines_meet_names_aside_at_their_left_end_and_only_these_hide_what_is_behind():
    axes = Figure().subplots()
    label_aside(axes, ["aside"], [0.1], [0.5], 0.8)
    label_around(axes, ["around"], [0.3], [0.5], np.array([[0.3, 0.5]]))
    aside, around = axes.texts
    assert aside.arrowprops["relpos"] == (0, 0.5) and around.arrowprops["relpos"] == (0.5, 0.5)
    assert (
        aside.get_bbox_patch().get_facecolor() == (1, 1, 1, 1) and around.get_bbox_patch() is None
    )
