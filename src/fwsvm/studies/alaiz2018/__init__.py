"""Alaiz and Suykens 2018: weighted SVMs and sparsity."""

from fwsvm.reporting.artefact import figure, table
from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {
    "alaiz2018": Experiment(
        "fwsvm.studies.alaiz2018.plan", "fwsvm.studies.alaiz2018.run", has_details=True, timed=False
    )
}

_DRAWN = "fwsvm.studies.alaiz2018.artefacts"

ARTEFACTS = {
    "alaiz2018-table1": table(_DRAWN, "table1", "alaiz2018", "Data sets: sizes, dimension and majority class."),
    "alaiz2018-table2": table(
        _DRAWN,
        "table2",
        "runs alaiz2018",
        "SVM and M-FW on ijcnn1 and magic: accuracy, support vectors and iterations.",
    ),
    "alaiz2018-table3": table(
        _DRAWN,
        "table3",
        "runs alaiz2018",
        "SVM, M-FW and M-FW with fixed C on nine data sets, with ranks by Wilcoxon tests.",
    ),
    "alaiz2018-table4": table(_DRAWN, "table4", "runs alaiz2018", "M-FW in per cent of the SVM, over nine data sets."),
    "alaiz2018-table5": table(
        _DRAWN, "table5", "runs alaiz2018", "How support vectors and accuracy of M-FW depend on its initial point."
    ),
    "alaiz2018-fig1": figure(
        _DRAWN, "fig1", "sketches", "Sketch: feasible region of the weighted SVM for three patterns."
    ),
    "alaiz2018-fig2": figure(_DRAWN, "fig2", "sketches", "Sketch: a pattern's multiplier against its weight."),
    "alaiz2018-fig3": figure(
        _DRAWN, "fig3", "runs alaiz2018", "ijcnn1 and magic: accuracy, support vectors and iterations against C."
    ),
    "alaiz2018-fig4": figure(
        _DRAWN, "fig4", "alaiz2018", "Accuracy and support vectors against iterations on the largest data set."
    ),
}

SKETCHES = "fwsvm.studies.alaiz2018.sketches"
