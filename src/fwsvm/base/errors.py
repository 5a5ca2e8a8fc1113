"""Errors a user can cause and mend. Each message says what is wrong, where, and what would be right."""


class UserError(ValueError):
    """Base of every error that is the input's fault; the command line prints it without a traceback."""


class ConfigError(UserError):
    """A configuration or catalogue entry is wrong (the message names file and key)."""


class DataError(UserError):
    """A data file or array cannot be used (the message names file and line, or the argument)."""


class DownloadError(UserError):
    """A file could not be had: unreachable, cut off, or not the one the catalogue's checksum names."""


class UnavailableError(DownloadError):
    """A file is neither in the mirror nor to be downloaded; nothing wrong was received either."""
