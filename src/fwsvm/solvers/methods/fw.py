"""FW: the Frank-Wolfe method."""

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.state import State, Step


@compiled(inline=True)
def select_step(state: State, n: int, i: int, column_i: np.ndarray) -> tuple[Step, int, int]:
    return Step.TOWARD, i, i


METHOD = step_method(
    "fw",
    "FW",
    "Frank-Wolfe (frandi2013 Alg. 2, nanculef2014 Alg. 1)",
    select_step,
    definition=(
        "the Frank-Wolfe method. Every step goes toward i*, the point with the lowest gradient"
        " (frandi2013 Alg. 2, nanculef2014 Alg. 1)."
    ),
)
