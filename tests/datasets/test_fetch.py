"""Test downloads from a real server on this computer.

A correct file is stored completely. A wrong file never gets its final name.
"""

import bz2
import gzip
import hashlib
import logging
import lzma
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from fwsvm.inputs.errors import ConfigError, DataError, DownloadError, UnavailableError
from fwsvm_papers.datasets.catalogue import load_catalogue
from fwsvm_papers.datasets.entries import FileEntry
from fwsvm_papers.datasets.fetch import fetch, fetch_each, fetch_files

NAME = "libsvm/binary/tiny"
COMPRESSORS = {
    "": bytes,
    ".bz2": bz2.compress,
    ".gz": lambda text: gzip.compress(text, mtime=0),
    ".xz": lzma.compress,
}
PACKERS = list(COMPRESSORS.items())[1:]
OTHER = b"-1 1:1\n"
# The first lines of the file. This is what arrives if a server sends no length, and closes the
# connection too early.
CUT = b"+1 1:0.5 3:1\n-1 2:1\n"


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def fetch_fast(entry, folder, **settings):
    """Fetch without long pauses. The timeout is long, so that a busy machine does not reach it."""
    return fetch(entry, folder, **{"timeout": 60, "retries": 1, "pause": 0.01} | settings)


def at(file_entry, **changes):
    return FileEntry(**file_entry.model_dump() | changes)


@pytest.fixture
def mirror(tmp_path):
    """Return a function that writes a file into a mirror folder. The function returns the
    folder.
    """

    def write(content, suffix=""):
        path = tmp_path / "mirror" / f"{NAME}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return tmp_path / "mirror"

    return write


@pytest.mark.parametrize("suffix", [*COMPRESSORS, "encoded"])
def test_upstream_file_is_decompressed_whole_and_fetched_once(
    server, file_entry, content, tmp_path, suffix
):
    server.files[f"up/tiny{suffix}"] = COMPRESSORS.get(suffix, COMPRESSORS[".gz"])(content)
    server.misbehaviour[f"up/tiny{suffix}"] = suffix
    entry = at(file_entry, url=file_entry.url + suffix)
    for _ in range(2):
        assert fetch(entry, tmp_path).read_bytes() == content
    assert files_below(tmp_path) == [NAME] and server.requests == [f"up/tiny{suffix}"]


@pytest.mark.parametrize("suffix", COMPRESSORS)
@pytest.mark.parametrize("kind", ["folder", "url", "variable"])
def test_mirror_comes_first(
    server, file_entry, content, tmp_path, monkeypatch, mirror, suffix, kind
):
    place = mirror(COMPRESSORS[suffix](content), suffix)
    server.files[f"mirror/{NAME}{suffix}"] = COMPRESSORS[suffix](content)
    if kind == "variable":
        monkeypatch.setenv("FWSVM_MIRROR", str(place))
    given = {"folder": place, "url": f"{server.url}/mirror/", "variable": None}[kind]
    assert fetch(file_entry, tmp_path / "raw", mirror=given).read_bytes() == content
    assert "up/tiny" not in server.requests


def test_present_file_with_wrong_content_is_replaced(server, file_entry, content, tmp_path, caplog):
    server.files["up/tiny"] = content
    fetch(file_entry, tmp_path).write_bytes(OTHER)
    assert fetch(file_entry, tmp_path).read_bytes() == content and "wrong checksum" in caplog.text


