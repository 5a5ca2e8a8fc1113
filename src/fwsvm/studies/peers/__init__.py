"""Trainers to be had today, at the benchmark's parameters."""

from fwsvm.reporting.artefact import figure
from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {
    "peers": Experiment("fwsvm.studies.peers.plan", "fwsvm.studies.peers.run", tuned="params"),
}

ARTEFACTS = {
    "beyond-peers": figure(
        f"{__name__}.artefacts",
        "peers_chart",
        "runs descriptions",
        "Training time against test accuracy, of today's trainers and the methods of the papers.",
    ),
}
