"""FCFW: fully corrective Frank-Wolfe with blocks of vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.solvers.corrective_driver import CorrectiveDriver, swap_driver
from fwsvm.solvers.method import Method

if TYPE_CHECKING:
    from fwsvm.solvers.drivers import Driver, Start


def new_driver(start: Start) -> Driver:
    """Return the driver of FCFW, or the driver of SWAP-2o if any diagonal shift is 0.

    Newton's method needs a positive diagonal shift 1/C.
    """
    return CorrectiveDriver(start) if np.min(start.problem.shift) > 0.0 else swap_driver(start)


METHOD = Method(
    "fcfw",
    "FCFW",
    "Fully corrective Frank-Wolfe with blocks of vertices (Jaggi 2013 Alg. 4)",
    new_driver,
    samples=False,
    definition=(
        "fully corrective Frank-Wolfe with blocks of vertices, a fast method that is in none"
        " of the five papers.\n\n"
        "Each round computes the gradient at all points, and adds a block of the worst"
        " violators (Frank-Wolfe vertices) to the active points. Then it minimises the"
        " objective over the convex hull of the active points by Newton's method. The decrease"
        " is at least that of a step toward a vertex, so FCFW converges linearly (Lacoste-Julien"
        " and Jaggi 2015, Thm 1)."
    ),
)
