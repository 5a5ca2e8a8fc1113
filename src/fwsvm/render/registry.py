"""Every table and figure: what draws it and what that needs. A new one is one function and one entry here."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from fwsvm.analysis.runs import write_atomically
from fwsvm.errors import UserError
from fwsvm.render import alaiz2018, claims, frandi2013, kernel_width, nanculef2014, singh, stopping, tsang2005
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
        The parameters of `function`:
        ``runs`` (a runs table), ``descriptions`` (list of dicts of `fwsvm.datasets.describe`), ``tests``
        (rows of `fwsvm.analysis.hypotheses.evaluate` with a leading column ``selection``), ``sketches``
        (the dict of `fwsvm.experiments.sketches.compute`), and the details of a study by its name (list of dicts of
        `fwsvm.analysis.details.read_details`).
    caption : str
        What it shows, in one sentence, for the report; the caption with the protocol comes with the result.
    """

    kind: str
    function: Callable[..., Table | Chart]
    needs: tuple[str, ...]
    caption: str


def _table(function: Callable[..., Table], caption: str) -> Artefact:
    return Artefact("table", function, _needs(function), caption)


def _figure(function: Callable[..., Chart], caption: str) -> Artefact:
    return Artefact("figure", function, _needs(function), caption)


def _needs(function: Callable) -> tuple[str, ...]:
    return tuple(name for name in inspect.signature(function).parameters if name not in OPTIONAL_INPUTS)