@pytest.mark.parametrize(
    ("manner", "suffix", "body", "kind", "message", "requests"),
    [
        (None, "", OTHER, DownloadError, "wrong checksum", 1),
        (None, "", None, UnavailableError, "404", 1),
        ("forbidden", "", OTHER, UnavailableError, "403", 1),
        ("busy", "", OTHER, UnavailableError, "503", 2),
        ("cut off", "", OTHER, UnavailableError, "broken", 2),
        ("slow", "", OTHER, UnavailableError, "timed out", 2),
        ("endless", "", OTHER, DownloadError, "larger than 100,000 bytes", 1),
        ("drip", "", OTHER, DownloadError, "longer than 0.5 seconds", 1),
        ("slow headers", "", OTHER, DownloadError, "longer than 0.5 seconds", 1),
        *[
            (status, "", OTHER, UnavailableError, f"status {status}", 1)
            for status in (203, 206, 226, 300)
        ],
        (None, ".bz2", bz2.compress(OTHER)[:-6], DownloadError, "compressed data", 1),
        ("encoded", "", gzip.compress(bytes(60_000), mtime=0), DownloadError, "exceeds", 1),
        *[
            (None, suffix, each(bytes(60_000)), DownloadError, "exceeds", 1)
            for suffix, each in PACKERS
        ],
    ],
)
def test_failure_names_the_address_and_leaves_nothing(
    server, file_entry, tmp_path, monkeypatch, manner, suffix, body, kind, message, requests
):
    monkeypatch.setattr("fwsvm.inputs.files.ALWAYS_ALLOWED", 1000)
    monkeypatch.setattr("fwsvm_papers.datasets.fetch.LARGEST_FILE", 100_000)
    monkeypatch.setattr(
        "fwsvm_papers.datasets.fetch.LONGEST_DOWNLOAD", 0.5 if message.startswith("longer") else 60
    )
    entry, path = at(file_entry, url=file_entry.url + suffix), f"up/tiny{suffix}"
    if body is not None:
        server.files[path] = body
    server.misbehaviour[path] = manner
    with pytest.raises(DownloadError) as error:
        fetch_fast(entry, tmp_path, timeout=0.5 if manner == "slow" else 60)
    assert type(error.value) is kind
    assert (
        entry.url in str(error.value)
        and message in str(error.value)
        and "FWSVM_MIRROR" in str(error.value)
    )
    if message == "wrong checksum":
        assert file_entry.sha256 in str(error.value) and hashlib.sha256(body).hexdigest() in str(
            error.value
        )
    assert files_below(tmp_path) == [] and server.requests == [path] * requests


def test_all_attempts_share_one_time_limit(server, file_entry, tmp_path, monkeypatch):
    monkeypatch.setattr("fwsvm_papers.datasets.fetch.LONGEST_DOWNLOAD", 0.5)
    server.files["up/tiny"], server.misbehaviour["up/tiny"] = OTHER, "busy"
    with pytest.raises(DownloadError, match=r"longer than 0\.5 seconds"):
        fetch_fast(file_entry, tmp_path, retries=10**6)


def test_impossible_addresses_and_lengths_are_one_error(server, file_entry, content, tmp_path):
    server.files["up/tiny"], server.misbehaviour["up/tiny"] = content, "no length"
    assert fetch_fast(file_entry, tmp_path / "length").read_bytes() == content
    for url in (f"http://{'a' * 70}.example/x", "http://[::1/x", "http://127.0.0.1:99999/x"):
        with pytest.raises(UnavailableError, match="cannot get"):
            fetch_fast(at(file_entry, url=url), tmp_path, retries=0)


@pytest.mark.parametrize("manner", ["slow", "busy", "cut off"])
def test_another_try_helps_after_a_passing_failure(server, file_entry, content, tmp_path, manner):
    server.files["up/tiny"] = content
    server.misbehaviour["up/tiny"] = [manner]
    impatient = {"timeout": 0.3, "retries": 20} if manner == "slow" else {}
    assert fetch_fast(file_entry, tmp_path, **impatient).read_bytes() == content


def test_wrong_file_in_the_mirror_falls_back_with_a_warning(
    server, file_entry, content, tmp_path, caplog, mirror
):
    server.files["up/tiny"] = content
    caplog.set_level(logging.INFO, logger="fwsvm")
    fetch(file_entry, tmp_path / "other", mirror=tmp_path)
    assert caplog.records == []  # a mirror need not have all files, so there is no warning
    assert fetch(file_entry, tmp_path / "raw", mirror=mirror(OTHER)).read_bytes() == content
    assert "could not get libsvm/binary/tiny from the mirror" in caplog.text


@pytest.mark.parametrize(
    "form", ["file://{}", "FILE://{}", "file://localhost{}", "file:{}", "file://{}/"]
)
def test_mirror_as_a_file_address(file_entry, content, tmp_path, monkeypatch, form):
    folder = tmp_path / "my mirror 100%"
    (folder / NAME).parent.mkdir(parents=True)
    (folder / NAME).write_bytes(content)
    monkeypatch.setenv("FWSVM_MIRROR", form.format(quote(str(folder))))
    assert fetch(file_entry, tmp_path / "raw").read_bytes() == content


