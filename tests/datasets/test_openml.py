"""Test data sets of OpenML.

A server on the loopback interface gives answers in the form of OpenML, and scikit-learn reads them.
"""

import hashlib
import json
import re
import socket
from types import SimpleNamespace

import numpy as np
import pytest

from fwsvm.cli import main
from fwsvm.inputs.errors import ConfigError, DataError, DownloadError, UnavailableError
from fwsvm_papers.datasets import load_catalogue, load_dataset
from fwsvm_papers.datasets.describe import describe, write_page
from fwsvm_papers.datasets.entries import entry_digest
from fwsvm_papers.datasets.fetch import fetch_files
from fwsvm_papers.pipeline.data import fetch_dataset

API = "api/v1/json/data"
COLUMNS = [  # name, type, values (or None), and how OpenML marks the column
    ("id", "numeric", None, {"is_row_identifier": "true"}),
    ("size, cm", "numeric", None, {}),
    ("colour", "nominal", ["dark red", "it's", "10%", "007"], {}),
    ("grade", "nominal", ["1", "2", "10"], {}),
    ("remark", "string", None, {}),
    ("old", "numeric", None, {"is_ignore": "true"}),
    ("kind", "nominal", ["yes", "no", "01"], {"is_target": "true"}),
]
ROWS = [
    (
        row,
        0.1 * row,
        ["dark red", "it's", "10%", "007"][row % 4],
        ["1", "2", "10"][row % 3],
        f"text, {row}",
        7,
        label,
    )
    for row, label in enumerate(["yes", "no", "01", "no"] * 6)
]


def quoted(value):
    return (
        '"' + value + '"' if isinstance(value, str) and re.search("[ ,'%]", value) else str(value)
    )


def arff(columns=COLUMNS, rows=ROWS):
    kinds = [
        f"{{{','.join(map(quoted, values))}}}" if values else kind for _, kind, values, _ in columns
    ]
    head = [
        f"@ATTRIBUTE {quoted(name)} {kind}" for (name, *_), kind in zip(columns, kinds, strict=True)
    ]
    lines = [",".join("?" if value is None else quoted(value) for value in row) for row in rows]
    return "\n".join(["% a comment", "@RELATION x", *head, "@DATA", *lines, ""]).encode()


class Openml:
    """The data set that a test adds to the files of a server. A test can change its parts."""

    def __init__(self, server):
        self.server = server

    def add(
        self,
        number=61,
        name="Shapes",
        version=3,
        columns=COLUMNS,
        rows=ROWS,
        content=None,
        **changes,
    ):
        content = arff(columns, rows) if content is None else content
        url = f"https://api.openml.org/data/v1/download/9{number}/{name}.arff"
        marks = {"is_target": "false", "is_ignore": "false", "is_row_identifier": "false"}
        features = [
            {
                "index": str(index),
                "name": column,
                "data_type": kind,
                "number_of_missing_values": "0",
            }
            | marks
            | own
            for index, (column, kind, _, own) in enumerate(columns)
        ]
        info = {
            "id": str(number),
            "name": name,
            "version": str(version),
            "description": "Shapes.",
            "format": "ARFF",
            "status": "active",
            "url": url,
            "file_id": f"9{number}",
            "md5_checksum": hashlib.md5(content).hexdigest(),
        }
        listed = {"did": number, "name": name, "version": version, "status": "active"}
        answers = {
            f"{API}/{number}": {"data_set_description": info | changes},
            f"{API}/features/{number}": {"data_features": {"feature": features}},
            f"{API}/qualities/{number}": {
                "data_qualities": {
                    "quality": [{"name": "NumberOfInstances", "value": f"{len(rows)}.0"}]
                }
            },
            f"{API}/list/data_name/{name.lower()}/status/active/limit/100": {
                "data": {"dataset": [listed]}
            },
        }
        self.server.files |= {path: json.dumps(answer).encode() for path, answer in answers.items()}
        self.server.files[f"data/v1/download/9{number}/{name}.arff"] = content


