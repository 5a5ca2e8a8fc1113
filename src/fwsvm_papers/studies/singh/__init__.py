"""The study of Singh, who trains the L2-SVM as a minimum enclosing ball by modified Frank-Wolfe
(MFW).
"""

from collections.abc import Sequence

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import Experiment, Job, own_datasets, section_of
from fwsvm_papers.runs.protocols import FULL_PROTOCOL

CIRCLES = ("two-circles", "two-circles-3000")  # the two sizes in the paper are 300 and 3000 points


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    return [
        Job("singh", FULL_PROTOCOL, dataset, "mfw")
        for dataset in own_datasets(config, "singh", datasets)
    ]


def settings(config: dict, job: Job) -> dict:
    """Return the settings of a job.

    If the setting `circles` is true, each repetition after the first has new random points.
    """
    section = section_of(config, job, "cache_mb", "max_iterations")
    other, repetitions = section.pop("sign_error"), section.pop("repetitions")
    del section["datasets"]
    section["replayed_steps"] = other["steps"]
    if job.dataset in other["datasets"]:
        return section | {"circles": False, "C": other["C"], "gamma": None, "runs": 1}
    return section | {"circles": True, "runs": repetitions}


EXPERIMENTS = {
    "singh": Experiment(jobs, settings, "fwsvm_papers.studies.singh.run", has_details=True)
}

_TABLE, _FIGURES, _RUNS = f"{__name__}.cost_table", f"{__name__}.figures", "runs singh"

ARTEFACTS = {
    "singh-table1": table(_TABLE, "table1", _RUNS),
    "singh-fig1": figure(_FIGURES, "fig1", _RUNS),
    "singh-fig2": figure(
        _FIGURES, "convergence", _RUNS, quantity="objective", label="objective above optimum (%)"
    ),
    "singh-fig3": figure(
        _FIGURES, "convergence", _RUNS, quantity="distance", label="distance from optimal weights"
    ),
    "singh-fig4": figure(_FIGURES, "fig4", _RUNS),
    "singh-fig4b": figure(_FIGURES, "fig4_draws", _RUNS),
    "singh-fig5": figure(_FIGURES, "fig5", _RUNS),
    "singh-fig6": figure(f"{__name__}.sketch_figures", "fig6", "sketches"),
    "singh-signerror": figure(_FIGURES, "signerror", _RUNS),
}

PRINTED = {
    "cost": (
        "Singh, Modified Frank-Wolfe Algorithm for Solving L2-SVM via the MEB Problem, sec. 4.1 and"
        " 4.2 (no table)"
    )
}
