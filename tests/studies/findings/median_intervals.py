"""A 95 % interval of a median, for the tests of findings. It uses no code of the project."""

import numpy as np
from scipy.stats import bootstrap

CONFIDENCE = 95
SAMPLES = 100_000  # with 10,000 samples, an end can be the next larger or smaller median


def interval(ratios):
    """Return the ends of the percentile bootstrap interval of the median ratio.

    A bootstrap sample has as many data sets as `ratios`. If this number is even, the median of the
    sample is the geometric mean of two ratios.
    """
    found = bootstrap(
        (np.log(np.asarray(ratios, float)),),
        np.median,
        n_resamples=SAMPLES,
        confidence_level=CONFIDENCE / 100,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    return np.exp(found.confidence_interval)


def is_tie(ratios):
    """Return whether the interval of the median ratio contains 1."""
    low, high = interval(ratios)
    return low < 1 < high
