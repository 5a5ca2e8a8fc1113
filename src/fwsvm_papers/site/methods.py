"""The descriptions of the methods for the report. Most methods have two lines of text, and the name
of a figure that shows the steps or an advantage of the method.

The symbols are those of the page of a method: R = a'Qa is the objective for the weights a, s = Qa
is half its gradient, and l is the length of a step with exact line search.
"""

import inspect
from typing import Any

from fwsvm.solvers.settings import METHODS

# The pages of the report show these methods first, in this order. The label of the last but one,
# "M-FW", is easily confused with "MFW", so the pages call this method "sparse M-FW".
_METHOD_ORDER = ("cvm", "fw", "mfw", "swap", "swap2o", "pfw", "mfw_sparse", "auto")
_LABELS = {"mfw_sparse": "sparse M-FW"}
# `auto` is not in the registry, because it runs other methods (see `fwsvm.solvers.automatic`).
_AUTO = (
    "SWAP-2o runs first. If SWAP-2o is slow, a low-rank approximation of the kernel matrix, working"
    " sets or FCFW follow."
)

ALGORITHMS = {
    "cvm": (
        "Find the point i with the lowest gradient in a sample, and add it to the coreset.",
        "Minimise R over the coreset to the inner tolerance, starting from the last weights a. The"
        " solver is SMO (sequential minimal optimisation).",
    ),
    "fw": (
        "Find i*, the point with the lowest gradient s_i.",
        "Move toward it: a ← (1 − l) a + l e_i*, with l = (R − s_i*) / (Q_i*i* − 2 s_i* + R) ≤ 1.",
    ),
    "mfw": (
        "Find i* as FW does, and j*, the active point with the highest gradient s_j.",
        "If R − s_i* ≥ s_j* − R, move toward i*. Otherwise, move away from j*:"
        " a ← (1 + l) a − l e_j*, with l ≤ a_j* / (1 − a_j*).",
    ),
    "swap": (
        "Find i* and j* as MFW does.",
        "Move toward i*, or swap weight from j* to i*: a ← a + l (e_i* − e_j*), with l ≤ a_j*."
        " Choose the step that decreases R more.",
    ),
    "swap2o": (
        "Find i* as FW does, and j*, the active point whose swap with i* decreases R most.",
        "Move toward i*, or swap weight from j* to i*. Choose the step that decreases R more.",
    ),
    "pfw": (
        "Find i* and j* as MFW does.",
        "Always swap: a ← a + l (e_i* − e_j*),"
        " with l = (s_j* − s_i*) / (Q_i*i* − 2 Q_i*j* + Q_j*j*) ≤ a_j*.",
    ),
    "mfw_sparse": (
        "Find the point with the lowest gradient outside the subsample. If this gradient is"
        " negative, the point joins the subsample.",
        "Swap weight from the point of the subsample with the highest gradient to the point of the"
        " subsample with the lowest gradient.",
    ),
    "mfw2o": (
        "Find i* as FW does, and j*, the active point whose away step decreases R most.",
        "Move toward i* or away from j*. Choose the step that decreases R more.",
    ),
    "bpfw": (
        "Find i* as FW does, and the active points k and j with the lowest and the highest"
        " gradient.",
        "If s_j − s_k ≥ R − s_i*, swap weight from j to k. Otherwise, move toward i*.",
    ),
    "fcfw": (
        "Add a block of the points with the lowest gradients to the active points.",
        "Minimise R over the active points by Newton's method.",
    ),
    "auto": (
        "Train with SWAP-2o over all points.",
        "If SWAP-2o is slow, continue with a low-rank approximation of the kernel matrix, with"
        " working sets or with FCFW.",
    ),
}
"""Two lines for each method: which points it chooses, and which step it takes. A method without an
entry has a page with only its description.
"""

FIGURES = {
    "cvm": "beyond-steps",
    "fw": "frandi2013-fig2",
    "mfw": "frandi2013-fig2",
    "swap": "nanculef2014-fig1",
    "swap2o": "beyond-steps",
    "pfw": "beyond-steps",
    "mfw_sparse": "alaiz2018-fig3",
    "auto": "beyond-profile",
    "mfw2o": "beyond-steps",
    "bpfw": "beyond-steps",
    "fcfw": "beyond-steps",
}
"""Maps a method to the id of a figure that shows the steps or an advantage of the method. The
figure names the method.
"""


def methods() -> dict[str, dict[str, Any]]:
    """Return a dict that maps each method to its description. CVM comes first.

    A description is a dict. It has the name and the label of the method, its label in tables
    (`written`), its file and its definition. `lines` describes the algorithm in two lines, and
    `figure` is the id of a figure. `step` is the source code of the function that chooses a step.
    Each of these three entries is empty if the method has no such text, figure or function.
    """
    found = {"auto": _description("auto", "auto", "automatic", _AUTO)}
    for name, method in METHODS.items():
        found[name] = _description(name, method.label, f"methods/{name}", method.definition)
        if method.select_step is not None:
            found[name]["step"] = inspect.getsource(method.select_step.py_func).rstrip("\n")
    return {
        name: found[name] for name in (*_METHOD_ORDER, *sorted(set(found) - set(_METHOD_ORDER)))
    }


def _description(name: str, label: str, module: str, definition: str) -> dict[str, Any]:
    """Return the description of one method, which is defined in `module` (a file of
    `fwsvm.solvers`).
    """
    return {
        "name": name,
        "label": _LABELS.get(name, label),
        "written": label,
        "file": f"src/fwsvm/solvers/{module}.py",
        "definition": definition,
        "lines": ALGORITHMS.get(name, ()),
        "figure": FIGURES.get(name, ""),
        "step": "",
    }
