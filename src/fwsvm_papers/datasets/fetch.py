"""Functions that fetch raw files from a mirror or from their source, and that check and decompress
the files.

If a file cannot be fetched completely, its incomplete copy is removed.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from fwsvm.inputs import files
from fwsvm.inputs.errors import ConfigError, DownloadError, UnavailableError, UserError
from fwsvm_papers.datasets import openml
from fwsvm_papers.datasets.download import AbsentError, Limits, download
from fwsvm_papers.datasets.entries import UNVERIFIED, VERIFIED, required_files
from fwsvm_papers.datasets.load import load_checked

if TYPE_CHECKING:
    from fwsvm_papers.datasets.entries import DatasetEntry, FileEntry

MIRROR_VARIABLE = "FWSVM_MIRROR"
LARGEST_FILE = 4 * 2**30  # size limit of a download in bytes
LONGEST_DOWNLOAD = 2 * 3600  # time limit of a download, with all attempts, in seconds
_LOG = logging.getLogger(__name__)
_PAGE_STARTS = (b"<!doctype html", b"<?xml", b"<!--")


def fetch(
    file_entry: FileEntry,
    raw_dir: str | Path,
    mirror: str | Path | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Path:
    """Fetch a file into the raw folder, unless the file is already there with the right checksum.
    Return the path of the file. A local file, or a file that this package contains, is only
    checked.

    If the catalogue has no checksum of the file, the checksum of the first download is recorded,
    but the file is not parsed. In contrast, `fetch_files` parses the file before it records the
    checksum.
    """
    with fetched(file_entry, raw_dir, mirror, progress, **options):
        pass
    return file_entry.location(raw_dir)


@contextlib.contextmanager
def fetched(
    file_entry: FileEntry,
    raw_dir: str | Path,
    mirror: str | Path | None = None,
    progress: bool | None = None,
    timeout: float = 30.0,
    retries: int = 2,
    pause: float = 1.0,
) -> Iterator[Path]:
    """Fetch a file as `fetch` does, and yield its path. `timeout`, `retries` and `pause` are
    arguments of `download`.

    In the `with` block, a newly fetched file without a known checksum has a temporary name. If the
    block ends without an error, the file gets its final name, and its checksum is recorded. If the
    block raises an error, the file is removed.
    """
    target = file_entry.location(raw_dir)
    if not file_entry.is_remote:
        _check_local(file_entry, target)
        yield target
        return
    if target.is_file():
        try:
            _check_content(target, file_entry, target, target)
        except DownloadError as error:
            _LOG.warning("%s; the file is fetched again", error)
        else:
            yield target
            _record_first(file_entry, target, target, target)
            return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        file = next(part for part in reversed(target.parents) if part.is_file())
        raise DownloadError(
            f"{target}: its folder cannot be made, because {file} is a file; rename this file, or"
            " change the name in the catalogue"
        ) from error
    if target.is_dir():
        raise DownloadError(
            f"{target} is a folder; remove it, or change the name of the file in the catalogue"
        )
    progress = sys.stderr.isatty() if progress is None else progress
    mirror = os.environ.get(MIRROR_VARIABLE) if mirror is None else str(mirror)
    options = {"progress": progress, "timeout": timeout, "retries": retries, "pause": pause}
    with contextlib.ExitStack() as stack:
        content = stack.enter_context(files.whole_file(target))
        place = _get_from_any(file_entry, mirror, content, target, options)
        if file_entry.openml and place == file_entry.url:
            # The content is right, since it has the checksum that OpenML gives.
            _record_first(file_entry, content, target, place)
        if not is_first_download(file_entry, raw_dir):
            # The checksum is right, so keep this file even if other files of the data set fail.
            stack.close()
            yield target
            return
        try:
            yield content
        except UserError as error:
            reason = str(error).replace(str(content), place)
            raise type(error)(
                f"{reason}. The downloaded file {file_entry.name} was deleted, because the data set"
                " could not be read"
            ) from error
        _record_first(file_entry, content, target, place)


def is_first_download(file_entry: FileEntry, raw_dir: str | Path) -> bool:
    """Test whether the checksum of a file from the internet or from a mirror is still unknown.
    Known checksums are in the catalogue, or come from an earlier download.
    """
    is_open = file_entry.is_remote and file_entry.checksum == UNVERIFIED
    return is_open and not _record_of(file_entry.location(raw_dir)).exists()


def _check_local(file_entry: FileEntry, path: Path) -> None:
    # For a name that is too long, `os.path` gives false, but `Path` raises an OSError.
    if not os.path.isfile(path):
        reason = "not a regular file" if os.path.exists(path) else "there is no such file"
        raise DownloadError(f"{path}: {reason} (current folder: {Path.cwd()})")
    if file_entry.checksum == VERIFIED:
        _check_content(path, file_entry, path, path)


def _get_from_any(
    file_entry: FileEntry, mirror: str | None, content: Path, target: Path, options: dict
) -> str:
    """Get the file from the mirror or, if that fails, from its original source, and write it to the
    path `content`. The first address of the mirror that has the file decides. If its content is
    wrong, the other addresses of the mirror are not tried.

    Return the address from which the file was received.
    """
    failures = []
    for places in _sources(file_entry, mirror):
        get = functools.partial(download, limits=Limits(LARGEST_FILE, LONGEST_DOWNLOAD), **options)
        for place in places:
            try:
                _receive(place, file_entry, content, get)
                _check_content(content, file_entry, target, place)
                return place
            except AbsentError as error:
                failure = error
            except DownloadError as error:
                failure = error
                if place != file_entry.url:
                    _LOG.warning("could not get %s from the mirror: %s", file_entry.name, error)
                break
        failures.append(failure)
    kind = (
        UnavailableError
        if all(isinstance(failure, UnavailableError) for failure in failures)
        else DownloadError
    )
    reasons = "\n".join(f"  {failure}" for failure in failures)
    advice = (
        "Without a network connection, you can provide the file in two ways. Either set"
        f" {MIRROR_VARIABLE} (or the option mirror) to a folder or base URL that has"
        f" {file_entry.name}, plain or compressed. Or put the decompressed file at {target}."
    )
    raise kind(f"cannot get {file_entry.name}:\n{reasons}\n  {advice}") from failures[-1]


def _sources(file_entry: FileEntry, mirror: str | None) -> Iterator[list[str]]:
    """Yield lists of addresses, in the order in which they are tried. The first list has the
    addresses in the mirror, if there is one. The last list has the address of the original source.
    """
    if mirror:
        base = _mirror_base(mirror).rstrip("/")
        yield [f"{base}/{file_entry.name}{suffix}" for suffix in ("", *files.COMPRESSION_SUFFIXES)]
    if file_entry.url:
        yield [file_entry.url]


def _mirror_base(mirror: str) -> str:
    """Return the path or the base URL of a mirror. `mirror` can also be a file:// URL."""
    scheme, host, path, *_ = urlsplit(mirror)
    if _is_url(mirror):
        return mirror
    if scheme == "file" and host in ("", "localhost"):
        return url2pathname(path)
    if "://" in mirror:
        right = (
            "write a folder, or an address that begins with http://, https:// or file:/// (with"
            " three slashes)"
        )
        raise ConfigError(f"{MIRROR_VARIABLE} (or the option mirror) is {mirror!r}: {right}")
    return os.path.expanduser(mirror)


