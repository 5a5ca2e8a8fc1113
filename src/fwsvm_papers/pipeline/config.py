"""Functions that check the configuration of a run before any job starts, and that list the jobs
with their settings.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fwsvm.inputs import parameters
from fwsvm.inputs.errors import ConfigError, UserError
from fwsvm.solvers.methods import ALL_NAMES, NAMES
from fwsvm_papers.datasets.catalogue import LOCAL_CATALOGUE, catalogue_path, load_catalogue
from fwsvm_papers.datasets.entries import entry_digest, required_files
from fwsvm_papers.datasets.schema import check, did_you_mean
from fwsvm_papers.datasets.yaml_files import read_yaml
from fwsvm_papers.runs.jobs import tuning_settings
from fwsvm_papers.site.addresses import slug
from fwsvm_papers.studies.registry import EXPERIMENTS

if TYPE_CHECKING:
    from fwsvm_papers.datasets.entries import FileEntry
    from fwsvm_papers.runs.jobs import Job

DEFAULT_CONFIG = "config/paper.yaml"
# The name of the folders with the committed results and figures. A run must not write to these
# folders.
RELEASED = "released"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")

# Priorities of the stages. To these numbers, `priority` adds a number for the data set. This number
# is below 10,000,000, so all jobs of a stage precede the jobs of the next stage.
_STAGES = {"prepare": 100_000_000, "tune": 10_000_000, "train": 0}


@dataclass(frozen=True)
class Configuration:
    """A checked configuration. `config` is the mapping with all settings. `catalogue` maps the
    names of data sets to `DatasetEntry` objects.
    """

    config: dict
    catalogue: dict

    @property
    def datasets(self) -> list[str]:
        return self.config["datasets"]

    @property
    def variant(self) -> str:
        """Return the name of the folder of prepared data. The name is `full` or, for subsets of the
        data, a name with the sizes of the subsets.
        """
        return f"train{self.subset['train']}-test{self.subset['test']}" if self.subset else "full"

    @property
    def subset(self) -> dict[str, int] | None:
        return self.config.get("subset") or None

    @property
    def remote(self) -> list[str]:
        """List the data sets with files that must be downloaded or copied from a mirror."""
        return [
            name
            for name in self.datasets
            if any(file.is_remote for file in self.raw_files(name).values())
        ]

    def raw_files(self, dataset: str) -> dict[str, FileEntry]:
        """Return a dict that maps the role of each file of a data set to the `FileEntry` of the
        file.
        """
        return required_files(self.catalogue[dataset], self.catalogue)

    def fetch_settings(self, dataset: str) -> list[dict[str, dict]]:
        """List everything in the catalogue that determines how a data set is fetched: its files by
        role and, if the data set has a stand-in, the files of the stand-in.
        """
        entry = self.catalogue[dataset]
        entries = [entry, *([entry.standing_in(self.catalogue)] if entry.stand_in else [])]
        return [
            {role: file.model_dump() for role, file in required_files(one, self.catalogue).items()}
            for one in entries
        ]

    def digest(self, dataset: str) -> str:
        """Return a hash of everything that determines the prepared arrays of a data set."""
        return entry_digest(self.catalogue[dataset], self.catalogue, self.subset)

    def jobs(self, datasets: list[str] | None = None) -> list[Job]:
        """List the training jobs of the configured experiments on `datasets` (default: all data
        sets).
        """
        datasets = self.datasets if datasets is None else datasets
        return [
            job
            for name in self.config["experiments"]
            for job in EXPERIMENTS[name].jobs(self.config, datasets)
        ]

    @property
    def without_jobs(self) -> list[str]:
        """List the data sets on which the configured experiments have no training job."""
        used = {job.dataset for job in self.jobs()}
        return [name for name in self.datasets if name not in used]

    def batches(self, datasets: list[str] | None = None) -> dict[tuple[str, str], list[Job]]:
        """Return a dict whose keys are pairs (experiment, data set). A value is the list of the
        training jobs of this pair, which run in one process.
        """
        batches: dict[tuple[str, str], list[Job]] = {}
        for job in self.jobs(datasets):
            batches.setdefault((job.experiment, job.dataset), []).append(job)
        return batches

    def tuning_jobs(self, datasets: list[str] | None = None) -> list[tuple[str, str]]:
        """List the tuning jobs that the training jobs on `datasets` need, as pairs (folder of tuned
        parameters, data set).
        """
        needed = ((EXPERIMENTS[job.experiment].tuned, job.dataset) for job in self.jobs(datasets))
        return [(folder, dataset) for folder, dataset in dict.fromkeys(needed) if folder]

    def job_settings(self, job: Job) -> dict:
        return EXPERIMENTS[job.experiment].settings(self.config, job)

    def batch_settings(self, experiment: str, dataset: str) -> list[list]:
        """List the training jobs of an experiment on a data set, as pairs [job, settings]."""
        if experiment not in self.config["experiments"]:
            return []
        jobs = EXPERIMENTS[experiment].jobs(self.config, self.datasets)
        return [[list(job), self.job_settings(job)] for job in jobs if job.dataset == dataset]

    def tuning_settings(self, folder: str, dataset: str) -> dict:
        """Return the settings for tuning on a data set.

        `folder` is the folder of the tuned parameters (``params`` or ``params-poly``). The settings
        contain the rule of the section `tuning`. For ``params``, they also contain the rules of
        protocols: of those protocols under which a job uses these parameters, and whose rule
        differs from that of the section `tuning`. For the polynomial kernel, they contain no rules
        of protocols.
        """
        protocols = {
            self.job_settings(job).get("protocol", job.protocol)
            for job in self.jobs([dataset])
            if EXPERIMENTS[job.experiment].tuned == folder
        }
        return tuning_settings(self.config, folder, dataset, protocols)

    def priority(self, stage: str, dataset: str) -> int:
        """Return the priority of a job.

        The priority is higher for earlier stages. Within a stage, it is higher for data sets with
        cross-validation, and for data sets with more training points, because their jobs take
        longer.
        """
        cross_validation = self.config["tuning"].get("cross_validation") or {"datasets": []}
        points = self.catalogue[dataset].expected.train or 0
        return _STAGES[stage] + points + 1_000_000 * (dataset in cross_validation["datasets"])


def check_name(name: str) -> str:
    """Return `name`. If it cannot be the name of a profile and of the profile's folder of results,
    raise a ConfigError.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} cannot be the name of a results folder. A name has at most 100 characters"
            " (letters, digits, - and _), and begins with a letter or digit"
        )
    return name


