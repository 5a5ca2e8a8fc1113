"""Determine which parameters are tuned for which experiments, and with which settings."""

from fwsvm.inputs.parameters import of_method
from fwsvm_papers.runs.jobs import OF_THE_BENCHMARK, capped
from fwsvm_papers.runs.protocols import tuning_rule

KERNELS = {"params": "rbf", "params-poly": "poly"}
"""Maps a folder of tuned parameters to its kernel."""


def tuning_settings(config: dict, folder: str, dataset: str) -> dict:
    """Return the settings for tuning on a data set.

    The settings of protocols with their own tuning rule are in the entry `protocols`.
    """
    tuning, benchmark = dict(config["tuning"]), config["benchmark"]
    cross_validation = tuning.pop("cross_validation", None)
    rules = {}
    if KERNELS[folder] == "poly":
        del tuning["width_factor"]
        tuning["method"] = config["poly"]["tuning_method"]
    else:
        own = {name: tuning[name] for name in ("width_factor", "ties")}
        found = {name: tuning_rule(config, name, dataset) for name in protocols_in_use(config)}
        rules = {name: rule for name, rule in found.items() if rule != own}
        if cross_validation and dataset in cross_validation["datasets"]:
            tuning["cross_validation"] = {
                k: v for k, v in cross_validation.items() if k != "datasets"
            }
    parts = capped(tuning.pop("validation_parts", 1), config, dataset, "validation_parts")
    return {
        **tuning,
        **({"protocols": rules} if rules else {}),
        **{key: benchmark[key] for key in of_method(tuning["method"], OF_THE_BENCHMARK)},
        "validation_parts": parts,
        "kernel": KERNELS[folder],
        "time_limit": capped(tuning["time_limit"], config, dataset, "time_limit", tuning["method"]),
        "seed": config["seed"],
    }


def fits(settings: dict) -> list[tuple[int, float]]:
    """List pairs (number of fits, time limit of a fit in CPU seconds) for the validation parts and,
    if it is used, for cross-validation.
    """
    rules = [rule for rule in settings.get("protocols", {}).values() if "C" not in rule]
    crossed, widths = settings.get("cross_validation"), {rule["width_factor"] for rule in rules}
    widths |= set() if crossed else {settings.get("width_factor")}
    numbers = [
        (
            len(widths) * len(settings["C_exponents"]) * settings["validation_parts"],
            settings["time_limit"],
        )
    ]
    if crossed:
        pairs = len(crossed["width_exponents"]) * len(crossed["C_exponents"])
        numbers.append((crossed["folds"] * pairs, crossed["time_limit"]))
    return numbers


def protocols_in_use(config: dict) -> list[str]:
    """List the protocols under which experiments use tuned parameters, in the order of the
    configuration.
    """
    used = {config[name].get("protocol") for name in config["experiments"]}
    used |= set(config["benchmark"]["protocols"]) if "benchmark" in config["experiments"] else set()
    return [name for name in config["protocols"] if name in used]


def of_protocol(tuned: dict, protocol: str) -> dict:
    return tuned.get("protocols", {}).get(protocol, tuned)


def grids(tuned: dict) -> list[list[dict]]:
    parts = [tuned, *tuned.get("protocols", {}).values()]
    found = {part.get("sigma2"): part["grid"] for part in parts if part["grid"]}
    return list(found.values())
