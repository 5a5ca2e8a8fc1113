"""Classes for tables with their texts, and for the texts of figures.

`Table` has the numbers and the displayed cells of a table. `ArtefactData` has the texts of a table
or figure, and the displayed cells of a table. Each artefact has a JSON file with these data.
Markdown, LaTeX, the gallery and the pages of the report are made from this file. Numbers with full
precision and pictures are in other files.
"""

from __future__ import annotations

import json
import os
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from pathlib import Path

import pandas as pd

from fwsvm_papers.reporting.text import NOTHING, latex, markdown
from fwsvm_papers.result_files import (
    damaged_result,
    markdown_rows,
    read_whole_json,
    with_checksum,
    write_atomically,
)

_LETTERS = (*string.ascii_lowercase, *map("".join, product(string.ascii_lowercase, repeat=2)))

_ROWS_PER_PAGE = 40
"""Number of rows of a LaTeX table that fit on a page. A longer table is written in parts."""

_TEXTS = ("id", "kind", "title", "finding", "caption", "notes", "protocol", "skipped")
"""The fields of `ArtefactData` that are texts, in the order of the JSON file."""

_WRAPPED = r">{\raggedright\arraybackslash}p{38mm}"
_BOX = r"\begin{adjustbox}{max width=\linewidth,max totalheight=0.85\textheight}"

DARK = "@media (prefers-color-scheme: dark){svg{filter: invert(.92) hue-rotate(180deg)}}"
"""Style of an SVG file on a page with a dark background: white becomes black, and the hue of other
colours stays the same.
"""


@dataclass(frozen=True)
class Heading:
    """The heading of a column: the name of the column, the name of its group (or an empty string),
    and a letter for its alignment.

    The letter is ``l`` (left), ``r`` (right) or ``w`` (text that is wrapped in LaTeX).
    """

    name: str
    group: str
    align: str


@dataclass(frozen=True)
class Cell:
    """An entry of a table: its text (without escapes), the marks of its footnotes, and whether it
    is bold.
    """

    text: str
    marks: tuple[str, ...] = ()
    bold: bool = False


