"""A study of early stopping. The runs differ in their patience, which is the number of consecutive
samples without a violation of the stopping rule after which a run ends.
"""

from collections.abc import Sequence

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import (
    Experiment,
    Job,
    benchmark_datasets,
    section_jobs,
    training_settings,
)
from fwsvm_papers.runs.protocols import LIBCVM_PATIENCE

SHARED = {"benchmark": 1, "ladder": LIBCVM_PATIENCE}
"""Maps another experiment to a patience. The runs of that experiment with this patience are shown
here, and not repeated.
"""


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    return section_jobs(config, "stopping", datasets)


def settings(config: dict, job: Job) -> dict:
    """Return the settings of a job. They contain variants that stop early, and one variant that
    searches all points.

    Variants that another experiment runs are omitted.
    """
    shared = {patience for name, patience in SHARED.items() if _runs_in(name, config, job)}
    patience = sorted({1, *config["stopping"]["patience"]} - shared)
    early = [{"patience": samples} for samples in patience]
    return training_settings(config, job, [*early, {"selection": "full"}])


def _runs_in(experiment: str, config: dict, job: Job) -> bool:
    """Return whether `experiment` runs the method of the job on the same data set under the same
    protocol. For the benchmark, the patience of this protocol must also be 1, as in `SHARED`.
    """
    section = config[experiment]
    protocols = section.get("protocols") or [section["protocol"]]
    return (
        experiment in config["experiments"]
        and job.protocol in protocols
        and job.method in section["methods"]
        and job.dataset in benchmark_datasets(config, [job.dataset])
        and (experiment != "benchmark" or config["protocols"][job.protocol].get("patience") == 1)
    )


EXPERIMENTS = {
    "stopping": Experiment(
        jobs, settings, "fwsvm_papers.studies.benchmark.training", tuned="params"
    )
}

_DRAWN = f"{__name__}.artefacts"

ARTEFACTS = {
    "beyond-stopping": figure(_DRAWN, "stopping_chart", "runs descriptions"),
    "beyond-stopping-table": table(_DRAWN, "stopping_table", "runs descriptions"),
}
