"""scikit-learn's SVC at the benchmark's parameters."""

from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {
    "peers": Experiment("fwsvm.studies.peers.plan", "fwsvm.studies.peers.run", tuned="params"),
}
