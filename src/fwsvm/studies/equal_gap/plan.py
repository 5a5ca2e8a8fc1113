"""Jobs of the runs to equal gaps: all points looked at, the stopping rule relative to the objective."""

from fwsvm.runs.jobs import section_jobs, training_settings
from fwsvm.runs.protocols import CERTIFIED_PROTOCOL


def jobs(config, datasets):
    """One per method and data set of the section that is among these."""
    return section_jobs(config, "equal_gap", datasets, [CERTIFIED_PROTOCOL])


def settings(config, job):
    """Settings of one of them; a variant per gap, the loosest first."""
    section = config["equal_gap"]
    gaps = sorted(section["relative_gaps"], reverse=True)
    variants = [{"eps": gap, "repetitions": section["repetitions"]} for gap in gaps]
    return training_settings(config, job, section["time_limit"], variants) | {"stop": "relative"}
