"""Test the catalogue: errors about wrong entries, the values of correct entries, and properties of
all entries in config/datasets.yaml.
"""

import copy
import json
from pathlib import Path

import pytest
from shipped import SHIPPED_NAMES, printed_sizes

from fwsvm.inputs.errors import ConfigError
from fwsvm_papers.datasets import catalogue as catalogue_module
from fwsvm_papers.datasets.catalogue import find_entry, load_catalogue
from fwsvm_papers.datasets.describe import write_page
from fwsvm_papers.datasets.entries import entry_digest, required_files

SHA = "0123456789abcdef" * 4
FILE = {"name": "libsvm/binary/x", "url": "https://example.org/x", "sha256": SHA}
FROM_FILES = {
    "source": {"files": {"train": FILE, "test": FILE | {"name": "x.t"}}},
    "split": {"test": "file"},
}
RANDOM = {"fraction": 0.2, "seed": 1}
FROM_DISK = {"source": {"files": {"train": {"path": "x.svm"}}}, "split": RANDOM}
FROM_CSV = {
    "source": {"files": {"train": {"path": "x.csv"}}, "format": "csv", "csv": {"label": -1}},
    "split": RANDOM,
}
FROM_IDX = {
    "source": {"files": {"train": {"path": "x"}, "train_labels": {"path": "y"}}, "format": "idx"},
    "split": RANDOM,
}
GENERATED = {
    "source": {"generator": "checkerboard", "size": 10, "seed": 1},
    "split": {"test_size": 5},
}
BUILT = {
    "source": {"builder": "kdd99", "files": {"train": FILE}, "parameters": {"classes": "five"}},
    "split": {"fraction": 0.2, "seed": 1},
}


def changed(entry, key, value):
    """Return a copy of an entry with a new value at a dotted key. If the value is None, the key is
    removed.
    """
    entry = copy.deepcopy(entry)
    *parents, last = key.split(".")
    place = entry
    for parent in parents:
        place = place[parent]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return entry


TRAIN = "source.files.train"
WRONG = [  # entry, key, new value of the key (None: without the key), and a part of the message
    (FROM_FILES, "titel", "X", "x.titel: this key is unknown; did you mean 'title'?"),
    (FROM_FILES, "source", None, "x.source: this key is missing"),
    *(
        (FROM_FILES, "features", value, "x.features: ")
        for value in ("123", True, 3.0, 0, 2_000_000_000)
    ),
    *(
        (FROM_FILES, "sigma2", value, "x.sigma2: must be 'average', ")
        for value in ("averge", -1, float("nan"))
    ),
    (FROM_FILES, "scaling", "minmaks", "{divide: number}, not 'minmaks'"),
    (FROM_FILES, "scaling", 3, "{divide: number}, not 3"),
    (FROM_FILES, "papers", ["frandi2013", 7], "x.papers (value 2): "),
    (FROM_FILES, "scaling", {"minmax": [1, 0]}, "x.scaling: minmax"),
    (FROM_FILES, "scaling", {"minmax": [0, 1], "divide": 2}, "x.scaling: "),
    *(
        (FROM_FILES, f"{TRAIN}.sha256", value, f"x.{TRAIN}.sha256: must match")
        for value in ("abc", "unverified\n")
    ),
    *(
        (FROM_FILES, f"{TRAIN}.url", url, f"x.{TRAIN}.url: ")
        for url in ("ftp:/x", "https://example.org/ x")
    ),
    *(
        (FROM_FILES, f"{TRAIN}.name", name, f"x.{TRAIN}.name: ")
        for name in ("../x", "/x", "a/../x", "x\n")
    ),
    (FROM_FILES, f"{TRAIN}.name", "x.bz2", "compression"),
    (FROM_FILES, f"{TRAIN}.path", "x", "exactly one of the keys url, path"),
    (FROM_FILES, f"{TRAIN}.embedded", True, "this package has no such file"),
    (FROM_FILES, "source.files.archive", FILE, "'archive'"),
    (FROM_FILES, "source.parameters", {"cells": 3}, "'cells'"),
    (
        FROM_FILES,
        "source.files.test",
        None,
        "split: the kind 'file' cannot be used with this source",
    ),
    (
        FROM_FILES,
        "split",
        {"test_size": 3},
        "split: the kind 'test_size' cannot be used with this source",
    ),
    (FROM_FILES, "split", {}, "exactly one of the keys test, fraction"),
    (
        FROM_DISK,
        "split",
        {"complement_of": "y"},
        "x.split.complement_of: 'y' is not an entry; known: x",
    ),
    (
        FROM_DISK,
        "split",
        {"test": "builder"},
        "split: the kind 'builder' cannot be used with this source",
    ),
    (FROM_DISK, "split.seed", None, "fraction, seed must be given together"),
    (FROM_CSV, "source.csv", None, "'format: csv' must be given together"),
    (FROM_IDX, "source.files.train_labels", None, "'train_labels' is missing"),
    (FROM_IDX, "source.files.test_labels", {"path": "z"}, "'test_labels'"),
    (GENERATED, "source.generator", "chekerboard", "x.source.generator: must be 'checkerboard'"),
    (GENERATED, "source.parameters", {"cels": 3}, "the name 'cels' is unknown; known: cells"),
    (GENERATED, "source.seed", None, "generator, size, seed must be given together"),
    (BUILT, "source.builder", "kdd98", "known: reuters"),
    (BUILT, "source.parameters", {}, "the key 'classes' is missing"),
    (BUILT, "source.files", {"archive": FILE}, "the name 'archive' is unknown; known: train, test"),
]


