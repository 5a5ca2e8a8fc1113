"""The catalogue: what a wrong entry says, and what a right one becomes."""

import copy

import pytest

from fwsvm.base.errors import ConfigError
from fwsvm.datasets import catalogue as catalogue_module
from fwsvm.datasets.catalogue import find_entry, load_catalogue
from fwsvm.datasets.entries import (
    ComplementOf,
    CsvOptions,
    FileEntry,
    FreshPoints,
    PackageSource,
    RandomFraction,
    Scaling,
    SeparateFile,
    entry_digest,
    required_files,
)

SHA = "0123456789abcdef" * 4
FILE = {"name": "libsvm/binary/x", "url": "https://example.org/x", "sha256": SHA}
FROM_FILES = {"source": {"files": {"train": FILE, "test": FILE | {"name": "x.t"}}}, "split": {"test": "file"}}
FROM_DISK = {"source": {"files": {"train": {"path": "x.svm"}}}, "split": {"fraction": 0.2, "seed": 1}}
FROM_CSV = {
    "source": {"files": {"train": {"path": "x.csv"}}, "format": "csv", "csv": {"label": -1}},
    "split": {"fraction": 0.2, "seed": 1},
}
FROM_IDX = {
    "source": {"files": {"train": {"path": "x"}, "train_labels": {"path": "y"}}, "format": "idx"},
    "split": {"fraction": 0.2, "seed": 1},
}
GENERATED = {
    "source": {"generator": "checkerboard", "size": 10, "seed": 1},
    "split": {"test_size": 5},
}


def changed(entry, key, value):
    """A copy of an entry with the value at a dotted key replaced (or removed, if None)."""
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


