"""KDD Cup 1999: invented lines, a stand-in for the full file, and the real files where a mirror has them."""

import gzip

import numpy as np
import pytest
from entry_contract import check_prepared
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kdd_stand_in import invented_lines, write_stand_in
from peak_memory import megabytes_to_prepare

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.datasets import load_catalogue, load_dataset
from fwsvm.datasets.builders import build, kdd99

LINE = (
    b"0,tcp,http,SF,181,5450,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,8,8,0.00,0.00,0.00,0.00,1.00,0.00,0.00,9,9,"
    b"1.00,0.00,0.11,0.00,0.00,0.00,0.00,0.00,normal.\n"
)


@pytest.fixture
def write(tmp_path):
    def write(*lines, name="kddcup.data"):
        path = tmp_path / name
        path.write_bytes(b"".join(lines))
        return path

    return write


def reference(lines):
    """The features by a plain loop: one column for a number, one for each value of a symbolic attribute."""
    rows = []
    for line in lines:
        row = []
        for name, field in zip(kdd99.ATTRIBUTES, line.decode().split(","), strict=False):
            known = kdd99.SYMBOLIC.get(name)
            row += [float(field)] if known is None else [float(field == value) for value in known]
        rows.append(row)
    return np.array(rows)


def test_features_are_those_of_a_plain_loop(write, monkeypatch):
    lines = invented_lines(70, np.random.default_rng(1))
    expected = reference(lines)
    assert expected.shape == (70, 127)
    for block in (1 << 24, 1000, 7):
        monkeypatch.setattr(kdd99, "BLOCK", block)
        built = build("kdd99", {"train": write(*lines)}, {"classes": "five"})
        np.testing.assert_array_equal(built.X_train.toarray(), expected)
        assert built.y_train.tolist() == [(0, 2, 2, 1, 4, 3)[row % 6] for row in range(70)]
        assert built.X_train.has_canonical_format
        assert built.facts == {"kinds": 6}


def test_last_line_need_not_end_and_files_may_be_compressed(write, tmp_path):
    expected = reference([LINE, LINE])
    for content in (LINE + LINE[:-1], (LINE + LINE).replace(b"\n", b"\r\n"), gzip.compress(LINE + LINE)):
        np.testing.assert_array_equal(kdd99.build(write(content), classes="two").X_train.toarray(), expected)


def test_the_twenty_two_attacks_have_a_class():
    kinds = " ".join(kdd99.ATTACKS.values()).split()
    assert len(kinds) == len(set(kinds)) == 22
    assert list(kdd99.CLASSES) == ["normal", "probe", "dos", "u2r", "r2l"]


def test_kinds_that_training_has_not(write):
    train, test = write(LINE, LINE.replace(b"normal", b"smurf")), [LINE, LINE.replace(b"normal", b"mscan")] * 3
    built = kdd99.build(train, write(*test, name="corrected"), classes="two")
    assert built.y_train.tolist() == [-1, 1]
    assert built.y_test.tolist() == [-1, 1] * 3
    assert built.facts == {"kinds": 2, "test_kinds_unseen_in_training": 1, "test_points_of_unseen_kinds": 3}
    with pytest.raises(DataError, match=r"corrected, line 2: the kind 'mscan' is in none of the five classes; known:"):
        kdd99.build(train, write(*test, name="corrected"), classes="five")


