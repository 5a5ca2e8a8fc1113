"""What the file of a method declares: `METHOD`, made by `step_method`, or a `Method` with a driver of its own."""

from collections.abc import Callable
from dataclasses import dataclass

from numba.core.dispatcher import Dispatcher

from fwsvm.solvers.coreset_drivers import new_step_driver

_ARGUMENTS = ("state", "n", "i", "column_i")


@dataclass(frozen=True)
class Method:
    """A method as the registry holds it."""

    name: str  # as in `fwsvm.solve(method=...)`: the name of its file
    label: str  # as tables show it: the name in capitals, with a dash before a final "2o"
    source: str  # paper and algorithm
    new_driver: Callable  # of a `fwsvm.solvers.drivers.Start`; returns the `fwsvm.solvers.drivers.Driver` of a run
    pick: object = None  # see `step_method`; None for a method with a loop of its own
    needs_column: bool = False  # whether `pick` reads `column_i`
    # "paper": compared as the papers' methods. "fast": for speed, from none of the papers. "subsample": trains on a
    # subsample of its own choice, so that its optimum is another one.
    group: str = "paper"
    samples: bool = True  # whether vertices can be chosen from samples
    # Whether it solves the problem over a coreset before it goes on (CVM).
    solves_coreset: bool = False

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
    """A method given by its choice of the vertices and the kind of each step; all else is shared by all methods.

    Parameters
    ----------
    name, label, source : str
        See `Method`.
    pick : compiled function
        Called with the state (`fwsvm.solvers.state.State`) over the first n points, the Frank-Wolfe vertex i* (lowest
        gradient over all points, or over a sample) and column i* of Q over these n points. It returns (kind, i, j):
        ``TOWARD`` is a step toward i, ``AWAY`` a step away from j, ``SWAP`` moves weight from j to i. j must be
        active, and so must i unless it is i*. `fwsvm.solvers.vertices` finds the usual vertices.
    needs_column : bool
        Whether it reads `column_i`. Otherwise that array may hold anything.
    """
    return Method(name, label, source, new_step_driver, pick, needs_column)
