"""Errors that users can correct.

Each message says what is wrong and where. If possible, it also says what would be right.
"""

from __future__ import annotations

import re
import sys

# A message can quote input of any length. Therefore words with at least 400 characters and lines
# with more than _LONGEST_LINE characters are shortened.
_LONG_WORD = re.compile(r"\S{400,}")
_LONGEST_LINE = 4000


class UserError(ValueError):
    """A user gave wrong input.

    This is the base class of the errors in this module. The command line prints them without a
    traceback.
    """


class ConfigError(UserError):
    """A configuration or catalogue entry is wrong. The message names the file and the key."""


class DataError(UserError):
    """A data file or array cannot be used. The message names the argument, or the file. If one line
    of the file is wrong, the message also names the line.
    """


class DownloadError(UserError):
    """A file is unreachable or truncated, or its checksum differs from the one in the catalogue."""


class UnavailableError(DownloadError):
    """A file is neither in the mirror (a local copy of the downloads) nor at its source.

    If a file with wrong content was received, a plain DownloadError is raised instead.
    """


def printable(text: str) -> str:
    """Return a text with escape sequences for all characters that are not printable, such as those
    that control a terminal.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def for_terminal(message: object) -> str:
    """Return a message with long words and lines shortened, and with control characters as escape
    sequences.
    """
    lines = _LONG_WORD.sub(lambda word: _shortened(word.group(), 200), str(message)).split("\n")
    return "\n".join(printable(_shortened(line, _LONGEST_LINE)) for line in lines)


def shown(value: object) -> str:
    """Return a short description of a wrong argument for a message. The description of an array is
    its type and shape. The description of any other value is its shortened `repr`.
    """
    kind = type(value).__name__
    shape = None if isinstance(value, type) else getattr(value, "shape", None)
    if shape:
        return f"{kind} of shape {shape}"
    try:
        return _shortened(repr(value), 200)
    except ValueError:  # Python does not convert an integer of more than 4,300 digits to a text
        return f"{kind} with too many digits to show"


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    part = most // 2
    return f"{text[:part]}...({len(text) - 2 * part} more)...{text[-part:]}"


def print_all_letters() -> None:
    """Make `print` write an escape sequence for each character that the terminal's encoding does
    not have, instead of raising an error.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # tests and notebooks replace these streams
            stream.reconfigure(errors="backslashreplace")
