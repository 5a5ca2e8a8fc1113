"""Measure how much of the speed-up over CVM remains when the settings of the authors' program
change step by step.
"""

from collections.abc import Sequence

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import Experiment, Job, benchmark_datasets, training_settings

AUTO = "auto"
"""With this value of `method`, the package chooses the method and always searches all points."""

LIBCVM_INNER = {"inner_tolerance": 1e-3, "inner_fixed": False, "inner_steps": None}
"""How LibCVM solves CVM's inner problems.

LibCVM stops after `LIBCVM_PATIENCE` samples in a row without a violation.
"""
LIBCVM_PATIENCE = 7


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    section = config["ladder"]
    return [
        Job("ladder", section["protocol"], dataset, method)
        for dataset in benchmark_datasets(config, datasets)
        for method in (*section["methods"], AUTO)
    ]


def settings(config: dict, job: Job) -> dict:
    """Collect the settings of a job, with a variant for each changed setting.

    The seeds are those of the benchmark.
    """
    inner = LIBCVM_INNER if job.method == "cvm" else {}
    sampled = [{"patience": LIBCVM_PATIENCE}] if job.method != AUTO else []
    if job.method == "cvm":
        sampled = [{}, *sampled]
    start = {"start_alternates": config["protocols"][job.protocol].get("start_alternates")}
    full = {
        "selection": {"name": "full", "sampled": False, **start},
        "stop": "relative",
        "repetitions": 1,
    }
    gaps = [{**full, "eps": gap} for gap in sorted(config["ladder"]["relative_gaps"], reverse=True)]
    variants = [{**variant, **inner} for variant in (*sampled, *gaps)]
    return training_settings(config, job, variants) | {"seeds_of": "benchmark"}


_DRAWN = f"{__name__}.artefacts"

EXPERIMENTS = {
    "ladder": Experiment(jobs, settings, "fwsvm_papers.studies.benchmark.training", tuned="params")
}

ARTEFACTS = {
    "beyond-ladder": figure(_DRAWN, "ladder_chart", "runs descriptions"),
    "beyond-ladder-table": table(_DRAWN, "ladder_table", "runs descriptions"),
    "beyond-equal": table(_DRAWN, "equal_gap_table", "runs"),
}
