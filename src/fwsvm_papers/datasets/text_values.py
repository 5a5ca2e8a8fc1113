"""Functions that decide whether a value in a text table is a number, a word, or a mark of a missing
value.
"""

from __future__ import annotations

import logging
import math
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FIRST_ROUNDED = 2**53  # float64 can store all integers below this number without rounding
_LOG = logging.getLogger(__name__)
# A number in another notation, such as 4,5 or 1'000 or 4.5% or $7 or 01.02.2020.
_NOTATION = re.compile(r"[+\-\u2212]?[\s$€£¥]*\d[\d\s.,'\u2019_]*[%$€£¥]?")
_DECIMAL_ZEROS = re.compile(r"\.0*$")
_CATEGORY = "if the values are categories, name the column under 'categorical'"
_MISSING_ELSEWHERE = {
    "?",
    "na",
    "n/a",
    "n.a.",
    "null",
    "none",
    "missing",
    "-",
    "--",
    ".",
    "*",
    "#n/a",
    "-nan",
    "1.#ind",
    "\\n",
}


def is_word(text: str) -> bool:
    """Test whether a text is neither a number (in any notation) nor a usual mark of a missing
    value. For an empty text and for "nan", the result is True, so the caller must omit them.
    """
    return math.isnan(number_of(text)) and not (_NOTATION.fullmatch(text) or marks_missing(text))


def marks_missing(text: str) -> bool:
    """Test whether a text is a usual mark of a missing value, such as "?" or "na".

    In a given file, the text can have another meaning, which only the author of the catalogue entry
    knows.
    """
    return text.lower() in _MISSING_ELSEWHERE


def remedy(text: str) -> str:
    """Return a sentence that says how to change the entry or the file if `text` is in a column of
    numbers.
    """
    if marks_missing(text):
        return "if the value is missing, fill it in, or drop the column"
    if _NOTATION.fullmatch(text):
        return (
            "write it like 1234.5, without a decimal comma, thousands separators, % or currency"
            f" ({_CATEGORY})"
        )
    if not math.isnan(number_of(text)):
        return "only finite numbers can be used"
    return f"correct it ({_CATEGORY})"


def number_of(text: str) -> float:
    """Return the number that a text represents, or NaN if it does not represent a number.

    The function `float` alone is not enough, because it also accepts 1_000 and the digits of any
    writing system.
    """
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


def is_finite(text: str) -> bool:
    return math.isfinite(number_of(text))


def finite_numbers(cells: Sequence[str]) -> np.ndarray | None:
    """Return the numbers in `cells` as a float64 array, or return None if a cell is not a finite
    number.
    """
    joined = "".join(cells)
    try:
        if joined.isascii() and "_" not in joined:
            values = np.array(cells, dtype=np.float64)
        else:
            values = np.array([number_of(cell.strip()) for cell in cells])
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def equal_numbers(texts: Iterable[str]) -> tuple[str, str] | None:
    """Return two different texts that are the same number, such as 2.1 and 2.10. If there are no
    such texts, return None.
    """
    found: dict[float, str] = {}
    for text in sorted(texts):
        if is_finite(text) and found.setdefault(number_of(text), text) != text:
            return found[number_of(text)], text
    return None


def plain_spelling(text: str) -> str:
    """Return a spelling of a finite number without a leading +. If all decimals are 0, they are
    left out, too. If `text` is not a finite number, return it unchanged.

    This function is needed because the same label can be 6 in one file and 6.0000 in another file.
    """
    return _DECIMAL_ZEROS.sub("", text.removeprefix("+")) if is_finite(text) else text


def as_numbers(*parts: np.ndarray, where: str = "") -> list[np.ndarray]:
    """Return the labels of all parts. If all labels are finite numbers, they are converted from
    text to float64.

    The labels stay texts if two different labels would become equal, such as 2.1 and 2.10, or if a
    label is at least 2^53 in absolute value. There is one exception: if two spellings in different
    files differ only in a leading + or in decimals that are all 0, such as 6 and 6.0, they are the
    same label.
    """
    if any(part.dtype.kind != "U" for part in parts):
        return list(parts)
    of_parts = [set(np.unique(part).tolist()) for part in parts]
    texts = set().union(*of_parts)
    if not all(map(is_finite, texts)):
        return list(parts)
    pairs = filter(None, map(equal_numbers, [*of_parts, set(map(plain_spelling, texts))]))
    large = (text for text in sorted(texts) if abs(number_of(text)) >= _FIRST_ROUNDED)
    if pair := next(pairs, None):
        _LOG.warning(
            "%sall labels are used as text, because the different labels %r and %r would be the"
            " same number",
            where,
            *pair,
        )
    elif text := next(large, None):
        _LOG.warning(
            "%sall labels are used as text, because numbers like %s can be rounded", where, text
        )
    else:
        return [part.astype(np.float64) + 0.0 for part in parts]  # the sum turns -0.0 into 0.0
    return list(parts)
