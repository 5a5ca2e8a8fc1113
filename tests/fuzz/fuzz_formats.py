"""Random changes of a content, what every reader must do with it, and the formats of data files.

Where there are two ways of reading, they must agree.
"""

import bz2
import gzip
import io
import lzma
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

from fwsvm.base.errors import UserError
from fwsvm.base.files import DamagedFileError, open_decompressed
from fwsvm.datasets import csv_format, formats
from fwsvm.datasets.entries import CsvOptions
from fwsvm.datasets.idx_format import parse_idx


class Target(NamedTuple):
    """What is drawn, and what is done with it; `check` returns whether the input was read, not refused."""

    inputs: st.SearchStrategy
    check: object


@cache
def folder():
    """A folder for the files of this process."""
    return Path(tempfile.mkdtemp(prefix="fwsvm-fuzz-"))


@st.composite
def damaged(draw, whole, words):
    """Some of these contents with a few changes: parts removed, doubled, moved, replaced by words or random bytes."""
    content = draw(st.sampled_from(whole))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.sampled_from([0, 1, 2, 8, 100, len(content)])))
        part = content[start:end]
        new = draw(st.one_of(st.sampled_from([b"", part * 2, *words]), st.binary(max_size=8)))
        content = content[:start] + new + content[end:]
    return content


def attempt(read, *arguments):
    """(what was read, None) or (None, the message of its refusal)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(*arguments), None
    except (UserError, DamagedFileError) as error:
        message = str(error)
        assert message and "Traceback" not in message
        return None, message


def fingerprint(matrix):
    """Shape and values, in a form that can be compared."""
    return (matrix.shape, (matrix.toarray() if hasattr(matrix, "toarray") else matrix).tolist())


LIBSVM = [
    b"+1 1:0.5 3:-2e-1\n-1 2:1.\n",
    b"# c\r\n2 1:1 7:1e-3 # d\n\n0 4: 5\n",
    b"1 1:9007199254740993e3 2:4.9e-324\n",
]
LIBSVM_WORDS = [
    b"1:",
    b"nan",
    b"1e999",
    b"qid:3",
    b"\r",
    b"\t",
    b"#",
    b"2147483647:1",
    b"99999999999999999999:1",
    b"-0",
    b"+",
]


def check_libsvm(case):
    """The compiled reader and the strict one agree, in blocks of any size."""
    content, features, block = case
    outcomes = []
    for small, size in ((0, block), (2**40, 2**24)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(formats, "_SMALL", small)
            patch.setattr(formats, "_BLOCK", size)
            read, refusal = attempt(formats._read, io.BytesIO(content), features, "LIBSVM data")
        if read is not None:
            assert np.isfinite(read[0].data).all() and read[0].has_canonical_format
            columns = read[0].indices.tolist()
            read = read[0].shape, read[0].indptr.tolist(), columns, read[0].data.tolist(), read[1].tolist()
        outcomes.append((read, refusal))
    assert outcomes[0] == outcomes[1]
    return outcomes[0][1] is None


CSV = [
    b"5.1,3.5,a\n4.9,3.0,b\n",
    b'l;c;"y z"\n1.5;red;yes\n2;b;no\n\n',
    b"1\t2\t3\r\n4\t5\t6\n",
    b"\xef\xbb\xbf1 2 3\n4 5 6\n",
]
CSV_WORDS = [
    b",",
    b";",
    b'"',
    b"\n",
    b"nan",
    b"?",
    b"True",
    b"1e999",
    b"0x1",
    b"1_0",
    b" ",
    b"99999999999999999999",
    b"\xc3\xa9",
]
COLUMN = st.one_of(st.integers(-4, 4), st.sampled_from(["l", "c", "y z"]))
CSV_OPTIONS = st.builds(
    CsvOptions,
    COLUMN,
    st.sampled_from([",", ";", "\t", "whitespace"]),
    st.booleans(),
    st.one_of(st.just("auto"), st.lists(COLUMN, max_size=2).map(tuple)),
    st.lists(COLUMN, max_size=2).map(tuple),
    st.sampled_from([(), ("?",), ("1",)]),
)

CSV_CASES = [
    (CSV[0], CsvOptions(-1)),
    (CSV[1], CsvOptions("y z", ";", True, "auto")),
    (CSV[2], CsvOptions(3, "\t")),
    (CSV[3], CsvOptions(1, "whitespace")),
]


def check_csv(case):
    """pandas and the strict way agree."""
    content, options = case
    outcomes = []
    for by_pandas in (csv_format.read_by_pandas, lambda *_: None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_format, "read_by_pandas", by_pandas)
            read, refusal = attempt(csv_format.parse_table, content, options)
        outcomes.append((read and (*fingerprint(read.X), read.labels.tolist(), read.columns), refusal))
    assert outcomes[0] == outcomes[1]
    return outcomes[0][1] is None


IDX = [b"\0\0\x08\x02\0\0\0\2\0\0\0\3abcdef", b"\0\0\x0d\x01\0\0\0\1\x3f\x80\0\0", b"\0\0\x0b\x01\0\0\0\0"]


def check_idx(content):
    """What is read is finite and has the sizes of the header."""
    values, _ = attempt(parse_idx, content)
    assert values is None or (values.size > 0 and np.isfinite(values).all())
    return values is not None


PLAIN = b"1 1:0.5 2:0.25\n" * 40
COMPRESSED = [
    bz2.compress(PLAIN), gzip.compress(PLAIN, mtime=0), lzma.compress(PLAIN), bytes.fromhex("1f9d9031626c6c04"),
]  # fmt: skip


def check_compressed(content):
    """Whatever the first bytes promise, and never more than the limit."""
    path = folder() / "compressed"
    path.write_bytes(content)

    def read():
        with open_decompressed(path) as stream:
            return stream.read()

    found, _ = attempt(read)
    return found is not None
