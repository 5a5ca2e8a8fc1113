"""Define errors that users can correct. Each message says what is wrong and where, and what would be right."""


class UserError(ValueError):
    """The input is wrong. This is the base class; the command line prints such errors without a traceback."""


class ConfigError(UserError):
    """A configuration or catalogue entry is wrong (the message names the file and the key)."""


class DataError(UserError):
    """A data file or array cannot be used (the message names the file and the line, or the argument)."""


class DownloadError(UserError):
    """A file is unreachable or truncated, or its checksum differs from the one in the catalogue."""


class UnavailableError(DownloadError):
    """A file is neither in the mirror nor at its source. (If wrong content was received, a DownloadError is raised.)"""


def printable(text):
    """Escape the characters of a text from a file that are not printable, such as those that control a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
