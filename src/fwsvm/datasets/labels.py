"""Class labels: numbers or text as a file has them, then codes 0..K-1."""

import re

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.base.ranges import check_labels

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
REST, POSITIVE = -1, 1


def number_or_none(text):
    """The finite number a text stands for, or None."""
    value = float(text) if NUMBER.fullmatch(text) else np.inf
    return value if np.isfinite(value) else None


def as_numbers(*parts):
    """Text labels of all parts as float64, if every one is a number; other labels stay as they are.

    Parameters
    ----------
    *parts : ndarrays of shape (m,)
        Labels of the training part, the test part, ...

    Returns
    -------
    list of ndarrays
    """
    if any(part.dtype.kind != "U" for part in parts):
        return list(parts)
    numbers = []
    for part in parts:
        texts, codes = np.unique(part, return_inverse=True)
        values = [number_or_none(str(text)) for text in texts]
        if None in values:
            return list(parts)
        numbers.append(np.array(values, dtype=np.float64)[codes])
    return numbers


def positive_against_rest(name, labels_train, labels_test, positive):
    """Labels +1 for the `positive` classes and -1 for all others, in both parts.

    Raises
    ------
    DataError
        A positive class has no training point, or all training points are of positive classes.
    """
    classes = np.unique(labels_train).tolist()
    for label in positive:
        if label not in classes:
            known = ", ".join(map(show, classes[:30])) + (", ..." if len(classes) > 30 else "")
            raise DataError(f"{name}: positive: no training point is of class {show(label)}; classes: {known}")
    if len(set(positive)) == len(classes):
        raise DataError(f"{name}: positive: these are all classes, so that no rest is left")
    wanted = np.array(positive, dtype=labels_train.dtype)
    return tuple(np.where(np.isin(labels, wanted), POSITIVE, REST) for labels in (labels_train, labels_test))


def encode(name, labels_train, labels_test):
    """Class labels in ascending order (integers where they are whole numbers), and both parts as codes.

    Raises
    ------
    DataError
        There is one class only, or a class of the test part has no training point.
    """
    classes, y_train = np.unique(labels_train, return_inverse=True)
    if len(classes) < 2:
        raise DataError(f"{name}: all training points are of class {show(classes[0])}; two classes are wanted")
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
