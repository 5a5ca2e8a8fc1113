"""A class for figures with their numbers. Functions that write figures to files, and that put stars
after the names of stand-ins. The same figure always gives the same bytes.
"""

import io
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator
from matplotlib.transforms import Transform
from pandas.api.types import is_numeric_dtype

from fwsvm_papers.reporting.style import COLUMN_WIDTH, METHODS, figure_style
from fwsvm_papers.reporting.tables import DARK, ArtefactData, Cell, Heading, Section, Table
from fwsvm_papers.result_files import write_atomically

_NO_DATES: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "fwsvm"},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": "fwsvm", "Producer": None},
    "png": {"Software": "fwsvm"},
}
STAR = "*"
_STAND_IN = "This data set replaces a missing file."
_STAR_MARKS = "Stars mark replacements of missing files."
_CAPTION_FIELD = {"svg": "Description", "pdf": "Subject", "png": "Description"}


@dataclass(frozen=True)
class Chart:
    """A figure that was drawn inside `figure_style`, and a data frame of its numbers, usually with
    one row per mark.
    """

    figure: Figure
    frame: pd.DataFrame
    notes: str = ""
    """Sentences about this run. They follow the caption from about.yaml."""

    def data(self, **texts: Any) -> ArtefactData:
        """Return an `ArtefactData` with the texts of the figure and, if the figure was drawn, with
        the columns of its csv file. `texts` are fields of `ArtefactData`, such as the title and the
        caption.
        """
        columns = tuple(
            Heading(str(name), "", "r" if is_numeric_dtype(column) else "l")
            for name, column in self.frame.items()
            if not texts.get("skipped")
        )
        return ArtefactData(kind="figure", notes=self.notes, columns=columns, **texts)


def save_figure(
    fig: Figure,
    stem: str | os.PathLike,
    caption: str = "",
    formats: Sequence[str] = tuple(_CAPTION_FIELD),
    title: str = "",
) -> list[Path]:
    """Write a figure in all `formats`, with its title and caption in the metadata.

    `stem` is the path of the files without their suffixes. Return the paths of the files.
    """
    stem = Path(stem)
    paths = []
    with figure_style():
        # axes with a fixed aspect ratio are placed correctly only after a second layout pass
        if any(axes.get_aspect() != "auto" for axes in fig.axes):
            fig.draw_without_rendering()
        if engine := fig.get_layout_engine():
            engine.execute(fig)
        # All formats share one layout, since the computation of the layout takes most of the time.
        fig.set_layout_engine("none")
        for ending in formats:
            texts = {_CAPTION_FIELD[ending]: caption, "Title": title}
            metadata = _NO_DATES[ending] | {name: text for name, text in texts.items() if text}
            marks, file = _name_marks(fig), io.BytesIO()
            fig.savefig(file, format=ending, metadata=metadata)
            content = file.getvalue()
            paths.append(stem.with_name(f"{stem.name}.{ending}"))
            write_atomically(
                paths[-1],
                _with_description(content, fig, marks, caption) if ending == "svg" else content,
            )
    return paths


def chart_of_text(text: str) -> Chart:
    """Return a figure that shows only a text."""
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH, 1.0))
        figure.text(0.5, 0.5, fill(text, 60), ha="center", va="center")
    return Chart(figure, pd.DataFrame({"skipped": [text]}), text)


def _name_marks(fig: Figure) -> dict[str, tuple[Axes, str]]:
    """Give an id to each line that has a marker of a method or of printed numbers. Lines in axes
    with a fixed aspect ratio get no id, and neither do lines with other markers, such as the arrows
    of bounds.

    Return a dict that maps each id to a pair: the axes, and the name of the line.
    """
    known = {style.color.lower(): style.label for style in METHODS.values()}
    found: dict[str, tuple[Axes, str]] = {}
    for axes in (axes for axes in fig.axes if axes.get_aspect() == "auto"):
        for line in (
            line for line in axes.lines if line.get_marker() in (*"oPX8pHhs^vDd<>*_+", ".")
        ):
            printed = ["printed"] if line.get_marker() == "_" else []
            mark = f"marks_{len(found) + 1}"
            line.set_gid(mark)
            label = str(line.get_label())
            name = known.get(to_hex(line.get_color()), "") if label.startswith("_") else label
            found[mark] = axes, " ".join([name, *printed]).strip()
    return found


