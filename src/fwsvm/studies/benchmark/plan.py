"""The benchmark of frandi2013 and nanculef2014: every method on every data set under every selection."""

from fwsvm.runs.jobs import Job, benchmark_datasets, repetitions_of, selections_of, training_settings


def jobs(config, datasets):
    """Training jobs on these data sets, but for those that it leaves to other experiments."""
    benchmark = config["benchmark"]
    return [
        Job("benchmark", selection, dataset, method)
        for dataset in benchmark_datasets(config, datasets)
        for method in benchmark["methods"]
        for selection in selections_of(method, benchmark["selections"])
    ]


def settings(config, job):
    """Settings of one of them."""
    benchmark = config["benchmark"]
    repetitions = repetitions_of(benchmark["repetitions"], job.selection)
    return training_settings(config, job, benchmark["time_limit"], [{"repetitions": repetitions}])
