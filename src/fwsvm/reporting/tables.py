"""A table in three forms: CSV with full precision for machines, Markdown and LaTeX for readers."""

from __future__ import annotations

import os
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import pandas as pd

from fwsvm.base.result_files import delimited_text, markdown_rows, write_atomically
from fwsvm.reporting.text import NOTHING, latex, markdown

LONGEST_FLOAT = 40
"""Rows that still fit on one page; a longer LaTeX table has a page for each section, or is a ``longtable``."""

_LONGEST_WRAPPED = 26
"""The same where texts are wrapped."""

_SMALL = r"\scriptsize\setlength{\tabcolsep}{3pt}"
_TEXT_WIDTH, _CHARACTER, _COLUMN_GAP, _NARROWEST = 148.0, 1.35, 2.2, 16.0
"""Millimetres: the text of an A4 page with some room, a character, the space between columns, the least wrapped one."""

_SHRUNK = r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\box0}\else\box0\fi"
_LONG_HEADING = 100
"""Characters above which a section's heading is wrapped."""


@dataclass(frozen=True)
class Cell:
    """Plain text, escaped on writing, the marks of the footnotes that belong to it, and whether it is the best."""

    text: str
    marks: tuple[str, ...] = ()
    bold: bool = False


@dataclass(frozen=True)
class Section:
    """Rows under one heading (None: no heading)."""

    heading: str | None
    rows: tuple[tuple[Cell, ...], ...]


class Footnotes:
    """Hands out a, b, c ... as footnotes come up; the same text keeps its mark."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def mark(self, text: str) -> str:
        """Return the mark of the footnote `text`."""
        return self._marks.setdefault(text, _letters(len(self._marks)))

    def listed(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of mark and text, in the order in which they came up."""
        return tuple((mark, text) for text, mark in self._marks.items())


def _letters(index: int) -> str:
    more, last = divmod(index, 26)
    return (_letters(more - 1) if more else "") + string.ascii_lowercase[last]


