"""The jobs of the study, and what each needs of the configuration."""

from fwsvm.runs.jobs import Job, own_datasets, training_settings
from fwsvm.runs.protocols import tuning_rule
from fwsvm.studies.benchmark.tuning_plan import tuning_settings

EXPERIMENT = "splits"


def jobs(config, datasets):
    """Under each of the section's protocols a job for each of its data sets that are among these."""
    names = own_datasets(config, EXPERIMENT, datasets)
    return [Job(EXPERIMENT, protocol, name, "cvm") for name in names for protocol in config[EXPERIMENT]["protocols"]]


def settings(config, job):
    """Settings of one of them: C is tuned as the protocol does, also where it has one value for a series of sets."""
    section = config[EXPERIMENT]
    without = {**config, "tuning": {**config["tuning"], "cross_validation": None}}
    tuned = tuning_settings(without, "params", job.dataset) | tuning_rule(config, job.protocol, job.dataset)
    for key in ("protocols", "C"):
        tuned.pop(key, None)
    trained = training_settings(config, job, section["time_limit"], [{"repetitions": 1}])
    return trained | {"tuning": tuned, "splits": section["splits"], "runs": section["splits"]}
