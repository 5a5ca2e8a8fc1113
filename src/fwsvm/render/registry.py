"""Every table and figure: what draws it and what that needs. A new one is one function and one entry here.

Importing this module imports nothing that draws: the function of an artefact is imported when it is first used.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fwsvm.errors import UserError
from fwsvm.files import whole_file
from fwsvm.render.skipping import NotDrawableError

if TYPE_CHECKING:
    from fwsvm.render.figures_io import Chart
    from fwsvm.render.tables import Table

OPTIONAL_INPUTS = ("missing",)
"""Inputs that every artefact takes if they are there: data set -> why it is not in the profile."""

TABLE_ENDINGS = ("csv", "md", "tex")
FIGURE_FORMATS = ("svg", "pdf", "png")

SKIPPED = "skipped.json"
"""File in the folder of results: skipped artefact -> reason."""


@dataclass(frozen=True)
class Artefact:
    """One table or figure.

    Attributes
    ----------
    kind : {"table", "figure"}
        What `function` returns, a `Table` or a `Chart`.
    place : str
        Module below ``fwsvm.render`` and name of the function: ``frandi2013.table1``.
    needs : tuple of str
        The parameters of the function, by which it takes its inputs (and `OPTIONAL_INPUTS`):
        ``runs`` (a runs table), ``descriptions`` (list of dicts of `fwsvm.datasets.describe`), ``tests``
        (rows of `fwsvm.analysis.hypotheses.evaluate` with a leading column ``selection``), ``sketches``
        (the dict of `fwsvm.experiments.sketches.compute`), and the details of a study by its name (list of dicts of
        `fwsvm.analysis.details.read_details`).
    caption : str
        What it shows, in one sentence, for the report; the caption with the protocol comes with the result.
    """

    kind: str
    place: str
    needs: tuple[str, ...]
    caption: str

    @cached_property
    def function(self) -> Callable[..., Table | Chart]:
        """Draws the artefact from its inputs, which it takes by keyword; reads no files.

        Raises `NotDrawableError` where none of its data are in the run.
        """
        module, name = self.place.split(".")
        return getattr(importlib.import_module(f"fwsvm.render.{module}"), name)


def _table(place: str, needs: str, caption: str) -> Artefact:
    return Artefact("table", place, tuple(needs.split()), caption)


def _figure(place: str, needs: str, caption: str) -> Artefact:
    return Artefact("figure", place, tuple(needs.split()), caption)


ARTEFACTS = {
    "frandi2013-table1": _table(
        "frandi2013.table1", "descriptions", "Features of the data sets, ours beside the printed."
    ),
    "frandi2013-table2": _table(
        "frandi2013.table2", "runs", "Test accuracy of CVM, FW and MFW under each selection, beside the printed."
    ),
    "frandi2013-table3": _table(
        "frandi2013.table3", "runs", "Training time of CVM, FW and MFW under each selection, beside the printed."
    ),
    "frandi2013-table4": _table("frandi2013.table4", "", "Null and alternative hypotheses of the binary tests."),
    "frandi2013-table5": _table(
        "frandi2013.table5", "tests runs", "Wilcoxon's W and Friedman's F, beside the printed."
    ),
    "frandi2013-table6": _table(
        "frandi2013.table6", "tests runs", "p-values of the significance tests, beside the printed."
    ),
    "frandi2013-table7": _table(
        "frandi2013.table7", "tests runs", "Conclusions of the binary tests in words, beside the printed."
    ),
    "frandi2013-table8": _table(
        "frandi2013.table8", "runs", "Polynomial kernel: accuracy and time of FW and MFW, beside the printed."
    ),
    "frandi2013-fig1": _figure("frandi2013.fig1", "sketches", "Sketch: approximating balls of BC and FW."),
    "frandi2013-fig2": _figure("frandi2013.fig2", "sketches", "Sketch: search directions of FW and MFW."),
    "frandi2013-fig3": _figure(
        "frandi2013.fig3", "runs descriptions", "Web series: accuracy, speed-up over CVM, training time and sizes."
    ),
    "frandi2013-fig4": _figure(
        "frandi2013.fig4", "runs descriptions", "Adult series: accuracy, speed-up over CVM, training time and sizes."
    ),
    "frandi2013-fig5": _figure(
        "frandi2013.fig5", "runs descriptions", "Smaller single data sets: accuracy and speed-up over CVM."
    ),
    "frandi2013-fig6": _figure(
        "frandi2013.fig6", "runs descriptions", "Larger single data sets: accuracy and speed-up over CVM."
    ),
    "frandi2013-fig7": _figure("frandi2013.fig7", "runs", "Accuracy and time against C on shuttle and kdd99-10pc."),
    "frandi2013-fig8": _figure("frandi2013.fig8", "runs", "Accuracy and time against C on pendigits and reuters."),
    "nanculef2014-table1": _table(
        "nanculef2014.table1", "descriptions", "Features of the data sets, ours beside the printed."
    ),
    "nanculef2014-table2": _table(
        "nanculef2014.table2",
        "tests runs",
        "Significance tests of SWAP and SWAP-2o against FW, MFW and CVM, beside the printed.",
    ),
    "nanculef2014-fig1": _figure("nanculef2014.fig1", "sketches", "Sketch: search directions of FW, MFW and SWAP."),
    "nanculef2014-fig2": _figure("nanculef2014.fig2", "runs descriptions", "Web and Adult: accuracy."),
    "nanculef2014-fig3": _figure(
        "nanculef2014.fig3", "runs descriptions", "Web and Adult: training time and speed-up over CVM."
    ),
    "nanculef2014-fig4": _figure(
        "nanculef2014.fig4", "runs descriptions", "Web and Adult: model size, absolute and in per cent."
    ),
    "nanculef2014-fig5": _figure("nanculef2014.fig5", "runs descriptions", "Medium and large data sets: accuracy."),
    "nanculef2014-fig6": _figure("nanculef2014.fig6", "runs descriptions", "protein: accuracy and model size."),
    "nanculef2014-fig7": _figure("nanculef2014.fig7", "runs descriptions", "Medium and large data sets: model size."),
    "nanculef2014-fig8": _figure(
        "nanculef2014.fig8", "runs descriptions", "protein: training time and speed-up over CVM."
    ),
    "nanculef2014-fig9": _figure(
        "nanculef2014.fig9", "runs descriptions", "Medium and large data sets: training time and speed-up over CVM."
    ),
    "nanculef2014-fig10": _figure(
        "nanculef2014.fig10", "runs descriptions", "Polynomial kernel on Web: accuracy and training time."
    ),
    "nanculef2014-fig11": _figure(
        "nanculef2014.fig11",
        "runs descriptions",
        "Polynomial kernel: model size on Web; accuracy, time and size on shuttle and reuters.",
    ),
    "tsang2005-fig1": _figure(
        "tsang2005.fig1", "sketches", "Sketch: a core-set and the ball that it encloses the points with."
    ),
    "tsang2005-fig2": _figure(
        "tsang2005.fig2", "runs tsang2005", "Checkerboard: time, size and error of CVM and other trainers."
    ),
    "tsang2005-fig3": _figure(
        "tsang2005.fig3", "runs tsang2005", "Forest cover type: time, size and error of CVM and LIBSVM."
    ),
    "tsang2005-fig4": _figure(
        "tsang2005.fig4", "runs tsang2005", "Adult: time, size and error of CVM and other trainers."
    ),
    "tsang2005-oneclass": _figure(
        "tsang2005.oneclass", "runs tsang2005", "The one-class L2-SVM beside scikit-learn's OneClassSVM."
    ),
    "singh-table1": _table("singh.table1", "runs singh", "Physical cost of MFW on two circles, beside the printed."),
    "singh-fig1": _figure("singh.fig1", "runs singh", "Two circles: the data and the learnt decision function."),
    "singh-fig2": _figure("singh.fig2", "runs singh", "Two circles: convergence of the dual objective."),
    "singh-fig3": _figure("singh.fig3", "runs singh", "Two circles: convergence of the iterates."),
    "singh-fig4": _figure("singh.fig4", "runs singh", "Two circles: step sizes and size of the coreset."),
    "singh-fig5": _figure("singh.fig5", "runs singh", "Two circles: accuracy, precision, recall and F1 per step."),
    "singh-fig6": _figure("singh.fig6", "sketches", "Sketch: hard margin and hinge loss."),
    "singh-signerror": _figure(
        "singh.signerror", "runs singh", "The listing's radius update with its wrong sign, followed."
    ),
    "alaiz2018-table1": _table("alaiz2018.table1", "alaiz2018", "Data sets: sizes, dimension and majority class."),
    "alaiz2018-table2": _table(
        "alaiz2018.table2",
        "runs alaiz2018",
        "SVM and M-FW on ijcnn1 and magic: accuracy, support vectors and iterations.",
    ),
    "alaiz2018-table3": _table(
        "alaiz2018.table3",
        "runs alaiz2018",
        "SVM, M-FW and M-FW with fixed C on nine data sets, with ranks by Wilcoxon tests.",
    ),
    "alaiz2018-table4": _table(
        "alaiz2018.table4", "runs alaiz2018", "M-FW in per cent of the SVM, over nine data sets."
    ),
    "alaiz2018-table5": _table(
        "alaiz2018.table5", "runs alaiz2018", "How support vectors and accuracy of M-FW depend on its initial point."
    ),
    "alaiz2018-fig1": _figure(
        "alaiz2018.fig1", "sketches", "Sketch: feasible region of the weighted SVM for three patterns."
    ),
    "alaiz2018-fig2": _figure("alaiz2018.fig2", "sketches", "Sketch: a pattern's multiplier against its weight."),
    "alaiz2018-fig3": _figure(
        "alaiz2018.fig3", "runs alaiz2018", "ijcnn1 and magic: accuracy, support vectors and iterations against C."
    ),
    "alaiz2018-fig4": _figure(
        "alaiz2018.fig4", "alaiz2018", "Accuracy and support vectors against iterations on the largest data set."
    ),
    "beyond-gamma": _table(
        "kernel_width.gamma_table", "runs", "CVM at three kernel widths beside the printed accuracy."
    ),
    "summary": _table(
        "summary.summary_table",
        "runs descriptions",
        "All methods on all data sets: accuracy, time, support vectors and gap, with the majority class and SVC.",
    ),
    "claims": _table(
        "claims.claims_table",
        "runs tests tsang2005 singh alaiz2018",
        "The papers' quantitative statements, judged on our runs.",
    ),
    "beyond-stopping": _figure("stopping.stopping_chart", "runs", "How much of the speed-up is early stopping."),
    "beyond-stopping-table": _table(
        "stopping.stopping_table", "runs", "How much of the speed-up is early stopping, in numbers."
    ),
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


def output_paths(
    artefact_id: str,
    results_dir: str | os.PathLike,
    figures_dir: str | os.PathLike,
    formats: Iterable[str] = FIGURE_FORMATS,
) -> list[Path]:
    """Return the files that `write` makes for an artefact, unless it is skipped."""
    if artefact(artefact_id).kind == "table":
        return [Path(results_dir) / "tables" / f"{artefact_id}.{ending}" for ending in TABLE_ENDINGS]
    return [Path(figures_dir) / f"{artefact_id}.{ending}" for ending in (*formats, "md")]


def needed_inputs(artefact_ids: Iterable[str] = ()) -> list[str]:
    """Return the inputs that these artefacts need (default: all artefacts)."""
    chosen = [artefact(artefact_id) for artefact_id in artefact_ids or ARTEFACTS]
    return list(dict.fromkeys(name for entry in chosen for name in entry.needs))


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
    NotDrawableError
        If none of its data are in the run.
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
    formats: Iterable[str] = FIGURE_FORMATS,
) -> list[Path]:
    """Draw one artefact and write its files.

    Tables go to ``<results_dir>/tables/<id>.{csv,md,tex}``, figures to ``<figures_dir>/<id>.<format>``
    with their caption in ``<id>.md``. The same inputs give the same bytes.

    Returns
    -------
    list of Path
        The files, as `output_paths` lists them.

    Raises
    ------
    UserError
        As `render`.
    NotDrawableError
        If none of its data are in the run; files of an earlier run are removed then.
    """
    try:
        result = render(artefact_id, inputs)
    except NotDrawableError:
        for path in output_paths(artefact_id, results_dir, figures_dir):
            path.unlink(missing_ok=True)
        raise
    if artefact(artefact_id).kind == "table":
        return result.write(Path(results_dir) / "tables" / artefact_id)
    from fwsvm.render.figures_io import save_figure

    stem = Path(figures_dir) / artefact_id
    paths = save_figure(result.figure, stem, result.caption, formats)
    caption = stem.with_name(f"{artefact_id}.md")
    _write_text(caption, f"![{artefact_id}]({paths[0].name})\n\n{result.caption}\n")
    return [*paths, caption]


def write_many(
    artefact_ids: Iterable[str],
    inputs: Mapping[str, Any],
    results_dir: str | os.PathLike,
    figures_dir: str | os.PathLike,
    formats: Iterable[str] = FIGURE_FORMATS,
) -> tuple[dict[str, list[Path]], dict[str, str]]:
    """Draw some artefacts one after another, and write their files as `write` does.

    Parameters
    ----------
    artefact_ids : iterable of str
    inputs : mapping
        What any of them needs (`needed_inputs`).
    results_dir, figures_dir : path-like
    formats : iterable of {"svg", "pdf", "png"}
        Of the figures.

    Returns
    -------
    written : dict of str to list of Path
        Artefact id -> its files.
    skipped : dict of str to str
        Artefact id -> why there was nothing to draw (`fwsvm.render.skipping.skipped_line` makes a line of it).

    Raises
    ------
    UserError
        If there is no such artefact, or an input is missing; nothing is written then.
    """
    artefact_ids = list(artefact_ids)
    absent = [name for name in needed_inputs(artefact_ids) if name not in inputs] if artefact_ids else []
    if absent:
        raise UserError(f"the artefacts need {' and '.join(absent)}; given: {', '.join(inputs)}")
    written, skipped = {}, {}
    for artefact_id in artefact_ids:
        try:
            written[artefact_id] = write(artefact_id, inputs, results_dir, figures_dir, formats)
        except NotDrawableError as error:
            skipped[artefact_id] = error.reason
    return written, skipped


def write_all(
    inputs: Mapping[str, Any], results_dir: str | os.PathLike, figures_dir: str | os.PathLike, n_jobs: int = 1
) -> tuple[dict[str, list[Path]], dict[str, str]]:
    """Draw every artefact as `write_many` does, in `n_jobs` processes (-1: one for each core), and list the skipped.

    The skipped ones go to ``<results_dir>/skipped.json`` (see `write_skipped`).

    Returns
    -------
    written, skipped : dict
        As `write_many`, in the order of `ARTEFACTS`.

    Raises
    ------
    UserError
        If an input that some artefact needs is missing; nothing is written then.
    """
    if n_jobs == 1:
        written, skipped = write_many(ARTEFACTS, inputs, results_dir, figures_dir)
    else:
        written, skipped = _write_in_processes(inputs, results_dir, figures_dir, n_jobs)
    write_skipped(skipped, results_dir)
    return written, skipped


def _write_in_processes(inputs, results_dir, figures_dir, n_jobs):
    from joblib import Parallel, delayed, effective_n_jobs

    names, parts = list(ARTEFACTS), effective_n_jobs(n_jobs)
    done = Parallel(n_jobs, max_nbytes=None)(
        delayed(write_many)(names[part::parts], inputs, results_dir, figures_dir) for part in range(parts)
    )
    written = {name: paths for some, _ in done for name, paths in some.items()}
    skipped = {name: reason for _, some in done for name, reason in some.items()}
    return tuple({name: found[name] for name in names if name in found} for found in (written, skipped))


def write_skipped(skipped: Mapping[str, str], results_dir: str | os.PathLike) -> Path:
    """Write ``<results_dir>/skipped.json``, skipped artefact -> reason, and return its path."""
    path = Path(results_dir) / SKIPPED
    in_order = {name: skipped[name] for name in ARTEFACTS if name in skipped}
    _write_text(path, json.dumps(in_order, indent=1, ensure_ascii=False) + "\n")
    return path


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        temporary.write_bytes(text.encode())
