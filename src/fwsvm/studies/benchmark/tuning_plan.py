"""Which parameters are tuned, for which experiments, and with which settings."""

from fwsvm.runs.jobs import capped

KERNELS = {"params": "rbf", "params-poly": "poly"}
"""Folder of tuned parameters -> the kernel they are for."""


def tuning_settings(config, folder, dataset):
    """What the tuning of one data set needs of the configuration, and nothing else.

    Parameters
    ----------
    config : dict
    folder : str
        A key of `KERNELS`.
    dataset : str

    Returns
    -------
    dict
        For `tune`; with the key `cross_validation` where the configuration wants that for this data set.
    """
    tuning, benchmark = dict(config["tuning"]), config["benchmark"]
    cross_validation = tuning.pop("cross_validation", None)
    if KERNELS[folder] == "poly":
        tuning["method"] = config["poly"]["tuning_method"]
    elif cross_validation and dataset in cross_validation["datasets"]:
        tuning = {
            **{key: tuning[key] for key in ("method", "selection")},
            "time_limit": cross_validation["time_limit"],
            "cross_validation": {k: v for k, v in cross_validation.items() if k not in ("datasets", "time_limit")},
        }
    kept = ["init", "stop", "eps", "cache_mb", "max_iterations"]
    if tuning["method"] == "cvm":
        kept.append("inner_tolerance")
    return {
        **tuning,
        **{key: benchmark[key] for key in kept},
        "kernel": KERNELS[folder],
        "time_limit": capped(tuning["time_limit"], config, dataset, "time_limit", tuning["method"]),
        "seed": config["seed"],
    }


def number_of_fits(settings):
    """Fits of a tuning job, each with a time limit of its own, from its settings."""
    crossed = settings.get("cross_validation")
    if crossed is None:
        return len(settings["C_exponents"])
    return crossed["folds"] * len(crossed["width_exponents"]) * len(crossed["C_exponents"])
