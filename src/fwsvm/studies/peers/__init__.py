"""Other trainers at the benchmark's parameters; importing this imports none of them."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from fwsvm.reporting.artefact import figure
from fwsvm.runs.jobs import Experiment, Job, benchmark_datasets, capped
from fwsvm.runs.protocols import NO_PROTOCOL


@dataclass(frozen=True)
class Peer:
    """A trainer: the package it is in, and its steps."""

    module: str
    steps: Callable
    own_features: bool = False


def _svc(module):
    def steps(gamma, C, settings, components, seed):
        return [(f"{module}.svm:SVC", {"gamma": gamma, "C": C, "cache_size": settings["cache_mb"]})]

    return steps


def _svc_without_bound(gamma, C, settings, components, seed):
    # The points' own features contain C; multipliers have no upper bound.
    return _svc("sklearn")(gamma, 1e12, settings, components, seed)


def _nystroem(gamma, C, settings, components, seed):
    # LIBLINEAR writes C sum(xi^2) where the benchmark's methods have C / 2 sum(xi^2); its bias is in the kernel too.
    return [
        ("sklearn.kernel_approximation:Nystroem", {"gamma": gamma, "n_components": components, "random_state": seed}),
        ("sklearn.svm:LinearSVC", {"C": C / 2, "random_state": seed}),
    ]


SVC = "svc"
"""The peer that runs on every data set of the benchmark."""

PEERS = {
    SVC: Peer("sklearn", _svc("sklearn")),
    "intelex": Peer("sklearnex", _svc("sklearnex")),
    "libsvm_l2": Peer("sklearn", _svc_without_bound, own_features=True),
    "nystroem": Peer("sklearn", _nystroem),
}
"""Name (column ``method``) -> peer."""


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
    components = section["compared"]["components"] if job.method == "nystroem" else [None]
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


EXPERIMENTS = {"peers": Experiment(jobs, settings, f"{__name__}.run", tuned="params")}

ARTEFACTS = {
    "beyond-peers": figure(f"{__name__}.artefacts", "peers_chart", "runs descriptions"),
}
