"""Test the picture of a data set: for dense, sparse and small data, and for many classes."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.reporting.dataset_picture import MOST_POINTS, draw_dataset


def prepared_of(X, y):
    classes, counts = np.unique(y, return_counts=True)
    meta = {"name": "x", "m": len(y), "K": len(classes), "classes": [f"class {c}" for c in classes]}
    return Prepared(X, y, X[:2], y[:2], meta | {"class_counts": {"train": counts.tolist()}}, Path())


def drawn(figure):
    return [collection.get_offsets() for collection in figure.axes[0].collections]


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
def test_two_components_separate_two_clouds(kind):
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 30))
    X[:, :10] += 4 * y[:, None]
    first, second = drawn(draw_dataset(prepared_of(kind(X), y)))
    assert len(first) == len(second) == 200
    assert abs(np.sign(first[:, 0]).sum() - np.sign(second[:, 0]).sum()) == 400


def test_a_large_set_is_thinned_the_same_each_time_and_keeps_rare_classes():
    y = np.where(np.arange(20_000) < 5, 2, np.arange(20_000) % 2)
    X = np.random.default_rng(1).normal(size=(20_000, 3))
    one, other = (drawn(draw_dataset(prepared_of(X, y))) for _ in range(2))
    assert sum(map(len, one)) == MOST_POINTS and min(map(len, one)) >= 2
    assert all(np.array_equal(*pair) for pair in zip(one, other, strict=True))


def test_the_titles_name_the_set_and_count_the_points():
    y = np.arange(4000) % 2
    X = np.random.default_rng(1).normal(size=(4000, 2))
    drawn_points = ((X, "", "3,000 of 4,000 points"), (X[:40], "Mine", "all 40 points"))
    for points, title, words in drawn_points:
        figure = draw_dataset(prepared_of(points, y[: len(points)]), title)
        (axes,) = figure.axes
        assert (axes.get_title(loc="left"), axes.get_title(loc="right")) == (title or "x", words)
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("feature 1", "feature 2")
        names = [text.get_text() for text in figure.legends[0].get_texts()]
        assert names == [f"class {code}  ({len(points) // 2:,})" for code in (0, 1)]


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("shape", [(6, 1), (4, 3), (5, 200), (50, 2)])
def test_few_points_or_features(kind, shape):
    X = np.random.default_rng(1).normal(size=shape)
    points = drawn(draw_dataset(prepared_of(kind(X), np.arange(len(X)) % 2)))
    assert sum(map(len, points)) == len(X)
    assert shape[1] != 2 or np.array_equal(
        np.sort(np.concatenate(points), axis=0), np.sort(X, axis=0)
    )
