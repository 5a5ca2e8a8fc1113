"""Training of one binary problem for each pair of classes (one-versus-one)."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import isfinite, isinf
from threading import Event, Lock, get_ident
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from fwsvm.estimators.equal_points import AIM, merged_points
from fwsvm.estimators.fine_solutions import aim_of, solve_finely
from fwsvm.estimators.pairs import PairProblems, centred, class_pairs
from fwsvm.kernels.class_blocks import ClassBlocks
from fwsvm.kernels.functions import fits_float32
from fwsvm.kernels.matrix import GRAM_FEATURES, KernelMatrix
from fwsvm.kernels.points import Points
from fwsvm.machine_code.threads import one_blas_thread
from fwsvm.problems.column_cache import SharedColumns
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.settings import METHODS
from fwsvm.solvers.small_pairs import Attempt, SmallPairs, largest_pair, takes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fwsvm.estimators.messages import Progress
    from fwsvm.kernels.functions import Kernel
    from fwsvm.solvers.drivers import Driver
    from fwsvm.solvers.settings import Settings
    from fwsvm.solvers.solution import Solution

# The stop reason of a fit is the worst stop reason of its pairs. _WORST_FIRST has all stop reasons,
# from the worst to the best. _EARLY_ENDS has the reasons of runs that ended before the stopping
# rule was met.
_EARLY_ENDS = ("interrupted", "time_limit", "iteration_limit", "no_progress", "precision_limit")
_WORST_FIRST = ("not_positive_semidefinite", *_EARLY_ENDS, "no_violation_in_samples", "converged")
_WITH_CORESETS = [name for name, method in METHODS.items() if method.solves_coreset]
_LEAST_SHARE = 0.2  # a pair gets at least this share of the CPU seconds that are left
_LEAST_S = 1e-3  # the general solver gets at least this number of CPU seconds for a pair


@dataclass
class PairwiseFit:
    """The solutions of all pairs of classes, and the coefficients of all support vectors.

    A point that is a support vector of several pairs is listed once.
    """

    # one solution per pair; its `support` has positions among the pair's points
    solutions: list[Solution]
    support: np.ndarray  # (n_sv,): indices of the support vectors in the training set, ascending
    # (n_sv, n_pairs): y_i a_i of each support vector in each pair (frandi2013 eq. 13)
    coefficients: np.ndarray
    cpu_s: float = 0.0  # CPU seconds of training without the certificates, summed over the pairs
    wall_s: float = 0.0

    @property
    def stop_reason(self) -> str:
        return min((solution.stop_reason for solution in self.solutions), key=_WORST_FIRST.index)

    def among(self, trained: np.ndarray, n_classes: int) -> PairwiseFit:
        """Return this fit with a column of coefficients for every pair of `n_classes` classes.

        `trained` (k,) has the integer codes of the k classes that took part in training, in
        ascending order. If a pair contains another class, its column is 0.
        """
        if len(trained) == n_classes:
            return self
        places = {pair: place for place, pair in enumerate(class_pairs(n_classes))}
        coefficients = np.zeros((len(self.support), len(places)), order="F")
        for column, (positive, negative) in zip(
            self.coefficients.T, class_pairs(len(trained)), strict=True
        ):
            pair = int(trained[positive]), int(trained[negative])
            if pair in places:
                coefficients[:, places[pair]] = column
            # With two classes, the second class is positive. With more classes, the first class of
            # each pair is positive. Therefore the sign of the coefficients changes if only two of
            # several classes took part.
            else:
                coefficients[:, places[pair[::-1]]] = -column
        return replace(self, coefficients=coefficients)


def _small_pairs(
    X: np.ndarray | sparse.csr_matrix,
    members: list[np.ndarray],
    kernel: Kernel | None,
    settings: Settings,
    C_values: Sequence[float],
    weights: np.ndarray | None,
    n_threads: int,
) -> SmallPairs | None:
    """Return a `SmallPairs`, which trains pairs of classes with few points. Return None if no pair
    can be trained in this way.
    """
    if kernel is None or not takes(settings):
        return None
    most = largest_pair(Points(X), kernel, members, len(C_values))
    if most == 0 or SmallPairs.megabytes(members, most, n_threads) > 0.5 * settings.cache_mb:
        return None
    matrix = KernelMatrix(centred(X, kernel), kernel)
    if not matrix.is_near:
        return None
    return SmallPairs(matrix, C_values, weights, members, class_pairs(len(members)), most)


def fit_pairs(
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
) -> list[PairwiseFit]:
    """Train every pair of classes for every value of C.

    Kernel values are shared between pairs and between values of C.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (m, d), or kernel values (m, m) if `kernel` is None
    codes : integer ndarray of shape (m,)
        The class of each point, as a number from 0 to `n_classes` - 1.
    seed : int
        Each pair gets its own seed, which is made from this number.
    settings : Settings
        The time limit (CPU seconds) is the limit for all pairs together, and each value of C gets
        this limit again. The cache (MB) is divided among the threads.
    n_jobs : int
        With more than two classes, `n_jobs` pairs are trained at the same time. With two classes,
        `n_jobs` threads share the work of the only pair.
    weights : float64 ndarray of shape (m,), or None if all weights are 1
        Points with the weight 0 are left out.

    Returns
    -------
    list of PairwiseFit
        One fit for each value of C. Times are in seconds.

    Raises
    ------
    ValueError
        If `settings.init` is the index of a point with the weight 0, or kernel values are not
        symmetric.
    """
    kept = None if weights is None or weights.all() else np.flatnonzero(weights)
    if weights is not None and kept is not None:
        X = X[kept] if kernel is not None else np.ascontiguousarray(X[np.ix_(kept, kept)])
        codes, weights = codes[kept], weights[kept]
        settings = settings.starting_within(kept)
    began = time.thread_time(), time.perf_counter()
    eps, merged = settings.eps, merged_points(X, codes, weights, kernel, C_values, settings)
    roots = np.empty(0)
    if merged is not None and kernel is not None:
        X, codes, weights = X[merged.kept], codes[merged.kept], merged.weights
        roots = kernel.roots(Points(X).squared_norm_bounds)
        settings = replace(settings, eps=AIM * eps)
    members = [np.flatnonzero(codes == code) for code in range(n_classes)]
    sizes = np.array([len(each) for each in members])
    n_threads = min(n_jobs, n_classes * (n_classes - 1) // 2)
    with one_blas_thread():
        small = _small_pairs(X, members, kernel, settings, C_values, weights, n_threads)
    shared_mb = 0.0 if small is None else small.megabytes(members, small.most, n_threads)
    shares_blocks = False
    if n_classes > 2 and kernel is not None and not sparse.issparse(X):
        needed_mb = ClassBlocks.megabytes(sizes, X.shape[1], n_threads)
        pays = not settings.selection.sampled or settings.method in _WITH_CORESETS
        # "auto" needs only a few columns. If X has few features, these columns take less time than
        # class blocks, which contain all kernel values of a pair.
        if settings.method == "auto":
            pays = pays and X.shape[1] >= GRAM_FEATURES
        fits = needed_mb <= (settings.cache_mb - shared_mb) / 2
        if pays and fits and fits_float32(Points(X).squared_norms, kernel):
            shares_blocks = True
            shared_mb += needed_mb
    problems = PairProblems(X, codes, members, kernel, shares_blocks)
    threads, n_jobs = (n_jobs, 1) if n_classes == 2 else (1, min(n_jobs, len(problems.pairs)))
    pair_sizes = np.array([sizes[i] + sizes[j] for i, j in problems.pairs], dtype=float)
    budget = _TimeBudget(settings.time_limit, pair_sizes, len(C_values))
    settings = replace(settings, threads=threads, cache_mb=(settings.cache_mb - shared_mb) / n_jobs)
    budget.spend(0, time.thread_time() - began[0], time.perf_counter() - began[1])
    # Each thread has memory for columns, and uses the same memory for its next pair. The keys of
    # `columns_of` are ids of threads.
    columns_of: dict[int, SharedColumns] = {}
    stopped = Event()

    def check(place: int, position: int, driver: Driver) -> bool:
        progress.report(place, position, driver)
        return stopped.is_set()

    def problem_of(
        place: int, position: int, rows: np.ndarray, labels: np.ndarray, built: list[Any]
    ) -> tuple[KernelProblem, SharedColumns, int]:
        """Return the problem of a pair, its memory for columns, and the number of kernel values
        that this call computed. The first call for a pair puts the pair's matrix and memory for
        columns into the list `built`, and later calls for this pair use both.
        """
        computed = 0
        if not built:
            matrix, computed = problems.matrix(place, rows)
            columns = columns_of.setdefault(get_ident(), SharedColumns(keeps=len(C_values) > 1))
            columns.next_problem()
            built.extend((matrix, columns))
        matrix, columns = built
        own = None if weights is None else weights[rows]
        return KernelProblem(matrix, labels, C_values[position], weights=own), columns, computed

    groups = [[place] for place in range(len(problems.pairs))]
    if small is not None:
        groups = small.groups(problems.pairs)

    def train(group: list[int]) -> list[list[tuple[Solution, np.ndarray, np.ndarray]]]:
        attempts: dict[int, list[Attempt]] = {}  # key: position
        return [train_pair(place, at, group, attempts) for at, place in enumerate(group)]

    def train_pair(
        place: int, at: int, group: list[int], attempts: dict[int, list[Attempt]]
    ) -> list[tuple[Solution, np.ndarray, np.ndarray]]:
        built: list[Any] = []
        results = []
        for position in range(len(C_values)):
            left = budget.left(position) / n_jobs
            limit = budget.share(place, position)
            attempt = Attempt(None)
            if small is not None and not stopped.is_set():
                if position not in attempts:
                    aim = aim_of(settings, len(codes))
                    pairs = [problems.pairs[each] for each in group]
                    share = _LEAST_SHARE * left
                    attempts[position] = small.solve(position, pairs, settings, left, share, aim)
                attempt = attempts[position][at]
            cpu_s = wall_s = 0.0
            solution, support, signs = attempt.solution, attempt.points, attempt.signs
            if solution is None or merged is not None:
                rows, labels = problems.points(place)
            if solution is None:
                cpu_began, wall_began = time.thread_time(), time.perf_counter()
                problem, columns, computed = problem_of(place, position, rows, labels, built)
                cpu_s = attempt.cpu_s + time.thread_time() - cpu_began
                wall_s = attempt.wall_s + time.perf_counter() - wall_began
                solution = solve_finely(
                    problem,
                    settings.with_limit(max(limit - cpu_s, _LEAST_S)),
                    len(codes),
                    random_state=np.random.SeedSequence(seed, spawn_key=(place,)),
                    columns=columns,
                    callback=partial(check, place, position),
                )
                solution.kernel_evaluations += attempt.kernel_evaluations + computed
                solution.requested_evaluations += attempt.requested_evaluations
                support, signs = rows[solution.support], labels[solution.support]
            if merged is not None:
                merged.widen(solution, rows, roots, float(C_values[position]), eps)
                support, solution.weights, of = merged.expand(support, solution.weights)
                pair = problems.pairs[place]
                solution.support = merged.positions(support, pair, len(problems.pairs) == 1)
                solution.coreset_size, signs = len(support), signs[of]
            signed = solution.weights * signs
            progress.end(place, position, solution)
            results.append((solution, support if kept is None else kept[support], signed))
            cpu_s += solution.train_cpu_s
            wall_s += solution.train_wall_s
            budget.spend(position, cpu_s, wall_s, limit)
        return results

    with one_blas_thread():
        try:
            if n_jobs == 1:
                trained = [train(group) for group in groups]
            else:
                trained = Parallel(n_jobs, require="sharedmem", batch_size=1)(
                    delayed(train)(group) for group in groups
                )
        # after an error or Ctrl-C, the other threads stop at their next check of the time limit
        finally:
            stopped.set()
    of_values = zip(*chain.from_iterable(trained), strict=True)
    return [_joined(*each) for each in zip(of_values, budget.cpu_s, budget.wall_s, strict=True)]


class _TimeBudget:
    """The time budget of a fit. For each value of C, it has the time that all pairs together have
    used, and the limit of this time.

    Each pair is granted a share of the CPU seconds that are left.
    """

    def __init__(self, limit: float, sizes: np.ndarray, n_values: int) -> None:
        # `waiting` has the estimated work of each pair whose training has not begun. The estimate
        # is the squared number of points.
        self.limit, self.waiting = limit, np.tile(sizes**2, (n_values, 1))
        # lists, because changing an entry of an array takes ten times as long
        self.cpu_s = [0.0] * n_values
        self.wall_s = [0.0] * n_values
        self.granted = [0.0] * n_values
        self.lock = Lock()

    def share(self, place: int, position: int) -> float:
        """Return the limit of the CPU seconds of a pair: a share of the seconds that are left.

        The seconds that are left are those that are neither used nor granted to a pair that is in
        training.
        """
        if isinf(self.limit):
            return self.limit
        with self.lock:
            waiting = self.waiting[position]
            share = max(waiting[place] / waiting.sum(), _LEAST_SHARE)
            waiting[place] = 0.0
            granted: float = max(share * self._left(position), _LEAST_S)
            self.granted[position] += granted
        return granted

    def left(self, position: int) -> float:
        """Return the CPU seconds that are neither used nor granted, at least 0."""
        with self.lock:
            return max(self._left(position), 0.0)

    def _left(self, position: int) -> float:
        return self.limit - self.cpu_s[position] - self.granted[position]

    def spend(self, position: int, cpu_s: float, wall_s: float, granted: float = 0.0) -> None:
        """Add used CPU and wall seconds. `granted` is what `share` returned for the same pair."""
        with self.lock:
            self.cpu_s[position] += cpu_s
            self.wall_s[position] += wall_s
            self.granted[position] -= granted if isfinite(granted) else 0.0


def _joined(
    trained: Sequence[tuple[Solution, np.ndarray, np.ndarray]], cpu_s: float, wall_s: float
) -> PairwiseFit:
    solutions, supports, weights = zip(*trained, strict=True)
    points = np.concatenate(supports)
    is_support = np.zeros(points.max() + 1, bool)
    is_support[points] = True
    support = is_support.nonzero()[0]
    rows = (np.cumsum(is_support) - 1)[points]
    columns = np.repeat(np.arange(len(supports)), [len(each) for each in supports])
    coefficients = np.zeros((len(support), len(supports)), order="F")
    coefficients[rows, columns] = np.concatenate(weights)
    return PairwiseFit(list(solutions), support, coefficients, cpu_s, wall_s)
