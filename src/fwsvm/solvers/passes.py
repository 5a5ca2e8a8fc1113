"""Passes over all points, in tiles that vectorise: update the gradient s by one or two columns, find its extremes."""

import numpy as np

from fwsvm.base.compiled import compiled, fast_max, fast_min

TILE = 256


@compiled
def find_extremes(state, n):
    """Frank-Wolfe vertex argmin s over the first n points, away vertex argmax s over the active ones."""
    count = state.count[0]
    s, penalty = state.s, state.penalty
    i, j = 0, state.active[0]
    for r in range(n):
        if s[r] < s[i]:
            i = r
        if s[r] + penalty[r] > s[j] + penalty[j]:
            j = r
    count.fw_vertex = i
    count.away_vertex = j


@compiled
def _first_lowest(values, begin, target):
    """First place of the tile at `begin` whose value is `target`, searched without branches so that it vectorises."""
    end = min(begin + TILE, values.shape[0])
    part = values[begin:end]
    found = np.int64(TILE)
    for r in range(end - begin):
        found = min(found, r if part[r] <= target else np.int64(TILE))
    if found == TILE:  # the two passes may round differently
        found = np.int64(0)
        for r in range(end - begin):
            if part[r] < part[found]:
                found = np.int64(r)
    return begin + found


@compiled
def _first_highest(values, penalty, begin, target):
    """As `_first_lowest`, for values with their penalties."""
    end = min(begin + TILE, values.shape[0])
    part, quiet = values[begin:end], penalty[begin:end]
    found = np.int64(TILE)
    for r in range(end - begin):
        found = min(found, r if part[r] + quiet[r] >= target else np.int64(TILE))
    if found == TILE:
        found = np.int64(0)
        for r in range(end - begin):
            if part[r] + quiet[r] > part[found] + quiet[found]:
                found = np.int64(r)
    return begin + found


@compiled
def update_one(state, n, scale, factor, column):
    """s <- scale s + factor column over the first n points, and the extremes of the new s."""
    count = state.count[0]
    s, penalty = state.s[:n], state.penalty[:n]
    low, high, low_tile, high_tile = np.inf, -np.inf, np.int64(0), np.int64(0)  # literal zeros would be compiled apart
    for begin in range(0, n, TILE):
        end = min(begin + TILE, n)
        part, quiet, q = s[begin:end], penalty[begin:end], column[begin:end]
        tile_low, tile_high = 1e300, -1e300
        for r in range(end - begin):
            value = scale * part[r] + factor * q[r]
            part[r] = value
            tile_low = fast_min(value, tile_low)
            tile_high = fast_max(value + quiet[r], tile_high)
        if tile_low < low:
            low, low_tile = tile_low, begin
        if tile_high > high:
            high, high_tile = tile_high, begin
    count.fw_vertex = _first_lowest(s, low_tile, low)
    count.away_vertex = _first_highest(s, penalty, high_tile, high)


@compiled
def update_two(state, n, factor, column_i, column_j):
    """s <- s + factor (column_i - column_j) over the first n points, and the extremes of the new s."""
    count = state.count[0]
    s, penalty = state.s[:n], state.penalty[:n]
    low, high, low_tile, high_tile = np.inf, -np.inf, np.int64(0), np.int64(0)  # literal zeros would be compiled apart
    for begin in range(0, n, TILE):
        end = min(begin + TILE, n)
        part, quiet = s[begin:end], penalty[begin:end]
        q_i, q_j = column_i[begin:end], column_j[begin:end]
        tile_low, tile_high = 1e300, -1e300
        for r in range(end - begin):
            value = part[r] + (factor * q_i[r] - factor * q_j[r])
            part[r] = value
            tile_low = fast_min(value, tile_low)
            tile_high = fast_max(value + quiet[r], tile_high)
        if tile_low < low:
            low, low_tile = tile_low, begin
        if tile_high > high:
            high, high_tile = tile_high, begin
    count.fw_vertex = _first_lowest(s, low_tile, low)
    count.away_vertex = _first_highest(s, penalty, high_tile, high)


@compiled
def scale_weights(state, n, factor):
    size = state.count[0].active_size
    if 6 * size < n:
        for p in range(size):
            state.a[state.active[p]] *= factor
    else:
        a = state.a[:n]
        for r in range(n):
            a[r] *= factor