@pytest.fixture
def openml(server, no_mirror, monkeypatch):
    monkeypatch.setattr("fwsvm_papers.datasets.openml.SERVER", server.url)
    return Openml(server)


@pytest.fixture
def load(tmp_path, write_catalogue):
    """Return a function that prepares the entry `x` with a given value of `source.openml`."""

    def run(source, mirror=None, **keys):
        entry = {"source": {"openml": source}, "split": {"fraction": 0.25, "seed": 1}} | keys
        return load_dataset(
            "x", write_catalogue({"x": entry}), data_dir=tmp_path / "data", mirror=mirror
        )

    return run


def sorted_rows(prepared):
    """Return the rows of the training and test parts, sorted. Each row begins with the name of its
    class.
    """
    classes = np.array(prepared.meta["classes"], dtype=object)
    parts = [(prepared.X_train, prepared.y_train), (prepared.X_test, prepared.y_test)]
    rows = []
    for X, y in parts:
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        rows += [
            (str(classes[label]), *np.round(point, 9)) for label, point in zip(y, X, strict=True)
        ]
    return sorted(rows)


@pytest.mark.parametrize("source", [61, {"id": 61}, {"name": "Shapes", "version": 3}])
def test_points_are_those_of_the_server_and_nominal_columns_are_categorical(openml, load, source):
    openml.add()
    chosen = {"id": source} if isinstance(source, int) else source
    prepared = load(chosen | {"drop": ["remark"]})
    expected = []
    for _, size, colour, grade, _, _, label in ROWS:
        # the categories are sorted: numbers first, and then words
        colours = [colour == value for value in ["007", "10%", "dark red", "it's"]]
        grades = [grade == value for value in ["1", "2", "10"]]
        expected.append((label, round(size, 9), *map(float, colours + grades)))
    assert sorted_rows(prepared) == sorted(expected)
    assert describe(prepared)["checksum"] == "unverified"


def test_short_form_fits_in_one_line(openml, write_catalogue, tmp_path):
    openml.add(columns=[COLUMNS[1], COLUMNS[6]], rows=[(row[1], row[6]) for row in ROWS])
    line = "x: {source: {openml: 61}, split: {fraction: 0.25, seed: 1}}\n"
    prepared = load_dataset("x", write_catalogue(line), data_dir=tmp_path)
    assert (prepared.meta["m"], prepared.meta["t"], prepared.meta["n"]) == (18, 6, 1)


def test_second_run_needs_no_network(openml, load, server, tmp_path):
    openml.add()
    first = load({"id": 61, "drop": ["remark"]})
    server.close()
    requests = len(server.requests)
    (tmp_path / "data/prepared/x/meta.json").unlink()
    second = load({"id": 61, "drop": ["remark"]})
    assert sorted_rows(first) == sorted_rows(second) and len(server.requests) == requests
    assert sorted(path.name for path in (tmp_path / "data/raw/openml").iterdir()) == [
        "61.csv",
        "61.csv.sha256",
    ]
    # the same file is read, but a different column has the labels
    assert len(load({"id": 61, "drop": ["remark"], "target": "grade"}).meta["classes"]) == 3


def test_mirror_serves_the_table_of_another_machine(openml, load, tmp_path):
    openml.add()
    load({"id": 61, "drop": ["remark"]})
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    openml.server.close()
    assert load({"id": 61, "drop": ["remark"]}, mirror=tmp_path / "elsewhere/raw").meta["m"] == 18


def test_checksum_of_the_entry_and_of_the_first_download(openml, load, tmp_path):
    openml.add()
    load({"id": 61, "drop": ["remark"]})
    table = tmp_path / "data/raw/openml/61.csv"
    right = hashlib.sha256(table.read_bytes()).hexdigest()
    table.unlink()
    assert (
        load({"id": 61, "drop": ["remark"], "sha256": right}).meta["sources"][0]["checksum"]
        == "verified"
    )
    with pytest.raises(
        DownloadError, match=f"the content has the sha256 {right}, but the catalogue has 0000"
    ):
        load({"id": 61, "drop": ["remark"], "sha256": "0" * 64})
    openml.add(rows=ROWS[1:])
    table.write_text("damaged")
    with pytest.raises(
        DownloadError, match=r"first download had .*, as recorded in .*61\.csv\.sha256"
    ):
        load({"id": 61, "drop": ["remark"], "target": "kind"})


