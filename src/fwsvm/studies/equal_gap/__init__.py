"""Train all methods to the same certified relative gap, and compare times, model sizes and convergence."""

from fwsvm.reporting.artefact import figure, table
from fwsvm.runs.jobs import Experiment, capped, section_jobs, training_settings
from fwsvm.runs.protocols import CERTIFIED_PROTOCOL


def jobs(config, datasets):
    return section_jobs(config, "equal_gap", datasets, [CERTIFIED_PROTOCOL])


def settings(config, job):
    """Collect the settings of a job: a variant per gap, the loosest first."""
    section = config["equal_gap"]
    gaps = sorted(section["relative_gaps"], reverse=True)
    variants = [{"eps": gap, "repetitions": section["repetitions"]} for gap in gaps]
    return training_settings(config, job, section["time_limit"], variants) | {"stop": "relative"}


def convergence_jobs(config, datasets):
    return section_jobs(config, "convergence", datasets, [CERTIFIED_PROTOCOL])


def convergence_settings(config, job):
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


_RUN, _DRAWN = f"{__name__}.run", f"{__name__}.artefacts"

EXPERIMENTS = {
    "equal_gap": Experiment(jobs, settings, _RUN, tuned="params"),
    "convergence": Experiment(convergence_jobs, convergence_settings, _RUN, tuned="params", has_details=True),
}

ARTEFACTS = {
    "beyond-equal": table(_DRAWN, "equal_gap_table", "runs"),
    "beyond-convergence": figure(_DRAWN, "convergence_chart", "convergence"),
}
