"""What holds for every entry of the shipped catalogue (`shipped.py`); entries that a user added need to be valid only.

Entries made of files are prepared for real where FWSVM_MIRROR names a mirror, and skipped where not.
"""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from entry_contract import BUILT_ELSEWHERE, check_prepared, printed_sizes
from shipped import SHIPPED_NAMES

from fwsvm.base.files import COMPRESSION_SUFFIXES
from fwsvm.datasets import load_catalogue, load_dataset
from fwsvm.datasets.builders.complement import complement
from fwsvm.datasets.entries import UNVERIFIED, required_files
from fwsvm.datasets.fetch import fetch
from fwsvm.datasets.formats import read_libsvm
from fwsvm.datasets.page import write_page

CATALOGUE = load_catalogue()
SHIPPED = {name: entry for name, entry in CATALOGUE.items() if name in SHIPPED_NAMES}
PRINTED = printed_sizes()
needs_mirror = pytest.mark.skipif(
    not os.environ.get("FWSVM_MIRROR"), reason="needs data files: set FWSVM_MIRROR to a mirror that has them"
)


def files_the_mirror_has_not(name):
    mirror = os.environ.get("FWSVM_MIRROR", "")
    if mirror.startswith(("http://", "https://")):
        return []
    names = (file.name for file in required_files(CATALOGUE[name], CATALOGUE).values())
    endings = ("", *COMPRESSION_SUFFIXES)
    return [name for name in names if not any(Path(mirror, name + ending).is_file() for ending in endings)]


def prepared_for_real(name, data_dir):
    """A set prepared from the mirror's files, once for all tests; skips where there are none."""
    if absent := files_the_mirror_has_not(name):
        pytest.skip(f"the mirror has no {', '.join(absent)}")
    return load_dataset(name, CATALOGUE, data_dir)


def entry_parameters():
    for name, entry in SHIPPED.items():
        if name in BUILT_ELSEWHERE:
            continue
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


@pytest.mark.parametrize("name", sorted(set(SHIPPED) & set(PRINTED)))
def test_entry_agrees_with_the_printed_table(name):
    entry, printed = CATALOGUE[name], PRINTED[name]
    assert "frandi2013" in entry.papers
    assert entry.paper_name == printed["name"]
    expected = entry.expected
    ours = {"m": expected.train, "t": expected.test, "K": expected.classes, "n": entry.features}
    assert {key for key, size in ours.items() if size != printed[key]} == set(entry.differs) & set(ours)


@pytest.mark.parametrize("name", list(entry_parameters()))
def test_entry_is_prepared_for_real(name, data_dir):
    check_prepared(name, prepared_for_real(name, data_dir), CATALOGUE)


@needs_mirror
def test_pendigits_lie_between_zero_and_one(data_dir):
    prepared = prepared_for_real("pendigits", data_dir)
    assert (prepared.X_train.min(), prepared.X_train.max()) == (0, 1)
    np.testing.assert_allclose(prepared.X_train * 100, np.round(prepared.X_train * 100), atol=1e-9)


@needs_mirror
def test_mnist_is_sparse_and_between_zero_and_one(data_dir):
    prepared = prepared_for_real("mnist", data_dir)
    assert prepared.meta["storage"] == "csr"
    assert (prepared.X_train.max(), prepared.X_train.data.min()) == (1, 1 / 255)


@needs_mirror
def test_shuttle_lies_between_minus_one_and_one(data_dir):
    prepared = prepared_for_real("shuttle", data_dir)
    assert (prepared.X_train.min(axis=0) == -1).all()
    assert (prepared.X_train.max(axis=0) == 1).all()


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
