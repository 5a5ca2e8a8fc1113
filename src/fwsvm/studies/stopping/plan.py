"""How much of the speed-up is early stopping: the protocols, and other patiences.

A variant changes the patience of `as_printed`. The runs of one repetition share their seed, so a more patient run is
the less patient one continued.
"""

from fwsvm.runs.jobs import Job, own_datasets, repetitions_of, training_settings

_PROTOCOLS = ("as_printed", "libcvm", "all_points")


def jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these."""
    return [
        Job("stopping", protocol, dataset, method)
        for dataset in own_datasets(config, "stopping", datasets)
        for method in config["stopping"]["methods"]
        for protocol in _PROTOCOLS
    ]


def settings(config, job):
    """Settings of one of them; patience 1 is `as_printed` itself."""
    section = config["stopping"]
    repetitions = {"repetitions": repetitions_of(section["repetitions"], job.protocol)}
    variants = [repetitions]
    if job.protocol == "as_printed":
        variants = [{"patience": patience, **repetitions} for patience in sorted({1, *section["patience"]})]
    return training_settings(config, job, section["time_limit"], variants)
