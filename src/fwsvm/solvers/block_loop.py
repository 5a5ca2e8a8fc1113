"""A fast loop that minimises a'Qa over a small block of points.

CVM uses the loop for the QP over its coreset, and `auto` uses it for working sets and for small
pairs of classes.

A step takes the time of two passes over the points of the block, and less than 0.2 us more. The
time of a step does not depend on the number of all points. The columns of Q contain only the points
of the block, so both passes read contiguous memory and are vectorised.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.problems.column_cache import new_slots
from fwsvm.solvers.passes import add_difference, first_lowest
from fwsvm.solvers.state import INACTIVE, Reason, Step
from fwsvm.solvers.steps import count_step, move_weight
from fwsvm.solvers.vertices import best_partner

if TYPE_CHECKING:
    from fwsvm.machine_code.signatures import Index
    from fwsvm.problems.column_cache import Slots
    from fwsvm.solvers.state import State


@lru_cache(maxsize=8)
def all_slots(n: int) -> Slots:
    """Return the `Slots` of a block whose n columns are all stored, in the order of the points."""
    slots = new_slots(n, n)
    slots.slot_of[:] = np.arange(n)
    return slots


def set_block(state: State, a: np.ndarray, s: np.ndarray, diagonal: np.ndarray) -> None:
    """Write the weights a, the gradient s and diag(Q) of a block of n points, all float64 (n,),
    into the first entries of `state`.
    """
    n, active = len(a), np.flatnonzero(a)
    state.a[:n], state.s[:n], state.diagonal[:n] = a, s, diagonal
    state.penalty[:n], state.position[:n] = INACTIVE, -1
    state.active[: len(active)] = active
    state.position[active], state.penalty[active] = np.arange(len(active)), 0.0
    state.count.active_size = len(active)


@compiled(inline=True)
def _extremes(state: State, n: int) -> tuple[Index, float]:
    """Return the index of the point with the lowest gradient in the block, and the highest gradient
    of an active point.
    """
    s, penalty = state.s, state.penalty
    i, high = np.int64(0), -np.inf
    for r in range(n):
        if s[r] < s[i]:
            i = np.int64(r)
        high = max(high, s[r] + penalty[r])
    return i, high


@compiled
def minimise_block(
    state: State,
    n: int,
    columns: np.ndarray,
    slots: Slots,
    tolerance: float,
    shortest: float,
    limit: int,
) -> Reason:
    """Move weight between pairs of points (nanculef2014 eq. 23) until the highest gradient of an
    active point exceeds the lowest gradient by at most `tolerance`.

    The block consists of the first n points of `state`. The array `columns` contains columns of Q
    over the block. This array has n_slots rows of at least n numbers. `slots`
    (`fwsvm.problems.column_cache.Slots`) has the row of each stored column.

    Return the `Reason` why the loop ended. CONVERGED is also the reason if the length of a step was
    at most `shortest`. PAUSED means that `limit` iterations are done in total. NEEDS_COLUMN means
    that a column is not stored, and `state.count.missing` is the index of this column. If it is
    the column of the point that loses weight, `state.count.pending` is the index of the other
    column that the step needs.
    """
    count, real, s = state.count, state.real, state.s
    slot_of, used = slots.slot_of, slots.used
    i, high = _extremes(state, n)
    while high - s[i] > tolerance:
        if count.iterations >= limit:
            return Reason.PAUSED
        slot_i = slot_of[i]
        if slot_i < 0:
            count.missing = i
            return Reason.NEEDS_COLUMN
        j = best_partner(state, 0, n, i, columns[slot_i])[1]
        slot_j = slot_of[j]
        if slot_j < 0:
            count.missing = j
            count.pending = i
            return Reason.NEEDS_COLUMN
        used[slot_i] = 1
        used[slot_j] = 1
        length = move_weight(state, i, j, columns[slot_i][j])
        low, tile, high, _ = add_difference(state, 0, n, length, columns[slot_i], columns[slot_j])
        i = first_lowest(s[:n], tile, low)
        count.swap_steps += 1
        count_step(state, Step.SWAP)
        if real.step_length <= shortest:
            break
    return Reason.CONVERGED
