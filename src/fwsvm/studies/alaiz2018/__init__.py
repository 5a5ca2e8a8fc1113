"""Alaiz and Suykens 2018: weighted SVMs and sparsity."""

from fwsvm.reporting.artefact import figure, table
from fwsvm.runs.experiment import Experiment
from fwsvm.studies.alaiz2018 import plan

EXPERIMENTS = {
    "alaiz2018": Experiment(plan.jobs, plan.settings, "fwsvm.studies.alaiz2018.run", has_details=True, timed=False)
}

_TABLES, _FIGURES, _SKETCHES = (f"{__name__}.{module}" for module in ("tables", "figures", "sketch_figures"))

ARTEFACTS = {
    "alaiz2018-table1": table(_TABLES, "table1", "alaiz2018", "Data sets: sizes, dimension and majority class."),
    "alaiz2018-table2": table(
        _TABLES,
        "table2",
        "runs alaiz2018",
        "SVM and M-FW on ijcnn1 and magic: accuracy, support vectors and iterations.",
    ),
    "alaiz2018-table3": table(
        _TABLES,
        "table3",
        "runs alaiz2018",
        "SVM, M-FW and M-FW with fixed C on nine data sets, with ranks by Wilcoxon tests.",
    ),
    "alaiz2018-table4": table(_TABLES, "table4", "runs alaiz2018", "M-FW in per cent of the SVM, over nine data sets."),
    "alaiz2018-table5": table(
        _TABLES, "table5", "runs alaiz2018", "How support vectors and accuracy of M-FW depend on its initial point."
    ),
    "alaiz2018-fig1": figure(
        _SKETCHES, "fig1", "sketches", "Sketch: feasible region of the weighted SVM for three patterns."
    ),
    "alaiz2018-fig2": figure(_SKETCHES, "fig2", "sketches", "Sketch: a pattern's multiplier against its weight."),
    "alaiz2018-fig3": figure(
        _FIGURES, "fig3", "runs alaiz2018", "ijcnn1 and magic: accuracy, support vectors and iterations against C."
    ),
    "alaiz2018-fig4": figure(
        _FIGURES, "fig4", "alaiz2018", "Accuracy and support vectors against iterations on the largest data set."
    ),
}

SKETCHES = "fwsvm.studies.alaiz2018.sketches"
