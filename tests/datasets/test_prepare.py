"""From a file to prepared arrays: splits, checks, codes, scaling, storage, and nothing half-written."""

import bz2
import json
import multiprocessing
import os
import time

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from fwsvm.datasets import load_catalogue, load_dataset, open_prepared, storage
from fwsvm.datasets.describe import describe
from fwsvm.datasets.prepare import average_squared_distance, prepare
from fwsvm.datasets.sources import complement
from fwsvm.datasets.storage import choose_storage
from fwsvm.errors import ConfigError, DataError

POINTS = "".join(
    f"{label} 1:{value} 2:{value * value}\n" for label, value in zip("2713" * 5, range(20), strict=True)
)


@pytest.fixture
def prepare_entry(write_catalogue, tmp_path, no_mirror):
    """Prepare the entry `x` of a catalogue made of it and of others."""

    def run(entry, subset=None, **others):
        catalogue = load_catalogue(write_catalogue({**others, "x": entry}))
        return prepare(catalogue["x"], catalogue, tmp_path / "raw", tmp_path / "prepared", subset=subset)

    return run


def is_mapped(array):
    while not isinstance(array, np.memmap) and array is not None:
        array = array.base
    return array is not None


def sparse_points(rows=400, features=600, seed=5):
    rng = np.random.default_rng(seed)
    lines = []
    for row in range(rows):
        indices = np.sort(rng.choice(features, size=5, replace=False)) + 1
        lines.append(
            f"{'+1' if row % 3 else '-1'} "
            + " ".join(f"{i}:{v:.3g}" for i, v in zip(indices, rng.random(5), strict=True))
        )
    return "\n".join(lines) + "\n"


def test_codes_follow_the_sorted_labels(prepare_entry, on_disk):
    prepared = prepare_entry(on_disk(POINTS))
    assert prepared.meta["classes"] == [1, 2, 3, 7]
    assert (prepared.meta["m"], prepared.meta["t"], prepared.meta["K"], prepared.meta["n"]) == (15, 5, 4, 2)
    labels = np.array(prepared.meta["classes"])
    value = {i: int("2713"[i % 4]) for i in range(20)}
    for X, y in ((prepared.X_train, prepared.y_train), (prepared.X_test, prepared.y_test)):
        assert [value[int(x)] for x in X[:, 0]] == labels[y].tolist()
        assert y.dtype == np.int64
    assert sorted([*prepared.X_train[:, 0], *prepared.X_test[:, 0]]) == list(range(20))


def test_labels_that_are_not_whole_numbers(prepare_entry, on_disk):
    assert prepare_entry(on_disk(POINTS.replace("7 1", "7.5 1"))).meta["classes"] == [1, 2, 3, 7.5]


def test_fraction_rounds_up_and_depends_on_the_seed_only(prepare_entry, on_disk):
    entry = on_disk(POINTS)
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


rows = st.lists(
    st.tuples(st.sampled_from([-1, 1]), st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=12
)


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
        (POINTS.replace("1:7 ", "1:nan "), {}, r"points.svm, line 8: the value of '1:nan' is not finite"),
        (POINTS.replace("1:7 ", "1;7 "), {}, r"points.svm, line 8: '1;7' is not index:value"),
        ("1 1:1\n1 2:1\n1 1:3\n", {}, "x: all training points are of class 1; two classes are wanted"),
        ("1 1:1\n-1 1:2\n", {"split": {"fraction": 0.5, "seed": 1}}, "x: all training points are of class"),
        (
            POINTS,
            {"split": {"fraction": 0.99, "seed": 1}},
            "a test fraction of 0.99 leaves nothing of 20 rows",
        ),
        (POINTS, {"expected": {"train": 16}}, "x: train is 15; the catalogue expects 16"),
        (POINTS, {"expected": {"classes": 3}}, "x: classes is 4; the catalogue expects 3"),
        (POINTS, {"task": "binary"}, "says it is a binary task, the data have 4 classes"),
        ("1\n-1\n1\n-1\n", {}, "has no features"),
    ],
)
def test_data_that_cannot_be_used_leave_nothing(prepare_entry, on_disk, tmp_path, text, keys, message):
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
    with pytest.raises(
        DataError, match=r"the training part has the value inf in row \d, column 3 \(counted from 1"
    ):
        prepare_entry(entry)


