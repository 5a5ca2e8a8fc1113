"""Decompress, hash and write files. `whole_file` writes a file completely or not at all."""

import bz2
import contextlib
import gzip
import hashlib
import io
import lzma
import os
import subprocess
import uuid
import zlib
from pathlib import Path

CHUNK = 1 << 20
LARGEST_CONTENT = 20 * 10**9
LARGEST_RATIO, ALWAYS_ALLOWED = 200, 16 * 2**20
COMPRESSION_SUFFIXES = (".bz2", ".gz", ".xz", ".Z")


class DamagedFileError(OSError):
    """A compressed file is truncated, is not what its name says, or is too large when decompressed."""


def largest_content(size):
    """Return how many bytes a compressed file of `size` bytes may expand to. Ordinary text expands at most 40-fold."""
    return min(LARGEST_CONTENT, max(ALWAYS_ALLOWED, LARGEST_RATIO * size))


def _open_z(file):
    """Open a file made by the Unix program `compress`. Some old archives still contain such files."""
    most = largest_content(os.path.getsize(file.name))
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    with subprocess.Popen(["gzip", "-dc"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        content = process.stdout.read(most + 1)
        if len(content) > most:
            process.kill()
        elif process.wait() == 1:
            raise EOFError("gzip cannot read the file")
    return io.BytesIO(content)


_FIRST_BYTES = {b"BZh": bz2.open, b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open, b"\x1f\x9d": _open_z}


@contextlib.contextmanager
def open_decompressed(path):
    """Open a file for binary reading. Its first bytes decide how it is decompressed, since its name may be wrong."""
    opener = None
    try:
        with open(path, "rb") as file:  # open it only once: a pipe cannot be read again
            head = file.peek(6)
            opener = next((opener for first, opener in _FIRST_BYTES.items() if head.startswith(first)), None)
            if opener is None and str(path).endswith(COMPRESSION_SUFFIXES):
                raise DamagedFileError("the name says that the file is compressed, but its content is not")
            if opener is None:
                yield file
                return
            with opener(file) as stream:
                yield io.BufferedReader(_Limited(stream, largest_content(os.path.getsize(path))), CHUNK)
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise DamagedFileError(f"the compressed data are truncated or damaged: {error}") from error
    except OSError as error:
        if opener is None or error.errno is not None or isinstance(error, DamagedFileError):
            raise
        raise DamagedFileError(f"the compressed data are damaged: {error}") from error


class _Limited(io.RawIOBase):
    """Read a stream, but raise an error after `most` bytes, so that it cannot fill the memory or the disk."""

    def __init__(self, stream, most):
        self._stream, self._left, self._most = stream, most, most

    def readable(self):
        return True

    def readinto(self, buffer):
        count = self._stream.readinto(buffer)
        self._left -= count
        if self._left < 0:
            megabytes = f"{self._most / 1e6:,.0f} MB"
            raise DamagedFileError(f"the content exceeds {megabytes}; if this is correct, decompress the file first")
        return count


def sha256_of(path):
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_of_content(path):
    """Return the hexadecimal sha256 of the decompressed content of a file."""
    with open_decompressed(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextlib.contextmanager
def temporary_file(path):
    """Make an empty file in the folder of `path`, yield its path, and remove the file at the end."""
    temporary = Path(path).with_name(f".{Path(path).name}.{uuid.uuid4().hex[:12]}.part")
    with open(temporary, "xb"):
        pass
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_file(path):
    """Yield the path of a temporary file. Rename it to `path` if the `with` block succeeds; otherwise, delete it."""
    with temporary_file(path) as temporary:
        yield temporary
        os.replace(temporary, path)
