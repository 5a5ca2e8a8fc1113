"""Readers of data files. Nothing wrong slips through, and each error names file, line and reason.

LIBSVM text: one point a line, ``label index:value index:value ...``, indices from 1 and ascending, what is
not written is zero. Empty lines, comments from ``#`` to the end of the line, and blanks after a colon (as in the
file protein of the LIBSVM page) are allowed.
"""

import contextlib
import re

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.base.files import DamagedFileError, open_decompressed

LARGEST_INDEX = 100_000_000
"""Features a data set may have: each vector of so many takes 0.8 GB."""

_BLOCK = 2**24
_SMALL = 2**20  # below, reading line by line takes less time than loading the compiled reader
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
    with open_content(path) as stream:
        return _read(stream, features, path)


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


def _read(stream, features, where):
    if features is not None and features > LARGEST_INDEX:
        raise DataError(f"{where}: features is {features:,}; {_too_many(features)}")
    limit, points, line = LARGEST_INDEX if features is None else features, _Points(), 1
    for block in line_blocks(stream, _BLOCK):
        points.grow(block.count(b"\n") + 1, block.count(b":"))
        at, is_small = 0, len(block) < _SMALL
        while at < len(block):
            start, at = at, at if is_small else points.read_compiled(block, at, limit)
            line += block.count(b"\n", start, at)
            if at < len(block):  # a line that only the strict reader can judge
                end = len(block) if is_small else block.find(b"\n", at) + 1 or len(block)
                points.append(*_read_strictly(block[at:end], limit, where, line))
                line += block.count(b"\n", at, end)
                at = end
    if points.rows == 0:
        raise DataError(f"{where}: the file is empty: there is no point in it")
    return points.finished(features)


def line_blocks(stream, size):
    """Yield whole lines, about `size` bytes of them at a time, so that a file is never in memory as a whole."""
    rest = b""
    while read := stream.read(size):
        lines, line_feed, rest = (rest + read).rpartition(b"\n")
        if line_feed:
            yield lines + line_feed
    if rest:
        yield rest


class _Points:
    """Points read so far, in arrays that grow in place, so that none of them is ever there twice."""

    def __init__(self):
        self.rows = self._stored = self._largest = 0
        self._labels, self._ends = np.empty(0), np.empty(0, np.int64)
        self._indices, self._values = np.empty(0, np.int32), np.empty(0)

    def grow(self, rows, stored):
        """Make room for so many further points and values."""
        self._resize(self.rows + rows, self._stored + stored)

    def _resize(self, rows, stored):
        for array in (self._labels, self._ends):
            array.resize(rows, refcheck=False)
        for array in (self._indices, self._values):
            array.resize(stored, refcheck=False)

    def read_compiled(self, block, at, limit):
        """Read lines from position `at` on; returns the position of the end, or of a line that was refused."""
        from fwsvm.datasets.libsvm_loops import read_lines

        arrays, counts = (
            (self._labels, self._ends, self._indices, self._values),
            (self.rows, self._stored, self._largest),
        )
        at, *counts = read_lines(np.frombuffer(block, np.uint8), at, limit, *arrays, *counts)
        self.rows, self._stored, self._largest = counts
        return at

    def append(self, labels, lengths, indices, values, largest):
        """Append what `_read_strictly` returns."""
        rows, stored = slice(self.rows, self.rows + len(labels)), slice(self._stored, self._stored + len(values))
        self._labels[rows], self._ends[rows] = labels, self._stored + np.cumsum(lengths, dtype=np.int64)
        self._indices[stored], self._values[stored] = indices, values
        self.rows, self._stored, self._largest = rows.stop, stored.stop, max(largest, self._largest)

    def finished(self, features):
        """The matrix, with so many features (None: the largest index), and the labels."""
        self._resize(self.rows, self._stored)
        indptr = np.concatenate([[0], self._ends])
        shape = self.rows, self._largest if features is None else features
        return scipy.sparse.csr_matrix((self._values, self._indices, indptr), shape), self._labels


def _read_strictly(block, limit, where, line):
    """Line by line: slower, and the definition of what is right.

    Returns
    -------
    labels, lengths, indices, values : lists
        Of each point its label and its number of values that are not zero, and those with their indices from 0.
    largest : int
        The largest index, from 1, that is written.
    """
    labels, lengths, indices, values, largest = [], [], [], [], 0
    for number, text in enumerate(block.split(b"\n"), start=line):
        words = _BLANK_AFTER_COLON.sub(b":", text.partition(b"#")[0]).split()
        if not words:
            continue
        before = len(values)
        try:
            labels.append(_label(words[0]))
            largest = max(largest, _read_features(words[1:], limit, indices, values))
        except ValueError as error:
            raise DataError(f"{where}, line {number}: {error}") from None
        lengths.append(len(values) - before)
    return labels, lengths, indices, values, largest


def _label(word):
    if b"," in word:
        raise ValueError(f"the label {_show(word)} is a list; one label a point is wanted")
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"the label {_show(word)} is not a number")
    return _finite(word, "the label")


def _read_features(words, limit, indices, values):
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
        value = _finite(value_word, f"the value of feature {index}")
        if value != 0:
            indices.append(index - 1)
            values.append(value)
        previous = index
    return previous


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
