"""Training and certification of small binary problems with `method="auto"`, in one compiled call
per problem.

For a problem of a thousand points, the preparations of the general solver can take longer than the
training itself. Here, pairs of few points share the kernel values within a class, and the whole
matrix Q of a pair is in memory. Pairs of more points compute the columns of Q that training needs.
"""

from __future__ import annotations

import time
from functools import cached_property
from threading import Lock, get_ident
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fwsvm.kernels.matrix import GRAM_POINTS, KernelMatrix
from fwsvm.kernels.rounding import (
    UNIT,
    difference_errors,
    expansion_errors,
    product_error,
    rbf_errors,
    sum_error,
)
from fwsvm.machine_code.compiled import compiled
from fwsvm.problems.column_cache import Cache, load, new_slots
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.block_loop import all_slots, minimise_block
from fwsvm.solvers.drivers import SECONDS_BETWEEN_CHECKS, VALUES_BETWEEN_CHECKS
from fwsvm.solvers.settings import Settings
from fwsvm.solvers.solution import Solution, gap_bound, relative_gap_bound
from fwsvm.solvers.state import INACTIVE, Reason, State, fields_of, new_state, refresh_objective
from fwsvm.solvers.working_sets import SET_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fwsvm.kernels.column_source import ColumnSource
    from fwsvm.kernels.functions import Kernel
    from fwsvm.kernels.points import Points


# Largest number of points of a pair whose whole matrix Q is computed. For more points, computing
# the whole matrix takes longer than computing the columns that training needs. With only two
# classes of sparse points, the whole matrix always takes longer, because matrix products of sparse
# points are slow, and no other pair uses the same kernel values.
MOST_PAIR_POINTS = 512
# A pair of more points computes the columns that training needs if n (d + 16) is at most
# _MOST_PRODUCTS. Here, n is the number of points (at most GRAM_POINTS), and d is the number of
# stored entries per point (plus the degree of a polynomial kernel). A float64 column takes about as
# long as n (d + 16) products. With more products, the float32 columns of the general solver save
# more time than its preparations take.
_MOST_PRODUCTS = 65_536
# If the gap is still more than twice the objective after _MANY_STEPS steps per point, this module
# stops training the pair. The general solver is then likely to be faster, because it has methods
# for ill-conditioned problems. But with few points, steps cost less than the preparations of the
# general solver. Therefore, this module updates at least 2 VALUES_BETWEEN_CHECKS gradient entries
# before it stops. Training ends after 8 times as many steps, or after 100 _MANY_STEPS steps per
# point if this number is smaller.
_MANY_STEPS = 2
# The share of the allowed gap that is left for the rounding errors of the last gradient.
_ROUNDING_SHARE = 0.01


@compiled
def write_pair(
    first: np.ndarray,
    between: np.ndarray,
    second: np.ndarray,
    offset: float,
    shifts: np.ndarray,
    Q: np.ndarray,
) -> None:
    """Write Q_ij = y_i y_j (k_ij + offset) + delta_ij shift_i for a pair of classes of p and q
    points.

    The kernel values are `first` (p, p) and `second` (q, q) within the classes, and `between`
    (p, q). The labels y are 1 in the first class and -1 in the second.
    """
    p, q = between.shape
    for i in range(p):
        row, values, others = Q[i], first[i], between[i]
        for j in range(p):
            row[j] = values[j] + offset
        for j in range(q):
            row[p + j] = -(others[j] + offset)
        row[i] += shifts[i]
    for i in range(q):
        row, values = Q[p + i], second[i]
        for j in range(p):
            row[j] = -(between[j, i] + offset)
        for j in range(q):
            row[p + j] = values[j] + offset
        row[p + i] += shifts[p + i]


