"""The jobs of the study, and what each needs of the configuration."""

from fwsvm.runs.jobs import Job, capped, own_datasets, training_settings
from fwsvm.studies.benchmark.tuning_plan import tuning_settings

EXPERIMENT = "splits"


def jobs(config, datasets):
    """Under each of the section's protocols a job for each of its data sets that are among these."""
    names = own_datasets(config, EXPERIMENT, datasets)
    return [Job(EXPERIMENT, protocol, name, "cvm") for name in names for protocol in config[EXPERIMENT]["protocols"]]


def settings(config, job):
    """Settings of one of them: C is tuned as the protocol does, also where it has one value for a series of sets."""
    section, tuning, protocol = config[EXPERIMENT], config["tuning"], config["protocols"][job.protocol]
    without = {**config, "tuning": {**tuning, "cross_validation": None}}
    tuned = tuning_settings(without, "params", job.dataset)
    tuned.pop("protocols", None)
    tuned |= {key: protocol.get(key, tuning[key]) for key in ("width_factor", "ties")}
    tuned["time_limit"] = capped(tuning["time_limit"], config, job.dataset, "time_limit", tuning["method"])
    trained = training_settings(config, job, section["time_limit"], [{"repetitions": 1}])
    return trained | {"tuning": tuned, "splits": section["splits"], "runs": section["splits"]}