@pytest.mark.parametrize("mirror", ["file://data/mirror", "ftp://example.org/data", "s3://bucket"])
def test_mirror_of_another_kind_is_named(file_entry, tmp_path, mirror):
    with pytest.raises(ConfigError, match=f"FWSVM_MIRROR .* is '{mirror}': write a folder"):
        fetch(file_entry, tmp_path, mirror=mirror)


def test_concurrent_fetches_do_not_clash(server, file_entry, content, tmp_path):
    server.files["up/tiny"] = content
    server.misbehaviour["up/tiny"] = "steady"
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: fetch(file_entry, tmp_path), range(6)))
    assert files_below(tmp_path) == [NAME]
    assert (tmp_path / NAME).read_bytes() == content


@pytest.fixture
def unverified(file_entry):
    return at(file_entry, sha256="unverified")


def test_first_sum_of_an_unverified_file_is_recorded_and_holds(
    server, unverified, file_entry, content, tmp_path, caplog
):
    server.files["up/tiny"] = content
    path = fetch(unverified, tmp_path)
    assert (tmp_path / f"{NAME}.sha256").read_text() == f"{file_entry.sha256}  tiny\n"
    assert files_below(tmp_path) == [NAME, f"{NAME}.sha256"]
    assert fetch(unverified, tmp_path) == path
    assert len(caplog.records) == len(server.requests) == 1
    path.write_bytes(OTHER)
    assert fetch(unverified, tmp_path).read_bytes() == content
    path.unlink()
    server.files["up/tiny"] = OTHER
    with pytest.raises(DownloadError) as error:
        fetch_fast(unverified, tmp_path)
    for part in (file_entry.sha256, "tiny.sha256", "If you trust the new content, delete "):
        assert part in str(error.value)
    assert files_below(tmp_path) == [f"{NAME}.sha256"]
    (tmp_path / f"{NAME}.sha256").unlink()
    assert fetch(unverified, tmp_path).read_bytes() == OTHER


PAGES = [
    b"",
    b" \n",
    b"\n<!DOCTYPE HTML><title>Moved</title>",
    b"<!-- proxy -->\n<html>log in</html>",
    b'\xef\xbb\xbf<?xml version="1.0"?><Error/>',
    b"Please log in: <HTML><body>",
]


@pytest.mark.parametrize("body", PAGES)
def test_page_instead_of_an_unverified_file_records_nothing(
    server, unverified, content, tmp_path, body
):
    server.files["up/tiny"] = body
    with pytest.raises(DownloadError, match=r"web page|no content"):
        fetch_fast(unverified, tmp_path)
    assert files_below(tmp_path) == []
    (tmp_path / NAME).write_bytes(body)  # an earlier version may have stored this file
    server.files["up/tiny"] = content
    assert fetch_fast(unverified, tmp_path).read_bytes() == content


@pytest.fixture
def unverified_set(server, write_catalogue, file_entry):
    """Return a function that makes a catalogue with one data set. Its training file has no
    checksum, and its test file has one.
    """

    def make(**expected):
        train = {"name": NAME, "url": f"{server.url}/up/tiny", "sha256": "unverified"}
        test = {"name": f"{NAME}.t", "url": f"{server.url}/up/tiny.t", "sha256": file_entry.sha256}
        entry = {
            "source": {"files": {"train": train, "test": test}},
            "split": {"test": "file"},
            "expected": expected,
        }
        return load_catalogue(write_catalogue({"x": entry}))

    return make


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not found\n",
        b'{"error": "quota"}',
        b"-1 1:1\n+1 1:",
        CUT,
        bz2.compress(b"404"),
        *PAGES[2:],
    ],
)
@pytest.mark.parametrize("place", ["upstream", "mirror"])
def test_checksum_is_recorded_only_after_the_files_were_read(
    server, unverified_set, content, tmp_path, mirror, body, place
):
    catalogue, raw = unverified_set(train=4, test=4), tmp_path / "raw"
    server.files["up/tiny.t"] = content
    folder = mirror(body) if place == "mirror" else None
    if place == "upstream":
        server.files["up/tiny"] = body
    with pytest.raises((DataError, DownloadError)) as error:
        fetch_files(catalogue["x"], catalogue, raw, folder)
    assert ".part" not in str(error.value)
    assert set(files_below(raw)) <= {f"{NAME}.t"}
    server.files["up/tiny"] = content
    if folder:
        mirror(content)
    _, paths = fetch_files(catalogue["x"], catalogue, raw, folder)
    assert paths == {"train": raw / NAME, "test": raw / f"{NAME}.t"}
    assert files_below(raw) == [NAME, f"{NAME}.sha256", f"{NAME}.t"]
    assert hashlib.sha256(content).hexdigest() in (raw / f"{NAME}.sha256").read_text()


