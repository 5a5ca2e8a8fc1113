"""The registry: every file in `fwsvm.solvers.methods` declares one method."""

import importlib

from fwsvm.solvers.method import Method
from fwsvm.solvers.methods import ALL_NAMES, GROUPS

_PACKAGE = "fwsvm.solvers.methods"  # this text makes all its files count as code of those that train


def _registered(name):
    module = importlib.import_module(f"{_PACKAGE}.{name}")
    method = getattr(module, "METHOD", None)
    if not isinstance(method, Method) or method.name != name:
        raise TypeError(f"{module.__name__} must declare METHOD, a fwsvm.solvers.method.Method of the name {name!r}")
    if name not in GROUPS[method.group]:
        raise TypeError(f'method {name!r}: its file must write the group out, as in group="{method.group}"')
    return method


METHODS = {name: _registered(name) for name in ALL_NAMES}
"""Name -> `Method`."""
