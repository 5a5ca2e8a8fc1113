"""The triangle of the weights of three points, with level lines of a quadratic objective."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_STEPS = 60


def plane(weights: np.ndarray) -> np.ndarray:
    """Place of weights in the triangle; transposed for many of them, as plotting functions take them."""
    return (np.asarray(weights) @ CORNERS).T


def draw_triangle(
    axes: Axes,
    Q: np.ndarray,
    solution: np.ndarray,
    shares: Sequence[float],
    names: Sequence[str] = ("1", "2", "3"),
    bold: int | None = None,
) -> None:
    """Draw the triangle with its corners' names, level lines of a'Qa, and a star at the minimiser.

    `shares` says where the lines are, between the smallest value, 0, and the largest, 1.
    """
    i, j = (index.ravel() for index in np.meshgrid(range(_STEPS + 1), range(_STEPS + 1)))
    inside = i + j <= _STEPS
    grid = np.column_stack([i[inside], j[inside], (_STEPS - i - j)[inside]]) / _STEPS
    values = np.einsum("ni,ij,nj->n", grid, Q, grid)
    low = solution @ Q @ solution
    heights = low + (values.max() - low) * np.array(shares)
    axes.tricontour(*plane(grid), values, levels=heights, colors="#c0c0c0", linewidths=0.6, zorder=1)
    axes.fill(*CORNERS.T, facecolor="none", edgecolor="black", linewidth=0.9, zorder=3)
    axes.plot(*plane(solution), marker="*", color="black", markersize=6.5, zorder=6)
    for i, (offset, side) in enumerate(zip(((-3, -4), (3, -4), (0, 7)), ("right", "left", "center"), strict=True)):
        axes.annotate(names[i], CORNERS[i], xytext=offset, textcoords="offset points", ha=side, va="center",
                      fontsize=9, weight="bold" if i == bold else "normal")  # fmt: skip
    axes.set(aspect="equal", xlim=(-0.14, 1.14), ylim=(-0.12, 1.0))
    axes.set_axis_off()
