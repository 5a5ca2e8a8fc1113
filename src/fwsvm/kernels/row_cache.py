"""A cache of rows of Q over a subset of the points, in limited memory. The rows have no diagonal
shift, and are computed in blocks.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.machine_code.threads import tiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from fwsvm.machine_code.threads import Workers
    from fwsvm.problems.dual import KernelProblem

# Kernel values are computed for tiles of at most _TILE_POINTS points. Dense float64 copies of these
# points have at most _TILE_BYTES bytes, but 64 points are always allowed.
_TILE_POINTS, _TILE_BYTES = 1024, 8 << 20
# For the matrix over n points, whole rows are computed and stored if they have at most
# _ROWS_FOR_SQUARE n^2 new values. Training needs most of these rows anyway.
_ROWS_FOR_SQUARE = 2.0


@compiled
def write_signed_block(
    values: np.ndarray,
    own: np.ndarray,
    labels: np.ndarray,
    offset: float,
    slots: np.ndarray,
    begin: int,
    rows: np.ndarray,
) -> None:
    """Set rows[slots[t], begin + r] = own[t] labels[r] (values[t, r] + offset)."""
    typed_offset = values.dtype.type(offset)
    for t in range(values.shape[0]):
        source = values[t]
        target = rows[slots[t], begin : begin + labels.shape[0]]
        sign = values.dtype.type(own[t])
        for r in range(labels.shape[0]):
            target[r] = sign * values.dtype.type(labels[r]) * (source[r] + typed_offset)


@compiled
def take_columns(rows: np.ndarray, slots: np.ndarray, places: np.ndarray, out: np.ndarray) -> None:
    """Set out[t, r] = rows[slots[t], places[r]]."""
    for t in range(slots.shape[0]):
        row, target = rows[slots[t]], out[t]
        for r in range(places.shape[0]):
            target[r] = row[places[r]]


@compiled
def add_weighted_rows(
    rows: np.ndarray, slots: np.ndarray, weights: np.ndarray, begin: int, end: int, out: np.ndarray
) -> None:
    """Add sum_t weights[t] rows[slots[t], r] to out[r] in float64, for r from `begin` to `end`."""
    for first in range(begin, end, 1024):
        last = min(first + 1024, end)
        target, t = out[first:last], 0
        while t + 4 <= slots.shape[0]:
            r0, r1 = rows[slots[t], first:last], rows[slots[t + 1], first:last]
            r2, r3 = rows[slots[t + 2], first:last], rows[slots[t + 3], first:last]
            w0, w1, w2, w3 = weights[t], weights[t + 1], weights[t + 2], weights[t + 3]
            for r in range(last - first):
                target[r] += (w0 * r0[r] + w1 * r1[r]) + (w2 * r2[r] + w3 * r3[r])
            t += 4
        while t < slots.shape[0]:
            row, weight = rows[slots[t], first:last], weights[t]
            for r in range(last - first):
                target[r] += weight * row[r]
            t += 1


class RowCache:
    """A cache of rows of the matrix y_i y_j (k_ij + offset) over the points `kept` (ascending
    indices).

    The rows fill at most `room_mb` MB, but two rows are always allowed. Rows and columns are
    numbered by the positions of their points in `kept`. If the cache is full, new rows replace
    random old rows.
    """

    def __init__(
        self,
        problem: KernelProblem,
        kept: np.ndarray,
        dtype: DTypeLike,
        room_mb: float,
        workers: Workers,
    ) -> None:
        self.problem, self.kept, self.dtype, self.workers = problem, kept, np.dtype(dtype), workers
        size, features = len(kept), max(problem.matrix.n_features or 1, 1)
        self.labels = problem.labels[kept]
        self._most_copied = max(64, min(_TILE_POINTS, _TILE_BYTES // (8 * features)))
        # For sparse points, dense copies of the points whose rows are computed are made, and not of
        # the points `kept`.
        self._copies_rows = problem.matrix.points.is_sparse
        self._tiles = tiles(size, _TILE_POINTS if self._copies_rows else self._most_copied)
        # Dense copies of all tiles are kept if they fit into a quarter of the memory. Otherwise,
        # each use of a tile makes a new copy.
        copies_mb = 0.0 if self._copies_rows else 1e-6 * self.dtype.itemsize * size * features
        self._against: dict[int, Any] | None = {} if copies_mb <= 0.25 * room_mb else None
        room_mb -= copies_mb if self._against is not None else 0.0
        self.capacity = min(size, max(int(1e6 * room_mb / (self.dtype.itemsize * size)), 2))
        # Rows that are never written take no memory, because the operating system provides each
        # page of memory only when the page is first written.
        self._rows = np.empty((self.capacity, size), self.dtype)
        self._slot_of = np.full(size, -1)
        self._owner = np.full(self.capacity, -1)
        self._filled, self._rng = 0, np.random.default_rng(0)
        self.evaluations = 0

    def _load(self, places: np.ndarray) -> np.ndarray:
        """Return the slots (indices into `_rows`) of the rows at the positions `places`, and
        compute the rows that are not in the cache.

        There are at most `capacity` positions.
        """
        slots: np.ndarray = self._slot_of[places]
        missing = np.flatnonzero(slots < 0)
        if len(missing):
            new = self._reserve_slots(len(missing), slots[slots >= 0])
            self._compute(places[missing], new)
            self._slot_of[places[missing]], self._owner[new] = new, places[missing]
            slots[missing] = new
        return slots

    def _reserve_slots(self, n: int, used: np.ndarray) -> np.ndarray:
        """Return n slots. Free slots are used first.

        If too few slots are free, random rows are removed from the cache, but not those in the
        slots `used`.
        """
        slots = np.arange(self._filled, min(self._filled + n, self.capacity))
        more = n - len(slots)
        if more:
            can = np.ones(self._filled, bool)
            can[used] = False
            old = self._rng.choice(np.flatnonzero(can), more, replace=False)
            self._slot_of[self._owner[old]] = -1
            slots = np.concatenate([slots, old])
        self._filled = min(self._filled + n, self.capacity)
        return slots

    def _compute(self, places: np.ndarray, slots: np.ndarray) -> None:
        """Compute the rows at the positions `places`, and write them into `slots`."""
        if self._copies_rows:
            for part in tiles(len(places), self._most_copied):
                against = self.problem.matrix.against(self.kept[places[part]], self.dtype)
                self._write(places[part], slots[part], partial(self._transposed, against))
        else:
            self._write(places, slots, partial(self._of_tile, self.kept[places]))

    def _transposed(self, against: Callable[[np.ndarray], np.ndarray], tile: slice) -> np.ndarray:
        return np.ascontiguousarray(against(self.kept[tile]).T)

    def _of_tile(self, points: np.ndarray, tile: slice) -> np.ndarray:
        against = None if self._against is None else self._against.get(tile.start)
        if against is None:
            against = self.problem.matrix.against(self.kept[tile], self.dtype)
            if self._against is not None:
                self._against[tile.start] = against
        values: np.ndarray = against(points)
        return values

    def _write(
        self, places: np.ndarray, slots: np.ndarray, values: Callable[[slice], np.ndarray]
    ) -> None:
        """Write rows into `slots`. `values` returns the kernel values between the points at the
        positions `places` (n,) and a tile of p points as an array (n, p).
        """
        own, offset = self.labels[places], self.problem.offset

        def work(tile: slice) -> None:
            labels = self.labels[tile]
            write_signed_block(values(tile), own, labels, offset, slots, tile.start, self._rows)

        self.workers.each(work, self._tiles)
        self.evaluations += len(places) * len(self.kept)

    def square(self, places: np.ndarray, shifts: np.ndarray) -> np.ndarray:
        """Return the matrix Q (n, n) over the points at the n ascending positions `places`, with
        `shifts` (n,) added to its diagonal. If the time limit is reached, raise `OutOfTime`.
        """
        n, points, labels = len(places), self.kept[places], self.labels[places]
        out = np.empty((n, n), self.dtype)
        missing = np.count_nonzero(self._slot_of[places] < 0)
        if n <= self.capacity and missing * len(self.kept) <= _ROWS_FOR_SQUARE * n * n:
            slots = self._load(places)

            def work(tile: slice) -> None:
                take_columns(self._rows, slots[tile], places, out[tile])
        else:

            def work(tile: slice) -> None:
                values = self.problem.matrix.against(points[tile], self.dtype)(points)
                write_signed_block(
                    values, labels, labels[tile], self.problem.offset, np.arange(n), tile.start, out
                )

            self.evaluations += n * n
        self.workers.each(work, tiles(n, min(256, self._most_copied)))
        out[np.diag_indices(n)] += shifts.astype(self.dtype)
        return out

    def add_to(self, out: np.ndarray, places: np.ndarray, weights: np.ndarray) -> None:
        """Add sum_t weights[t] row(places[t]) to `out` (n,), where row(p) is the row at position p
        of `kept`.

        If the time limit is reached, `OutOfTime` is raised and `out` is unchanged.
        """
        total = np.zeros(len(out))
        parts = max(1, -(-len(places) // self.capacity))
        for part in np.array_split(np.arange(len(places)), parts):
            slots = self._load(places[part])

            def work(
                tile: slice, slots: np.ndarray = slots, weights: np.ndarray = weights[part]
            ) -> None:
                add_weighted_rows(self._rows, slots, weights, tile.start, tile.stop, total)

            self.workers.each(work, tiles(len(out), max(_TILE_POINTS, len(out) // 16)))
        out += total
