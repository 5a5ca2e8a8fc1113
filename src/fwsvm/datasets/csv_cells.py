"""The cells of a text table: numbers as one array, text columns as codes. By pandas, and strictly.

The strict way reads line by line and is the definition of what is right. pandas is given plain characters only; where
it fails, or might have let something pass, the strict way reads again and says what is wrong, and where.
"""

import array
import csv
import io
import warnings
from dataclasses import dataclass, replace

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.datasets.csv_columns import WHITESPACE, Columns
from fwsvm.datasets.labels import NUMBER, number_or_none

_PLAIN_CHARACTERS = bytes(code for code in range(0x20, 0x7F) if code != ord('"')) + b"\t\n"
_NON_FINITE = {"inf", "infinity", "nan"}


@dataclass(frozen=True)
class Cells:
    """What the rows hold.

    Attributes
    ----------
    columns : Columns
        With the categorical ones, where they were still to be found out.
    numbers : float64 ndarray of shape (m, columns that are numeric features)
    texts : dict of int to (list of str, int64 ndarray of shape (m,))
        For the label and each categorical column: its values, and which of them each row has.
    """

    columns: Columns
    numbers: np.ndarray
    texts: dict


class Missing:
    """What stands for a missing value: the empty cell, ``nan`` in any case, and the markers of the options.

    A marker that is a number stands for that number, however it is written.
    """

    def __init__(self, markers):
        self.texts = {"", *(marker.strip() for marker in markers)}
        self.numbers = {value for text in self.texts if (value := number_or_none(text)) is not None}

    def __contains__(self, text):
        is_number = bool(self.numbers) and number_or_none(text) in self.numbers
        return text in self.texts or text.lower() == "nan" or is_number


def records(content, separator, where):
    """Yield (line number, cells) for each line that is not empty; cells are stripped of blanks.

    A cell in double quotes may hold the separator and line ends, except in files separated by white space.
    """
    if b"\0" in content:
        raise DataError(f"{where}, line {_line_of(content, content.index(0))}: binary data, not text")
    try:
        if not content.isascii():
            content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}, line {_line_of(content, error.start)}: not UTF-8 text") from None
    lines = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
    if separator == WHITESPACE:
        yield from ((place, cells) for place, line in enumerate(lines, start=1) if (cells := line.split()))
        return
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        place = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{where}, line {place}: {error}") from None
        if cells not in ([], [""]):
            yield place, cells


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
    shown = repr(text if len(text) <= 40 else text[:37] + "...")
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{shown} {'is not finite' if looks_like_number(text) else 'is not a number'}")
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(f"{shown} is too large for a number")
    return value


def read_strictly(content, options, columns, where):
    """All cells, line by line.

    Raises
    ------
    DataError
        With the line and the column.
    """
    missing = Missing(options.missing_values)
    if columns.categorical is None:
        categorical = _text_columns(_rows(content, options, where), options, columns, missing, where)
        columns = replace(columns, categorical=categorical)
    numbers, texts = array.array("d"), {column: [] for column in (columns.label, *columns.categorical)}
    for line, cells in _rows(content, options, where):
        if len(cells) != columns.count:
            raise DataError(f"{where}, line {line}: {len(cells)} columns; there should be {columns.count}")
        for column in (columns.label, *columns.features):
            text = cells[column]
            try:
                if text in missing:
                    raise ValueError(f"the value is missing ({text!r})")
                if column in texts:
                    texts[column].append(text)
                else:
                    numbers.append(number(text))
            except ValueError as error:
                raise DataError(f"{where}, line {line}, {columns.title(column)}: {error}") from None
    shape = len(texts[columns.label]), len(columns.numeric)
    return Cells(
        columns,
        np.array(numbers, dtype=np.float64).reshape(shape),
        {column: _coded(np.array(cells, dtype=object)) for column, cells in texts.items()},
    )


def read_by_pandas(content, options, columns, header_line):
    """All cells, or None where only `read_strictly` can tell; `header_line`: number of the header's line, or 0."""
    import pandas as pd

    if content.translate(None, _PLAIN_CHARACTERS):
        return None
    dropped = set(range(columns.count)) - {columns.label, *columns.features}
    words = {columns.label, *(columns.categorical or ()), *dropped}
    # Before version 3.1, pandas rounds wrongly in the last place without this option; since then it warns of it.
    is_exact = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                io.BytesIO(content),
                sep=r"\s+" if options.separator == WHITESPACE else options.separator,
                header=None,
                skiprows=header_line,
                dtype=dict.fromkeys(words, "str"),
                engine="c",
                quoting=csv.QUOTE_NONE,
                keep_default_na=False,
                na_values=[],
                skipinitialspace=True,
                low_memory=False,  # one type for all of a column
                **({} if is_exact else {"float_precision": "round_trip"}),
            )
    except (ValueError, OverflowError, pd.errors.ParserWarning):
        return None
    if table.shape[1] != columns.count or any(table[column].hasnans for column in table):
        return None
    if any((table[column] == "").any() for column in dropped):  # as where a line ends too early
        return None
    return _checked(table, options, columns)


def _checked(table, options, columns):
    """What pandas read, or None where it might have let something pass."""
    missing = Missing(options.missing_values)
    no_numbers = [column for column in columns.features if table[column].dtype.kind not in "iuf"]
    if any(table[column].dtype.kind == "b" for column in no_numbers):  # true and false, which pandas has converted
        return None
    if columns.categorical is None:
        for column in no_numbers:
            values = table[column] if options.header else table[column][1:]
            if not any(_is_word(str(text).strip(), missing) for text in values.unique()):
                return None
        columns = replace(columns, categorical=tuple(no_numbers))
    if not set(no_numbers) <= set(columns.categorical):
        return None
    texts = {}
    for column in sorted({columns.label, *columns.categorical}):
        texts[column] = _coded(table.pop(column))
        if any(text in missing for text in texts[column][0]):
            return None
    numbers = np.empty((len(table), len(columns.numeric)))
    for place, column in enumerate(columns.numeric):
        numbers[:, place] = table.pop(column)
    is_wrong = not np.isfinite(numbers).all() or any((numbers == value).any() for value in missing.numbers)
    return None if is_wrong else Cells(columns, numbers, texts)


def _coded(texts):
    """The different texts, stripped of blanks, and which of them each row has."""
    import pandas as pd

    codes, values = pd.factorize(texts)
    return [text.strip() for text in values], codes


def _text_columns(rows, options, columns, missing, where):
    """Features with a value that is no number: those that ``auto`` takes as categorical.

    A line of another length and a missing value are left for reading to complain of.

    Raises
    ------
    DataError
        It is the first line only that makes a column one of text: a header, it seems.
    """
    found, in_first = set(), {}
    for row, (line, cells) in enumerate(rows):
        suspects = (column for column in columns.features if column not in found and column < len(cells))
        texts = {column: cells[column] for column in suspects if _is_word(cells[column], missing)}
        if row == 0 and not options.header:
            in_first, first_line = texts, line
        else:
            found |= texts.keys()
    only_first = sorted(in_first.keys() - found)
    if only_first and row > 0:
        what = f"{in_first[only_first[0]]!r} is the only value that is no number; is this line a header?"
        raise DataError(f"{where}, line {first_line}, {columns.title(only_first[0])}: {what}")
    return tuple(sorted(found | in_first.keys()))


def _rows(content, options, where):
    rows = records(content, options.separator, where)
    if options.header:
        next(rows)
    return rows


def _is_word(text, missing):
    return not (text in missing or looks_like_number(text))


def _line_of(content, position):
    return content.count(b"\n", 0, position) + 1
