"""The stopping rules, the three kinds of steps with exact line search, and the updates of the
gradient.

The weights are a, and the objective is R = a'Qa. In this package, s = Qa (half the gradient of R)
is called the gradient, and its entry s_i is the gradient at point i.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.machine_code.compiled import call, compiled
from fwsvm.solvers.state import Step, StopRule, activate, deactivate, refresh_objective

if TYPE_CHECKING:
    from fwsvm.solvers.state import State


def find_extremes(state: State, n: int) -> None:
    """Store the Frank-Wolfe vertex and the away vertex in the state.

    The Frank-Wolfe vertex has the lowest s of the first n points. The away vertex has the highest s
    of the active points.

    Among tied points, the one with the smallest index is chosen. There is one exception: if
    `active[0]` is among the tied points, it becomes the away vertex.
    """
    s, first = state.s[:n], state.active[0]
    active = s + state.penalty[:n]
    highest = active.argmax()
    state.count.fw_vertex = int(s.argmin())
    state.count.away_vertex = first if active[first] == active[highest] else highest


@compiled(inline=True)
def update_one(state: State, n: int, scale: float, factor: float, column: np.ndarray) -> None:
    """Set s <- scale * s + factor * column over the first n points, and find the extremes of the
    new s.
    """
    state.count.length, state.real.scale, state.real.factor = n, scale, factor
    call(state.passes[0, 0], state.passes[0, 1], column.ctypes.data, 0)


@compiled(inline=True)
def update_two(
    state: State, n: int, factor: float, column_i: np.ndarray, column_j: np.ndarray
) -> None:
    """Set s <- s + factor * (column_i - column_j) over the first n points, and find the extremes
    of the new s.
    """
    state.count.length, state.real.factor = n, factor
    call(state.passes[0, 0], state.passes[0, 1], column_i.ctypes.data, column_j.ctypes.data)


@compiled
def scale_weights(state: State, n: int, factor: float) -> None:
    size = state.count.active_size
    if 6 * size < n:
        for p in range(size):
            state.a[state.active[p]] *= factor
    else:
        a = state.a[:n]
        for r in range(n):
            a[r] *= factor


# Training with working sets, training of small pairs of classes, and training after a certificate
# aim at AIM times the largest gap that the stopping rule allows. The rest is for the rounding
# errors of the last gradient, so that the certified gap seldom exceeds the allowed gap.
AIM = 0.99
# After every _OBJECTIVE_REFRESH iterations, the objective is computed from the weights and the
# gradient. Otherwise, the rounding errors of the updates of the objective would add up.
_OBJECTIVE_REFRESH = 512
# Training ends after MOST_IDLE_STEPS consecutive steps of length 0, because rounding errors then
# hide any progress.
MOST_IDLE_STEPS = 1000


@compiled(inline=True)
def target_gap(rule: int, eps: float, largest_diagonal: float, R: float) -> float:
    """Return the largest duality gap that meets a stopping rule at the objective R.

    The rule `gap` is that of nanculef2014 eq. 8. The rule `meb` is that of frandi2013 Alg. 2 line
    9. The rule `relative` allows the gap eps |R|.
    """
    if rule == StopRule.MEB:
        return (2.0 * eps + eps * eps) * (largest_diagonal - R)
    if rule == StopRule.GAP:
        return eps
    return eps * abs(R)


@compiled(inline=True)
def _toward_step(state: State, n: int, i: int) -> tuple[float, float]:
    """Set a <- (1 - l) a + l e_i. An exact line search finds l in [0, 1]. Return 1 - l and l."""
    count, real = state.count, state.real
    R, s_i, q_ii = real.objective, state.s[i], state.diagonal[i]
    length = min(max((R - s_i) / (q_ii - 2.0 * s_i + R), 0.0), 1.0)
    keep = 1.0 - length
    if keep > 0.0:
        scale_weights(state, n, keep)
    else:
        while count.active_size > 0:
            deactivate(state, np.int64(state.active[count.active_size - 1]))
    if state.position[i] < 0:
        activate(state, i)
    state.a[i] += length
    real.objective = keep * keep * R + 2.0 * length * keep * s_i + length * length * q_ii
    real.step_length = length
    return keep, length


@compiled(inline=True)
def _away_step(state: State, n: int, j: int) -> tuple[float, float]:
    """Set a <- (1 + l) a - l e_j. An exact line search finds l in [0, a_j / (1 - a_j)].

    If l = a_j / (1 - a_j), point j becomes inactive (frandi2013 Alg. 3, with corrected signs).

    Return 1 + l and -l.
    """
    real = state.real
    R, s_j, q_jj, a_j = real.objective, state.s[j], state.diagonal[j], state.a[j]
    length = max((s_j - R) / (q_jj - 2.0 * s_j + R), 0.0)
    bound = a_j / (1.0 - a_j) if a_j < 1.0 else np.inf
    drops = length >= bound
    length = min(length, bound)
    scale_weights(state, n, 1.0 + length)
    if drops:
        deactivate(state, j)
        state.count.drop_steps += 1
    else:
        state.a[j] -= length
    grow = 1.0 + length
    real.objective = grow * grow * R - 2.0 * length * grow * s_j + length * length * q_jj
    real.step_length = length
    return grow, -length


@compiled(inline=True)
def move_weight(state: State, i: int, j: int, q_ij: float) -> float:
    """Set a <- a + l (e_i - e_j), and update the objective. An exact line search finds l in [0,
    a_j].

    Return the step length l. The gradient is not updated.

    If l = a_j, point j becomes inactive (nanculef2014 Alg. 4, with a corrected bound).
    """
    real = state.real
    rise = state.s[j] - state.s[i]
    curvature = state.diagonal[i] - 2.0 * q_ij + state.diagonal[j]
    length = max(rise / curvature, 0.0) if curvature > 0.0 else np.inf
    drops = length >= state.a[j]
    length = min(length, state.a[j])
    if state.a[i] + length == state.a[i] and state.a[j] - length == state.a[j]:
        length = 0.0  # the step is so short that rounding leaves both weights unchanged
    if drops:
        deactivate(state, j)
        state.count.drop_steps += 1
    else:
        state.a[j] -= length
    if state.position[i] < 0:
        activate(state, i)
    state.a[i] += length
    real.objective += length * length * curvature - 2.0 * length * rise
    real.step_length = length
    return length


@compiled(inline=True)
def swap_step(
    state: State, n: int, i: int, j: int, column_i: np.ndarray, column_j: np.ndarray
) -> None:
    """Move weight from j to i, and update the gradient of the first n points."""
    update_two(state, n, move_weight(state, i, j, column_i[j]), column_i, column_j)
    state.count.swap_steps += 1
    count_step(state, Step.SWAP)


@compiled(inline=True)
def take_step(
    state: State, n: int, kind: int, i: int, j: int, column_i: np.ndarray, column_j: np.ndarray
) -> None:
    if kind == Step.SWAP:
        swap_step(state, n, i, j, column_i, column_j)
        return
    if kind == Step.TOWARD:
        scale, factor = _toward_step(state, n, i)
    else:
        scale, factor = _away_step(state, n, j)
        column_i = column_j
        state.count.away_steps += 1
    update_one(state, n, scale, factor, column_i)
    count_step(state, kind)


@compiled(inline=True)
def count_step(state: State, kind: int) -> None:
    count = state.count
    count.last_step = kind
    count.iterations += 1
    count.idle_steps = count.idle_steps + 1 if state.real.step_length == 0.0 else 0
    if count.iterations % _OBJECTIVE_REFRESH == 0:
        refresh_objective(state)
