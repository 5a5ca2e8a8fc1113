"""Test samples: uniform draws with and without replacement, alternating classes, and points that
must not be drawn.
"""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from fwsvm.solvers.sampling import NOBODY, draw, new_sampler
from fwsvm.solvers.settings import Selection

LABELS = np.where(np.arange(50) % 5 == 0, 1.0, -1.0)  # 10 points are positive, and 40 are negative
IMPOSSIBLE = 1e-4


def sampler_of(size, alternate, replace, labels=LABELS, seed=0):
    selection = Selection("one", True, size, alternate=alternate, replacement=replace)
    return new_sampler(labels, selection, np.random.default_rng(seed))


def samples(sampler, n, rejected=NOBODY):
    """Return copies of n samples."""
    return [sampler.sample[: draw(sampler, rejected)].copy() for _ in range(n)]


def test_without_replacement_all_ordered_samples_are_equally_likely():
    drawn = [tuple(sample) for sample in samples(sampler_of(3, False, False, LABELS[:5]), 20000)]
    every = list(permutations(range(5), 3))
    assert set(drawn) == set(every)
    assert chisquare([drawn.count(sample) for sample in every]).pvalue > IMPOSSIBLE


@pytest.mark.parametrize("n_positive", [1, 3, 25, 997])
def test_alternating_classes_are_drawn_in_equal_numbers(n_positive):
    labels = np.full(1000, -1.0)
    labels[np.random.default_rng(0).choice(1000, n_positive, replace=False)] = 1.0
    for sample in samples(sampler_of(60, True, True, labels), 100):
        np.testing.assert_array_equal(labels[sample], np.tile([1.0, -1.0], 30))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_alternating_without_replacement_goes_on_with_the_larger_class(sign):
    labels = sign * LABELS
    for sample in samples(sampler_of(30, True, False, labels), 100):
        assert len(set(sample)) == 30
        assert np.count_nonzero(labels[sample] == sign) == 10
        pairs = labels[sample][:20].reshape(10, 2)
        np.testing.assert_array_equal(pairs, np.tile([1.0, -1.0], (10, 1)))


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("label", [1.0, -1.0])
def test_an_empty_class_leaves_the_other(label, replace):
    labels = np.full(30, label)
    drawn = samples(sampler_of(20, True, replace, labels), 300)
    assert {len(sample) for sample in drawn} == {20}
    assert chisquare(np.bincount(np.concatenate(drawn), minlength=30)).pvalue > IMPOSSIBLE


@pytest.mark.parametrize("alternate", [True, False])
@pytest.mark.parametrize("replace", [True, False])
def test_rejected_points_are_never_drawn_and_the_others_evenly(replace, alternate):
    rejected, positions = np.arange(0, 50, 2), np.where(np.arange(50) % 2, -1, np.arange(50) // 2)
    drawn = samples(sampler_of(20, alternate, replace), 2000, positions)
    counts = np.bincount(np.concatenate(drawn), minlength=50)
    assert counts[rejected].sum() == 0
    free = np.setdiff1d(np.arange(50), rejected)
    classes = [free[LABELS[free] > 0], free[LABELS[free] < 0]] if alternate else [free]
    for members in classes:
        assert chisquare(counts[members]).pvalue > IMPOSSIBLE
    if replace:
        assert {len(sample) for sample in drawn} == {20}
