"""Readers of data files. Nothing wrong slips through, and each error names file, line and reason.

LIBSVM text: one point a line, ``label index:value index:value ...``, indices from 1 and ascending, what is
not written is zero. Empty lines, comments from ``#`` to the end of the line, and blanks after a colon (as in the
file protein of the LIBSVM page) are allowed.
"""

import contextlib
import io
import re

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.base.files import DamagedFileError, open_decompressed

LARGEST_INDEX = 100_000_000
"""Features a data set may have: each vector of so many takes 0.8 GB."""

_PLAIN_CHARACTERS = b"0123456789+-.eE: \t\r\n"
_COMMENT = re.compile(rb"#[^\n]*")
_BLANK_AFTER_COLON = re.compile(rb":[ \t]+")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INDEX = re.compile(rb"\+?[0-9]+")


def read_libsvm(path, features=None):
    """Read a LIBSVM file, plain or compressed (.bz2, .gz, .xz).

    Parameters
    ----------
    path : str or path
    features : int, optional
        Number of features, at most `LARGEST_INDEX`; by default the largest index in the file.

    Returns
    -------
    X : scipy.sparse.csr_matrix of shape (m, features), float64 with int32 indices, no stored zeros
    y : float64 ndarray of shape (m,), the labels as they are written

    Raises
    ------
    DataError
        The file is missing, empty, truncated, or has a wrong line; or there would be too many features.
    """
    return parse_libsvm(read_content(path), features, path)


def read_content(path):
    """The bytes of a data file, decompressed.

    Raises
    ------
    DataError
        The file is missing, truncated or cannot be read.
    """
    with open_content(path) as stream:
        return stream.read()


@contextlib.contextmanager
def open_content(path):
    """Open a data file, plain or compressed, for binary reading piece by piece; errors as `read_content`."""
    try:
        with open_decompressed(path) as stream:
            yield stream
    except DamagedFileError as error:
        raise DataError(f"{path}: {error}") from error
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error


def parse_libsvm(content, features=None, where="LIBSVM data"):
    """Parse the bytes of a LIBSVM file; as `read_libsvm`, with `where` as the file's name in messages."""
    if features is not None and features > LARGEST_INDEX:
        raise DataError(f"{where}: features is {features:,}; {_too_many(features)}")
    if b"#" in content:
        content = _COMMENT.sub(b"", content)
    if b": " in content or b":\t" in content:
        content = _BLANK_AFTER_COLON.sub(b":", content)
    limit = LARGEST_INDEX if features is None else features
    parsed = _parse_fast(content, limit)
    data, indices, indptr, y = _parse_strictly(content, limit, where) if parsed is None else parsed
    if len(y) == 0:
        raise DataError(f"{where}: the file is empty: there is no point in it")
    columns = (int(indices.max()) + 1 if len(indices) else 0) if features is None else features
    X = scipy.sparse.csr_matrix((data, indices, indptr), shape=(len(y), columns))
    X.eliminate_zeros()
    return X, y


def _parse_fast(content, limit):
    """scikit-learn's parser; None where it fails or might have let something pass.

    It skips ``qid``, takes ``nan``, ``inf`` and ``1_000`` and does not know the number of features, so that
    only plain characters are given to it, and what comes out is checked.
    """
    if content.translate(None, _PLAIN_CHARACTERS):
        return None
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(io.BytesIO(content), dtype=np.float64, zero_based=False)
    except (ValueError, OverflowError):
        return None
    if X.shape[1] > limit or not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        return None
    return X.data, X.indices.astype(np.int32), X.indptr, y


def _parse_strictly(content, limit, where):
    """Line by line: slower, and the definition of what is right."""
    data, indices, indptr, labels = [], [], [0], []
    for number, line in enumerate(content.split(b"\n"), start=1):
        words = line.split()
        if not words:
            continue
        try:
            labels.append(_label(words[0]))
            _read_features(words[1:], limit, indices, data)
        except ValueError as error:
            raise DataError(f"{where}, line {number}: {error}") from None
        indptr.append(len(indices))
    return (
        np.array(data, dtype=np.float64),
        np.array(indices, dtype=np.int32),
        np.array(indptr, dtype=np.int64),
        np.array(labels, dtype=np.float64),
    )


def _label(word):
    if b"," in word:
        raise ValueError(f"the label {_show(word)} is a list; one label a point is wanted")
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"the label {_show(word)} is not a number")
    return _finite(word, "the label")


def _read_features(words, limit, indices, data):
    previous = 0
    for word in words:
        index_word, colon, value_word = word.partition(b":")
        if index_word == b"qid":
            raise ValueError("qid (ranking data) is not supported")
        if not colon or not _INDEX.fullmatch(index_word):
            raise ValueError(f"{_show(word)} is not index:value")
        index = int(index_word) if len(index_word) < 20 else LARGEST_INDEX + 1
        if index == 0:
            raise ValueError(f"index 0 in {_show(word)}; indices start from 1")
        if index > limit:
            largest = f"features is {limit}" if limit < LARGEST_INDEX else _too_many(index)
            raise ValueError(f"index {_show(index_word)} is too large; {largest}")
        if index <= previous:
            raise ValueError(f"index {index} comes after {previous}; indices must be ascending")
        if not _NUMBER.fullmatch(value_word):
            problem = "is not finite" if _is_non_finite(value_word) else "is not a number"
            raise ValueError(f"the value of {_show(word)} {problem}")
        indices.append(index - 1)
        data.append(_finite(value_word, f"the value of feature {index}"))
        previous = index


def _too_many(features):
    return f"at most {LARGEST_INDEX:,} are possible; one vector of so many numbers takes {features * 8e-9:,.1f} GB"


def _finite(word, what):
    value = float(word)
    if not np.isfinite(value):
        raise ValueError(f"{what}, {_show(word)}, is too large for a number")
    return value


def _is_non_finite(word):
    return word.lower().lstrip(b"+-") in {b"nan", b"inf", b"infinity"}


def _show(word):
    text = word.decode("ascii", errors="backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")
