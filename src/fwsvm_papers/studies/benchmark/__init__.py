"""Benchmark of frandi2013 and nanculef2014: all methods on all data sets, paths over C, and the
polynomial kernel.
"""

from fwsvm_papers.runs import jobs as planning

_TRAINING = "fwsvm_papers.studies.benchmark.training"
SKETCHES = "fwsvm_papers.studies.benchmark.sketches"


def jobs(config, datasets):
    sets = planning.benchmark_datasets(config, datasets)
    return planning.section_jobs(
        config, "benchmark", sets, config["benchmark"]["protocols"], shared_cvm=True
    )


def settings(config, job):
    repetitions = planning.repetitions_of(config["benchmark"]["repetitions"], job.protocol)
    limits = config[job.experiment]["time_limit"]
    kernel = "poly" if job.experiment == "poly" else "rbf"
    return planning.training_settings(
        config, job, limits, [{"repetitions": repetitions}], kernel=kernel
    )


def c_path_jobs(config, datasets):
    return planning.section_jobs(
        config, "c_path", datasets, [config["c_path"]["protocol"]], shared_cvm=True
    )


def c_path_settings(config, job):
    section = config["c_path"]
    variants = [
        {"C": 2.0**k, "repetitions": section["repetitions"]} for k in sorted(section["C_exponents"])
    ]
    return planning.training_settings(config, job, section["time_limit"], variants)


def poly_jobs(config, datasets):
    return planning.section_jobs(
        config, "poly", datasets, config["benchmark"]["protocols"], shared_cvm=True
    )


EXPERIMENTS = {
    "benchmark": planning.Experiment(jobs, settings, _TRAINING, tuned="params"),
    "c_path": planning.Experiment(c_path_jobs, c_path_settings, _TRAINING, tuned="params"),
    "poly": planning.Experiment(poly_jobs, settings, _TRAINING, tuned="params-poly"),
}
