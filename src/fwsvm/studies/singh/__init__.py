"""Singh, modified Frank-Wolfe for L2-SVM by the minimum enclosing ball."""

from fwsvm.reporting.artefact import figure, table
from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {"singh": Experiment("fwsvm.studies.singh.plan", "fwsvm.studies.singh.run", has_details=True)}

_TABLE, _FIGURES = f"{__name__}.cost_table", f"{__name__}.figures"

ARTEFACTS = {
    "singh-table1": table(_TABLE, "table1", "runs singh", "Physical cost of MFW on two circles, and the printed one."),
    "singh-fig1": figure(_FIGURES, "fig1", "runs singh", "Two circles: the data and the learnt decision function."),
    "singh-fig2": figure(_FIGURES, "fig2", "runs singh", "Two circles: convergence of the dual objective."),
    "singh-fig3": figure(_FIGURES, "fig3", "runs singh", "Two circles: convergence of the iterates."),
    "singh-fig4": figure(_FIGURES, "fig4", "runs singh", "Two circles: away steps, step sizes, size of the coreset."),
    "singh-fig5": figure(_FIGURES, "fig5", "runs singh", "Two circles: accuracy and F1 per step."),
    "singh-fig6": figure(_FIGURES, "fig6", "sketches", "Sketch: hard margin and hinge loss."),
    "singh-signerror": figure(
        _FIGURES, "signerror", "runs singh", "The listing's radius update with its wrong sign, followed."
    ),
}

PRINTED = {
    "cost": "Singh, Modified Frank-Wolfe Algorithm for Solving L2-SVM via the MEB Problem, sec. 4.1 and 4.2 (no table)"
}