@dataclass(frozen=True)
class Table:
    """One table, ready to be written.

    What its columns mean stands in about.yaml; `notes` are short facts about this run, such as missing data sets.
    """

    frame: pd.DataFrame
    """The numbers with full precision, for the csv file."""
    header: tuple[tuple[str, str], ...]
    """For each displayed column the name of its group (may be empty) and its own name."""
    sections: tuple[Section, ...]
    footnotes: tuple[tuple[str, str], ...] = ()
    """Pairs of mark and text."""
    align: str = ""
    """For each column ``l``, ``r`` or ``w`` (text, wrapped in LaTeX); by default ``lrrr...``."""
    notes: str = ""
    caption: str = ""
    """Filled in by `fwsvm.pipeline.artefacts`: finding, caption of about.yaml, notes."""

    def __post_init__(self) -> None:
        if not self.align:
            object.__setattr__(self, "align", "l" + "r" * (len(self.header) - 1))
        widths = {len(row) for section in self.sections for row in section.rows} | {len(self.align)}
        if widths - {len(self.header)}:
            raise ValueError(f"table: rows have {widths} cells, the header has {len(self.header)}")

    def without_empty_columns(self) -> Table:
        """Return the table without the columns that have nothing in any section."""
        kept = _filled([row for section in self.sections for row in section.rows])
        sections = (
            Section(part.heading, tuple(tuple(row[k] for k in kept) for row in part.rows)) for part in self.sections
        )
        align = "".join(self.align[k] for k in kept)
        return replace(self, header=tuple(self.header[k] for k in kept), sections=tuple(sections), align=align)

    def to_csv(self) -> str:
        """Return the numbers as comma-separated values; missing ones are empty."""
        return delimited_text(self.frame)

    def to_markdown(self) -> str:
        """Return caption, one table per section under its heading, and footnotes."""
        names = [markdown(f"{group} {name}".strip()) for group, name in self.header]
        parts = [self.caption] if self.caption else []
        for section in self.sections:
            kept = _filled(section.rows)
            rows = [[_markdown_cell(row[k]) for k in kept] for row in section.rows]
            parts += [f"### {section.heading}"] if section.heading else []
            parts.append(markdown_rows([names[k] for k in kept], rows, [self.align[k] for k in kept]))
        parts += [f"<sup>{mark}</sup> {text}" for mark, text in self.footnotes]
        return "\n\n".join(parts) + "\n"

    def to_latex(self, label: str) -> str:
        """Return the table for LaTeX with booktabs (a longtable, if it is long), shrunk where it is too wide."""
        self = self.without_empty_columns()
        rows = sum(len(section.rows) for section in self.sections)
        most = _LONGEST_WRAPPED if "w" in self.align else LONGEST_FLOAT
        long = rows > most and ("w" in self.align or max(len(section.rows) for section in self.sections) > most)
        parts = [(section,) for section in self.sections] if rows > most and not long else [self.sections]
        notes = [rf"\par\noindent\textsuperscript{{{mark}}} {latex(text)}" for mark, text in self.footnotes]
        packages = ["booktabs", "graphicx", *(["array"] if "w" in self.align else []), *(["longtable"] if long else [])]
        lines = [rf"% needs \usepackage{{{','.join(packages)}}}"]
        for number, part in enumerate(parts):
            text = "Continued." if number else self.caption
            caption = rf"\caption{{{latex(text)}}}" + ("" if number else rf"\label{{tab:{label}}}")
            lines += self._longtable(part, caption, notes) if long else self._float(part, caption, notes)
        return "\n".join(lines) + "\n"

    def _float(self, sections: Sequence[Section], caption: str, notes: Sequence[str]) -> list[str]:
        """A table on one page, shrunk to the width of the text where it is wider."""
        tabular = [rf"\begin{{tabular}}{{{self._columns()}}}", *self._latex_head(), *self._latex_body(sections)]
        return [
            r"\begin{table}", rf"\centering{_SMALL}", caption, r"\setbox0=\hbox{%", *tabular, r"\bottomrule",
            r"\end{tabular}}", _SHRUNK, *notes, r"\end{table}",
        ]  # fmt: skip

    def _longtable(self, sections: Sequence[Section], caption: str, notes: Sequence[str]) -> list[str]:
        """A table over several pages."""
        head = self._latex_head()
        begin = [rf"\begingroup{_SMALL}", rf"\begin{{longtable}}{{{self._columns()}}}", rf"{caption} \\", *head]
        body = [r"\endfirsthead", *head, r"\endhead", *self._latex_body(sections), r"\bottomrule"]
        return [*begin, *body, r"\end{longtable}", *notes, r"\endgroup"]

    def _latex_body(self, sections: Sequence[Section]) -> list[str]:
        body = []
        for number, section in enumerate(sections):
            if section.heading:
                heading = rf"\textbf{{{latex(section.heading)}}}"
                column = "l" if len(section.heading) < _LONG_HEADING else r"p{0.95\linewidth}"
                body += [r"\midrule"] if number else []
                body += [rf"\multicolumn{{{len(self.header)}}}{{{column}}}{{{heading}}} \\", r"\midrule"]
            body += [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in section.rows]
        return body

    def _columns(self) -> str:
        """The columns of the tabular; wrapped ones share the width that the others leave."""
        rows = [row for section in self.sections for row in section.rows]
        taken = sum(
            max([len(self.header[place][1]), *(len(row[place].text) for row in rows)])
            for place, side in enumerate(self.align)
            if side != "w"
        )
        free = _TEXT_WIDTH - _CHARACTER * taken - _COLUMN_GAP * len(self.align)
        width = max(free / max(self.align.count("w"), 1), _NARROWEST)
        return self.align.replace("w", rf">{{\raggedright\arraybackslash}}p{{{width:.0f}mm}}")

    def _latex_head(self) -> list[str]:
        lines = [r"\toprule"]
        if any(group for group, _ in self.header):
            cells, rules, column = [], [], 1
            for group, members in groupby(group for group, _ in self.header):
                width = len(list(members))
                cells.append(rf"\multicolumn{{{width}}}{{c}}{{{latex(group)}}}" if group else " & " * (width - 1))
                rules += [rf"\cmidrule(lr){{{column}-{column + width - 1}}}"] if group else []
                column += width
            lines += [" & ".join(cells) + r" \\", " ".join(rules)]
        return [*lines, " & ".join(latex(name) for _, name in self.header) + r" \\", r"\midrule"]

    def write(self, stem: str | os.PathLike) -> list[Path]:
        """Write ``<stem>.csv``, ``.md`` and ``.tex``, each whole or not at all, and return their paths."""
        stem = Path(stem)
        texts = {"csv": self.to_csv(), "md": self.to_markdown(), "tex": self.to_latex(stem.name)}
        paths = [stem.with_name(f"{stem.name}.{ending}") for ending in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            write_atomically(path, text.encode())
        return paths


@dataclass(frozen=True)
class Column:
    """A displayed column: what it writes into the cell of a row, which is a dict."""

    name: str
    text: Callable[[Mapping], str]
    group: str = ""
    notes: Callable[[Mapping], Iterable[str]] = lambda row: ()
    """The footnotes of the cell, as texts; equal texts share a mark."""
    bold: Callable[[Mapping], bool] = lambda row: False
    align: str = "r"


def ours_beside_printed(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    section: str | None = None,
    heading: Callable[[object], str] = str,
    notes: str = "",
    csv: pd.DataFrame | None = None,
) -> Table:
    """Lay out a table: a row per row of the frame, our numbers next to the printed ones.

    Parameters
    ----------
    section : str, optional
        Column whose values divide the rows into sections, in the order of the frame.
    heading : callable
        Value of `section` to the heading of the section.
    notes : str
        Short facts about this run.
    csv : DataFrame, optional
        What the csv file holds, where that is not `frame`.

    Examples
    --------
    >>> shown = pd.DataFrame({"dataset": ["a1a"], "ours": [1.25], "printed": [1.3]})
    >>> columns = [Column("data set", lambda row: row["dataset"], align="l")]
    >>> columns += [Column(name, lambda row, name=name: f"{row[name]:g}", "time (s)") for name in ("ours", "printed")]
    >>> [cell.text for cell in ours_beside_printed(shown, columns).sections[0].rows[0]]
    ['a1a', '1.25', '1.3']
    """
    footnotes, sections = Footnotes(), []
    for value, rows in frame.groupby(section, sort=False) if section else [(None, frame)]:
        cells = tuple(
            tuple(
                Cell(column.text(row), tuple(map(footnotes.mark, column.notes(row))), bool(column.bold(row)))
                for column in columns
            )
            for row in rows.to_dict("records")
        )
        sections.append(Section(None if section is None else heading(value), cells))
    header = tuple((column.group, column.name) for column in columns)
    align = "".join(column.align for column in columns)
    return Table(frame if csv is None else csv, header, tuple(sections), footnotes.listed(), align, notes)


def _filled(rows: Sequence[Sequence[Cell]]) -> list[int]:
    """Places of the columns that have a text in some row; all, if there are no rows."""
    kept = [
        place for place, column in enumerate(zip(*rows, strict=True)) if {cell.text for cell in column} - {"", NOTHING}
    ]
    return kept or list(range(len(rows[0]) if rows else 0))


def _markdown_cell(cell: Cell) -> str:
    marks = f"<sup>{','.join(sorted(cell.marks))}</sup>" if cell.marks else ""
    return (f"**{markdown(cell.text)}**" if cell.bold else markdown(cell.text)) + marks


def _latex_cell(cell: Cell) -> str:
    marks = rf"\textsuperscript{{{','.join(sorted(cell.marks))}}}" if cell.marks else ""
    return (rf"\textbf{{{latex(cell.text)}}}" if cell.bold else latex(cell.text)) + marks
