"""Names next to the marks of a chart, placed so that none covers a mark or another name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from matplotlib.axes import Axes

SIZE = 6.5
_HEIGHT, _WIDTH, _MARK = 1.15 * SIZE, 0.62 * SIZE, 3.0  # points: of a line, of a letter, half a mark
# Square points of covered names that a place next to another mark is as bad as.
_MISLEADING = 10.0
_LEADER = {"arrowstyle": "-", "color": "#9a9a9a", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
_AROUND = list(product((4, 9, 15, 22, 30, 40), np.deg2rad([0, 180, 35, -35, 145, -145, 90, -90, 65, -65, 115, -115])))


def label_around(axes: Axes, names: Sequence[str], x: Sequence[float], y: Sequence[float], marks: np.ndarray) -> None:
    """Write each name as near to its mark as it covers nothing, with a line to the mark.

    The figure is laid out; `marks` are all marks of the axes, in an array of shape (n, 2).
    """
    everyone = _points(axes, marks)
    taken = [(px - _MARK, py - _MARK, px + _MARK, py + _MARK) for px, py in everyone]
    left, low, right, high = axes.bbox.extents * 72 / axes.figure.dpi
    places = _points(axes, np.column_stack([x, y]))
    for i in np.argsort(-places[:, 1], kind="stable"):
        width = _WIDTH * (len(names[i]) + 1)  # room for a star
        boxes = []
        for radius, angle in _AROUND:
            cx, cy = places[i] + (radius + _MARK) * np.array([np.cos(angle), np.sin(angle)])
            cx += width / 2 * np.sign(round(np.cos(angle), 3))
            box = (cx - width / 2, cy - _HEIGHT / 2, cx + width / 2, cy + _HEIGHT / 2)
            outside = box[0] < left or box[2] > right or box[1] < low or box[3] > high
            covered = sum(_overlap(box, other) for other in taken) + _MISLEADING * _is_nearer(box, everyone, places[i])
            boxes.append((1000 * outside + covered, len(boxes), (cx, cy), box))
        _, _, middle, box = min(boxes)
        taken.append(box)
        _write(axes, names[i], (x[i], y[i]), middle - places[i], "center")


def label_aside(axes: Axes, names: Sequence[str], x: Sequence[float], y: Sequence[float], column: float) -> None:
    """Write the names below each other from `column` on the x axis, in the order of their marks, with lines to them."""
    places = _points(axes, np.column_stack([x, y]))
    order = np.argsort(places[:, 1], kind="stable")
    heights = places[order, 1].copy()
    low, high = (axes.bbox.extents[[1, 3]] * 72 / axes.figure.dpi) + (_HEIGHT / 2, -_HEIGHT / 2)
    for _ in range(300):  # neighbours that are too near push each other apart
        lacking = np.maximum(_HEIGHT - np.diff(heights), 0)
        heights[1:] += lacking / 2
        heights[:-1] -= lacking / 2
        heights = heights.clip(low, high)
    start = _points(axes, np.array([[column, y[0]]]))[0, 0] if len(y) else 0.0
    for i, height in zip(order, heights, strict=True):
        _write(axes, names[i], (x[i], y[i]), (start - places[i, 0], height - places[i, 1]), "left")


def _points(axes: Axes, data: np.ndarray) -> np.ndarray:
    return axes.transData.transform(np.asarray(data, dtype=float)) * 72 / axes.figure.dpi


def _is_nearer(box: Sequence[float], marks: np.ndarray, own: np.ndarray) -> bool:
    """Whether another mark is nearer to a name than its own."""
    gaps = np.maximum(np.maximum(np.array(box[:2]) - marks, marks - np.array(box[2:])), 0.0)
    others = np.hypot(*gaps[np.hypot(*(marks - own).T) > _MARK].T)
    mine = np.hypot(*np.maximum(np.maximum(np.array(box[:2]) - own, own - np.array(box[2:])), 0.0))
    return bool((others < mine).any())


def _overlap(one: Sequence[float], other: Sequence[float]) -> float:
    width, height = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
    return max(width, 0) * max(height, 0)


def _write(axes: Axes, name: str, mark: tuple, offset: Sequence[float], side: str) -> None:
    # From the left edge of the name, or from its middle, of which what the name covers is left out.
    ends = {"patchA": None, "relpos": (0, 0.5)} if side == "left" else {"relpos": (0.5, 0.5)}
    text = axes.annotate(
        name, mark, xytext=tuple(offset), textcoords="offset points", fontsize=SIZE, ha=side, va="center", zorder=5,
        arrowprops=_LEADER | ends,
    )  # fmt: skip
    text.set_in_layout(False)
