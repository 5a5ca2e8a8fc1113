"""Caches of columns of Q in limited memory, either over all points or over a growing coreset."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fwsvm.kernels.column_source import GIVEN, write_column
from fwsvm.machine_code.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fwsvm.machine_code.signatures import Index
    from fwsvm.machine_code.threads import Workers
    from fwsvm.problems.dual import KernelProblem, SimplexProblem

# A step reads two columns at the same time. With three slots, one can always be reused.
_LEAST_SLOTS = 3
# _CERTIFICATE_MB MB of memory, but at most an eighth of `cache_mb`, are left for the certificate.
_CERTIFICATE_MB = 24.0
# the positions in `Slots.clock` of the number of full slots and of the hand
_FILLED, _HAND = 0, 1


class Slots(NamedTuple):
    """A record of which column is in which slot. A slot is the memory for one column. If all slots
    are full, the clock algorithm chooses a slot to reuse.
    """

    slot_of: np.ndarray  # (n_columns,): the slot of each column, or -1 if the column is not cached
    owner: np.ndarray  # (n_slots,): the column in each slot, or -1 if the slot is empty
    used: np.ndarray  # (n_slots,): 1 after a use, 0 after the clock's hand has passed
    clock: np.ndarray  # (2,): the number of full slots, and the slot at the hand


class Cache(NamedTuple):
    """Columns and their `Slots`, for compiled loops."""

    columns: np.ndarray  # (n_slots, length)
    slots: Slots


def new_slots(n_slots: int, n_columns: int) -> Slots:
    return Slots(
        slot_of=np.full(n_columns, -1, dtype=np.int32),
        owner=np.full(n_slots, -1, dtype=np.int32),
        used=np.zeros(n_slots, dtype=np.uint8),
        clock=np.zeros(2, dtype=np.int64),
    )


def cached(slots: Slots) -> np.ndarray:
    return slots.owner[: slots.clock[_FILLED]]


@compiled(inline=True)
def is_missing(slots: Slots, i: int) -> bool:
    """Test whether column i is not cached although a slot is empty."""
    missing: bool = slots.slot_of[i] < 0 and slots.clock[_FILLED] < slots.owner.shape[0]
    return missing


@compiled(inline=True)
def take_slot(slots: Slots, i: int, keep: Index) -> int:
    """Return a slot for column i. The caller must then write the column into this slot.

    The slot of column `keep` is never chosen. If `keep` is -1, any slot can be chosen.
    """
    slot_of, owner, used, clock = slots.slot_of, slots.owner, slots.used, slots.clock
    if clock[_FILLED] < owner.shape[0]:
        slot: int = clock[_FILLED]
        clock[_FILLED] += 1
    else:
        while used[clock[_HAND]] or owner[clock[_HAND]] == keep:
            used[clock[_HAND]] = 0
            clock[_HAND] = (clock[_HAND] + 1) % owner.shape[0]
        slot = clock[_HAND]
        clock[_HAND] = (slot + 1) % owner.shape[0]
        slot_of[owner[slot]] = -1
    owner[slot], slot_of[i], used[slot] = i, slot, 1
    return slot


@compiled
def load(cache: Cache, source: np.ndarray, i: int, keep: Index) -> int:
    """Return the slot of column i.

    If the column is not cached, compute it. Column `keep` stays in the cache.
    """
    slot: int = cache.slots.slot_of[i]
    if slot < 0:
        slot = take_slot(cache.slots, i, keep)
        write_column(source, i, cache.columns[slot])
    cache.slots.used[slot] = 1
    return slot


@compiled
def write_weighted(
    cache: Cache, source: np.ndarray, indices: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """Write column indices[t] of Q times weights[t] to out[t] (float64), for all t."""
    for t in range(indices.shape[0]):
        # The argument is np.int64(-1), because numba gives the literal -1 a type of its own, and
        # would compile `load` again for this type.
        column = cache.columns[load(cache, source, indices[t], np.int64(-1))]
        for r in range(column.shape[0]):
            out[t, r] = weights[t] * column[r]


def room_for_columns(cache_mb: float, used_mb: float = 0.0) -> float:
    """Return the memory (MB) that is left for columns after copies of the data (`used_mb`) and the
    certificate, but at least half of `cache_mb`.
    """
    return max(cache_mb - used_mb - min(_CERTIFICATE_MB, 0.125 * cache_mb), 0.5 * cache_mb)


class ColumnCache:
    """A cache of columns of Q over all m points. Its memory is at most `cache_mb` MB (1 MB is 1e6
    bytes), or the memory of three columns if this is larger.

    The whole kernel matrix is computed at once if `whole` is true, if the points are dense with at
    least 64 features (see `KernelMatrix.column_source`), and if it fits into half of `cache_mb`.
    Otherwise, columns are computed one by one, or several at once (`load_block`). Later,
    `compute_all` can change this.

    If the uint8 array `memory` (n_bytes,) is large enough, the columns are stored in this array,
    because allocating new memory is slower.
    """

    def __init__(
        self,
        problem: SimplexProblem,
        cache_mb: float,
        dtype: DTypeLike,
        memory: np.ndarray | None = None,
        workers: Workers | None = None,
        whole: bool = True,
    ) -> None:
        m, self.dtype = problem.size, np.dtype(dtype)
        width = m * self.dtype.itemsize
        self._room_mb = cache_mb / 2
        room_mb = self._room_mb if whole else 0.0
        self._source, used_mb = problem.column_source(self.dtype.type, room_mb)
        self.has_room_for_matrix = 1e-6 * m * width <= self._room_mb
        if not whole and self.has_room_for_matrix:
            used_mb += 1e-6 * m * width  # the memory that `compute_all` needs
        slots = new_slots(
            min(m, max(int(room_for_columns(cache_mb, used_mb) * 1e6 // width), _LEAST_SLOTS)), m
        )
        size = len(slots.owner) * width
        if memory is None or len(memory) < size:
            memory = np.empty(size, np.uint8)
        self.memory = memory
        self.arrays = Cache(memory[:size].view(self.dtype).reshape(-1, m), slots)
        self.source = self._source.handle(workers)

    def load_block(self, problem: KernelProblem, indices: np.ndarray, workers: Workers) -> None:
        """Compute the columns `indices` (n,) by matrix products, and write them into empty slots.

        The columns must not be cached, and n slots must be empty.
        """
        columns, slots = self.arrays
        filled = slots.clock[_FILLED]
        last = filled + len(indices)
        problem.fill_columns(indices, columns[filled:last], workers)
        slots.owner[filled:last], slots.slot_of[indices] = indices, np.arange(filled, last)
        slots.clock[_FILLED] = last

    def compute_all(self, problem: SimplexProblem, workers: Workers | None) -> None:
        """Compute the whole kernel matrix, if matrix products can compute it and it fits into half
        of `cache_mb`. Later columns are then read from this matrix.

        Nothing changes if the matrix is already there, for example from another value of C.
        """
        if self._source.layout == GIVEN or not problem.matrix.multiplies(self.dtype):
            return
        self._source, _ = problem.column_source(self.dtype.type, self._room_mb)
        self.source = self._source.handle(workers)
        if self._source.layout == GIVEN:
            problem.matrix.release(self.dtype)  # the copy of the data is no longer needed

    def change_shift(self, problem: SimplexProblem, workers: Workers | None) -> None:
        """Make the cached columns valid for the same problem with another C.

        Only the entries on the diagonal of Q change.
        """
        columns, slots = self.arrays
        owners = cached(slots)
        columns[np.arange(len(owners)), owners] = problem.diagonal[owners]
        self._source = self._source.changed(shift=problem.shift)
        self.source = self._source.handle(workers)


class SharedColumns:
    """Cached columns that several values of C share, and memory for columns that several problems
    share.

    The columns belong to one problem: only C and the sample weights may change. Call `next_problem`
    before a problem with another matrix or other labels.

    `keeps` is true if the same points can be trained on again with another C, so that it is useful
    to keep the columns. The method `auto` then uses no working sets.
    """

    def __init__(self, keeps: bool = True) -> None:
        self.keeps = keeps
        self.kept: ColumnCache | None = None
        self.memory: np.ndarray | None = None

    def next_problem(self) -> None:
        """Forget the columns, but keep the memory for the columns of the next problem."""
        self.kept = None

    def cache(
        self,
        problem: SimplexProblem,
        cache_mb: float,
        dtype: DTypeLike,
        workers: Workers | None = None,
        whole: bool = True,
    ) -> ColumnCache:
        """Return the `ColumnCache` of a problem for columns of type `dtype`. The cache can contain
        columns that were computed for other values of C. It then keeps the `cache_mb` and `whole`
        of the call that made it.

        Only the type and the number of points are compared with those of the last call. The caller
        must make sure that the columns belong to this problem (see `next_problem`).
        """
        if (
            self.kept is not None
            and self.kept.dtype == dtype
            and self.kept.arrays.columns.shape[1] == problem.size
        ):
            self.kept.change_shift(problem, workers)
        else:
            size = int(cache_mb * 1e6)
            useful = min(size, 8 * max(problem.size, _LEAST_SLOTS) ** 2)
            if self.memory is None or len(self.memory) < useful:
                try:
                    # Memory that is never written takes no space, because the operating system
                    # provides each page of memory only when the page is first written.
                    self.memory = np.empty(size, np.uint8)
                except MemoryError:
                    self.memory = np.empty(useful, np.uint8)
            self.kept = ColumnCache(problem, cache_mb, dtype, self.memory, workers, whole)
        return self.kept


class CoresetColumns:
    """A cache of columns of Q over a growing coreset, in one block of memory.

    Each column has the length `capacity`.
    """

    def __init__(self, capacity: int, cache_mb: float, dtype: DTypeLike) -> None:
        self.memory = np.empty(
            int(room_for_columns(cache_mb) * 1e6 // np.dtype(dtype).itemsize), dtype
        )
        self.capacity = capacity
        self.slots = new_slots(self._slots_for(capacity), capacity)
        self.columns = self._rows(capacity)

    @property
    def megabytes(self) -> float:
        return self.memory.nbytes / 1e6

    def _slots_for(self, capacity: int) -> int:
        return min(capacity, max(_LEAST_SLOTS, len(self.memory) // capacity))

    def _rows(self, capacity: int) -> np.ndarray:
        """Return the memory as rows of `capacity` numbers.

        The memory must have room for at least three rows, or for `capacity` rows if `capacity` is
        less than 3. Otherwise, more memory is allocated.
        """
        n_slots = self._slots_for(capacity)
        if n_slots * capacity > len(self.memory):
            grown = np.empty(n_slots * capacity, self.memory.dtype)
            grown[: len(self.memory)] = self.memory
            self.memory = grown
        return self.memory[: n_slots * capacity].reshape(n_slots, capacity)

    @property
    def arrays(self) -> Cache:
        return Cache(self.columns, self.slots)

    def grow(self, capacity: int) -> None:
        """Lengthen the cached columns to `capacity` in place, and remove columns that no longer
        fit.
        """
        old, old_capacity, slots = self.columns, self.capacity, self.slots
        self.slots = new_slots(self._slots_for(capacity), capacity)
        owners = cached(slots)[: len(self.slots.owner)]  # the first slots keep their columns
        _fill_slots(self.slots, owners, slots.used[: len(owners)])
        self.columns, self.capacity = self._rows(capacity), capacity
        if old.base is not self.columns.base and old.base is not self.memory:
            old = self.memory[: len(old) * old_capacity].reshape(len(old), old_capacity)
        # Rows move to higher addresses. The last row moves first, because an earlier row could
        # overwrite it.
        for row in range(len(cached(self.slots)) - 1, -1, -1):
            self.columns[row, :old_capacity] = old[row].copy()

    def append(self, place: int, row: np.ndarray) -> None:
        """Write the entry of a new point into every cached column.

        The point has the index `place` in the coreset. `row` (n,) is its column of Q over the n
        points that were in the coreset before.
        """
        owners = cached(self.slots)
        self.columns[: len(owners), place] = row[owners]


def _fill_slots(slots: Slots, owners: np.ndarray, used: np.ndarray) -> None:
    filled = slots.clock[_FILLED] = len(owners)
    slots.owner[:filled], slots.used[:filled], slots.slot_of[owners] = (
        owners,
        used,
        np.arange(filled),
    )
