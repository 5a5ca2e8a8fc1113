"""Test the preparation of data: splits, checks, class codes, subsets, and the written files."""

import json
import mmap

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm_papers.datasets import load_dataset, open_prepared
from fwsvm_papers.datasets import prepare as prepare_module
from fwsvm_papers.datasets.builders.nested import complement
from fwsvm_papers.datasets.describe import describe
from fwsvm_papers.datasets.entries import DatasetEntry
from fwsvm_papers.datasets.generators import checkerboard, generate, two_circles
from fwsvm_papers.datasets.prepare import average_squared_distance
from fwsvm_papers.datasets.splits import subset_rows
from fwsvm_papers.datasets.storage import prepared_files, read_meta, write_prepared


def test_codes_follow_the_sorted_labels(prepare_entry, on_disk, four_class_text):
    prepared = prepare_entry(on_disk(four_class_text))
    assert prepared.meta["classes"] == [1, 2, 3, 7]
    assert (prepared.meta["m"], prepared.meta["t"], prepared.meta["K"], prepared.meta["n"]) == (
        15,
        5,
        4,
        2,
    )
    labels = np.array(prepared.meta["classes"])
    value = {i: int("2713"[i % 4]) for i in range(20)}
    for X, y in ((prepared.X_train, prepared.y_train), (prepared.X_test, prepared.y_test)):
        assert [value[int(x)] for x in X[:, 0]] == labels[y].tolist()
        assert y.dtype == np.int64
    assert sorted([*prepared.X_train[:, 0], *prepared.X_test[:, 0]]) == list(range(20))
    assert prepare_entry(on_disk(four_class_text.replace("7 1", "7.5 1"))).meta["classes"] == [
        1,
        2,
        3,
        7.5,
    ]


def test_fraction_rounds_up_and_depends_on_the_seed_only(prepare_entry, on_disk, four_class_text):
    entry = on_disk(four_class_text)
    entry["split"] = {"fraction": 0.21, "seed": 1}
    first = prepare_entry(entry)
    assert first.meta["t"] == 5 and prepare_entry(entry).X_test.tolist() == first.X_test.tolist()
    entry["split"]["seed"] = 4
    assert prepare_entry(entry).X_test.tolist() != first.X_test.tolist()


def test_test_file_may_end_at_another_feature(prepare_entry, on_disk, tmp_path):
    entry = on_disk("1 1:1\n-1 2:1\n")
    (tmp_path / "test.svm").write_text("1 4:1\n")
    entry["source"]["files"]["test"] = {"path": str(tmp_path / "test.svm")}
    entry["split"] = {"test": "file"}
    prepared = prepare_entry(entry)
    assert prepared.X_train.shape == (2, 4) and prepared.X_test.tolist() == [[0, 0, 0, 1]]
    with pytest.raises(
        DataError, match=r"test.svm, line 1: .* set to 3.*give a larger number of features, or"
    ):
        prepare_entry(entry | {"features": 3})


