"""Test real data files: those in the package, and those of a mirror.

The tests with a mirror are skipped if FWSVM_MIRROR is not set.
"""

import bz2
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from shipped import COLUMNS, SHIPPED_NAMES, printed_sizes

from fwsvm.inputs.errors import UnavailableError
from fwsvm.inputs.files import COMPRESSION_SUFFIXES, sha256_of_content
from fwsvm_papers.datasets import load_catalogue, load_dataset, read_csv, read_libsvm
from fwsvm_papers.datasets.builders.nested import complement
from fwsvm_papers.datasets.describe import checksum_of_entry, describe
from fwsvm_papers.datasets.entries import EMBEDDED, FileEntry, Scaling, entry_digest, required_files
from fwsvm_papers.datasets.fetch import fetch
from fwsvm_papers.datasets.prepare import scale

CATALOGUE = load_catalogue()
FILES = {
    file.name: file
    for entry in CATALOGUE.values()
    for file in required_files(entry, CATALOGUE).values()
    if file.embedded
}
needs_mirror = pytest.mark.skipif(
    not os.environ.get("FWSVM_MIRROR"),
    reason="needs data files: set FWSVM_MIRROR to a mirror that has them",
)


def remote(file):
    return FileEntry(**file.model_dump() | {"embedded": False, "url": "http://127.0.0.1:9/"})


# Files in the package


def test_the_package_carries_what_the_catalogue_marks_and_nothing_else():
    carried = {
        path.relative_to(EMBEDDED).as_posix() for path in EMBEDDED.rglob("*") if path.is_file()
    }
    assert carried == {f"{name}.bz2" for name in FILES} | {"README.md"}
    assert sum(path.stat().st_size for path in EMBEDDED.rglob("*.bz2")) <= 1_500_000
    text = (EMBEDDED / "README.md").read_text()
    assert "creativecommons.org/licenses/by/4.0" in text
    for file in FILES.values():
        assert sha256_of_content(file.location("no folder")) == file.sha256
    for entry in CATALOGUE.values():
        files = required_files(entry, CATALOGUE)
        if files and all(file.embedded for file in files.values()):
            assert "CC BY 4.0" in entry.licence
            assert entry.source.files["train"].name.rpartition("/")[2] + "`" in text


def test_nothing_is_downloaded_and_no_mirror_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("fwsvm_papers.datasets.fetch._receive", None)
    prepared = load_dataset("heart", data_dir=tmp_path, mirror=tmp_path / "mirror")
    assert prepared.meta["m"] == 189
    assert [source["embedded"] for source in prepared.meta["sources"]] == [True]
    assert not (tmp_path / "raw").exists()


def test_an_embedded_copy_changes_no_digest():
    entry = CATALOGUE["a1a"]
    files = {role: remote(file) for role, file in entry.source.files.items()}
    other = entry.model_copy(update={"source": entry.source.model_copy(update={"files": files})})
    assert entry_digest(entry, CATALOGUE) == entry_digest(other, CATALOGUE)


@pytest.mark.parametrize("name", FILES)
def test_content_is_that_of_the_file_in_the_mirror(name, mirror, tmp_path):
    try:
        official = fetch(remote(FILES[name]), tmp_path, mirror, retries=0)
    except UnavailableError as error:
        pytest.skip(str(error))
    assert bz2.decompress(FILES[name].location(None).read_bytes()) == official.read_bytes()


# Every data set of the catalogue, prepared from its real files


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


