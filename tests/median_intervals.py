"""A 95 % interval of a median, for the tests of findings. It uses no code of the project."""

import numpy as np

CONFIDENCE = 95
SAMPLES = 100_000  # with 10,000 samples, an end can be the next larger or smaller median


def interval(ratios):
    """Return the ends of the percentile bootstrap interval of the median ratio.

    A bootstrap sample has as many data sets as `ratios`. If this number is even, the median of the
    sample is the geometric mean of two ratios.
    """
    logs = np.log(np.asarray(ratios, float))
    drawn = np.random.default_rng(0).integers(len(logs), size=(SAMPLES, len(logs)))
    tail = (100 - CONFIDENCE) / 2
    return np.exp(np.percentile(np.median(logs[drawn], axis=1), [tail, 100 - tail]))


def is_tie(ratios):
    """Return whether the interval of the median ratio contains 1."""
    low, high = interval(ratios)
    return low < 1 < high
