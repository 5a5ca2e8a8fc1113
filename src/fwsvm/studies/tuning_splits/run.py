"""C tuned on several random validation parts, the first that of the benchmark, and CVM trained with each."""

from fwsvm.runs import measure
from fwsvm.studies.benchmark import training
from fwsvm.studies.benchmark.tune import tune


def run(prepared, job, settings):
    """Tune and train once for each validation part, whose number is the rows' `repetition`."""
    rows = []
    for number in range(settings["splits"]):
        seed = settings["seed"]
        if number:
            seed = measure.derive_seed(seed, job.experiment, job.dataset, "split", number)
        tuned = tune(prepared, settings["tuning"] | {"seed": seed})
        rows += [row | {"repetition": number} for row in training.run(prepared, tuned, job, settings)]
    return rows
