"""Early stopping by samples without a violation."""

from fwsvm.reporting.artefact import figure, table
from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {
    "stopping": Experiment("fwsvm.studies.stopping.plan", "fwsvm.studies.benchmark.training", tuned="params")
}

_DRAWN = f"{__name__}.artefacts"

ARTEFACTS = {
    "beyond-stopping": figure(
        _DRAWN, "stopping_chart", "runs descriptions", "How much of the speed-up is early stopping."
    ),
    "beyond-stopping-table": table(
        _DRAWN,
        "stopping_table",
        "runs descriptions",
        "How much of the speed-up is early stopping, in numbers.",
    ),
}
