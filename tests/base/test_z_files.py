"""Files of the Unix program `compress` against an encoder written from its description, and damaged ones."""

import random

import pytest

from fwsvm.base.files import DamagedFileError, open_decompressed


def compress(data, most_bits=16, may_clear=True, clear_every=None):
    """What the Unix program `compress` writes."""
    first_free = 257 if may_clear else 256
    start = {bytes([code]): code for code in range(256)}
    out, group, bits, table = bytearray([0x1F, 0x9D, most_bits | 0x80 * may_clear]), [], 9, dict(start)

    def flush():
        packed = sum(code << place * bits for place, code in enumerate(group))
        out.extend(packed.to_bytes(bits, "little") if group else b"")
        group.clear()

    def emit(code):
        group.append(code)
        if len(group) == 8:
            flush()

    word = b""
    for place, byte in enumerate(data):
        if word + bytes([byte]) in table:
            word += bytes([byte])
            continue
        emit(table[word])
        entries = len(table) + first_free - 256
        if entries < 1 << most_bits:
            table[word + bytes([byte])] = entries
            entries += 1
        word = bytes([byte])
        if entries > 1 << bits and bits < most_bits:
            flush()
            bits += 1
        elif may_clear and clear_every and place % clear_every == 0 and entries > 300:
            emit(table[word])
            emit(256)
            flush()
            bits, table, word = 9, dict(start), b""
    if word:
        emit(table[word])
    unused = 8 - len(group) if group else 0
    flush()
    return bytes(out[: len(out) - unused * bits // 8] if unused else out)


CASES = [
    (size, letters, most_bits) for size in (0, 1, 3000, 60_000) for letters in (1, 3, 256) for most_bits in (10, 16)
]


@pytest.mark.parametrize(("size", "letters", "most_bits"), CASES)
def test_round_trip(tmp_path, size, letters, most_bits):
    rng = random.Random(size + letters)
    data = bytes(rng.randrange(letters) for _ in range(size))
    for may_clear, clear_every in ((True, None), (True, 500), (False, None)):
        (tmp_path / "points").write_bytes(compress(data, most_bits, may_clear, clear_every))
        assert read_decompressed(tmp_path / "points") == data


def test_file_is_recognised_by_its_first_bytes(tmp_path):
    (tmp_path / "points").write_bytes(compress(b"1 2 3\n" * 100))
    assert read_decompressed(tmp_path / "points") == b"1 2 3\n" * 100
    (tmp_path / "points.Z").write_bytes(b"1 2 3\n")
    with pytest.raises(DamagedFileError, match="the content is not compressed so"):
        read_decompressed(tmp_path / "points.Z")
    for content in (b"\x1f\x9d", compress(b"1 2 3\n")[:3] + b"\xff" * 9):
        (tmp_path / "points").write_bytes(content)
        with pytest.raises(DamagedFileError, match="truncated or damaged: "):
            read_decompressed(tmp_path / "points")


def read_decompressed(path):
    with open_decompressed(path) as stream:
        return stream.read()


def test_gzip_is_missing(tmp_path, monkeypatch):
    (tmp_path / "points.Z").write_bytes(compress(b"1 2 3\n"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DamagedFileError, match="decompressed by the program gzip, which is not installed here"):
        read_decompressed(tmp_path / "points.Z")


def test_only_the_beginning_is_wanted(tmp_path):
    (tmp_path / "points.Z").write_bytes(compress(bytes(range(256)) * 1000))
    with open_decompressed(tmp_path / "points.Z") as stream:
        assert stream.read(3) == b"\0\1\2"
