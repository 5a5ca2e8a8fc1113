"""Trace the gap, model size and accuracy during one run of each method."""

from fwsvm_papers.reporting.artefact import figure
from fwsvm_papers.runs.jobs import Experiment, capped, section_jobs


def jobs(config, datasets):
    return section_jobs(config, "convergence", datasets, [config["convergence"]["protocol"]])


def settings(config, job):
    section, benchmark = config["convergence"], config["benchmark"]
    limit = section["time_limit"].get(job.method, section["time_limit"]["default"])
    return {
        "kernel": "rbf",
        "eps": section["relative_gap"],
        "ratio": section["ratio"],
        **{name: benchmark[name] for name in ("init", "cache_mb", "max_iterations")},
        "time_limit": capped(limit, config, job.dataset, "time_limit", job.method),
        "seed": config["seed"],
        "timing": config["timing"],
        "runs": 1,
    }


EXPERIMENTS = {
    "convergence": Experiment(jobs, settings, f"{__name__}.run", tuned="params", has_details=True)
}

ARTEFACTS = {
    "beyond-convergence": figure(f"{__name__}.artefacts", "convergence_chart", "convergence")
}