def test_entry_names_the_target(openml, load):
    openml.add()
    prepared = load({"id": 61, "target": "grade", "drop": ["remark", "colour"]})
    expected = [
        (grade, round(size, 9), *[float(kind == k) for k in ["01", "no", "yes"]])
        for _, size, _, grade, _, _, kind in ROWS
    ]
    assert sorted_rows(prepared) == sorted(expected)


FEW = [COLUMNS[1], COLUMNS[3], COLUMNS[6]]
TEXT = [(row[1], row[3], row[6]) for row in ROWS]
GAPS = [(None, *TEXT[0][1:]), (*TEXT[1][:2], "no"), (0.5, None, "no"), *TEXT[3:]]
NO_TARGET = [(*column[:3], {}) for column in FEW]
TWO_TARGETS = [(*column[:3], {"is_target": "true"}) for column in FEW]


@pytest.mark.parametrize(
    ("columns", "rows", "keys", "message"),
    [
        (
            COLUMNS,
            ROWS,
            {},
            r"columns \['remark'\] contain free text, which cannot be used as features; add these"
            r" columns to openml.drop",
        ),
        (
            COLUMNS,
            ROWS,
            {"target": "kimd"},
            r"openml.target: .* no column 'kimd'; did you mean 'kind'\?",
        ),
        (COLUMNS, ROWS, {"target": "old"}, "openml.target: .* no column 'old'"),
        (COLUMNS, ROWS, {"drop": ["remarks"]}, r"openml.drop: .* did you mean 'remark'\?"),
        (COLUMNS, ROWS, {"drop": ["remark", "kind"]}, "only one of label, drop and categorical"),
        (
            NO_TARGET,
            TEXT,
            {},
            "OpenML names no target .*choose one with the key openml.target. The columns are size,"
            " cm, grade, kind",
        ),
        (TWO_TARGETS, TEXT, {}, r"OpenML names 3 targets \(size, cm, grade, kind\)"),
        (
            FEW,
            GAPS,
            {},
            (
                r"'size, cm'.*missing.*: size, cm \(1 of 24\), grade \(1 of 24\); add them to"
                r" openml.drop"
            ),
        ),
        (FEW, [(*row[:2], None) for row in TEXT], {}, "'kind'.* missing"),
    ],
)
def test_wrong_columns_are_named_and_the_file_stays(
    openml, load, tmp_path, columns, rows, keys, message
):
    openml.add(columns=columns, rows=rows)
    with pytest.raises(DataError, match=message):
        load({"id": 61} | keys)
    assert (tmp_path / "data/raw/openml/61.csv").is_file()


@pytest.mark.parametrize(
    "text",
    [b"", b"a,b\n1,2\n", b"C#a,\xff\n1,2\n", b"C#a,cD#a\n1,2\n", b"<html>", b"C#,cD#b\n1,2\n"],
)
def test_file_that_is_no_table_of_openml(load, tmp_path, text, no_mirror):
    path = tmp_path / "data/raw/openml/61.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(text)
    path.with_name("61.csv.sha256").write_text(f"{hashlib.sha256(text).hexdigest()}  61.csv\n")
    with pytest.raises(DataError, match=r"61.csv, line 1: "):
        load(61)


