"""CVM at several widths of the Gaussian kernel."""

from fwsvm.reporting.artefact import figure
from fwsvm.runs.jobs import Experiment, Job, capped, own_datasets, training_settings
from fwsvm.runs.protocols import CVM_PROTOCOL


def jobs(config, datasets):
    return [Job("gamma", CVM_PROTOCOL, name, "cvm") for name in own_datasets(config, "gamma", datasets)]


def settings(config, job):
    section, tuning = config["gamma"], config["tuning"]
    trained = training_settings(config, job, section["time_limit"], [{"repetitions": section["repetitions"]}])
    limit = capped(tuning["time_limit"], config, job.dataset, "time_limit", "cvm")
    tuned = {name: tuning[name] for name in ("C_exponents", "validation_fraction", "ties")}
    return {
        **trained,
        "factors": sorted(section["factors"]),
        "tuning": {**trained, **tuned, "width_factor": 0.5, "method": "cvm", "time_limit": limit},
        "runs": len(section["factors"]) * trained["variants"][0]["repetitions"],
    }


EXPERIMENTS = {"gamma": Experiment(jobs, settings, "fwsvm.studies.kernel_width.run", has_details=True)}

ARTEFACTS = {"beyond-gamma": figure(f"{__name__}.artefacts", "gamma_chart", "runs")}
