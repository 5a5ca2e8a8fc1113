"""From an entry to its points: read, draw or build them, divide them, encode the classes, take a subset."""

import dataclasses
import math

import numpy as np
import scipy.sparse

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.base.ranges import check_labels
from fwsvm.datasets.builders import BUILDERS, Built
from fwsvm.datasets.builders.nested import complement
from fwsvm.datasets.csv_format import as_numbers, read_table
from fwsvm.datasets.entries import LABEL_FILES
from fwsvm.datasets.formats import read_idx, read_libsvm
from fwsvm.datasets.generators import generate

REST, POSITIVE = -1, 1
LEAST_PER_CLASS = 2
_TRAIN_STREAM, _TEST_STREAM = 0, 1


def load_parts(entry, paths):
    """The two parts of a data set as `Built`, from its raw files (role -> path)."""
    source, split = entry.source, entry.split
    if source.kind == "builder":
        return _build(entry, paths)
    if split.test == "file":
        (X, y), (X_test, y_test) = read_files(entry, paths, ["train", "test"])
        return Built(X, y, X_test, y_test)
    if split.complement_of:
        (X_whole, y_whole), (X, y) = read_files(entry, paths, ["whole", "train"])
        kept = complement(X_whole, y_whole, X, y, paths["train"], paths["whole"])
        return Built(X, y, X_whole[kept], y_whole[kept])
    if source.kind == "files":
        X, y = read_files(entry, paths, ["train"])[0]
    elif source.kind == "generator":
        X, y = _draw(source, source.size, _TRAIN_STREAM)
    else:
        import sklearn.datasets

        X, y = getattr(sklearn.datasets, f"load_{source.sklearn}")(return_X_y=True)
    if split.fraction:
        return _divided(X, y, entry)
    return Built(X, y, *_draw(source, split.test_size, _TEST_STREAM))


def _draw(source, size, stream):
    return generate(source.generator, size, np.random.default_rng([source.seed, stream]), source.parameters)


def _build(entry, paths):
    source = entry.source
    built = BUILDERS[source.builder](**paths, **source.parameters)
    if bool(entry.split.fraction) != (built.X_test is None):
        right = "one part; use 'fraction' and 'seed'" if built.X_test is None else "both parts; use 'test: builder'"
        raise ConfigError(f"{entry.name}.split: the builder {source.builder} makes {right}")
    parts = _divided(built.X_train, built.y_train, entry) if built.X_test is None else built
    return dataclasses.replace(parts, facts=built.facts | unseen(parts.X_train, parts.X_test))


def unseen(X_train, X_test):
    """How many features are zero in all training points, and how many test points have such a feature."""
    X_train, X_test = (scipy.sparse.csr_matrix(X) for X in (X_train, X_test))
    empty = np.ones(X_train.shape[1], dtype=bool)
    empty[X_train.indices] = False
    places = np.flatnonzero(empty[X_test.indices])
    return {
        "features_empty_in_training": int(empty.sum()),
        "test_points_with_such_a_feature": len(np.unique(np.searchsorted(X_test.indptr, places, side="right"))),
    }


def _divided(X, y, entry):
    """ceil(fraction * rows) random rows are the test part."""
    rows, fraction = len(y), entry.split.fraction
    size = math.ceil(fraction * rows)
    if not 0 < size < rows:
        raise DataError(f"{entry.name}: a test fraction of {fraction} leaves nothing of {rows} rows for training")
    in_test = np.zeros(rows, dtype=bool)
    in_test[np.random.default_rng(entry.split.seed).permutation(rows)[:size]] = True
    return Built(X[~in_test], y[~in_test], X[in_test], y[in_test])


