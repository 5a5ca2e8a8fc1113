"""The race, which compares the training times of `auto` with the training times of other packages'
SVMs, at the same kernel widths and values of C.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import product

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import Experiment, Job, own_datasets, section_of
from fwsvm_papers.runs.protocols import NO_PROTOCOL
from fwsvm_papers.studies.race.competitors import AUTO, COMPETITORS


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    """Return a list with a job for each data set and competitor."""
    return [
        Job("race", NO_PROTOCOL, dataset, name)
        for dataset in own_datasets(config, "race", datasets)
        for name in COMPETITORS
    ]


def settings(config: dict, job: Job) -> dict:
    """Return the settings of a job. `auto` is trained to several gaps, the largest gap first."""
    section = section_of(config, job)
    del section["datasets"]
    gaps = sorted(section.pop("relative_gaps"), reverse=True)
    cases = [
        {"threads": grid["threads"], "width_factor": width, "C": C, "eps": gap}
        for grid in section["cases"]
        for width, C in product(grid["width_factors"], grid["C"])
        for gap in (gaps if job.method == AUTO else [None])
    ]
    return {
        **section,
        "cases": cases,
        "classes": section["classes"].get(job.dataset),
        "installed": find_spec(COMPETITORS[job.method]) is not None,
        # the first fit is not timed
        "runs": len(cases) * (1 + section["repeats"]["least"]),
    }


EXPERIMENTS = {"race": Experiment(jobs, settings, f"{__name__}.run", has_details=True)}

ARTEFACTS = {
    "beyond-race": figure(f"{__name__}.artefacts", "race_chart", "runs race"),
    "beyond-race-table": table(f"{__name__}.artefacts", "race_table", "runs race"),
}
