"""Training and certification of small binary problems with `method="auto"`. One compiled call can
train many pairs of classes.

For a problem of a thousand points, the preparations of the general solver can take longer than the
training itself. This module has shorter preparations. For a pair of classes with few points, it
computes the whole matrix Q. Kernel values within a class are computed once for all such pairs, and
one compiled call trains all such pairs with the same first class. A pair of classes with more
points is trained alone. For this pair, the module computes only the columns of Q that training
needs.
"""

from __future__ import annotations

import time
from functools import cached_property
from itertools import compress
from math import isfinite
from threading import get_ident
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fwsvm.kernels.matrix import GRAM_POINTS, KernelMatrix
from fwsvm.kernels.rounding import difference_errors, product_error, rbf_errors
from fwsvm.problems.column_cache import Cache, new_slots
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.block_loop import all_slots
from fwsvm.solvers.drivers import SECONDS_BETWEEN_CHECKS, VALUES_BETWEEN_CHECKS
from fwsvm.solvers.pair_loops import certify_group, train_group, train_pair
from fwsvm.solvers.settings import Settings
from fwsvm.solvers.solution import Solution, gap_bound, relative_gap_bound
from fwsvm.solvers.state import State, fields_of, new_state
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
# stops training the pair, unless a Newton step is still to come. The general solver is then likely
# to be faster, because it has methods for ill-conditioned problems with many active points. But
# with few points, steps cost less than the preparations of the general solver. Therefore, this
# module updates at least 2 VALUES_BETWEEN_CHECKS gradient entries before it stops. Training ends
# after 8 times as many steps, or after 100 _MANY_STEPS steps per point if this number is smaller.
_MANY_STEPS = 2
# The share of the allowed gap that is left for the rounding errors of the last gradient.
_ROUNDING_SHARE = 0.01


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

    `points` (q,) has the indices of the support vectors among all training points, and `signs` (q,)
    has their labels (+-1). An attempt without a solution took `cpu_s` CPU seconds and `wall_s` wall
    seconds. The seconds of a group are divided among its pairs.
    """

    solution: Solution | None
    kernel_evaluations: int = 0
    requested_evaluations: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    points: np.ndarray = np.empty(0, np.int64)
    signs: np.ndarray = np.empty(0)


class _Memory:
    """The memory of a thread: columns of Q, the state of training, and the kernel values between
    the classes of the last group of pairs with whole matrices.
    """

    def __init__(self, most: int) -> None:
        # the operating system provides each page of memory only when it is first written
        self._numbers = np.empty(most * most)
        self.state: State = new_state(most)
        self.count = fields_of(self.state.count)
        self.group: list[tuple[int, int]] = []
        self.between = np.empty((0, 0))

    def columns(self, n: int) -> np.ndarray:
        """Return an array for n columns of n numbers each."""
        return self._numbers[: n * n].reshape(n, n)


class _Trained(NamedTuple):
    """The results of training a group of g pairs, which `train_group` describes."""

    a: np.ndarray
    s: np.ndarray
    points: np.ndarray
    ends: np.ndarray  # (g, 4)

    @classmethod
    def of(cls, n: np.ndarray) -> _Trained:
        """Return arrays for pairs of `n` (g,) points."""
        total = int(n.sum())
        ends = np.empty((len(n), 4), np.int64)
        return cls(np.empty(total), np.empty(total), np.empty(total, np.int64), ends)


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
        self._offset = problems[0].offset
        self._matrix = matrix
        self._members = members
        self.most = most
        self._products = _products(matrix.points, matrix.kernel)
        is_shared = len(members) > 2 or len(C_values) > 1
        self._most_whole = MOST_PAIR_POINTS if is_shared or not matrix.points.is_sparse else 0
        # the following arrays are in the order of the classes
        self._order = np.concatenate(members)
        self._sizes = np.array([len(each) for each in members])
        self._begins = np.append(0, np.cumsum(self._sizes))
        self._shifts = [
            np.broadcast_to(each.shift, (matrix.size,))[self._order] for each in problems
        ]
        self._diagonal = (matrix.diagonal() + self._offset)[self._order]
        # the pairs with a whole matrix, in order (a dict is searched faster than a list)
        is_whole = self._sizes[np.array(pairs)].sum(axis=1) <= self._most_whole
        self._whole = dict.fromkeys(compress(pairs, is_whole.tolist()))
        self._within, self._within_begins = self._values_within()
        self._memory: dict[int, _Memory] = {}  # key: thread id

    def _values_within(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the kernel values within each class that is in a pair with a whole matrix, class
        after class. Return also where the values of each class begin.
        """
        counts = np.zeros(len(self._members), np.int64)
        for c in {c for pair in self._whole for c in pair}:
            counts[c] = self._sizes[c] ** 2
        begins = np.cumsum(counts) - counts
        values = np.empty(counts.sum())
        for c in counts.nonzero()[0]:
            within = values[begins[c] : begins[c] + counts[c]]
            within[:] = self._matrix.submatrix(self._members[c]).ravel()
        return values, begins

    @staticmethod
    def megabytes(members: list[np.ndarray], most: int, n_threads: int) -> float:
        """Return the memory (MB) that small pairs need at most.

        It has the values within each class, and for each thread, the values between one class and
        all others, and the columns, the equations of a Newton step and a copy of the points of one
        pair. `most` is the value of `largest_pair`.
        """
        sizes = np.array([len(each) for each in members])
        sizes = sizes[sizes < MOST_PAIR_POINTS]
        between = float(sizes.max(initial=0) * sizes.sum())
        # a stored entry of sparse points needs up to 32 bytes
        copied = 4 * _MOST_PRODUCTS if most > MOST_PAIR_POINTS else 0
        equations = min(most, MOST_PAIR_POINTS) ** 2
        own = between + most**2 + equations + copied
        return 8e-6 * (float(sizes @ sizes) + n_threads * own)

    def groups(self, pairs: list[tuple[int, int]]) -> list[list[int]]:
        """Divide the positions of all `pairs` into groups of consecutive pairs. The pairs of a
        group are trained in one call. They have the same first class and whole matrices, or the
        group has only one pair.
        """
        groups: list[list[int]] = []
        last = -1
        for place, pair in enumerate(pairs):
            first = pair[0] if pair in self._whole else -1
            if first >= 0 and first == last:
                groups[-1].append(place)
            else:
                groups.append([place])
            last = first
        return groups

    def solve(
        self,
        position: int,
        pairs: list[tuple[int, int]],
        settings: Settings,
        limit_s: float,
        share_s: float,
        aim: float,
    ) -> list[Attempt]:
        """Train on the points of each pair of a group to a relative gap of `aim`, for the value of
        C with the index `position`.

        There is no solution if there are too many points, if the limit of steps is too small for
        this module, if the pair was given up, or if the certified relative gap exceeds
        `settings.eps`. The group has `limit_s` CPU seconds, and each of its pairs at most `share_s`
        of them. A pair of n points with a whole matrix makes at least n steps, which take less time
        than the preparations of the general solver.
        """
        n = self._sizes[np.array(pairs)].sum(axis=1)
        trials = np.maximum(_MANY_STEPS * n, 2 * VALUES_BETWEEN_CHECKS // n)
        limits = np.minimum(8 * trials, 100 * _MANY_STEPS * n)
        if n.max() > self.most or settings.max_iterations < limits.max():
            return [Attempt(None)] * len(pairs)
        is_whole = pairs[0] in self._whole
        # This module does not check the time during training. Instead, the time limits become
        # limits of the gradient entries that the steps update.
        entries, share = (
            VALUES_BETWEEN_CHECKS * (seconds / SECONDS_BETWEEN_CHECKS)
            for seconds in (limit_s, share_s)
        )
        if is_whole:
            limits = np.minimum(limits, np.maximum(n, share / n))
        elif isfinite(share):
            # a step can also compute a column of Q
            limits = np.minimum(limits, share / (n * (1.0 + self._products)))
            if limits.max() < n.max():
                return [Attempt(None)] * len(pairs)
        begin, begin_wall = time.thread_time(), time.perf_counter()
        thread = get_ident()
        memory = self._memory.get(thread) or self._memory.setdefault(thread, _Memory(self.most))
        eps = (1.0 - _ROUNDING_SHARE) * aim
        trained = _Trained.of(n)
        if is_whole:
            evaluations = self._train_whole(
                memory, position, pairs, eps, trials, limits, entries, trained
            )
            requested = n * n
        else:
            found = self._train_with_columns(
                memory,
                position,
                pairs[0],
                eps,
                int(trials[0]),
                int(limits[0]),
                trained,
            )
            if found is None:
                return [Attempt(None)]
            evaluations, requested = found, n * (1 + 2 * trained.ends[:, 1])
        end, end_wall = time.thread_time(), time.perf_counter()
        bounds = np.empty((len(pairs), 3))
        certify_group(
            pairs[0][0],
            np.array([q for _, q in pairs]),
            self._begins,
            trained.a,
            trained.s,
            self._shifts[position],
            *self._value_errors(is_whole or self._matrix.points.is_sparse),
            self._offset,
            bounds,
        )
        # the seconds of the group are divided among its pairs
        seconds = [end - begin, end_wall - begin_wall, time.thread_time() - end]
        return self._attempts(
            n,
            len(self._members[pairs[0][0]]),
            trained,
            bounds,
            np.column_stack((evaluations, requested)),
            [each / len(pairs) for each in seconds],
            settings.eps,
        )

    def _train_whole(
        self,
        memory: _Memory,
        position: int,
        pairs: list[tuple[int, int]],
        eps: float,
        trials: np.ndarray,
        limits: np.ndarray,
        entries: float,
        trained: _Trained,
    ) -> np.ndarray:
        """Train a group of pairs with whole matrices, and write the results into `trained`. Return
        the number of computed kernel values for each pair.
        """
        evaluations = self._compute_between(memory, pairs)
        train_group(
            pairs[0][0],
            np.array([q for _, q in pairs]),
            self._order,
            self._begins,
            self._within,
            self._within_begins,
            memory.between,
            self._diagonal,
            self._shifts[position],
            self._offset,
            eps,
            trials,
            limits,
            entries,
            MOST_PAIR_POINTS,
            Cache(memory.columns(self.most), all_slots(self.most)),
            memory.state,
            trained.a,
            trained.s,
            trained.points,
            trained.ends,
        )
        return evaluations

    def _train_with_columns(
        self,
        memory: _Memory,
        position: int,
        pair: tuple[int, int],
        eps: float,
        trial: int,
        limit: int,
        trained: _Trained,
    ) -> np.ndarray | None:
        """Train a pair with the columns of Q that training needs, and write the results into
        `trained`. Return the number of computed kernel values, int64 (1,), or None if the points
        have too many stored entries.
        """
        source = self._source(pair, self._shifts[position])
        if source is None:
            return None
        rows = self._rows(pair)
        n = len(rows)
        columns = memory.columns(n)
        result = train_pair(
            source.handle(),
            self._diagonal[rows],
            self._shifts[position][rows],
            eps,
            trial,
            limit,
            MOST_PAIR_POINTS,
            Cache(columns, new_slots(len(columns), n)),
            memory.state,
        )
        count = memory.count
        trained.ends[0] = result, count.iterations, count.swap_steps, count.drop_steps
        trained.a[:], trained.s[:] = memory.state.a[:n], memory.state.s[:n]
        trained.points[:] = self._order[rows]
        evaluations: np.ndarray = source.arrays["evaluations"]
        return evaluations

    def _attempts(
        self,
        n: np.ndarray,
        n_first: int,
        trained: _Trained,
        bounds: np.ndarray,
        counts: np.ndarray,
        seconds: list[float],
        eps: float,
    ) -> list[Attempt]:
        """Return the results of a group of g pairs. `n` (g,) has the numbers of points, and
        `n_first` is the number of points of the first class. `bounds` (g, 3) comes from
        `certify_group`. `counts` (g, 2) has the numbers of computed and of requested kernel values.
        `seconds` has the CPU and wall seconds of training and the CPU seconds of the certificate,
        for one pair.
        """
        places = trained.a.nonzero()[0]
        begins = np.cumsum(n) - n
        first = [*np.searchsorted(places, begins).tolist(), len(places)]
        positions = places - np.repeat(begins, np.diff(first))
        weights, points = trained.a[places], trained.points[places]
        signs = np.where(positions < n_first, 1.0, -1.0)
        if len(self._members) == 2:  # the points are not in the order of their classes
            ascending = np.argsort(points)
            points, signs = points[ascending], signs[ascending]
            positions, weights = points, weights[ascending]
        attempts = []
        path = self._matrix.path
        for k, (numbers, ends, computed) in enumerate(
            zip(bounds.tolist(), trained.ends.tolist(), counts.tolist(), strict=True)
        ):
            objective, objective_error, lowest = numbers
            result, iterations, swap_steps, drop_steps = ends
            own = slice(first[k], first[k + 1])
            gap = gap_bound(objective, objective_error, lowest)
            relative_gap = relative_gap_bound(objective, objective_error, gap)
            if result == 0 or not relative_gap <= eps:
                took = seconds[0] + seconds[2], seconds[1]
                attempts.append(Attempt(None, computed[0], computed[1], *took))
                continue
            solution = Solution(
                support=positions[own],
                weights=weights[own],
                objective=objective,
                gap=gap,
                objective_error=objective_error,
                relative_gap=relative_gap,
                stop_reason="converged",
                iterations=iterations,
                away_steps=0,
                swap_steps=swap_steps,
                drop_steps=drop_steps,
                samples=0,
                kernel_evaluations=computed[0],
                requested_evaluations=computed[1],
                coreset_size=own.stop - own.start,
                train_cpu_s=seconds[0],
                train_wall_s=seconds[1],
                certify_cpu_s=seconds[2],
                method="fcfw" if result == 2 else "swap2o",
                kernel_path=path,
                column_dtype="float64",
            )
            attempts.append(
                Attempt(
                    solution,
                    kernel_evaluations=computed[0],
                    requested_evaluations=computed[1],
                    points=points[own],
                    signs=signs[own],
                )
            )
        return attempts

    def _rows(self, pair: tuple[int, int]) -> np.ndarray:
        """Return the places of a pair's points in the order of the classes, int64 (n,)."""
        return np.concatenate([np.arange(*self._begins[c : c + 2]) for c in pair])

    def _compute_between(self, memory: _Memory, pairs: list[tuple[int, int]]) -> np.ndarray:
        """Compute the kernel values between the classes of the pairs of a group, if the thread's
        `memory` does not have them. Return the number of computed values for each pair.

        The values within a class count for the first pair that contains the class.
        """
        evaluations = np.zeros(len(pairs), np.int64)
        if memory.group == pairs:
            return evaluations  # the same pairs were trained with another C
        others = np.concatenate([self._members[q] for _, q in pairs])
        memory.between = self._matrix.submatrix(self._members[pairs[0][0]], others)
        memory.group = pairs
        for k, (p, q) in enumerate(pairs):
            evaluations[k] = self._sizes[p] * self._sizes[q]
            for c in (p, q):
                if self._first_pair[c] == (p, q):
                    evaluations[k] += self._sizes[c] ** 2
        return evaluations

    @cached_property
    def _first_pair(self) -> dict[int, tuple[int, int]]:
        """The first pair with a whole matrix that contains a class, by class."""
        return {c: pair for pair in reversed(self._whole) for c in pair}

    def _source(self, pair: tuple[int, int], shifts: np.ndarray) -> ColumnSource | None:
        """Return the source of the columns of Q of a pair. `shifts` (m,) are in the order of the
        classes.

        Return None if the points of this pair have too many stored entries. They can have more per
        point than the mean of all points.
        """
        rows = self._rows(pair)
        points, n = self._order[rows], len(rows)
        if self._matrix.points.is_sparse:
            own = self._matrix.points.view(points)
            if n * _products(own, self._matrix.kernel) > _MOST_PRODUCTS:
                return None
        source, _ = self._matrix.restricted_to(points).column_source(np.float64)
        labels = np.repeat([1.0, -1.0], [len(self._members[c]) for c in pair])
        evaluations = np.zeros(1, np.int64)
        return source.changed(self._offset, shifts[rows], labels=labels, evaluations=evaluations)

    def _value_errors(self, is_product: bool) -> tuple[np.ndarray, float]:
        """Return the arguments `of_values` and `relative` of `certify_group`. `is_product` says
        that the kernel values of a pair are computed from dot products.
        """
        if self._matrix.kernel.is_isotropic:
            return self._product_errors if is_product else self._difference_errors, 0.0
        return self._roots, product_error(self._matrix.kernel, self._n_terms)

    @property
    def _n_terms(self) -> int:
        points = self._matrix.points
        return 0 if points.is_binary else points.most_terms

    @cached_property
    def _roots(self) -> np.ndarray:
        roots: np.ndarray = self._matrix.roots()[self._order]
        return roots

    @cached_property
    def _product_errors(self) -> np.ndarray:
        """Bounds (m,) for the errors of RBF kernel values that are computed from dot products."""
        points = self._matrix.points
        squared_norms = points.squared_norms[self._order]
        return rbf_errors(self._matrix.kernel, squared_norms, self._n_terms, not points.is_sparse)

    @cached_property
    def _difference_errors(self) -> np.ndarray:
        """Bounds (m,) for the errors of RBF kernel values that are computed from differences."""
        squared_norms = self._matrix.points.squared_norms[self._order]
        return difference_errors(self._matrix.kernel, squared_norms, self._n_terms, True)
