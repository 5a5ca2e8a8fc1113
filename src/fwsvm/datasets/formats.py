"""Readers of LIBSVM text (by scikit-learn) and of idx files, with checks for what must not slip through."""

import contextlib
import io
import math
import re
import warnings

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.base.files import DamagedFileError, open_decompressed
from fwsvm.datasets.storage import choose_storage, convert

LARGEST_INDEX = 100_000_000
"""Features a data set may have: a vector of this length takes 0.8 GB."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANK_AFTER_COLON = re.compile(rb":[ \t]+")
_QUERY_OR_UNDERSCORE = re.compile(rb"^[^#\n]*(?:\bqid:|_)", re.MULTILINE)
_IDX_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_libsvm(path, features=None):
    """Read a LIBSVM file, plain or compressed: a csr_matrix without stored zeros, and the labels as they are written.

    One point a line, ``label index:value index:value ...``, with indices from 1 in ascending order. Empty lines,
    comments after ``#``, and blanks after a colon are allowed. `features`: their number; by default the largest index.
    """
    if features is not None and features > LARGEST_INDEX:
        raise DataError(f"{path}: features is {features:,}; at most {LARGEST_INDEX:,} are possible")
    content = read_content(path).removeprefix(BYTE_ORDER_MARK)
    if b": " in content or b":\t" in content:
        content = _BLANK_AFTER_COLON.sub(b":", content)
    try:
        X, y = _parse_libsvm(content, features)
    except (ValueError, OverflowError) as error:
        raise _first_wrong_line(content, features, path) or DataError(f"{path}: {error}") from error
    if not len(y):
        raise DataError(f"{path}: the file is empty: there is no point in it")
    if features is None and not X.nnz:
        X.resize(len(y), 0)  # scikit-learn counts one feature where no line has any
    return convert(X, "csr"), y


def _parse_libsvm(content, features):
    """Points and labels; a ValueError says what is wrong."""
    from sklearn.datasets import load_svmlight_file

    if (b"_" in content or b"qid" in content) and _QUERY_OR_UNDERSCORE.search(content):
        raise ValueError("qid (ranking data) and '_' are not supported")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of NumPy, about empty input
        X, y = load_svmlight_file(io.BytesIO(content), n_features=features, zero_based=False)
    if X.shape[1] > LARGEST_INDEX:
        raise ValueError(f"index {X.shape[1]:,} is too large; at most {LARGEST_INDEX:,} features are possible")
    if not (np.isfinite(y).all() and np.isfinite(X.data).all()):
        raise ValueError("a label or a value is not a finite number")
    return X, y


def _first_wrong_line(content, features, path):
    """The error of the first line that cannot be read on its own."""
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            _parse_libsvm(line, features)
        except (ValueError, OverflowError) as error:
            shown = line[:60].decode("ascii", errors="backslashreplace").strip()
            right = "a line is: label index:value index:value ..., with ascending indices from 1"
            return DataError(f"{path}, line {number}: {error}: {shown!r}; {right}")
    return None


def read_content(path):
    """The decompressed bytes of a data file."""
    with open_content(path) as stream:
        return stream.read()


@contextlib.contextmanager
def open_content(path):
    """Open a data file, plain or compressed, for binary reading; a DataError names it."""
    try:
        with open_decompressed(path) as stream:
            yield stream
    except DamagedFileError as error:
        raise DataError(f"{path}: {error}") from error
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_idx(path, labels_path, features=None):
    """Read points and labels from idx files (the format of MNIST); X is sparse by the rule of prepared data.

    `features`: keep this number of values of each point; those after them must be zero everywhere (as the last pixels
    of MNIST are, which the LIBSVM page therefore counts as 780). By default all are kept.
    """
    images, labels = _parse_idx(path), _parse_idx(labels_path)
    if images.ndim < 2 or labels.ndim != 1 or len(images) != len(labels):
        shapes = f"{path} has the shape {images.shape}, {labels_path} {labels.shape}"
        raise DataError(f"{shapes}; points need at least 2 dimensions, labels 1, and both the same number of rows")
    images = images.reshape(len(images), -1)
    if features is not None:
        if features > images.shape[1]:
            raise DataError(f"{path}: points have {images.shape[1]} values; features is {features}")
        if (beyond := np.flatnonzero(images[:, features:].any(axis=1))).size:
            raise DataError(f"{path}: point {beyond[0] + 1} has a value after number {features}; features is too small")
        images = images[:, :features]
    if choose_storage(images) == "dense":
        return images.astype(np.float64), labels.astype(np.float64)
    X = scipy.sparse.csr_matrix(images)
    return X.astype(np.float64), labels.astype(np.float64)


def _parse_idx(path):
    """The array in an idx file: a header of sizes, then the numbers, high byte first."""
    content = read_content(path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _IDX_TYPES:
        raise DataError(f"{path}: this is not an idx file (it starts with {content[:4].hex(' ') or 'nothing'})")
    kind, dimensions = np.dtype(_IDX_TYPES[content[2]]), content[3]
    start = 4 + 4 * dimensions
    if dimensions == 0 or len(content) < start:
        raise DataError(f"{path}: the header is cut off, or has no dimension")
    shape = np.frombuffer(content, ">u4", dimensions, 4).tolist()
    expected = math.prod(shape) * kind.itemsize
    if expected != len(content) - start or not expected:
        sizes = " x ".join(map(str, shape))
        raise DataError(f"{path}: the header says {sizes} values, {expected} bytes; there are {len(content) - start}")
    values = np.frombuffer(content, kind, offset=start).reshape(shape)
    if not np.isfinite(values).all():
        raise DataError(f"{path}: a value is not a finite number")
    return values
