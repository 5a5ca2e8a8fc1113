"""Errors that a user can cause and correct: each message says what is wrong, where, and what would be right."""


class UserError(ValueError):
    """Base of every error that is the input's fault; the command line prints it without a traceback."""


class ConfigError(UserError):
    """A configuration or catalogue entry is wrong (the message names file and key)."""


class DataError(UserError):
    """A data file or array cannot be used (the message names file and line, or the argument)."""


class DownloadError(UserError):
    """A file is unreachable, cut off, or not the one that the catalogue's checksum names."""


class UnavailableError(DownloadError):
    """A file is neither in the mirror nor at its source; nothing wrong was received either."""
