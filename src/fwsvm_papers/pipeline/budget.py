"""Functions that count the runs of a configuration.

For each group of runs, they compute an upper limit on the time, and the time that was measured in
earlier runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from fwsvm_papers.pipeline.data import missing_sets
from fwsvm_papers.result_files import markdown_rows, read_whole_json
from fwsvm_papers.runs import LIMIT_REASONS
from fwsvm_papers.runs.job_results import name_of
from fwsvm_papers.runs.jobs import number_of_runs, seconds_at_limits, tuned_grids, tuning_fits
from fwsvm_papers.runs.records import read_runs

if TYPE_CHECKING:
    from fwsvm_papers.pipeline.config import Configuration
    from fwsvm_papers.runs.jobs import Job

JOB = ["experiment", "protocol", "dataset", "method"]
NUMBERS = {
    "jobs": "jobs",
    "runs": "runs",
    "limit_s": "time if all runs end at their limits (min)",
    "measured_runs": "measured runs",
    "measured_s": "measured (min)",
    "job_s": "measured, including loading, certificates and tests (min)",
    "at_limit": "ended at a limit",
}
"""Maps the columns of a table of `costs` to the headings of the table from `markdown`.

The times in the table of `costs` are in seconds, and `markdown` converts them to minutes. `limit_s`
is CPU time. `measured_s` is wall time for training, and CPU time for tuning. `job_s` is wall time.
"""


def costs(configuration: Configuration, results: str | Path) -> pd.DataFrame:
    """Return a table with a row per job, which has the job's numbers of runs and its times. Tuning
    jobs come first.

    Measured times are read from the folder `results`. Jobs are left out if their data set was
    missing in the run that wrote this folder.
    """
    missing = missing_sets(results)
    datasets = [name for name in configuration.datasets if name not in missing]
    rows = [
        _tuning(configuration, folder, dataset, results)
        for folder, dataset in configuration.tuning_jobs(datasets)
    ]
    jobs = configuration.jobs(datasets)
    measured, provenance = _measured(results, jobs), Path(results, "provenance.json")
    records = read_whole_json(provenance)["jobs"] if provenance.is_file() else {}
    for job in jobs:
        settings = configuration.job_settings(job)
        runs, wall_s = number_of_runs(settings), records.get(name_of(job), {}).get("wall_s", 0.0)
        asked = {"jobs": 1, "runs": runs, "limit_s": seconds_at_limits(settings), "job_s": wall_s}
        rows.append(job._asdict() | asked | measured.get(tuple(job), {}))
    return pd.DataFrame(rows, columns=[*JOB, *NUMBERS]).fillna(0)


def summary(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Group the jobs with equal values in the columns `by`, and return a table with the sums of
    their times and of their numbers of runs.

    The last row has the total.
    """
    groups = table.groupby(list(by), sort=False)[list(NUMBERS)].sum().reset_index()
    total = {**dict.fromkeys(by, ""), by[0]: "all", **table[list(NUMBERS)].sum().to_dict()}
    return pd.concat([groups, pd.DataFrame([total])], ignore_index=True)


def markdown(sums: pd.DataFrame, by: list[str]) -> str:
    """Return a table from `summary` as Markdown, with times in minutes."""
    rows = [
        [row[name] for name in by]
        + [f"{row[key] / 60:.1f}" if key.endswith("_s") else f"{row[key]:.0f}" for key in NUMBERS]
        for row in sums.to_dict("records")
    ]
    return markdown_rows([*by, *NUMBERS.values()], rows, "l" * len(by) + "r" * len(NUMBERS))


def _tuning(configuration: Configuration, folder: str, dataset: str, results: str | Path) -> dict:
    settings = configuration.tuning_settings(folder, dataset)
    fits = tuning_fits(settings)
    row = {
        "experiment": "cross-validation" if "cross_validation" in settings else "tuning",
        "protocol": settings["selection"],
        "dataset": dataset,
        "method": settings["method"],
        "jobs": 1,
        "runs": sum(number for number, _ in fits),
        "limit_s": sum(number * seconds for number, seconds in fits),
    }
    path = Path(results, folder, f"{dataset}.json")
    if not path.is_file():
        return row
    tuned = read_whole_json(path)
    parts = [part for grid in tuned_grids(tuned) for part in grid]
    return row | {
        "measured_runs": sum(part.get("folds", part.get("parts", 1)) for part in parts),
        "measured_s": sum(part["train_cpu_s"] for part in parts),
        "job_s": tuned.get("wall_s", 0.0),
        "at_limit": sum(
            part.get("fits_at_limit", part.get("stop_reason") in LIMIT_REASONS) for part in parts
        ),
    }


def _measured(results: str | Path, jobs: list[Job]) -> dict:
    """Return a dict that maps each job to a dict with the number of its measured runs, the sum of
    their times, and the number of runs that ended at a limit.

    If a method has no job of its own, its runs are counted for the job that made these runs. If
    the folder `results` has no table of runs, the result is empty.
    """
    paths = [
        path for name in ("runs.tsv", "runs.tsv.gz") if (path := Path(results, name)).is_file()
    ]
    if not paths:
        return {}
    runs = read_runs(paths[0])
    runs["at_limit"] = runs["stop_reason"].isin(LIMIT_REASONS)
    wanted, host = {tuple(job) for job in jobs}, {tuple(job[:3]): job.method for job in jobs}
    own = zip(*(runs[name] for name in JOB), strict=True)
    runs["method"] = [job[3] if job in wanted else host.get(job[:3], job[3]) for job in own]
    groups = runs.groupby(JOB).agg(
        measured_runs=("seed", "size"),
        measured_s=("train_wall_s", "sum"),
        at_limit=("at_limit", "sum"),
    )
    return groups.to_dict("index")
