"""Test the readers of LIBSVM, csv and idx files: what they accept, refuse and return."""

import gzip
import io
import struct

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import dump_svmlight_file

from fwsvm.inputs.errors import DataError
from fwsvm_papers.datasets import read_csv, read_idx, read_libsvm
from fwsvm_papers.datasets.tables import read_table
from fwsvm_papers.datasets.text_values import as_numbers

GOOD = b"+1 1:0.5 3:-.2\n-1 2:1e0\n"
IRIS = b"5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,versicolor\n"
CAPPED = b"length;colour;age;class\n1.5;red;10;yes\n2.5;blue;20;no\n\n3;red;9;yes\n"
IDX_CODES = {"u1": 0x08, "i1": 0x09, ">i2": 0x0B, ">i4": 0x0C, ">f4": 0x0D, ">f8": 0x0E}


@pytest.fixture
def table(write):
    """Return a function that reads a text table. It returns the points and the labels as lists."""

    def read(content, label, **options):
        X, y = read_csv(write(content, "table.csv"), label, **options)
        return (X.toarray() if scipy.sparse.issparse(X) else X).tolist(), y.tolist()

    return read


# LIBSVM text


@pytest.mark.parametrize(
    "text",
    [
        b"1 1:1\n\n# all\n-1 2:1 # rest qid:1 a_b\n",
        b"1 1:1\r\n-1 2:1",
        b"\xef\xbb\xbf1\t1:1 \n-1  2:1 3:0",
        b"1   1:  1.00\n-1 2:\t1\n",
    ],
)
def test_libsvm_comments_line_ends_and_blanks(write, text):
    X, y = read_libsvm(write(text))
    assert X.toarray()[:, :2].tolist() == [[1, 0], [0, 1]] and y.tolist() == [1, -1]
    assert (X.nnz, X.indices.dtype, X.data.dtype) == (2, np.int32, np.float64)


WRONG_LINES = """1 1:nan|1 1:inf|1 1:1e999|nan 1:1|inf|1 0:1|1 2:1 1:1|1 1:1 1:2|1 qid:3 1:1
1 1:1_0|1_0 1:1|1,2 1:1|1 1:x|1 1|a 1:1|1 -1:1|1 99999999999999999999:1|1 2147483647:1|1 4:1
1 1.0:1|1 1:0x1|1 1:|1 :1|1 1::1|1:1|1 1:1 2"""


@pytest.mark.parametrize("line", WRONG_LINES.replace("\n", "|").split("|"))
def test_libsvm_wrong_line_is_named(write, line):
    with pytest.raises(
        DataError, match=r"points.txt, line 4: .* (write: label index:value|give a larger number)"
    ):
        read_libsvm(write(GOOD + b"# comment\n" + line.encode() + b"\n1 1:1\n"), 3)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("6:2.5887 8:0.8754", "the label is missing before '6:2.5887'; write"),
        ("yes 1:2", "the label 'yes' is not a finite number; write"),
        ("1 3:high", "the value in '3:high' is not a finite number; write"),
        ("1 3:", "the value in '3:' is not a finite number; write"),
        ("1 3:1e999 4:x", "the value in '3:1e999' is not a finite number; write"),
        ("1 b:3", "the index in 'b:3' is not an integer; write"),
        ("1 2.0:3", "the index in '2.0:3' is not an integer; write"),
        ("1 0:3", "the index in '0:3' is below 1; write"),
        ("1 5:1 4:1", "the index in '4:1' is not above the index before it, which is 5; write"),
        ("1 5:1 6", "a colon is missing in '6'; write"),
        ("2 qid:1 1:2", "qid (ranking data) is not supported; write"),
        ("0.5,1.5,setosa", "this is a line of a text table, not of a LIBSVM file. To use"),
        ("7\t8\t1", "this is a line of a text table, not of a LIBSVM file. To use"),
        ("1 1:" + "9" * 50 + "x", "the value in '1:" + "9" * 38 + "...' is not a finite number"),
    ],
)
def test_libsvm_message_has_no_words_of_python(write, line, words):
    with pytest.raises(DataError) as error:
        read_libsvm(write(GOOD + line.encode() + b"\n"))
    assert f"points.txt, line 3: {words}" in str(error.value)
    assert not any(
        word in str(error.value) for word in ("convert string", "literal", "b'", "unpack")
    )


