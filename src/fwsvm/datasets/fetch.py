"""Fetch raw files from a mirror or from upstream, check and decompress them, and never leave a partial file."""

import contextlib
import logging
import os
import shutil
import sys
import time
from pathlib import Path

import pooch
import requests

from fwsvm.base import files
from fwsvm.base.errors import DownloadError, UnavailableError
from fwsvm.datasets.entries import VERIFIED, required_files

MIRROR_VARIABLE = "FWSVM_MIRROR"
LARGEST_FILE = 4 * 2**30  # size limit of a download in bytes
LONGEST_DOWNLOAD = 2 * 3600  # time limit of a download in seconds
_LOG = logging.getLogger(__name__)
_ABSENT = {404, 410}
_BUSY = {408, 425, 429, 500, 502, 503, 504}


class _AbsentError(UnavailableError):
    """The mirror or the server does not have the file."""


def fetch(file_entry, raw_dir, mirror=None, progress=None, timeout=30.0, retries=2, pause=1.0):
    """Fetch a file into the raw folder unless it is there with the right checksum. Return its path."""
    target = file_entry.location(raw_dir)
    if not file_entry.is_remote:
        if not target.is_file():
            reason = "not a regular file" if target.exists() else "there is no such file"
            raise DownloadError(f"{target}: {reason} (current folder: {Path.cwd()})")
        if file_entry.checksum == VERIFIED:
            _check_sum(target, file_entry, target, target)
        return target
    if target.is_file():
        try:
            _check_sum(target, file_entry, target, target)
            return target
        except DownloadError as error:
            _LOG.warning("%s; the file is fetched again", error)
    target.parent.mkdir(parents=True, exist_ok=True)
    progress = sys.stderr.isatty() if progress is None else progress
    mirror = os.environ.get(MIRROR_VARIABLE) if mirror is None else str(mirror)
    failures = []
    for places in _sources(file_entry, mirror):
        for place in places:
            try:
                _install(place, file_entry, target, progress, timeout, retries, pause)
                return target
            except _AbsentError as error:
                failure = error
            except DownloadError as error:
                failure = error
                if place != file_entry.url:
                    _LOG.warning("could not get %s from the mirror: %s", file_entry.name, error)
                break
        failures.append(failure)
    kind = UnavailableError if all(isinstance(failure, UnavailableError) for failure in failures) else DownloadError
    reasons = "\n".join(f"  {failure}" for failure in failures)
    advice = (
        f"Without a network connection, set {MIRROR_VARIABLE} (or the option mirror) to a folder or base URL that holds"
        f" {file_entry.name}, plain or compressed, or put the decompressed file at {target}."
    )
    raise kind(f"cannot get {file_entry.name}:\n{reasons}\n  {advice}") from failures[-1]


def _sources(file_entry, mirror):
    """Yield lists of addresses to try in turn: first those in the mirror, if there is one, then the upstream one."""
    if mirror:
        base = mirror.rstrip("/") if _is_url(mirror) else os.path.expanduser(mirror)
        yield [f"{base}/{file_entry.name}{suffix}" for suffix in ("", *files.COMPRESSION_SUFFIXES)]
    yield [file_entry.url]


def _is_url(place):
    return place.startswith(("http://", "https://"))


def _install(place, file_entry, target, *options):
    """Download or copy a file, decompress it, check it, and then rename it to `target`."""
    with files.temporary_file(target) as received, files.whole_file(target) as content:
        try:
            if _is_url(place):
                _download(place, received, *options)
            elif not Path(place).is_file():
                raise _AbsentError(f"{place}: there is no such file, with or without a compression suffix")
            with files.open_decompressed(received if _is_url(place) else place) as stream, open(content, "wb") as out:
                shutil.copyfileobj(stream, out, files.CHUNK)
        except OSError as error:
            raise DownloadError(f"{place}: {error}") from error
        _check_sum(content, file_entry, target, place)


def _check_sum(path, file_entry, target, origin):
    """Check a file's sha256 against the catalogue or the first download. After a first download, record the sha256."""
    try:
        found = files.sha256_of(path) if file_entry.is_remote else files.sha256_of_content(path)
    except OSError as error:
        raise DownloadError(f"{path}: {error}") from error
    expected, said_by = file_entry.sha256, "the catalogue"
    record = target.with_name(f"{target.name}.sha256")
    if file_entry.checksum != VERIFIED:
        said_by = f"the first download, recorded in {record} (delete this file to trust the new content),"
        expected = record.read_text(encoding="ascii", errors="replace")[:64] if record.exists() else None
    if expected is None:
        with open(path, "rb") as stream:
            if stream.read(512).lstrip().lower().startswith((b"<!doctype html", b"<html")):
                raise DownloadError(f"{origin} is a web page, not a data file")
        with files.whole_file(record) as temporary:
            temporary.write_text(f"{found}  {target.name}\n", encoding="ascii")
        _LOG.warning("%s has no verified checksum in the catalogue; its sha256 is recorded in %s", origin, record)
    elif found != expected:
        raise DownloadError(f"{origin}: wrong checksum: the content has {found}, but {said_by} has {expected}")


class _BoundedFile:
    """Wrap a file, and raise an error after LARGEST_FILE bytes or LONGEST_DOWNLOAD seconds."""

    def __init__(self, stream, url):
        self.stream, self.url, self.flush, self.close = stream, url, stream.flush, lambda: None
        self.remaining, self.deadline = LARGEST_FILE, time.monotonic() + LONGEST_DOWNLOAD

    def write(self, content):
        self.remaining -= len(content)
        if self.remaining < 0:
            raise DownloadError(f"{self.url}: the file is larger than {LARGEST_FILE:,} bytes")
        if time.monotonic() > self.deadline:
            raise DownloadError(f"{self.url}: the download takes longer than {LONGEST_DOWNLOAD:,} seconds")
        return self.stream.write(content)

    def receive(self, response, **_):
        """Keep the bytes compressed. `_install` unpacks them later, and `open_decompressed` limits the size."""
        self.close = response.close
        response.raw.headers.pop("Content-Encoding", None)


def _download(url, path, progress, timeout, retries, pause):
    options = {"chunk_size": 1 << 12, "timeout": timeout, "headers": {"Accept-Encoding": "identity"}}
    for number in range(retries + 1):
        try:
            with open(path, "wb") as stream, contextlib.closing(_BoundedFile(stream, url)) as file:
                pooch.HTTPDownloader(progress, **options, hooks={"response": file.receive})(url, file, None)
            return
        except requests.RequestException as error:
            status = None if error.response is None else error.response.status_code
            if status in _ABSENT:
                raise _AbsentError(f"{url}: {error}") from error
            reason = getattr(error.args[0] if error.args else None, "reason", error)
            if number == retries or (status is not None and status not in _BUSY):
                raise UnavailableError(f"{url}: {reason}") from error
            _LOG.warning("%s: %s; trying the download again", url, reason)
        time.sleep(pause * 2**number)


def fetch_files(entry, catalogue, raw_dir, mirror=None, progress=None, stand_in=True):
    """Fetch a data set's files. If they are unavailable and `stand_in` is true, fetch the files of its stand-in."""
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
        _LOG.warning("%s is unavailable; a stand-in is built from %s", entry.name, neighbours)
        return substitute, paths


def _fetch_all(entry, catalogue, raw_dir, mirror, progress):
    return {role: fetch(file, raw_dir, mirror, progress) for role, file in required_files(entry, catalogue).items()}
