"""Memory and time that the jobs of a configuration may take, as the scheduler of a cluster asks for them.

They follow from the size of the data and from the limits of the configuration. The released run, with a margin, gave
the constants (docs/running.md); a job that is killed for lack of memory or time asks for more when it is repeated.
"""

import math

from fwsvm.runs.jobs import number_of_runs
from fwsvm.studies.benchmark.tuning_plan import number_of_fits

_PROCESS_MB = 500
# A number of a column of Q: float32, and the working copy.
_COLUMN_BYTES = 8
# R-SVM keeps its product besides the matrix that it announces.
_BASELINE_FACTOR = 1.6
# Data are mapped into memory, scaled and copied into the solver's storage.
_DATA_FACTOR = 3
_START_MINUTES = 10
_WEEK = 7 * 24 * 60
# Of the training data, for loading, certificates and test errors.
_NUMBERS_PER_MINUTE = 5e6


def points(configuration, dataset):
    """Training points of a data set as it is prepared; None where the catalogue does not say."""
    entry, subset = configuration.catalogue[dataset], configuration.subset
    known = entry.expected.train or entry.source.size
    return min(known, subset["train"]) if known and subset else known


def preparing_mb(configuration, dataset):
    """MB that preparing a data set may take: its training points as a dense table of float64, and the process."""
    return _PROCESS_MB + math.ceil(8e-6 * _numbers(configuration, dataset))


def tuning_mb(configuration, parameters, dataset, data_mb):
    """MB that tuning on a data set, whose prepared files have `data_mb`, may take."""
    return _fitting_mb(configuration, dataset, [configuration.tuning_settings(parameters, dataset)], data_mb)


def training_mb(configuration, experiment, dataset, data_mb):
    """MB that the training jobs of an experiment on a data set may take."""
    settings = [chosen for _, chosen in configuration.batch_settings(experiment, dataset)]
    return _fitting_mb(configuration, dataset, settings, data_mb)


def tuning_minutes(configuration, parameters, dataset):
    settings = configuration.tuning_settings(parameters, dataset)
    return _fitting_minutes(configuration, dataset, number_of_fits(settings) * settings["time_limit"])


def training_minutes(configuration, experiment, dataset):
    settings = [chosen for _, chosen in configuration.batch_settings(experiment, dataset)]
    return _fitting_minutes(configuration, dataset, sum(number_of_runs(one) * one["time_limit"] for one in settings))


def _fitting_mb(configuration, dataset, settings, data_mb):
    """MB of a process: the largest of its jobs counts."""
    m = points(configuration, dataset) or math.inf
    cache = min(max(one.get("cache_mb", 0) for one in settings), _COLUMN_BYTES * m * m / 1e6)
    baseline = _BASELINE_FACTOR * max(one.get("memory_limit_mb", 0) for one in settings)
    return math.ceil(_PROCESS_MB + cache + baseline + _DATA_FACTOR * data_mb)


def _fitting_minutes(configuration, dataset, limit_s):
    """Minutes of a process whose runs take `limit_s` CPU seconds if each ends at its time limit.

    Three quarters of that, since most runs end long before; finished jobs are kept for a repeated process.
    """
    loading = _numbers(configuration, dataset) / _NUMBERS_PER_MINUTE
    return math.ceil(min(_START_MINUTES + limit_s / 80 + loading, _WEEK))


def _numbers(configuration, dataset):
    """Points times features."""
    return (points(configuration, dataset) or 50_000) * (configuration.catalogue[dataset].features or 500)
