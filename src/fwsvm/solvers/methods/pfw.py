"""PFW: pairwise Frank-Wolfe."""

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.state import State, Step
from fwsvm.solvers.vertices import highest_active


@compiled(inline=True)
def select_step(state: State, n: int, i: int, column_i: np.ndarray) -> tuple[Step, int, int]:
    return Step.SWAP, i, highest_active(state)


METHOD = step_method(
    "pfw",
    "PFW",
    "Pairwise Frank-Wolfe (alaiz2018, the baseline algorithm)",
    select_step,
    needs_column=True,
    definition=(
        "pairwise Frank-Wolfe. Every step moves weight from j*, the active point with the highest"
        " gradient, to i*, the point with the lowest gradient (alaiz2018, the baseline algorithm)."
    ),
)
