"""A table in three forms: CSV with full precision for machines, Markdown and LaTeX for readers."""

from __future__ import annotations

import os
import string
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import pandas as pd

from fwsvm.base.result_files import write_atomically
from fwsvm.reporting.text import latex, markdown

LONGEST_FLOAT = 40
"""Rows that still fit on one page; a longer LaTeX table is a ``longtable``."""

WRAP_WIDTH = "30mm"
"""Width of a LaTeX column of wrapped text."""


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

    Attributes
    ----------
    frame : DataFrame
        The numbers with full precision; what the CSV holds.
    header : tuple of (str, str)
        For each displayed column the name of its group (may be empty) and its own name.
    sections : tuple of Section
        The displayed rows.
    caption : str
        Protocol, repetitions, missing data sets.
    footnotes : tuple of (str, str)
        Mark and text.
    align : str
        For each displayed column ``l``, ``r`` or ``w`` (text, wrapped in LaTeX); by default the first is
        left-aligned and the others right.
    """

    frame: pd.DataFrame
    header: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    caption: str
    footnotes: tuple[tuple[str, str], ...] = ()
    align: str = field(default="")

    def __post_init__(self) -> None:
        if not self.align:
            object.__setattr__(self, "align", "l" + "r" * (len(self.header) - 1))
        widths = {len(row) for section in self.sections for row in section.rows} | {len(self.align)}
        if widths - {len(self.header)}:
            raise ValueError(f"table: rows have {widths} cells, the header has {len(self.header)}")

    def to_csv(self) -> str:
        """Return the numbers as comma-separated values; missing ones are empty."""
        return self.frame.to_csv(index=False, lineterminator="\n")

    def to_markdown(self) -> str:
        """Return caption, one table per section under its heading, and footnotes."""
        names = [markdown(f"{group} {name}".strip()) for group, name in self.header]
        rule = ["---:" if side == "r" else "---" for side in self.align]
        parts = [self.caption]
        for section in self.sections:
            rows = [[_markdown_cell(cell) for cell in row] for row in section.rows]
            lines = ["| " + " | ".join(row) + " |" for row in [names, rule, *rows]]
            parts += [f"### {section.heading}"] if section.heading else []
            parts.append("\n".join(lines))
        parts += [f"<sup>{mark}</sup> {text}" for mark, text in self.footnotes]
        return "\n\n".join(parts) + "\n"

    def to_latex(self, label: str) -> str:
        """Return the table for LaTeX with booktabs (a longtable, if it is long)."""
        body = []
        for number, section in enumerate(self.sections):
            if section.heading:
                heading = rf"\textbf{{{latex(section.heading)}}}"
                body += [r"\midrule"] if number else []
                body += [rf"\multicolumn{{{len(self.header)}}}{{l}}{{{heading}}} \\", r"\midrule"]
            body += [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in section.rows]
        notes = [rf"\par\noindent\textsuperscript{{{mark}}} {latex(text)}" for mark, text in self.footnotes]
        caption = rf"\caption{{{latex(self.caption)}}}\label{{tab:{label}}}"
        align = self.align.replace("w", rf">{{\raggedright\arraybackslash}}p{{{WRAP_WIDTH}}}")
        packages = ["booktabs", *(["array"] if "w" in self.align else [])]
        small = r"\scriptsize\setlength{\tabcolsep}{3pt}"
        head = self._latex_head()
        if len(body) > LONGEST_FLOAT:
            packages.append("longtable")
            begin = [r"\begingroup" + small, rf"\begin{{longtable}}{{{align}}}", rf"{caption} \\", *head]
            begin += [r"\endfirsthead", *head, r"\endhead"]
            end = [r"\end{longtable}", *notes, r"\endgroup"]
        else:
            begin = [r"\begin{table}", r"\centering" + small, caption, rf"\begin{{tabular}}{{{align}}}", *head]
            end = [r"\end{tabular}", *notes, r"\end{table}"]
        needs = rf"% needs \usepackage{{{','.join(packages)}}}"
        return "\n".join([needs, *begin, *body, r"\bottomrule", *end]) + "\n"

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


def _markdown_cell(cell: Cell) -> str:
    marks = f"<sup>{','.join(sorted(cell.marks))}</sup>" if cell.marks else ""
    return (f"**{markdown(cell.text)}**" if cell.bold else markdown(cell.text)) + marks


def _latex_cell(cell: Cell) -> str:
    marks = rf"\textsuperscript{{{','.join(sorted(cell.marks))}}}" if cell.marks else ""
    return (rf"\textbf{{{latex(cell.text)}}}" if cell.bold else latex(cell.text)) + marks
