"""Functions that read LIBSVM files (with scikit-learn) and open plain or compressed data files."""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import warnings
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.inputs.errors import DataError, printable
from fwsvm.inputs.files import DamagedFileError, open_decompressed
from fwsvm.inputs.storage import convert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy import sparse

# the maximum number of features, and a part of a message that says why there is a maximum
LARGEST_INDEX = 100_000_000
_AT_MOST = f"at most {LARGEST_INDEX:,} features are allowed (a vector of this length takes 0.8 GB)"

_RIGHT_LINE = (
    "write: label index:value index:value ... (the label and the values are numbers; the indices"
    " are integers, ascending and at least 1)"
)
_FROM_ONE = (
    "If sklearn.datasets.dump_svmlight_file wrote this file, write it again with zero_based=False"
)
_FOR_TABLES = (
    "To use a text table, convert it with sklearn.datasets.dump_svmlight_file(X, y, FILE,"
    " zero_based=False), or write an entry with format: csv in a catalogue of data sets"
    " (docs/extending.md; this needs the extra 'papers')"
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MARKUP = b"<!doctype", b"<html", b"<?xml"
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive (as .npz and .xlsx files are)",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
}
_BLANK_AFTER_COLON = re.compile(rb":[ \t]+")
_SEPARATOR = re.compile(rb"\S[,;]|\S\t\S")
_QUERY_OR_UNDERSCORE = re.compile(rb"^[^#\n]*(?:\bqid:|_)", re.MULTILINE)
_LABEL = re.compile(rb"^[ \t\v\f]*([^\s#]+)", re.MULTILINE)


def is_like_path(name: str) -> bool:
    """Test whether a name has a slash or a suffix. It is then probably the path of a file, and not
    the name of a data set.
    """
    return "/" in name or os.sep in name or bool(Path(name).suffix)


