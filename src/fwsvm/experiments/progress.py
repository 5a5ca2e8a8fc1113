"""How far a run of the pipeline is: runs done and left, and the time left at the pace so far."""

import logging
from collections import Counter

from fwsvm.errors import DataError
from fwsvm.experiments.budget import missing_sets
from fwsvm.experiments.cells import read_cell
from fwsvm.experiments.job import write_text
from fwsvm.experiments.plan import number_of_runs

_LOG = logging.getLogger(__name__)

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
        cell = read_cell(job.cell(results))
        done = cell is not None
        number = number_of_runs(settings)
        runs[done] += number
        if done:
            allowed[job.dataset] += number * settings["time_limit"]
            used[job.dataset] += cell["record"].get("wall_s", 0.0)
        else:
            left[job.dataset] += number * settings["time_limit"]
            jobs_left += 1
    line = f"training runs: {runs[True]} done, {runs[False]} left"
    if not (runs[True] and runs[False] and allowed.total()):
        return line
    share = used.total() / allowed.total()
    seconds = sum(limit * (used[name] + _PRIOR_S * share) / (allowed[name] + _PRIOR_S) for name, limit in left.items())
    return f"{line}, about {duration(seconds + _START_S * jobs_left)}, one job at a time"


def report_progress(study, results):
    """Log that line, and leave it in `progress.txt` of the results for whoever watches the run."""
    line = progress(study, results)
    _LOG.info(line)
    write_text(line + "\n", f"{results}/progress.txt")


def _missing_sets(results):
    try:
        return missing_sets(results)
    except DataError:
        return {}


def duration(seconds):
    """Seconds in words: `40 s`, `12 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
