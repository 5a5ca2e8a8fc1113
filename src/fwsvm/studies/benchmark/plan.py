"""Jobs of the benchmark (every method, data set and protocol), of the paths of C, and of the polynomial kernel."""

from fwsvm.runs.jobs import (
    Job,
    benchmark_datasets,
    protocols_of,
    repetitions_of,
    section_jobs,
    training_settings,
)


def jobs(config, datasets):
    """Training jobs on these data sets, but for those that it leaves to other experiments."""
    benchmark = config["benchmark"]
    return [
        Job("benchmark", protocol, dataset, method)
        for dataset in benchmark_datasets(config, datasets)
        for method in benchmark["methods"]
        for protocol in protocols_of(config, method, benchmark["protocols"])
    ]


def settings(config, job):
    """Settings of one of them."""
    benchmark = config["benchmark"]
    repetitions = repetitions_of(benchmark["repetitions"], job.protocol)
    return training_settings(config, job, benchmark["time_limit"], [{"repetitions": repetitions}])


def c_path_jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these."""
    return section_jobs(config, "c_path", datasets, [config["c_path"]["protocol"]], shared_cvm=True)


def c_path_settings(config, job):
    """Settings of one of them: a variant for every C."""
    section = config["c_path"]
    variants = [{"C": 2.0**k, "repetitions": section["repetitions"]} for k in sorted(section["C_exponents"])]
    return training_settings(config, job, section["time_limit"], variants)


def poly_jobs(config, datasets):
    """Training jobs on those of the section's data sets that are among these, protocols as in the benchmark."""
    return section_jobs(config, "poly", datasets, config["benchmark"]["protocols"], shared_cvm=True)


def poly_settings(config, job):
    """Settings of one of them."""
    repetitions = repetitions_of(config["benchmark"]["repetitions"], job.protocol)
    limits = config["poly"]["time_limit"]
    return training_settings(config, job, limits, [{"repetitions": repetitions}], kernel="poly")
