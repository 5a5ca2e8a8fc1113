"""Newton's method for the L2-SVM over the active points of FCFW."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from fwsvm.kernels.loops import TILE
from fwsvm.kernels.rounding import UNIT
from fwsvm.machine_code.compiled import compiled
from fwsvm.machine_code.threads import tiles

if TYPE_CHECKING:
    from fwsvm.kernels.growing_gram import GrowingGram
    from fwsvm.problems.dual import KernelProblem

# Newton's method takes at most MOST_NEWTON_STEPS steps for one QP. For a low-rank approximation of
# a given rank, it takes at most as many for a guess, and at most as many for a precise solution.
MOST_NEWTON_STEPS = 100


def solved(matrix: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the solution x (n,) of n linear equations, matrix x = target.

    The positive definite `matrix` (n, n) and `target` (n,) are both float32 or both float64.

    Only the lower triangle of the matrix is read, and the matrix is overwritten. Raise LinAlgError
    if the matrix is not positive definite.
    """
    # LAPACK stores matrices by columns, so .T avoids a copy
    factor = cho_factor(matrix.T, overwrite_a=True, check_finite=False)
    x: np.ndarray = cho_solve(factor, target, check_finite=False)
    return x


@compiled
def signed_rows(
    values: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    labels: np.ndarray,
    own: np.ndarray,
    offset: float,
    first: int,
    out: np.ndarray,
) -> None:
    """Set out[k, l] = own[k] labels[c] (values[rows[k], c] + offset), where c = columns[l], for all
    l <= first + k.
    """
    for k in range(rows.shape[0]):
        row, sign = values[rows[k]], own[k]
        for p in range(min(first + k + 1, columns.shape[0])):
            c = columns[p]
            out[k, p] = sign * labels[c] * (row[c] + offset)


def line_search(
    f: np.ndarray, change: np.ndarray, weights: np.ndarray, constant: float, slope: float
) -> float:
    """Return the step length t > 0 that minimises the objective along a direction. All arrays are
    float64 (m,).

    The objective is t * constant + t^2 * slope / 2 + sum_i weights_i * max(0, 1 - f_i - t *
    change_i)^2 / 2.
    """
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(60):
        below = f + length * change < 1.0
        own = change[below]
        weighted = own * weights[below]
        rise = constant + length * slope - float((1.0 - f[below] - length * own) @ weighted)
        low, high = (length, high) if rise <= 0.0 else (low, length)
        following = length - rise / max(slope + float(own @ weighted), 1e-300)
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - length) <= 1e-12 * length:
            break
        length = following
    return length


# A Newton step has length 1 if it solves the QP. Among the steps that do not solve the QP, the
# first _FULL_STEPS also have length 1, because fewer points then cross the margin in later steps.
# For all further steps, a line search finds the length, so each step decreases the objective.
_FULL_STEPS = 8


