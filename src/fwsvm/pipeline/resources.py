"""Memory and time that the jobs of a configuration may take, as the scheduler of a cluster asks for them.

They follow from the size of the data and from the limits of the configuration. The released run, with a margin, gave
the constants (docs/running.md); a job that is killed for want of memory or time asks for more when it is repeated.
"""

import math

from fwsvm.datasets.entries import GeneratedSource
from fwsvm.runs.jobs import number_of_runs
from fwsvm.studies.benchmark.tuning_plan import number_of_fits

SMALL_POINTS = 10_000
"""Training points up to which jobs are so short that some of them share an entry in the queue of a cluster."""

_PROCESS_MB = 500
# A number of a column of Q: float32, and the working copy of as many.
_COLUMN_BYTES = 8
# R-SVM keeps its product besides the matrix that it announces.
_BASELINE_FACTOR = 1.6
# Data are mapped into memory, scaled and copied into the solver's storage.
_DATA_FACTOR = 3
_START_MINUTES = 10
_WEEK = 7 * 24 * 60
# Of the training data, for loading, certificates and test errors.
_NUMBERS_PER_MINUTE = 5e6


def points(study, dataset):
    """Training points of a data set as it is prepared; None where the catalogue does not say."""
    entry = study.catalogue[dataset]
    known = entry.expected.train or (entry.source.size if isinstance(entry.source, GeneratedSource) else None)
    return min(known, study.subset["train"]) if known and study.subset else known


def is_small(study, dataset):
    """Whether the jobs on a data set are too short for a queue."""
    number = points(study, dataset)
    return number is not None and number <= SMALL_POINTS


def preparing_mb(study, dataset):
    """MB that preparing a data set may take: its training points as a dense table of float64, and the process."""
    return _PROCESS_MB + math.ceil(8e-6 * _numbers(study, dataset))


def tuning_mb(study, parameters, dataset, data_mb):
    """MB that tuning on a data set, whose prepared files have `data_mb`, may take."""
    return _fitting_mb(study, dataset, [study.tuning_settings(parameters, dataset)], data_mb)


def training_mb(study, experiment, dataset, data_mb):
    """MB that the training jobs of an experiment on a data set may take."""
    return _fitting_mb(study, dataset, _settings(study, experiment, dataset), data_mb)


def tuning_minutes(study, parameters, dataset):
    """Minutes that tuning on a data set may take."""
    settings = study.tuning_settings(parameters, dataset)
    return _fitting_minutes(study, dataset, number_of_fits(settings) * settings["time_limit"])


def training_minutes(study, experiment, dataset):
    """Minutes that the training jobs of an experiment on a data set may take."""
    limits = (number_of_runs(one) * one["time_limit"] for one in _settings(study, experiment, dataset))
    return _fitting_minutes(study, dataset, sum(limits))


def _settings(study, experiment, dataset):
    return [chosen for _, chosen in study.batch_settings(experiment, dataset)]


def _fitting_mb(study, dataset, settings, data_mb):
    """MB of a process: the largest of its jobs counts."""
    m = points(study, dataset) or math.inf
    cache = min(max(one.get("cache_mb", 0) for one in settings), _COLUMN_BYTES * m * m / 1e6)
    baseline = _BASELINE_FACTOR * max(one.get("memory_limit_mb", 0) for one in settings)
    return math.ceil(_PROCESS_MB + cache + baseline + _DATA_FACTOR * data_mb)


def _fitting_minutes(study, dataset, limit_s):
    """Minutes of a process whose runs take `limit_s` CPU seconds if each ends at its time limit.

    Three quarters of that, since most runs end long before; finished jobs are kept, so that a repeated process has less
    to do.
    """
    return math.ceil(min(_START_MINUTES + limit_s / 80 + _numbers(study, dataset) / _NUMBERS_PER_MINUTE, _WEEK))


def _numbers(study, dataset):
    """Points times features."""
    return (points(study, dataset) or 50_000) * (study.catalogue[dataset].features or 500)