def test_files_with_a_checksum_stay_if_another_file_fails(
    server, unverified_set, content, tmp_path
):
    catalogue, raw = unverified_set(), tmp_path / "raw"
    server.files |= {"up/tiny": b"not found\n", "up/tiny.t": content}
    with pytest.raises(
        DataError,
        match=r"up/tiny, line 1.*The downloaded file libsvm/binary/tiny was deleted, because",
    ):
        fetch_files(catalogue["x"], catalogue, raw)
    assert files_below(raw) == [f"{NAME}.t"]


@pytest.mark.parametrize("keep_going", [True, False])
def test_a_file_that_was_not_tried_does_not_count_as_fetched(
    server, unverified_set, content, tmp_path, keep_going
):
    catalogue, raw = unverified_set(), tmp_path / "raw"
    server.files["up/tiny.t"] = content  # the training file is not on the server
    paths, errors = fetch_each(catalogue["x"], catalogue, raw, keep_going=keep_going)
    assert list(errors) == ["train"]
    assert paths == ({"test": raw / f"{NAME}.t"} if keep_going else {})
    assert all(path.exists() for path in paths.values())


def test_a_file_that_the_user_put_there_is_read_and_never_removed(
    server, unverified_set, content, tmp_path
):
    catalogue, raw = unverified_set(), tmp_path / "raw"
    server.files["up/tiny.t"] = content
    (raw / NAME).parent.mkdir(parents=True)
    (raw / NAME).write_bytes(b"wrong\n")
    with pytest.raises(DataError, match="tiny, line 1"):
        fetch_files(catalogue["x"], catalogue, raw)
    assert files_below(raw) == [NAME, f"{NAME}.t"]
    (raw / NAME).write_bytes(content)
    fetch_files(catalogue["x"], catalogue, raw)
    assert files_below(raw) == [NAME, f"{NAME}.sha256", f"{NAME}.t"] and server.requests == [
        "up/tiny.t"
    ]


def test_file_on_disk_is_used_where_it_is(content, file_entry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DownloadError, match="there is no such file"):
        fetch(FileEntry(path="mine.svm"), "raw")
    (tmp_path / "mine.svm").write_bytes(content)
    assert fetch(FileEntry(path="mine.svm"), "raw").resolve() == tmp_path / "mine.svm"
    assert fetch(FileEntry(path="mine.svm", sha256=file_entry.sha256), "raw")
    (tmp_path / "mine.svm").write_bytes(content + b"\n")
    with pytest.raises(DownloadError, match="wrong checksum"):
        fetch(FileEntry(path="mine.svm", sha256=file_entry.sha256), "raw")
    with pytest.raises(DownloadError, match="not a regular file"):
        fetch(FileEntry(path=str(tmp_path)), "raw")


@pytest.mark.parametrize("blocking", ["libsvm", "libsvm/binary"])
def test_file_with_the_name_of_a_folder_is_named(server, file_entry, content, tmp_path, blocking):
    server.files["up/tiny"] = content
    (tmp_path / blocking).parent.mkdir(exist_ok=True)
    (tmp_path / blocking).write_text("mine")
    with pytest.raises(
        DownloadError, match=rf"{NAME}: its folder cannot be made, because \S*{blocking} is a file"
    ):
        fetch_fast(file_entry, tmp_path)
    assert (tmp_path / blocking).read_text() == "mine"


def test_folder_with_the_name_of_a_file_is_named(server, file_entry, content, tmp_path):
    server.files["up/tiny"] = content
    (tmp_path / NAME).mkdir(parents=True)
    with pytest.raises(DownloadError, match=rf"{NAME} is a folder"):
        fetch_fast(file_entry, tmp_path)


def test_local_file_with_a_name_that_is_too_long_is_named(tmp_path):
    with pytest.raises(DownloadError, match="there is no such file"):
        fetch(FileEntry(path="x" * 300), tmp_path)
