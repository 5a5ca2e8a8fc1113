"""How far a run of the pipeline is: runs done and left, and the time left at the pace so far."""

from collections import Counter
from pathlib import Path

from fwsvm.analysis.details import read_whole_json
from fwsvm.errors import DataError
from fwsvm.experiments.budget import missing_sets
from fwsvm.experiments.plan import number_of_runs

# A job's wall seconds before its clock starts: the process and its imports.
_START_S = 3.0
# Limits (s) that count in a data set's share as if used at the overall one: few jobs say little about the others.
_PRIOR_S = 300.0


def progress(study, results):
    """One line on the training runs of a study.

    The time left is that of the jobs left at their time limits, times the share of their limits that the finished jobs
    on the same data set took; where these are few, the share of all finished jobs counts too. Damaged records count as
    done and say nothing of the time: who reads them for their content reports them.

    Parameters
    ----------
    study : Study
    results : str
        Folder of results: a job is done when its files are there.

    Returns
    -------
    str
    """
    runs, used, allowed, left = {True: 0, False: 0}, Counter(), Counter(), Counter()
    jobs_left = 0
    for job in study.jobs([name for name in study.datasets if name not in _missing_sets(results)]):
        settings = study.job_settings(job)
        record = Path(job.file(results, "json"))
        done = record.is_file() and Path(job.file(results, "tsv")).is_file()
        number = number_of_runs(settings)
        runs[done] += number
        if done and (wall_s := _wall_seconds(record)) is not None:
            allowed[job.dataset] += number * settings["time_limit"]
            used[job.dataset] += wall_s
        elif not done:
            left[job.dataset] += number * settings["time_limit"]
            jobs_left += 1
    said = f"training runs: {runs[True]} done, {runs[False]} left"
    if not (runs[True] and runs[False] and allowed.total()):
        return said
    share = used.total() / allowed.total()
    seconds = sum(limit * (used[name] + _PRIOR_S * share) / (allowed[name] + _PRIOR_S) for name, limit in left.items())
    return f"{said}, about {duration(seconds + _START_S * jobs_left)}, one job at a time"


def _missing_sets(results):
    try:
        return missing_sets(results)
    except DataError:
        return {}


def _wall_seconds(record):
    """Wall seconds of a finished job; None if its record is damaged."""
    try:
        wall_s = read_whole_json(record, dict).get("wall_s", 0.0)
    except (DataError, OSError):
        return None
    return wall_s if isinstance(wall_s, (int, float)) else None


def duration(seconds):
    """Seconds in words: `40 s`, `12 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
