"""Grids of parameters: pairs by default, every combination under the mark `exhaustive`."""

from itertools import combinations, product

import pytest


def pairwise_covering(sizes):
    """Combinations of places in axes of these sizes in which each two values of two axes meet at
    least once.

    Greedy: the next one is the first that has most pairs that have not met (about the product of
    the two largest axes).
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
    """Parametrize a test over a grid; by default only a pairwise covering is run.

    Parameters
    ----------
    **axes : iterable
        Argument of the test -> its values; a mapping's keys name its values.
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
    """Cases of `pytest.mark.parametrize`: each `every`-th by default, the others under the mark
    `exhaustive`.

    A tuple is a value for each of several arguments.
    """
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            id="-".join(map(str, value)) if isinstance(value, tuple) else str(value),
            marks=pytest.mark.exhaustive if place % every else (),
        )
        for place, value in enumerate(values)
    ]
