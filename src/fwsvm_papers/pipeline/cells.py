"""Run the training jobs of an experiment on a data set in one process, and save the result of
each job immediately.
"""

import json
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.result_files import (
    hash_of_settings,
    with_checksum,
    without_checksum,
    write_atomically,
    write_json,
)
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.batches import read_cell
from fwsvm_papers.runs.jobs import Job, tuned_under
from fwsvm_papers.studies.registry import EXPERIMENTS

_LOG = logging.getLogger(__name__)


def run_cells(
    jobs: Sequence[Job],
    settings: Sequence[dict],
    prepared: Prepared,
    tuned: dict | None,
    code: str,
    results: str,
) -> list[dict]:
    """Run the jobs of an experiment on a data set, except those with a saved result (cell).

    Return the cells of all jobs.
    """
    cells = []
    for number, (job, chosen) in enumerate(zip(jobs, settings, strict=True), start=1):
        path, key = Path(job.cell(results)), _key(job, chosen, prepared, tuned, code)
        cells.append(
            _kept(path, key) or _keep(path, {"key": key} | _train(job, chosen, prepared, tuned))
        )
        _LOG.info("%d of %d jobs done", number, len(jobs))
    kept = {Path(job.cell(results)) for job in jobs}
    for folder in {path.parent for path in kept}:
        # remove the files of jobs that are no longer in the configuration
        for path in set(folder.glob("*.json")) - kept:
            path.unlink(missing_ok=True)
    return cells


def write_batch(jobs: Sequence[Job], cells: Sequence[dict], path: str | Path) -> None:
    """Write a file that lists jobs and the keys of their cells. `fwsvm_papers.runs.batches` reads
    it.
    """
    keys = {job.name: cell["key"] for job, cell in zip(jobs, cells, strict=True)}
    write_json({"cells": keys}, path)


def tune_or_keep(
    tune: Callable, prepared: Prepared, settings: dict, code: str, path: str | Path
) -> dict:
    """Return the dict that `tune` returns, with the wall time of `tune` as a further key, `wall_s`.

    If `path` has a result for the same settings, code and data, this result is read, and nothing is
    tuned.
    """
    path, key = Path(path), hash_of_settings([settings, code, _data(prepared)])
    cell = _kept(path, key)
    if cell is None:
        started = time.perf_counter()
        tuned = tune(prepared, settings)
        cell = _keep(
            path, {"key": key, "tuned": {**tuned, "wall_s": time.perf_counter() - started}}
        )
    return cell["tuned"]


def _kept(path: Path, key: str) -> dict | None:
    """Return the saved result of a job.

    Return None if the job must run, because the result is missing, damaged or outdated.
    """
    try:
        cell = read_cell(path)
        return cell if cell.get("key") == key else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _LOG.warning("%s is damaged (%s); its job will run again", path, error)
        return None


def _keep(path: Path, cell: dict) -> dict:
    """Save a result as JSON with a checksum.

    Return the result with Python numbers instead of NumPy numbers.
    """
    kept = with_checksum(cell)
    write_atomically(path, json.dumps(kept).encode())
    return without_checksum(kept)


def _train(job: Job, settings: dict, prepared: Prepared, tuned: dict | None) -> dict:
    started = time.perf_counter()
    rows, details = EXPERIMENTS[job.experiment].run(prepared, tuned, job, settings)
    meta = prepared.meta
    record = {
        **measure.machine(),
        "commit": measure.git_commit(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "settings": settings,
        "dataset": meta["name"],
        "data_sha256": {source.get("name"): source.get("sha256") for source in meta["sources"]},
        "data_digest": meta["digest"],
        "wall_s": time.perf_counter() - started,
    }
    rows = [
        {"protocol": job.protocol, "stand_in": bool(meta.get("stand_in")), **row} for row in rows
    ]
    return {"rows": rows, "details": details, "record": record}


def _key(job: Job, settings: dict, prepared: Prepared, tuned: dict | None, code: str) -> str:
    """Return a hash of everything that determines the result of a job."""
    own = tuned and tuned_under(tuned, settings.get("protocol", job.protocol))
    chosen = own and {
        name: own.get(name) for name in ("sigma2", "gamma", "gamma_rule", "C", "C_rule")
    }
    return hash_of_settings([*job, settings, chosen, _data(prepared), code])


def _data(prepared: Prepared) -> dict:
    """Return the content of `meta.json` without the versions of packages and the addresses of
    the files.
    """
    kept = {name: value for name, value in prepared.meta.items() if name != "versions"}
    return kept | {
        "sources": [{k: v for k, v in source.items() if k != "url"} for source in kept["sources"]]
    }
