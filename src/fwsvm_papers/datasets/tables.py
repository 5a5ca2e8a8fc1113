"""Functions that read text tables (csv). They split the text into cells, find the categorical
columns, and convert text to numbers.
"""

from __future__ import annotations

import csv
import io
import itertools
import logging
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, get_args

import numpy as np
import scipy.sparse

from fwsvm.inputs.data_files import read_text_bytes
from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm_papers.datasets.schema import did_you_mean
from fwsvm_papers.datasets.text_values import (
    as_numbers,
    equal_numbers,
    finite_numbers,
    is_finite,
    is_word,
    marks_missing,
    number_of,
    plain_spelling,
    remedy,
)

if TYPE_CHECKING:
    from pathlib import Path

    from fwsvm_papers.datasets.storage import Points

WHITESPACE, AUTO = "whitespace", "auto"
Separator: TypeAlias = Literal["whitespace", "\t", ",", ";", "|", ":", "!", "#", "$", "%", "&", "/"]
SEPARATORS: tuple[Separator, ...] = get_args(Separator)
_ROWS = 4096  # number of rows that are converted at a time
_FEW_WORDS = (
    20  # a column with at most this many different words is categorical, even in a short table
)
_LOG = logging.getLogger(__name__)
_BLANKS = re.compile("[ \t]+")


@dataclass(frozen=True)
class Columns:
    """The names, positions (from 0) and categories of the columns in the first file of a data set.
    The other files are read with the same `Columns`.
    """

    names: list
    label: int
    features: list
    categories: dict


def read_csv(path: str | Path, label: int | str, **options: Any) -> tuple[Points, np.ndarray]:
    """Read the points and labels of a text table, plain or compressed.

    `options` are further arguments of `read_table`.

    The labels are converted to float64 if all of them are finite numbers below 2^53 in absolute
    value, and if no two different labels would become equal (such as 2.1 and 2.10). Otherwise, they
    stay texts. If cells are wrong, a DataError is raised. Its message names the file, and the line
    and the column of one wrong cell.
    """
    X, labels, _ = read_table(path, None, label, **options)
    return X, as_numbers(labels, where=f"{path}: ")[0]


def read_table(
    path: str | Path,
    columns: Columns | None,
    label: int | str,
    separator: str = ",",
    header: bool = False,
    categorical: Sequence | str = (),
    drop: Sequence = (),
    missing_values: Sequence[str] = (),
    comment: str | None = None,
) -> tuple[Points, np.ndarray, Columns]:
    """Read a table, and return the points, the labels as text, and the `Columns`.

    `columns` are the `Columns` of the first file of the data set, or None if this file is the first
    one. If they are given, `label`, `categorical` and `drop` have no effect. `separator` is one of
    `SEPARATORS`, and `header` says whether the first line has the names of the columns. Lines that
    begin with `comment` are skipped.

    `label` is the column of the labels, `categorical` lists the columns of categories, and `drop`
    lists the columns that are left out. A column is given by its name in the header or by its
    position: 1 is the first column, and -1 is the last. If `categorical` is "auto", a column is
    categorical if most of its values are words.

    `missing_values` are the marks of missing values. If a column that is used has a missing or an
    empty value, raise a DataError.
    """
    if separator not in SEPARATORS:
        raise ConfigError(
            f"separator: {separator!r} must be one of {', '.join(map(repr, SEPARATORS))}"
        )
    missing = {"", *(marker.strip() for marker in missing_values)}
    table = _Table(path, separator, header, comment, missing)
    is_first = columns is None
    if columns is None:
        columns = _find_columns(table.names, label, categorical, drop, path)
    elif columns.names != table.names:
        given, first = table.names[:9], columns.names[:9]
        if len(table.names) != len(columns.names):
            what = f"{len(table.names)} columns, but the first file has {len(columns.names)}"
            raise DataError(f"{path}, line {table.first_line}: {what}")
        raise DataError(
            f"{path}, line {table.first_line}: the columns {given} differ from the first file's"
            f" {first}"
        )
    texts, numbers = table.read(columns)
    unclear = [column for column, found in numbers.items() if found is None]
    for column, cells in table.texts(unclear).items():
        if not (is_first and categorical == AUTO and table.are_categories(column, cells)):
            table.refuse_first_wrong(column, cells)
        columns.categories[column] = None
        texts[column] = cells
    values = {column: found for column, found in numbers.items() if found is not None}
    for column, cells in texts.items():
        table.refuse_missing(column, cells, column == columns.label)
    blocks = [
        (
            _one_hot(texts[column], columns, column, path)
            if column in texts
            else values[column][:, None]
        )
        for column in columns.features
    ]
    X = scipy.sparse.hstack(blocks, format="csr") if columns.categories else np.hstack(blocks)
    return X, np.array(texts[columns.label], dtype=np.str_), columns


