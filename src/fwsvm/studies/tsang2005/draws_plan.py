"""Jobs on checkerboards drawn anew, and what each needs of the configuration."""

from fwsvm.runs.jobs import Job, own_datasets
from fwsvm.studies.tsang2005 import plan

EXPERIMENT = "draws"


def jobs(config, datasets):
    """Each of the section's methods on each of its data sets that are among these, as far as the study runs them."""
    study = config["tsang2005"]["checkerboard"]
    names = [name for name in own_datasets(config, EXPERIMENT, datasets) if name in study["datasets"]]
    methods = [
        method for method in config[EXPERIMENT]["methods"] if method in study["methods"] and _sizes(config, method)
    ]
    return [Job(EXPERIMENT, plan.protocol_of(method), name, method) for name in names for method in methods]


def settings(config, job):
    """Those of the same method in the study, on training sets of no more than `most_points`."""
    section, sizes = config[EXPERIMENT], _sizes(config, job.method)
    of_study = plan.settings(config, job)
    runs = section["draws"] * len(sizes) * len(of_study["C"]) * len(of_study["gamma_factors"])
    return of_study | {"sizes": sizes, "repetitions": 1, "draws": section["draws"], "runs": runs}


def _sizes(config, method):
    """The study's sizes that are drawn anew, ascending."""
    most = config[EXPERIMENT]["most_points"]
    sizes = sorted(config["tsang2005"]["checkerboard"]["sizes"])
    return [size for size in sizes if size <= most.get(method, most["default"])]
