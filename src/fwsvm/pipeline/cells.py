"""The training jobs of one experiment on one data set, each kept as soon as it is done.

Snakemake starts one process for all of them, since the start of a process takes longer than many a training run. Each
finished job is a file of its own, named by the job and marked with a key: a hash of all that decides its rows
(settings, code, tuned parameters, data). So a process that was interrupted goes on where it was, and a changed setting
of one method trains that method only.
"""

import json
import logging
import time
from pathlib import Path

import pandas as pd

from fwsvm.pipeline import job as workflow_job
from fwsvm.pipeline.config import hash_of_settings
from fwsvm.pipeline.healing import set_aside
from fwsvm.pipeline.job import write_text
from fwsvm.runs.records import write_runs
from fwsvm.studies.benchmark.tuning_plan import of_protocol
from fwsvm.studies.registry import EXPERIMENTS

_LOG = logging.getLogger(__name__)
_PARTS = {"key", "rows", "details", "record"}


def run_cells(jobs, settings, prepared, tuned, code, results, report=None):
    """Do the jobs of one experiment on one data set that are not done yet.

    Parameters
    ----------
    jobs : list of Job
    settings : list of dict
        Of each of them (`Study.job_settings`).
    prepared : Prepared
    tuned : dict or None
        Tuned parameters (`tune`); None for experiments without.
    code : str
        Hash of the code of the experiment (`Experiment.code`).
    results : str
        Folder of results.
    report : callable, optional
        Called without arguments at the start and after every job.

    Returns
    -------
    list of dict
        Content of each job's file: ``key``, ``code``, ``rows`` of the runs table, ``details`` (None, or what else is
        shown) and ``record`` (provenance and ``wall_s``).
    """
    cells, done_before = [], 0
    if report is not None:
        report()
    for job, chosen in zip(jobs, settings, strict=True):
        path = Path(job.cell(results))
        key = _key(job, chosen, prepared, tuned, code)
        cell = read_cell(path)
        if cell is None or cell["key"] != key:
            cell = {"key": key, "code": code} | _train(job, chosen, prepared, tuned)
            write_text(json.dumps(cell, default=_plain), path)
            cell = read_cell(path)
            if report is not None:
                report()
        else:
            done_before += 1
        cells.append(cell)
    if done_before:
        _LOG.info("%d of %d jobs were done before and are as they were", done_before, len(jobs))
    _remove_others(jobs, results)
    return cells


def write_cells(jobs, cells, runs, provenance, details):
    """Write what the jobs gave: the runs table, the provenance of each job, the details of those that have any."""
    pairs = list(zip(jobs, cells, strict=True))
    shown = [_named(job) | cell["details"] for job, cell in pairs if cell["details"]]
    write_text(json.dumps(shown) + "\n", details)
    records = {job.name: cell["record"] | {"rows": len(cell["rows"])} for job, cell in pairs}
    write_text(json.dumps(records, indent=1) + "\n", provenance)
    write_runs(pd.DataFrame([row for _, cell in pairs for row in cell["rows"]]), runs)


def tune_or_keep(tune, prepared, settings, code, path):
    """What tuning gave, or has given before with the same settings, code and data.

    Snakemake tunes again whenever the prepared data are newer, as where a damaged array has been made again.

    Parameters
    ----------
    tune : callable
        `tune(prepared, settings)` returns a dict.
    prepared : Prepared
    settings : dict
    code : str
        Hash of the code of `tune`.
    path : path-like
        File that keeps it.

    Returns
    -------
    dict
        What `tune` returned, and ``wall_s``: how long it took.
    """
    key = hash_of_settings([settings, code, _data(prepared)])
    cell = read_cell(path, {"key", "tuned"})
    if cell is None or cell["key"] != key:
        started = time.perf_counter()
        tuned = tune(prepared, settings)
        cell = {"key": key, "tuned": {**tuned, "wall_s": time.perf_counter() - started}}
        write_text(json.dumps(cell, default=_plain), path)
    return cell["tuned"]


def read_cell(path, parts=_PARTS):
    """Content of a job's file; None if it is not there or not whole, so that the job is done again."""
    try:
        cell = json.loads(Path(path).read_text())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        _LOG.warning("%s cannot be read (%s); its job is done again", path, error.strerror)
        return None
    except ValueError as error:
        set_aside(path, f"it is not a whole JSON file: {error}", "its job is done again")
        return None
    return cell if isinstance(cell, dict) and parts <= set(cell) else None


def is_outdated(cell, settings, code):
    """Whether a job's file is one of other settings or code, as far as it says."""
    before = cell["record"].get("settings", settings)
    is_changed = before != settings and hash_of_settings(before) != hash_of_settings(settings)
    return cell.get("code", code) != code or is_changed


def _named(job):
    return {"protocol": job.protocol, "dataset": job.dataset, "method": job.method}


def _train(job, settings, prepared, tuned):
    started = time.perf_counter()
    rows, details = EXPERIMENTS[job.experiment].run(prepared, tuned, job, settings)
    record = workflow_job.provenance(settings, prepared.meta) | {"wall_s": time.perf_counter() - started}
    stood_in = bool(prepared.meta.get("stand_in"))
    rows = [{"protocol": job.protocol, "stand_in": stood_in, **row} for row in rows]
    return {"rows": rows, "details": details, "record": record}


def _key(job, settings, prepared, tuned, code):
    """Hash of all that decides the rows of a job."""
    own = tuned and of_protocol(tuned, job.protocol)
    chosen = own and {name: own.get(name) for name in ("sigma2", "gamma", "gamma_rule", "C", "C_rule")}
    return hash_of_settings([*job, settings, chosen, _data(prepared), code])


def _data(prepared):
    """What `meta.json` has of the data, without the versions of packages and where files came from."""
    kept = {name: value for name, value in prepared.meta.items() if name != "versions"}
    return kept | {"sources": [{k: v for k, v in source.items() if k != "url"} for source in kept["sources"]]}


def _remove_others(jobs, results):
    """Remove the files of jobs that the configuration no longer has."""
    kept = {Path(job.cell(results)) for job in jobs}
    for folder in {path.parent for path in kept}:
        for path in folder.glob("*.json"):
            if path not in kept:
                path.unlink(missing_ok=True)


def _plain(value):
    """A numpy number as JSON takes it."""
    return value.item() if hasattr(value, "item") else value.tolist()