WRONG = [
    (b"181,", b"", "there are 41 fields; 42 are wanted"),
    (b"181,", b"181,1,", "there are 43 fields; 42 are wanted"),
    (b"181", b"x", "src_bytes is 'x', which is not a finite number from 0 on"),
    (b"181", b"", "src_bytes is '', which"),
    (b"181", b"-1", "src_bytes is '-1', which"),
    (b"181", b"nan", "src_bytes is 'nan', which"),
    (b"181", b"1e999", "src_bytes is '1e999', which"),
    (b"181", b"1_0", "src_bytes is '1_0', which"),
    (b"http", b"htpt", "service is 'htpt'; did you mean 'http'?"),
    (b"tcp", b"", "protocol_type is ''; known: icmp, tcp, udp"),
    (b"5450,0", b"5450,2", "land is '2'; known: 0, 1"),
    (b"normal.", b"normal", "the kind 'normal' is not a word that ends with a dot"),
    (b"normal.", b"", "the kind '' is not a word that ends with a dot"),
    (b"normal.", b"\xff.", "the kind 'ÿ.' is not a word"),
    (LINE, b"\n", "there are 1 fields; 42 are wanted"),
    (LINE, LINE.replace(b",", b" "), "there are 1 fields; 42 are wanted"),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
@pytest.mark.parametrize("block", [1 << 24, 300])
def test_wrong_line_is_named(write, monkeypatch, old, new, message, block):
    monkeypatch.setattr(kdd99, "BLOCK", block)
    with pytest.raises(DataError) as error:
        kdd99.build(write(LINE, LINE, LINE.replace(old, new, 1), LINE), classes="five")
    assert f"kddcup.data, line 3: {message}" in str(error.value)


def test_one_field_too_many_and_one_too_few(write):
    long, short = LINE.replace(b"181,", b"181,1,"), LINE.replace(b"181,", b"")
    for lines in ((long, short), (short, long), (LINE, long, LINE, short)):
        with pytest.raises(DataError, match=r"line \d: there are 4[13] fields"):
            kdd99.build(write(*lines), classes="five")


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes_give_an_error_with_a_line_or_the_right_shape(write, data):
    content = bytearray(LINE * 4)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path = write(bytes(content))
    try:
        built = kdd99.build(path, classes="two")
    except DataError as error:
        assert f"{path}, line " in str(error) or f"{path}: the compressed data" in str(error)
    else:
        lines = bytes(content).splitlines()
        assert built.X_train.shape == (len(lines), 127)
        np.testing.assert_allclose(built.X_train.toarray(), reference(lines), rtol=1e-15)


def test_files_that_cannot_be_read(write, tmp_path):
    with pytest.raises(DataError, match=r"kddcup.data: the file is empty"):
        kdd99.build(write(), classes="two")
    with pytest.raises(DataError, match=r"absent: there is no such file"):
        kdd99.build(tmp_path / "absent", classes="two")
    with pytest.raises(DataError, match=r"kddcup.data: the compressed data are truncated"):
        kdd99.build(write(gzip.compress(LINE * 50)[:-9]), classes="two")
    with pytest.raises(ConfigError, match="classes is 'six'; 'five' or 'two' is wanted"):
        kdd99.build(write(LINE), classes="six")


def test_values_that_training_has_not_become_zero_and_are_counted(write, prepare_entry):
    train = write(LINE, LINE.replace(b"181", b"281").replace(b"normal", b"smurf"))
    new = LINE.replace(b",http,", b",icmp,").replace(b"0,0,8,8", b"1,0,8,8").replace(b"181", b"231")
    paths = {"train": train, "test": write(LINE, new, new, name="corrected")}
    source = {"builder": "kdd99", "parameters": {"classes": "two"}}
    source["files"] = {role: {"path": str(path)} for role, path in paths.items()}
    prepared = prepare_entry({"source": source, "split": {"test": "builder"}, "scaling": "minmax"})
    src_bytes = 1 + 3 + 71 + 11
    assert np.flatnonzero(prepared.X_train.any(axis=0)).tolist() == [src_bytes]
    assert np.flatnonzero(prepared.X_test.any(axis=0)).tolist() == [src_bytes]
    assert prepared.X_test[:, src_bytes].tolist() == [0, 0.5, 0.5]
    assert prepared.meta["built"]["test_points_with_such_a_feature"] == 2


def test_stand_in_repeats_lines_with_other_numbers(write, tmp_path):
    lines = invented_lines(7, np.random.default_rng(3))
    write_stand_in(tmp_path / "standin", lines, 20, np.random.default_rng(4))
    made = (tmp_path / "standin").read_bytes().splitlines(keepends=True)
    assert len(made) == len(set(made)) == 20
    assert [line.split(b",")[6:] for line in made] == [line.split(b",")[6:] for line in (lines * 3)[:20]]


def test_memory_for_a_twentieth_of_the_full_file(tmp_path, write_catalogue):
    """The full file's 4.9 million lines may take 12 GB: 2.4 kB for each; the stand-in takes less than half of that."""
    rows = 245_000
    lines = invented_lines(1000, np.random.default_rng(5))
    write_stand_in(tmp_path / "train", lines, rows, np.random.default_rng(6))
    write_stand_in(tmp_path / "test", lines, 1000, np.random.default_rng(7))
    source = {"builder": "kdd99", "parameters": {"classes": "two"}}
    source["files"] = {role: {"path": str(tmp_path / role)} for role in ("train", "test")}
    catalogue = write_catalogue({"stand-in": {"source": source, "split": {"test": "builder"}, "scaling": "minmax"}})
    assert megabytes_to_prepare("stand-in", catalogue, tmp_path) < 0.5 * 12e3 * rows / 4_898_431 + 50
    prepared = load_dataset("stand-in", load_catalogue(catalogue), tmp_path)
    assert prepared.X_train.shape == (rows, 127)
    assert prepared.meta["classes"] == [-1, 1]
    assert prepared.meta["class_counts"]["train"][0] == 167 * 245


@pytest.fixture(scope="module")
def prepared(mirror, tmp_path_factory):
    return load_dataset("kdd99-10pc", load_catalogue(), tmp_path_factory.mktemp("data"), mirror)


def test_sizes_are_the_printed_ones(prepared):
    check_prepared("kdd99-10pc", prepared, load_catalogue())
    meta = prepared.meta
    assert (meta["m"], meta["t"], meta["K"], meta["n"]) == (395_216, 98_805, 5, 127)
    together = np.add(meta["class_counts"]["train"], meta["class_counts"]["test"])
    assert together.tolist() == [97_278, 4_107, 391_458, 52, 1_126]
    assert meta["built"]["kinds"] == 23


def test_scaling_is_that_of_the_training_part(prepared):
    assert prepared.meta["storage"] == "csr"
    highest = prepared.X_train.max(axis=0).toarray().ravel()
    assert prepared.X_train.data.min() > 0
    assert sorted(np.unique(highest)) == [0, 1]
    assert (highest == 0).sum() == prepared.meta["built"]["features_empty_in_training"] + 1


@pytest.mark.exhaustive
def test_same_bytes_twice(prepared, tmp_path):
    raw = prepared.folder.parents[1]
    again = load_dataset("kdd99-10pc", load_catalogue(), tmp_path, mirror=raw / "raw")
    for part in ("X_train", "X_train.indices", "X_test", "y_train", "y_test"):
        first, second = (folder / f"{part}.npy" for folder in (prepared.folder, again.folder))
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.exhaustive
def test_real_test_file_has_attacks_unseen_in_training(mirror):
    folder = mirror / "uci/kddcup99"
    built = kdd99.build(folder / "kddcup.data_10_percent.gz", folder / "corrected.gz", classes="two")
    assert built.X_test.shape == (311_029, 127)
    assert np.bincount(built.y_test + 1)[[0, 2]].tolist() == [60_593, 250_436]
    assert built.facts["test_kinds_unseen_in_training"] == 17
    assert built.facts["test_points_of_unseen_kinds"] == 18_729