def _is_url(place: str) -> bool:
    return place.lower().startswith(("http://", "https://"))


def _receive(
    place: str, file_entry: FileEntry, content: Path, get: Callable[[str, Path], None]
) -> None:
    """Download a file with `get`, or copy it. Write the decompressed file to `content`."""
    with files.temporary_file(content) as received:
        try:
            if file_entry.openml and place == file_entry.url:
                openml.save_table(file_entry.openml, received, get)
            elif _is_url(place):
                get(place, received)
            elif not Path(place).is_file():
                raise AbsentError(
                    f"{place}: there is no such file (the name was tried with and without the"
                    " compression suffixes)"
                )
            with (
                files.open_decompressed(received if _is_url(place) else place) as stream,
                open(content, "wb") as out,
            ):
                shutil.copyfileobj(stream, out, files.CHUNK)
        except OSError as error:
            raise DownloadError(f"{place}: {error}") from error


def _record_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.sha256")


def _check_content(path: Path, file_entry: FileEntry, target: Path, origin: str | Path) -> None:
    """Raise a DownloadError if the sha256 of a file differs from the one in the catalogue, or from
    the one of the first download.

    If no sha256 is known yet, raise a DownloadError if the file is empty or is a web page.
    """
    record = _record_of(target)
    try:
        if file_entry.checksum == VERIFIED:
            expected = file_entry.sha256
            known = f"the catalogue has {expected}"
        elif record.exists():
            expected = record.read_text(encoding="ascii", errors="replace")[:64]
            known = (
                f"the first download had {expected}, as recorded in {record}. If you trust the new"
                f" content, delete {record}"
            )
        else:
            _refuse_pages(path, origin)
            return
        found = files.sha256_of(path) if file_entry.is_remote else files.sha256_of_content(path)
    except OSError as error:
        raise DownloadError(f"{path}: {error}") from error
    if found != expected:
        raise DownloadError(
            f"{origin}: wrong checksum: the content has the sha256 {found}, but {known}"
        )


