"""Declare experiments and list their training jobs, without importing a trainer."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fwsvm.inputs.parameters import of_method
from fwsvm_papers.code_hash import code_hash
from fwsvm_papers.runs.protocols import solver_settings

if TYPE_CHECKING:
    from fwsvm_papers.datasets.storage import Prepared

# Several experiments take these settings from the section `benchmark` of the configuration.
OF_THE_BENCHMARK = ("init", "stop", "eps", "inner_tolerance", "cache_mb", "max_iterations")
REPEATED = ("repetitions", "partitions")  # keys of sections that the cap `repetitions` limits


class Job(NamedTuple):
    """Identify a training job: one method on one data set under one protocol, with all variants
    and repetitions.
    """

    experiment: str
    protocol: str
    dataset: str
    method: str

    @property
    def name(self) -> str:
        """Return the name of the job in provenance.json."""
        return "/".join(self)

    def cell(self, results: str | Path) -> str:
        """Return the path of the file with the job's results in `results` (see
        `fwsvm_papers.pipeline.cells`).
        """
        return (
            f"{results}/cells/{self.experiment}/{self.dataset}/{self.protocol}-{self.method}.json"
        )


@dataclass(frozen=True)
class Experiment:
    """Declare a kind of training job.

    `jobs(config, datasets)` returns its jobs on these data sets. `settings(config, job)` returns a
    job's settings, with `time_limit` (CPU seconds) and `runs` or `variants`. `runner` names a
    module. Its function `run(prepared, job, settings)`, or `run(prepared, tuned, job, settings)`
    with tuned parameters, returns rows of the runs table, or (rows, details). The module imports
    numba, so it is imported only where a job runs.
    """

    jobs: Callable
    settings: Callable
    runner: str
    tuned: str | None = None  # folder of the tuned parameters: "params" or "params-poly"
    has_details: bool = False  # whether each job also returns a JSON-ready dict for figures
    timed: bool = True  # Times are reported, so other jobs must not disturb a run.

    @cached_property
    def code(self) -> str:
        """Return a hash of the code that determines the rows of this experiment."""
        return code_hash(self.runner)

    def run(
        self, prepared: Prepared, tuned: dict | None, job: Job, settings: dict
    ) -> tuple[list[dict], dict | None]:
        """Run a job and return (rows, details); details are None if the experiment has none."""
        train = importlib.import_module(self.runner).run
        found = (
            train(prepared, job, settings)
            if self.tuned is None
            else train(prepared, tuned, job, settings)
        )
        return found if self.has_details else (found, None)


def own_datasets(config: dict, section: str, datasets: Sequence[str]) -> list[str]:
    """List the data sets among `datasets` that a section of the configuration names (by default
    all), in its order.
    """
    return [name for name in config[section].get("datasets", datasets) if name in datasets]


def benchmark_datasets(config: dict, datasets: Sequence[str]) -> list[str]:
    """List the data sets among `datasets` that are not in the benchmark's list `leave_out`."""
    return [name for name in datasets if name not in config["benchmark"].get("leave_out", [])]


def protocols_of(config: dict, method: str, protocols: Sequence[str]) -> list[str]:
    """List the protocols under which a method runs.

    A protocol's key `cvm` can name another protocol for CVM.
    """
    if method != "cvm":
        return list(protocols)
    blocks = config["protocols"]
    of_cvm = {blocks[name].get("cvm", name) for name in protocols}
    return [name for name in blocks if name in of_cvm]


def section_jobs(
    config: dict,
    experiment: str,
    datasets: Sequence[str],
    protocols: Sequence[str] | None = None,
    shared_cvm: bool = False,
) -> list[Job]:
    """List jobs for the methods and data sets of a section, by default under its protocol."""
    protocols = protocols or [config[experiment]["protocol"]]
    return [
        Job(experiment, protocol, dataset, method)
        for dataset in own_datasets(config, experiment, datasets)
        for method in config[experiment]["methods"]
        for protocol in (protocols_of(config, method, protocols) if shared_cvm else protocols)
    ]


def repetitions_of(repetitions: dict[str, int], protocol: str) -> int:
    """Return a protocol's number of repetitions.

    An unlisted protocol gets the largest listed number.
    """
    return repetitions.get(protocol, max(repetitions.values(), default=1))


def capped(number: float, config: dict, dataset: str, key: str, method: str | None = None) -> float:
    """Limit a number of repetitions or seconds to the cap that the configuration sets for the
    data set.
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
    """Return the CPU seconds of a training job if all its runs end at their time limits."""
    limit = settings["time_limit"]
    if "runs" in settings:
        return settings["runs"] * limit
    return sum(
        variant["repetitions"] * variant.get("time_limit", limit)
        for variant in settings["variants"]
    )


def section_of(config: dict, job: Job, *shared: str, method: str | None = None) -> dict:
    """Return what the configuration says about a job: a copy of its experiment's section.

    Time limits and repetitions are the numbers for this job, at most the cap of its data set. The
    section also has the seed, the timing, and the settings in `shared`, which are the benchmark's
    if the experiment does not set them. `method` names another method whose cap holds.
    """
    section = {name: config["benchmark"][name] for name in shared} | config[job.experiment]
    section = _for_job(section, config, job, method or job.method)
    return section | {"seed": config["seed"], "timing": config["timing"]}


def _for_job(section: dict, config: dict, job: Job, method: str) -> dict:
    """Replace limits and repetitions, also those in parts of a section, by the job's numbers."""
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
    """Return the settings for training the benchmark's estimators on a job's data set.

    Without `repetitions`, a variant runs as often as the section says.
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
