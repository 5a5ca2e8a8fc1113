"""Prepared data that are not what was written are noticed and never used; what to do is in the message."""

import json
import shlex
import shutil
import subprocess

import numpy as np
import pytest

from fwsvm.base.errors import DataError
from fwsvm.datasets import load_catalogue, open_prepared, storage
from fwsvm.datasets.prepare import prepare
from fwsvm.datasets.storage import ARRAYS, prepared_files

META_DAMAGE = {
    "emptied": ("", "meta.json: is empty"),
    "cut": ('{"name": "x", ', "meta.json: is no whole JSON file"),
    "a list": ("[]", "meta.json: is not what this version writes"),
    "null": ("null", "meta.json: is not what this version writes"),
    "of nothing": ("{}", "meta.json: is not what this version writes"),
}


@pytest.fixture(params=["dense", "csr"])
def folder(request, prepare_entry, on_disk, four_class_text, sparse_text):
    """A folder of prepared data."""
    prepared = prepare_entry(on_disk({"dense": four_class_text, "csr": sparse_text}[request.param]))
    assert prepared.meta["storage"] == request.param
    return prepared.folder


def assert_refused(folder, words):
    with pytest.raises(DataError) as error:
        open_prepared(folder)
    message = str(error.value)
    assert words in message
    assert f"`rm -r {shlex.quote(str(folder))}` and give the same command again" in message


def test_files_are_known_before_they_are_written(folder):
    assert sorted(folder.iterdir()) == sorted(prepared_files(folder))
    assert prepared_files(folder)[0].name == "meta.json"


@pytest.mark.parametrize("name", ARRAYS)
def test_cut_emptied_changed_or_missing_array_is_refused(folder, name):
    path = folder / name
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    assert_refused(folder, f"{path}: has {len(content) - 1} bytes, not {len(content)} as when it was written")
    path.write_bytes(b"")
    assert_refused(folder, f"{path}: has 0 bytes, not {len(content)}")
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert_refused(folder, f"{path}: is not the array that was written (wrong checksum)")
    path.unlink()
    assert_refused(folder, f"{path}: is missing")
    path.write_bytes(content)
    open_prepared(folder)


def test_swapped_arrays_of_one_size_are_refused(folder):
    labels = np.load(folder / "y_train.npy")
    np.save(folder / "y_train.npy", labels[::-1])
    assert_refused(folder, "y_train.npy: is not the array that was written")


@pytest.mark.parametrize(("text", "words"), META_DAMAGE.values(), ids=META_DAMAGE)
def test_damaged_meta_is_refused(folder, text, words):
    (folder / "meta.json").write_text(text)
    assert_refused(folder, words)


def test_checksum_of_a_large_file_sees_both_ends_and_all_its_length(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "_BLOCK", 10)
    path = tmp_path / "x"
    path.write_bytes(bytes(2000))
    sums = {storage._record(path)["crc32"]}
    for place in (0, 980, 1960):
        content = bytearray(2000)
        content[place : place + 40] = b"x" * 40
        path.write_bytes(content)
        sums.add(storage._record(path)["crc32"])
    assert len(sums) == 4


def test_advice_works_and_a_second_time_needs_nothing(prepare_entry, on_disk, four_class_text):
    entry = on_disk(four_class_text)
    folder = prepare_entry(entry).folder
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "X_test.npy").write_bytes(b"")
    with pytest.raises(DataError) as error:
        open_prepared(folder)
    subprocess.run(str(error.value).split("`")[1], shell=True, check=True)
    assert not folder.exists()
    prepare_entry(entry)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == whole


def test_folder_that_is_a_file_is_an_error_of_one_line(prepare_entry, on_disk, tmp_path, four_class_text):
    (tmp_path / "prepared").write_text("a file")
    with pytest.raises(DataError, match=r"prepared: prepared data cannot be written here: File exists"):
        prepare_entry(on_disk(four_class_text))


def test_too_little_memory_is_an_error_of_one_line(prepare_entry, on_disk, monkeypatch, four_class_text):
    def no_memory(*_):
        raise MemoryError("Unable to allocate 16.0 TiB")

    monkeypatch.setattr("fwsvm.datasets.prepare.load_parts", no_memory)
    with pytest.raises(DataError, match=r"x: the data do not fit into this machine's memory \(Unable to allocate 16.0"):
        prepare_entry(on_disk(four_class_text))


def test_cut_file_in_the_raw_folder_is_fetched_again(file_entry, server, content, write_catalogue, tmp_path):
    server.files["up/tiny"] = content
    file = {"name": file_entry.name, "url": file_entry.url, "sha256": file_entry.sha256}
    entry = {"source": {"files": {"train": file}}, "split": {"fraction": 0.25, "seed": 1}}
    catalogue = load_catalogue(write_catalogue({"x": entry}))
    first = prepare(catalogue["x"], catalogue, tmp_path / "raw", tmp_path / "prepared")
    (tmp_path / "raw" / file_entry.name).write_bytes(content[:-9])
    shutil.rmtree(tmp_path / "prepared")
    again = prepare(catalogue["x"], catalogue, tmp_path / "raw", tmp_path / "prepared")
    assert json.dumps(again.meta) == json.dumps(first.meta)
    assert server.requests == ["up/tiny", "up/tiny"]