@dataclass(frozen=True)
class Section:
    heading: str | None
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ArtefactData:
    kind: str
    """``table`` or ``figure``."""
    id: str = ""
    title: str = ""
    finding: str = ""
    """One or a few sentences with numbers of the released run. For other runs, this text is empty.
    """
    caption: str = ""
    """The caption from about.yaml."""
    notes: str = ""
    """Sentences about this run. They follow the caption."""
    protocol: str = ""
    """The protocol of a variant. The text is empty for the artefact itself, which shows the first
    protocol, and for an artefact without variants.
    """
    skipped: str = ""
    """A text that says which data the run lacks. The text is empty if the artefact was drawn."""
    columns: tuple[Heading, ...] = ()
    """The displayed columns of a table, or the columns of the csv file of a figure."""
    sections: tuple[Section, ...] = ()
    """The rows of a table. A figure has no sections and no footnotes."""
    footnotes: tuple[tuple[str, str], ...] = ()
    """The footnotes of a table. Each is a pair (mark, text)."""

    @property
    def words(self) -> str:
        """Return finding, caption and notes as one text."""
        return " ".join(filter(None, (self.finding, self.caption, self.notes)))

    @staticmethod
    def filled(*sections: Section) -> list[int]:
        """Return the indices of the columns that have an entry in at least one row of these
        sections. If no column has an entry, return all indices.
        """
        rows = [row for section in sections for row in section.rows]
        columns = [{cell.text for cell in column} for column in zip(*rows, strict=True)]
        kept = [place for place, texts in enumerate(columns) if texts - {"", NOTHING}]
        return kept or list(range(len(columns)))

    def to_json(self) -> str:
        """Return the data as JSON. Empty texts are left out. Sections and footnotes are written
        only for a table.
        """
        content: dict = {name: text for name in _TEXTS if (text := getattr(self, name))}
        if self.columns:
            content["columns"] = [vars(column) for column in self.columns]
        if self.columns and self.kind == "table":
            content["sections"] = [
                {
                    "heading": section.heading,
                    "rows": [list(map(_cell_to_json, row)) for row in section.rows],
                }
                for section in self.sections
            ]
            content["footnotes"] = list(map(list, self.footnotes))
        return json.dumps(with_checksum(content), indent=1, ensure_ascii=False) + "\n"

    def write_json(self, path: str | os.PathLike) -> None:
        write_atomically(path, self.to_json().encode())

    def to_markdown(self, picture: str = "") -> str:
        """Return the artefact in Markdown.

        A table follows its texts, and its footnotes come last. For a figure, the texts follow the
        picture, and `picture` is the name of the picture's file.
        """
        if self.kind == "figure":
            links = f"[Numbers]({self.id}.csv), [protocol](../../docs/protocol.md)"
            return f"![{self.title}]({picture})\n\n{self.words}\n\n{links}\n"
        names = [markdown(f"{column.group} {column.name}".strip()) for column in self.columns]
        parts = [self.words] if self.words else []
        for section in self.sections:
            kept = self.filled(section)
            rows = [
                [_written(row[k], markdown, "**%s**", "<sup>%s</sup>") for k in kept]
                for row in section.rows
            ]
            parts += [f"### {section.heading}"] if section.heading else []
            parts.append(
                markdown_rows([names[k] for k in kept], rows, [self.columns[k].align for k in kept])
            )
        parts += [f"<sup>{mark}</sup> {text}" for mark, text in self.footnotes]
        return "\n\n".join(parts) + "\n"

    def to_latex(self) -> str:
        """Return the table in LaTeX.

        A table that is too wide for a page is made smaller. A table that is too long for a page is
        split into parts.
        """
        parts: list[Sequence[Section]] = [self.sections]
        if sum(len(section.rows) for section in self.sections) > _ROWS_PER_PAGE:
            parts = [
                [replace(section, rows=section.rows[start : start + _ROWS_PER_PAGE])]
                for section in self.sections
                for start in range(0, len(section.rows), _ROWS_PER_PAGE)
            ]
        lines = [r"% needs \usepackage{booktabs,array,adjustbox}"]
        for number, part in enumerate(parts):
            caption = "Continued." if number else self.words
            lines += [r"\begin{table}", r"\centering\scriptsize\setlength{\tabcolsep}{3pt}"]
            lines += [
                rf"\caption{{{latex(caption)}}}" + ("" if number else rf"\label{{tab:{self.id}}}")
            ]
            lines += [_BOX, *self._tabular(part), r"\end{adjustbox}"]
            lines += [
                rf"\par\noindent\textsuperscript{{{mark}}} {latex(text)}"
                for mark, text in self.footnotes
            ]
            lines += [r"\end{table}"]
        return "\n".join(lines) + "\n"

    def _tabular(self, sections: Sequence[Section]) -> list[str]:
        kept = [(k, self.columns[k]) for k in self.filled(*self.sections)]
        align = "".join(column.align for _, column in kept).replace("w", _WRAPPED)
        lines = [rf"\begin{{tabular}}{{{align}}}", r"\toprule"]
        groups = [
            (group, len(list(members)))
            for group, members in groupby(column.group for _, column in kept)
        ]
        if any(group for group, _ in groups):
            cells = [rf"\multicolumn{{{width}}}{{c}}{{{latex(group)}}}" for group, width in groups]
            lines.append(_latex_row(cells))
        lines.append(_latex_row(latex(column.name) for _, column in kept))
        for section in sections:
            lines.append(r"\midrule")
            if section.heading:
                heading = rf"\textbf{{{latex(section.heading)}}}"
                lines += [rf"\multicolumn{{{len(kept)}}}{{l}}{{{heading}}} \\", r"\midrule"]
            patterns = r"\textbf{%s}", r"\textsuperscript{%s}"
            lines += [
                _latex_row(_written(row[k], latex, *patterns) for k, _ in kept)
                for row in section.rows
            ]
        return [*lines, r"\bottomrule", r"\end{tabular}"]


class Footnotes:
    """A collection of footnotes. The marks of the footnotes are a, b, c ... in the order of first
    use.

    Footnotes with the same text share a mark.
    """

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def mark(self, text: str) -> str:
        return self._marks.setdefault(text, _LETTERS[len(self._marks)])

    def listed(self) -> tuple[tuple[str, str], ...]:
        return tuple((mark, text) for text, mark in self._marks.items())


@dataclass(frozen=True)
class Table:
    """A table with its numbers, cells, footnotes and notes. The title and the caption are in
    about.yaml.
    """

    frame: pd.DataFrame
    """The numbers with full precision, for the csv file."""
    header: tuple[tuple[str, str], ...]
    """For each displayed column, the name of its group (or an empty string) and its own name."""
    sections: tuple[Section, ...]
    footnotes: tuple[tuple[str, str], ...] = ()
    align: str = ""
    """A letter per column: ``l``, ``r`` or ``w`` (see `Heading`). By default, the first column has
    ``l``, and the others have ``r``.
    """
    notes: str = ""
    """Sentences about this run. They follow the caption from about.yaml."""

    def __post_init__(self) -> None:
        if not self.align:
            object.__setattr__(self, "align", "l" + "r" * (len(self.header) - 1))

    def data(self, **texts: str) -> ArtefactData:
        """Return an `ArtefactData` with the texts and the displayed cells of the table. `texts` are
        fields of `ArtefactData`, such as the title and the caption.
        """
        columns = tuple(
            Heading(name, group, side)
            for (group, name), side in zip(self.header, self.align, strict=True)
        )
        sections, footnotes = _without_hidden_marks(self.sections, self.footnotes)
        return ArtefactData(
            kind="table",
            columns=columns,
            sections=sections,
            footnotes=footnotes,
            notes=self.notes,
            **texts,
        )


