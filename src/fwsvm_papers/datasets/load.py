"""Functions that read the raw files of a data set, or generate the data set, and that compare its
sizes with the entry.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from fwsvm.inputs.data_files import read_libsvm
from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm_papers.datasets import openml
from fwsvm_papers.datasets.builders import BUILDERS
from fwsvm_papers.datasets.builders.nested import complement
from fwsvm_papers.datasets.entries import LABEL_FILES
from fwsvm_papers.datasets.generators import generate
from fwsvm_papers.datasets.idx_files import read_idx
from fwsvm_papers.datasets.labels import encode, positive_against_rest, refuse_measurements
from fwsvm_papers.datasets.splits import divided
from fwsvm_papers.datasets.storage import Built
from fwsvm_papers.datasets.tables import read_table
from fwsvm_papers.datasets.text_values import as_numbers

if TYPE_CHECKING:
    from pathlib import Path

    from fwsvm_papers.datasets.entries import DatasetEntry, Source
    from fwsvm_papers.datasets.storage import Points

_SPLIT_REMEDY = {
    "fraction": "; write stratify: true in the entry's split, or use another seed",
    "file": "; correct this label in the test file, or remove its points",
}


def load_checked(
    entry: DatasetEntry, paths: dict[str, Path]
) -> tuple[Built, list, np.ndarray, np.ndarray]:
    """Load both parts with `load_parts`, encode the classes, and check all sizes against the entry.

    Return four things: the points of both parts as a `Built`, the list of classes, and two arrays.
    The first array has the index of the class of each training point, and the second array has the
    same for the test points.
    """
    parts = load_parts(entry, paths)
    X_test, y_train, y_test = parts.X_test, parts.y_train, parts.y_test
    assert X_test is not None and y_test is not None  # `load_parts` returns both parts
    for part, X in (("training", parts.X_train), ("test", X_test)):
        if X.shape[1] == 0 or entry.features not in (None, X.shape[1]):
            right = f", not {entry.features}" if entry.features else ""
            raise DataError(
                f"{entry.name}: the {part} part has {X.shape[1] or 'no'} features{right}"
            )
    if entry.positive:
        y_train, y_test = positive_against_rest(entry.name, y_train, y_test, entry.positive)
    refuse_measurements(entry, y_train)
    remedy = _SPLIT_REMEDY.get(entry.split.kind, "")
    classes, y_train, y_test = encode(entry.name, y_train, y_test, remedy)
    _check_expected(entry, len(y_train), len(y_test), len(classes))
    return parts, classes, y_train, y_test


def load_parts(entry: DatasetEntry, paths: dict[str, Path]) -> Built:
    """Load both parts of a data set as a `Built`. `paths` maps roles, such as "train", to paths."""
    source, split = entry.source, entry.split
    if source.builder:
        return _build(source.builder, entry, paths)
    if split.test == "file":
        (X, y), (X_test, y_test) = read_files(entry, paths, ["train", "test"])
        return Built(X, y, X_test, y_test)
    if split.complement_of:
        (X_whole, y_whole), (X, y) = read_files(entry, paths, ["whole", "train"])
        kept = complement(X_whole, y_whole, X, y, paths["train"], paths["whole"])
        return Built(X, y, X_whole[kept], y_whole[kept])
    if source.kind == "files":
        X, y = read_files(entry, paths, ["train"])[0]
    elif source.openml:
        X, y = openml.read_table(paths["train"], source.openml)
    elif source.kind == "generator":
        X, y = _draw(source, source.size, 0)
    else:
        import sklearn.datasets

        X, y = getattr(sklearn.datasets, f"load_{source.sklearn}")(return_X_y=True)
    if split.fraction:
        return divided(X, y, entry, split.fraction)
    return Built(X, y, *_draw(source, split.test_size, 1))


def read_files(
    entry: DatasetEntry, paths: dict[str, Path], roles: list[str]
) -> list[tuple[Points, np.ndarray]]:
    """Read the files of the given roles, and return a list with a pair (X, y) for each role.

    All X have the same number of features, and all y have the same type.
    """
    source, columns = entry.source, None
    points, labels = [], []
    for role in roles:
        if source.csv:
            X, y, columns = read_table(paths[role], columns, **source.csv.model_dump())
        elif source.format == "idx":
            X, y = read_idx(paths[role], paths[LABEL_FILES[role]], entry.features)
        else:
            X, y = read_libsvm(paths[role], entry.features)
        points.append(X)
        labels.append(y)
    widths = [X.shape[1] for X in points]
    # If the entry does not give `features`, two LIBSVM files can have different numbers of
    # features, since this number is the largest index in a file.
    if source.format == "libsvm":
        for X in points:
            X.resize(X.shape[0], max(widths))
    elif len(set(widths)) > 1:
        raise DataError(
            f"{entry.name}: points have {widths[0]} values in one file, but {widths[1]} in another"
        )
    if source.csv:  # only the labels of text tables can be texts
        labels = as_numbers(*labels, where=f"{entry.name}: ")
    return list(zip(points, labels, strict=True))


def _build(builder: str, entry: DatasetEntry, paths: dict[str, Path]) -> Built:
    built = BUILDERS[builder](**paths, **entry.source.parameters)
    fraction = entry.split.fraction
    if bool(fraction) != (built.X_test is None):
        right = "the keys 'fraction' and 'seed'" if built.X_test is None else "'test: builder'"
        raise ConfigError(
            f"{entry.name}.split: use {right} for the files given to the builder {builder}"
        )
    parts = divided(built.X_train, built.y_train, entry, fraction) if fraction else built
    return dataclasses.replace(parts, facts=built.facts | unseen(parts.X_train, parts.X_test))


def _draw(source: Source, size: int | None, stream: int) -> tuple[np.ndarray, np.ndarray]:
    generator, seed = source.generator, source.seed
    assert generator is not None  # this is only called for sources with a generator
    if size is None or seed is None:
        raise ConfigError(f"generator {generator}: size and seed must be numbers, not null")
    return generate(generator, size, np.random.default_rng([seed, stream]), source.parameters)


def unseen(X_train: Points, X_test: Points) -> dict[str, int]:
    """Return a dict with two counts. The first is the number of features that are zero in all
    training points. The second is the number of test points in which one of these features is
    nonzero.
    """
    X_train, X_test = (scipy.sparse.csr_matrix(X) for X in (X_train, X_test))
    empty = X_train.getnnz(axis=0) == 0
    return {
        "features_empty_in_training": int(empty.sum()),
        "test_points_with_such_a_feature": int(np.count_nonzero(X_test[:, empty].getnnz(axis=1))),
    }


def _check_expected(entry: DatasetEntry, m: int, t: int, K: int) -> None:
    for key, size in {"train": m, "test": t, "classes": K}.items():
        if (expected := getattr(entry.expected, key)) not in (None, size):
            raise DataError(
                f"{entry.name}.expected.{key}: the catalogue has {expected}, but the data have"
                f" {size}"
            )
    if entry.task not in (None, "binary" if K == 2 else "multiclass"):
        raise DataError(
            f"{entry.name}: the catalogue says 'task: {entry.task}', but the data have {K} classes"
        )
