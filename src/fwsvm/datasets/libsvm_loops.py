"""The compiled reader of LIBSVM text: what is plainly right is read, and any other line is left to the strict reader.

A decimal number is read correctly rounded, or not at all: its digits as an integer m, times a power of ten, in twice
the precision of a double; where the error of that could change the last bit, the line is refused.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from fwsvm.base.compiled import compiled

_LARGEST_POWER = 60
_MOST_DIGITS_BELOW = 10**17  # m stays below 1e18: an int64
_POWERS = np.array([float(10**k) for k in range(_LARGEST_POWER + 1)])
_POWERS_REST = np.array([float(10**k - int(float(10**k))) for k in range(_LARGEST_POWER + 1)])
_ERROR = 2.0**-95  # of the product or quotient below, relative: many times its true bound
_REFUSED = (-1, 0.0)
_SPACE, _TAB, _RETURN, _LINE_FEED, _HASH, _COLON = 32, 9, 13, 10, 35, 58
_PLUS, _MINUS, _POINT, _ZERO = 43, 45, 46, 48


@intrinsic
def _fused(typing_context, x, y, z):
    """x y + z, rounded once."""

    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@compiled
def _scaled(m, exponent):
    """(0, m 10^exponent correctly rounded), or a refusal."""
    size = abs(exponent)
    if m == 0:
        return 0, 0.0
    if size > _LARGEST_POWER:
        return _REFUSED
    high = float(m)
    low = float(m - np.int64(high))
    power, rest = _POWERS[size], _POWERS_REST[size]
    if exponent >= 0:
        value = high * power
        beyond = _fused(high, power, -value) + (high * rest + low * power)
    else:
        value = high / power
        beyond = (_fused(-value, power, high) + low - value * rest) / power
    if low == 0.0 and rest == 0.0:  # one operation on two exact numbers
        return 0, value
    error = _ERROR * value
    below, above = value + (beyond - error), value + (beyond + error)
    return (0, below) if below == above else _REFUSED


@compiled
def _digits(text, at, m):
    """(position after digits, m with them appended or -1 if there are too many)."""
    while at < len(text) and text[at] - _ZERO <= 9 and text[at] >= _ZERO:
        m = m * 10 + (text[at] - _ZERO) if 0 <= m < _MOST_DIGITS_BELOW else -1
        at += 1
    return at, m


@compiled
def _number(text, at):
    """(position after the number that begins here, its value); position -1: refused."""
    is_negative = text[at] == _MINUS
    at += is_negative or text[at] == _PLUS
    start = at
    at, m = _digits(text, at, np.int64(0))
    count, exponent = at - start, 0
    if at < len(text) and text[at] == _POINT:
        start = at + 1
        at, m = _digits(text, start, m)
        exponent = start - at
        count -= exponent
    if count == 0 or m < 0:
        return _REFUSED
    if at < len(text) and text[at] | 32 == 101:  # e or E
        at += 1
        if at == len(text):
            return _REFUSED
        sign = -1 if text[at] == _MINUS else 1
        at += text[at] == _MINUS or text[at] == _PLUS
        start = at
        at, written = _digits(text, at, np.int64(0))
        if at == start or written < 0 or written > 1000:
            return _REFUSED
        exponent += sign * written
    refused, value = _scaled(m, exponent)
    return (at, -value if is_negative else value) if refused == 0 else _REFUSED


@compiled
def _next_word(text, at):
    """Position of the next word of the line, or of its end; a comment belongs to the end."""
    while at < len(text) and (text[at] == _SPACE or text[at] == _TAB):
        at += 1
    if at < len(text) and text[at] == _HASH:
        while at < len(text) and text[at] != _LINE_FEED:
            at += 1
    if at + 1 < len(text) and text[at] == _RETURN and text[at + 1] == _LINE_FEED:
        at += 1
    return at


@compiled
def _ends_word(text, at):
    c = text[at] if at < len(text) else _LINE_FEED
    return c in (_SPACE, _TAB, _LINE_FEED, _RETURN, _HASH)


@compiled
def _read_line(text, at, limit, indices, values, stored, label):
    """Read the line that begins with a word at `at`.

    Returns
    -------
    (position after the line, values stored so far, largest index) with position -1 if it is refused; label[0] is set.
    """
    refused = (-1, stored, 0)
    previous = 0
    at, label[0] = _number(text, at)
    while True:
        if at < 0 or not _ends_word(text, at):
            return refused
        at = _next_word(text, at)
        if at >= len(text) or text[at] == _LINE_FEED:
            return at, stored, previous
        at += text[at] == _PLUS
        start = at
        at, index = _digits(text, at, np.int64(0))
        if at == start or at >= len(text) or text[at] != _COLON or index <= previous or index > limit:
            return refused
        at += 1
        while at < len(text) and (text[at] == _SPACE or text[at] == _TAB):
            at += 1
        if at >= len(text):
            return refused
        at, value = _number(text, at)
        if value != 0.0:
            indices[stored] = index - 1
            values[stored] = value
            stored += 1
        previous = index


@compiled
def read_lines(text, at, limit, labels, ends, indices, values, rows, stored, largest):
    """Read lines from position `at` on, up to the end or to a line that is not plainly right.

    Parameters
    ----------
    text : uint8 ndarray
        Whole lines.
    at : int
    limit : int
        Largest index that is allowed.
    labels, ends : float64 and int64 ndarrays of one element per line of the text, or more
        Filled with the label of each point, and the number of values stored up to its end.
    indices, values : int32 and float64 ndarrays of one element per colon of the text, or more
        Filled with the features that are not zero, indices from 0.
    rows, stored, largest : int
        Points and values that are there already, and the largest index so far.

    Returns
    -------
    at, rows, stored, largest : int
        `at` is the length of the text, or the beginning of the line that was refused.
    """
    while at < len(text):
        start = _next_word(text, at)
        if start < len(text) and text[start] != _LINE_FEED:
            end, after, last = _read_line(text, start, limit, indices, values, stored, labels[rows : rows + 1])
            if end < 0:
                return at, rows, stored, largest
            ends[rows] = after
            start, rows, stored, largest = end, rows + 1, after, max(largest, last)
        at = start + 1
    return at, rows, stored, largest
