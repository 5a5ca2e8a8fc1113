"""The kernel values of pairs of classes with few points, and bounds for their rounding errors.

The module `fwsvm.solvers.small_pairs` trains these pairs. For a pair of classes with few points,
this module computes all kernel values. The values within a class are computed once for all such
pairs. For a pair of classes with more points, this module makes a source of the columns of Q that
training needs.

Arrays "in the order of the classes" have the points of the first class first, then those of the
second class, and so on. m is the number of all points.
"""

from __future__ import annotations

from functools import cached_property
from itertools import compress
from threading import get_ident
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.kernels.column_source import DENSE, ColumnSource
from fwsvm.kernels.matrix import GRAM_FEATURES, GRAM_POINTS, KernelMatrix
from fwsvm.kernels.rounding import difference_errors, product_error, rbf_errors
from fwsvm.solvers.drivers import VALUES_BETWEEN_CHECKS
from fwsvm.solvers.working_sets import SET_SIZE

if TYPE_CHECKING:
    from fwsvm.kernels.functions import Kernel
    from fwsvm.kernels.points import Points


# Largest number of points of a pair whose whole matrix Q is computed (`largest_whole_pair` has an
# exception for dense points with many features). For more points, computing the whole matrix takes
# longer than computing the columns that training needs. With only two classes of sparse points and
# one value of C, the whole matrix always takes longer, because matrix products of sparse points are
# slow, and the kernel values are used only once.
MOST_PAIR_POINTS = 512
# For a pair of more points, the columns that training needs are computed if n (d + 16) is at most
# _MOST_PRODUCTS. Here, n is the number of points (at most GRAM_POINTS, or SET_SIZE with only two
# classes of dense points), and d is the number of stored entries per point (plus the degree of a
# polynomial kernel). A float64 column takes about as long as n (d + 16) products. With more
# products, the float32 columns of the general solver save more time than its preparations take.
_MOST_PRODUCTS = 65_536


def _products(points: Points, kernel: Kernel) -> float:
    """Return about how many products a kernel value costs."""
    return points.stored_per_point + 16 + (kernel.degree if kernel.name == "poly" else 0)


def largest_whole_pair(points: Points, members: list[np.ndarray]) -> int:
    """Return the largest number of points of a pair whose whole matrix Q is computed, if there is
    enough memory. `members` has the indices of the points of each class.

    If the points are dense with at least GRAM_FEATURES features, matrix products need less time per
    value than columns. With more than two classes, pairs also share the values within their
    classes. The number is then SET_SIZE.
    """
    is_wide = not points.is_sparse and points.n_features >= GRAM_FEATURES
    return SET_SIZE if is_wide and len(members) > 2 else MOST_PAIR_POINTS


def largest_pair(
    points: Points, kernel: Kernel, members: list[np.ndarray], n_values: int, most_whole: int
) -> int:
    """Return the number of points of the largest pair of classes that `SmallPairs` trains, or 0 if
    there is no such pair. The whole matrix Q of a pair of at most `most_whole` points is computed.

    With `n_values` > 1 values of C, `SmallPairs` trains only pairs with a whole matrix, because the
    general solver computes each column only once for all values of C. With two classes of dense
    points, the general solver is faster if it can change to working sets.
    """
    most = most_whole
    if n_values == 1:
        more = SET_SIZE if len(members) == 2 and not points.is_sparse else GRAM_POINTS
        most = max(most, min(int(_MOST_PRODUCTS / _products(points, kernel)), more))
    sizes = np.array([len(each) for each in members])
    pairs = np.add.outer(sizes, sizes)[np.triu_indices(len(sizes), 1)]
    return int(pairs[pairs <= most].max(initial=0))


