"""Fetch a raw file: mirror first, then upstream; checked by its checksum, decompressed, whole or absent.

A file that the package carries (`embedded`) is used where it is, without mirror and network.

A mirror is a folder or a base URL in which each file lies under its name in the catalogue, plain or with
``.bz2``, ``.gz``, ``.xz`` or ``.Z`` added. It is given by argument or by the environment variable FWSVM_MIRROR.
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
from fwsvm.datasets.checksums import VERIFIED, checksum_state, is_web_page, record_sum, wanted_sum, wrong_sum
from fwsvm.datasets.entries import required_files

MIRROR_VARIABLE = "FWSVM_MIRROR"
_LOG = logging.getLogger(__name__)
_ABSENT = {404, 410}
_BUSY = {408, 425, 429, 500, 502, 503, 504}


def fetch(file_entry, raw_dir, mirror=None, progress=None, timeout=30.0, retries=2, pause=1.0):
    """Make sure that a file lies in the raw folder, decompressed and with the right checksum.

    A file that is there already is checked and left; one that does not match is fetched anew. A file on
    this disk (`path`) or in this package (`embedded`) is used where it is. Several processes may fetch the same file at
    the same time; what a killed one left unfinished is removed.

    Where the catalogue has no checksum (``unverified``), that of the first content is recorded beside the file,
    with a warning, and holds from then on (`fwsvm.datasets.checksums`).

    Parameters
    ----------
    file_entry : FileEntry
    raw_dir : str or path
        Root of the raw files.
    mirror : str or path, optional
        Folder or base URL that is tried first; by default the environment variable FWSVM_MIRROR.
    progress : bool, optional
        Progress bar on stderr; by default only if stderr is a terminal.
    timeout : float
        Seconds without a connection or without data after which a try is given up.
    retries : int
        Further tries after a failure that may pass (time-out, cut-off, busy server).
    pause : float
        Seconds before the first further try; doubled each time.

    Returns
    -------
    Path
        A file on this disk and an embedded one may be compressed.

    Raises
    ------
    UnavailableError
        No source has the file or can be reached; with a line for each that was tried.
    DownloadError
        A source gave a wrong or damaged file, and no other the right one.
    """
    if not file_entry.is_remote:
        return _check_local(file_entry)
    target = file_entry.location(raw_dir)
    wanted = wanted_sum(file_entry, target)
    if target.is_file():
        found = sha256_of(target)
        if wanted.sha256 is None:
            record_sum(target, found)
        if wanted.sha256 in (None, found):
            return target
        _LOG.warning("%s; fetching it anew", wrong_sum(target, found, wanted))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DownloadError(f"{target.parent}: cannot make this folder: {error.strerror}") from error
    progress = sys.stderr.isatty() if progress is None else progress
    download = _Downloader(progress, timeout, retries, pause)
    mirror = os.environ.get(MIRROR_VARIABLE) if mirror is None else mirror
    failures = _try_mirror(file_entry, target, wanted, str(mirror), download) if mirror else []
    if failures is None:
        return target
    try:
        _install_download(file_entry.url, target, wanted, download)
    except DownloadError as error:
        failures.append(error)
        absent = all(isinstance(failure, UnavailableError) for failure in failures)
        kind = UnavailableError if absent else DownloadError
        raise kind(_summary(file_entry, target, failures)) from error
    return target


def fetch_files(entry, catalogue, raw_dir, mirror=None, progress=None, stand_in=True):
    """Fetch all files of a data set; where they cannot be had, those of its stand-in.

    Parameters
    ----------
    entry : DatasetEntry
    catalogue : dict of str to DatasetEntry
    raw_dir, mirror, progress
        As for `fetch`.
    stand_in : bool
        Whether a stand-in will do.

    Returns
    -------
    entry : DatasetEntry
        The same, or that of its stand-in (`DatasetEntry.standing_in`).
    paths : dict of str to Path
        By role.

    Raises
    ------
    UnavailableError, DownloadError
        As `fetch`; of a file of the data set itself where neither it nor a stand-in can be had.
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
        between = f"{entry.stand_in.smaller} and {entry.stand_in.larger}"
        _LOG.warning("%s cannot be had; a stand-in is drawn between %s", entry.name, between)
        return substitute, paths


def _fetch_all(entry, catalogue, raw_dir, mirror, progress):
    return {role: fetch(file, raw_dir, mirror, progress) for role, file in required_files(entry, catalogue).items()}


