"""One-versus-one: one binary problem per pair of classes, and the joint evaluation of their decision functions."""

import time
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fwsvm.dual import KernelProblem
from fwsvm.kernels import KernelMatrix
from fwsvm.solvers.solve import solve

# The overall stop reason is the first of these that any pair has.
_WORST_FIRST = (
    "interrupted",
    "time_limit",
    "iteration_limit",
    "precision_limit",
    "no_violation_in_samples",
    "converged",
)
_LEAST_SHARE = 0.2


@dataclass
class PairwiseFit:
    """Solutions of all pairs, and their joint expansion over the distinct support vectors.

    Attributes
    ----------
    pairs : list of (int, int)
        Class codes (positive, negative) of each problem.
    solutions : list of Solution
        `support` counts within the pair's own points.
    support : int64 array of shape (n_sv,)
        Distinct support vectors, ascending, in the training set.
    coefficients : float64 array of shape (n_sv, n_pairs)
        y_i a_i of each support vector in each pair's decision function (frandi2013 eq. 13).
    """

    pairs: list
    solutions: list
    support: np.ndarray
    coefficients: np.ndarray

    @property
    def stop_reason(self):
        """The gravest stop reason among the pairs."""
        reasons = {solution.stop_reason for solution in self.solutions}
        return next(reason for reason in _WORST_FIRST if reason in reasons)

    def total(self, name):
        """Sum of a numeric field over the pairs."""
        return sum(getattr(solution, name) for solution in self.solutions)

    def largest(self, name):
        """Largest value of a numeric field over the pairs."""
        return max(getattr(solution, name) for solution in self.solutions)


def class_pairs(n_classes):
    """Pairs (positive, negative) of class codes: (1, 0) for two classes, all i < j for more, as in LIBSVM."""
    return [(1, 0)] if n_classes == 2 else list(combinations(range(n_classes), 2))


def fit_pairs(X, codes, n_classes, kernel, C, seed, settings):
    """Train every pair.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (m, d)
    codes : int array of shape (m,), class codes 0 .. n_classes - 1
    kernel : Kernel
    C : float
    seed : int
        Each pair's generator follows from it and the pair's place.
    settings : dict
        Keyword arguments of `fwsvm.solve`; `time_limit` is for all pairs together: of what is left a pair may use its
        share by squared size, and a fifth in any case.

    Returns
    -------
    PairwiseFit
    """
    pairs = class_pairs(n_classes)
    seeds = np.random.SeedSequence(seed).spawn(len(pairs))
    members = [np.flatnonzero(codes == code) for code in range(n_classes)]
    sizes = np.array([len(members[i]) + len(members[j]) for i, j in pairs], dtype=float)
    solutions, supports, weights = [], [], []
    started, certified = time.thread_time(), 0.0
    limit = settings.get("time_limit", np.inf)
    for place, ((positive, negative), pair_seed) in enumerate(zip(pairs, seeds, strict=True)):
        rows = np.arange(len(codes)) if n_classes == 2 else np.union1d(members[positive], members[negative])
        labels = np.where(codes[rows] == positive, 1.0, -1.0)
        problem = KernelProblem(KernelMatrix(X if n_classes == 2 else X[rows], kernel), labels, C)
        share = max(sizes[place] ** 2 / np.sum(sizes[place:] ** 2), _LEAST_SHARE)  # of the time that is left
        left = max(share * (limit - (time.thread_time() - started - certified)), 1e-3)
        solution = solve(problem, random_state=pair_seed, **{**settings, "time_limit": left})
        certified += solution.certify_cpu_s
        solutions.append(solution)
        supports.append(rows[solution.support])
        weights.append(solution.weights * labels[solution.support])
    support = np.unique(np.concatenate(supports))
    coefficients = np.zeros((len(support), len(pairs)))
    for column, (own, weight) in enumerate(zip(supports, weights, strict=True)):
        coefficients[np.searchsorted(support, own), column] = weight
    return PairwiseFit(pairs, solutions, support, coefficients)


def decision_values(support_vectors, coefficients, kernel, X):
    """h(x) of every pair (frandi2013 eq. 13), each kernel value computed once per distinct support vector.

    Parameters
    ----------
    support_vectors : ndarray or CSR matrix, shape (n_sv, d)
    coefficients : array of shape (n_sv, n_pairs)
    kernel : Kernel
    X : ndarray or CSR matrix, shape (n, d)

    Returns
    -------
    ndarray of shape (n, n_pairs)
    """
    matrix = KernelMatrix(support_vectors, kernel)
    return matrix.weighted_sums(np.arange(matrix.size), coefficients, X) + coefficients.sum(axis=0)


def votes(decisions, n_classes):
    """Votes of all pairs, (n, n_classes); a pair votes for its positive class where h > 0."""
    counts = np.zeros((len(decisions), n_classes), dtype=np.int64)
    for column, (positive, negative) in enumerate(class_pairs(n_classes)):
        wins = decisions[:, column] > 0
        counts[:, positive] += wins
        counts[:, negative] += ~wins
    return counts


def class_scores(decisions, n_classes):
    """One score per class: its votes, and between equal votes the sum of its decision values squashed below 1/2."""
    confidence = np.zeros((len(decisions), n_classes))
    for column, (positive, negative) in enumerate(class_pairs(n_classes)):
        confidence[:, positive] += decisions[:, column]
        confidence[:, negative] -= decisions[:, column]
    return votes(decisions, n_classes) + confidence / (3.0 * (np.abs(confidence) + 1.0))
