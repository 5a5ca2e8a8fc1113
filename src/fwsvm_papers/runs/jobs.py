"""The class with which experiments are declared, and functions that list training jobs and the
settings of training and tuning.

This module does not import the code that trains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from fwsvm.inputs.parameters import of_method
from fwsvm_papers.code_hash import code_hash
from fwsvm_papers.runs.protocols import solver_settings, tuning_rule

# Tuning jobs and jobs that train as the benchmark does use these settings of the section
# `benchmark` of the configuration. A protocol or a variant of the job can replace them.
OF_THE_BENCHMARK = ("init", "stop", "eps", "inner_tolerance", "cache_mb", "max_iterations")
# These keys of an experiment's section have numbers of repetitions. The key
# `caps.<data set>.repetitions` of the configuration is an upper limit on these numbers.
REPEATED = ("repetitions", "partitions")

KERNELS = {"params": "rbf", "params-poly": "poly"}
"""Maps each folder of tuned parameters to the kernel for which they were tuned."""


class Job(NamedTuple):
    """The names that identify a training job. The job trains one method on one data set under one
    protocol, with all variants and repetitions.
    """

    experiment: str
    protocol: str
    dataset: str
    method: str


@dataclass(frozen=True)
class Experiment:
    """The declaration of an experiment. All training jobs of an experiment have the same runner.

    `jobs(config, datasets)` returns the jobs of the experiment on these data sets.
    `settings(config, job)` returns the settings of a job. They include `time_limit` (CPU seconds),
    and the number of `runs` or, without it, the `variants` with their `repetitions`.

    `runner` is the name of a module with a function `run(prepared, job, settings)`. If the
    experiment has tuned parameters, the function is `run(prepared, tuned, job, settings)`. The
    function returns rows of the table of runs, or, if `has_details` is true, the pair (rows,
    details). `fwsvm_papers.runs.job_results.run_job` calls the function. The module imports numba,
    which is slow. Therefore, only processes that run a job import this module.
    """

    jobs: Callable
    settings: Callable
    runner: str
    tuned: str | None = None  # folder of the tuned parameters: "params" or "params-poly"
    has_details: bool = False  # whether `run` also returns details, a dict for figures
    timed: bool = True  # whether times are reported, so that other jobs must not disturb the runs

    @cached_property
    def code(self) -> str:
        """Return a hash of all code that can change the rows of this experiment."""
        return code_hash(self.runner)


def own_datasets(config: dict, section: str, datasets: Sequence[str]) -> list[str]:
    """List the data sets among `datasets` that a section of the configuration names, in the order
    of the section.

    If the section has no key `datasets`, all of `datasets` are listed.
    """
    return [name for name in config[section].get("datasets", datasets) if name in datasets]


def benchmark_datasets(config: dict, datasets: Sequence[str]) -> list[str]:
    """List the data sets among `datasets` that are not in the benchmark's list `leave_out`."""
    return [name for name in datasets if name not in config["benchmark"].get("leave_out", [])]


def section_jobs(
    config: dict,
    experiment: str,
    datasets: Sequence[str],
    protocols: Sequence[str] | None = None,
) -> list[Job]:
    """List the jobs of an experiment for the methods of its section, and for the section's data
    sets among `datasets`, under `protocols` (default: the protocol of the section).
    """
    protocols = protocols or [config[experiment]["protocol"]]
    return [
        Job(experiment, protocol, dataset, method)
        for dataset in own_datasets(config, experiment, datasets)
        for method in config[experiment]["methods"]
        for protocol in protocols
    ]


def repetitions_of(repetitions: dict[str, int], protocol: str) -> int:
    """Return the number of repetitions under a protocol.

    For a protocol that is not a key of `repetitions`, return the largest value in `repetitions`, or
    1 if `repetitions` is empty.
    """
    return repetitions.get(protocol, max(repetitions.values(), default=1))


def capped(number: float, config: dict, dataset: str, key: str, method: str | None = None) -> float:
    """Return the smaller of `number` and the cap `key` that the configuration sets for the data
    set. Without such a cap, return `number`.

    `number` is, for example, a number of repetitions or seconds. If the cap depends on the method,
    use the cap for `method`, or the cap "default" if `method` has none.
    """
    cap = (config.get("caps") or {}).get(dataset, {}).get(key)
    if isinstance(cap, dict):
        cap = cap.get(method, cap.get("default"))
    return number if cap is None else min(number, cap)