WRONG = [
    (FROM_FILES, "titel", "X", "x: unknown key 'titel'; did you mean 'title'?"),
    (FROM_FILES, "source", None, "x: the key 'source' is missing"),
    (FROM_FILES, "features", "123", "x.features: '123' is of the wrong type; wanted: integer"),
    (FROM_FILES, "features", True, "x.features: True is of the wrong type; wanted: integer"),
    (FROM_FILES, "features", 0, "x.features: 0 is not right; wanted: a number of features from 1"),
    (FROM_FILES, "task", "binry", "x.task: 'binry' is not known; did you mean 'binary'?"),
    (
        FROM_FILES,
        "papers",
        ["frandi2031"],
        "x.papers.0: 'frandi2031' is not known; did you mean 'frandi2013'?",
    ),
    (FROM_FILES, "sigma2", "averge", "x.sigma2: 'averge' is not known; did you mean 'average'?"),
    (FROM_FILES, "sigma2", -1, "x.sigma2: -1 is out of range; wanted: a number > 0"),
    (FROM_FILES, "scaling", "minmaks", "x.scaling: 'minmaks' is not known; did you mean 'minmax'?"),
    (
        FROM_FILES,
        "scaling",
        {"minmax": [1]},
        "x.scaling.minmax: [1] is not right; wanted: a pair [low, high]",
    ),
    (FROM_FILES, "scaling", {"minmax": [1, 0]}, "x.scaling.minmax: low 1.0 is not below high 0.0"),
    (FROM_FILES, "expected", {"rows": 3}, "x.expected: unknown key 'rows'; known: train, test, classes"),
    (
        FROM_FILES,
        "source.files.train.sha256",
        "abc",
        "x.source.files.train.sha256: 'abc' is not right; wanted: the",
    ),
    (FROM_FILES, "source.files.train.sha256", None, "x.source.files.train: 'url' needs 'sha256' as well"),
    (
        FROM_FILES,
        "source.files.train.url",
        "ftp:/x",
        "x.source.files.train.url: 'ftp:/x' is not right; wanted:",
    ),
    (
        FROM_FILES,
        "source.files.train.name",
        "../x",
        "x.source.files.train.name: '../x' is not right; wanted:",
    ),
    (
        FROM_FILES,
        "source.files.train.name",
        "x.bz2",
        "x.source.files.train.name: 'x.bz2' is not right; wanted:",
    ),
    (
        FROM_FILES,
        "source.files.train.path",
        "x",
        "exactly one of these is wanted: url, path; there is 'name', ",
    ),
    (FROM_FILES, "source.files.test.name", FILE["name"], None),
    (
        FROM_FILES,
        "source.sklearn",
        "iris",
        "x.source: exactly one of these is wanted: files, sklearn, generator",
    ),
    (FROM_FILES, "source.files", 3, "x.source.files: 3 is of the wrong type; wanted: object"),
    (FROM_FILES, "source.files.test", None, "x.split: 'test: file' needs the key source.files.test"),
    (FROM_FILES, "split", {"test_size": 3}, "x.split.test_size: only a generated set draws new points"),
    (FROM_FILES, "split", {"fraction": 0.1, "seed": 1}, "x.source.files.test: is not used"),
    (
        FROM_FILES,
        "split",
        {},
        "x.split: exactly one of these is wanted: test, fraction, complement_of, test_size",
    ),
    (FROM_DISK, "split", {"complement_of": "y"}, "x.split.complement_of: 'y' is not an entry; known: x"),
    (FROM_DISK, "split.seed", None, "x.split: 'fraction' needs 'seed' as well"),
    (FROM_DISK, "split.fraction", 1, "x.split.fraction: 1 is out of range; wanted: a number < 1"),
    (FROM_DISK, "source.format", "svm", "x.source.format: 'svm' is not known; did you mean 'libsvm'?"),
    (GENERATED, "source.generator", "chekerboard", "did you mean 'checkerboard'?"),
    (
        GENERATED,
        "source.parameters",
        {"cels": 3},
        "unknown parameter 'cels' of checkerboard; did you mean 'cells'?",
    ),
    (GENERATED, "source.seed", None, "x.source: 'generator' needs 'seed' as well"),
    (GENERATED, "split", {"complement_of": "x"}, "x.split.complement_of: needs a source of files"),
    (FROM_FILES, "source.files.train.sha256", "unverified", None),
    (FROM_FILES, "source.files.train.sha256", "Unverified", "wanted: the sha256 of the decompressed content, 64"),
    (FROM_FILES, "scaling", "standard", None),
    (FROM_FILES, "scaling", "unit-length", None),
    (FROM_FILES, "scaling", {"divide": 255}, None),
    (FROM_FILES, "scaling", {"divide": 0}, "x.scaling.divide: 0 is out of range; wanted: a number > 0"),
    (FROM_FILES, "scaling", {"minmax": [0, 1], "divide": 2}, "exactly one of these is wanted: minmax, divide"),
    (FROM_FILES, "scaling", {"center": 1}, "x.scaling: unknown key 'center'; known: divide, minmax"),
    (FROM_FILES, "positive", [], "x.positive: [] is not right; wanted: a list of class labels"),
    (FROM_FILES, "positive", ["a", 2], None),
    (FROM_FILES | {"task": "multiclass"}, "positive", [1], "x.positive: makes a binary task; the key task says multi"),
    (FROM_DISK, "source.csv", {"label": 1}, "x.source.csv: goes with 'format: csv'"),
    (FROM_CSV, "source.csv", None, "x.source.csv: goes with 'format: csv', which needs it (with the key 'label'"),
    (FROM_CSV, "source.csv.label", None, "x.source.csv: the key 'label' is missing"),
    (FROM_CSV, "source.csv.label", 0, "x.source.csv.label: 0 is not right; wanted: the name of a column, or its po"),
    (FROM_CSV, "source.csv.label", "class", "x.source.csv: the name 'class' needs 'header: true'"),
    (FROM_CSV, "source.csv.drop", ["age"], "x.source.csv: the name 'age' needs 'header: true'"),
    (FROM_CSV, "source.csv.separator", "", "x.source.csv.separator: '' is not right; wanted: \"whitespace\" or one"),
    (FROM_CSV, "source.csv.categorical", "all", "x.source.csv.categorical: 'all' is not known; known: auto"),
    (FROM_CSV, "source.csv", {"label": "b", "header": True, "categorical": ["a", 3], "separator": "\t"}, None),
    (FROM_CSV, "source.csv.lable", 1, "x.source.csv: unknown key 'lable'; did you mean 'label'?"),
    (FROM_IDX, "source.format", "idx", None),
    (FROM_IDX, "source.files.train_labels", None, "'train' needs 'train_labels' as well with 'format: idx'"),
    (FROM_IDX, "source.format", "libsvm", "x.source.files.train_labels: is not used; it goes with 'format: idx'"),
    (FROM_IDX, "source.files.test_labels", {"path": "z"}, "x.source.files.test_labels: is not used"),
]


