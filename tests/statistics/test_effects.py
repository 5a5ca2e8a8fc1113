"""Compare effect sizes with three independent computations: inversion of the signed-rank test,
SciPy, and resampling.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fwsvm_papers.statistics.effects import (
    CONFIDENCE,
    bootstrap_estimate,
    hodges_lehmann,
    signed_rank_probabilities,
)


def test_depression_scores_of_hollander_and_wolfe():
    """The expected numbers are those of example 3.1 in the book. The interval there has a
    confidence of 96.1 %.
    """
    first = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    second = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    found = hodges_lehmann(second - first)
    assert found.value == pytest.approx(-0.46, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((-0.786, -0.010), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=6, max_size=14, unique=True))
def test_the_interval_holds_what_the_signed_rank_test_does_not_reject(values):
    differences = np.array(values, dtype=float)
    found = hodges_lehmann(differences)
    averages = np.sort(
        [(a + b) / 2 for a, b in itertools.combinations_with_replacement(differences, 2)]
    )
    # If the shift is between two neighbouring Walsh averages, no two absolute differences are
    # equal. So scipy's exact test can be used.
    for left, right in itertools.pairwise([averages[0] - 2, *averages, averages[-1] + 2]):
        if right - left < 1e-9:
            continue
        shift = (left + right) / 2
        p_value = stats.wilcoxon(differences - shift, method="exact").pvalue
        assert (found.low < shift < found.high) == (p_value > 1 - CONFIDENCE + 1e-12)


def test_the_bootstrap_of_a_median_follows_the_binomial_distribution():
    """If six of 11 draws are at most the k-th value, the median is, too. The number of such draws
    has the distribution Binomial(11, k / 11).
    """
    chances = stats.binom.sf(5, 11, np.arange(12) / 11)
    k = int(np.argmax(chances > 0.025))
    assert k == 3 and chances[2:4] == pytest.approx([0.0072, 0.0512], rel=0.02)
    values = np.sort(np.random.default_rng(2).normal(5, 2, size=11))
    found = bootstrap_estimate(values)
    assert (found.value, found.low, found.high) == (values[5], values[k - 1], values[-k])


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("of_ratios", [False, True])
def test_the_bootstrap_counts_all_samples(n, of_ratios):
    """The expected ends are quantiles of the medians of all n^n bootstrap samples."""
    values = np.array([8.0, 1.0, 3.0, 3.0, 0.25])[:n]
    samples = np.sort(list(itertools.product(values, repeat=n)))
    pairs = samples[:, (n - 1) // 2], samples[:, n // 2]
    medians = np.sort(np.sqrt(pairs[0] * pairs[1]) if of_ratios else (pairs[0] + pairs[1]) / 2)
    at = int(np.ceil(len(medians) * (1 - CONFIDENCE) / 2)) - 1
    found = bootstrap_estimate(values, of_ratios)
    assert (found.low, found.high) == pytest.approx((medians[at], medians[-1 - at]))


@pytest.mark.parametrize("of_ratios", [False, True])
def test_the_bootstrap_of_many_values_is_that_of_random_samples(of_ratios):
    """The ends are compared with those of 4,000 random samples, and with those of a normal
    approximation.
    """
    n = 2000
    values = np.arange(1.0, n + 1)
    found = bootstrap_estimate(values, of_ratios)
    samples = np.random.default_rng(5).choice(values, (4000, n))
    tail = (1 - CONFIDENCE) / 2
    drawn = np.quantile(np.median(samples, axis=1), [tail, 1 - tail])
    normal = (n + 1) / 2 + np.array([-0.5, 0.5]) * np.sqrt(n) * stats.norm.isf(tail)
    assert (found.low, found.high) == pytest.approx(tuple(normal), abs=1)
    assert (found.low, found.high) == pytest.approx(tuple(drawn), abs=4)


@pytest.mark.parametrize("n", [7, 24])
def test_the_order_of_the_values_does_not_matter(n):
    rng = np.random.default_rng(4)
    values = rng.normal(size=n)
    for estimate in (bootstrap_estimate, lambda d: signed_rank_probabilities(d, 0.3)):
        assert estimate(values) == estimate(values[::-1]) == estimate(rng.permutation(values))
    below, equal, above = signed_rank_probabilities(values, 0.3)
    assert signed_rank_probabilities(-values, 0.3) == (above, equal, below)


@given(st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=25))
def test_the_interval_of_reciprocal_ratios_has_reciprocal_ends(ratios):
    found = bootstrap_estimate(ratios, of_ratios=True)
    turned = bootstrap_estimate(1 / np.array(ratios), of_ratios=True)
    assert (1 / turned.high, 1 / turned.low) == pytest.approx((found.low, found.high))


def test_ratios_can_be_zero_or_infinite():
    found = bootstrap_estimate([0.0] * 4 + [2.0] * 4, of_ratios=True)
    assert (found.low, found.high) == (0.0, 2.0)
    found = bootstrap_estimate([2.0] * 4 + [np.inf] * 4, of_ratios=True)
    assert (found.low, found.high) == (2.0, np.inf)


@pytest.mark.parametrize(("difference", "chance"), [(3.0, 0.5**0.25), (1.5, (1 - 0.5**0.5) ** 0.5)])
def test_the_signed_rank_posterior_of_one_difference(difference, chance):
    """The pseudo-observation at 0 has the weight w ~ Beta(1/2, 1), so P(w < x) = x^(1/2).

    If the difference is more than twice the region, "above" wins unless w^2 > 1/2. If it is between
    the region and twice the region, "above" wins if (1 - w)^2 > 1/2.
    """
    below, equal, above = signed_rank_probabilities([difference], 1.0)
    assert (below, equal, above) == pytest.approx((0, 1 - chance, chance), abs=0.015)
    assert signed_rank_probabilities([-difference], 1.0) == (above, equal, below)


def test_ratios_and_their_logarithms_agree():
    rng = np.random.default_rng(3)
    for n in (15, 16):
        first, second = np.exp(rng.normal(size=(2, n)))
        ratio = bootstrap_estimate(first / second, of_ratios=True)
        logs = bootstrap_estimate(np.log(first / second))
        assert (ratio.low, ratio.high) == pytest.approx(tuple(np.exp([logs.low, logs.high])))
        assert ratio.low <= ratio.value <= ratio.high
