"""Describe the methods of the registry for the report."""

import inspect
from importlib import import_module
from typing import Any

from fwsvm.solvers import automatic
from fwsvm.solvers.settings import METHODS
from fwsvm_papers.site.algorithms import ALGORITHMS, FIGURES

# The pages of the report show these methods first, in this order. The pages call one of the methods
# "sparse M-FW", because its label "M-FW" is easily confused with "MFW".
_METHOD_ORDER = ("cvm", "fw", "mfw", "swap", "swap2o", "pfw", "mfw_sparse", "auto")
_LABELS = {"mfw_sparse": "sparse M-FW"}


def methods() -> dict[str, dict[str, Any]]:
    """Return a dict that maps each method to its description, a dict of texts. CVM comes first.

    A description has the name, the label, the label in tables (`written`), the file and the
    definition of a method. `lines` describes the algorithm in two lines, and `figure` is the id of
    a figure. Both may be empty. `step` is the source code of the function that chooses a step. It
    is empty if the method has no such function.
    """
    found = {"auto": _description("auto", "auto", automatic.__name__, automatic.__doc__)}
    for name, method in METHODS.items():
        module = import_module(f"fwsvm.solvers.methods.{name}")
        found[name] = _description(name, method.label, module.__name__, module.__doc__)
        if method.select_step is not None:
            found[name]["step"] = _without_decorators(inspect.getsource(method.select_step.py_func))
    return {
        name: found[name] for name in (*_METHOD_ORDER, *sorted(set(found) - set(_METHOD_ORDER)))
    }


def _description(name: str, label: str, module: str, docstring: str | None) -> dict[str, Any]:
    """Return the description of one method.

    Its definition is the text after the first colon of the module's docstring.
    """
    paragraphs = [" ".join(part.split()) for part in (docstring or "").split("\n\n")]
    return {
        "name": name,
        "label": _LABELS.get(name, label),
        "written": label,
        "file": f"src/{module.replace('.', '/')}.py",
        "definition": "\n\n".join(paragraphs).strip().partition(": ")[2],
        "lines": ALGORITHMS.get(name, ()),
        "figure": FIGURES.get(name, ""),
        "step": "",
    }


def _without_decorators(source: str) -> str:
    return source[source.index("def ") :].rstrip("\n")
