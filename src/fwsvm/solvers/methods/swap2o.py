"""SWAP-2o: SWAP with second-order selection."""

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.methods.swap import toward_or_swap
from fwsvm.solvers.state import State, Step
from fwsvm.solvers.vertices import second_order_vertex


@compiled(inline=True)
def select_step(state: State, n: int, i: int, column_i: np.ndarray) -> tuple[Step, int, int]:
    """Choose a step toward i*, or a swap to i* from the active point whose swap decreases the
    objective most.
    """
    j: int = second_order_vertex(state, n, i, column_i)
    if j < 0:
        return Step.TOWARD, i, i
    return toward_or_swap(state, i, j, column_i[j]), i, j


METHOD = step_method(
    "swap2o",
    "SWAP-2o",
    "SWAP with second-order selection (nanculef2014 Alg. 5)",
    select_step,
    needs_column=True,
    definition=(
        "like SWAP, but j* is the point whose swap decreases the objective most (nanculef2014"
        " Alg. 5)."
    ),
)
