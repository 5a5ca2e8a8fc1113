"""The cells of a text table: numbers as one array, text columns as codes. A fast way, and a strict one.

The strict way reads line by line and is the definition of what is right. The fast one is pandas' parser; it is
given plain characters only, and gives up where it fails or might have let something pass.
"""

import array
import csv
import io
import re
import warnings
from dataclasses import dataclass

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.datasets.csv_columns import WHITESPACE
from fwsvm.datasets.labels import NUMBER, number_or_none

_PLAIN_CHARACTERS = bytes(code for code in range(0x20, 0x7F) if code != ord('"')) + b"\t\n"
_NON_FINITE = {"inf", "infinity", "nan"}
_TRUTH = (b"True", b"TRUE", b"true", b"False", b"FALSE", b"false")  # which pandas would take for 1 and 0
_CHUNK_VALUES = 1 << 22


@dataclass(frozen=True)
class Cells:
    """What the rows hold.

    Attributes
    ----------
    numbers : float64 ndarray of shape (m, columns that are numeric features)
    texts : dict of int to (list of str, int64 ndarray of shape (m,))
        For the label and each categorical column: its values, and which of them each row has.
    """

    numbers: np.ndarray
    texts: dict


class Missing:
    """What stands for a missing value: the empty cell, ``nan`` in any case, and the markers of the options.

    A marker that is a number stands for that number, however it is written.
    """

    def __init__(self, markers):
        markers = [marker.strip() for marker in markers]
        self.texts = {"", *markers}
        self.numbers = {value for marker in markers if (value := number_or_none(marker)) is not None}

    def __contains__(self, text):
        if text in self.texts or text.lower() == "nan":
            return True
        return bool(self.numbers) and number_or_none(text) in self.numbers


def records(content, separator, where):
    """Yield (line number, cells) for each line that is not empty; cells are stripped of blanks.

    A cell in double quotes may hold the separator and line ends, except in files separated by white space.
    """
    if b"\0" in content:
        raise DataError(f"{where}, line {_line_of(content, content.index(0))}: binary data, not text")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}, line {_line_of(content, error.start)}: not UTF-8 text") from None
    lines = io.StringIO(text, newline="")
    if separator == WHITESPACE:
        yield from ((place, cells) for place, line in enumerate(lines, start=1) if (cells := line.split()))
        return
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        place = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{where}, line {place}: {error}") from None
        cells = [cell.strip() for cell in cells]
        if cells not in ([], [""]):
            yield place, cells


def first_record(content, separator, where):
    """Line number and cells of the first line that is not empty.

    Raises
    ------
    DataError
        There is none.
    """
    if is_plain(content):  # so that a large file is not decoded for one line
        content = content[: _end_of_first_line(content, separator)]
    try:
        return next(records(content, separator, where))
    except StopIteration:
        raise DataError(f"{where}: the file is empty: there is no line in it") from None


def is_plain(content):
    """Whether the fast way may be tried: printable ASCII without double quotes, lines ended by line feeds."""
    return not content.translate(None, _PLAIN_CHARACTERS)


def looks_like_number(text):
    """Whether a text is a number, or would be one if it were finite."""
    return bool(NUMBER.fullmatch(text)) or text.lower().lstrip("+-") in _NON_FINITE


def number(text):
    """The number a text stands for.

    Raises
    ------
    ValueError
        It is none, or not finite.
    """
    if not NUMBER.fullmatch(text):
        problem = "is not finite" if looks_like_number(text) else "is not a number"
        raise ValueError(f"{_show(text)} {problem}")
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(f"{_show(text)} is too large for a number")
    return value


def read_strictly(content, options, columns, where):
    """All cells, line by line.

    Raises
    ------
    DataError
        With the line and the column.
    """
    textual = (columns.label, *columns.categorical)
    numbers, codes = array.array("d"), {column: array.array("q") for column in textual}
    values = {column: {} for column in textual}
    missing = Missing(options.missing_values)
    for line, cells in _rows(content, options, where):
        if len(cells) != columns.count:
            raise DataError(f"{where}, line {line}: {len(cells)} columns; there should be {columns.count}")
        for column in (columns.label, *columns.features):
            text = cells[column]
            try:
                if text in missing:
                    raise ValueError(f"the value is missing ({text!r})")
                if column in values:
                    codes[column].append(values[column].setdefault(text, len(values[column])))
                else:
                    numbers.append(number(text))
            except ValueError as error:
                raise DataError(f"{where}, line {line}, {columns.title(column)}: {error}") from None
    return Cells(
        np.array(numbers, dtype=np.float64).reshape(len(codes[columns.label]), len(columns.numeric)),
        {column: (list(values[column]), np.array(codes[column], dtype=np.int64)) for column in textual},
    )


