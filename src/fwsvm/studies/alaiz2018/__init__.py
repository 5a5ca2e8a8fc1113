"""Alaiz and Suykens 2018: weighted SVMs and sparsity."""

from fwsvm.reporting.artefact import figure, table
from fwsvm.runs.jobs import Experiment
from fwsvm.studies.alaiz2018 import plan

EXPERIMENTS = {
    "alaiz2018": Experiment(plan.jobs, plan.settings, "fwsvm.studies.alaiz2018.run", has_details=True, timed=False)
}

_TABLES, _FIGURES, _SKETCHES = (f"{__name__}.{module}" for module in ("tables", "figures", "sketch_figures"))

ARTEFACTS = {
    "alaiz2018-table1": table(_TABLES, "table1", "alaiz2018"),
    "alaiz2018-table2": table(_TABLES, "table2", "runs alaiz2018"),
    "alaiz2018-table3": table(_TABLES, "table3", "runs alaiz2018"),
    "alaiz2018-table4": table(_TABLES, "table4", "runs alaiz2018"),
    "alaiz2018-table5": table(_TABLES, "table5", "runs alaiz2018"),
    "alaiz2018-fig1": figure(_SKETCHES, "fig1", "sketches"),
    "alaiz2018-fig2": figure(_SKETCHES, "fig2", "sketches"),
    "alaiz2018-fig3": figure(_FIGURES, "fig3", "runs alaiz2018"),
    "alaiz2018-fig4": figure(_FIGURES, "fig4", "alaiz2018"),
}

SKETCHES = "fwsvm.studies.alaiz2018.sketches"