def load_config(*paths: str | Path, default: str | Path = DEFAULT_CONFIG) -> dict:
    """Return the default configuration after merging the configurations in `paths` into it, in the
    order of `paths`.

    As in Snakemake, mappings are merged, and other values are replaced. Later configurations take
    precedence.
    """
    config = _read_mapping(default)
    for path in paths:
        config = _merged(config, _read_mapping(path))
    return config


def _merged(default: Any, own: Any) -> Any:
    if not (isinstance(default, dict) and isinstance(own, dict)):
        return own
    return default | {key: _merged(default.get(key), value) for key, value in own.items()}


def _read_mapping(path: str | Path) -> dict:
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise ConfigError(
            f"{path}: the file is not a mapping; write keys with values, such as 'profile: mine'"
        )
    return content


def check_config(config: dict, schema_path: str | Path, where: str = "config") -> Configuration:
    """Return the `Configuration`, or raise a ConfigError that lists errors with their keys.

    In the message, a line about the configuration begins with the text `where`, and a line about
    the catalogue begins with the path of the catalogue. The checks are made in several steps, and
    the message has only errors of the first step that finds errors.
    """
    check(config, _with_names(read_yaml(schema_path), config), where)
    _check_folders(config, where)
    catalogue = load_catalogue(config["catalogue"])
    errors = [
        f"{where}: {key}: {name!r} is not in {config['catalogue']}; {did_you_mean(name, catalogue)}"
        for key, names in _lists_of_datasets(config)
        for name in names
        if name not in catalogue
    ]
    configuration = Configuration(config, catalogue)
    errors = errors or [
        f"{config['catalogue']}: {dataset}: the {role} file {file.path!r} does not exist or cannot"
        f" be read (current folder: {Path.cwd()})"
        for dataset in configuration.datasets
        for role, file in configuration.raw_files(dataset).items()
        if file.path and not _is_readable(file.location("."))
    ]
    if os.path.exists(config["data_dir"]) and not os.path.isdir(config["data_dir"]):
        errors.append(f"{where}: data_dir: {config['data_dir']!r} is not a folder")
    errors = errors or [
        *_overwritten(configuration, where),
        *_equal_pages(configuration, where),
        *_nothing_to_run(configuration, where),
        *_without_samples(configuration, where),
    ]
    if errors:
        raise ConfigError("\n".join(errors))
    return configuration


