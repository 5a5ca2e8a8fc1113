"""The idx reader: sizes, types, what is cut off, and points that do not go with their labels."""

import gzip
import struct

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fwsvm.base.errors import DataError
from fwsvm.datasets import read_idx
from fwsvm.datasets.entries import DatasetEntry, FileSource, SeparateFile
from fwsvm.datasets.idx_format import parse_idx
from fwsvm.datasets.reading import read_files

CODES = {"u1": 0x08, "i1": 0x09, ">i2": 0x0B, ">i4": 0x0C, ">f4": 0x0D, ">f8": 0x0E}


def idx(array, kind="u1"):
    array = np.asarray(array)
    head = bytes([0, 0, CODES[kind], array.ndim]) + b"".join(struct.pack(">I", size) for size in array.shape)
    return head + array.astype(kind).tobytes()


@pytest.fixture
def write(tmp_path):
    def both(points, labels, compress=bytes):
        (tmp_path / "points").write_bytes(compress(points))
        (tmp_path / "labels").write_bytes(compress(labels))
        return tmp_path / "points", tmp_path / "labels"

    return both


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_images_become_rows(write, compress):
    images = np.arange(24).reshape(2, 3, 4)
    X, y = read_idx(*write(idx(images), idx([7, 3]), compress))
    assert X.tolist() == images.reshape(2, 12).tolist()
    assert y.tolist() == [7, 3]
    assert X.dtype == y.dtype == np.float64


def test_large_sparse_images_stay_sparse(write):
    images = np.zeros((200, 30, 30), dtype=np.uint8)
    images[np.arange(200), 3, 5] = np.arange(200)
    X, _ = read_idx(*write(idx(images), idx(np.arange(200))))
    assert scipy.sparse.isspmatrix_csr(X)
    assert X.has_canonical_format
    assert X.indices.dtype == np.int32
    np.testing.assert_array_equal(X.toarray(), images.reshape(200, 900))


def test_features_cut_off_what_is_never_on(write):
    files = write(idx([[1, 2, 0, 0], [3, 0, 4, 0]]), idx([0, 1]))
    assert read_idx(*files, features=3)[0].tolist() == [[1, 2, 0], [3, 0, 4]]
    with pytest.raises(DataError, match="points: point 2, value 3 is 4; features is 2"):
        read_idx(*files, features=2)
    with pytest.raises(DataError, match="points: points have 4 values; features is 5"):
        read_idx(*files, features=5)


@pytest.mark.parametrize("kind", CODES)
def test_types(kind):
    array = np.array([[1, 2], [100, 0]])
    np.testing.assert_array_equal(parse_idx(idx(array, kind)), array)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "this is no idx file"),
        (b"\x1f\x8b\x08\x01", "this is no idx file"),
        (b"\0\0\x07\x01" + bytes(5), "this is no idx file"),
        (b"\0\0\x08\0", "promises no dimension"),
        (idx([[1, 2]])[:9], "the header is cut off"),
        (idx([[1, 2]])[:-1], "the header promises 1 x 2 values, 2 bytes; there are 1"),
        (idx([[1, 2]]) + b"\0", "the header promises 1 x 2 values, 2 bytes; there are 3"),
        (idx(np.zeros((0, 3))), "the file is empty"),
        (idx([[1, 2], [np.nan, 1]], ">f4"), r"the value at \(2, 1\), counted from 1, is nan"),
    ],
)
def test_what_is_wrong(content, message):
    with pytest.raises(DataError, match=f"^some.idx: .*{message}"):
        parse_idx(content, "some.idx")


def test_points_and_labels_that_do_not_go_together(write):
    with pytest.raises(DataError, match=r"points has 2 points, .*labels has 3 labels"):
        read_idx(*write(idx([[1], [2]]), idx([1, 2, 3])))
    with pytest.raises(DataError, match="points: 1 dimension; points need 2 at least"):
        read_idx(*write(idx([1, 2]), idx([1, 2])))
    with pytest.raises(DataError, match="labels: 2 dimensions; labels have 1"):
        read_idx(*write(idx([[1], [2]]), idx([[1], [2]])))


head = st.tuples(st.sampled_from([*CODES.values(), 7]), st.integers(0, 3)).map(bytes)


@given(st.one_of(st.binary(max_size=30), st.tuples(head, st.binary(max_size=20)).map(lambda p: b"\0\0" + p[0] + p[1])))
def test_fuzz_no_crash(content):
    try:
        found = parse_idx(content, "some.idx")
    except DataError as error:
        assert str(error).startswith("some.idx: ")
    else:
        assert found.size > 0
        assert idx(found, found.dtype.str.lstrip("|")) == content


@given(arrays(np.uint8, st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))))
def test_round_trip(array):
    np.testing.assert_array_equal(parse_idx(idx(array)), array)


def test_points_of_two_sizes_are_refused(tmp_path):
    files = {}
    for role, side in (("train", 2), ("test", 3)):
        for name, content in ((role, idx(np.ones((2, side, side)))), (f"{role}_labels", idx([1, 2]))):
            (tmp_path / name).write_bytes(content)
            files[name] = tmp_path / name
    entry = DatasetEntry("two-sizes", FileSource({}, "idx"), SeparateFile())
    with pytest.raises(DataError, match="two-sizes: points of 4 values in one file and of 9 in another"):
        read_files(entry, files, ["train", "test"])