@pytest.mark.parametrize(("entry", "key", "value", "message"), WRONG)
def test_wrong_entry_says_what_where_and_what_is_right(write_catalogue, entry, key, value, message):
    path = write_catalogue({"x": changed(entry, key, value)})
    if message is None:
        load_catalogue(path)
        return
    with pytest.raises(ConfigError) as error:
        load_catalogue(path)
    assert str(error.value).startswith(f"{path}: x")
    assert message in str(error.value)


def test_all_errors_are_told_at_once(write_catalogue):
    path = write_catalogue({"x": FROM_FILES | {"titel": "X", "features": -1}, "y": FROM_DISK | {"task": 1}})
    with pytest.raises(ConfigError) as error:
        load_catalogue(path)
    assert len(str(error.value).splitlines()) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {}\nb: {}\na: {}\n", "line 3: the key 'a' is there already in line 1"),
        ("a:\n  x: 1\n  x: 2\n", "line 3: the key 'x' is there already in line 2"),
        ("a: {b: [}\n", "line 1: "),
        ("- a\n", r"\['a'\] is of the wrong type; wanted: object"),
        ("a b: {}\n", "'a b' is not right; wanted: a name of letters"),
    ],
)
def test_file_that_is_no_catalogue(write_catalogue, text, message):
    with pytest.raises(ConfigError, match=f"catalogue.yaml.*{message}"):
        load_catalogue(write_catalogue(text))


def test_missing_catalogue(tmp_path):
    with pytest.raises(ConfigError, match=r"absent\.yaml: cannot be read"):
        load_catalogue(tmp_path / "absent.yaml")


def test_empty_catalogue(write_catalogue):
    assert load_catalogue(write_catalogue("# none yet\n")) == {}


def test_name_of_a_file_stands_for_one_file(write_catalogue):
    other = changed(FROM_FILES, "source.files.train.sha256", SHA[::-1])
    with pytest.raises(ConfigError, match=r"y\.source\.files\.train: .* has another url or sha256 than in x.source"):
        load_catalogue(write_catalogue({"x": FROM_FILES, "y": other}))


def test_short_entry_has_defaults(write_catalogue):
    entry = load_catalogue(write_catalogue({"x": FROM_DISK}))["x"]
    assert (entry.name, entry.title, entry.paper_name, entry.group) == ("x", "x", "x", "other")
    assert (entry.features, entry.sigma2, entry.scaling, entry.papers) == (None, "average", Scaling(), ())
    assert entry.source.format == "libsvm"
    assert entry.source.files == {"train": FileEntry(path="x.svm")}
    assert entry.split == RandomFraction(0.2, 1)


