"""Which kernel width did the papers use? CVM at several widths, with C tuned for each.

The sources disagree: frandi2013 sec. 5.2 writes gamma = 1 / (2 beta) with beta the average squared distance, tsang2005
gamma = 1 / beta, and LibCVM's own default is 2 / beta. A width is chosen by nothing here; each is shown.
"""

from dataclasses import replace

from fwsvm.experiments.plan import CVM_SELECTION, Job, capped, own_datasets, training_settings
from fwsvm.experiments.training import run_job
from fwsvm.experiments.tune import tune

PARAMETERS = None
TIMED = True


def jobs(config, datasets):
    """A job for each of the section's data sets that are among these."""
    return [Job("gamma", CVM_SELECTION, name, "cvm") for name in own_datasets(config, "gamma", datasets)]


def settings(config, job):
    """Settings of one of them."""
    section, tuning = config["gamma"], config["tuning"]
    variants = [{"repetitions": section["repetitions"]}]
    trained = training_settings(config, job, section["time_limit"], variants)
    limit = capped(tuning["time_limit"], config, job.dataset, "time_limit", "cvm")
    tuned = {name: tuning[name] for name in ("C_exponents", "validation_fraction")}
    return {
        **trained,
        "factors": sorted(section["factors"]),
        "tuning": {**trained, **tuned, "method": "cvm", "selection": job.selection, "time_limit": limit},
        "runs": len(section["factors"]) * trained["variants"][0]["repetitions"],
    }


def run(prepared, job, settings):
    """Tune C and train at each width.

    Parameters
    ----------
    prepared : Prepared
    job : Job
    settings : dict
        Of `settings`.

    Returns
    -------
    rows : list of dict
        Runs; gamma_rule is ``<factor>/beta, beta = average squared distance``.
    details : dict
        ``tuned``: the result of `tune` for each factor, without its grid, and ``factor``.
    """
    beta = prepared.meta["average_squared_distance"]
    rows, widths = [], []
    for factor in settings["factors"]:
        # gamma = factor / beta = 1 / (2 sigma^2)
        at_width = replace(prepared, meta={**prepared.meta, "sigma2": beta / (2 * factor)})
        tuned = tune(at_width, settings["tuning"])
        tuned["gamma_rule"] = f"{factor:g}/beta, beta = average squared distance"
        rows += run_job(at_width, tuned, job, settings)
        widths.append({"factor": factor, **{key: value for key, value in tuned.items() if key != "grid"}})
    return rows, {"tuned": widths}