def test_libsvm_files_that_cannot_be_read(write, tmp_path):
    for text in (b"", b"\n \n", b"# nothing\n"):
        with pytest.raises(DataError, match=r"points\.txt: the file is empty"):
            read_libsvm(write(text))
    with pytest.raises(DataError, match="absent: there is no such file"):
        read_libsvm(tmp_path / "absent")
    with pytest.raises(DataError, match="cannot be read"):
        read_libsvm(tmp_path)
    with pytest.raises(DataError, match=r"1,000,000,000 is too large"):
        read_libsvm(write(GOOD), 10**9)
    with pytest.raises(DataError, match=r"points.txt, line 2: .*too large"):
        read_libsvm(write(b"1 1:1\n1 2147483647:1\n"))


values = st.one_of(st.just(0.0), st.floats(-1e6, 1e6))


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=values))
def test_libsvm_what_is_written_is_read(write, X):
    y, stream = np.arange(len(X)) % 3 - 1, io.BytesIO()
    dump_svmlight_file(X, y, stream, zero_based=False, comment="points of a test")
    found, labels = read_libsvm(write(stream.getvalue()), features=X.shape[1])
    np.testing.assert_allclose(found.toarray(), X, rtol=1e-15)
    assert labels.tolist() == y.tolist() and found.has_canonical_format and np.all(found.data != 0)


@given(st.binary(max_size=40))
def test_libsvm_any_bytes_give_points_or_an_error_that_names_the_file(write, content):
    try:
        X, y = read_libsvm(write(content))
    except DataError as error:
        assert "points.txt" in str(error)
    else:
        assert X.shape[0] == len(y) > 0 and np.isfinite(X.data).all() and np.isfinite(y).all()


# Text tables


def test_columns_by_position_and_by_name(table):
    assert table(IRIS, -1) == (
        [[5.1, 3.5], [4.9, 3.0], [7.0, 3.2]],
        ["setosa", "setosa", "versicolor"],
    )
    X, y = table(CAPPED, "class", separator=";", header=True, drop=("colour",))
    assert (X, y) == ([[1.5, 10], [2.5, 20], [3, 9]], ["yes", "no", "yes"])
    for label, drop in ((1, (-1,)), (-4, (4,))):
        assert table(b"2,1.5,7,\n1,2.5,8,\n", label, drop=drop) == ([[1.5, 7], [2.5, 8]], [2, 1])
    assert table(b"?,1,2\n,3,4\nnan,5,6\n", -1, drop=(1,))[0] == [[1], [3], [5]]


def test_categorical_columns_become_one_feature_for_each_value(table, write):
    for categorical in (("colour",), (2,), "auto"):
        X, _ = table(CAPPED, "class", separator=";", header=True, categorical=categorical)
        assert X == [[1.5, 0, 1, 10], [2.5, 1, 0, 20], [3, 0, 1, 9]]
    path = write(b"10,0\n9.0,1\nb,1\na,1\n9,0\n", "table.csv")
    assert read_table(path, None, -1, categorical=(1,))[2].categories == {
        0: ["9", "9.0", "10", "a", "b"]
    }
    late = "".join(f"{i if i < 40 else 'many'},{i},0\n" for i in range(100)).encode()
    assert list(read_table(write(late), None, -1, categorical="auto")[2].categories) == [0]
    assert len(table(b"True,a\nFALSE,b\nTRUE,a\n", -1, categorical="auto")[0][0]) >= 2


