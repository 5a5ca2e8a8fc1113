"""How far a run of the pipeline is: runs done and left, and the time left at the pace so far."""

import logging
from collections import Counter
from typing import NamedTuple

from fwsvm.pipeline.cells import is_outdated, read_cell
from fwsvm.pipeline.codes import read_codes
from fwsvm.pipeline.healing import missing_sets
from fwsvm.pipeline.job import write_json
from fwsvm.runs.jobs import number_of_runs

_LOG = logging.getLogger(__name__)

# A process's wall seconds before the clock of its first job starts: the process and its imports.
_START_S = 3.0
# Limits (s) that count in a data set's share as if used at the overall one: few jobs say little about the others.
_PRIOR_S = 300.0


class Progress(NamedTuple):
    """Training runs done and left, and the seconds that those left may take, one at a time (None: not known)."""

    done: int
    left: int
    seconds: float | None

    def __str__(self):
        line = f"training runs: {self.done} done, {self.left} left"
        return line if self.seconds is None else f"{line}, about {duration(self.seconds)}, one job at a time"


def progress(study, results):
    """How far the training runs of a study are.

    The time left is that of the jobs left at their time limits, times the share of their limits that the finished jobs
    on the same data set took; where these are few, the share of all finished jobs counts too. Records that are damaged
    or of other settings or code count as not done: they are made again.

    Parameters
    ----------
    study : Study
    results : str
        Folder of results: a job is done when its file is there.

    Returns
    -------
    Progress
    """
    runs, used, allowed, left = {True: 0, False: 0}, Counter(), Counter(), Counter()
    codes, processes, missing = read_codes(results), set(), missing_sets(results)
    for job in study.jobs([name for name in study.datasets if name not in missing]):
        settings = study.job_settings(job)
        cell = read_cell(job.cell(results))
        if cell is not None and is_outdated(cell, settings, codes[job.experiment]):
            cell = None
        number = number_of_runs(settings)
        runs[cell is not None] += number
        if cell is not None:
            allowed[job.dataset] += number * settings["time_limit"]
            used[job.dataset] += cell["record"].get("wall_s", 0.0)
        else:
            left[job.dataset] += number * settings["time_limit"]
            processes.add((job.experiment, job.dataset))
    if not (runs[True] and runs[False] and allowed.total()):
        return Progress(runs[True], runs[False], None)
    share = used.total() / allowed.total()
    seconds = sum(limit * (used[name] + _PRIOR_S * share) / (allowed[name] + _PRIOR_S) for name, limit in left.items())
    return Progress(runs[True], runs[False], seconds + _START_S * len(processes))


def report_progress(study, results):
    """Log it, and leave it in `progress.json` of the results for whoever watches the run."""
    found = progress(study, results)
    _LOG.info(found)
    write_json(found._asdict(), f"{results}/progress.json")


def duration(seconds):
    """Seconds in words: `40 s`, `12 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
