"""Define a table: its columns, its rows as texts in sections, and its footnotes."""

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd

from fwsvm_papers.reporting.artefact_data import ArtefactData, Cell, Heading, Section

_LETTERS = (*string.ascii_lowercase, *map("".join, product(string.ascii_lowercase, repeat=2)))


class Footnotes:
    """Collect footnotes, with the marks a, b, c ... in order of first use.

    Equal texts share a mark.
    """

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def mark(self, text: str) -> str:
        return self._marks.setdefault(text, _LETTERS[len(self._marks)])

    def listed(self) -> tuple[tuple[str, str], ...]:
        return tuple((mark, text) for text, mark in self._marks.items())


@dataclass(frozen=True)
class Table:
    """A table: its numbers and all its texts."""

    frame: pd.DataFrame
    """The numbers with full precision, for the csv file."""
    header: tuple[tuple[str, str], ...]
    """For each displayed column, the name of its group (or an empty string) and its own name."""
    sections: tuple[Section, ...]
    footnotes: tuple[tuple[str, str], ...] = ()
    align: str = ""
    """A letter per column: ``l``, ``r`` or ``w`` (text, wrapped in LaTeX). Default: ``lrrr...``."""
    notes: str = ""
    """Sentences about this run that follow the caption from about.yaml."""

    def __post_init__(self) -> None:
        if not self.align:
            object.__setattr__(self, "align", "l" + "r" * (len(self.header) - 1))

    def data(self, **texts: str) -> ArtefactData:
        """Return the texts and the displayed cells of the table. `texts` are further fields of
        `ArtefactData`, such as the title and the caption.
        """
        columns = tuple(
            Heading(name, group, side)
            for (group, name), side in zip(self.header, self.align, strict=True)
        )
        return ArtefactData(
            kind="table",
            columns=columns,
            sections=self.sections,
            footnotes=self.footnotes,
            notes=self.notes,
            **texts,
        )


@dataclass(frozen=True)
class Column:
    """A displayed column.

    Its functions map a row (a dict) to the text of the cell, to its footnotes, and to whether it is
    bold.
    """

    name: str
    text: Callable[[Mapping], str]
    group: str = ""
    notes: Callable[[Mapping], Iterable[str]] = lambda row: ()
    bold: Callable[[Mapping], bool] = lambda row: False
    align: str = "r"

    def cell(self, row: Mapping, footnotes: Footnotes) -> Cell:
        return Cell(
            self.text(row), tuple(map(footnotes.mark, self.notes(row))), bool(self.bold(row))
        )


def ours_beside_printed(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    section: str | None = None,
    heading: Callable = str,
    notes: str = "",
    csv: pd.DataFrame | None = None,
) -> Table:
    """Return a `Table` with one row for each row of the frame.

    `section` is the name of a column of the frame. The rows with the same value in this column form
    a section, and `heading(value)` is its title. Sections are in the order in which their values
    first appear. If `section` is None, all rows form one section without a title. The csv file has
    the numbers of `csv` (default: those of the frame).

    >>> shown = pd.DataFrame({"dataset": ["a1a"], "ours": [1.25], "printed": [1.3]})
    >>> columns = [Column("data set", lambda row: row["dataset"], align="l")]
    >>> for name in ("ours", "printed"):
    ...     columns.append(Column(name, lambda row, name=name: f"{row[name]:g}", "time (s)"))
    >>> [cell.text for cell in ours_beside_printed(shown, columns).sections[0].rows[0]]
    ['a1a', '1.25', '1.3']
    """
    footnotes, sections = Footnotes(), []
    for value, rows in frame.groupby(section, sort=False) if section else [(None, frame)]:
        cells = tuple(
            tuple(column.cell(row, footnotes) for column in columns)
            for row in rows.to_dict("records")
        )
        sections.append(Section(None if section is None else heading(value), cells))
    header = tuple((column.group, column.name) for column in columns)
    align = "".join(column.align for column in columns)
    return Table(
        frame if csv is None else csv, header, tuple(sections), footnotes.listed(), align, notes
    )


def table_of_text(text: str) -> Table:
    """Return a table that shows only a text."""
    rows = ((Cell(text),),)
    return Table(
        pd.DataFrame({"skipped": [text]}), (("", "table"),), (Section(None, rows),), notes=text
    )
