"""How much of the speed-up is early stopping: one protocol with other patiences, and with all points looked at.

All else is the protocol's: kernel width, C, start. The runs of one repetition share their seed, so a more patient run
is the less patient one continued.
"""

from fwsvm.runs.jobs import section_jobs, training_settings


def jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these."""
    return section_jobs(config, "stopping", datasets, [config["stopping"]["protocol"]])


def settings(config, job):
    """Settings of one of them: a variant for each patience, and one for all points."""
    section = config["stopping"]
    repetitions = {"repetitions": section["repetitions"]}
    variants = [{"patience": patience, **repetitions} for patience in sorted({1, *section["patience"]})]
    return training_settings(config, job, section["time_limit"], [*variants, {"selection": "full", "repetitions": 1}])
