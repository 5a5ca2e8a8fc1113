"""The benchmark of frandi2013 and nanculef2014. It has runs of all methods on all data sets, runs
along paths over C, and runs with the polynomial kernel.
"""

from collections.abc import Sequence

from fwsvm_papers.runs.jobs import (
    Experiment,
    Job,
    benchmark_datasets,
    section_jobs,
    training_settings,
)

_TRAINING = "fwsvm_papers.studies.benchmark.training"
SKETCHES = "fwsvm_papers.studies.benchmark.sketches"


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    sets = benchmark_datasets(config, datasets)
    return section_jobs(config, "benchmark", sets, config["benchmark"]["protocols"])


def settings(config: dict, job: Job) -> dict:
    kernel = "poly" if job.experiment == "poly" else "rbf"
    return training_settings(config, job, [{}], kernel=kernel)


def c_path_jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    return section_jobs(config, "c_path", datasets)


def c_path_settings(config: dict, job: Job) -> dict:
    exponents = sorted(config["c_path"]["C_exponents"])
    return training_settings(config, job, [{"C": 2.0**k} for k in exponents])


def poly_jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    return section_jobs(config, "poly", datasets, config["benchmark"]["protocols"])


EXPERIMENTS = {
    "benchmark": Experiment(jobs, settings, _TRAINING, tuned="params"),
    "c_path": Experiment(c_path_jobs, c_path_settings, _TRAINING, tuned="params"),
    "poly": Experiment(poly_jobs, settings, _TRAINING, tuned="params-poly"),
}
