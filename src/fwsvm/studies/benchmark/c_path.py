"""Accuracy and time against C (frandi2013 fig. 7 and 8); CVM runs as LibCVM does, the others under one selection."""

from fwsvm.runs.jobs import CVM_SELECTION, Job, own_datasets, training_settings


def jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these."""
    section = config["c_path"]
    return [
        Job("c_path", CVM_SELECTION if method == "cvm" else section["selection"], dataset, method)
        for dataset in own_datasets(config, "c_path", datasets)
        for method in section["methods"]
    ]


def settings(config, job):
    """Settings of one of them: a variant for every C."""
    section = config["c_path"]
    variants = [{"C": 2.0**k, "repetitions": section["repetitions"]} for k in sorted(section["C_exponents"])]
    return training_settings(config, job, section["time_limit"], variants)
