"""The jobs of the study, and what each needs of the configuration."""

from fwsvm.runs.jobs import Job, own_datasets
from fwsvm.runs.protocols import CERTIFIED_PROTOCOL

METHOD = "mfw"
CIRCLES = ("two-circles", "two-circles-3000")
"""The data sets of the paper: as its text has them, and the larger ones."""


def jobs(config, datasets):
    """One job for each data set of the section that is among these."""
    return [Job("singh", CERTIFIED_PROTOCOL, dataset, METHOD) for dataset in own_datasets(config, "singh", datasets)]


def settings(config, job):
    """Settings of one job; `circles` says whether the data are drawn anew for each repetition."""
    section = config["singh"]
    other = section["sign_error"]
    circles = job.dataset not in other["datasets"]
    return {
        "circles": circles,
        "runs": section["repetitions"] if circles else 1,
        "C": section["C"] if circles else other["C"],
        "gamma": section["gamma"] if circles else None,
        "replayed_steps": other["steps"],
        "eps": section["eps"],
        "cache_mb": config["benchmark"]["cache_mb"],
        "max_iterations": config["benchmark"]["max_iterations"],
        "time_limit": section["time_limit"],
        "seed": config["seed"],
        "timing": config["timing"],
    }
