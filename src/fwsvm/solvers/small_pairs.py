"""Train and certify binary problems of few points with `method="auto"`, each in one compiled call.

For a problem of a hundred points, the preparations of the general solver take longer than the
training itself. Here, pairs of classes can share kernel values, and the whole matrix Q of a pair is
in memory.
"""

from __future__ import annotations

import time
from threading import get_ident
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.kernels.rounding import UNIT, expansion_errors, product_error, rbf_errors, sum_error
from fwsvm.machine_code.compiled import compiled
from fwsvm.machine_code.threads import one_blas_thread
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.block_loop import all_slots, minimise_block
from fwsvm.solvers.settings import Settings
from fwsvm.solvers.solution import Solution, gap_bound
from fwsvm.solvers.state import INACTIVE, State, new_state
from fwsvm.solvers.steps import refresh_objective

if TYPE_CHECKING:
    from collections.abc import Sequence

# Largest number of points of a small pair: MOST_SHARED if pairs share kernel values, otherwise
# MOST_ALONE. For more points, the whole matrix Q costs more than the columns that training would
# need.
MOST_SHARED, MOST_ALONE = 512, 256
# If a small problem needs more than this number of steps per point, the general solver solves it.
_MANY_STEPS = 200
# The share of the allowed gap that is left for the rounding errors of the last gradient.
_ROOM = 0.01
# If the time limit is below this number of CPU seconds, the general solver is used, because this
# module does not check the time during training.
_LEAST_LIMIT = 0.1


@compiled
def _fill(K, rows, labels, offset, shifts, Q):
    """Write Q_ij = y_i y_j (k_ij + offset) + delta_ij shift_i of the points `rows`."""
    for i in range(len(rows)):
        values = K[rows[i]]
        for j in range(len(rows)):
            Q[i, j] = labels[i] * labels[j] * (values[rows[j]] + offset)
        Q[i, i] += shifts[i]


@compiled
def train_small(K, rows, labels, offset, shifts, eps, limit, Q, slots, state):
    """Minimise a'Qa until the relative gap is at most `eps`, or for at most `limit` steps. Training
    starts at the first point.

    At the end, `state.a` has the weights, which sum to 1. `state.s` has the gradient, which is
    computed anew from the weights.
    """
    n, count, real = len(rows), state.count, state.real
    _fill(K, rows, labels, offset, shifts, Q)
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
            Q[j, j] = K[rows[j], rows[j]] + offset
            for i in range(n):
                state.s[i] += state.a[j] * Q[j, i]
    for j in range(n):
        state.s[j] += shifts[j] * state.a[j]


def takes(settings: Settings) -> bool:
    """Test whether this module can train small problems with these settings."""
    return (
        settings.method == "auto"
        and settings.stop == "relative"
        and settings.certify
        and not settings.selection.sampled
        and settings.column_dtype != "float32"
        and settings.init == "random_meb"
    )


class _Memory:
    """The memory of one thread: Q, the state of training, and the kernel values of its last
    pair.
    """

    def __init__(self, most: int) -> None:
        self.Q = np.zeros((most, most))
        self.state: State = new_state(most)
        self.rows: np.ndarray | None = None
        self.values: np.ndarray | None = None


class SmallPairs:
    """Train pairs of classes with at most `most` points each, for each C of `C_values`.

    `matrix` is the kernel matrix of all points. If `shares` is true, all pairs share its values.
    The rounding errors of these values must have bounds (`KernelMatrix.is_near`).
    """

    def __init__(
        self,
        matrix: KernelMatrix,
        C_values: Sequence[float],
        weights: np.ndarray | None,
        most: int,
        shares: bool,
    ) -> None:
        self.most = most
        labels = np.ones(matrix.size)
        problems = [KernelProblem(matrix, labels, C, weights=weights) for C in C_values]
        self._shifts = [np.broadcast_to(each.shift, (matrix.size,)) for each in problems]
        self._offset = problems[0].offset
        self._matrix = matrix
        self._diagonal = matrix.diagonal()
        self._values: np.ndarray | None = None
        # number of kernel values computed for all pairs together; the counts of the solutions do
        # not include them
        self.computed = 0
        if shares:
            with one_blas_thread():
                self._values = matrix.submatrix(np.arange(matrix.size))
            self.computed = matrix.size**2
        self._memory: dict[int, _Memory] = {}  # key: thread id

    def solve(
        self, position: int, rows: np.ndarray, labels: np.ndarray, settings: Settings, aim: float
    ) -> Solution | None:
        """Train on the points `rows` with the labels +-1 to a relative gap of `aim`, for the value
        of C with the index `position`.

        Return None if the limits in `settings` are too small for this module, or if the certified
        relative gap exceeds `settings.eps`. The general solver is then used.
        """
        n = len(rows)
        limit = _MANY_STEPS * n
        if settings.time_limit < _LEAST_LIMIT or settings.max_iterations < limit:
            return None
        begin, begin_wall = time.thread_time(), time.perf_counter()
        memory = self._memory.get(get_ident()) or self._memory.setdefault(
            get_ident(), _Memory(self.most)
        )
        shifts = self._shifts[position][rows]
        evaluations = 0
        values, places = self._values, rows
        if values is None:
            places = np.arange(n)
            # otherwise, use the values again that were computed for the same pair with another C
            if memory.rows is not rows:
                memory.values, memory.rows = self._matrix.submatrix(rows), rows
                evaluations = n * n
            values = memory.values
        state = memory.state
        train_small(
            values,
            places,
            labels,
            self._offset,
            shifts,
            (1.0 - _ROOM) * aim,
            limit,
            memory.Q,
            all_slots(self.most),
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
        count = state.count
        return Solution(
            support=support,
            weights=weights,
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
