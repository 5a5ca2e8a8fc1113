"""Alaiz and Suykens 2018: weighted SVMs and sparsity."""

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import Experiment, Job, capped
from fwsvm_papers.runs.protocols import FULL_PROTOCOL

EXPERIMENT = "alaiz2018"
MODELS = {"svm": "pfw", "mfw": "mfw_sparse", "mfw_fixed": "mfw_sparse"}
"""Maps the paper's three models to our methods.

For `mfw_fixed`, C comes from the configuration and is not tuned.
"""

_COPIED = (
    "folds",
    "tuning_points",
    "tuning_iterations",
    "gamma_exponents",
    "C_exponents",
    "stop",
    "eps",
    "cache_mb",
    "max_iterations",
)


def jobs(config, datasets):
    """List one job for each of the `datasets` that the study uses.

    A job trains with both PFW and M-FW.
    """
    section = config[EXPERIMENT]
    lists = (section["datasets"], section["c_path"]["datasets"], section["largest"]["datasets"])
    names = dict.fromkeys(name for names in lists for name in names)
    return [
        Job(EXPERIMENT, FULL_PROTOCOL, name, "mfw_sparse") for name in names if name in datasets
    ]


def settings(config, job):
    """Collect a job's settings, with a dict for each part of the study that uses the job's data
    set.
    """
    section = config[EXPERIMENT]
    chosen = {key: section[key] for key in _COPIED} | {"models": MODELS}
    chosen |= {
        "fixed_C": float(section["fixed_C"]),
        "seed": config["seed"],
        "timing": config["timing"],
    }
    chosen["time_limit"] = capped(
        section["time_limit"], config, job.dataset, "time_limit", job.method
    )
    kernels = section["kernels"]
    partitions = capped(section["partitions"], config, job.dataset, "repetitions")
    drawn = {"kernels": kernels, "partitions": partitions}
    runs = 0
    if job.dataset in section["c_path"]["datasets"]:
        chosen["c_path"] = drawn | {
            key: section["c_path"][key] for key in ("train_points", "test_points")
        }
        runs += 2 * len(kernels) * partitions * len(section["C_exponents"])
    elif job.dataset in section["datasets"]:
        kernel, most = section["starts"]["kernel"], section["starts"]["most"]
        starts = {"kernel": kernel, "most": most.get(job.dataset, most["default"])}
        chosen["comparison"] = drawn | {
            key: section[key] for key in ("train_points", "test_points")
        }
        chosen["comparison"]["starts"] = starts
        runs += len(MODELS) * len(kernels) * partitions + starts["most"]
    if job.dataset in section["largest"]["datasets"]:
        chosen["largest"] = {
            key: value for key, value in section["largest"].items() if key != "datasets"
        }
        runs += len(MODELS)
    return {**chosen, "runs": runs}


EXPERIMENTS = {
    EXPERIMENT: Experiment(jobs, settings, f"{__name__}.run", has_details=True, timed=False)
}

_TABLES, _FIGURES, _SKETCHES = (
    f"{__name__}.{module}" for module in ("tables", "figures", "sketch_figures")
)

ARTEFACTS = {
    "alaiz2018-table1": table(_TABLES, "table1", "alaiz2018"),
    "alaiz2018-table2": table(_TABLES, "table2", "runs alaiz2018"),
    "alaiz2018-table3": table(_TABLES, "table3", "runs alaiz2018"),
    "alaiz2018-table4": table(_TABLES, "table4", "runs alaiz2018"),
    "alaiz2018-table5": table(_TABLES, "table5", "runs alaiz2018"),
    "alaiz2018-fig1": figure(_SKETCHES, "fig1", "sketches"),
    "alaiz2018-fig2": figure(_SKETCHES, "fig2", "sketches"),
    "alaiz2018-fig3": figure(_FIGURES, "fig3", "runs alaiz2018"),
    "alaiz2018-fig4": figure(_FIGURES, "fig4", "alaiz2018"),
}

SKETCHES = "fwsvm_papers.studies.alaiz2018.sketches"
