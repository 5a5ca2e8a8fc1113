"""Files of the Unix program `compress` (.Z), which some old archives still serve: LZW codes of 9 to 16 bits."""

import builtins
import io

FIRST_BYTES = b"\x1f\x9d"
_CLEAR = 256


def open(path, mode="rb", most=None):
    """Open a .Z file for binary reading; the content is decompressed at once, no further than just above `most` bytes.

    Raises
    ------
    EOFError
        The data are damaged. (The format has no length and no checksum: a cut-off file may go unnoticed.)
    """
    with builtins.open(path, mode) as stream:
        return io.BytesIO(decompress(stream.read(), most))


def decompress(content, most=None):
    """The decompressed bytes of a .Z file; as `open`."""
    if len(content) < 3 or not 9 <= content[2] & 0x1F <= 16:
        raise EOFError("no .Z header")
    most_bits, may_clear = max(content[2] & 0x1F, 10), bool(content[2] & 0x80)  # the program never stopped at 9
    first_free = 257 if may_clear else 256
    words = [bytes([code]) for code in range(256)] + [b""] * (first_free - 256)
    out, length, bits, previous = [], 0, 9, b""
    start, in_run = 3, 0  # codes of one width begin at this byte; so many were read
    while True:
        if len(words) >= 1 << bits and bits < most_bits:
            start, in_run, bits = _next_group(start, in_run, bits), 0, bits + 1
        place = in_run * bits
        if 8 * start + place + bits > 8 * len(content):
            return b"".join(out)
        at = start + place // 8
        code = int.from_bytes(content[at : at + 3], "little") >> place % 8 & (1 << bits) - 1
        in_run += 1
        if code == _CLEAR and may_clear:
            del words[first_free:]
            start, in_run, bits, previous = _next_group(start, in_run, bits), 0, 9, b""
            continue
        if code < len(words):
            word = words[code]
        elif code == len(words) and previous:
            word = previous + previous[:1]
        else:
            raise EOFError(f"code {code} at byte {at} stands for nothing")
        out.append(word)
        length += len(word)
        if most is not None and length > most:
            return b"".join(out)
        if previous and len(words) < 1 << most_bits:
            words.append(previous + word[:1])
        previous = word


def _next_group(start, in_run, bits):
    """Codes come in groups of eight; a group that is left early is filled up."""
    return start + -(-in_run // 8) * bits
