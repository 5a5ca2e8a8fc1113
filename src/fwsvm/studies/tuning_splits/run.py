"""Tune C on several random validation parts and train CVM with each. The benchmark uses the first part."""

from fwsvm.runs import measure
from fwsvm.studies.benchmark import training
from fwsvm.studies.benchmark.tune import tune


def run(prepared, job, settings):
    """Tune and train once per validation part. The column `repetition` has the number of the part."""
    rows = []
    for number in range(settings["splits"]):
        seed = settings["seed"]
        if number:
            seed = measure.derive_seed(seed, job.experiment, job.dataset, "split", number)
        tuned = tune(prepared, settings["tuning"] | {"seed": seed})
        rows += [row | {"repetition": number} for row in training.run(prepared, tuned, job, settings)]
    return rows
