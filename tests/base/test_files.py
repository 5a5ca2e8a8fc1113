"""Files on disk: how far a compressed file may grow, and temporary files that a killed process left."""

import bz2
import gzip
import lzma
import subprocess
import sys

import pytest

from fwsvm.base import files
from fwsvm.base.errors import ConfigError, DataError, DownloadError
from fwsvm.base.files import LARGEST_CONTENT, largest_content, open_decompressed, temporary_file, whole_file
from fwsvm.datasets.entries import FileEntry
from fwsvm.datasets.fetch import fetch
from fwsvm.datasets.formats import read_content

ZEROS = bytes(20 * 2**20)
COMPRESS = {".bz2": bz2.compress, ".gz": gzip.compress, ".xz": lzma.compress}


def compress_z(words):
    """A .Z file of zeros, with codes of nine bits: each stands for the word before it and one zero more."""
    codes = [0, *range(257, 256 + words)]
    bits = sum(code << 9 * place for place, code in enumerate(codes))
    return b"\x1f\x9d\x90" + bits.to_bytes(-(-9 * len(codes) // 8), "little")


@pytest.fixture(autouse=True)
def default_limit(monkeypatch):
    monkeypatch.delenv(files.LIMIT_VARIABLE, raising=False)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_content_that_no_data_file_has_is_refused(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(COMPRESS[suffix](ZEROS))
    with pytest.raises(DataError, match=r"bomb\S*: it decompresses to more than 17 MB.* set FWSVM_LARGEST_CONTENT_GB"):
        read_content(path)
    monkeypatch.setenv(files.LIMIT_VARIABLE, "0.03")
    assert read_content(path) == ZEROS


def test_old_unix_format_stops_at_the_limit(tmp_path, monkeypatch):
    (tmp_path / "zeros.Z").write_bytes(compress_z(200))
    assert read_content(tmp_path / "zeros.Z") == bytes(200 * 201 // 2)
    monkeypatch.setenv(files.LIMIT_VARIABLE, "1e-6")
    with pytest.raises(DataError, match="decompresses to more than 0 MB"):
        read_content(tmp_path / "zeros.Z")


def test_bomb_in_a_mirror_leaves_nothing_on_disk(tmp_path):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror/x.bz2").write_bytes(bz2.compress(ZEROS))
    entry = FileEntry(name="x", url="http://127.0.0.1:9/x", sha256="unverified")
    with pytest.raises(DownloadError, match="decompresses to more than 17 MB"):
        fetch(entry, tmp_path / "raw", tmp_path / "mirror", retries=0)
    assert list((tmp_path / "raw").iterdir()) == []


def test_limit_grows_with_the_file_up_to_an_end(monkeypatch):
    assert largest_content(7_600) == 16 * 2**20
    assert largest_content(2_144_903) > 5 * 74_889_749  # the densest file of the catalogue
    assert largest_content(10**12) == LARGEST_CONTENT
    for wrong in ("much", "nan", "-1", "0"):
        monkeypatch.setenv(files.LIMIT_VARIABLE, wrong)
        with pytest.raises(ConfigError, match=f"FWSVM_LARGEST_CONTENT_GB={wrong}: a number of GB is wanted"):
            largest_content(1)


def test_plain_and_compressed_files_are_read_whole_and_in_pieces(tmp_path):
    content = bytes(range(256)) * 5000
    for suffix, compress in {"": bytes, **COMPRESS}.items():
        (tmp_path / f"x{suffix}").write_bytes(compress(content))
        assert read_content(tmp_path / f"x{suffix}") == content
        with open_decompressed(tmp_path / f"x{suffix}") as stream:
            assert b"".join(iter(lambda: stream.read(70_001), b"")) == content


@pytest.fixture(scope="module")
def ended():
    """How temporary files of a process that has ended are named, after the file's own name."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return f"{files._HOST}-{process.pid}-{'0' * 12}.part"


def test_file_of_a_killed_process_is_removed_and_that_of_a_running_one_stays(tmp_path, ended):
    killed, other = tmp_path / f".x.npy.{ended}", tmp_path / f".y.npy.{ended}"
    for path in (killed, other):
        path.write_bytes(b"half")
    with temporary_file(tmp_path / "x.npy") as running:
        assert not killed.exists()
        with whole_file(tmp_path / "x.npy") as temporary:
            temporary.write_bytes(b"whole")
        assert running.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "x.npy"]
    assert (tmp_path / "x.npy").read_bytes() == b"whole"


def test_file_that_another_program_has_put_in_place_stays(tmp_path):
    """A downloader may replace the empty file by its own while another process looks for abandoned ones."""
    with temporary_file(tmp_path / "x") as temporary:
        (tmp_path / "download").write_bytes(b"content")
        (tmp_path / "download").replace(temporary)
        files.remove_abandoned(tmp_path / "x")
        assert temporary.read_bytes() == b"content"


def test_next_fetch_removes_what_a_killed_one_left(tmp_path, ended):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror/x").write_bytes(b"1 1:2\n")
    entry = FileEntry(name="x", url="http://127.0.0.1:9/x", sha256=files.sha256_of(tmp_path / "mirror/x"))
    for _ in range(2):  # fetched, and there already
        (tmp_path / "raw").mkdir(exist_ok=True)
        (tmp_path / "raw" / f".x.{ended}").write_bytes(b"1 1:")
        fetch(entry, tmp_path / "raw", tmp_path / "mirror")
        assert [path.name for path in (tmp_path / "raw").iterdir()] == ["x"]
