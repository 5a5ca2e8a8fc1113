"""Read LIBSVM files (with scikit-learn), text tables (with pandas) and idx files."""

import contextlib
import csv
import io
import itertools
import logging
import math
import re
import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.base.files import DamagedFileError, open_decompressed
from fwsvm.datasets.schema import did_you_mean
from fwsvm.datasets.storage import choose_storage, convert

LARGEST_INDEX = 100_000_000  # largest number of features; a vector of this length takes 0.8 GB

WHITESPACE, AUTO = "whitespace", "auto"
SEPARATORS = (WHITESPACE, *"\t,;|:!#$%&/")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LOG = logging.getLogger(__name__)
_BLANK_AFTER_COLON = re.compile(rb":[ \t]+")
_QUERY_OR_UNDERSCORE = re.compile(rb"^[^#\n]*(?:\bqid:|_)", re.MULTILINE)
_IDX_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_libsvm(path, features=None):
    """Read a LIBSVM file, plain or compressed. Return a csr_matrix without stored zeros, and the labels."""
    content = read_content(path).removeprefix(_BYTE_ORDER_MARK)
    if b": " in content or b":\t" in content:
        content = _BLANK_AFTER_COLON.sub(b":", content)
    try:
        X, y = _parse_libsvm(content, features)
    except (ValueError, OverflowError) as error:
        raise _first_wrong_line(content, features, path) or DataError(f"{path}: {error}") from error
    if not len(y):
        raise DataError(f"{path}: the file is empty")
    if features is None and not X.nnz:
        X.resize(len(y), 0)  # If no line has a feature, scikit-learn returns one feature.
    return convert(X, "csr"), y


def _parse_libsvm(content, features):
    """Return the points and labels, or raise a ValueError that says what is wrong."""
    from sklearn.datasets import load_svmlight_file

    if (b"_" in content or b"qid" in content) and _QUERY_OR_UNDERSCORE.search(content):
        raise ValueError("qid (ranking data) and numbers with '_' are not supported")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns about empty input.
        X, y = load_svmlight_file(io.BytesIO(content), n_features=features, zero_based=False)
    if X.shape[1] > LARGEST_INDEX:
        raise ValueError(f"index {X.shape[1]:,} is too large; at most {LARGEST_INDEX:,} features are allowed")
    if not (np.isfinite(y).all() and np.isfinite(X.data).all()):
        raise ValueError("a label or a value is not a finite number")
    return X, y


def _first_wrong_line(content, features, path):
    """Read the content line by line, and return the error for the first line that cannot be read."""
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            _parse_libsvm(line, features)
        except (ValueError, OverflowError) as error:
            what = "a colon is missing" if "unpack" in str(error) else str(error).replace("n_features", "the limit")
            return DataError(f"{path}, line {number}: {what}: {line[:60]!r}; write: label index:value index:value ...")
    return None


def read_content(path):
    """Return the decompressed bytes of a data file."""
    with open_content(path) as stream:
        return stream.read()


@contextlib.contextmanager
def open_content(path):
    """Open a data file, plain or compressed, for binary reading. Errors become a DataError that names the file."""
    try:
        with open_decompressed(path) as stream:
            yield stream
    except DamagedFileError as error:
        raise DataError(f"{path}: {error}") from error
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


@dataclass(frozen=True)
class Columns:
    """The column names, positions (from 0) and categories of the first file. All files use them."""

    names: list
    label: int
    features: list
    categories: dict


def read_csv(path, label, *, separator=",", header=False, categorical=(), drop=(), missing_values=()):
    """Read the points and labels of a text table, plain or compressed. Labels become float64 if all are numbers."""
    X, labels, _ = read_table(path, None, label, separator, header, categorical, drop, missing_values)
    return X, as_numbers(labels)[0]


def read_table(path, columns, label, separator=",", header=False, categorical=(), drop=(), missing_values=()):
    """Read a table as `read_csv` does, but keep the labels as text and also return the `Columns`."""
    if separator not in SEPARATORS:
        raise ConfigError(f"separator: {separator!r} must be one of {', '.join(map(repr, SEPARATORS))}")
    content = read_content(path).removeprefix(_BYTE_ORDER_MARK)
    first = _parse(content, path, separator, header=None, nrows=1, dtype=str).iloc[0].str.strip().tolist()
    names = first if header else list(range(1, len(first) + 1))
    is_first = columns is None
    if is_first:
        columns = _find_columns(names, label, categorical, drop, path)
    elif columns.names != names:
        raise DataError(f"{path}, line 1: the columns {names[:9]} differ from the first file's {columns.names[:9]}")
    texts = set(range(len(names))) - set(columns.features) | columns.categories.keys()
    texts = {names[column]: str for column in texts}
    table = _parse(content, path, separator, header=0 if header else None, names=names, index_col=False, dtype=texts)
    if table.empty:
        raise DataError(f"{path} has a header, but no row after it")
    missing = {"", "nan", *(marker.strip() for marker in missing_values)}
    table.attrs = {"path": path, "header": header, "content": content}
    if categorical == AUTO and is_first:
        words = (column for column in columns.features if _has_words(table, column, missing))
        columns.categories.update(dict.fromkeys(words))
    return _features(table, columns, missing), _texts(table, columns.label, missing), columns