@pytest.mark.parametrize(("entry", "key", "value", "message"), WRONG)
def test_wrong_entry_says_what_where_and_what_is_right(write_catalogue, entry, key, value, message):
    path = write_catalogue({"x": changed(entry, key, value)})
    with pytest.raises(ConfigError) as error:
        load_catalogue(path)
    assert str(error.value).startswith(f"{path}: x") and message in str(error.value)
    assert len(str(error.value).splitlines()) == 1


ENTRY = "{source: {sklearn: iris}, split: {fraction: 0.3, seed: 1}}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {}\nb: {}\na: {}\n", 'line 3: found duplicate key "a"'),
        ("a: {b: [}\n", "line 1: "),
        ("- a\n", "must be a mapping"),
        ("a b: " + ENTRY, "a b: use at most 100"),
        ("x" * 101 + ": " + ENTRY, "at most 100"),
        ("7: " + ENTRY, "line 1: the key 7 is not text"),
        ("x: 3", ": x: "),
    ],
)
def test_file_that_is_no_catalogue(write_catalogue, text, message):
    with pytest.raises(ConfigError, match=f"catalogue.yaml.*{message}"):
        load_catalogue(write_catalogue(text))


def test_all_errors_are_reported_at_once(write_catalogue, tmp_path):
    path = write_catalogue(
        {"x": FROM_FILES | {"task": "X", "features": -1}, "y": FROM_DISK | {"task": 1}}
    )
    with pytest.raises(ConfigError) as error:
        load_catalogue(path)
    assert len(str(error.value).splitlines()) == 3
    with pytest.raises(ConfigError, match=r"absent\.yaml cannot be read"):
        load_catalogue(tmp_path / "absent.yaml")
    assert load_catalogue(write_catalogue("# none yet\n")) == {}


def test_references_between_entries(write_catalogue):
    other = changed(FROM_FILES, "source.files.train.sha256", SHA[::-1])
    with pytest.raises(
        ConfigError,
        match=r"y\.source\.files\.train: the url, .* of .* differs from that in x.source",
    ):
        load_catalogue(write_catalogue({"x": FROM_FILES, "y": other}))
    part = FROM_DISK | {"split": {"complement_of": "whole"}}
    for whole in (FROM_CSV, FROM_IDX, GENERATED):
        with pytest.raises(
            ConfigError, match="'whole' must be an entry whose files have the same format as"
        ):
            load_catalogue(write_catalogue({"whole": whole, "part": part}))
    catalogue = load_catalogue(write_catalogue({"whole": FROM_FILES, "part": part}))
    assert list(required_files(catalogue["part"], catalogue)) == ["train", "whole"]
    assert required_files(catalogue["part"], catalogue)["whole"].name == FILE["name"]


def test_size_and_name_that_are_unknown(write_catalogue):
    catalogue = load_catalogue(write_catalogue({"board": GENERATED, "x": FROM_DISK}))
    assert catalogue["board"].resized(99).source.size == 99
    for name, size in (("x", 99), ("board", 0)):
        with pytest.raises(ConfigError, match=f"{name}: size"):
            catalogue[name].resized(size)
    with pytest.raises(ConfigError, match=r"unknown data set 'borad'; did you mean 'board'\?"):
        find_entry(catalogue, "borad")


