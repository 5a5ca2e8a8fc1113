"""Functions that estimate the memory and time of jobs, and that decide whether timed jobs can run
at the same time.
"""

from __future__ import annotations

import math
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fwsvm_papers.result_files import read_whole_json, write_json
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import seconds_at_limits, tuning_fits

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from fwsvm_papers.pipeline.config import Configuration

_PROCESS_MB = 800
_COLUMN_BYTES = 8  # bytes per entry of a column of Q: a float32 value and a working copy
# A baseline gets this multiple of its memory limit, because `rsvm` also stores a matrix product
# that does not count towards the limit.
_BASELINE_FACTOR = 1.6
# The data are in memory three times: as mapped files, as scaled points, and as the solver's copy.
_DATA_FACTOR = 3
_START_MINUTES = 10
_WEEK = 7 * 24 * 60
# Estimate of the number of data values per minute that are processed by loading, certificates and
# predictions together.
_NUMBERS_PER_MINUTE = 5e6

_start: Barrier  # at this barrier, the processes that measure the slowdown wait for each other

LARGEST_SLOWDOWN = 1.1
_MEASURING_S = 1.5


def points(configuration: Configuration, dataset: str) -> int | None:
    """Return the number of training points of the prepared data. If the catalogue does not give
    this number, return the `size` in the source of a generated data set (which can include test
    points), and None for any other data set.
    """
    entry, subset = configuration.catalogue[dataset], configuration.subset
    known = entry.expected.train or entry.source.size
    return min(known, subset["train"]) if known and subset else known


def preparing_mb(configuration: Configuration, dataset: str) -> int:
    """Return an estimate of the memory (MB) for preparing a data set. The estimate is the memory of
    the process and of the training points as a dense float64 array.
    """
    return _PROCESS_MB + math.ceil(8e-6 * _numbers(configuration, dataset))


def tuning_mb(configuration: Configuration, parameters: str, dataset: str, data_mb: float) -> int:
    return _fitting_mb(
        configuration, dataset, [configuration.tuning_settings(parameters, dataset)], data_mb
    )


def training_mb(configuration: Configuration, experiment: str, dataset: str, data_mb: float) -> int:
    settings = [chosen for _, chosen in configuration.batch_settings(experiment, dataset)]
    return _fitting_mb(configuration, dataset, settings, data_mb)


def tuning_minutes(configuration: Configuration, parameters: str, dataset: str) -> int:
    settings = configuration.tuning_settings(parameters, dataset)
    return _fitting_minutes(
        configuration, dataset, sum(number * seconds for number, seconds in tuning_fits(settings))
    )


def training_minutes(configuration: Configuration, experiment: str, dataset: str) -> int:
    settings = [chosen for _, chosen in configuration.batch_settings(experiment, dataset)]
    return _fitting_minutes(configuration, dataset, sum(map(seconds_at_limits, settings)))


def _fitting_mb(
    configuration: Configuration, dataset: str, settings: list[dict], data_mb: float
) -> int:
    m = points(configuration, dataset) or math.inf
    cache = min(max(one.get("cache_mb", 0) for one in settings), _COLUMN_BYTES * m * m / 1e6)
    baseline = _BASELINE_FACTOR * max(one.get("memory_limit_mb", 0) for one in settings)
    return math.ceil(_PROCESS_MB + cache + baseline + _DATA_FACTOR * data_mb)


def _fitting_minutes(configuration: Configuration, dataset: str, limit_s: float) -> int:
    """Return an estimate of the time (min) that a job needs, for training or tuning.

    The estimate includes only 3/4 of the sum of the time limits, because most runs end before their
    limit. If the estimate is too short, Snakemake repeats the job, which skips the training jobs
    that are finished.
    """
    loading = _numbers(configuration, dataset) / _NUMBERS_PER_MINUTE
    return math.ceil(min(_START_MINUTES + limit_s / 80 + loading, _WEEK))


def _numbers(configuration: Configuration, dataset: str) -> float:
    return (points(configuration, dataset) or 50_000) * (
        configuration.catalogue[dataset].features or 500
    )


def are_separate(record: Path, cores: int, may_measure: bool) -> bool:
    """Test whether timed jobs can run at the same time without slowing each other down.

    `record` is the JSON file with the measured slowdown. If the file has no measurement for this
    CPU model and this number of cores, the slowdown is measured now. If such a measurement is
    needed, but `may_measure` is false, nothing is measured, and False is returned.
    """
    here = {"cpu": measure.machine()["cpu"], "cores": cores}
    found = read_whole_json(record) if Path(record).is_file() else {}
    if not here.items() <= found.items():
        if not may_measure:
            return False
        print(
            "measuring whether jobs on different cores slow each other down; this takes about 15 s",
            file=sys.stderr,
            flush=True,
        )
        # Other programs can only increase the measured slowdown, so the smallest of three
        # measurements is used.
        found = here | {"slowdown": min(slowdown(cores) for _ in range(3))}
        write_json(found, record)
    return found["slowdown"] <= LARGEST_SLOWDOWN


def slowdown(cores: int) -> float:
    """Measure how much slower two loops run on each core if all cores run them at the same time,
    compared with a run on one core only.

    The slowdown of a loop is the ratio of its median times in these two situations. Return the
    larger of the slowdowns of the two loops, or 1.0 if there is only one core.
    """
    if cores < 2:
        return 1.0
    context = get_context("spawn")
    start = context.Barrier(cores)
    with ProcessPoolExecutor(cores, context, initializer=_enter, initargs=(start,)) as pool:
        # All processes must finish their imports first, since imports disturb the measurements.
        list(pool.map(_pace, [True] * cores))
        alone = np.array(pool.submit(_pace, False).result())
        together = np.median(list(pool.map(_pace, [True] * cores)), axis=0)
    return float((together / alone).max())


def _enter(start: Barrier) -> None:
    # after Ctrl-C, only the main process prints a message
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    global _start
    _start = start


def _pace(together: bool) -> list[float]:
    """Return the median wall times (s) of two loops.

    The first loop computes. The second loop reads more data than the processor's caches can store.
    If `together` is true, wait until all processes are ready.
    """
    values, memory = np.linspace(-1.0, 0.0, 200_000), np.ones(8_000_000)
    if together:
        _start.wait()
    times, end = [], time.perf_counter() + _MEASURING_S
    while time.perf_counter() < end:
        marks = [time.perf_counter()]
        for loop in (lambda: np.exp(values).sum(), memory.sum):
            loop()
            marks.append(time.perf_counter())
        times.append(np.diff(marks))
    return np.median(times, axis=0).tolist()
