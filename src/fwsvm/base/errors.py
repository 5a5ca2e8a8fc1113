"""Define errors that users can cause and correct. Each message says what is wrong, where, and what would be right."""


class UserError(ValueError):
    """Base class of errors in the input; the command line prints them without a traceback."""


class ConfigError(UserError):
    """A configuration or catalogue entry is wrong (the message names file and key)."""


class DataError(UserError):
    """A data file or array cannot be used (the message names file and line, or the argument)."""


class DownloadError(UserError):
    """A file is unreachable or truncated, or its checksum is not that of the catalogue."""


class UnavailableError(DownloadError):
    """A file is neither in the mirror nor at its source; no wrong content was received."""