def _parse(content, path, separator, **options):
    import pandas as pd

    if b"\0" in content:
        raise DataError(f"{path} contains binary data, not text")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # New versions of pandas deprecate `float_precision`.
            warnings.simplefilter("error", pd.errors.ParserWarning)  # This warning means: a line has too many values.
            return pd.read_csv(
                io.BytesIO(content),
                sep=r"\s+" if separator == WHITESPACE else separator,
                quoting=csv.QUOTE_NONE if separator == WHITESPACE else csv.QUOTE_MINIMAL,
                keep_default_na=False,
                skipinitialspace=True,
                low_memory=False,  # Read each column with a single type.
                float_precision="round_trip",
                **options,
            )
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text: {error.object[:40]!r}") from error
    except pd.errors.ParserWarning as error:
        raise DataError(f"{path}: a line has more values than the header has names") from error
    except (ValueError, OverflowError) as error:
        raise DataError(f"{path}: {str(error).removeprefix('Error tokenizing data. C error: ').strip()}") from error


def _find_columns(names, label, categorical, drop, path):
    if len(set(names)) < len(names):
        raise DataError(f"{path}, line 1: a name occurs twice in the header: {', '.join(names[:20])}")
    label = _position(label, names, f"{path}: label")
    dropped = {_position(column, names, f"{path}: drop") for column in drop}
    chosen = () if categorical == AUTO else categorical
    categories = {_position(column, names, f"{path}: categorical"): None for column in chosen}
    if label in dropped or categories.keys() & {label, *dropped}:
        raise DataError(f"{path}: each column can be in only one of label, drop and categorical")
    features = [column for column in range(len(names)) if column != label and column not in dropped]
    if not features:
        raise DataError(f"{path}: none of the {len(names)} columns is left for features; is the separator right?")
    return Columns(names, label, features, categories)


def _position(column, names, where):
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, str) and names[0] == 1:
        raise DataError(f"{where}: {column!r} needs a header; set header: true, or write 1 to {len(names)}")
    if isinstance(column, str):
        raise DataError(f"{where}: the header has no column {column!r}; {did_you_mean(column, names)}")
    if not 1 <= abs(column) <= len(names):
        raise DataError(f"{where}: there is no column {column}; write 1 to {len(names)}, or -1 for the last column")
    return column - 1 if column > 0 else len(names) + column


def _texts(table, column, missing):
    """Return the values of the label column or of a categorical column as text."""
    texts = table.iloc[:, column].astype(str).str.strip()
    _refuse(table, column, texts.isin(missing) | (texts.str.lower() == "nan"), "the value is missing")
    return texts.to_numpy(dtype=np.str_)


def _numbers(table, column, missing):
    numbers = _as_numbers(table.iloc[:, column])
    if not np.all(np.isfinite(numbers)):
        _texts(table, column, missing)  # raises an error for a missing value
    _refuse(table, column, ~np.isfinite(numbers), "this is not a finite number")
    _refuse(table, column, np.isin(numbers, _as_numbers(sorted(missing))), "the value is missing")
    return numbers


def _as_numbers(cells):
    """Convert cells to float64. A cell that is not a number becomes NaN."""
    import pandas as pd

    cells = pd.Series(cells)
    is_text = cells.dtype.kind not in "iuf"
    return (pd.to_numeric(cells.astype(str), errors="coerce") if is_text else cells).to_numpy(np.float64)


def _has_words(table, column, missing):
    """Test whether a column has a value that is neither a number nor missing."""
    texts = table.iloc[:, column].astype(str).str.strip()
    words = np.isnan(_as_numbers(table.iloc[:, column])) & ~(texts.isin(missing) | (texts.str.lower() == "nan"))
    if not table.attrs["header"] and len(table) > 1 and words[0] and not words[1:].any():
        _refuse(table, column, words, "only the first line has a value that is not a number")
    return words.any()


