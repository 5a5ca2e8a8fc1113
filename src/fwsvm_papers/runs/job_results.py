"""Functions that run training jobs, save the result of each job as soon as it ends, and read saved
results.

A result is a dict with rows of the table of runs, details for figures, a record for
provenance.json, and a key. The key is a hash of everything that determines the result. A result is
saved as a JSON file in the folder `cells`.

All jobs of an experiment on a data set form a batch. The file of a batch maps the name of each job
to the key of the job's result.
"""

import importlib
import json
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pandas as pd

from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.result_files import (
    damaged_result,
    hash_of_settings,
    read_whole_json,
    with_checksum,
    without_checksum,
    write_atomically,
    write_json,
)
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Experiment, Job, tuned_under
from fwsvm_papers.runs.records import distinct_runs

_LOG = logging.getLogger(__name__)


def name_of(job: Job) -> str:
    """Return the name of a job in the file of its batch and in provenance.json."""
    return "/".join(job)


def result_path(job: Job, results: str | Path) -> Path:
    """Return the path of the saved result of a job in the folder `results`."""
    name = f"{job.protocol}-{job.method}.json"
    return Path(results, "cells", job.experiment, job.dataset, name)


def run_jobs(
    experiment: Experiment,
    jobs: Sequence[Job],
    settings: Sequence[dict],
    prepared: Prepared,
    tuned: dict | None,
    code: str,
    results: str,
) -> list[dict]:
    """Run the jobs of a batch, except those that have a valid saved result.

    `settings` has the settings of each job, `code` is the hash of the experiment's code, and
    `results` is the folder of results. Return the results of all jobs, in the order of `jobs`. For
    this experiment and data set, saved results of jobs that are not in `jobs` are removed.
    """
    found = []
    for number, (job, chosen) in enumerate(zip(jobs, settings, strict=True), start=1):
        path, key = result_path(job, results), _key(job, chosen, prepared.meta, tuned, code)
        found.append(
            _kept(path, key)
            or _keep(path, {"key": key} | _train(experiment, job, chosen, prepared, tuned))
        )
        _LOG.info("%d of %d jobs done", number, len(jobs))
    kept = {result_path(job, results) for job in jobs}
    for folder in {path.parent for path in kept}:
        # remove the files of jobs that are no longer in the configuration
        for path in set(folder.glob("*.json")) - kept:
            path.unlink(missing_ok=True)
    return found


def run_job(
    experiment: Experiment, job: Job, settings: dict, prepared: Prepared, tuned: dict | None
) -> tuple[list[dict], dict | None]:
    """Run a job and return (rows, details). For an experiment without details, the second element
    is None.
    """
    run = importlib.import_module(experiment.runner).run
    found = (
        run(prepared, job, settings)
        if experiment.tuned is None
        else run(prepared, tuned, job, settings)
    )
    return found if experiment.has_details else (found, None)


def write_batch(jobs: Sequence[Job], found: Sequence[dict], path: str | Path) -> None:
    """Write the file of a batch, which `finished_jobs` reads. `found` has the results of `jobs`, in
    the same order.
    """
    keys = {name_of(job): result["key"] for job, result in zip(jobs, found, strict=True)}
    write_json({"cells": keys}, path)


def finished_jobs(batches: Iterable[str | Path]) -> list[tuple[Job, dict]]:
    """Return a list of pairs (job, result) for all jobs in the files `batches`.

    If a result is missing, or if its key differs from the key in the file of the batch, raise an
    error whose message names the file of the batch.
    """
    found = []
    for batch in map(Path, batches):
        for name, key in read_whole_json(batch)["cells"].items():
            job = Job(*name.split("/"))
            path = result_path(job, batch.parents[2])
            try:
                result = read_result(path)
            except (OSError, ValueError) as error:
                raise damaged_result(batch, f"the result of a job ({path}): {error}") from error
            if result["key"] != key:
                raise damaged_result(batch, f"the result of a job ({path}) is from another run")
            found.append((job, result))
    return found


def runs_of(done: Iterable[tuple[Job, dict]]) -> pd.DataFrame:
    """Return the table of runs of finished jobs."""
    return distinct_runs(pd.DataFrame([row for _, result in done for row in result["rows"]]))


def tune_or_keep(
    tune: Callable, prepared: Prepared, settings: dict, code: str, path: str | Path
) -> dict:
    """Return the dict that the function `tune` returns, with the further key `wall_s`, which is the
    wall time of tuning in seconds.

    If `path` has a saved result for the same settings, code and data, return that result without
    tuning again.
    """
    path, key = Path(path), _tuning_key(settings, prepared.meta, code)
    result = _kept(path, key)
    if result is None:
        started = time.perf_counter()
        tuned = tune(prepared, settings)
        result = _keep(
            path, {"key": key, "tuned": {**tuned, "wall_s": time.perf_counter() - started}}
        )
    return result["tuned"]


def saved_tuning(settings: dict, meta: dict, code: str, path: str | Path) -> dict | None:
    """Return the dict that `tune_or_keep` would return for data with this `meta.json` without
    tuning again. If it would tune again, return None.
    """
    result = _kept(Path(path), _tuning_key(settings, meta, code))
    return result and result["tuned"]


def has_saved_result(
    job: Job, settings: dict, meta: dict, tuned: dict | None, code: str, results: str | Path
) -> bool:
    """Test whether `run_jobs` would use the saved result of a job on data with this `meta.json`."""
    return _kept(result_path(job, results), _key(job, settings, meta, tuned, code)) is not None


def read_result(path: Path) -> dict:
    """Read a saved result.

    If the file cannot be read, an OSError is raised. If the content is damaged, a ValueError is
    raised.
    """
    try:
        result = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"it is not valid JSON: {error}") from error
    if not isinstance(result, dict):
        raise ValueError("it is not a JSON object")
    return without_checksum(result)


def _kept(path: Path, key: str) -> dict | None:
    """Return the saved result of a job, if its key is `key`.

    If the result is missing, damaged or outdated, return None, which means that the job must run.
    """
    try:
        result = read_result(path)
        return result if result.get("key") == key else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _LOG.warning("%s is damaged (%s); its job runs again if the result is needed", path, error)
        return None


def _keep(path: Path, result: dict) -> dict:
    """Save a result as JSON with a checksum.

    Return the result with Python numbers instead of NumPy numbers.
    """
    kept = with_checksum(result)
    write_atomically(path, json.dumps(kept).encode())
    return without_checksum(kept)


def _train(
    experiment: Experiment, job: Job, settings: dict, prepared: Prepared, tuned: dict | None
) -> dict:
    started = time.perf_counter()
    rows, details = run_job(experiment, job, settings, prepared, tuned)
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


def _tuning_key(settings: dict, meta: dict, code: str) -> str:
    """Return a hash of everything that determines the result of tuning."""
    return hash_of_settings([settings, code, _data(meta)])


def _key(job: Job, settings: dict, meta: dict, tuned: dict | None, code: str) -> str:
    """Return a hash of everything that determines the result of a job."""
    own = tuned and tuned_under(tuned, settings.get("protocol", job.protocol))
    chosen = own and {
        name: own.get(name) for name in ("sigma2", "gamma", "gamma_rule", "C", "C_rule")
    }
    return hash_of_settings([*job, settings, chosen, _data(meta), code])


def _data(meta: dict) -> dict:
    """Return the content of `meta.json`, without the versions of packages and the addresses of the
    files.
    """
    kept = {name: value for name, value in meta.items() if name != "versions"}
    return kept | {
        "sources": [{k: v for k, v in source.items() if k != "url"} for source in kept["sources"]]
    }
