"""Measure how much the tuned C depends on the random choice of validation points."""

from fwsvm.reporting.artefact import table
from fwsvm.runs.jobs import Experiment, Job, own_datasets, training_settings
from fwsvm.runs.protocols import tuning_rule
from fwsvm.studies.benchmark.tuning_plan import tuning_settings

EXPERIMENT = "splits"


def jobs(config, datasets):
    names = own_datasets(config, EXPERIMENT, datasets)
    return [Job(EXPERIMENT, protocol, name, "cvm") for name in names for protocol in config[EXPERIMENT]["protocols"]]


def settings(config, job):
    """Collect the settings of a job. C is always tuned, even if the protocol has one C for a series of data sets."""
    section = config[EXPERIMENT]
    without = {**config, "tuning": {**config["tuning"], "cross_validation": None, "validation_parts": 1}}
    tuned = tuning_settings(without, "params", job.dataset) | tuning_rule(config, job.protocol, job.dataset)
    for key in ("protocols", "C"):
        tuned.pop(key, None)
    trained = training_settings(config, job, section["time_limit"], [{"repetitions": 1}])
    return trained | {"tuning": tuned, "splits": section["splits"], "runs": section["splits"]}


EXPERIMENTS = {"splits": Experiment(jobs, settings, "fwsvm.studies.tuning_splits.run", timed=False)}

ARTEFACTS = {"beyond-splits": table(f"{__name__}.artefacts", "splits_table", "runs")}
