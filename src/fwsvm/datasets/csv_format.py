"""Reader of text tables (csv) by pandas: one point a line, one column the label, the others features.

Missing values and lines of unequal length are refused: what to put in their place is not a reader's decision.
"""

import csv
import io
import itertools
import logging
import re
import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.datasets.formats import BYTE_ORDER_MARK, read_content
from fwsvm.datasets.schema import did_you_mean

WHITESPACE, AUTO = "whitespace", "auto"
SEPARATORS = (WHITESPACE, *"\t,;|:!#$%&/")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Columns:
    """The columns of a file by position from 0, and the values of the categorical ones, to read a second file alike."""

    names: list
    label: int
    features: list
    categories: dict

    def title(self, column):
        name = self.names[column]
        return f"column {column + 1}" + (f" {name!r}" if isinstance(name, str) else "")


def read_csv(path, label, *, separator=",", header=False, categorical=(), drop=(), missing_values=()):
    """Read a text table, plain or compressed: the points, and the labels as numbers if all of them are.

    Columns are given by their name in the header or by position: 1 is the first, -1 the last. `separator` is one of
    ``, ; | : ! # $ % & /`` or a tab, or ``whitespace``. A `categorical` column becomes one feature, 0 or 1, for each of
    its values; ``auto`` takes those with a value that is not a number. `missing_values` are refused, as the empty cell
    and ``nan`` are. X is sparse where there are categorical columns.
    """
    X, labels, _ = read_table(path, None, label, separator, header, categorical, drop, missing_values)
    return X, as_numbers(labels)[0]


def read_table(path, columns, label, separator=",", header=False, categorical=(), drop=(), missing_values=()):
    """As `read_csv`, but the labels stay text, and the `Columns` are returned as well.

    `columns` of a file read before (or None): this one must have the same, and its categorical values become the same
    features. A value that the other file does not have gives a point without any of them, and a warning.
    """
    if separator not in SEPARATORS:
        raise ConfigError(f"separator: {separator!r} cannot be used; known: {', '.join(map(repr, SEPARATORS))}")
    content = read_content(path).removeprefix(BYTE_ORDER_MARK)
    if b"\0" in content:
        raise DataError(f"{path}: binary data, not text")
    first = [str(cell).strip() for cell in _parse(content, path, separator, header=None, nrows=1, dtype=str).iloc[0]]
    names = first if header else list(range(len(first)))
    is_first = columns is None
    if is_first:
        columns = _find_columns(names, label, categorical, drop, path)
    elif columns.names != names:
        raise DataError(f"{path}, line 1: the columns {names[:9]} are not those of the first file, {columns.names[:9]}")
    dropped = set(range(len(names))) - {columns.label, *columns.features}
    texts = {names[column]: str for column in {columns.label, *columns.categories, *dropped}}
    table = _parse(content, path, separator, header=0 if header else None, names=names, index_col=False, dtype=texts)
    if table.empty:
        raise DataError(f"{path}: there is a header and no row below it")
    cells = _Cells(table, columns, missing_values, content, path, header)
    if categorical == AUTO and is_first:
        columns.categories.update(dict.fromkeys(filter(cells.are_words, columns.features)))
    return _features(cells, columns), cells.texts(columns.label), columns


def read_numbers(path, skip=0):
    """A table of numbers, separated by white space, below the first lines, as a float64 array."""
    content = read_content(path)
    table = _parse(content, path, WHITESPACE, header=None, skiprows=skip)
    columns = Columns(list(table.columns), -1, list(table.columns), {})
    cells = _Cells(table, columns, (), content, path, skip)
    return np.column_stack([cells.numbers(column) for column in columns.features])


def _parse(content, path, separator, **options):
    import pandas as pd

    # Before version 3.1, pandas rounds wrongly in the last place without this option; since then it warns of it.
    is_exact = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # a line is too long
            return pd.read_csv(
                io.BytesIO(content),
                sep=r"\s+" if separator == WHITESPACE else separator,
                quoting=csv.QUOTE_NONE if separator == WHITESPACE else csv.QUOTE_MINIMAL,
                keep_default_na=False,
                skipinitialspace=True,
                low_memory=False,  # one type for all of a column
                float_precision=None if is_exact else "round_trip",
                **options,
            )
    except pd.errors.EmptyDataError as error:
        raise DataError(f"{path}: the file is empty: there is no line in it") from error
    except (ValueError, OverflowError, pd.errors.ParserWarning) as error:
        raise DataError(f"{path}: {str(error).removeprefix('Error tokenizing data. C error: ').strip()}") from error


def _find_columns(names, label, categorical, drop, path):
    if len(set(names)) < len(names):
        raise DataError(f"{path}, line 1: the header has a name twice: {', '.join(names[:20])}")
    label = _position(label, names, f"{path}: label")
    dropped = {_position(column, names, f"{path}: drop") for column in drop}
    chosen = () if categorical == AUTO else categorical
    categories = {_position(column, names, f"{path}: categorical"): None for column in chosen}
    if label in dropped or categories.keys() & {label, *dropped}:
        raise DataError(f"{path}: a column can be only one of label, drop and categorical")
    features = [column for column in range(len(names)) if column != label and column not in dropped]
    if not features:
        raise DataError(f"{path}: no column of {len(names)} is left for features; is the separator right?")
    return Columns(names, label, features, categories)


