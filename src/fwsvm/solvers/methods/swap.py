"""SWAP: a toward step or a swap of weight between j* and i* (nanculef2014 Alg. 4)."""

from fwsvm.base.compiled import compiled
from fwsvm.solvers.constants import FIRST_ORDER, SWAP, TOWARD

DESCENT = FIRST_ORDER
USES_CURVATURE = True


@compiled
def choose(R, s_i, s_j, q_ii, q_jj, q_ij):
    """The step with the larger decrease at its unclipped optimum (nanculef2014 Alg. 4, eq. 23)."""
    toward = (R - s_i) ** 2 / (q_ii - 2.0 * s_i + R)
    swap = (s_j - s_i) ** 2 / (q_ii - 2.0 * q_ij + q_jj)
    return TOWARD if toward > swap else SWAP
