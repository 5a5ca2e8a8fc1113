"""What the studies show besides their rows of the runs table: one JSON file each, a list with an entry per job."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path

from fwsvm.analysis.records import damaged_result
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
        If the file is damaged.
    """
    return read_whole_json(path, list)


def read_whole_json(path: str | os.PathLike, kind: type | None = None):
    """Content of a JSON file of results, compressed or not.

    Parameters
    ----------
    path : path-like
    kind : type, optional
        ``dict`` or ``list``: what the content must be.

    Raises
    ------
    DataError
        If the file is missing or damaged: empty, cut short, or another thing; the message says what to do.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    if not content:
        raise damaged_result(path, "it is empty")
    try:
        found = json.loads(gzip.decompress(content) if Path(path).suffix == ".gz" else content)
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise damaged_result(path, f"it is not a whole JSON file: {error}") from error
    if kind is not None and not isinstance(found, kind):
        raise damaged_result(path, f"it holds a {type(found).__name__}, not a {kind.__name__}")
    return found