def _refuse(table, column, wrong, what):
    """Raise a DataError that names the first wrong cell of a column, if there is one."""
    if np.any(wrong):
        row, header, content = int(np.argmax(wrong)), table.attrs["header"], table.attrs["content"]
        lines = (number for number, line in enumerate(content.split(b"\n"), start=1) if line.strip())
        line = next(itertools.islice(lines, row + header, None))
        hint = "" if row or header else "; if this line is a header, set header: true"
        place = f"line {line}, column {column + 1}{f' {table.columns[column]!r}' if header else ''}"
        raise DataError(f"{table.attrs['path']}, {place}: {str(table.iloc[row, column])[:40]!r}: {what}{hint}")


def _features(table, columns, missing):
    if not columns.categories:
        return np.column_stack([_numbers(table, column, missing) for column in columns.features])
    blocks = [
        _one_hot(_texts(table, column, missing), columns, column, table.attrs["path"])
        if column in columns.categories
        else scipy.sparse.csc_matrix(_numbers(table, column, missing)[:, None])
        for column in columns.features
    ]
    return scipy.sparse.hstack(blocks, format="csr")


def _one_hot(texts, columns, column, path):
    """Make a 0/1 feature for each value of a column in the first file; numbers come before words."""
    values, codes = np.unique(texts, return_inverse=True)
    numbers = _as_numbers(values).tolist()
    keys = [text if math.isnan(number) else number for text, number in zip(values.tolist(), numbers, strict=True)]
    if columns.categories[column] is None:
        columns.categories[column] = sorted(set(keys), key=lambda key: (isinstance(key, str), key))
    place = {key: index for index, key in enumerate(columns.categories[column])}
    indices = np.array([place.get(key, -1) for key in keys])[codes]
    known = indices >= 0
    if not known.all():
        what = f"{(~known).sum()} rows have a value that does not occur in the first file"
        _LOG.warning("%s, column %s: %s; all features of this column are 0 in these rows", path, column + 1, what)
    ones = np.ones(known.sum()), (np.flatnonzero(known), indices[known])
    return scipy.sparse.csc_matrix(ones, shape=(len(codes), len(place)))


def as_numbers(*parts):
    """Convert the labels of all parts from text to float64 if all are finite numbers; otherwise keep the text."""
    are_numbers = all(part.dtype.kind == "U" and np.isfinite(_as_numbers(np.unique(part))).all() for part in parts)
    return [part.astype(np.float64) for part in parts] if are_numbers else list(parts)


def read_idx(path, labels_path, features=None):
    """Read points (dense or CSR, see `choose_storage`) and labels from idx files, the MNIST format."""
    images, labels = _parse_idx(path), _parse_idx(labels_path)
    if images.ndim < 2 or labels.ndim != 1 or len(images) != len(labels):
        shapes = f"{path} has the shape {images.shape}, and {labels_path} has {labels.shape}"
        raise DataError(f"{shapes}; points need two dimensions or more, labels one, and both the same number of rows")
    images = images.reshape(len(images), -1)
    if features is not None:
        if features > images.shape[1]:
            raise DataError(f"{path}: points have {images.shape[1]} values, but 'features' is {features}")
        if (beyond := np.flatnonzero(images[:, features:].any(axis=1))).size:
            raise DataError(f"{path}: point {beyond[0] + 1} is nonzero after position {features}; increase 'features'")
        images = images[:, :features]
    if choose_storage(images) == "csr":
        images = scipy.sparse.csr_matrix(images)
    return images.astype(np.float64), labels.astype(np.float64)


def _parse_idx(path):
    """Return the array of an idx file. Such a file has a header with the shape, and then big-endian numbers."""
    content = read_content(path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _IDX_TYPES:
        raise DataError(f"{path} is not an idx file (its first bytes are {content[:4].hex(' ') or 'missing'})")
    kind, dimensions = np.dtype(_IDX_TYPES[content[2]]), content[3]
    start = 4 + 4 * dimensions
    if dimensions == 0 or len(content) < start:
        raise DataError(f"{path}: the header is truncated or gives no dimensions")
    shape = np.frombuffer(content, ">u4", dimensions, 4).tolist()
    expected = math.prod(shape) * kind.itemsize
    if expected != len(content) - start or not expected:
        sizes = " x ".join(map(str, shape))
        raise DataError(f"{path}: the header's {sizes} values need {expected} bytes; there are {len(content) - start}")
    values = np.frombuffer(content, kind, offset=start).reshape(shape)
    if not np.isfinite(values).all():
        raise DataError(f"{path}: a value is not a finite number")
    return values
