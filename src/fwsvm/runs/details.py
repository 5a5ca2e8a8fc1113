"""What the studies show besides their rows of the runs table: one JSON file each, a list with an entry per job."""

from __future__ import annotations

import os

from fwsvm.base.result_files import read_whole_json


def read_details(path: str | os.PathLike) -> list[dict]:
    """Details of a study.

    Parameters
    ----------
    path : path-like
        ``<study>.json``, or the same compressed as ``<study>.json.gz``.

    Returns
    -------
    list of dict
        One per job: ``selection``, ``dataset``, ``method`` and the study's own keys.

    Raises
    ------
    DataError
        If the file is damaged.
    """
    return read_whole_json(path, list)
