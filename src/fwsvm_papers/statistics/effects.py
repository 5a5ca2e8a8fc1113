"""Estimates of the size of a difference over the data sets, with confidence intervals."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import gammaln

from fwsvm_papers.statistics.tests import finite_array, subset_sums

CONFIDENCE = 0.95
# Two numbers of `signed_rank_probabilities`: the parameter of the Dirichlet distribution for the
# pseudo-observation at 0, and the number of random samples from this distribution.
PRIOR, DRAWS = 0.5, 20_000


@dataclass(frozen=True)
class Estimate:
    """An estimate with its confidence interval from `low` to `high`.

    If there are too few values, both ends are infinite.
    """

    value: float
    low: float
    high: float


def hodges_lehmann(differences: ArrayLike) -> Estimate:
    """Return the estimate of Hodges and Lehmann for the centre of n paired differences, with the
    interval of the signed-rank test. `differences` is an array of shape (n,), with n at most 1023.

    The estimate is the median of the n (n + 1) / 2 Walsh averages (d_i + d_j) / 2, i <= j. The
    interval contains the shifts that the test does not reject. Its ends are the t-th smallest and
    the t-th largest average. The number t is computed from the exact null distribution of the rank
    sum W+ without ties (Hollander and Wolfe 1999 secs. 3.2 and 3.3).
    """
    differences = finite_array("differences", differences, 1)
    n = len(differences)
    first, second = np.triu_indices(n)
    averages = np.sort((differences[first] + differences[second]) / 2)
    # `mass` is the lower half of the distribution of W+ under H0.
    mass = subset_sums(range(1, n + 1), len(averages) // 2)
    left_out = int(np.searchsorted(np.cumsum(mass), (1 - CONFIDENCE) / 2, side="right"))
    low, high = (averages[left_out - 1], averages[-left_out]) if left_out else (-math.inf, math.inf)
    return Estimate(float(np.median(averages)), float(low), float(high))


def bootstrap_estimate(values: ArrayLike, of_ratios: bool = False) -> Estimate:
    """Return the median of `values`, an array of shape (n,), with its percentile bootstrap
    interval.

    The ends of the interval are quantiles of the exact distribution of the median over all
    bootstrap samples. No random numbers are drawn, and the order of the values does not matter. If
    n is even, the median of a bootstrap sample is the mean of two values. For ratios, it is their
    geometric mean, so that the interval of 1 / `values` has the reciprocal ends. (The returned
    median is the arithmetic mean of the two middle values, even for ratios.) Ratios are at least 0,
    and can be infinite.
    """
    values = np.asarray(values, float) if of_ratios else finite_array("values", values, 1)
    if len(values) < 2:
        return Estimate(float(np.median(values)), -math.inf, math.inf)
    medians, chances = _medians_of_resamples(np.sort(values), of_ratios)
    order = np.argsort(medians, kind="stable")
    low, high = (
        medians[of][np.searchsorted(np.cumsum(chances[of]), (1 - CONFIDENCE) / 2)]
        for of in (order, order[::-1])
    )
    return Estimate(float(np.median(values)), float(low), float(high))


def _medians_of_resamples(ordered: np.ndarray, of_ratios: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the possible medians of bootstrap samples, and their probabilities.

    Let n be 2 m. The i-th and the j-th value, i < j, are the two middle values of a sample if m
    draws are at most the i-th value and at least one of them is the i-th value, and if m draws are
    at least the j-th value and at least one of them is the j-th value. For an odd n, and for i = j,
    the number of draws that are at most the i-th value has a binomial distribution.
    """
    n = len(ordered)
    half, shares = n // 2, np.arange(n + 1) / n
    lower_middle = np.diff(stats.binom.sf((n - 1) // 2, n, shares))
    if n % 2:
        return ordered, lower_middle
    # For a large n, the binomial coefficient is too large for a floating-point number, so the
    # logarithms of the factors are added. `reached` has the logarithms of the differences
    # shares[i]**half - shares[i - 1]**half.
    logs = np.log(shares[1:])
    reached = half * logs + np.log(-np.expm1(-half * np.diff(logs, prepend=-np.inf)))
    ways = gammaln(n + 1) - 2 * gammaln(half + 1)
    factors = np.add.outer(reached, reached[::-1])
    chances = np.exp(np.where(np.tri(n, dtype=bool), -np.inf, ways + factors))
    chances += np.diag(lower_middle - chances.sum(axis=1))
    pairs = np.sqrt(np.outer(ordered, ordered)) if of_ratios else np.add.outer(ordered, ordered) / 2
    return pairs.ravel(), chances.ravel()


def signed_rank_probabilities(differences: ArrayLike, region: float) -> tuple[float, float, float]:
    """Return the probabilities of three cases: the difference is below -`region`, between -`region`
    and `region`, or above `region`. `differences` is an array of shape (n,).

    This is the Bayesian signed-rank test (Benavoli et al. 2014; 2017 sec. 4.2). Each difference d_i
    has a weight w_i, and so does a pseudo-observation at 0. The posterior distribution of the
    weights is a Dirichlet distribution, from which `DRAWS` samples are taken. In each sample, every
    Walsh average (d_i + d_j) / 2 gives w_i w_j votes to the case that contains it. The probability
    of a case is the share of the samples in which it gets the most votes. The random seed is fixed,
    and the differences are sorted, so their order does not matter.
    """
    differences = finite_array("differences", differences, 1)
    differences = differences[np.lexsort((differences, np.abs(differences)))]
    values = np.concatenate([[0.0], differences])
    averages = (values[:, None] + values) / 2
    weights = np.random.default_rng(0).dirichlet([PRIOR, *np.ones(len(values) - 1)], DRAWS)
    sides = averages < -region, np.abs(averages) <= region, averages > region
    votes = [((weights @ side) * weights).sum(axis=1) for side in sides]
    return tuple((np.bincount(np.argmax(votes, axis=0), minlength=3) / DRAWS).tolist())
