"""The methods, one file each. A new one is a file and its name here; `fwsvm.solvers.method` says what a file holds.

Importing this package alone imports none of them.
"""

NAMES = (
    "fw",
    "mfw",
    "swap",
    "swap2o",
    "pfw",
    "cvm",
    "mfw2o",
    "bpfw",
)  # fmt: skip

OWN_NAMES = ("fcfw",)
"""Methods of no paper, for speed: where methods of the papers are compared, they do not take part."""

SUBSAMPLE_NAMES = ("mfw_sparse",)
"""Methods that train on a subsample of their own choice: their optimum is not that of the problem over all points."""

ALL_NAMES = (*NAMES, *OWN_NAMES, *SUBSAMPLE_NAMES)
