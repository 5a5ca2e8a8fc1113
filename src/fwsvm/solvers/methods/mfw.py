"""MFW: Frank-Wolfe with away steps, a la Guelat and Marcotte (frandi2013 Alg. 3, nanculef2014 Alg. 3)."""

from fwsvm.base.compiled import compiled
from fwsvm.solvers.constants import AWAY, FIRST_ORDER, TOWARD

DESCENT = FIRST_ORDER
USES_CURVATURE = False


@compiled
def choose(R, s_i, s_j, q_ii, q_jj, q_ij):
    """Toward i* or away from j*, whichever the linearisation promises more for (frandi2013 Alg. 3 line 9)."""
    return TOWARD if R - s_i >= s_j - R else AWAY
