"""Describe the methods of the registry for the report."""

import inspect
from importlib import import_module
from typing import Any

from fwsvm.solvers import automatic
from fwsvm.solvers.settings import METHODS
from fwsvm_papers.site.algorithms import ALGORITHMS, FIGURES

# These methods come first, in this order. Pages say "sparse M-FW", since "M-FW" looks like "MFW".
_FIRST = ("cvm", "fw", "mfw", "swap", "swap2o", "pfw", "mfw_sparse", "auto")
_LABELS = {"mfw_sparse": "sparse M-FW"}


def methods() -> dict[str, dict[str, Any]]:
    """Map each method, CVM first, to its name, label, label in tables (`written`), file and
    definition.

    `lines` states the algorithm in two lines, and `figure` names a figure; both may be empty.
    `step` is the source code of the function that chooses a step, or empty if the method has none.
    """
    found = {"auto": _described("auto", "auto", automatic.__name__, automatic.__doc__)}
    for name, method in METHODS.items():
        module = import_module(f"fwsvm.solvers.methods.{name}")
        found[name] = _described(name, method.label, module.__name__, module.__doc__)
        if method.select_step is not None:
            found[name]["step"] = _without_decorators(inspect.getsource(method.select_step.py_func))
    return {name: found[name] for name in (*_FIRST, *sorted(set(found) - set(_FIRST)))}


def _described(name: str, label: str, module: str, docstring: str | None) -> dict[str, Any]:
    """Take the definition from the module's docstring: the text after the first colon."""
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
