"""The class `Method`, which describes a training method.

The file of each method defines `METHOD` by a call of `step_method`, or by a call of `Method` with a
driver of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numba.core.dispatcher import Dispatcher

from fwsvm.solvers.coreset_drivers import new_step_driver

if TYPE_CHECKING:
    from fwsvm.solvers.drivers import Driver, Start

_ARGUMENTS = ("state", "n", "i", "column_i")


@dataclass(frozen=True)
class Method:
    """The description of one method of `fwsvm.solvers.settings.METHODS`."""

    name: str  # the value of `method` in `fwsvm.solve`, and the name of the method's file
    # The label in tables. Except for M-FW, it is the name in capitals, with a dash before a final
    # "2o" (docs/extending.md).
    label: str
    source: str  # the paper and its algorithm that define the method
    # makes a `fwsvm.solvers.drivers.Driver` from a `fwsvm.solvers.drivers.Start`
    new_driver: Callable[[Start], Driver]
    # chooses a step (see `step_method`); None if the driver has its own loop
    select_step: Any = None
    needs_column: bool = False  # whether `select_step` reads `column_i`
    # what the method does, as the report shows it: paragraphs with an empty line between them
    definition: str = ""
    samples: bool = True  # whether the Frank-Wolfe vertex can come from a sample
    # whether the QP over the coreset is solved after each Frank-Wolfe vertex (CVM)
    solves_coreset: bool = False

    def __post_init__(self) -> None:
        if self.select_step is None:
            return
        if not isinstance(self.select_step, Dispatcher):
            raise TypeError(
                f"method {self.name!r}: select_step must be compiled"
                f" (fwsvm.machine_code.compiled), got {self.select_step!r}"
            )
        code = self.select_step.py_func.__code__
        arguments = code.co_varnames[: code.co_argcount]
        if arguments != _ARGUMENTS:
            right = ", ".join(_ARGUMENTS)
            raise TypeError(
                f"method {self.name!r}: select_step must take ({right}), not"
                f" ({', '.join(arguments)})"
            )


def step_method(
    name: str,
    label: str,
    source: str,
    select_step: Dispatcher,
    needs_column: bool = False,
    definition: str = "",
) -> Method:
    """Make a method whose `select_step` chooses the kind and the vertices of each step.

    All methods that this function makes have the same drivers.

    Parameters
    ----------
    name, label, source, definition : str
        See `Method`.
    select_step : compiled function
        The arguments are the state (`fwsvm.solvers.state.State`), its number of points n, the
        Frank-Wolfe vertex i* and column i* of Q. The vertex i* is the point with the lowest
        gradient, either of all points or of a sample. With samples, the state can have only the
        active points. If i* is not one of them, its index is n. The function returns (kind, i, j),
        where kind is a `fwsvm.solvers.state.Step`: ``TOWARD`` steps toward i, ``AWAY`` steps away
        from j, and ``SWAP`` moves weight from j to i. Point j must be active, except for
        ``TOWARD``, which does not use it. Point i must be active or equal to i*. The functions of
        `fwsvm.solvers.vertices` find the usual vertices.
    needs_column : bool
        Whether `select_step` reads `column_i`. If not, `column_i` can contain any values.
    """
    return Method(name, label, source, new_step_driver, select_step, needs_column, definition)
