"""The registry of methods, and the dispatch that follows from it."""

import importlib

from fwsvm.base.compiled import compiled
from fwsvm.solvers.method import Method
from fwsvm.solvers.methods import NAMES, SUBSAMPLE_NAMES

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


METHODS = {name: _registered(name) for name in (*NAMES, *SUBSAMPLE_NAMES)}
"""Name -> `Method`."""

_STEP_METHODS = [method for method in METHODS.values() if method.pick is not None]

CODES = {method.name: code for code, method in enumerate(_STEP_METHODS)}
"""Name of a method without a loop of its own -> its number in compiled code."""


def _dispatch():
    """`pick(method, state, n, i, column_i)`, which calls that of the method with this number.

    Compiled code cannot be handed functions without losing its disk cache, so the calls are written out.
    """
    lines = ["def pick(method, state, n, i, column_i):"]
    for method in _STEP_METHODS:
        lines += [f"    if method == {CODES[method.name]}:", f"        return {method.name}(state, n, i, column_i)"]
    lines.append("    raise ValueError('no method has this number')")
    names = {method.name: method.pick for method in _STEP_METHODS} | {"__name__": __name__}
    exec(compile("\n".join(lines), __file__, "exec"), names)
    return compiled(names["pick"])


pick = _dispatch()
