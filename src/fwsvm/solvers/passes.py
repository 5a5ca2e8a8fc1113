"""The functions that steps call by address: a method's `select_step`, the update of the gradient,
and the search for the point that loses weight in a swap step.

Because these functions are called by address, each of them is compiled only once for all loops.
Threads can share the update and the search. The results do not depend on the number of threads.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.machine_code.compiled import (
    array_at,
    call,
    compiled,
    fast_max,
    fast_min,
    machine_address,
)
from fwsvm.machine_code.team import run_team_call
from fwsvm.solvers.state import PASS_RECORD, new_record_of, state_at
from fwsvm.solvers.vertices import SEARCH_TILE, best_partner

if TYPE_CHECKING:
    from numba.core.dispatcher import Dispatcher
    from numpy.typing import DTypeLike

    from fwsvm.machine_code.signatures import Index, Precision, Record
    from fwsvm.machine_code.team import TeamCall
    from fwsvm.machine_code.threads import Workers
    from fwsvm.solvers.state import State


class Passes:
    """An object that writes the addresses of the passes into a state.

    A pass is a compiled function that visits all points once and reads columns of type `dtype`. The
    threads of `workers` share its work if the state has enough points. The state contains addresses
    of data of the `Passes` object. Therefore this object must exist as long as the state is used.
    """

    def __init__(self, state: State, dtype: DTypeLike, workers: Workers | None = None) -> None:
        self.record, self.dtype = new_record_of(state), np.dtype(dtype)
        self.calls: list[TeamCall] = []
        parts = workers.parts(self.record) if workers else None
        if workers is None or parts is None:
            state.passes[:] = (_whole_code(self.dtype)[0], self.record.ctypes.data), (0, 0)
            return
        for place, (work, merge) in enumerate(
            ((_update, _merge_extremes), (_find_partner, _merge_partners))
        ):
            self.calls.append(workers.team_call(_part_code(work, self.dtype)[0], parts))
            state.passes[place] = _merge_code(merge)[0], self.calls[-1].record.ctypes.data

    def choice(self, select_step: Dispatcher) -> np.ndarray:
        """Return two addresses for `choose`: those of a method's `select_step` and of its data."""
        return np.array([_choice_code(select_step, self.dtype)[0], self.record.ctypes.data])


@compiled(inline=True)
def choose(choice: np.ndarray, i: int, column_i: np.ndarray) -> tuple[int, int, int]:
    """Call the `select_step` of a method, and return the next step (kind, i, j).

    `choice` is the value of `Passes.choice` for this `select_step`.
    """
    call(choice[0], choice[1], i, column_i.ctypes.data)
    record = array_at(choice[1], 1, PASS_RECORD)[0]
    return record.kind, record.i, record.j


@cache
def _choice_code(select_step: Dispatcher, dtype: np.dtype) -> tuple[int, Any]:
    dtype = dtype.type

    def choice(data: int, i: int, column_i: int) -> None:
        record = array_at(data, 1, PASS_RECORD)[0]
        m = record.size
        record.kind, record.i, record.j = select_step(
            state_at(record), m, i, array_at(column_i, m, dtype)
        )

    return machine_address(choice)


@cache
def _whole_code(dtype: np.dtype) -> tuple[int, Any]:
    dtype = dtype.type

    def whole(data: int, i: int, j: int) -> None:
        parts = array_at(data, 1, PASS_RECORD)
        state = state_at(parts[0])
        _update(parts[0], state, dtype, i, j)
        _merge_extremes(parts, state)

    return machine_address(whole)


@cache
def _part_code(work: Dispatcher, dtype: np.dtype) -> tuple[int, Any]:
    dtype = dtype.type

    def part(data: int, i: int, j: int) -> None:
        record = array_at(data, 1, PASS_RECORD)[0]
        work(record, state_at(record), dtype, i, j)

    return machine_address(part)


@cache
def _merge_code(merge: Dispatcher) -> tuple[int, Any]:
    def shared(address: int, i: int, j: int) -> None:
        parts = array_at(*run_team_call(address, i, j), PASS_RECORD)
        merge(parts, state_at(parts[0]))

    return machine_address(shared)


@compiled(inline=True)
def _update(record: Record, state: State, dtype: Precision, i: int, j: int) -> None:
    """Set s <- scale * s + factor * column i. If j is not 0, set s <- s + factor * (column i -
    column j) instead.

    `i` and `j` are the addresses of the columns. Only the entries from `begin` to `end` are
    updated. The lowest of these entries, and the highest one of an active point, are written to
    the record, with their indices.
    """
    first, n = record.begin, fast_min(record.end, state.count.length)
    column_i, column_j = array_at(i, record.size, dtype), array_at(j, record.size, dtype)
    if j == 0:
        found = _scale_and_add(state, first, n, state.real.scale, state.real.factor, column_i)
    else:
        found = add_difference(state, first, n, state.real.factor, column_i, column_j)
    record.low, low_tile, record.high, high_tile = found
    record.i = first_lowest(state.s[:n], low_tile, record.low)
    record.j = _first_highest(state.s[:n], state.penalty[:n], high_tile, record.high)