def test_further_file_has_the_features_of_the_first(write, caplog):
    columns = read_table(write(b"1,red,0\n2,blue,1\n"), None, -1, categorical="auto")[2]
    X, y, _ = read_table(write(b"3,blue,x\n4,green,y\n"), columns, -1, categorical="auto")
    assert (X.toarray().tolist(), y.tolist()) == ([[3, 1, 0], [4, 0, 0]], ["x", "y"])
    assert "1 rows have a value" in caplog.text
    for content, message in ((b"red,red,1\n", "'red'"), (b"1,2,3,4\n", "first file")):
        with pytest.raises(DataError, match=f"points.txt, line 1.*{message}"):
            read_table(write(content), columns, -1, categorical="auto")


@pytest.mark.parametrize("label", [1, -1, "y"])
def test_a_missing_label_is_not_a_column_to_drop(table, label):
    cells = b"y,a,z\n1,2,3\n,4,5\n" if label != -1 else b"a,b,y\n1,2,3\n4,5,\n"
    with pytest.raises(DataError, match=r"line 3, column .*fill it in, or delete the line$"):
        table(cells, label, header=True)
    with pytest.raises(DataError, match=r"line 3, column 2 .*fill it in, or drop the column$"):
        table(cells.replace(b",4", b"0,").replace(b"4,5,", b"4,,1"), label, header=True)


NO_NUMBER, MISSING = "not a finite number", "the value is missing"
WRONG_TABLES = [
    (b"1,2\n3\n", {}, "line 2.*missing"),
    (b"1,2\n,4\n", {}, f"line 2, column 1.*{MISSING}"),
    (b"1,2\nNaN,4\n", {}, f"line 2, column 1: 'NaN'.*{MISSING}"),
    (b"1,2\n\n3,nan\n", {}, f"line 3, column 2: 'nan'.*{MISSING}"),
    (b"1,2\n3,?\n", {"missing_values": ("?",)}, rf"line 2, column 2: '\?'.*{MISSING}"),
    (
        b"a,2\nb,2\n?,4\n",
        {"missing_values": (" ? ",), "categorical": "auto"},
        f"line 3, column 1.*{MISSING}",
    ),
    (b"1,2\n-9,4\n", {"missing_values": ("-9.0",)}, f"line 2, column 1: '-9'.*{MISSING}"),
    (b"a,b\n1,2\nx,4\n", {"header": True}, f"line 3, column 1 'a': 'x'.*{NO_NUMBER}"),
    *(
        (f"1,2\n{cell},4\n".encode(), {}, f"line 2, column 1.*{NO_NUMBER}")
        for cell in ["inf", "1e999", "1_0", "0x1", "٣"]
    ),
    (b"1,2\n-inf,4\n", {"categorical": "auto"}, "line 2, column 1: '-inf'"),
    (b"1,2\n3\0,4\n", {}, "binary data"),
    (b"1,2\n3,\xff4\n", {}, r"line 2, byte 3: b'\\xff4.*not UTF-8 text"),
    (b'1,2\n"3,4\n', {}, "line 2: a cell begins with a quotation mark, but has no closing one"),
    (b"", {}, "the file is empty"),
    (b"a,b\n", {"header": True}, "no row"),
    (b"a,b\n1,2,3\n", {"header": True}, "line 2: 3 values, but line 1 has 2"),
    (b"a,b\n1,2\n", {"drop": ("a",)}, "'a' needs a header; set header: true"),
    (b"1\n2\n", {}, "is the separator right"),
    (b"1,2,3\n", {"drop": (4,)}, "no column 4"),
    (b"1,2,3\n", {"drop": (-1,)}, "only one of"),
    (b"age,b\n1,2\n", {"header": True, "drop": ("agee",)}, "did you mean 'age'?"),
    (b"a,a,b\n1,2,3\n", {"header": True}, "have the name"),
    (b"size,b\n1,2\n3,4\n", {"categorical": "auto"}, "line 1, column 1: 'size'.*header"),
]


