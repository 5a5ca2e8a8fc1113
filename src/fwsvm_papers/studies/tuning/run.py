"""Training of CVM at several kernel widths, or with values of C that were tuned on several random
validation parts.

Let beta be the average squared distance between training points. Then gamma is 1 / (2 beta) in
frandi2013 sec. 5.2, 1 / beta in tsang2005, and 2 / beta in LibCVM.
"""

from dataclasses import replace

from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.studies.benchmark import training
from fwsvm_papers.studies.benchmark.tune import tune


def run(prepared: Prepared, job: Job, settings: dict) -> list[dict] | tuple[list[dict], dict]:
    return (_run_widths if "factors" in settings else _run_splits)(prepared, job, settings)


def _run_widths(prepared: Prepared, job: Job, settings: dict) -> tuple[list[dict], dict]:
    """Tune C and train at every kernel width.

    Return the rows of the table of runs, and the details.
    """
    beta = prepared.meta["average_squared_distance"]
    rows, widths = [], []
    for factor in settings["factors"]:
        # sigma^2 follows from gamma = factor / beta = 1 / (2 sigma^2).
        at_width = replace(prepared, meta={**prepared.meta, "sigma2": beta / (2 * factor)})
        tuned = tune(at_width, settings["tuning"])
        tuned["gamma_rule"] = f"{factor:g}/beta, beta = average squared distance"
        rows += training.run(at_width, tuned, job, settings)
        widths.append(
            {"factor": factor, **{key: value for key, value in tuned.items() if key != "grid"}}
        )
    return rows, {"tuned": widths}


def _run_splits(prepared: Prepared, job: Job, settings: dict) -> list[dict]:
    """Tune C and train once for each validation part.

    The column `repetition` has the number of the validation part. The benchmark uses the part with
    the number 0.
    """
    rows = []
    for number in range(settings["splits"]):
        seed = settings["seed"]
        if number:
            seed = measure.derive_seed(seed, job.experiment, job.dataset, "split", number)
        tuned = tune(prepared, settings["tuning"] | {"seed": seed})
        rows += [
            row | {"repetition": number} for row in training.run(prepared, tuned, job, settings)
        ]
    return rows
