"""Jobs of the traced runs."""

from fwsvm.runs.jobs import capped, section_jobs
from fwsvm.runs.protocols import CERTIFIED_PROTOCOL


def jobs(config, datasets):
    """One per method and data set of the section that is among these."""
    return section_jobs(config, "convergence", datasets, [CERTIFIED_PROTOCOL])


def settings(config, job):
    """Settings of one of them."""
    section, benchmark = config["convergence"], config["benchmark"]
    limit = section["time_limit"].get(job.method, section["time_limit"]["default"])
    return {
        "kernel": "rbf",
        "eps": section["relative_gap"],
        "ratio": section["ratio"],
        "init": benchmark["init"],
        "cache_mb": benchmark["cache_mb"],
        "max_iterations": benchmark["max_iterations"],
        "time_limit": capped(limit, config, job.dataset, "time_limit", job.method),
        "seed": config["seed"],
        "timing": config["timing"],
        "runs": 1,
    }