def _without_hidden_marks(
    sections: Sequence[Section], footnotes: Sequence[tuple[str, str]]
) -> tuple[tuple[Section, ...], tuple[tuple[str, str], ...]]:
    """Return sections and footnotes without the marks of cells in columns that are empty in their
    section, because these columns are not displayed.

    Footnotes that had only such marks are left out. The letters of the others are given anew.
    """
    visible = tuple(map(_without_hidden, sections))
    hidden = _marks(sections) - _marks(visible)
    kept = [(mark, text) for mark, text in footnotes if mark not in hidden]
    letters = (mark for mark, _ in kept if mark in _LETTERS)
    new = dict(zip(letters, _LETTERS, strict=False))

    def renamed(cell: Cell) -> Cell:
        return replace(cell, marks=tuple(new.get(mark, mark) for mark in cell.marks))

    return (
        tuple(
            replace(part, rows=tuple(tuple(map(renamed, row)) for row in part.rows))
            for part in visible
        ),
        tuple((new.get(mark, mark), text) for mark, text in kept),
    )


def _without_hidden(section: Section) -> Section:
    kept = ArtefactData.filled(section)
    rows = (
        tuple(cell if k in kept else replace(cell, marks=()) for k, cell in enumerate(row))
        for row in section.rows
    )
    return replace(section, rows=tuple(rows))


def _marks(sections: Iterable[Section]) -> set[str]:
    return {
        mark for section in sections for row in section.rows for cell in row for mark in cell.marks
    }


@dataclass(frozen=True)
class Column:
    """A displayed column.

    A column has three functions. Each gets a row as a dict. The functions return the text of the
    cell, its footnotes, and whether the cell is bold.
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
    first appear in the frame. If `section` is None, all rows form one section without a title. The
    csv file of the table contains the numbers of the frame `csv` (default: `frame`).

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


def read_artefact_data(path: str | os.PathLike) -> ArtefactData:
    """Read the JSON file of an artefact. The name of the file (without ``.json``) must be the id of
    the artefact.
    """
    path = Path(path)
    content = read_whole_json(path)
    try:
        texts = {name: _text(content.get(name, "")) for name in _TEXTS}
        if texts["id"] != path.stem or texts["kind"] not in ("table", "figure"):
            raise ValueError("the id is not the name of the file, or the kind is unknown")
        columns = tuple(
            Heading(*(_text(column[key]) for key in ("name", "group", "align")))
            for column in content.get("columns", ())
        )
        sections = tuple(map(_section_from_json, content.get("sections", ())))
        if any(len(row) != len(columns) for section in sections for row in section.rows):
            raise ValueError("a row has too few or too many cells")
        footnotes = tuple((_text(mark), _text(text)) for mark, text in content.get("footnotes", ()))
        return ArtefactData(columns=columns, sections=sections, footnotes=footnotes, **texts)
    except (KeyError, TypeError, ValueError) as error:
        raise damaged_result(path, f"it does not describe a table or figure: {error!r}") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _section_from_json(content: dict) -> Section:
    heading = content["heading"]
    rows = tuple(tuple(map(_cell_from_json, row)) for row in content["rows"])
    return Section(None if heading is None else _text(heading), rows)


def _cell_to_json(cell: Cell) -> str | dict:
    """Return a cell as a dict. For a cell without marks that is not bold, return only the text of
    the cell.
    """
    if not cell.marks and not cell.bold:
        return cell.text
    return {"text": cell.text, "marks": list(cell.marks), "bold": cell.bold}


def _cell_from_json(content: str | dict) -> Cell:
    if isinstance(content, str):
        return Cell(content)
    return Cell(_text(content["text"]), tuple(map(_text, content["marks"])), bool(content["bold"]))


def _latex_row(cells: Iterable[str]) -> str:
    row = " & ".join(cells) + r" \\"
    # after `\\` or `\midrule`, a star or a bracket would begin an option of this command
    return f"{{}}{row}" if row.lstrip().startswith(("*", "[")) else row


def _written(cell: Cell, escape: Callable[[str], str], bold: str, raised: str) -> str:
    """Return a cell as text.

    `escape` is a function that escapes the text. `bold` is the pattern for bold text, and `raised`
    is the pattern for the marks of footnotes.
    """
    text = bold % escape(cell.text) if cell.bold else escape(cell.text)
    return text + (raised % ",".join(sorted(cell.marks)) if cell.marks else "")
