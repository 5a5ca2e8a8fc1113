"""The width of the Gaussian kernel."""

from fwsvm.reporting.artefact import table
from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {
    "gamma": Experiment("fwsvm.studies.kernel_width.plan", "fwsvm.studies.kernel_width.run", has_details=True),
}

_DRAWN = f"{__name__}.artefacts"

ARTEFACTS = {
    "beyond-gamma": table(
        _DRAWN,
        "gamma_table",
        "runs",
        "CVM at three kernel widths beside the printed accuracy.",
    ),
}
