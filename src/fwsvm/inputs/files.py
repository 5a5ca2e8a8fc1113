"""Functions that open, decompress, hash, write and check files.

`whole_file` writes a file completely or not at all.
"""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import hashlib
import io
import lzma
import os
import select
import shutil
import stat
import subprocess
import uuid
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fwsvm.inputs.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# number of bytes that one call reads or copies
CHUNK = 1 << 20
PIPE_WAIT_S = 2.0  # seconds within which another program must open a pipe for writing
# The content of a compressed file can have at most LARGEST_RATIO times the size of the file, so
# that a small file cannot fill the disk. (Ordinary text expands at most 40-fold.) This limit is
# never below ALWAYS_ALLOWED bytes, and never above LARGEST_CONTENT bytes.
LARGEST_CONTENT = 20 * 10**9
LARGEST_RATIO, ALWAYS_ALLOWED = 200, 16 * 2**20
UNFINISHED = ".part"  # the names of temporary files end with this text
COMPRESSION_SUFFIXES = (".bz2", ".gz", ".xz", ".Z")


class DamagedFileError(OSError):
    """A compressed file is truncated or damaged, is not of the format that its name says, or is too
    large when decompressed.
    """


def open_file(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file for binary reading.

    If the file is a folder, a device, a socket, or a pipe to which no program writes, an OSError is
    raised.
    """
    kind = os.stat(path).st_mode
    if stat.S_ISREG(kind):
        return open(path, "rb")
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file", os.fspath(path))
    if not stat.S_ISFIFO(kind):
        raise OSError(errno.EINVAL, "it is a device or a socket, not a file", os.fspath(path))
    # without O_NONBLOCK, `open` waits until a program opens the pipe for writing
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        waiting = select.poll()
        waiting.register(pipe, select.POLLIN)
        if not waiting.poll(1000 * PIPE_WAIT_S) and not _has_writer(pipe):
            what = "the file is a pipe to which no program writes"
            raise OSError(errno.ENXIO, what, os.fspath(path))
        os.set_blocking(pipe, True)
        return open(pipe, "rb")
    except BaseException:
        os.close(pipe)
        raise


def _has_writer(empty_pipe: int) -> bool:
    """Test whether a program has an empty pipe open for writing.

    If a program has the pipe open, reading from the pipe raises an error (EAGAIN). Otherwise,
    reading returns no bytes.
    """
    try:
        os.read(empty_pipe, 1)
    except BlockingIOError:
        return True
    return False


def read_text(path: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """Open a file by `open_file`, and return its text. All line ends become newlines."""
    with open_file(path) as file, io.TextIOWrapper(file, encoding) as text:
        return text.read()


def largest_content(size: int) -> int:
    """Return the largest number of bytes that we allow for the decompressed content of a file of
    `size` bytes.
    """
    return min(LARGEST_CONTENT, max(ALWAYS_ALLOWED, LARGEST_RATIO * size))


def _open_z(file: io.BufferedReader) -> io.BytesIO:
    """Return a stream of the decompressed content of a file made by the Unix program `compress`.

    Some old archives still contain such files.
    """
    most = largest_content(os.path.getsize(file.name))
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    with subprocess.Popen(
        ["gzip", "-dc"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None  # it is not None because stdout=PIPE
        content = process.stdout.read(most + 1)
        if len(content) > most:
            process.kill()
        elif process.wait() == 1:
            raise EOFError("gzip cannot read the file")
    return io.BytesIO(content)


_FIRST_BYTES: dict[bytes, Callable[[io.BufferedReader], Any]] = {
    b"BZh": bz2.open,
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x1f\x9d": _open_z,
}


@contextlib.contextmanager
def open_decompressed(path: str | os.PathLike[str]) -> Iterator[io.BufferedReader]:
    """Open a file, plain or compressed, and yield a binary stream of its decompressed content.

    The first bytes of the file, and not its suffix, determine how the file is decompressed, because
    the suffix can be wrong. If only the suffix says that the file is compressed, or if the
    compressed data are damaged or too large, raise a DamagedFileError.
    """
    opener = None
    try:
        with open_file(path) as file:  # opened only once, because a pipe cannot be read again
            head = file.peek(6)
            opener = next(
                (opener for first, opener in _FIRST_BYTES.items() if head.startswith(first)), None
            )
            if opener is None and str(path).endswith(COMPRESSION_SUFFIXES):
                raise DamagedFileError(
                    "the ending of the file name means that the file is compressed, but the content"
                    " is not compressed"
                )
            if opener is None:
                yield file
                return
            with opener(file) as stream:
                yield io.BufferedReader(
                    _Limited(stream, largest_content(os.path.getsize(path))), CHUNK
                )
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise DamagedFileError(f"the compressed data are truncated or damaged: {error}") from error
    except OSError as error:
        if opener is None or error.errno is not None or isinstance(error, DamagedFileError):
            raise
        raise DamagedFileError(f"the compressed data are damaged: {error}") from error


class _Limited(io.RawIOBase):
    """A stream that raises an error after `most` bytes, so that its content cannot fill the memory
    or the disk.
    """

    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._left, self._most = stream, most, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._stream.readinto(buffer)
        self._left -= count
        if self._left < 0:
            megabytes = f"{self._most / 1e6:,.0f} MB"
            raise DamagedFileError(
                f"the content exceeds {megabytes}; if it really is that large, decompress the file"
                " first"
            )
        return count


def sha256_of(path: str | os.PathLike[str]) -> str:
    with open_file(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_of_content(path: str | os.PathLike[str]) -> str:
    """Return the hexadecimal sha256 of the decompressed content of a file."""
    with open_decompressed(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextlib.contextmanager
def temporary_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make an empty temporary file in the folder of `path`, yield the path of the temporary file,
    and remove this file at the end.

    If `path` is a symbolic link, the folder is that of the linked file. Errors during writing name
    `path` instead of the temporary file.
    """
    target = Path(os.path.realpath(path))
    # A file name can have at most 255 bytes, and a character takes up to four bytes. The name of
    # `target` can already have the maximum length, so the temporary name has only its first 40
    # characters.
    temporary = target.with_name(f".{target.name[:40]}.{uuid.uuid4().hex[:12]}{UNFINISHED}")
    try:
        with open(temporary, "xb"):
            pass
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)
    except DamagedFileError:  # this error is about another file, which the caller was reading
        raise
    except OSError as error:
        if error.filename not in (None, os.fspath(temporary), temporary):
            raise
        reason = error.strerror
        # NumPy does not report why it wrote only a part of an array
        if error.errno is None:
            reason = f"the file could not be written completely; is the disk full? ({error})"
        raise OSError(error.errno or errno.EIO, reason, os.fspath(path)) from error


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a temporary file.

    If the `with` block succeeds, rename the temporary file to `path`. Otherwise, delete it.

    If the file `path` exists, its permissions stay the same. If `path` is a symbolic link, the link
    stays and the linked file is replaced.
    """
    with temporary_file(path) as temporary:
        yield temporary
        target = os.path.realpath(path)
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)


def check_output(
    path: str | os.PathLike[str] | None,
    option: str = "--output",
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> None:
    """Raise a UserError if an output file cannot be written, if it is an input file or in an input
    folder, or if it is the file to which standard output is redirected.

    Call this function before any work is done.

    If `path` is None, there is no output and nothing is checked. `inputs` are the files and folders
    that the command reads. Inputs that do not exist are ignored, and links are followed.
    """
    if path is None:
        return
    if not os.fspath(path).strip():
        raise UserError(f"{option} is empty; name a file to write")
    if os.fspath(path) == "-":
        raise UserError(
            f"{option} -: output to the terminal is not possible; name a file (write ./- for a file"
            " named -)"
        )
    try:
        _refuse_inputs(path, option, inputs)
        kind = _mode(path)
        if kind is None and not os.path.isdir(os.path.dirname(os.path.realpath(path))):
            raise UserError(f"{option} {path}: its folder does not exist")
        if kind is not None and not stat.S_ISREG(kind):
            raise UserError(f"{option} {path} is not a regular file; name a file to write")
        if kind is not None and not os.access(path, os.W_OK):
            raise UserError(f"{option} {path} is write-protected; name another file to write")
        if _is_standard_output(path):
            raise UserError(
                f"{option} {path} is also the file to which the output of the command is"
                " redirected; name another file"
            )
        with temporary_file(path):
            pass
    except OSError as error:
        raise UserError(f"{option} {path} cannot be written: {error.strerror or error}") from error


def check_output_folder(
    folder: str | os.PathLike[str], option: str, inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Raise a UserError if files cannot be written to a folder, or if the folder contains or is one
    of the `inputs`. Inputs that do not exist are ignored.

    Call this function before any work is done.
    """
    try:
        target = os.path.realpath(folder)
        for given in inputs:
            if os.path.exists(given) and _is_inside(os.path.realpath(given), target):
                raise UserError(
                    f"{option} {folder} contains {given}, which this command reads; name another"
                    " folder"
                )
        # if `folder` does not exist yet, check the folder in which it will be made
        while _mode(target) is None:
            target = os.path.dirname(target)
        if not os.path.isdir(target):
            raise UserError(
                f"{option} {folder}: {target} is not a folder; name a folder to write to"
            )
        if not os.access(target, os.W_OK | os.X_OK):
            raise UserError(f"{option} {folder} cannot be written: {target} is write-protected")
    except OSError as error:
        raise UserError(
            f"{option} {folder} cannot be written: {error.strerror or error}"
        ) from error


def _refuse_inputs(
    path: str | os.PathLike[str], option: str, inputs: Iterable[str | os.PathLike[str]]
) -> None:
    target = os.path.realpath(path)
    for each in inputs:
        given = os.fspath(each)
        if not os.path.exists(given):
            continue
        if os.path.isdir(given) and _is_inside(target, os.path.realpath(given)):
            raise UserError(
                f"{option} {path} is in the folder {given}, which this command reads; name a file"
                " in another folder"
            )
        # `samefile` is also true if two links lead to the same file
        if os.path.exists(path) and os.path.samefile(path, given):
            raise UserError(
                f"{option} {path} is the file {given}, which this command reads; name another file"
                " to write"
            )


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def _mode(path: str | os.PathLike[str]) -> int | None:
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_standard_output(path: str | os.PathLike[str]) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(1))
    except OSError:  # the file does not exist yet, or standard output is closed
        return False
