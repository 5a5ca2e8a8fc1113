"""Tsang et al. 2005, core vector machines: growing data sets, one class."""

from fwsvm.reporting.artefact import figure
from fwsvm.runs.jobs import Experiment
from fwsvm.studies.tsang2005 import plan

EXPERIMENTS = {
    "tsang2005": Experiment(plan.jobs, plan.settings, "fwsvm.studies.tsang2005.run", has_details=True),
    "draws": Experiment(plan.draws_jobs, plan.draws_settings, "fwsvm.studies.tsang2005.draws"),
}

_SERIES, _ONE_CLASS = f"{__name__}.series_figures", f"{__name__}.one_class_figure"

ARTEFACTS = {
    "tsang2005-fig1": figure("fwsvm.studies.benchmark.sketch_figures", "core_set_chart", "sketches"),
    "tsang2005-fig2": figure(_SERIES, "fig2", "runs tsang2005"),
    "tsang2005-fig3": figure(_SERIES, "fig3", "runs tsang2005"),
    "tsang2005-fig4": figure(_SERIES, "fig4", "runs tsang2005 descriptions"),
    "tsang2005-oneclass": figure(_ONE_CLASS, "oneclass", "runs tsang2005"),
}

PRINTED = {"text": "Tsang et al. 2005, Core Vector Machines, sec. 5.1 (a sentence, no table)"}
