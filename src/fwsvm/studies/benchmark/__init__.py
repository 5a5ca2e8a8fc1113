"""The benchmark of frandi2013 and nanculef2014: all methods on all data sets; C path; polynomial kernel."""

from fwsvm.runs.jobs import Experiment
from fwsvm.studies.benchmark import plan

EXPERIMENTS = {
    "benchmark": Experiment(plan.jobs, plan.settings, "fwsvm.studies.benchmark.training", tuned="params"),
    "c_path": Experiment(plan.c_path_jobs, plan.c_path_settings, "fwsvm.studies.benchmark.training", tuned="params"),
    "poly": Experiment(plan.poly_jobs, plan.poly_settings, "fwsvm.studies.benchmark.training", tuned="params-poly"),
}

SKETCHES = "fwsvm.studies.benchmark.sketches"