def _check_local(file_entry):
    path = file_entry.location(None)
    if not path.is_file() and file_entry.embedded:
        raise DownloadError(f"{path}: the installed package lacks this data file; install fwsvm again")
    if not path.is_file():
        where = "" if path.is_absolute() else f" (looked for in the current folder, {Path.cwd()})"
        raise DownloadError(f"{path}: there is no such file{where}; correct the key 'path' in the catalogue")
    if checksum_state(file_entry) == VERIFIED:
        try:
            found = sha256_of_content(path)
        except DamagedFileError as error:
            raise DownloadError(f"{path}: {error}") from error
        wanted = wanted_sum(file_entry, path)
        if found != wanted.sha256:
            raise DownloadError(wrong_sum(path, found, wanted))
    return path


def _try_mirror(file_entry, target, wanted, mirror, download):
    """None if the mirror had the file, else what was wrong, with a warning unless it is only absent."""
    failures = []
    for suffix in ("", *COMPRESSION_SUFFIXES):
        place = f"{mirror.rstrip('/')}/{file_entry.name}{suffix}"
        try:
            if mirror.startswith(("http://", "https://")):
                _install_download(place, target, wanted, download)
                return None
            path = Path(os.path.expanduser(place))
            if path.is_file():
                _install(path, target, wanted, path)
                return None
        except _AbsentError:
            continue
        except (DownloadError, OSError) as error:
            kind = type(error) if isinstance(error, DownloadError) else DownloadError
            failures.append(kind(f"mirror: {error}"))
            _LOG.warning("the mirror is of no use for %s: %s", file_entry.name, error)
            if isinstance(error, _UnreachableError):
                break
    names = f"{file_entry.name} (nor with {', '.join(COMPRESSION_SUFFIXES)})"
    return failures or [_AbsentError(f"mirror: {mirror} has no {names}")]


def _install_download(url, target, wanted, download):
    with temporary_file(target) as received:
        download(url, received)
        _install(received, target, wanted, url)


def _install(source, target, wanted, origin):
    """Decompress `source`, check it, and only then give it its name."""
    with whole_file(target) as temporary:
        try:
            decompress_to(source, temporary)
        except DamagedFileError as error:
            raise DownloadError(f"{origin}: {error}") from error
        found = sha256_of(temporary)
        if wanted.sha256 is None:
            if is_web_page(temporary):
                raise DownloadError(f"{origin}: this is a web page, not a data file")
            record_sum(target, found)
        elif found != wanted.sha256:
            raise DownloadError(wrong_sum(origin, found, wanted))


class _AbsentError(UnavailableError):
    """The server answers that it has no such file."""


class _UnreachableError(UnavailableError):
    """The server cannot be reached, is too slow, or breaks off."""


class _Downloader:
    """pooch's HTTP download with further tries and errors that name the address."""

    def __init__(self, progress, timeout, retries, pause):
        as_stored = {"Accept-Encoding": "identity"}
        self._http = pooch.HTTPDownloader(progress, chunk_size=1 << 16, timeout=timeout, headers=as_stored)
        self._retries = retries
        self._pause = pause

    def __call__(self, url, path):
        for tries_left in range(self._retries, -1, -1):
            try:
                self._http(url, str(path), None)
                return
            except requests.RequestException as error:
                failure = _failure(url, error)
                if not tries_left or not isinstance(failure, _UnreachableError):
                    raise failure from error
            _LOG.warning("%s; trying again", failure)
            time.sleep(self._pause * 2 ** (self._retries - tries_left))


def _failure(url, error):
    if isinstance(error, requests.HTTPError):
        status = error.response.status_code
        kind = _AbsentError if status in _ABSENT else _UnreachableError if status in _BUSY else UnavailableError
        return kind(f"{url}: the server answers {status} {error.response.reason}")
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        reason = "timed out"
    elif isinstance(error, requests.exceptions.ChunkedEncodingError):
        reason = f"the transfer was cut off ({error})"
    elif isinstance(error, requests.ConnectionError):
        reason = f"cannot connect ({_innermost(error)})"
    else:
        reason = str(error)
    return _UnreachableError(f"{url}: {reason}")


def _innermost(error):
    """The plain reason inside the nested messages of a refused connection."""
    wrapped = error.args[0] if error.args else error
    return str(getattr(wrapped, "reason", None) or wrapped).split(": ", 1)[-1]


def _summary(file_entry, target, failures):
    return "\n".join(
        [
            f"cannot get {file_entry.name}:",
            *(f"  {failure}" for failure in failures),
            f"  Without network, set {MIRROR_VARIABLE} (or mirror) to a folder or base URL that holds"
            f" {file_entry.name}, plain or compressed, or put the decompressed file at {target}.",
        ]
    )
