"""How large a difference is: estimates over data sets, with intervals."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from fwsvm.statistics.tests import finite_array

CONFIDENCE = 0.95
RESAMPLES = 9999


@dataclass(frozen=True)
class Estimate:
    """A number and its confidence interval; `low` and `high` are infinite if the sample is too small."""

    value: float
    low: float
    high: float
    n: int


def hodges_lehmann(differences):
    """Hodges-Lehmann estimate of the centre of paired differences, with the interval of the signed-rank test.

    The estimate is the median of the n (n + 1) / 2 Walsh averages (d_i + d_j) / 2, i <= j. The interval holds the
    shifts that the test does not reject. Its ends are two of the averages, counted from either end by the exact null
    distribution of W+ without ties (Hollander and Wolfe 1999 sec. 3.2 and 3.3).
    """
    differences = finite_array("differences", differences, 1)
    n = len(differences)
    first, second = np.triu_indices(n)
    averages = np.sort((differences[first] + differences[second]) / 2)
    # The distribution of W+ under H0: sums of random subsets of 1..n.
    mass = np.zeros(len(averages) + 1)
    mass[0] = 1.0
    for rank in range(1, n + 1):
        mass *= 0.5
        mass[rank:] += mass[:-rank].copy()
    left_out = int(np.searchsorted(np.cumsum(mass), (1 - CONFIDENCE) / 2, side="right"))
    low, high = (averages[left_out - 1], averages[-left_out]) if left_out else (-math.inf, math.inf)
    return Estimate(float(np.median(averages)), float(low), float(high), n)


def bootstrap_estimate(values):
    """Median of a sample with its percentile bootstrap interval; the same sample gives the same interval."""
    values = finite_array("values", values, 1)
    if len(values) < 2:
        return Estimate(float(np.median(values)), -math.inf, math.inf, len(values))
    found = stats.bootstrap(
        (values,), np.median, confidence_level=CONFIDENCE, n_resamples=RESAMPLES, method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    return Estimate(float(np.median(values)), float(found.low), float(found.high), len(values))


def median_ratio(numerators, denominators):
    """Median ratio of two positive paired measures, with its bootstrap interval."""
    numerators, denominators = finite_array("numerators", numerators, 1), finite_array("denominators", denominators, 1)
    if len(numerators) != len(denominators):
        raise ValueError(f"denominators: has {len(denominators)} values but numerators has {len(numerators)}")
    for name, values in (("numerators", numerators), ("denominators", denominators)):
        if not (values > 0).all():
            raise ValueError(f"{name}: every value must be positive")
    return bootstrap_estimate(numerators / denominators)
