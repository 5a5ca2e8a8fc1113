"""What a run would take on so many cores: its jobs, with the times they took before, on an imagined machine."""

import heapq
from typing import NamedTuple

from fwsvm.studies.registry import EXPERIMENTS

# Wall seconds of a process before its first job starts, and after its last: its imports, Snakemake's own work.
_START_S = 4.0
_TUNING = {"tuning", "cross-validation"}


class Process(NamedTuple):
    """A process of the pipeline: its priority, wall seconds, the process that it waits for, whether it is timed."""

    name: tuple
    priority: int
    seconds: float
    after: tuple | None
    timed: bool


class Schedule(NamedTuple):
    """Wall seconds of all processes on an imagined machine, and what bounds them from below.

    Attributes
    ----------
    seconds : float
    work_s : float
        Sum of the processes' seconds.
    alone_s : float
        That of those for which the machine was kept free.
    chain_s : float
        The longest process with the one that it waits for.
    """

    seconds: float
    work_s: float
    alone_s: float
    chain_s: float


def processes(study, table):
    """Processes of tuning and training, from their measured costs.

    Parameters
    ----------
    study : Study
    table : DataFrame
        Of `fwsvm.pipeline.budget.costs`; jobs without a measured time are left out.

    Returns
    -------
    list of Process
    """
    table = table[table["job_s"] > 0]
    tuning = table[table["experiment"].isin(_TUNING)]
    seconds = {("tune", row.method, row.dataset): row.job_s + _START_S for row in tuning.itertuples()}
    found = [Process(name, study.priority("tune", name[2]), took, None, False) for name, took in seconds.items()]
    training = table[~table["experiment"].isin(_TUNING)]
    for (experiment, dataset), took in training.groupby(["experiment", "dataset"])["job_s"].sum().items():
        method = {"params": study.config["tuning"]["method"], "params-poly": study.config["poly"]["tuning_method"]}
        tuned = ("tune", method.get(EXPERIMENTS[experiment].tuned), dataset)
        found.append(
            Process(
                ("train", experiment, dataset),
                study.priority("train", dataset),
                took + _START_S,
                tuned if tuned in seconds else None,
                EXPERIMENTS[experiment].timed,
            )
        )
    return found


def schedule(jobs, cores, exclusive):
    """Run processes as Snakemake does: the highest priority first, each on one core, timed ones on all if `exclusive`.

    A process starts when the one it waits for has ended and the cores it needs are free; others may overtake it.

    Parameters
    ----------
    jobs : list of Process
    cores : int
    exclusive : bool

    Returns
    -------
    Schedule
    """
    waiting = sorted(jobs, key=lambda job: -job.priority)
    running, ended, free, now = [], set(), cores, 0.0
    while waiting or running:
        for job in list(waiting):
            needed = cores if exclusive and job.timed else 1
            if needed <= free and (job.after is None or job.after in ended):
                heapq.heappush(running, (now + job.seconds, job.name, needed))
                free -= needed
                waiting.remove(job)
        now, name, needed = heapq.heappop(running)
        free += needed
        ended.add(name)
    lengths = {job.name: job.seconds for job in jobs}
    return Schedule(
        seconds=now,
        work_s=sum(lengths.values()),
        alone_s=sum(job.seconds for job in jobs if exclusive and job.timed),
        chain_s=max((job.seconds + lengths.get(job.after, 0.0) for job in jobs), default=0.0),
    )
