"""All methods to the same certified relative gap: times and sizes, and the way there."""

from fwsvm.reporting.artefact import figure, table
from fwsvm.runs.experiment import Experiment

_DRAWN = f"{__name__}.artefacts"

EXPERIMENTS = {
    "equal_gap": Experiment("fwsvm.studies.equal_gap.plan", "fwsvm.studies.equal_gap.run", tuned="params"),
    "convergence": Experiment(
        "fwsvm.studies.equal_gap.convergence_plan",
        "fwsvm.studies.equal_gap.convergence",
        tuned="params",
        has_details=True,
    ),
}

ARTEFACTS = {
    "beyond-equal": table(
        _DRAWN, "equal_gap_table", "runs", "Time and size of every method at the same certified gap."
    ),
    "beyond-convergence": figure(
        _DRAWN,
        "convergence_chart",
        "convergence",
        "Relative gap and test accuracy against CPU time and requested kernel values.",
    ),
}
