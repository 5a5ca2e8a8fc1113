"""What the studies show besides their rows of the runs table: one JSON file each, a list with an entry per job."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

from fwsvm.errors import DataError

STUDIES = ("gamma", "tsang2005", "singh", "alaiz2018")
"""Experiments with a protocol of their own, whose jobs leave such details."""


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
        If the file is cut short.
    """
    return read_whole_json(path)


def read_whole_json(path: str | os.PathLike):
    """Content of a JSON file, compressed or not; a `DataError` names the file if it is cut short."""
    content = Path(path).read_bytes()
    try:
        return json.loads(gzip.decompress(content) if Path(path).suffix == ".gz" else content)
    except (ValueError, EOFError, OSError) as error:
        raise DataError(f"{path}: not a whole JSON file ({error}); remove it and make it again") from error
