"""Write a table in three forms: CSV with full precision for programs, Markdown and LaTeX for
readers.
"""

import os
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from pathlib import Path

import pandas as pd

from fwsvm_papers.reporting.text import NOTHING, latex, markdown
from fwsvm_papers.result_files import delimited_text, markdown_rows, write_atomically

_MOST_ROWS = 40
"""Number of rows of a LaTeX table that fit on a page; longer tables are written in parts."""

_WRAPPED = r">{\raggedright\arraybackslash}p{38mm}"
_BOX = r"\begin{adjustbox}{max width=\linewidth,max totalheight=0.85\textheight}"
_MARKS = (*string.ascii_lowercase, *map("".join, product(string.ascii_lowercase, repeat=2)))


@dataclass(frozen=True)
class Cell:
    """Hold a table entry: plain text (escaped when written), the marks of its footnotes, and
    whether it is bold.
    """

    text: str
    marks: tuple[str, ...] = ()
    bold: bool = False


@dataclass(frozen=True)
class Section:
    heading: str | None
    rows: tuple[tuple[Cell, ...], ...]


class Footnotes:
    """Collect footnotes, with the marks a, b, c ... in order of first use.

    Equal texts share a mark.
    """

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def mark(self, text: str) -> str:
        return self._marks.setdefault(text, _MARKS[len(self._marks)])

    def listed(self) -> tuple[tuple[str, str], ...]:
        return tuple((mark, text) for text, mark in self._marks.items())


@dataclass(frozen=True)
class Table:
    """Hold the numbers of a table and all its texts."""

    frame: pd.DataFrame
    """The numbers with full precision, for the csv file."""
    header: tuple[tuple[str, str], ...]
    """For each displayed column, the name of its group (or an empty string) and its own name."""
    sections: tuple[Section, ...]
    footnotes: tuple[tuple[str, str], ...] = ()
    align: str = ""
    """A letter per column: ``l``, ``r`` or ``w`` (text, wrapped in LaTeX). Default: ``lrrr...``."""
    notes: str = ""
    caption: str = ""
    """The finding, the caption from about.yaml, and the notes; set by
    `fwsvm_papers.pipeline.artefacts`.
    """

    def __post_init__(self) -> None:
        if not self.align:
            object.__setattr__(self, "align", "l" + "r" * (len(self.header) - 1))

    def to_markdown(self) -> str:
        names = [markdown(f"{group} {name}".strip()) for group, name in self.header]
        parts = [self.caption] if self.caption else []
        for section in self.sections:
            kept = _filled(section.rows)
            rows = [
                [_written(row[k], markdown, "**%s**", "<sup>%s</sup>") for k in kept]
                for row in section.rows
            ]
            parts += [f"### {section.heading}"] if section.heading else []
            parts.append(
                markdown_rows([names[k] for k in kept], rows, [self.align[k] for k in kept])
            )
        parts += [f"<sup>{mark}</sup> {text}" for mark, text in self.footnotes]
        return "\n\n".join(parts) + "\n"

    def to_latex(self, label: str) -> str:
        """Return the table in LaTeX: shrunk if it is too wide, and in parts if it is too long
        for a page.
        """
        parts = [self.sections]
        if sum(len(section.rows) for section in self.sections) > _MOST_ROWS:
            parts = [
                [replace(section, rows=section.rows[start : start + _MOST_ROWS])]
                for section in self.sections
                for start in range(0, len(section.rows), _MOST_ROWS)
            ]
        lines = [r"% needs \usepackage{booktabs,array,adjustbox}"]
        for number, part in enumerate(parts):
            caption = "Continued." if number else self.caption
            lines += [r"\begin{table}", r"\centering\scriptsize\setlength{\tabcolsep}{3pt}"]
            lines += [
                rf"\caption{{{latex(caption)}}}" + ("" if number else rf"\label{{tab:{label}}}")
            ]
            lines += [_BOX, *self._tabular(part), r"\end{adjustbox}"]
            lines += [
                rf"\par\noindent\textsuperscript{{{mark}}} {latex(text)}"
                for mark, text in self.footnotes
            ]
            lines += [r"\end{table}"]
        return "\n".join(lines) + "\n"

    def _tabular(self, sections: Sequence[Section]) -> list[str]:
        kept = _filled([row for section in self.sections for row in section.rows])
        columns = "".join(self.align[k] for k in kept).replace("w", _WRAPPED)
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        groups = [
            (group, len(list(members)))
            for group, members in groupby(self.header[k][0] for k in kept)
        ]
        if any(group for group, _ in groups):
            cells = [rf"\multicolumn{{{width}}}{{c}}{{{latex(group)}}}" for group, width in groups]
            lines.append(" & ".join(cells) + r" \\")
        lines.append(" & ".join(latex(self.header[k][1]) for k in kept) + r" \\")
        for section in sections:
            lines.append(r"\midrule")
            if section.heading:
                heading = rf"\textbf{{{latex(section.heading)}}}"
                lines += [rf"\multicolumn{{{len(kept)}}}{{l}}{{{heading}}} \\", r"\midrule"]
            patterns = r"\textbf{%s}", r"\textsuperscript{%s}"
            lines += [
                " & ".join(_written(row[k], latex, *patterns) for k in kept) + r" \\"
                for row in section.rows
            ]
        return [*lines, r"\bottomrule", r"\end{tabular}"]

    def write(self, stem: str | os.PathLike) -> list[Path]:
        stem = Path(stem)
        texts = {
            "csv": delimited_text(self.frame),
            "md": self.to_markdown(),
            "tex": self.to_latex(stem.name),
        }
        paths = [stem.with_name(f"{stem.name}.{ending}") for ending in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            write_atomically(path, text.encode())
        return paths


@dataclass(frozen=True)
class Column:
    """A displayed column.

    Its functions map a row (a dict) to the cell's text, its footnotes and whether it is bold.
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


def ours_beside_printed(frame, columns, section=None, heading=str, notes="", csv=None) -> Table:
    """Lay out a table with one row per row of the frame.

    Each value of the column `section` starts a section, in the order of the frame. The csv file
    holds `csv` (default: the frame).

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


def _filled(rows: Sequence[Sequence[Cell]]) -> list[int]:
    """Return the indices of the columns that have an entry in at least one row."""
    columns = [{cell.text for cell in column} for column in zip(*rows, strict=True)]
    kept = [place for place, texts in enumerate(columns) if texts - {"", NOTHING}]
    return kept or list(range(len(columns)))


def _written(cell: Cell, escape: Callable[[str], str], bold: str, raised: str) -> str:
    """Write a cell.

    `bold` and `raised` are patterns for bold text and for the marks of footnotes.
    """
    text = bold % escape(cell.text) if cell.bold else escape(cell.text)
    return text + (raised % ",".join(sorted(cell.marks)) if cell.marks else "")
