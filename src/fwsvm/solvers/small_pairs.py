"""Training and certification of small binary problems with `method="auto"`. One compiled call can
train many pairs of classes.

For a problem of a thousand points, the preparations of the general solver can take longer than the
training itself. (The general solver is `fwsvm.solvers.solve`.) This module has shorter
preparations. For a pair of classes with few points, it uses the whole matrix Q, and one compiled
call trains a group of such pairs, which have the same first class. A pair of classes with more
points is trained alone, with only the columns of Q that training needs. The module
`fwsvm.solvers.pair_values` computes the kernel values and bounds for their rounding errors.
"""

from __future__ import annotations

import time
from math import isfinite
from threading import get_ident
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fwsvm.problems.column_cache import Cache, new_slots
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.block_loop import all_slots
from fwsvm.solvers.drivers import SECONDS_BETWEEN_CHECKS, VALUES_BETWEEN_CHECKS
from fwsvm.solvers.pair_loops import certify_group, train_group, train_pair
from fwsvm.solvers.pair_values import MOST_PAIR_POINTS, PairValues
from fwsvm.solvers.settings import Settings
from fwsvm.solvers.solution import Solution, gap_bound, relative_gap_bound
from fwsvm.solvers.state import State, fields_of, new_state
from fwsvm.solvers.steps import AIM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fwsvm.kernels.matrix import KernelMatrix


# If the gap is still more than twice the objective after REPEATED steps per point, this module
# stops training the pair, unless a Newton step is still to come. The general solver is then likely
# to be faster, because it has methods for ill-conditioned problems with many active points. But
# with few points, steps cost less than the preparations of the general solver. Therefore, this
# module updates at least 2 VALUES_BETWEEN_CHECKS gradient entries before it stops. Training ends
# after 8 times as many steps, or after 100 REPEATED steps per point if this number is smaller.
REPEATED = 2


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