@compiled
def train_pair(
    source: np.ndarray,
    diagonal: np.ndarray,
    shifts: np.ndarray,
    eps: float,
    trial: int,
    limit: int,
    cache: Cache,
    state: State,
) -> bool:
    """Minimise a'Qa until the relative gap is at most `eps`, or for at most `limit` steps. Training
    starts at the first point.

    Return False if the gap is more than twice the objective after `trial`, 2 `trial`, 4 `trial`,
    ... steps. The general solver is then likely to be faster. Otherwise, return True at the end.

    `diagonal` (n,) is the diagonal of Q without the `shifts` (n,). Columns that the
    cache does not have are computed by `source` (`ColumnSource.handle`).

    At the end, `state.a` has the weights, which sum to 1. `state.s` has the gradient, which is
    computed anew from the weights.
    """
    n, count, real = len(diagonal), state.count, state.real
    columns = cache.columns
    slot = load(cache, source, 0, np.int64(-1))
    for i in range(n):
        state.a[i] = 0.0
        state.s[i] = columns[slot, i]
        state.diagonal[i] = diagonal[i] + shifts[i]
        state.penalty[i] = INACTIVE
        state.position[i] = -1
    state.a[0] = 1.0
    state.penalty[0] = 0.0
    state.position[0] = 0
    state.active[0] = 0
    count.active_size = 1
    count.iterations = 0
    count.swap_steps = 0
    count.drop_steps = 0
    count.idle_steps = 0
    real.objective = state.s[0]
    end = min(trial, limit)
    # The loop ends when the difference of two gradient entries is small. The gap is at most twice
    # this difference, and often less than it.
    tolerance = 1.0
    while True:
        gap = 2.0 * (real.objective - state.s[:n].min())
        target = eps * abs(real.objective)
        if gap <= target or count.iterations >= limit:
            break
        if count.iterations >= end:
            if gap > 2.0 * real.objective:
                return False
            end = min(2 * end, limit)
        made = count.iterations
        reason = Reason.NEEDS_COLUMN
        while reason == Reason.NEEDS_COLUMN:
            count.pending = -1
            reason = minimise_block(state, n, columns, cache.slots, tolerance * target, 0.0, end)
            if reason == Reason.NEEDS_COLUMN:
                load(cache, source, count.missing, count.pending)
        refresh_objective(state)
        if reason == Reason.CONVERGED:
            if tolerance == 0.5 and (count.iterations == made or real.step_length == 0.0):
                break  # rounding errors hide any progress
            tolerance = max(0.75 * tolerance, 0.5)
    total = 0.0
    for i in range(n):
        total += state.a[i]
        state.s[i] = 0.0
    for j in range(n):
        if state.a[j] > 0.0:
            state.a[j] /= total
            row = columns[load(cache, source, j, np.int64(-1))]
            # the diagonal shift is added after the sum, because the sum then has smaller rounding
            # errors
            row[j] = diagonal[j]
            for i in range(n):
                state.s[i] += state.a[j] * row[i]
    for j in range(n):
        state.s[j] += shifts[j] * state.a[j]
    return True


def takes(settings: Settings) -> bool:
    """Test whether this module can train pairs of classes with these settings."""
    return (
        settings.method == "auto"
        and settings.stop == "relative"
        and settings.certify
        and not settings.selection.sampled
        and settings.column_dtype != "float32"
        and settings.init == "random_meb"
    )


def _products(points: Points, kernel: Kernel) -> float:
    """Return about how many products a kernel value costs."""
    return points.stored_per_point + 16 + (kernel.degree if kernel.name == "poly" else 0)


def largest_pair(points: Points, kernel: Kernel, members: list[np.ndarray], n_values: int) -> int:
    """Return the number of points of the largest pair of classes that this module trains, or 0 if
    there is no such pair. `members` has the indices of the points of each class.

    With `n_values` > 1 values of C, only pairs with a whole matrix are trained here, because the
    general solver computes each column only once for all values of C. With two classes of dense
    points, the general solver is faster if it can change to working sets.
    """
    most = MOST_PAIR_POINTS
    if n_values == 1:
        more = SET_SIZE if len(members) == 2 and not points.is_sparse else GRAM_POINTS
        most = max(most, min(int(_MOST_PRODUCTS / _products(points, kernel)), more))
    sizes = np.array([len(each) for each in members])
    pairs = np.add.outer(sizes, sizes)[np.triu_indices(len(sizes), 1)]
    return int(pairs[pairs <= most].max(initial=0))


