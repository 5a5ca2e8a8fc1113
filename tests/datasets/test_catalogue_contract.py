"""What holds for every entry of the shipped catalogue (`shipped.py`); entries that a user added need to be valid only.

Entries made of files are prepared for real where FWSVM_MIRROR names a mirror, and skipped where not.
"""

import csv
import importlib.resources
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from shipped import SHIPPED_NAMES

from fwsvm.base.files import COMPRESSION_SUFFIXES
from fwsvm.datasets import load_catalogue, load_dataset
from fwsvm.datasets.builders.complement import complement
from fwsvm.datasets.describe import checksum_of_entry, describe
from fwsvm.datasets.entries import UNVERIFIED, required_files
from fwsvm.datasets.fetch import fetch
from fwsvm.datasets.formats import read_libsvm
from fwsvm.datasets.page import write_page

CATALOGUE = load_catalogue()
SHIPPED = {name: entry for name, entry in CATALOGUE.items() if name in SHIPPED_NAMES}
COLUMNS = {
    "train_size": "m",
    "test_size": "t",
    "classes": "K",
    "max_pair_size": "m_max",
    "min_pair_size": "m_min",
    "features": "n",
}
needs_mirror = pytest.mark.skipif(
    not os.environ.get("FWSVM_MIRROR"), reason="needs data files: set FWSVM_MIRROR to a mirror that has them"
)


def published_sizes():
    text = (importlib.resources.files("fwsvm.studies.frandi2013") / "printed/datasets.csv").read_text()
    return {row["dataset"]: row for row in csv.DictReader(text.splitlines())}


def as_printed(row):
    return {ours: int(row[theirs]) for theirs, ours in COLUMNS.items()}


def files_the_mirror_has_not(name):
    mirror = os.environ.get("FWSVM_MIRROR", "")
    if mirror.startswith(("http://", "https://")):
        return []
    names = (file.name for file in required_files(CATALOGUE[name], CATALOGUE).values())
    endings = ("", *COMPRESSION_SUFFIXES)
    return [name for name in names if not any(Path(mirror, name + ending).is_file() for ending in endings)]


def entry_parameters():
    for name, entry in SHIPPED.items():
        marks = [needs_mirror] if required_files(entry, CATALOGUE) else []
        yield pytest.param(name, marks=marks, id=name)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


def test_data_sets_of_the_papers_are_there():
    assert set(SHIPPED) == set(SHIPPED_NAMES), "an entry of the project is listed in tests/datasets/shipped.py"


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name not in SHIPPED])
def test_added_entry_can_be_described(name):
    """Those a user added have passed the schema; nothing else is asked of them."""
    assert f"### {name}\n" in write_page({name: CATALOGUE[name]})


@pytest.mark.parametrize("name", SHIPPED)
def test_entry_is_complete(name):
    entry = CATALOGUE[name]
    assert entry.title != name
    assert entry.licence
    assert entry.citation
    assert entry.task
    assert entry.features
    assert None not in (entry.expected.train, entry.expected.test, entry.expected.classes)
    for file in required_files(entry, CATALOGUE).values():
        assert file.url.startswith("https://")
        assert file.sha256


def test_titles_and_files_are_unique():
    titles = [entry.title for entry in SHIPPED.values()]
    assert len(set(titles)) == len(titles)
    files = {file for entry in SHIPPED.values() for file in required_files(entry, CATALOGUE).values()}
    assert len({file.name for file in files}) == len({file.url for file in files}) == len(files)
    sums = [file.sha256 for file in files if file.sha256 != UNVERIFIED]
    assert len(set(sums)) == len(sums)


@pytest.mark.parametrize("name", SHIPPED)
def test_files_of_a_set_come_from_one_place(name):
    """USPS is on two pages, scaled in two ways; parts of the two must never meet."""
    assert len({file.url.rpartition("/")[0] for file in required_files(CATALOGUE[name], CATALOGUE).values()}) <= 1


@pytest.mark.parametrize("name", sorted(set(SHIPPED) & set(published_sizes())))
def test_entry_agrees_with_the_printed_table(name):
    entry, printed = CATALOGUE[name], published_sizes()[name]
    assert "frandi2013" in entry.papers
    assert entry.paper_name == printed["name_in_paper"]
    expected = entry.expected
    ours = {"m": expected.train, "t": expected.test, "K": expected.classes, "n": entry.features}
    assert {key for key, size in ours.items() if size != as_printed(printed)[key]} == set(entry.differs) & set(ours)


@pytest.mark.parametrize("name", list(entry_parameters()))
def test_entry_is_prepared_for_real(name, data_dir):
    if absent := files_the_mirror_has_not(name):
        pytest.skip(f"the mirror has no {', '.join(absent)}")
    prepared = load_dataset(name, CATALOGUE, data_dir)
    description = describe(prepared)
    assert prepared.X_train.shape == (description["m"], description["n"])
    assert prepared.X_test.shape == (description["t"], description["n"])
    for y, part in ((prepared.y_train, "train"), (prepared.y_test, "test")):
        assert np.bincount(y).tolist() == [row[part] for row in description["classes"]]
    assert description["average_squared_distance"] > 0
    assert description["checksum"] == checksum_of_entry(CATALOGUE[name], CATALOGUE)
    assert scipy.sparse.issparse(prepared.X_train) is (description["storage"] == "csr")
    if printed := published_sizes().get(name):
        sizes = as_printed(printed)
        assert {key for key, size in sizes.items() if size != description[key]} == set(CATALOGUE[name].differs)


@needs_mirror
def test_pendigits_lie_between_zero_and_one(data_dir):
    prepared = load_dataset("pendigits", CATALOGUE, data_dir)
    assert (prepared.X_train.min(), prepared.X_train.max()) == (0, 1)
    np.testing.assert_allclose(prepared.X_train * 100, np.round(prepared.X_train * 100), atol=1e-9)


@needs_mirror
def test_complement_is_the_test_file_where_there_is_one(data_dir):
    """The rule behind a5a's test part, checked on a4a, whose test file is at hand."""

    def read(name, role):
        path = fetch(CATALOGUE[name].source.files[role], data_dir / "raw")
        return read_libsvm(path, CATALOGUE[name].features)

    def rows(X, y):
        return Counter(row.tobytes() for row in np.column_stack([X.toarray(), y]))

    X, y = read("a9a", "train")
    kept = complement(X, y, *read("a4a", "train"))
    assert kept.sum() == 27_780
    assert rows(X[kept], y[kept]) == rows(*read("a4a", "test"))
