"""Files on disk: decompression, checksums, and writing that is either whole or absent."""

import bz2
import contextlib
import gzip
import hashlib
import io
import lzma
import os
import platform
import re
import shutil
import subprocess
import uuid
import zlib
from pathlib import Path

from fwsvm.base.errors import ConfigError

CHUNK = 1 << 20
LARGEST_CONTENT = 20 * 10**9
"""Bytes to which a compressed file may decompress at most."""

LARGEST_RATIO, ALWAYS_ALLOWED = 200, 16 * 2**20
"""How many times its size that may be (data files in text reach 40), and the bytes that are allowed to any file."""

LIMIT_VARIABLE = "FWSVM_LARGEST_CONTENT_GB"
"""Environment variable that replaces all three."""

COMPRESSION_SUFFIXES = (".bz2", ".gz", ".xz", ".Z")


@contextlib.contextmanager
def _open_z(path, mode):
    """Open a file of the Unix program `compress`, which some old archives still serve: gzip reads those as well."""
    command = shutil.which("gzip")
    if command is None:
        raise DamagedFileError("a .Z file is decompressed by the program gzip, which is not installed here")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with open(path, mode) as stream, subprocess.Popen([command, "-dc"], stdin=stream, **pipes) as process:
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
        if not process.stdout.read(1) and process.wait() == 1:
            raise EOFError(process.stderr.read().decode(errors="replace").strip().removeprefix("gzip: stdin: "))
        process.kill()  # where the rest is not wanted


_FIRST_BYTES = {b"BZh": bz2.open, b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open, b"\x1f\x9d": _open_z}
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error)


class DamagedFileError(OSError):
    """A compressed file is cut off, is not what its name says, or decompresses to far more than data do."""


@contextlib.contextmanager
def open_decompressed(path):
    """Open a file for binary reading; compression is recognised by the first bytes.

    (Not by the name: some servers send a ``.gz`` file with a header that makes the client unpack it.)

    Raises
    ------
    DamagedFileError
        The name promises compression and the content has none, or, while reading, the content ends too early or
        exceeds what `largest_content` allows.
    """
    with open(path, "rb") as stream:
        head = stream.read(6)
    opener = next((opener for first, opener in _FIRST_BYTES.items() if head.startswith(first)), None)
    if opener is None and str(path).endswith(COMPRESSION_SUFFIXES):
        raise DamagedFileError("the name ends as that of a compressed file, the content is not compressed so")
    try:
        with contextlib.ExitStack() as opened:
            if opener is None:
                yield opened.enter_context(open(path, "rb"))
            else:
                stream = opened.enter_context(opener(path, "rb"))
                yield io.BufferedReader(_Limited(stream, largest_content(os.path.getsize(path))), CHUNK)
    except DamagedFileError:
        raise
    except _DAMAGE as error:
        raise DamagedFileError(f"the compressed data are truncated or damaged: {error}") from error
    except OSError as error:
        if opener is None or error.errno is not None:
            raise
        raise DamagedFileError(f"the compressed data are damaged: {error}") from error


def largest_content(size):
    """Bytes to which a compressed file of `size` bytes may decompress.

    Raises
    ------
    ConfigError
        The environment variable `LIMIT_VARIABLE` is not a positive number.
    """
    given = os.environ.get(LIMIT_VARIABLE)
    if not given:
        return min(LARGEST_CONTENT, max(ALWAYS_ALLOWED, LARGEST_RATIO * size))
    try:
        most = float(given) * 1e9
    except ValueError:
        most = 0.0
    if not 1 <= most <= 1e18:
        raise ConfigError(f"{LIMIT_VARIABLE}={given}: a number of GB is wanted, such as 50")
    return int(most)


class _Limited(io.RawIOBase):
    """A stream that ends with an error where it exceeds its limit, before memory or disk are full."""

    def __init__(self, stream, most):
        self._stream, self._left, self._most = stream, most, most

    def readable(self):
        return True

    def readinto(self, buffer):
        count = self._stream.readinto(buffer)
        self._left -= count
        if self._left < 0:
            what = f"it decompresses to more than {self._most / 1e6:,.0f} MB, which no data file of its size does"
            raise DamagedFileError(f"{what}; if it is right, set {LIMIT_VARIABLE} to the GB that it may take")
        return count

    def readall(self):
        blocks = []
        while block := self.read(CHUNK):
            blocks.append(block)
        return b"".join(blocks)


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


def _processes():
    """What tells apart the machines, and the containers on one of them, whose processes have numbers of their own."""
    try:
        namespace = re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))
    except OSError:
        namespace = ""
    return (re.sub(r"[^0-9A-Za-z]", "_", platform.node()) or "host") + namespace


_HOST = _processes()


@contextlib.contextmanager
def temporary_file(path):
    """Yield the name of an empty file next to `path` that no other process uses; it is removed at the end.

    The name says which process writes it, by which `remove_abandoned` tells it from one that a killed process left.
    """
    remove_abandoned(path)
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{_HOST}-{os.getpid()}-{uuid.uuid4().hex[:12]}.part")
    with open(temporary, "xb"):
        pass
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def remove_abandoned(path):
    """Remove temporary files of `path` whose process on this machine has ended."""
    path = Path(path)
    name = re.compile(re.escape(f".{path.name}.{_HOST}-") + r"([0-9]+)-[0-9a-f]{12}\.part")
    with contextlib.suppress(OSError):
        for part in list(path.parent.iterdir()):
            if (match := name.fullmatch(part.name)) and not _is_running(int(match[1])):
                part.unlink(missing_ok=True)


def _is_running(process):
    """Whether there is a process of this number; where it cannot be asked, there may be."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@contextlib.contextmanager
def whole_file(path):
    """Yield a temporary name; it becomes `path` if the block succeeds and is removed if it does not."""
    with temporary_file(path) as temporary:
        yield temporary
        os.replace(temporary, path)
