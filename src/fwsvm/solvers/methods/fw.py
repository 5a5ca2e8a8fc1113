"""FW: the Frank-Wolfe method, always a step toward i* (frandi2013 Alg. 2, nanculef2014 Alg. 1)."""

from fwsvm.base.compiled import compiled
from fwsvm.solvers.constants import NO_DESCENT, TOWARD

DESCENT = NO_DESCENT
USES_CURVATURE = False


@compiled
def choose(R, s_i, s_j, q_ii, q_jj, q_ij):
    """The kind of the next step, for i* = argmin s over all points."""
    return TOWARD
