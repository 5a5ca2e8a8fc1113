"""Functions that turn the labels of points into classes, and that refuse labels that are not
classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.inputs.errors import DataError
from fwsvm.inputs.ranges import check_labels

if TYPE_CHECKING:
    from fwsvm_papers.datasets.entries import DatasetEntry

MOST_CLASSES = 100  # an entry with more classes must state the number of classes


def positive_against_rest(
    name: str, labels_train: np.ndarray, labels_test: np.ndarray, positive: list
) -> tuple[np.ndarray, np.ndarray]:
    """Return new labels for both parts, with +1 for the `positive` classes and -1 for all other
    classes.

    The given labels (m,) and (t,) are numbers or texts. The new labels are int64.
    """
    classes = as_integers(np.unique(labels_train)).tolist()
    if not set(positive) < set(classes):
        what = f"this key must list some of the training classes {classes[:30]}, but not all"
        is_text = labels_train.dtype.kind == "U"
        given = {isinstance(label, str) for label in positive}
        hint = ""
        if is_text and False in given:
            hint = "; these classes are texts: put them in quotes"
        elif True in given and not is_text:
            hint = "; these classes are numbers: write them without quotes"
        raise DataError(f"{name}: positive: {what}; the given list is {positive}{hint}")
    chosen = np.array(positive, dtype=labels_train.dtype)
    y_train, y_test = (
        np.where(np.isin(labels, chosen), 1, -1) for labels in (labels_train, labels_test)
    )
    return y_train, y_test


def encode(
    name: str, labels_train: np.ndarray, labels_test: np.ndarray, remedy: str = ""
) -> tuple[list, np.ndarray, np.ndarray]:
    """Return the sorted list of classes and, for each label, the index of its class in this list.

    The labels (m,) and (t,) are numbers or texts. The indices of both parts are int64 arrays (m,)
    and (t,).

    If a class of the test part is missing in the training part, raise a DataError whose message
    ends with `remedy`. Also raise a DataError if all training points are of the same class.
    """
    classes, y_train = np.unique(labels_train, return_inverse=True)
    unknown = as_integers(np.setdiff1d(labels_test, classes))
    if len(classes) < 2:
        only = as_integers(classes)[0]
        what = f"all training points are of class {only}, but two classes are needed"
        raise DataError(f"{name}: {what}{remedy if len(unknown) else ''}")
    if len(unknown):
        raise DataError(
            f"{name}: the test part has the class {unknown[0]}, but the training points have only"
            f" the classes {listed(as_integers(classes))}{remedy}"
        )
    y_test = np.searchsorted(classes, labels_test)
    check_labels(classes, f"{name} has", DataError)
    return as_integers(classes).tolist(), y_train.astype(np.int64), y_test.astype(np.int64)


def refuse_measurements(entry: DatasetEntry, labels: np.ndarray) -> None:
    """Raise a DataError if there are so many different labels that they are probably measurements
    and not classes. Raise no error if the entry states this number of classes.

    `labels` (m,) are numbers or texts.
    """
    points, K = len(labels), len(np.unique(labels))
    are_many = K > MOST_CLASSES or (K > 20 and points < 2 * K)
    if not are_many or entry.expected.classes == K:
        return
    raise DataError(
        f"{entry.name}: {points:,} points have {K:,} different labels. Are they measured values, as"
        " for regression? Replace them by a few classes, or choose some by the key 'positive'. If"
        f" they are classes, write expected: {{classes: {K}}}. Then a model is trained for each"
        f" of the {K * (K - 1) // 2:,} pairs of classes"
    )


def as_integers(classes: np.ndarray) -> np.ndarray:
    """Return class labels (k,). If all labels are integers, their type is int64. Otherwise, they
    are unchanged.
    """
    is_integer = classes.dtype.kind != "U" and np.all(
        (classes == np.round(classes)) & (np.abs(classes) < 2.0**63)
    )
    return classes.astype(np.int64) if is_integer else classes


def listed(classes: np.ndarray) -> str:
    """Return a text that lists the first nine of `classes` (k,)."""
    return ", ".join(map(str, classes[:9].tolist())) + (", ..." if len(classes) > 9 else "")
