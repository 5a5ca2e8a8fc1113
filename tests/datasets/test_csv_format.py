"""The reader of text tables: what it takes, what it refuses, and that nothing wrong slips through."""

import bz2
import gzip

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.datasets import csv_format, read_csv
from fwsvm.datasets.csv_format import parse_table
from fwsvm.datasets.entries import CsvOptions
from fwsvm.datasets.labels import as_numbers

IRIS = b"5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,versicolor\n"
CAPPED = b"length;colour;age;class\n1.5;red;10;yes\n2.5;blue;20;no\n\n3;red;9;yes\n"


def parse(content, label, columns=None, **options):
    table = parse_table(content, CsvOptions(label, **options), columns, "table.csv")
    X = table.X.toarray() if scipy.sparse.issparse(table.X) else table.X
    return X.tolist(), as_numbers(table.labels)[0].tolist(), table.columns


def test_text_labels_by_position_from_the_end():
    X, y, _ = parse(IRIS, -1)
    assert X == [[5.1, 3.5], [4.9, 3.0], [7.0, 3.2]]
    assert y == ["setosa", "setosa", "versicolor"]


def test_label_and_dropped_columns_by_name():
    X, y, _ = parse(CAPPED, "class", separator=";", header=True, drop=("colour",))
    assert X == [[1.5, 10], [2.5, 20], [3, 9]]
    assert y == ["yes", "no", "yes"]


@pytest.mark.parametrize(("label", "drop"), [(1, (-1,)), (-4, (4,))])
def test_positions_count_from_one_and_from_the_end(label, drop):
    X, y, _ = parse(b"2,1.5,7,\n1,2.5,8,\n", label, drop=drop)
    assert (X, y) == ([[1.5, 7], [2.5, 8]], [2.0, 1.0])


@pytest.mark.parametrize(
    "text",
    [
        b" 1 2\t3 \n4  5 6\n",
        b"1 2 3\n\n \t\n4 5 6",
        b"1\t2\t3\r\n4\t5\t6\r\n",
        b"1 2 3\r4 5 6\n",
        b"\xef\xbb\xbf1 2 3\n4 5 6\n",
    ],
)
def test_white_space_line_ends_and_byte_order_mark(text):
    assert parse(text, -1, separator="whitespace")[:2] == ([[1, 2], [4, 5]], [3, 6])


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", ":"])
def test_separators(separator):
    text = "1.5, 2 ,a\n 3e2,-.5,b\n".replace(",", separator).encode()
    assert parse(text, -1, separator=separator)[:2] == ([[1.5, 2], [300, -0.5]], ["a", "b"])


def test_quoted_cells_may_hold_separators_and_line_ends():
    X, y, _ = parse(b'"a, b","x ""y""\nz"\n1,"c"\n"2", c \n', 2, header=True)
    assert (X, y) == ([[1], [2]], ["c", "c"])
    with pytest.raises(DataError, match=r"table.csv, line 4, column 1 'a\\nb': 'x' is not a number"):
        parse(b'"a\nb",c\n1,2\nx,2\n', 2, header=True)


def test_categorical_columns_become_one_feature_for_each_value():
    for categorical in (("colour",), (2,), "auto"):
        X, _, columns = parse(CAPPED, "class", separator=";", header=True, categorical=categorical)
        assert X == [[1.5, 0, 1, 10], [2.5, 1, 0, 20], [3, 0, 1, 9]]
        assert columns.categories == {1: ["blue", "red"]}
    table = parse_table(CAPPED, CsvOptions("class", ";", True, "auto"))
    assert scipy.sparse.isspmatrix_csr(table.X)


def test_values_of_a_categorical_column_are_in_order_numbers_first():
    columns = parse(b"10,0\n9.0,1\nb,1\na,1\n9,0\n", -1, categorical=(1,))[2]
    assert columns.categories == {0: [9.0, 10.0, "a", "b"]}


