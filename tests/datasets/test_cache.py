"""`load_dataset`: prepared once, and again after a change that matters."""

import numpy as np
import pytest

from fwsvm.base.errors import ConfigError
from fwsvm.datasets import load_dataset
from fwsvm.datasets.prepare import prepare


def test_set_is_prepared_once_and_again_after_a_change(
    write_catalogue, on_disk, tmp_path, monkeypatch, four_class_text
):
    calls = []

    def counted(*args):
        calls.append(args)
        return prepare(*args)

    monkeypatch.setattr("fwsvm.datasets.cache.prepare", counted)

    def load(entry, **settings):
        return load_dataset("x", write_catalogue({"x": entry}), tmp_path / "data", **settings)

    entry = on_disk(four_class_text)
    assert load(entry).meta["m"] == load(entry | {"title": "X"}).meta["m"] == 15
    assert len(calls) == 1
    load(entry | {"scaling": "minmax"})
    assert len(calls) == 2
    on_disk(four_class_text + "1 1:3\n")
    assert load(entry | {"scaling": "minmax"}).meta["m"] == 15
    assert len(calls) == 3
    assert load(entry | {"scaling": "minmax"}, subset={"train": 9}).meta["m"] == 9
    assert load(entry | {"scaling": "minmax"}).meta["m"] == 15
    assert len(calls) == 4
    (tmp_path / "data/prepared/x/X_train.npy").write_bytes(b"")
    assert load(entry | {"scaling": "minmax"}).X_train.shape == (15, 2)
    assert len(calls) == 5
    (tmp_path / "data/prepared/x/meta.json").write_text("{")
    assert load(entry | {"scaling": "minmax"}).meta["m"] == 15


def test_generated_set_of_any_size_has_the_same_test_points(tmp_path):
    small = load_dataset("checkerboard", data_dir=tmp_path, size=100)
    large = load_dataset("checkerboard", data_dir=tmp_path, size=1000)
    assert (small.meta["m"], large.meta["m"]) == (100, 1000)
    np.testing.assert_array_equal(small.X_train, large.X_train[:100])
    np.testing.assert_array_equal(small.X_test, large.X_test)
    assert load_dataset("two-circles", data_dir=tmp_path, size=3000).meta["m"] == 2400


def test_unknown_name_and_size_of_a_file(tmp_path):
    with pytest.raises(ConfigError, match="did you mean 'pendigits'"):
        load_dataset("pendigit", data_dir=tmp_path)
    with pytest.raises(ConfigError, match="a1a: size can only be set for a generated data set"):
        load_dataset("a1a", data_dir=tmp_path, size=5)