def _is_readable(path: Path) -> bool:
    # `os.path.isfile` is used because it returns False if the name is too long or a folder cannot
    # be read. In these cases, `Path.is_file` can raise an OSError.
    return os.path.isfile(path) and os.access(path, os.R_OK)


def _equal_pages(configuration: Configuration, where: str) -> Iterator[str]:
    """Yield an error message for each data set whose page in the report would have the same address
    as the page of an earlier data set.
    """
    pages: dict[str, str] = {}
    for name in configuration.datasets:
        other = pages.setdefault(slug(name), name)
        if other != name:
            yield (
                f"{where}: datasets: the names {other!r} and {name!r} differ only in capital"
                " letters or in the characters '.' and '-', so their pages in the report would"
                " have the same address; rename one of them in the catalogue"
            )


def _nothing_to_run(configuration: Configuration, where: str) -> Iterator[str]:
    """Yield an error message if the configuration has no training job."""
    config, datasets = configuration.config, configuration.datasets
    if configuration.without_jobs != datasets:
        return
    others = [
        name
        for name, experiment in EXPERIMENTS.items()
        if name in config and experiment.jobs(config, datasets)
    ]
    yield (
        f"{where}: there is no training job, because the experiments"
        f" ({', '.join(config['experiments'])}) use none of the data sets ({', '.join(datasets)})."
        " Some experiments use only the data sets that their section of the configuration names,"
        " and the others use all data sets that are not in benchmark.leave_out. Of all experiments,"
        f" these use one of the data sets: {', '.join(others) or 'none'}"
    )


def _overwritten(configuration: Configuration, where: str) -> Iterator[str]:
    """Yield an error message for each file of the user that is in one of the run's folders. The
    reason is that a run replaces or removes files in its folders.
    """
    config = configuration.config
    profile, data_dir = config["profile"], config["data_dir"]
    places = Path("results", profile), Path("figures", profile), Path(data_dir, "prepared")
    given = {where: config["catalogue"]}
    for dataset in configuration.datasets:
        for role, file in configuration.raw_files(dataset).items():
            if file.path:
                given[f"{config['catalogue']}: {dataset}: {role}"] = file.location(".")
    for key, path in given.items():
        for folder in places:
            if folder.resolve() in Path(path).resolve().parents:
                yield (
                    f"{key}: the file {str(path)!r} is in the folder {folder}, and the run would"
                    f" replace or remove the files in this folder; move {str(path)!r} to another"
                    " folder"
                )


def _without_samples(configuration: Configuration, where: str) -> Iterator[str]:
    """Yield an error message for each experiment that changes the patience, which is a number of
    samples, under a protocol without samples.
    """
    protocols = configuration.config["protocols"]
    for name in configuration.config["experiments"]:
        wrong = {
            job.protocol
            for job in EXPERIMENTS[name].jobs(configuration.config, configuration.datasets)
            if protocols.get(job.protocol, {}).get("selection") == "full"
            and any(
                "patience" in one for one in configuration.job_settings(job).get("variants", [])
            )
        }
        for protocol in sorted(wrong):
            sampled = [key for key, rules in protocols.items() if rules["selection"] != "full"]
            yield (
                f"{where}: {name}.protocol: {protocol!r} looks at all points in every step"
                " (selection: full), but this experiment compares runs whose steps draw samples;"
                f" use a protocol with samples ({', '.join(sampled)})"
            )


