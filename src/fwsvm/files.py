"""Files on disk: decompression, checksums, and writing that is either whole or absent."""

import bz2
import contextlib
import gzip
import hashlib
import lzma
import os
import shutil
import uuid
import zlib
from pathlib import Path

from fwsvm import unix_compress

CHUNK = 1 << 20
COMPRESSION_SUFFIXES = (".bz2", ".gz", ".xz", ".Z")
_FIRST_BYTES = {
    b"BZh": bz2.open,
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    unix_compress.FIRST_BYTES: unix_compress.open,
}
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error)


class DamagedFileError(OSError):
    """A compressed file is cut off or is not what its name says."""


@contextlib.contextmanager
def open_decompressed(path):
    """Open a file for binary reading; compression is recognised by the first bytes.

    (Not by the name: some servers send a ``.gz`` file with a header that makes the client unpack it.)

    Raises
    ------
    DamagedFileError
        The name promises compression and the content has none, or, while reading, the content ends too early.
    """
    with open(path, "rb") as stream:
        head = stream.read(6)
    opener = next((opener for first, opener in _FIRST_BYTES.items() if head.startswith(first)), None)
    if opener is None and str(path).endswith(COMPRESSION_SUFFIXES):
        raise DamagedFileError("the name ends as that of a compressed file, the content is not compressed so")
    try:
        with (opener or open)(path, "rb") as stream:
            yield stream
    except _DAMAGE as error:
        raise DamagedFileError(f"the compressed data are truncated or damaged: {error}") from error
    except OSError as error:
        if opener is None or error.errno is not None:
            raise
        raise DamagedFileError(f"the compressed data are damaged: {error}") from error


def sha256_of(path):
    """Hexadecimal sha256 of a file as it is."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_of_content(path):
    """Hexadecimal sha256 of the decompressed content of a file."""
    digest = hashlib.sha256()
    with open_decompressed(path) as stream:
        while block := stream.read(CHUNK):
            digest.update(block)
    return digest.hexdigest()


def decompress_to(source, target):
    """Write the decompressed content of `source` to `target`."""
    with open_decompressed(source) as stream, open(target, "wb") as out:
        shutil.copyfileobj(stream, out, CHUNK)


def temporary_beside(path):
    """A name in the same folder that no other process uses."""
    path = Path(path)
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")


@contextlib.contextmanager
def whole_file(path):
    """Yield a temporary name; it becomes `path` if the block succeeds and is removed if it does not."""
    temporary = temporary_beside(path)
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