def read_libsvm(
    path: Path | str, features: int | None = None
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Read a LIBSVM file, plain or compressed. `features` is the number of features. By default, it
    is the largest index in the file.

    Return the points (m, d) as a float64 csr_matrix without stored zeros, and the labels (m,) as
    float64. If the file is wrong, raise a DataError. If a line is wrong, the message names the
    first wrong line.
    """
    content = read_text_bytes(path)
    if b": " in content or b":\t" in content:
        content = _BLANK_AFTER_COLON.sub(b":", content)
    try:
        X, y = _parse_libsvm(content, features)
    except (ValueError, OverflowError) as error:
        raise _first_wrong_line(content, features, path) or DataError(f"{path}: {error}") from error
    if not len(y):
        raise DataError(f"{path}: the file is empty")
    _refuse_rounded_labels(content, path)
    if features is None and not X.nnz:
        X.resize(len(y), 0)  # scikit-learn returns one feature if no line has a feature
    return convert(X, "csr"), y + 0.0  # the sum turns -0.0 into 0.0


def _parse_libsvm(content: bytes, features: int | None) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return the points and labels, or raise a ValueError that says what is wrong."""
    from sklearn.datasets import load_svmlight_file

    if (b"_" in content or b"qid" in content) and _QUERY_OR_UNDERSCORE.search(content):
        raise ValueError("qid (ranking data) and numbers with '_' are not supported")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns about empty input.
        X, y = load_svmlight_file(io.BytesIO(content), n_features=features, zero_based=False)
    if X.shape[1] > LARGEST_INDEX:
        raise ValueError(f"index {X.shape[1]:,} is too large; {_AT_MOST}")
    if not (np.isfinite(y).all() and np.isfinite(X.data).all()):
        raise ValueError("a label or a value is not a finite number")
    return X, y


def _first_wrong_line(content: bytes, features: int | None, path: Path | str) -> DataError | None:
    """Read the content line by line, and return an error that names the first line that cannot be
    read. Return None if all lines can be read.
    """
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            _parse_libsvm(line, features)
        except (ValueError, OverflowError) as error:
            what, right = _fault(line, features) or str(error), f"; {_RIGHT_LINE}"
            if b":" not in line and _SEPARATOR.search(line):
                what = "this is a line of a text table, not of a LIBSVM file"
                right = f". {_FOR_TABLES}"
            elif b":" not in line and number == 1:
                right += f". {_FOR_TABLES}"
            elif what.endswith("is below 1"):
                right += f". {_FROM_ONE}"
            elif "number of features" in what:
                right = "; give a larger number of features, or omit this number"
            return DataError(f"{path}, line {number}: {what}{right}")
    return None


def _fault(line: bytes, features: int | None) -> str:
    """Say what is wrong in a line of a LIBSVM file. Return an empty text if nothing is found."""
    label, *pairs = line.partition(b"#")[0].split() or [b""]
    if b":" in label:
        return f"the label is missing before {_shown(label)}"
    if not _is_finite(label):
        return f"the label {_shown(label)} is not a finite number"
    last = 0
    for pair in pairs:
        text, colon, value = pair.partition(b":")
        if text == b"qid":
            return "qid (ranking data) is not supported"
        if not colon:
            return f"a colon is missing in {_shown(pair)}"
        try:
            index = int(text)
        except ValueError:
            return f"the index in {_shown(pair)} is not an integer"
        if index < 1 or index <= last:
            return f"the index in {_shown(pair)} is " + (
                "below 1" if index < 1 else f"not above the index before it, which is {last}"
            )
        if index > LARGEST_INDEX:
            return f"an index is too large; {_AT_MOST}"
        if features is not None and index > features:
            return f"the index {index} is above the number of features, which is set to {features}"
        if not _is_finite(value):
            return f"the value in {_shown(pair)} is not a finite number"
        last = index
    return ""


def _is_finite(text: bytes) -> bool:
    try:
        return math.isfinite(float(text)) and b"_" not in text
    except ValueError:
        return False


def _shown(text: bytes) -> str:
    shown = printable(text[:40].decode(errors="replace"))
    return f"'{shown}{'...' if len(text) > 40 else ''}'"


def _refuse_rounded_labels(content: bytes, path: Path | str) -> None:
    """Raise a DataError if rounding to float64 makes two labels equal, or changes an integer label
    between -2^63 and 2^63, or if a label has too many digits in its exponent. (`check_labels`
    refuses larger labels.)

    Different texts of the same number, such as +1 and 1.0, are the same label in this format.
    """
    places: dict[bytes, int] = {}
    for match in _LABEL.finditer(content):
        places.setdefault(match[1], match.start())
    seen: dict[float, Decimal] = {}
    for text, place in places.items():
        rounded = float(text)
        try:
            exact = Decimal(text.decode())
        except InvalidOperation:  # the exponent has too many digits
            exact = Decimal("NaN")  # which differs from all numbers
        is_integer = 2**53 <= abs(rounded) <= 2**63
        loses_digits = exact.is_nan() or (is_integer and exact != Decimal(rounded))
        if loses_digits or seen.setdefault(rounded, exact) != exact:
            line = content.count(b"\n", 0, place) + 1
            raise DataError(
                f"{path}, line {line}: the label {text.decode()} cannot be stored exactly (it would"
                f" become {Decimal(rounded):.20g}); number the classes 1, 2, 3, ... instead"
            )


def read_text_bytes(path: Path | str) -> bytes:
    """Return the decompressed bytes of a text file without its byte order mark.

    All line ends become b"\\n". Raise a DataError if the file cannot be read (see `open_content`),
    or if the content is binary, UTF-16 or UTF-32 text, a web page, or XML.
    """
    content = read_content(path).removeprefix(_BYTE_ORDER_MARK)
    if content.startswith(_UTF16_MARKS):
        raise DataError(f"{path} is UTF-16 or UTF-32 text; save it in UTF-8")
    if b"\0" in content:
        raise DataError(f"{path} contains binary data, not text")
    if content[:200].lstrip().lower().startswith(_MARKUP):
        raise DataError(f"{path} is a web page or XML, not a data file")
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return content


def read_content(path: Path | str) -> bytes:
    """Return the decompressed bytes of a data file."""
    with open_content(path) as stream:
        return stream.read()


@contextlib.contextmanager
def open_content(path: Path | str, is_archive: bool = False) -> Iterator[io.BufferedReader]:
    """Open a data file, plain or compressed, for binary reading. Unless `is_archive` is true, an
    archive such as a zip file is refused.

    If the file is refused, or cannot be opened, read or decompressed, raise a DataError that names
    the file.
    """
    try:
        with open_decompressed(path) as stream:
            if not is_archive:
                _refuse_archive(stream.peek(512), path)
            yield stream
    except DamagedFileError as error:
        raise DataError(f"{path}: {error}") from error
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def _refuse_archive(head: bytes, path: Path | str) -> None:
    kind = next((kind for first, kind in _ARCHIVES.items() if head.startswith(first)), None)
    if head[257:262] == b"ustar":
        kind = "a tar archive"
    if kind:
        raise DataError(f"{path} is {kind}; unpack it, and give the path of the data file")
