"""Functions that write names next to the marks of a chart, such that the names overlap marks and
other names as little as possible.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
from matplotlib.axes import Axes

SIZE = 6.5
# height of a line, width of a character, and half the width of a mark, in typographic points
_HEIGHT, _WIDTH, _MARK = 1.15 * SIZE, 0.62 * SIZE, 3.0
_LEADER = {"arrowstyle": "-", "color": "#9a9a9a", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
_AROUND = list(
    product(
        (4, 9, 15, 22, 30, 40),
        np.deg2rad([0, 180, 35, -35, 145, -145, 90, -90, 65, -65, 115, -115]),
    )
)


def label_around(
    axes: Axes, names: Sequence[str], x: np.ndarray, y: np.ndarray, marks: np.ndarray
) -> None:
    """Write each name near its mark (x, y), at the place inside the axes where it overlaps least
    with the `marks` (n, 2) and with the names that were written before.

    A line joins the name to its mark.
    """
    middles = _points(axes, marks)
    taken = np.hstack([middles - _MARK, middles + _MARK])
    low, high = axes.bbox.get_points() * 72 / axes.figure.dpi
    places = _points(axes, np.column_stack([x, y]))
    for i in np.argsort(-places[:, 1], kind="stable"):
        # leave room for the star of a stand-in after the name
        half = np.array([_WIDTH * (len(names[i]) + 1), _HEIGHT]) / 2
        sides = np.array([(np.cos(angle), np.sin(angle)) for _, angle in _AROUND]).round(3)
        offsets = np.array([[radius + _MARK] for radius, _ in _AROUND]) * sides
        offsets[:, 0] += half[0] * np.sign(sides[:, 0])
        boxes = np.hstack([places[i] + offsets - half, places[i] + offsets + half])
        shared = np.minimum(boxes[:, None, 2:], taken[:, 2:]) - np.maximum(
            boxes[:, None, :2], taken[:, :2]
        )
        covered = shared.clip(min=0).prod(axis=2).sum(axis=1)
        outside = (boxes[:, :2] < low).any(axis=1) | (boxes[:, 2:] > high).any(axis=1)
        best = np.argmin(covered + 1000 * outside)
        taken = np.vstack([taken, boxes[best]])
        _write(axes, names[i], (x[i], y[i]), offsets[best], "center")


def label_aside(
    axes: Axes,
    names: Sequence[str],
    x: Sequence[float],
    y: Sequence[float],
    column: float,
    size: float = SIZE,
    colors: Sequence[str] | None = None,
) -> None:
    """Write the names in a column that begins at x = `column`, and draw a line from each name to
    its mark (x, y).

    From bottom to top, the names are in the order of their marks. The names are black unless
    `colors` has a colour for each name.
    """
    line = _HEIGHT * size / SIZE
    places = _points(axes, np.column_stack([x, y]))
    order = np.argsort(places[:, 1], kind="stable")
    heights = places[order, 1].copy()
    low, high = (axes.bbox.extents[[1, 3]] * 72 / axes.figure.dpi) + (line / 2, -line / 2)
    for _ in range(300):  # move neighbouring names apart as long as they are too close
        lacking = np.maximum(line - np.diff(heights), 0)
        heights[1:] += lacking / 2
        heights[:-1] -= lacking / 2
        heights = heights.clip(low, high)
    start = _points(axes, np.array([[column, 1]]))[0, 0]
    for i, height in zip(order, heights, strict=True):
        offset = (start - places[i, 0], height - places[i, 1])
        color = colors[i] if colors else "black"
        _write(axes, names[i], (x[i], y[i]), offset, "left", size, color)


def _points(axes: Axes, data: np.ndarray) -> np.ndarray:
    return axes.transData.transform(np.asarray(data, dtype=float)) * 72 / axes.figure.dpi


def _write(
    axes: Axes,
    name: str,
    mark: tuple,
    offset: Sequence[float],
    side: str,
    size: float = SIZE,
    color: str = "black",
) -> None:
    ends = {"patchA": None, "relpos": (0, 0.5)} if side == "left" else {"relpos": (0.5, 0.5)}
    text = axes.annotate(
        name,
        mark,
        xytext=tuple(offset),
        textcoords="offset points",
        fontsize=size,
        color=color,
        ha=side,
        va="center",
        zorder=5,
        arrowprops=_LEADER | ends,
        bbox={"facecolor": "white", "linewidth": 0, "pad": 0.2} if side == "left" else None,
    )
    text.set_in_layout(False)
