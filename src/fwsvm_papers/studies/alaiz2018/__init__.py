"""The study of Alaiz and Suykens 2018: weighted SVMs and sparsity."""

from collections.abc import Sequence

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import Experiment, Job, section_of
from fwsvm_papers.runs.protocols import FULL_PROTOCOL

EXPERIMENT = "alaiz2018"
MODELS = {"svm": "pfw", "mfw": "mfw_sparse", "mfw_fixed": "mfw_sparse"}
"""Maps the paper's three models to our methods.

For `mfw_fixed`, C is not tuned, but has the value in the configuration.
"""


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    """Return a list with a job for each of the `datasets` that the study uses.

    A job trains with both PFW and M-FW.
    """
    section = config[EXPERIMENT]
    lists = (section["datasets"], section["c_path"]["datasets"], section["largest"]["datasets"])
    names = dict.fromkeys(name for names in lists for name in names)
    return [
        Job(EXPERIMENT, FULL_PROTOCOL, name, "mfw_sparse") for name in names if name in datasets
    ]


def settings(config: dict, job: Job) -> dict:
    """Return the settings of a job. They include a dict for each part of the study that uses the
    data set of the job. A data set of the part `c_path` is not used for the comparison.
    """
    section = section_of(config, job)
    compared, starts = section.pop("datasets"), section.pop("starts")
    path, largest = section.pop("c_path"), section.pop("largest")
    drawn = {key: section.pop(key) for key in ("kernels", "partitions")}
    points = {key: section.pop(key) for key in ("train_points", "test_points")}
    models = len(drawn["kernels"]) * drawn["partitions"]

    runs, parts = 0, {}
    if job.dataset in path.pop("datasets"):
        parts["c_path"] = drawn | path
        runs += 2 * models * len(section["C_exponents"])
    elif job.dataset in compared:
        most = starts["most"].get(job.dataset, starts["most"]["default"])
        parts["comparison"] = drawn | points | {"starts": starts | {"most": most}}
        runs += len(MODELS) * models + most
    if job.dataset in largest.pop("datasets"):
        parts["largest"] = largest
        runs += len(MODELS)
    fixed_C = float(section["fixed_C"])
    return {**section, **parts, "models": MODELS, "fixed_C": fixed_C, "runs": runs}


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
