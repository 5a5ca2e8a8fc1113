"""Closed-form steps on the simplex QP and the fused passes that carry them out.

State of every method: the weights a, the scores s = Qa and the objective R = a's, over a universe of n points (all m of
them, or a coreset). One pass over the points updates s and finds the extreme scores for the next step.
"""

from collections import namedtuple

import numpy as np

from fwsvm.base.compiled import compiled, fast_max, fast_min
from fwsvm.solvers.constants import (
    ACTIVE_SIZE,
    AWAY,
    AWAY_STEPS,
    AWAY_VERTEX,
    DROP_STEPS,
    GAP,
    ITERATIONS,
    LAST_STEP,
    MEB,
    N_COUNTERS,
    N_REALS,
    OBJECTIVE,
    STEP_LENGTH,
    SWAP_STEPS,
    TOWARD,
    TOWARD_VERTEX,
)

TILE = 256
# Added to the scores of inactive points, so that none of them is the largest.
INACTIVE = np.float32(-1e30)
_OBJECTIVE_REFRESH = 512

State = namedtuple("State", "a s penalty diagonal active position real count")
State.__doc__ = (
    """Weights, scores, INACTIVE or 0 per point, diag(Q), active indices, their positions, reals, counters."""
)


def new_state(capacity):
    """An empty state with room for `capacity` points."""
    return State(
        a=np.zeros(capacity),
        s=np.zeros(capacity),
        penalty=np.full(capacity, INACTIVE, dtype=np.float32),
        diagonal=np.zeros(capacity),
        active=np.zeros(capacity, dtype=np.int32),
        position=np.full(capacity, -1, dtype=np.int32),
        real=np.zeros(N_REALS),
        count=np.zeros(N_COUNTERS, dtype=np.int64),
    )


@compiled
def target_gap(rule, eps, largest_diagonal, R):
    """The gap at which a stopping rule is met (nanculef2014 eq. 8; frandi2013 Alg. 2 line 6 for `meb`)."""
    if rule == MEB:
        return (2.0 * eps + eps * eps) * (largest_diagonal - R)
    if rule == GAP:
        return eps
    return eps * abs(R)


@compiled
def activate(state, i):
    """Make point i active."""
    size = state.count[ACTIVE_SIZE]
    state.active[size] = i
    state.position[i] = size
    state.penalty[i] = np.float32(0.0)
    state.count[ACTIVE_SIZE] = size + 1


@compiled
def deactivate(state, j):
    """Drop point j from the active set."""
    last = state.count[ACTIVE_SIZE] - 1
    moved = state.active[last]
    state.active[state.position[j]] = moved
    state.position[moved] = state.position[j]
    state.position[j] = -1
    state.penalty[j] = INACTIVE
    state.a[j] = 0.0
    state.count[ACTIVE_SIZE] = last


@compiled
def find_extremes(state, n):
    """Toward vertex argmin s over the first n points, away vertex argmax s over the active ones."""
    s, penalty = state.s, state.penalty
    i, j = 0, state.active[0]
    for r in range(n):
        if s[r] < s[i]:
            i = r
        if s[r] + penalty[r] > s[j] + penalty[j]:
            j = r
    state.count[TOWARD_VERTEX] = i
    state.count[AWAY_VERTEX] = j


@compiled
def _first_lowest(values, begin, target):
    """First place of the tile at `begin` whose value is `target`, searched without branches so that it vectorises."""
    end = min(begin + TILE, values.shape[0])
    part = values[begin:end]
    found = np.int64(TILE)
    for r in range(end - begin):
        found = min(found, r if part[r] <= target else np.int64(TILE))
    if found == TILE:  # nothing may rest on two passes rounding alike
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
    s, penalty = state.s[:n], state.penalty[:n]
    low, high, low_tile, high_tile = np.inf, -np.inf, 0, 0
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
    state.count[TOWARD_VERTEX] = _first_lowest(s, low_tile, low)
    state.count[AWAY_VERTEX] = _first_highest(s, penalty, high_tile, high)


@compiled
def update_two(state, n, factor, column_i, column_j):
    """s <- s + factor (column_i - column_j) over the first n points, and the extremes of the new s."""
    s, penalty = state.s[:n], state.penalty[:n]
    low, high, low_tile, high_tile = np.inf, -np.inf, 0, 0
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
    state.count[TOWARD_VERTEX] = _first_lowest(s, low_tile, low)
    state.count[AWAY_VERTEX] = _first_highest(s, penalty, high_tile, high)


