"""The registry of methods: a new method is one file and its two lines here.

A method's file gives `choose` (the kind of the next step), `DESCENT` (how j* is found) and `USES_CURVATURE` (whether
the choice needs Q_ij). `cvm` has a loop of its own.
"""

from dataclasses import dataclass

from fwsvm.base.compiled import compiled
from fwsvm.solvers.constants import FIRST_ORDER, NO_DESCENT
from fwsvm.solvers.methods import fw, mfw, pfw, swap, swap2o


@dataclass(frozen=True)
class Method:
    """What Python needs to know of a method."""

    name: str
    label: str
    code: int
    descent: int
    uses_curvature: bool
    source: str


def _method(name, label, code, module):
    return Method(name, label, code, module.DESCENT, module.USES_CURVATURE, module.__doc__.strip())


METHODS = {
    "fw": _method("fw", "FW", 0, fw),
    "mfw": _method("mfw", "MFW", 1, mfw),
    "swap": _method("swap", "SWAP", 2, swap),
    "swap2o": _method("swap2o", "SWAP-2o", 3, swap2o),
    "pfw": _method("pfw", "PFW", 4, pfw),
    "cvm": Method(
        "cvm",
        "CVM",
        -1,
        NO_DESCENT,
        True,
        "CVM: core vector machine (tsang2005, frandi2013 Alg. 1, nanculef2014 Alg. 2).",
    ),
}

# Methods that train on a subsample of their own choice: they do not minimise over all points, and stand apart.
SUBSAMPLE_METHODS = {
    "mfw_sparse": Method("mfw_sparse", "M-FW", -2, FIRST_ORDER, True, "M-FW: sparser machines (alaiz2018)."),
}


@compiled
def choose(method, R, s_i, s_j, q_ii, q_jj, q_ij):
    """The method's choice of its next step; compiled code cannot be handed functions without losing its disk cache."""
    if method == 0:
        return fw.choose(R, s_i, s_j, q_ii, q_jj, q_ij)
    if method == 1:
        return mfw.choose(R, s_i, s_j, q_ii, q_jj, q_ij)
    if method == 4:
        return pfw.choose(R, s_i, s_j, q_ii, q_jj, q_ij)
    return swap.choose(R, s_i, s_j, q_ii, q_jj, q_ij)
