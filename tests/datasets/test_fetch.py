"""Downloads against a real server: what is right comes whole, what is wrong never gets its name."""

import bz2
import dataclasses
import gzip
import hashlib
import logging
import lzma
import threading

import pytest

from fwsvm.base.errors import DownloadError, UnavailableError
from fwsvm.datasets.entries import FileEntry
from fwsvm.datasets.fetch import fetch

NAME = "libsvm/binary/tiny"
COMPRESSORS = {"": bytes, ".bz2": bz2.compress, ".gz": gzip.compress, ".xz": lzma.compress}


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def fetch_fast(entry, folder, **settings):
    """Without long pauses; the time-out is for servers that do not answer, not for busy machines."""
    return fetch(entry, folder, **{"timeout": 60, "retries": 1, "pause": 0.01} | settings)


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_upstream_file_is_decompressed_and_whole(server, file_entry, content, tmp_path, suffix):
    server.files[f"up/tiny{suffix}"] = COMPRESSORS[suffix](content)
    entry = FileEntry(name=NAME, url=file_entry.url + suffix, sha256=file_entry.sha256)
    path = fetch(entry, tmp_path)
    assert path == tmp_path / NAME
    assert path.read_bytes() == content
    assert files_below(tmp_path) == [NAME]


def test_present_file_is_not_fetched_again(server, file_entry, content, tmp_path):
    server.files["up/tiny"] = content
    fetch(file_entry, tmp_path)
    fetch(file_entry, tmp_path)
    assert server.requests == ["up/tiny"]


def test_present_file_with_wrong_content_is_replaced(server, file_entry, content, tmp_path, caplog):
    server.files["up/tiny"] = content
    (tmp_path / NAME).parent.mkdir(parents=True)
    (tmp_path / NAME).write_bytes(b"something else")
    assert fetch(file_entry, tmp_path).read_bytes() == content
    assert "wrong checksum" in caplog.text
    assert "fetching it anew" in caplog.text


def test_gzip_file_that_the_client_unpacks_on_the_way(server, file_entry, content, tmp_path):
    server.files["up/tiny.gz"] = gzip.compress(content)
    server.misbehaviour["up/tiny.gz"] = "unpacked on the way"
    entry = FileEntry(name=NAME, url=file_entry.url + ".gz", sha256=file_entry.sha256)
    assert fetch(entry, tmp_path).read_bytes() == content


def test_wrong_checksum_names_both_sums_and_address(server, file_entry, tmp_path):
    server.files["up/tiny"] = b"-1 1:1\n"
    with pytest.raises(DownloadError) as error:
        fetch_fast(file_entry, tmp_path)
    for part in (file_entry.sha256, hashlib.sha256(b"-1 1:1\n").hexdigest(), file_entry.url):
        assert part in str(error.value)
    assert files_below(tmp_path) == []
    assert server.requests == ["up/tiny"]


def test_cut_off_transfer_is_tried_again_and_then_an_error(server, file_entry, content, tmp_path):
    server.files["up/tiny"] = content
    server.misbehaviour["up/tiny"] = "cut off"
    with pytest.raises(DownloadError, match=r"up/tiny: the transfer was cut off"):
        fetch_fast(file_entry, tmp_path)
    assert server.requests == ["up/tiny"] * 2
    assert files_below(tmp_path) == []


def test_missing_file_is_not_tried_again(server, file_entry, tmp_path):
    with pytest.raises(DownloadError, match=r"up/tiny: the server answers 404"):
        fetch_fast(file_entry, tmp_path)
    assert server.requests == ["up/tiny"]


def test_a_server_that_refuses_counts_as_unavailable(server, file_entry, content, tmp_path):
    server.files["up/tiny"] = content
    server.misbehaviour["up/tiny"] = "forbidden"
    with pytest.raises(UnavailableError, match=r"up/tiny: the server answers 403"):
        fetch_fast(file_entry, tmp_path)
    assert server.requests == ["up/tiny"]


@pytest.mark.parametrize("manner", ["slow", "busy", "cut off"])
def test_passing_failure_is_mended_by_another_try(server, file_entry, content, tmp_path, manner, caplog):
    server.files["up/tiny"] = content
    server.misbehaviour["up/tiny"] = [manner]
    impatient = {"timeout": 0.3, "retries": 20} if manner == "slow" else {}
    assert fetch_fast(file_entry, tmp_path, **impatient).read_bytes() == content
    assert "trying again" in caplog.text


def test_slow_server_times_out(server, file_entry, content, tmp_path):
    server.files["up/tiny"] = content
    server.misbehaviour["up/tiny"] = "slow"
    with pytest.raises(DownloadError, match=r"up/tiny: timed out"):
        fetch_fast(file_entry, tmp_path, timeout=0.3)
    assert files_below(tmp_path) == []


