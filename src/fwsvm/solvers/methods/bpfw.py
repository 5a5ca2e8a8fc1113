"""BPFW: blended pairwise Frank-Wolfe."""

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.state import State, Step
from fwsvm.solvers.vertices import highest_active, lowest_active


@compiled(inline=True)
def select_step(state: State, n: int, i: int, column_i: np.ndarray) -> tuple[Step, int, int]:
    """Choose a step that moves weight from the active point with the highest gradient to the active
    point with the lowest gradient.

    If the direction toward i* is steeper, or if the two points are the same, choose a step toward
    i* instead.
    """
    R, j, k = state.real.objective, highest_active(state), lowest_active(state)
    if j != k and state.s[j] - state.s[k] >= R - state.s[i]:
        return Step.SWAP, k, j
    return Step.TOWARD, i, j


METHOD = step_method(
    "bpfw",
    "BPFW",
    "Blended pairwise Frank-Wolfe (Tsuji et al. 2022, Alg. 1)",
    select_step,
    definition=(
        "blended pairwise Frank-Wolfe. A step moves weight between two active points, or goes"
        " toward i*, the point with the lowest gradient (Tsuji et al. 2022, Alg. 1).\n\n"
        "Tsuji, Tanaka and Pokutta, Pairwise Conditional Gradients without Swap Steps and"
        " Sparser Kernel Herding, ICML 2022."
    ),
)
