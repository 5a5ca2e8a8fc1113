"""SWAP-2o: as SWAP, with j* chosen by the second-order decrease of the swap (nanculef2014 Alg. 5)."""

from fwsvm.solvers.constants import SECOND_ORDER
from fwsvm.solvers.methods import swap

DESCENT = SECOND_ORDER
USES_CURVATURE = True
choose = swap.choose
