"""What `solve` asks of a driver: the Python side of a method's compiled loop, with the state of one training run.

`new_driver` of a method's module (`fwsvm.solvers.method.Method.drivers`) makes one at its start. `solve` calls `run`
again and again with a growing limit, reads the numbers in between, and after a certificate that is not good enough
calls `set_dtype` and `go_on_from`. Where `outgrown` is true it makes a `successor` from `weights`, `sampler` and
`hand_over`; `release` has then given back the large arrays.
"""

from typing import Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Driver(Protocol):
    """One training run.

    Attributes
    ----------
    state : fwsvm.solvers.state.State
        Weights, scores and counters over the driver's universe of points.
    dtype : numpy.dtype
        Precision of the columns, float32 or float64.
    floor : float
        The smallest gap that this precision can show.
    scores_kept : int
        Scores that a step updates, by which looks at the clock are spaced.
    objective, gap_seen : float
        R as the recursions have it, and the gap over the points looked at last.
    coreset_size : int
    subsample : int64 ndarray or None
        The points that the method trains on, where that is not all.
    elsewhere_cpu_s : float
        CPU seconds used so far in other threads than the caller's.
    outgrown : bool
        Whether keeping the scores of all points has become cheaper.
    left_out_wrongly : int
        Certificates so far that found the smallest score among points that training had left out.
    evaluations : int
        Kernel values that the driver computed itself; those of columns are counted by the problem.
    """

    state: object
    dtype: np.dtype
    floor: float
    scores_kept: int
    objective: float
    gap_seen: float
    coreset_size: int
    subsample: np.ndarray | None
    elsewhere_cpu_s: float
    outgrown: bool
    left_out_wrongly: int
    evaluations: int

    def run(self, limit):
        """Go on until the method stops or has made `limit` iterations in all; a `fwsvm.solvers.constants.Reason`."""

    def counter(self, name):
        """One of the state's counters (`fwsvm.solvers.constants.COUNTS`), int."""

    def weights(self):
        """(indices (q,) ascending, weights (q,) float64) of the active points."""

    def final_weights(self):
        """The same for the model, where it leaves out negligible weights."""