def test_further_file_has_the_features_of_the_first(caplog):
    _, _, columns = parse(b"1,red,0\n2,blue,1\n", -1, categorical="auto")
    X, y, _ = parse(b"3,blue,x\n4,green,y\n", -1, columns)
    assert (X, y) == ([[3, 1, 0], [4, 0, 0]], ["x", "y"])
    assert "column 2: 1 rows have a value the first file does not have, such as 'green'" in caplog.text
    with pytest.raises(DataError, match="line 1, column 1: 'red' is not a number"):
        parse(b"red,red,1\n", -1, columns)
    with pytest.raises(DataError, match="line 1: 4 columns; the first file has 3"):
        parse(b"1,2,3,4\n", -1, columns)
    _, _, columns = parse(CAPPED, "class", separator=";", header=True, drop=("colour",))
    with pytest.raises(DataError, match="line 1: column 1 is 'width'; in the first file it is 'length'"):
        parse(CAPPED.replace(b"length", b"width"), "class", columns, separator=";", header=True, drop=("colour",))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (b"1,2\n3\n", {}, "line 2: 1 columns; there should be 2"),
        (b"1,2\n\n3,4,5\n", {}, "line 3: 3 columns; there should be 2"),
        (b"1,2\n,4\n", {}, r"line 2, column 1: the value is missing \(''\)"),
        (b"1,2\n ,4\n", {}, r"line 2, column 1: the value is missing \(''\)"),
        (b"1,2\n3,\n", {}, r"line 2, column 2: the value is missing \(''\)"),
        (b"1,2\nNaN,4\n", {}, r"line 2, column 1: the value is missing \('NaN'\)"),
        (b"1,2\n3,nan\n", {}, r"line 2, column 2: the value is missing \('nan'\)"),
        (b"1,2\n?,4\n", {}, r"line 2, column 1: '\?' is not a number"),
        (b"1,2\n?,4\n", {"missing_values": ("?",)}, r"line 2, column 1: the value is missing \('\?'\)"),
        (b"1,2\n3,?\n", {"missing_values": ("?",)}, r"line 2, column 2: the value is missing \('\?'\)"),
        (b"a,2\nb,2\n?,4\n", {"missing_values": (" ? ",), "categorical": "auto"}, "line 3, column 1: the value is m"),
        (b"1,2\n-9,4\n", {"missing_values": ("-9.0",)}, r"line 2, column 1: the value is missing \('-9'\)"),
        (b"a,b\n1,2\nx,4\n", {"header": True}, "line 3, column 1 'a': 'x' is not a number"),
        (b"1,2\ninf,4\n", {}, "line 2, column 1: 'inf' is not finite"),
        (b"1,2\n-inf,4\n", {"categorical": "auto"}, "line 2, column 1: '-inf' is not finite"),
        (b"1,2\n1e999,4\n", {}, "line 2, column 1: '1e999' is too large for a number"),
        (b"1,2\n1_0,4\n", {}, "line 2, column 1: '1_0' is not a number"),
        (b"1,2\n0x1,4\n", {}, "line 2, column 1: '0x1' is not a number"),
        ("1,2\n\u0663,4\n".encode(), {}, "line 2, column 1: '\u0663' is not a number"),
        (b"1,2\n3\0,4\n", {}, "line 2: binary data, not text"),
        (b"1,2\n\xff,4\n", {}, "line 2: not UTF-8 text"),
        (b'1,2\n"3,4\n', {}, "line 2: unexpected end of data"),
        (b'1,2\n"3"x,4\n', {}, "line 2: ',' expected after '\"'"),
        (b"", {}, "the file is empty"),
        (b"\n \n", {}, "the file is empty"),
        (b"a,b\n", {"header": True}, "there is a header and no row below it"),
        (b"1\n2\n", {}, "line 1: of 1 column none is left for features; is the separator right"),
        (b"1,2\n", {"drop": (1,)}, "line 1: of 2 columns none is left for features"),
        (b"1,2,3\n", {"drop": (4,)}, r"drop: there is no column 4; columns are 1 to 3, or -1 \(the last\) to -3"),
        (b"1,2,3\n", {"drop": (0,)}, "drop: there is no column 0"),
        (b"1,2,3\n", {"drop": (-1,)}, "drop: column 3 is the label or dropped already"),
        (b"1,2,3\n", {"drop": (1,), "categorical": (1,)}, "categorical: column 1 is the label or dropped already"),
        (b"age,b\n1,2\n", {"header": True, "drop": ("agee",)}, "the column 'agee' is not there; did you mean 'age'?"),
        (b"a,a,b\n1,2,3\n", {"header": True, "drop": ("a",)}, "the column 'a' is there more than once"),
        (b"size,b\n1,2\n3,4\n", {"categorical": "auto"}, "column 1: 'size' is the only value that is no number"),
    ],
)  # fmt: skip
def test_wrong_table_says_where_and_why(text, options, message):
    with pytest.raises(DataError, match=f"^table.csv.*{message}"):
        parse(text, -1, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": " "}, "separator: ' ' cannot be used; known: 'whitespace', "),
        ({"separator": "e"}, "separator: 'e' cannot be used"),
        ({"separator": ", "}, "separator: ', ' cannot be used"),
        ({"drop": ("age",)}, "drop: the name 'age' needs a header"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(ConfigError, match=message):
        parse(IRIS, -1, **options)


def test_header_of_numbers_is_suspicious(caplog):
    parse(b"1,2\n3,4\n", 1, header=True)
    assert "table.csv, line 1: the header has only numbers" in caplog.text


def test_dropped_columns_are_not_looked_at():
    assert parse(b"?,1,2\n,3,4\nnan,5,6\n", -1, drop=(1,))[0] == [[1], [3], [5]]


def test_read_csv_of_files(tmp_path):
    path = tmp_path / "flowers.csv"
    for suffix, compress in (("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress)):
        path = tmp_path / f"flowers.csv{suffix}"
        path.write_bytes(compress(IRIS))
        X, y = read_csv(path, -1)
        assert X.shape == (3, 2)
        assert X.flags.c_contiguous
        assert y.tolist() == ["setosa", "setosa", "versicolor"]
    X, y = read_csv(path, 1, categorical=[3])
    assert X.toarray().tolist() == [[3.5, 1, 0], [3.0, 1, 0], [3.2, 0, 1]]
    assert y.dtype == np.float64
    with pytest.raises(DataError, match=r"absent.csv: there is no such file"):
        read_csv(tmp_path / "absent.csv", 1)


def test_plain_table_is_read_by_pandas(monkeypatch):
    monkeypatch.setattr(csv_format, "read_strictly", None)
    text = "".join(f"{i},{'xyz'[i % 3]}, {i / 7!r} ,{'ab'[i % 2]}\n" for i in range(100)).encode()
    X, y, columns = parse(text, -1, categorical="auto")
    assert [row[0] for row in X] == list(range(100))
    assert [row[4] for row in X] == [i / 7 for i in range(100)]
    assert [row[1:4].index(1) for row in X] == [i % 3 for i in range(100)]
    assert y == list("ab" * 50)
    assert columns.categories == {1: ["x", "y", "z"]}


def test_column_that_is_a_word_in_a_late_row_is_categorical():
    text = "".join(f"{i if i < 90 else 'many'},{i},0\n" for i in range(100)).encode()
    assert list(parse(text, -1, categorical="auto")[2].categories) == [0]


def test_true_and_false_are_words():
    _, y, columns = parse(b"True,a\nFALSE,b\nTRUE,a\n", -1, categorical="auto")
    assert columns.categories == {0: ["FALSE", "TRUE", "True"]}
    assert y == ["a", "b", "a"]


# Tables in which nearly everything is almost right
CELLS = """1|-2.5|1e3|0| 7 |a|b|A b|| |?|nan|NA|inf|1e999|True|1.0|99999999999999999999|"1"|"a,b"|"|1,5|1_0|#|é|-|+1.
|0x1|007|1e|\\N|x\ty"""
cell = st.sampled_from(CELLS.replace("\n", "").split("|"))
separator = st.sampled_from([",", ";", "\t", "whitespace"])


@st.composite
def tables(draw):
    mark = draw(separator)
    rows = draw(st.lists(st.lists(cell, min_size=1, max_size=4), max_size=6))
    width = draw(st.integers(1, 4))
    if draw(st.booleans()):
        rows = [(row + ["1"] * 4)[:width] for row in rows]
    end = draw(st.sampled_from(["\n", "\r\n", "\n\n", "\r"]))
    return mark, end.join((" " if mark == "whitespace" else mark).join(row) for row in rows).encode() + b"\n"


columns = st.integers(-4, 4).filter(bool)
some_columns = st.lists(columns, max_size=2).map(tuple)


@given(
    st.one_of(tables(), st.tuples(separator, st.binary(max_size=30))),
    columns,
    st.booleans(),
    st.one_of(some_columns, st.just("auto")),
    some_columns,
    st.sampled_from([(), ("?",), ("?", "1")]),
)
@example((",", b"1,2\n3\n"), -1, False, (), (), ())
@example(("\t", b"\t\t\n1\t2\t3\n4\t5\t6\n"), -1, True, (), (), ())
@example((",", b"1,99999999999999999999\n1,2\n"), 1, False, "auto", (), ())
@example(("whitespace", b"1 a\n2\n"), 1, False, "auto", (), ())
@example((",", b"1,2,\n1,2\n"), 1, False, (), (3,), ())
@example((",", b"True,2\nTRUE,2\n"), 2, False, (), (), ())
@example((",", b"True,2\nTRUE,2\n"), 2, False, "auto", (), ())
@example((",", b"1,1\n1\n"), 1, True, (), (), ())
@example(("\t", b"\t\n"), 1, False, (), (), ())
@example((",", b"1,\n2,x\n"), 1, False, "auto", (), ())
def test_fuzz_no_crash_and_pandas_agrees_with_the_strict_way(table, label, header, categorical, drop, markers):
    mark, content = table
    options = CsvOptions(label, mark, header, categorical, drop, markers)

    def attempt():
        try:
            found = parse_table(content, options, None, "table.csv")
        except DataError as error:
            return str(error)
        X = found.X.toarray() if scipy.sparse.issparse(found.X) else found.X
        assert X.shape[0] == len(found.labels) > 0
        assert X.shape[1] > 0
        assert np.isfinite(X).all()
        return X.tolist(), found.labels.tolist(), found.columns

    outcome = attempt()
    assert not isinstance(outcome, str) or outcome.startswith("table.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_format, "read_by_pandas", lambda *_: None)
        assert attempt() == outcome


frames = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * width, st.sampled_from(["a", 'b "c"', "d,e"])),
        min_size=1,
        max_size=8,
    )
)


@given(frames, st.booleans())
def test_round_trip_with_pandas(rows, header):
    text = pd.DataFrame(rows).add_prefix("c").to_csv(index=False, header=header).encode()
    X, y, _ = parse(text, -1, header=header)
    assert [list(row[:-1]) for row in rows] == X
    assert y == [row[-1] for row in rows]


def test_large_file_is_read_by_pandas(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_format, "read_strictly", None)
    block = np.random.default_rng(1).integers(0, 4000, size=(5000, 54))
    lines = "\n".join(",".join(map(str, row)) + ",ab"[: 1 + row[0] % 2 + 1] for row in block.tolist()) + "\n"
    path = tmp_path / "large.csv"
    path.write_text(lines * 4)
    X, _ = read_csv(path, -1)
    np.testing.assert_array_equal(X, np.tile(block, (4, 1)))
