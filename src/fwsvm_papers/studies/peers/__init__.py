"""Train SVMs with other solvers (peers) for comparison, at the kernel width and C that were
tuned for the benchmark.
"""

from importlib.util import find_spec

from fwsvm_papers.reporting.artefact import figure
from fwsvm_papers.runs.jobs import Experiment, Job, benchmark_datasets, capped
from fwsvm_papers.runs.protocols import NO_PROTOCOL

SVC = "svc"
"""The trainer that runs on every data set of the benchmark."""

PEERS = {SVC: "sklearn", "intelex": "sklearnex", "libsvm_l2": "sklearn", "nystroem": "sklearn"}
"""Maps each peer (another SVM trainer, in the column ``method``) to the package that it needs."""


def jobs(config, datasets):
    """List the jobs: SVC on all data sets of the benchmark, and the other trainers on the sets
    in `peers.compared`.
    """
    compared = config["peers"]["compared"]["datasets"]
    return [
        Job("peers", NO_PROTOCOL, dataset, name)
        for dataset in benchmark_datasets(config, datasets)
        for name in PEERS
        if name == SVC or dataset in compared
    ]


def settings(config, job):
    """Collect the settings of a job.

    Since peers run to convergence like CVM, the cap on CVM's time limit applies.
    """
    section = config["peers"]
    limit = section["time_limit"] if job.method == SVC else section["compared"]["time_limit"]
    components = section["compared"]["components"] if job.method == "nystroem" else [None]
    return {
        "kernel": "rbf",
        "protocol": section["protocol"],
        "cache_mb": section["cache_mb"],
        "memory_limit_mb": section["memory_limit_mb"],
        "time_limit": capped(limit, config, job.dataset, "time_limit", "cvm"),
        "components": components,
        "installed": find_spec(PEERS[job.method]) is not None,
        "seed": config["seed"],
        "timing": config["timing"],
        "runs": len(components),
    }


EXPERIMENTS = {"peers": Experiment(jobs, settings, f"{__name__}.run", tuned="params")}

ARTEFACTS = {"beyond-peers": figure(f"{__name__}.artefacts", "peers_chart", "runs descriptions")}
