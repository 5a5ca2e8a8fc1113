"""Every table and figure: what draws it and what that needs. A new one is one function and one entry here.

Importing this module imports nothing that draws: the function of an artefact is imported when it is first used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fwsvm.base.errors import UserError
from fwsvm.base.result_files import write_atomically
from fwsvm.reporting.artefact import FIRST, Artefact, table
from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.runs.protocols import PROTOCOLS, protocol_words
from fwsvm.studies.about import about
from fwsvm.studies.registry import STUDIES, WITH_DETAILS

if TYPE_CHECKING:
    from fwsvm.reporting.figures import Chart
    from fwsvm.reporting.tables import Table

OPTIONAL_INPUTS = ("missing",)
"""Inputs that every artefact takes if they are there: data set -> why it is not in the profile."""

TABLE_ENDINGS = ("csv", "md", "tex")
FIGURE_FORMATS = ("svg", "pdf", "png")

SKIPPED = "skipped.json"
"""File in the folder of results: skipped artefact -> reason."""


def _with_variants(artefact_id: str, entry: Artefact) -> dict[str, Artefact]:
    """The artefact and, where it shows one protocol only, its variants under the others."""
    others = PROTOCOLS[1:] if entry.protocol == FIRST else ()
    variants = {
        f"{artefact_id}--{protocol}": replace(
            entry, protocol=protocol, caption=f"{entry.caption} ({protocol_words(protocol)})"
        )
        for protocol in others
    }
    return {artefact_id: entry, **variants}


ARTEFACTS = {
    **{
        name: variant
        for study in STUDIES.values()
        for artefact_id, entry in getattr(study, "ARTEFACTS", {}).items()
        for name, variant in _with_variants(artefact_id, entry).items()
    },
    "claims": table(
        f"{__package__}.claims_table",
        "claims_table",
        " ".join(("runs", "tests", *(name for name in WITH_DETAILS if name in STUDIES))),
        "The papers' quantitative statements, judged on our runs.",
    ),
}
"""Artefact id, ``<paper>-<table|fig><n>`` or ``beyond-<subject>``, of a variant with ``--<protocol>`` -> artefact."""


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
    return [Path(figures_dir) / f"{artefact_id}.{ending}" for ending in (*formats, "csv", "md")]


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
        At least what the artefact needs; what it does not need is ignored. Where the runs are of several kinds of
        ``processors`` (names), the caption says so. Where they are the ``released`` ones, it begins with the finding.

    Raises
    ------
    UserError
        If there is no such artefact, or an input is missing.
    NotDrawableError
        If none of its data are in the run.
    """
    chosen = artefact(artefact_id)
    absent = [name for name in chosen.needs if name not in inputs and name not in WITH_DETAILS]
    if absent:
        raise UserError(f"artefact {artefact_id} needs {' and '.join(absent)}; given: {', '.join(inputs)}")
    names = (*chosen.needs, *(name for name in OPTIONAL_INPUTS if name in inputs))
    given = {name: inputs.get(name, ()) for name in names}  # an experiment that did not run left no details
    if chosen.protocol is not None:
        from fwsvm.runs.table import one_protocol  # which loads pandas

        given["runs"] = one_protocol(given["runs"], None if chosen.protocol == FIRST else chosen.protocol)
    drawn = chosen.function(**given)
    if replaced := _stand_ins(given):
        from fwsvm.reporting.stand_ins import marked

        drawn = marked(drawn, replaced)
    kinds, mixed = inputs.get("processors", []), ""
    if "runs" in chosen.needs and len(kinds) > 1:
        mixed = f"Runs on {len(kinds)} kinds of processors ({'; '.join(kinds)}): their times cannot be compared."
    written = about(artefact_id)
    finding = written.finding if inputs.get("released") else ""
    parts = (finding, written.caption or drawn.caption, drawn.notes, mixed)
    return replace(drawn, caption=" ".join(part for part in parts if part))


def _stand_ins(given: Mapping[str, Any]) -> list[str]:
    """Data sets whose stand-ins the inputs of an artefact have."""
    names = {row["dataset"] for row in given.get("descriptions", ()) if row.get("stand_in")}
    if "runs" in given:
        from fwsvm.runs.table import stand_ins

        names |= set(stand_ins(given["runs"]))
    return sorted(names)


def write(
    artefact_id: str,
    inputs: Mapping[str, Any],
    results_dir: str | os.PathLike,
    figures_dir: str | os.PathLike,
    formats: Iterable[str] = FIGURE_FORMATS,
) -> list[Path]:
    """Draw one artefact and write its files.

    Tables go to ``<results_dir>/tables/<id>.{csv,md,tex}``, figures to ``<figures_dir>/<id>.<format>`` with the
    numbers that they draw in ``<id>.csv`` and their caption in ``<id>.md``. The same inputs give the same bytes.

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
    entry = artefact(artefact_id)
    if entry.kind == "table":
        return result.write(Path(results_dir) / "tables" / artefact_id)
    from fwsvm.reporting.figures import save_figure

    stem = Path(figures_dir) / artefact_id
    for ending in set(FIGURE_FORMATS) - set(formats):  # of an earlier run
        stem.with_name(f"{artefact_id}.{ending}").unlink(missing_ok=True)
    paths = save_figure(result.figure, stem, result.caption, formats)
    numbers, caption = (stem.with_name(f"{artefact_id}.{ending}") for ending in ("csv", "md"))
    write_atomically(numbers, result.frame.to_csv(index=False, float_format="%.7g", lineterminator="\n").encode())
    links = f"[Numbers]({numbers.name}), [protocol](../../docs/protocol.md)"
    write_atomically(caption, f"![{entry.caption}]({paths[0].name})\n\n{result.caption}\n\n{links}\n".encode())
    return [*paths, numbers, caption]


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
    inputs : mapping
        What any of them needs (`needed_inputs`).
    formats : iterable of {"svg", "pdf", "png"}
        Of the figures.

    Returns
    -------
    written : dict of str to list of Path
        Artefact id -> its files.
    skipped : dict of str to str
        Artefact id -> why there was nothing to draw (`fwsvm.reporting.skipping.skipped_line` makes a line of it).

    Raises
    ------
    UserError
        If there is no such artefact, or an input is missing; nothing is written then.
    """
    artefact_ids = list(artefact_ids)
    needed = needed_inputs(artefact_ids) if artefact_ids else ()
    absent = [name for name in needed if name not in inputs and name not in WITH_DETAILS]
    if absent:
        raise UserError(f"the artefacts need {' and '.join(absent)}; given: {', '.join(inputs)}")
    written, skipped = {}, {}
    for artefact_id in artefact_ids:
        try:
            written[artefact_id] = write(artefact_id, inputs, results_dir, figures_dir, formats)
        except NotDrawableError as error:
            if artefact(artefact_id).protocol in (None, FIRST):  # a variant is drawn where its protocol was run
                skipped[artefact_id] = str(error)
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
    write_atomically(path, (json.dumps(in_order, indent=1, ensure_ascii=False) + "\n").encode())
    return path
