"""What the experiments share when they say which jobs follow from a configuration, and with which settings."""

from typing import NamedTuple

CVM_SELECTION = "sampled_libcvm"
_OF_THE_BENCHMARK = ("init", "stop", "eps", "cache_mb", "max_iterations")


class Job(NamedTuple):
    """One training job: one method on one data set under one selection, with all variants and repetitions."""

    experiment: str
    selection: str
    dataset: str
    method: str

    @property
    def name(self):
        """The job in one word, as provenance.json has it."""
        return "/".join(self)

    def cell(self, results):
        """File below the folder of results that keeps what it gave (`fwsvm.pipeline.cells`)."""
        return f"{results}/cells/{self.experiment}/{self.dataset}/{self.selection}-{self.method}.json"


def own_datasets(config, section, datasets):
    """The data sets of a section of the configuration that are among these, in the section's order."""
    return [name for name in config[section]["datasets"] if name in datasets]


def benchmark_datasets(config, datasets):
    """Those of these data sets that the benchmark runs on."""
    return [name for name in datasets if name not in config["benchmark"].get("leave_out", [])]


def selections_of(method, selections):
    """The selections under which a method runs.

    CVM runs as LibCVM does (`sampled_libcvm`) whatever the sampled selections are, and under `full`.
    """
    if method != "cvm":
        return list(selections)
    sampled = [CVM_SELECTION] if any(name != "full" for name in selections) else []
    return sampled + [name for name in selections if name == "full"]


def repetitions_of(repetitions, selection):
    """Repetitions under a selection; CVM's share those of the sampled runs where they have no key of their own."""
    if selection in repetitions:
        return repetitions[selection]
    return max((n for name, n in repetitions.items() if name.startswith("sampled")), default=1)


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
    kept = [*_OF_THE_BENCHMARK, *(["inner_tolerance"] if job.method == "cvm" else [])]
    limit = limits.get(job.method, limits["default"])
    return {
        **{key: config["benchmark"][key] for key in kept},
        "kernel": kernel,
        "time_limit": capped(limit, config, job.dataset, "time_limit", job.method),
        "seed": config["seed"],
        "timing": config["timing"],
        "variants": [
            {**variant, "repetitions": capped(variant["repetitions"], config, job.dataset, "repetitions")}
            for variant in variants
        ],
    }
