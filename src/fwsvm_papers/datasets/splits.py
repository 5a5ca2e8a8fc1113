"""Functions that choose rows at random, for the test part of a data set and for subsets."""

from __future__ import annotations

import logging
import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm_papers.datasets.labels import as_integers, listed, refuse_measurements
from fwsvm_papers.datasets.storage import Built

if TYPE_CHECKING:
    from fwsvm_papers.datasets.entries import DatasetEntry
    from fwsvm_papers.datasets.storage import Points

LEAST_PER_CLASS = 2
_LOG = logging.getLogger(__name__)


def divided(X: Points, y: np.ndarray, entry: DatasetEntry, fraction: float) -> Built:
    """Return a `Built` with the rows split at random into a training and a test part.

    `fraction` is the share of test rows. Their number is rounded up.
    """
    rows = len(y)
    # The product is computed with the decimal number of the entry, which `str` gives. In floating
    # point, 0.07 * 100 is above 7, so the result would be rounded up to 8.
    size = math.ceil(Fraction(str(fraction)) * rows)
    if not 0 < size < rows:
        raise DataError(
            f"{entry.name}: a test fraction of {fraction} leaves none of the {rows} rows for"
            " training"
        )
    rng = np.random.default_rng(entry.split.seed)
    in_test = np.zeros(rows, dtype=bool)
    in_test[
        _stratified(y, size, entry, rng) if entry.split.stratify else rng.permutation(rows)[:size]
    ] = True
    return Built(X[~in_test], y[~in_test], X[in_test], y[in_test])


def _stratified(
    y: np.ndarray, size: int, entry: DatasetEntry, rng: np.random.Generator
) -> np.ndarray:
    """Return the indices of `size` test rows, chosen at random.

    Each class has about the same share of the test rows as of all rows. At least one row of each
    class remains for training.
    """
    if entry.positive:
        y = np.where(np.isin(y, entry.positive), 1, -1)
    else:
        refuse_measurements(entry, y)
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if size > len(y) - len(classes):
        raise DataError(
            f"{entry.name}: a test fraction of {entry.split.fraction} leaves {len(y) - size} of"
            f" {len(y)} rows for training, fewer than the {len(classes)} classes; use a smaller"
            " fraction"
        )
    if len(single := as_integers(classes[counts == 1])):
        _LOG.warning(
            "%s: some classes have only one row (%s). This row is used for training, so the test"
            " part has no rows of these classes",
            entry.name,
            listed(single),
        )
    share = size * counts / len(y)
    quota = np.minimum(np.floor(share).astype(int), counts - 1)
    while quota.sum() < size:  # add a row of the class with the largest remainder
        quota[np.argmax(np.where(quota < counts - 1, share - quota, -np.inf))] += 1
    return _draw_from_classes(codes, quota, rng)


def subset_rows(
    name: str, y_train: np.ndarray, y_test: np.ndarray, subset: dict[str, int]
) -> tuple[np.ndarray, ...]:
    """Return two arrays with the indices of the rows in the subset, in ascending order. The first
    array is for the training part, and the second is for the test part.

    `y_train` (m,) and `y_test` (t,) have the index of the class of each point, counted from 0.

    `subset` can have the sizes ``train`` and ``test`` (default: all rows of the part), and the
    ``seed`` (default: 0). Each class has about the same share as in all rows of the part, but at
    least `LEAST_PER_CLASS` training points (or all, if it has fewer). If a size is too small, raise
    a ConfigError.
    """
    rng = np.random.default_rng(subset.get("seed", 0))
    least = LEAST_PER_CLASS * len(np.unique(y_train))
    rows = []
    for part, y, least_rows, per_class in (
        ("train", y_train, least, LEAST_PER_CLASS),
        ("test", y_test, 1, 0),
    ):
        size = subset.get(part, len(y))
        if size < min(least_rows, len(y)):
            raise ConfigError(
                f"{name}: subset: {part} is {size}, but at least {least_rows} points are needed"
            )
        rows.append(_draw_by_class(y, min(size, len(y)), per_class, rng))
    return tuple(rows)


def _draw_by_class(
    y: np.ndarray, size: int, per_class: int, rng: np.random.Generator
) -> np.ndarray:
    counts = np.bincount(y)
    quota = np.minimum(counts, np.maximum(np.round(size * counts / len(y)).astype(int), per_class))
    while quota.sum() > size:
        quota[np.argmax(quota)] -= 1
    while quota.sum() < size:
        quota[np.argmax(counts - quota)] += 1
    return np.sort(_draw_from_classes(y, quota, rng))


def _draw_from_classes(y: np.ndarray, quota: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the indices of random rows: for each class index `code`, `quota[code]` rows of this
    class.
    """
    chosen = [
        rng.permutation(np.flatnonzero(y == code))[:count] for code, count in enumerate(quota)
    ]
    return np.concatenate(chosen)
