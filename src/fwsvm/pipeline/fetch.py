"""Fetching the files of one data set for the workflow, and the record of what could not be had."""

import logging

from fwsvm.base.errors import UnavailableError
from fwsvm.datasets.fetch import fetch

UNAVAILABLE = "neither in the mirror nor to be downloaded"
_LOG = logging.getLogger(__name__)


def fetch_dataset(study, dataset, raw_dir, mirror):
    """Fetch all files of a data set.

    Parameters
    ----------
    study : Study
        Its `missing` setting decides what an unavailable file means.
    dataset : str
    raw_dir : str or path
    mirror : str or None

    Returns
    -------
    dict
        dataset, and missing: None, or why the data set cannot be had.

    Raises
    ------
    UnavailableError
        If the set cannot be had and the study says `missing: error`.
    DownloadError
        If a source gave a wrong or damaged file.
    """
    try:
        for entry in study.raw_files(dataset).values():
            fetch(entry, raw_dir, mirror)
    except UnavailableError as error:
        if study.config["missing"] == "error":
            raise
        _LOG.warning("%s is left out: %s", dataset, error)
        return {"dataset": dataset, "missing": UNAVAILABLE, "details": str(error)}
    return {"dataset": dataset, "missing": None}


def inventory(records):
    """Which data sets are there, and why the others are not, from the records of `fetch_dataset`."""
    missing = {record["dataset"]: record["missing"] for record in records if record["missing"]}
    return {"present": [r["dataset"] for r in records if not r["missing"]], "missing": missing}
