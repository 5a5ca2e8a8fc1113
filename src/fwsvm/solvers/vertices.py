"""Compiled searches for the vertices that a method can choose in addition to the Frank-Wolfe vertex
i*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.machine_code.compiled import call, compiled, fast_max, fast_min

if TYPE_CHECKING:
    from fwsvm.machine_code.signatures import Index
    from fwsvm.solvers.state import State

SEARCH_TILE = 256  # number of points in a tile; a search over all points goes tile by tile


@compiled
def highest_active(state: State) -> int:
    """Return the active point that had the highest gradient (nanculef2014 eq. 13) after the last
    update of s.
    """
    return state.count.away_vertex


@compiled
def lowest_active(state: State) -> int:
    """Return the active point with the lowest gradient. Among tied points, it is the one with the
    smallest index.
    """
    lowest: int = state.active[0]
    for p in range(1, state.count.active_size):
        r = state.active[p]
        if state.s[r] < state.s[lowest] or (state.s[r] == state.s[lowest] and r < lowest):
            lowest = r
    return lowest


@compiled
def second_order_away_vertex(state: State) -> int:
    """Among the active points with s_j > R and Q_jj - 2 s_j + R > 0, return the point j with the
    largest (s_j - R)^2 / (Q_jj - 2 s_j + R).

    If there is no such point, return -1.
    """
    R, best, j = state.real.objective, 0.0, -1
    for p in range(state.count.active_size):
        r = state.active[p]
        rise, curvature = state.s[r] - R, state.diagonal[r] - 2.0 * state.s[r] + R
        # if only one point is active, `rise` and `curvature` consist of rounding errors
        if rise > 0.0 and curvature > 0.0:
            gain = rise * rise / curvature
            if gain > best or (gain == best and r < j):
                best, j = gain, r
    return j


@compiled(inline=True)
def second_order_vertex(state: State, n: int, i: int, column_i: np.ndarray) -> Index:
    """Among the active points with s_j > s_i, return the point j with the largest (s_j - s_i)^2 /
    (Q_ii - 2 Q_ij + Q_jj) (nanculef2014 eq. 23).

    If no active point has s_j > s_i, return -1.
    """
    s, diagonal, active = state.s, state.diagonal, state.active
    size = state.count.active_size
    s_i, q_ii = s[i], diagonal[i]
    # If few points are active, only the active points are visited. Otherwise, a loop over all
    # points in their order is faster.
    if 32 * size < n:
        best, j = 0.0, -1  # the result is -1 if no active point has s_j > s_i
        for p in range(size):
            r = active[p]
            rise = s[r] - s_i
            if rise > 0.0:
                gain = rise * rise / fast_max(q_ii - 2.0 * column_i[r] + diagonal[r], 1e-300)
                if gain > best or (gain == best and r < j):
                    best, j = gain, r
        return j
    if state.passes[1, 0] != 0:
        call(state.passes[1, 0], state.passes[1, 1], i, column_i.ctypes.data)
        return state.count.partner
    return best_partner(state, 0, n, i, column_i)[1]


@compiled(inline=True)
def best_partner(
    state: State, first: int, n: int, i: int, column_i: np.ndarray
) -> tuple[float, Index]:
    """Find the best partner j of point i among the points from `first` up to n (exclusive).

    The best partner is the active point with s_j > s_i and the largest (s_j - s_i)^2 / (Q_ii - 2
    Q_ij + Q_jj), as in `second_order_vertex`. Return this largest value, and the point j. If there
    is no such point, return 0 and -1.
    """
    s, diagonal, penalty = state.s, state.diagonal, state.penalty
    s_i, q_ii = s[i], diagonal[i]
    best, best_tile = 0.0, np.int64(-1)
    for begin in range(first, n, SEARCH_TILE):
        end = fast_min(begin + SEARCH_TILE, n)
        part = s[begin:end]
        marks = penalty[begin:end]
        q = column_i[begin:end]
        d = diagonal[begin:end]
        tile_best = 0.0
        for r in range(end - begin):
            rise = fast_max(part[r] - s_i + marks[r], 0.0)
            tile_best = fast_max(
                rise * rise / fast_max(q_ii - 2.0 * q[r] + d[r], 1e-300), tile_best
            )
        if tile_best > best:
            best, best_tile = tile_best, begin
    if best_tile < 0:
        return best, best_tile
    end = fast_min(best_tile + SEARCH_TILE, n)
    part = s[best_tile:end]
    marks = penalty[best_tile:end]
    q = column_i[best_tile:end]
    d = diagonal[best_tile:end]
    found = np.int64(SEARCH_TILE)
    for r in range(end - best_tile):
        rise = fast_max(part[r] - s_i + marks[r], 0.0)
        gain = rise * rise / fast_max(q_ii - 2.0 * q[r] + d[r], 1e-300)
        found = fast_min(found, r if gain >= best else np.int64(SEARCH_TILE))
    if found == SEARCH_TILE:
        highest, found = -1.0, np.int64(0)
        for r in range(end - best_tile):
            rise = fast_max(part[r] - s_i + marks[r], 0.0)
            gain = rise * rise / fast_max(q_ii - 2.0 * q[r] + d[r], 1e-300)
            if gain > highest:
                highest, found = gain, np.int64(r)
    return best, best_tile + found