def test_gaps_in_dropped_columns_do_no_harm(openml, load):
    openml.add(columns=FEW, rows=GAPS)
    with pytest.raises(DataError):
        load({"id": 61, "drop": ["grade"]})
    openml.add(number=62, columns=FEW, rows=[(row[0], None, row[2]) for row in TEXT])
    assert load({"id": 62, "drop": ["grade"]}).meta["n"] == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"status": "deactivated"},
            r"61 \(Shapes, version 3\) is not active but deactivated; choose another version",
        ),
        ({"format": "Sparse_ARFF"}, "format Sparse_ARFF; only dense ARFF can be read"),
        ({"md5_checksum": "0" * 32}, "md5 checksum is not the one in OpenML's description"),
        ({"rows": []}, r"61 \(Shapes, version 3\) has no rows"),
        (
            {"content": b"<html>busy</html>"},
            "data set with id 61 cannot be read: http.*Shapes.arff",
        ),
        ({"content": arff().replace(b"@DATA", b"@DATE")}, "cannot be read"),
        ({"content": arff()[:-30]}, "cannot be read"),
        ({"content": arff().replace(b"dark red", b"dark \xff\xfe")}, "cannot be read"),
    ],
)
def test_unusable_data_set_is_an_error_that_leaves_nothing(
    openml, load, tmp_path, changes, message
):
    openml.add(**changes)
    with pytest.raises(DownloadError, match=message) as error:
        load(61)
    assert not isinstance(error.value, UnavailableError)
    assert list((tmp_path / "data/raw/openml").iterdir()) == []


ODD = [
    b"",
    b"<html>log in</html>",
    b"[]",
    b"{}",
    b"null",
    b'{"data_set_description": {}}',
    b"\xff\xfe",
    b"[" * 10**5,
]


@pytest.mark.parametrize("answer", ODD, ids=lambda answer: repr(answer[:9]))
@pytest.mark.parametrize("part", ["61", "features/61", "qualities/61"])
def test_odd_answers_are_one_error(openml, load, tmp_path, answer, part):
    openml.add()
    openml.server.files[f"{API}/{part}"] = answer
    if part == "qualities/61" and answer.startswith(b"{"):
        # scikit-learn does not need this part of the answer
        assert load({"id": 61, "drop": ["remark"]}).meta["m"] == 18
        return
    with pytest.raises(
        DownloadError, match=f"OpenML's data set with id 61 cannot be read: http.*{part}"
    ):
        load(61)
    assert list((tmp_path / "data/raw/openml").iterdir()) == []


def test_unknown_data_sets(openml, load):
    openml.add()
    openml.server.files[f"{API}/7"] = b'{"error": {"code": "111", "message": "Unknown dataset"}}'
    openml.server.misbehaviour[f"{API}/7"] = 412
    for number in (7, 8):
        with pytest.raises(
            DownloadError, match=f"OpenML has no data set with the id {number}"
        ) as error:
            load(number)
        assert type(error.value) is DownloadError  # the error class is not that of network errors
    with pytest.raises(DownloadError, match="no active data set with the name 'sahpes'"):
        load({"name": "sahpes", "version": 3})
    with pytest.raises(DownloadError, match=r"no active version 4 of 'Shapes'; it has 3 \(id 61\)"):
        load({"name": "Shapes", "version": 4})


@pytest.mark.parametrize("state", ["closed", "forbidden", "busy"])
def test_without_a_network_the_set_is_skipped_or_refused(
    openml, write_catalogue, tmp_path, monkeypatch, state
):
    openml.add()
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    openml.server.misbehaviour[f"{API}/61"] = state
    if state == "closed":
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            monkeypatch.setattr(
                "fwsvm_papers.datasets.openml.SERVER", f"http://127.0.0.1:{unused.getsockname()[1]}"
            )
    catalogue = load_catalogue(
        write_catalogue("x: {source: {openml: 61}, split: {fraction: 0.25, seed: 1}}\n")
    )
    with pytest.raises(UnavailableError, match=r"cannot get openml/61.csv(.|\n)*FWSVM_MIRROR"):
        fetch_files(catalogue["x"], catalogue, tmp_path)
    configuration = SimpleNamespace(catalogue=catalogue, config={"missing": "skip"})
    assert "no local copy" in fetch_dataset(configuration, "x", tmp_path, None)["missing"]