rows = st.lists(
    st.tuples(st.sampled_from([-1, 1]), st.integers(0, 2), st.integers(0, 2)),
    min_size=2,
    max_size=12,
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


OVERFLOWS = "1 1:1e300 2:1\n-1 1:-1e300 2:1\n" + "1 1:1\n-1 2:1\n" * 9
ALL_EQUAL = "1 1:0.1 2:3\n-1 1:0.1 2:3\n" * 10


@pytest.mark.parametrize(
    ("text", "keys", "message"),
    [
        (("1:7 ", "1:nan "), {}, "points.svm, line 8"),
        ("1 1:1\n1 2:1\n1 1:3\n", {}, "x: all training points are of class 1, but"),
        ("-3 1:1\n-3 2:1\n-3 1:3\n", {}, "x: all training points are of class -3, but"),
        ("2.5 1:1\n2.5 2:1\n2.5 1:3\n", {}, "x: all training points are of class 2.5, but"),
        (None, {"split": {"fraction": 0.99, "seed": 1}}, "fraction of 0.99 leaves"),
        (None, {"expected": {"train": 16}}, "x.expected.train: .* 16, .* 15"),
        (None, {"expected": {"classes": 3}}, "x.expected.classes: .* 3, .* 4"),
        (None, {"task": "binary"}, "the data have 4 classes"),
        ("1 1:1\n2 1:2\n" * 9, {"task": "multiclass"}, "the data have 2 classes"),
        (None, {"positive": [5]}, "x: positive"),
        (None, {"positive": [1, 2, 3, 7]}, "x: positive"),
        ("1\n-1\n1\n-1\n", {}, "has no features"),
        (None, {"scaling": {"divide": 1e-320}}, "values up to inf"),
        (None, {"scaling": {"minmax": [-1.7e308, 1.7e308]}}, "too large|values up to|NaN"),
        (OVERFLOWS, {}, r"x: the training part has values up to 1e\+300"),
        (OVERFLOWS, {"scaling": "standard"}, r"x: the training part has values up to 1e\+300"),
        (ALL_EQUAL, {}, "x: all 15 training points are equal"),
        (ALL_EQUAL, {"scaling": "standard"}, "x: all 15 training points are equal"),
        (ALL_EQUAL, {"scaling": "unit-length"}, "x: all 15 training points are equal"),
        (ALL_EQUAL, {"scaling": "minmax"}, "x: all 15 training points are equal"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_data_that_cannot_be_used_leave_nothing(
    prepare_entry, on_disk, tmp_path, four_class_text, text, keys, message
):
    """`text` is the content of the file. If it is a pair, the first text of the pair is replaced by
    the second in the usual content. If it is None, the usual content is used.
    """
    if not isinstance(text, str):
        text = four_class_text.replace(*(text or ("", "")))
    with pytest.raises(DataError, match=message):
        prepare_entry(on_disk(text) | keys)
    assert not (tmp_path / "prepared").exists()


@pytest.fixture
def table_on_disk(tmp_path):
    """Return a function that writes a training table and a test table as text files. The function
    returns their catalogue entry.
    """

    def write(train, test, csv, **keys):
        files = {}
        for role, text in (("train", train), ("test", test)):
            (tmp_path / f"{role}.csv").write_text(text)
            files[role] = {"path": str(tmp_path / f"{role}.csv")}
        return {
            "source": {"format": "csv", "csv": csv, "files": files},
            "split": {"test": "file"},
        } | keys

    return write


def test_text_table_with_categorical_column_and_text_classes(prepare_entry, table_on_disk):
    entry = table_on_disk(
        "1,red,no\n3,blue,yes\n", "2,blue,no\n9,green,yes\n", {"label": -1, "categorical": [2]}
    )
    prepared = prepare_entry(entry | {"scaling": "minmax"})
    assert prepared.meta["classes"] == ["no", "yes"]
    assert prepared.X_train.tolist() == [[0, 0, 1], [1, 1, 0]]
    assert prepared.X_test.tolist() == [[0.5, 1, 0], [4, 0, 0]]
    assert (prepared.y_train.tolist(), prepared.y_test.tolist()) == ([0, 1], [0, 1])
    json.dumps(describe(prepared))


def test_some_classes_against_the_rest(prepare_entry, table_on_disk, on_disk, four_class_text):
    entry = table_on_disk(
        "a,5\nb,6\nc,7\n", "c,8\na,9\n", {"label": 1}, positive=["a", "b"], task="binary"
    )
    prepared = prepare_entry(entry)
    assert (prepared.meta["classes"], prepared.meta["positive"]) == ([-1, 1], ["a", "b"])
    assert (prepared.y_train.tolist(), prepared.y_test.tolist()) == ([1, 1, 0], [0, 1])
    prepared = prepare_entry(on_disk(four_class_text, positive=[7]))
    assert {int("2713"[int(x) % 4]) == 7 for x in prepared.X_train[prepared.y_train == 1, 0]} == {
        True
    }


def test_average_squared_distance_is_over_all_ordered_pairs():
    X = np.random.default_rng(1).normal(3.0, 2.0, size=(40, 5)) * (
        np.random.default_rng(2).random((40, 5)) < 0.5
    )
    brute = np.mean([np.sum((a - b) ** 2) for a in X for b in X])
    assert average_squared_distance(X) == pytest.approx(brute, rel=1e-12)
    assert average_squared_distance(scipy.sparse.csr_matrix(X)) == pytest.approx(brute, rel=1e-12)
    far = X + 1e8
    brute = np.mean([np.sum((a - b) ** 2) for a in far for b in far])
    assert average_squared_distance(scipy.sparse.csr_matrix(far)) == pytest.approx(brute, rel=1e-6)


@given(st.lists(st.integers(2, 12), min_size=2, max_size=6), st.integers(0, 60), st.integers(0, 9))
# With 47 points, the share of each class is 9.4, so two classes get 10 points.
@example([10] * 5, 37, 0)
@example([2, 2, 12], 0, 0)  # With 6 points, each class gets two.
def test_a_subset_has_its_size_and_shares_of_classes(counts, more, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    size = min(2 * len(counts) + more, len(y))
    rows, test_rows = subset_rows("it", y, y, {"train": size, "test": size, "seed": seed})
    shares = size * np.array(counts) / len(y)
    for chosen, least in ((rows, 2), (test_rows, 0)):
        assert len(chosen) == size and np.all(np.diff(chosen) > 0)
        drawn = np.bincount(y[chosen], minlength=len(counts))
        assert drawn.min() >= least
    # the bound is the rounding error of one class, plus that of all other classes
    assert np.abs(drawn - shares).max() <= 0.5 + len(counts) / 2


def test_subset_keeps_every_class_and_the_storage(prepare_entry, on_disk, sparse_text):
    text = sparse_text + "5 1:1\n" * 4
    full = prepare_entry(on_disk(text))
    subset = prepare_entry(on_disk(text), subset={"train": 30, "test": 20})
    assert (subset.meta["m"], subset.meta["t"], subset.meta["K"]) == (30, 20, 3)
    assert min(subset.meta["class_counts"]["train"]) == 2
    assert subset.meta["storage"] == full.meta["storage"] == "csr"
    all_rows = {row.tobytes() for row in full.X_train.toarray()}
    assert all(row.tobytes() in all_rows for row in subset.X_train.toarray())
    again = prepare_entry(on_disk(text), subset={"train": 30, "test": 20})
    assert (again.X_train != subset.X_train).nnz == 0
    other = prepare_entry(on_disk(text), subset={"train": 30, "test": 20, "seed": 1})
    assert (other.X_train != subset.X_train).nnz > 0


# Files on disk


def test_set_is_prepared_once_and_again_after_a_change(
    write_catalogue, on_disk, tmp_path, monkeypatch, four_class_text
):
    calls, prepare = [], prepare_module.prepare
    monkeypatch.setattr(
        prepare_module, "prepare", lambda *args: calls.append(args) or prepare(*args)
    )

    def load(entry, **settings):
        return load_dataset("x", write_catalogue({"x": entry}), tmp_path / "data", **settings)

    entry = on_disk(four_class_text)
    assert load(entry).meta["m"] == load(entry | {"title": "X"}).meta["m"] == 15 and len(calls) == 1
    load(entry | {"scaling": "minmax"})
    assert len(calls) == 2
    on_disk(four_class_text + "1 1:3\n")
    assert load(entry | {"scaling": "minmax"}).meta["m"] == 15
    assert len(calls) == 3
    assert load(entry | {"scaling": "minmax"}, subset={"train": 9}).meta["m"] == 9
    assert load(entry | {"scaling": "minmax"}).meta["m"] == 15
    assert len(calls) == 4
    for name, content in (
        ("X_train.npy", b""),
        ("meta.json", b"{"),
        ("meta.json", b"[]"),
        ("y_test.npy", b"x"),
    ):
        (tmp_path / "data/prepared/x" / name).write_bytes(content)
        assert load(entry | {"scaling": "minmax"}).X_train.shape == (15, 2)
    assert len(calls) == 8


@pytest.fixture(params=["dense", "csr"])
def prepared(request, prepare_entry, on_disk, four_class_text, sparse_text):
    prepared = prepare_entry(on_disk({"dense": four_class_text, "csr": sparse_text}[request.param]))
    assert prepared.meta["storage"] == request.param
    return prepared


def test_arrays_are_mapped_and_what_is_written_stays_in_this_process(prepared):
    X = prepared.X_train if isinstance(prepared.X_train, np.ndarray) else prepared.X_train.data
    root = X
    while isinstance(root, np.ndarray):
        root = root.base
    assert isinstance(root, mmap.mmap) and X.flags.writeable
    before = (prepared.folder / "X_train.npy").read_bytes()
    X[:] = 0
    assert (prepared.folder / "X_train.npy").read_bytes() == before
    assert sorted(prepared.folder.iterdir()) == sorted(prepared_files(prepared.folder))
    if scipy.sparse.issparse(prepared.X_train):
        assert prepared.X_train.indices.dtype == prepared.X_train.indptr.dtype == np.int32


@pytest.mark.parametrize("share", [0.3, 0.5, 0.71])
def test_one_changed_byte_within_a_large_array_is_noticed(tmp_path, prepared, share):
    X = np.random.default_rng(0).random((30_000, 18))
    y = np.arange(30_000) % 2
    meta = prepared.meta | {"m": 30_000, "t": 2, "n": 18, "storage": "dense"}
    write_prepared(tmp_path / "large", X, y, X[:2], y[:2], meta)
    path = tmp_path / "large/X_train.npy"
    assert path.stat().st_size > 4 * 2**20
    np.testing.assert_array_equal(open_prepared(path.parent).X_train, X)
    with path.open("r+b") as file:
        file.seek(int(share * path.stat().st_size))
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(
        DataError, match=r"X_train.npy is missing or damaged \(the content of the file has changed"
    ):
        open_prepared(path.parent)


def test_one_changed_number_in_the_record_is_noticed(prepared):
    path = prepared.folder / "meta.json"
    text = path.read_text()
    for name in ("t", "average_squared_distance"):
        path.write_text(text.replace(f'"{name}": {prepared.meta[name]}', f'"{name}": 1', 1))
        assert path.read_text() != text
        with pytest.raises(DataError, match=r"meta.json is missing or damaged"):
            open_prepared(prepared.folder)
    path.write_text(text)
    assert open_prepared(prepared.folder).meta == prepared.meta


def test_file_that_is_cut_overwritten_emptied_or_missing_is_named(prepared):
    for path in prepared_files(prepared.folder):
        content = path.read_bytes()
        for damaged in (content[:-9], content[:-9] + b"\xff" * 9, b"", None):
            path.unlink() if damaged is None else path.write_bytes(damaged)
            with pytest.raises(DataError, match="missing or damaged") as error:
                open_prepared(prepared.folder)
            assert path.name in str(error.value)
        path.write_bytes(content)
    open_prepared(prepared.folder)


@pytest.mark.parametrize("key", ["m", "t", "n", "K", "storage", "digest", "sources", "crc32"])
def test_a_description_without_a_key_is_named_as_one_of_another_version(
    prepare_entry, on_disk, four_class_text, key
):
    path = prepare_entry(on_disk(four_class_text)).folder / "meta.json"
    path.write_text(
        json.dumps(
            {name: value for name, value in json.loads(path.read_text()).items() if name != key}
        )
    )
    for read in (read_meta, open_prepared):
        with pytest.raises(DataError, match=r"meta\.json is missing or damaged .*another version"):
            read(path.parent)


# Generated data sets


def test_checkerboard_alternates_over_sixteen_cells_and_sizes_are_nested():
    X, y = checkerboard(20_000, np.random.default_rng(3))
    assert X.min() >= 0 and X.max() <= 4
    cells = np.floor(X).astype(int)
    assert len(np.unique(cells, axis=0)) == 16
    np.testing.assert_array_equal(y, np.where((cells[:, 0] + cells[:, 1]) % 2 == 0, 1, -1))
    np.testing.assert_array_equal(checkerboard(50, np.random.default_rng(3))[0], X[:50])


def test_two_circles_have_their_radii_and_equal_numbers():
    X, y = two_circles(
        1001, np.random.default_rng(3), inner_radius=0.3, outer_radius=2.0, noise=0.0
    )
    radius = np.hypot(*X.T)
    np.testing.assert_allclose(radius[y == 1], 0.3)
    np.testing.assert_allclose(radius[y == -1], 2.0)
    assert abs(y.sum()) == 1
    noisy = np.hypot(*two_circles(1001, np.random.default_rng(3), noise=0.1)[0].T)
    assert 0.05 < noisy[y == -1].std() < 0.15


def test_generated_set_of_any_size_has_the_same_test_points(tmp_path):
    small = load_dataset("checkerboard", data_dir=tmp_path, size=100)
    large = load_dataset("checkerboard", data_dir=tmp_path, size=1000)
    np.testing.assert_array_equal(small.X_train, large.X_train[:100])
    np.testing.assert_array_equal(small.X_test, large.X_test)
    assert load_dataset("two-circles", data_dir=tmp_path, size=3000).meta["m"] == 2400


@pytest.mark.parametrize("key", ["size", "seed"])
def test_generated_set_needs_a_size_and_a_seed(key):
    source = {"generator": "checkerboard", "size": 50, "seed": 1} | {key: None}
    with pytest.raises(ValueError, match="generator, size, seed must be given together"):
        DatasetEntry.model_validate({"source": source, "split": {"fraction": 0.2, "seed": 2}})


def test_a_split_without_a_seed_is_refused():
    """Without a seed, every preparation would give a different split."""
    source = {"generator": "checkerboard", "size": 50, "seed": 1}
    split = {"fraction": 0.2, "seed": None}
    with pytest.raises(ValueError, match="fraction, seed must be given together"):
        DatasetEntry.model_validate({"source": source, "split": split})


def test_generator_refuses_what_it_cannot_draw():
    with pytest.raises(ConfigError, match=r"two_circles: parameters .*'noise': -1"):
        generate("two_circles", 5, np.random.default_rng(3), {"noise": -1})
