"""Reader of text tables (csv): one point a line, one column the label, the others features.

Separated by a character (``,`` ``;`` tab ...) or by white space, with a header or without. Empty lines are
allowed; missing values are not, since what to put in their place is not a reader's decision. Each error names
file, line and column.
"""

import logging
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.datasets.csv_cells import looks_like_number, read_by_pandas, read_strictly, records
from fwsvm.datasets.csv_columns import Columns, check_columns, check_separator, find_columns
from fwsvm.datasets.entries import CsvOptions
from fwsvm.datasets.formats import read_content
from fwsvm.datasets.labels import as_numbers, number_or_none

_LOG = logging.getLogger(__name__)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Table:
    """A file that was read.

    Attributes
    ----------
    X : float64 ndarray of shape (m, n); scipy.sparse.csr_matrix where there are categorical columns
        Features in the order of the file; a categorical column becomes one feature for each of its values.
    labels : ndarray of str of shape (m,)
    columns : Columns
        To read a further file in the same way.
    """

    X: np.ndarray | scipy.sparse.csr_matrix
    labels: np.ndarray
    columns: Columns


def read_csv(path, label, *, separator=",", header=False, categorical=(), drop=(), missing_values=()):
    """Read a text table, plain or compressed (.bz2, .gz, .xz).

    Columns are given by their name in the header or by position: 1 is the first, -1 the last.

    Parameters
    ----------
    path : str or path
    label : str or int
        The column of the class labels.
    separator : str
        One of ``, ; | : ! # $ % & /`` or a tab; or ``whitespace``, any run of blanks and tabs.
    header : bool
        Whether the first line has the names of the columns.
    categorical : sequence of str or int, or "auto"
        Columns of which each value becomes a feature that is 0 or 1; ``auto``: those with a value that is no
        number.
    drop : sequence of str or int
        Columns to leave out; nothing in them is checked.
    missing_values : sequence of str
        What stands for a missing value, beside the empty cell and ``nan``, which always do.

    Returns
    -------
    X : float64 ndarray of shape (m, n), or scipy.sparse.csr_matrix where there are categorical columns
    y : ndarray of shape (m,), float64 if all labels are numbers, else str

    Raises
    ------
    DataError
        The file cannot be used: missing, empty, truncated, a wrong line, a missing value.
    ConfigError
        The separator cannot be one, or a name is used without a header.
    """
    categorical = categorical if isinstance(categorical, str) else tuple(categorical)
    options = CsvOptions(label, separator, header, categorical, tuple(drop), tuple(missing_values))
    table = read_table(path, options)
    return table.X, as_numbers(table.labels)[0]


def read_table(path, options, columns=None):
    """Read a text table by the options of a catalogue entry.

    Parameters
    ----------
    path : str or path
    options : fwsvm.datasets.entries.CsvOptions
    columns : Columns, optional
        Of a file read before: this one must have the same columns, and its categorical values become the same
        features. A value the other file does not have gives a point without any of them, and a warning.

    Returns
    -------
    Table

    Raises
    ------
    DataError, ConfigError
        As for `read_csv`.
    """
    return parse_table(read_content(path), options, columns, path)


def parse_table(content, options, columns=None, where="table"):
    """Parse the bytes of a text table; as `read_table`, with `where` as the file's name in messages."""
    check_separator(options.separator)
    content = content.removeprefix(_BYTE_ORDER_MARK).replace(b"\r\n", b"\n")
    line, cells = next(records(content, options.separator, where), (None, None))
    if cells is None:
        raise DataError(f"{where}: the file is empty: there is no line in it")
    if options.header and all(map(looks_like_number, cells)):
        _LOG.warning("%s, line %d: the header has only numbers; is it one?", where, line)
    if columns is None:
        columns = find_columns(cells, options, f"{where}, line {line}")
    else:
        check_columns(columns, cells, f"{where}, line {line}")
    read = read_by_pandas(content, options, columns, line if options.header else 0)
    read = read or read_strictly(content, options, columns, where)
    if not len(read.numbers):
        raise DataError(f"{where}: there is a header and no row below it")
    columns = read.columns
    if not columns.categories:
        columns = replace(
            columns, categories={column: _categories(read.texts[column][0]) for column in columns.categorical}
        )
    values, codes = read.texts[columns.label]
    return Table(_features(read, columns, where), np.array(values)[codes], columns)


def _categories(texts):
    """Values in ascending order, numbers first; ``1`` and ``1.0`` are the same."""
    keys = {_key(text) for text in texts}
    return sorted(keys, key=lambda key: (isinstance(key, str), key))


def _key(text):
    number = number_or_none(text)
    return text if number is None else number


def _features(read, columns, where):
    if not columns.categorical:
        return read.numbers
    place = {column: place for place, column in enumerate(columns.numeric)}
    blocks = [
        scipy.sparse.csc_matrix(read.numbers[:, [place[column]]])
        if column in place
        else _one_hot(*read.texts[column], columns, column, where)
        for column in columns.features
    ]
    return scipy.sparse.hstack(blocks, format="csr")


def _one_hot(values, codes, columns, column, where):
    """One feature for each value of the categorical column of the first file."""
    categories = columns.categories[column]
    place = {key: index for index, key in enumerate(categories)}
    indices = np.array([place.get(_key(text), -1) for text in values])[codes]
    known = indices >= 0
    if not known.all():
        unknown = sorted(text for text in values if _key(text) not in place)
        what = f"{(~known).sum()} rows have a value the first file does not have, such as {unknown[0]!r}"
        _LOG.warning("%s, %s: %s; they are left without any of its features", where, columns.title(column), what)
    one_hot = scipy.sparse.csr_matrix(
        (np.ones(known.sum()), indices[known], np.concatenate([[0], np.cumsum(known)])),
        shape=(len(codes), len(categories)),
    )
    return one_hot.tocsc()