def _refuse_pages(path: Path, origin: str | Path) -> None:
    with open(path, "rb") as stream:
        head = stream.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if not head:
        raise DownloadError(f"{origin} has no content")
    if head.startswith(_PAGE_STARTS) or b"<html" in head:
        raise DownloadError(f"{origin} is a web page or an XML message, not a data file")


def _record_first(file_entry: FileEntry, path: Path, target: Path, origin: str | Path) -> None:
    """Record the checksum of a first download, so that later downloads can be checked."""
    record = _record_of(target)
    if file_entry.checksum == VERIFIED or record.exists():
        return
    with files.whole_file(record) as temporary:
        temporary.write_text(f"{files.sha256_of(path)}  {target.name}\n", encoding="ascii")
    _LOG.warning(
        "the catalogue has no checksum of %s; the sha256 of the file is recorded in %s",
        origin,
        record,
    )


def fetch_files(
    entry: DatasetEntry,
    catalogue: dict[str, DatasetEntry],
    raw_dir: str | Path,
    mirror: str | Path | None = None,
    progress: bool | None = None,
    stand_in: bool = True,
) -> tuple[DatasetEntry, dict[str, Path]]:
    """Fetch the files of a data set. Return its entry, and the paths of the files by role.

    If files are unavailable and `stand_in` is true, fetch the files of the data set's stand-in
    instead, and return the entry and the paths of the stand-in.

    Files with unknown checksums are parsed before their checksums are recorded.
    """
    try:
        return entry, _fetch_all(entry, catalogue, raw_dir, mirror, progress)
    except UnavailableError as error:
        if entry.stand_in is None or not stand_in:
            raise
        substitute = entry.standing_in(catalogue)
        try:
            paths = _fetch_all(substitute, catalogue, raw_dir, mirror, progress)
        except UnavailableError:
            raise error from None
        neighbours = f"{entry.stand_in.smaller} and {entry.stand_in.larger}"
        _LOG.warning(
            "the files of %s are unavailable; a stand-in (a substitute of the same size) is built"
            " from %s",
            entry.name,
            neighbours,
        )
        return substitute, paths


def _fetch_all(
    entry: DatasetEntry,
    catalogue: dict[str, DatasetEntry],
    raw_dir: str | Path,
    mirror: str | Path | None,
    progress: bool | None,
) -> dict[str, Path]:
    paths, errors = fetch_each(entry, catalogue, raw_dir, mirror, progress, keep_going=False)
    if errors:
        raise next(iter(errors.values()))
    return paths


def fetch_each(
    entry: DatasetEntry,
    catalogue: dict[str, DatasetEntry],
    raw_dir: str | Path,
    mirror: str | Path | None = None,
    progress: bool | None = None,
    keep_going: bool = True,
) -> tuple[dict[str, Path], dict[str, UserError]]:
    """Fetch the files of a data set. If the checksum of a file is unknown, also parse the files, to
    check their content.

    Return two dicts. The first maps the roles of the fetched files to their paths. The second maps
    the roles of files that could not be fetched or read to the errors. If a file fails, the files
    with unknown checksums are also in the second dict, and newly fetched ones are removed. If
    `keep_going` is false, stop at the first error. Files that were not tried are in neither dict.
    """
    required, errors = required_files(entry, catalogue), {}
    temporary, unread = {}, []
    try:
        with contextlib.ExitStack() as stack:
            for role, file in required.items():
                try:
                    temporary[role] = stack.enter_context(fetched(file, raw_dir, mirror, progress))
                except UserError as error:
                    errors[role] = error
                    if not keep_going:
                        break
            unread = [role for role in temporary if is_first_download(required[role], raw_dir)]
            if unread and errors:
                raise next(iter(errors.values()))
            if unread:
                load_checked(entry, temporary)
    except UserError as error:
        errors = dict.fromkeys(unread, error) | errors
    paths = {role: required[role].location(raw_dir) for role in temporary if role not in errors}
    return paths, errors