def pair_megabytes(
    points: Points, members: list[np.ndarray], most: int, n_threads: int, most_whole: int
) -> float:
    """Return the memory (MB) that the training of small pairs needs at most.

    The memory contains the kernel values within each class that is in a pair with a whole matrix.
    If there are other pairs, it also contains the features of dense points. For each thread, it
    contains the values between the classes of a group of pairs with whole matrices, and the
    columns, the equations of a Newton step and a copy of the points of one pair. `most` is the
    value of `largest_pair` for `most_whole`.
    """
    sizes = np.array([len(each) for each in members])
    is_whole = np.add.outer(sizes, sizes) <= most_whole
    np.fill_diagonal(is_whole, False)
    within = float(sizes**2 @ is_whole.any(axis=1))
    between = min(float((sizes * (is_whole @ sizes)).max()), VALUES_BETWEEN_CHECKS)
    # a stored entry of sparse points needs up to 32 bytes
    copied = 4 * _MOST_PRODUCTS if most > most_whole else 0
    equations = min(most, MOST_PAIR_POINTS) ** 2
    features = points.n_features * sizes.sum() if copied and not points.is_sparse else 0
    own = between + most**2 + equations + copied
    return 8e-6 * (within + features + n_threads * own)


class PairValues:
    """The kernel values of the pairs of classes with few points, for training with `n_values`
    values of C.

    `matrix` is the kernel matrix of all points. The rounding errors of its values must have bounds
    (`KernelMatrix.is_near`). `offset` is the number that Q adds to the kernel values. `members` has
    the indices of the points of each class, and `pairs` has the codes (positive, negative) of all
    pairs. The whole matrix Q of a pair of at most `most_whole` points is computed, except with two
    classes of sparse points and one value of C.
    """

    def __init__(
        self,
        matrix: KernelMatrix,
        offset: float,
        members: list[np.ndarray],
        pairs: list[tuple[int, int]],
        n_values: int,
        most_whole: int,
    ) -> None:
        self.matrix = matrix
        self.offset = offset
        self.products = _products(matrix.points, matrix.kernel)
        self._members = members
        self.sizes = np.array([len(each) for each in members])
        # Class c has the places from begins[c] to begins[c + 1] of arrays in the order of the
        # classes. `order` (m,) has the index of the point at each place, and `diagonal` (m,) has
        # the diagonal of Q without the shifts.
        self.begins = np.append(0, np.cumsum(self.sizes))
        self.order = np.concatenate(members)
        self.diagonal = (matrix.diagonal() + offset)[self.order]
        self.whole = self._with_whole_matrices(pairs, n_values, most_whole)
        # the values within class c begin at within[within_begins[c]]
        self.within, self.within_begins = self._values_within()
        # The pairs of a thread's last group, and the values between the classes of these pairs. The
        # keys are ids of threads.
        self._between: dict[int, tuple[list[tuple[int, int]], np.ndarray]] = {}

    def _with_whole_matrices(
        self, pairs: list[tuple[int, int]], n_values: int, most_whole: int
    ) -> dict[tuple[int, int], None]:
        """Return the pairs whose whole matrix Q is computed, in order. (A dict is searched faster
        than a list.)
        """
        is_shared = len(self.sizes) > 2 or n_values > 1
        most = most_whole if is_shared or not self.matrix.points.is_sparse else 0
        is_whole = self.sizes[np.array(pairs)].sum(axis=1) <= most
        return dict.fromkeys(compress(pairs, is_whole.tolist()))

    def _values_within(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the kernel values within each class that is in a pair with a whole matrix, class
        after class. Return also where the values of each class begin.
        """
        counts = np.zeros(len(self._members), np.int64)
        for c in {c for pair in self.whole for c in pair}:
            counts[c] = self.sizes[c] ** 2
        begins = np.cumsum(counts) - counts
        values = np.empty(counts.sum())
        for c in counts.nonzero()[0]:
            within = values[begins[c] : begins[c] + counts[c]]
            within[:] = self.matrix.submatrix(self._members[c]).ravel()
        return values, begins

    def between(self, pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
        """Return the kernel values between the first class of a group of pairs, which is the same
        for all of them, and their second classes. Return also, for each pair, the number of values
        that count as computed for this pair, int64.

        The values within a class count for the first pair that contains the class. If a thread asks
        again for the same pairs, because it trains them with another C, nothing is computed, and
        the numbers are 0.
        """
        evaluations = np.zeros(len(pairs), np.int64)
        last = self._between.get(get_ident())
        if last is not None and last[0] == pairs:
            return last[1], evaluations
        others = np.concatenate([self._members[q] for _, q in pairs])
        values = self.matrix.submatrix(self._members[pairs[0][0]], others)
        self._between[get_ident()] = pairs, values
        for k, (p, q) in enumerate(pairs):
            evaluations[k] = self.sizes[p] * self.sizes[q]
            for c in (p, q):
                if self._first_pair[c] == (p, q):
                    evaluations[k] += self.sizes[c] ** 2
        return values, evaluations

    @cached_property
    def _first_pair(self) -> dict[int, tuple[int, int]]:
        """The first pair with a whole matrix that contains a class, by class."""
        return {c: pair for pair in reversed(self.whole) for c in pair}

    def places(self, pair: tuple[int, int]) -> np.ndarray:
        """Return the positions of a pair's points in `order`, int64 (n,). The points of the
        positive class are first.
        """
        return np.concatenate([np.arange(*self.begins[c : c + 2]) for c in pair])

    def source(
        self, pair: tuple[int, int], places: np.ndarray, shifts: np.ndarray
    ) -> ColumnSource | None:
        """Return the source of the columns of Q of a pair, whose n points have these `places` (n,).
        `shifts` (n,) are the diagonal shifts of the points.

        Return None if the points of this pair have too many stored entries. They can have more per
        point than the mean of all points.
        """
        points, n = self.order[places], len(places)
        if self.matrix.points.is_sparse:
            own = self.matrix.points.view(points)
            if n * _products(own, self.matrix.kernel) > _MOST_PRODUCTS:
                return None
        if self.matrix.points.is_sparse:
            source, _ = self.matrix.restricted_to(points).column_source(np.float64)
        else:
            parts = [self._features[:, self.begins[c] : self.begins[c + 1]] for c in pair]
            features, kernel = np.concatenate(parts, axis=1), self.matrix.kernel.arguments
            source = ColumnSource(DENSE, kernel, n, np.float64, np.float64, features=features)
        labels = np.repeat([1.0, -1.0], [self.sizes[c] for c in pair])
        evaluations = np.zeros(1, np.int64)
        return source.changed(self.offset, shifts, labels=labels, evaluations=evaluations)

    @cached_property
    def _features(self) -> np.ndarray:
        """The features (d, m) of dense points, in the order of the classes."""
        return self.matrix.points.view(self.order).feature_major(np.float64)

    def errors(self, is_whole: bool) -> tuple[np.ndarray, float]:
        """Return the arguments `of_values` and `relative` of `certify_group`. `is_whole` says that
        the kernel values are those of pairs with whole matrices.
        """
        if not self.matrix.kernel.is_isotropic:
            return self._roots, product_error(self.matrix.kernel, self._n_terms)
        # columns of dense points are computed from differences
        is_product = is_whole or self.matrix.points.is_sparse
        return self._product_errors if is_product else self._difference_errors, 0.0

    @property
    def _n_terms(self) -> int:
        points = self.matrix.points
        return 0 if points.is_binary else points.most_terms

    @cached_property
    def _roots(self) -> np.ndarray:
        """The square roots (m,) of the values k(x, x), in the order of the classes."""
        roots: np.ndarray = self.matrix.roots()[self.order]
        return roots

    @cached_property
    def _product_errors(self) -> np.ndarray:
        """Bounds (m,) for the errors of RBF kernel values that are computed from dot products."""
        points = self.matrix.points
        squared_norms = points.squared_norms[self.order]
        return rbf_errors(self.matrix.kernel, squared_norms, self._n_terms, not points.is_sparse)

    @cached_property
    def _difference_errors(self) -> np.ndarray:
        """Bounds (m,) for the errors of RBF kernel values that are computed from differences."""
        squared_norms = self.matrix.points.squared_norms[self.order]
        return difference_errors(self.matrix.kernel, squared_norms, self._n_terms, True)