@pytest.mark.parametrize(("text", "options", "message"), WRONG_TABLES)
def test_wrong_table_says_where_and_why(table, text, options, message):
    with pytest.raises(DataError, match=rf"table.csv.*{message}"):
        table(text, -1, **options)


frames = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.tuples(
            *[st.floats(allow_nan=False, allow_infinity=False)] * width,
            st.sampled_from(["a", 'b "c"', "d,e"]),
        ),
        min_size=1,
        max_size=8,
    )
)


@given(frames, st.booleans())
def test_table_that_pandas_wrote_is_read_exactly(write, rows, header):
    text = pd.DataFrame(rows).add_prefix("c").to_csv(index=False, header=header).encode()
    X, y = read_csv(write(text, "table.csv"), -1, header=header)
    assert X.tolist() == [list(row[:-1]) for row in rows]
    assert y.tolist() == [row[-1] for row in rows]


@pytest.mark.parametrize(
    ("parts", "numbers"),
    [
        ([["1", "2"], ["2.0", "+1.0"]], True),
        ([["1", "2"], ["a"]], False),
        ([["1", "1e999"], ["2"]], False),
    ],
)
def test_labels_are_numbers_only_if_all_of_them_are(parts, numbers):
    found = as_numbers(*map(np.array, parts))
    assert {part.dtype.kind for part in found} == {"f" if numbers else "U"}


# idx files


def idx(array, kind="u1"):
    array = np.asarray(array)
    head = bytes([0, 0, IDX_CODES[kind], array.ndim]) + b"".join(
        struct.pack(">I", size) for size in array.shape
    )
    return head + array.astype(kind).tobytes()


@given(
    st.sampled_from(list(IDX_CODES)),
    arrays(
        np.int8,
        st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(1, 3)),
        elements=st.integers(0, 9),
    ),
)
def test_idx_what_is_written_is_read(write, kind, images):
    labels = np.arange(len(images))
    X, y = read_idx(write(gzip.compress(idx(images, kind)), "points"), write(idx(labels), "labels"))
    np.testing.assert_array_equal(X, images.reshape(len(images), -1))
    assert (y.tolist(), X.dtype, y.dtype) == (labels.tolist(), np.float64, np.float64)


def test_large_sparse_images_stay_sparse_and_features_cut_what_is_never_on(write):
    images = np.zeros((200, 30, 30), dtype=np.uint8)
    images[np.arange(200), 3, 5] = np.arange(200)
    files = write(idx(images), "points"), write(idx(np.arange(200)), "labels")
    X, _ = read_idx(*files, features=600)
    assert scipy.sparse.isspmatrix_csr(X) and X.has_canonical_format and X.indices.dtype == np.int32
    np.testing.assert_array_equal(X.toarray(), images.reshape(200, 900)[:, :600])
    for features, message in (
        (95, "point 2 has a nonzero value after feature 95;"),
        (901, "points have 900 values"),
    ):
        with pytest.raises(DataError, match=f"points: {message}"):
            read_idx(*files, features=features)


POINTS = idx([[1, 2], [3, 4]])
WRONG_IDX = [
    (b"", "not an idx file"),
    (b"\0\0\x07\1" + POINTS[4:], "not an idx file"),
    (b"\x1f\x8b" + POINTS, "compressed"),
    (POINTS[:6], "header"),
    (b"\0\0\x08\0", "header"),
    (POINTS[:-1], "but 3 bytes follow the header"),
    (idx(np.zeros((0, 2))), "0 x 2"),
    (idx([[1.0, np.nan], [0, 0]], ">f4"), "finite"),
    (idx([1, 2]), "two dimensions"),
    (idx([[1], [2], [3]]), "number of rows"),
]


@pytest.mark.parametrize(("content", "message"), WRONG_IDX)
def test_wrong_idx_file_is_named(write, content, message):
    with pytest.raises(DataError, match=rf"points.*{message}"):
        read_idx(write(content, "points"), write(idx([0, 1]), "labels"))