class Attempt(NamedTuple):
    """The result of an attempt to train a pair of classes. If there is no solution, the general
    solver trains the pair, and adds these numbers of kernel values to its own numbers.
    """

    solution: Solution | None
    kernel_evaluations: int = 0
    requested_evaluations: int = 0


class _Memory:
    """The memory of a thread: columns of Q, the state of training, and the kernel values of the
    last pair with a whole matrix.
    """

    def __init__(self, most: int) -> None:
        # the operating system provides each page of memory only when it is first written
        self._numbers = np.empty(most * most)
        self.state: State = new_state(most)
        self.count = fields_of(self.state.count)
        self.pair: tuple[int, int] | None = None
        self.blocks: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    def columns(self, n: int) -> np.ndarray:
        """Return an array for n columns of n numbers each."""
        return self._numbers[: n * n].reshape(n, n)


class _Between:
    """The kernel values between a class and all classes with which it forms a small pair."""

    def __init__(
        self, matrix: KernelMatrix, members: list[np.ndarray], p: int, others: list[int]
    ) -> None:
        ends = np.cumsum([len(members[q]) for q in others])
        self._columns = {
            q: slice(end - len(members[q]), end) for q, end in zip(others, ends, strict=True)
        }
        rest = np.concatenate([members[q] for q in others])
        self._values = matrix.submatrix(members[p], rest)

    @property
    def size(self) -> int:
        return self._values.size

    def take(self, q: int) -> tuple[np.ndarray, bool]:
        """Return the kernel values between this class and class `q`, and True if no other class is
        left.
        """
        columns = self._columns.pop(q)
        return np.ascontiguousarray(self._values[:, columns]), not self._columns


