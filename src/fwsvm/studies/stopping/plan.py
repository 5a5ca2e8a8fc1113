"""How much of the speed-up is early stopping: the sampled presets, other patiences, and full selection.

A variant changes the patience of `sampled_text`. The runs of one repetition share their seed, so a more patient run is
the less patient one continued.
"""

from fwsvm.runs.jobs import Job, own_datasets, repetitions_of, training_settings

_SELECTIONS = ("sampled_text", "sampled_libcvm", "full")


def jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these."""
    return [
        Job("stopping", selection, dataset, method)
        for dataset in own_datasets(config, "stopping", datasets)
        for method in config["stopping"]["methods"]
        for selection in _SELECTIONS
    ]


def settings(config, job):
    """Settings of one of them; patience 1 is `sampled_text` itself."""
    section = config["stopping"]
    repetitions = {"repetitions": repetitions_of(section["repetitions"], job.selection)}
    variants = [repetitions]
    if job.selection == "sampled_text":
        variants = [{"patience": patience, **repetitions} for patience in sorted({1, *section["patience"]})]
    return training_settings(config, job, section["time_limit"], variants)
