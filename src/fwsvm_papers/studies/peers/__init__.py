"""A study of SVMs of other packages (peers), which are trained with the kernel width and C that
were tuned for the benchmark.
"""

from collections.abc import Sequence
from importlib.util import find_spec

from fwsvm_papers.reporting.artefact import figure
from fwsvm_papers.runs.jobs import Experiment, Job, benchmark_datasets, section_of
from fwsvm_papers.runs.protocols import NO_PROTOCOL

SVC = "svc"
"""The peer that runs on every data set of the benchmark."""

PEERS = {SVC: "sklearn", "intelex": "sklearnex", "libsvm_l2": "sklearn", "nystroem": "sklearn"}
"""Maps the name of each peer in the column ``method`` to the package that the peer needs."""


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    """Return a list with a job for each data set and peer.

    SVC runs on all data sets of the benchmark. The other peers run on the data sets in
    `peers.compared` of the configuration.
    """
    compared = config["peers"]["compared"]["datasets"]
    return [
        Job("peers", NO_PROTOCOL, dataset, name)
        for dataset in benchmark_datasets(config, datasets)
        for name in PEERS
        if name == SVC or dataset in compared
    ]


def settings(config: dict, job: Job) -> dict:
    """Return the settings of a job.

    SVC runs until it converges, as CVM does. Therefore, the cap on CVM's time limit is also the cap
    for SVC. The other peers have the time limit in `peers.compared`, with the same cap.
    """
    section = section_of(config, job, method="cvm")
    compared = section.pop("compared")
    if job.method != SVC:
        section["time_limit"] = compared["time_limit"]
    components = compared["components"] if job.method == "nystroem" else [None]
    return {
        **section,
        "kernel": "rbf",
        "components": components,
        "installed": find_spec(PEERS[job.method]) is not None,
        "runs": len(components),
    }


EXPERIMENTS = {"peers": Experiment(jobs, settings, f"{__name__}.run", tuned="params")}

ARTEFACTS = {"beyond-peers": figure(f"{__name__}.artefacts", "peers_chart", "runs descriptions")}