def read_files(entry, paths, roles):
    """[(X, y)] of files that belong together: of the same width, all labels numbers or all text."""
    points, labels, columns = [], [], None
    for role in roles:
        match entry.source.format:
            case "libsvm":
                X, y = read_libsvm(paths[role], entry.features)
            case "idx":
                X, y = read_idx(paths[role], paths[LABEL_FILES[role]], entry.features)
            case "csv":
                X, y, columns = read_table(paths[role], columns, **entry.source.csv.model_dump())
        points.append(X)
        labels.append(y)
    # Without `features` in the entry, LIBSVM files may end at different largest indices.
    width = max(X.shape[1] for X in points)
    for X in points:
        if X.shape[1] < width and entry.source.format != "libsvm":
            raise DataError(f"{entry.name}: points of {X.shape[1]} values in one file and of {width} in another")
        if X.shape[1] < width:
            X.resize(X.shape[0], width)
    return list(zip(points, as_numbers(*labels), strict=True))


def positive_against_rest(name, labels_train, labels_test, positive):
    """Labels +1 for the `positive` classes and -1 for all others, in both parts."""
    classes = np.unique(labels_train).tolist()
    for label in positive:
        if label not in classes:
            known = ", ".join(map(show, classes[:30])) + (", ..." if len(classes) > 30 else "")
            raise DataError(f"{name}: positive: no training point is of class {show(label)}; classes: {known}")
    if len(set(positive)) == len(classes):
        raise DataError(f"{name}: positive: these are all classes; leave at least one out")
    chosen = np.array(positive, dtype=labels_train.dtype)
    return tuple(np.where(np.isin(labels, chosen), POSITIVE, REST) for labels in (labels_train, labels_test))


def encode(name, labels_train, labels_test):
    """Class labels in ascending order (integers where they are whole numbers), and both parts as codes."""
    classes, y_train = np.unique(labels_train, return_inverse=True)
    if len(classes) < 2:
        raise DataError(f"{name}: all training points are of class {show(classes[0])}; two are needed")
    unknown = np.setdiff1d(labels_test, classes)
    if len(unknown):
        shown = ", ".join(show(label) for label in unknown[:5])
        raise DataError(f"{name}: no training point is of class {shown}, which the test part has")
    y_test = np.searchsorted(classes, labels_test)
    check_labels(classes, f"{name}:", DataError)
    if classes.dtype.kind != "U" and np.all(classes == np.round(classes)):
        classes = classes.astype(np.int64)
    return classes.tolist(), y_train.astype(np.int64), y_test.astype(np.int64)


def show(label):
    """A label as messages print it."""
    return repr(str(label)) if isinstance(label, str) else f"{label:g}"


def subset_rows(name, y_train, y_test, subset):
    """Rows of both parts that a subset keeps, ascending.

    `subset`: ``train`` and ``test``, the largest number of points (a part that is not named is kept whole), and
    ``seed``. Each class gets its share of the points, rounded, and in the training part at least two.
    """
    if unknown := set(subset) - {"train", "test", "seed"}:
        raise ConfigError(f"{name}: subset: unknown key {min(unknown)!r}; known: train, test, seed")
    rng = np.random.default_rng(subset.get("seed", 0))
    least = LEAST_PER_CLASS * len(np.unique(y_train))
    rows = []
    for part, y, least_rows, per_class in (("train", y_train, least, LEAST_PER_CLASS), ("test", y_test, 1, 0)):
        size = subset.get(part, len(y))
        if size < min(least_rows, len(y)):
            raise ConfigError(f"{name}: subset: {part} is {size}; at least {least_rows} points are needed")
        rows.append(_draw_by_class(y, min(size, len(y)), per_class, rng))
    return tuple(rows)


def _draw_by_class(y, size, per_class, rng):
    counts = np.bincount(y)
    quota = np.minimum(counts, np.maximum(np.round(size * counts / len(y)).astype(int), per_class))
    while quota.sum() > size:
        quota[np.argmax(quota)] -= 1
    while quota.sum() < size:
        quota[np.argmax(counts - quota)] += 1
    chosen = [rng.permutation(np.flatnonzero(y == code))[: quota[code]] for code in range(len(counts))]
    return np.sort(np.concatenate(chosen))