def _with_names(schema: dict, config: dict) -> dict:
    """Return the schema with the ranges of the settings, the names of the methods, and the names of
    the configured protocols. These are added to `schema` in place.
    """
    definitions = schema["$defs"]
    definitions |= parameters.definitions()
    definitions["method"]["enum"] = list(NAMES)
    definitions["method_but_cvm"]["enum"] = [name for name in NAMES if name != "cvm"]
    definitions["method_or_default"]["enum"] = ["default", *NAMES, "auto"]
    others = [name for name in definitions["trainer_or_default"]["enum"] if name not in ALL_NAMES]
    definitions["any_method_or_default"]["enum"] = list(dict.fromkeys([*others, *ALL_NAMES]))
    protocols = config.get("protocols")
    definitions["protocol"]["enum"] = list(protocols) if isinstance(protocols, dict) else []
    return schema


def _check_folders(config: dict, where: str) -> None:
    """Raise a ConfigError if a folder of the run is in a folder of committed results, because the
    run would overwrite these results.

    Symbolic links are followed. Upper and lower case are not distinguished in the name of the
    profile.
    """
    kept = {Path(root, RELEASED).resolve() for root in ("results", "figures")}
    for key, written in (
        ("profile", Path("results", config["profile"])),
        ("data_dir", Path(config["data_dir"])),
    ):
        folder = written.resolve()
        if {folder, *folder.parents} & kept or (
            key == "profile" and config[key].lower() == RELEASED
        ):
            what = (
                f"{config[key]!r} would overwrite the committed results (results/{RELEASED},"
                f" figures/{RELEASED})"
            )
            raise ConfigError(f"{where}: {key}: {what}; use another name")


def _lists_of_datasets(config: dict) -> Iterator[tuple[str, list[str]]]:
    """Yield a pair (key, names) for each list of data sets in the configuration. The sections of
    experiments that do not run are left out, except `benchmark.leave_out`, which other experiments
    also use.

    If the user gave a catalogue of their own, omit the lists that contain none of the data sets in
    `config["datasets"]`. Also omit from `caps` the data sets of the default catalogue that are not
    in `config["datasets"]`, because the caps of the user are merged with those of the default
    configuration.
    """
    yield "datasets", config["datasets"]
    lists = {f"{name}.datasets": config[name].get("datasets", []) for name in config["experiments"]}
    for name in config["experiments"]:
        parts = {key: part for key, part in config[name].items() if isinstance(part, dict)}
        lists |= {
            f"{name}.{key}.datasets": part["datasets"]
            for key, part in parts.items()
            if "datasets" in part
        }
    lists["tuning.cross_validation.datasets"] = (
        config["tuning"].get("cross_validation") or {}
    ).get("datasets", [])
    lists["benchmark.leave_out"] = config["benchmark"].get("leave_out", [])
    caps = list(config.get("caps") or {})
    is_shipped = Path(config["catalogue"]) == LOCAL_CATALOGUE
    if caps and not is_shipped:
        shipped = read_yaml(catalogue_path()) or {}
        caps = [name for name in caps if name in config["datasets"] or name not in shipped]
    yield "caps", caps
    for key, names in lists.items():
        if is_shipped or any(name in config["datasets"] for name in names):
            yield key, names


def in_one_line(text: str, words: list[str]) -> str | None:
    """Return one line that explains Snakemake's error message `text`.

    Only errors about the source cache or about an option --configfile are explained. For other
    errors, return None. `words` are the words of the command line.
    """
    if "sourcecache.py" in text:
        return (
            f"error: {text.strip().splitlines()[-1]}. Set the environment variable XDG_CACHE_HOME"
            " to a folder in which Snakemake can write"
        )
    if "load_configfile" not in text and not text.startswith("WorkflowError:\nConfig file"):
        return None
    words = "\0".join(words).replace("--configfile=", "--configfile\0").split("\0")
    files = itertools.islice(
        itertools.dropwhile(lambda word: not word.startswith("--configfile"), words), 1, None
    )
    for name in itertools.takewhile(lambda word: not word.startswith("-"), files):
        try:
            load_config(default=name)
        except UserError as error:
            return f"error: {error} (if {name} is not a configuration file, put `--` before it)"
    return None
