"""Study early stopping, in which a run ends after one or more samples in a row without a
violation.
"""

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import Experiment, section_jobs, training_settings


def jobs(config, datasets):
    return section_jobs(config, "stopping", datasets, [config["stopping"]["protocol"]])


def settings(config, job):
    """Collect a job's settings: variants that stop early, and one that searches all points."""
    section = config["stopping"]
    repetitions = {"repetitions": section["repetitions"]}
    variants = [
        {"patience": patience, **repetitions} for patience in sorted({1, *section["patience"]})
    ]
    return training_settings(
        config, job, section["time_limit"], [*variants, {"selection": "full", "repetitions": 1}]
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
