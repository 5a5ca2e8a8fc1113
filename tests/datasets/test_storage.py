"""Prepared arrays on disk: mapped, whole or absent, the same bytes each time."""

import json
import multiprocessing
import signal
import time

import numpy as np
import pytest
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.datasets import load_catalogue, open_prepared, storage
from fwsvm.datasets.prepare import prepare
from fwsvm.datasets.storage import choose_storage


def is_mapped(array):
    while not isinstance(array, np.memmap) and array is not None:
        array = array.base
    return array is not None


def test_round_trip_is_mapped_and_in_the_promised_types(prepare_entry, on_disk, tmp_path, sparse_text):
    prepare_entry(on_disk(sparse_text))
    prepared = open_prepared(tmp_path / "prepared")
    assert prepared.meta["storage"] == "csr"
    for X in (prepared.X_train, prepared.X_test):
        assert scipy.sparse.isspmatrix_csr(X)
        assert (X.data.dtype, X.indices.dtype, X.indptr.dtype) == (np.float64, np.int32, np.int32)
        for part in (X.data, X.indices, X.indptr):
            assert is_mapped(part)
        assert X.copy().has_canonical_format
    together = np.concatenate([prepared.X_train.toarray(), prepared.X_test.toarray()])
    values = [float(word.split(":")[1]) for word in sparse_text.split() if ":" in word]
    np.testing.assert_array_equal(np.sort(together[together > 0]), np.sort(values))


def test_dense_round_trip_is_mapped_and_copied_on_write(prepare_entry, on_disk, tmp_path, four_class_text):
    prepare_entry(on_disk(four_class_text))
    first, second = open_prepared(tmp_path / "prepared"), open_prepared(tmp_path / "prepared")
    assert is_mapped(first.X_train)
    assert type(first.X_train) is np.ndarray
    assert first.X_train.flags.c_contiguous
    assert first.X_train.flags.writeable
    first.X_train[:] = -1
    assert (second.X_train >= 0).all()


def test_storage_rule():
    sparse = scipy.sparse.random(1000, 200, density=0.1, format="csr", random_state=1)
    assert choose_storage(sparse) == "csr"
    assert choose_storage(sparse[:400]) == "dense"
    assert choose_storage(np.ones((1000, 200))) == "dense"


def test_preparing_twice_gives_the_same_bytes(prepare_entry, on_disk, tmp_path, sparse_text):
    def contents():
        return {path.name: path.read_bytes() for path in (tmp_path / "prepared").iterdir()}

    prepare_entry(on_disk(sparse_text))
    first = contents()
    prepare_entry(on_disk(sparse_text))
    assert contents() == first


def test_interrupted_prepare_leaves_no_meta(prepare_entry, on_disk, tmp_path, monkeypatch, four_class_text):
    prepare_entry(on_disk(four_class_text))
    saved = []

    def interrupted(path, array):
        saved.append(path)
        if len(saved) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("fwsvm.datasets.storage._save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        prepare_entry(on_disk(four_class_text) | {"scaling": "minmax"})
    assert not (tmp_path / "prepared/meta.json").exists()
    with pytest.raises(DataError, match="no prepared data here"):
        open_prepared(tmp_path / "prepared")


def _prepare_until_killed(catalogue_path, folder):
    whole_save = storage._save

    def save_and_wait(path, array):
        whole_save(path, array)
        if path.name == "y_train.npy":
            (folder / "saved").touch()
            signal.pause()

    storage._save = save_and_wait
    catalogue = load_catalogue(catalogue_path)
    prepare(catalogue["x"], catalogue, folder / "raw", folder / "prepared")


def test_killed_prepare_leaves_no_meta(write_catalogue, on_disk, tmp_path, four_class_text):
    path = write_catalogue({"x": on_disk(four_class_text)})
    process = multiprocessing.get_context("fork").Process(target=_prepare_until_killed, args=(path, tmp_path))
    process.start()
    while not (tmp_path / "saved").exists():
        assert process.is_alive()
        time.sleep(0.005)
    process.kill()
    process.join()
    assert (tmp_path / "prepared/y_train.npy").exists()
    assert not (tmp_path / "prepared/meta.json").exists()
    catalogue = load_catalogue(path)
    assert prepare(catalogue["x"], catalogue, tmp_path / "raw", tmp_path / "prepared").meta["m"] == 15


def test_change_of_storage_leaves_no_former_arrays(prepare_entry, on_disk, tmp_path, four_class_text, sparse_text):
    prepare_entry(on_disk(sparse_text))
    prepare_entry(on_disk(four_class_text))
    assert sorted((tmp_path / "prepared").iterdir()) == sorted(storage.prepared_files(tmp_path / "prepared"))


@pytest.mark.parametrize("storage_said", ["csr", "dense", "neither"])
def test_a_storage_that_is_not_the_arrays_is_a_damaged_file(
    prepare_entry, on_disk, tmp_path, four_class_text, sparse_text, storage_said
):
    prepare_entry(on_disk(four_class_text if storage_said == "csr" else sparse_text))
    path = tmp_path / "prepared/meta.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps(kept | {"storage": storage_said}))
    with pytest.raises(DataError, match="remove the folder with"):
        open_prepared(tmp_path / "prepared")
