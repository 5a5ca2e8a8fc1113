"""The papers' formulas: the stopping rules, and the three steps with their closed-form line searches.

a are the weights, s = Qa is half the gradient (called the gradient here), R = a's the objective.
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
    count, real = state.count[0], state.real[0]
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
    update_one(state, n, keep, length, column_i)


@compiled
def _away_step(state, n, j, column_j):
    """a <- (1 + l) a - l e_j, l up to a_j / (1 - a_j), where j is dropped (frandi2013 Alg. 3, signs corrected)."""
    real = state.real[0]
    R, s_j, q_jj, a_j = real.objective, state.s[j], state.diagonal[j], state.a[j]
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
    real.objective = grow * grow * R - 2.0 * length * grow * s_j + length * length * q_jj
    real.step_length = length
    update_one(state, n, grow, -length, column_j)


@compiled
def _swap_step(state, n, i, j, column_i, column_j):
    """a <- a + l (e_i - e_j), l up to a_j, where j is dropped (nanculef2014 Alg. 4, clip corrected)."""
    real = state.real[0]
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
    real.objective += length * length * curvature - 2.0 * length * rise
    real.step_length = length
    update_two(state, n, length, column_i, column_j)


@compiled
def take_step(state, n, kind, i, j, column_i, column_j):
    """Carry out one step over the first n points and count it."""
    count = state.count[0]
    if kind == Step.TOWARD:
        _toward_step(state, n, i, column_i)
    elif kind == Step.AWAY:
        _away_step(state, n, j, column_j)
        count.away_steps += 1
    else:
        _swap_step(state, n, i, j, column_i, column_j)
        count.swap_steps += 1
    count.last_step = kind
    count.iterations += 1
    if count.iterations % _OBJECTIVE_REFRESH == 0:
        refresh_objective(state)
