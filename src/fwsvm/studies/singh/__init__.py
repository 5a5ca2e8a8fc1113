"""Singh, modified Frank-Wolfe for L2-SVM by the minimum enclosing ball."""

from fwsvm.reporting.artefact import figure, table
from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {"singh": Experiment("fwsvm.studies.singh.plan", "fwsvm.studies.singh.run", has_details=True)}

_DRAWN = f"{__name__}.artefacts"

ARTEFACTS = {
    "singh-table1": table(_DRAWN, "table1", "runs singh", "Physical cost of MFW on two circles, beside the printed."),
    "singh-fig1": figure(_DRAWN, "fig1", "runs singh", "Two circles: the data and the learnt decision function."),
    "singh-fig2": figure(_DRAWN, "fig2", "runs singh", "Two circles: convergence of the dual objective."),
    "singh-fig3": figure(_DRAWN, "fig3", "runs singh", "Two circles: convergence of the iterates."),
    "singh-fig4": figure(_DRAWN, "fig4", "runs singh", "Two circles: away steps, step sizes and size of the coreset."),
    "singh-fig5": figure(_DRAWN, "fig5", "runs singh", "Two circles: accuracy and F1 per step."),
    "singh-fig6": figure(_DRAWN, "fig6", "sketches", "Sketch: hard margin and hinge loss."),
    "singh-signerror": figure(
        _DRAWN, "signerror", "runs singh", "The listing's radius update with its wrong sign, followed."
    ),
}

PRINTED = {
    "cost": "Singh, Modified Frank-Wolfe Algorithm for Solving L2-SVM via the MEB Problem, sec. 4.1 and 4.2 (no table)"
}
