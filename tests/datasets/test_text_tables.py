"""Test text tables as users write them: types of columns, line breaks and quotation marks,
spellings of labels, and unusual files.
"""

import csv
import io
import tarfile
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwsvm.inputs.errors import DataError
from fwsvm_papers.datasets import read_csv, read_libsvm
from fwsvm_papers.datasets.tables import read_table
from fwsvm_papers.datasets.text_values import as_numbers


def column_of(cells, name="a", separator=","):
    """Return a table with a column of these cells, called `name`, and a column of labels."""
    rows = [f"{cell}{separator}{'xy'[row % 2]}" for row, cell in enumerate(cells)]
    return "\n".join([f"{name}{separator}class", *rows, ""]).encode()


def refused(path, **options):
    with pytest.raises(DataError) as error:
        read_csv(path, "class", header=True, **options)
    return str(error.value).replace(str(path), path.name)


NUMBERS = [str(value / 8) for value in range(60)]
ONE_WRONG = [
    ("12.o5", "correct it (if the values are categories"),
    ("0,357", "write it like 1234.5, without a decimal comma"),
    ("4.5%", "without a decimal comma, thousands separators, %"),
    ('"4,928"', "write it like 1234.5"),
    ("1'000", "write it like 1234.5"),
    ("4 928", "write it like 1234.5"),
    ("\N{MINUS SIGN}5", "write it like 1234.5"),
    ("$7", "write it like 1234.5"),
    ("?", "if the value is missing, fill it in, or drop the column"),
    ("NA", "if the value is missing"),
    ("Infinity", "only finite numbers"),
]


@pytest.mark.parametrize("categorical", ["auto", []])
@pytest.mark.parametrize(("cell", "remedy"), ONE_WRONG)
@pytest.mark.parametrize("row", [0, 41])
def test_one_wrong_cell_does_not_make_a_column_categorical(write, categorical, cell, remedy, row):
    cells = [*NUMBERS[:row], cell, *NUMBERS[row:]]
    message = refused(
        write(column_of(cells, separator=";"), "t.csv"), separator=";", categorical=categorical
    )
    assert message.startswith(
        f"t.csv, line {row + 2}, column 1 'a': {cell.strip(chr(34))!r}: this is not a finite"
    )
    assert remedy in message and "header: true" not in message


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([f"{i},{i + 1}" for i in range(50)], "'0,1': this is not a finite number; write it like"),
        ([f"{i}.5%" for i in range(50)], "'0.5%': this is not"),
        (["?"] * 40 + ["1"] * 10, "'?': this is not a finite number; if the value is missing"),
        (["1", "2", "b", "a"], "line 4, column 1 'a': 'b': this is not"),
        ([f"2020-01-{i % 28 + 1}" for i in range(60)], "28 different words in 60 rows"),
        ([f"{i}kg" for i in range(60)], "60 different words"),
        (
            [f"{i % 28 + 1}.{i % 12 + 1}.2020" for i in range(60)],
            "'1.1.2020': this is not a finite number",
        ),
        (["", ""], "'': the value is missing"),
    ],
)
def test_column_without_numbers_is_categorical_only_if_it_has_words_that_recur(
    write, cells, message
):
    path = write(column_of(cells, separator=";"), "t.csv")
    assert message in refused(path, separator=";", categorical="auto")


@pytest.mark.parametrize(
    "values",
    [
        ["red", "blue"],
        ["1st", "2nd", "3rd"],
        ["30-39", "40-49"],
        ["True", "FALSE"],
        ["yes", "?", "no"],
        ["a", "b", "1"],
    ],
)
def test_column_of_words_is_categorical(write, values):
    cells = values * 5
    X, _, columns = read_table(
        write(column_of(cells), "t.csv"), None, "class", header=True, categorical="auto"
    )
    assert set(columns.categories[0]) == set(values)
    wanted = [[float(cell == value) for value in columns.categories[0]] for cell in cells]
    np.testing.assert_array_equal(X.toarray(), wanted)


def test_author_decides_over_the_values(write):
    dates = [f"2020-01-{i % 28 + 1:02}" for i in range(60)]
    X, _ = read_csv(write(column_of(dates), "t.csv"), "class", header=True, categorical=["a"])
    assert X.shape == (60, 28)
    X, _ = read_csv(
        write(column_of(["1", "2", "5more"] * 9), "t.csv"), "class", header=True, categorical=["a"]
    )
    assert X.shape == (27, 3)


