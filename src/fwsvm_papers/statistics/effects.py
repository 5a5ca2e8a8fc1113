"""Estimates of the size of a difference over the data sets, with confidence intervals."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from fwsvm_papers.statistics.tests import finite_array, subset_sums

CONFIDENCE = 0.95
RESAMPLES = 9999
# The weight of the pseudo-observation at 0, and the number of random samples from the posterior.
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
    interval of the signed-rank test. `differences` is an array of shape (n,).

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


def bootstrap_estimate(values: ArrayLike) -> Estimate:
    """Return the median of `values`, an array of shape (n,), with its percentile bootstrap
    interval. The random seed is fixed, so equal values give equal intervals.
    """
    values = finite_array("values", values, 1)
    if len(values) < 2:
        return Estimate(float(np.median(values)), -math.inf, math.inf)
    found = stats.bootstrap(
        (values,),
        np.median,
        confidence_level=CONFIDENCE,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return Estimate(float(np.median(values)), float(found.low), float(found.high))


def signed_rank_probabilities(differences: ArrayLike, region: float) -> tuple[float, float, float]:
    """Return the probabilities of three cases: the difference is below -`region`, between -`region`
    and `region`, or above `region`. `differences` is an array of shape (n,).

    This is the Bayesian signed-rank test (Benavoli et al. 2014; 2017 sec. 4.2). Each difference d_i
    has a weight w_i, and so does a pseudo-observation at 0. The posterior distribution of the
    weights is a Dirichlet distribution, from which many samples are taken. In each sample, every
    Walsh average (d_i + d_j) / 2 gives w_i w_j votes to the case that contains it. The probability
    of a case is the share of the samples in which it gets the most votes.
    """
    values = np.concatenate([[0.0], finite_array("differences", differences, 1)])
    averages = (values[:, None] + values) / 2
    weights = np.random.default_rng(0).dirichlet([PRIOR, *np.ones(len(values) - 1)], DRAWS)
    sides = averages < -region, np.abs(averages) <= region, averages > region
    votes = [((weights @ side) * weights).sum(axis=1) for side in sides]
    return tuple((np.bincount(np.argmax(votes, axis=0), minlength=3) / DRAWS).tolist())
