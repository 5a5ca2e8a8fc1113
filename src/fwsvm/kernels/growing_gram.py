"""The kernel matrix of a growing set of points, which is stored and multiplied by vectors in tiles
(blocks of rows).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.machine_code.threads import tiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from fwsvm.kernels.matrix import KernelMatrix
    from fwsvm.machine_code.threads import Workers

# A tile of stored values has _STORED_ROWS rows. At most _MOST_COLUMNS columns are computed at the
# same time. More than 64 columns are computed only if the points of these columns fill at most
# _FLOAT32_BYTES bytes in float32, because these points then fit into the processor's cache. A dense
# copy of sparse points fills at most half of _COPY_BYTES bytes.
_STORED_ROWS, _MOST_COLUMNS, _FLOAT32_BYTES, _COPY_BYTES = 256, 512, 512 << 10, 64 << 20


@compiled(reassociate=True)
def add_rows_times(matrix: np.ndarray, rows: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    """Add sum_j matrix[rows[k], j] x[j] to out[k] in float64, where j runs over the indices of
    x.
    """
    k, n = 0, x.shape[0]
    while k + 4 <= rows.shape[0]:
        r0 = matrix[rows[k]]
        r1 = matrix[rows[k + 1]]
        r2 = matrix[rows[k + 2]]
        r3 = matrix[rows[k + 3]]
        t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            t0 += r0[j] * x[j]
            t1 += r1[j] * x[j]
            t2 += r2[j] * x[j]
            t3 += r3[j] * x[j]
        out[k] += t0
        out[k + 1] += t1
        out[k + 2] += t2
        out[k + 3] += t3
        k += 4
    while k < rows.shape[0]:
        r0, t0 = matrix[rows[k]], 0.0
        for j in range(n):
            t0 += r0[j] * x[j]
        out[k] += t0
        k += 1


class GrowingGram:
    """The kernel values of type `dtype` between the chosen points (`points`) of a kernel matrix.

    Not all rows of the matrix are stored: `extend` sets the memory for stored rows. The other rows
    are computed again at each use. Sums are float64. `points` (n,) is int64. Arguments named
    `positions` are indices into `points`, as int64 arrays (p,).
    """

    def __init__(self, matrix: KernelMatrix, dtype: DTypeLike, workers: Workers) -> None:
        self.matrix, self.dtype, self.workers = matrix, np.dtype(dtype), workers
        self.points, self.evaluations = np.empty(0, np.int64), 0
        self._room = 1
        # `_values` has the stored rows, and `_kept` is the number of filled rows
        self._values, self._kept = np.empty((0, 0), self.dtype), 0
        d = max(matrix.n_features, 1)
        self._chunk = min(
            _MOST_COLUMNS,
            max(
                _FLOAT32_BYTES // (4 * d), min(64, _COPY_BYTES // (2 * self.dtype.itemsize * d)), 1
            ),
        )

    def __len__(self) -> int:
        return len(self.points)

    def extend(self, new: np.ndarray, room_bytes: float) -> None:
        """Add the q points `new`: int64 indices (q,) in the kernel matrix. From now on, at most
        `room_bytes` bytes of rows are stored.
        """
        self._room = max(int(room_bytes / self.dtype.itemsize), 1)
        old, self.points = len(self), np.concatenate([self.points, new])
        n = len(self)
        self._widen(n)
        rows = min(n, len(self._values))
        # if all old rows are stored, the first columns of the new rows are copied from them,
        # because K is symmetric
        whole = self._kept == old
        self._fill(0, rows if whole else self._kept, old, n)
        if whole:
            self._values[old:rows, :old] = self._values[:old, old:rows].T
        else:
            self._fill(self._kept, rows, 0, n)
        self._kept = rows

    def keep(self, positions: np.ndarray) -> None:
        """Keep only the points at the ascending `positions`."""
        rows = positions[positions < self._kept]
        for row, old in enumerate(rows):  # each row moves before another row overwrites it
            self._values[row, : len(positions)] = self._values[old, positions]
        self.points, self._kept = self.points[positions], len(rows)

    def release(self) -> None:
        self._values, self._kept = np.empty((0, 0), self.dtype), 0

    def _widen(self, n: int) -> None:
        """Make room for rows of n values. Stored rows that no longer fit into the memory are
        removed.
        """
        m, old = self.matrix.size, self._values.shape[1]
        width = old if n <= old else min(m, 2 * n if 4 * n * n <= self._room else n + n // 8)
        height = min(m, self._room // width, width)
        if (height, width) != self._values.shape:
            values = np.empty((height, width), self.dtype)
            self._kept = min(self._kept, height)
            values[: self._kept, :old] = self._values[: self._kept]
            self._values = values

    def _fill(self, first: int, last: int, begin: int, end: int) -> None:
        if first >= last:
            return
        for part in tiles(end - begin, self._chunk):
            columns = slice(begin + part.start, begin + part.stop)
            against = self.matrix.against(self.points[columns], self.dtype)

            def work(
                tile: slice,
                columns: slice = columns,
                against: Callable[[np.ndarray], np.ndarray] = against,
            ) -> None:
                rows = slice(first + tile.start, first + tile.stop)
                self._values[rows, columns] = against(self.points[rows])

            self.workers.each(work, tiles(last - first, _STORED_ROWS))
        self.evaluations += (last - first) * (end - begin)

    def rows(self, positions: np.ndarray) -> np.ndarray:
        """Return the rows of K at the ascending `positions`, as an array (p, n)."""
        out = np.empty((len(positions), len(self)), self.dtype)
        n_kept = np.searchsorted(positions, self._kept)
        out[:n_kept] = self._values[positions[:n_kept], : len(self)]
        if n_kept < len(positions):
            rest = self.points[positions[n_kept:]]
            for columns in tiles(len(self), self._chunk):
                out[n_kept:, columns] = self.matrix.against(self.points[columns], self.dtype)(rest)
            self.evaluations += len(rest) * len(self)
        return out

    def stored_rows(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return an array that contains the rows of K at the ascending `positions`, and the indices
        of these rows in the array. The first n entries of a row are kernel values. A row can have
        more entries, which mean nothing.
        """
        if len(positions) == 0 or positions[-1] < self._kept:
            return self._values, positions
        return self.rows(positions), np.arange(len(positions))

    @property
    def stored_bytes(self) -> int:
        return self._values.nbytes

    def times(self, positions: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return sum_j K_ij x_j over all points j in float64 (p,), for each i of the p ascending
        `positions`.
        """
        out = np.zeros(len(positions))
        n_kept = int(np.searchsorted(positions, self._kept))

        def work(tile: slice) -> None:
            add_rows_times(self._values, positions[tile], x, out[tile])

        self.workers.each(work, tiles(n_kept, _STORED_ROWS))
        if n_kept < len(positions):
            used = np.flatnonzero(x)
            self._add(self.points[positions[n_kept:]], self.points[used], x[used], out[n_kept:])
        return out

    def spread(self, positions: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return sum_j K_ij x_j over the points j at `positions`, for all m points i of the kernel
        matrix, as float64 (m,).
        """
        out = np.zeros(self.matrix.size)
        self._add(np.arange(self.matrix.size), self.points[positions], x, out)
        return out

    def _add(self, rows: np.ndarray, columns: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
        """Add sum_j K_ij x_j over j in `columns` to `out`, for each i in `rows`.

        The kernel values are not stored.
        """
        for part in tiles(len(columns), self._chunk):
            against, weights = self.matrix.against(columns[part], self.dtype), x[part]

            def work(
                tile: slice,
                against: Callable[[np.ndarray], np.ndarray] = against,
                weights: np.ndarray = weights,
            ) -> None:
                block = against(rows[tile])
                add_rows_times(block, np.arange(len(block)), weights, out[tile])

            self.workers.each(work, tiles(len(rows), 4 * _STORED_ROWS))
        self.evaluations += len(rows) * len(columns)
