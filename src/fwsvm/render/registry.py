"""Every table and figure: what draws it and what that needs. A new one is one function and one entry here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fwsvm.analysis.runs import write_atomically
from fwsvm.errors import UserError
from fwsvm.render import frandi2013, nanculef2014
from fwsvm.render.figures_io import FORMATS, Chart, save_figure
from fwsvm.render.tables import Table

OPTIONAL_INPUTS = ("missing",)
"""Inputs that every artefact takes if they are there: data set -> why it is not in the profile."""

TABLE_ENDINGS = ("csv", "md", "tex")


@dataclass(frozen=True)
class Artefact:
    """One table or figure.

    Attributes
    ----------
    kind : {"table", "figure"}
        What `function` returns, a `Table` or a `Chart`.
    function : callable
        Takes the inputs named in `needs` (and `OPTIONAL_INPUTS`) by keyword; reads no files.
    needs : tuple of str
        ``runs`` (a runs table), ``descriptions`` (list of dicts of `fwsvm.datasets.describe`), ``tests``
        (rows of `fwsvm.analysis.hypotheses.evaluate` with a leading column ``selection``).
    caption : str
        What it shows, in one sentence, for the report; the caption with the protocol comes with the result.
    """

    kind: str
    function: Callable[..., Table | Chart]
    needs: tuple[str, ...]
    caption: str


ARTEFACTS = {
    "frandi2013-table1": Artefact(
        kind="table",
        function=frandi2013.table1,
        needs=("descriptions",),
        caption="Features of the data sets, ours beside the printed.",
    ),
    "frandi2013-table2": Artefact(
        kind="table",
        function=frandi2013.table2,
        needs=("runs",),
        caption="Test accuracy of CVM, FW and MFW under each selection, beside the printed.",
    ),
    "frandi2013-table3": Artefact(
        kind="table",
        function=frandi2013.table3,
        needs=("runs",),
        caption="Training time of CVM, FW and MFW under each selection, beside the printed.",
    ),
    "frandi2013-table5": Artefact(
        kind="table",
        function=frandi2013.table5,
        needs=("tests", "runs"),
        caption="Wilcoxon's W and Friedman's F, beside the printed.",
    ),
    "frandi2013-table6": Artefact(
        kind="table",
        function=frandi2013.table6,
        needs=("tests", "runs"),
        caption="p-values of the significance tests, beside the printed.",
    ),
    "frandi2013-fig3": Artefact(
        kind="figure",
        function=frandi2013.fig3,
        needs=("runs", "descriptions"),
        caption="Web series: accuracy, speed-up over CVM, training time and sizes.",
    ),
    "frandi2013-fig4": Artefact(
        kind="figure",
        function=frandi2013.fig4,
        needs=("runs", "descriptions"),
        caption="Adult series: accuracy, speed-up over CVM, training time and sizes.",
    ),
    "nanculef2014-table1": Artefact(
        kind="table",
        function=nanculef2014.table1,
        needs=("descriptions",),
        caption="Features of the data sets, ours beside the printed.",
    ),
    "nanculef2014-table2": Artefact(
        kind="table",
        function=nanculef2014.table2,
        needs=("tests", "runs"),
        caption="Significance tests of SWAP and SWAP-2o against FW, MFW and CVM, beside the printed.",
    ),
}
"""Artefact id, ``<paper>-<table|fig><n>`` -> artefact."""


def artefact(artefact_id: str) -> Artefact:
    """Return the artefact of that id.

    Raises
    ------
    UserError
        If there is none; the message lists those there are.
    """
    if artefact_id not in ARTEFACTS:
        raise UserError(f"no artefact {artefact_id!r}; known are {', '.join(ARTEFACTS)}")
    return ARTEFACTS[artefact_id]


def output_paths(artefact_id: str, results_dir: str | os.PathLike, figures_dir: str | os.PathLike) -> list[Path]:
    """Return the files that `write` makes for an artefact."""
    if artefact(artefact_id).kind == "table":
        return [Path(results_dir) / "tables" / f"{artefact_id}.{ending}" for ending in TABLE_ENDINGS]
    return [Path(figures_dir) / f"{artefact_id}.{ending}" for ending in (*FORMATS, "md")]


def render(artefact_id: str, inputs: Mapping[str, Any]) -> Table | Chart:
    """Draw one artefact.

    Parameters
    ----------
    artefact_id : str
        A key of `ARTEFACTS`.
    inputs : mapping
        At least what the artefact needs; what it does not need is ignored.

    Raises
    ------
    UserError
        If there is no such artefact, or an input is missing.
    """
    chosen = artefact(artefact_id)
    absent = [name for name in chosen.needs if name not in inputs]
    if absent:
        raise UserError(f"artefact {artefact_id} needs {' and '.join(absent)}; given: {', '.join(inputs)}")
    names = (*chosen.needs, *(name for name in OPTIONAL_INPUTS if name in inputs))
    return chosen.function(**{name: inputs[name] for name in names})


def write(
    artefact_id: str,
    inputs: Mapping[str, Any],
    results_dir: str | os.PathLike,
    figures_dir: str | os.PathLike,
) -> list[Path]:
    """Draw one artefact and write its files.

    Tables go to ``<results_dir>/tables/<id>.{csv,md,tex}``, figures to ``<figures_dir>/<id>.{svg,pdf,png}``
    with their caption in ``<id>.md``. The same inputs give the same bytes.

    Returns
    -------
    list of Path
        The files, as `output_paths` lists them.
    """
    result = render(artefact_id, inputs)
    if isinstance(result, Table):
        return result.write(Path(results_dir) / "tables" / artefact_id)
    stem = Path(figures_dir) / artefact_id
    paths = save_figure(result.figure, stem, result.caption)
    caption = stem.with_name(f"{artefact_id}.md")
    write_atomically(caption, f"![{artefact_id}]({artefact_id}.svg)\n\n{result.caption}\n".encode())
    return [*paths, caption]
