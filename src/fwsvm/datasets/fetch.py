"""Fetch a raw file: mirror first, then upstream; checked by its checksum, decompressed, whole or absent.

A mirror is a folder or a base URL in which each file lies under its name in the catalogue, plain or with
``.bz2``, ``.gz``, ``.xz`` or ``.Z`` added. It is given by argument or by the environment variable FWSVM_MIRROR.

Where the catalogue has no checksum (``unverified``), that of the first content is written next to the file,
``<file>.sha256``, in the form that `sha256sum --check` reads, and holds from then on.
"""

import logging
import os
import sys
import time
from pathlib import Path

import pooch
import requests

from fwsvm.base.errors import DownloadError, UnavailableError
from fwsvm.base.files import (
    COMPRESSION_SUFFIXES,
    DamagedFileError,
    decompress_to,
    sha256_of,
    sha256_of_content,
    temporary_file,
    whole_file,
)
from fwsvm.datasets.entries import UNVERIFIED, VERIFIED, required_files

MIRROR_VARIABLE = "FWSVM_MIRROR"
LARGEST_DOWNLOAD, LONGEST_DOWNLOAD = 20 * 10**9, 4 * 3600.0
"""Bytes, and seconds, after which a download is stopped."""

_LOG = logging.getLogger(__name__)
_ABSENT = {404, 410}
_BUSY = {408, 425, 429, 500, 502, 503, 504}


class _AbsentError(UnavailableError):
    """A mirror or a server has no such file."""


class _UnreachableError(UnavailableError):
    """A server cannot be reached, is too slow, or breaks off: another try may help."""


def fetch(file_entry, raw_dir, mirror=None, progress=None, timeout=30.0, retries=2, pause=1.0):
    """Make sure that a file lies in the raw folder, decompressed and with the right checksum; returns its path.

    A file that is there already is checked; one that does not match is fetched again. A file on this disk (`path`) or
    in this package (`embedded`) is used where it is, and may be compressed.

    `timeout`: seconds without data after which a try ends; `retries`: further tries after a failure that may pass;
    `pause`: seconds before the first of them, doubled each time. `progress` (a bar) is by default for terminals.

    An UnavailableError says that no source has the file or can be reached, another DownloadError that a source gave a
    wrong or damaged file.
    """
    if not file_entry.is_remote:
        return _check_local(file_entry)
    target = file_entry.location(raw_dir)
    if target.is_file():
        try:
            _check_sum(target, file_entry, target, target)
            return target
        except DownloadError as error:
            _LOG.warning("%s; it is fetched again", error)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DownloadError(f"{target.parent}: cannot make this folder: {error.strerror}") from error
    progress = sys.stderr.isatty() if progress is None else progress
    mirror = os.environ.get(MIRROR_VARIABLE) if mirror is None else str(mirror)
    failures, options = [], (progress, timeout, retries, pause)
    for places in _sources(file_entry, mirror):
        try:
            _install_first(places, file_entry, target, options)
            return target
        except DownloadError as error:
            failures.append(error)
            if places[-1] != file_entry.url and not isinstance(error, _AbsentError):
                _LOG.warning("could not get %s from the mirror: %s", file_entry.name, error)
    kind = UnavailableError if all(isinstance(failure, UnavailableError) for failure in failures) else DownloadError
    reasons = "\n".join(f"  {failure}" for failure in failures)
    advice = (
        f"Without network, set {MIRROR_VARIABLE} (or mirror) to a folder or base URL that holds {file_entry.name},"
        f" plain or compressed, or put the decompressed file at {target}."
    )
    raise kind(f"cannot get {file_entry.name}:\n{reasons}\n  {advice}") from failures[-1]


def _sources(file_entry, mirror):
    """Lists of addresses, in the order in which they are tried; of each list the first that has the file counts."""
    if mirror:
        base = mirror.rstrip("/") if _is_url(mirror) else os.path.expanduser(mirror)
        yield [f"{base}/{file_entry.name}{suffix}" for suffix in ("", *COMPRESSION_SUFFIXES)]
    yield [file_entry.url]


def _is_url(place):
    return place.startswith(("http://", "https://"))


def _install_first(places, file_entry, target, options):
    for place in places:
        try:
            return _install(place, file_entry, target, options)
        except _AbsentError as error:
            absent = error
    raise absent


def _install(place, file_entry, target, options):
    """Download or copy a file, decompress it, check it, and only then give it its name."""
    with temporary_file(target) as received, whole_file(target) as content:
        try:
            if _is_url(place):
                _download(place, received, *options)
            elif not Path(place).is_file():
                raise _AbsentError(f"{place}: there is no such file, nor one with another ending")
            decompress_to(received if _is_url(place) else place, content)
        except OSError as error:
            raise DownloadError(f"{place}: {error}") from error
        _check_sum(content, file_entry, target, place)


