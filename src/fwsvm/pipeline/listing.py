"""What Snakemake knows of tables and figures: which paper they belong to, and which of them a run has drawn."""

import contextlib
import fcntl
import json
import logging
import os
from importlib.util import find_spec
from pathlib import Path

from fwsvm.base.code_hash import code_hash
from fwsvm.base.errors import UserError
from fwsvm.base.result_files import read_whole_json, write_atomically
from fwsvm.pipeline.artefacts import ARTEFACTS, write_many, write_skipped
from fwsvm.studies.about import about
from fwsvm.studies.registry import STUDIES

_LOG = logging.getLogger(__name__)


def papers():
    """Paper (or ``beyond``, ``claims``, ``summary``) -> the inputs that its artefacts are drawn from."""
    needs = {}
    for artefact_id, artefact in ARTEFACTS.items():
        needs.setdefault(paper_of(artefact_id), {}).update(dict.fromkeys(artefact.needs))
    return {paper: tuple(names) for paper, names in needs.items()}


def paper_of(artefact_id):
    """The part of an artefact's id that names its paper."""
    return artefact_id.split("-")[0]


def code_of_paper(paper):
    """Hash of the code that draws a paper's artefacts, the functions that do, and the captions."""
    chosen = [artefact_id for artefact_id in ARTEFACTS if paper_of(artefact_id) == paper]
    entries = [ARTEFACTS[artefact_id] for artefact_id in chosen]
    modules = {entry.module for entry in entries}
    if paper == "claims":  # which every study has some of
        papers_with_claims = [study.__name__ for study in STUDIES.values() if find_spec(f"{study.__name__}.claims")]
        modules |= {*papers_with_claims, *(f"{name}.claims" for name in papers_with_claims)}
    shared = ("pipeline.listing", "pipeline.inputs")
    hashed = code_hash(*shared, *(name.removeprefix("fwsvm.") for name in sorted(modules)))
    captions = dict.fromkeys(about(artefact_id).caption for artefact_id in chosen)
    return [hashed, *(f"{entry.module}.{entry.name}" for entry in entries), *captions]


def draw_paper(paper, inputs, results_dir, figures_dir, formats, listing):
    """Draw what there are data for of a paper, and list it.

    Parameters
    ----------
    paper : str
        A key of `papers`.
    inputs : dict
        As for `fwsvm.pipeline.artefacts.write_many`.
    results_dir, figures_dir : path-like
    formats : list of {"svg", "pdf", "png"}
        Of the figures.
    listing : path-like
        JSON file to write: ``written`` (artefact -> files) and ``skipped`` (artefact -> why).
    """
    chosen = [artefact_id for artefact_id in ARTEFACTS if paper_of(artefact_id) == paper]
    written, skipped = write_many(chosen, inputs, results_dir, figures_dir, formats)
    for artefact_id, reason in skipped.items():
        _LOG.info("skipped %s: %s", artefact_id, reason)
    files = {artefact_id: list(map(str, paths)) for artefact_id, paths in written.items()}
    content = json.dumps({"written": files, "skipped": skipped}, indent=1) + "\n"
    write_atomically(listing, content.encode())
    with _alone_in(Path(listing).parent):
        others = [path for path in Path(listing).parent.glob("*.json") if path != Path(listing)]
        write_skipped(
            {name: why for path in (*others, listing) for name, why in _part(path, "skipped").items()}, results_dir
        )


@contextlib.contextmanager
def _alone_in(folder):
    """Wait until no other process is here with this folder: papers are drawn side by side."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def drop_if_incomplete(listing):
    """Remove a listing some of whose files are gone or empty, so that they are drawn again; returns its name."""
    files = [Path(path) for paths in _written(listing).values() for path in paths]
    if not all(path.is_file() and path.stat().st_size for path in files):
        Path(listing).unlink(missing_ok=True)
    return listing


def _written(listing):
    """Artefact -> files of a listing."""
    return _part(listing, "written")


def _part(listing, name):
    """A part of a listing; empty where it is not there or is damaged."""
    try:
        return dict(read_whole_json(listing)[name])
    except (UserError, OSError, KeyError, TypeError, ValueError):
        return {}
