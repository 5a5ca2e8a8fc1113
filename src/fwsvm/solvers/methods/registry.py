"""The registry of methods."""

import importlib

from fwsvm.solvers.method import Method
from fwsvm.solvers.methods import ALL_NAMES, SUBSAMPLE_NAMES

_PACKAGE = "fwsvm.solvers.methods"  # this name makes all its files count as code of those that train


def _registered(name):
    """METHOD of the file of that name.

    Raises
    ------
    TypeError
        If the file declares no method, one of another name, or one that is in the wrong of the two lists.
    """
    module = importlib.import_module(f"{_PACKAGE}.{name}")
    method = getattr(module, "METHOD", None)
    if not isinstance(method, Method) or method.name != name:
        raise TypeError(f"{module.__name__} must declare METHOD, a fwsvm.solvers.method.Method of the name {name!r}")
    if method.minimises_over_all == (name in SUBSAMPLE_NAMES):
        raise TypeError(f"method {name!r}: minimises_over_all={method.minimises_over_all}, so it is in the wrong list")
    return method


METHODS = {name: _registered(name) for name in ALL_NAMES}
"""Name -> `Method`."""
