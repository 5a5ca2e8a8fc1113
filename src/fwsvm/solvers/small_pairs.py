"""Training and certification of small binary problems with `method="auto"`, in one compiled call
per problem.

For a problem of a hundred points, the preparations of the general solver take longer than the
training itself. Here, pairs of classes share the kernel values within a class, and the whole matrix
Q of a pair is in memory.
"""

from __future__ import annotations

import time
from threading import Lock, get_ident
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.kernels.rounding import UNIT, expansion_errors, product_error, rbf_errors, sum_error
from fwsvm.machine_code.compiled import compiled
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.block_loop import all_slots, minimise_block
from fwsvm.solvers.drivers import SECONDS_BETWEEN_CHECKS
from fwsvm.solvers.settings import Settings
from fwsvm.solvers.solution import Solution, gap_bound
from fwsvm.solvers.state import INACTIVE, State, new_state, refresh_objective

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fwsvm.problems.column_cache import Slots

# Largest number of points of a small pair. For more points, the whole matrix Q costs more than the
# columns that training would need.
MOST_PAIR_POINTS = 512
# If a small problem needs more than this number of steps per point, the general solver solves it.
_MANY_STEPS = 200
# The share of the allowed gap that is left for the rounding errors of the last gradient.
_ROUNDING_SHARE = 0.01


@compiled
def _write_matrix(
    K: np.ndarray, labels: np.ndarray, offset: float, shifts: np.ndarray, Q: np.ndarray
) -> None:
    """Write Q_ij = y_i y_j (k_ij + offset) + delta_ij shift_i."""
    n = len(labels)
    for i in range(n):
        values, row, own = K[i, :n], Q[i, :n], labels[i]
        for j in range(n):
            row[j] = own * labels[j] * (values[j] + offset)
        row[i] += shifts[i]


@compiled
def train_small(
    K: np.ndarray,
    labels: np.ndarray,
    offset: float,
    shifts: np.ndarray,
    eps: float,
    limit: int,
    Q: np.ndarray,
    slots: Slots,
    state: State,
) -> None:
    """Minimise a'Qa until the relative gap is at most `eps`, or for at most `limit` steps. Training
    starts at the first point.

    At the end, `state.a` has the weights, which sum to 1. `state.s` has the gradient, which is
    computed anew from the weights.
    """
    n, count, real = len(labels), state.count, state.real
    _write_matrix(K, labels, offset, shifts, Q)
    for i in range(n):
        state.a[i] = 0.0
        state.s[i] = Q[0, i]
        state.diagonal[i] = Q[i, i]
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
    real.objective = Q[0, 0]
    while count.iterations < limit:
        target = eps * abs(real.objective)
        made = count.iterations
        if 2.0 * (real.objective - state.s[:n].min()) <= target:
            break
        minimise_block(state, n, Q, slots, 0.5 * target, 0.0, limit)
        refresh_objective(state)
        if count.iterations == made or real.step_length == 0.0:
            break  # rounding errors hide any progress
    total = 0.0
    for i in range(n):
        total += state.a[i]
        state.s[i] = 0.0
    for j in range(n):
        if state.a[j] > 0.0:
            state.a[j] /= total
            # the diagonal shift is added after the sum, because the sum then has smaller rounding
            # errors
            Q[j, j] = K[j, j] + offset
            for i in range(n):
                state.s[i] += state.a[j] * Q[j, i]
    for j in range(n):
        state.s[j] += shifts[j] * state.a[j]


def takes(settings: Settings, members: list[np.ndarray]) -> bool:
    """Test whether this module can train a pair of classes with these settings.

    `members` has the indices of the points of each class.
    """
    sizes = sorted(len(each) for each in members)
    return (
        sum(sizes[:2]) <= MOST_PAIR_POINTS
        and settings.method == "auto"
        and settings.stop == "relative"
        and settings.certify
        and not settings.selection.sampled
        and settings.column_dtype != "float32"
        and settings.init == "random_meb"
    )


class _Memory:
    """The memory of a thread: the kernel values and the matrix Q of its last pair, and the state of
    training.
    """

    def __init__(self, most: int) -> None:
        self.values = np.zeros((most, most))
        self.pair: tuple[int, int] | None = None
        self.Q = np.zeros((most, most))
        self.state: State = new_state(most)


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
        return self._values[:, columns], not self._columns


