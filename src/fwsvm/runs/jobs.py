"""What the experiments share when they say which jobs follow from a configuration, and with which settings."""

from typing import NamedTuple

from fwsvm.base.parameters import of_method
from fwsvm.runs.protocols import solver_settings

OF_THE_BENCHMARK = ("init", "stop", "eps", "inner_tolerance", "cache_mb", "max_iterations")
"""Settings of the section `benchmark` of the configuration, for the estimators of all experiments."""


class Job(NamedTuple):
    """One training job: one method on one data set under one protocol, with all variants and repetitions."""

    experiment: str
    protocol: str
    dataset: str
    method: str

    @property
    def name(self):
        """The job in one word, as provenance.json has it."""
        return "/".join(self)

    def cell(self, results):
        """File below the folder of results that keeps what it gave (`fwsvm.pipeline.cells`)."""
        return f"{results}/cells/{self.experiment}/{self.dataset}/{self.protocol}-{self.method}.json"


def own_datasets(config, section, datasets):
    """The data sets of a section of the configuration that are among these, in the section's order."""
    return [name for name in config[section]["datasets"] if name in datasets]


def benchmark_datasets(config, datasets):
    """Those of these data sets that the benchmark runs on."""
    return [name for name in datasets if name not in config["benchmark"].get("leave_out", [])]


def protocols_of(config, method, protocols):
    """The protocols under which a method runs.

    CVM runs under those that have a CVM of their own, and under those that lend theirs to them (key `cvm`).
    """
    if method != "cvm":
        return list(protocols)
    blocks = config["protocols"]
    wanted = {blocks[name].get("cvm", name) for name in protocols}
    return [name for name in blocks if name in wanted]


def section_jobs(config, experiment, datasets, protocols, lends_cvm=False):
    """Every method of an experiment's section on each of its data sets that is among these, under these protocols.

    `lends_cvm`: CVM runs as `protocols_of` says, instead of under each of them.
    """
    return [
        Job(experiment, protocol, dataset, method)
        for dataset in own_datasets(config, experiment, datasets)
        for method in config[experiment]["methods"]
        for protocol in (protocols_of(config, method, protocols) if lends_cvm else protocols)
    ]


def repetitions_of(repetitions, protocol):
    """Repetitions under a protocol; one that only lends its CVM has as many as that with the most."""
    return repetitions.get(protocol, max(repetitions.values(), default=1))


def capped(number, config, dataset, key, method=None):
    """A number of repetitions or seconds, or the data set's cap for it where that is smaller."""
    cap = (config.get("caps") or {}).get(dataset, {}).get(key)
    if isinstance(cap, dict):
        cap = cap.get(method, cap.get("default"))
    return number if cap is None else min(number, cap)


def number_of_runs(settings):
    """Runs of a training job, from its settings: `runs`, or the repetitions of its variants."""
    if "runs" in settings:
        return settings["runs"]
    return sum(variant["repetitions"] for variant in settings["variants"])


def training_settings(config, job, limits, variants, kernel="rbf"):
    """What a training job needs of the configuration, and nothing else.

    Parameters
    ----------
    config : dict
    job : Job
    limits : dict
        CPU seconds per run, by method, or `default`.
    variants : list of dict
        What is trained, in turn: `repetitions`, and parameters of the estimator that differ between variants.
    kernel : str
    """
    prescribed = solver_settings(config["protocols"][job.protocol], job.method)
    limit = limits.get(job.method, limits["default"])
    return {
        **{key: config["benchmark"][key] for key in of_method(job.method, OF_THE_BENCHMARK)},
        **prescribed,
        "kernel": kernel,
        "time_limit": capped(limit, config, job.dataset, "time_limit", job.method),
        "seed": config["seed"],
        "timing": config["timing"],
        "variants": [
            {**variant, "repetitions": capped(variant["repetitions"], config, job.dataset, "repetitions", job.method)}
            for variant in variants
        ],
    }