class Attempt(NamedTuple):
    """The result of an attempt to train a pair of classes. If there is no solution, the general
    solver trains the pair, and adds the two numbers of evaluations to its own numbers.

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
    """The memory of a thread: columns of Q, and the state of training."""

    def __init__(self, most: int) -> None:
        # the operating system provides each page of memory only when it is first written
        self._numbers = np.empty(most * most)
        self.state: State = new_state(most)
        self.count = fields_of(self.state.count)

    def columns(self, n: int) -> np.ndarray:
        """Return an array for n columns of n numbers each."""
        return self._numbers[: n * n].reshape(n, n)


class _Trained(NamedTuple):
    """The results of training a group of g pairs. `train_group` describes the first four arrays
    (`ends` is its argument `found`). `computed` has the numbers of computed kernel values.
    """

    a: np.ndarray
    s: np.ndarray
    points: np.ndarray
    ends: np.ndarray  # (g, 4)
    computed: np.ndarray  # (g,)

    @classmethod
    def of(cls, n: np.ndarray) -> _Trained:
        """Allocate arrays for g pairs, with n[k] points in pair k."""
        total = int(n.sum())
        return cls(
            np.empty(total),
            np.empty(total),
            np.empty(total, np.int64),
            np.empty((len(n), 4), np.int64),
            np.empty(len(n), np.int64),
        )


def _entries(seconds: float) -> float:
    """Return about how many gradient entries are updated in this number of CPU seconds.

    This module does not check the time during training. Instead, time limits become limits of the
    gradient entries that the steps update.
    """
    return VALUES_BETWEEN_CHECKS * (seconds / SECONDS_BETWEEN_CHECKS)


class SmallPairs:
    """The training of all pairs of classes with few points, for each C of `C_values`.

    `matrix` is the kernel matrix of all points. The rounding errors of its values must have bounds
    (`KernelMatrix.is_near`). `weights` (m,) are the sample weights, or None if all are 1. `members`
    has the indices of the points of each class, and `pairs` has the codes (positive, negative) of
    all pairs. `most` is the value of `largest_pair`, the number of points of the largest pair that
    is trained here. The whole matrix Q of a pair of at most `most_whole` points is computed.
    """

    def __init__(
        self,
        matrix: KernelMatrix,
        C_values: Sequence[float],
        weights: np.ndarray | None,
        members: list[np.ndarray],
        pairs: list[tuple[int, int]],
        most: int,
        most_whole: int,
    ) -> None:
        labels = np.ones(matrix.size)
        problems = [KernelProblem(matrix, labels, C, weights=weights) for C in C_values]
        self._values = PairValues(
            matrix, problems[0].offset, members, pairs, len(C_values), most_whole
        )
        self._shifts = [  # in the order of the classes
            np.broadcast_to(each.shift, (matrix.size,))[self._values.order] for each in problems
        ]
        self.most = most
        self._memory: dict[int, _Memory] = {}  # key: thread id

    def groups(self, pairs: list[tuple[int, int]]) -> list[list[int]]:
        """Divide the positions of all `pairs` into groups of consecutive pairs. The pairs of a
        group are trained in one call. They have the same first class and whole matrices, or the
        group has only one pair. A group of several pairs has at most VALUES_BETWEEN_CHECKS kernel
        values between its classes.
        """
        groups: list[list[int]] = []
        sizes = self._values.sizes.tolist()
        last, values = -1, 0
        for place, pair in enumerate(pairs):
            first = pair[0] if pair in self._values.whole else -1
            own = sizes[pair[0]] * sizes[pair[1]]
            if first >= 0 and first == last and values + own <= VALUES_BETWEEN_CHECKS:
                groups[-1].append(place)
                values += own
            else:
                groups.append([place])
                values = own
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

        There is no solution if the points are too many or have too many stored entries, if the
        limit of steps is too small for this module, if the pair was given up, or if the certified
        relative gap exceeds `settings.eps`. The group has `limit_s` CPU seconds, and each of its
        pairs at most `share_s` of them. A pair of n points with a whole matrix may always make n
        steps, which take less time than the preparations of the general solver.
        """
        n = self._values.sizes[np.array(pairs)].sum(axis=1)
        is_whole = pairs[0] in self._values.whole
        steps = self._steps(n, is_whole, settings, _entries(share_s))
        if steps is None:
            return [Attempt(None)] * len(pairs)
        begin, begin_wall = time.thread_time(), time.perf_counter()
        thread = get_ident()
        memory = self._memory.get(thread) or self._memory.setdefault(thread, _Memory(self.most))
        eps = AIM * aim
        trained = _Trained.of(n)
        if is_whole:
            self._train_whole(memory, position, pairs, eps, *steps, _entries(limit_s), trained)
        elif not self._train_with_columns(memory, position, pairs[0], eps, *steps, trained):
            return [Attempt(None)]
        requested = n * n if is_whole else n * (1 + 2 * trained.ends[:, 1])
        end, end_wall = time.thread_time(), time.perf_counter()
        bounds = self._certify(position, pairs, is_whole, trained)
        # the seconds of the group are divided among its pairs
        seconds = [end - begin, end_wall - begin_wall, time.thread_time() - end]
        return self._attempts(
            n,
            self._values.sizes[pairs[0][0]],
            trained,
            bounds,
            requested,
            [each / len(pairs) for each in seconds],
            settings.eps,
        )

    def _steps(
        self, n: np.ndarray, is_whole: bool, settings: Settings, share: float
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the arguments `trials` and `limits` of `train_group`, for the pairs of a group
        with `n` (g,) points. Each pair can update about `share` gradient entries.

        `is_whole` says whether the pairs have whole matrices. Return None if there are too many
        points, if `settings.max_iterations` is below `limits`, or if pairs without whole matrices
        can update too few entries.
        """
        trials = np.maximum(REPEATED * n, 2 * VALUES_BETWEEN_CHECKS // n)
        limits = np.minimum(8 * trials, 100 * REPEATED * n)
        if n.max() > self.most or settings.max_iterations < limits.max():
            return None
        if is_whole:
            limits = np.minimum(limits, np.maximum(n, share / n))
        elif isfinite(share):
            # a step can also compute a column of Q
            limits = np.minimum(limits, share / (n * (1.0 + self._values.products)))
            if limits.max() < n.max():
                return None
        return trials, limits

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
    ) -> None:
        """Train a group of pairs with whole matrices, and write the results into `trained`."""
        values = self._values
        between, evaluations = values.between(pairs)
        train_group(
            pairs[0][0],
            np.array([q for _, q in pairs]),
            values.order,
            values.begins,
            values.within,
            values.within_begins,
            between,
            values.diagonal,
            self._shifts[position],
            values.offset,
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
        trained.computed[:] = evaluations

    def _train_with_columns(
        self,
        memory: _Memory,
        position: int,
        pair: tuple[int, int],
        eps: float,
        trials: np.ndarray,
        limits: np.ndarray,
        trained: _Trained,
    ) -> bool:
        """Train a pair with the columns of Q that training needs, and write the results into
        `trained`. Return False if the points have too many stored entries.
        """
        values = self._values
        places = values.places(pair)
        n, shifts = len(places), self._shifts[position][places]
        source = values.source(pair, places, shifts)
        if source is None:
            return False
        columns = memory.columns(n)
        result = train_pair(
            source.handle(),
            values.diagonal[places],
            shifts,
            eps,
            int(trials[0]),
            int(limits[0]),
            MOST_PAIR_POINTS,
            Cache(columns, new_slots(len(columns), n)),
            memory.state,
        )
        count = memory.count
        trained.ends[0] = result, count.iterations, count.swap_steps, count.drop_steps
        trained.a[:], trained.s[:] = memory.state.a[:n], memory.state.s[:n]
        trained.points[:] = values.order[places]
        trained.computed[:] = source.arrays["evaluations"]
        return True

    def _certify(
        self, position: int, pairs: list[tuple[int, int]], is_whole: bool, trained: _Trained
    ) -> np.ndarray:
        """Return the numbers (g, 3) from which the certificates of a group of g pairs follow, as
        `certify_group` describes them.
        """
        values = self._values
        bounds = np.empty((len(pairs), 3))
        certify_group(
            pairs[0][0],
            np.array([q for _, q in pairs]),
            values.begins,
            trained.a,
            trained.s,
            self._shifts[position],
            *values.errors(is_whole),
            values.offset,
            bounds,
        )
        return bounds

    def _attempts(
        self,
        n: np.ndarray,
        n_first: int,
        trained: _Trained,
        bounds: np.ndarray,
        requested: np.ndarray,
        seconds: list[float],
        eps: float,
    ) -> list[Attempt]:
        """Return an `Attempt` for each of g pairs. It has no solution if training failed or if the
        relative gap is above `eps`.

        `n` (g,) has the numbers of points, and `n_first` is the number of points of the first
        class. A row of `bounds` (g, 3) has the objective, a bound on its error, and a lower bound
        on the gradient entries. `requested` (g,) has the numbers of requested kernel values.
        `seconds` has three numbers, which are the same for each pair: the CPU seconds of training,
        the wall seconds of training, and the CPU seconds of the certificate.
        """
        places = trained.a.nonzero()[0]
        begins = np.cumsum(n) - n
        first = [*np.searchsorted(places, begins).tolist(), len(places)]
        positions = places - np.repeat(begins, np.diff(first))
        weights, points = trained.a[places], trained.points[places]
        signs = np.where(positions < n_first, 1.0, -1.0)
        if len(self._values.sizes) == 2:  # the points are not in the order of their classes
            ascending = np.argsort(points)
            points, signs = points[ascending], signs[ascending]
            positions, weights = points, weights[ascending]
        attempts = []
        path = self._values.matrix.path
        counts = np.column_stack((trained.computed, requested))
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
