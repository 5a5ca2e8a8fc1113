"""Which checksum a raw file must have: the catalogue's or, where that is ``unverified``, the one recorded first.

Trust on first use: the sum of the first download is written beside the file, ``<file>.sha256``, in the form that
`sha256sum --check` reads. Whatever is downloaded or used later must have the same.
"""

import logging
import re
from dataclasses import dataclass

from fwsvm.base.errors import DownloadError
from fwsvm.base.files import whole_file
from fwsvm.datasets.entries import UNVERIFIED

VERIFIED, NOT_GIVEN = "verified", "not given"
_LOG = logging.getLogger(__name__)
_RECORD = re.compile(r"([0-9a-f]{64})(?:\s+\*?.*)?\s*")


@dataclass(frozen=True)
class WantedSum:
    """The sum a file must have (None: not known yet), and who says so."""

    sha256: str | None
    said_by: str


def checksum_state(file_entry):
    """``verified``, ``unverified``, or ``not given`` (possible for a file on disk only)."""
    if file_entry.sha256 == UNVERIFIED:
        return UNVERIFIED
    return VERIFIED if file_entry.sha256 else NOT_GIVEN


def record_path(target):
    """Where the sum of a file without one in the catalogue is recorded."""
    return target.with_name(f"{target.name}.sha256")


def wanted_sum(file_entry, target):
    """The sum that a file at `target` must have.

    Raises
    ------
    DownloadError
        The record is not readable.
    """
    if file_entry.sha256 != UNVERIFIED:
        return WantedSum(file_entry.sha256, "the catalogue says")
    record = record_path(target)
    if not record.exists():
        return WantedSum(None, "")
    try:
        match = _RECORD.fullmatch(record.read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError) as error:
        raise DownloadError(f"{record}: cannot be read ({error}); delete it to trust the next download") from error
    if not match:
        raise DownloadError(f"{record}: there is no sha256 in it; delete it to trust the next download")
    said_by = f"the first download had, by {record} (delete that to trust the new content),"
    return WantedSum(match[1], said_by)


def record_sum(target, sha256):
    """Record the sum of a file that is seen for the first time, and warn that nobody checked it."""
    record = record_path(target)
    with whole_file(record) as temporary:
        temporary.write_text(f"{sha256}  {target.name}\n", encoding="ascii")
    _LOG.warning(
        "%s: the catalogue has no verified checksum for this file; trusting what is here and recording its"
        " sha256 %s in %s",
        target,
        sha256,
        record,
    )


def is_web_page(path):
    """Whether a file is HTML, as servers send in place of a file that has moved; never to be trusted."""
    with open(path, "rb") as stream:
        return stream.read(512).lstrip().lower().startswith((b"<!doctype html", b"<html"))


def wrong_sum(origin, found, wanted):
    """The message that a file is another than it should be."""
    return f"{origin}: wrong checksum: sha256 of the content is {found}, {wanted.said_by} {wanted.sha256}"
