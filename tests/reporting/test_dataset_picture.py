"""The picture of a data set: what is drawn, for dense, sparse, small and many-classed data."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from fwsvm.datasets.storage import Prepared
from fwsvm.reporting.dataset_picture import MOST_POINTS, draw_dataset


def prepared_of(X, y):
    classes, counts = np.unique(y, return_counts=True)
    meta = {"name": "x", "m": len(y), "K": len(classes), "classes": [f"class {c}" for c in classes]}
    return Prepared(X, y, X[:2], y[:2], meta | {"class_counts": {"train": counts.tolist()}}, Path())


def drawn(figure):
    return [collection.get_offsets() for collection in figure.axes[0].collections]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
def test_two_components_that_separate_two_clouds(kind):
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 30))
    X[:, :10] += 4 * y[:, None]
    figure = draw_dataset(prepared_of(kind(X), y))
    first, second = drawn(figure)
    assert len(first) == len(second) == 200
    assert abs(np.sign(first[:, 0]).sum() - np.sign(second[:, 0]).sum()) == 400
    assert legend(figure) == ["class 0  (200)", "class 1  (200)"]
    assert "of variance" in figure.axes[0].get_xlabel()


def test_two_features_are_drawn_as_they_are():
    X = np.random.default_rng(1).uniform(size=(50, 2))
    figure = draw_dataset(prepared_of(X, np.zeros(50, dtype=int) + (X[:, 0] > 0.5)), "A title")
    np.testing.assert_array_equal(np.sort(np.concatenate(drawn(figure)), axis=0), np.sort(X, axis=0))
    assert figure.axes[0].get_xlabel() == "feature 1"
    assert figure.axes[0].get_title(loc="left") == "A title"


def test_large_set_is_thinned_the_same_each_time_and_keeps_rare_classes():
    rng = np.random.default_rng(1)
    y = np.where(np.arange(20_000) < 5, 2, np.arange(20_000) % 2)
    X = rng.normal(size=(20_000, 3))
    figures = [draw_dataset(prepared_of(X, y)) for _ in range(2)]
    sizes = [len(points) for points in drawn(figures[0])]
    assert sum(sizes) == MOST_POINTS
    assert min(sizes) >= 2
    for one, other in zip(*map(drawn, figures), strict=True):
        np.testing.assert_array_equal(one, other)
    assert "3,000 of 20,000 drawn" in [text.get_text() for text in figures[0].texts]


def test_every_class_of_many_has_a_look_of_its_own():
    y = np.arange(130) % 26
    figure = draw_dataset(prepared_of(np.random.default_rng(1).normal(size=(130, 4)), y))
    looks = {(line.get_color(), line.get_marker()) for line in figure.legends[0].get_lines()}
    assert len(looks) == 26
    assert len(figure.axes[0].texts) == 26


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("shape", [(6, 1), (4, 3), (5, 200)])
def test_few_points_or_features(kind, shape):
    X = np.random.default_rng(1).normal(size=shape)
    figure = draw_dataset(prepared_of(kind(X), np.arange(len(X)) % 2))
    assert sum(map(len, drawn(figure))) == len(X)
