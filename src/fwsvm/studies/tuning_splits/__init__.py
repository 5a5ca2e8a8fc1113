"""How much the tuned C depends on the points that happen to be kept for validation."""

from fwsvm.reporting.artefact import table
from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {"splits": Experiment("fwsvm.studies.tuning_splits.plan", "fwsvm.studies.tuning_splits.run", timed=False)}

ARTEFACTS = {
    "beyond-splits": table(
        f"{__name__}.artefacts", "splits_table", "runs", "C tuned on several random validation parts, and its accuracy."
    ),
}
