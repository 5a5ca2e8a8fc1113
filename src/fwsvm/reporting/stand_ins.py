"""A star at the data sets that are stand-ins for missing files (`fwsvm.datasets.builders.nested`)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.tables import Cell, Section, Table

STAR = "*"
_NOTE = "Stand-in for a missing file, from its neighbours."


def marked(drawn: Table | Chart, names: Collection[str]) -> Table | Chart:
    """Mark these data sets wherever they are named; the numbers of a table get the column ``stand_in``."""
    return _marked_table(drawn, set(names)) if isinstance(drawn, Table) else _marked_chart(drawn, set(names))


def _marked_table(table: Table, names: set[str]) -> Table:
    sections = tuple(
        Section(part.heading, tuple((_marked_cell(row[0], names), *row[1:]) for row in part.rows))
        for part in table.sections
    )
    if sections == table.sections:
        return table
    frame = table.frame
    if "dataset" in frame:
        frame = frame.assign(stand_in=frame["dataset"].isin(names))
    return replace(table, frame=frame, sections=sections, footnotes=(*table.footnotes, (STAR, _NOTE)))


def _marked_cell(cell: Cell, names: set[str]) -> Cell:
    """Its text is a data set's name, or the papers' name of one (`Adult a6a`)."""
    return replace(cell, marks=(*cell.marks, STAR)) if cell.text.rpartition(" ")[2] in names else cell


def _marked_chart(chart: Chart, names: set[str]) -> Chart:
    found = [_mark_ticks(axis, names) for axes in chart.figure.axes for axis in (axes.xaxis, axes.yaxis)]
    for text in (text for axes in chart.figure.axes for text in axes.texts):
        words = text.get_text().split(", ")  # one name, or several that share a label
        found.append(bool(names & set(words)))
        text.set_text(", ".join(f"{word}{STAR}" if word in names else word for word in words))
    return replace(chart, notes=f"{chart.notes} {STAR} {_NOTE}".strip()) if any(found) else chart


def _mark_ticks(axis: Axis, names: set[str]) -> bool:
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return False
    labels = [label.get_text() for label in axis.get_ticklabels()]
    if found := names & set(labels):
        axis.set_ticklabels([f"{label}{STAR}" if label in names else label for label in labels])
    return bool(found)
