"""What solvers ask of a problem: minimise a'Qa over the simplex of m points, by columns and blocks of Q.

Solvers know no kernels and kernels no solvers; they meet here. `KernelProblem` and `MatrixProblem` are the two there
are. The last group of members is for samples compared in blocks and is read only where `compares_blocks` is true.
"""

from typing import Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Problem(Protocol):
    """A simplex QP.

    Attributes
    ----------
    size : int
        m.
    labels : float64 ndarray of shape (m,)
        -1 or +1, by which samples may alternate; all 1 where there are no classes.
    ridge : float or float64 ndarray of shape (m,)
        What Q has on its diagonal besides the kernel.
    diagonal : float64 ndarray of shape (m,)
        Q_ii.
    largest_diagonal : float
        D of the stopping rule `meb`; with weights a bound that one light point does not decide.
    kernel_path : str
        How kernel values are computed, for the run record.
    fits_float32 : bool
        Whether columns can be computed in float32.
    evaluations : int
        Kernel values computed so far for columns.
    compares_blocks : bool
        Whether samples can be compared with a coreset more cheaply than by columns over all points; then the problem
        also has `matrix` (a `KernelMatrix`), `offset` (float) and `ridge_at(indices)`.
    """

    size: int
    labels: np.ndarray
    ridge: float | np.ndarray
    diagonal: np.ndarray
    largest_diagonal: float
    kernel_path: str
    fits_float32: bool
    evaluations: int
    compares_blocks: bool

    def column_source(self, dtype, room_mb=0.0):
        """(`ColumnSource` for compiled loops in this precision, MB that it holds); called once per precision."""

    def fill_column(self, i, out):
        """Write column i of Q into `out` (m,), float32 or float64; by starts that look at few columns."""

    def scores(self, indices, weights):
        """s = Qa (m,) in float64, for a that is `weights` at `indices` (q,) and 0 elsewhere; by the certificate.

        A problem that `compares_blocks` also has `screened_scores`, a faster way to those that a certificate needs, and
        `restricted_to(points)`, the same problem over some of its points.
        """

    def submatrix(self, indices):
        """Q restricted to `indices` (q,), float64 (q, q), exactly symmetric; by starts."""