def test_offline_error_says_how_to_set_a_mirror(file_entry, server, tmp_path):
    server.close()
    with pytest.raises(DownloadError, match=r"cannot connect(.|\n)*set FWSVM_MIRROR .* that holds libsvm/binary/tiny"):
        fetch_fast(file_entry, tmp_path)


@pytest.mark.parametrize("suffix", [".bz2", ".gz", ".xz"])
def test_truncated_compressed_file(server, file_entry, content, tmp_path, suffix):
    server.files[f"up/tiny{suffix}"] = COMPRESSORS[suffix](content)[:-6]
    entry = FileEntry(name=NAME, url=file_entry.url + suffix, sha256=file_entry.sha256)
    with pytest.raises(DownloadError, match=rf"up/tiny\{suffix}: the compressed data are truncated or damaged"):
        fetch_fast(entry, tmp_path)
    assert files_below(tmp_path) == []


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_mirror_folder_comes_first(server, file_entry, content, tmp_path, suffix):
    mirrored = tmp_path / "mirror" / f"{NAME}{suffix}"
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(COMPRESSORS[suffix](content))
    path = fetch(file_entry, tmp_path / "raw", mirror=tmp_path / "mirror")
    assert path.read_bytes() == content
    assert server.requests == []


def test_mirror_from_the_environment(server, file_entry, content, tmp_path, monkeypatch):
    (tmp_path / "mirror/libsvm/binary").mkdir(parents=True)
    (tmp_path / "mirror" / NAME).write_bytes(content)
    monkeypatch.setenv("FWSVM_MIRROR", str(tmp_path / "mirror"))
    fetch(file_entry, tmp_path / "raw")
    assert server.requests == []


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_mirror_base_url_comes_first(server, file_entry, content, tmp_path, suffix):
    server.files[f"mirror/{NAME}{suffix}"] = COMPRESSORS[suffix](content)
    assert fetch(file_entry, tmp_path, mirror=f"{server.url}/mirror/").read_bytes() == content
    assert "up/tiny" not in server.requests


def test_wrong_file_in_the_mirror_falls_back_with_a_warning(server, file_entry, content, tmp_path, caplog):
    server.files["up/tiny"] = content
    (tmp_path / "mirror/libsvm/binary").mkdir(parents=True)
    (tmp_path / "mirror" / NAME).write_bytes(b"-1 1:1\n")
    (tmp_path / "mirror" / f"{NAME}.bz2").write_bytes(b"not bzip2")
    path = fetch(file_entry, tmp_path / "raw", mirror=tmp_path / "mirror")
    assert path.read_bytes() == content
    assert "the mirror is of no use for libsvm/binary/tiny" in caplog.text


def test_absence_from_the_mirror_is_no_warning(server, file_entry, content, tmp_path, caplog):
    server.files["up/tiny"] = content
    caplog.set_level(logging.INFO, logger="fwsvm")
    fetch(file_entry, tmp_path / "raw", mirror=tmp_path)
    assert caplog.records == []


def test_mirror_and_upstream_wrong_tells_both(server, file_entry, tmp_path):
    server.files[f"mirror/{NAME}"] = b"-1 1:1\n"
    with pytest.raises(DownloadError) as error:
        fetch_fast(file_entry, tmp_path, mirror=f"{server.url}/mirror")
    assert f"mirror: {server.url}/mirror/{NAME}: wrong checksum" in str(error.value)
    assert f"{file_entry.url}: the server answers 404" in str(error.value)
    assert files_below(tmp_path) == []


def test_unreachable_mirror_is_not_asked_for_every_suffix(server, file_entry, content, tmp_path, caplog):
    server.files["up/tiny"] = content
    fetch_fast(file_entry, tmp_path, mirror="http://127.0.0.1:9", retries=0)
    assert caplog.text.count("cannot connect") == 1


