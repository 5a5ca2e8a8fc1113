"""How many runs a configuration asks for, and what they cost: at most, and as measured where there are results."""

from pathlib import Path

import pandas as pd

from fwsvm.base.markdown import markdown_rows
from fwsvm.base.result_files import read_whole_json
from fwsvm.pipeline.healing import missing_sets
from fwsvm.runs.jobs import number_of_runs
from fwsvm.runs.protocols import OF_SELECTION
from fwsvm.runs.records import read_runs
from fwsvm.runs.stop_reasons import LIMIT_REASONS
from fwsvm.studies.benchmark.tuning_plan import grids, number_of_fits

_JOB = ["experiment", "protocol", "dataset", "method"]
COLUMNS = (*_JOB, "jobs", "runs", "limit_s", "measured_runs", "measured_s", "job_s", "at_limit")


def costs(study, results=None, datasets=None):
    """What every job of a study costs.

    Parameters
    ----------
    study : Study
    results : path-like, optional
        Folder of results (`results/<profile>`); what is there of runs and parameters counts as measured.
    datasets : list of str, optional
        By default those of the study; without the missing ones where `results` has an inventory.

    Returns
    -------
    DataFrame
        One row per job, tuning jobs (experiments `tuning` and `cross-validation`) first: the columns of `Job`, ``jobs``
        (1), ``runs``, ``limit_s`` (all runs at their time limits, CPU seconds), ``measured_runs``, ``measured_s`` (wall
        seconds of training; CPU seconds of the fits of tuning jobs), ``job_s`` (wall seconds of the job with loading,
        certificates and tests), ``at_limit`` (measured runs that ended at a limit).
    """
    if datasets is None:
        datasets = [name for name in study.datasets if name not in missing_sets(results, strict=True)]
    rows = [_tuning(study, folder, dataset, results) for folder, dataset in study.tuning_jobs(datasets)]
    jobs = study.jobs(datasets)
    measured, walls = _measured(results, jobs), _walls(results)
    for job in jobs:
        settings = study.job_settings(job)
        runs = number_of_runs(settings)
        done = measured.get(tuple(job), {"measured_runs": 0, "measured_s": 0.0, "at_limit": 0})
        wall = walls.get(job.name, 0.0)
        rows.append(
            {**job._asdict(), "jobs": 1, "runs": runs, "limit_s": runs * settings["time_limit"], **done, "job_s": wall}
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def summary(table, by):
    """Costs summed over the jobs that agree in the columns `by`, with a last row of all."""
    numbers = [name for name in COLUMNS if name not in _JOB]
    groups = table.groupby(list(by), sort=False)[numbers].sum().reset_index()
    total = {**dict.fromkeys(by, ""), by[0]: "all", **table[numbers].sum().to_dict()}
    return pd.concat([groups, pd.DataFrame([total])], ignore_index=True)


def markdown(sums, by):
    """A table of `summary` as Markdown, in minutes."""
    heads = {
        "jobs": "jobs",
        "runs": "runs",
        "limit_s": "all runs at their limits, min",
        "measured_runs": "measured runs",
        "measured_s": "measured, min",
        "job_s": "with loading, certificates, tests, min",
        "at_limit": "at a limit",
    }
    rows = [
        [row[name] for name in by]
        + [f"{row[key] / 60:.1f}" if key.endswith("_s") else f"{row[key]:.0f}" for key in heads]
        for row in sums.to_dict("records")
    ]
    return markdown_rows([*by, *heads.values()], rows, "l" * len(by) + "r" * len(heads))


def _tuning(study, folder, dataset, results):
    settings = study.tuning_settings(folder, dataset)
    runs = number_of_fits(settings)
    row = {
        "experiment": "cross-validation" if "cross_validation" in settings else "tuning",
        "protocol": OF_SELECTION.get(settings["selection"], settings["selection"]),
        "dataset": dataset,
        "method": settings["method"],
        "jobs": 1,
        "runs": runs,
        "limit_s": runs * settings["time_limit"],
    }
    path = Path(results or "", folder, f"{dataset}.json")
    if results is None or not path.is_file():
        return {**row, "measured_runs": 0, "measured_s": 0.0, "job_s": 0.0, "at_limit": 0}
    tuned = read_whole_json(path)
    parts = [part for grid in grids(tuned) for part in grid]
    limited = sum(part.get("fits_at_limit", part.get("stop_reason") in LIMIT_REASONS) for part in parts)
    seconds = sum(part["train_cpu_s"] for part in parts)
    return {
        **row, "measured_runs": sum(part.get("folds", tuned.get("folds", 1)) for part in parts), "measured_s": seconds,
        "job_s": tuned.get("wall_s", 0.0), "at_limit": limited,
    }  # fmt: skip


def _measured(results, jobs):
    """Job -> sums over its runs; those of a method without a job of its own count for the job beside which they ran."""
    paths = [path for name in ("runs.tsv", "runs.tsv.gz") if (path := Path(results or "", name)).is_file()]
    if results is None or not paths:
        return {}
    path = paths[0]
    runs = read_runs(path)
    runs["at_limit"] = runs["stop_reason"].isin(LIMIT_REASONS)
    jobs, host = {tuple(job) for job in jobs}, {tuple(job[:3]): job.method for job in jobs}
    own = zip(*(runs[name] for name in _JOB), strict=True)
    runs["method"] = [job[3] if job in jobs else host.get(job[:3], job[3]) for job in own]
    groups = runs.groupby(_JOB).agg(
        measured_runs=("seed", "size"), measured_s=("train_wall_s", "sum"), at_limit=("at_limit", "sum")
    )
    return groups.to_dict("index")


def _walls(results):
    """Name of a job -> its wall seconds; jobs from before protocols had names get theirs from the selection."""
    path = Path(results or "", "provenance.json")
    if results is None or not path.is_file():
        return {}
    jobs = read_whole_json(path).get("jobs", {})
    walls = {}
    for name, record in jobs.items():
        experiment, *rest = name.split("/")
        named = "/".join([experiment, OF_SELECTION.get(rest[0], rest[0]), *rest[1:]]) if rest else name
        walls[named] = record.get("wall_s", 0.0)
    return walls
