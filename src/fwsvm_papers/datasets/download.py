"""A function that downloads a file within limits on its size and on the time."""

from __future__ import annotations

import contextlib
import functools
import logging
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING

from fwsvm.inputs.errors import DownloadError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import BinaryIO

    from requests import Response

_LOG = logging.getLogger(__name__)
_ABSENT = {404, 410}
_BUSY = {408, 425, 429, 500, 502, 503, 504}


class AbsentError(UnavailableError):
    """The error that is raised if the mirror or the server does not have the file."""


class Limits:
    """The limits of a download, which are the largest size of the file in bytes, and the time in
    seconds for all attempts together.

    The time starts when the `Limits` object is created.
    """

    def __init__(self, size: int, seconds: float) -> None:
        self.size, self.seconds = size, seconds
        self.deadline = time.monotonic() + seconds

    def too_slow(self, url: str) -> DownloadError:
        return DownloadError(f"{url}: the download takes longer than {self.seconds:,} seconds")


class _BoundedFile:
    """The file to which a download is written. Writing raises a DownloadError if the file becomes
    too large, or if the time limit is reached.
    """

    def __init__(self, stream: BinaryIO, url: str, limits: Limits) -> None:
        self.stream, self.url, self.limits, self.flush = stream, url, limits, stream.flush
        self.remaining, self.close = limits.size, lambda: None

    def write(self, content: bytes) -> int:
        self.remaining -= len(content)
        if self.remaining < 0:
            raise DownloadError(f"{self.url}: the file is larger than {self.limits.size:,} bytes")
        if time.monotonic() > self.limits.deadline:
            raise self.limits.too_slow(self.url)
        return self.stream.write(content)

    def receive(self, response: Response, **_: object) -> None:
        """Prepare a response before pooch writes its bytes to the file.

        Raise an HTTPError if the server does not send the whole file. The header Content-Encoding
        is removed, so that pooch does not decompress compressed bytes. The caller of `download`
        decompresses the file, and limits the size of the result.
        """
        from requests import HTTPError

        self.close = response.close
        if response.ok and response.status_code != 200 and not response.is_redirect:
            what = (
                f"the server answers with status {response.status_code} {response.reason}, not with"
                " the whole file"
            )
            raise HTTPError(what, response=response)
        response.raw.headers.pop("Content-Encoding", None)
        if not response.headers.get("Content-Length", "0").isdecimal():
            # pooch would fail on a length that is not a number
            del response.headers["Content-Length"]


def download(
    url: str,
    path: str | Path,
    *,
    limits: Limits,
    progress: bool = False,
    timeout: float = 30.0,
    retries: int = 2,
    pause: float = 1.0,
) -> None:
    """Download a file to `path`. The bytes are stored as the server sends them. If they are
    compressed, they are not decompressed here.

    `timeout` is the maximum wait (seconds) for the next byte. `retries` is the maximum number of
    further attempts after the first one, which are made only after errors that can be temporary.
    `pause` is the wait (seconds) before the second attempt. The wait doubles before each further
    attempt. If the file is unavailable, raise an UnavailableError. If the download exceeds one of
    the `limits`, raise a DownloadError.
    """
    import pooch  # imported here, because most jobs download nothing
    import requests

    options = {
        "chunk_size": 1 << 12,
        "timeout": timeout,
        "headers": {"Accept-Encoding": "identity"},
    }

    def attempt(stream: BinaryIO) -> None:
        with contextlib.closing(_BoundedFile(stream, url, limits)) as file:
            pooch.HTTPDownloader(progress, **options, hooks={"response": file.receive})(
                url, file, None
            )

    for number in range(retries + 1):
        try:
            with open(path, "wb") as stream:
                _run_until(limits.deadline, functools.partial(attempt, stream))
            return
        except TimeoutError as error:
            raise limits.too_slow(url) from error
        except DownloadError:
            raise
        # For an impossible host name, for example, requests raises a ValueError.
        except (requests.RequestException, ValueError) as error:
            status = getattr(getattr(error, "response", None), "status_code", None)
            if status in _ABSENT:
                raise AbsentError(f"{url}: {error}") from error
            reason = getattr(error.args[0] if error.args else None, "reason", error)
            if number == retries or (status is not None and status not in _BUSY):
                raise UnavailableError(f"{url}: {reason}") from error
            _LOG.warning("%s: %s; trying the download again", url, reason)
        time.sleep(max(0.0, min(pause * 2**number, limits.deadline - time.monotonic())))


def _run_until(deadline: float, work: Callable[[], object]) -> None:
    """Run `work` in a thread, and raise a TimeoutError at the deadline.

    The timeout of a socket starts again with each byte. If a server sends only one byte from time
    to time, a download without a deadline could take days. The deadline works because `work` runs
    in its own thread, and this function stops waiting for that thread. After a TimeoutError, the
    thread ends when it next writes to the file, or when the program ends.
    """
    future: Future[object] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    future.result(max(0.0, deadline - time.monotonic()))