class SmallPairs:
    """The training of all pairs of classes with few points, for each C of `C_values`.

    `matrix` is the kernel matrix of all points. The rounding errors of its values must have bounds
    (`KernelMatrix.is_near`). `members` has the indices of the points of each class, and `pairs` has
    the codes (positive, negative) of all pairs. `most` is the value of `largest_pair`.
    """

    def __init__(
        self,
        matrix: KernelMatrix,
        C_values: Sequence[float],
        weights: np.ndarray | None,
        members: list[np.ndarray],
        pairs: list[tuple[int, int]],
        most: int,
    ) -> None:
        labels = np.ones(matrix.size)
        problems = [KernelProblem(matrix, labels, C, weights=weights) for C in C_values]
        self._shifts = [np.broadcast_to(each.shift, (matrix.size,)) for each in problems]
        self._offset = problems[0].offset
        self._matrix = matrix
        self._diagonal = matrix.diagonal() + self._offset
        self._members = members
        sizes = {(p, q): len(members[p]) + len(members[q]) for p, q in pairs}
        self.most = most
        is_shared = len(members) > 2 or len(C_values) > 1
        self._most_whole = MOST_PAIR_POINTS if is_shared or not matrix.points.is_sparse else 0
        self._others: list[list[int]] = [[] for _ in members]
        for (p, q), n in sizes.items():
            if n <= self._most_whole:
                self._others[p].append(q)
        self._within: dict[int, np.ndarray] = {}
        self._between: dict[int, _Between] = {}
        self._lock = Lock()
        self._memory: dict[int, _Memory] = {}  # key: thread id

    @staticmethod
    def megabytes(members: list[np.ndarray], most: int, n_threads: int) -> float:
        """Return the memory (MB) that small pairs need at most.

        It has the values within each class, the values between one class and all others, and for
        each thread, the columns and a copy of the points of one pair. `most` is the value of
        `largest_pair`.
        """
        sizes = np.array([len(each) for each in members])
        sizes = sizes[sizes < MOST_PAIR_POINTS]
        shared = float(sizes @ sizes + sizes.max(initial=0) * sizes.sum())
        # a stored entry of sparse points needs up to 32 bytes
        copied = 4 * _MOST_PRODUCTS if most > MOST_PAIR_POINTS else 0
        return 8e-6 * (shared + n_threads * (most**2 + copied))

    def _blocks(
        self, pair: tuple[int, int], memory: _Memory
    ) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], int]:
        """Return the kernel values within the first class of a pair, between the classes, and
        within the second class. Return also the number of kernel values that this call computed.
        """
        if memory.pair == pair and memory.blocks is not None:
            return memory.blocks, 0  # the same pair was trained with another C
        p, q = pair
        computed = 0
        with self._lock:
            for c in pair:
                if c not in self._within:
                    self._within[c] = self._matrix.submatrix(self._members[c])
                    computed += self._within[c].size
            if p not in self._between:
                self._between[p] = _Between(self._matrix, self._members, p, self._others[p])
                computed += self._between[p].size
            between, is_last = self._between[p].take(q)
            if is_last:
                del self._between[p]
        memory.pair, memory.blocks = pair, (self._within[p], between, self._within[q])
        return memory.blocks, computed

    def solve(
        self,
        position: int,
        pair: tuple[int, int],
        labels: np.ndarray,
        settings: Settings,
        limit_s: float,
        aim: float,
    ) -> Attempt:
        """Train on the points of two classes to a relative gap of `aim`, for the value of C with
        the index `position`.

        `labels` (n,) has the labels of these points: +1 in the first class, and -1 in the second.
        There is no solution if there are too many points, if the time limit `limit_s` (s) or the
        limit of steps is too small for this module, if the pair was given up, or if the certified
        relative gap exceeds `settings.eps`.
        """
        n = len(labels)
        if n > self.most:
            return Attempt(None)
        rows = np.concatenate([self._members[c] for c in pair])
        is_whole = n <= self._most_whole
        trial = max(_MANY_STEPS * n, 2 * VALUES_BETWEEN_CHECKS // n)
        limit = min(8 * trial, 100 * _MANY_STEPS * n)
        # This module does not check the time during training, so the time limit must be large
        # enough for the gradient entries that all steps update.
        needed_s = SECONDS_BETWEEN_CHECKS * limit * n / VALUES_BETWEEN_CHECKS
        if limit_s < needed_s or settings.max_iterations < limit:
            return Attempt(None)
        if not is_whole and self._matrix.points.is_sparse:
            # this pair can have more stored entries per point than the mean of all points
            own = self._matrix.points.view(rows)
            if n * _products(own, self._matrix.kernel) > _MOST_PRODUCTS:
                return Attempt(None)
        begin, begin_wall = time.thread_time(), time.perf_counter()
        thread = get_ident()
        memory = self._memory.get(thread) or self._memory.setdefault(thread, _Memory(self.most))
        shifts, diagonal = self._shifts[position][rows], self._diagonal[rows]
        columns = memory.columns(n)
        source: ColumnSource | None = None
        if is_whole:
            blocks, evaluations = self._blocks(pair, memory)
            write_pair(*blocks, self._offset, shifts, columns)
            handle, slots = np.zeros(2, np.int64), all_slots(n)
        else:
            source, evaluations = self._source(labels, rows, shifts), 0
            handle, slots = source.handle(), new_slots(len(columns), n)
        is_trained = train_pair(
            handle,
            diagonal,
            shifts,
            (1.0 - _ROUNDING_SHARE) * aim,
            trial,
            limit,
            Cache(columns, slots),
            memory.state,
        )
        count = memory.count
        requested = n * n
        if source is not None:
            evaluations = int(source.arrays["evaluations"][0])
            requested = n * (1 + 2 * count.iterations)
        if not is_trained:
            return Attempt(None, evaluations, requested)
        trained, trained_wall = time.thread_time(), time.perf_counter()
        a, s = memory.state.a[:n], memory.state.s[:n]
        support = a.nonzero()[0]
        weights = a[support]
        objective = float(weights @ s[support])
        errors = self._errors(rows, support, weights, is_whole)
        errors[support] += 4.0 * UNIT * weights * shifts[support]
        objective_error = float(weights @ errors[support]) + sum_error(len(support)) * float(
            weights @ np.abs(s[support])
        )
        gap = gap_bound(objective, objective_error, float((s - errors).min()))
        relative_gap = relative_gap_bound(objective, objective_error, gap)
        if not relative_gap <= settings.eps:
            return Attempt(None, evaluations, requested)
        if len(self._members) == 2:  # the points are not in the order of their classes
            order = np.argsort(-labels, kind="stable")[support]
            ascending = np.argsort(order)
            support, weights = order[ascending], weights[ascending]
        solution = Solution(
            support=support,
            weights=weights,
            objective=objective,
            gap=gap,
            objective_error=objective_error,
            relative_gap=relative_gap,
            stop_reason="converged",
            iterations=count.iterations,
            away_steps=0,
            swap_steps=count.swap_steps,
            drop_steps=count.drop_steps,
            samples=0,
            kernel_evaluations=evaluations,
            requested_evaluations=requested,
            coreset_size=len(support),
            train_cpu_s=trained - begin,
            train_wall_s=trained_wall - begin_wall,
            certify_cpu_s=time.thread_time() - trained,
            method="swap2o",
            kernel_path=self._matrix.path,
            column_dtype="float64",
        )
        return Attempt(solution, evaluations, requested)

    def _source(self, labels: np.ndarray, rows: np.ndarray, shifts: np.ndarray) -> ColumnSource:
        """Return the source of the columns of Q of a pair. `shifts` (n,) are those of its points
        `rows` (n,), and `labels` (n,) are their labels.
        """
        source, _ = self._matrix.restricted_to(rows).column_source(np.float64)
        ordered = -np.sort(-labels)  # the points of the first class come first
        evaluations = np.zeros(1, np.int64)
        return source.changed(self._offset, shifts, labels=ordered, evaluations=evaluations)

    def _errors(
        self, rows: np.ndarray, support: np.ndarray, weights: np.ndarray, is_whole: bool
    ) -> np.ndarray:
        """Return bounds (n,) for the errors of sum_j y_i y_j (k_ij + offset) a_j at the n points.

        The weights are positive and sum to 1.
        """
        of_sum = sum_error(len(support))
        of_offset = of_sum * self._offset
        if self._matrix.kernel.is_isotropic:
            is_product = is_whole or self._matrix.points.is_sparse
            of_values = (self._product_errors if is_product else self._difference_errors)[
                rows[support]
            ]
            return np.full(len(rows), float(weights @ (of_values + of_sum)) + of_offset)
        relative = product_error(self._matrix.kernel, self._n_terms) + of_sum
        diagonal = self._diagonal[rows] - self._offset
        return expansion_errors(diagonal, weights, diagonal[support], relative) + of_offset

    @property
    def _n_terms(self) -> int:
        points = self._matrix.points
        return 0 if points.is_binary else points.most_terms

    @cached_property
    def _product_errors(self) -> np.ndarray:
        """Bounds (m,) for the errors of RBF kernel values that are computed from dot products."""
        points = self._matrix.points
        return rbf_errors(
            self._matrix.kernel, points.squared_norms, self._n_terms, not points.is_sparse
        )

    @cached_property
    def _difference_errors(self) -> np.ndarray:
        """Bounds (m,) for the errors of RBF kernel values that are computed from differences."""
        points = self._matrix.points
        return difference_errors(self._matrix.kernel, points.squared_norms, self._n_terms, True)