def test_categories_with_equal_numbers_stay_apart_within_a_file(write, caplog):
    columns = read_table(write(b"2.1,x\n2.10,y\n7,x\n"), None, -1, categorical=[1])[2]
    assert (
        columns.categories == {0: ["2.1", "2.10", "7"]}
        and "used as different categories" in caplog.text
    )
    columns = read_table(write(b"6,x\n9,y\n"), None, -1, categorical=[1])[2]
    X = read_table(write(b"9.0000,x\n6.,y\n+6,y\n"), columns, -1, categorical=[1])[0]
    assert X.toarray().tolist() == [[0, 1], [1, 0], [1, 0]]


# Lines

LINE_ENDS = pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])


@LINE_ENDS
def test_wrong_cell_has_its_line_with_every_line_end(write, end):
    lines = b"a,b,class", b"1,2,x", b"", b"3,4,y", b" ", b"5,oops,x", b"7,8,y"
    assert "t.csv, line 6, column 2 'b': 'oops'" in refused(write(end.join(lines) + end, "t.csv"))


@LINE_ENDS
def test_quoted_cells_with_line_breaks_count_as_lines(write, end):
    text = b'note,b,class\n"one\n\ntwo",1,x\n"a ""b""\n",2,y\n"\n",oops,x\n'.replace(b"\n", end)
    assert "line 7, column 2 'b': 'oops'" in refused(write(text, "t.csv"), drop=["note"])
    X, y = read_csv(
        write(text.replace(b"oops", b"3"), "t.csv"), "class", header=True, drop=["note"]
    )
    assert (X.tolist(), y.tolist()) == ([[1], [2], [3]], ["x", "y", "x"])


texts = st.text(st.sampled_from('ab\n\r",; \x0c\x0b\x1c\x85\u2028'), max_size=6)


