"""The width of the Gaussian kernel."""

from fwsvm.reporting.artefact import figure
from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {
    "gamma": Experiment("fwsvm.studies.kernel_width.plan", "fwsvm.studies.kernel_width.run", has_details=True)
}

_DRAWN = f"{__name__}.artefacts"

ARTEFACTS = {
    "beyond-gamma": figure(
        _DRAWN,
        "gamma_chart",
        "runs",
        "CVM at three kernel widths next to the printed accuracy.",
    ),
}
