"""Declare methods: the file of a method has `METHOD`, made by `step_method`, or a `Method` with another driver."""

from collections.abc import Callable
from dataclasses import dataclass

from numba.core.dispatcher import Dispatcher

from fwsvm.solvers.coreset_drivers import new_step_driver

_ARGUMENTS = ("state", "n", "i", "column_i")


@dataclass(frozen=True)
class Method:
    """Describe a method for the registry of methods."""

    name: str  # as in `fwsvm.solve(method=...)`: the name of its file
    label: str  # as in tables: the name in capitals, with a dash before a final "2o"
    source: str  # paper and algorithm
    new_driver: Callable  # `fwsvm.solvers.drivers.Start` -> `fwsvm.solvers.drivers.Driver`
    pick: object = None  # see `step_method`; None if the driver has another loop
    needs_column: bool = False  # whether `pick` reads `column_i`
    # "paper": a method of the reproduced papers. "fast": a fast method that is not part of these papers. "subsample":
    # trains on a subsample that it chooses, so that its optimum differs.
    group: str = "paper"
    samples: bool = True  # whether the Frank-Wolfe vertex may come from a sample
    solves_coreset: bool = False  # whether it solves the QP over a coreset between two vertices (CVM)

    def __post_init__(self):
        if self.pick is None:
            return
        if not isinstance(self.pick, Dispatcher):
            raise TypeError(f"method {self.name!r}: pick must be compiled (fwsvm.base.compiled), got {self.pick!r}")
        arguments = self.pick.py_func.__code__.co_varnames[: self.pick.py_func.__code__.co_argcount]
        if arguments != _ARGUMENTS:
            right = ", ".join(_ARGUMENTS)
            raise TypeError(f"method {self.name!r}: pick must take ({right}), it takes ({', '.join(arguments)})")


def step_method(name, label, source, pick, needs_column=False):
    """Make a method that chooses the kind of each step and its vertices; all methods share everything else.

    Parameters
    ----------
    name, label, source : str
        See `Method`.
    pick : compiled function
        Its arguments are the state (`fwsvm.solvers.state.State`) of n points, the Frank-Wolfe vertex i* (the point with
        the lowest gradient of all, or of a sample) and column i* of Q. It returns (kind, i, j): ``TOWARD`` is a step
        toward i, ``AWAY`` a step away from j, ``SWAP`` moves weight from j to i. j must be active, and so must i
        unless it is i*. `fwsvm.solvers.vertices` has the usual vertices.
    needs_column : bool
        Whether `pick` reads `column_i`. If not, the array may contain anything.
    """
    return Method(name, label, source, new_step_driver, pick, needs_column)
