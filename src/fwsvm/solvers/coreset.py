"""Compiled parts of sampled selection where only the points of the coreset have a gradient.

The universe is the stored points (the active set; for CVM every point that ever joined). A sample is compared with
them in one block of kernel values, so the cost of a step does not depend on m.
"""

import numpy as np

from fwsvm.base.compiled import compiled
from fwsvm.solvers.constants import Step
from fwsvm.solvers.state import INACTIVE
from fwsvm.solvers.steps import take_step


@compiled(reassociate=True)
def _weighted_sum(values, weights, n):
    total = 0.0
    for r in range(n):
        total += values[r] * weights[r]
    return total


@compiled
def best_of_sample(rows, block, state, n, labels, stored_labels, offset, local, signed):
    """Place in the sample and gradient of its lowest point; `signed` is room for n numbers.

    Stored points have their gradient; the others get s_v = y_v sum_c a_c y_c (k(x_v, x_c) + offset).
    """
    total = 0.0
    for c in range(n):
        signed[c] = state.a[c] * stored_labels[c]
        total += signed[c]
    best, lowest = -1, np.inf
    for t in range(rows.shape[0]):
        v = rows[t]
        if local[v] >= 0:
            gradient = state.s[local[v]]
        else:
            gradient = labels[v] * (_weighted_sum(block[t], signed, n) + offset * total)
        if gradient < lowest or (gradient == lowest and v < rows[best]):
            best, lowest = t, gradient
    return best, lowest


@compiled
def signed_column(values, n, label, stored_labels, offset, own, shift, out):
    """Column of Q over the n stored points from kernel values; `own` is its place among them, -1 outside."""
    for c in range(n):
        out[c] = label * stored_labels[c] * (values[c] + offset)
    if own >= 0:
        out[own] += shift


@compiled
def store_point(state, n, gradient, diagonal):
    """Add a point of weight zero to the universe, at place n."""
    state.s[n] = gradient
    state.a[n] = 0.0
    state.diagonal[n] = diagonal
    state.penalty[n] = INACTIVE
    state.position[n] = -1


@compiled
def forget_point(state, n, place):
    """Drop an inactive stored point; the last of the n points takes its place."""
    count, last = state.count[0], n - 1
    if place != last:
        state.s[place] = state.s[last]
        state.a[place] = state.a[last]
        state.diagonal[place] = state.diagonal[last]
        state.penalty[place] = state.penalty[last]
        state.position[place] = state.position[last]
        if state.position[last] >= 0:
            state.active[state.position[last]] = place
        if count.away_vertex == last:
            count.away_vertex = place
    state.position[last] = -1
    state.penalty[last] = INACTIVE


@compiled
def carry_out(state, n, kind, i, j, column_i, column_j):
    """Take the step; columns over the n stored points have room for one more."""
    if kind == Step.AWAY:
        take_step(state, n, kind, i, j, column_j, column_j)
        return
    universe = n
    if i == n:
        universe = n + 1
        column_i[n] = state.diagonal[n]
        if kind != Step.TOWARD:
            column_j[n] = column_i[j]
    take_step(state, universe, kind, i, j, column_i, column_j)
