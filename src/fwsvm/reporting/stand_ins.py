"""Marks on the data sets whose stand-ins a table or figure shows (`fwsvm.datasets.builders.nested`)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.tables import Cell, Section, Table

STAR = "*"
_NOTE = "Stand-in, since the file could not be had: the smaller neighbour in the series and rows of the larger one."
_SHORT = "Stand-in for a missing file, from its neighbours."


def marked(drawn: Table | Chart, names: Collection[str]) -> Table | Chart:
    """Mark data sets as stand-ins, wherever they are named.

    Parameters
    ----------
    drawn : Table or Chart
    names : collection of str
        Data sets.

    Returns
    -------
    Table or Chart
        A table with a footnote at their names, and ``stand_in`` as last column of its numbers where these have a column
        ``dataset``; a chart with a star at their names and a sentence in the caption. The same where none is named.
    """
    return _marked_table(drawn, set(names)) if isinstance(drawn, Table) else _marked_chart(drawn, set(names))


def _marked_table(table: Table, names: set[str]) -> Table:
    sections = [
        Section(part.heading, tuple((_marked_cell(row[0], names), *row[1:]) for row in part.rows))
        for part in table.sections
    ]
    if not any(row[0].marks and STAR in row[0].marks for part in sections for row in part.rows):
        return table
    frame = table.frame
    if "dataset" in frame:
        frame = frame.assign(stand_in=frame["dataset"].isin(names))
    return replace(table, frame=frame, sections=tuple(sections), footnotes=(*table.footnotes, (STAR, _NOTE)))


def _marked_cell(cell: Cell, names: set[str]) -> Cell:
    """A cell that is a data set's name, or the papers' name of one (`Adult a6a`), with the mark."""
    return replace(cell, marks=(*cell.marks, STAR)) if cell.text.rpartition(" ")[2] in names else cell


def _marked_chart(chart: Chart, names: set[str]) -> Chart:
    found = set()
    for axes in chart.figure.axes:
        found |= _mark_ticks(axes.xaxis, names) | _mark_ticks(axes.yaxis, names)
        for text in axes.texts:
            words = text.get_text().split(", ")  # one name, or several that share a label
            if named := names & set(words):
                found |= named
                text.set_text(", ".join(f"{word}{STAR}" if word in names else word for word in words))
    if not found:
        return chart
    return replace(chart, notes=f"{chart.notes} {STAR} {_SHORT}".strip())


def _mark_ticks(axis: Axis, names: set[str]) -> set[str]:
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return set()
    labels = [label.get_text() for label in axis.get_ticklabels()]
    if found := names & set(labels):
        axis.set_ticklabels([f"{label}{STAR}" if label in names else label for label in labels])
    return found
