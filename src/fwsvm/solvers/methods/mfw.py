"""MFW: Frank-Wolfe with away steps."""

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.state import State, Step
from fwsvm.solvers.vertices import highest_active


@compiled(inline=True)
def select_step(state: State, n: int, i: int, column_i: np.ndarray) -> tuple[Step, int, int]:
    """Choose a step toward i*, or away from j*, the active point with the highest gradient,
    whichever direction is steeper (frandi2013 Alg. 3 line 12).
    """
    R, j = state.real.objective, highest_active(state)
    if R - state.s[i] >= state.s[j] - R:
        return Step.TOWARD, i, j
    return Step.AWAY, i, j


METHOD = step_method(
    "mfw",
    "MFW",
    "Frank-Wolfe with away steps (frandi2013 Alg. 3, nanculef2014 Alg. 3)",
    select_step,
    definition=(
        "Frank-Wolfe with away steps, after Guelat and Marcotte (frandi2013 Alg. 3,"
        " nanculef2014 Alg. 3). A step goes toward i* or away from j*, whichever direction is"
        " steeper."
    ),
)
