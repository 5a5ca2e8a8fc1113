"""The benchmark of frandi2013 and nanculef2014: all methods on all data sets; C path; polynomial kernel."""

from fwsvm.runs.experiment import Experiment

EXPERIMENTS = {
    "benchmark": Experiment("fwsvm.studies.benchmark.plan", "fwsvm.studies.benchmark.training", tuned="params"),
    "c_path": Experiment("fwsvm.studies.benchmark.c_path", "fwsvm.studies.benchmark.training", tuned="params"),
    "poly": Experiment("fwsvm.studies.benchmark.poly", "fwsvm.studies.benchmark.training", tuned="params-poly"),
}

SKETCHES = "fwsvm.studies.benchmark.sketches"
