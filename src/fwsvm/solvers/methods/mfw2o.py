"""MFW-2o: MFW with second-order selection of the away vertex."""

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.state import State, Step
from fwsvm.solvers.vertices import second_order_away_vertex


@compiled(inline=True)
def select_step(state: State, n: int, i: int, column_i: np.ndarray) -> tuple[Step, int, int]:
    """Choose a step toward point i or away from the away vertex j, whichever decreases the
    objective more. If there is no away vertex, choose the step toward i.

    For this comparison, the step lengths are not limited, although a weight could become negative.
    """
    j = second_order_away_vertex(state)
    if j < 0:
        return Step.TOWARD, i, i
    R, s_i, s_j = state.real.objective, state.s[i], state.s[j]
    toward = (R - s_i) ** 2 / (state.diagonal[i] - 2.0 * s_i + R)
    away = (s_j - R) ** 2 / (state.diagonal[j] - 2.0 * s_j + R)
    if toward >= away:
        return Step.TOWARD, i, j
    return Step.AWAY, i, j


METHOD = step_method(
    "mfw2o",
    "MFW-2o",
    "Away-step Frank-Wolfe with second-order selection of the away vertex",
    select_step,
    definition=(
        "like MFW, but j* is the active point whose away step decreases the objective most."
    ),
)
