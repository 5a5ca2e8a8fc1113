"""The homogeneous second-order polynomial kernel (frandi2013 sec. 5.8, table 8; nanculef2014 fig. 10 and 11)."""

from fwsvm.runs.jobs import repetitions_of, section_jobs, training_settings


def jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these, protocols as in the benchmark."""
    return section_jobs(config, "poly", datasets, config["benchmark"]["protocols"], shared_cvm=True)


def settings(config, job):
    """Settings of one of them."""
    repetitions = repetitions_of(config["benchmark"]["repetitions"], job.protocol)
    limits = config["poly"]["time_limit"]
    return training_settings(config, job, limits, [{"repetitions": repetitions}], kernel="poly")