def number_of_runs(settings: dict) -> int:
    """Return the number of runs of a training job, from its settings."""
    if "runs" in settings:
        return settings["runs"]
    return sum(variant["repetitions"] for variant in settings["variants"])


def seconds_at_limits(settings: dict) -> float:
    """Return the CPU seconds that a training job needs if all its runs end at their time limits."""
    limit = settings["time_limit"]
    if "runs" in settings:
        return settings["runs"] * limit
    return sum(
        variant["repetitions"] * variant.get("time_limit", limit)
        for variant in settings["variants"]
    )


def section_of(config: dict, job: Job, *shared: str, method: str | None = None) -> dict:
    """Return the settings of a job, as a copy of the configuration's section for its experiment.

    In the copy, time limits and repetitions are the numbers for this job, and none is above the cap
    for the data set. The copy also has the seed, the timing, and the settings whose names are in
    `shared`. A setting in `shared` that the section lacks has the value of the benchmark. The caps
    for `method` (default: the method of the job) are used.
    """
    section = {name: config["benchmark"][name] for name in shared} | config[job.experiment]
    section = _for_job(section, config, job, method or job.method)
    return section | {"seed": config["seed"], "timing": config["timing"]}


def _for_job(section: dict, config: dict, job: Job, method: str) -> dict:
    """Return a copy of a section with the time limits and repetitions of one job. They are also set
    in the mappings inside the section.
    """
    found: dict = {}
    for key, value in section.items():
        if key == "time_limit":
            limits = value if isinstance(value, dict) else {"default": value}
            limit = limits[job.method if job.method in limits else "default"]
            found[key] = capped(limit, config, job.dataset, key, method)
        elif key in REPEATED:
            number = repetitions_of(value, job.protocol) if isinstance(value, dict) else value
            found[key] = capped(number, config, job.dataset, "repetitions", method)
        elif isinstance(value, dict):
            found[key] = _for_job(value, config, job, method)
        else:
            found[key] = value
    return found


def training_settings(
    config: dict, job: Job, variants: Iterable[dict], kernel: str = "rbf"
) -> dict:
    """Return the settings of a training job of the benchmark, or of an experiment that trains as
    the benchmark does.

    A variant without the key `repetitions` gets the number of repetitions of the section.
    """
    section = section_of(config, job, "time_limit", "repetitions", "long_runs")
    shared = {key: config["benchmark"][key] for key in of_method(job.method, OF_THE_BENCHMARK)}
    return {
        **shared,
        **solver_settings(config["protocols"][job.protocol], job.method),
        **{key: section[key] for key in ("time_limit", "long_runs", "seed", "timing")},
        "kernel": kernel,
        "variants": [{"repetitions": section["repetitions"], **variant} for variant in variants],
    }


def tuning_settings(config: dict, folder: str, dataset: str, protocols: Iterable[str] = ()) -> dict:
    """Return the settings for tuning on a data set, for jobs under `protocols`. `folder` is a key
    of `KERNELS`.

    The entry `protocols` has the tuning rules of those protocols whose rule differs from the one in
    the section `tuning`. There is no such entry if no rule differs, or if the kernel is polynomial.
    """
    tuning, benchmark = dict(config["tuning"]), config["benchmark"]
    cross_validation = tuning.pop("cross_validation", None)
    rules = {}
    if KERNELS[folder] == "poly":
        del tuning["width_factor"]
        tuning["method"] = config["poly"]["tuning_method"]
    else:
        own = {name: tuning[name] for name in ("width_factor", "ties")}
        names = sorted(protocols, key=list(config["protocols"]).index)
        found = {name: tuning_rule(config, name, dataset) for name in names}
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


def tuning_fits(settings: dict) -> list[tuple[int, float]]:
    """List pairs (number of fits, time limit of a fit in CPU seconds). The first pair is for the
    fits that choose C by validation parts. If cross-validation is used, a second pair is for the
    fits of cross-validation.
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


def tuned_under(tuned: dict, protocol: str) -> dict:
    """Return the part of a tuning result that has the tuned parameters of a protocol. If the
    protocol has no part of its own, return the whole result.
    """
    return tuned.get("protocols", {}).get(protocol, tuned)


def tuned_grids(tuned: dict) -> list[list[dict]]:
    """List the grids of a tuning result, one for each kernel width that a protocol uses."""
    parts = [tuned, *tuned.get("protocols", {}).values()]
    found = {part.get("sigma2"): part["grid"] for part in parts if part["grid"]}
    return list(found.values())
