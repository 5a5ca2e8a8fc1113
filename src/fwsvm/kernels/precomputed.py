"""Columns and blocks of a kernel matrix that the user gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.kernels import column_source as sources
from fwsvm.kernels.points import loop_view
from fwsvm.kernels.rounding import matrix_sum_errors, unit_of
from fwsvm.kernels.row_cache import take_columns
from fwsvm.kernels.symmetry import is_symmetric
from fwsvm.machine_code.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from fwsvm.kernels.column_source import ColumnSource
    from fwsvm.machine_code.threads import Workers

# Largest size of a block of rows in float64.
_ROWS_BYTES = 8 << 20


@compiled
def take_means(K: np.ndarray, rows: np.ndarray, columns: np.ndarray, out: np.ndarray) -> None:
    """Set out[i, j] to the mean of K[rows[i], columns[j]] and K[columns[j], rows[i]].

    The loop is over square tiles, whose entries stay in the processor's cache.
    """
    for top in range(0, len(rows), 64):
        bottom = min(top + 64, len(rows))
        for left in range(0, len(columns), 64):
            for j in range(left, min(left + 64, len(columns))):
                column = columns[j]
                for i in range(top, bottom):
                    row = rows[i]
                    out[i, j] = 0.5 * (np.float64(K[row, column]) + np.float64(K[column, row]))


@compiled
def write_means(K: np.ndarray, index: np.ndarray, out: np.ndarray) -> None:
    """Set out[i, j] to the mean of K[index[i], index[j]] and K[index[j], index[i]].

    The loop is over square tiles, like that of `take_means`, but computes each mean only once.
    """
    for top in range(0, len(index), 64):
        bottom = min(top + 64, len(index))
        for left in range(0, top + 1, 64):
            for j in range(left, min(left + 64, bottom)):
                column = index[j]
                for i in range(max(top, j), bottom):
                    row = index[i]
                    mean = 0.5 * (np.float64(K[row, column]) + np.float64(K[column, row]))
                    out[i, j] = mean
                    out[j, i] = mean


class PrecomputedKernelMatrix:
    """The kernel matrix of m points, which are some or all of the n points of a given matrix K.

    The rows and columns of this matrix are the rows and columns `index` (m,) of K (n, n). By
    default, `index` contains all n points. `name` is the name of K in error messages.

    `symmetric` is True if K equals its transpose exactly. It is False if K and its transpose differ
    by rounding errors. In this case, the entries of (K + K') / 2 are used. They are computed at
    once if those of the m points take at most `room_mb` MB, and otherwise when they are needed. The
    default of `symmetric` is the result of `is_symmetric(K, name)`, which raises a ValueError if
    the differences are larger than rounding errors.
    """

    path = "precomputed"
    evaluations = n_features = 0
    points = None
    fits_float32 = True  # no squared distances are computed, so none can overflow

    def __init__(
        self,
        K: np.ndarray,
        index: np.ndarray | None = None,
        symmetric: bool | None = None,
        name: str = "K",
        room_mb: float = 0.0,
    ) -> None:
        self.symmetric = is_symmetric(K, name) if symmetric is None else symmetric
        self.given_unit = unit_of(K)
        K = K if K.dtype in (np.float32, np.float64) else K.astype(np.float64)
        # If K is stored column by column, the use of K.T avoids a copy. K.T has the same kernel
        # values as K, up to rounding errors.
        self.K = loop_view(np.ascontiguousarray(K if K.flags.c_contiguous else K.T))
        self.index = (
            np.arange(len(K)) if index is None else np.ascontiguousarray(index, dtype=np.int64)
        )
        self.size = len(self.index)
        means_mb = 8e-6 * self.size**2
        self._copied_mb = 0.0
        if not self.symmetric and means_mb <= room_mb:
            means = np.empty((self.size, self.size))
            write_means(self.K, self.index, means)
            self.K, self.index = means, np.arange(self.size)
            self.symmetric, self._copied_mb = True, means_mb

    def release(self, dtype: DTypeLike) -> None:
        pass

    def diagonal(self) -> np.ndarray:
        return self.K[self.index, self.index].astype(np.float64)

    def multiplies(self, dtype: DTypeLike) -> bool:
        """Return False: the kernel values are given, so no matrix product computes them."""
        return False

    def column_source(self, dtype: DTypeLike, room_mb: float = 0.0) -> tuple[ColumnSource, float]:
        layout = sources.GIVEN if self.symmetric else sources.GIVEN_TWICE
        kernel = sources.GIVEN_VALUES
        source = sources.ColumnSource(
            layout, kernel, self.size, self.K.dtype, dtype, matrix=self.K, index=self.index
        )
        return source, self._copied_mb

    def column(self, i: int, out: np.ndarray) -> None:
        row = self.K[self.index[i], self.index]
        out[:] = (
            row
            if self.symmetric
            else 0.5 * (row.astype(np.float64) + self.K[self.index, self.index[i]])
        )

    def against(self, columns: np.ndarray, dtype: DTypeLike) -> Callable[[np.ndarray], np.ndarray]:
        return lambda rows: self._block(self.index[rows], self.index[columns], dtype)

    def _block(self, rows: np.ndarray, columns: np.ndarray, dtype: DTypeLike) -> np.ndarray:
        block = np.empty((len(rows), len(columns)), dtype)
        (take_columns if self.symmetric else take_means)(self.K, rows, columns, block)
        return block

    def submatrix(self, indices: np.ndarray) -> np.ndarray:
        chosen = self.index[indices]
        return self._block(chosen, chosen, np.float64)

    def sum_errors(self, indices: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return bounds (m,) on the rounding errors of `weighted_sums`. K must be positive
        semidefinite.
        """
        return matrix_sum_errors(self.diagonal(), indices, weights)

    def weighted_sums(
        self, indices: np.ndarray, weights: np.ndarray, workers: Workers | None = None
    ) -> np.ndarray:
        total = np.zeros(self.size)
        chosen, step = self.index[indices], max(1, _ROWS_BYTES // (8 * self.size))
        for begin in range(0, len(chosen), step):
            part = slice(begin, begin + step)
            # `_block` returns means of K_ij and K_ji. The bound of `sum_errors` needs values of at
            # most sqrt(K_ii K_jj), and K_ij alone can be slightly larger.
            total += self._block(chosen[part], self.index, np.float64).T @ weights[part]
        return total
