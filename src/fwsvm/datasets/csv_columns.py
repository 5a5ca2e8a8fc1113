"""The columns of a text table: which is the label, which are features, and what the categorical ones hold."""

import dataclasses

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.datasets.schema import did_you_mean

WHITESPACE = "whitespace"
AUTO = "auto"
_SEPARATORS = "\t,;|:!#$%&/"


@dataclasses.dataclass(frozen=True)
class Columns:
    """The columns of a file; all numbers are positions from 0.

    Attributes
    ----------
    count : int
    names : tuple of str, or None
        The header.
    label : int
    features : tuple of int
        Columns that are neither label nor dropped, in the order of the file.
    categorical : tuple of int, or None
        Those of the features that become one feature a value; None if it is still to be found out (``auto``).
    categories : dict of int to list
        Their values, numbers first, each in ascending order; filled in when the first file is read.
    """

    count: int
    names: tuple[str, ...] | None
    label: int
    features: tuple[int, ...]
    categorical: tuple[int, ...] | None
    categories: dict[int, list] = dataclasses.field(default_factory=dict)

    @property
    def numeric(self):
        """Features that hold numbers."""
        return tuple(column for column in self.features if column not in self.categorical)

    def title(self, column):
        """A column as messages name it."""
        name = f" {self.names[column]!r}" if self.names else ""
        return f"column {column + 1}{name}"


def check_separator(separator):
    """Raise a ConfigError if this cannot separate columns."""
    if separator != WHITESPACE and separator not in tuple(_SEPARATORS):
        known = ", ".join(map(repr, _SEPARATORS))
        raise ConfigError(f"separator: {separator!r} cannot be used; known: {WHITESPACE!r}, {known}")


def find_columns(first_record, options, where):
    """The columns that the options of a catalogue entry mean, in a file that starts with this record.

    Parameters
    ----------
    first_record : list of str
    options : fwsvm.datasets.entries.CsvOptions
    where : str
        File and line, for messages.

    Returns
    -------
    Columns

    Raises
    ------
    DataError
        A column is not there, or is meant to be two things.
    ConfigError
        A name is used without a header.
    """
    names = tuple(first_record) if options.header else None
    count = len(first_record)
    label = _position(options.label, names, count, f"{where}: label")
    dropped = [_position(column, names, count, f"{where}: drop") for column in options.drop]
    is_auto = options.categorical == AUTO
    categorical = () if is_auto else options.categorical
    categorical = [_position(column, names, count, f"{where}: categorical") for column in categorical]
    for kind, chosen, others in (("drop", dropped, [label]), ("categorical", categorical, [label, *dropped])):
        if twice := set(chosen) & set(others):
            raise DataError(f"{where}: {kind}: column {min(twice) + 1} is the label or dropped already")
    features = tuple(column for column in range(count) if column != label and column not in dropped)
    if not features:
        raise DataError(
            f"{where}: of {count} column{'s' * (count > 1)} none is left for features; is the separator right?"
        )
    return Columns(count, names, label, features, None if is_auto else tuple(sorted(set(categorical))))


def check_columns(columns, first_record, where):
    """Check that a further file has the columns of the first.

    Raises
    ------
    DataError
        Their number or their names differ.
    """
    if len(first_record) != columns.count:
        raise DataError(f"{where}: {len(first_record)} columns; the first file has {columns.count}")
    for position, (name, other) in enumerate(zip(columns.names or (), first_record, strict=False), start=1):
        if name != other:
            raise DataError(f"{where}: column {position} is {other!r}; in the first file it is {name!r}")


def _position(column, names, count, where):
    if isinstance(column, str):
        if names is None:
            raise ConfigError(f"{where}: the name {column!r} needs a header; set header: true, or give a position")
        if names.count(column) != 1:
            what = "is there more than once" if column in names else f"is not there; {did_you_mean(column, names)}"
            raise DataError(f"{where}: the column {column!r} {what}")
        return names.index(column)
    if not 1 <= abs(column) <= count:
        raise DataError(f"{where}: there is no column {column}; columns are 1 to {count}, or -1 (the last) to -{count}")
    return column - 1 if column > 0 else count + column
