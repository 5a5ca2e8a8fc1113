"""PFW: pairwise Frank-Wolfe, always a swap of weight from j* to i* (alaiz2018, the baseline algorithm)."""

from fwsvm.base.compiled import compiled
from fwsvm.solvers.constants import FIRST_ORDER, SWAP

DESCENT = FIRST_ORDER
USES_CURVATURE = True


@compiled
def choose(R, s_i, s_j, q_ii, q_jj, q_ij):
    """Always the swap."""
    return SWAP
