"""Functions that make a computed matrix exactly symmetric, or check that a given matrix is
symmetric.
"""

from __future__ import annotations

import numpy as np

from fwsvm.kernels.functions import LARGEST_KERNEL_VALUE

# A matrix is processed in square tiles of _TILE_SIDE rows (2 MB in float64). The entries (i, j) and
# (j, i) of the matrix are then read from nearby memory.
_TILE_SIDE = 512
# TOLERANCES has, for each dtype, the largest allowed |A_ij - A_ji| of a given matrix, relative to
# its largest |A_ij|. The limits are far above one rounding error, because a program can compute
# A_ij and A_ji in different ways.
TOLERANCES = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-8}


def mirror_lower(matrix: np.ndarray) -> None:
    """Copy the lower triangle of the float32 or float64 `matrix` (m, m) to the upper one."""
    m = len(matrix)
    for begin in range(0, m, _TILE_SIDE):
        end = min(begin + _TILE_SIDE, m)
        matrix[:begin, begin:end] = matrix[begin:end, :begin].T
        tile = matrix[begin:end, begin:end]
        for k in range(1, end - begin):
            tile[:k, k] = tile[k, :k]


def largest_asymmetry(matrix: np.ndarray) -> tuple[float, int, int, float]:
    """Return the largest |A_ij - A_ji| of a float32 or float64 matrix (m, m), the indices i >= j
    where it occurs, and the largest |A_ij|.

    If the matrix has NaN or infinite values, the difference and the largest |A_ij| are infinite.
    """
    m, asymmetry, place, largest = len(matrix), 0.0, (0, 0), 0.0
    for top in range(0, m, _TILE_SIDE):
        for left in range(0, top + 1, _TILE_SIDE):
            lower = matrix[top : top + _TILE_SIDE, left : left + _TILE_SIDE]
            upper = matrix[left : left + _TILE_SIDE, top : top + _TILE_SIDE].T
            # unlike Python's max, np.maximum returns NaN if a value is NaN
            in_tile = float(np.maximum(np.abs(lower).max(), np.abs(upper).max()))
            if not np.isfinite(in_tile):
                return np.inf, top, left, np.inf
            largest = max(largest, in_tile)
            difference = np.abs(lower.astype(np.float64) - upper)
            worst = float(difference.max())
            if worst > asymmetry:
                row, column = np.unravel_index(difference.argmax(), difference.shape)
                asymmetry, place = worst, (top + int(row), left + int(column))
    return asymmetry, max(place), min(place), largest


def is_symmetric(matrix: np.ndarray, name: str) -> bool:
    """Return True for an exactly symmetric matrix (m, m) of numbers, and False for a matrix that is
    symmetric only up to rounding. If the type of the matrix has no entry in `TOLERANCES`, the
    tolerance is that of float64.

    Raise a ValueError if the matrix is not symmetric up to rounding, if a value is NaN or infinite,
    or if the size of a value exceeds `LARGEST_KERNEL_VALUE`.
    """
    asymmetry, i, j, largest = largest_asymmetry(matrix)
    if not np.isfinite(largest):
        raise ValueError(f"{name} must be finite, but it has NaN or infinite values")
    if largest > LARGEST_KERNEL_VALUE:
        raise ValueError(
            f"{name} must have entries of at most {LARGEST_KERNEL_VALUE:g}, but the largest is"
            f" {largest:.3g}; divide the matrix by a number"
        )
    precision = matrix.dtype if matrix.dtype in TOLERANCES else np.dtype(np.float64)
    if asymmetry > TOLERANCES[precision] * largest:
        raise ValueError(
            f"{name} must be symmetric, but {name}[{i}, {j}] = {matrix[i, j]:.9g} and {name}[{j},"
            f" {i}] = {matrix[j, i]:.9g}. The difference {asymmetry:.3g} is more than"
            f" {TOLERANCES[precision]:g} times the largest entry ({largest:.3g}), which is the"
            f" limit for {precision}. If the difference is not an error, pass"
            f" ({name} + {name}.T) / 2"
        )
    return asymmetry == 0.0
