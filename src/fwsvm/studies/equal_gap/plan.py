"""Jobs of the runs to equal gaps: all points looked at, the stopping rule relative to the objective."""

from fwsvm.runs.jobs import Job, own_datasets, training_settings

PROTOCOL = "all_points"


def jobs(config, datasets, experiment="equal_gap"):
    """One per method and data set of the experiment's section that is among these."""
    return [
        Job(experiment, PROTOCOL, dataset, method)
        for dataset in own_datasets(config, experiment, datasets)
        for method in config[experiment]["methods"]
    ]


def settings(config, job):
    """Settings of one of them; a variant per gap, the loosest first."""
    section = config["equal_gap"]
    gaps = sorted(section["relative_gaps"], reverse=True)
    variants = [{"eps": gap, "repetitions": section["repetitions"]} for gap in gaps]
    return training_settings(config, job, section["time_limit"], variants) | {"stop": "relative"}