class _Table:
    """A text table.

    The text is split into cells more than once, for example to find the line number of a wrong
    cell. The method `_records` is used each time.
    """

    def __init__(
        self,
        path: str | Path,
        separator: str,
        header: bool,
        comment: str | None,
        missing: set[str],
    ) -> None:
        self.path, self.separator, self.header = path, separator, header
        self.comment, self.missing = comment, missing
        self.missing_numbers = [
            number for number in map(number_of, missing) if math.isfinite(number)
        ]
        self.content = read_text_bytes(path)
        _refuse_other_encoding(self.content, path)
        first_two = list(itertools.islice(self._records(), 2))
        if not first_two:
            raise DataError(f"{path}: the file is empty")
        (self.first_line, cells), *second = first_two
        self.width, self.first_cells = len(cells), cells
        for line, others in second:
            self._check_width(line, others)
        if self.width == 1:
            hint = _other_separator(cells[0], self.first_line)
            raise DataError(f"{path}: there is only one column; is the separator right?{hint}")
        self.names = [cell.strip() for cell in cells] if header else list(range(1, self.width + 1))

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, cells) of each record.

        If a quoted cell contains line breaks, its record has several lines, and `line` is the
        number of the first line.
        """
        stream = io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8", newline="\n")
        numbered = enumerate(stream, start=1)
        blanks = " \t\n" if self.separator == WHITESPACE else " \n"
        for number, line in numbered:
            if not line.strip(blanks) or (self.comment and line.startswith(self.comment)):
                continue
            if self.separator == WHITESPACE:
                yield number, _BLANKS.split(line.strip(blanks))
            elif '"' in line:
                yield number, self._quoted(number, line, (text for _, text in numbered))
            else:
                yield number, line.rstrip("\n").split(self.separator)

    def _quoted(self, number: int, line: str, further_lines: Iterator[str]) -> list[str]:
        """Split a record that contains quotation marks into cells.

        If a quoted cell contains line breaks, also read the lines on which the cell continues.
        """
        # A text file has no zero byte. Therefore, if a cell contains the zero byte that is added
        # here, the closing quotation mark of the cell is missing.
        lines = itertools.chain([line], further_lines, ["\0"])
        try:
            cells = next(csv.reader(lines, delimiter=self.separator, skipinitialspace=True))
            if "\0" not in cells[-1]:
                return cells
        except csv.Error:
            pass
        what = (
            "a cell begins with a quotation mark, but has no closing one, or has more than 131,072"
            " characters"
        )
        raise DataError(f"{self.path}, line {number}: {what}")

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, cells) of each record after the header."""
        for line, cells in itertools.islice(self._records(), int(self.header), None):
            self._check_width(line, cells)
            yield line, cells

    def _check_width(self, line: int, cells: list[str]) -> None:
        if len(cells) == self.width:
            return
        begin = self.first_cells[0].strip()
        if self.width == 1:
            key = f"comment: {begin[:1]!r}"
            skip = "" if begin[:1].isalnum() else f", or skip it with the key {key}"
            hint = f"if {begin[:40]!r} is not data, delete line {self.first_line}{skip}"
        elif len(cells) < self.width and not self.first_cells[-1].strip():
            hint = f"perhaps there is a separator at the end of line {self.first_line}; remove it"
        elif len(cells) < self.width:
            hint = (
                "perhaps a value or a separator is missing. Lines that are not data can be skipped"
                " with the key 'comment'"
            )
        elif not cells[-1].strip():
            hint = f"perhaps there is a separator at the end of line {line}; remove it"
        else:
            hint = "a value that contains the separator needs quotation marks"
        found = f"line {line}: {len(cells)} value{'s' * (len(cells) > 1)}"
        raise DataError(
            f"{self.path}, {found}, but line {self.first_line} has {self.width}; {hint}"
        )

    def read(self, columns: Columns) -> tuple[dict[int, list[str]], dict[int, np.ndarray | None]]:
        """Return two dicts whose keys are column positions. The first has the texts of the label
        and of the categorical columns. The second has the numbers of all other features.

        The numbers of a column are a float64 array. If a cell of the column is not a finite number,
        or marks a missing value, the second dict has None for the column.
        """
        texts: dict[int, list[str]] = {
            column: [] for column in (columns.label, *columns.categories)
        }
        numbers: dict[int, list[np.ndarray] | None] = {
            column: [] for column in columns.features if column not in texts
        }
        rows = (cells for _, cells in self._rows())
        while block := list(itertools.islice(rows, _ROWS)):
            cells = list(zip(*block, strict=True))
            for column, found in texts.items():
                found.extend(map(str.strip, cells[column]))
            for column, blocks in numbers.items():
                if blocks is None:
                    continue
                values = finite_numbers(cells[column])
                if values is None or np.isin(values, self.missing_numbers).any():
                    numbers[column] = None
                else:
                    blocks.append(values)
        if not texts[columns.label]:
            raise DataError(f"{self.path} has a header, but no row after it")
        return texts, {
            column: None if blocks is None else np.concatenate(blocks)
            for column, blocks in numbers.items()
        }

    def texts(self, columns: Sequence[int]) -> dict[int, list[str]]:
        """Return a dict that maps each of the `columns` to its texts."""
        found: dict[int, list[str]] = {column: [] for column in columns}
        for _, cells in self._rows() if columns else ():
            for column, texts in found.items():
                texts.append(cells[column].strip())
        return found

    def are_categories(self, column: int, texts: list[str]) -> bool:
        """Test whether most values of a column are words, so that they are probably categories.

        Raise a DataError if the column has so many different words that they are probably not
        categories.
        """
        counts = {
            text: n
            for text, n in Counter(texts).items()
            if not (self._is_missing(text) or marks_missing(text))
        }
        words = [text for text in counts if is_word(text)]
        if 2 * sum(counts[text] for text in words) <= sum(counts.values()):
            return False
        if len(words) > _FEW_WORDS and 5 * len(words) > len(texts):
            row = next(row for row, text in enumerate(texts) if text in words)
            what = (
                f"the column has {len(words)} different words in {len(texts)} rows. Each word would"
                " become a feature. Drop the column, or list it under 'categorical' if you want"
                " these features"
            )
            self._refuse(row, column, texts[row], what)
        return True

    def refuse_missing(self, column: int, texts: list[str], are_labels: bool = False) -> None:
        """If a text marks a missing value, raise a DataError for the first such text."""
        missing = {text for text in set(texts) if self._is_missing(text)}
        if missing:
            row = next(row for row, text in enumerate(texts) if text in missing)
            other = "delete the line" if are_labels else "drop the column"
            what = f"the value is missing; fill it in, or {other}"
            self._refuse(row, column, texts[row], what)

    def refuse_first_wrong(self, column: int, texts: list[str]) -> None:
        """Raise a DataError for the first text that is not a finite number, or that marks a missing
        value.
        """
        row = next(
            row for row, text in enumerate(texts) if self._is_missing(text) or not is_finite(text)
        )
        text = texts[row]
        self.refuse_missing(column, texts[: row + 1])
        self._refuse(row, column, text, f"this is not a finite number; {remedy(text)}")

    def _is_missing(self, text: str) -> bool:
        return (
            text in self.missing or text.lower() == "nan" or number_of(text) in self.missing_numbers
        )

    def _refuse(self, row: int, column: int, text: str, what: str) -> NoReturn:
        """Raise a DataError that names the file, the line and the column of a cell."""
        line = next(itertools.islice(self._rows(), row, None))[0]
        name = f" {self.names[column]!r}" if self.header else ""
        hint = "" if row or self.header else "; if this line is a header, set header: true"
        raise DataError(
            f"{self.path}, line {line}, column {column + 1}{name}: {text[:40]!r}: {what}{hint}"
        )