class SmallPairs:
    """The training of all pairs of classes with at most MOST_PAIR_POINTS points, for each C of
    `C_values`.

    `matrix` is the kernel matrix of all points. The rounding errors of its values must have bounds
    (`KernelMatrix.is_near`). `members` has the indices of the points of each class, and `pairs` has
    the codes (positive, negative) of all pairs.
    """

    def __init__(
        self,
        matrix: KernelMatrix,
        C_values: Sequence[float],
        weights: np.ndarray | None,
        members: list[np.ndarray],
        pairs: list[tuple[int, int]],
    ) -> None:
        labels = np.ones(matrix.size)
        problems = [KernelProblem(matrix, labels, C, weights=weights) for C in C_values]
        self._shifts = [np.broadcast_to(each.shift, (matrix.size,)) for each in problems]
        self._offset = problems[0].offset
        self._matrix = matrix
        self._diagonal = matrix.diagonal()
        self._members = members
        small = [(p, q) for p, q in pairs if len(members[p]) + len(members[q]) <= MOST_PAIR_POINTS]
        self._most = max(len(members[p]) + len(members[q]) for p, q in small)
        self._others: list[list[int]] = [[] for _ in members]
        for p, q in small:
            self._others[p].append(q)
        self._within: dict[int, np.ndarray] = {}
        self._between: dict[int, _Between] = {}
        self._lock = Lock()
        self._memory: dict[int, _Memory] = {}  # key: thread id

    @staticmethod
    def megabytes(members: list[np.ndarray]) -> float:
        """Return the memory (MB) that the kernel values of small pairs need at most.

        This memory has the values within each class, and the values between one class and all other
        classes.
        """
        sizes = np.array([len(each) for each in members if len(each) < MOST_PAIR_POINTS])
        return 8e-6 * float(sizes @ sizes + sizes.max(initial=0) * sizes.sum())

    def _write_values(self, pair: tuple[int, int], values: np.ndarray) -> int:
        """Write the kernel values of the points of two classes into `values`, where the points of
        the first class come first. Return the number of kernel values that this call computed.
        """
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
        middle, end = len(between), sum(between.shape)
        values[:middle, :middle] = self._within[p]
        values[middle:end, middle:end] = self._within[q]
        values[:middle, middle:end] = between
        values[middle:end, :middle] = between.T
        return computed

    def solve(
        self,
        position: int,
        pair: tuple[int, int],
        labels: np.ndarray,
        settings: Settings,
        aim: float,
    ) -> Solution | None:
        """Train on the points of two classes to a relative gap of `aim`, for the value of C with
        the index `position`.

        `labels` (n,) has the labels of these points: +1 in the first class, and -1 in the second.
        Return None if there are too many points, if the limits in `settings` are too small for this
        module, or if the certified relative gap exceeds `settings.eps`. The general solver is then
        used.
        """
        if len(labels) > self._most:
            return None
        order = np.argsort(-labels, kind="stable")  # the points of the first class come first
        labels = labels[order]
        rows = np.concatenate([self._members[c] for c in pair])
        n = len(rows)
        limit = _MANY_STEPS * n
        # this module does not check the time during training
        if settings.time_limit < SECONDS_BETWEEN_CHECKS or settings.max_iterations < limit:
            return None
        begin, begin_wall = time.thread_time(), time.perf_counter()
        memory = self._memory.get(get_ident()) or self._memory.setdefault(
            get_ident(), _Memory(self._most)
        )
        shifts = self._shifts[position][rows]
        evaluations = 0
        if memory.pair != pair:  # otherwise, the same pair was trained with another C
            evaluations = self._write_values(pair, memory.values)
            memory.pair = pair
        state = memory.state
        train_small(
            memory.values,
            labels,
            self._offset,
            shifts,
            (1.0 - _ROUNDING_SHARE) * aim,
            limit,
            memory.Q,
            all_slots(self._most),
            state,
        )
        trained, trained_wall = time.thread_time(), time.perf_counter()
        support = np.flatnonzero(state.a[:n])
        weights, s = state.a[support], state.s[:n].copy()
        objective = float(weights @ s[support])
        errors = self._errors(rows, support, weights)
        errors[support] += 4.0 * UNIT * weights * shifts[support]
        objective_error = float(weights @ errors[support]) + sum_error(len(support)) * float(
            weights @ np.abs(s[support])
        )
        gap = gap_bound(objective, objective_error, float((s - errors).min()))
        if gap > settings.eps * abs(objective):
            return None
        count, support = state.count, order[support]
        ascending = np.argsort(support)
        return Solution(
            support=support[ascending],
            weights=weights[ascending],
            objective=objective,
            gap=gap,
            objective_error=objective_error,
            relative_gap=gap / objective if objective else np.inf,
            stop_reason="converged",
            iterations=int(count.iterations),
            away_steps=0,
            swap_steps=int(count.swap_steps),
            drop_steps=int(count.drop_steps),
            samples=0,
            kernel_evaluations=evaluations,
            requested_evaluations=n * n,
            coreset_size=len(support),
            train_cpu_s=trained - begin,
            train_wall_s=trained_wall - begin_wall,
            certify_cpu_s=time.thread_time() - trained,
            method="swap2o",
            kernel_path=self._matrix.path,
            column_dtype="float64",
        )

    def _errors(self, rows: np.ndarray, support: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return bounds (n,) for the errors of sum_j y_i y_j (k_ij + offset) a_j at the n points.

        The weights are positive and sum to 1.
        """
        matrix, of_sum = self._matrix, sum_error(len(support))
        kernel: Kernel = matrix.kernel
        points = matrix.points
        n_terms = 0 if points.is_binary else points.most_terms
        of_offset = of_sum * self._offset
        if kernel.is_isotropic:
            norms = points.squared_norms[rows[support]]
            of_values = rbf_errors(kernel, norms, n_terms, not points.is_sparse)
            return np.full(len(rows), float(weights @ (of_values + of_sum)) + of_offset)
        relative = product_error(kernel, n_terms) + of_sum
        diagonal = self._diagonal[rows]
        return expansion_errors(diagonal, weights, diagonal[support], relative) + of_offset
