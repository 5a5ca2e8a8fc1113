"""Study early stopping, in which a run ends after one or more samples in a row without a
violation.
"""

from collections.abc import Sequence

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import Experiment, Job, section_jobs, training_settings


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    return section_jobs(config, "stopping", datasets)


def settings(config: dict, job: Job) -> dict:
    """Collect a job's settings: variants that stop early, and one that searches all points."""
    patience = sorted({1, *config["stopping"]["patience"]})
    early = [{"patience": samples} for samples in patience]
    return training_settings(config, job, [*early, {"selection": "full", "repetitions": 1}])


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
