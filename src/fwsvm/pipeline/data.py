"""The data sets of a run: fetched, listed, and prepared again where their files are damaged or outdated."""

import json
import logging
import os
from pathlib import Path

from fwsvm.base.errors import DataError, UnavailableError
from fwsvm.base.result_files import read_whole_json
from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.datasets.fetch import fetch_files
from fwsvm.datasets.storage import open_prepared, prepared_files
from fwsvm.pipeline.config import Configuration

UNAVAILABLE = "no local copy, and the download failed"
_LOG = logging.getLogger(__name__)


def fetch_dataset(configuration, dataset, raw_dir, mirror):
    """Fetch all files of a data set, or of its stand-in, and return the record of it.

    With `missing: error` a data set that is not available raises an UnavailableError, and no stand-in is taken.
    """
    asked, strict = configuration.catalogue[dataset], configuration.config["missing"] == "error"
    try:
        found, _ = fetch_files(asked, configuration.catalogue, raw_dir, mirror, stand_in=not strict)
    except UnavailableError as error:
        if strict:
            raise
        _LOG.warning("%s is left out: %s", dataset, error)
        return {"dataset": dataset, "missing": UNAVAILABLE, "details": str(error)}
    return {"dataset": dataset, "missing": None, "stand_in": found is not asked}


def inventory(records):
    """Which data sets are there, which of them as stand-ins, and why the others are not (`fetch_dataset`)."""
    return {
        "present": [record["dataset"] for record in records if not record["missing"]],
        "stand_ins": [record["dataset"] for record in records if record.get("stand_in")],
        "missing": {record["dataset"]: record["missing"] for record in records if record["missing"]},
    }


def missing_sets(results):
    """Data sets that an earlier run could not get, with the reasons; empty before the first run."""
    path = Path(results, "inventory.json")
    return read_whole_json(path)["missing"] if path.is_file() else {}


def drop_outdated(configuration, prepared):
    """Remove `meta.json` of data prepared from another catalogue entry: Snakemake may have no record of them."""
    for dataset in configuration.datasets:
        path = Path(prepared, dataset, "meta.json")
        try:
            digest = json.loads(path.read_text())["digest"]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # missing, or damaged: `open_or_prepare` prepares it again
        if digest != configuration.digest(dataset):
            path.unlink(missing_ok=True)


def open_or_prepare(config, dataset, folder):
    """Open prepared data; where a file is damaged, prepare them again.

    The files keep their times, since their content is what it was: nothing that was made from them is outdated.
    """
    from fwsvm.datasets.prepare import prepare

    try:
        return open_prepared(folder)
    except DataError as error:
        _LOG.warning("%s is prepared again: %s", dataset, error)
    times = {path: path.stat().st_mtime_ns for path in prepared_files(folder) if path.exists()}
    own = Configuration(config, load_catalogue(config["catalogue"]))
    raw_dir, mirror = f"{config['data_dir']}/raw", config["mirror"]
    opened = prepare(own.catalogue[dataset], own.catalogue, raw_dir, Path(folder), mirror, own.subset)
    for path, moment in times.items():
        os.utime(path, ns=(moment, moment))
    return opened
