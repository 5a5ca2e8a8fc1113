"""From a file to prepared arrays: splits, checks, codes, scaling, subsets."""

import bz2
import json

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.datasets.builders.complement import complement
from fwsvm.datasets.describe import describe
from fwsvm.datasets.prepare import average_squared_distance


def test_codes_follow_the_sorted_labels(prepare_entry, on_disk, four_class_text):
    prepared = prepare_entry(on_disk(four_class_text))
    assert prepared.meta["classes"] == [1, 2, 3, 7]
    assert (prepared.meta["m"], prepared.meta["t"], prepared.meta["K"], prepared.meta["n"]) == (15, 5, 4, 2)
    labels = np.array(prepared.meta["classes"])
    value = {i: int("2713"[i % 4]) for i in range(20)}
    for X, y in ((prepared.X_train, prepared.y_train), (prepared.X_test, prepared.y_test)):
        assert [value[int(x)] for x in X[:, 0]] == labels[y].tolist()
        assert y.dtype == np.int64
    assert sorted([*prepared.X_train[:, 0], *prepared.X_test[:, 0]]) == list(range(20))


def test_labels_that_are_not_whole_numbers(prepare_entry, on_disk, four_class_text):
    assert prepare_entry(on_disk(four_class_text.replace("7 1", "7.5 1"))).meta["classes"] == [1, 2, 3, 7.5]


def test_fraction_rounds_up_and_depends_on_the_seed_only(prepare_entry, on_disk, four_class_text):
    entry = on_disk(four_class_text)
    entry["split"] = {"fraction": 0.21, "seed": 1}
    first = prepare_entry(entry)
    assert first.meta["t"] == 5
    assert prepare_entry(entry).X_test.tolist() == first.X_test.tolist()
    entry["split"]["seed"] = 4
    assert prepare_entry(entry).X_test.tolist() != first.X_test.tolist()


def test_test_file_may_end_at_another_feature(prepare_entry, on_disk, tmp_path):
    entry = on_disk("1 1:1\n-1 2:1\n")
    (tmp_path / "test.svm").write_text("1 4:1\n")
    entry["source"]["files"]["test"] = {"path": str(tmp_path / "test.svm")}
    entry["split"] = {"test": "file"}
    prepared = prepare_entry(entry)
    assert prepared.X_train.shape == (2, 4)
    assert prepared.X_test.tolist() == [[0, 0, 0, 1]]
    with pytest.raises(DataError, match=r"test.svm, line 1: index '4' is too large; features is 3"):
        prepare_entry(entry | {"features": 3})


def test_complement_counts_duplicates(prepare_entry, on_disk):
    whole = on_disk("1 1:1\n1 1:1\n1 1:1\n-1 1:1\n-1 2:2\n", name="whole.svm")
    part = on_disk("1 1:1.0\n-1 2:2 3:0\n1 1:1\n", name="part.svm") | {"split": {"complement_of": "whole"}}
    prepared = prepare_entry(part, whole=whole)
    assert prepared.meta["classes"] == [-1, 1]
    assert prepared.X_test[:, :2].tolist() == [[1, 0], [1, 0]]
    assert sorted(prepared.y_test) == [0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:1\n-1 2:9\n", r"1 of its 2 points are not in it \(or not as often\), the first being point 2"),
        ("1 1:1\n1 1:1\n-1 2:2\n", "1 of its 3 points are not in it"),
        ("-1 1:1\n1 1:1\n", "1 of its 2 points are not in it .* the first being point 1"),
        ("1 1:1\n-1 2:2\n", "the complement is empty"),
    ],
)
def test_complement_of_what_is_no_part(prepare_entry, on_disk, text, message):
    whole = on_disk("1 1:1\n-1 2:2\n", name="whole.svm")
    with pytest.raises(DataError, match=f"part.svm .*whole.svm.*{message}"):
        prepare_entry(on_disk(text, name="part.svm") | {"split": {"complement_of": "whole"}}, whole=whole)


