"""Functions that fetch and list the data sets of a run, and a class with the paths of the files of
a run.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fwsvm.inputs.errors import DataError, UnavailableError
from fwsvm_papers.code_hash import code_hash
from fwsvm_papers.datasets.fetch import fetch_files
from fwsvm_papers.datasets.prepare import has_same_content
from fwsvm_papers.datasets.storage import prepared_files, read_meta
from fwsvm_papers.pipeline.artefacts import (
    ARTEFACTS,
    artefacts_of,
    needed_inputs,
    output_paths,
    papers,
)
from fwsvm_papers.result_files import read_whole_json
from fwsvm_papers.runs.jobs import KERNELS
from fwsvm_papers.studies.registry import EXPERIMENTS, STUDIES, WITH_DETAILS

if TYPE_CHECKING:
    from fwsvm_papers.pipeline.config import Configuration
    from fwsvm_papers.runs.jobs import Job

WARM_UP_PARTS = ("dense", "sparse")
UNAVAILABLE = "no local copy, and the download failed"
_LOG = logging.getLogger(__name__)


def fetch_dataset(
    configuration: Configuration, dataset: str, raw_dir: str | Path, mirror: str | Path | None
) -> dict:
    """Fetch the files of a data set. If these files are unavailable, fetch the files of the
    stand-in for the data set.

    If the configuration has `missing: error`, an UnavailableError is raised for unavailable files,
    and no stand-in is used.

    Return a dict for JSON. The dict says whether the data set is missing, and whether its stand-in
    is used.
    """
    asked, strict = configuration.catalogue[dataset], configuration.config["missing"] == "error"
    try:
        found, _ = fetch_files(asked, configuration.catalogue, raw_dir, mirror, stand_in=not strict)
    except UnavailableError as error:
        if strict:
            raise
        _LOG.warning("the data set %s is omitted from this run: %s", dataset, error)
        return {"dataset": dataset, "missing": UNAVAILABLE, "details": str(error)}
    return {"dataset": dataset, "missing": None, "stand_in": found is not asked}


def inventory(records: Iterable[dict]) -> dict:
    """Return a dict with the names of the available data sets ("present"), the names of the
    stand-ins among them ("stand_ins"), and a dict ("missing") that maps each missing data set to
    the reason.
    """
    return {
        "present": [record["dataset"] for record in records if not record["missing"]],
        "stand_ins": [record["dataset"] for record in records if record.get("stand_in")],
        "missing": {
            record["dataset"]: record["missing"] for record in records if record["missing"]
        },
    }


def missing_sets(results: str | Path) -> dict[str, str]:
    """Return a dict that maps each data set that was missing in an earlier run to the reason in
    `inventory.json`.

    Before the first run, there is no `inventory.json`, and the dict is empty.
    """
    path = Path(results, "inventory.json")
    return read_whole_json(path)["missing"] if path.is_file() else {}


def drop_outdated(configuration: Configuration, prepared: str | Path) -> None:
    """Delete the `meta.json` of each data set whose catalogue entry or local file has changed, so
    that the data set is prepared again.

    This is needed because Snakemake alone could miss the change. For example, it compares only the
    dates of files, and the new file can be older.
    """
    for dataset in configuration.datasets:
        path = Path(prepared, dataset, "meta.json")
        try:
            meta = json.loads(path.read_text())
            is_current = meta["digest"] == configuration.digest(dataset) and has_same_content(
                meta, configuration.raw_files(dataset)
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # `open_or_prepare` prepares missing or damaged data again
        if not is_current:
            path.unlink(missing_ok=True)


class Layout:
    """The paths of the files of a run.

    `present()` returns the names of the available data sets. It raises an error if these names are
    not known yet.
    """

    def __init__(self, configuration: Configuration, present: Callable[[], list[str]]) -> None:
        self.configuration, self.present = configuration, present
        profile, data = configuration.config["profile"], configuration.config["data_dir"]
        self.results, self.figures = f"results/{profile}", f"figures/{profile}"
        self.raw, self.prepared = f"{data}/raw", f"{data}/prepared/{configuration.variant}"
        self.logs = f"{self.results}/logs"
        self.compiled = [f"{self.results}/warm_up/{part}.txt" for part in WARM_UP_PARTS]
        self.cores = f"{self.results}/cores.json"

    def local_files(self, dataset: str) -> list[str]:
        """List the local files that the user provides for a data set."""
        return [
            str(file.location(self.raw))
            for file in self.configuration.raw_files(dataset).values()
            if file.path
        ]

    def prepared_files(self, dataset: str) -> list[str]:
        return list(map(str, prepared_files(f"{self.prepared}/{dataset}")))

    def all_prepared_files(self) -> list[str]:
        return [path for name in self.present() for path in self.prepared_files(name)]

    def batch_files(self, *experiments: str) -> list[str]:
        """List the files of the batches of these experiments (default: all experiments) on the
        available data sets.
        """
        return [
            f"{self.results}/runs/{experiment}/{dataset}.json"
            for experiment, dataset in self.configuration.batches(self.present())
            if not experiments or experiment in experiments
        ]

    def planned_jobs(self) -> list[Job]:
        """List the training jobs on all data sets, except those that were missing in an earlier
        run.
        """
        missing = missing_sets(self.results)
        return self.configuration.jobs(
            [name for name in self.configuration.datasets if name not in missing]
        )

    def saved_jobs(self) -> list[Job]:
        """List the planned training jobs whose saved results this run uses again.

        A result counts only if the data, the tuned parameters, the settings and the code are those
        of the result.
        """
        # not at the top, since this import loads pandas
        from fwsvm_papers.runs.job_results import has_saved_result, result_path, saved_tuning

        own, tuning_code = self.configuration, code_hash("fwsvm_papers.studies.benchmark.tune")

        @cache
        def meta_of(dataset: str) -> dict | None:
            try:
                return read_meta(f"{self.prepared}/{dataset}")
            except DataError:
                return None

        @cache
        def tuned_on(dataset: str, folder: str) -> dict | None:
            path = f"{self.results}/cells/{folder}/{dataset}.json"
            settings, meta = own.tuning_settings(folder, dataset), meta_of(dataset)
            return saved_tuning(settings, meta, tuning_code, path) if meta else None

        def is_saved(job: Job) -> bool:
            experiment, meta = EXPERIMENTS[job.experiment], meta_of(job.dataset)
            if meta is None or not result_path(job, self.results).is_file():
                return False
            tuned = tuned_on(job.dataset, experiment.tuned) if experiment.tuned else None
            if experiment.tuned and tuned is None:
                return False
            settings = own.job_settings(job)
            return has_saved_result(job, settings, meta, tuned, experiment.code, self.results)

        return [job for job in self.planned_jobs() if is_saved(job)]

    def training_inputs(self, experiment: str, dataset: str) -> dict[str, list[str] | str]:
        """Return the input files of a batch of training jobs, as a dict from the name of an input
        to its file or files. The inputs are prepared data and, for experiments that use them, tuned
        parameters.
        """
        inputs, folder = {"data": self.prepared_files(dataset)}, EXPERIMENTS[experiment].tuned
        return inputs | (
            {"parameters": f"{self.results}/{folder}/{dataset}.json"} if folder else {}
        )

    def paper_inputs(self, paper: str) -> dict[str, list[str] | str]:
        """Return the input files from which a paper's artefacts are made, as a dict from the name
        of an input to its file or files.

        The artefacts of a study in `WITH_DETAILS` need no runs of other studies.
        """
        files: dict[str, list[str] | str] = {
            name: f"{self.results}/{name}.tsv" for name in ("runs", "tests")
        }
        records = ("inventory", "provenance", "sketches", *WITH_DETAILS)
        files |= {name: f"{self.results}/{name}.json" for name in records}
        files["descriptions"] = f"{self.results}/describe"
        if paper in WITH_DETAILS:
            files["runs"] = self.batch_files(*STUDIES[paper].EXPERIMENTS)
            del files["provenance"]  # not needed, since the batches have the records of their jobs
        needs = needed_inputs(papers()[paper])
        wanted = ("inventory", *needs, *(["provenance"] if "runs" in needs else []))
        return {name: files[name] for name in wanted if name in files}

    def artefacts(self, paper: str) -> list[str]:
        """List the tables and figures of a paper that this run makes."""
        return [name for name in papers()[paper] if name in self._artefacts]

    @cached_property
    def _artefacts(self) -> list[str]:
        jobs = self.configuration.jobs()
        return artefacts_of({(job.experiment, job.protocol) for job in jobs})

    def remove_outdated(self) -> None:
        """Remove files of an earlier run with another configuration: the files of tables and
        figures that this run does not make, and tuned parameters that it does not use. Otherwise,
        the report would show these files, and a release would have them.
        """
        outdated = [
            path
            for name in ARTEFACTS
            if name not in self._artefacts
            for path in output_paths(name, self.results, self.figures)
        ]
        used = self.configuration.tuning_jobs()
        outdated += [
            path
            for folder in KERNELS
            for path in Path(self.results, folder).glob("*.json")
            if (folder, path.stem) not in used
        ]
        for path in outdated:
            path.unlink(missing_ok=True)

    def artefact_files(self, *chosen: str) -> list[str]:
        """List the files of the tables and figures of these papers (default: of all papers)."""
        formats = self.configuration.config["figure_formats"]
        return [
            str(path)
            for paper in chosen or papers()
            for name in self.artefacts(paper)
            for path in output_paths(name, self.results, self.figures, formats)
        ]
