"""The baseline `simple_svm`, which is the active set method of Vishwanathan, Smola and Murty (2003)
for the L1-SVM.

A point with multiplier b is out (b = 0), free (0 < b < C) or bounded (b = C). The free multipliers
solve a linear system with the kernel matrix of the free points. The Cholesky factor of this matrix
is updated row by row. If an entry of the solution is outside [0, C], the free multipliers move
toward the solution until one of them reaches a bound. The point of this multiplier is then no
longer free. If all entries are inside [0, C], the point that most violates the KKT conditions
becomes free. For m training points, the kernel columns of the n_free free points need O(m n_free)
memory. In tsang2005, the available memory limited the runs.
"""

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.machine_code.compiled import compiled
from fwsvm_papers.baselines.limits import LimitReachedError, Limits
from fwsvm_papers.baselines.model import BaselineModel
from fwsvm_papers.datasets.storage import Features

_BLOCK_BYTES = 32 << 20  # largest size of a block of kernel columns, in bytes
# Smallest square of a pivot of the factor, relative to the largest diagonal entry of the kernel
# matrix. This smallest square is added to each diagonal entry, and smaller squares are replaced by
# it, because equal points would otherwise give a pivot of 0.
_JITTER = 1e-10
_OUT, _FREE, _BOUNDED = 0, 1, 2


# The next three functions work on the Cholesky factor U of K = U'U, which is stored in the first n
# rows and columns of an array. Each function takes O(n^2) time.


@compiled
def append_row(U, n, values, diagonal, least):
    """Add a point to the factor U. If the square of the point's pivot is below `least`, it is
    replaced by `least`.

    `values` (n,) has the kernel values between the new point and the n points of U. The function
    overwrites `values`.
    """
    for i in range(n):
        x = values[i] / U[i, i]
        values[i] = x
        row = U[i]
        for k in range(i + 1, n):
            values[k] -= x * row[k]
    left = diagonal
    for i in range(n):
        U[i, n] = values[i]
        left -= values[i] * values[i]
    U[n, n] = np.sqrt(max(left, least))


@compiled
def remove_row(U, n, position, room):
    """Remove the point at `position` from the factor U, and move each later point up by one
    position.

    `room` (n,) is a work array.
    """
    for i in range(position):
        row = U[i]
        for k in range(position, n - 1):
            row[k] = row[k + 1]
    for k in range(position + 1, n):
        room[k - 1] = U[position, k]
    for i in range(position, n - 1):
        row = U[i]
        for k in range(i, n - 1):
            row[k] = U[i + 1, k + 1]
        # Rotations merge the removed row into the rows below it.
        length = np.sqrt(row[i] * row[i] + room[i] * room[i])
        c, s = row[i] / length, room[i] / length
        row[i] = length
        for k in range(i + 1, n - 1):
            x = row[k]
            row[k] = c * x + s * room[k]
            room[k] = c * room[k] - s * x


@compiled(reassociate=True)
def solve_factored(U, n, x):
    """Replace x (n,) by K^-1 x in place, and return x. U is the factor of K = U'U."""
    for i in range(n):
        row = U[i]
        x[i] /= row[i]
        value = x[i]
        for k in range(i + 1, n):
            x[k] -= value * row[k]
    for i in range(n - 1, -1, -1):
        row = U[i]
        total = x[i]
        for k in range(i + 1, n):
            total -= row[k] * x[k]
        x[i] = total / row[i]
    return x