def test_concurrent_fetches_do_not_clash(server, file_entry, content, tmp_path):
    server.files["up/tiny"] = content
    server.misbehaviour["up/tiny"] = "steady"
    paths = []
    threads = [threading.Thread(target=lambda: paths.append(fetch(file_entry, tmp_path))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paths) == 6
    assert files_below(tmp_path) == [NAME]
    assert (tmp_path / NAME).read_bytes() == content


def test_interruption_leaves_nothing(server, file_entry, tmp_path, monkeypatch):
    server.files["up/tiny"] = b"half"

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("fwsvm.datasets.fetch.decompress_to", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch(file_entry, tmp_path)
    assert files_below(tmp_path) == []


@pytest.mark.parametrize("progress", [True, False, None])
def test_progress_bar_only_when_asked(server, file_entry, content, tmp_path, capfd, progress):
    server.files["up/tiny"] = content
    fetch(file_entry, tmp_path, progress=progress)
    written = capfd.readouterr()
    assert ("100%" in written.err) is (progress is True)
    assert written.out == ""


def unverified(file_entry):
    return dataclasses.replace(file_entry, sha256="unverified")


def test_first_sum_of_an_unverified_file_is_recorded_with_a_warning(server, file_entry, content, tmp_path, caplog):
    server.files["up/tiny"] = content
    path = fetch(unverified(file_entry), tmp_path)
    assert (tmp_path / f"{NAME}.sha256").read_text() == f"{file_entry.sha256}  tiny\n"
    assert files_below(tmp_path) == [NAME, f"{NAME}.sha256"]
    (warning,) = caplog.records
    assert "no verified checksum" in warning.message
    assert file_entry.sha256 in warning.message
    assert fetch(unverified(file_entry), tmp_path) == path
    assert len(caplog.records) == len(server.requests) == 1


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_unverified_file_of_a_mirror_is_recorded_decompressed(server, file_entry, content, tmp_path, suffix):
    mirrored = tmp_path / "mirror" / f"{NAME}{suffix}"
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(COMPRESSORS[suffix](content))
    fetch(unverified(file_entry), tmp_path / "raw", mirror=tmp_path / "mirror")
    assert (tmp_path / "raw" / f"{NAME}.sha256").read_text().startswith(file_entry.sha256)


def test_unverified_file_that_is_there_already_is_recorded(server, file_entry, content, tmp_path, caplog):
    (tmp_path / NAME).parent.mkdir(parents=True)
    (tmp_path / NAME).write_bytes(content)
    fetch(unverified(file_entry), tmp_path)
    assert (tmp_path / f"{NAME}.sha256").is_file()
    assert len(caplog.records) == 1
    assert server.requests == []


def test_later_download_must_have_the_recorded_sum(server, file_entry, content, tmp_path):
    server.files["up/tiny"] = content
    fetch(unverified(file_entry), tmp_path).unlink()
    server.files["up/tiny"] = b"-1 1:1\n"
    with pytest.raises(DownloadError) as error:
        fetch_fast(unverified(file_entry), tmp_path)
    for part in (file_entry.sha256, "tiny.sha256", "the first download had", "delete that to trust the new content"):
        assert part in str(error.value)
    assert files_below(tmp_path) == [f"{NAME}.sha256"]
    (tmp_path / f"{NAME}.sha256").unlink()
    assert fetch(unverified(file_entry), tmp_path).read_bytes() == b"-1 1:1\n"


def test_unverified_file_changed_on_disk_is_fetched_anew(server, file_entry, content, tmp_path, caplog):
    server.files["up/tiny"] = content
    fetch(unverified(file_entry), tmp_path).write_bytes(b"-1 1:1\n")
    assert fetch(unverified(file_entry), tmp_path).read_bytes() == content
    assert "fetching it anew" in caplog.text


@pytest.mark.parametrize("record", [b"", b"abc\n", b"\xff", b"0" * 63])
def test_damaged_record_is_an_error(server, file_entry, content, tmp_path, record):
    server.files["up/tiny"] = content
    (tmp_path / NAME).parent.mkdir(parents=True)
    (tmp_path / f"{NAME}.sha256").write_bytes(record)
    with pytest.raises(DownloadError, match=r"tiny\.sha256: .*delete it to trust the next download"):
        fetch(unverified(file_entry), tmp_path)


def test_failed_download_of_an_unverified_file_records_nothing(server, file_entry, content, tmp_path):
    server.files["up/tiny"] = content
    server.misbehaviour["up/tiny"] = "cut off"
    with pytest.raises(DownloadError):
        fetch_fast(unverified(file_entry), tmp_path)
    assert files_below(tmp_path) == []


def test_web_page_in_place_of_an_unverified_file_is_not_trusted(server, file_entry, tmp_path):
    server.files["up/tiny"] = b"\n<!DOCTYPE HTML><title>Moved</title>"
    with pytest.raises(DownloadError, match="up/tiny: this is a web page, not a data file"):
        fetch_fast(unverified(file_entry), tmp_path)
    assert files_below(tmp_path) == []


def test_file_on_disk_is_used_where_it_is(content, tmp_path, monkeypatch):
    (tmp_path / "mine.svm").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert fetch(FileEntry(path="mine.svm"), "raw").resolve() == tmp_path / "mine.svm"


def test_missing_file_on_disk_says_where_it_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DownloadError, match=rf"mine.svm: there is no such file \(.*current folder, {tmp_path}\)"):
        fetch(FileEntry(path="mine.svm"), "raw")


def test_file_on_disk_with_wrong_checksum(content, file_entry, tmp_path):
    (tmp_path / "mine.svm").write_bytes(content + b"\n")
    with pytest.raises(DownloadError, match="wrong checksum"):
        fetch(FileEntry(path=str(tmp_path / "mine.svm"), sha256=file_entry.sha256), "raw")