def test_time_limit_holds(openml, load, monkeypatch):
    monkeypatch.setattr("fwsvm_papers.datasets.fetch.LONGEST_DOWNLOAD", 0.5)
    openml.add()
    openml.server.misbehaviour["data/v1/download/961/Shapes.arff"] = "drip"
    with pytest.raises(
        DownloadError, match=r"Shapes.arff: the download takes longer than 0\.5 seconds"
    ):
        load(61)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"openml": True},
            r"x.source.openml: must be an id, such as 61, or {name: iris, version: 1}",
        ),
        ({"openml": "iris"}, "x.source.openml: must be an id"),
        ({"openml": 0}, "x.source.openml.id: "),
        ({"openml": {"name": "iris"}}, r"the key version is missing.*search\?type=data&q=iris"),
        ({"openml": {"version": 1}}, "exactly one of the keys id, name"),
        ({"openml": {"id": 61, "name": "iris", "version": 1}}, "exactly one of the keys id, name"),
        ({"openml": {"id": 61, "version": 1}}, "version can only be used with name"),
        ({"openml": {"name": "../iris", "version": 1}}, "x.source.openml.name: must match"),
        ({"openml": {"id": 61, "taget": "class"}}, "this key is unknown; did you mean 'target'"),
        ({"openml": {"id": 61, "sha256": "abc"}}, "x.source.openml.sha256: must match"),
        (
            {"openml": 61, "sklearn": "iris"},
            "must have exactly one of the keys files, sklearn, openml, generator",
        ),
        (
            {"openml": 61, "format": "csv", "csv": {"label": 1}},
            "format and csv cannot be used with openml",
        ),
    ],
)
def test_wrong_entry(write_catalogue, keys, message):
    with pytest.raises(ConfigError, match=message):
        load_catalogue(
            write_catalogue({"x": {"source": keys, "split": {"fraction": 0.25, "seed": 1}}})
        )


def test_two_entries_can_use_one_data_set(write_catalogue):
    split = {"split": {"fraction": 0.25, "seed": 1}}
    entries = {
        name: {"source": {"openml": {"id": 61, "target": name}}} | split for name in ("a", "b")
    }
    catalogue = load_catalogue(write_catalogue(entries))
    assert entry_digest(catalogue["a"], catalogue) != entry_digest(catalogue["b"], catalogue)
    entries["b"]["source"]["openml"]["sha256"] = "0" * 64
    with pytest.raises(
        ConfigError,
        match=r"b.source.openml: the url, sha256 .* differs from that in a.source.openml",
    ):
        load_catalogue(write_catalogue(entries))


def test_commands(openml, write_catalogue, tmp_path, capsys):
    openml.add()
    source = {"openml": {"name": "Shapes", "version": 3, "drop": ["remark"]}}
    path = write_catalogue({"x": {"source": source, "split": {"fraction": 0.25, "seed": 1}}})

    def fwsvm(action, *arguments):
        options = ["--catalogue", str(path), "--data-dir", str(tmp_path / "data")]
        code = main(["datasets", action, *arguments, *options])
        assert code in (0, None)
        return capsys.readouterr().out

    assert "1 of 1 files missing" in fwsvm("list")
    (row,) = json.loads(fwsvm("fetch", "x", "--json"))["files"]
    assert row["path"].endswith("raw/openml/shapes-3.csv") and row["checksum"] == "unverified"
    assert (
        row["sha256"]
        == hashlib.sha256((tmp_path / "data/raw/openml/shapes-3.csv").read_bytes()).hexdigest()
    )
    assert "fetched" in fwsvm("list")
    text = fwsvm("describe", "x")
    assert "https://www.openml.org/search?type=data&q=shapes" in text and row["sha256"] in text
    page = write_page(load_catalogue(path))
    assert (
        "OpenML [Shapes, version 3](https://www.openml.org/search?type=data&q=shapes), without"
        " remark" in page
    )
