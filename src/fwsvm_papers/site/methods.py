"""Describe the methods of the registry for the report."""

import inspect
from typing import Any

from fwsvm.solvers.settings import METHODS
from fwsvm_papers.site.algorithms import ALGORITHMS, FIGURES

# The pages of the report show these methods first, in this order. The pages call one of the methods
# "sparse M-FW", because its label "M-FW" is easily confused with "MFW".
_METHOD_ORDER = ("cvm", "fw", "mfw", "swap", "swap2o", "pfw", "mfw_sparse", "auto")
_LABELS = {"mfw_sparse": "sparse M-FW"}
# `auto` is no method of the registry: it runs other methods (`fwsvm.solvers.automatic`).
_AUTO = "SWAP-2o runs first, and if it is slow, working sets or FCFW follow."


def methods() -> dict[str, dict[str, Any]]:
    """Return a dict that maps each method to its description, a dict of texts. CVM comes first.

    A description has the name, the label, the label in tables (`written`), the file and the
    definition of a method. `lines` describes the algorithm in two lines, and `figure` is the id of
    a figure. Both may be empty. `step` is the source code of the function that chooses a step. It
    is empty if the method has no such function.
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
