"""Figures to files, whole and the same byte for byte each time; and the figure that says what is missing."""

from __future__ import annotations

import io
import os
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from fwsvm.analysis.runs import write_atomically
from fwsvm.render.style import COLUMN_WIDTH, MUTED, figure_style

FORMATS = ("svg", "pdf", "png")

_NO_DATES = {
    "svg": {"Date": None, "Creator": "fwsvm"},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": "fwsvm", "Producer": None},
    "png": {"Software": "fwsvm"},
}
_CAPTION_FIELD = {"svg": "Description", "pdf": "Subject", "png": "Description"}


@dataclass(frozen=True)
class Chart:
    """A drawn figure with what a reader needs beside it.

    Attributes
    ----------
    figure : matplotlib Figure
        Drawn inside `figure_style`.
    caption : str
        Protocol, repetitions, missing data sets; goes into the files' metadata and beside them.
    frame : DataFrame
        The numbers that are drawn, one row per mark; empty for a placeholder.
    is_placeholder : bool
        True when there was nothing to draw.
    """

    figure: Figure
    caption: str
    frame: pd.DataFrame
    is_placeholder: bool = False


def save_figure(fig: Figure, stem: str | os.PathLike, caption: str = "") -> list[Path]:
    """Write a figure as SVG, PDF and PNG.

    Each file appears whole or not at all. Equal figures give equal bytes: no dates are written, and the names
    inside the SVG do not depend on chance.

    Parameters
    ----------
    fig : matplotlib Figure
        The figure.
    stem : path-like
        Path without the ending; missing folders are made.
    caption : str
        Stored in the metadata of each file.

    Returns
    -------
    list of Path
        The files, in the order of `FORMATS`.
    """
    stem = Path(stem)
    paths = []
    with figure_style():
        fig.draw_without_rendering()
        if any(axes.get_aspect() != "auto" for axes in fig.axes):  # boxes that the first layout shrank need another
            fig.draw_without_rendering()
        fig.set_layout_engine("none")  # the layout stands; computing it again for each format takes most of the time
        for ending in FORMATS:
            metadata = dict(_NO_DATES[ending])
            if caption:
                metadata[_CAPTION_FIELD[ending]] = caption
            content = io.BytesIO()
            fig.savefig(content, format=ending, metadata=metadata)
            path = stem.with_name(f"{stem.name}.{ending}")
            write_atomically(path, content.getvalue())
            paths.append(path)
    return paths


def placeholder(artefact_id: str, reason: str) -> Chart:
    """Draw the figure that stands where there is nothing to draw.

    Parameters
    ----------
    artefact_id : str
        Which artefact it stands for.
    reason : str
        What is missing and why, in a sentence or two.

    Returns
    -------
    Chart
        Its caption is the reason.
    """
    lines = textwrap.wrap(reason, 58)
    with figure_style():
        fig = Figure(figsize=(COLUMN_WIDTH, 0.75 + 0.16 * len(lines)))
        axes = fig.add_axes((0.02, 0.03, 0.96, 0.94))
        axes.set(xticks=[], yticks=[])
        for spine in axes.spines.values():
            spine.set(visible=True, color=MUTED, linestyle=(0, (4, 3)))
        top = 1 - 0.24 / fig.get_figheight()
        axes.text(0.5, top, f"{artefact_id}: not drawn", ha="center", va="center", weight="bold")
        axes.text(0.5, top - 0.2 / fig.get_figheight(), "\n".join(lines), ha="center", va="top",
                  fontsize=7.5, color=MUTED, linespacing=1.35)  # fmt: skip
    return Chart(fig, f"Not drawn. {reason}", pd.DataFrame(), is_placeholder=True)
