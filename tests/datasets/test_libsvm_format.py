"""The LIBSVM reader: what it takes, what it refuses, and that nothing wrong slips through."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import dump_svmlight_file

from fwsvm.base.errors import DataError
from fwsvm.datasets import formats
from fwsvm.datasets.formats import read_libsvm

GOOD = b"+1 1:0.5 3:-2e-1\n-1 2:1.\n"
WRONG_LINES = {
    "1 2": "'2' is not index:value",
    "1 1:2:3": "the value of '1:2:3' is not a number",
    "1 1:": "the value of '1:' is not a number",
    "1 1: \t": "the value of '1:' is not a number",
    "1 :5": "':5' is not index:value",
    "1 a:5": "'a:5' is not index:value",
    "1 1.0:5": "'1.0:5' is not index:value",
    "1 -1:5": "'-1:5' is not index:value",
    "1 1_0:5": "'1_0:5' is not index:value",
    "1 1:1_0": "the value of '1:1_0' is not a number",
    "1 1:0x10": "the value of '1:0x10' is not a number",
    "1 0:5": "indices start from 1",
    "1 2:1 1:1": "index 1 comes after 2; indices must be ascending",
    "1 2:1 2:1": "index 2 comes after 2; indices must be ascending",
    "1 4:1": "index '4' is too large; features is 3",
    "1 99999999999999999999999:1": "too large",
    "1 1:nan": "the value of '1:nan' is not finite",
    "1 1:-Inf": "the value of '1:-Inf' is not finite",
    "1 1:1e999": "too large for a number",
    "nan 1:1": "the label 'nan' is not a number",
    "1e999 1:1": "the label, '1e999', is too large",
    "one 1:1": "the label 'one' is not a number",
    "1:1 2:1": "the label '1:1' is not a number",
    "1,2 1:1": "is a list; one label a point is wanted",
    "1 qid:3 1:1": "qid .* is not supported",
    "1 1:1\0": "is not a number",
    "\ufeff1 1:1": "the label .* is not a number",
    "1 1:\u0661": "is not a number",
    "1 1:1 \r-1 1:2": "'-1' is not index:value",
}


def parse_libsvm(content, features=None, where="LIBSVM data"):
    return formats._read(io.BytesIO(content), features, where)


def test_dense_and_sparse_rows():
    X, y = parse_libsvm(GOOD, features=4)
    assert X.toarray().tolist() == [[0.5, 0, -0.2, 0], [0, 1, 0, 0]]
    assert y.tolist() == [1, -1]
    assert X.indices.dtype == np.int32
    assert X.data.dtype == np.float64


@pytest.mark.parametrize("text", [b"1 1:1\n\n# all\n-1 2:1 # rest\n", b"1 1:1\r\n-1 2:1", b"\n1\t1:1 \n-1  2:1 3:0"])
def test_comments_empty_lines_and_line_ends(text):
    X, y = parse_libsvm(text)
    assert X.toarray()[:, :2].tolist() == [[1, 0], [0, 1]]
    assert y.tolist() == [1, -1]
    assert X.nnz == 2


def test_features_come_from_the_largest_index_if_not_given():
    assert parse_libsvm(GOOD)[0].shape == (2, 3)


def test_blanks_after_a_colon_as_in_the_file_protein():
    X, y = parse_libsvm(b"0   21:1.00   42: .50   63:\t.25\n1   1: 1.00 \n")
    assert X[0, [20, 41, 62]].toarray().tolist() == [[1, 0.5, 0.25]]
    assert (X[1, 0], y.tolist()) == (1, [0, 1])
    with pytest.raises(DataError, match="line 1: the value of '1:2:3' is not a number"):
        parse_libsvm(b"1 1: 2:3\n")


def test_row_without_features_is_a_zero_row():
    assert parse_libsvm(b"1\n-1 1:1\n")[0].toarray().tolist() == [[0], [1]]


@pytest.mark.parametrize("line", WRONG_LINES)
def test_wrong_line_is_named_by_number(line):
    with pytest.raises(DataError, match=f"^points.svm, line 4: .*{WRONG_LINES[line]}"):
        parse_libsvm(GOOD + b"# comment\n" + line.encode() + b"\n1 1:1\n", 3, "points.svm")


def test_long_words_are_shortened_in_messages():
    with pytest.raises(DataError) as error:
        parse_libsvm(b"1 " + b"x" * 10_000)
    assert len(str(error.value)) < 120


@pytest.mark.parametrize("text", [b"", b"\n \n", b"# nothing\n"])
def test_empty_file(text):
    with pytest.raises(DataError, match="empty"):
        parse_libsvm(text)


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [("", bytes), (".bz2", bz2.compress), (".gz", gzip.compress), (".xz", lzma.compress)],
)
def test_compressed_files(tmp_path, suffix, compress):
    path = tmp_path / f"points{suffix}"
    path.write_bytes(compress(GOOD))
    assert read_libsvm(path)[0].nnz == 3
    if suffix:
        path.write_bytes(compress(GOOD)[:-5])
        with pytest.raises(DataError, match=f"points{suffix}: the compressed data are truncated"):
            read_libsvm(path)
        path.write_bytes(GOOD)
        with pytest.raises(DataError, match="the content is not compressed so"):
            read_libsvm(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        read_libsvm(tmp_path / "absent")
    with pytest.raises(DataError, match="cannot be read"):
        read_libsvm(tmp_path)


@pytest.fixture
def only_compiled(monkeypatch):
    """Every line is read by the compiled reader, or the test fails."""
    monkeypatch.setattr(formats, "_SMALL", 0)
    monkeypatch.setattr(formats, "_read_strictly", None)


@pytest.mark.usefixtures("only_compiled")
def test_plain_text_is_read_by_the_compiled_reader():
    X, y = parse_libsvm(b"# comment\n" + GOOD + b"2 # comment\r\n\t3 +1: .25 #\n 4 2:0\t\r\n5 3:7")
    assert X.toarray().tolist() == [[0.5, 0, -0.2], [0, 1, 0], [0, 0, 0], [0.25, 0, 0], [0, 0, 0], [0, 0, 7]]
    assert y.tolist() == [1, -1, 2, 3, 4, 5]
    assert X.nnz == 5


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(1e-40, 1e40).map(lambda value: f"{value:.16e}"),
    st.tuples(st.integers(0, 10**18 - 1), st.integers(-60, 60)).map(lambda pair: "{}e{}".format(*pair)),
    st.tuples(st.integers(2**52, 2**53), st.integers(-30, 30)).map(lambda pair: f"{2 * pair[0] + 1}e{pair[1]}"),
    st.decimals(-1000, 1000, places=12).map(str),
)


@given(numbers)
@example("9007199254740993")  # half-way between two doubles
@example("9007199254740993e0")
@example("-0.1e+0")
@example("4.35e-323")
def test_numbers_are_rounded_as_by_python(number):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "_SMALL", 0)
        X, y = parse_libsvm(f"{number} 1:{number}\n".encode())
    assert (y[0], X.sum()) == (float(number), float(number))


@pytest.mark.parametrize("places", [6, 16, 17])
def test_numbers_as_programs_write_them_are_read_by_the_compiled_reader(monkeypatch, places):
    """But for the few that lie half-way between two doubles."""
    strict, refused = formats._read_strictly, []
    monkeypatch.setattr(formats, "_SMALL", 0)
    monkeypatch.setattr(formats, "_read_strictly", lambda block, *rest: refused.append(block) or strict(block, *rest))
    values = np.random.default_rng(places).normal(size=2000) * 10.0 ** np.random.default_rng(0).integers(-20, 20, 2000)
    X, _ = parse_libsvm("".join(f"1 1:{value:.{places}g}\n" for value in values).encode())
    assert X.data.tolist() == [float(f"{value:.{places}g}") for value in values]
    assert len(refused) <= 5


@pytest.mark.parametrize("block", [1, 7, 30, 1000])
def test_blocks_end_anywhere(monkeypatch, block):
    monkeypatch.setattr(formats, "_BLOCK", block)
    text = b"".join(b"%d 1:%d %d:0.5\n" % (row, row, row + 2) for row in range(1, 30))
    for small in (0, 20, 10**6):
        monkeypatch.setattr(formats, "_SMALL", small)
        X, y = parse_libsvm(text)
        assert X.shape == (29, 31) and y.tolist() == list(range(1, 30))
        assert [X[row, row + 2] for row in range(29)] == [0.5] * 29
        with pytest.raises(DataError, match="line 31: 'x' is not index:value"):
            parse_libsvm(text + b"\n1 x\n1 2\n")


# Text over an alphabet in which nearly everything is almost right
almost_right = st.text(alphabet="01239+-.eE:# \t\r\n_nai", max_size=40).map(str.encode)


@given(st.one_of(almost_right, st.binary(max_size=40)), st.sampled_from([None, 3]))
@example(b"1 1:2\r-1 1:3", None)
@example(b"1 1_1:2", None)
@example(b"1 2147483648:1", None)
@example(b"1 1:1 #\n-1", 3)
@example(b"1 1:\t\n2 1: .5", None)
def test_fuzz_no_crash_and_the_compiled_reader_agrees_with_the_strict_one(content, features):
    try:
        X, y = parse_libsvm(content, features)
    except DataError as error:
        failure = str(error)
    else:
        failure = None
        assert X.shape[0] == len(y) > 0
        assert features is None or X.shape[1] == features
        assert np.isfinite(X.data).all()
        assert np.isfinite(y).all()
        assert X.has_canonical_format
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "_SMALL", 0)
        try:
            X_strict, y_strict = parse_libsvm(content, features)
        except DataError as error:
            assert str(error) == failure
        else:
            assert failure is None
            assert (X_strict != X).nnz == 0
            assert y.tolist() == y_strict.tolist()


values = st.one_of(st.just(0.0), st.floats(-1e6, 1e6, width=32))


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=values), st.booleans())
def test_round_trip_with_scikit_learn(X, sparse):
    y = np.arange(len(X)) % 3 - 1
    stream = io.BytesIO()
    dump_svmlight_file(
        scipy.sparse.csr_matrix(X) if sparse else X, y, stream, zero_based=False, comment="points of a test"
    )
    X_read, y_read = parse_libsvm(stream.getvalue(), features=X.shape[1])
    np.testing.assert_allclose(X_read.toarray(), X, rtol=1e-15)
    assert y_read.tolist() == y.tolist()


@pytest.mark.usefixtures("only_compiled")
def test_large_file_is_read_in_blocks(tmp_path):
    """12 of 54 features each, as in covtype."""
    line = " ".join(f"{index}:{3000 + index}" for index in [*range(1, 11), 14, 40])
    path = tmp_path / "large.svm"
    path.write_text(f"1 {line}\n2 {line}\n" * 200_000)
    X, y = read_libsvm(path, 54)
    assert (X.shape, X.nnz, len(y)) == ((400_000, 54), 4_800_000, 400_000)
    assert X[-1].data.tolist() == [3000 + index for index in [*range(1, 11), 14, 40]]