def test_features_of_another_source_are_checked(prepare_entry):
    entry = {"source": {"sklearn": "iris"}, "split": {"fraction": 0.1, "seed": 1}, "features": 5}
    with pytest.raises(DataError, match="x: the training part has 4 features, not 5"):
        prepare_entry(entry)


def test_truncated_file(prepare_entry, on_disk, tmp_path):
    entry = on_disk(bz2.compress(POINTS.encode())[:-9], name="points.bz2")
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


def test_round_trip_is_mapped_and_in_the_promised_types(prepare_entry, on_disk, tmp_path):
    prepare_entry(on_disk(sparse_points()))
    prepared = open_prepared(tmp_path / "prepared")
    assert prepared.meta["storage"] == "csr"
    for X in (prepared.X_train, prepared.X_test):
        assert scipy.sparse.isspmatrix_csr(X)
        assert (X.data.dtype, X.indices.dtype, X.indptr.dtype) == (np.float64, np.int32, np.int32)
        for part in (X.data, X.indices, X.indptr):
            assert is_mapped(part)
        assert X.copy().has_canonical_format
    together = np.concatenate([prepared.X_train.toarray(), prepared.X_test.toarray()])
    values = [float(word.split(":")[1]) for word in sparse_points().split() if ":" in word]
    np.testing.assert_array_equal(np.sort(together[together > 0]), np.sort(values))


def test_dense_round_trip_is_mapped_and_copied_on_write(prepare_entry, on_disk, tmp_path):
    prepare_entry(on_disk(POINTS))
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


def test_average_squared_distance_is_over_all_ordered_pairs():
    X = np.random.default_rng(1).normal(3.0, 2.0, size=(40, 5)) * (
        np.random.default_rng(2).random((40, 5)) < 0.5
    )
    brute = np.mean([np.sum((a - b) ** 2) for a in X for b in X])
    assert average_squared_distance(X) == pytest.approx(brute, rel=1e-12)
    assert average_squared_distance(scipy.sparse.csr_matrix(X)) == pytest.approx(brute, rel=1e-12)


def test_subset_keeps_every_class_and_the_storage(prepare_entry, on_disk):
    text = sparse_points() + "5 1:1\n" * 4
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


def test_subset_may_be_larger_than_the_set_and_not_too_small(prepare_entry, on_disk):
    assert prepare_entry(on_disk(POINTS), subset={"train": 300, "test": 300}).meta["m"] == 15
    assert prepare_entry(on_disk(POINTS), subset={"train": 8}).meta["class_counts"]["train"] == [2, 2, 2, 2]
    with pytest.raises(ConfigError, match="x: subset: train is 7; at least 8 points are needed"):
        prepare_entry(on_disk(POINTS), subset={"train": 7})
    with pytest.raises(ConfigError, match="unknown key 'tran'; known: train, test, seed"):
        prepare_entry(on_disk(POINTS), subset={"tran": 7})


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


def test_binary_set_has_one_pair(prepare_entry, on_disk):
    description = describe(prepare_entry(on_disk(sparse_points())).meta)
    assert description["m_max"] == description["m_min"] == description["m"]


def test_preparing_twice_gives_the_same_bytes(prepare_entry, on_disk, tmp_path):
    def contents():
        return {path.name: path.read_bytes() for path in (tmp_path / "prepared").iterdir()}

    prepare_entry(on_disk(sparse_points()))
    first = contents()
    prepare_entry(on_disk(sparse_points()))
    assert contents() == first


