"""`timing: separate`: whether jobs on all cores at once are as fast as one alone, measured once per machine."""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from fwsvm.base.result_files import read_whole_json
from fwsvm.pipeline.job import write_json
from fwsvm.runs import measure

LARGEST_SLOWDOWN = 1.1
_MEASURING_S = 1.5


def are_separate(record, cores, may_measure):
    """Whether timed jobs may share the machine; `record` is the JSON file of an earlier measurement."""
    here = {"cpu": measure.machine()["cpu"], "cores": cores}
    found = read_whole_json(record) if Path(record).is_file() else {}
    if not here.items() <= found.items():
        if not may_measure:
            return False
        # The least counts: other programs mostly raise it.
        found = here | {"slowdown": min(slowdown(cores) for _ in range(3))}
        write_json(found, record)
    return found["slowdown"] <= LARGEST_SLOWDOWN


def slowdown(cores):
    """Seconds of a fixed loop in as many processes as cores at once, over those in one process alone."""
    if cores < 2:
        return 1.0
    context = get_context("spawn")
    start = context.Barrier(cores)
    with ProcessPoolExecutor(cores, context, initializer=_keep, initargs=(start,)) as pool:
        list(pool.map(_pace, [True] * cores))  # until all have started: imports disturb the measurement
        alone = np.array(pool.submit(_pace, False).result())
        together = np.median(list(pool.map(_pace, [True] * cores)), axis=0)
    return float((together / alone).max())


def _keep(barrier):
    _pace.start = barrier


def _pace(together):
    """Median wall seconds of two loops: one computes, the other reads more memory than a core's caches hold."""
    values, memory = np.linspace(-1.0, 0.0, 200_000), np.ones(8_000_000)
    if together:
        _pace.start.wait()
    times, end = [], time.perf_counter() + _MEASURING_S
    while time.perf_counter() < end:
        marks = [time.perf_counter()]
        for loop in (lambda: np.exp(values).sum(), memory.sum):
            loop()
            marks.append(time.perf_counter())
        times.append(np.diff(marks))
    return np.median(times, axis=0).tolist()
