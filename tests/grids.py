"""Grids of parameters for tests.

By default, tests use combinations that contain all pairs of values. With the mark `exhaustive`,
they use all combinations.
"""

from itertools import combinations, product

import pytest


def pairwise_covering(sizes):
    """Return combinations of indices, with one index for each axis. Every two values of two axes
    occur together in at least one combination.

    The algorithm is greedy: the next combination is the first one with the most new pairs. The
    number of combinations is about the product of the two largest sizes.
    """
    grid = list(product(*map(range, sizes)))
    left, chosen = {pair for places in grid for pair in _pairs(places)}, []
    while left:
        best = max(grid, key=lambda places: len(left.intersection(_pairs(places))))
        chosen.append(best)
        left.difference_update(_pairs(best))
    return chosen


def _pairs(places):
    return combinations(enumerate(places), min(2, len(places)))


def parametrize_pairwise(**axes):
    """Parametrize a test over a grid. By default, only a pairwise covering is run.

    Parameters
    ----------
    **axes : iterable
        The values of each argument of the test. If they are a mapping, its keys are their names.
    """
    names = [
        list(values)
        if isinstance(values, dict)
        else [str(getattr(value, "__name__", value)) for value in values]
        for values in axes.values()
    ]
    values = [
        list(axis.values()) if isinstance(axis, dict) else list(axis) for axis in axes.values()
    ]
    chosen = set(pairwise_covering([len(axis) for axis in values]))
    cases = [
        pytest.param(
            *(axis[place] for axis, place in zip(values, places, strict=True)),
            id="-".join(axis[place] for axis, place in zip(names, places, strict=True)),
            marks=() if places in chosen else pytest.mark.exhaustive,
        )
        for places in product(*(range(len(axis)) for axis in values))
    ]
    return pytest.mark.parametrize(list(axes), cases)


def thinned(values, every):
    """Return cases for `pytest.mark.parametrize`.

    Only one of every `every` cases runs by default. The others have the mark `exhaustive`. If a
    case is a tuple, it has a value for each of several arguments.
    """
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            id="-".join(map(str, value)) if isinstance(value, tuple) else str(value),
            marks=pytest.mark.exhaustive if place % every else (),
        )
        for place, value in enumerate(values)
    ]
