"""Bounded caches of columns of Q: over all points, and over a growing coreset."""

import numpy as np

GRAM_POINTS = 2048
# One column in so many is computed on its own before all are.
GRAM_SHARE = 16
_LEAST_SLOTS = 3


class Slots:
    """Which column lies in which slot; a full table gives away the slot that the clock's hand finds unused.

    Attributes
    ----------
    slot_of : int32 array
        Slot of each column, -1 where it is not cached.
    owner : int32 array
        Column in each slot.
    used : uint8 array
        Set by the compiled loops when they use a slot, cleared by the passing hand.
    filled : int
        Slots given away so far.
    """

    def __init__(self, n_slots, n_columns):
        self.slot_of = np.full(n_columns, -1, dtype=np.int32)
        self.owner = np.full(n_slots, -1, dtype=np.int32)
        self.used = np.zeros(n_slots, dtype=np.uint8)
        self.filled = self.hand = 0

    def claim(self, i, keep=-1):
        """A slot for column i, never that of column `keep`; its content is to be written by the caller."""
        if self.filled < len(self.owner):
            slot = self.filled
            self.filled += 1
        else:
            while self.used[self.hand] or self.owner[self.hand] == keep:
                self.used[self.hand] = 0
                self.hand = (self.hand + 1) % len(self.owner)
            slot = self.hand
            self.hand = (slot + 1) % len(self.owner)
            self.slot_of[self.owner[slot]] = -1
        self.owner[slot], self.slot_of[i], self.used[slot] = i, slot, 1
        return slot

    def resized(self, n_slots, n_columns):
        """A table for more columns and perhaps fewer slots; slots below `n_slots` keep their content."""
        table = Slots(n_slots, n_columns)
        table.filled = min(self.filled, n_slots)
        table.owner[: table.filled] = self.owner[: table.filled]
        table.used[: table.filled] = self.used[: table.filled]
        table.slot_of[table.owner[: table.filled]] = np.arange(table.filled)
        return table


class ColumnCache:
    """Columns of Q over all m points within a memory bound.

    A small problem (`GRAM_POINTS`) that has asked for a part of its columns gets all of them at once: short runs pay
    for what they use, long ones do not return to Python for every column.

    Parameters
    ----------
    problem : KernelProblem or MatrixProblem
    cache_mb : float
        Bound in MB (1e6 bytes); at least three columns are always kept.
    dtype : float32 or float64
    """

    def __init__(self, problem, cache_mb, dtype):
        self.problem, self.dtype = problem, np.dtype(dtype)
        m = problem.size
        n_slots = int(cache_mb * 1e6 // (m * self.dtype.itemsize))
        self.fill_at = m // GRAM_SHARE + 1 if m <= GRAM_POINTS and n_slots >= m else m + 1
        self.slots = Slots(min(m, max(n_slots, _LEAST_SLOTS)), m)
        self.columns = np.empty((len(self.slots.owner), m), self.dtype)

    @property
    def arrays(self):
        """What the compiled loops take."""
        return self.columns, self.slots.slot_of, self.slots.used

    def _fill(self):
        """Compute all columns."""
        self.problem.fill_gram(self.columns)
        self.slots.slot_of[:] = self.slots.owner[:] = np.arange(self.problem.size)
        self.slots.filled = self.problem.size

    def load(self, i, keep=-1):
        """Make sure column i is cached, without evicting column `keep`; returns it."""
        slots = self.slots
        if slots.filled == self.fill_at and slots.slot_of[i] < 0:
            self._fill()
        slot = slots.slot_of[i]
        if slot < 0:
            slot = slots.claim(i, keep)
            self.problem.fill_column(i, self.columns[slot])
        slots.used[slot] = 1
        return self.columns[slot]


class CoresetColumns:
    """Columns of Q over a coreset that grows, each `capacity` long, in one block of memory of fixed size.

    Parameters
    ----------
    capacity : int
        Points there is room for.
    cache_mb : float
        Bound in MB (1e6 bytes); at least three columns are always kept.
    dtype : float32 or float64
    """

    def __init__(self, capacity, cache_mb, dtype):
        self.memory = np.empty(int(cache_mb * 1e6 // np.dtype(dtype).itemsize), dtype)
        self.capacity = capacity
        self.slots = Slots(self._slots_for(capacity), capacity)
        self.columns = self._rows(capacity)

    def _slots_for(self, capacity):
        return min(capacity, max(_LEAST_SLOTS, len(self.memory) // capacity))

    def _rows(self, capacity):
        """View of the memory as rows of `capacity` numbers; it grows only where three rows do not fit."""
        n_slots = self._slots_for(capacity)
        if n_slots * capacity > len(self.memory):
            grown = np.empty(n_slots * capacity, self.memory.dtype)
            grown[: len(self.memory)] = self.memory
            self.memory = grown
        return self.memory[: n_slots * capacity].reshape(n_slots, capacity)

    @property
    def arrays(self):
        """What the compiled loops take."""
        return self.columns, self.slots.slot_of, self.slots.used

    def grow(self, capacity):
        """Make the columns longer in place; columns that no longer fit are dropped."""
        old, old_capacity = self.columns, self.capacity
        self.slots = self.slots.resized(self._slots_for(capacity), capacity)
        self.columns, self.capacity = self._rows(capacity), capacity
        if old.base is not self.columns.base and old.base is not self.memory:
            old = self.memory[: len(old) * old_capacity].reshape(len(old), old_capacity)
        for row in range(self.slots.filled - 1, -1, -1):  # backwards: a row moves only onto rows that have moved
            self.columns[row, :old_capacity] = old[row].copy()

    def append(self, place, row):
        """Entry `place` of every cached column, from the new point's own column `row`."""
        filled = self.slots.filled
        self.columns[:filled, place] = row[self.slots.owner[:filled]]