class _FreePoints:
    """The free points, with their kernel columns (rows of `blocks`) and the Cholesky factor of
    their kernel matrix.
    """

    def __init__(self, matrix: KernelMatrix, limits: Limits) -> None:
        self.matrix, self.limits = matrix, limits
        self.diagonal = matrix.diagonal()
        # Both lists have the order of the factor. `points` has the indices of the free points, and
        # `places` has the row number of each of these points in the blocks.
        self.points: list[int] = []
        self.places: list[int] = []
        self.blocks: list[np.ndarray] = []
        self.unused: list[int] = []
        self.height = max(1, min(256, matrix.size, _BLOCK_BYTES // (8 * matrix.size)))
        limits.reserve(8e-6 * 32**2, "the factor")
        self.U = np.empty((32, 32))

    def __len__(self) -> int:
        return len(self.points)

    def column(self, position: int) -> np.ndarray:
        """Return the kernel values between all points and the free point at `position` in the
        factor.
        """
        block, row = divmod(self.places[position], self.height)
        return self.blocks[block][row]

    def add(self, i: int) -> None:
        if not self.unused:
            self.limits.reserve(
                8e-6 * self.height * self.matrix.size, f"{self.height} more kernel columns"
            )
            self.unused = list(
                range(len(self.blocks) * self.height, (len(self.blocks) + 1) * self.height)
            )[::-1]
            self.blocks.append(np.zeros((self.height, self.matrix.size)))
        n = len(self)
        if n == len(self.U):
            self.limits.reserve(8e-6 * (2 * n) ** 2, f"the factor of {2 * n} points")
            grown = np.empty((2 * n, 2 * n))
            grown[:n, :n] = self.U
            self.U = grown
            self.limits.release(8e-6 * n**2)
        self.points.append(i)
        self.places.append(self.unused.pop())
        column = self.column(n)
        self.matrix.column(i, column)
        least = _JITTER * self.diagonal.max()
        append_row(self.U, n, column[self.points[:n]], self.diagonal[i] + least, least)

    def remove(self, position: int) -> np.ndarray:
        """Remove the free point at `position` and return its kernel column."""
        column = self.column(position)
        remove_row(self.U, len(self), position, np.empty(len(self)))
        self.unused.append(self.places.pop(position))
        self.points.pop(position)
        return column

    def weighted_columns(self, weights: np.ndarray) -> np.ndarray:
        """Return the sum of weights_j k(x_j, .) over the free points x_j. The sum is an array (m,),
        with a value for each training point.
        """
        of_rows = np.zeros((len(self.blocks), self.height))
        of_rows.flat[self.places] = weights
        return sum(part @ block for part, block in zip(of_rows, self.blocks, strict=True))


def fit_simple_svm(
    X: Features,
    y: np.ndarray,
    kernel: Kernel,
    C: float,
    limits: Limits,
    rng: np.random.Generator,
    tol: float = 1e-3,
    max_iterations: int = 10_000_000,
) -> BaselineModel:
    """Minimise b'Qb / 2 - sum(b) subject to 0 <= b <= C and y'b = 0, with Q_ij = y_i y_j k_ij.

    LIBSVM solves the same problem.

    Training starts with a random point and the closest point of the other class. Training ends when
    no margin condition is violated by more than `tol`, when a limit is reached, or after
    `max_iterations` iterations. In each iteration, one point moves to another group (out, free or
    bounded).
    """
    state = _ActiveSet(X, y, kernel, C, limits, first=int(rng.integers(len(y))))
    iterations, reason, note = 0, "converged", ""
    try:
        while True:
            if limits.is_over or iterations >= max_iterations:
                reason = "time_limit" if limits.is_over else "iteration_limit"
                break
            iterations += 1
            if not state.step_inside() and not state.free_worst_violator(tol):
                break
    except LimitReachedError as over:
        if not state.multipliers.any():
            raise
        reason, note = over.reason, str(over)
    return state.expansion(iterations, reason, note)


class _ActiveSet:
    """The multipliers b, the group of every point (out, free or bounded), and sums of kernel
    columns.
    """

    def __init__(
        self,
        X: Features,
        y: np.ndarray,
        kernel: Kernel,
        C: float,
        limits: Limits,
        first: int,
    ) -> None:
        self.matrix, self.y, self.C, self.bias = KernelMatrix(X, kernel), y, C, 0.0
        limits.reserve(8e-6 * 4 * len(y), "the multipliers")
        self.free = _FreePoints(self.matrix, limits)
        self.multipliers, self.group = np.zeros(len(y)), np.zeros(len(y), dtype=np.int8)
        self.bounded_sum = np.zeros(len(y))  # C sum_j y_j k(x_j, .) over the bounded points
        # An array with y (h(x) - bias) for each point, or None before the first search for
        # violators.
        self.margins: np.ndarray | None = None
        # The point `first` and the closest point of the other class become free.
        column = np.empty(len(y))
        self.matrix.column(first, column)
        distance = self.free.diagonal - 2.0 * column
        other = np.flatnonzero(self.y != self.y[first])
        for i in (first, int(other[distance[other].argmin()])):
            self.free.add(i)
            self.group[i] = _FREE

    def step_inside(self) -> bool:
        """Move the free multipliers toward the solution of their linear system.

        Return True if a multiplier reaches a bound before the solution is reached. The point of
        this multiplier is then no longer free. If only one point is free, its multiplier stays the
        same, and only the bias is computed.
        """
        points = np.array(self.free.points)
        old = self.multipliers[points]
        particular = solve_factored(
            self.free.U, len(points), self.y[points] - self.bounded_sum[points]
        )
        homogeneous = solve_factored(self.free.U, len(points), np.ones(len(points)))
        excess = self.C * float(self.y[self.group == _BOUNDED].sum())
        self.bias = (particular.sum() + excess) / homogeneous.sum()
        new = self.y[points] * (particular - self.bias * homogeneous)
        slack = 1e-12 * self.C
        below, above = new < -slack, new > self.C + slack
        if not (below.any() or above.any()) or len(points) == 1:
            self.multipliers[points] = np.clip(new, 0.0, self.C) if len(points) > 1 else old
            return False
        room = np.ones(len(points))
        room[below] = old[below] / (old[below] - new[below])
        room[above] = (self.C - old[above]) / (new[above] - old[above])
        position = int(room.argmin())
        self.multipliers[points] = np.clip(old + room[position] * (new - old), 0.0, self.C)
        i = points[position]
        self.multipliers[i] = 0.0 if below[position] else self.C
        self.group[i] = _OUT if below[position] else _BOUNDED
        column = self.free.remove(position)
        if self.group[i] == _BOUNDED:
            self.bounded_sum += self.C * self.y[i] * column
        return True

    def free_worst_violator(self, tol: float) -> bool:
        """Find the point that most violates its margin condition, and make it free.

        Its multiplier b is still 0 or C. The next step can change b.

        Return True if a point became free. If no violation exceeds `tol`, make no point free and
        return False.
        """
        points = self.free.points
        values = (
            self.free.weighted_columns(self.multipliers[points] * self.y[points]) + self.bounded_sum
        )
        margins = self.y * values
        self.margins = margins
        margin = margins + self.bias * self.y - 1.0
        violation = np.where(
            self.group == _OUT, -margin, np.where(self.group == _BOUNDED, margin, -np.inf)
        )
        i = int(violation.argmax())
        if violation[i] <= tol:
            return False
        self.free.add(i)
        if self.group[i] == _BOUNDED:
            self.bounded_sum -= self.C * self.y[i] * self.free.column(len(self.free) - 1)
        self.group[i] = _FREE
        return True

    def expansion(self, iterations: int, reason: str, note: str) -> BaselineModel:
        support = np.flatnonzero(self.multipliers > 0)
        b = self.multipliers[support]
        quadratic = float(b @ self.margins[support]) if self.margins is not None else np.nan
        return BaselineModel(
            points=support,
            coefficients=b * self.y[support],
            bias=float(self.bias),
            support_vectors=len(support),
            objective=0.5 * quadratic - float(b.sum()) if reason == "converged" else np.nan,
            iterations=iterations,
            stop_reason=reason,
            note=note,
            facts={
                "free": len(self.free),
                "bounded": int(np.count_nonzero(self.group == _BOUNDED)),
            },
        )