def test_interrupted_prepare_leaves_no_meta(prepare_entry, on_disk, tmp_path, monkeypatch):
    prepare_entry(on_disk(POINTS))
    saved = []

    def interrupted(path, array):
        saved.append(path)
        if len(saved) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("fwsvm.datasets.storage._save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        prepare_entry(on_disk(POINTS) | {"scaling": "minmax"})
    assert not (tmp_path / "prepared/meta.json").exists()
    with pytest.raises(DataError, match="no prepared data here"):
        open_prepared(tmp_path / "prepared")


def _prepare_until_killed(catalogue_path, folder):
    whole_save = storage._save

    def slow_save(path, array):
        whole_save(path, array)
        (folder / "started").touch()
        time.sleep(0.05)

    storage._save = slow_save
    catalogue = load_catalogue(catalogue_path)
    prepare(catalogue["x"], catalogue, folder / "raw", folder / "prepared")


def test_killed_prepare_leaves_no_meta(write_catalogue, on_disk, tmp_path):
    path = write_catalogue({"x": on_disk(POINTS)})
    process = multiprocessing.get_context("fork").Process(target=_prepare_until_killed, args=(path, tmp_path))
    process.start()
    deadline = time.monotonic() + 20
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(process.pid, 9)
    process.join()
    assert (tmp_path / "prepared/y_train.npy").exists()
    assert not (tmp_path / "prepared/meta.json").exists()
    catalogue = load_catalogue(path)
    assert prepare(catalogue["x"], catalogue, tmp_path / "raw", tmp_path / "prepared").meta["m"] == 15


def test_change_of_storage_leaves_no_former_arrays(prepare_entry, on_disk, tmp_path):
    prepare_entry(on_disk(sparse_points()))
    prepare_entry(on_disk(POINTS))
    assert sorted(path.name for path in (tmp_path / "prepared").iterdir()) == [
        "X_test.npy", "X_train.npy", "meta.json", "y_test.npy", "y_train.npy",
    ]  # fmt: skip


def test_load_dataset_prepares_once_and_again_after_a_change(write_catalogue, on_disk, tmp_path, monkeypatch):
    calls = []

    def counted(*args):
        calls.append(args)
        return prepare(*args)

    monkeypatch.setattr("fwsvm.datasets.cache.prepare", counted)

    def load(entry, **settings):
        return load_dataset("x", write_catalogue({"x": entry}), tmp_path / "data", **settings)

    entry = on_disk(POINTS)
    assert load(entry).meta["m"] == load(entry | {"title": "X"}).meta["m"] == 15
    assert len(calls) == 1
    load(entry | {"scaling": "minmax"})
    assert len(calls) == 2
    on_disk(POINTS + "1 1:3\n")
    assert load(entry | {"scaling": "minmax"}).meta["m"] == 15
    assert len(calls) == 3
    assert load(entry | {"scaling": "minmax"}, subset={"train": 9}).meta["m"] == 9
    assert load(entry | {"scaling": "minmax"}).meta["m"] == 15
    assert len(calls) == 4
    (tmp_path / "data/prepared/x/X_train.npy").write_bytes(b"")
    assert load(entry | {"scaling": "minmax"}).X_train.shape == (15, 2)
    assert len(calls) == 5
    (tmp_path / "data/prepared/x/meta.json").write_text("{")
    assert load(entry | {"scaling": "minmax"}).meta["m"] == 15


def test_generated_set_of_any_size_has_the_same_test_points(tmp_path):
    small = load_dataset("checkerboard", data_dir=tmp_path, size=100)
    large = load_dataset("checkerboard", data_dir=tmp_path, size=1000)
    assert (small.meta["m"], large.meta["m"]) == (100, 1000)
    np.testing.assert_array_equal(small.X_train, large.X_train[:100])
    np.testing.assert_array_equal(small.X_test, large.X_test)
    assert load_dataset("two-circles", data_dir=tmp_path, size=3000).meta["m"] == 2400


def test_unknown_name_and_size_of_a_file(tmp_path):
    with pytest.raises(ConfigError, match="did you mean 'pendigits'"):
        load_dataset("pendigit", data_dir=tmp_path)
    with pytest.raises(ConfigError, match="a1a: size can only be set for a generated data set"):
        load_dataset("a1a", data_dir=tmp_path, size=5)