def test_digest_follows_what_decides_the_arrays_and_nothing_else(write_catalogue):
    def digest(entry, subset=None):
        catalogue = load_catalogue(write_catalogue({"whole": FROM_FILES, "x": entry}))
        return entry_digest(catalogue["x"], catalogue, subset)

    base = FROM_DISK | {"split": {"complement_of": "whole"}}
    assert digest(base) == digest(
        base | {"title": "X", "papers": ["singh"], "note": "n", "group": "g"}
    )
    others = [
        base | {"scaling": "standard"},
        base | {"positive": [1]},
        base | {"scaling": "minmax"},
        base | {"features": 3},
        FROM_DISK,
        base | {"sigma2": 2.0},
    ]
    summed = {"train": {"name": "x/x", "url": "http://here/x", "sha256": "0" * 64}}
    moved = {"train": summed["train"] | {"url": "http://there/x"}}
    loose = [{"train": files["train"] | {"sha256": "unverified"}} for files in (summed, moved)]
    here, there, *unverified = (
        digest(base | {"source": {"files": files}}) for files in (summed, moved, *loose)
    )
    assert here == there and len({here, *unverified}) == 3
    digests = {digest(entry) for entry in [base, *others]} | {digest(base, {"train": 3})}
    assert len(digests) == len(others) + 2


def test_catalogue_of_the_current_folder_comes_first_then_that_of_the_package(
    tmp_path, monkeypatch, write_catalogue
):
    monkeypatch.chdir(tmp_path)
    assert "a1a" in load_catalogue()
    (tmp_path / "config").mkdir()
    write_catalogue({"mine": FROM_DISK}).rename(tmp_path / "config/datasets.yaml")
    assert list(load_catalogue()) == ["mine"]
    (tmp_path / "config/datasets.yaml").unlink()
    (tmp_path / "datasets.yaml").write_text(json.dumps({"packaged": FROM_DISK}))
    monkeypatch.setattr(catalogue_module, "_PACKAGE", tmp_path)
    assert list(load_catalogue()) == ["packaged"]


# The following tests are for the entries of the project. Entries that a user added need only be
# valid.

CATALOGUE = load_catalogue()
SHIPPED = {name: entry for name, entry in CATALOGUE.items() if name in SHIPPED_NAMES}
PRINTED = printed_sizes()


def test_shipped_entries_are_complete_and_files_come_from_one_place():
    """USPS is on two web pages, and the two versions have different scalings. An entry must not mix
    parts of both versions.
    """
    assert set(SHIPPED) == set(SHIPPED_NAMES), (
        "an entry of the project is listed in tests/datasets/shipped.py"
    )
    for name, entry in SHIPPED.items():
        files = required_files(entry, CATALOGUE).values()
        assert None not in (
            entry.task,
            entry.features,
            entry.expected.train,
            entry.expected.test,
        ), name
        assert (
            entry.expected.classes and entry.licence and entry.citation and entry.title != name
        ), name
        assert all(file.url.startswith("https://") and file.sha256 for file in files), name
        assert len({file.url.rpartition("/")[0] for file in files}) <= 1, name


def test_page_is_what_the_catalogue_gives():
    """`docs/datasets.md` must have a row and a section for each entry of the project. Entries that
    a user added can be on the page or not.
    """
    page = (Path(__file__).parents[2] / "docs/datasets.md").read_text(encoding="utf-8")
    assert page in (write_page(SHIPPED), write_page(CATALOGUE)), (
        "run: fwsvm datasets docs --output docs/datasets.md"
    )
    for name in SHIPPED_NAMES:
        assert page.count(f"\n| [{name}](#{name}) | ") == page.count(f"\n## {name}\n") == 1


def test_titles_and_files_are_unique():
    titles = [entry.title for entry in SHIPPED.values()]
    assert len(set(titles)) == len(titles)
    files = {
        file.name: file
        for entry in SHIPPED.values()
        for file in required_files(entry, CATALOGUE).values()
    }
    assert len({file.url for file in files.values()}) == len(files)
    sums = [file.sha256 for file in files.values() if file.checksum == "verified"]
    assert len(set(sums)) == len(sums)


@pytest.mark.parametrize("name", sorted(set(SHIPPED) & set(PRINTED)))
def test_entry_agrees_with_the_printed_table(name):
    entry, printed = CATALOGUE[name], PRINTED[name]
    assert "frandi2013" in entry.papers
    expected = entry.expected
    ours = {"m": expected.train, "t": expected.test, "K": expected.classes, "n": entry.features}
    assert {key for key, size in ours.items() if size != printed[key]} == set(entry.differs) & set(
        ours
    )