ARTEFACTS = {
    "frandi2013-table1": _table(frandi2013.table1, "Features of the data sets, ours beside the printed."),
    "frandi2013-table2": _table(
        frandi2013.table2, "Test accuracy of CVM, FW and MFW under each selection, beside the printed."
    ),
    "frandi2013-table3": _table(
        frandi2013.table3, "Training time of CVM, FW and MFW under each selection, beside the printed."
    ),
    "frandi2013-table4": _table(frandi2013.table4, "Null and alternative hypotheses of the binary tests."),
    "frandi2013-table5": _table(frandi2013.table5, "Wilcoxon's W and Friedman's F, beside the printed."),
    "frandi2013-table6": _table(frandi2013.table6, "p-values of the significance tests, beside the printed."),
    "frandi2013-table7": _table(frandi2013.table7, "Conclusions of the binary tests in words, beside the printed."),
    "frandi2013-table8": _table(
        frandi2013.table8, "Polynomial kernel: accuracy and time of FW and MFW, beside the printed."
    ),
    "frandi2013-fig1": _figure(frandi2013.fig1, "Sketch: approximating balls of BC and FW."),
    "frandi2013-fig2": _figure(frandi2013.fig2, "Sketch: search directions of FW and MFW."),
    "frandi2013-fig3": _figure(frandi2013.fig3, "Web series: accuracy, speed-up over CVM, training time and sizes."),
    "frandi2013-fig4": _figure(frandi2013.fig4, "Adult series: accuracy, speed-up over CVM, training time and sizes."),
    "frandi2013-fig5": _figure(frandi2013.fig5, "Smaller single data sets: accuracy and speed-up over CVM."),
    "frandi2013-fig6": _figure(frandi2013.fig6, "Larger single data sets: accuracy and speed-up over CVM."),
    "frandi2013-fig7": _figure(frandi2013.fig7, "Accuracy and time against C on shuttle and kdd99-10pc."),
    "frandi2013-fig8": _figure(frandi2013.fig8, "Accuracy and time against C on pendigits and reuters."),
    "nanculef2014-table1": _table(nanculef2014.table1, "Features of the data sets, ours beside the printed."),
    "nanculef2014-table2": _table(
        nanculef2014.table2, "Significance tests of SWAP and SWAP-2o against FW, MFW and CVM, beside the printed."
    ),
    "nanculef2014-fig1": _figure(nanculef2014.fig1, "Sketch: search directions of FW, MFW and SWAP."),
    "nanculef2014-fig2": _figure(nanculef2014.fig2, "Web and Adult: accuracy."),
    "nanculef2014-fig3": _figure(nanculef2014.fig3, "Web and Adult: training time and speed-up over CVM."),
    "nanculef2014-fig4": _figure(nanculef2014.fig4, "Web and Adult: model size, absolute and in per cent."),
    "nanculef2014-fig5": _figure(nanculef2014.fig5, "Medium and large data sets: accuracy."),
    "nanculef2014-fig6": _figure(nanculef2014.fig6, "protein: accuracy and model size."),
    "nanculef2014-fig7": _figure(nanculef2014.fig7, "Medium and large data sets: model size."),
    "nanculef2014-fig8": _figure(nanculef2014.fig8, "protein: training time and speed-up over CVM."),
    "nanculef2014-fig9": _figure(nanculef2014.fig9, "Medium and large data sets: training time and speed-up over CVM."),
    "nanculef2014-fig10": _figure(nanculef2014.fig10, "Polynomial kernel on Web: accuracy and training time."),
    "nanculef2014-fig11": _figure(
        nanculef2014.fig11, "Polynomial kernel: model size on Web; accuracy, time and size on shuttle and reuters."
    ),
    "tsang2005-fig1": _figure(tsang2005.fig1, "Sketch: a core-set and the ball that it encloses the points with."),
    "tsang2005-fig2": _figure(tsang2005.fig2, "Checkerboard: time, size and error of CVM and other trainers."),
    "tsang2005-fig3": _figure(tsang2005.fig3, "Forest cover type: time, size and error of CVM and LIBSVM."),
    "tsang2005-fig4": _figure(tsang2005.fig4, "Adult: time, size and error of CVM and other trainers."),
    "tsang2005-oneclass": _figure(tsang2005.oneclass, "The one-class L2-SVM beside scikit-learn's OneClassSVM."),
    "singh-table1": _table(singh.table1, "Physical cost of MFW on two circles, beside the printed."),
    "singh-fig1": _figure(singh.fig1, "Two circles: the data and the learnt decision function."),
    "singh-fig2": _figure(singh.fig2, "Two circles: convergence of the dual objective."),
    "singh-fig3": _figure(singh.fig3, "Two circles: convergence of the iterates."),
    "singh-fig4": _figure(singh.fig4, "Two circles: step sizes and size of the coreset."),
    "singh-fig5": _figure(singh.fig5, "Two circles: accuracy, precision, recall and F1 per step."),
    "singh-fig6": _figure(singh.fig6, "Sketch: hard margin and hinge loss."),
    "singh-signerror": _figure(singh.signerror, "The listing's radius update with its wrong sign, followed."),
    "alaiz2018-table1": _table(alaiz2018.table1, "Data sets: sizes, dimension and majority class."),
    "alaiz2018-table2": _table(
        alaiz2018.table2, "SVM and M-FW on ijcnn1 and magic: accuracy, support vectors and iterations."
    ),
    "alaiz2018-table3": _table(
        alaiz2018.table3, "SVM, M-FW and M-FW with fixed C on nine data sets, with ranks by Wilcoxon tests."
    ),
    "alaiz2018-table4": _table(alaiz2018.table4, "M-FW in per cent of the SVM, over nine data sets."),
    "alaiz2018-table5": _table(
        alaiz2018.table5, "How support vectors and accuracy of M-FW depend on its initial point."
    ),
    "alaiz2018-fig1": _figure(alaiz2018.fig1, "Sketch: feasible region of the weighted SVM for three patterns."),
    "alaiz2018-fig2": _figure(alaiz2018.fig2, "Sketch: a pattern's multiplier against its weight."),
    "alaiz2018-fig3": _figure(alaiz2018.fig3, "ijcnn1 and magic: accuracy, support vectors and iterations against C."),
    "alaiz2018-fig4": _figure(
        alaiz2018.fig4, "Accuracy and support vectors against iterations on the largest data set."
    ),
    "beyond-gamma": _table(kernel_width.gamma_table, "CVM at three kernel widths beside the printed accuracy."),
    "claims": _table(claims.claims_table, "The papers' quantitative statements, judged on our runs."),
    "beyond-stopping": _figure(stopping.stopping_chart, "How much of the speed-up is early stopping."),
    "beyond-stopping-table": _table(stopping.stopping_table, "How much of the speed-up is early stopping, in numbers."),
}
"""Artefact id, ``<paper>-<table|fig><n>`` or ``beyond-<subject>`` -> artefact."""


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


def write_many(artefact_ids, inputs, results_dir, figures_dir):
    """Draw several artefacts, one after another; returns (artefact -> files, artefact -> why it was skipped)."""
    return {name: write(name, inputs, results_dir, figures_dir) for name in artefact_ids}, {}


def write_all(
    inputs: Mapping[str, Any], results_dir: str | os.PathLike, figures_dir: str | os.PathLike, n_jobs: int = 1
) -> dict[str, list[Path]]:
    """Draw every artefact and write its files, as `write` does, in `n_jobs` processes (-1: one for each core).

    Returns
    -------
    dict of str to list of Path
        Artefact id -> its files.

    Raises
    ------
    UserError
        If an input that some artefact needs is missing; nothing is written then.
    """
    needed = dict.fromkeys(name for entry in ARTEFACTS.values() for name in entry.needs)
    absent = [name for name in needed if name not in inputs]
    if absent:
        raise UserError(f"the artefacts need {' and '.join(absent)}; given: {', '.join(inputs)}")
    drawn = Parallel(n_jobs, max_nbytes=None)(
        delayed(write)(artefact_id, inputs, results_dir, figures_dir) for artefact_id in ARTEFACTS
    )
    return dict(zip(ARTEFACTS, drawn, strict=True))
