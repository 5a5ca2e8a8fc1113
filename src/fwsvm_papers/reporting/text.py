"""Functions that format numbers and words for tables. They round numbers, and escape text for
Markdown and LaTeX.
"""

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

NOTHING = "–"
"""Text of a table entry if there is no run, or if the paper has no number."""

_COMMANDS = {
    "±": "pm",
    "×": "times",
    "÷": "div",
    "≤": "le",
    "≥": "ge",
    "Σ": "Sigma",
    "β": "beta",
    "σ": "sigma",
    "γ": "gamma",
    "ε": "varepsilon",
    "ν": "nu",
    "∞": "infty",
    "←": "leftarrow",
    "→": "rightarrow",
    "↓": "downarrow",
    "‖": "|",
}
"""Maps characters to the LaTeX commands that produce them in mathematics mode."""

_LATEX = {
    **{character: f"\\{character}" for character in "{}&%$#_"},
    **{character: rf"\ensuremath{{{character}}}" for character in "<>|"},
    **{character: rf"\ensuremath{{\{command}}}" for character, command in _COMMANDS.items()},
    "−": r"\ensuremath{-}",
    "²": r"\ensuremath{^2}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "…": r"\ldots{}",
    "–": "--",
    "\u00a0": "~",
    "“": "``",
    "”": "''",
    "`": "",  # marks code in Markdown
}


def latex(text: str) -> str:
    text = text.replace(">=", "≥").replace("<=", "≤").replace(" ± ", "\u00a0±\u00a0")
    return "".join(_LATEX.get(character, character) for character in text)


def markdown(text: str) -> str:
    for character in ("\\", "|", "*", "<"):
        text = text.replace(character, f"\\{character}")
    # a no-break space prevents a line break between a mean and its deviation
    return text.replace("\n", " ").replace(" ± ", "\u00a0±\u00a0")


def is_missing(value: Any) -> bool:
    return bool(pd.isna(value))


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def fixed(value: float, form: str) -> str:
    return NOTHING if is_missing(value) else f"{value:{form}}"


def significant(value: float, digits: int) -> str:
    """Return a number as text with `digits` significant digits. If `value` is missing, return
    `NOTHING`.

    Only numbers below 1e-6 have an exponent. All digits before the decimal point are kept, even if
    they are more than `digits`.
    """
    if is_missing(value):
        return NOTHING
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if abs(value) < 1e-6:
        return small_exponents(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    written = f"{value:.{decimals}f}"
    if decimals and len(written.lstrip("-0.").replace(".", "")) > digits:
        written = f"{value:.{decimals - 1}f}"
    return written


def interval_in_words(low: float, high: float) -> str:
    """Return the interval of a speed-up as text, such as ``5.2 to 35``. If the interval is 0 to
    infinity, nothing is known, so return `NOTHING`.
    """
    if low == 0.0 and math.isinf(high):
        return NOTHING
    return " to ".join("∞" if math.isinf(end) else significant(end, 2) for end in (low, high))


def small_exponents(text: str) -> str:
    """Return a text in which exponents of numbers have no leading zero: 1e-7 instead of 1e-07."""
    return re.sub(r"(?<=\d)e([-+])0+(?=\d)", r"e\1", text)


def copied(value: float, digits: int = 1) -> str:
    """Return a number of a paper as text with all its digits. Zeros are added to a number with
    fewer than `digits` significant digits.

    If the number is missing, return `NOTHING`.
    """
    if is_missing(value):
        return NOTHING
    shortest = np.format_float_positional(value, trim="-")
    padded = significant(value, digits)
    return padded if float(padded) == value and len(padded) > len(shortest) else shortest


def with_std(
    mean: str, std: float, n: int | None = None, write: Callable = significant, digits: int = 2
) -> str:
    if mean == NOTHING or is_missing(std) or n == 1:
        return mean
    return f"{mean} ± {write(std, digits)}"


def accuracy(mean: float, std: float, n: int | None = None) -> str:
    return with_std(NOTHING if is_missing(mean) else f"{mean:.2f}", std, n)


def seconds(mean: float, std: float, n: int | None = None) -> str:
    return with_std(significant(mean, 3), std, n)


def printed_accuracy(mean: float, std: float) -> str:
    return with_std(accuracy(mean, math.nan), std, write=copied, digits=3)


def printed_seconds(mean: float, std: float, digits: int = 1) -> str:
    """Return a mean time of a paper as text with all its digits. Zeros are added to a time with
    fewer than `digits` significant digits. If the deviation `std` is known, it follows the time.
    """
    return with_std(copied(mean, digits), std, write=copied, digits=3)


def p_value(value: float) -> str:
    if is_missing(value):
        return NOTHING
    return f"{value:.4g}" if value >= 1e-3 or value == 0 else f"{value:.3e}"


def whole(value: Any) -> str:
    """Return a number, such as a mean of counts, as text without decimals."""
    return NOTHING if is_missing(value) else f"{value:.0f}"


def joined(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def capitalised(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def listing(names: Iterable[Any], last: str = "and") -> str:
    """Join names for a sentence, such as ``a, b and c``, where `last` is the word before the last
    name. If there are no names, return ``none``.
    """
    names = [str(name) for name in names]
    return (
        names[0]
        if len(names) == 1
        else f"{', '.join(names[:-1])} {last} {names[-1]}"
        if names
        else "none"
    )
