"""Today's trainers at the benchmark's parameters."""

from importlib.util import find_spec

from fwsvm.reporting.artefact import figure
from fwsvm.runs.jobs import Experiment, Job, benchmark_datasets, capped
from fwsvm.runs.protocols import NO_PROTOCOL
from fwsvm.studies.peers.trainers import PEERS, SVC


def jobs(config, datasets):
    """SVC on each data set of the benchmark, the other peers on those that are compared."""
    compared = config["peers"]["compared"]["datasets"]
    return [
        Job("peers", NO_PROTOCOL, dataset, name)
        for dataset in benchmark_datasets(config, datasets)
        for name in PEERS
        if name == SVC or dataset in compared
    ]


def settings(config, job):
    """Settings of a job. The cap of a data set for CVM holds for peers too: they train to their end, as CVM does."""
    section, peer = config["peers"], PEERS[job.method]
    limit = section["time_limit"] if job.method == SVC else section["compared"]["time_limit"]
    components = section["compared"]["components"] if peer.has_components else [None]
    return {
        "kernel": "rbf",
        "cache_mb": section["cache_mb"],
        "memory_limit_mb": section["memory_limit_mb"],
        "time_limit": capped(limit, config, job.dataset, "time_limit", "cvm"),
        "components": components,
        "installed": find_spec(peer.module) is not None,
        "seed": config["seed"],
        "timing": config["timing"],
        "runs": len(components),
    }


EXPERIMENTS = {
    "peers": Experiment(jobs, settings, "fwsvm.studies.peers.run", tuned="params"),
}

ARTEFACTS = {
    "beyond-peers": figure(f"{__name__}.artefacts", "peers_chart", "runs descriptions"),
}
