"""A study of how the gap, the model size and the accuracy change during one run of each method."""

from collections.abc import Sequence

from fwsvm_papers.reporting.artefact import figure
from fwsvm_papers.runs.jobs import Experiment, Job, section_jobs, section_of


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    return section_jobs(config, "convergence", datasets)


def settings(config: dict, job: Job) -> dict:
    section = section_of(config, job, "init", "cache_mb", "max_iterations")
    for key in ("datasets", "methods", "protocol"):
        del section[key]
    return {"eps": section.pop("relative_gap"), **section, "kernel": "rbf", "runs": 1}


EXPERIMENTS = {
    "convergence": Experiment(jobs, settings, f"{__name__}.run", tuned="params", has_details=True)
}

SKETCHES = f"{__name__}.sketches"

ARTEFACTS = {
    "beyond-convergence": figure(f"{__name__}.artefacts", "convergence_chart", "convergence"),
    "beyond-steps": figure(f"{__name__}.artefacts", "steps_chart", "sketches"),
}