rows = st.lists(st.tuples(st.sampled_from([-1, 1]), st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=12)


@given(rows, st.data())
def test_complement_and_part_make_the_whole(points, data):
    in_part = data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    points, in_part = np.array(points, dtype=float), np.array(in_part)
    if in_part.all():
        return
    X, y = scipy.sparse.csr_matrix(points[:, 1:]), points[:, 0]
    order = np.array(data.draw(st.permutations(np.flatnonzero(in_part).tolist())), dtype=int)
    kept = complement(X, y, X[order], y[order])
    together = np.concatenate([points[kept], points[order]])
    assert sorted(map(tuple, together)) == sorted(map(tuple, points))


@pytest.mark.parametrize(
    ("text", "keys", "message"),
    [
        (("1:7 ", "1:nan "), {}, r"points.svm, line 8: the value of '1:nan' is not finite"),
        (("1:7 ", "1;7 "), {}, r"points.svm, line 8: '1;7' is not index:value"),
        ("1 1:1\n1 2:1\n1 1:3\n", {}, "x: all training points are of class 1; two classes are wanted"),
        ("1 1:1\n-1 1:2\n", {"split": {"fraction": 0.5, "seed": 1}}, "x: all training points are of class"),
        (
            None,
            {"split": {"fraction": 0.99, "seed": 1}},
            "a test fraction of 0.99 leaves nothing of 20 rows",
        ),
        (None, {"expected": {"train": 16}}, "x: train is 15; the catalogue expects 16"),
        (None, {"expected": {"classes": 3}}, "x: classes is 4; the catalogue expects 3"),
        (None, {"task": "binary"}, "says it is a binary task, the data have 4 classes"),
        ("1\n-1\n1\n-1\n", {}, "has no features"),
    ],
)
def test_data_that_cannot_be_used_leave_nothing(prepare_entry, on_disk, tmp_path, four_class_text, text, keys, message):
    """`text` is that of the file, or what to replace in the usual one, or None for just that."""
    if not isinstance(text, str):
        text = four_class_text.replace(*(text or ("", "")))
    with pytest.raises(DataError, match=message):
        prepare_entry(on_disk(text) | keys)
    assert not (tmp_path / "prepared").exists()


def test_class_without_training_points(prepare_entry, on_disk):
    with pytest.raises(DataError, match="x: no training point is of class 9, which the test part has"):
        entry = on_disk("1 1:1\n-1 1:2\n9 1:3\n-1 1:2\n1 1:1\n")
        for seed in range(20):
            prepare_entry(entry | {"split": {"fraction": 0.2, "seed": seed}})


def test_non_finite_value_of_another_source_is_named(prepare_entry, monkeypatch):
    X = np.ones((10, 3))
    X[4, 2] = np.inf
    monkeypatch.setattr("sklearn.datasets.load_iris", lambda return_X_y: (X, np.arange(10) % 2))
    entry = {"source": {"sklearn": "iris"}, "split": {"fraction": 0.1, "seed": 1}}
    with pytest.raises(DataError, match=r"the training part has the value inf in row \d, column 3 \(counted from 1"):
        prepare_entry(entry)


def test_features_of_another_source_are_checked(prepare_entry):
    entry = {"source": {"sklearn": "iris"}, "split": {"fraction": 0.1, "seed": 1}, "features": 5}
    with pytest.raises(DataError, match="x: the training part has 4 features, not 5"):
        prepare_entry(entry)


def test_truncated_file(prepare_entry, on_disk, tmp_path, four_class_text):
    entry = on_disk(bz2.compress(four_class_text.encode())[:-9], name="points.bz2")
    with pytest.raises(DataError, match=r"points.bz2: the compressed data are truncated or damaged"):
        prepare_entry(entry)
    assert not (tmp_path / "prepared").exists()


def test_minmax_is_fitted_on_the_training_part(prepare_entry, on_disk, tmp_path):
    entry = on_disk("1 1:2 2:5\n-1 1:4 2:5\n1 1:3 2:5 3:1\n")
    (tmp_path / "test.svm").write_text("1 1:6 2:7\n")
    entry["source"]["files"]["test"] = {"path": str(tmp_path / "test.svm")}
    entry |= {"split": {"test": "file"}, "scaling": {"minmax": [-1, 1]}}
    prepared = prepare_entry(entry)
    assert prepared.X_train.tolist() == [[-1, 0, -1], [1, 0, -1], [0, 0, 1]]
    assert prepared.X_test.tolist() == [[3, 0, -1]]
    assert prepared.meta["scaling"]["minimum"] == [2, 5, 0]
    assert prepared.meta["scaling"]["range"] == [-1, 1]


@pytest.fixture
def table_on_disk(tmp_path):
    """Write a text table and return a catalogue entry with a separate test table."""

    def write(train, test, csv, **keys):
        files = {}
        for role, text in (("train", train), ("test", test)):
            (tmp_path / f"{role}.csv").write_text(text)
            files[role] = {"path": str(tmp_path / f"{role}.csv")}
        return {"source": {"format": "csv", "csv": csv, "files": files}, "split": {"test": "file"}} | keys

    return write


def test_text_table_with_categorical_column_and_text_classes(prepare_entry, table_on_disk):
    entry = table_on_disk("1,red,no\n3,blue,yes\n", "2,blue,no\n9,green,yes\n", {"label": -1, "categorical": [2]})
    prepared = prepare_entry(entry | {"scaling": "minmax"})
    assert prepared.meta["classes"] == ["no", "yes"]
    assert prepared.X_train.tolist() == [[0, 0, 1], [1, 1, 0]]
    assert prepared.X_test.tolist() == [[0.5, 1, 0], [4, 0, 0]]
    assert (prepared.y_train.tolist(), prepared.y_test.tolist()) == ([0, 1], [0, 1])
    json.dumps(describe(prepared))


def test_labels_are_numbers_only_if_they_are_in_both_parts(prepare_entry, table_on_disk):
    csv = {"label": 1}
    assert prepare_entry(table_on_disk("1,5\n2.0,6\n", "02,7\n", csv)).meta["classes"] == [1, 2]
    with pytest.raises(DataError, match="x: no training point is of class 'a', which the test part has"):
        prepare_entry(table_on_disk("1,5\n2,6\n", "a,7\n", csv))


def test_some_classes_against_the_rest(prepare_entry, table_on_disk, on_disk, four_class_text):
    entry = table_on_disk("a,5\nb,6\nc,7\n", "c,8\na,9\n", {"label": 1}, positive=["a", "b"], task="binary")
    prepared = prepare_entry(entry)
    assert (prepared.meta["classes"], prepared.meta["positive"]) == ([-1, 1], ["a", "b"])
    assert (prepared.y_train.tolist(), prepared.y_test.tolist()) == ([1, 1, 0], [0, 1])
    prepared = prepare_entry(on_disk(four_class_text, positive=[7]))
    assert {int("2713"[int(x) % 4]) == 7 for x in prepared.X_train[prepared.y_train == 1, 0]} == {True}
    with pytest.raises(DataError, match="x: positive: no training point is of class 5; classes: 1, 2, 3, 7"):
        prepare_entry(on_disk(four_class_text, positive=[5]))


def test_complement_of_a_text_table(prepare_entry, table_on_disk, tmp_path):
    whole = table_on_disk("a,1,x\nb,2,y\nb,2,y\nc,4,z\n", "a,1,x\n", {"label": 1, "categorical": "auto"})
    (tmp_path / "part.csv").write_text("b,2,y\na,1.0,x\n")
    source = whole["source"] | {"files": {"train": {"path": str(tmp_path / "part.csv")}}}
    with pytest.raises(DataError, match="x: no training point is of class 'c'"):
        prepare_entry({"source": source, "split": {"complement_of": "whole"}}, whole=whole)
    (tmp_path / "part.csv").write_text("b,2,y\nc,4,z\na,1.0,x\n")
    prepared = prepare_entry({"source": source, "split": {"complement_of": "whole"}}, whole=whole)
    assert prepared.X_test.tolist() == [[2, 0, 1, 0]]
    assert prepared.meta["classes"] == ["a", "b", "c"]


def test_average_squared_distance_is_over_all_ordered_pairs():
    X = np.random.default_rng(1).normal(3.0, 2.0, size=(40, 5)) * (np.random.default_rng(2).random((40, 5)) < 0.5)
    brute = np.mean([np.sum((a - b) ** 2) for a in X for b in X])
    assert average_squared_distance(X) == pytest.approx(brute, rel=1e-12)
    assert average_squared_distance(scipy.sparse.csr_matrix(X)) == pytest.approx(brute, rel=1e-12)


def test_subset_keeps_every_class_and_the_storage(prepare_entry, on_disk, sparse_text):
    text = sparse_text + "5 1:1\n" * 4
    full = prepare_entry(on_disk(text))
    subset = prepare_entry(on_disk(text), subset={"train": 30, "test": 20})
    assert (subset.meta["m"], subset.meta["t"], subset.meta["K"]) == (30, 20, 3)
    assert min(subset.meta["class_counts"]["train"]) == 2
    assert subset.meta["storage"] == full.meta["storage"] == "csr"
    rows = {row.tobytes() for row in full.X_train.toarray()}
    assert all(row.tobytes() in rows for row in subset.X_train.toarray())
    again = prepare_entry(on_disk(text), subset={"train": 30, "test": 20})
    assert (again.X_train != subset.X_train).nnz == 0
    other = prepare_entry(on_disk(text), subset={"train": 30, "test": 20, "seed": 1})
    assert (other.X_train != subset.X_train).nnz > 0


def test_subset_may_be_larger_than_the_set_and_not_too_small(prepare_entry, on_disk, four_class_text):
    assert prepare_entry(on_disk(four_class_text), subset={"train": 300, "test": 300}).meta["m"] == 15
    assert prepare_entry(on_disk(four_class_text), subset={"train": 8}).meta["class_counts"]["train"] == [2, 2, 2, 2]
    with pytest.raises(ConfigError, match="x: subset: train is 7; at least 8 points are needed"):
        prepare_entry(on_disk(four_class_text), subset={"train": 7})
    with pytest.raises(ConfigError, match="unknown key 'tran'; known: train, test, seed"):
        prepare_entry(on_disk(four_class_text), subset={"tran": 7})


def test_describe_gives_pairs_and_counts(prepare_entry, on_disk):
    text = "".join("1 1:1\n2 1:2\n2 2:1\n3 1:3\n3 1:4\n3 2:5\n" for _ in range(4))
    description = describe(prepare_entry(on_disk(text)))
    counts = {row["label"]: row["train"] for row in description["classes"]}
    ordered = sorted(counts.values())
    assert description["m"] == sum(ordered) == 18
    assert (description["m_max"], description["m_min"]) == (ordered[1] + ordered[2], ordered[0] + ordered[1])
    assert description["checksum"] == "not given"
    assert description["sources"][0]["sha256"]
    json.dumps(description)


def test_binary_set_has_one_pair(prepare_entry, on_disk, sparse_text):
    description = describe(prepare_entry(on_disk(sparse_text)).meta)
    assert description["m_max"] == description["m_min"] == description["m"]
