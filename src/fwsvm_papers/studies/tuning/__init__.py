"""A study of how CVM's results depend on the kernel width, and on the random validation part that
is used to choose C.
"""

from collections.abc import Sequence

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import (
    Experiment,
    Job,
    capped,
    own_datasets,
    training_settings,
    tuning_settings,
)
from fwsvm_papers.runs.protocols import CVM_PROTOCOL, tuning_rule

WIDTHS, SPLITS = "gamma", "splits"


def width_jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    return [
        Job(WIDTHS, CVM_PROTOCOL, name, "cvm") for name in own_datasets(config, WIDTHS, datasets)
    ]


def width_settings(config: dict, job: Job) -> dict:
    factors, tuning = sorted(config[WIDTHS]["factors"]), config["tuning"]
    trained = training_settings(config, job, [{}])
    limit = capped(tuning["time_limit"], config, job.dataset, "time_limit", "cvm")
    tuned = {name: tuning[name] for name in ("C_exponents", "validation_fraction", "ties")}
    return {
        **trained,
        "factors": factors,
        "tuning": {**trained, **tuned, "width_factor": 0.5, "method": "cvm", "time_limit": limit},
        "runs": len(factors) * trained["variants"][0]["repetitions"],
    }


def split_jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    names = own_datasets(config, SPLITS, datasets)
    return [
        Job(SPLITS, protocol, name, "cvm")
        for name in names
        for protocol in config[SPLITS]["protocols"]
    ]


def split_settings(config: dict, job: Job) -> dict:
    """Return the settings of a job.

    C is always tuned, even if the protocol has the same C for all data sets of a series.
    """
    plain = {**config["tuning"], "cross_validation": None, "validation_parts": 1}
    tuned = tuning_settings({**config, "tuning": plain}, "params", job.dataset)
    tuned |= tuning_rule(config, job.protocol, job.dataset)
    tuned.pop("C", None)
    splits = config[SPLITS]["splits"]
    trained = training_settings(config, job, [{"repetitions": 1}])
    return trained | {"tuning": tuned, "splits": splits, "runs": splits}


EXPERIMENTS = {
    WIDTHS: Experiment(width_jobs, width_settings, f"{__name__}.run", has_details=True),
    SPLITS: Experiment(split_jobs, split_settings, f"{__name__}.run", timed=False),
}

ARTEFACTS = {
    "beyond-gamma": figure(f"{__name__}.artefacts", "gamma_chart", "runs"),
    "beyond-splits": table(f"{__name__}.artefacts", "splits_table", "runs"),
}
