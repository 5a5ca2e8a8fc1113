"""Tsang et al. 2005, core vector machines: growing data sets, one class."""

from fwsvm.reporting.artefact import figure
from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {
    "tsang2005": Experiment("fwsvm.studies.tsang2005.plan", "fwsvm.studies.tsang2005.run", has_details=True),
}

ARTEFACTS = {
    "tsang2005-fig1": figure(
        "fwsvm.studies.tsang2005.artefacts",
        "fig1",
        "sketches",
        "Sketch: a core-set and the ball that it encloses the points with.",
    ),
    "tsang2005-fig2": figure(
        "fwsvm.studies.tsang2005.artefacts",
        "fig2",
        "runs tsang2005",
        "Checkerboard: time, size and error of CVM and other trainers.",
    ),
    "tsang2005-fig3": figure(
        "fwsvm.studies.tsang2005.artefacts",
        "fig3",
        "runs tsang2005",
        "Forest cover type: time, size and error of CVM and LIBSVM.",
    ),
    "tsang2005-fig4": figure(
        "fwsvm.studies.tsang2005.artefacts",
        "fig4",
        "runs tsang2005 descriptions",
        "Adult: time, size and error of CVM and other trainers.",
    ),
    "tsang2005-oneclass": figure(
        "fwsvm.studies.tsang2005.artefacts",
        "oneclass",
        "runs tsang2005",
        "The one-class L2-SVM beside scikit-learn's OneClassSVM.",
    ),
}