def _refuse_other_encoding(content: bytes, path: str | Path) -> None:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        begin = content.rfind(b"\n", 0, error.start) + 1
        line, bytes_ = content.count(b"\n", 0, begin) + 1, content[error.start : error.start + 40]
        what = f"{bytes_!r} is not UTF-8 text; save the file in UTF-8"
        raise DataError(f"{path}, line {line}, byte {error.start - begin + 1}: {what}") from error


def _other_separator(text: str, line: int) -> str:
    """Return a hint if another separator would split `text` into several cells. Otherwise, return
    an empty text.

    The argument `text` is the line with the number `line`. It does not contain the separator of the
    entry.
    """
    other = max(("\t", ",", ";", "|"), key=text.count)
    if other in text:
        return f" Line {line} contains {other!r}, which may be the separator"
    return " Perhaps the separator is whitespace" if len(text.split()) > 1 else ""


def _find_columns(
    names: list,
    label: int | str,
    categorical: Sequence | str,
    drop: Sequence,
    path: str | Path,
) -> Columns:
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        places = ", ".join(
            str(place) for place, name in enumerate(names, start=1) if name == repeated[0]
        )
        what = f"columns have the name {repeated[0]!r}" if repeated[0] else "columns have no name"
        raise DataError(f"{path}: {what} in the header (columns {places})")
    label = _position(label, names, f"{path}: label")
    dropped = {_position(column, names, f"{path}: drop") for column in drop}
    chosen = () if categorical == AUTO else categorical
    categories = {_position(column, names, f"{path}: categorical"): None for column in chosen}
    if label in dropped or categories.keys() & {label, *dropped}:
        raise DataError(f"{path}: each column can be in only one of label, drop and categorical")
    features = [column for column in range(len(names)) if column != label and column not in dropped]
    if not features:
        raise DataError(f"{path}: none of the {len(names)} columns is left for features")
    return Columns(names, label, features, categories)


