"""The result of a fit: the solutions of all pairs of classes for one value of C."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.estimators.pairs import class_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fwsvm.solvers.solution import Solution

    # the solution of a pair, the indices of its support vectors in the training set, and their
    # coefficients y_i a_i
    TrainedPair = tuple[Solution, np.ndarray, np.ndarray]

# The stop reason of a fit is the worst stop reason of its pairs. _WORST_FIRST has all stop reasons,
# from the worst to the best. _EARLY_ENDS has the reasons of runs that ended before the stopping
# rule was met.
_EARLY_ENDS = ("interrupted", "time_limit", "iteration_limit", "no_progress", "precision_limit")
_WORST_FIRST = ("not_positive_semidefinite", *_EARLY_ENDS, "no_violation_in_samples", "converged")


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

    @classmethod
    def of(cls, trained: Sequence[TrainedPair], cpu_s: float, wall_s: float) -> PairwiseFit:
        """Return the fit of pairs that were trained with the same C."""
        solutions, supports, weights = zip(*trained, strict=True)
        points = np.concatenate(supports)
        is_support = np.zeros(points.max() + 1, bool)
        is_support[points] = True
        support = is_support.nonzero()[0]
        rows = (np.cumsum(is_support) - 1)[points]
        columns = np.repeat(np.arange(len(supports)), [len(each) for each in supports])
        coefficients = np.zeros((len(support), len(supports)), order="F")
        coefficients[rows, columns] = np.concatenate(weights)
        return cls(list(solutions), support, coefficients, cpu_s, wall_s)

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