def _position(column, names, where):
    if isinstance(column, str):
        if isinstance(names[0], int):
            raise ConfigError(f"{where}: the name {column!r} needs a header; set header: true, or give a position")
        if column not in names:
            raise DataError(f"{where}: the column {column!r} is not there; {did_you_mean(column, names)}")
        return names.index(column)
    if not 1 <= abs(column) <= len(names):
        raise DataError(f"{where}: there is no column {column}; columns are 1 to {len(names)}, or -1 (the last) ...")
    return column - 1 if column > 0 else len(names) + column


class _Cells:
    """The cells of a table by column; what is missing or not a number is refused, with its line."""

    def __init__(self, table, columns, missing_values, content, path, header):
        self.table, self.columns, self.content, self.path, self.header = table, columns, content, path, header
        self.missing = {"", "nan", *(marker.strip() for marker in missing_values)}

    def texts(self, column):
        """The cells of the label or of a categorical column."""
        codes, texts = self._coded(column)
        missing = np.array([text in self.missing or text.lower() == "nan" for text in texts.tolist()])[codes]
        if missing.any():
            self.refuse(column, missing, "the value is missing")
        return texts[codes]

    def numbers(self, column):
        numbers = self._as_numbers(column)
        if not (finite := np.isfinite(numbers)).all():
            self.refuse(column, ~finite, "this is not a finite number")
        markers = [float(text) for text in self.missing if _NUMBER.fullmatch(text)]
        if (missing := np.isin(numbers, markers)).any():
            self.refuse(column, missing, "the value is missing")
        return numbers

    def are_words(self, column):
        """Whether a column has a value that is neither a number nor missing."""
        if self.table.iloc[:, column].dtype.kind in "iuf":
            return False
        codes, texts = self._coded(column)
        no_words = {*self.missing, "nan", "inf", "infinity"}
        is_word = [not (_NUMBER.fullmatch(text) or text.lower().lstrip("+-") in no_words) for text in texts.tolist()]
        words = np.flatnonzero(np.array(is_word)[codes])
        if words.tolist() == [0] and len(codes) > 1 and not self.header:
            self.refuse(column, codes == codes[0], "only the first line has a value that is not a number")
        return words.size > 0

    def _as_numbers(self, column):
        """The cells as float64, nan where they are not numbers."""
        cells = self.table.iloc[:, column]
        if cells.dtype.kind in "iuf":
            return cells.to_numpy(np.float64)
        codes, texts = self._coded(column)
        return np.array([float(text) if _NUMBER.fullmatch(text) else np.nan for text in texts.tolist()])[codes]

    def _coded(self, column):
        """Codes of the rows, and the different texts."""
        import pandas as pd

        codes, values = pd.factorize(self.table.iloc[:, column], use_na_sentinel=False)
        return codes, np.array([str(value).strip() for value in values])

    def refuse(self, column, wrong, what):
        row = int(np.argmax(wrong))
        lines = (number for number, line in enumerate(self.content.split(b"\n"), start=1) if line.strip())
        line = next(itertools.islice(lines, row + self.header, None))
        hint = "; is this line a header? then set header: true" if row == 0 and not self.header else ""
        shown = repr(str(self.table.iloc[row, column])[:40])
        raise DataError(f"{self.path}, line {line}, {self.columns.title(column)}: {shown}: {what}{hint}")


def _features(cells, columns):
    if not columns.categories:
        return np.column_stack([cells.numbers(column) for column in columns.features])
    blocks = [
        _one_hot(cells, columns, column)
        if column in columns.categories
        else scipy.sparse.csc_matrix(cells.numbers(column)[:, None])
        for column in columns.features
    ]
    return scipy.sparse.hstack(blocks, format="csr")


def _one_hot(cells, columns, column):
    """One feature for each value that the categorical column has in the first file, numbers first."""
    values, codes = np.unique(cells.texts(column), return_inverse=True)
    keys = [float(text) if _NUMBER.fullmatch(text) else text for text in values.tolist()]
    if columns.categories[column] is None:
        columns.categories[column] = sorted(set(keys), key=lambda key: (isinstance(key, str), key))
    place = {key: index for index, key in enumerate(columns.categories[column])}
    indices = np.array([place.get(key, -1) for key in keys])[codes]
    known = indices >= 0
    if not known.all():
        what = f"{(~known).sum()} rows have a value that the first file does not have"
        _LOG.warning("%s, %s: %s; they are left without any of its features", cells.path, columns.title(column), what)
    ones = np.ones(known.sum()), (np.flatnonzero(known), indices[known])
    return scipy.sparse.csc_matrix(ones, shape=(len(codes), len(place)))


def as_numbers(*parts):
    """Text labels of all parts as float64, if every one is a finite number; other labels stay as they are."""
    if any(part.dtype.kind != "U" for part in parts):
        return list(parts)
    different = np.unique(np.concatenate([np.unique(part) for part in parts])).tolist()
    if not all(_NUMBER.fullmatch(text) and np.isfinite(float(text)) for text in different):
        return list(parts)
    return [part.astype(np.float64) for part in parts]