@compiled
def second_order_vertex(state, n, i, column_i):
    """argmax over active j, s_j > s_i, of (s_j - s_i)^2 / (Q_ii - 2 Q_ij + Q_jj) (nanculef2014 eq. 23); -1 if none."""
    s, diagonal, penalty, active = state.s, state.diagonal, state.penalty, state.active
    size = state.count[ACTIVE_SIZE]
    s_i, q_ii = s[i], diagonal[i]
    if 6 * size < n:
        best, j = 0.0, -1
        for p in range(size):
            r = active[p]
            rise = s[r] - s_i
            if rise > 0.0:
                gain = rise * rise / fast_max(q_ii - 2.0 * column_i[r] + diagonal[r], 1e-300)
                if gain > best or (gain == best and r < j):
                    best, j = gain, r
        return j
    best, best_tile = 0.0, -1
    for begin in range(0, n, TILE):
        end = min(begin + TILE, n)
        part, quiet, q, d = s[begin:end], penalty[begin:end], column_i[begin:end], diagonal[begin:end]
        tile_best = 0.0
        for r in range(end - begin):
            rise = fast_max(part[r] - s_i + quiet[r], 0.0)
            tile_best = fast_max(rise * rise / fast_max(q_ii - 2.0 * q[r] + d[r], 1e-300), tile_best)
        if tile_best > best:
            best, best_tile = tile_best, begin
    if best_tile < 0:
        return -1
    end = min(best_tile + TILE, n)
    part, quiet, q, d = s[best_tile:end], penalty[best_tile:end], column_i[best_tile:end], diagonal[best_tile:end]
    found = np.int64(TILE)
    for r in range(end - best_tile):
        rise = fast_max(part[r] - s_i + quiet[r], 0.0)
        gain = rise * rise / fast_max(q_ii - 2.0 * q[r] + d[r], 1e-300)
        found = min(found, r if gain >= best else np.int64(TILE))
    if found == TILE:
        best, found = -1.0, np.int64(0)
        for r in range(end - best_tile):
            rise = fast_max(part[r] - s_i + quiet[r], 0.0)
            gain = rise * rise / fast_max(q_ii - 2.0 * q[r] + d[r], 1e-300)
            if gain > best:
                best, found = gain, np.int64(r)
    return best_tile + found


@compiled
def _scale_weights(state, n, factor):
    size = state.count[ACTIVE_SIZE]
    if 6 * size < n:
        for p in range(size):
            state.a[state.active[p]] *= factor
    else:
        a = state.a[:n]
        for r in range(n):
            a[r] *= factor


@compiled
def _toward_step(state, n, i, column_i):
    """a <- (1 - l) a + l e_i with the exact line search, l in [0, 1]."""
    R, s_i, q_ii = state.real[OBJECTIVE], state.s[i], state.diagonal[i]
    length = min(max((R - s_i) / (q_ii - 2.0 * s_i + R), 0.0), 1.0)
    keep = 1.0 - length
    if keep > 0.0:
        _scale_weights(state, n, keep)
    else:
        while state.count[ACTIVE_SIZE] > 0:
            deactivate(state, state.active[state.count[ACTIVE_SIZE] - 1])
    if state.position[i] < 0:
        activate(state, i)
    state.a[i] += length
    state.real[OBJECTIVE] = keep * keep * R + 2.0 * length * keep * s_i + length * length * q_ii
    state.real[STEP_LENGTH] = length
    update_one(state, n, keep, length, column_i)


@compiled
def _away_step(state, n, j, column_j):
    """a <- (1 + l) a - l e_j, l up to a_j / (1 - a_j), where j is dropped (frandi2013 Alg. 3 with its signs mended)."""
    R, s_j, q_jj, a_j = state.real[OBJECTIVE], state.s[j], state.diagonal[j], state.a[j]
    length = max((s_j - R) / (q_jj - 2.0 * s_j + R), 0.0)
    bound = a_j / (1.0 - a_j) if a_j < 1.0 else np.inf
    drops = length >= bound
    length = min(length, bound)
    _scale_weights(state, n, 1.0 + length)
    if drops:
        deactivate(state, j)
        state.count[DROP_STEPS] += 1
    else:
        state.a[j] -= length
    grow = 1.0 + length
    state.real[OBJECTIVE] = grow * grow * R - 2.0 * length * grow * s_j + length * length * q_jj
    state.real[STEP_LENGTH] = length
    update_one(state, n, grow, -length, column_j)


@compiled
def _swap_step(state, n, i, j, column_i, column_j):
    """a <- a + l (e_i - e_j), l up to a_j, where j is dropped (nanculef2014 Alg. 4 with its clip mended)."""
    rise = state.s[j] - state.s[i]
    curvature = state.diagonal[i] - 2.0 * column_i[j] + state.diagonal[j]
    length = max(rise / curvature, 0.0) if curvature > 0.0 else np.inf
    drops = length >= state.a[j]
    length = min(length, state.a[j])
    if drops:
        deactivate(state, j)
        state.count[DROP_STEPS] += 1
    else:
        state.a[j] -= length
    if state.position[i] < 0:
        activate(state, i)
    state.a[i] += length
    state.real[OBJECTIVE] += length * length * curvature - 2.0 * length * rise
    state.real[STEP_LENGTH] = length
    update_two(state, n, length, column_i, column_j)


@compiled
def refresh_objective(state):
    """R = a's, against the drift of its recursion."""
    total = 0.0
    for p in range(state.count[ACTIVE_SIZE]):
        r = state.active[p]
        total += state.a[r] * state.s[r]
    state.real[OBJECTIVE] = total


@compiled
def take_step(state, n, kind, i, j, column_i, column_j):
    """Carry out one step over the first n points and count it."""
    if kind == TOWARD:
        _toward_step(state, n, i, column_i)
    elif kind == AWAY:
        _away_step(state, n, j, column_j)
        state.count[AWAY_STEPS] += 1
    else:
        _swap_step(state, n, i, j, column_i, column_j)
        state.count[SWAP_STEPS] += 1
    state.count[LAST_STEP] = kind
    state.count[ITERATIONS] += 1
    if state.count[ITERATIONS] % _OBJECTIVE_REFRESH == 0:
        refresh_objective(state)
