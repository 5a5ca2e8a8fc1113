"""The homogeneous second-order polynomial kernel (frandi2013 sec. 5.8, table 8; nanculef2014 fig. 10 and 11)."""

from fwsvm.runs.jobs import Job, own_datasets, protocols_of, repetitions_of, training_settings


def jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these, protocols as in the benchmark."""
    return [
        Job("poly", protocol, dataset, method)
        for dataset in own_datasets(config, "poly", datasets)
        for method in config["poly"]["methods"]
        for protocol in protocols_of(config, method, config["benchmark"]["protocols"])
    ]


def settings(config, job):
    """Settings of one of them."""
    repetitions = repetitions_of(config["benchmark"]["repetitions"], job.protocol)
    limits = config["poly"]["time_limit"]
    return training_settings(config, job, limits, [{"repetitions": repetitions}], kernel="poly")
