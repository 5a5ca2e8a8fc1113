"""Training of one binary problem for each pair of classes (one-versus-one)."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from threading import Event, get_ident
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from fwsvm.estimators.equal_points import AIM, merged_points
from fwsvm.estimators.fine_solutions import aim_of, solve_finely
from fwsvm.estimators.pairs import PairProblems, centred, class_pairs
from fwsvm.estimators.pairwise_fit import PairwiseFit
from fwsvm.estimators.time_budget import LEAST_S, LEAST_SHARE, TimeBudget
from fwsvm.kernels.class_blocks import ClassBlocks
from fwsvm.kernels.functions import fits_float32
from fwsvm.kernels.matrix import GRAM_FEATURES, KernelMatrix
from fwsvm.kernels.points import Points
from fwsvm.machine_code.threads import one_blas_thread
from fwsvm.problems.column_cache import SharedColumns
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.pair_values import (
    MOST_PAIR_POINTS,
    largest_pair,
    largest_whole_pair,
    pair_megabytes,
)
from fwsvm.solvers.settings import METHODS
from fwsvm.solvers.small_pairs import Attempt, SmallPairs, takes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fwsvm.estimators.messages import Progress
    from fwsvm.estimators.pairwise_fit import TrainedPair
    from fwsvm.kernels.functions import Kernel
    from fwsvm.solvers.drivers import Driver
    from fwsvm.solvers.settings import Settings
    from fwsvm.solvers.solution import Solution

_WITH_CORESETS = [name for name, method in METHODS.items() if method.solves_coreset]


class _Pair:
    """A pair of classes in training. The points, the kernel matrix and the memory for columns are
    the same for all values of C. Each of the three is made when it is first needed.
    """

    def __init__(self, problems: PairProblems, place: int) -> None:
        self.problems, self.place = problems, place
        self.matrix: Any = None
        self.columns: SharedColumns | None = None

    @cached_property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """The pair's points: their indices (n,) among all points that take part in training, and
        their labels (n,), which are +1 or -1.
        """
        return self.problems.points(self.place)


class PairTraining:
    """The training of all pairs of classes, for all values of C. The method `fits` trains.

    Kernel values are shared between pairs and between values of C. The constructor decides which
    points take part, which solvers train, and how the memory and the time are divided. Points with
    the weight 0 take no part. Of equal points with the same label, only one takes part if this
    saves time. The attributes `X`, `codes` and `weights` are those of the points that take part.

    In this class, `place` is the index of a pair of classes, and `position` is the index of a value
    of C.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (m, d), or kernel values (m, m) if `kernel` is None
    codes : integer ndarray of shape (m,)
        The class of each point, as a number from 0 to `n_classes` - 1.
    n_classes : int
    kernel : Kernel or None
    C_values : sequence of float
    seed : int
        Each pair gets its own seed, which is made from this number.
    settings : Settings
        The time limit (CPU seconds) is the limit for all pairs together, and each value of C gets
        this limit again. The cache (MB) is divided among the pairs that are trained at the same
        time.
    n_jobs : int
        With more than two classes, up to `n_jobs` pairs are trained at the same time. With two
        classes, `n_jobs` threads share the work of the only pair.
    weights : float64 ndarray of shape (m,), or None if all weights are 1
    progress : Progress
        The object that prints the progress of training.

    Raises
    ------
    ValueError
        If `settings.init` is the index of a point with the weight 0, or kernel values are not
        symmetric.
    """

    def __init__(
        self,
        X: np.ndarray | sparse.csr_matrix,
        codes: np.ndarray,
        n_classes: int,
        kernel: Kernel | None,
        C_values: Sequence[float],
        seed: int,
        settings: Settings,
        n_jobs: int,
        *,
        weights: np.ndarray | None,
        progress: Progress,
    ) -> None:
        self.X, self.codes, self.weights = X, codes, weights
        self.kernel, self.C_values, self.seed = kernel, C_values, seed
        self.settings, self.progress = settings, progress
        self._leave_out_weightless_points()
        cpu_began, wall_began = time.thread_time(), time.perf_counter()
        self._merge_equal_points()
        members = [np.flatnonzero(self.codes == code) for code in range(n_classes)]
        # This number of pairs is trained at the same time. With two classes, all threads share the
        # work of the only pair.
        self.n_jobs = min(n_jobs, n_classes * (n_classes - 1) // 2)
        threads = n_jobs if n_classes == 2 else 1
        self.small, small_mb = self._small_pairs(members)
        sizes = np.array([len(each) for each in members])
        blocks_mb = self._class_blocks_mb(sizes, small_mb)
        self.problems = PairProblems(
            self.X,
            self.codes,
            members,
            kernel,
            shares_blocks=blocks_mb > 0.0,
            room_mb=0.5 * settings.cache_mb / self.n_jobs,
        )
        pair_sizes = np.array([sizes[i] + sizes[j] for i, j in self.problems.pairs], dtype=float)
        self.budget = TimeBudget(settings.time_limit, pair_sizes, len(C_values))
        self.settings = replace(
            self.settings,
            threads=threads,
            cache_mb=(settings.cache_mb - (small_mb + blocks_mb)) / self.n_jobs,
        )
        self.budget.spend(0, time.thread_time() - cpu_began, time.perf_counter() - wall_began)
        # Each thread has memory for columns, and uses the same memory for its next pair. The keys
        # are ids of threads.
        self.columns_of: dict[int, SharedColumns] = {}
        self.stopped = Event()  # after this event, all threads stop training

    def _leave_out_weightless_points(self) -> None:
        """Leave out points with the weight 0. The indices of the other points are in `kept`, which
        is None if all points take part.
        """
        self.kept: np.ndarray | None = None
        if self.weights is None or self.weights.all():
            return
        kept = self.kept = np.flatnonzero(self.weights)
        if self.kernel is None:
            self.X = np.ascontiguousarray(self.X[np.ix_(kept, kept)])
        else:
            self.X = self.X[kept]
        self.codes, self.weights = self.codes[kept], self.weights[kept]
        self.settings = self.settings.starting_within(kept)

    def _merge_equal_points(self) -> None:
        """Merge equal points with the same label if this saves time. `merged` then has the merged
        points, and otherwise it is None.

        Training with merged points aims at a smaller relative gap than `eps`, the allowed one.
        """
        self.eps, self.roots = self.settings.eps, np.empty(0)
        self.merged = merged_points(
            self.X, self.codes, self.weights, self.kernel, self.C_values, self.settings
        )
        if self.merged is None or self.kernel is None:
            return
        kept, self.weights = self.merged.kept, self.merged.weights
        self.X, self.codes = self.X[kept], self.codes[kept]
        self.roots = self.kernel.roots(Points(self.X).squared_norm_bounds)
        self.settings = replace(self.settings, eps=AIM * self.eps)

    def _small_pairs(self, members: list[np.ndarray]) -> tuple[SmallPairs | None, float]:
        """Return a `SmallPairs`, which trains pairs of classes with few points, and the memory (MB)
        that it needs at most. Return None and 0 if no pair can be trained in this way.
        """
        if self.kernel is None or not takes(self.settings):
            return None, 0.0
        with one_blas_thread():
            points, room_mb = Points(self.X), 0.5 * self.settings.cache_mb
            # if the matrices need too much memory, only those of smaller pairs are computed
            for most_whole in (largest_whole_pair(points, members), MOST_PAIR_POINTS):
                most = largest_pair(points, self.kernel, members, len(self.C_values), most_whole)
                needed_mb = pair_megabytes(points, members, most, self.n_jobs, most_whole)
                if needed_mb <= room_mb:
                    break
            if most == 0 or needed_mb > room_mb:
                return None, 0.0
            matrix = KernelMatrix(centred(self.X, self.kernel), self.kernel)
            if not matrix.is_near:
                return None, 0.0
            pairs = class_pairs(len(members))
            small = SmallPairs(
                matrix, self.C_values, self.weights, members, pairs, most, most_whole
            )
        return small, needed_mb

    def _class_blocks_mb(self, sizes: np.ndarray, small_mb: float) -> float:
        """Return the memory (MB) that class blocks need at most, or 0 if the pairs are trained
        without class blocks.

        `sizes` has the numbers of points of the classes, and `small_mb` is the memory of
        `SmallPairs`.
        """
        if len(sizes) == 2 or self.kernel is None or sparse.issparse(self.X):
            return 0.0
        settings, n_features = self.settings, self.X.shape[1]
        pays = not settings.selection.sampled or settings.method in _WITH_CORESETS
        # "auto" needs only a few columns. If X has few features, these columns take less time than
        # class blocks, which contain all kernel values of a pair.
        if settings.method == "auto":
            pays = pays and n_features >= GRAM_FEATURES
        needed_mb = ClassBlocks.megabytes(sizes, n_features, self.n_jobs)
        fits = needed_mb <= (settings.cache_mb - small_mb) / 2
        if pays and fits and fits_float32(Points(self.X).squared_norms, self.kernel):
            return needed_mb
        return 0.0

    def fits(self) -> list[PairwiseFit]:
        """Train all pairs. Return one fit for each value of C, with times in seconds."""
        groups = [[place] for place in range(len(self.problems.pairs))]
        if self.small is not None:
            groups = self.small.groups(self.problems.pairs)
        with one_blas_thread():
            try:
                if self.n_jobs == 1:
                    trained = [self._train(group) for group in groups]
                else:
                    trained = Parallel(self.n_jobs, require="sharedmem", batch_size=1)(
                        delayed(self._train)(group) for group in groups
                    )
            # after an error or Ctrl-C, the other threads stop at their next check of the time limit
            finally:
                self.stopped.set()
        of_values = zip(*chain.from_iterable(trained), strict=True)
        cpu_s, wall_s = self.budget.cpu_s, self.budget.wall_s
        return [PairwiseFit.of(*each) for each in zip(of_values, cpu_s, wall_s, strict=True)]

    def _train(self, group: list[int]) -> list[list[TrainedPair]]:
        """Train the pairs of a group one after the other. Return a list for each pair, which has
        one entry for each value of C.
        """
        attempts: dict[int, list[Attempt]] = {}  # key: position
        return [self._train_pair(place, at, group, attempts) for at, place in enumerate(group)]

    def _train_pair(
        self, place: int, at: int, group: list[int], attempts: dict[int, list[Attempt]]
    ) -> list[TrainedPair]:
        """Train a pair for each value of C. The pair has the index `at` in its group."""
        pair, results = _Pair(self.problems, place), []
        for position in range(len(self.C_values)):
            left = self.budget.left(position) / self.n_jobs
            limit = self.budget.share(place, position)
            attempt = self._attempt(position, at, group, attempts, left)
            solution, support, signs = attempt.solution, attempt.points, attempt.signs
            cpu_s = wall_s = 0.0
            if solution is None:
                rows, labels = pair.points
                solution, cpu_s, wall_s = self._solve(pair, position, limit, attempt)
                support, signs = rows[solution.support], labels[solution.support]
            support, signs = self._divide(pair, position, solution, support, signs)
            signed = solution.weights * signs
            self.progress.end(place, position, solution)
            results.append((solution, support if self.kept is None else self.kept[support], signed))
            cpu_s += solution.train_cpu_s
            wall_s += solution.train_wall_s
            self.budget.spend(position, cpu_s, wall_s, limit)
        return results

    def _attempt(
        self,
        position: int,
        at: int,
        group: list[int],
        attempts: dict[int, list[Attempt]],
        left: float,
    ) -> Attempt:
        """Return the result of `SmallPairs` for the pair with the index `at` in its group. The
        result has no solution if the general solver must train the pair.

        The first call for a group and a value of C trains all pairs of the group in `left` CPU
        seconds, and puts their results into `attempts`.
        """
        if self.small is None or self.stopped.is_set():
            return Attempt(None)
        if position not in attempts:
            aim = aim_of(self.settings, len(self.codes))
            pairs = [self.problems.pairs[each] for each in group]
            share = LEAST_SHARE * left
            attempts[position] = self.small.solve(position, pairs, self.settings, left, share, aim)
        return attempts[position][at]

    def _solve(
        self, pair: _Pair, position: int, limit: float, attempt: Attempt
    ) -> tuple[Solution, float, float]:
        """Train a pair with the general solver `solve`, after an `attempt` without a solution.
        Return the solution, and the CPU and wall seconds of the attempt and of the preparations.
        """
        cpu_began, wall_began = time.thread_time(), time.perf_counter()
        problem, computed = self._problem(pair, position)
        cpu_s = attempt.cpu_s + time.thread_time() - cpu_began
        wall_s = attempt.wall_s + time.perf_counter() - wall_began
        solution = solve_finely(
            problem,
            self.settings.with_limit(max(limit - cpu_s, LEAST_S)),
            len(self.codes),
            random_state=np.random.SeedSequence(self.seed, spawn_key=(pair.place,)),
            columns=pair.columns,
            callback=partial(self._check, pair.place, position),
        )
        solution.kernel_evaluations += attempt.kernel_evaluations + computed
        solution.requested_evaluations += attempt.requested_evaluations
        return solution, cpu_s, wall_s

    def _problem(self, pair: _Pair, position: int) -> tuple[KernelProblem, int]:
        """Return the problem of a pair for a value of C, and the number of kernel values that this
        call computed. The first call for a pair makes its matrix and its memory for columns.
        """
        rows, labels = pair.points
        computed = 0
        if pair.columns is None:
            pair.matrix, computed = self.problems.matrix(pair.place, rows)
            pair.columns = self.columns_of.setdefault(
                get_ident(), SharedColumns(keeps=len(self.C_values) > 1)
            )
            pair.columns.next_problem()
        weights = None if self.weights is None else self.weights[rows]
        C = self.C_values[position]
        return KernelProblem(pair.matrix, labels, C, weights=weights), computed

    def _check(self, place: int, position: int, driver: Driver) -> bool:
        """Report the progress of training. Return whether training must stop."""
        self.progress.report(place, position, driver)
        return self.stopped.is_set()

    def _divide(
        self,
        pair: _Pair,
        position: int,
        solution: Solution,
        support: np.ndarray,
        signs: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Divide the dual weights of merged points among equal points, and change the `solution`
        accordingly. Return the indices and the labels of all support vectors.

        `support` and `signs` are the indices and labels before the division. If no points are
        merged, nothing changes.
        """
        if self.merged is None:
            return support, signs
        rows, _ = pair.points
        C = float(self.C_values[position])
        self.merged.widen(solution, rows, self.roots, C, self.eps)
        support, solution.weights, of = self.merged.expand(support, solution.weights)
        pairs = self.problems.pairs
        solution.support = self.merged.positions(support, pairs[pair.place], len(pairs) == 1)
        solution.coreset_size = len(support)
        return support, signs[of]