@compiled(inline=True)
def _scale_and_add(
    state: State, first: int, n: int, scale: float, factor: float, column: np.ndarray
) -> tuple[float, int, float, int]:
    """Set s <- scale * s + factor * column for the points from `first` to n.

    Return the same four values as `add_difference`.
    """
    s, penalty = state.s[:n], state.penalty[:n]
    low, high = np.inf, -np.inf
    low_tile, high_tile = first, first
    for begin in range(first, n, SEARCH_TILE):
        end = fast_min(begin + SEARCH_TILE, n)
        part, marks, q = s[begin:end], penalty[begin:end], column[begin:end]
        tile_low, tile_high = 1e300, -1e300
        for r in range(end - begin):
            value = scale * part[r] + factor * q[r]
            part[r] = value
            tile_low = fast_min(value, tile_low)
            tile_high = fast_max(value + marks[r], tile_high)
        if tile_low < low:
            low, low_tile = tile_low, begin
        if tile_high > high:
            high, high_tile = tile_high, begin
    return low, low_tile, high, high_tile


@compiled(inline=True)
def add_difference(
    state: State, first: int, n: int, factor: float, column_i: np.ndarray, column_j: np.ndarray
) -> tuple[float, int, float, int]:
    """Set s <- s + factor * (column_i - column_j) for the points from `first` to n.

    Return four values: the lowest s, the start of its tile, the highest s of an active point, and
    the start of its tile.
    """
    s, penalty = state.s[:n], state.penalty[:n]
    low, high = np.inf, -np.inf
    low_tile, high_tile = first, first
    for begin in range(first, n, SEARCH_TILE):
        end = fast_min(begin + SEARCH_TILE, n)
        part = s[begin:end]
        marks = penalty[begin:end]
        q_i = column_i[begin:end]
        q_j = column_j[begin:end]
        tile_low, tile_high = 1e300, -1e300
        for r in range(end - begin):
            value = part[r] + (factor * q_i[r] - factor * q_j[r])
            part[r] = value
            tile_low = fast_min(value, tile_low)
            tile_high = fast_max(value + marks[r], tile_high)
        if tile_low < low:
            low, low_tile = tile_low, begin
        if tile_high > high:
            high, high_tile = tile_high, begin
    return low, low_tile, high, high_tile


@compiled
def first_lowest(values: np.ndarray, begin: int, target: float) -> Index:
    """Return the index in `values` of the lowest value of a tile. Among tied values, it is the
    smallest index.

    The tile starts at `begin`. `target` is the lowest value that an earlier loop found in the tile.
    For speed, the search for `target` has no branches.
    """
    end = fast_min(begin + SEARCH_TILE, values.shape[0])
    part = values[begin:end]
    found = np.int64(SEARCH_TILE)
    for r in range(end - begin):
        found = fast_min(found, r if part[r] <= target else np.int64(SEARCH_TILE))
    # no value equals `target` if the loop that found `target` rounds differently
    if found == SEARCH_TILE:
        found = np.int64(0)
        for r in range(end - begin):
            if part[r] < part[found]:
                found = np.int64(r)
    return begin + found


@compiled
def _first_highest(values: np.ndarray, penalty: np.ndarray, begin: int, target: float) -> Index:
    """Return the index of the largest sum of a value and its penalty in a tile. Among tied sums, it
    is the smallest index (compare `first_lowest`).
    """
    end = fast_min(begin + SEARCH_TILE, values.shape[0])
    part, marks = values[begin:end], penalty[begin:end]
    found = np.int64(SEARCH_TILE)
    for r in range(end - begin):
        found = fast_min(found, r if part[r] + marks[r] >= target else np.int64(SEARCH_TILE))
    if found == SEARCH_TILE:
        found = np.int64(0)
        for r in range(end - begin):
            if part[r] + marks[r] > part[found] + marks[found]:
                found = np.int64(r)
    return begin + found


@compiled
def _merge_extremes(parts: np.ndarray, state: State) -> None:
    low, high = parts[0], parts[0]
    for t in range(1, parts.shape[0]):
        if parts[t].low < low.low:
            low = parts[t]
        if parts[t].high > high.high:
            high = parts[t]
    state.count.fw_vertex, state.count.away_vertex = low.i, high.j


@compiled(inline=True)
def _find_partner(record: Record, state: State, dtype: Precision, i: int, j: int) -> None:
    column = array_at(j, record.size, dtype)
    record.high, record.j = best_partner(state, record.begin, record.end, i, column)


@compiled
def _merge_partners(parts: np.ndarray, state: State) -> None:
    best = parts[0]
    for t in range(1, parts.shape[0]):
        if parts[t].high > best.high:
            best = parts[t]
    state.count.partner = best.j
