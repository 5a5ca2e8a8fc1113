"""From an entry to its raw points: read or draw them, and divide them into a training and a test part."""

import dataclasses
import math

import numpy as np
import scipy.sparse

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.datasets.builders import build
from fwsvm.datasets.builders.complement import complement
from fwsvm.datasets.entries import BuiltSource, ComplementOf, FileSource, GeneratedSource, RandomFraction, SeparateFile
from fwsvm.datasets.generators import generate
from fwsvm.datasets.reading import read_files

_TRAIN_STREAM, _TEST_STREAM = 0, 1


@dataclasses.dataclass(frozen=True)
class Parts:
    """Points and labels as the source has them: X dense or CSR of shape (m, n), y the original labels.

    `facts`: what a builder found out, for `meta.json`.
    """

    X_train: np.ndarray | scipy.sparse.csr_matrix
    y_train: np.ndarray
    X_test: np.ndarray | scipy.sparse.csr_matrix
    y_test: np.ndarray
    facts: dict = dataclasses.field(default_factory=dict)


def load_parts(entry, paths):
    """The two parts of a data set.

    Parameters
    ----------
    entry : DatasetEntry
    paths : dict of str to path
        Where the raw files lie, by role (as `fwsvm.datasets.entries.required_files`).

    Returns
    -------
    Parts

    Raises
    ------
    DataError
        A file cannot be used, or the split leaves a part empty.
    """
    if isinstance(entry.source, BuiltSource):
        return _build(entry, paths)
    if isinstance(entry.split, SeparateFile):
        (X, y), (X_test, y_test) = read_files(entry, paths, ["train", "test"])
        return Parts(X, y, X_test, y_test)
    if isinstance(entry.split, ComplementOf):
        (X_whole, y_whole), (X, y) = read_files(entry, paths, ["whole", "train"])
        kept = complement(X_whole, y_whole, X, y, f"{paths['train']}", f"{paths['whole']}")
        return Parts(X, y, X_whole[kept], y_whole[kept])
    X, y = _load_points(entry, paths)
    if isinstance(entry.split, RandomFraction):
        return _divided(X, y, entry)
    return Parts(X, y, *_draw(entry.source, entry.split.size, _TEST_STREAM))


def _build(entry, paths):
    source = entry.source
    built = build(source.builder, paths, source.parameters)
    if not isinstance(entry.split, RandomFraction):
        if built.X_test is None:
            what = f"the builder {source.builder} makes no test part of these files; use 'fraction' and 'seed'"
            raise ConfigError(f"{entry.name}.split: {what}")
        parts = Parts(built.X_train, built.y_train, built.X_test, built.y_test)
    elif built.X_test is not None:
        raise ConfigError(f"{entry.name}.split: the builder {source.builder} makes both parts; use 'test: builder'")
    else:
        parts = _divided(built.X_train, built.y_train, entry)
    return dataclasses.replace(parts, facts=built.facts | unseen(parts.X_train, parts.X_test))


def _divided(X, y, entry):
    in_test = random_fraction(len(y), entry.split.fraction, entry.split.seed, entry.name)
    return Parts(X[~in_test], y[~in_test], X[in_test], y[in_test])


def unseen(X_train, X_test):
    """Number of features that are zero in all training points, and of test points where one is not."""
    X_train, X_test = (scipy.sparse.csr_matrix(X) for X in (X_train, X_test))
    empty = np.ones(X_train.shape[1], dtype=bool)
    empty[X_train.indices] = False
    places = np.flatnonzero(empty[X_test.indices])
    return {
        "features_empty_in_training": int(empty.sum()),
        "test_points_with_such_a_feature": len(np.unique(np.searchsorted(X_test.indptr, places, side="right"))),
    }


def random_fraction(rows, fraction, seed, name):
    """Boolean mask of the ceil(fraction * rows) rows that make the test part."""
    size = math.ceil(fraction * rows)
    if not 0 < size < rows:
        raise DataError(f"{name}: a test fraction of {fraction} leaves nothing of {rows} rows for training")
    in_test = np.zeros(rows, dtype=bool)
    in_test[np.random.default_rng(seed).permutation(rows)[:size]] = True
    return in_test


def _load_points(entry, paths):
    source = entry.source
    if isinstance(source, FileSource):
        return read_files(entry, paths, ["train"])[0]
    if isinstance(source, GeneratedSource):
        return _draw(source, source.size, _TRAIN_STREAM)
    import sklearn.datasets

    return getattr(sklearn.datasets, f"load_{source.sklearn}")(return_X_y=True)


def _draw(source, size, stream):
    return generate(source.generator, size, np.random.default_rng([source.seed, stream]), source.parameters)