def _check_sum(path, file_entry, target, origin):
    """Compare a file that is to be `target` with the catalogue's sum, or with the recorded one; record the first."""
    found = sha256_of(path) if file_entry.is_remote else sha256_of_content(path)
    expected, said_by = file_entry.sha256, "the catalogue says"
    record = target.with_name(f"{target.name}.sha256")
    if file_entry.checksum == UNVERIFIED:
        try:
            expected = record.read_text(encoding="ascii").split()[0] if record.exists() else None
        except (OSError, ValueError, IndexError) as error:
            raise DownloadError(f"{record}: has no sha256; delete it to trust the next download") from error
        said_by = f"the first download had, by {record} (delete that to trust the new content),"
    if expected is None:
        with open(path, "rb") as stream:
            if stream.read(512).lstrip().lower().startswith((b"<!doctype html", b"<html")):
                raise DownloadError(f"{origin}: this is a web page, not a data file")
        with whole_file(record) as temporary:
            temporary.write_text(f"{found}  {target.name}\n", encoding="ascii")
        _LOG.warning("%s: the catalogue has no verified checksum; its sha256 is recorded in %s", origin, record)
    elif found != expected:
        raise DownloadError(f"{origin}: wrong checksum: sha256 of the content is {found}, {said_by} {expected}")


def _check_local(file_entry):
    path = file_entry.location(None)
    if not path.is_file():
        where = "" if path.is_absolute() else f" (looked for in the current folder, {Path.cwd()})"
        what = "is not a file" if path.exists() else "there is no such file"
        raise DownloadError(f"{path}: {what}{where}; correct the key 'path' in the catalogue")
    if file_entry.checksum == VERIFIED:
        try:
            _check_sum(path, file_entry, path, path)
        except DamagedFileError as error:
            raise DownloadError(f"{path}: {error}") from error
    return path


def fetch_files(entry, catalogue, raw_dir, mirror=None, progress=None, stand_in=True):
    """Fetch all files of a data set; where they are unavailable, those of its stand-in if `stand_in` allows it.

    Returns the entry, or that of its stand-in (`DatasetEntry.standing_in`), and role -> path.
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
        _LOG.warning("%s is unavailable; a stand-in is drawn between %s", entry.name, neighbours)
        return substitute, paths


def _fetch_all(entry, catalogue, raw_dir, mirror, progress):
    return {role: fetch(file, raw_dir, mirror, progress) for role, file in required_files(entry, catalogue).items()}


class _Bounded:
    """A file for pooch to write to, which ends an endless download."""

    def __init__(self, stream, url):
        self._stream, self._url = stream, url
        self._left, self._deadline = LARGEST_DOWNLOAD, time.monotonic() + LONGEST_DOWNLOAD

    def write(self, data):
        self._left -= len(data)
        if self._left < 0:
            raise DownloadError(f"{self._url}: stopped after {LARGEST_DOWNLOAD:,} bytes; no data file is so large")
        if time.monotonic() > self._deadline:
            raise DownloadError(f"{self._url}: stopped after {LONGEST_DOWNLOAD / 3600:g} hours")
        return self._stream.write(data)

    def flush(self):
        self._stream.flush()


def _download(url, path, progress, timeout, retries, pause):
    """Download by pooch, with a bound, further tries, and errors that name the address."""
    as_stored = {"Accept-Encoding": "identity"}
    http = pooch.HTTPDownloader(progress, chunk_size=1 << 12, timeout=timeout, headers=as_stored)
    for tries_left in range(retries, -1, -1):
        try:
            with open(path, "wb") as stream:
                http(url, _Bounded(stream, url), None)
            return
        except requests.RequestException as error:
            failure = _failure(url, error)
            if not tries_left or not isinstance(failure, _UnreachableError):
                raise failure from error
        _LOG.warning("%s; trying again", failure)
        time.sleep(pause * 2 ** (retries - tries_left))


def _failure(url, error):
    if isinstance(error, requests.HTTPError):
        status = error.response.status_code
        kind = _AbsentError if status in _ABSENT else _UnreachableError if status in _BUSY else UnavailableError
        return kind(f"{url}: the server answers {status} {error.response.reason}")
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        reason = "timed out"
    elif isinstance(error, requests.exceptions.ChunkedEncodingError):
        reason = f"the transfer was cut off ({error})"
    else:
        # The plain reason inside the nested messages of a refused connection.
        nested = error.args[0] if error.args else error
        reason = f"cannot connect ({str(getattr(nested, 'reason', None) or nested).split(': ', 1)[-1]})"
    return _UnreachableError(f"{url}: {reason}")
