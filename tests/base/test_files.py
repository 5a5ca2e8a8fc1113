"""Files on disk: how far a compressed file may grow, damage, and writing that is whole or absent."""

import bz2
import gzip
import lzma

import pytest

from fwsvm.base.files import DamagedFileError, open_decompressed, sha256_of_content, temporary_file, whole_file

COMPRESS = {"": bytes, ".bz2": bz2.compress, ".gz": gzip.compress, ".xz": lzma.compress}


def read(path):
    with open_decompressed(path) as stream:
        return stream.read()


def z_of_zeros(words):
    """A .Z file of zeros, with codes of nine bits: each stands for the word before it and one zero more."""
    codes = [0, *range(257, 256 + words)]
    bits = sum(code << 9 * place for place, code in enumerate(codes))
    return b"\x1f\x9d\x90" + bits.to_bytes(-(-9 * len(codes) // 8), "little")


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("name", ["x", "points{}"])
def test_files_are_recognised_by_their_first_bytes(tmp_path, suffix, name):
    content, path = bytes(range(256)) * 5000, tmp_path / name.format(suffix)
    path.write_bytes(COMPRESS[suffix](content))
    assert read(path) == content


@pytest.mark.parametrize("words", [1, 2, 200])
def test_files_of_the_program_compress(tmp_path, words):
    (tmp_path / "x").write_bytes(z_of_zeros(words))
    assert read(tmp_path / "x") == bytes(words * (words + 1) // 2)


@pytest.mark.parametrize("suffix", [".bz2", ".gz", ".xz", ".Z"])
@pytest.mark.parametrize(
    "damage", [lambda whole: whole[: len(whole) // 2], lambda whole: whole[:6], lambda whole: b"1 2"]
)
def test_damaged_files_are_refused(tmp_path, suffix, damage):
    whole = z_of_zeros(200)[:3] + b"\xff" * 40 if suffix == ".Z" else COMPRESS[suffix](bytes(range(256)) * 99)
    (tmp_path / f"x{suffix}").write_bytes(damage(whole))
    with pytest.raises(DamagedFileError):
        read(tmp_path / f"x{suffix}")


@pytest.mark.parametrize("suffix", [".bz2", ".gz", ".xz"])
def test_content_that_no_data_file_has_is_refused(tmp_path, suffix):
    (tmp_path / f"bomb{suffix}").write_bytes(COMPRESS[suffix](bytes(20 * 2**20)))
    with pytest.raises(DamagedFileError, match="17 MB"):
        sha256_of_content(tmp_path / f"bomb{suffix}")


def test_files_are_whole_or_absent(tmp_path):
    path = tmp_path / "x.npy"
    with whole_file(path) as temporary:
        temporary.write_bytes(b"whole")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as temporary:
        temporary.write_bytes(b"ha")
        raise KeyboardInterrupt
    with temporary_file(path) as one, temporary_file(path) as other:
        assert one != other and one.parent == tmp_path
    assert list(tmp_path.iterdir()) == [path] and path.read_bytes() == b"whole"