def _with_description(content: bytes, fig: Figure, marks: dict[str, tuple], caption: str) -> bytes:
    """Return an SVG file with three additions: the caption as the element `desc`, the values of
    each mark as an element `title`, and the style for dark pages.

    Browsers show the `title` of a mark when the pointer is on the mark.
    """
    head, *groups = content.decode().split('<g id="')
    head = head.replace("</title>", f"</title>\n <desc>{escape(caption)}</desc>", 1)
    head = head.replace("</style>", f"{DARK}</style>", 1)
    for place, group in enumerate(groups):
        name, quote, rest = group.partition('"')
        if name in marks:
            axes, words = marks[name]
            to_data, height = axes.transData.inverted(), 72 * fig.get_figheight()

            def titled(
                found: re.Match,
                axes: Axes = axes,
                words: str = words,
                to_data: Transform = to_data,
                height: float = height,
            ) -> str:
                point = np.array([float(found[2]), height - float(found[3])]) * fig.dpi / 72
                values = ", ".join(
                    map(_value_at, (axes.xaxis, axes.yaxis), to_data.transform(point))
                )
                title = escape(f"{words}: {values}" if words else values)
                return f"{found[1]}><title>{title}</title></use>"

            groups[place] = (
                name
                + quote
                + re.sub(r'(<use [^>]*x="([-\d.]+)" y="([-\d.]+)"[^>]*)/>', titled, rest)
            )
    return '<g id="'.join([head, *groups]).encode()


def _value_at(axis: Axis, value: float) -> str:
    """Return the text for a coordinate: the name of a category or a number."""
    ticks = axis.get_majorticklocs()
    fixed = isinstance(axis.get_major_locator(), FixedLocator)
    names = list(map(str, axis.get_major_formatter().format_ticks(ticks))) if fixed else ()
    if any(character.isalpha() for character in "".join(names)):
        return names[int(np.argmin(np.abs(ticks - value)))]
    low, high = axis.get_view_interval()
    if getattr(axis.get_transform(), "base", None) == 2:
        value = 2.0 ** round(np.log2(value))  # undo the shift that keeps the marks of methods apart
    return f"{0 if abs(value) < 1e-7 * min(abs(high - low), 1) else value:.4g}"


def marked(drawn: Table | Chart, names: Collection[str]) -> Table | Chart:
    """Put a star after the name of each stand-in in a table or figure, and return the table or
    figure.

    `names` are the names of all stand-ins for missing files. They are searched in the first column
    and the section headings of a table, or in the tick labels and texts of a figure. If a table
    shows a stand-in and its `frame` has a column ``dataset``, the csv file of the table gets the
    column ``stand_in``.
    """
    return (
        _marked_table(drawn, set(names))
        if isinstance(drawn, Table)
        else _marked_chart(drawn, set(names))
    )


def _marked_table(table: Table, names: set[str]) -> Table:
    # the name of a series can precede the name of the data set, as in `Adult a6a`
    def marked_cell(cell: Cell) -> Cell:
        return (
            replace(cell, marks=(*cell.marks, STAR))
            if cell.text.rpartition(" ")[2] in names
            else cell
        )

    sections = tuple(
        Section(
            f"{part.heading}{STAR}" if part.heading in names else part.heading,
            tuple((marked_cell(row[0]), *row[1:]) for row in part.rows),
        )
        for part in table.sections
    )
    if sections == table.sections:
        return table
    frame = table.frame
    if "dataset" in frame:
        frame = frame.assign(stand_in=frame["dataset"].isin(names))
    return replace(
        table, frame=frame, sections=sections, footnotes=(*table.footnotes, (STAR, _STAND_IN))
    )


def _marked_chart(chart: Chart, names: set[str]) -> Chart:
    found = [
        _mark_ticks(axis, names) for axes in chart.figure.axes for axis in (axes.xaxis, axes.yaxis)
    ]
    for text in (text for axes in chart.figure.axes for text in axes.texts):
        words = text.get_text().split(", ")  # a label can contain several names
        found.append(bool(names & set(words)))
        text.set_text(", ".join(f"{word}{STAR}" if word in names else word for word in words))
    return replace(chart, notes=f"{chart.notes} {_STAR_MARKS}".strip()) if any(found) else chart


def _mark_ticks(axis: Axis, names: set[str]) -> bool:
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return False
    labels = [label.get_text() for label in axis.get_ticklabels()]
    if found := names & set(labels):
        axis.set_ticklabels([f"{label}{STAR}" if label in names else label for label in labels])
    return bool(found)