@given(st.lists(st.tuples(texts, st.booleans()), min_size=1, max_size=8))
def test_only_line_ends_separate_rows(write, rows):
    """A cell can have any character. The expected line number comes from the number of line ends in
    the text before the row.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["note", "value", "class"])
    starts = []
    for note, is_wrong in rows:
        written = stream.getvalue().replace("\r\n", "\n").replace("\r", "\n")
        starts.append(written.count("\n") + 1)
        writer.writerow([f"n{note}", "oops" if is_wrong else "1", "x"])
    path = write(stream.getvalue().encode(), "t.csv")
    wrong = [start for start, (_, is_wrong) in zip(starts, rows, strict=True) if is_wrong]
    if wrong:
        assert f"t.csv, line {wrong[0]}, column 2 'value': 'oops'" in refused(path, drop=["note"])
    else:
        assert len(read_csv(path, "class", header=True, drop=["note"])[0]) == len(rows)


def test_libsvm_file_with_carriage_returns_has_lines(write):
    X, y = read_libsvm(write(b"1 1:1\r-1 2:1\r"))
    assert (X.toarray().tolist(), y.tolist()) == ([[1, 0], [0, 1]], [1, -1])
    with pytest.raises(DataError, match="line 3: "):
        read_libsvm(write(b"1 1:1\r-1 2:1\r1 x\r"))


def test_lines_of_comments_are_skipped_and_counted(write):
    text = b'|1x3 "Cross\n25,u,a\n38,v,"b\n|c"\n| end, of, file\n'
    X, y = read_csv(write(text, "t.csv"), -1, drop=[2], comment="|")
    assert (X.tolist(), y.tolist()) == ([[25], [38]], ["a", "b\n|c"])
    with pytest.raises(DataError, match="line 3, column 1: '3b'"):
        read_csv(write(text.replace(b"38", b"3b"), "t.csv"), -1, drop=[2], comment="|")


# Files of other kinds, and lines with a wrong number of columns


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,class\n1,x\n".encode("utf-16"), "t.csv is UTF-16"),
        ("a,größe,class\n".encode("latin-1"), "t.csv, line 1, byte 5: "),
        (b"a,class\n1,x\n2,\xe9\n", "t.csv, line 3, byte 3: "),
        (b"a;b;class\n1;2;x\n", "is the separator right? Line 1 contains ';'"),
        (b"\n\na;b;class\n1;2;x\n", "is the separator right? Line 3 contains ';'"),
        (b"a b class\n1 2 x\n", "is the separator right? Perhaps the separator is whitespace"),
        (b"a,b,class\n1,2,x\n3;4;y\n", "t.csv, line 3: 1 value, but line 1 has 3"),
        (
            b"a,b,class\n1,2,x,\n",
            "t.csv, line 2: 4 values, but line 1 has 3; perhaps there is a separator at the end of"
            " line 2; remove it",
        ),
        (
            b"a,b,class,\n1,2,x\n",
            "t.csv, line 2: 3 values, but line 1 has 4; perhaps there is a separator at the end of"
            " line 1; remove it",
        ),
        (b"a,,,class\n1,2,3,x\n", "columns have no name in the header (columns 2, 3)"),
        (b"a,b,b,class\n1,2,3,x\n", "columns have the name 'b' in the header (columns 2, 3)"),
        (b"b,b,b,class\n1,2,3,x\n", "columns have the name 'b' in the header (columns 1, 2, 3)"),
        (
            b"|1x3 sets\na,class\n1,x\n",
            "'|1x3 sets' is not data, delete line 1, or skip it with the key comment: '|'",
        ),
        (b"My table\na,class\n1,x\n", "'My table' is not data, delete line 1"),
        (b'a,class\n1,"x\n2,y\n', "t.csv, line 2: a cell begins with a quotation mark"),
        (b"<!DOCTYPE html>\n<html>a, b</html>", "t.csv is a web page"),
    ],
)
def test_odd_file_is_named_with_its_line(write, text, message):
    assert message in refused(write(text, "t.csv"))


def test_long_lines_and_unusual_but_right_cells(write):
    width = 30_000
    X, y = read_csv(write("1," * width + "x\n" + "2," * width + "y" * 200_000 + "\n", "t.csv"), -1)
    assert X.shape == (2, width) and [len(label) for label in y] == [1, 200_000]
    text = b'\xef\xbb\xbf"a", "b","class"\n"1.5", +2 ,  x y \n" .5",3.,"p, q"\n'
    X, y = read_csv(write(text, "t.csv"), "class", header=True)
    assert (X.tolist(), y.tolist()) == ([[1.5, 2], [0.5, 3]], ["x y", "p, q"])


@pytest.mark.parametrize("read", [read_libsvm, lambda path: read_csv(path, -1)])
def test_archive_is_called_an_archive(tmp_path, read):
    (tmp_path / "t.txt").write_text("1 1:2\n0 1:3\n" * 20)
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.write(tmp_path / "t.txt", "t.txt")
    for kind in ("", "gz", "xz"):
        with tarfile.open(tmp_path / f"t.tar{kind}", f"w:{kind}") as archive:
            archive.add(tmp_path / "t.txt", "t.txt")
    np.savez(tmp_path / "t.npz", X=np.eye(2))
    (tmp_path / "t.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + b"\x01" * 50)
    kinds = {
        "t.zip": "zip",
        "t.npz": "zip",
        "t.tar": "tar",
        "t.targz": "tar",
        "t.tarxz": "tar",
        "t.7z": "7z",
    }
    for name, kind in kinds.items():
        with pytest.raises(DataError, match=rf"{name} is a {kind} archive.*; unpack it"):
            read(tmp_path / name)


# Labels


@pytest.mark.parametrize(
    "labels",
    [
        ["2.1", "2.10", "2.2"],
        ["007", "7"],
        ["1e3", "1000"],
        [str(2**53), str(2**53 + 1)],
        [str(2**53 + 1), "5"],
    ],
)
def test_labels_that_would_merge_or_change_as_numbers_stay_texts(write, labels, caplog):
    text = "".join(f"{row},{label}\n" for row, label in enumerate(labels))
    assert read_csv(write(text, "t.csv"), -1)[1].tolist() == labels
    assert "all labels are used as text, because" in caplog.text


@pytest.mark.parametrize(
    ("parts", "numbers"),
    [
        ([["6.0000", "5.0000"], ["6", "+5"]], True),
        ([["2.1", "3"], ["2.10", "3"]], False),
        ([["07", "8"], ["7", "8"]], False),
        ([["-0", "1"], ["0", "1"]], False),
        ([["-1", "1"], ["1"]], True),
    ],
)
def test_files_may_spell_an_integer_in_two_ways(parts, numbers):
    found = as_numbers(*map(np.array, parts))
    assert {part.dtype.kind for part in found} == {"f" if numbers else "U"}


def test_libsvm_labels_are_numbers_and_must_be_held_exactly(write):
    assert read_libsvm(write(b"+1 1:1\n1.0 1:2\n1e0 1:1\n-0 1:3\n0 1:4\n"))[1].tolist() == [
        1,
        1,
        1,
        0,
        0,
    ]
    assert read_libsvm(write(f"{2**60} 1:1\n1 1:2\n".encode()))[1].tolist() == [2**60, 1]
    for labels in (
        (2**53, 2**53 + 1),
        (1, 2**53 + 1),
        (0.1, "0.10000000000000000001"),
        (1, "1e-99999999999999999999"),
    ):
        text = "# labels\n" + "".join(f"{label} 1:1\n" for label in labels)
        what = rf"line 3: the label {labels[1]} cannot be stored exactly \(it would become "
        with pytest.raises(DataError, match=what):
            read_libsvm(write(text.encode()))