def prepared_for_real(name, data_dir):
    """Return a data set that is prepared from the files of the mirror. It is prepared only once for
    all tests.

    If files are missing, the test is skipped.
    """
    mirror = os.environ.get("FWSVM_MIRROR", "")
    names = (
        file.name
        for file in required_files(CATALOGUE[name], CATALOGUE).values()
        if not file.embedded
    )
    found = (
        any(Path(mirror, name + ending).is_file() for ending in ("", *COMPRESSION_SUFFIXES))
        for name in names
    )
    if not mirror.startswith("http") and not all(found):
        pytest.skip("the mirror has not all of its files")
    return load_dataset(name, CATALOGUE, data_dir)


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name in SHIPPED_NAMES])
def test_entry_is_prepared_for_real(name, data_dir):
    """The shapes, counts, checksum and storage must be those of `describe`. The sizes must be the
    printed ones, except those that the entry lists as different.
    """
    prepared = prepared_for_real(name, data_dir)
    description = describe(prepared)
    assert prepared.X_train.shape == (description["m"], description["n"])
    assert prepared.X_test.shape == (description["t"], description["n"])
    for y, part in ((prepared.y_train, "train"), (prepared.y_test, "test")):
        assert np.bincount(y).tolist() == [row[part] for row in description["classes"]]
    assert description["average_squared_distance"] > 0
    assert description["checksum"] == checksum_of_entry(CATALOGUE[name], CATALOGUE)
    assert scipy.sparse.issparse(prepared.X_train) is (description["storage"] == "csr")
    if printed := printed_sizes().get(name):
        different = {key for key in COLUMNS.values() if printed[key] != description[key]}
        assert different == set(CATALOGUE[name].differs)


@needs_mirror
def test_reuters_has_the_stories_of_the_split_and_rows_of_length_one(data_dir):
    prepared = prepared_for_real("reuters", data_dir)
    assert prepared.meta["class_counts"] == {"train": [7770 - 538, 538], "test": [3299 - 179, 179]}
    built = prepared.meta["built"]
    assert (
        built["stories"],
        built["modapte_training_stories"],
        built["categories_in_both_parts"],
    ) == (21578, 9603, 90)
    np.testing.assert_allclose(
        np.sqrt(prepared.X_train.multiply(prepared.X_train).sum(axis=1)), 1, rtol=1e-12
    )


# Our readers and scalings compared with the files of the same data on the LIBSVM page


@pytest.fixture
def path(mirror):
    """Return a function that finds a file of the mirror, which can be compressed."""

    def find(name):
        places = (mirror / f"{name}{suffix}" for suffix in ("", *COMPRESSION_SUFFIXES))
        return next((place for place in places if place.is_file()), None) or pytest.skip(
            f"the mirror has no {name}"
        )

    return find


def rows(X, y):
    return Counter(row.tobytes() for row in np.column_stack([X.toarray(), y]))


@pytest.mark.parametrize(
    ("table", "separator", "scaled"),
    [
        ("uci/heart/heart.dat", "whitespace", "heart_scale"),
        ("uci/german/german.data-numeric", "whitespace", "german.numer_scale"),
        ("uci/australian/australian.dat", "whitespace", "australian_scale"),
        ("uci/diabetes/pima-indians-diabetes.data", ",", "diabetes_scale"),
    ],
)
def test_scaling_of_a_uci_table_is_svm_scales(path, table, separator, scaled):
    """The files on the LIBSVM page are outputs of svm-scale for all rows, with six digits."""
    X, y = read_csv(path(table), -1, separator=separator)
    expected, labels = read_libsvm(path(f"libsvm/binary/{scaled}"), X.shape[1])
    ours = scale("x", Scaling.model_validate({"minmax": [-1, 1]}), X, X)[0]
    np.testing.assert_allclose(ours, expected.toarray(), atol=2e-6)
    assert len(set(zip(y.tolist(), labels.tolist(), strict=True))) == 2


def test_pendigits_of_uci_are_those_of_the_libsvm_page(path):
    for ours, theirs in (("tra", ""), ("tes", ".t")):
        X, y = read_csv(path(f"uci/pendigits/pendigits.{ours}"), -1)
        expected, labels = read_libsvm(path(f"libsvm/multiclass/pendigits{theirs}"), 16)
        np.testing.assert_array_equal(X, expected.toarray())
        assert y.tolist() == labels.tolist()


@pytest.mark.parametrize(
    ("whole", "part", "features"), [("a9a", "a4a", 123), ("w8a", "w1a", 300), ("w8a", "w4a", 300)]
)
def test_complement_is_the_test_file_where_there_is_one(path, whole, part, features):
    """The test parts of a5a, a6a, w2a, w3a and w5a are complements. Here, the same rule is tested
    on data sets that have test files.
    """
    names = (whole, part, f"{part}.t")
    all_points, some, test = (
        read_libsvm(path(f"libsvm/binary/{name}"), features) for name in names
    )
    kept = complement(*all_points, *some)
    assert rows(all_points[0][kept], all_points[1][kept]) == rows(*test)
