"""The triangle of the weights of three points, with level lines of a quadratic objective."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


def plane(weights: np.ndarray) -> np.ndarray:
    """Place of weights in the triangle; transposed for many of them, as plotting wants it."""
    return (np.asarray(weights) @ CORNERS).T


def draw_levels(axes: Axes, Q: np.ndarray, solution: np.ndarray, shares: Sequence[float], color: str) -> None:
    """Draw the triangle and level lines of a'Qa.

    Parameters
    ----------
    Q : ndarray of shape (3, 3)
    solution : ndarray of shape (3,)
        The minimiser over the triangle.
    shares : sequence of float
        Where the lines are between the smallest value, 0, and the largest, 1.
    color : str
        Of the lines.
    """
    grid = _grid()
    values = np.einsum("ni,ij,nj->n", grid, Q, grid)
    low = solution @ Q @ solution
    heights = low + (values.max() - low) * np.array(shares)
    axes.tricontour(*plane(grid), values, levels=heights, colors=color, linewidths=0.6, zorder=1)
    axes.fill(*CORNERS.T, facecolor="none", edgecolor="black", linewidth=0.9, zorder=3)


def _grid(steps: int = 60) -> np.ndarray:
    i, j = (index.ravel() for index in np.meshgrid(range(steps + 1), range(steps + 1)))
    inside = i + j <= steps
    i, j = i[inside], j[inside]
    return np.column_stack([i, j, steps - i - j]) / steps
