"""Accuracy and time against C (frandi2013 fig. 7 and 8) under one protocol."""

from fwsvm.runs.jobs import section_jobs, training_settings


def jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these."""
    return section_jobs(config, "c_path", datasets, [config["c_path"]["protocol"]], shared_cvm=True)


def settings(config, job):
    """Settings of one of them: a variant for every C."""
    section = config["c_path"]
    variants = [{"C": 2.0**k, "repetitions": section["repetitions"]} for k in sorted(section["C_exponents"])]
    return training_settings(config, job, section["time_limit"], variants)
