"""Accuracy and time against C (frandi2013 fig. 7 and 8) under one protocol."""

from fwsvm.runs.jobs import Job, own_datasets, protocols_of, training_settings


def jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these."""
    section = config["c_path"]
    return [
        Job("c_path", protocol, dataset, method)
        for dataset in own_datasets(config, "c_path", datasets)
        for method in section["methods"]
        for protocol in protocols_of(config, method, [section["protocol"]])
    ]


def settings(config, job):
    """Settings of one of them: a variant for every C."""
    section = config["c_path"]
    variants = [{"C": 2.0**k, "repetitions": section["repetitions"]} for k in sorted(section["C_exponents"])]
    return training_settings(config, job, section["time_limit"], variants)
