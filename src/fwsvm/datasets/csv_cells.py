"""The cells of a text table: numbers as one array, text columns as codes. A fast way, and a strict one.

The strict way reads line by line and is the definition of what is right. The fast one is pandas' parser; it is
given plain characters only, and gives up where it fails or might have let something pass.
"""

import array
import csv
import io
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fwsvm.datasets.csv_columns import WHITESPACE
from fwsvm.datasets.labels import NUMBER
from fwsvm.errors import DataError

_PLAIN_CHARACTERS = bytes(code for code in range(0x20, 0x7F) if code != ord('"')) + b"\t\n"
_NON_FINITE = {"inf", "infinity", "nan"}
_CHUNK_VALUES = 1 << 22
# Before version 3.1, pandas rounds wrongly in the last place unless told otherwise; since then it warns if told.
_EXACT = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}


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
        yield from ((number, cells) for number, line in enumerate(lines, start=1) if (cells := line.split()))
        return
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{where}, line {number}: {error}") from None
        cells = [cell.strip() for cell in cells]
        if cells not in ([], [""]):
            yield number, cells


def is_missing(text, markers):
    """An empty cell, ``nan`` in any case, or one of the markers."""
    return not text or text in markers or text.lower() == "nan"


def first_record(content, separator, where):
    """Line number and cells of the first line that is not empty.

    Raises
    ------
    DataError
        There is none.
    """
    if is_plain(content):
        # Only so much is given on that a large file is not decoded for one line.
        content = content[: content.find(b"\n", len(content) - len(content.lstrip())) + 1 or None]
    try:
        return next(records(content, separator, where))
    except StopIteration:
        raise DataError(f"{where}: the file is empty: there is no line in it") from None


def is_plain(content):
    """Whether the fast way may be tried: printable ASCII without double quotes, lines ended by line feeds."""
    return not content.translate(None, _PLAIN_CHARACTERS)


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
    rows = records(content, options.separator, where)
    if options.header:
        next(rows)
    for line, cells in rows:
        if len(cells) != columns.count:
            raise DataError(f"{where}, line {line}: {len(cells)} columns; there should be {columns.count}")
        for column in (columns.label, *columns.features):
            text = cells[column]
            try:
                if is_missing(text, options.missing_values):
                    raise ValueError(f"the value is missing ({text!r})")
                if column in values:
                    codes[column].append(values[column].setdefault(text, len(values[column])))
                else:
                    numbers.append(_number(text))
            except ValueError as error:
                raise DataError(f"{where}, line {line}, {columns.title(column)}: {error}") from None
    return Cells(
        np.array(numbers, dtype=np.float64).reshape(len(codes[columns.label]), len(columns.numeric)),
        {column: (list(values[column]), np.array(codes[column], dtype=np.int64)) for column in textual},
    )


def text_columns(content, options, columns, where):
    """Features with a value that is no number: those that ``auto`` takes as categorical.

    A line of another length and a missing value are left for reading to complain of.
    """
    suspects = set(columns.features)
    if is_plain(content):
        suspects &= _columns_that_pandas_takes_as_text(content, options, columns)
    found = set()
    if not suspects:
        return ()
    rows = records(content, options.separator, where)
    if options.header:
        next(rows)
    for _, cells in rows:
        for column in suspects - found:
            if column < len(cells) and not _may_be_number(cells[column], options.missing_values):
                found.add(column)
        if found == suspects:
            break
    return tuple(sorted(found))


def read_fast(content, options, columns):
    """All cells by pandas, or None."""
    if not is_plain(content):
        return None
    textual = (columns.label, *columns.categorical)
    types = {column: "float64" if column in columns.numeric else "str" for column in range(columns.count)}
    numbers = np.empty((content.count(b"\n") + 1, len(columns.numeric)))
    codes, values, rows = {column: [] for column in textual}, {column: {} for column in textual}, 0
    try:
        for chunk in _chunks(content, options, columns, types):
            for place, column in enumerate(columns.numeric):
                numbers[rows : rows + len(chunk), place] = chunk[column]
            for column in set(range(columns.count)) - set(columns.numeric):
                chunk_codes, chunk_values = pd.factorize(chunk[column])
                if any(is_missing(text.strip(), options.missing_values) for text in chunk_values):
                    return None
                if column in values:
                    seen = values[column]
                    known = [seen.setdefault(text.strip(), len(seen)) for text in chunk_values]
                    codes[column].append(np.array(known, dtype=np.int64)[chunk_codes])
            rows += len(chunk)
    except (ValueError, OverflowError):
        return None
    if not np.isfinite(numbers[:rows]).all():
        return None
    nothing = np.zeros(0, dtype=np.int64)
    return Cells(
        numbers[:rows],
        {column: (list(values[column]), np.concatenate([nothing, *codes[column]])) for column in textual},
    )


def _columns_that_pandas_takes_as_text(content, options, columns):
    """Numbers too large for it among them; all columns where it fails."""
    try:
        kinds = [chunk.dtypes for chunk in _chunks(content, options, columns, None)]
    except (ValueError, OverflowError):
        return set(range(columns.count))
    return {column for types in kinds for column, kind in types.items() if kind.kind not in "iuf"}


def _chunks(content, options, columns, types):
    """Tables of so many rows that memory is bounded."""
    stream = io.BytesIO(content)
    if options.header:
        stream.seek(content.find(b"\n", len(content) - len(content.lstrip())) + 1 or len(content))
    if not content[stream.tell() :].strip():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        yield from pd.read_csv(
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
            **_EXACT,
        )


def _number(text):
    if not NUMBER.fullmatch(text):
        problem = "is not finite" if text.lower().lstrip("+-") in _NON_FINITE else "is not a number"
        raise ValueError(f"{_show(text)} {problem}")
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(f"{_show(text)} is too large for a number")
    return value


def _may_be_number(text, markers):
    looks_so = NUMBER.fullmatch(text) or text.lower().lstrip("+-") in _NON_FINITE
    return bool(looks_so) or is_missing(text, markers)


def _line_of(content, position):
    return content.count(b"\n", 0, position) + 1


def _show(text):
    return repr(text if len(text) <= 40 else text[:37] + "...")
