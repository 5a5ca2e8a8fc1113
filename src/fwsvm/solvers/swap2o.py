"""SWAP-2o: as SWAP, with j* chosen by the second-order decrease of the swap (nanculef2014 Alg. 5)."""

from fwsvm.solvers import swap
from fwsvm.solvers.constants import SECOND_ORDER

DESCENT = SECOND_ORDER
USES_CURVATURE = True
choose = swap.choose