class Restricted:
    """A solver of the QP over the n points of a `GrowingGram`.

    Let P_ij = y_i y_j (K_ij + offset), and let D be the diagonal matrix of the diagonal shifts. The
    QP over the simplex has the solution a = b / sum(b), where b minimises b'(P + D)b / 2 - sum(b)
    over b >= 0. To find b, this class minimises g'Pg / 2 + sum_i max(0, 1 - (Pg)_i)^2 / (2 D_ii)
    over all g. At the minimum, D_ii g_i = max(0, 1 - (Pg)_i), and this g is b.

    The attribute `g` has the current multipliers g, and the attribute `f` is Pg. Arguments named g
    and f are such vectors, and an argument d is a change of g. All are float64 arrays (n,).

    A Newton step solves the equations of the points with (Pg)_i below 1. After the first
    `_FULL_STEPS` steps, an exact line search finds the length of each step. The method ends after
    finitely many steps (Mangasarian 2002, Theorem 3; Chapelle 2007).
    """

    def __init__(self, gram: GrowingGram, problem: KernelProblem, room_mb: float) -> None:
        self.gram, self.offset, self._problem = gram, problem.offset, problem
        self.room_bytes = room_mb * 1e6
        self.g = self.f = self.labels = self.shift = np.empty(0)

    def set_points(self, g: np.ndarray, f: np.ndarray) -> None:
        self.g, self.f = g, f
        self.labels = self._problem.labels[self.gram.points]
        self.shift = np.broadcast_to(self._problem.shift_at(self.gram.points), len(g)).astype(
            np.float64
        )
        self._full_steps = 0

    def extend(self, new: np.ndarray, equations: int) -> None:
        """Add the points `new` (q,) to the `GrowingGram`. The rows that are stored leave enough
        memory for a Newton step with about `equations` equations.
        """
        self.gram.extend(new, self.room_bytes - 12.0 * equations * equations)

    def residual(self, g: np.ndarray | None = None, f: np.ndarray | None = None) -> float:
        """Return the larger of two numbers that are 0 at the solution. By default, g and f are the
        attributes `g` and `f`.

        The first number is the largest |D_ii g_i - max(0, 1 - f_i)|. If D is tiny, this number is
        small even where a large multiplier g_i > 0 belongs to a point with f_i above 1. The second
        number shows such points. It is the distance from 1 of the mean of D_ii g_i + f_i over all
        points, weighted with g.
        """
        if g is None or f is None:
            g, f = self.g, self.f
        largest = float(np.abs(self.shift * g - np.maximum(1.0 - f, 0.0)).max())
        total = float(g.sum())
        if not total > 0.0:
            return largest
        return max(largest, abs(float(g @ (self.shift * g + f)) / total - 1.0))

    def clip(self, tolerance: float) -> bool:
        """Set negative multipliers to 0 if the residual is then at most `tolerance`.

        Return False if negative multipliers remain, and True otherwise.
        """
        g, f = self.without_negative()
        if g is not self.g and self.residual(g, f) > tolerance:
            return False
        self.g, self.f = g, f
        return True

    def without_negative(self) -> tuple[np.ndarray, np.ndarray]:
        d = np.maximum(-self.g, 0.0)
        return (
            (self.g + d, self.f + self._times(np.arange(len(d)), d))
            if d.any()
            else (self.g, self.f)
        )

    def _times(self, positions: np.ndarray, x: np.ndarray) -> np.ndarray:
        signed = self.labels * x
        product: np.ndarray = self.labels[positions] * (
            self.gram.times(positions, signed) + self.offset * signed.sum()
        )
        return product

    def move(self, d: np.ndarray) -> None:
        self.f += self._times(np.arange(len(d)), d)
        self.g += d

    def step(self, tolerance: float) -> float:
        """Take a Newton step, and return its length.

        The length is 1 in the first _FULL_STEPS steps after `set_points`, and if the residual is
        then at most `tolerance`. Otherwise, a line search finds the length.

        Raise LinAlgError if rounding errors hide any progress, or if the equations cannot be
        solved. They cannot be solved if the memory is too small or the kernel matrix is not
        positive semidefinite.
        """
        below = np.flatnonzero(self.f < 1.0)
        d = -self.g
        d[below] = 0.0
        target = 1.0 - self.f[below] - self.shift[below] * self.g[below]
        if d.any():
            target -= self._times(below, d)
        d[below] = self._solve(below, target)
        change = self._times(np.arange(len(d)), d)
        length = 1.0
        if self.residual(self.g + d, self.f + change) > tolerance:
            self._full_steps += 1
            if self._full_steps > _FULL_STEPS:
                slope = max(float(d @ change), 0.0)  # rounding could make d'Pd negative
                start = float(self.g @ change)
                length = line_search(self.f, change, 1.0 / self.shift, start, slope)
        if not (length > UNIT and np.isfinite(length) and np.isfinite(change).all()):
            raise np.linalg.LinAlgError("rounding errors hide any progress")
        self.g += length * d
        self.f += length * change
        return length

    def _solve(self, below: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Solve (P + D)x = target over the k points `below`. `target` and x are float64 (k,)."""
        k, gram = len(below), self.gram
        if 8 * k * k > self.room_bytes:
            raise np.linalg.LinAlgError(f"there is no memory for {k} equations")
        if 8 * k * k + gram.stored_bytes > self.room_bytes:
            # there are more equations than expected, so fewer rows can be stored
            self.extend(np.empty(0, np.int64), k)
        matrix, labels = np.empty((k, k)), self.labels[below]
        for tile in tiles(k, TILE):
            values, rows = gram.stored_rows(below[tile])
            signed_rows(
                values,
                rows,
                below,
                self.labels,
                labels[tile],
                self.offset,
                tile.start,
                matrix[tile],
            )
        matrix[np.diag_indices(k)] += self.shift[below]
        return solved(matrix, target)
