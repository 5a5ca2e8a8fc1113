"""The jobs of the study, and what each needs of the configuration."""

from fwsvm.runs.jobs import Job, benchmark_datasets, capped
from fwsvm.runs.protocols import NO_PROTOCOL

SVC = "svc"


def jobs(config, datasets):
    """One on each of these data sets that the benchmark runs on."""
    return [Job("peers", NO_PROTOCOL, dataset, SVC) for dataset in benchmark_datasets(config, datasets)]


def settings(config, job):
    """Settings of one of them. Of a data set's caps CVM's holds: SVC trains to its end, as CVM does."""
    section = config["peers"]
    return {
        "kernel": "rbf",
        "cache_mb": section["cache_mb"],
        "memory_limit_mb": section["memory_limit_mb"],
        "time_limit": capped(section["time_limit"], config, job.dataset, "time_limit", "cvm"),
        "timing": config["timing"],
        "runs": 1,
    }
