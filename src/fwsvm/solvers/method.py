"""What a method's file declares: `METHOD`, made by `step_method`, or by `own_loop` for one with its own loop."""

from dataclasses import dataclass

from numba.core.dispatcher import Dispatcher

_ARGUMENTS = ("state", "n", "i", "column_i")


@dataclass(frozen=True)
class Method:
    """A method as the registry holds it.

    Attributes
    ----------
    name : str
        As in `fwsvm.solve(method=...)`.
    label : str
        As tables show it: the name in capitals, with a dash before a final "2o".
    source : str
        Paper and algorithm.
    drivers : str
        Module with `new_driver(problem, settings, indices, weights, dtype, rng, columns)`.
    pick : compiled function or None
        `pick(state, n, i, column_i)` -> (kind, i, j), see `step_method`; None for a method with a loop of its own.
    needs_column : bool
        Whether `pick` reads `column_i`.
    minimises_over_all : bool
        False for a method that trains on a subsample of its own choice.
    samples : bool
        Whether vertices can be chosen from samples.
    solves_coreset : bool
        Whether it solves the problem over a coreset before it looks further (CVM): members of the coreset need not be
        drawn again, and it always starts at a larger eps.
    """

    name: str
    label: str
    source: str
    drivers: str
    pick: object = None
    needs_column: bool = False
    minimises_over_all: bool = True
    samples: bool = True
    solves_coreset: bool = False

    def __post_init__(self):
        if self.pick is None:
            return
        if not isinstance(self.pick, Dispatcher):
            raise TypeError(f"method {self.name!r}: pick must be compiled (fwsvm.base.compiled), got {self.pick!r}")
        arguments = self.pick.py_func.__code__.co_varnames[: self.pick.py_func.__code__.co_argcount]
        if arguments != _ARGUMENTS:
            wanted = ", ".join(_ARGUMENTS)
            raise TypeError(f"method {self.name!r}: pick must take ({wanted}), it takes ({', '.join(arguments)})")


def step_method(name, label, source, pick, needs_column=False):
    """A method that differs from the others in the vertices and the kind of its steps.

    Parameters
    ----------
    name, label, source : str
    pick : compiled function
        Of the state (`fwsvm.solvers.state.State`) over the first n points, of the toward vertex i* (the lowest score
        over all points, or over a sample) and of column i* of Q over these n points. It returns (kind, i, j):
        ``TOWARD`` is a step toward i, ``AWAY`` one away from j, ``SWAP`` moves weight from j to i.
        j must be active, and so must i if it is not i*. `fwsvm.solvers.vertices` finds the usual ones.
    needs_column : bool
        Whether it reads `column_i`, which is computed beforehand then; otherwise that holds anything.
    """
    return Method(name, label, source, "fwsvm.solvers.step_drivers", pick, needs_column)


def own_loop(name, label, source, drivers, minimises_over_all=True, samples=True, solves_coreset=False):
    """A method with a loop of its own.

    Parameters
    ----------
    name, label, source : str
    drivers : str
        Module with `new_driver`, as `fwsvm.solvers.step_drivers` has it.
    minimises_over_all, samples, solves_coreset : bool
        See `Method`.
    """
    return Method(
        name, label, source, drivers, minimises_over_all=minimises_over_all, samples=samples and minimises_over_all,
        solves_coreset=solves_coreset,
    )  # fmt: skip