def read_fast(content, options, columns):
    """All cells by pandas, or None."""
    import pandas as pd

    if not is_plain(content):
        return None
    numeric, textual = list(columns.numeric), (columns.label, *columns.categorical)
    no_numbers = sorted(set(range(columns.count)) - set(numeric))
    types = dict.fromkeys(numeric, "float64") | dict.fromkeys(no_numbers, "str")
    numbers, rows = np.empty((content.count(b"\n") + 1, len(numeric))), 0
    codes, values = {column: [np.zeros(0, np.int64)] for column in textual}, {column: {} for column in textual}
    missing = Missing(options.missing_values)
    if any(word in content for word in _TRUTH) and _no_numbers_for_pandas(content, options, columns) & set(numeric):
        return None
    try:
        for chunk in _chunks(content, options, columns, types):
            numbers[rows : rows + len(chunk)] = chunk[numeric]
            rows += len(chunk)
            for column in no_numbers:
                chunk_codes, texts = pd.factorize(chunk[column])
                texts = [text.strip() for text in texts]
                if any(text in missing for text in texts) or (chunk_codes < 0).any():
                    return None
                if column in values:
                    seen = values[column]
                    known = np.array([seen.setdefault(text, len(seen)) for text in texts])
                    codes[column].append(known[chunk_codes])
    except (ValueError, OverflowError):
        return None
    numbers = numbers[:rows]
    if not np.isfinite(numbers).all() or any((numbers == value).any() for value in missing.numbers):
        return None
    return Cells(numbers, {column: (list(values[column]), np.concatenate(codes[column])) for column in textual})


def text_columns(content, options, columns, where):
    """Features with a value that is no number: those that ``auto`` takes as categorical.

    A line of another length and a missing value are left for reading to complain of.

    Raises
    ------
    DataError
        It is the first line only that makes a column one of text: a header, it seems.
    """
    suspects = set(columns.features)
    if is_plain(content):
        suspects &= _no_numbers_for_pandas(content, options, columns)
    if not suspects:
        return ()
    missing = Missing(options.missing_values)
    found, in_first, rows = set(), set(), _rows(content, options, where)
    for row, (line, cells) in enumerate(rows):
        texts = {column for column in suspects - found if column < len(cells) and _is_word(cells[column], missing)}
        if row == 0:
            in_first, first_line = {column: cells[column] for column in texts}, line
        else:
            found |= texts
        if found == suspects:
            break
    only_first = sorted(set(in_first) - found)
    if only_first and row > 0 and not options.header:
        what = f"{in_first[only_first[0]]!r} is the only value that is no number; is this line a header?"
        raise DataError(f"{where}, line {first_line}, {columns.title(only_first[0])}: {what}")
    return tuple(sorted(found | set(in_first)))


def _rows(content, options, where):
    rows = records(content, options.separator, where)
    if options.header:
        next(rows)
    return rows


def _no_numbers_for_pandas(content, options, columns):
    """Columns it takes as text, numbers too large for it among them; all columns where it fails."""
    try:
        types = [chunk.dtypes for chunk in _chunks(content, options, columns, None)]
    except (ValueError, OverflowError):
        return set(range(columns.count))
    return {column for of_chunk in types for column, kind in of_chunk.items() if kind.kind not in "iuf"}


def _chunks(content, options, columns, types):
    """Tables of so many rows that memory is bounded."""
    import pandas as pd

    # Before version 3.1, pandas rounds wrongly in the last place without this option; since then it warns of it.
    is_exact = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    exact = {} if is_exact else {"float_precision": "round_trip"}
    stream = io.BytesIO(content)
    if options.header:
        stream.seek(_end_of_first_line(content, options.separator))
    blanks = b" \n" if options.separator == "\t" else b" \t\n"
    if not content[stream.tell() :].strip(blanks):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        chunks = pd.read_csv(
            stream,
            sep=r"\s+" if options.separator == WHITESPACE else options.separator,
            header=None,
            dtype=types,
            engine="c",
            quoting=csv.QUOTE_NONE,
            keep_default_na=False,
            na_values=[],
            skipinitialspace=True,
            low_memory=False,
            chunksize=max(1, _CHUNK_VALUES // columns.count),
            **exact,
        )
        for chunk in chunks:
            if chunk.shape[1] != columns.count:
                raise ValueError(f"{chunk.shape[1]} columns, not {columns.count}")
            yield chunk


def _end_of_first_line(content, separator):
    """Where the first line that is not empty ends."""
    blank_lines = rb"(?: *\n)*" if separator == "\t" else rb"(?:[ \t]*\n)*"
    return content.find(b"\n", re.match(blank_lines, content).end()) + 1 or len(content)


def _is_word(text, missing):
    return not (text in missing or looks_like_number(text))


def _line_of(content, position):
    return content.count(b"\n", 0, position) + 1


def _show(text):
    return repr(text if len(text) <= 40 else text[:37] + "...")