def _position(column: int | str, names: list[str], where: str) -> int:
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, str) and names[0] == 1:
        raise DataError(
            f"{where}: {column!r} needs a header; set header: true, or give the position of the"
            f" column (1 to {len(names)})"
        )
    if isinstance(column, str):
        raise DataError(
            f"{where}: the header has no column {column!r}; {did_you_mean(column, names)}"
        )
    if not 1 <= abs(column) <= len(names):
        raise DataError(
            f"{where}: there is no column {column}; give a position from 1 to {len(names)}, or -1"
            " for the last column"
        )
    return column - 1 if column > 0 else len(names) + column


def _numbers_first(text: str) -> tuple[int, float, str]:
    return (0, number_of(text), text) if is_finite(text) else (1, 0.0, text)


def _one_hot(
    texts: list[str], columns: Columns, column: int, path: str | Path
) -> scipy.sparse.csc_matrix:
    """Return the one-hot features of a column. There is one feature for each value that occurs in
    the first file. The feature is 1 in the rows with this value, and 0 in all other rows.

    Features of numbers come before features of other values.
    """
    values, codes = np.unique(np.array(texts, dtype=np.str_), return_inverse=True)
    values = values.tolist()
    if columns.categories[column] is None:
        columns.categories[column] = sorted(values, key=_numbers_first)
        if pair := equal_numbers(values):
            _LOG.warning(
                "%s, column %s: %r and %r are the same number, but are used as different"
                " categories",
                path,
                column + 1,
                *pair,
            )
    place = {value: index for index, value in enumerate(columns.categories[column])}
    same = {plain_spelling(value): index for value, index in place.items()}
    if len(same) == len(place):
        place = same | place  # in another file, the value 6 can be written as 6.0
    indices = np.array(
        [place.get(value, place.get(plain_spelling(value), -1)) for value in values]
    )[codes]
    known = indices >= 0
    if not known.all():
        what = f"{(~known).sum()} rows have a value that does not occur in the first file"
        _LOG.warning(
            "%s, column %s: %s; all features of this column are 0 in these rows",
            path,
            column + 1,
            what,
        )
    ones = np.ones(known.sum()), (np.flatnonzero(known), indices[known])
    return scipy.sparse.csc_matrix(ones, shape=(len(codes), len(columns.categories[column])))