def test_kinds_of_sources_splits_and_scalings(write_catalogue):
    entries = {
        "whole": FROM_FILES,
        "part": FROM_DISK | {"split": {"complement_of": "whole"}},
        "iris": {"source": {"sklearn": "iris"}, "split": {"fraction": 0.1, "seed": 2}, "scaling": "minmax"},
        "board": GENERATED | {"scaling": {"minmax": [-1, 1]}},
    }
    catalogue = load_catalogue(write_catalogue(entries))
    assert list(catalogue) == list(entries)
    assert catalogue["whole"].split == SeparateFile()
    assert catalogue["part"].split == ComplementOf("whole")
    assert catalogue["iris"].source == PackageSource("iris")
    assert catalogue["iris"].scaling == Scaling("minmax", 0.0, 1.0)
    assert catalogue["board"].split == FreshPoints(5)
    assert catalogue["board"].scaling == Scaling("minmax", -1.0, 1.0)
    assert list(required_files(catalogue["part"], catalogue)) == ["train", "whole"]
    assert required_files(catalogue["part"], catalogue)["whole"].name == FILE["name"]
    assert required_files(catalogue["iris"], catalogue) == {}


def test_complement_of_another_format(write_catalogue):
    entries = {"whole": FROM_CSV, "part": FROM_DISK | {"split": {"complement_of": "whole"}}}
    with pytest.raises(ConfigError, match="'whole' must be a file of the same format, libsvm or csv"):
        load_catalogue(write_catalogue(entries))


def test_options_of_a_table(write_catalogue):
    keys = {"label": "b", "header": True, "categorical": "auto", "drop": [1], "missing_values": ["?"]}
    entry = load_catalogue(write_catalogue({"x": changed(FROM_CSV, "source.csv", keys) | {"positive": ["a"]}}))["x"]
    assert entry.source.csv == CsvOptions("b", ",", True, "auto", (1,), ("?",))
    assert entry.positive == ("a",)


def test_complement_of_what_has_no_files(write_catalogue):
    entries = {"board": GENERATED, "part": FROM_DISK | {"split": {"complement_of": "board"}}}
    with pytest.raises(ConfigError, match="'board' must be an entry with a source of files"):
        load_catalogue(write_catalogue(entries))


def test_unknown_name_suggests_the_closest(write_catalogue):
    catalogue = load_catalogue(write_catalogue({"checkerboard": GENERATED}))
    with pytest.raises(ConfigError, match=r"unknown data set 'chekerboard'; did you mean 'checkerboard'\?"):
        find_entry(catalogue, "chekerboard")


def test_digest_follows_what_decides_the_arrays_and_nothing_else(write_catalogue):
    def digest(entry, subset=None):
        catalogue = load_catalogue(write_catalogue({"whole": FROM_FILES, "x": entry}))
        return entry_digest(catalogue["x"], catalogue, subset)

    base = FROM_DISK | {"split": {"complement_of": "whole"}}
    assert digest(base) == digest(base | {"title": "X", "papers": ["singh"], "note": "n", "group": "g"})
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
    here, there, *unverified = (digest(base | {"source": {"files": files}}) for files in (summed, moved, *loose))
    assert here == there and len({here, *unverified}) == 3
    digests = {digest(entry) for entry in [base, *others]} | {digest(base, {"train": 3})}
    assert len(digests) == len(others) + 2


def test_size_is_for_generated_sets_only(write_catalogue):
    catalogue = load_catalogue(write_catalogue({"board": GENERATED, "x": FROM_DISK}))
    assert catalogue["board"].resized(99).source.size == 99
    with pytest.raises(ConfigError, match="x: size can only be set for a generated data set"):
        catalogue["x"].resized(99)
    with pytest.raises(ConfigError, match="size must be at least 1, not 0"):
        catalogue["board"].resized(0)


def test_catalogue_of_the_current_folder_comes_first(tmp_path, monkeypatch, write_catalogue):
    monkeypatch.chdir(tmp_path)
    assert "a1a" in load_catalogue()
    (tmp_path / "config").mkdir()
    write_catalogue({"mine": FROM_DISK}).rename(tmp_path / "config/datasets.yaml")
    assert list(load_catalogue()) == ["mine"]


def test_catalogue_and_schema_shipped_in_the_package_come_before_the_checkout(tmp_path, monkeypatch):
    (tmp_path / "datasets.yaml").write_text("{}")
    monkeypatch.setattr(catalogue_module, "_PACKAGE", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert load_catalogue() == {}
