"""The benchmark of frandi2013 and nanculef2014: every method on every data set under every protocol."""

from fwsvm.runs.jobs import Job, benchmark_datasets, protocols_of, repetitions_of, training_settings


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
