"""A small random part of a prepared data set, for smoke runs."""

import numpy as np

from fwsvm.base.errors import ConfigError

LEAST_PER_CLASS = 2


def subset_rows(name, y_train, y_test, subset):
    """Rows of both parts that a subset keeps, ascending.

    Each class gets its share of the points, rounded, and in the training part two at least; the draw depends
    on the seed of the subset only.

    Parameters
    ----------
    name : str
        Of the data set, for messages.
    y_train, y_test : int64 ndarrays of class codes
    subset : dict
        ``train`` and ``test``: the largest number of points (a part not named is kept whole); ``seed``.

    Returns
    -------
    rows_train, rows_test : ndarrays

    Raises
    ------
    ConfigError
        A key is unknown, or a number is too small for the classes.
    """
    unknown = set(subset) - {"train", "test", "seed"}
    if unknown:
        raise ConfigError(f"{name}: subset: unknown key {min(unknown)!r}; known: train, test, seed")
    rng = np.random.default_rng(subset.get("seed", 0))
    least = LEAST_PER_CLASS * len(np.unique(y_train))
    rows = []
    for part, y, least_rows, per_class in (("train", y_train, least, LEAST_PER_CLASS), ("test", y_test, 1, 0)):
        size = subset.get(part, len(y))
        if size < min(least_rows, len(y)):
            raise ConfigError(f"{name}: subset: {part} is {size}; at least {least_rows} points are needed")
        rows.append(_draw(y, min(size, len(y)), per_class, rng))
    return tuple(rows)


def _draw(y, size, per_class, rng):
    counts = np.bincount(y)
    quota = np.minimum(counts, np.maximum(np.round(size * counts / len(y)).astype(int), per_class))
    while quota.sum() > size:
        quota[np.argmax(quota)] -= 1
    while quota.sum() < size:
        quota[np.argmax(counts - quota)] += 1
    chosen = [rng.permutation(np.flatnonzero(y == code))[: quota[code]] for code in range(len(counts))]
    return np.sort(np.concatenate(chosen))
