"""Fetching the files of one data set for the workflow, and the record of what could not be had."""

import logging

from fwsvm.base.errors import UnavailableError
from fwsvm.datasets.fetch import fetch_files

UNAVAILABLE = "no local copy, and the download failed"
_LOG = logging.getLogger(__name__)


def fetch_dataset(study, dataset, raw_dir, mirror):
    """Fetch all files of a data set, or of its stand-in.

    Parameters
    ----------
    study : Study
        Its `missing` setting decides what an unavailable file means; with `error` no stand-in will do.
    dataset : str
    raw_dir : str or path
    mirror : str or None

    Returns
    -------
    dict
        dataset; missing: None, or why the data set cannot be had; stand_in: whether a stand-in takes its place.

    Raises
    ------
    UnavailableError
        If the set cannot be had and the study says `missing: error`.
    DownloadError
        If a source gave a wrong or damaged file.
    """
    asked, strict = study.catalogue[dataset], study.config["missing"] == "error"
    try:
        found, _ = fetch_files(asked, study.catalogue, raw_dir, mirror, stand_in=not strict)
    except UnavailableError as error:
        if strict:
            raise
        _LOG.warning("%s is left out: %s", dataset, error)
        return {"dataset": dataset, "missing": UNAVAILABLE, "details": str(error)}
    return {"dataset": dataset, "missing": None, "stand_in": found is not asked}


def inventory(records):
    """Which data sets are there, which of them as stand-ins, and why the others are not (`fetch_dataset`)."""
    missing = {record["dataset"]: record["missing"] for record in records if record["missing"]}
    return {
        "present": [record["dataset"] for record in records if not record["missing"]],
        "stand_ins": [record["dataset"] for record in records if record.get("stand_in")],
        "missing": missing,
    }
