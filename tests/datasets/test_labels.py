"""Labels as text or numbers, some classes against the rest, codes."""

import numpy as np
import pytest

from fwsvm.base.errors import DataError
from fwsvm.datasets.labels import as_numbers, encode, positive_against_rest


def test_text_labels_are_numbers_only_if_all_are():
    assert [part.tolist() for part in as_numbers(np.array(["1", "2.0"]), np.array(["01"]))] == [[1, 2], [1]]
    kept = as_numbers(np.array(["1", "2.0"]), np.array(["x"]))
    assert [part.tolist() for part in kept] == [["1", "2.0"], ["x"]]
    assert as_numbers(np.array(["1", "1e999"]))[0].tolist() == ["1", "1e999"]
    assert as_numbers(np.array([3.0]))[0].tolist() == [3.0]


def test_positive_classes_against_the_rest():
    train, test = positive_against_rest("x", np.array([3.0, 1, 2, 3]), np.array([2.0, 9]), (3, 1))
    assert (train.tolist(), test.tolist()) == ([1, 1, -1, 1], [-1, -1])
    train, test = positive_against_rest("x", np.array(["a", "bc"]), np.array(["bcd", "bc"]), ("bc",))
    assert (train.tolist(), test.tolist()) == ([-1, 1], [-1, 1])


@pytest.mark.parametrize(
    ("labels", "positive", "message"),
    [
        (["a", "b"], ("c",), "x: positive: no training point is of class 'c'; classes: 'a', 'b'"),
        ([1.0, 2.0], ("2",), "x: positive: no training point is of class '2'; classes: 1, 2"),
        ([1.0, 2.0], (1, 2), "x: positive: these are all classes, so that no rest is left"),
    ],
)
def test_positive_classes_that_cannot_be(labels, positive, message):
    with pytest.raises(DataError, match=message):
        positive_against_rest("x", np.array(labels), np.array(labels), positive)


def test_text_classes_are_coded_in_order():
    classes, train, test = encode("x", np.array(["b", "a", "b"]), np.array(["a"]))
    assert (classes, train.tolist(), test.tolist()) == (["a", "b"], [1, 0, 1], [0])
    with pytest.raises(DataError, match="x: no training point is of class 'c', which the test part has"):
        encode("x", np.array(["b", "a"]), np.array(["c"]))
    with pytest.raises(DataError, match="x: all training points are of class 'a'"):
        encode("x", np.array(["a", "a"]), np.array(["a"]))
