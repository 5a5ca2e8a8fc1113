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
    # both probabilities are far from 2.5 %, so the test is reliable
    assert k == 3 and chances[2:4] == pytest.approx([0.0072, 0.0512], rel=0.02)
    values = np.sort(np.random.default_rng(2).normal(5, 2, size=11))
    found = bootstrap_estimate(values)
    assert (found.value, found.low, found.high) == (values[5], values[k - 1], values[-k])
    assert found == bootstrap_estimate(values)


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
    first, second = np.exp(rng.normal(size=(2, 15)))
    ratio, turned = bootstrap_estimate(first / second), bootstrap_estimate(second / first)
    logs = bootstrap_estimate(np.log(first / second))
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx(
        tuple(np.exp([logs.value, logs.low, logs.high]))
    )
    assert ratio.value == pytest.approx(1 / turned.value) and ratio.low <= ratio.value <= ratio.high
