"""Merging of equal points with the same label into one point before training.

In the L2-SVM, n equal points lead to the same optimum as one point with the sample weight n. At the
optimum, equal points have equal dual weights a_i. Data with categorical features or counts often
have many equal points. Training then takes less time with merged points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from fwsvm.kernels.points import row_blocks
from fwsvm.kernels.rounding import UNIT
from fwsvm.machine_code.threads import one_blas_thread
from fwsvm.problems.dual import LARGEST_SHIFT
from fwsvm.solvers.solution import relative_gap_bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fwsvm.kernels.functions import Kernel
    from fwsvm.solvers.settings import Settings
    from fwsvm.solvers.solution import Solution

# Points are merged only if the share of distinct points is at most _MOST_DISTINCT. With more
# distinct points, training would not take much less time.
_MOST_DISTINCT = 0.9
# If the sum of the sample weights could exceed _HEAVY, no points are merged.
_HEAVY = 1e300
# Training with merged points aims at the share AIM of the allowed gap. The rest is for the rounding
# errors that occur when dual weights are divided among equal points.
AIM = 1.0 - 1e-6


def _keys(X: np.ndarray | sparse.csr_matrix, codes: np.ndarray) -> np.ndarray:
    """Return a number for each point of X (m, d), float64 (m,). Equal points with the same code
    have the same number, up to rounding errors. Different points seldom have the same number.
    """
    m, d = X.shape
    direction = np.sin(np.arange(1.0, d + 2.0))
    if sparse.issparse(X):
        keys = X @ direction[:d]
    else:
        with one_blas_thread():
            keys = np.concatenate([X[part] @ direction[:d] for part in row_blocks(m, d)])
    keys += direction[d] * codes
    return np.asarray(keys)


def _first_equal(
    X: np.ndarray | sparse.csr_matrix, codes: np.ndarray, keys: np.ndarray
) -> np.ndarray:
    """Return an index for each point of X (m, d), int64 (m,): that of an equal point with the same
    code, or the point's own index. `keys` (m,) is the result of `_keys`.

    Equal points can be missed, but points with different features or codes never get the same
    index.
    """
    m, d = X.shape
    order = np.lexsort((codes, keys))
    is_new = np.ones(m, bool)
    is_new[1:] = (np.diff(keys[order]) != 0.0) | (np.diff(codes[order]) != 0)
    firsts = order[np.maximum.accumulate(np.where(is_new, np.arange(m), 0))]
    index = np.arange(m)
    index[order] = firsts
    # different points can have the same key
    others = np.flatnonzero(index != np.arange(m))
    # a difference of sparse points needs memory only for their nonzeros
    for part in row_blocks(len(others), 1 if sparse.issparse(X) else d):
        own = others[part]
        differs = X[own] != X[index[own]]
        wrong = np.diff(differs.tocsr().indptr) > 0 if sparse.issparse(X) else differs.any(axis=1)
        index[own[wrong]] = own[wrong]
    return index


class MergedPoints:
    """The distinct points of a training set.

    `kept` (k,) has the indices of one point of each set of equal points, ascending. `weights` (k,)
    has the sum of the sample weights of each set.
    """

    def __init__(self, index: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> None:
        own = np.ones(len(index)) if weights is None else weights
        self.kept, place = np.unique(index, return_inverse=True)
        self.weights = np.bincount(place, own)
        self._shares = own / self.weights[place]
        self._order = np.argsort(place, kind="stable")
        self._counts = np.bincount(place)
        # `_n_sums` is 0 if all sums of weights are exact, that is, if all weights are integers and
        # all sums are below 2^53. Otherwise, it is the number of terms of the longest sum.
        is_exact = np.array_equal(own, np.rint(own)) and self.weights.max() < 2.0**53
        self._n_sums = 0 if is_exact else int(self._counts.max())
        self._begins = np.cumsum(self._counts) - self._counts
        self._ranks = np.empty(len(index), np.int64)  # each point's position within its class
        self._sizes = np.bincount(codes)
        for code in np.flatnonzero(self._sizes):
            members = np.flatnonzero(codes == code)
            self._ranks[members] = np.arange(len(members))
        self._codes = codes

    def expand(
        self, support: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return three arrays about all points that are equal to one of the distinct points
        `support`: their indices, their dual weights, and the positions of their distinct points in
        `support`.

        The dual `weights` of the distinct points are divided among equal points, in proportion to
        the sample weights. Points are left out if their share is 0 after rounding.
        """
        counts = self._counts[support]
        of = np.repeat(np.arange(len(support)), counts)
        within = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        points = self._order[self._begins[support][of] + within]
        order = np.argsort(points)
        points, of = points[order], of[order]
        divided = weights[of] * self._shares[points]
        kept = divided > 0.0
        return points[kept], divided[kept], of[kept]

    def positions(self, points: np.ndarray, pair: tuple[int, int], is_only: bool) -> np.ndarray:
        """Return the positions of `points` among all points of a pair of classes. The points of the
        first class come first. But if `is_only` says that there is no other pair, positions are the
        indices of the points in the training set.
        """
        if is_only:
            return points
        first = self._codes[points] == pair[0]
        places: np.ndarray = self._ranks[points] + np.where(first, 0, self._sizes[pair[0]])
        return places

    def widen(
        self, solution: Solution, rows: np.ndarray, roots: np.ndarray, C: float, eps: float
    ) -> None:
        """Add a bound to a solution's gap. It bounds the effect of the rounding errors of the
        divided dual weights.

        `solution` has the dual weights of distinct points before the division. `rows` (n,) has the
        distinct points of the pair, and `roots` (k,) has the square root of k_ii for all distinct
        points.

        The relative error of each divided weight is at most a few unit roundoffs, or at most a few
        per summed weight if sums of sample weights are rounded (`_n_sums`). An entry of the
        gradient changes by at most this relative error times sum_j a_j (|k_ij| + offset) + a_i
        shift_i. Here, |k_ij| is at most the product of two `roots`. If the relative gap then
        exceeds the allowed relative gap `eps`, the stop reason "converged" becomes
        "precision_limit".
        """
        weights, support = solution.weights, rows[solution.support]
        of_weights = float(weights @ roots[support])
        own = weights / (C * self.weights[support])
        of_gradient = 1.0 + float(roots[rows].max()) * of_weights + float(own.max())
        of_objective = 1.0 + of_weights**2 + float(weights @ own)
        unit = (32.0 + 4.0 * self._n_sums) * UNIT
        solution.gap += unit * (of_gradient + of_objective)
        solution.objective_error += unit * of_objective
        solution.relative_gap = relative_gap_bound(
            solution.objective, solution.objective_error, solution.gap
        )
        if solution.stop_reason == "converged" and solution.relative_gap > eps:
            solution.stop_reason = "precision_limit"


