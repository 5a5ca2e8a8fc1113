"""What is left of a grid by default still has every pair of values."""

from itertools import combinations, product

import pytest
from grids import pairwise_covering


@pytest.mark.parametrize("sizes", [(4,), (3, 2), (6, 3, 2, 3), (5, 4, 2)])
def test_every_two_values_meet(sizes):
    chosen = pairwise_covering(sizes)
    for one, other in combinations(range(len(sizes)), 2):
        met = {(places[one], places[other]) for places in chosen}
        assert met == set(product(range(sizes[one]), range(sizes[other])))
    assert len(set(chosen)) == len(chosen) <= 1.5 * (sizes[0] * sorted(sizes)[-2] if len(sizes) > 1 else sizes[0])
