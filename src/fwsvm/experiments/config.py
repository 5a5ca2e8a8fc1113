"""The configuration of a run: checked before anything starts, and what follows from it."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.datasets.entries import entry_digest, required_files
from fwsvm.datasets.schema import check, did_you_mean, read_yaml
from fwsvm.errors import ConfigError


@dataclass(frozen=True)
class Study:
    """A checked configuration with its catalogue.

    Attributes
    ----------
    config : dict
    catalogue : dict of str to DatasetEntry
    """

    config: dict
    catalogue: dict

    @property
    def datasets(self):
        """Names of the data sets, in the configuration's order."""
        return self.config["datasets"]

    @property
    def variant(self):
        """Name of the folder of prepared data: `full`, or the sizes of the subset."""
        subset = self.config.get("subset")
        return f"train{subset['train']}-test{subset['test']}" if subset else "full"

    @property
    def subset(self):
        """The subset as `prepare` wants it."""
        return self.config.get("subset") or None

    @property
    def remote(self):
        """Data sets that need files from a mirror or from upstream."""
        return [name for name in self.datasets if any(entry.path is None for entry in self.raw_files(name).values())]

    def raw_files(self, dataset):
        """File entries a data set is made of, by role."""
        return required_files(self.catalogue[dataset], self.catalogue)

    def sums(self, dataset):
        """Places and checksums of a data set's files."""
        return {entry.name or entry.path: entry.sha256 for entry in self.raw_files(dataset).values()}

    def digest(self, dataset):
        """Hash of all that decides a data set's prepared arrays."""
        return entry_digest(self.catalogue[dataset], self.catalogue, self.subset)

    def jobs(self, datasets=None):
        """(selection, data set, method) of every training job of the benchmark, on these data sets (default: all).

        CVM runs as LibCVM does (`sampled_libcvm`), and under `full`; `sampled_text` has no CVM of its own.
        """
        benchmark, jobs = self.config["benchmark"], []
        for dataset in self.datasets if datasets is None else datasets:
            for method in benchmark["methods"]:
                for selection in selections_of(method, benchmark["selections"]):
                    jobs.append((selection, dataset, method))
        return jobs

    def repetitions(self, selection):
        """Repetitions of every run under a selection (CVM's share those of the sampled runs)."""
        repetitions = self.config["benchmark"]["repetitions"]
        if selection in repetitions:
            return repetitions[selection]
        return max((n for name, n in repetitions.items() if name.startswith("sampled")), default=1)

    def job_settings(self, selection, method):
        """What a training job needs of the configuration, and nothing else."""
        benchmark = self.config["benchmark"]
        kept = ["init", "stop", "eps", "cache_mb", "max_iterations"]
        if method == "cvm":
            kept.append("inner_tolerance")
        limits = benchmark["time_limit"]
        return {
            **{key: benchmark[key] for key in kept},
            "time_limit": limits.get(method, limits["default"]),
            "repetitions": self.repetitions(selection),
            "seed": self.config["seed"],
            "timing": self.config["timing"],
        }

    def tuning_settings(self):
        """What a tuning job needs of the configuration."""
        kept = ("init", "stop", "eps", "inner_tolerance", "cache_mb", "max_iterations")
        benchmark = self.config["benchmark"]
        return {
            **self.config["tuning"],
            **{key: benchmark[key] for key in kept},
            "seed": self.config["seed"],
        }


def selections_of(method, selections):
    """The selections under which a method runs."""
    if method != "cvm":
        return list(selections)
    sampled = ["sampled_libcvm"] if any(name != "full" for name in selections) else []
    return sampled + [name for name in selections if name == "full"]


def check_config(config, schema_path, where="config"):
    """Check a configuration and load its catalogue.

    Parameters
    ----------
    config : dict
    schema_path : str or path
        `workflow/schemas/config.schema.yaml` of the checkout.
    where : str
        Name of its file, for the messages.

    Returns
    -------
    Study

    Raises
    ------
    ConfigError
        Every error with its key, and what would be right.
    """
    check(config, read_yaml(schema_path), where)
    catalogue = load_catalogue(config["catalogue"])
    unknown = [name for name in config["datasets"] if name not in catalogue]
    if unknown:
        raise ConfigError(
            "\n".join(
                f"{where}: datasets: {name!r} is not in {config['catalogue']}; {did_you_mean(name, catalogue)}"
                for name in unknown
            )
        )
    study = Study(config, catalogue)
    if missing := list(_missing_files(study)):
        raise ConfigError("\n".join(missing))
    return study


def _missing_files(study):
    """A line for every file on this disk that is not there."""
    for dataset in study.datasets:
        for role, file in study.raw_files(dataset).items():
            if file.path and not file.location(".").is_file():
                yield (
                    f"{study.config['catalogue']}: {dataset}: the {role} file {file.path!r} is not there; mend its key"
                    f" 'path' (a relative path starts from {Path.cwd()})"
                )


def hash_of_sources(*parts):
    """Hash of the source files of these sub-packages or modules of fwsvm, for `params:` of a rule."""
    package, digest = Path(__file__).parents[1], hashlib.sha256()
    for part in parts:
        path = package / part
        for source in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(source.relative_to(package).as_posix().encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def hash_of_settings(settings):
    """Hash of a JSON-ready object."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
