"""The papers' formulas: the stopping rules, and the three steps with their closed-form line searches.

The state of every method: the weights a, the scores s = Qa and the objective R = a's (`fwsvm.solvers.state`).
"""

import numpy as np

from fwsvm.base.compiled import compiled
from fwsvm.solvers.constants import Step, StopRule
from fwsvm.solvers.passes import scale_weights, update_one, update_two
from fwsvm.solvers.state import activate, deactivate, refresh_objective

_OBJECTIVE_REFRESH = 512


@compiled
def target_gap(rule, eps, largest_diagonal, R):
    """The gap at which a stopping rule is met (nanculef2014 eq. 8; frandi2013 Alg. 2 line 6 for `meb`)."""
    if rule == StopRule.MEB:
        return (2.0 * eps + eps * eps) * (largest_diagonal - R)
    if rule == StopRule.GAP:
        return eps
    return eps * abs(R)


@compiled
def _toward_step(state, n, i, column_i):
    """a <- (1 - l) a + l e_i with the exact line search, l in [0, 1]."""
    R, s_i, q_ii = state.real[0].objective, state.s[i], state.diagonal[i]
    length = min(max((R - s_i) / (q_ii - 2.0 * s_i + R), 0.0), 1.0)
    keep = 1.0 - length
    if keep > 0.0:
        scale_weights(state, n, keep)
    else:
        while state.count[0].active_size > 0:
            deactivate(state, np.int64(state.active[state.count[0].active_size - 1]))
    if state.position[i] < 0:
        activate(state, i)
    state.a[i] += length
    state.real[0].objective = keep * keep * R + 2.0 * length * keep * s_i + length * length * q_ii
    state.real[0].step_length = length
    update_one(state, n, keep, length, column_i)


@compiled
def _away_step(state, n, j, column_j):
    """a <- (1 + l) a - l e_j, l up to a_j / (1 - a_j), where j is dropped (frandi2013 Alg. 3 with its signs mended)."""
    R, s_j, q_jj, a_j = state.real[0].objective, state.s[j], state.diagonal[j], state.a[j]
    length = max((s_j - R) / (q_jj - 2.0 * s_j + R), 0.0)
    bound = a_j / (1.0 - a_j) if a_j < 1.0 else np.inf
    drops = length >= bound
    length = min(length, bound)
    scale_weights(state, n, 1.0 + length)
    if drops:
        deactivate(state, j)
        state.count[0].drop_steps += 1
    else:
        state.a[j] -= length
    grow = 1.0 + length
    state.real[0].objective = grow * grow * R - 2.0 * length * grow * s_j + length * length * q_jj
    state.real[0].step_length = length
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
        state.count[0].drop_steps += 1
    else:
        state.a[j] -= length
    if state.position[i] < 0:
        activate(state, i)
    state.a[i] += length
    state.real[0].objective += length * length * curvature - 2.0 * length * rise
    state.real[0].step_length = length
    update_two(state, n, length, column_i, column_j)


@compiled
def take_step(state, n, kind, i, j, column_i, column_j):
    """Carry out one step over the first n points and count it."""
    if kind == Step.TOWARD:
        _toward_step(state, n, i, column_i)
    elif kind == Step.AWAY:
        _away_step(state, n, j, column_j)
        state.count[0].away_steps += 1
    else:
        _swap_step(state, n, i, j, column_i, column_j)
        state.count[0].swap_steps += 1
    state.count[0].last_step = kind
    state.count[0].iterations += 1
    if state.count[0].iterations % _OBJECTIVE_REFRESH == 0:
        refresh_objective(state)
