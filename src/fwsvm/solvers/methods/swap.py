"""SWAP: steps toward the Frank-Wolfe vertex, or swaps to it."""

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.state import State, Step
from fwsvm.solvers.vertices import highest_active


@compiled(inline=True)
def toward_or_swap(state: State, i: int, j: int, q_ij: float) -> Step:
    """Return the kind of the step (toward i or swap) that decreases the objective R more.

    The decrease is that of the exact line search without bounds (nanculef2014 eq. 23). With
    `clipped_gain`, the decrease is that of a step whose length is clipped to the simplex.
    """
    R = state.real.objective
    s_i = state.s[i]
    s_j = state.s[j]
    q_ii = state.diagonal[i]
    q_jj = state.diagonal[j]
    toward_curvature, swap_curvature = q_ii - 2.0 * s_i + R, q_ii - 2.0 * q_ij + q_jj
    toward = (R - s_i) * (R - s_i) / toward_curvature
    swap = (s_j - s_i) * (s_j - s_i) / swap_curvature
    if state.count.clipped_gain == 1:
        if R - s_i > toward_curvature:
            toward = 2.0 * (R - s_i) - toward_curvature
        if s_j - s_i > state.a[j] * swap_curvature:
            swap = state.a[j] * (2.0 * (s_j - s_i) - state.a[j] * swap_curvature)
    return Step.TOWARD if toward > swap else Step.SWAP


@compiled(inline=True)
def select_step(state: State, n: int, i: int, column_i: np.ndarray) -> tuple[Step, int, int]:
    """Choose a step toward i*, or a swap to i* from the active point with the highest gradient."""
    j = highest_active(state)
    return toward_or_swap(state, i, j, column_i[j]), i, j


METHOD = step_method(
    "swap",
    "SWAP",
    "SWAP (nanculef2014 Alg. 4)",
    select_step,
    needs_column=True,
    definition=(
        "each step goes toward i*, the point with the lowest gradient, or moves weight to i*"
        " from j*, the active point with the highest gradient (nanculef2014 Alg. 4)."
    ),
)