def merged_points(
    X: np.ndarray | sparse.csr_matrix,
    codes: np.ndarray,
    weights: np.ndarray | None,
    kernel: Kernel | None,
    C_values: Sequence[float],
    settings: Settings,
) -> MergedPoints | None:
    """Return the `MergedPoints` of X (m, d), whose classes have the integer `codes` (m,).

    Return None if there are few equal points, if the kernel is precomputed (`kernel` is None), if
    the settings do not allow merged points, or if sample weights or values of C are extreme. Only
    the method `auto` with a relative gap uses merged points, because the steps of other methods are
    those of the papers.
    """
    is_possible = (
        kernel is not None
        and settings.method == "auto"
        and settings.stop == "relative"
        and not settings.selection.sampled
        and settings.init == "random_meb"
    )
    if not is_possible:
        return None
    lightest = heaviest = 1.0
    if weights is not None:  # as Python numbers, whose products overflow without a warning
        lightest, heaviest = float(weights.min()), float(weights.max())
    if float(min(C_values)) * lightest * LARGEST_SHIFT < 1.0 or heaviest > _HEAVY / len(codes):
        return None
    keys, m = _keys(X, codes), len(codes)
    ordered = np.sort(keys)
    if 1 + np.count_nonzero(ordered[1:] != ordered[:-1]) > _MOST_DISTINCT * m:
        return None
    index = _first_equal(X, codes, keys)
    if np.count_nonzero(index == np.arange(m)) > _MOST_DISTINCT * m:
        return None
    return MergedPoints(index, codes, weights)
