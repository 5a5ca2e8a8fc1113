"""Figures to files, whole and the same byte for byte each time."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from fwsvm.base.result_files import write_atomically
from fwsvm.reporting.style import figure_style

_CANVASES = {"svg": FigureCanvasSVG, "pdf": FigureCanvasPdf, "png": FigureCanvasAgg}
FORMATS = tuple(_CANVASES)

_NO_DATES = {
    "svg": {"Date": None, "Creator": "fwsvm"},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": "fwsvm", "Producer": None},
    "png": {"Software": "fwsvm"},
}
_CAPTION_FIELD = {"svg": "Description", "pdf": "Subject", "png": "Description"}


@dataclass(frozen=True)
class Chart:
    """A figure, drawn inside `figure_style`, and its numbers, one row per mark.

    What the marks mean stands in about.yaml; `notes` are short facts about this run, such as missing data sets.
    """

    figure: Figure
    frame: pd.DataFrame
    notes: str = ""
    caption: str = ""
    """Filled in by `fwsvm.pipeline.artefacts`: finding, caption of about.yaml, notes."""


def save_figure(
    fig: Figure, stem: str | os.PathLike, caption: str = "", formats: Iterable[str] = FORMATS
) -> list[Path]:
    """Write a figure, by default as SVG, PDF and PNG, with the caption in the metadata.

    Each file appears whole or not at all. Equal figures give equal bytes: no dates are written, and the names inside
    the SVG do not depend on chance.
    """
    stem = Path(stem)
    paths = []
    with figure_style():
        if any(axes.get_aspect() != "auto" for axes in fig.axes):  # boxes that the first layout shrank need another
            fig.draw_without_rendering()
        if engine := fig.get_layout_engine():
            engine.execute(fig)
        fig.set_layout_engine("none")  # the layout stands; computing it again for each format takes most of the time
        for ending in formats:
            metadata = dict(_NO_DATES[ending])
            if caption:
                metadata[_CAPTION_FIELD[ending]] = caption
            path = stem.with_name(f"{stem.name}.{ending}")
            write_atomically(path, _encoded(fig, ending, metadata))
            paths.append(path)
    return paths


def _encoded(fig: Figure, ending: str, metadata: dict) -> bytes:
    """A laid out figure in one format, drawn once (`Figure.savefig` would draw it twice)."""
    content, canvas, dpi = io.BytesIO(), fig.canvas, fig.dpi
    fig.set_dpi(mpl.rcParams["savefig.dpi"])
    try:
        getattr(_CANVASES[ending](fig), f"print_{ending}")(content, metadata=metadata)
    finally:
        fig.set_dpi(dpi)
        fig.set_canvas(canvas)
    return content.getvalue()
